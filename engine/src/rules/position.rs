//! Positions: what all have in common, a ready one for games of stones, and checks.

use std::fmt::Debug;

use super::{Color, Sides};
use crate::board::Bitboard;

/// A position: a plain value without heap memory or history.
pub trait Position: Copy + Eq + Debug + Send + Sync + 'static {
    /// A set of cells.
    type Set: Bitboard;

    /// Returns the side to move.
    fn side(&self) -> Color;

    /// Returns the number of the turn, from 1.
    fn turn(&self) -> u32;

    /// Returns the cells of Black's pieces and of White's.
    fn pieces(&self) -> [Self::Set; 2];
}

/// Checks that the side to move fits the turn: `first` has the odd turns.
pub fn side_error(position: &impl Position, first: Color) -> Option<PositionError> {
    let odd = position.turn() % 2 == 1;
    let right = if odd { first } else { !first };
    (position.side() != right).then(|| {
        let message = format!("must be {} at turn {}", right.letter(), position.turn());
        PositionError::new("side", message)
    })
}

/// A position that is nothing but stones, the side to move and the turn.
///
/// Games that need more have their own position types.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stones<B> {
    /// The cells of the stones of each side.
    pub stones: Sides<B>,
    /// The side to move.
    pub side: Color,
    /// The number of the turn, from 1.
    pub turn: u32,
}

impl<B: Bitboard> Sides<B> {
    /// Moves a piece of the side to move, which captures what is on the target. The other side is to move after it.
    #[inline(always)]
    pub fn moved(self, from: B, to: B) -> Self {
        Self { own: self.enemy & !to, enemy: self.own & !from | to }
    }
}

impl<B: Bitboard> Stones<B> {
    /// Creates a position from the cells of Black's stones and of White's.
    pub fn new(stones: [B; 2], side: Color, turn: u32) -> Self {
        Self { stones: Sides::new(stones, side), side, turn }
    }
}

impl<B: Bitboard> Position for Stones<B> {
    type Set = B;

    #[inline]
    fn side(&self) -> Color {
        self.side
    }

    #[inline]
    fn turn(&self) -> u32 {
        self.turn
    }

    #[inline]
    fn pieces(&self) -> [B; 2] {
        self.stones.by_color(self.side)
    }
}

/// An error in one field of a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PositionError {
    /// The name of the field, as on the game's page in `protocol/games/`.
    pub field: &'static str,
    /// The error and what would be right, for the user.
    pub message: String,
}

impl PositionError {
    /// Creates an error in a field.
    #[inline]
    pub fn new(field: &'static str, message: impl Into<String>) -> Self {
        Self { field, message: message.into() }
    }
}

/// Checks that pieces lie on the board and do not share a cell; `noun` names them.
pub fn overlap_error<B: Bitboard>(noun: &str, [black, white]: [B; 2], cells: B) -> Option<PositionError> {
    let is_wrong = !(black & white).is_empty() || !((black | white) & !cells).is_empty();
    is_wrong.then(|| PositionError::new("board", format!("{noun} overlap or lie off the board")))
}

/// Checks a count that grows by 1 each turn, except that a swap adds nothing.
pub fn count_error(
    field: &'static str,
    what: &str,
    count: u64,
    expected: u64,
    turn: u32,
    may_have_swapped: bool,
) -> Option<PositionError> {
    let is_right = count == expected || may_have_swapped && count + 1 == expected;
    let or_fewer = if may_have_swapped { " (or one fewer, after a swap)" } else { "" };
    (!is_right)
        .then(|| PositionError::new(field, format!("{what} must be {expected}{or_fewer} at turn {turn}, are {count}")))
}
