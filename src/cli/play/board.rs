//! Draws the board for a person.

use std::ops::Range;

use super::terminal::{Colors, Terminal};
use super::text::wrap;
use crate::rules::{Color, Equipment, Piece};
use crate::session::{Picture, Square};

/// Cells that a move has touched.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Marks {
    /// Cells to which the steps led: in brackets, and in another color.
    pub targets: Vec<String>,
    /// Cells that the steps left: in another color only.
    pub origins: Vec<String>,
    /// Cells whose pieces changed their color: in angle brackets, and in another color.
    pub turned: Vec<String>,
}

impl Marks {
    /// Returns the marks of the steps of a move.
    pub fn of<'a>(steps: impl IntoIterator<Item = &'a str>) -> Self {
        let mut marks = Self::default();
        for step in steps {
            let mut cells = cells(step);
            marks.targets.extend(cells.pop());
            marks.origins.append(&mut cells);
        }
        marks
    }
}

/// Returns the cells that the text of a step names.
pub fn cells(step: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut letters = step.chars().peekable();
    while let Some(letter) = letters.next() {
        if !letter.is_ascii_alphabetic() || !letters.peek().is_some_and(char::is_ascii_digit) {
            continue;
        }
        let mut cell = letter.to_ascii_lowercase().to_string();
        while let Some(digit) = letters.next_if(char::is_ascii_digit) {
            cell.push(digit);
        }
        found.push(cell);
    }
    found
}

/// Ends all colors.
const PLAIN: &str = "\x1b[0m";

/// Colors of a cell, as parameters of the escape sequence.
struct Palette {
    black: &'static str,
    white: &'static str,
    point: &'static str,
    board: &'static str,
    target: &'static str,
    origin: &'static str,
    pending: &'static str,
}

const MANY: Palette = Palette {
    black: "38;5;16",
    white: "38;5;231",
    point: "38;5;94",
    board: "48;5;179",
    target: "48;5;71",
    origin: "48;5;143",
    pending: "48;5;167",
};

const FEW: Palette =
    Palette { black: "30", white: "1;37", point: "30", board: "43", target: "42", origin: "46", pending: "41" };

#[derive(Clone, Copy)]
struct Drawing<'a> {
    picture: &'a Picture,
    marks: &'a Marks,
    terminal: Terminal,
    /// Width of the piece of a cell, in characters.
    inner: usize,
    /// True if neighbors share the space or bracket between them: for boards that are too wide otherwise.
    is_compact: bool,
}

/// Brackets of a cell that has no mark.
const BLANK: [char; 2] = [' ', ' '];

/// Draws a board with coordinates, line by line.
///
/// The lines run as in the diagrams of `protocol/notation.md`, with room for a bracket on both sides of a cell. A board
/// that is wider than the window has less room, then columns in several blocks. If it does not fit even so, it is not
/// drawn, and a sentence says how wide the window must be.
pub fn draw(picture: &Picture, marks: &Marks, terminal: Terminal) -> Vec<String> {
    let squares = picture.ranks.iter().flatten().flatten();
    let values = squares.filter_map(|square| square.piece?.value);
    let least = match picture.equipment {
        Equipment::Stacks | Equipment::Dice => 1,
        Equipment::Stones | Equipment::Pits => 0,
    };
    let digits = values.map(|value| value.to_string().len());
    let inner = 1 + digits.fold(least, usize::max);
    let wide = Drawing { picture, marks, terminal, inner, is_compact: false };
    let compact = Drawing { is_compact: true, ..wide };
    let columns = terminal.window.map_or(usize::MAX, |window| window.columns);
    let mut lines = match [wide, compact].into_iter().find(|drawing| drawing.width() <= columns) {
        Some(drawing) if picture.is_hexagon => drawing.hexagon(),
        Some(drawing) => drawing.rectangle(0..drawing.columns()),
        None => compact.blocks(columns),
    };
    if terminal.is_unicode && terminal.colors == Colors::None {
        // Which circle looks dark depends on the colors of the terminal.
        lines.push("● Black, ○ White".to_owned());
    }
    let lines = lines.into_iter();
    lines.map(|line| line.trim_end().to_owned()).collect()
}

impl Drawing<'_> {
    /// Returns the number of columns of the board.
    fn columns(self) -> usize {
        self.picture.ranks.first().map_or(0, Vec::len)
    }

    /// Returns the width of a cell, in characters.
    fn cell_width(self) -> usize {
        let width = self.inner + if self.is_compact { 1 } else { 2 };
        // Half the distance between neighbors in a rank of hexagons is a whole number of characters.
        if self.picture.is_hexagon { width.next_multiple_of(2) } else { width }
    }

    /// Returns the width of the lines, in characters.
    fn width(self) -> usize {
        let ranks = self.picture.ranks.len();
        let half = self.cell_width() / 2;
        if self.picture.is_hexagon {
            // The letters below the board reach farthest to the right.
            6 + half * (ranks / 2 + 1) + self.columns().saturating_sub(1) * self.cell_width()
        } else {
            self.columns() * self.cell_width() + self.rank_labels()
        }
    }

    /// Returns the width of the numbers of a rank on both sides of a rectangle, with their spaces.
    fn rank_labels(self) -> usize {
        let digits = self.picture.ranks.len().to_string().len();
        4 + digits + usize::from(self.is_compact)
    }

    fn letters(self, columns: Range<usize>) -> String {
        let letters = columns.map(|x| {
            let letter = crate::board::column_letter(u8::try_from(x).unwrap_or(u8::MAX));
            format!(" {letter:<width$}", width = self.cell_width() - 1)
        });
        letters.collect()
    }

    /// Draws some columns of a rectangle.
    fn rectangle(self, columns: Range<usize>) -> Vec<String> {
        let letters = format!("   {}", self.letters(columns.clone()));
        let mut lines = vec![letters.clone()];
        for (y, rank) in self.picture.ranks.iter().enumerate().rev() {
            let cells = rank.get(columns.clone()).unwrap_or_default();
            let cells = self.cells(cells.iter().flatten());
            lines.push(format!("{:>2} {cells} {}", y + 1, y + 1));
        }
        lines.push(letters);
        lines
    }

    /// Draws a rectangle in as many blocks of columns as a window needs.
    fn blocks(self, width: usize) -> Vec<String> {
        let fitting = width.saturating_sub(self.rank_labels()) / self.cell_width();
        if self.picture.is_hexagon || fitting == 0 {
            let least = if self.picture.is_hexagon { self.width() } else { self.rank_labels() + self.cell_width() };
            let text = format!("The board needs a window of {least} columns; this one has {width}.");
            return wrap(&text, width, 0);
        }
        let columns = self.columns();
        let each = columns.div_ceil(columns.div_ceil(fitting));
        let blocks = (0..columns).step_by(each).map(|first| first..columns.min(first + each));
        blocks.flat_map(|block| self.rectangle(block)).collect()
    }

    fn hexagon(self) -> Vec<String> {
        let middle = self.picture.ranks.len() / 2;
        let half = self.cell_width() / 2;
        let line = format!(" {:<width$}", '\\', width = 2 * half - 1);
        let mut lines = Vec::new();
        for (y, rank) in self.picture.ranks.iter().enumerate().rev() {
            let cells = self.cells(rank.iter().flatten());
            let begin_above = middle.saturating_sub(y);
            // A compact row ends with the bracket of its last cell.
            let row = if self.is_compact {
                format!("{cells}{}", line.repeat(begin_above).get(1..).unwrap_or_default())
            } else {
                format!("{cells}{}", line.repeat(begin_above))
            };
            let indent = " ".repeat(half * y.abs_diff(middle));
            // Columns lean, so each rank begins with the name of its first cell.
            let first = rank.iter().flatten().next();
            let label = first.map_or("", |square| square.label.as_str());
            lines.push(format!("{indent}{label:>3} {row}"));
        }
        let indent = " ".repeat(half * (middle + 1));
        lines.push(format!("    {indent}{}", self.letters(0..self.columns())));
        lines
    }

    /// Draws cells next to each other.
    fn cells<'a>(self, squares: impl Iterator<Item = &'a Square>) -> String {
        let gap = " ".repeat(self.cell_width() - self.inner - if self.is_compact { 1 } else { 2 });
        let mut row = String::new();
        let mut before = ' ';
        let mut squares = squares.peekable();
        while let Some(square) = squares.next() {
            let [left, right] = self.brackets(square);
            let left = match (before, left) {
                (before, ' ') => before,
                (' ', left) => left,
                _ => '|',
            };
            let is_shared = self.is_compact && squares.peek().is_some();
            before = if is_shared { right } else { ' ' };
            let right = if is_shared { String::new() } else { right.to_string() };
            row.push_str(&self.cell(square, &format!("{left}{}{right}", self.content(square)), &gap));
        }
        row
    }

    /// Returns the brackets around a cell.
    fn brackets(self, square: &Square) -> [char; 2] {
        match square {
            _ if square.is_pending => ['[', ']'],
            _ if self.marks.targets.contains(&square.label) => ['(', ')'],
            _ if self.marks.turned.contains(&square.label) => ['<', '>'],
            _ if square.is_landmark => ['{', '}'],
            _ => BLANK,
        }
    }

    /// Returns the piece on a cell, or what an empty one shows.
    fn content(self, square: &Square) -> String {
        let text = match (square.piece, self.terminal.is_unicode) {
            (Some(piece), _) => self.piece(piece),
            (None, true) if square.is_marked => "─".repeat(self.inner),
            (None, false) if square.is_marked => "-".repeat(self.inner),
            (None, true) => "·".to_owned(),
            (None, false) => ".".to_owned(),
        };
        format!("{text:<width$}", width = self.inner)
    }

    /// Colors the text of a cell, and the gap behind it.
    fn cell(self, square: &Square, text: &str, gap: &str) -> String {
        let palette = match self.terminal.colors {
            Colors::None => return format!("{text}{gap}"),
            Colors::Few => FEW,
            Colors::Many => MANY,
        };
        let back = match square {
            _ if square.is_pending => palette.pending,
            _ if self.marks.targets.contains(&square.label) => palette.target,
            _ if self.marks.turned.contains(&square.label) => palette.origin,
            _ if self.marks.origins.contains(&square.label) => palette.origin,
            _ => palette.board,
        };
        let front = match square.piece.map(|piece| piece.color) {
            Some(Color::Black) => palette.black,
            Some(Color::White) => palette.white,
            None => palette.point,
        };
        format!("\x1b[{front};{back}m{text}\x1b[{}m{gap}{PLAIN}", palette.board)
    }

    fn piece(self, piece: Piece) -> String {
        let symbol = match (self.terminal.is_unicode, self.terminal.colors, piece.color) {
            (false, _, color) => color.letter(),
            (true, Colors::None, Color::White) => '○',
            // The color tells whose it is.
            (true, _, _) => '●',
        };
        match piece.value {
            Some(value) => format!("{symbol}{value}"),
            None => symbol.to_string(),
        }
    }
}
