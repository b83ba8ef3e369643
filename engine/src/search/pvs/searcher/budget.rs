//! Limits of one searching thread, and the reports of the main thread.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::rules::NODES_PER_CHECK;
use crate::search::control::{LimitsUsed, SearchControl};
use crate::search::pvs::Pvs;
use crate::search::{RootLine, SearchRequest};

/// Time that even a search without any time may take to look at each step once.
const MIN_SEARCH_TIME: Duration = Duration::from_millis(10);

/// Target interval between two readings of the clock, and the fewest nodes between them.
const CLOCK_CHECK_INTERVAL: Duration = Duration::from_millis(1);
const MIN_NODES_PER_CHECK: u64 = 16;

/// Node counter and deadlines of one thread.
pub(in crate::search::pvs) struct Budget<'a> {
    search: &'a Pvs,
    control: &'a SearchControl<'a>,
    stop_helpers: &'a AtomicBool,
    /// The request, on the thread that reports, and the lines to report.
    pub(in crate::search::pvs) request: Option<&'a SearchRequest<'a>>,
    pub(in crate::search::pvs) lines: Vec<RootLine>,
    /// Nodes that are reserved from the shared limit and not searched yet.
    reserved: u64,
    /// Nodes searched by this thread.
    pub(in crate::search::pvs) nodes: u64,
    /// Elapsed time at the last check of the limits, and nodes until the next one.
    last_check: Duration,
    nodes_until_check: u64,
    /// Share of the limits at which this thread ends.
    pub(in crate::search::pvs) max_used: LimitsUsed,
    /// Nodes of this thread at which it ends.
    pub(in crate::search::pvs) max_nodes: u64,
    /// Elapsed time at which it ends, by the soft limit.
    pub(in crate::search::pvs) soft_deadline: Option<Duration>,
    /// The same after a fail-low of the best step.
    pub(in crate::search::pvs) fail_low_deadline: Option<Duration>,
    pub(in crate::search::pvs) stopped: bool,
}

impl<'a> Budget<'a> {
    pub(super) fn new(search: &'a Pvs, control: &'a SearchControl<'a>, stop_helpers: &'a AtomicBool) -> Self {
        Self {
            search,
            control,
            stop_helpers,
            request: None,
            lines: Vec::new(),
            reserved: 0,
            nodes: 0,
            last_check: control.elapsed(),
            nodes_until_check: MIN_NODES_PER_CHECK,
            max_used: LimitsUsed::ALL,
            max_nodes: u64::MAX,
            soft_deadline: None,
            fail_low_deadline: None,
            stopped: false,
        }
    }

    /// Returns nodes that were reserved and not searched.
    pub(in crate::search::pvs) fn release_reserved(&self) {
        self.control.release_nodes(self.reserved);
    }

    /// Reports the state of the search, if a report is due.
    pub(in crate::search::pvs) fn report_if_due(&self) {
        if let Some(request) = self.request
            && !self.lines.is_empty()
            && self.control.is_report_due(true)
        {
            (request.on_report)(self.search.report(self.control, self.reserved, self.lines.clone()));
        }
    }

    /// Counts nodes that are searched now. Returns false if the search has to end.
    #[inline]
    pub(super) fn count(&mut self, nodes: u64) -> bool {
        self.nodes += nodes;
        if self.reserved >= nodes {
            self.reserved -= nodes;
            return true;
        }
        self.check_limits(nodes)
    }

    /// Returns whether the search has to end now.
    pub(in crate::search::pvs) fn is_over(&self) -> bool {
        let used = self.control.limits_used();
        let is_past = |used: f64, max_used: f64| max_used < 1.0 && used >= max_used;
        // A limit in nodes holds even before each step is searched once: levels of strength depend on it.
        let out_of_nodes = is_past(used.nodes, self.max_used.nodes);
        // A limit in time holds only once each step has been looked at, unless that takes long.
        let searched_enough = self.nodes > NODES_PER_CHECK
            || self.control.limits.hard_time.is_some() && self.control.elapsed() >= MIN_SEARCH_TIME;
        let soft_deadline = |soft_deadline| self.control.elapsed() >= soft_deadline;
        let out_of_time = self.control.must_stop()
            || is_past(used.time, self.max_used.time)
            || self.nodes >= self.max_nodes
            || self.soft_deadline.is_some_and(soft_deadline);
        self.stop_helpers.load(Ordering::Relaxed) || out_of_nodes || searched_enough && out_of_time
    }

    /// Adapts the nodes until the next check to the time of the last ones: nodes of large boards take long.
    fn adapt_check_interval(&mut self) -> u64 {
        let now = self.control.elapsed();
        let elapsed = now.saturating_sub(std::mem::replace(&mut self.last_check, now));
        let nodes = match elapsed {
            _ if elapsed > 2 * CLOCK_CHECK_INTERVAL => self.nodes_until_check / 2,
            _ if elapsed < CLOCK_CHECK_INTERVAL => self.nodes_until_check * 2,
            _ => self.nodes_until_check,
        };
        self.nodes_until_check = nodes.clamp(MIN_NODES_PER_CHECK, NODES_PER_CHECK);
        self.nodes_until_check
    }

    #[inline(never)]
    fn check_limits(&mut self, nodes: u64) -> bool {
        self.report_if_due();
        let batch = match self.control.limits.nodes {
            // Small enough to share the nodes among the steps of a move.
            Some(limit) => NODES_PER_CHECK.min(limit / 64 / self.search.settings.threads.max(1) as u64),
            // With a limit in depth the answer must not depend on the clock.
            None if self.control.limits.depth.is_some() => NODES_PER_CHECK,
            None => self.adapt_check_interval(),
        };
        self.reserved += self.control.reserve_nodes(batch.max(nodes));
        self.stopped = self.reserved < nodes || self.is_over();
        if !self.stopped {
            self.reserved -= nodes;
        }
        !self.stopped
    }
}
