//! Marks of what a move changed: frames, arrows, and signs of captured pieces.

use super::layout::Layout;
use super::marks::{ArrowForm, arrow};
use super::pieces;
use super::svg::Svg;
use super::theme::{CAPTURED, CHANGED, EARLIER, LAST, ORIGIN, PATHS, Paint};
use crate::board::Cell;
use crate::rules::Board;
use crate::session::LastMove;

/// The form of the arrow of a piece that has moved, which stays clear of the piece on its target.
const PATH: ArrowForm = ArrowForm { tail: 0, gap: 42, head: 26, shaft: 6, wide: 18 };

/// Draws frames, below the lines of the board: of the cells where steps ended, of those that a piece has left, and of
/// whatever else has changed.
pub(super) fn draw_frames(svg: &mut Svg, layout: &Layout<'_>, last: &LastMove) {
    for frames in frames(last, &[]) {
        frames.draw(svg, layout, &frames.cells);
    }
}

/// Frames of one look.
pub(super) struct Frames {
    paint: &'static Paint,
    look: &'static str,
    pub(super) cells: Vec<Cell>,
}

impl Frames {
    /// Draws those of some of the cells.
    pub(super) fn draw(&self, svg: &mut Svg, layout: &Layout<'_>, cells: &[Cell]) {
        svg.group_with(self.paint, self.look, |svg| {
            cells.iter().for_each(|&cell| svg.polygon(layout.frame(cell)));
        });
    }
}

/// Returns the frames of a move, with thin ones where `earlier` steps ended.
pub(super) fn frames(last: &LastMove, earlier: &[Cell]) -> [Frames; 4] {
    let (targets, origins): (Vec<Cell>, Vec<Cell>) = (last.targets(), last.paths().map(|(from, _)| from).collect());
    let is_named = |cell: &Cell| targets.contains(cell) || origins.contains(cell);
    let earlier: Vec<Cell> = earlier.iter().copied().filter(|cell| !is_named(cell)).collect();
    let others = last.others().filter(|cell| !earlier.contains(cell)).collect();
    let origins = origins.iter().copied().filter(|cell| !targets.contains(cell)).collect();
    let dotted = "stroke-dasharray=\"3 9\" stroke-linecap=\"round\"";
    [(&EARLIER, "", earlier), (&CHANGED, dotted, others), (&ORIGIN, "", origins), (&LAST, "", targets)]
        .map(|(paint, look, cells)| Frames { paint, look, cells })
}

/// Draws arrows and the signs of captured pieces, above the pieces.
pub(super) fn draw_signs(svg: &mut Svg, layout: &Layout<'_>, board: &dyn Board, last: &LastMove) {
    svg.group(&PATHS, |svg| {
        for (from, to) in last.paths() {
            let tail = if board.piece(from).is_some() { 40 } else { 0 };
            let form = ArrowForm { tail, ..PATH };
            svg.polygon(arrow(layout.middle(from), layout.middle(to), &form));
        }
    });
    let targets = last.targets();
    for &(cell, color) in &last.captured {
        let (x, y) = layout.middle(cell);
        let is_taken = board.piece(cell).is_some() || targets.contains(&cell);
        // On the corner of a cell that a piece or a number is in now.
        let (place, radius) = if is_taken { ((x - 44, y - 44), 15) } else { ((x, y), 20) };
        pieces::draw_sign(svg, color, place, radius);
        svg.group_with(&CAPTURED, "stroke-linecap=\"round\"", |svg| {
            let (x, y) = place;
            svg.lines([((x - radius, y + radius), (x + radius, y - radius))]);
        });
    }
}
