//! Clocks of a game on the board, with an increment after each move.

use std::time::Duration;

use crate::rules::Color;
use crate::session::{Overtime, TimeSettings};

/// Clocks of both players. They start with the first play.
#[derive(Clone, Debug)]
pub(super) struct Clocks {
    main: Duration,
    increment: Duration,
    left: [Duration; 2],
    is_running: bool,
}

impl Clocks {
    pub(super) fn new(main: Duration, increment: Duration) -> Self {
        Self { main, increment, left: [main; 2], is_running: false }
    }

    /// Returns the time control.
    pub(super) fn settings(&self) -> TimeSettings {
        TimeSettings { main: self.main, overtime: Overtime::Increment(self.increment) }
    }

    /// Returns the main time in minutes and the increment in seconds.
    pub(super) fn in_words(&self) -> (f64, f64) {
        (self.main.as_secs_f64() / 60.0, self.increment.as_secs_f64())
    }

    pub(super) fn restart(&mut self) {
        self.left = [self.main; 2];
        self.is_running = false;
    }

    /// Stops both clocks until the next play.
    pub(super) fn stop(&mut self) {
        self.is_running = false;
    }

    pub(super) fn is_running(&self) -> bool {
        self.is_running
    }

    /// Returns the time left to a player at the beginning of the present step.
    pub(super) fn left(&self, color: Color) -> Duration {
        self.left.get(color.index()).copied().unwrap_or_default()
    }

    /// Returns the time left to the player to move, if its clock runs.
    pub(super) fn running_out(&self, color: Color) -> Option<Duration> {
        self.is_running.then(|| self.left(color))
    }

    /// Takes the time of a step from a clock that runs. `passed`: the move is complete.
    pub(super) fn spend(&mut self, color: Color, time: Duration, passed: bool) {
        let was_running = std::mem::replace(&mut self.is_running, true);
        let Some(left) = self.left.get_mut(color.index()) else {
            return;
        };
        if was_running {
            *left = left.saturating_sub(time);
        }
        if passed {
            *left = left.saturating_add(self.increment);
        }
    }
}
