//! What one thread of a search may still do: its share of the limits, and when it tells how far it is.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::rules::NODES_PER_CHECK;
use crate::search::control::{LimitsUsed, SearchControl};
use crate::search::pvs::Pvs;
use crate::search::{RootLine, SearchRequest};

/// How long a glance at each step may take where there is no time for it.
const GLANCE: Duration = Duration::from_millis(10);

/// How often a thread looks at the clock where it looks at few positions in that time.
const LOOK_EVERY: Duration = Duration::from_millis(1);
const FEWEST_NODES_A_LOOK: u64 = 16;

/// The counted nodes of one thread.
pub(in crate::search::pvs) struct Budget<'a> {
    search: &'a Pvs,
    run: &'a SearchControl<'a>,
    halt: &'a AtomicBool,
    /// What is asked, where this thread tells how far it is, and the lines that it has to show.
    pub(in crate::search::pvs) task: Option<&'a SearchRequest<'a>>,
    pub(in crate::search::pvs) lines: Vec<RootLine>,
    /// Nodes that are counted and not yet made.
    left: u64,
    /// How many nodes this thread has looked at.
    pub(in crate::search::pvs) nodes: u64,
    /// When this thread last looked at the clock, and how many nodes it has looked at since, at most.
    last_look: Duration,
    nodes_a_look: u64,
    /// The part of the limits at which it ends.
    pub(in crate::search::pvs) until: LimitsUsed,
    /// After how many nodes of this thread it ends.
    pub(in crate::search::pvs) give_up_at: u64,
    /// After how long it ends where more would be too much for this move.
    pub(in crate::search::pvs) enough: Option<Duration>,
    /// The same where the best step turns out worse than was thought.
    pub(in crate::search::pvs) in_doubt: Option<Duration>,
    pub(in crate::search::pvs) stopped: bool,
}

impl<'a> Budget<'a> {
    pub(super) fn new(search: &'a Pvs, run: &'a SearchControl<'a>, halt: &'a AtomicBool) -> Self {
        Self {
            search,
            run,
            halt,
            task: None,
            lines: Vec::new(),
            left: 0,
            nodes: 0,
            last_look: run.elapsed(),
            nodes_a_look: FEWEST_NODES_A_LOOK,
            until: LimitsUsed::ALL,
            give_up_at: u64::MAX,
            enough: None,
            in_doubt: None,
            stopped: false,
        }
    }

    /// Gives back what was counted and not made.
    pub(in crate::search::pvs) fn end(&self) {
        self.run.give_back(self.left);
    }

    /// Tells how far the search is, where that is due.
    pub(in crate::search::pvs) fn tell(&self) {
        if let Some(task) = self.task
            && !self.lines.is_empty()
            && self.run.report_is_due(true)
        {
            (task.watch)(self.search.report(self.run, self.left, self.lines.clone()));
        }
    }

    /// Counts nodes that are looked at now. Says no where the search has to end.
    #[inline]
    pub(super) fn count(&mut self, nodes: u64) -> bool {
        self.nodes += nodes;
        if self.left >= nodes {
            self.left -= nodes;
            return true;
        }
        self.look(nodes)
    }

    /// Whether the search has to end now.
    pub(in crate::search::pvs) fn is_over(&self) -> bool {
        let used = self.run.parts();
        let is_past = |used: f64, until: f64| until < 1.0 && used >= until;
        // Nodes are shared out as they are: a weak player is to see something of every step, and nothing well.
        let out_of_nodes = is_past(used.nodes, self.until.nodes);
        // A glance at each step is made even when there is no time for it, unless it takes long.
        let glanced = self.nodes > NODES_PER_CHECK
            || self.run.limits.hard_time.is_some() && self.run.elapsed() >= GLANCE;
        let enough = |enough| self.run.elapsed() >= enough;
        let late = self.run.is_late()
            || is_past(used.time, self.until.time)
            || self.nodes >= self.give_up_at
            || self.enough.is_some_and(enough);
        self.halt.load(Ordering::Relaxed) || out_of_nodes || glanced && late
    }

    /// How many nodes to look at before the next look at the clock: large boards take long for each.
    fn until_next_look(&mut self) -> u64 {
        let now = self.run.elapsed();
        let took = now.saturating_sub(std::mem::replace(&mut self.last_look, now));
        let nodes = match took {
            _ if took > 2 * LOOK_EVERY => self.nodes_a_look / 2,
            _ if took < LOOK_EVERY => self.nodes_a_look * 2,
            _ => self.nodes_a_look,
        };
        self.nodes_a_look = nodes.clamp(FEWEST_NODES_A_LOOK, NODES_PER_CHECK);
        self.nodes_a_look
    }

    #[inline(never)]
    fn look(&mut self, nodes: u64) -> bool {
        self.tell();
        let at_once = match self.run.limits.nodes {
            // Small enough to be shared out among the steps of a move.
            Some(limit) => {
                NODES_PER_CHECK.min(limit / 64 / self.search.settings.threads.max(1) as u64)
            }
            // Answers must not depend on the clock.
            None if self.run.limits.depth.is_some() => NODES_PER_CHECK,
            None => self.until_next_look(),
        };
        self.left += self.run.take(at_once.max(nodes));
        self.stopped = self.left < nodes || self.is_over();
        if !self.stopped {
            self.left -= nodes;
        }
        !self.stopped
    }
}
