//! The board without its pieces: squares, pits or hexagons, and the cells that the rules set apart.

use super::Annotations;
use super::layout::{CELL, HEXAGON, Layout};
use super::svg::{Point, Svg};
use super::theme::{APART, BOARD, LANDMARKS, LINES, PITS};
use crate::board::Cell;
use crate::rules::{Board, Equipment};

/// Radius of an empty pit: smaller than a stone, so that the two can't be taken for each other in print.
const PIT: i32 = 24;

/// Radius of the ring of a landmark, which is seen around a stone.
const LANDMARK: i32 = 46;

/// Draws the surface of the board, below the marks of cells.
pub(super) fn draw(svg: &mut Svg, layout: &Layout<'_>, board: &dyn Board) {
    svg.group(&BOARD, |svg| {
        if layout.shape.is_hexagon() {
            for cell in layout.shape.cells() {
                svg.polygon(layout.around(cell, &HEXAGON));
            }
        } else {
            let radius = if has_pits(board) { 20 } else { 0 };
            svg.rectangle(layout.corner, layout.extent, radius);
        }
    });
    svg.group(&APART, |svg| {
        let apart = layout.shape.cells().filter(|&cell| board.is_marked(cell));
        svg.lines(apart.flat_map(|cell| layout.hatching(cell, false)));
    });
}

/// Draws lines, pits and landmarks, above the marks of cells and below the pieces.
pub(super) fn draw_cells(
    svg: &mut Svg,
    layout: &Layout<'_>,
    board: &dyn Board,
    annotations: &Annotations,
) {
    if has_pits(board) {
        // A number or a value takes the place of its pit.
        let numbered = annotations.numbers_shown().into_iter();
        let valued = annotations.heat.iter().map(|heat| heat.0);
        let taken: Vec<Cell> = numbered.map(|(_, cell)| cell).chain(valued).collect();
        let is_empty = |cell: &Cell| board.piece(*cell).is_none() && !taken.contains(cell);
        svg.group(&PITS, |svg| {
            for cell in layout.shape.cells().filter(is_empty) {
                svg.circle(layout.middle(cell), PIT);
            }
        });
    } else if !layout.shape.is_hexagon() {
        svg.group(&LINES, |svg| svg.lines(grid(layout)));
    }
    svg.group(&LANDMARKS, |svg| {
        for cell in board.landmarks() {
            svg.circle(layout.middle(cell), LANDMARK);
        }
    });
}

fn has_pits(board: &dyn Board) -> bool {
    board.equipment() == Equipment::Pits && !board.shape().is_hexagon()
}

/// Returns the lines between squares.
fn grid(layout: &Layout<'_>) -> Vec<(Point, Point)> {
    let (left, top) = layout.corner;
    let (width, height) = layout.extent;
    let columns = (1..width / CELL).map(|x| left + x * CELL);
    let ranks = (1..height / CELL).map(|y| top + y * CELL);
    let columns = columns.map(|x| ((x, top), (x, top + height)));
    let ranks = ranks.map(|y| ((left, y), (left + width, y)));
    columns.chain(ranks).collect()
}
