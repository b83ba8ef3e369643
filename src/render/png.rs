//! Pictures as PNG.

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};
use thiserror::Error;

use super::{Annotations, Letters, Style, svg};
use crate::rules::Board;

/// Error of drawing a PNG.
#[derive(Error, Debug)]
#[error("the picture can't be drawn as PNG: {0}")]
pub struct PngError(String);

/// Draws a position as PNG. The letters are those of this program: the bytes do not depend on the fonts of a machine.
///
/// # Errors
/// If there is not enough memory for the pixels.
///
/// ```
/// # use pentalith::{games, render};
/// # let variant = games::parse_variant("markane:4x4").unwrap();
/// # let mut board = games::open(&variant).unwrap();
/// let picture = render::png(&*board, &render::Annotations::default(), &render::Style::default()).unwrap();
/// assert!(picture.starts_with(b"\x89PNG"));
/// ```
pub fn png(board: &dyn Board, annotations: &Annotations, style: &Style) -> Result<Vec<u8>, PngError> {
    let style = Style { letters: Letters::Strokes, ..*style };
    let picture = svg(board, annotations, &style);
    let tree = Tree::from_str(&picture, &Options::default());
    let tree = tree.map_err(|error| PngError(error.to_string()))?;
    let size = tree.size().to_int_size();
    let pixels = Pixmap::new(size.width(), size.height());
    let mut pixels = pixels.ok_or_else(|| PngError("it is too large".to_owned()))?;
    resvg::render(&tree, Transform::identity(), &mut pixels.as_mut());
    pixels.encode_png().map_err(|error| PngError(error.to_string()))
}
