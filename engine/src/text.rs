//! Text in error messages: quoting, truncation, and the error of a parser with its column.

use thiserror::Error;

/// Maximum length of a quotation, in characters.
const QUOTED: usize = 80;

/// Quotes a text for an error message, in double quotes and truncated to 80 characters.
pub fn quote(text: &str) -> String {
    format!("\"{}\"", cut(text))
}

/// Truncates a text to 80 characters for an error message, without quotes.
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

/// Escapes invisible characters: `\t` for a tab, `\u{feff}` for a byte order mark.
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

/// Cuts a text to a number of characters, the last of which then is `…`.
pub fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        text.to_owned()
    } else {
        let kept = text.chars().take(most.saturating_sub(1));
        kept.chain(['…']).collect()
    }
}

/// Joins words: `a`, `a and b`, `a, b and c`.
pub fn list(words: &[String], last: &str) -> String {
    match words.split_last() {
        None => String::new(),
        Some((word, [])) => word.clone(),
        Some((word, others)) => format!("{} {last} {word}", others.join(", ")),
    }
}

/// Writes a number with its noun: `1 game`, `2 games`.
pub fn counted(count: u64, what: &str) -> String {
    match count {
        1 => format!("1 {what}"),
        _ => format!("{count} {what}s"),
    }
}

/// Writes a number with commas between groups of three digits.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A syntax error, with its column.
#[derive(Clone, PartialEq, Eq, Error, Debug)]
#[error("{}, column {column}: expected {expected}, found {}", quote(.input), found(.input, *.column))]
pub struct ParseError {
    /// The whole text.
    pub input: String,
    /// Column of the error, in characters from 1.
    pub column: usize,
    /// Description of valid input at that column.
    pub expected: String,
}

/// Quotes the word at a column.
fn found(input: &str, column: usize) -> String {
    let rest: String = input.chars().skip(column - 1).collect();
    match rest.split_whitespace().next() {
        None => "the end".to_owned(),
        Some(word) => quote(word),
    }
}
