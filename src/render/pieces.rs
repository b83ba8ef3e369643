//! Stones, stacks and dice. White's have a second outline, which tells the sides apart without color.

use super::svg::{Point, Svg};
use super::theme::{BLACK, ON_BLACK, ON_WHITE, RINGS, WHITE};
use crate::board::Cell;
use crate::rules::{Board, Color, Equipment, Piece};

/// Radius of a stone, and of the ring in a white one.
const STONE: i32 = 38;
const STONE_RING: i32 = 29;

/// The same of a piece in a stack, the distance from one piece to the next above it, and the most pieces drawn: the
/// digits say how many there are.
const STACKED: i32 = 35;
const STACKED_RING: i32 = 29;
const STEP: i32 = 6;
const MOST_STACKED: i32 = 5;

/// Radius of a stack on a large board: its digits need the whole cell to be legible, so it has no layers.
const LARGE: i32 = 47;

/// Maximum number of cells of a board whose stacks have layers.
const MAX_CELLS: usize = 144;

/// Font sizes of a single digit on a stack and of two, on a board with layers and on a large one.
const DIGITS: [i32; 2] = [46, 38];
const LARGE_DIGITS: [i32; 2] = [90, 72];

/// Half the width of a die and of the frame in a white one, their rounding, and the pips.
const DIE: i32 = 36;
const DIE_FRAME: i32 = 30;
const DIE_ROUND: i32 = 14;
const PIP: i32 = 8;
const PIP_SHIFT: i32 = 18;

/// The kind of pieces that a board has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Kind {
    equipment: Equipment,
    is_large_board: bool,
}

impl Kind {
    /// A stone alone.
    pub(super) const STONE: Self = Self { equipment: Equipment::Stones, is_large_board: false };

    pub(super) fn of(board: &dyn Board) -> Self {
        Self { equipment: board.equipment(), is_large_board: board.shape().len() > MAX_CELLS }
    }

    /// Returns true if a piece is a stack without layers, which fills its cell.
    fn is_large(self, piece: Piece) -> bool {
        self.equipment == Equipment::Stacks && self.is_large_board && !is_blank(self.equipment, piece)
    }

    /// Returns the font size of the digits of a value.
    fn digits(self, value: u8) -> i32 {
        let [one, two] = if self.is_large_board { LARGE_DIGITS } else { DIGITS };
        if value > 9 { two } else { one }
    }
}

/// Draws pieces at their places.
pub(super) fn draw(svg: &mut Svg, kind: Kind, pieces: &[(Point, Piece)]) {
    let of = |color: Color| {
        let pieces = pieces.iter().copied();
        pieces.filter(move |(_, piece)| piece.color == color)
    };
    for (color, paint) in [(Color::Black, &BLACK), (Color::White, &WHITE)] {
        svg.group(paint, |svg| bodies(svg, kind, of(color)));
    }
    svg.group(&RINGS, |svg| rings(svg, kind, of(Color::White)));
    for (color, paint) in [(Color::Black, &ON_BLACK), (Color::White, &ON_WHITE)] {
        // Values of one digit, and then the others: each group has one font size.
        for is_long in [false, true] {
            let size = kind.digits(if is_long { 10 } else { 1 });
            svg.label_group(paint, size, |svg| {
                for (place, piece) in of(color) {
                    if (piece.value > Some(9)) == is_long {
                        value(svg, kind, place, piece);
                    }
                }
            });
        }
    }
}

/// Draws a small stone, as a sign for a player.
pub(super) fn draw_sign(svg: &mut Svg, color: Color, (x, y): Point, radius: i32) {
    let percent = (radius * 100 / STONE).clamp(1, 99);
    svg.line(format_args!("<g transform=\"translate({x} {y}) scale(0.{percent:02})\">"));
    let stone = Piece { color, value: None };
    draw(svg, Kind::STONE, &[((0, 0), stone)]);
    svg.line(format_args!("</g>"));
}

/// Returns true if nothing is written on a piece: a single piece is no stack and needs no digits.
pub(super) fn is_blank(equipment: Equipment, piece: Piece) -> bool {
    match piece.value {
        None => true,
        Some(value) => equipment == Equipment::Stacks && value == 1,
    }
}

/// Returns true if there is a piece with digits or pips on a cell.
pub(super) fn has_value(board: &dyn Board, cell: Cell) -> bool {
    let piece = board.piece(cell);
    piece.is_some_and(|piece| !is_blank(board.equipment(), piece))
}

/// Returns the middle of the top of a piece.
fn top(kind: Kind, (x, y): Point, piece: Piece) -> Point {
    match kind.equipment {
        Equipment::Stacks => (x, y - STEP * (layers(kind, piece) - 1) / 2),
        _ => (x, y),
    }
}

/// Returns the number of pieces of a stack that are drawn.
fn layers(kind: Kind, piece: Piece) -> i32 {
    let most = if kind.is_large_board { 1 } else { MOST_STACKED };
    i32::from(piece.value.unwrap_or(1)).clamp(1, most)
}

fn bodies(svg: &mut Svg, kind: Kind, pieces: impl Iterator<Item = (Point, Piece)>) {
    match kind.equipment {
        Equipment::Stones | Equipment::Pits => svg.circles(places(pieces), STONE),
        Equipment::Dice => {
            for place in places(pieces) {
                svg.square(place, DIE, DIE_ROUND);
            }
        }
        Equipment::Stacks => {
            let (large, pieces): (Vec<_>, Vec<_>) = pieces.partition(|(_, piece)| kind.is_large(*piece));
            svg.circles(places(large.into_iter()), LARGE);
            // The lowest pieces of all stacks come first.
            for layer in (0..MOST_STACKED).rev() {
                let pieces = pieces.iter().filter(|(_, piece)| layer < layers(kind, *piece));
                let places = pieces.map(|&(place, piece)| {
                    let (x, top) = top(kind, place, piece);
                    (x, top + STEP * layer)
                });
                svg.circles(places, STACKED);
            }
        }
    }
}

fn rings(svg: &mut Svg, kind: Kind, pieces: impl Iterator<Item = (Point, Piece)>) {
    match kind.equipment {
        Equipment::Stones | Equipment::Pits => svg.circles(places(pieces), STONE_RING),
        Equipment::Dice => {
            for place in places(pieces) {
                svg.square(place, DIE_FRAME, DIE_ROUND - DIE + DIE_FRAME);
            }
        }
        Equipment::Stacks => {
            // On a large one its digits, dark on light, tell the side.
            let pieces = pieces.filter(|(_, piece)| !kind.is_large(*piece));
            let tops = pieces.map(|(place, piece)| top(kind, place, piece));
            svg.circles(tops, STACKED_RING);
        }
    }
}

fn places(pieces: impl Iterator<Item = (Point, Piece)>) -> impl Iterator<Item = Point> {
    pieces.map(|(place, _)| place)
}

/// Draws the value of a piece: pips on a die, digits elsewhere.
fn value(svg: &mut Svg, kind: Kind, place: Point, piece: Piece) {
    let Some(value) = piece.value.filter(|_| !is_blank(kind.equipment, piece)) else {
        return;
    };
    match (kind.equipment, value) {
        (Equipment::Dice, 1..=6) => {
            for (dx, dy) in pips(value) {
                let (x, y) = place;
                svg.circle((x + dx * PIP_SHIFT, y + dy * PIP_SHIFT), PIP);
            }
        }
        _ => {
            let size = kind.digits(value);
            svg.label(top(kind, place, piece), size, &value.to_string());
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
