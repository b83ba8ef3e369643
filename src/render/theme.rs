//! Colors of a picture.
//!
//! Every group of shapes has a class, and its colors as attributes: programs without style sheets draw the picture, and
//! a page that embeds it may restyle it.

use std::fmt::Write;

/// The colors of a picture.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Theme {
    /// For white pages and screens.
    #[default]
    Light,
    /// For dark pages and screens.
    Dark,
    /// Light, or dark where the reader's system prefers that.
    Auto,
    /// Black and white alone, for printers.
    Print,
}

impl Theme {
    /// All themes with their names.
    pub const ALL: [(&str, Self); 4] =
        [("light", Self::Light), ("dark", Self::Dark), ("auto", Self::Auto), ("print", Self::Print)];
}

/// A color by its purpose.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Tone {
    None,
    Paper,
    Ink,
    Board,
    Line,
    Hollow,
    Black,
    BlackEdge,
    White,
    WhiteEdge,
    Last,
    Accent,
    Choice,
    Heat,
}

impl Tone {
    /// Returns the color in a theme, before any style sheet.
    fn color(self, theme: Theme) -> &'static str {
        let [light, dark, print] = self.colors();
        match theme {
            Theme::Light | Theme::Auto => light,
            Theme::Dark => dark,
            Theme::Print => print,
        }
    }

    /// Returns the color in the light, the dark and the print theme.
    fn colors(self) -> [&'static str; 3] {
        match self {
            Self::None => ["none"; 3],
            Self::Paper => ["#fff", "#16181c", "#fff"],
            Self::Ink => ["#1a1a1a", "#e8e8e8", "#000"],
            Self::Board => ["#ecdfc2", "#6a5a42", "#fff"],
            Self::Line => ["#6b5a3a", "#b09c78", "#000"],
            Self::Hollow => ["#cdb98c", "#4a3d2a", "#fff"],
            Self::Black => ["#1d1d1d", "#0c0c0c", "#000"],
            Self::BlackEdge => ["#8c8c8c", "#c4c4c4", "#fff"],
            Self::White => ["#fcfcf8", "#f4f4ee", "#fff"],
            Self::WhiteEdge => ["#1d1d1d", "#0c0c0c", "#000"],
            Self::Last => ["#c8102e", "#ffd43b", "#000"],
            Self::Accent => ["#0b5cad", "#8ccaff", "#000"],
            Self::Choice => ["#a3007a", "#ff9bdc", "#000"],
            Self::Heat => ["#d95f02", "#ff9e4a", "#000"],
        }
    }
}

/// The class and the colors of a group of shapes.
pub(super) struct Paint {
    pub(super) class: &'static str,
    fill: Tone,
    stroke: Tone,
    /// Width of the stroke, in hundredths of a cell.
    width: u8,
}

const fn paint(class: &'static str, fill: Tone, stroke: Tone, width: u8) -> Paint {
    Paint { class, fill, stroke, width }
}

pub(super) const PAPER: Paint = paint("paper", Tone::Paper, Tone::None, 0);
pub(super) const TEXT: Paint = paint("text", Tone::Ink, Tone::None, 0);
pub(super) const BOARD: Paint = paint("board", Tone::Board, Tone::Line, 4);
pub(super) const LINES: Paint = paint("lines", Tone::None, Tone::Line, 2);
pub(super) const PITS: Paint = paint("pits", Tone::Hollow, Tone::Line, 3);
pub(super) const APART: Paint = paint("apart", Tone::None, Tone::Line, 3);
pub(super) const LANDMARKS: Paint = paint("landmarks", Tone::None, Tone::Line, 5);
pub(super) const BLACK: Paint = paint("black", Tone::Black, Tone::BlackEdge, 3);
pub(super) const WHITE: Paint = paint("white", Tone::White, Tone::WhiteEdge, 5);
/// Pips and numbers on pieces.
pub(super) const ON_BLACK: Paint = paint("on-black", Tone::White, Tone::None, 0);
pub(super) const ON_WHITE: Paint = paint("on-white", Tone::WhiteEdge, Tone::None, 0);
pub(super) const RINGS: Paint = paint("rings", Tone::None, Tone::WhiteEdge, 3);
pub(super) const LAST: Paint = paint("last", Tone::None, Tone::Last, 7);
/// The frame of the cell that a piece has left, the arrow from there, and the stroke through a captured piece.
pub(super) const ORIGIN: Paint = paint("origin", Tone::None, Tone::Last, 3);
pub(super) const PATHS: Paint = paint("paths", Tone::Last, Tone::None, 0);
pub(super) const CAPTURED: Paint = paint("captured", Tone::None, Tone::Last, 6);
/// The frame of the cell where an earlier step of the move ended.
pub(super) const EARLIER: Paint = paint("earlier", Tone::None, Tone::Last, 4);
/// The frame of a cell that a move has changed, though no step of it ended or began there.
pub(super) const CHANGED: Paint = paint("changed", Tone::None, Tone::Last, 7);
pub(super) const REGIONS: Paint = paint("regions", Tone::Accent, Tone::None, 0);
pub(super) const REGION_EDGES: Paint = paint("region-edges", Tone::None, Tone::Accent, 8);
pub(super) const PENDING: Paint = paint("pending", Tone::None, Tone::Choice, 8);
pub(super) const CHOICES: Paint = paint("choices", Tone::None, Tone::Choice, 7);
pub(super) const HALO: Paint = paint("halo", Tone::None, Tone::Paper, 16);
pub(super) const PLATES: Paint = paint("plates", Tone::Paper, Tone::Ink, 3);
pub(super) const MARKS: Paint = paint("marks", Tone::Accent, Tone::Paper, 5);
pub(super) const CROSSES: Paint = paint("crosses", Tone::None, Tone::Ink, 9);
pub(super) const ARROWS: Paint = paint("arrows", Tone::Accent, Tone::Paper, 5);
pub(super) const CIRCLES: Paint = paint("circles", Tone::None, Tone::Accent, 9);
pub(super) const HEAT: Paint = paint("heat", Tone::Heat, Tone::None, 0);
pub(super) const COLD: Paint = paint("cold", Tone::None, Tone::Heat, 6);

/// Every paint that the style sheet of [`Theme::Auto`] changes.
const PAINTS: &[&Paint] = &[
    &PAPER,
    &TEXT,
    &BOARD,
    &LINES,
    &PITS,
    &APART,
    &LANDMARKS,
    &BLACK,
    &WHITE,
    &ON_BLACK,
    &ON_WHITE,
    &RINGS,
    &LAST,
    &ORIGIN,
    &PATHS,
    &CAPTURED,
    &EARLIER,
    &CHANGED,
    &REGIONS,
    &REGION_EDGES,
    &PENDING,
    &CHOICES,
    &HALO,
    &PLATES,
    &MARKS,
    &CROSSES,
    &ARROWS,
    &CIRCLES,
    &HEAT,
    &COLD,
];

impl Paint {
    /// Returns the same paint for shapes that bring the width of their strokes.
    pub(super) fn without_width(&self) -> Self {
        Self { width: 0, ..*self }
    }

    /// Returns the color of the shapes.
    pub(super) fn fill(&self, theme: Theme) -> &'static str {
        self.fill.color(theme)
    }

    /// Writes the class and the colors as attributes.
    pub(super) fn attributes(&self, theme: Theme) -> String {
        let pick = |tone: Tone| tone.color(theme);
        let mut text = format!("class=\"{}\" fill=\"{}\"", self.class, pick(self.fill));
        if self.stroke != Tone::None {
            // Writing to a string can't fail.
            let _ = write!(text, " stroke=\"{}\"", pick(self.stroke));
            if self.width > 0 {
                let _ = write!(text, " stroke-width=\"{}\"", self.width);
            }
        }
        text
    }
}

/// Returns the style sheet of a theme, if it has one.
pub(super) fn style(theme: Theme) -> Option<String> {
    (theme == Theme::Auto).then(|| dark_rules(".pentalith "))
}

/// Returns the rules that make groups of shapes dark where the reader's system prefers that. `prefix` begins their
/// selectors.
pub(super) fn dark_rules(prefix: &str) -> String {
    let dark = |tone: Tone| {
        let [_, dark, _] = tone.colors();
        dark
    };
    let mut rules = String::new();
    for paint in PAINTS {
        let mut rule = String::new();
        for (name, tone) in [("fill", paint.fill), ("stroke", paint.stroke)] {
            if tone != Tone::None {
                let _ = write!(rule, "{name}:{};", dark(tone));
            }
        }
        let _ = write!(rules, "{prefix}.{}{{{rule}}}", paint.class);
    }
    // Letters that are strokes have the color of the text that they stand for.
    for paint in [&TEXT, &ON_BLACK, &ON_WHITE] {
        let (class, color) = (paint.class, dark(paint.fill));
        let _ = write!(rules, "{prefix}.{class} path{{stroke:{color}}}");
    }
    format!("@media (prefers-color-scheme:dark){{{rules}}}")
}
