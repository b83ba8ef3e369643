//! Positions as sets of cells, for solvers and tables of other programs.

use crate::board::{Bitboard, Shape};

/// A position as sets of cells and a number: everything but the side to move and the turn.
///
/// Two positions of a variant with the same planes, side to move and turn are equal.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Planes {
    /// The cells of Black's pieces and of White's.
    pub pieces: [u128; 2],
    /// More sets of cells: the binary digits of the pieces' values, or pending centers. Unused ones are empty.
    pub marks: [u128; 3],
    /// Number of sets in `marks` that positions of the variant use.
    pub mark_planes: u32,
    /// The other fields of the position.
    pub state: u64,
    /// Number of bits of `state` that positions of the variant use.
    pub state_bits: u32,
    /// True if the rules treat both colors the same, from turn 3 on.
    pub colors_alike: bool,
    /// True if all symmetries of the board preserve the rules; false if only those do that preserve the ranks.
    pub ranks_alike: bool,
    /// The clock that is part of `state`, in games that it draws.
    pub clock: Option<DrawClock>,
}

/// A count of turns in a row without progress, which draws the game when it reaches its limit.
///
/// It decides nothing else. A turn that makes progress sets it to 0, any other turn adds 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DrawClock {
    /// Number of bits, the lowest of [`Planes::state`], that hold the count.
    pub bits: u32,
    /// Count from which the game is drawn wherever it is judged.
    pub limit: u32,
}

impl DrawClock {
    /// Returns the bits of the count in [`Planes::state`].
    pub fn mask(self) -> u64 {
        (1 << self.bits) - 1
    }
}

impl Planes {
    /// Returns the planes of stones of two colors; `None` on a board of more than 128 cells.
    #[inline(always)]
    pub fn of_stones<B: Bitboard>(shape: &Shape, stones: [B; 2]) -> Option<Self> {
        (shape.len() <= 128).then(|| Self { pieces: stones.map(B::bits), ranks_alike: true, ..Self::default() })
    }
}

/// The layers into which the positions of a variant fall, so that all of them can be enumerated.
///
/// From turn 3 on, a position is nothing but stones of two colors and the side to move, and the rules treat both
/// colors the same. A turn has one step. Each step makes the occupied cells weigh less, or leaves the stones as they
/// are; a step of the second kind is never followed by another. Adding stones never makes an illegal position legal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layers {
    /// The weight of each cell, in cell order: the same for cells that a symmetry maps onto each other.
    pub weights: Vec<u32>,
    /// Largest number of stones that a color can have.
    pub most: u32,
}
