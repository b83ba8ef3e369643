//! Steps of games in which a piece moves from a cell in one of a few directions.
#![expect(clippy::indexing_slicing, reason = "an array has an entry for each of the directions")]

use std::ops::ControlFlow;

use super::{PackedStep, Steps};
use crate::board::{Bitboard, Cell, CellsOf, Instructions};

/// A step: the cell it starts from and one of `K` directions; or `pass`; or `swap`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DirectedStep<const K: usize> {
    from: u16,
    /// The index of a direction; indices past the mask mean that no piece moves.
    direction: u16,
}

impl<const K: usize> DirectedStep<K> {
    /// A cell number that no board has.
    const NOWHERE: u16 = 0x3fff;
    /// Mask of the bits of a direction.
    const MASK: u16 = K.next_power_of_two() as u16 - 1;
    const BITS: u32 = Self::MASK.count_ones();

    /// The step `pass`.
    pub const PASS: Self = Self { from: Self::NOWHERE, direction: Self::MASK << 1 | 1 };

    /// The step `swap` of the pie rule.
    pub const SWAP: Self = Self { from: Self::NOWHERE, direction: Self::MASK << 1 };

    /// Creates a step that moves a piece in the direction with index `direction`.
    #[inline(always)]
    pub fn new(from: Cell, direction: usize) -> Self {
        Self {
            from: from.index() as u16,
            // The mask lets the compiler remove the check for a special step where the step is played.
            direction: direction as u16 & Self::MASK,
        }
    }

    /// Returns true for `pass` and `swap`.
    #[inline]
    pub fn is_special(self) -> bool {
        self.direction > Self::MASK
    }

    /// Returns the cell that the step starts from.
    #[inline]
    pub fn from(self) -> Cell {
        Cell::new(self.from.into())
    }

    /// Returns the index of the direction of a step that moves a piece.
    #[inline]
    pub fn direction(self) -> usize {
        usize::from(self.direction & Self::MASK)
    }

    /// Returns the cell where a step that moves a piece ends, by the stride of each direction
    /// ([`crate::board::Shape::stride`]).
    #[inline]
    pub fn target(self, strides: &[u16; K]) -> Cell {
        Cell::new(usize::from(self.from.wrapping_add(strides[self.direction()])))
    }
}

impl<const K: usize> PackedStep for DirectedStep<K> {
    #[inline]
    fn bits(self) -> u32 {
        u32::from(self.from) << Self::BITS | u32::from(self.direction & Self::MASK)
    }

    #[inline]
    fn from_bits(bits: u32) -> Self {
        let from = (bits >> Self::BITS) as u16;
        let past = u16::from(from == Self::NOWHERE) << Self::BITS;
        Self { from, direction: bits as u16 & Self::MASK | past }
    }
}

/// A syntactically correct step of a game whose pieces move from cell to cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ParsedMove {
    /// Moves a piece from one cell to another.
    Move(Cell, Cell),
    /// Passes.
    Pass,
    /// Swaps colors (pie rule).
    Swap,
}

/// The legal steps of a position: for each direction, the cells to move from; or `pass`; and possibly `swap`.
#[derive(Clone, Copy, Debug)]
pub struct DirectedSteps<B, const K: usize> {
    from: [B; K],
    /// The number of steps that move a piece.
    moves: u32,
    swap: bool,
    pass: bool,
}

impl<B: Bitboard, const K: usize> DirectedSteps<B, K> {
    /// Creates the steps from the cells to move from in each direction.
    ///
    /// `swap` is legal if a piece can move and `may_swap` is true, `pass` if none can and `may_pass` is.
    #[inline(always)]
    pub fn new(from: [B; K], may_swap: bool, may_pass: bool) -> Self {
        let mut moves = 0;
        for direction in 0..K {
            moves += from[direction].count();
        }
        Self { from, moves, swap: may_swap, pass: may_pass }
    }

    /// Creates the steps of a game that is over.
    #[inline(always)]
    pub fn none() -> Self {
        Self { from: [B::EMPTY; K], moves: 0, swap: false, pass: false }
    }

    /// Returns the legal step that moves no piece.
    #[inline]
    fn special(&self) -> Option<DirectedStep<K>> {
        if self.moves == 0 { self.pass.then_some(DirectedStep::PASS) } else { self.swap.then_some(DirectedStep::SWAP) }
    }
}

impl<B: Bitboard, const K: usize> Steps for DirectedSteps<B, K> {
    type Step = DirectedStep<K>;

    #[inline(always)]
    fn count(&self) -> usize {
        if self.moves == 0 {
            return without_moves(self.pass);
        }
        self.moves as usize + usize::from(self.swap)
    }

    #[inline(always)]
    fn nth(&self, n: usize, instructions: impl Instructions) -> Option<DirectedStep<K>> {
        match B::nth_of(&self.from, n as u32, instructions) {
            Some((direction, from)) => Some(DirectedStep::new(from, direction)),
            None => self.special().filter(|_| n == self.moves as usize),
        }
    }

    #[inline]
    fn visit<T>(&self, mut visitor: impl FnMut(DirectedStep<K>) -> ControlFlow<T>) -> ControlFlow<T> {
        let all = self.from.iter().fold(B::EMPTY, |all, &set| all | set);
        for from in all.cells() {
            for (set, direction) in self.from.iter().zip(0..) {
                if set.has(from) {
                    visitor(DirectedStep::new(from, direction))?;
                }
            }
        }
        match self.special() {
            Some(special) => visitor(special),
            None => ControlFlow::Continue(()),
        }
    }

    #[inline(always)]
    fn for_each_by_kind(&self, mut visitor: impl FnMut(DirectedStep<K>)) {
        for (set, direction) in self.from.iter().zip(0..) {
            for from in set.cells() {
                visitor(DirectedStep::new(from, direction));
            }
        }
        if let Some(special) = self.special() {
            visitor(special);
        }
    }

    #[inline(always)]
    fn contains(&self, step: DirectedStep<K>) -> bool {
        if step.is_special() {
            return self.special() == Some(step);
        }
        self.from.get(step.direction()).is_some_and(|set| set.has(step.from()))
    }

    #[inline(always)]
    fn iter(&self) -> impl Iterator<Item = DirectedStep<K>> + Clone {
        Iter { moves: CellsOf::new(self.from), special: self.special() }
    }
}

/// Iterator over the steps that move a piece, direction by direction, then the one that moves none.
#[derive(Clone)]
struct Iter<B, const K: usize> {
    moves: CellsOf<B, K>,
    special: Option<DirectedStep<K>>,
}

impl<B: Bitboard, const K: usize> Iterator for Iter<B, K> {
    type Item = DirectedStep<K>;

    #[inline(always)]
    fn next(&mut self) -> Option<DirectedStep<K>> {
        match self.moves.next() {
            Some((direction, from)) => Some(DirectedStep::new(from, direction)),
            None => self.special.take(),
        }
    }
}

/// Returns the number of steps if no piece can move. Out of line, because that is rare.
#[cold]
#[inline(never)]
fn without_moves(pass: bool) -> usize {
    usize::from(pass)
}
