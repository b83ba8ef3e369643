//! Pictures of positions, as SVG.
//!
//! One renderer draws every board: squares, pits or hexagons with stones, stacks or dice, whose turn it is, and what
//! the rules count. Nothing in a picture depends on color alone, and equal input gives equal bytes on every machine.
//!
//! ```
//! use pentalith::games;
//! use pentalith::render::{Annotations, Style, svg};
//!
//! let variant = games::parse_variant("inversion").unwrap();
//! let board = games::open(&variant).unwrap();
//! let picture = svg(&*board, &Annotations::default(), &Style::default());
//! assert!(picture.starts_with("<svg ") && picture.contains("White to move, turn 1"));
//! ```
#![deny(clippy::indexing_slicing)]

mod candidates;
mod caption;
mod embedded;
mod game_page;
mod html;
mod last_move;
mod layout;
mod letters;
mod marks;
mod pieces;
#[cfg(feature = "png")]
mod png;
mod puzzle_page;
mod regions;
mod rules;
mod statistics_page;
mod surface;
mod svg;
pub mod test_results;
mod theme;

use crate::board::Cell;
use crate::rules::{Board, Piece};
use crate::session::{LastMove, PlayedStep};
use caption::Caption;
use layout::Layout;
use svg::{Point, Svg};
use theme::{PAPER, TEXT};

pub use caption::headline;
pub use embedded::{BoardPicture, board_svg, dark_rules, setup_svg};
pub use game_page::{GameLine, GamePage, PageGame, SearchNote};
pub use html::{PAGE_STYLE, Page, VIEWER_SCRIPT, VIEWER_STYLE};
pub use letters::Letters;
#[cfg(feature = "png")]
pub use png::{PngError, png};
pub use puzzle_page::{PageFrame, PageOption, PagePuzzle, PageStep, PuzzlePage};
pub use rules::{Block, picture, rules};
pub use statistics_page::{
    Band, RangeRow, Ranges, StatisticsPage, StudyFigure, StudyPage, StudySection, Term, VariantStatistics, rating_page,
};
pub use svg::escape;
pub use theme::Theme;

/// The look of a picture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Style {
    /// Its colors.
    pub theme: Theme,
    /// Its longer side, in pixels.
    pub size: u32,
    /// True to draw column letters and rank numbers.
    pub coordinates: bool,
    /// The form of its letters and digits.
    pub letters: Letters,
}

impl Style {
    /// Size where none is given, in pixels.
    pub const DEFAULT_SIZE: u32 = 480;
}

impl Default for Style {
    fn default() -> Self {
        Self { theme: Theme::default(), size: Self::DEFAULT_SIZE, coordinates: true, letters: Letters::default() }
    }
}

/// The words below the board.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub enum CaptionText {
    /// Whose turn it is or how the game ended, and what the rules count.
    #[default]
    Position,
    /// No words, and no notes.
    Off,
    /// A text instead of those of [`CaptionText::Position`].
    Own(String),
}

/// Marks on a position, and the words below it.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Annotations {
    /// The words below the board.
    pub caption: CaptionText,
    /// The last move.
    pub last_move: LastMove,
    /// Cells with a diamond.
    pub marks: Vec<Cell>,
    /// Cells with a cross.
    pub crosses: Vec<Cell>,
    /// Texts of a few characters on cells.
    pub labels: Vec<(Cell, String)>,
    /// Groups of cells, each shaded and with an outline.
    pub regions: Vec<Vec<Cell>>,
    /// The steps to be numbered from 1, in their order.
    pub steps: Vec<PlayedStep>,
    /// Arrows from one cell to another. Where the two are the same, a circle.
    pub arrows: Vec<(Cell, Cell)>,
    /// Finite values of cells, each with its text. The largest value has the darkest shade; negative ones are hatched.
    pub heat: Vec<(Cell, f64, String)>,
    /// Steps that an analysis proposes.
    pub candidates: Vec<Candidate>,
    /// Lines of text below the board.
    pub notes: Vec<String>,
    /// Pieces in place of those of the position.
    pub pieces: Option<Vec<(Cell, Piece)>>,
}

/// A step that an analysis proposes: an arrow, or a ring around a cell, with its value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Candidate {
    /// The cell where it begins, if that is another one than `to`.
    pub from: Option<Cell>,
    /// The cell where it ends, which is shaded.
    pub to: Cell,
    /// Emphasis, from 1 to [`Candidate::STRONGEST`].
    pub strength: u8,
    /// Its value, in a few characters; empty for a step of which only the place matters.
    pub text: String,
}

impl Candidate {
    /// The strength of the best step.
    pub const STRONGEST: u8 = 10;

    /// Returns the strength within its range.
    fn level(&self) -> u8 {
        self.strength.clamp(1, Self::STRONGEST)
    }
}

/// Maximum number of steps that the line about hidden numbers names.
const MOST_HIDDEN: usize = 6;

impl Annotations {
    /// Returns the numbers that are drawn with their cells: on each cell that of its last step.
    fn numbers_shown(&self) -> Vec<(usize, Cell)> {
        let numbered = self.numbered().rev();
        let mut shown: Vec<(usize, Cell)> = Vec::new();
        for (number, step) in numbered {
            if let Some(cell) = step.target()
                && shown.iter().all(|&(_, other)| other != cell)
            {
                shown.push((number, cell));
            }
        }
        shown.reverse();
        shown
    }

    /// Returns a line about the steps whose numbers are not on the board, if there are any.
    fn numbers_hidden(&self) -> Option<String> {
        let shown = self.numbers_shown();
        let hidden = self.numbered();
        let hidden = hidden.filter(|(number, _)| shown.iter().all(|(other, _)| other != number));
        let texts = hidden.map(|(number, step)| format!("{number}:\u{a0}{}", step.text));
        let mut texts: Vec<String> = texts.collect();
        if texts.len() > MOST_HIDDEN {
            let more = texts.len() - MOST_HIDDEN;
            texts.truncate(MOST_HIDDEN);
            texts.push(format!("and {more} more"));
        }
        (!texts.is_empty()).then(|| format!("not shown: {}", texts.join(", ")))
    }

    fn numbered(&self) -> impl DoubleEndedIterator<Item = (usize, &PlayedStep)> {
        let steps = self.steps.iter().enumerate();
        steps.map(|(index, step)| (index + 1, step))
    }
}

/// Draws a position as SVG.
pub fn svg(board: &dyn Board, annotations: &Annotations, style: &Style) -> String {
    let shape = board.shape();
    let layout = &Layout::new(shape, style.coordinates);
    let caption = Caption::new(layout, board, annotations);
    let (width, height) = (layout.width, caption.bottom(layout));
    let mut svg = Svg::new(style.theme, style.letters);
    let (pixels_wide, pixels_high) = pixels(width, height, style.size);
    svg.line(format_args!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"pentalith\" role=\"img\" viewBox=\"0 0 {width} {height}\" \
         width=\"{pixels_wide}\" height=\"{pixels_high}\" font-family=\"sans-serif\">"
    ));
    let title = format!("{}: {}", board.variant(), caption::headline(board));
    svg.line(format_args!("<title>{}</title>", escape(&title)));
    let description = caption::description(board, annotations);
    svg.line(format_args!("<desc>{}</desc>", escape(&description)));
    if let Some(style) = theme::style(style.theme) {
        svg.line(format_args!("<style>{style}</style>"));
    }
    svg.group(&PAPER, |svg| svg.rectangle((0, 0), (width, height), 0));
    draw_board(&mut svg, layout, board, annotations, style.coordinates);
    caption.draw(&mut svg, layout, board);
    svg.line(format_args!("</svg>"));
    svg.finish()
}

/// Draws a board with its pieces, marks and coordinates.
fn draw_board(svg: &mut Svg, layout: &Layout<'_>, board: &dyn Board, annotations: &Annotations, coordinates: bool) {
    surface::draw(svg, layout, board);
    marks::draw_below(svg, layout, annotations);
    last_move::draw_frames(svg, layout, &annotations.last_move);
    surface::draw_cells(svg, layout, board, annotations);
    regions::draw_outlines(svg, layout, annotations);
    let pieces: Vec<(Point, Piece)> = match &annotations.pieces {
        Some(pieces) => pieces.iter().map(|&(cell, piece)| (layout.middle(cell), piece)).collect(),
        None => {
            let pieces = board.shape().cells();
            pieces.filter_map(|cell| Some((layout.middle(cell), board.piece(cell)?))).collect()
        }
    };
    pieces::draw(svg, pieces::Kind::of(board), &pieces);
    last_move::draw_signs(svg, layout, board, &annotations.last_move);
    marks::draw_above(svg, layout, board, annotations);
    if coordinates {
        svg.label_group(&TEXT, layout.coordinate, |svg| {
            for (place, label) in layout.coordinates() {
                svg.label(place, layout.coordinate, &label);
            }
        });
    }
}

/// Returns width and height in pixels, the longer of which is `size`.
fn pixels(width: i32, height: i32, size: u32) -> (u32, u32) {
    let (width, height) = (width.unsigned_abs().max(1), height.unsigned_abs().max(1));
    let longer = u64::from(width.max(height));
    let scaled = |side: u32| {
        let side = (u64::from(side) * u64::from(size) + longer / 2) / longer;
        u32::try_from(side).unwrap_or(size).max(1)
    };
    (scaled(width), scaled(height))
}
