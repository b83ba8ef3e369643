//! The steps of games in which a step names one cell, or is `swap`.

use std::ops::ControlFlow;

use nom::Parser;
use nom::branch::alt;
use nom::combinator::value;

use crate::board::{Bitboard, Cell, Cells, Shape};
use crate::notation::pieces::{cell, read, word};
use crate::rules;
use crate::rules::{Click, Clicks};
use crate::text::ParseError;

/// A cell, or `swap`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CellStep(u16);

impl CellStep {
    /// The pie rule.
    pub const SWAP: Self = Self(u16::MAX);

    /// The step that names a cell.
    pub fn new(cell: Cell) -> Self {
        Self(cell.index() as u16)
    }

    /// The cell of a step that is not [`CellStep::SWAP`].
    #[inline]
    pub fn cell(self) -> Cell {
        Cell::new(self.0.into())
    }

    /// Reads a step.
    ///
    /// # Errors
    /// Says at which column what was expected.
    pub(super) fn parse(shape: &Shape, text: &str) -> Result<Self, ParseError> {
        let swap = value(Self::SWAP, word("swap"));
        read(text, alt((swap, cell(shape).map(Self::new))))
    }

    /// The clicks that make a step.
    pub(super) fn clicks(self) -> Clicks {
        match self {
            Self::SWAP => Clicks::one(Click::Enemy),
            _ => Clicks::on(self.cell()),
        }
    }

    /// The text of a step.
    pub(super) fn write(self, shape: &Shape) -> String {
        match self {
            Self::SWAP => "swap".to_owned(),
            _ => shape.label(self.cell()),
        }
    }
}

impl rules::PackedStep for CellStep {
    #[inline]
    fn bits(self) -> u32 {
        self.0.into()
    }

    #[inline]
    fn from_bits(bits: u32) -> Self {
        Self(bits as u16)
    }
}

/// The legal ones: some cells, and perhaps `swap`.
#[derive(Clone, Copy, Debug)]
pub struct CellSteps<B> {
    /// The cells.
    pub(super) cells: B,
    /// Whether `swap` is legal, too.
    pub(super) swap: bool,
}

impl<B: Bitboard> rules::Steps for CellSteps<B> {
    type Step = CellStep;

    #[inline(always)]
    fn count(&self) -> usize {
        self.cells.count() as usize + usize::from(self.swap)
    }

    #[inline(always)]
    fn nth(&self, n: usize) -> Option<CellStep> {
        match self.cells.nth(n as u32) {
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
        Iter {
            cells: self.cells.cells(),
            swap: self.swap,
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

/// The cells, then `swap`.
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
