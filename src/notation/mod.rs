//! Floor 1: text. What every game's notation is made of, and the errors that quote it.
//!
//! Text is read in two stages: syntax gives a step as written, and the position then says whether it is
//! legal. The two fail with different errors, and both quote the input.

mod diagram;
mod error;
mod mouse;
pub mod pieces;
mod position;
mod variant;

pub use error::{ParseError, PositionError, StepError, VariantError, counted, cut, quote, visible};
pub use mouse::{Click, Clicks};
pub use position::PositionReader;
pub use variant::{GameInfo, LEVELS, Size, SizeRule, Value, ValueKind, Variant, VariantKey};

use std::fmt::{self, Display};

use crate::board::{Bitboard, Cell, Shape};
use crate::game::{Color, Evaluate, Game, Halves, InLanes};
use diagram::diagram;
use position::write_board;

/// What stands on a cell: a stone, or a stack or die with its number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    /// Whose it is.
    pub color: Color,
    /// Its height or value, in games where pieces have one.
    pub number: Option<u8>,
}

impl Piece {
    /// The stone on a cell, if there is one in either player's set.
    pub fn stone<B: Bitboard>(stones: &[B; 2], cell: Cell) -> Option<Self> {
        let mut holders = Color::BOTH.into_iter().zip(stones);
        let (color, _) = holders.find(|(_, set)| set.has(cell))?;
        Some(Self {
            color,
            number: None,
        })
    }
}

impl Display for Piece {
    /// `b`, or `b3`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.color.letter())?;
        self.number.map_or(Ok(()), |number| write!(f, "{number}"))
    }
}

/// How a game is written and read. The texts are fixed to the character by `games.md`.
pub trait Notation: Game {
    /// A step as it stands in a text, not yet known to be legal.
    type Written;

    /// Reads the syntax of a step.
    ///
    /// # Errors
    /// Says at which column what was expected.
    fn parse_step(&self, text: &str) -> Result<Self::Written, ParseError>;

    /// Finds the legal step that is meant.
    ///
    /// # Errors
    /// Says why the position has no such step.
    fn resolve(
        &self,
        position: &Self::Position,
        written: Self::Written,
    ) -> Result<Self::Step, String>;

    /// The text of a step.
    fn write_step(&self, step: Self::Step) -> String;

    /// Reads a position.
    ///
    /// # Errors
    /// Names every fault at once.
    fn parse_position(&self, text: &str) -> Result<Self::Position, PositionError>;

    /// The text of a position: one line.
    fn write_position(&self, position: &Self::Position) -> String;

    /// The board.
    fn shape(&self) -> &Shape;

    /// What stands on a cell.
    fn piece(&self, position: &Self::Position, cell: Cell) -> Option<Piece>;

    /// How many pieces each player has on the board, Black first.
    fn pieces(&self, position: &Self::Position) -> [u32; 2] {
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
    fn digits(&self) -> usize {
        0
    }

    /// Whether the board itself sets a cell apart from the others.
    fn is_set_apart(&self, _cell: Cell) -> bool {
        false
    }

    /// The cells that wait for a choice of the side to move.
    fn pending(&self, _position: &Self::Position) -> Vec<Cell> {
        Vec::new()
    }

    /// The number of the piece that the side to move has to set now, where the rules choose it.
    fn to_set(&self, _position: &Self::Position) -> Option<u8> {
        None
    }

    /// What a person must know to play from a position and can't see on the board, line by line.
    fn status(&self, _position: &Self::Position) -> Vec<String> {
        Vec::new()
    }

    /// The clicks that make a legal step.
    fn clicks(&self, position: &Self::Position, step: Self::Step) -> Clicks;

    /// The field `board` of a position.
    fn write_board(&self, position: &Self::Position) -> String {
        write_board(self.shape(), |cell| match self.piece(position, cell) {
            Some(piece) => piece.to_string(),
            None => ".".to_owned(),
        })
    }

    /// The position drawn over several lines, none of them empty, so that a person can play from it.
    fn diagram(&self, position: &Self::Position) -> String {
        let width = 1 + self.digits();
        let board = diagram(self.shape(), width, |cell| {
            match self.piece(position, cell) {
                Some(piece) => piece.to_string(),
                None if self.is_set_apart(cell) => "-".repeat(width),
                None => ".".to_owned(),
            }
        });
        let mut lines = vec![board];
        lines.extend(self.status(position));
        lines.join("\n")
    }

    /// The numbers that the game counts, by name; at least `b` and `w`.
    fn counts(&self, position: &Self::Position) -> Vec<(&'static str, Halves)>;

    /// By how much the winner of a finished game won, in games that have points.
    fn margin(&self, _position: &Self::Position) -> Option<Halves> {
        None
    }

    /// The step that a client means who can only say `pass`: `swap`, or Gravel's `end`.
    fn meant_by_pass(&self, _position: &Self::Position) -> Option<Self::Step> {
        None
    }

    /// Reads a legal step: both stages.
    ///
    /// # Errors
    /// Of the first stage or of the second, each quoting the text.
    fn read_step(&self, position: &Self::Position, text: &str) -> Result<Self::Step, StepError> {
        let written = self.parse_step(text)?;
        self.resolve(position, written)
            .map_err(|why| StepError::Illegal {
                step: text.to_owned(),
                why,
            })
    }
}

/// Why `swap` is not legal.
pub fn why_no_swap(pie: bool) -> String {
    match pie {
        true => "swap is for the start of turn 2".to_owned(),
        false => "this variant has no pie rule (pie=off)".to_owned(),
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

/// The same for games of which many are played at once.
pub trait LaneVisitor {
    /// What the code gives back.
    type Output;

    /// Runs it.
    fn visit<G: Playable + InLanes>(self, game: G) -> Self::Output;
}
