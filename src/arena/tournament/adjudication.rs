//! Games that are called lost before their end, because both players have long thought so.

use std::fmt::{self, Display};

use nom::Parser;
use nom::character::complete::char;
use nom::sequence::separated_pair;

use crate::arena::record::{Score, Thought};
use crate::notation::pieces::{expect, number, read};
use crate::rules::Color;
use crate::text::ParseError;

/// The most that can be asked for, far above what engines say short of a proof and what games take.
const MOST_CENTIPAWNS: u32 = 1_000_000;
const MOST_MOVES: u32 = 100_000;

/// When a game is called lost for a player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Resignation {
    /// It has seen itself behind by so many centipawns or more, and its opponent itself ahead by as many,
    pub centipawns: u32,
    /// for so many moves of each in a row.
    pub moves: u32,
}

impl Resignation {
    /// Reads `CENTIPAWNS,MOVES`.
    ///
    /// # Errors
    /// Says what was expected where.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        let pair = separated_pair(
            number(1, MOST_CENTIPAWNS),
            expect("a comma", char(',')),
            number(1, MOST_MOVES),
        );
        read(
            text,
            pair.map(|(centipawns, moves)| Self { centipawns, moves }),
        )
    }
}

impl Display for Resignation {
    /// As it is read.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.centipawns, self.moves)
    }
}

/// For how many moves in a row a player has seen itself behind, and ahead.
#[derive(Clone, Copy, Default, Debug)]
struct Run {
    behind: u32,
    ahead: u32,
}

/// How the players of a game see it.
#[derive(Clone, Copy, Default, Debug)]
pub struct Views {
    black: Run,
    white: Run,
}

impl Views {
    /// Takes in what a player thought of a move. What was played without a search, as the only step there was, or without
    /// a word about it, changes nothing.
    pub fn add(&mut self, color: Color, thought: &Thought, rule: Resignation) {
        let Some(score) = thought.score.filter(|_| thought.nodes != Some(0)) else {
            return;
        };
        let clear = match score {
            Score::Mate(_) => true,
            Score::Cp(cp) => cp.unsigned_abs() >= rule.centipawns,
        };
        let (Score::Mate(value) | Score::Cp(value)) = score;
        let run = match color {
            Color::Black => &mut self.black,
            Color::White => &mut self.white,
        };
        let on = |goes_on: bool, moves: u32| if clear && goes_on { moves + 1 } else { 0 };
        *run = Run {
            behind: on(value < 0, run.behind),
            ahead: on(value > 0, run.ahead),
        };
    }

    /// Who has lost.
    pub fn loser(&self, rule: Resignation) -> Option<Color> {
        let lost = |own: Run, other: Run| own.behind.min(other.ahead) >= rule.moves;
        let Self { black, white } = *self;
        match (lost(black, white), lost(white, black)) {
            (true, _) => Some(Color::Black),
            (_, true) => Some(Color::White),
            _ => None,
        }
    }
}
