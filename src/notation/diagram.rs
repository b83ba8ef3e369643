//! Boards drawn with letters, coordinates on the edges.

use crate::board::{Cell, Shape, column_letter};

/// Draws a board: the text that `piece` gives for each cell, padded to `width` characters.
///
/// A rectangle has its letters above and below, and its rank numbers on both sides.
///
/// A hexagon has the number of each rank on the left. Each rank is half a cell to the right of the one above, so that
/// a column runs up and to the left. The letters of all columns stand in one row below the board, and lines of `\`
/// lead to those columns that begin above rank 1.
pub fn diagram(shape: &Shape, width: usize, piece: impl Fn(Cell) -> String) -> String {
    let text = |cell| format!("{:<width$}", piece(cell));
    let letter = |x| format!("{:<width$}", column_letter(x));
    if shape.is_hexagon() {
        hexagon(shape, width, text, letter)
    } else {
        rectangle(shape, text, letter)
    }
}

fn rectangle(
    shape: &Shape,
    text: impl Fn(Cell) -> String,
    letter: impl Fn(u8) -> String,
) -> String {
    let letters: Vec<String> = (0..shape.columns()).map(letter).collect();
    let letters = format!("   {}", letters.join(" ").trim_end());
    let mut lines = vec![letters.clone()];
    for y in (0..shape.ranks()).rev() {
        let cells: Vec<String> = shape.rank(y).map(&text).collect();
        lines.push(format!("{:>2} {} {:<2}", y + 1, cells.join(" "), y + 1));
    }
    lines.push(letters);
    finish(lines)
}

fn hexagon(
    shape: &Shape,
    width: usize,
    text: impl Fn(Cell) -> String,
    letter: impl Fn(u8) -> String,
) -> String {
    let middle = shape.ranks() / 2;
    // Half the distance between neighbours in a rank: a whole number of characters, with room for a space.
    let half = width / 2 + 1;
    let gap = " ".repeat(2 * half - width);
    let indent = |steps: u8| " ".repeat(half * usize::from(steps));
    let line = format!("{:<width$}", '\\');
    let mut lines = Vec::new();
    for y in (0..shape.ranks()).rev() {
        let begin_above = middle.saturating_sub(y);
        let cells = shape.rank(y).map(&text);
        let row: Vec<String> = cells
            .chain((0..begin_above).map(|_| line.clone()))
            .collect();
        let indent = indent(y.abs_diff(middle));
        lines.push(format!("{indent}{:>2} {}", y + 1, row.join(&gap)));
    }
    let letters: Vec<String> = (0..shape.columns()).map(letter).collect();
    lines.push(format!("   {}{}", indent(middle + 1), letters.join(&gap)));
    finish(lines)
}

fn finish(lines: Vec<String>) -> String {
    let lines: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
    lines.join("\n")
}
