//! How a game is read and written, and what a picture of it shows.

use std::fmt::{self, Display};

use thiserror::Error;

use super::{Clicks, Color, Evaluate, Game, HalfPoints, PositionError};
use crate::board::{Bitboard, Cell, Shape};
use crate::text::{ParseError, cut, quote};

/// What stands on a cell: a stone, or a stack or die with its number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    /// Whose it is.
    pub color: Color,
    /// Its height or value, in games where pieces have one.
    pub value: Option<u8>,
}

impl Piece {
    /// The stone on a cell, if there is one in either player's set.
    pub fn stone<B: Bitboard>(stones: &[B; 2], cell: Cell) -> Option<Self> {
        let mut holders = Color::BOTH.into_iter().zip(stones);
        let (color, _) = holders.find(|(_, set)| set.has(cell))?;
        Some(Self { color, value: None })
    }
}

impl Display for Piece {
    /// `b`, or `b3`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.color.letter())?;
        self.value.map_or(Ok(()), |value| write!(f, "{value}"))
    }
}

/// A text that is not a legal step of the position.
#[derive(Clone, PartialEq, Eq, Error, Debug)]
pub enum StepError {
    /// It is not a step of this game at all.
    #[error(transparent)]
    Syntax(#[from] ParseError),

    /// It is a step, but not here.
    #[error("{}: {why}", cut(.step))]
    Illegal {
        /// The step as it was written.
        step: String,
        /// Why not.
        why: String,
    },
}

/// A text that is not a position of the variant, with all its errors.
#[derive(Clone, PartialEq, Eq, Error, Debug)]
pub struct PositionErrors {
    /// The whole text.
    pub input: String,
    /// Each fault, with the column of its field in characters from 1.
    pub errors: Vec<(usize, PositionError)>,
}

impl Display for PositionErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&quote(&self.input))?;
        for (i, (column, fault)) in self.errors.iter().enumerate() {
            let separator = if i == 0 { ":" } else { ";" };
            let PositionError { field, message } = fault;
            // The board is as long as the whole text, which stands in front; any other field is repeated.
            let rest = self.input.chars().skip(column - 1);
            let text: String = rest.take_while(|&c| c != ' ').collect();
            let text = match *field {
                "board" | "position" => String::new(),
                _ => format!(" {}", quote(&text)),
            };
            write!(f, "{separator} {field}{text} (column {column}): {message}")?;
        }
        Ok(())
    }
}

/// How a game is written and read. The texts are fixed to the character by `games.md`.
///
/// What all games have in common is text of the erased board: `dyn Board` has it from the room `notation`.
pub trait Notation: Game {
    /// A step as it stands in a text, not yet known to be legal.
    type ParsedStep: Copy;

    /// The steps that a client can mean who can only say `pass`: `swap`, or Gravel's `end`. The first legal one counts.
    const PASS_ALIASES: &'static [Self::Step] = &[];

    /// Reads the syntax of a step.
    ///
    /// # Errors
    /// Says at which column what was expected.
    fn parse_step(&self, text: &str) -> Result<Self::ParsedStep, ParseError>;

    /// The step that is meant, legal or not; `None` where no step could be.
    fn resolve(&self, position: &Self::Position, parsed: Self::ParsedStep) -> Option<Self::Step>;

    /// Why a step as written is not legal in a position where the game goes on.
    fn illegal_reason(&self, position: &Self::Position, parsed: Self::ParsedStep) -> String;

    /// The text of a step.
    fn write_step(&self, step: Self::Step) -> String;

    /// Reads a position.
    ///
    /// # Errors
    /// Names every fault at once.
    fn parse_position(&self, text: &str) -> Result<Self::Position, PositionErrors>;

    /// The fields of a position behind the board, with single spaces between.
    fn write_fields(&self, position: &Self::Position) -> String;

    /// The board.
    fn shape(&self) -> &Shape;

    /// What stands on a cell.
    fn piece(&self, position: &Self::Position, cell: Cell) -> Option<Piece>;

    /// How many pieces each player has on the board, Black first.
    fn piece_counts(&self, position: &Self::Position) -> [u32; 2] {
        let mut count = [0; 2];
        for piece in self
            .shape()
            .cells()
            .filter_map(|cell| self.piece(position, cell))
        {
            let [black, white] = &mut count;
            *(if piece.color == Color::Black {
                black
            } else {
                white
            }) += 1;
        }
        count
    }

    /// How many digits the numbers of pieces can have; 0 where pieces have none.
    fn value_digits(&self) -> usize {
        0
    }

    /// Whether the board itself sets a cell apart from the others.
    fn is_marked(&self, _cell: Cell) -> bool {
        false
    }

    /// The cells that wait for a choice of the side to move.
    fn pending(&self, _position: &Self::Position) -> Vec<Cell> {
        Vec::new()
    }

    /// The number of the piece that the side to move has to set now, where the rules choose it.
    fn value_to_set(&self, _position: &Self::Position) -> Option<u8> {
        None
    }

    /// What a person must know to play from a position and can't see on the board, line by line.
    fn status(&self, _position: &Self::Position) -> Vec<String> {
        Vec::new()
    }

    /// The clicks that make a legal step.
    fn clicks(&self, position: &Self::Position, step: Self::Step) -> Clicks;

    /// The numbers that the game counts, by name; at least `b` and `w`.
    fn counts(&self, position: &Self::Position) -> Vec<(&'static str, HalfPoints)>;

    /// By how much the winner of a finished game won, in games that have points.
    fn margin(&self, _position: &Self::Position) -> Option<HalfPoints> {
        None
    }

    /// What kind of step the position demands, where it does not leave all kinds open, as in `a step that sets a 6`.
    fn required_step(&self, _position: &Self::Position) -> Option<String> {
        None
    }
}

/// All that a game must be to be played here.
pub trait Playable: Notation + Evaluate {}

impl<G: Notation + Evaluate> Playable for G {}

/// Generic code to be run on a game that is only known when the variant is: the way from the catalogue
/// into everything that is compiled once a game.
pub trait GameVisitor {
    /// What the code gives back.
    type Output;

    /// Runs it.
    fn visit<G: Playable>(self, game: G) -> Self::Output;
}
