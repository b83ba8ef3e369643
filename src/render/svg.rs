//! Writes SVG: integers alone, so that the bytes are the same on every machine.

use std::fmt::{Arguments, Write};

use super::Letters;
use super::glyphs::Strokes;
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
}

impl Svg {
    pub(super) fn new(theme: Theme, letters: Letters) -> Self {
        Self {
            text: String::new(),
            theme,
            letters,
            fill: "none",
        }
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
        if self.text.len() == begun {
            self.text.truncate(before);
        } else {
            self.line(format_args!("</g>"));
        }
    }

    pub(super) fn circle(&mut self, (x, y): Point, radius: i32) {
        self.line(format_args!(
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\"/>"
        ));
    }

    /// Adds a rectangle with round corners.
    pub(super) fn rectangle(&mut self, (x, y): Point, (width, height): (i32, i32), radius: i32) {
        let round = match radius {
            0 => String::new(),
            _ => format!(" rx=\"{radius}\""),
        };
        self.line(format_args!(
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"{round}/>"
        ));
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

    /// Adds lines, each from a point to another one.
    pub(super) fn lines(&mut self, lines: impl IntoIterator<Item = (Point, Point)>) {
        let mut path = String::new();
        for ((x, y), (to_x, to_y)) in lines {
            let _ = write!(path, "M{x} {y}L{to_x} {to_y}");
        }
        if !path.is_empty() {
            self.line(format_args!("<path d=\"{path}\"/>"));
        }
    }

    /// Adds a text with its middle at a point. Capitals and digits are about 0.72 of the font size high.
    pub(super) fn label(&mut self, (x, y): Point, size: i32, text: &str) {
        let y = y + size * 36 / 100;
        if self.letters == Letters::Strokes {
            let strokes = Strokes::new(text, size);
            return self.strokes((x - strokes.width / 2, y), size, &strokes);
        }
        let text = escape(text);
        self.line(format_args!(
            "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\" text-anchor=\"middle\">{text}</text>"
        ));
    }

    /// Adds a text that begins at a point.
    pub(super) fn text(&mut self, (x, y): Point, size: i32, text: &str) {
        let y = y + size * 36 / 100;
        if self.letters == Letters::Strokes {
            return self.strokes((x, y), size, &Strokes::new(text, size));
        }
        let text = escape(text);
        self.line(format_args!(
            "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\">{text}</text>"
        ));
    }

    /// Adds the strokes of a text that begins at a point of its base line.
    fn strokes(&mut self, (x, y): Point, size: i32, strokes: &Strokes) {
        let mut path = String::new();
        for chain in &strokes.chains {
            for (index, (dx, dy)) in chain.iter().enumerate() {
                let command = if index == 0 { 'M' } else { 'L' };
                let _ = write!(path, "{command}{} {}", x + dx, y + dy);
            }
        }
        if path.is_empty() {
            return;
        }
        let (color, width) = (self.fill, (size * 9 / 100).max(1));
        self.line(format_args!(
            "<path d=\"{path}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"{width}\" \
             stroke-linecap=\"round\" stroke-linejoin=\"round\"/>"
        ));
    }
}

/// Escapes a text for XML. Characters that XML does not have become `�`.
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
