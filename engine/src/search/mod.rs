//! Searches of positions, for any game that implements [`Board`].
//!
//! [`Pvs`] is a principal variation search, [`Mcts`] a Monte Carlo tree search. Values change sign when the side to
//! move changes, not at every ply: one player may take several steps in a row.
#![expect(clippy::indexing_slicing, reason = "node numbers come from the tree that they index")]

pub mod affinity;
mod clock;
pub mod control;
pub mod helper_threads;

mod mcts;
pub mod memory;
pub mod pvs;
mod random;
pub mod tree;

pub use clock::{Clock, SystemClock};
pub use helper_threads::STACK_BYTES;
pub use mcts::Mcts;
pub use pvs::Pvs;
pub use random::random_step;
pub use tree::{NODE_BYTES, VALUED_NODE_BYTES};

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::rules::{Board, Color, Method, Step};

/// A search of one variant, with the tree or table that it keeps between moves.
pub trait Search: Send {
    /// Returns the settings that the search was built with.
    fn settings(&self) -> Settings;

    /// Returns one sentence for each resource that the system refused: threads or memory.
    fn shortages(&self) -> Vec<String> {
        Vec::new()
    }

    /// Searches the board's position and returns a whole move of the side to move.
    ///
    /// Ends when a limit is reached, the request is stopped, or the result is proven. Every call must use the same
    /// variant.
    fn run(&mut self, board: &dyn Board, request: &SearchRequest<'_>) -> Report;

    /// Advances the root by a step that was played, and keeps the results below it.
    fn advance(&mut self, step: Step);

    /// Forgets everything. Call it when the next position does not follow from the last one.
    fn clear(&mut self);
}

/// Builds the search that `settings.method` names.
pub fn new_search(settings: Settings) -> Box<dyn Search> {
    match settings.method {
        Method::Uct | Method::Puct => Box::new(Mcts::new(settings)),
        Method::Pvs => Box::new(Pvs::new(settings)),
    }
}

/// Limits of a search; it ends at the first one reached, when it is stopped, or when the result is proven.
#[derive(Clone, Copy, Default, Debug)]
pub struct Limits {
    /// Hard limit: end here in any case.
    pub hard_time: Option<Duration>,
    /// Soft limit, at most `hard_time`: end here when the best step is stable. A search that changes its mind goes on.
    pub soft_time: Option<Duration>,
    /// Nodes: positions that are visited or evaluated, or playouts of UCT.
    pub nodes: Option<u64>,
    /// Depth in steps. A tree search ends when its principal variation is that long, or when the tree is full.
    pub depth: Option<u32>,
}

impl Limits {
    /// Returns whether only `stop` or a proof ends the search. A soft limit alone does not count.
    pub fn is_unlimited(&self) -> bool {
        self.hard_time.is_none() && self.nodes.is_none() && self.depth.is_none()
    }

    /// Returns limits for a search that blocks its caller and can't be stopped.
    ///
    /// Time is at most `max_time`. Without limits in time or nodes, it is one second.
    pub fn for_blocking_search(self, max_time: Duration) -> Self {
        let time = match (self.hard_time, self.nodes) {
            (Some(time), _) => Some(time.min(max_time)),
            (None, Some(_)) => None,
            (None, None) => Some(Duration::from_secs(1)),
        };
        Self { hard_time: time, ..self }
    }
}

/// Settings of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// The search algorithm.
    pub method: Method,
    /// Number of threads.
    pub threads: usize,
    /// Upper bound for the tree or the transposition table, in bytes.
    pub memory: usize,
    /// Seed of the random numbers. With one thread and no limit in time, equal seeds give equal searches.
    pub seed: u64,
}

/// Schedule of the reports of a running search.
#[derive(Clone, Copy, Default, Debug)]
pub struct ReportSchedule {
    /// Report whenever the number of nodes has doubled, from 1024 on. Independent of the machine's speed.
    pub on_doubling: bool,
    /// Report whenever this much time has passed.
    pub interval: Option<Duration>,
}

/// A request to search one position.
pub struct SearchRequest<'a> {
    /// Limits of this search.
    pub limits: Limits,
    /// Legal beginnings of moves to which the root is restricted (UCI's `searchmoves`). Empty: all moves.
    pub search_moves: &'a [Vec<Step>],
    /// Number of root lines in a report, each with another first step (UCI's `MultiPV`).
    pub multi_pv: usize,
    /// Points that a draw is worth less than one half to the side to move, below 0.5. Only `puct` heeds it.
    pub contempt: f64,
    /// True to answer at once where there is a single legal move. Unlimited and restricted searches search it anyway.
    pub skip_forced_move: bool,
    /// Schedule of the calls of `on_report`.
    pub report_schedule: ReportSchedule,
    /// Receives reports while the search runs, on a searching thread. It must return quickly.
    pub on_report: &'a (dyn Fn(Report) + Sync),
    /// Ends the search when it is set.
    pub stop: &'a AtomicBool,
    /// Source of the time.
    pub clock: &'a dyn Clock,
    /// Reading of `clock` from which elapsed time is counted.
    pub started: Duration,
}

impl<'a> SearchRequest<'a> {
    /// Requests a search of all moves with one line and no contempt, without reports before the end. A single legal
    /// move is not searched. Its time starts now.
    pub fn new(limits: Limits, stop: &'a AtomicBool, clock: &'a dyn Clock) -> Self {
        Self {
            limits,
            search_moves: &[],
            multi_pv: 1,
            contempt: 0.0,
            skip_forced_move: true,
            report_schedule: ReportSchedule::default(),
            on_report: &|_| (),
            stop,
            clock,
            started: clock.now(),
        }
    }
}

/// A proven result under best play.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Proof {
    /// The winner, or `None` for a draw.
    pub winner: Option<Color>,
    /// Upper bound for the moves of both players until the end, the one under way included.
    pub moves: u32,
}

/// A line of MultiPV: a step of the root, the variation behind it, and its value.
#[derive(Clone, PartialEq, Debug)]
pub struct RootLine {
    /// Steps from the searched position on, at least one.
    pub variation: Vec<Step>,
    /// Playouts that went through the first step, or nodes searched behind it.
    pub visits: u32,
    /// Expected share of the points for the side to move at the root, from 0 to 1.
    pub expected_score: f64,
    /// Result after the first step, where it is proven.
    pub proof: Option<Proof>,
}

/// Counters of a search.
#[derive(Clone, Copy, Default, Debug)]
pub struct SearchStatistics {
    /// Nodes: positions visited, or playouts.
    pub nodes: u64,
    /// Nodes in the tree; 0 for a search without a tree.
    pub tree_nodes: u64,
    /// Fill of the tree or the table, in thousandths.
    pub hashfull: u32,
    /// Longest descent through the tree in steps, or the last completed depth of principal variation search.
    pub selective_depth: u32,
    /// Share of the playouts that ended in a draw; `None` for a search without playouts.
    pub draws: Option<f64>,
    /// Elapsed time.
    pub time: Duration,
}

impl SearchStatistics {
    /// Returns true if the search counts playouts instead of nodes.
    pub fn counts_playouts(&self) -> bool {
        self.draws.is_some()
    }
}

/// Result of a search, final or interim.
#[derive(Clone, Debug)]
pub struct Report {
    /// A whole move: all steps until the turn passes or the game ends. Empty in a finished game, and in reports before
    /// the end.
    pub best_move: Vec<Step>,
    /// The best line, then up to `multi_pv - 1` others, best first, each with another first step.
    pub lines: Vec<RootLine>,
    /// Counters of the search.
    pub statistics: SearchStatistics,
    /// Expected share of the points for the side to move, from 0 to 1.
    pub expected_score: f64,
    /// Result with best play, where it is proven.
    pub proof: Option<Proof>,
}
