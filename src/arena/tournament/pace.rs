//! The pace of a match, and the time that is left.

use std::time::Duration;

/// Pace of one run of a match.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Pace {
    /// Number of games finished in this run.
    pub finished: u64,
    /// Number of games played at once.
    pub concurrency: u64,
    /// Time from the start of the run to the end of the last finished game.
    pub last: Duration,
    /// Time since the start of the run.
    pub elapsed: Duration,
}

impl Pace {
    /// Estimates the time until `left` more games are finished, running ones among them. `None` before the first game
    /// of this run has ended, and if no game is left.
    ///
    /// When a game ends, another one begins in its place, and the other running games are half done on average. The
    /// estimate changes when a game ends; until the next one ends it shrinks by the time that passes.
    pub fn remaining(&self, left: u64) -> Option<Duration> {
        if self.finished == 0 || left == 0 {
            return None;
        }
        let half_done = (self.concurrency.min(left) - 1) as f64 / 2.0;
        let done = self.finished as f64 + half_done;
        let seconds = self.last.as_secs_f64() * (left as f64 - half_done) / done;
        let remaining = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
        Some(remaining.saturating_sub(self.elapsed.saturating_sub(self.last)))
    }
}
