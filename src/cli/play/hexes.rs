//! The hexes of a hexagonal board: a cell with its six neighbors.

use super::words::square;
use crate::session::{Picture, Square};

/// Steps to the neighbors of a cell, in columns and ranks.
const NEIGHBORS: [(isize, isize); 6] = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1)];

/// The hexes of a picture.
pub(super) struct Hexes;

impl Hexes {
    /// Returns the centres of the hexes that a stone on `cell` has filled, in cell order.
    pub(super) fn completed(before: &Picture, after: &Picture, cell: &str) -> Vec<String> {
        let was_empty = square(before, cell).is_some_and(|found| found.piece.is_none());
        let is_placed = square(after, cell).is_some_and(|found| found.piece.is_some());
        if !after.is_hexagon || !was_empty || !is_placed {
            return Vec::new();
        }
        let mut centres = Vec::new();
        for (y, rank) in after.ranks.iter().enumerate() {
            for (x, square) in rank.iter().enumerate() {
                let Some(centre) = square else {
                    continue;
                };
                let Some(hex) = hex(after, x, y) else {
                    continue;
                };
                let is_full = hex.iter().all(|square| square.piece.is_some());
                if is_full && hex.iter().any(|square| square.label == cell) {
                    centres.push(centre.label.clone());
                }
            }
        }
        centres
    }

    /// Returns the centre of the hex that is left when one of two that wait has been chosen.
    pub(super) fn last(before: &Picture, after: &Picture, chosen: &str) -> Option<String> {
        let pending = |picture: &Picture| {
            let squares = picture.ranks.iter().flatten().flatten();
            let pending = squares.filter(|square| square.is_pending);
            pending.map(|square| square.label.clone()).collect::<Vec<_>>()
        };
        let mut others = pending(before);
        others.retain(|label| label != chosen);
        match others.as_slice() {
            [last] if pending(after).is_empty() => Some(last.clone()),
            _ => None,
        }
    }
}

/// Returns the seven cells of a hex; `None` if some are off the board.
fn hex(picture: &Picture, x: usize, y: usize) -> Option<Vec<&Square>> {
    let cell = |x: usize, y: usize| picture.ranks.get(y)?.get(x)?.as_ref();
    let mut hex = vec![cell(x, y)?];
    for (dx, dy) in NEIGHBORS {
        hex.push(cell(x.checked_add_signed(dx)?, y.checked_add_signed(dy)?)?);
    }
    Some(hex)
}
