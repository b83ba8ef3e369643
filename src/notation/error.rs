//! Errors that quote what was read, say where it went wrong, and what would be right.

use std::fmt::{self, Display};

use thiserror::Error;

use crate::rules::Fault;

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

/// A text that is not a legal step of the position.
#[derive(Clone, PartialEq, Eq, Error, Debug)]
pub enum StepError {
    /// It is not a step of this game at all.
    #[error(transparent)]
    Syntax(#[from] ParseError),

    /// It is a step, but not here.
    #[error("{}: {why}", cut(.step))]
    Illegal {
        /// The step as it was written.
        step: String,
        /// Why not.
        why: String,
    },
}

/// A text that is not a position of the variant, with all its faults.
#[derive(Clone, PartialEq, Eq, Error, Debug)]
pub struct PositionError {
    /// The whole text.
    pub input: String,
    /// Each fault, with the column of its field in characters from 1.
    pub faults: Vec<(usize, Fault)>,
}

impl Display for PositionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&quote(&self.input))?;
        for (i, (column, fault)) in self.faults.iter().enumerate() {
            let separator = if i == 0 { ":" } else { ";" };
            let Fault { field, message } = fault;
            // The board is as long as the whole text, which stands in front; any other field is repeated.
            let rest = self.input.chars().skip(column - 1);
            let text: String = rest.take_while(|&c| c != ' ').collect();
            let text = match *field {
                "board" | "position" => String::new(),
                _ => format!(" {}", quote(&text)),
            };
            write!(f, "{separator} {field}{text} (column {column}): {message}")?;
        }
        Ok(())
    }
}

/// A text that names no variant.
#[derive(Clone, PartialEq, Eq, Error, Debug)]
pub enum VariantError {
    /// It does not have the form of a variant.
    #[error(transparent)]
    Syntax(#[from] ParseError),

    /// It has the form, but there is no such variant.
    #[error("{}: {}: {message}", quote(.input), cut(.item))]
    Value {
        /// The whole text.
        input: String,
        /// The part at fault.
        item: String,
        /// What would be right.
        message: String,
    },
}
