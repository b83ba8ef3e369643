//! Steps of Invictus, and the legal steps of a position.

use std::ops::ControlFlow;

use super::{DIRECTIONS, SIDE_DIRECTIONS};
use crate::board::{Bitboard, Cell, CellsOf, Instructions};
use crate::rules::{self, Color};

/// A step: a die set on a cell, a die moved from a cell in a direction, or `pass`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step(u16);

/// The action of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Action {
    /// Sets a die.
    Set { value: u8, cell: Cell },
    /// Moves a die. `direction` is an index in `DIRECTIONS`.
    Move { from: Cell, direction: usize },
    /// Passes.
    Pass,
}

impl Step {
    pub(super) const PASS: Self = Self(u16::MAX);

    // Packed as cell (7 bits), direction (3 bits) and value of the die to set (3 bits), lowest bits first.
    #[inline(always)]
    pub(super) fn set(value: u8, cell: Cell) -> Self {
        Self(u16::from(value) << 10 | cell.index() as u16)
    }

    #[inline(always)]
    pub(super) fn moving(from: Cell, direction: usize) -> Self {
        Self((direction as u16) << 7 | from.index() as u16)
    }

    #[inline(always)]
    pub(super) fn action(self) -> Action {
        let cell = Cell::new(usize::from(self.0 & 127));
        match self.0 >> 10 {
            0 => Action::Move { from: cell, direction: usize::from(self.0 >> 7 & 7) },
            value @ 1..=6 => Action::Set { value: value as u8, cell },
            _ => Action::Pass,
        }
    }
}

impl rules::PackedStep for Step {
    #[inline]
    fn bits(self) -> u32 {
        self.0.into()
    }

    #[inline]
    fn from_bits(bits: u32) -> Self {
        Self(bits as u16)
    }
}

/// The legal steps of a position: the cells to set a die on, or the cells to move from in each direction, or `pass`.
#[derive(Clone, Copy, Debug)]
pub struct Steps<B> {
    /// The cells to move from in each of a side's five directions. If a die is to be set, the first has the cells for
    /// it.
    pub(super) cells: [B; SIDE_DIRECTIONS],
    /// The value of the die to set; 0 if dice move.
    pub(super) value: u8,
    /// The index of the first of the five in `DIRECTIONS`.
    pub(super) first_direction: usize,
    pub(super) pass: bool,
}

impl<B: Bitboard> Steps<B> {
    pub(super) fn none(side: Color) -> Self {
        Self { cells: [B::EMPTY; SIDE_DIRECTIONS], value: 0, first_direction: first_direction(side), pass: false }
    }

    pub(super) fn of_set(side: Color, value: u8, set: B) -> Self {
        let [_, rest @ ..] = [B::EMPTY; SIDE_DIRECTIONS];
        let [b, c, d, e] = rest;
        Self { cells: [set, b, c, d, e], value, ..Self::none(side) }
    }

    pub(super) fn all_cells(&self) -> B {
        let [a, b, c, d, e] = self.cells;
        a | b | c | d | e
    }

    #[inline(always)]
    fn step(&self, i: usize, cell: Cell) -> Step {
        match self.value {
            0 => Step::moving(cell, self.first_direction + i),
            value => Step::set(value, cell),
        }
    }
}

impl<B: Bitboard> rules::Steps for Steps<B> {
    type Step = Step;

    #[inline(always)]
    fn count(&self) -> usize {
        let [a, b, c, d, e] = self.cells;
        let cells = (a.count() + b.count()) + (c.count() + d.count()) + e.count();
        cells as usize + usize::from(self.pass)
    }

    #[inline(always)]
    fn nth(&self, n: usize, instructions: impl Instructions) -> Option<Step> {
        match B::nth_of(&self.cells, n as u32, instructions) {
            Some((i, cell)) => Some(self.step(i, cell)),
            None if self.pass && n == 0 => Some(Step::PASS),
            None => None,
        }
    }

    #[inline]
    fn visit<T>(&self, mut visitor: impl FnMut(Step) -> ControlFlow<T>) -> ControlFlow<T> {
        for cell in self.all_cells().cells() {
            for (i, cells) in self.cells.iter().enumerate() {
                if cells.has(cell) {
                    visitor(self.step(i, cell))?;
                }
            }
        }
        if self.pass {
            visitor(Step::PASS)?;
        }
        ControlFlow::Continue(())
    }

    #[inline(always)]
    fn iter(&self) -> impl Iterator<Item = Step> + Clone {
        Iter { cells: CellsOf::new(self.cells), steps: *self }
    }

    #[inline(always)]
    fn for_each_by_kind(&self, mut visitor: impl FnMut(Step)) {
        for (i, cells) in self.cells.iter().enumerate() {
            for cell in cells.cells() {
                visitor(self.step(i, cell));
            }
        }
        if self.pass {
            visitor(Step::PASS);
        }
    }
}

/// Iterator over the steps direction by direction, or `pass`.
#[derive(Clone)]
struct Iter<B> {
    cells: CellsOf<B, SIDE_DIRECTIONS>,
    steps: Steps<B>,
}

impl<B: Bitboard> Iterator for Iter<B> {
    type Item = Step;

    #[inline(always)]
    fn next(&mut self) -> Option<Step> {
        match self.cells.next() {
            Some((i, cell)) => Some(self.steps.step(i, cell)),
            None if self.steps.pass => {
                self.steps.pass = false;
                Some(Step::PASS)
            }
            None => None,
        }
    }
}

/// Returns the index in `DIRECTIONS` of the first of a side's five directions.
#[inline(always)]
pub(super) fn first_direction(side: Color) -> usize {
    match side {
        Color::Black => DIRECTIONS.len() - SIDE_DIRECTIONS,
        Color::White => 0,
    }
}
