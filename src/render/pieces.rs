//! Stones, stacks and dice. White's have a second outline, which tells the sides apart without color.

use super::svg::{Point, Svg};
use super::theme::{BLACK, ON_BLACK, ON_WHITE, RINGS, WHITE};
use crate::rules::{Color, Equipment, Piece};

/// Radius of a stone, and of the ring in a white one.
const STONE: i32 = 38;
const STONE_RING: i32 = 29;

/// The same of a piece in a stack, the distance from one piece to the next above it, and the most pieces drawn: the
/// digits say how many there are.
const STACKED: i32 = 35;
const STACKED_RING: i32 = 29;
const STEP: i32 = 6;
const MOST_STACKED: i32 = 5;

/// Half the width of a die and of the frame in a white one, their rounding, and the pips.
const DIE: i32 = 36;
const DIE_FRAME: i32 = 30;
const DIE_ROUND: i32 = 14;
const PIP: i32 = 8;
const PIP_SHIFT: i32 = 18;

/// Draws pieces at their places.
pub(super) fn draw(svg: &mut Svg, equipment: Equipment, pieces: &[(Point, Piece)]) {
    let of = |color: Color| {
        let pieces = pieces.iter().copied();
        pieces.filter(move |(_, piece)| piece.color == color)
    };
    for (color, paint) in [(Color::Black, &BLACK), (Color::White, &WHITE)] {
        svg.group(paint, |svg| {
            for (place, piece) in of(color) {
                body(svg, equipment, place, piece);
            }
        });
    }
    svg.group(&RINGS, |svg| {
        for (place, piece) in of(Color::White) {
            ring(svg, equipment, place, piece);
        }
    });
    for (color, paint) in [(Color::Black, &ON_BLACK), (Color::White, &ON_WHITE)] {
        svg.group(paint, |svg| {
            for (place, piece) in of(color) {
                value(svg, equipment, place, piece);
            }
        });
    }
}

/// Draws a small stone, as a sign for a player.
pub(super) fn draw_sign(svg: &mut Svg, color: Color, (x, y): Point, radius: i32) {
    let percent = (radius * 100 / STONE).clamp(1, 99);
    svg.line(format_args!(
        "<g transform=\"translate({x} {y}) scale(0.{percent:02})\">"
    ));
    let stone = Piece { color, value: None };
    draw(svg, Equipment::Stones, &[((0, 0), stone)]);
    svg.line(format_args!("</g>"));
}

/// Returns true if nothing is written on a piece: a single piece is no stack and needs no digits.
pub(super) fn is_blank(equipment: Equipment, piece: Piece) -> bool {
    match piece.value {
        None => true,
        Some(value) => equipment == Equipment::Stacks && value == 1,
    }
}

/// Returns the middle of the top of a piece.
fn top(equipment: Equipment, (x, y): Point, piece: Piece) -> Point {
    match equipment {
        Equipment::Stacks => (x, y - STEP * (layers(piece) - 1) / 2),
        _ => (x, y),
    }
}

/// Returns the number of pieces of a stack that are drawn.
fn layers(piece: Piece) -> i32 {
    i32::from(piece.value.unwrap_or(1)).clamp(1, MOST_STACKED)
}

fn body(svg: &mut Svg, equipment: Equipment, place: Point, piece: Piece) {
    match equipment {
        Equipment::Stones | Equipment::Pits => svg.circle(place, STONE),
        Equipment::Dice => svg.square(place, DIE, DIE_ROUND),
        Equipment::Stacks => {
            let (x, top) = top(equipment, place, piece);
            for layer in (0..layers(piece)).rev() {
                svg.circle((x, top + STEP * layer), STACKED);
            }
        }
    }
}

fn ring(svg: &mut Svg, equipment: Equipment, place: Point, piece: Piece) {
    match equipment {
        Equipment::Stones | Equipment::Pits => svg.circle(place, STONE_RING),
        Equipment::Dice => svg.square(place, DIE_FRAME, DIE_ROUND - DIE + DIE_FRAME),
        Equipment::Stacks => svg.circle(top(equipment, place, piece), STACKED_RING),
    }
}

/// Draws the value of a piece: pips on a die, digits elsewhere.
fn value(svg: &mut Svg, equipment: Equipment, place: Point, piece: Piece) {
    let Some(value) = piece.value.filter(|_| !is_blank(equipment, piece)) else {
        return;
    };
    match (equipment, value) {
        (Equipment::Dice, 1..=6) => {
            for (dx, dy) in pips(value) {
                let (x, y) = place;
                svg.circle((x + dx * PIP_SHIFT, y + dy * PIP_SHIFT), PIP);
            }
        }
        _ => {
            let size = if value > 9 { 38 } else { 46 };
            svg.label(top(equipment, place, piece), size, &value.to_string());
        }
    }
}

/// Returns where the pips of a value are, as on any die.
fn pips(value: u8) -> impl Iterator<Item = Point> {
    let diagonal = [(-1, 1), (1, -1)];
    let other_diagonal = [(-1, -1), (1, 1)];
    let sides = [(-1, 0), (1, 0)];
    let middle = [(0, 0)];
    let when = |shown: bool, pips: &[Point]| if shown { pips.to_vec() } else { Vec::new() };
    [
        when(value > 1, &diagonal),
        when(value > 3, &other_diagonal),
        when(value == 6, &sides),
        when(value % 2 == 1, &middle),
    ]
    .into_iter()
    .flatten()
}
