//! The geometry of a picture: cells, coordinates, and the lines of text below the board.

use super::svg::Point;
use crate::board::{Cell, Shape, column_letter};

/// Distance between neighbors in a rank.
pub(super) const CELL: i32 = 100;

/// Half of it.
const HALF: i32 = CELL / 2;

/// Distance between the ranks of a hexagonal board: 86.6 would be exact. The corners of a hexagon are 58 above and below
/// its middle, and 29 at its sides, so that hexagons meet without gaps.
const HEX_RANK: i32 = 87;

/// Corners of a frame inside a hexagon, from the top to the right.
const HEX_FRAME: [Point; 6] = [(0, -51), (44, -25), (44, 25), (0, 51), (-44, 25), (-44, -25)];

/// Corners of a hexagon and its six neighbors together, from the top right of the left upper one to the right.
pub(super) const HEX_OF_SEVEN: [Point; 18] = [
    (0, -116),
    (50, -145),
    (100, -116),
    (100, -58),
    (150, -29),
    (150, 29),
    (100, 58),
    (100, 116),
    (50, 145),
    (0, 116),
    (-50, 145),
    (-100, 116),
    (-100, 58),
    (-150, 29),
    (-150, -29),
    (-100, -58),
    (-100, -116),
    (-50, -145),
];

/// Minimum width of the board: lines of text need room below the smallest one.
const MIN_WIDTH: i32 = 500;

/// The width of the picture in its font sizes: at 240 pixels the text has 10.
const WIDTH_IN_TEXT: i32 = 23;

/// The layout of a picture.
pub(super) struct Layout<'a> {
    pub(super) shape: &'a Shape,
    /// True if the highest rank is at the bottom.
    is_flipped: bool,
    /// Middle of column 0 in rank 0.
    origin: Point,
    /// Left upper corner of the board.
    pub(super) corner: Point,
    /// Width and height of the board.
    pub(super) extent: (i32, i32),
    /// Font size of the lines of text.
    pub(super) text: i32,
    /// Font size of coordinates: on the largest boards, text would not fit between two ranks.
    pub(super) coordinate: i32,
    /// Width of the picture.
    pub(super) width: i32,
    /// Upper end of the lines of text.
    pub(super) foot: i32,
}

impl<'a> Layout<'a> {
    pub(super) fn new(shape: &'a Shape, coordinates: bool) -> Self {
        Self::turned(shape, coordinates, false)
    }

    /// Creates the layout of a board that may be turned around.
    pub(super) fn turned(shape: &'a Shape, coordinates: bool, is_flipped: bool) -> Self {
        let middles = || shape.cells().map(|cell| raw(shape, cell, is_flipped));
        let rise = if shape.is_hexagon() { 58 } else { HALF };
        let left = middles().map(|(x, _)| x).min().unwrap_or(0) - HALF;
        let right = middles().map(|(x, _)| x).max().unwrap_or(0) + HALF;
        let top = middles().map(|(_, y)| y).min().unwrap_or(0) - rise;
        let bottom = middles().map(|(_, y)| y).max().unwrap_or(0) + rise;
        let extent = (right - left, bottom - top);
        // A tall board gets a wider picture, or its text would be too small.
        let text = extent.0.max(extent.1 * 3 / 4).max(MIN_WIDTH) / (WIDTH_IN_TEXT - 2);
        let [near, far] = if coordinates { [text * 2 / 3, text * 3 / 2] } else { [text * 2 / 3; 2] };
        let inside = (extent.0 + near + far).max(WIDTH_IN_TEXT * text);
        // Where there is room to spare, the board is in the middle.
        let corner = (far + (inside - near - far - extent.0) / 2, near);
        Self {
            shape,
            is_flipped,
            origin: (corner.0 - left, corner.1 - top),
            corner,
            extent,
            text,
            coordinate: text.min(HEX_RANK - 5),
            width: inside,
            foot: corner.1 + extent.1 + far,
        }
    }

    /// Returns the middle of a cell.
    pub(super) fn middle(&self, cell: Cell) -> Point {
        let (x, y) = raw(self.shape, cell, self.is_flipped);
        (self.origin.0 + x, self.origin.1 + y)
    }

    /// Returns the points shifted to a cell.
    pub(super) fn around<'b>(&self, cell: Cell, points: &'b [Point]) -> impl Iterator<Item = Point> + use<'b> {
        let (x, y) = self.middle(cell);
        points.iter().map(move |(dx, dy)| (x + dx, y + dy))
    }

    /// Returns the corners of a frame inside a cell.
    pub(super) fn frame(&self, cell: Cell) -> Vec<Point> {
        self.around(cell, self.frame_shape()).collect()
    }

    /// Returns the same around the point (0, 0).
    pub(super) fn frame_shape(&self) -> &'static [Point] {
        const SQUARE: [Point; 4] = [(-46, -46), (46, -46), (46, 46), (-46, 46)];
        if self.shape.is_hexagon() { &HEX_FRAME } else { &SQUARE }
    }

    /// Returns the corners of a whole cell around the point (0, 0).
    pub(super) fn outline_shape(&self) -> &'static [Point] {
        const SQUARE: [Point; 4] = [(-HALF, -HALF), (HALF, -HALF), (HALF, HALF), (-HALF, HALF)];
        const HEX: [Point; 6] = [(0, -58), (HALF, -29), (HALF, 29), (0, 58), (-HALF, 29), (-HALF, -29)];
        if self.shape.is_hexagon() { &HEX } else { &SQUARE }
    }

    /// Returns slanting lines that fill a cell, falling or rising to the right.
    pub(super) fn hatching(&self, cell: Cell, is_falling: bool) -> Vec<(Point, Point)> {
        let (x, y) = self.middle(cell);
        let half = if self.shape.is_hexagon() { 30 } else { HALF };
        let sign = if is_falling { 1 } else { -1 };
        let line = |shift: i32| {
            let (from, to) = ((-half).max(shift - half), half.min(shift + half));
            let place = |dx: i32| (x + dx, y + sign * (dx - shift));
            (place(from), place(to))
        };
        (-3..=3).map(|step| line(step * half / 2)).collect()
    }

    /// Returns the place of each column letter and each rank number.
    pub(super) fn coordinates(&self) -> Vec<(Point, String)> {
        let shape = self.shape;
        // From the middle of the lowest cell of a column to its letter, and from the first of a rank to its number.
        let (letter, number) = if shape.is_hexagon() {
            // Down along the column.
            let down = 58 + self.coordinate / 2;
            ((down * HALF / HEX_RANK, down), HALF + self.coordinate * 2 / 3)
        } else {
            ((0, HALF + self.coordinate * 3 / 4), HALF + self.coordinate * 4 / 5)
        };
        let mut labels = Vec::new();
        for x in 0..shape.columns() {
            let cells = || (0..shape.ranks()).filter_map(|y| shape.cell(x, y));
            let lowest = if self.is_flipped { cells().next_back() } else { cells().next() };
            labels.extend(lowest.map(|cell| {
                let (middle_x, middle_y) = self.middle(cell);
                let place = (middle_x + letter.0, middle_y + letter.1);
                (place, column_letter(x).to_string())
            }));
        }
        for y in 0..shape.ranks() {
            let first = if self.is_flipped { shape.rank(y).last() } else { shape.rank(y).next() };
            labels.extend(first.map(|cell| {
                let (middle_x, middle_y) = self.middle(cell);
                ((middle_x - number, middle_y), (y + 1).to_string())
            }));
        }
        labels
    }
}

/// Returns the middle of a cell, with column 0 in rank 0 at (0, 0). On a hexagonal board a column runs up and to the
/// left.
fn raw(shape: &Shape, cell: Cell, is_flipped: bool) -> Point {
    let (x, y) = shape.coordinates(cell);
    let (x, y) = (i32::from(x), i32::from(y));
    let (right, down) = if shape.is_hexagon() { (x * CELL - y * HALF, -y * HEX_RANK) } else { (x * CELL, -y * CELL) };
    if is_flipped { (-right, -down) } else { (right, down) }
}
