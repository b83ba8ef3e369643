//! Writes SVG: integers alone, so that the bytes are the same on every machine.

use std::fmt::{Arguments, Write};

use super::letters::{Letters, Strokes};
use super::theme::{Paint, Theme};

/// A point of the picture: right and down, in hundredths of a cell.
pub(super) type Point = (i32, i32);

/// The text of a picture.
pub(super) struct Svg {
    text: String,
    theme: Theme,
    letters: Letters,
    /// The color of the present group.
    fill: &'static str,
    /// The font size of the present group, if it has one.
    size: Option<i32>,
    /// Strokes of the present group that are not yet written, and their width.
    strokes: (Path, i32),
}

/// From this number of circles on, a path draws them all: large boards stay small files.
const MANY: usize = 64;

impl Svg {
    pub(super) fn new(theme: Theme, letters: Letters) -> Self {
        Self { text: String::new(), theme, letters, fill: "none", size: None, strokes: (Path::default(), 0) }
    }

    pub(super) fn finish(self) -> String {
        self.text
    }

    /// Adds a line.
    pub(super) fn line(&mut self, line: Arguments<'_>) {
        // Writing to a string can't fail.
        let _ = self.text.write_fmt(line);
        self.text.push('\n');
    }

    /// Adds a group of shapes, unless it is empty.
    pub(super) fn group(&mut self, paint: &Paint, draw: impl FnOnce(&mut Self)) {
        self.group_with(paint, "", draw);
    }

    /// Adds a group of shapes with further attributes, unless it is empty.
    pub(super) fn group_with(&mut self, paint: &Paint, more: &str, draw: impl FnOnce(&mut Self)) {
        let before = self.text.len();
        let attributes = paint.attributes(self.theme);
        let space = if more.is_empty() { "" } else { " " };
        self.line(format_args!("<g {attributes}{space}{more}>"));
        let begun = self.text.len();
        self.fill = paint.fill(self.theme);
        draw(self);
        self.write_strokes();
        if self.text.len() == begun {
            self.text.truncate(before);
        } else {
            self.line(format_args!("</g>"));
        }
    }

    /// Adds a group of texts that mostly have the same font size.
    pub(super) fn label_group(&mut self, paint: &Paint, size: i32, draw: impl FnOnce(&mut Self)) {
        let more = match self.letters {
            Letters::Text => format!("font-size=\"{size}\" text-anchor=\"middle\""),
            Letters::Strokes => String::new(),
        };
        self.size = Some(size);
        self.group_with(paint, &more, draw);
        self.size = None;
    }

    pub(super) fn circle(&mut self, (x, y): Point, radius: i32) {
        self.line(format_args!("<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\"/>"));
    }

    /// Adds circles that do not overlap.
    pub(super) fn circles(&mut self, points: impl IntoIterator<Item = Point>, radius: i32) {
        let points: Vec<Point> = points.into_iter().collect();
        if points.len() < MANY {
            for point in points {
                self.circle(point, radius);
            }
            return;
        }
        let mut path = Path::default();
        for point in points {
            path.circle(point, radius);
        }
        self.path(&path.text);
    }

    /// Adds a rectangle with round corners.
    pub(super) fn rectangle(&mut self, (x, y): Point, (width, height): (i32, i32), radius: i32) {
        let round = match radius {
            0 => String::new(),
            _ => format!(" rx=\"{radius}\""),
        };
        self.line(format_args!("<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"{round}/>"));
    }

    /// Adds a square around a point.
    pub(super) fn square(&mut self, (x, y): Point, half: i32, radius: i32) {
        self.rectangle((x - half, y - half), (2 * half, 2 * half), radius);
    }

    pub(super) fn polygon(&mut self, points: impl IntoIterator<Item = Point>) {
        let points = points.into_iter().map(|(x, y)| format!("{x},{y}"));
        let points: Vec<String> = points.collect();
        self.line(format_args!("<polygon points=\"{}\"/>", points.join(" ")));
    }

    fn path(&mut self, path: &str) {
        if !path.is_empty() {
            self.line(format_args!("<path d=\"{path}\"/>"));
        }
    }

    /// Adds lines, each from a point to another one.
    pub(super) fn lines(&mut self, lines: impl IntoIterator<Item = (Point, Point)>) {
        let mut path = Path::default();
        for (from, to) in lines {
            path.chain([from, to]);
        }
        self.path(&path.text);
    }

    /// Adds a text with its middle at a point. Capitals and digits are about 0.72 of the font size high.
    pub(super) fn label(&mut self, (x, y): Point, size: i32, text: &str) {
        let y = y + size * 36 / 100;
        if self.letters == Letters::Strokes {
            let strokes = Strokes::new(text, size);
            return self.strokes((x - strokes.width / 2, y), size, &strokes);
        }
        let text = escape(text);
        if self.size == Some(size) {
            return self.line(format_args!("<text x=\"{x}\" y=\"{y}\">{text}</text>"));
        }
        self.line(format_args!("<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\" text-anchor=\"middle\">{text}</text>"));
    }

    /// Adds a text that begins at a point.
    pub(super) fn text(&mut self, (x, y): Point, size: i32, text: &str) {
        let y = y + size * 36 / 100;
        if self.letters == Letters::Strokes {
            return self.strokes((x, y), size, &Strokes::new(text, size));
        }
        let text = escape(text);
        self.line(format_args!("<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\">{text}</text>"));
    }

    /// Adds the strokes of a text that begins at a point of its base line.
    fn strokes(&mut self, (x, y): Point, size: i32, strokes: &Strokes) {
        let width = (size * 9 / 100).max(1);
        if width != self.strokes.1 {
            self.write_strokes();
            self.strokes.1 = width;
        }
        for chain in &strokes.chains {
            let chain = chain.iter().map(|(dx, dy)| (x + dx, y + dy));
            self.strokes.0.chain(chain);
        }
    }

    /// Writes the strokes of texts that have the same width.
    fn write_strokes(&mut self) {
        let (path, width) = std::mem::take(&mut self.strokes);
        let path = path.text;
        if path.is_empty() {
            return;
        }
        let color = self.fill;
        self.line(format_args!(
            "<path d=\"{path}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"{width}\" \
             stroke-linecap=\"round\" stroke-linejoin=\"round\"/>"
        ));
    }
}

/// The data of a path, short: distances instead of places, and no space before a sign.
#[derive(Default)]
struct Path {
    text: String,
    /// The end of what is written.
    end: Point,
}

impl Path {
    /// Writes a command with the distance to a point.
    fn go(&mut self, command: &str, (x, y): Point) {
        let (dx, dy) = (x - self.end.0, y - self.end.1);
        let space = if dy < 0 { "" } else { " " };
        // Writing to a string can't fail.
        let _ = write!(self.text, "{command}{dx}{space}{dy}");
        self.end = (x, y);
    }

    /// Adds a chain of lines.
    fn chain(&mut self, points: impl IntoIterator<Item = Point>) {
        for (index, point) in points.into_iter().enumerate() {
            self.go(if index == 0 { "m" } else { "l" }, point);
        }
    }

    /// Adds a circle: an arc from its left end almost around, which is closed there.
    fn circle(&mut self, (x, y): Point, radius: i32) {
        self.go("m", (x - radius, y));
        let _ = write!(self.text, "a{radius} {radius} 0 110 1z");
    }
}

/// Escapes a text for XML. Characters that XML does not have become `�`.
///
/// ```
/// assert_eq!(pentalith::render::escape("a < b & \"c\""), "a &lt; b &amp; &quot;c&quot;");
/// ```
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\t' | '\n' | '\r' => escaped.push(' '),
            '\0'..='\x1f' | '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}
