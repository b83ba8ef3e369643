//! The clocks of a game while it is played, and the time that the side to move has thought.

use std::sync::Arc;
use std::time::Duration;

use crate::rules::Color;
use crate::search::Clock;
use crate::session::GameClock;

/// Measures the time of plays, and takes it from the clocks. They start with the first play.
pub(super) struct Timer {
    now: Arc<dyn Clock>,
    pub(super) clock: Option<GameClock>,
    pub(super) is_running: bool,
    /// When the side to move began to think.
    since: Duration,
}

impl Timer {
    pub(super) fn new(now: Arc<dyn Clock>) -> Self {
        let since = now.now();
        Self { now, clock: None, is_running: false, since }
    }

    /// Returns the time since the last play.
    pub(super) fn elapsed(&self) -> Duration {
        self.now.now().saturating_sub(self.since)
    }

    /// Measures from now on.
    pub(super) fn restart(&mut self) {
        self.since = self.now.now();
    }

    /// Stops the clocks until the next play, and sets them to those of a position, if they have the same settings.
    pub(super) fn stop(&mut self, clock: Option<GameClock>) {
        self.is_running = false;
        self.restart();
        if let (Some(own), Some(known)) = (&mut self.clock, clock)
            && own.settings() == known.settings()
        {
            *own = known;
        }
    }

    /// Takes the time of a play of a side from its clock, and measures the next one. Returns the time.
    pub(super) fn played(&mut self, side: Color, passed: bool) -> Duration {
        let time = self.elapsed();
        self.restart();
        if let Some(clock) = &mut self.clock {
            let counted = if self.is_running { time } else { Duration::ZERO };
            clock.spend_play(side, counted, passed);
            self.is_running = true;
        }
        time
    }

    /// Returns the state of the clocks while a side thinks.
    pub(super) fn reading(&self, side: Color) -> Option<GameClock> {
        let mut clock = self.clock?;
        if self.is_running {
            clock.spend_part(side, self.elapsed());
        }
        Some(clock)
    }
}
