//! Steps of games in which a step is one cell or `swap`.

use std::ops::ControlFlow;

use super::{PackedStep, Steps};
use crate::board::{Bitboard, Cell, Cells, Instructions};

/// A step: a cell, or `swap`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CellStep(u16);

impl CellStep {
    /// The step `swap` of the pie rule.
    pub const SWAP: Self = Self(u16::MAX);

    /// Creates the step of a cell.
    pub fn new(cell: Cell) -> Self {
        Self(cell.index() as u16)
    }

    /// Returns the cell of a step other than [`CellStep::SWAP`].
    #[inline]
    pub fn cell(self) -> Cell {
        Cell::new(self.0.into())
    }
}

impl PackedStep for CellStep {
    #[inline]
    fn bits(self) -> u32 {
        self.0.into()
    }

    #[inline]
    fn from_bits(bits: u32) -> Self {
        Self(bits as u16)
    }
}

/// The legal steps of a position: a set of cells, and possibly `swap`.
#[derive(Clone, Copy, Debug)]
pub struct CellSteps<B> {
    /// The legal cells.
    pub cells: B,
    /// True if `swap` is legal.
    pub swap: bool,
}

impl<B: Bitboard> CellSteps<B> {
    /// Creates the steps of a game that is over.
    #[inline(always)]
    pub fn none() -> Self {
        Self { cells: B::EMPTY, swap: false }
    }
}

impl<B: Bitboard> Steps for CellSteps<B> {
    type Step = CellStep;

    #[inline(always)]
    fn count(&self) -> usize {
        self.cells.count() as usize + usize::from(self.swap)
    }

    #[inline(always)]
    fn nth(&self, n: usize, instructions: impl Instructions) -> Option<CellStep> {
        match self.cells.nth(n as u32, instructions) {
            Some(cell) => Some(CellStep::new(cell)),
            None => (self.swap && n + 1 == self.count()).then_some(CellStep::SWAP),
        }
    }

    #[inline]
    fn visit<T>(&self, mut visitor: impl FnMut(CellStep) -> ControlFlow<T>) -> ControlFlow<T> {
        for cell in self.cells.cells() {
            visitor(CellStep::new(cell))?;
        }
        if self.swap {
            visitor(CellStep::SWAP)?;
        }
        ControlFlow::Continue(())
    }

    #[inline(always)]
    fn iter(&self) -> impl Iterator<Item = CellStep> + Clone {
        Iter { cells: self.cells.cells(), swap: self.swap }
    }

    #[inline(always)]
    fn for_each_by_kind(&self, mut visitor: impl FnMut(CellStep)) {
        for cell in self.cells.cells() {
            visitor(CellStep::new(cell));
        }
        if self.swap {
            visitor(CellStep::SWAP);
        }
    }

    #[inline(always)]
    fn contains(&self, step: CellStep) -> bool {
        match step {
            CellStep::SWAP => self.swap,
            _ => self.cells.has(step.cell()),
        }
    }

    #[inline]
    fn is_empty(&self) -> bool {
        self.cells.is_empty() && !self.swap
    }
}

/// Iterator over the cells, then `swap`.
#[derive(Clone)]
struct Iter<B> {
    cells: Cells<B>,
    swap: bool,
}

impl<B: Bitboard> Iterator for Iter<B> {
    type Item = CellStep;

    #[inline(always)]
    fn next(&mut self) -> Option<CellStep> {
        match self.cells.next() {
            Some(cell) => Some(CellStep::new(cell)),
            None if self.swap => {
                self.swap = false;
                Some(CellStep::SWAP)
            }
            None => None,
        }
    }
}
