//! Floor 0: text in messages. What was read is quoted and cut; the error of a parser says where it went wrong.

use thiserror::Error;

/// The longest text that an error message repeats in full, in characters.
const QUOTED: usize = 80;

/// The text as an error message repeats it: in double quotes, cut where it is long.
pub fn quote(text: &str) -> String {
    format!("\"{}\"", cut(text))
}

/// The text as an error message repeats it where it needs no quotes: cut where it is long.
pub fn cut(text: &str) -> String {
    let (shown, rest) = match text.char_indices().nth(QUOTED) {
        Some((end, _)) => text.split_at(end),
        None => (text, ""),
    };
    let mut shown = visible(shown);
    if !rest.is_empty() {
        shown.push('…');
    }
    shown
}

/// The text with codes in the place of characters that nobody can see: `\u{feff}` for a byte order mark, `\t` for a tab.
pub fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' | '\'' | '\\' => shown.push(c),
            c => shown.extend(c.escape_debug()),
        }
    }
    shown
}

/// A number of things: `1 game`, `2 games`.
pub fn counted(count: u64, what: &str) -> String {
    match count {
        1 => format!("1 {what}"),
        _ => format!("{count} {what}s"),
    }
}

/// A text that does not have the form it should have.
#[derive(Clone, PartialEq, Eq, Error, Debug)]
#[error("{}, column {column}: expected {expected}, found {}", quote(.input), found(.input, *.column))]
pub struct ParseError {
    /// The whole text.
    pub input: String,
    /// The column at which it goes wrong, in characters from 1.
    pub column: usize,
    /// What would be right there.
    pub expected: String,
}

/// What stands at a column, as far as the next blank.
fn found(input: &str, column: usize) -> String {
    let rest: String = input.chars().skip(column - 1).collect();
    match rest.split_whitespace().next() {
        None => "the end".to_owned(),
        Some(word) => quote(word),
    }
}
