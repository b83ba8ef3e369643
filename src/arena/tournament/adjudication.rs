//! Adjudication of losses, once both players have agreed for several moves.

use std::fmt::{self, Display};

use nom::Parser;
use nom::character::complete::char;
use nom::sequence::separated_pair;

use crate::notation::pieces::{expect, number, read};
use crate::record::{Score, SearchInformation};
use crate::rules::Color;
use crate::text::ParseError;

/// Upper bounds of the option, far above the scores of engines and the length of games.
const MOST_CENTIPAWNS: u32 = 1_000_000;
const MOST_MOVES: u32 = 100_000;

/// Rule for adjudicating a loss.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Resignation {
    /// Minimum score, in centipawns, at which one player sees itself behind and the other ahead.
    pub centipawns: u32,
    /// Number of moves of each player in a row.
    pub moves: u32,
}

impl Resignation {
    /// Parses `CENTIPAWNS,MOVES`.
    ///
    /// # Errors
    /// Names the column and the expected input.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        let pair = separated_pair(number(1, MOST_CENTIPAWNS), expect("a comma", char(',')), number(1, MOST_MOVES));
        read(text, pair.map(|(centipawns, moves)| Self { centipawns, moves }))
    }
}

impl Display for Resignation {
    /// Formats the rule as [`Self::parse`] reads it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.centipawns, self.moves)
    }
}

/// Number of moves in a row in which a player has seen itself behind, and ahead.
#[derive(Clone, Copy, Default, Debug)]
struct Run {
    behind: u32,
    ahead: u32,
}

/// Scores of both players in a game.
#[derive(Clone, Copy, Default, Debug)]
pub struct ScoreHistory {
    black: Run,
    white: Run,
}

impl ScoreHistory {
    /// Adds the search information of a move. A move without a score, or played without a search, changes nothing.
    pub fn add(&mut self, color: Color, information: &SearchInformation, rule: Resignation) {
        let Some(score) = information.score.filter(|_| information.nodes != Some(0)) else {
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
        *run = Run { behind: on(value < 0, run.behind), ahead: on(value > 0, run.ahead) };
    }

    /// Returns the player that has lost.
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
