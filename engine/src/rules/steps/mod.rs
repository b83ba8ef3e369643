//! Steps: what all have in common, and ready ones for games that place stones or move them in a few directions.

mod cells;
mod directed;

use std::fmt::Debug;
use std::ops::ControlFlow;

use super::Clicks;
use crate::board::{Cell, Instructions, Portable, Shape};
use crate::text::ParseError;

pub use cells::{CellStep, CellSteps};
pub use directed::{DirectedStep, DirectedSteps, ParsedMove};

/// A step, packed into at most 30 bits, as trees and tables store it.
pub trait PackedStep: Copy + Eq + Debug + Send + Sync + 'static {
    /// Returns the packed step.
    fn bits(self) -> u32;

    /// Unpacks a step.
    fn from_bits(bits: u32) -> Self;
}

/// The geometry that the text of steps refers to.
#[derive(Clone, Copy, Debug)]
pub struct Geometry<'a> {
    /// The board.
    pub shape: &'a Shape,
    /// The directions of steps, as columns to the right and ranks up ([`super::Notation::DIRECTIONS`]).
    pub directions: &'static [(i8, i8)],
}

impl Geometry<'_> {
    /// Returns the cell to which a direction leads, if it is on the board.
    pub fn target(self, from: Cell, direction: usize) -> Option<Cell> {
        let &(dx, dy) = self.directions.get(direction)?;
        self.shape.offset(from, dx, dy)
    }

    /// Returns the direction from one cell to another, if there is one.
    pub fn direction(self, from: Cell, to: Cell) -> Option<usize> {
        (0..self.directions.len()).find(|&direction| self.target(from, direction) == Some(to))
    }
}

/// The text and the mouse clicks of steps, as the page of the game in `protocol/games/` specifies them.
///
/// Text is read in two stages. This is the first, which knows no position.
pub trait StepText: PackedStep {
    /// A syntactically correct step, which need not be legal.
    type Parsed: Copy;

    /// The steps that `pass` stands for, for clients that know no other word: `swap`, or Gravel's `end`.
    ///
    /// The first legal one is played.
    const PASS_ALIASES: &'static [Self] = &[];

    /// Parses the text of a step.
    ///
    /// # Errors
    /// Gives the column of the syntax error and what was expected there.
    fn parse(geometry: Geometry<'_>, text: &str) -> Result<Self::Parsed, ParseError>;

    /// Converts a parsed step into a step, legal or not; `None` if no step can be meant.
    fn resolve(geometry: Geometry<'_>, parsed: Self::Parsed) -> Option<Self>;

    /// Writes a step.
    fn write(self, geometry: Geometry<'_>) -> String;

    /// Returns the mouse clicks that enter a step.
    fn clicks(self, geometry: Geometry<'_>) -> Clicks;

    /// Returns the step that a click on a cell alone might mean, in games that place pieces.
    fn on(_cell: Cell) -> Option<Self::Parsed> {
        None
    }
}

/// The legal steps of one position, as a few masks that are read without building a list.
pub trait Steps: Copy + Send + Sync + 'static {
    /// The step type of the game.
    type Step: PackedStep;

    /// Returns the number of legal steps.
    fn count(&self) -> usize;

    /// Returns the `n`-th step, counted from 0, in an unspecified but fixed order; `None` from `count` on.
    fn nth(&self, n: usize, instructions: impl Instructions) -> Option<Self::Step>;

    /// Calls `visitor` with each step, in cell order, until it breaks.
    fn visit<T>(&self, visitor: impl FnMut(Self::Step) -> ControlFlow<T>) -> ControlFlow<T>;

    /// Returns true if there is no legal step: the game is over.
    #[inline(always)]
    fn is_empty(&self) -> bool {
        self.count() == 0
    }

    /// Returns true if `step` is legal.
    fn contains(&self, step: Self::Step) -> bool {
        self.visit(|legal| if legal == step { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }).is_break()
    }

    /// Iterates over the steps in the order of [`Steps::nth`].
    #[inline(always)]
    fn iter(&self) -> impl Iterator<Item = Self::Step> + Clone {
        let steps = *self;
        (0..self.count()).map_while(move |n| steps.nth(n, Portable))
    }

    /// Calls `visitor` with each step, in cell order.
    fn for_each(&self, mut visitor: impl FnMut(Self::Step)) {
        let _: ControlFlow<()> = self.visit(|step| {
            visitor(step);
            ControlFlow::Continue(())
        });
    }

    /// Calls `visitor` with each step, in an unspecified order.
    ///
    /// A game with several kinds of steps may call it once for each kind, so that it is compiled for each.
    #[inline(always)]
    fn for_each_by_kind(&self, mut visitor: impl FnMut(Self::Step)) {
        for step in self.iter() {
            visitor(step);
        }
    }
}
