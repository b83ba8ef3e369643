//! A board without a position: its surface, its pieces and marks, and where its cells are.

use serde::Serialize;

use super::record::{Parts, drawn};
use super::text::packed;
use crate::render::layout::Layout;
use crate::render::svg::Point;
use crate::render::theme::TEXT;
use crate::render::{pieces, surface};
use crate::rules::{Board, Color, Piece};

/// The board of a variant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Sheet {
    pub(super) variant: String,
    kind: pieces::Kind,
    size: (i32, i32),
    /// SVG of what lies below the frames of the last move, and of what lies above them.
    ground: String,
    lines: String,
    /// Middles and labels of the cells.
    middles: Vec<Point>,
    labels: Vec<String>,
    /// Indexes of the cells, as a position lists them.
    rows: Vec<Vec<usize>>,
}

/// The data of a board for the script.
#[derive(Serialize)]
pub(super) struct BoardData<'a> {
    variant: &'a str,
    size: (i32, i32),
    middles: &'a [Point],
    labels: &'a [String],
    rows: &'a [Vec<usize>],
    /// The marks of all games: JSON, deflated, in base 64.
    marks: String,
    /// For each piece its text in a position, its side, and its value if it has one.
    pieces: Vec<(String, usize, Option<u8>)>,
}

impl Sheet {
    pub(super) fn new(board: &dyn Board) -> Self {
        let shape = board.shape();
        let layout = &Layout::new(shape, true);
        let ranks = (0..shape.ranks()).rev();
        Self {
            variant: board.variant().to_string(),
            kind: pieces::Kind::of(board),
            size: (layout.width, layout.foot),
            ground: drawn(|svg| surface::draw(svg, layout, board)),
            lines: drawn(|svg| {
                surface::draw_empty_cells(svg, layout, board);
                svg.group(&TEXT, |svg| {
                    for (place, label) in layout.coordinates() {
                        svg.label(place, layout.coordinate, &label);
                    }
                });
            }),
            middles: shape.cells().map(|cell| layout.middle(cell)).collect(),
            labels: shape.cells().map(|cell| shape.label(cell)).collect(),
            rows: ranks.map(|y| shape.rank(y).map(|cell| cell.index()).collect()).collect(),
        }
    }

    /// Returns the place of a cell.
    pub(super) fn middle(&self, cell: usize) -> Point {
        self.middles.get(cell).copied().unwrap_or_default()
    }

    /// Returns width and height.
    pub(super) fn size(&self) -> (i32, i32) {
        self.size
    }

    /// Writes a position.
    pub(super) fn position(&self, cells: &[Option<Piece>], fields: &str) -> String {
        let text = |&cell: &usize| match cells.get(cell).copied().flatten() {
            Some(piece) => piece.to_string(),
            None => ".".to_owned(),
        };
        let rows = self.rows.iter();
        let rows: Vec<String> = rows.map(|row| row.iter().map(text).collect()).collect();
        format!("{} {fields}", rows.join("/"))
    }

    /// Returns the elements that draw this board, each named by the number of the board.
    pub(super) fn definitions(&self, board: usize, parts: &Parts) -> String {
        let mut text = String::new();
        for (name, svg) in [("ground", &self.ground), ("lines", &self.lines)] {
            text += &format!("<g id=\"b{board}-{name}\">\n{svg}</g>\n");
        }
        for (index, &piece) in parts.pieces().enumerate() {
            let svg = drawn(|svg| pieces::draw(svg, self.kind, &[((0, 0), piece)]));
            text += &format!("<g id=\"b{board}p{index}\">\n{svg}</g>\n");
        }
        text
    }

    pub(super) fn data(&self, parts: &Parts) -> BoardData<'_> {
        BoardData {
            variant: &self.variant,
            size: self.size,
            middles: &self.middles,
            labels: &self.labels,
            rows: &self.rows,
            marks: packed(&parts.marks()),
            pieces: parts.pieces().map(|piece| (piece.to_string(), piece.color.index(), piece.value)).collect(),
        }
    }
}

/// Returns the signs of the players, named by their numbers.
pub(super) fn signs() -> String {
    let sign = |color: Color| {
        let stone = Piece { color, value: None };
        let svg = drawn(|svg| pieces::draw(svg, pieces::Kind::STONE, &[((0, 0), stone)]));
        format!("<g id=\"sign{}\">\n{svg}</g>\n", color.index())
    };
    Color::BOTH.map(sign).concat()
}
