//! Messages between a session and its background threads, as text and numbers.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::game_history::split_moves;
use crate::rules::Board;
use crate::search::{Proof, Report, ReportSchedule, RootLine, SearchStatistics};

/// Time limit of a search.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum TimeLimit {
    /// By the game clocks if there are any, else the time for a move.
    #[default]
    Default,
    /// Fixed time for the move, the overhead of the answer included.
    Fixed(Duration),
    /// A share of the time left on a clock with increments.
    Clock {
        /// Time left.
        left: Duration,
        /// Increment after the move.
        increment: Duration,
    },
    /// No limit in time.
    Unlimited,
}

/// Parameters of a search, as in UCI's `go`.
#[derive(Clone, Default, Debug)]
pub struct Go {
    /// Time limit.
    pub time: TimeLimit,
    /// Limit in nodes, in addition to the options `Nodes` and `Strength`.
    pub nodes: Option<u64>,
    /// Limit in depth, in steps.
    pub depth: Option<u32>,
    /// True for a move to play, which the option `Contempt` concerns; false for an analysis.
    pub plays: bool,
    /// Moves, or beginnings of moves, to which the root is restricted. Empty: all moves.
    pub search_moves: Vec<String>,
    /// Minimum number of variations to report, in addition to the option `MultiPV`.
    pub multi_pv: usize,
    /// Schedule of the progress events.
    pub report_schedule: ReportSchedule,
}

/// A variation with its value.
#[derive(Clone, Debug)]
pub struct Variation {
    /// Moves in turn, each with its steps. The last one may be incomplete.
    pub moves: Vec<Vec<String>>,
    /// Playouts that went through its first step, or nodes searched behind it.
    pub visits: u32,
    /// Expected share of the points for the side to move, from 0 to 1.
    pub expected_score: f64,
    /// Result behind its first step, where it is proven.
    pub proof: Option<Proof>,
}

impl Variation {
    /// Returns the number of steps.
    pub fn depth(&self) -> usize {
        self.moves.iter().map(Vec::len).sum()
    }

    /// Returns the score for the side to move.
    pub fn score(&self) -> Score {
        Score::of(self.expected_score, self.proof)
    }
}

/// Bound of the score, in centipawns. A share of the points is not precise enough for more.
const MAX_CP: f64 = 9999.0;

/// A score for the side to move, as in UCI.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Debug)]
#[serde(rename_all = "lowercase")]
pub enum Score {
    /// Centipawns: the difference in Elo points that corresponds to the expected score.
    Cp(i32),
    /// A proven win within this many moves of the side to move; below 0 for a loss.
    Mate(i32),
}

impl Score {
    /// Returns the score of a side with this expected share of the points, which a proof makes exact.
    pub fn of(expected_score: f64, proof: Option<Proof>) -> Self {
        match proof {
            Some(Proof { winner: Some(_), moves }) => {
                let own = moves.div_ceil(2).min(i32::MAX as u32) as i32;
                Self::Mate(if expected_score > 0.5 { own } else { -own })
            }
            _ => {
                let odds = expected_score / (1.0 - expected_score);
                // `libm`, not the system's logarithm: every machine must give the same answer.
                let cp = (400.0 * libm::log10(odds)).clamp(-MAX_CP, MAX_CP);
                Self::Cp(cp.round() as i32)
            }
        }
    }

    /// Returns the expected share of the points.
    pub fn expected(self) -> f64 {
        match self {
            Self::Cp(cp) => 1.0 / (1.0 + libm::exp10(f64::from(-cp) / 400.0)),
            Self::Mate(moves) => f64::from(u8::from(moves > 0)),
        }
    }
}

/// State of a running search.
#[derive(Clone, Debug)]
pub struct Progress {
    /// Variations, best first.
    pub variations: Vec<Variation>,
    /// Counters of the search up to now.
    pub statistics: SearchStatistics,
}

impl Progress {
    /// Returns the first variation if its score is an upper bound for `variation`.
    ///
    /// The search plays the first one and proved the others no better, before it searched them with windows of their
    /// own. So a higher score there is only a bound. Averages of playouts need no such correction.
    pub fn upper_bound(&self, variation: &Variation) -> Option<&Variation> {
        let first = self.variations.first()?;
        let is_bound = !self.statistics.counts_playouts() && first.expected_score < variation.expected_score;
        is_bound.then_some(first)
    }
}

/// Search information of a move.
#[derive(Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, Debug)]
pub struct SearchInformation {
    /// Time until the answer, in milliseconds.
    pub time_ms: u64,
    /// Score for the player.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<Score>,
    /// Depth, in steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Number of nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
}

impl SearchInformation {
    /// Adds the search information of another part of the same move.
    pub fn add(&mut self, later: Self) {
        *self = Self {
            time_ms: self.time_ms + later.time_ms,
            nodes: match (self.nodes, later.nodes) {
                (Some(a), Some(b)) => Some(a.saturating_add(b)),
                (a, b) => b.or(a),
            },
            score: later.score.or(self.score),
            depth: later.depth.or(self.depth),
        };
    }
}

impl From<&Progress> for SearchInformation {
    /// Returns what a record keeps of a search. The player's clock knows the time.
    fn from(progress: &Progress) -> Self {
        let best = progress.variations.first();
        Self {
            time_ms: 0,
            score: best.map(Variation::score),
            depth: best.and_then(|best| best.depth().try_into().ok()),
            nodes: Some(progress.statistics.nodes),
        }
    }
}

/// Result of a finished search.
#[derive(Clone, Debug)]
pub struct SearchResult {
    /// Steps of a whole move; none in a finished game.
    pub best_move: Vec<String>,
    /// Last state of the search.
    pub progress: Progress,
}

impl SearchResult {
    /// Returns the move: its steps joined by commas.
    pub fn text(&self) -> String {
        self.best_move.join(",")
    }
}

/// An event of background work.
#[derive(Clone, Debug)]
pub enum Event {
    /// Progress of a search. Dropped while the queue of events is full.
    Progress(Progress),
    /// The result of a search.
    SearchDone(SearchResult),
    /// The result of perft.
    PerftDone {
        /// Number of step sequences; `None` if stopped.
        count: Option<u64>,
        /// Elapsed time.
        time: Duration,
    },
}

/// Converts a report on the position of a board to text.
pub(super) fn to_text(board: &dyn Board, report: Report) -> SearchResult {
    let variation = |line: RootLine| Variation {
        moves: split_moves(board, &line.variation),
        visits: line.visits,
        expected_score: line.expected_score,
        proof: line.proof,
    };
    let steps = report.best_move.iter();
    SearchResult {
        best_move: steps.map(|&step| board.write_step(step)).collect(),
        progress: Progress {
            variations: report.lines.into_iter().map(variation).collect(),
            statistics: report.statistics,
        },
    }
}
