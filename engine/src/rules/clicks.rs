//! Steps as mouse clicks, for clients whose moves are single points (`protocol/gogui.md`).

use crate::board::Cell;

/// A mouse click.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Click {
    /// A click on a cell.
    Cell(Cell),
    /// A click on the Pool, in games whose pieces begin there.
    Pool,
    /// A click on the pass button: a pass, the end of a turn, or a swap.
    Pass,
}

/// The clicks that enter a step: one or two.
///
/// In each position the clicks are a prefix code: no two steps have the same clicks, and no step's clicks are the start
/// of another's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Clicks {
    /// The first click.
    pub first: Click,
    /// The second click, if the first does not complete the step.
    pub second: Option<Click>,
}

impl Clicks {
    /// Creates a sequence of one click.
    pub fn one(click: Click) -> Self {
        Self { first: click, second: None }
    }

    /// Creates a single click on a cell.
    pub fn on(cell: Cell) -> Self {
        Self::one(Click::Cell(cell))
    }

    /// Creates a sequence of two clicks.
    pub fn two(first: Click, second: Click) -> Self {
        Self { first, second: Some(second) }
    }

    /// Returns the cells that are clicked: those that the step touches, the one where it ends last.
    pub fn cells(self) -> Vec<Cell> {
        let clicks = [Some(self.first), self.second];
        let cells = clicks.into_iter().flatten().filter_map(|click| match click {
            Click::Cell(cell) => Some(cell),
            Click::Pool | Click::Pass => None,
        });
        cells.collect()
    }
}
