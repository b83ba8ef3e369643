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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_diagrams_look_like_the_boards() {
        let stone = |cell: Cell| ["b", "w", "."][cell.index() % 3].to_owned();
        let die = |cell: Cell| format!("b{}", cell.index() % 7);
        let drawn = [
            diagram(&Shape::rectangle(11, 3), 1, stone),
            diagram(&Shape::hexagon(3), 1, stone),
            diagram(&Shape::hexagon(3), 2, die),
        ];
        insta::assert_snapshot!(drawn.join("\n\n"), @"
          a b c d e f g h j k l
        3 w . b w . b w . b w . 3
        2 . b w . b w . b w . b 2
        1 b w . b w . b w . b w 1
          a b c d e f g h j k l

        5       w   .   b
        4     b   w   .   b
        3   w   .   b   w   .
        2     b   w   .   b   e
        1       b   w   .   d
                  a   b   c

        5       b2  b3  b4
        4     b5  b6  b0  b1
        3   b0  b1  b2  b3  b4
        2     b3  b4  b5  b6  e
        1       b0  b1  b2  d
                  a   b   c
        ");
    }
}
