//! Time source of searches and games.

use std::time::{Duration, Instant};

/// A monotonic clock. The program has one; tests bring their own.
pub trait Clock: Send + Sync {
    /// Returns the time since a fixed moment.
    fn now(&self) -> Duration;
}

/// The monotonic clock of the system, zero when it was made.
#[derive(Debug)]
pub struct SystemClock(Instant);

impl Default for SystemClock {
    fn default() -> Self {
        Self(Instant::now())
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }
}
