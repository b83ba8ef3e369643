//! Detects the times in which this program did not run: it was stopped (Ctrl-Z), or its computer slept or was far too
//! busy. What happened meanwhile can't be timed.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::threads;
use once_cell::sync::OnceCell;

/// Interval between two ticks.
const TICK: Duration = Duration::from_millis(20);

/// Minimum time between two ticks that is a pause: the system may let a thread wait for a few ticks.
pub const SHORTEST: Duration = Duration::from_millis(100);

/// Maximum number of pauses that are remembered.
const REMEMBERED: usize = 64;

/// Pauses in a series of ticks.
#[derive(Clone, Debug)]
pub struct Pauses {
    last_tick: Instant,
    /// Start and end of each pause, the latest one last.
    ended: VecDeque<(Instant, Instant)>,
}

impl Pauses {
    /// Begins a series of ticks.
    pub fn new(now: Instant) -> Self {
        Self { last_tick: now, ended: VecDeque::new() }
    }

    /// Adds a tick.
    pub fn tick(&mut self, now: Instant) {
        self.ended.extend(self.running(now));
        if self.ended.len() > REMEMBERED {
            self.ended.pop_front();
        }
        self.last_tick = now;
    }

    /// Returns the pause since the last tick: another thread may run again before the one that ticks.
    fn running(&self, now: Instant) -> Option<(Instant, Instant)> {
        (now.saturating_duration_since(self.last_tick) >= SHORTEST).then_some((self.last_tick, now))
    }

    /// Returns the time since `began` that lies in pauses.
    pub fn since(&self, began: Instant, now: Instant) -> Duration {
        let pauses = self.ended.iter().copied().chain(self.running(now));
        pauses.map(|(start, end)| end.saturating_duration_since(start.max(began))).sum()
    }
}

/// Returns the pauses of this program; `None` if no thread can be started for its ticks. The first call starts them.
fn of_this_program() -> Option<&'static Mutex<Pauses>> {
    static PAUSES: OnceCell<Mutex<Pauses>> = OnceCell::new();
    static IS_TICKING: OnceCell<bool> = OnceCell::new();
    let pauses = PAUSES.get_or_init(|| Mutex::new(Pauses::new(Instant::now())));
    let is_ticking = IS_TICKING.get_or_init(|| {
        let ticks = || {
            loop {
                thread::sleep(TICK);
                pauses.lock().unwrap_or_else(PoisonError::into_inner).tick(Instant::now());
            }
        };
        let started = threads::spawn("ticks", threads::STACK, ticks);
        started.inspect_err(|error| log::warn!("pauses of this program will not be noticed: {error}")).is_ok()
    });
    is_ticking.then_some(pauses)
}

/// Starts to watch for pauses.
pub(crate) fn watch() {
    of_this_program();
}

/// Returns the time since `began` in which this program did not run.
pub(crate) fn paused_since(began: Instant) -> Duration {
    of_this_program().map_or(Duration::ZERO, |pauses| {
        let pauses = pauses.lock().unwrap_or_else(PoisonError::into_inner);
        pauses.since(began, Instant::now())
    })
}
