//! Boards drawn with letters, coordinates on the edges.

use crate::board::{Cell, Shape, column_letter};

/// Draws a board: the text that `piece` gives for each cell, padded to `width` characters, in parentheses where
/// `is_last` says that the last move has ended there. A bar separates two such cells.
///
/// A rectangle has its letters above and below, and its rank numbers on both sides.
///
/// A hexagon has the number of each rank on the left. Each rank is half a cell to the right of the one above, so that
/// a column runs up and to the left. The letters of all columns are in one row below the board, and lines of `\`
/// lead to those columns that begin above rank 1.
pub fn diagram(shape: &Shape, width: usize, piece: impl Fn(Cell) -> String, is_last: impl Fn(Cell) -> bool) -> String {
    let drawing = Drawing { shape, width, piece, is_last };
    let lines = if shape.is_hexagon() { drawing.hexagon() } else { drawing.rectangle() };
    finish(lines)
}

struct Drawing<'a, P, L> {
    shape: &'a Shape,
    width: usize,
    piece: P,
    is_last: L,
}

impl<P: Fn(Cell) -> String, L: Fn(Cell) -> bool> Drawing<'_, P, L> {
    fn letters(&self) -> Vec<String> {
        let width = self.width;
        let letters = (0..self.shape.columns()).map(column_letter);
        letters.map(|letter| format!("{letter:<width$}")).collect()
    }

    /// Draws the cells of a rank, with `gap` characters between two of them and one on each side.
    fn rank(&self, y: u8, gap: usize) -> String {
        let width = self.width;
        let mut text = String::new();
        let mut was_last = None;
        for cell in self.shape.rank(y) {
            let is_last = (self.is_last)(cell);
            text += &match was_last {
                None => opening(is_last).to_owned(),
                Some(was_last) => between(was_last, is_last, gap),
            };
            text += &format!("{:<width$}", (self.piece)(cell));
            was_last = Some(is_last);
        }
        text.push_str(if was_last == Some(true) { ")" } else { " " });
        text
    }

    fn rectangle(&self) -> Vec<String> {
        let letters = format!("   {}", self.letters().join(" "));
        let mut lines = vec![letters.clone()];
        for y in (0..self.shape.ranks()).rev() {
            lines.push(format!("{:>2}{}{}", y + 1, self.rank(y, 1), y + 1));
        }
        lines.push(letters);
        lines
    }

    fn hexagon(&self) -> Vec<String> {
        let (shape, width) = (self.shape, self.width);
        let middle = shape.ranks() / 2;
        // Half the distance between neighbors in a rank: a whole number of characters, with room for a space.
        let half = width / 2 + 1;
        let gap = 2 * half - width;
        let space = " ".repeat(gap);
        let indent = |steps: u8| " ".repeat(half * usize::from(steps));
        let line = format!("{:<width$}", '\\');
        let mut lines = Vec::new();
        for y in (0..shape.ranks()).rev() {
            let begin_above = usize::from(middle.saturating_sub(y));
            let indent = indent(y.abs_diff(middle));
            // The last space of the rank is the first of the gap.
            let more = format!("{}{line}", " ".repeat(gap - 1));
            let more = match begin_above {
                0 => String::new(),
                count => more + &format!("{space}{line}").repeat(count - 1),
            };
            lines.push(format!("{indent}{:>2}{}{more}", y + 1, self.rank(y, gap)));
        }
        let letters = self.letters().join(&space);
        lines.push(format!("   {}{letters}", indent(middle + 1)));
        lines
    }
}

fn opening(is_last: bool) -> &'static str {
    if is_last { "(" } else { " " }
}

/// Returns the `gap` characters between two cells.
fn between(was_last: bool, is_last: bool, gap: usize) -> String {
    let spaces = |count| " ".repeat(count);
    match (was_last, is_last) {
        (false, _) => spaces(gap - 1) + opening(is_last),
        (true, false) => format!("){}", spaces(gap - 1)),
        (true, true) if gap == 1 => "|".to_owned(),
        (true, true) => format!("){}(", spaces(gap - 2)),
    }
}

fn finish(lines: Vec<String>) -> String {
    let lines: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
    lines.join("\n")
}
