//! The board without its pieces: squares, pits or hexagons, and the cells that the rules set apart.

use std::iter;

use super::Annotations;
use super::layout::{CELL, Layout};
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
            svg.polygon(honeycomb_outline(layout));
        } else {
            let radius = if has_pits(board) { 20 } else { 0 };
            svg.rectangle(layout.corner, layout.extent, radius);
        }
    });
    if layout.shape.is_hexagon() {
        draw_sides(svg, layout);
    }
    svg.group(&APART, |svg| {
        let apart = layout.shape.cells().filter(|&cell| board.is_marked(cell));
        svg.lines(apart.flat_map(|cell| layout.hatching(cell, false)));
    });
}

/// Draws lines, pits and landmarks, above the marks of cells and below the pieces.
pub(super) fn draw_cells(svg: &mut Svg, layout: &Layout<'_>, board: &dyn Board, annotations: &Annotations) {
    // A number, a label or a value takes the place of its pit.
    let numbered = annotations.numbers_shown().into_iter();
    let valued = annotations.heat.iter().map(|heat| heat.0);
    let proposed = annotations.candidates.iter().map(|candidate| candidate.to);
    let labeled = annotations.labels.iter().map(|label| label.0);
    let taken = numbered.map(|(_, cell)| cell).chain(valued).chain(proposed).chain(labeled);
    let taken: Vec<Cell> = taken.collect();
    let is_empty = |cell: Cell| board.piece(cell).is_none() && !taken.contains(&cell);
    draw_with_pits(svg, layout, board, is_empty);
}

/// Draws the same as [`draw_cells`] on a board without pieces.
pub(super) fn draw_empty_cells(svg: &mut Svg, layout: &Layout<'_>, board: &dyn Board) {
    draw_with_pits(svg, layout, board, |_| true);
}

fn draw_with_pits(svg: &mut Svg, layout: &Layout<'_>, board: &dyn Board, is_empty: impl Fn(Cell) -> bool) {
    if has_pits(board) {
        svg.group(&PITS, |svg| {
            let pits = layout.shape.cells().filter(|&cell| is_empty(cell));
            svg.circles(pits.map(|cell| layout.middle(cell)), PIT);
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

/// Returns the middles of the cells of each rank, from the lowest rank on.
fn ranks(layout: &Layout<'_>) -> Vec<Vec<Point>> {
    let ranks = 0..layout.shape.ranks();
    let middles = |rank| layout.shape.rank(rank).map(|cell| layout.middle(cell));
    ranks.map(|rank| middles(rank).collect()).collect()
}

/// Returns the outline of a board of hexagons, from its lower left corner on.
fn honeycomb_outline(layout: &Layout<'_>) -> Vec<Point> {
    let ranks = ranks(layout);
    let mut outline = Vec::new();
    for &(x, y) in ranks.first().into_iter().flatten() {
        outline.extend([(x - 50, y + 29), (x, y + 58)]);
    }
    for &(x, y) in ranks.iter().filter_map(|rank| rank.last()) {
        outline.extend([(x + 50, y + 29), (x + 50, y - 29)]);
    }
    for &(x, y) in ranks.last().into_iter().flatten().rev() {
        outline.extend([(x, y - 58), (x - 50, y - 29)]);
    }
    for &(x, y) in ranks.iter().rev().filter_map(|rank| rank.first()) {
        outline.extend([(x - 50, y - 29), (x - 50, y + 29)]);
    }
    outline.dedup();
    outline
}

/// The sides of hexagons in one direction.
///
/// Sides in one line have the same distance, so one dashed line draws them all: a large board stays a small file.
struct Sides {
    /// One end and the other, from the middle of a hexagon.
    ends: (Point, Point),
    /// Columns and ranks to the next hexagon whose side is in the same line.
    next: (i8, i8),
    /// Length of the side, and of the gap to the next one.
    dashes: &'static str,
}

/// The three directions.
const SIDES: [Sides; 3] = [
    Sides { ends: ((-50, 29), (-50, -29)), next: (1, 2), dashes: "58 116" },
    Sides { ends: ((-50, -29), (0, -58)), next: (2, 1), dashes: "57.8 115.6" },
    Sides { ends: ((0, -58), (50, -29)), next: (1, -1), dashes: "57.8 115.6" },
];

/// Draws the sides of all hexagons but those that only the outline has.
fn draw_sides(svg: &mut Svg, layout: &Layout<'_>) {
    let shape = layout.shape;
    for Sides { ends, next, dashes } in SIDES {
        let (from, to) = ends;
        let at = |cell: Cell, (dx, dy): Point| {
            let (x, y) = layout.middle(cell);
            (x + dx, y + dy)
        };
        let first = shape.cells();
        let first = first.filter(|&cell| shape.offset(cell, -next.0, -next.1).is_none());
        let lines = first.map(|first| {
            let cells = iter::successors(Some(first), |&cell| shape.offset(cell, next.0, next.1));
            let last = cells.last().unwrap_or(first);
            (at(first, from), at(last, to))
        });
        let look = format!("stroke-dasharray=\"{dashes}\" stroke-linecap=\"round\"");
        svg.group_with(&BOARD, &look, |svg| svg.lines(lines));
    }
}
