//! Steps as clicks on a board, for clients that know points only (`protocol/gogui.md`).

use crate::board::Cell;

/// One click.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Click {
    /// On a cell.
    Cell(Cell),
    /// On any cell with a piece of the player who is not to move, or `Pass` where there is none.
    Enemy,
    /// On no cell: the button for passing.
    Pass,
}

/// The clicks that make a step: one, or two after each other.
///
/// In one position no two steps have the same clicks, and no step's clicks are the beginning of another's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Clicks {
    /// The first.
    pub first: Click,
    /// The one that completes the step, if the first does not.
    pub second: Option<Click>,
}

impl Clicks {
    /// One click.
    pub fn one(click: Click) -> Self {
        Self {
            first: click,
            second: None,
        }
    }

    /// One click on a cell.
    pub fn on(cell: Cell) -> Self {
        Self::one(Click::Cell(cell))
    }

    /// A click on a cell, and another one.
    pub fn two(first: Cell, second: Click) -> Self {
        Self {
            first: Click::Cell(first),
            second: Some(second),
        }
    }
}
