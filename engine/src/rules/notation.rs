//! The notation of a game: text of steps and positions, and what diagrams show.

use std::fmt::{self, Display};

use thiserror::Error;

use super::{
    Clicks, Color, Evaluate, Game, Geometry, HalfPoints, Layers, Narration, Outcome, Planes, Position as _,
    PositionError, StepText,
};
use crate::board::{Bitboard, Cell, Shape};
use crate::text::{ParseError, cut, quote};

/// The content of an occupied cell: a stone, a stack or a die.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    /// The owner.
    pub color: Color,
    /// The height of a stack or the value of a die; `None` for stones.
    pub value: Option<u8>,
}

impl Display for Piece {
    /// Writes `b`, or `b3`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.color.letter())?;
        self.value.map_or(Ok(()), |value| write!(f, "{value}"))
    }
}

/// The equipment of a game, as a picture shows it.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Equipment {
    /// Stones on spaces with lines between them.
    #[default]
    Stones,
    /// Stones in the pits of a Kōnane board.
    Pits,
    /// Stacks of pieces: the value of a piece is the height of its stack.
    Stacks,
    /// Dice: the value of a piece is that of its top face.
    Dice,
}

impl Equipment {
    /// Returns the noun for a piece.
    pub fn noun(self) -> &'static str {
        match self {
            Self::Stones | Self::Pits => "stone",
            Self::Stacks => "piece",
            Self::Dice => "die",
        }
    }
}

/// Error of reading a step.
#[derive(Clone, PartialEq, Eq, Error, Debug)]
pub enum StepError {
    /// The text is not a step of this game.
    #[error(transparent)]
    Syntax(#[from] ParseError),

    /// The step is not legal in this position.
    #[error("{}: {reason}", cut(.step))]
    Illegal {
        /// The text of the step.
        step: String,
        /// The reason why it is illegal.
        reason: String,
    },
}

/// Error of reading a position, with everything that is wrong.
#[derive(Clone, PartialEq, Eq, Error, Debug)]
pub struct PositionErrors {
    /// The whole text.
    pub input: String,
    /// The errors, each with the column of its field in characters from 1.
    pub errors: Vec<(usize, PositionError)>,
}

impl Display for PositionErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&quote(&self.input))?;
        for (i, (column, error)) in self.errors.iter().enumerate() {
            let separator = if i == 0 { ":" } else { ";" };
            let PositionError { field, message } = error;
            // Fields are quoted, except for the board, which is nearly as long as the text already quoted.
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

/// The notation of a game, as specified on its page in `protocol/games/`.
///
/// The text that all games have in common is in the module `notation`, as methods of `dyn Board`.
pub trait Notation: Game {
    /// The directions of steps ([`super::DirectedStep`]) as columns to the right and ranks up, in the cell order of the
    /// targets.
    const DIRECTIONS: &'static [(i8, i8)] = &[];

    /// Explains why a parsed step is illegal in an unfinished position.
    fn illegal_reason(&self, position: &Self::Position, parsed: <Self::Step as StepText>::Parsed) -> String;

    /// Returns the step that a player may have had in mind who chose a cell where no legal step begins.
    ///
    /// [`Notation::illegal_reason`] then explains why there is none.
    fn attempt(&self, _position: &Self::Position, cell: Cell) -> Option<<Self::Step as StepText>::Parsed> {
        Self::Step::on(cell)
    }

    /// Returns what the text of steps refers to.
    fn geometry(&self) -> Geometry<'_> {
        Geometry { shape: self.shape(), directions: Self::DIRECTIONS }
    }

    /// Writes a step.
    fn write_step(&self, step: Self::Step) -> String {
        step.write(self.geometry())
    }

    /// Reads a position.
    ///
    /// # Errors
    /// Lists everything that is wrong with it.
    fn parse_position(&self, text: &str) -> Result<Self::Position, PositionErrors>;

    /// Writes the fields of a position between the side to move and the turn, separated by single spaces.
    fn write_state(&self, _position: &Self::Position) -> String {
        String::new()
    }

    /// Returns the geometry of the board.
    fn shape(&self) -> &Shape;

    /// Returns the value of the piece on an occupied cell: the height of a stack, or the top face of a die.
    fn value(&self, _position: &Self::Position, _cell: Cell) -> Option<u8> {
        None
    }

    /// Returns the piece on a cell.
    fn piece(&self, position: &Self::Position, cell: Cell) -> Option<Piece> {
        let color = Color::BOTH.into_iter().zip(position.pieces()).find(|(_, cells)| cells.has(cell))?.0;
        Some(Piece { color, value: self.value(position, cell) })
    }

    /// Returns a position as sets of cells, for tables of solved positions.
    ///
    /// Returns `None` where the sets have no room for it; then tables use the text of the position.
    fn planes(&self, _position: &Self::Position) -> Option<Planes> {
        None
    }

    /// Returns the position that [`Notation::planes`] describes; `None` in games that have no way back.
    fn read_planes(&self, _planes: &Planes, _side: Color, _turn: u32) -> Option<Self::Position> {
        None
    }

    /// Returns how the positions fall into layers; `None` in games whose positions do not.
    ///
    /// A game that has layers also implements [`Notation::planes`] and [`Notation::read_planes`].
    fn layers(&self) -> Option<Layers> {
        None
    }

    /// Returns the numbers of Black and of White that a client shows next to the board, such as points.
    ///
    /// This default counts the pieces on the board.
    fn tally(&self, position: &Self::Position) -> [u32; 2] {
        position.pieces().map(Bitboard::count)
    }

    /// Returns the number of pieces in the Pool of Black and of White, in games that have Pools.
    fn pools(&self, _position: &Self::Position) -> Option<[u32; 2]> {
        None
    }

    /// Returns the largest number of digits of a piece's value; 0 in games whose pieces have no value.
    fn value_digits(&self) -> usize {
        0
    }

    /// Returns true for cells that diagrams mark, such as those of Invictus's Divide.
    fn is_marked(&self, _cell: Cell) -> bool {
        false
    }

    /// Returns the equipment that a picture shows.
    fn equipment(&self) -> Equipment {
        Equipment::default()
    }

    /// Returns the cells that the rules name and text diagrams do not mark, such as the center of a board.
    fn landmarks(&self) -> Vec<Cell> {
        Vec::new()
    }

    /// Returns the cells among which the side to move must choose, such as Inversion's pending centers.
    fn pending(&self, _position: &Self::Position) -> Vec<Cell> {
        Vec::new()
    }

    /// Returns the value of the piece that the side to move must set next, where the rules fix it.
    fn value_to_set(&self, _position: &Self::Position) -> Option<u8> {
        None
    }

    /// Returns the lines below the diagram: the part of the game state that the board does not show.
    fn status(&self, _position: &Self::Position) -> Vec<String> {
        Vec::new()
    }

    /// Returns the lines below a picture, where those of the diagram would leave too much unsaid.
    fn caption(&self, position: &Self::Position) -> Vec<String> {
        self.status(position)
    }

    /// Describes in words what a legal step does that leads from one position to another.
    ///
    /// This default names the cells of the step, and the pieces that it captures or turns.
    fn narrate(&self, step: Self::Step, before: &Self::Position, after: &Self::Position) -> Narration {
        Narration::of(self, step, before, after)
    }

    /// Explains the result of a finished game in words, as in `White has no stone left`.
    fn explain(&self, end: &Self::Position, outcome: Outcome) -> String;

    /// Returns the number of contents that a cell can have: empty, or a piece of either color and any value.
    fn cell_contents(&self) -> u32 {
        3
    }

    /// Returns the mouse clicks that enter a legal step.
    fn clicks(&self, _position: &Self::Position, step: Self::Step) -> Clicks {
        step.clicks(self.geometry())
    }

    /// Returns the counts of the game by name, such as stones or points; at least `b` and `w`.
    ///
    /// This default counts the cells that hold pieces.
    fn counts(&self, position: &Self::Position) -> Vec<(&'static str, HalfPoints)> {
        let [black, white] = position.pieces().map(|cells| HalfPoints::whole(cells.count()));
        vec![("b", black), ("w", white)]
    }

    /// Returns the margin of a finished game, in games that are decided by points.
    fn margin(&self, _position: &Self::Position) -> Option<HalfPoints> {
        None
    }

    /// Describes the required kind of step, as in `a step that sets a 6`; `None` where any kind may be legal.
    fn required_step(&self, _position: &Self::Position) -> Option<String> {
        None
    }
}

/// Everything that a game must implement to be in the catalogue.
pub trait Playable: Notation + Evaluate {}

impl<G: Notation + Evaluate> Playable for G {}
