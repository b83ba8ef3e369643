//! Floor 3: search. Knows a [`Board`] and no game.
//!
//! No search negates by ply: one player may take several steps in a row, and each node asks whose step it is.
#![expect(
    clippy::indexing_slicing,
    reason = "node numbers come from the tree that they index"
)]

mod affinity;
mod clock;
pub mod control;
pub mod helper_threads;

pub mod memory;
pub mod pvs;
mod random;
pub mod tree;
mod uct;

pub use clock::{Clock, SystemClock};
pub use helper_threads::STACK_BYTES;
pub use pvs::Pvs;
pub use random::random_step;
pub use tree::NODE_BYTES;
pub use uct::Uct;

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::rules::{Board, Color, Method, Step};

/// A search of one variant, with what it keeps from one move to the next.
pub trait Search: Send {
    /// What it works with.
    fn settings(&self) -> Settings;

    /// What the system did not give of it: threads or memory, a sentence each.
    fn shortages(&self) -> Vec<String> {
        Vec::new()
    }

    /// Searches the position of a board until a limit is reached, it is stopped, or the result is proven, and gives a
    /// whole move of the side to move. The board must be of the variant that was searched before.
    fn run(&mut self, board: &dyn Board, request: &SearchRequest<'_>) -> Report;

    /// Follows a step that was played from the position last searched, keeping what is known of it.
    fn advance(&mut self, step: Step);

    /// Forgets everything: the game goes on somewhere else.
    fn clear(&mut self);
}

/// A search by the method of the settings, which knows nothing yet.
pub fn new_search(settings: Settings) -> Box<dyn Search> {
    match settings.method {
        Method::Uct => Box::new(Uct::new(settings)),
        Method::Pvs => Box::new(Pvs::new(settings)),
    }
}

/// When a search ends, whatever comes first. It also ends when it is stopped, or knows the result.
#[derive(Clone, Copy, Default, Debug)]
pub struct Limits {
    /// Hard limit: the time at which the search ends.
    pub hard_time: Option<Duration>,
    /// About so long, which is less than `time`, where time that is saved is of use later: a search that sees ever the
    /// same best step ends sooner, and one that changes its mind goes on.
    pub soft_time: Option<Duration>,
    /// So many nodes: positions looked at, or playouts, each of which adds its result to a tree.
    pub nodes: Option<u64>,
    /// When so many steps are searched: with UCT when the principal variation has so many, or the tree can't grow.
    pub depth: Option<u32>,
}

impl Limits {
    /// Whether only `stop` or a proof ends the search.
    pub fn is_unlimited(&self) -> bool {
        self.hard_time.is_none() && self.nodes.is_none() && self.depth.is_none()
    }

    /// These limits for a search that nobody can stop: no longer than `most`, and for a second where only stopping would end
    /// it.
    pub fn for_blocking_search(self, max_time: Duration) -> Self {
        let time = match (self.hard_time, self.nodes) {
            (Some(time), _) => Some(time.min(max_time)),
            (None, Some(_)) => None,
            (None, None) => Some(Duration::from_secs(1)),
        };
        Self {
            hard_time: time,
            ..self
        }
    }
}

/// What a search works with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// How it searches.
    pub method: Method,
    /// How many threads search at once.
    pub threads: usize,
    /// The most memory that the tree or table may take, in bytes.
    pub memory: usize,
    /// With one thread and a limit in nodes alone, equal seeds give equal searches.
    pub seed: u64,
}

/// When a running search tells how far it is.
#[derive(Clone, Copy, Default, Debug)]
pub struct ReportSchedule {
    /// Whenever the number of nodes has doubled, from 1024 on: the same on every machine.
    pub on_doubling: bool,
    /// Whenever so much time has passed.
    pub interval: Option<Duration>,
}

/// What is asked of a search.
pub struct SearchRequest<'a> {
    /// When to end.
    pub limits: Limits,
    /// Only moves that begin with one of these runs of legal steps are looked at; all moves where it is empty.
    pub search_moves: &'a [Vec<Step>],
    /// Of how many different first steps a report shows a line.
    pub multi_pv: usize,
    /// When to call `watch`.
    pub report_schedule: ReportSchedule,
    /// Is shown how far the search is. It must not take long.
    pub on_report: &'a (dyn Fn(Report) + Sync),
    /// Ends the search when it is set.
    pub stop: &'a AtomicBool,
    /// Where the time comes from.
    pub clock: &'a dyn Clock,
    /// When the time began to run.
    pub started: Duration,
}

impl<'a> SearchRequest<'a> {
    /// Looks at all moves, gives one line, and tells nothing before the end.
    pub fn new(limits: Limits, stop: &'a AtomicBool, clock: &'a dyn Clock) -> Self {
        Self {
            limits,
            search_moves: &[],
            multi_pv: 1,
            report_schedule: ReportSchedule::default(),
            on_report: &|_| (),
            stop,
            clock,
            started: clock.now(),
        }
    }
}

/// A result with best play.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Proof {
    /// Who wins; `None` is a draw.
    pub winner: Option<Color>,
    /// The proof ends the game within so many moves of both players, the one under way included. There may be
    /// a shorter way.
    pub moves: u32,
}

/// A variation: steps from the position that was searched on, and what is thought of them.
#[derive(Clone, PartialEq, Debug)]
pub struct RootLine {
    /// The steps, at least one.
    pub variation: Vec<Step>,
    /// How many playouts went through the first step, or positions behind it were looked at.
    pub visits: u32,
    /// The share of the points that the side to move expects, from 0 to 1.
    pub expected_score: f64,
    /// The result after the first step, where it is proven.
    pub proof: Option<Proof>,
}

/// What a search took.
#[derive(Clone, Copy, Default, Debug)]
pub struct SearchStatistics {
    /// How many playouts were made, or positions looked at.
    pub nodes: u64,
    /// How many nodes the tree holds; 0 where there is none.
    pub tree_nodes: u64,
    /// How full the tree or the table is, in thousandths.
    pub hashfull: u32,
    /// The most steps that a playout went through the tree, or how many steps deep all was searched.
    pub selective_depth: u32,
    /// The share of the playouts that ended in a draw; 0 where there are none.
    pub draws: f64,
    /// How long it took.
    pub time: Duration,
}

/// What a search has found.
#[derive(Clone, Debug)]
pub struct Report {
    /// A whole move: every step up to where the turn passes or the game ends. Empty where the game is over, and
    /// while the search is running.
    pub best_move: Vec<Step>,
    /// The best line, and as many others as were asked for and have been looked at, each with another first
    /// step, better ones first.
    pub lines: Vec<RootLine>,
    /// What it took.
    pub statistics: SearchStatistics,
    /// The share of the points that the side to move expects, from 0 to 1.
    pub expected_score: f64,
    /// The result with best play, where it is proven.
    pub proof: Option<Proof>,
}
