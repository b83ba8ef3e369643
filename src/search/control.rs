//! One search under way: how much of its limits is used, and when it tells how far it is.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use crossbeam_utils::CachePadded;

use super::{Clock, Limits, Pace};

/// The number of playouts after which a search first tells of itself at the pace of doublings.
const FIRST_REPORT: u64 = 1 << 10;

/// After how many playouts the depth is looked at again.
const DEPTH_INTERVAL: u64 = 1 << 7;

/// Parts of the limits of a search, from 0 to 1.
#[derive(Clone, Copy, Debug)]
pub(super) struct LimitsUsed {
    pub(super) time: f64,
    pub(super) nodes: f64,
}

impl LimitsUsed {
    pub(super) const ALL: Self = Self {
        time: 1.0,
        nodes: 1.0,
    };
}

/// What the threads of a search share.
pub struct SearchControl<'a> {
    pub(super) limits: Limits,
    pub(super) began: Duration,
    clock: &'a dyn Clock,
    stop: &'a AtomicBool,
    pace: Pace,
    /// Playouts so far. What threads write stands apart from what they all read.
    pub(super) nodes: CachePadded<AtomicU64>,
    /// Draws among them.
    pub(super) draws: CachePadded<AtomicU64>,
    /// The selective_depth way through the tree.
    pub(super) selective_depth: AtomicU32,
    /// Whether the limit in depth is reached.
    deep: AtomicBool,
    next_depth: AtomicU64,
    next_doubling: AtomicU64,
    /// When it next tells of itself by the clock, in nanoseconds.
    next_moment: AtomicU64,
}

impl<'a> SearchControl<'a> {
    /// A search that begins at the moment `began` of its clock.
    pub fn new(
        limits: Limits,
        pace: Pace,
        stop: &'a AtomicBool,
        clock: &'a dyn Clock,
        began: Duration,
    ) -> Self {
        Self {
            limits,
            began,
            clock,
            stop,
            pace,
            nodes: CachePadded::default(),
            draws: CachePadded::default(),
            selective_depth: AtomicU32::new(0),
            deep: AtomicBool::new(false),
            next_depth: AtomicU64::new(DEPTH_INTERVAL),
            next_doubling: AtomicU64::new(FIRST_REPORT),
            next_moment: AtomicU64::new(nanoseconds(
                began.saturating_add(pace.every.unwrap_or_default()),
            )),
        }
    }

    /// Counts up to so many playouts that are about to be made; fewer where the limit allows no more.
    #[inline]
    pub(super) fn take(&self, playouts: u64) -> u64 {
        let before = self.nodes.fetch_add(playouts, Ordering::Relaxed);
        let limit = self.limits.nodes.unwrap_or(u64::MAX);
        let taken = limit.saturating_sub(before).min(playouts);
        self.give_back(playouts - taken);
        taken
    }

    /// Takes back the count of playouts that were not made.
    #[inline]
    pub(super) fn give_back(&self, playouts: u64) {
        self.nodes.fetch_sub(playouts, Ordering::Relaxed);
    }

    #[inline]
    pub(super) fn elapsed(&self) -> Duration {
        self.clock.now().saturating_sub(self.began)
    }

    #[inline]
    pub(super) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.deep.load(Ordering::Relaxed)
    }

    /// Whether a playout that is under way should be given up.
    #[inline]
    pub(super) fn is_late(&self) -> bool {
        self.is_stopped()
            || self
                .limits
                .hard_time
                .is_some_and(|limit| self.elapsed() >= limit)
    }

    /// Which part of the limits is used up, from 0 to 1; 1 once it is stopped.
    pub(super) fn used(&self) -> f64 {
        if self.is_stopped() {
            return 1.0;
        }
        let LimitsUsed { time, nodes } = self.parts();
        nodes.max(time).min(1.0)
    }

    /// The same of each limit by itself; 0 where there is none.
    pub(super) fn parts(&self) -> LimitsUsed {
        let nodes = self.limits.nodes.map_or(0.0, |limit| match limit {
            0 => 1.0,
            _ => self.nodes.load(Ordering::Relaxed) as f64 / limit as f64,
        });
        let time = self.limits.hard_time.map_or(0.0, |limit| {
            self.elapsed().as_secs_f64() / limit.as_secs_f64().max(f64::MIN_POSITIVE)
        });
        LimitsUsed { time, nodes }
    }

    pub(super) fn ended(&self) -> bool {
        self.used() >= 1.0
    }

    /// Whether the depth should be looked at now.
    pub(super) fn depth_is_due(&self) -> bool {
        let playouts = self.nodes.load(Ordering::Relaxed);
        let due =
            self.limits.depth.is_some() && playouts >= self.next_depth.load(Ordering::Relaxed);
        if due {
            let next = playouts + DEPTH_INTERVAL;
            self.next_depth.store(next, Ordering::Relaxed);
        }
        due
    }

    /// Takes note of the depth that is reached; `full` says that it won't grow any more.
    pub(super) fn has_depth(&self, depth: usize, full: bool) {
        if full
            || self
                .limits
                .depth
                .is_some_and(|limit| depth >= limit as usize)
        {
            self.deep.store(true, Ordering::Relaxed);
        }
    }

    /// Whether to tell now how far the search is; `look` allows a look at the clock.
    pub(super) fn report_is_due(&self, look: bool) -> bool {
        let playouts = self.nodes.load(Ordering::Relaxed);
        let doubling = self.next_doubling.load(Ordering::Relaxed);
        if self.pace.doublings && playouts >= doubling {
            self.next_doubling.store(2 * doubling, Ordering::Relaxed);
            return true;
        }
        let Some(every) = self.pace.every.filter(|_| look) else {
            return false;
        };
        let now = self.clock.now();
        let due = nanoseconds(now) >= self.next_moment.load(Ordering::Relaxed);
        if due {
            let next = nanoseconds(now.saturating_add(every));
            self.next_moment.store(next, Ordering::Relaxed);
        }
        due
    }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}
