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
pub(super) struct Views {
    black: Run,
    white: Run,
}

impl Views {
    /// Takes in what a player thought of a move. What was played without a search, as the only step there was, or without
    /// a word about it, changes nothing.
    pub(super) fn add(&mut self, color: Color, thought: &Thought, rule: Resignation) {
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
    pub(super) fn loser(&self, rule: Resignation) -> Option<Color> {
        let lost = |own: Run, other: Run| own.behind.min(other.ahead) >= rule.moves;
        let Self { black, white } = *self;
        match (lost(black, white), lost(white, black)) {
            (true, _) => Some(Color::Black),
            (_, true) => Some(Color::White),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn thought(score: Option<Score>, nodes: u64) -> Thought {
        Thought {
            score,
            nodes: Some(nodes),
            ..Thought::default()
        }
    }

    #[test]
    fn a_game_is_lost_once_both_have_long_thought_so() {
        let rule = Resignation::parse("500,2").unwrap();
        let mut views = Views::default();
        let mut say = |color, score, nodes| {
            views.add(color, &thought(score, nodes), rule);
            views.loser(rule)
        };
        let (black, white) = (Color::Black, Color::White);
        let cp = |cp| Some(Score::Cp(cp));
        assert_eq!(say(black, cp(-500), 9), None);
        assert_eq!(say(white, cp(500), 9), None);
        // Not enough, and from the beginning again.
        assert_eq!(say(black, cp(-499), 9), None);
        assert_eq!(say(white, Some(Score::Mate(7)), 9), None);
        assert_eq!(say(black, cp(-700), 9), None);
        // What nobody has thought about says nothing.
        assert_eq!(say(white, cp(0), 0), None);
        assert_eq!(say(black, None, 9), None);
        assert_eq!(say(black, Some(Score::Mate(-3)), 9), Some(black));
        // One of them sees it otherwise.
        assert_eq!(say(white, cp(-900), 9), None);
        assert_eq!(say(white, cp(-900), 9), None);
        assert_eq!(say(black, cp(900), 9), None);
        assert_eq!(say(black, cp(900), 9), Some(white));
    }

    #[test]
    fn it_takes_centipawns_and_moves() {
        let rule = Resignation {
            centipawns: 600,
            moves: 5,
        };
        assert_eq!(Resignation::parse("600,5"), Ok(rule));
        for text in [
            "",
            "600",
            "600,",
            "0,5",
            "600,0",
            "-600,5",
            "600,5,1",
            "600,99999999999",
            "x,5",
        ] {
            let error = Resignation::parse(text).unwrap_err().to_string();
            assert!(error.contains("expected"), "{error}");
        }
    }
}
