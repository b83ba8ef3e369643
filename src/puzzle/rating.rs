//! Rates puzzles by the nodes that a search needs.

use std::sync::Arc;

use crate::rules::Variant;
use crate::search::SystemClock;
use crate::session::{Event, Go, Session, TimeLimit};

/// Number of times that the limit of the strongest level below full strength is doubled.
const DOUBLINGS: u32 = 6;

/// Difficulty of a step.
pub(super) struct Rated {
    /// Number of nodes from which on each search finds it; `None` if the last one does not.
    pub(super) nodes: Option<u64>,
    /// True if even the weakest level finds it.
    pub(super) is_easy: bool,
}

/// Searches puzzles with the limits of the engine's levels, and beyond.
pub(super) struct Rater {
    session: Session,
    limits: Vec<u64>,
}

impl Rater {
    pub(super) fn new(variant: &Variant) -> Option<Self> {
        let mut session = Session::new(variant, Arc::new(SystemClock::default()))?;
        session.set_option("MoveOverhead", "0").ok()?;
        session.set_option("Hash", "16").ok()?;
        let levels = variant.info().levels;
        let best = levels.first().copied().unwrap_or(1);
        let beyond = (1..=DOUBLINGS).map(|doublings| best << doublings);
        Some(Self { session, limits: levels.into_iter().rev().chain(beyond).collect() })
    }

    /// Rates a step of a position.
    pub(super) fn nodes(&mut self, position: &str, step: &str) -> Rated {
        let mut nodes = None;
        let mut is_first = true;
        let mut is_easy = false;
        for limit in self.limits.clone() {
            if self.search(position, limit).as_deref() == Some(step) {
                is_easy |= is_first;
                nodes.get_or_insert(limit);
            } else {
                nodes = None;
                // A chance hit of the weakest level is no solution.
                is_easy = false;
            }
            is_first = false;
        }
        Rated { nodes, is_easy }
    }

    /// Returns the first step that a search chooses.
    fn search(&mut self, position: &str, nodes: u64) -> Option<String> {
        self.session.set_position(position).ok()?;
        let go = Go { time: TimeLimit::Unlimited, nodes: Some(nodes), ..Go::default() };
        let events = self.session.search(&go).ok()?;
        let found = events.iter().find_map(|event| match event {
            Event::SearchDone(found) => Some(found),
            _ => None,
        })?;
        found.text().split(',').next().map(str::to_owned)
    }
}
