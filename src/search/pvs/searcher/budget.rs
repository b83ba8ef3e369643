//! What one thread of a search may still do: its share of the limits, and when it tells how far it is.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::rules::NODES_PER_CHECK;
use crate::search::control::{LimitsUsed, SearchControl};
use crate::search::pvs::Pvs;
use crate::search::{RootLine, SearchRequest};

/// How long a glance at each step may take where there is no time for it.
const MIN_SEARCH_TIME: Duration = Duration::from_millis(10);

/// How often a thread looks at the clock where it looks at few positions in that time.
const CLOCK_CHECK_INTERVAL: Duration = Duration::from_millis(1);
const MIN_NODES_PER_CHECK: u64 = 16;

/// The counted nodes of one thread.
pub(in crate::search::pvs) struct Budget<'a> {
    search: &'a Pvs,
    control: &'a SearchControl<'a>,
    stop_helpers: &'a AtomicBool,
    /// What is asked, where this thread tells how far it is, and the lines that it has to show.
    pub(in crate::search::pvs) request: Option<&'a SearchRequest<'a>>,
    pub(in crate::search::pvs) lines: Vec<RootLine>,
    /// Nodes that are counted and not yet made.
    reserved: u64,
    /// How many nodes this thread has looked at.
    pub(in crate::search::pvs) nodes: u64,
    /// When this thread last looked at the clock, and how many nodes it has looked at since, at most.
    last_check: Duration,
    nodes_until_check: u64,
    /// The part of the limits at which it ends.
    pub(in crate::search::pvs) max_used: LimitsUsed,
    /// After how many nodes of this thread it ends.
    pub(in crate::search::pvs) max_nodes: u64,
    /// After how long it ends where more would be too much for this move.
    pub(in crate::search::pvs) soft_deadline: Option<Duration>,
    /// The same where the best step turns out worse than was thought.
    pub(in crate::search::pvs) fail_low_deadline: Option<Duration>,
    pub(in crate::search::pvs) stopped: bool,
}

impl<'a> Budget<'a> {
    pub(super) fn new(
        search: &'a Pvs,
        control: &'a SearchControl<'a>,
        stop_helpers: &'a AtomicBool,
    ) -> Self {
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

    /// Gives back what was counted and not made.
    pub(in crate::search::pvs) fn release_reserved(&self) {
        self.control.release_nodes(self.reserved);
    }

    /// Tells how far the search is, where that is due.
    pub(in crate::search::pvs) fn report_if_due(&self) {
        if let Some(request) = self.request
            && !self.lines.is_empty()
            && self.control.is_report_due(true)
        {
            (request.on_report)(self.search.report(
                self.control,
                self.reserved,
                self.lines.clone(),
            ));
        }
    }

    /// Counts nodes that are looked at now. Says no where the search has to end.
    #[inline]
    pub(super) fn count(&mut self, nodes: u64) -> bool {
        self.nodes += nodes;
        if self.reserved >= nodes {
            self.reserved -= nodes;
            return true;
        }
        self.check_limits(nodes)
    }

    /// Whether the search has to end now.
    pub(in crate::search::pvs) fn is_over(&self) -> bool {
        let used = self.control.limits_used();
        let is_past = |used: f64, max_used: f64| max_used < 1.0 && used >= max_used;
        // Nodes are shared out as they are: a weak player is to see something of every step, and nothing well.
        let out_of_nodes = is_past(used.nodes, self.max_used.nodes);
        // A glance at each step is made even when there is no time for it, unless it takes long.
        let searched_enough = self.nodes > NODES_PER_CHECK
            || self.control.limits.hard_time.is_some() && self.control.elapsed() >= MIN_SEARCH_TIME;
        let soft_deadline = |soft_deadline| self.control.elapsed() >= soft_deadline;
        let out_of_time = self.control.must_stop()
            || is_past(used.time, self.max_used.time)
            || self.nodes >= self.max_nodes
            || self.soft_deadline.is_some_and(soft_deadline);
        self.stop_helpers.load(Ordering::Relaxed) || out_of_nodes || searched_enough && out_of_time
    }

    /// How many nodes to look at before the next look at the clock: large boards take long for each.
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
            // Small enough to be shared out among the steps of a move.
            Some(limit) => {
                NODES_PER_CHECK.min(limit / 64 / self.search.settings.threads.max(1) as u64)
            }
            // Answers must not depend on the clock.
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
