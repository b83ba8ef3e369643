//! The benchmark of random playouts, without any search.

use std::time::Duration;

use crate::games;
use crate::rules::PlayoutCounts;
use crate::rules::{PositionErrors, Variant};
use crate::search::Clock;

/// How many playouts are made between two looks at the clock.
const PLAYOUTS_A_LOOK: u64 = 64;

/// Plays games of a variant out at random, with one thread, for a time.
pub struct PlayOut<'a> {
    /// Begin here; `None` is the start.
    pub position: Option<String>,
    /// For how long.
    pub time: Duration,
    /// Where the time comes from.
    pub clock: &'a dyn Clock,
}

impl PlayOut<'_> {
    /// Plays games of a variant, and says how long they took; `None` where it can't be opened.
    ///
    /// # Errors
    /// Says what is wrong with the position to begin with.
    pub fn run(
        self,
        variant: &Variant,
    ) -> Option<Result<(PlayoutCounts, Duration), PositionErrors>> {
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
            !begun.is_multiple_of(PLAYOUTS_A_LOOK) || elapsed() < self.time
        });
        Some(Ok((counts, elapsed())))
    }
}
