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
    let parts = |word| match str::chars(word).count() + indent > width {
        true => word.split_inclusive(',').collect(),
        false => vec![word],
    };
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
