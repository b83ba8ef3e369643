//! Counts of games won, drawn and lost.

use serde_core::ser::{Serialize, SerializeStruct, Serializer};

use super::Sample;

/// Numbers of games won, drawn and lost.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Results {
    pub wins: u64,
    pub draws: u64,
    pub losses: u64,
}

impl Results {
    /// Returns the number of games.
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Returns the score, from 0 to 1. A draw counts one half.
    pub fn share(&self) -> f64 {
        (self.wins as f64 + 0.5 * self.draws as f64) / self.games().max(1) as f64
    }

    /// Returns the share of draws.
    pub fn draw_rate(&self) -> f64 {
        self.draws as f64 / self.games().max(1) as f64
    }

    /// Returns the points, a draw half a point: `2.5`.
    pub fn points(&self) -> String {
        let half = if self.draws % 2 == 1 { "5" } else { "0" };
        format!("{}.{half}", self.wins + self.draws / 2)
    }

    /// Returns wins, draws and losses: `2-1-0`.
    pub fn counts(self) -> String {
        format!("{}-{}-{}", self.wins, self.draws, self.losses)
    }

    /// Returns the number of games by outcome, the worst first.
    pub fn by_outcome(&self) -> [u64; 3] {
        [self.losses, self.draws, self.wins]
    }

    /// Adds a game of 0, 1 or 2 half points.
    pub fn add(&mut self, half_points: usize) {
        *match half_points {
            0 => &mut self.losses,
            1 => &mut self.draws,
            _ => &mut self.wins,
        } += 1;
    }

    /// Returns the results of the other side.
    pub fn reversed(self) -> Self {
        Self { wins: self.losses, draws: self.draws, losses: self.wins }
    }

    /// Returns the sum of two results.
    pub fn with(self, other: Self) -> Self {
        Self { wins: self.wins + other.wins, draws: self.draws + other.draws, losses: self.losses + other.losses }
    }

    /// Returns the sample of single games.
    pub fn sample(&self) -> Sample {
        Sample::new(&self.by_outcome())
    }
}

impl FromIterator<usize> for Results {
    /// Counts games by their half points: 0, 1 or 2.
    fn from_iter<I: IntoIterator<Item = usize>>(half_points: I) -> Self {
        let mut results = Self::default();
        half_points.into_iter().for_each(|half_points| results.add(half_points));
        results
    }
}

impl Serialize for Results {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Results", 3)?;
        fields.serialize_field("wins", &self.wins)?;
        fields.serialize_field("draws", &self.draws)?;
        fields.serialize_field("losses", &self.losses)?;
        fields.end()
    }
}
