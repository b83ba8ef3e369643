//! What a search is asked for and what it says, as text and numbers.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::game_history::split_moves;
use crate::rules::Board;
use crate::search::{Proof, Report, ReportSchedule, RootLine, SearchStatistics};

/// How long a search may take.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum TimeLimit {
    /// What the clocks give, or the time for a move.
    #[default]
    Default,
    /// So much, the way of the answer included.
    Fixed(Duration),
    /// A share of what is left on a clock that gets so much more after every move.
    Clock {
        /// What is left.
        left: Duration,
        /// What is added after the move.
        increment: Duration,
    },
    /// Until it is stopped or knows the result, or another limit is reached.
    Unlimited,
}

/// What a search is asked for.
#[derive(Clone, Default, Debug)]
pub struct Go {
    /// How long it may take.
    pub time: TimeLimit,
    /// Playouts it may make, beside the options `Nodes` and `Strength`.
    pub nodes: Option<u64>,
    /// The steps that the principal variation is to have at the end.
    pub depth: Option<u32>,
    /// The moves, or beginnings of moves, that may be found; all where it is empty.
    pub search_moves: Vec<String>,
    /// The least number of variations to show, beside the option `MultiPV`.
    pub multi_pv: usize,
    /// When to tell how far it is.
    pub report_schedule: ReportSchedule,
}

/// A variation and what is thought of it.
#[derive(Clone, Debug)]
pub struct Variation {
    /// Moves in turn, each with its steps; the last one may be unfinished.
    pub moves: Vec<Vec<String>>,
    /// How many playouts went through its first step, or nodes were looked at behind it.
    pub visits: u32,
    /// The share of the points that the side to move expects, from 0 to 1.
    pub expected_score: f64,
    /// The result behind its first step, where it is proven.
    pub proof: Option<Proof>,
}

impl Variation {
    /// How many steps it has.
    pub fn depth(&self) -> usize {
        self.moves.iter().map(Vec::len).sum()
    }

    /// What it is worth to the side to move.
    pub fn score(&self) -> Score {
        match self.proof {
            Some(Proof {
                winner: Some(_),
                moves,
            }) => {
                let own = moves.div_ceil(2).min(i32::MAX as u32) as i32;
                Score::Mate(if self.expected_score > 0.5 { own } else { -own })
            }
            _ => {
                let odds = self.expected_score / (1.0 - self.expected_score);
                // `libm`, not the system's logarithm: every machine must answer alike.
                let cp = (400.0 * libm::log10(odds)).clamp(-MAX_CP, MAX_CP);
                Score::Cp(cp.round() as i32)
            }
        }
    }
}

/// The most centipawns that are shown: what is beyond it is not known so exactly.
const MAX_CP: f64 = 9999.0;

/// What a position is worth to the side to move, as UCI has it.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Debug)]
#[serde(rename_all = "lowercase")]
pub enum Score {
    /// The difference in Elo points that goes with the expected score.
    Cp(i32),
    /// The result is proven and comes within so many moves of the side to move; below 0 if it loses.
    Mate(i32),
}

/// How far a search has come.
#[derive(Clone, Debug)]
pub struct Progress {
    /// The best variation first.
    pub variations: Vec<Variation>,
    /// What it took so far.
    pub statistics: SearchStatistics,
}

/// What a search came to.
#[derive(Clone, Debug)]
pub struct SearchResult {
    /// The steps of a whole move; none where the game is over.
    pub best_move: Vec<String>,
    /// What was seen on the way.
    pub progress: Progress,
}

impl SearchResult {
    /// The whole move: its steps joined by commas.
    pub fn text(&self) -> String {
        self.best_move.join(",")
    }
}

/// What work on a thread of its own says.
#[derive(Clone, Debug)]
pub enum Event {
    /// A search is still running; it is left out where the last ones have not been looked at.
    Progress(Progress),
    /// The end of a search.
    SearchDone(SearchResult),
    /// The end of a count.
    PerftDone {
        /// The count, unless it was stopped.
        count: Option<u64>,
        /// How long it took.
        time: Duration,
    },
}

/// A report in words, of a search of the position of a board.
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
