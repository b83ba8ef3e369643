//! Draws the board for a person.

use super::look::{Colors, Look};
use crate::rules::{Color, Equipment, Piece};
use crate::session::{Picture, Square};

/// Cells that a move has touched.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Marks {
    /// Cells to which the steps led: in brackets, and in another colour.
    pub targets: Vec<String>,
    /// Cells that the steps left: in another colour only.
    pub origins: Vec<String>,
    /// Cells whose pieces changed their colour: in angle brackets, and in another colour.
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

/// Ends all colours.
const PLAIN: &str = "\x1b[0m";

/// Colours of a cell, as parameters of the escape sequence.
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

struct Drawing<'a> {
    picture: &'a Picture,
    marks: &'a Marks,
    look: Look,
    /// Width of the piece of a cell, in characters. A space or a bracket stands on each side of it.
    inner: usize,
}

/// Draws a board with coordinates, line by line.
///
/// The lines run as in the diagrams of `protocol/notation.md`, with room for a bracket on both sides of a cell.
pub fn draw(picture: &Picture, marks: &Marks, look: Look) -> Vec<String> {
    let squares = picture.ranks.iter().flatten().flatten();
    let values = squares.filter_map(|square| square.piece?.value);
    let least = match picture.equipment {
        Equipment::Stacks | Equipment::Dice => 1,
        Equipment::Stones | Equipment::Pits => 0,
    };
    let digits = values.map(|value| value.to_string().len());
    let drawing = Drawing { picture, marks, look, inner: 1 + digits.fold(least, usize::max) };
    let mut lines = match picture.is_hexagon {
        true => drawing.hexagon(),
        false => drawing.rectangle(),
    };
    if look.is_unicode && look.colors == Colors::None {
        // Which circle looks dark depends on the colours of the terminal.
        lines.push("● Black, ○ White".to_owned());
    }
    let lines = lines.into_iter();
    lines.map(|line| line.trim_end().to_owned()).collect()
}

impl Drawing<'_> {
    fn letters(&self, gap: &str) -> String {
        let columns = self.picture.ranks.first().map_or(0, Vec::len);
        let columns = u8::try_from(columns).unwrap_or(u8::MAX);
        let letters = (0..columns).map(|x| {
            let letter = crate::board::column_letter(x);
            format!(" {letter:<width$} {gap}", width = self.inner)
        });
        letters.collect()
    }

    fn rectangle(&self) -> Vec<String> {
        let letters = format!("   {}", self.letters(""));
        let mut lines = vec![letters.clone()];
        for (y, rank) in self.picture.ranks.iter().enumerate().rev() {
            let cells: String = rank.iter().flatten().map(|cell| self.cell(cell, "")).collect();
            lines.push(format!("{:>2} {cells} {}", y + 1, y + 1));
        }
        lines.push(letters);
        lines
    }

    fn hexagon(&self) -> Vec<String> {
        let middle = self.picture.ranks.len() / 2;
        // Half the distance between neighbours in a rank is a whole number of characters.
        let gap = if self.inner.is_multiple_of(2) { "" } else { " " };
        let half = (self.inner + 2 + gap.len()) / 2;
        let line = format!(" {:<width$}", '\\', width = 2 * half - 1);
        let mut lines = Vec::new();
        for (y, rank) in self.picture.ranks.iter().enumerate().rev() {
            let cells = rank.iter().flatten().map(|cell| self.cell(cell, gap));
            let begin_above = middle.saturating_sub(y);
            let row: String = cells.chain((0..begin_above).map(|_| line.clone())).collect();
            let indent = " ".repeat(half * y.abs_diff(middle));
            // Columns lean, so each rank begins with the name of its first cell.
            let first = rank.iter().flatten().next();
            let label = first.map_or("", |square| square.label.as_str());
            lines.push(format!("{indent}{label:>3} {row}"));
        }
        let indent = " ".repeat(half * (middle + 1));
        lines.push(format!("    {indent}{}", self.letters(gap)));
        lines
    }

    /// Draws a cell: a space or a bracket, the piece, a space or a bracket, the gap.
    fn cell(&self, square: &Square, gap: &str) -> String {
        let is_target = self.marks.targets.contains(&square.label);
        let is_turned = self.marks.turned.contains(&square.label);
        let (left, right) = match (square.is_pending, is_target, is_turned) {
            (true, _, _) => ('[', ']'),
            (_, true, _) => ('(', ')'),
            (_, _, true) => ('<', '>'),
            _ => (' ', ' '),
        };
        let piece = match square.piece {
            Some(piece) => self.piece(piece),
            None if square.is_marked => "-".repeat(self.inner),
            None => ".".to_owned(),
        };
        let piece = match (square.piece, self.look.is_unicode) {
            (None, true) => piece.replace('.', "·").replace('-', "─"),
            _ => piece,
        };
        let text = format!("{left}{piece:<width$}{right}", width = self.inner);
        let palette = match self.look.colors {
            Colors::None => return text + gap,
            Colors::Few => FEW,
            Colors::Many => MANY,
        };
        let back = if square.is_pending {
            palette.pending
        } else if is_target {
            palette.target
        } else if is_turned || self.marks.origins.contains(&square.label) {
            palette.origin
        } else {
            palette.board
        };
        let front = match square.piece.map(|piece| piece.color) {
            Some(Color::Black) => palette.black,
            Some(Color::White) => palette.white,
            None => palette.point,
        };
        format!("\x1b[{front};{back}m{text}\x1b[{}m{gap}{PLAIN}", palette.board)
    }

    fn piece(&self, piece: Piece) -> String {
        let symbol = match (self.look.is_unicode, self.look.colors, piece.color) {
            (false, _, color) => color.letter(),
            (true, Colors::None, Color::White) => '○',
            // The colour tells whose it is.
            (true, _, _) => '●',
        };
        match piece.value {
            Some(value) => format!("{symbol}{value}"),
            None => symbol.to_string(),
        }
    }
}
