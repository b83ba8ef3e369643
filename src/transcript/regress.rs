//! Files of gogui-regress: commands of GTP, each followed by a pattern for its answer.
//!
//! A pattern is a regular expression for the whole answer without `=` and id: `#? [B\+7.*]`. `!` before it says that it
//! must not match, an asterisk behind the brackets that the test has to fail. An error passes no test.

use super::masks::Masks;
use super::parse::{TranscriptError, error, whole};
use super::pattern::{Pattern, Piece};
use super::{Dialogue, Exchange, Expectation, Expected, Transcript};
use crate::client::Command;
use crate::files::without_mark;
use crate::text::quote;

/// Expression for the beginning of an answer that is not an error.
const SUCCESS: &str = r"=[0-9]*\s*";

/// Any answer that is not an error.
const ANY_SUCCESS: &str = "=.*";

/// Returns the expressions for a pattern. The flags say whether each must match.
fn expressions(pattern: &str, not: bool, fails: bool) -> Vec<(String, bool)> {
    let matched = format!(r"{SUCCESS}(?:{pattern})\s*");
    match (not, fails) {
        (false, false) => vec![(matched, true)],
        (true, false) => vec![(ANY_SUCCESS.to_owned(), true), (matched, false)],
        (false, true) => vec![(matched, false)],
        (true, true) => vec![(format!(r"\?.*|{matched}"), true)],
    }
}

/// Returns the pattern behind `#?` for expressions that [`expressions`] made.
fn pattern_of(expressions_found: &[(String, bool)]) -> Option<String> {
    let (last, _) = expressions_found.last()?;
    let inside = last.strip_prefix(r"\?.*|").unwrap_or(last);
    let inside = inside.strip_prefix(SUCCESS)?.strip_prefix("(?:")?.strip_suffix(r")\s*")?;
    [(false, false), (true, false), (false, true), (true, true)].into_iter().find_map(|(not, fails)| {
        let is_it = expressions(inside, not, fails) == expressions_found;
        is_it.then(|| format!("[{}{inside}]{}", if not { "!" } else { "" }, if fails { "*" } else { "" }))
    })
}

/// Parses a pattern with its brackets.
fn pattern(text: &str) -> Option<(String, bool, bool)> {
    let (text, fails) = match text.strip_suffix('*') {
        Some(text) => (text.trim_end(), true),
        None => (text, false),
    };
    let text = text.strip_prefix('[')?.strip_suffix(']')?.trim();
    let (text, not) = match text.strip_prefix('!') {
        Some(text) => (text, true),
        None => (text, false),
    };
    Some((text.to_owned(), not, fails))
}

/// Begins a comment that holds the command line of the engine, for this program alone.
const COMMAND: &str = "# $ ";

/// Parses a file of gogui-regress.
///
/// # Errors
/// Names the line with a pattern that can't be read, or without a command.
pub fn parse(text: &str) -> Result<Transcript, TranscriptError> {
    let lines: Vec<String> = text.lines().map(|line| without_mark(line).trim().to_owned()).collect();
    let mut exchanges: Vec<Exchange> = Vec::new();
    let mut command = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        if let Some(words) = line.strip_prefix(COMMAND) {
            command = shlex::split(words).unwrap_or_default();
        } else if let Some(text) = line.strip_prefix("#?") {
            let Some((pattern, not, fails)) = pattern(text.trim()) else {
                return error(number, format!("{}: expected a pattern in brackets", quote(line)));
            };
            let Some(exchange) = exchanges.last_mut().filter(|exchange| exchange.expected.is_empty()) else {
                return error(number, "a pattern without a command before it");
            };
            for (expression, is_matched) in expressions(&pattern, not, fails) {
                let regex = whole(&expression).or_else(|why| error(number, why))?;
                exchange.expected.push(Expectation { line: number, what: Expected::Whole { regex, is_matched } });
            }
        } else if !line.is_empty() && !line.starts_with('#') {
            exchanges.push(Exchange { line: number, command: line.clone(), waits: true, expected: Vec::new() });
        }
    }
    // A command without a pattern must only succeed.
    for exchange in exchanges.iter_mut().filter(|exchange| exchange.expected.is_empty()) {
        let regex = whole(ANY_SUCCESS).or_else(|why| error(exchange.line, why))?;
        let what = Expected::Whole { regex, is_matched: true };
        exchange.expected.push(Expectation { line: exchange.line, what });
    }
    Ok(Transcript {
        lines,
        command,
        dialogue: Some(Dialogue::Gtp),
        variant: None,
        masks: Masks::new([]).or_else(|(line, why)| error(line, why))?,
        exchanges,
        exit: None,
        is_regression: true,
    })
}

/// Returns the regular expression of a text without special meaning.
fn plain(text: &str) -> String {
    let mut expression = String::new();
    for c in text.chars() {
        if r"\.+*?()|[]{}^$".contains(c) {
            expression.push('\\');
        }
        expression.push(c);
    }
    expression
}

/// Returns the regular expression of a line, without `=` and id if it is the first one.
fn expression(line: &Pattern, is_first: bool) -> String {
    let mut expression = String::new();
    for (number, piece) in line.pieces().iter().enumerate() {
        match piece {
            Piece::Text(text) if is_first && number == 0 => {
                let text = text.trim_start_matches('=').trim_start_matches(|c: char| c.is_ascii_digit());
                expression.push_str(&plain(text.trim_start()));
            }
            Piece::Text(text) => expression.push_str(&plain(text)),
            Piece::Any => expression.push_str(".*"),
            Piece::Legal => expression.push_str(r"\S+"),
            Piece::OneOf(texts) => {
                let texts: Vec<String> = texts.iter().map(|text| plain(text)).collect();
                expression.push_str(&format!("({})", texts.join("|")));
            }
        }
    }
    expression
}

/// Returns true for lines that mean the same in both kinds of files.
fn is_comment(line: &str) -> bool {
    line.is_empty() || line.starts_with('#') && !line.starts_with("#?") && !line.starts_with(COMMAND)
}

impl Transcript {
    /// Writes the transcript as a file of gogui-regress. Errors become tests that have to fail.
    ///
    /// # Errors
    /// If the dialogue is not GTP.
    pub fn regression(&self) -> Result<String, String> {
        if self.dialogue != Some(Dialogue::Gtp) {
            return Err("gogui-regress speaks GTP alone".to_owned());
        }
        let mut text = String::new();
        if !self.command.is_empty() {
            text = format!("{COMMAND}{}\n", Command::new(self.command.iter().map(Into::into)));
        }
        let mut at = 0;
        let comments = |range: std::ops::Range<usize>| {
            let lines = self.lines.get(range).unwrap_or_default().iter();
            let comments = lines.filter(|line| is_comment(line));
            comments.map(|line| format!("{line}\n")).collect::<String>()
        };
        for (number, exchange) in self.exchanges.iter().enumerate() {
            text.push_str(&comments(at..exchange.line));
            at = exchange.expected.last().map_or(exchange.line, |expected| expected.line) + 1;
            let command = exchange.command.trim();
            let has_id = command.split(' ').next().is_some_and(|id| !id.is_empty() && id.parse::<u32>().is_ok());
            // Only a command with an id is a test.
            let id = if has_id { String::new() } else { format!("{} ", number + 1) };
            let pattern = self.test_of(exchange);
            match pattern {
                Some(pattern) => text.push_str(&format!("{id}{command}\n#? {pattern}\n")),
                None => text.push_str(&format!("{command}\n")),
            }
            text.push_str(&comments(exchange.line + 1..at));
        }
        text.push_str(&comments(at..self.lines.len()));
        Ok(text)
    }

    /// Returns the pattern of an answer; `None` if it must only succeed.
    fn test_of(&self, exchange: &Exchange) -> Option<String> {
        let wholes: Vec<(String, bool)> = exchange
            .expected
            .iter()
            .filter_map(|expected| match &expected.what {
                Expected::Whole { regex, is_matched } => {
                    let inside = regex.as_str().strip_prefix("^(?:")?.strip_suffix(")$")?;
                    Some((inside.to_owned(), *is_matched))
                }
                _ => None,
            })
            .collect();
        if wholes == [(ANY_SUCCESS.to_owned(), true)] {
            return None;
        }
        if let Some(pattern) = pattern_of(&wholes) {
            return Some(pattern);
        }
        let mut lines = Vec::new();
        for expected in &exchange.expected {
            match &expected.what {
                Expected::Line(line) if lines.is_empty() && line.starts_with('?') => return Some("[.*]*".to_owned()),
                Expected::Line(line) => {
                    let line = super::parse::masked(&self.masks, line);
                    lines.push(expression(&line, lines.is_empty()));
                }
                Expected::Lines => lines.push(".*".to_owned()),
                Expected::Whole { .. } => {}
            }
        }
        Some(format!("[{}]", lines.join(r"\n").trim()))
    }

    /// Writes a file of gogui-regress as a transcript for a command line.
    pub fn transcript(&self, command: &str) -> String {
        let mut text = format!("$ {command}\n");
        let mut at = 0;
        let copied = |text: &mut String, range: std::ops::Range<usize>| {
            for line in self.lines.get(range).unwrap_or_default().iter().filter(|line| is_comment(line)) {
                text.push_str(line);
                text.push('\n');
            }
        };
        for exchange in &self.exchanges {
            copied(&mut text, at..exchange.line);
            at = exchange.line + 1;
            text.push_str(&format!("> {}\n", exchange.command));
            for expected in &exchange.expected {
                if let Expected::Whole { regex, is_matched } = &expected.what {
                    let inside = regex.as_str().strip_prefix("^(?:").and_then(|regex| regex.strip_suffix(")$"));
                    let mark = if *is_matched { "<~" } else { "<!~" };
                    text.push_str(&format!("{mark} {}\n", inside.unwrap_or_default()));
                }
            }
        }
        copied(&mut text, at..self.lines.len());
        text
    }
}
