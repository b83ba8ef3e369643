//! The benchmark of random playouts, without a search.

use std::time::Duration;

use crate::games;
use crate::rules::PlayoutCounts;
use crate::rules::{PositionErrors, Variant};
use crate::search::Clock;

/// Playouts between two checks of the clock.
const PLAYOUTS_PER_CHECK: u64 = 64;

/// Benchmark that plays random games with one thread for a given time.
pub struct PlayoutBenchmark<'a> {
    /// Position from which every playout begins; `None` is the start of the game.
    pub position: Option<String>,
    /// Time after which no new playout begins.
    pub time: Duration,
    /// Source of time.
    pub clock: &'a dyn Clock,
}

impl PlayoutBenchmark<'_> {
    /// Runs playouts of a variant, and returns their counts and the time that they took.
    ///
    /// Returns `None` where the variant can't be opened.
    ///
    /// # Errors
    /// Returns the errors of the position to begin with.
    pub fn run(self, variant: &Variant) -> Option<Result<(PlayoutCounts, Duration), PositionErrors>> {
        let mut board = games::open(variant)?;
        if let Some(text) = &self.position
            && let Err(error) = board.set_position(text)
        {
            return Some(Err(error));
        }
        let began = self.clock.now();
        let elapsed = || self.clock.now().saturating_sub(began);
        let mut begun = 0_u64;
        let counts = board.playouts(&mut || {
            begun += 1;
            !begun.is_multiple_of(PLAYOUTS_PER_CHECK) || elapsed() < self.time
        });
        Some(Ok((counts, elapsed())))
    }
}
