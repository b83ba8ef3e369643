//! Marks on the board: heat, diamonds, crosses, numbers and arrows.

use super::layout::{HEX_OF_SEVEN, Layout};
use super::letters::text_width;
use super::svg::{Point, Svg};
use super::theme::{
    ARROWS, CHOICES, CIRCLES, COLD, CROSSES, HALO, HEAT, MARKS, ON_BLACK, ON_WHITE, PENDING, PLATES, TEXT,
};
use super::{Annotations, candidates, pieces, regions};
use crate::board::Cell;
use crate::rules::{Board, Color, Piece};

/// Number of shades of heat.
const SHADES: u32 = 10;

/// Draws the marks below the pieces.
pub(super) fn draw_below(svg: &mut Svg, layout: &Layout<'_>, annotations: &Annotations) {
    regions::draw_shades(svg, layout, annotations);
    let shaded = shades(annotations);
    for shade in 1..=SHADES {
        // Text must stay legible on the darkest shade in black.
        let hot = format!("fill-opacity=\"0.{:02}\"", 5 * shade);
        svg.group_with(&HEAT, &hot, |svg| {
            for &(cell, _) in shaded.iter().filter(|found| found.1 == shade as i32) {
                svg.polygon(layout.frame(cell));
            }
        });
        let cold = format!("stroke-opacity=\"0.{:02}\"", 6 * shade);
        svg.group_with(&COLD, &cold, |svg| {
            let cells = shaded.iter().filter(|found| found.1 == -(shade as i32));
            svg.lines(cells.flat_map(|&(cell, _)| layout.hatching(cell, true)));
        });
    }
    candidates::draw_shades(svg, layout, annotations);
}

/// Returns the lines of a cross.
fn cross((x, y): Point, arm: i32) -> [(Point, Point); 2] {
    [((x - arm, y - arm), (x + arm, y + arm)), ((x - arm, y + arm), (x + arm, y - arm))]
}

/// Draws the marks above the pieces.
pub(super) fn draw_above(svg: &mut Svg, layout: &Layout<'_>, board: &dyn Board, annotations: &Annotations) {
    draw_pending(svg, layout, board);
    // Pips and digits stay free: their mark is in the corner, and smaller.
    let has_value = |cell: Cell| pieces::has_value(board, cell);
    let place = |cell: Cell| {
        let (x, y) = layout.middle(cell);
        if has_value(cell) { ((x + 34, y - 34), 13) } else { ((x, y), 18) }
    };
    svg.group(&MARKS, |svg| {
        for &cell in &annotations.marks {
            let ((x, y), arm) = place(cell);
            let reach = arm + 2;
            svg.polygon([(x, y - reach), (x + reach, y), (x, y + reach), (x - reach, y)]);
        }
    });
    for paint in [&HALO, &CROSSES] {
        svg.group_with(paint, "stroke-linecap=\"round\"", |svg| {
            let arms = annotations.crosses.iter().flat_map(|&cell| {
                let (middle, arm) = place(cell);
                cross(middle, arm)
            });
            svg.lines(arms);
        });
    }
    candidates::draw_arrows(svg, layout, board, annotations);
    draw_labels(svg, layout, board, annotations);
    let (circles, arrows): (Vec<_>, Vec<_>) = annotations.arrows.iter().partition(|(from, to)| from == to);
    svg.group(&CIRCLES, |svg| {
        for (cell, _) in circles {
            svg.circle(layout.middle(cell), 43);
        }
    });
    svg.group_with(&ARROWS, "opacity=\"0.85\"", |svg| {
        for (from, to) in &arrows {
            let gap = if has_value(*to) { 30 } else { 0 };
            let form = ArrowForm { gap, ..ARROW };
            svg.polygon(arrow(layout.middle(*from), layout.middle(*to), &form));
        }
    });
}

/// Dashes of the outlines of pending hexes in turn, and their sizes in percent. Hexes that overlap differ, and no outline
/// lies on another one.
const PENDING_LOOKS: [(&str, i32); 3] = [("20 12", 98), ("6 9", 94), ("44 10 6 10", 90)];

/// Radius of the ring in the middle of a cell that waits for a choice.
const CHOICE: i32 = 42;

/// Draws the outlines of the cells that wait for a choice, on a hexagonal board those of whole hexes.
fn draw_pending(svg: &mut Svg, layout: &Layout<'_>, board: &dyn Board) {
    let pending = board.pending();
    let looks = PENDING_LOOKS.iter().cycle();
    for (&cell, (dashes, percent)) in pending.iter().zip(looks) {
        let (x, y) = layout.middle(cell);
        let shape = pending_shape(layout).iter();
        let shape = shape.map(|(dx, dy)| (x + dx * percent / 100, y + dy * percent / 100));
        let look = format!("stroke-dasharray=\"{dashes}\"");
        svg.group_with(&PENDING, &look, |svg| svg.polygon(shape));
    }
    svg.group(&CHOICES, |svg| {
        svg.circles(pending.iter().map(|&cell| layout.middle(cell)), CHOICE);
    });
}

/// Returns the names of the cells that wait for a choice.
fn pending_labels(layout: &Layout<'_>, board: &dyn Board) -> impl Iterator<Item = Label> {
    let pending = board.pending().into_iter();
    pending.map(|cell| {
        let text = layout.shape.label(cell);
        Label {
            place: layout.middle(cell),
            size: fitting(&text, 46, 66),
            text,
            on: board.piece(cell).map_or(On::Board, |piece| On::Piece(piece.color)),
        }
    })
}

/// Returns the outline of a cell that waits for a choice, around the point (0, 0).
fn pending_shape(layout: &Layout<'_>) -> &'static [Point] {
    if layout.shape.is_hexagon() { &HEX_OF_SEVEN } else { layout.frame_shape() }
}

/// Draws the cells that wait for a choice, with their names.
pub(super) fn draw_choices(svg: &mut Svg, layout: &Layout<'_>, board: &dyn Board) {
    draw_pending(svg, layout, board);
    draw_labels(svg, layout, board, &Annotations::default());
}

/// A text on a cell.
pub(super) struct Label {
    pub(super) place: Point,
    pub(super) size: i32,
    pub(super) text: String,
    pub(super) on: On,
}

/// The ground of a text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum On {
    Board,
    Piece(Color),
    /// A plate of its own, so wide and high.
    Plate(i32, i32),
}

/// Draws the labels, the numbers of steps and the values of cells.
fn draw_labels(svg: &mut Svg, layout: &Layout<'_>, board: &dyn Board, annotations: &Annotations) {
    let labels = labels(layout, board, annotations);
    svg.group(&PLATES, |svg| {
        for Label { place, on, .. } in &labels {
            if let On::Plate(width, height) = *on {
                let corner = (place.0 - width / 2, place.1 - height / 2);
                svg.rectangle(corner, (width, height), height / 2);
            }
        }
    });
    for (paint, on) in [(&TEXT, None), (&ON_BLACK, Some(Color::Black)), (&ON_WHITE, Some(Color::White))] {
        svg.group(paint, |svg| {
            let stands = |label: &&Label| match label.on {
                On::Piece(color) => on == Some(color),
                On::Board | On::Plate(..) => on.is_none(),
            };
            for label in labels.iter().filter(stands) {
                svg.label(label.place, label.size, &label.text);
            }
        });
    }
}

fn labels(layout: &Layout<'_>, board: &dyn Board, annotations: &Annotations) -> Vec<Label> {
    let mut labels = candidates::labels(layout, board, annotations);
    let is_blank = |piece: Piece| pieces::is_blank(board.equipment(), piece);
    // In the middle, the number of a step could be taken for a value of another one.
    let has_values = !annotations.candidates.is_empty();
    let pending = board.pending();
    labels.extend(pending_labels(layout, board));
    let is_marked = |cell: Cell| {
        has_values
            || pending.contains(&cell)
            || annotations.marks.contains(&cell)
            || annotations.crosses.contains(&cell)
    };
    for (cell, text) in &annotations.labels {
        let (x, y) = layout.middle(*cell);
        let text = text.clone();
        labels.push(match board.piece(*cell) {
            Some(piece) if is_blank(piece) && !is_marked(*cell) => {
                Label { place: (x, y), size: fitting(&text, 46, 56), text, on: On::Piece(piece.color) }
            }
            None if !is_marked(*cell) => Label { place: (x, y), size: fitting(&text, 46, 76), text, on: On::Board },
            // In the corner across from that of a number.
            _ => {
                let width = text_width(&text, 28).clamp(22, 54) + 12;
                Label { place: (x - 36, y + 36), size: fitting(&text, 28, 54), text, on: On::Plate(width, 34) }
            }
        });
    }
    let is_labeled = |cell: Cell| annotations.labels.iter().any(|(labeled, _)| *labeled == cell);
    let is_marked = |cell: Cell| is_marked(cell) || is_labeled(cell);
    let numbered = annotations.numbers_shown();
    for &(number, cell) in &numbered {
        let (x, y) = layout.middle(cell);
        let text = number.to_string();
        labels.push(match board.piece(cell) {
            Some(piece) if is_blank(piece) && !is_marked(cell) => {
                Label { place: (x, y), size: fitting(&text, 50, 50), text, on: On::Piece(piece.color) }
            }
            None if !is_marked(cell) => Label {
                place: (x, y),
                size: fitting(&text, 50, 64),
                text,
                // Without a plate, which would look like a white stone.
                on: On::Board,
            },
            // In the corner, beside what is in the middle.
            _ => Label { place: (x + 36, y - 36), size: fitting(&text, 28, 30), text, on: On::Plate(34, 34) },
        });
    }
    for (cell, _, text) in &annotations.heat {
        let is_taken = is_marked(*cell) || numbered.iter().any(|(_, other)| other == cell);
        if is_taken {
            continue;
        }
        let (x, y) = layout.middle(*cell);
        let text = text.clone();
        labels.push(match board.piece(*cell) {
            None => Label { place: (x, y), size: fitting(&text, 40, 84), text, on: On::Board },
            Some(piece) if is_blank(piece) => {
                Label { place: (x, y), size: fitting(&text, 36, 64), text, on: On::Piece(piece.color) }
            }
            Some(_) => Label { place: (x, y + 37), size: fitting(&text, 24, 76), text, on: On::Plate(86, 26) },
        });
    }
    labels
}

/// Returns the largest font size up to `size` in which a text is no wider than `width`.
pub(super) fn fitting(text: &str, size: i32, width: i32) -> i32 {
    (width * 100 / text_width(text, 100).max(1)).clamp(4, size)
}

/// Returns the cells with their shades, from the hottest at [`SHADES`] to the coldest at its negative. Cells with
/// values near 0 have none.
fn shades(annotations: &Annotations) -> Vec<(Cell, i32)> {
    let values = annotations.heat.iter();
    let largest = values.map(|heat| heat.1.abs()).fold(0.0, f64::max);
    if largest == 0.0 {
        return Vec::new();
    }
    // Division first: the largest finite number must not become infinite.
    let shade = |value: f64| (value / largest * f64::from(SHADES)).round() as i32;
    let shades = annotations.heat.iter();
    shades.map(|&(cell, value, _)| (cell, shade(value))).filter(|&(_, shade)| shade != 0).collect()
}

/// The form of an arrow, in hundredths of a cell.
pub(super) struct ArrowForm {
    /// Distance of the tail from the middle of its cell.
    pub(super) tail: i64,
    /// Distance of the tip from the middle of its cell.
    pub(super) gap: i64,
    /// Length of the head.
    pub(super) head: i64,
    /// Half the width of the shaft.
    pub(super) shaft: i64,
    /// Half the width of the head.
    pub(super) wide: i64,
}

/// The form of arrows from the piece on one cell to the middle of another.
const ARROW: ArrowForm = ArrowForm { tail: 36, gap: 0, head: 42, shaft: 8, wide: 26 };

/// Returns the outline of an arrow from one cell to another.
pub(super) fn arrow(from: Point, to: Point, form: &ArrowForm) -> Vec<Point> {
    let (dx, dy) = (i64::from(to.0 - from.0), i64::from(to.1 - from.1));
    let length = (dx * dx + dy * dy).isqrt().max(1);
    // To the nearest integer, for numbers of either sign.
    let divided = |number: i64| i32::try_from((number + length / 2).div_euclid(length)).unwrap_or(0);
    let place = |along: i64, aside: i64| {
        let x = divided(dx * along - dy * aside);
        let y = divided(dy * along + dx * aside);
        (from.0 + x, from.1 + y)
    };
    let tip = length - form.gap;
    // A short arrow is a head alone.
    let neck = (tip - form.head).max(form.tail);
    vec![
        place(form.tail, -form.shaft),
        place(neck, -form.shaft),
        place(neck, -form.wide),
        place(tip, 0),
        place(neck, form.wide),
        place(neck, form.shaft),
        place(form.tail, form.shaft),
    ]
}
