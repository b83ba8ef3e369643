//! One search under way: how much of its limits is used, and when it tells how far it is.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use crossbeam_utils::CachePadded;

use super::{Clock, Limits, ReportSchedule};

/// The number of playouts after which a search first tells of itself at the pace of doublings.
const FIRST_REPORT_NODES: u64 = 1 << 10;

/// After how many playouts the depth is looked at again.
const DEPTH_CHECK_INTERVAL: u64 = 1 << 7;

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
    pub(super) started: Duration,
    clock: &'a dyn Clock,
    stop: &'a AtomicBool,
    report_schedule: ReportSchedule,
    /// Playouts so far. What threads write stands apart from what they all read.
    pub(super) nodes: CachePadded<AtomicU64>,
    /// Draws among them.
    pub(super) draws: CachePadded<AtomicU64>,
    /// The selective_depth way through the tree.
    pub(super) selective_depth: AtomicU32,
    /// Whether the limit in depth is reached.
    depth_reached: AtomicBool,
    next_depth_check: AtomicU64,
    next_report_nodes: AtomicU64,
    /// When it next tells of itself by the clock, in nanoseconds.
    next_report_time: AtomicU64,
}

impl<'a> SearchControl<'a> {
    /// A search that begins at the moment `began` of its clock.
    pub fn new(
        limits: Limits,
        report_schedule: ReportSchedule,
        stop: &'a AtomicBool,
        clock: &'a dyn Clock,
        started: Duration,
    ) -> Self {
        Self {
            limits,
            started,
            clock,
            stop,
            report_schedule,
            nodes: CachePadded::default(),
            draws: CachePadded::default(),
            selective_depth: AtomicU32::new(0),
            depth_reached: AtomicBool::new(false),
            next_depth_check: AtomicU64::new(DEPTH_CHECK_INTERVAL),
            next_report_nodes: AtomicU64::new(FIRST_REPORT_NODES),
            next_report_time: AtomicU64::new(nanoseconds(
                started.saturating_add(report_schedule.interval.unwrap_or_default()),
            )),
        }
    }

    /// Counts up to so many playouts that are about to be made; fewer where the limit allows no more.
    #[inline]
    pub(super) fn reserve_nodes(&self, nodes: u64) -> u64 {
        let before = self.nodes.fetch_add(nodes, Ordering::Relaxed);
        let limit = self.limits.nodes.unwrap_or(u64::MAX);
        let reserved = limit.saturating_sub(before).min(nodes);
        self.release_nodes(nodes - reserved);
        reserved
    }

    /// Takes back the count of playouts that were not made.
    #[inline]
    pub(super) fn release_nodes(&self, nodes: u64) {
        self.nodes.fetch_sub(nodes, Ordering::Relaxed);
    }

    #[inline]
    pub(super) fn elapsed(&self) -> Duration {
        self.clock.now().saturating_sub(self.started)
    }

    #[inline]
    pub(super) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.depth_reached.load(Ordering::Relaxed)
    }

    /// Whether a playout that is under way should be given up.
    #[inline]
    pub(super) fn must_stop(&self) -> bool {
        self.is_stopped()
            || self
                .limits
                .hard_time
                .is_some_and(|limit| self.elapsed() >= limit)
    }

    /// Which part of the limits is used up, from 0 to 1; 1 once it is stopped.
    pub(super) fn fraction_used(&self) -> f64 {
        if self.is_stopped() {
            return 1.0;
        }
        let LimitsUsed { time, nodes } = self.limits_used();
        nodes.max(time).min(1.0)
    }

    /// The same of each limit by itself; 0 where there is none.
    pub(super) fn limits_used(&self) -> LimitsUsed {
        let nodes = self.limits.nodes.map_or(0.0, |limit| match limit {
            0 => 1.0,
            _ => self.nodes.load(Ordering::Relaxed) as f64 / limit as f64,
        });
        let time = self.limits.hard_time.map_or(0.0, |limit| {
            self.elapsed().as_secs_f64() / limit.as_secs_f64().max(f64::MIN_POSITIVE)
        });
        LimitsUsed { time, nodes }
    }

    pub(super) fn is_finished(&self) -> bool {
        self.fraction_used() >= 1.0
    }

    /// Whether the depth should be looked at now.
    pub(super) fn is_depth_check_due(&self) -> bool {
        let nodes = self.nodes.load(Ordering::Relaxed);
        let due =
            self.limits.depth.is_some() && nodes >= self.next_depth_check.load(Ordering::Relaxed);
        if due {
            let next = nodes + DEPTH_CHECK_INTERVAL;
            self.next_depth_check.store(next, Ordering::Relaxed);
        }
        due
    }

    /// Takes note of the depth that is reached; `full` says that it won't grow any more.
    pub(super) fn record_depth(&self, depth: usize, full: bool) {
        if full
            || self
                .limits
                .depth
                .is_some_and(|limit| depth >= limit as usize)
        {
            self.depth_reached.store(true, Ordering::Relaxed);
        }
    }

    /// Whether to tell now how far the search is; `look` allows a look at the clock.
    pub(super) fn is_report_due(&self, check_clock: bool) -> bool {
        let nodes = self.nodes.load(Ordering::Relaxed);
        let at_nodes = self.next_report_nodes.load(Ordering::Relaxed);
        if self.report_schedule.on_doubling && nodes >= at_nodes {
            self.next_report_nodes
                .store(2 * at_nodes, Ordering::Relaxed);
            return true;
        }
        let Some(interval) = self.report_schedule.interval.filter(|_| check_clock) else {
            return false;
        };
        let now = self.clock.now();
        let due = nanoseconds(now) >= self.next_report_time.load(Ordering::Relaxed);
        if due {
            let next = nanoseconds(now.saturating_add(interval));
            self.next_report_time.store(next, Ordering::Relaxed);
        }
        due
    }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}
