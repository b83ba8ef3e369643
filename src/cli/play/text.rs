//! Lines of text, and results in words.

use crate::rules::{Board, Outcome};
use crate::session::{Picture, Square};

/// Breaks a text between words into lines of at most `width` characters.
///
/// Lines after the first begin with `indent` blanks. A longer word has lines of its own, which end after commas.
pub fn wrap(text: &str, width: usize, indent: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut is_begun = false;
    // A word that fits no line is divided.
    let parts =
        |word| if str::chars(word).count() + indent > width { word.split_inclusive(',').collect() } else { vec![word] };
    // Blanks stay before the word that follows them, unless a line ends there.
    for word in text.split_inclusive(' ').flat_map(parts) {
        let length = line.chars().count() + word.trim_end().chars().count();
        if is_begun && length > width {
            lines.push(line.trim_end().to_owned());
            line = " ".repeat(indent);
        }
        line.push_str(word);
        is_begun |= !word.trim().is_empty();
    }
    lines.push(line.trim_end().to_owned());
    lines
}

/// Minimum width to which a column of a table shrinks.
const MIN_COLUMN: usize = 8;

/// Lays out a table in lines of at most `width` characters; its first row is the head.
///
/// Columns that are too wide together get narrower, the widest first, and their cells have several lines.
pub fn table(rows: &[Vec<String>], width: usize) -> Vec<String> {
    const GAP: &str = "  ";
    let cells = |column: usize| rows.iter().filter_map(move |row| row.get(column));
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let natural = |column| cells(column).map(|cell| cell.chars().count()).max().unwrap_or(0);
    let mut widths: Vec<usize> = (0..columns).map(natural).collect();
    let room = width.saturating_sub(GAP.len() * columns.saturating_sub(1));
    while widths.iter().sum::<usize>() > room
        && let Some(widest) = widths.iter_mut().max().filter(|widest| **widest > MIN_COLUMN)
    {
        *widest -= 1;
    }
    let mut lines = Vec::new();
    for (number, row) in rows.iter().enumerate() {
        let cells: Vec<Vec<String>> = row.iter().zip(&widths).map(|(cell, &width)| wrap(cell, width, 0)).collect();
        for line in 0..cells.iter().map(Vec::len).max().unwrap_or(0) {
            let parts = cells.iter().zip(&widths).map(|(cell, width)| {
                let part = cell.get(line).map_or("", String::as_str);
                format!("{part:<width$}")
            });
            lines.push(parts.collect::<Vec<_>>().join(GAP).trim_end().to_owned());
        }
        if number == 0 {
            let rules: Vec<String> = widths.iter().map(|&width| "-".repeat(width)).collect();
            lines.push(rules.join(GAP));
        }
    }
    lines
}

/// Finds a cell of a picture.
pub fn square<'a>(picture: &'a Picture, label: &str) -> Option<&'a Square> {
    let mut squares = picture.ranks.iter().flatten().flatten();
    squares.find(|square| square.label == label)
}

/// Reports how a game has ended: the winner, the margin, and the reason in words and as the notation's word.
pub fn result(board: &dyn Board, outcome: Outcome) -> String {
    let Outcome { winner, reason } = outcome;
    let result = match (winner, board.margin()) {
        (Some(color), Some(margin)) => format!("{color} wins by {margin}"),
        (Some(color), None) => format!("{color} wins"),
        (None, _) => "A draw".to_owned(),
    };
    format!("{result}: {} ({reason}).", board.explain_result())
}
