//! Statistics of games: strength differences with their uncertainty, for samples of any size.

mod recorded_openings;
mod report;
mod sample;
mod sprt;
mod tally;

pub use recorded_openings::RecordedOpenings;
pub use report::elo_text;
pub use sample::{Sample, elo, score};
pub use sprt::{Decision, Sprt};
pub use tally::{Meeting, Pairs, Results, Tally};

use crate::arena::record::GameRecord;
use crate::games;
use crate::notation::VariantError;

/// Statistics by variant.
#[derive(Clone, Default, Debug)]
pub struct Statistics {
    sprt: Option<Sprt>,
    /// In order of appearance.
    variants: Vec<(String, Tally)>,
}

impl Statistics {
    /// Creates empty statistics. A test processes the pairs in the order in which games are added.
    pub fn new(sprt: Option<Sprt>) -> Self {
        Self {
            sprt,
            variants: Vec::new(),
        }
    }

    /// Computes the statistics of the games of files, in any order.
    ///
    /// # Errors
    /// If a game has an unknown variant.
    pub fn of(files: Vec<Vec<GameRecord>>, sprt: Option<Sprt>) -> Result<Self, VariantError> {
        let numbered = files.into_iter().enumerate();
        let mut games: Vec<(usize, GameRecord)> = numbered
            .flat_map(|(file, games)| games.into_iter().map(move |game| (file, game)))
            .collect();
        games.sort_by_cached_key(|(_, game)| (game.variant.clone(), game.seed, game.game));
        let mut all = Self::new(sprt);
        games
            .iter()
            .try_for_each(|(file, game)| all.add_from(*file, game))?;
        Ok(all)
    }

    /// Adds a game. Games come in the order of the schedule.
    ///
    /// # Errors
    /// If its variant is unknown.
    pub fn add(&mut self, game: &GameRecord) -> Result<(), VariantError> {
        self.add_from(0, game)
    }

    fn add_from(&mut self, file: usize, game: &GameRecord) -> Result<(), VariantError> {
        let known = self
            .variants
            .iter()
            .position(|(name, _)| *name == game.variant);
        if known.is_none() {
            let first = games::parse_variant(&game.variant)?.info().first;
            self.variants
                .push((game.variant.clone(), Tally::new(first)));
        }
        let place = known.unwrap_or(self.variants.len() - 1);
        if let Some((_, tally)) = self.variants.get_mut(place) {
            tally.add(game, file, self.sprt.as_ref());
        }
        Ok(())
    }

    /// Returns the tally of each variant.
    pub fn variants(&self) -> &[(String, Tally)] {
        &self.variants
    }

    /// Returns the test.
    pub fn sprt(&self) -> Option<&Sprt> {
        self.sprt.as_ref()
    }

    /// Returns the decision of the test about the first two engines of the first variant.
    pub fn decision(&self) -> Option<Decision> {
        let (_, tally) = self.variants.first()?;
        let meeting = tally.meetings.get(&(0, 1))?;
        meeting.decided.map(|(decision, _)| decision)
    }

    /// Returns the number of games.
    pub fn games(&self) -> u64 {
        self.variants.iter().map(|(_, tally)| tally.games()).sum()
    }
}
