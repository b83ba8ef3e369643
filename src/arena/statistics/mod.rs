//! What a set of games says, at any size: how much stronger one engine is, and how sure that is.

mod report;
mod sample;
mod sprt;
mod tally;

pub use report::elo_text;
pub use sample::{Sample, elo, score};
pub use sprt::{Decision, Sprt};
pub use tally::{Meeting, Pairs, Results, Tally};

use crate::arena::record::GameRecord;
use crate::games;
use crate::notation::VariantError;

/// Everything about some games, variant by variant.
#[derive(Clone, Default, Debug)]
pub struct Statistics {
    sprt: Option<Sprt>,
    /// In the order in which they first came.
    variants: Vec<(String, Tally)>,
}

impl Statistics {
    /// No games yet; a test goes over the pairs in the order in which they come.
    pub fn new(sprt: Option<Sprt>) -> Self {
        Self {
            sprt,
            variants: Vec::new(),
        }
    }

    /// The statistics of games in any order.
    ///
    /// # Errors
    /// Where a game is of no variant that is known.
    pub fn of(mut games: Vec<GameRecord>, sprt: Option<Sprt>) -> Result<Self, VariantError> {
        games.sort_by(|a, b| {
            let key = |game: &GameRecord| (game.variant.clone(), game.seed, game.game);
            key(a).cmp(&key(b))
        });
        let mut all = Self::new(sprt);
        games.iter().try_for_each(|game| all.add(game))?;
        Ok(all)
    }

    /// Takes in a game; games come in the order of the schedule.
    ///
    /// # Errors
    /// Where it is of no variant that is known.
    pub fn add(&mut self, game: &GameRecord) -> Result<(), VariantError> {
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
            tally.add(game, self.sprt.as_ref());
        }
        Ok(())
    }

    /// The variants with what is known of their games.
    pub fn variants(&self) -> &[(String, Tally)] {
        &self.variants
    }

    /// The test, if there is one.
    pub fn sprt(&self) -> Option<&Sprt> {
        self.sprt.as_ref()
    }

    /// What the test of the first two engines of the first variant came to.
    pub fn decision(&self) -> Option<Decision> {
        let (_, tally) = self.variants.first()?;
        let meeting = tally.meetings.get(&(0, 1))?;
        meeting.decided.map(|(decision, _)| decision)
    }

    /// How many games there are.
    pub fn games(&self) -> u64 {
        self.variants.iter().map(|(_, tally)| tally.games()).sum()
    }
}
