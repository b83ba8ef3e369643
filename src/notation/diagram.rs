//! Boards drawn with letters, coordinates on the edges.

use crate::board::{Cell, Shape, column_letter};

/// Draws a board: what `piece` gives for each cell, padded to `width` characters a cell.
///
/// Rectangles have the letters above and below, and the rank numbers on both sides. On a hexagon every rank is
/// half a cell off the one below, and a column, which runs up and to the left, has its letter at its lower end.
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
    let side = shape.columns().div_ceil(2);
    // Half the distance from a cell to the next one in its rank: a whole number of characters.
    let half = width.div_ceil(2) + 1;
    let gap = " ".repeat(2 * half - width);
    let mut lines = Vec::new();
    for y in (0..shape.ranks()).rev() {
        let cells: Vec<String> = shape.rank(y).map(&text).collect();
        let mut line = format!("{:>2} ", y + 1);
        line += &" ".repeat(half * usize::from(1 + y.abs_diff(side - 1)));
        line += &cells.join(&gap);
        // The column that begins one rank higher, at the right edge.
        if y + side < shape.columns() {
            line += &gap;
            line += &letter(y + side);
        }
        lines.push(line);
    }
    let letters: Vec<String> = (0..side).map(letter).collect();
    let indent = " ".repeat(3 + half * usize::from(side + 1));
    lines.push(indent + &letters.join(&gap));
    finish(lines)
}

fn finish(lines: Vec<String>) -> String {
    let lines: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
    lines.join("\n")
}
