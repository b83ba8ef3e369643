//! Puzzles: positions in which one step alone keeps the value, with the line that solves them.
//!
//! Each value is proven by the solver within a budget. A puzzle is written as a record: its main line is the solution,
//! its variations are the other steps with the replies to them.
#![deny(clippy::indexing_slicing)]

mod find;
mod rating;
mod record;

use std::time::Duration;

use crate::rules::{Color, Variant};

pub use find::{Found, find};

/// The best result that the player to move can reach.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Target {
    /// A draw, where every other step loses.
    Draw,
    /// A win.
    Win,
}

impl Target {
    /// Returns the word for it, as in `Black to move and win`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Draw => "draw",
            Self::Win => "win",
        }
    }

    fn half_points(self) -> i32 {
        match self {
            Self::Draw => 1,
            Self::Win => 2,
        }
    }
}

/// A puzzle.
#[derive(Clone, PartialEq, Debug)]
pub struct Puzzle {
    /// Variant.
    pub variant: Variant,
    /// The position to solve.
    pub position: String,
    /// The player to move, who solves it.
    pub side: Color,
    /// The result to reach.
    pub target: Target,
    /// Number of nodes from which on a search finds the first step; `None` if no search has found it.
    pub nodes: Option<u64>,
    /// Where it is from, as in `games.pgn, game 3, turn 17`.
    pub source: String,
    /// The solution, with the replies of the other player.
    pub line: Vec<LineStep>,
}

impl Puzzle {
    /// Returns what is asked, as in `Black to move and win`.
    pub fn task(&self) -> String {
        format!("{} to move and {}", self.side, self.target.word())
    }
}

/// A step of a solution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LineStep {
    /// Who plays it.
    pub side: Color,
    /// The step.
    pub text: String,
    /// The other steps, if it is one to be found.
    pub wrong: Vec<WrongStep>,
}

/// A step that does not reach the target.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WrongStep {
    /// The step.
    pub text: String,
    /// True if it leads to a draw, and not to a loss.
    pub draws: bool,
    /// Steps that show it, of both players.
    pub reply: Vec<String>,
}

impl WrongStep {
    /// Returns what the step does: `draws` or `loses`.
    pub fn verb(&self) -> &'static str {
        if self.draws { "draws" } else { "loses" }
    }

    /// Returns why it is wrong, as in `c3 loses, as by d4 e5.`
    pub fn told(&self) -> String {
        match self.reply.as_slice() {
            [] => format!("{} {}.", self.text, self.verb()),
            reply => format!("{} {}, as by {}.", self.text, self.verb(), reply.join(" ")),
        }
    }
}

/// Settings of a search for puzzles.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Maximum number of positions that are searched to prove one value.
    pub positions: u64,
    /// Maximum time to prove one value.
    pub time: Option<Duration>,
    /// True to keep the puzzles that the weakest level of the engine solves.
    pub keeps_easy: bool,
}
