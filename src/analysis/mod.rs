//! Analyses of positions by a search, for people and for programs, and a server of them.
#![deny(clippy::indexing_slicing)]

mod query;
mod server;

use serde::Serialize;

use crate::rules::{Color, Outcome};
use crate::search::Proof;
use crate::session::{Progress, Score, Session, Variation};

pub use query::{Action, Query, QueryError, Request, read_request};
pub use server::{Defaults, ServerEnd, serve};

/// Analysis of a position, as `docs/schemas/analyze.schema.json` describes it.
#[derive(Serialize, Debug)]
pub struct Analysis {
    /// Variant.
    pub variant: String,
    /// Position.
    pub position: String,
    /// Side to move: `black` or `white`.
    pub side: String,
    /// The end of the game; `None` while it goes on.
    pub result: Option<GameEnd>,
    /// Number of nodes of the search.
    pub nodes: u64,
    /// `None` if the output is to be the same in every run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// Lines, the one that the search would play first.
    pub lines: Vec<Line>,
}

/// The end of a game.
#[derive(Serialize, Debug)]
pub struct GameEnd {
    /// `None` for a draw.
    pub winner: Option<String>,
    /// Reason by the rules.
    pub reason: &'static str,
}

/// A line that a search found.
#[derive(Serialize, Debug)]
pub struct Line {
    /// The move, or the beginning of one.
    #[serde(rename = "move")]
    pub text: String,
    /// False if the line ends before the move does.
    pub complete: bool,
    /// Expected score of the side to move, from 0 to 1.
    pub expected_score: f64,
    /// True if the expected score is an upper bound.
    pub upper_bound: bool,
    /// Score in centipawns, or moves to a proven end.
    pub score: Score,
    /// Proven result.
    pub proof: Option<Proven>,
    /// Number of steps in `line`.
    pub depth: usize,
    /// Number of nodes behind the move.
    pub nodes: u32,
    /// Moves that are expected.
    pub line: Vec<String>,
}

impl Line {
    /// Returns the sign that an upper bound has before its number.
    pub fn bound(&self) -> &'static str {
        if self.upper_bound { "≤ " } else { "" }
    }

    /// Returns the expected score as in `48.1 %`.
    pub fn percentage(&self) -> String {
        format!("{}{:.1} %", self.bound(), 100.0 * self.expected_score)
    }
}

/// A proven result.
#[derive(Serialize, Debug)]
pub struct Proven {
    /// Result for the side to move: `win`, `draw` or `loss`.
    pub result: &'static str,
    /// Maximum number of moves of both players to the end.
    pub moves: u32,
}

impl Analysis {
    /// Describes the session's position with what a search found there. Forgets the search of the session.
    pub fn new(session: &mut Session, found: Option<&Progress>) -> Self {
        let statistics = found.map(|found| found.statistics);
        let result = session.outcome().map(|Outcome { winner, reason }| GameEnd { winner: winner.map(name), reason });
        Self {
            variant: session.variant().to_string(),
            position: session.position(),
            side: name(session.side()),
            result,
            nodes: statistics.map_or(0, |statistics| statistics.nodes),
            seconds: Some(rounded(statistics.unwrap_or_default().time.as_secs_f64())),
            lines: found.map_or_else(Vec::new, |found| lines(session, found)),
        }
    }
}

/// Returns the lines that a search found, the one that it would play first.
fn lines(session: &mut Session, found: &Progress) -> Vec<Line> {
    let variations = &found.variations;
    let mut line = |variation: &Variation| {
        let bound = found.upper_bound(variation);
        let known = bound.unwrap_or(variation);
        let moves: Vec<String> = variation.moves.iter().map(|move_| move_.join(",")).collect();
        let text = moves.first().cloned().unwrap_or_default();
        Line {
            complete: moves.len() > 1 || is_complete(session, &text),
            text,
            expected_score: rounded(known.expected_score),
            upper_bound: bound.is_some(),
            score: known.score(),
            proof: known.proof.map(|proof| proven(proof, session.side())),
            depth: variation.depth(),
            nodes: variation.visits,
            line: moves,
        }
    };
    variations.iter().map(&mut line).collect()
}

fn proven(proof: Proof, side: Color) -> Proven {
    let Proof { winner, moves } = proof;
    let result = match winner {
        None => "draw",
        Some(winner) if winner == side => "win",
        Some(_) => "loss",
    };
    Proven { result, moves }
}

/// Returns true if steps of the side to move are a whole move.
fn is_complete(session: &mut Session, steps: &str) -> bool {
    let side = session.side();
    if session.play(side, steps, false).is_err() {
        return false;
    }
    let complete = session.side() != side || session.outcome().is_some();
    session.undo();
    complete
}

/// Returns the name of a side as programs read it.
fn name(color: Color) -> String {
    color.to_string().to_lowercase()
}

/// Rounds to six digits behind the point.
fn rounded(number: f64) -> f64 {
    (number * 1e6).round() / 1e6
}
