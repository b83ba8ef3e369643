//! Boards for pages that have words and a style sheet of their own.

use super::layout::Layout;
use super::svg::{Point, Svg};
use super::theme::Theme;
use super::{Annotations, Letters, draw_board, theme};
use crate::board::Cell;
use crate::rules::{Board, Piece};

/// A board without words, for a page.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BoardPicture {
    /// The SVG. Its colors are those of [`Theme::Light`]; [`dark_rules`] has the dark ones.
    pub svg: String,
    /// Width and height, in the units of its `viewBox`.
    pub size: (i32, i32),
    /// Middles of the cells, in the order of the shape. Neighbors in a rank are 100 apart.
    pub middles: Vec<Point>,
}

/// Draws the board of a position with its coordinates: no caption, no style sheet, and no size in pixels.
///
/// With `is_flipped` the highest rank is at the bottom.
///
/// ```
/// # use pentalith::{games, render};
/// # let variant = games::parse_variant("inversion:3").unwrap();
/// # let mut board = games::open(&variant).unwrap();
/// let picture = render::board_svg(&*board, &render::Annotations::default(), false);
/// assert_eq!(picture.middles.len(), board.shape().len());
/// assert!(picture.svg.starts_with("<svg"));
/// ```
pub fn board_svg(board: &dyn Board, annotations: &Annotations, is_flipped: bool) -> BoardPicture {
    let layout = &Layout::turned(board.shape(), true, is_flipped);
    let (width, height) = (layout.width, layout.foot);
    let mut svg = Svg::new(Theme::Light, Letters::Text);
    svg.line(format_args!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"pentalith\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"sans-serif\">"
    ));
    draw_board(&mut svg, layout, board, annotations, true);
    svg.line(format_args!("</svg>"));
    BoardPicture {
        svg: svg.finish(),
        size: (width, height),
        middles: board.shape().cells().map(|cell| layout.middle(cell)).collect(),
    }
}

/// Draws a board as [`board_svg`] does, with other pieces: one for each cell, in the order of the shape.
pub fn setup_svg(board: &dyn Board, pieces: &[Option<Piece>], is_flipped: bool) -> BoardPicture {
    let placed = board.shape().cells().zip(pieces).filter_map(|(cell, piece)| Some((cell, (*piece)?)));
    let placed: Vec<(Cell, Piece)> = placed.collect();
    board_svg(board, &Annotations { pieces: Some(placed), ..Annotations::default() }, is_flipped)
}

/// Returns the style sheet that makes boards dark where the reader's system prefers that.
pub fn dark_rules() -> String {
    theme::dark_rules(".pentalith ")
}
