//! Openings: a start position and moves, as UGI's `position` has them.

use std::fmt::{self, Display};

use nom::Parser;
use nom::branch::alt;
use nom::bytes::complete::{tag, take_until};
use nom::character::complete::space1;
use nom::combinator::{all_consuming, eof, opt, peek, rest, value};
use nom::sequence::{preceded, terminated};

use crate::notation::pieces::Parsed;

/// An opening.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub struct Opening {
    /// Start position; `None` for the start of the variant.
    pub start: Option<String>,
    /// Moves from the start position.
    pub moves: Vec<String>,
}

impl Display for Opening {
    /// Formats the opening as UGI's `position` reads it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.start {
            Some(position) => write!(f, "fen {position}")?,
            None => f.write_str("startpos")?,
        }
        if !self.moves.is_empty() {
            write!(f, " moves {}", self.moves.join(" "))?;
        }
        Ok(())
    }
}

/// Splits `startpos moves MOVES` or `fen POSITION moves MOVES`, also behind `position`, into the start position (`None`
/// for the start of the variant) and the moves. Returns `None` for any other text.
pub fn split_opening(text: &str) -> Option<(Option<&str>, &str)> {
    fn moves(input: &str) -> Parsed<'_, &str> {
        let moves = preceded((space1, tag("moves")), rest);
        alt((moves, value("", eof))).parse(input)
    }
    let start = preceded(alt((tag("startpos"), tag("start"))), moves).map(|moves| (None, moves));
    let position = alt((terminated(take_until(" moves"), peek(moves)), rest));
    let fen = preceded((tag("fen"), space1), (position.map(Some), moves));
    let opening = preceded(opt((tag("position"), space1)), alt((start, fen)));
    let (_, (start, moves)) = all_consuming(opening).parse(text.trim()).ok()?;
    Some((start.map(str::trim), moves.trim()))
}
