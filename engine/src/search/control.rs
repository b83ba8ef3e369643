//! State that the threads of one search share: limits, node counter, report times.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use crossbeam_utils::CachePadded;

use super::{Clock, Limits, ReportSchedule};

/// Nodes at the first report, where reports come at doublings.
const FIRST_REPORT_NODES: u64 = 1 << 10;

/// Minimum share of its limits that a search without a proof uses.
const MIN_USED: f64 = 0.9;

/// Playouts between two checks of the depth limit.
const DEPTH_CHECK_INTERVAL: u64 = 1 << 7;

/// Used share of each limit: 0 without a limit, 1 and more when it is used up.
#[derive(Clone, Copy, Debug)]
pub(super) struct LimitsUsed {
    pub(super) time: f64,
    pub(super) nodes: f64,
}

impl LimitsUsed {
    pub(super) const ALL: Self = Self { time: 1.0, nodes: 1.0 };
}

/// Limits, clock and counters of a running search.
pub struct SearchControl<'a> {
    pub(super) limits: Limits,
    /// Limit in time, in nanoseconds: the hard limit, unless [`SearchControl::set_time_limit`] has changed it.
    time_limit: AtomicU64,
    pub(super) started: Duration,
    clock: &'a dyn Clock,
    stop: &'a AtomicBool,
    report_schedule: ReportSchedule,
    /// Nodes reserved by all threads. Padded: threads write it all the time, and must not evict what they only read.
    pub(super) nodes: CachePadded<AtomicU64>,
    /// Playouts that ended in a draw.
    pub(super) draws: CachePadded<AtomicU64>,
    /// Longest descent, or completed depth, in steps.
    pub(super) selective_depth: AtomicU32,
    /// Set when the depth limit is reached, or can't be reached any more.
    depth_reached: AtomicBool,
    next_depth_check: AtomicU64,
    next_report_nodes: AtomicU64,
    /// Reading of the clock at which the next report is due, in nanoseconds.
    next_report_time: AtomicU64,
}

impl<'a> SearchControl<'a> {
    /// Prepares a search whose time runs from the clock reading `started`.
    pub fn new(
        limits: Limits,
        report_schedule: ReportSchedule,
        stop: &'a AtomicBool,
        clock: &'a dyn Clock,
        started: Duration,
    ) -> Self {
        Self {
            limits,
            time_limit: AtomicU64::new(limits.hard_time.map_or(u64::MAX, nanoseconds)),
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

    /// Reserves up to `nodes` nodes for a thread and returns how many the limit allows.
    #[inline]
    pub(super) fn reserve_nodes(&self, nodes: u64) -> u64 {
        let before = self.nodes.fetch_add(nodes, Ordering::Relaxed);
        let limit = self.limits.nodes.unwrap_or(u64::MAX);
        let reserved = limit.saturating_sub(before).min(nodes);
        self.release_nodes(nodes - reserved);
        reserved
    }

    /// Returns nodes that were reserved and not searched.
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

    /// Returns whether to abort at once, even in the middle of a playout: stopped, or past the hard limit.
    #[inline]
    pub(super) fn must_stop(&self) -> bool {
        self.is_stopped() || self.time_limit().is_some_and(|limit| self.elapsed() >= limit)
    }

    /// Returns the limit in time.
    fn time_limit(&self) -> Option<Duration> {
        let limit = self.time_limit.load(Ordering::Relaxed);
        (limit < u64::MAX).then(|| Duration::from_nanos(limit))
    }

    /// Replaces the limit in time.
    pub(super) fn set_time_limit(&self, limit: Duration) {
        self.time_limit.store(nanoseconds(limit), Ordering::Relaxed);
    }

    /// Returns the time left; `None` without a limit.
    pub(super) fn time_left(&self) -> Option<Duration> {
        self.time_limit().map(|limit| limit.saturating_sub(self.elapsed()))
    }

    /// Returns the largest used share of any limit, from 0 to 1; 1 once the search is stopped.
    pub(super) fn fraction_used(&self) -> f64 {
        if self.is_stopped() {
            return 1.0;
        }
        let LimitsUsed { time, nodes } = self.limits_used();
        nodes.max(time).min(1.0)
    }

    /// Returns the used share of the limits in time and nodes.
    pub(super) fn limits_used(&self) -> LimitsUsed {
        let nodes = self.limits.nodes.map_or(0.0, |limit| match limit {
            0 => 1.0,
            _ => self.nodes.load(Ordering::Relaxed) as f64 / limit as f64,
        });
        let time = self
            .time_limit()
            .map_or(0.0, |limit| self.elapsed().as_secs_f64() / limit.as_secs_f64().max(f64::MIN_POSITIVE));
        LimitsUsed { time, nodes }
    }

    pub(super) fn is_finished(&self) -> bool {
        self.fraction_used() >= 1.0
    }

    /// Returns whether so much of the limits is left that a move without a proof is searched from its first step again.
    pub(super) fn may_search_again(&self) -> bool {
        // A soft limit is there to save time, and a limit in depth is reached by the first pass.
        let limits = self.limits;
        let is_exact = limits.soft_time.is_none() && limits.depth.is_none() && !limits.is_unlimited();
        is_exact && self.fraction_used() < MIN_USED
    }

    /// Returns whether to check the depth now, and schedules the next check if so.
    pub(super) fn is_depth_check_due(&self) -> bool {
        let nodes = self.nodes.load(Ordering::Relaxed);
        let due = self.limits.depth.is_some() && nodes >= self.next_depth_check.load(Ordering::Relaxed);
        if due {
            let next = nodes + DEPTH_CHECK_INTERVAL;
            self.next_depth_check.store(next, Ordering::Relaxed);
        }
        due
    }

    /// Ends the search if `depth` reaches the limit, or if `full` says that the depth can't grow.
    pub(super) fn record_depth(&self, depth: usize, full: bool) {
        if full || self.limits.depth.is_some_and(|limit| depth >= limit as usize) {
            self.depth_reached.store(true, Ordering::Relaxed);
        }
    }

    /// Returns whether to report now, and schedules the next report if so. The clock is read only if `check_clock` is
    /// set.
    pub(super) fn is_report_due(&self, check_clock: bool) -> bool {
        let nodes = self.nodes.load(Ordering::Relaxed);
        let at_nodes = self.next_report_nodes.load(Ordering::Relaxed);
        if self.report_schedule.on_doubling && nodes >= at_nodes {
            self.next_report_nodes.store(2 * at_nodes, Ordering::Relaxed);
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
