//! Parser of transcripts.

use regex_lite::{Regex, RegexBuilder};
use thiserror::Error;

use super::masks::Masks;
use super::pattern::Pattern;
use super::{Dialogue, Exchange, Exit, Expectation, Expected, Transcript};
use crate::client::output::head;
use crate::files::without_mark;
use crate::games;
use crate::text::quote;

/// The reason why a text is not a transcript.
#[derive(Clone, PartialEq, Eq, Error, Debug)]
#[error("line {line}: {why}")]
pub struct TranscriptError {
    /// Number of the line, from 1.
    pub line: usize,
    /// Error message.
    pub why: String,
}

/// Returns the error for a line, which is counted from 0.
pub(super) fn error<T>(line: usize, why: impl Into<String>) -> Result<T, TranscriptError> {
    Err(TranscriptError { line: line + 1, why: why.into() })
}

/// Compiles a regular expression that a whole answer has to match.
pub(super) fn whole(expression: &str) -> Result<Regex, String> {
    let whole = format!("^(?:{expression})$");
    let regex = RegexBuilder::new(&whole).dot_matches_new_line(true).build();
    regex.map_err(|error| format!("{}: {error}", quote(expression)))
}

/// Returns the text behind a mark, which a space separates from it.
fn marked<'a>(line: &'a str, mark: &str) -> Option<&'a str> {
    let rest = line.strip_prefix(mark)?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix(' ') }
}

/// Returns the value of a comment such as `# mask: time`.
fn setting<'a>(comment: &'a str, name: &str) -> Option<&'a str> {
    let value = comment.strip_prefix('#')?.trim_start().strip_prefix(name)?;
    value.strip_prefix(':').map(str::trim)
}

impl Transcript {
    /// Parses a transcript.
    ///
    /// # Errors
    /// Names the line that is wrong.
    pub fn new(text: &str) -> Result<Self, TranscriptError> {
        let lines: Vec<String> = text.lines().map(|line| without_mark(line).trim_end().to_owned()).collect();
        let mut command = None;
        let mut exchanges: Vec<Exchange> = Vec::new();
        let mut exit = None;
        let (mut masks, mut mask_lines) = (Vec::new(), Vec::new());
        let (mut dialogue, mut variant) = (None, None);
        for (number, line) in lines.iter().enumerate() {
            if let Some(words) = marked(line, "$") {
                if command.is_some() || !exchanges.is_empty() {
                    return error(number, "a second command line: only the first line may have one");
                }
                command = match shlex::split(words) {
                    Some(words) if !words.is_empty() => Some(words),
                    _ => return error(number, format!("{}: expected a command line", quote(words))),
                };
            } else if line.starts_with('#') {
                if let Some(value) = setting(line, "mask") {
                    masks.push(value);
                    mask_lines.push(number);
                } else if let Some(value) = setting(line, "protocol") {
                    dialogue = match Dialogue::named(value) {
                        Some(dialogue) => Some(dialogue),
                        None => return error(number, format!("{}: expected gtp, ugi or lines", quote(value))),
                    };
                } else if let Some(value) = setting(line, "variant") {
                    variant = match games::parse_variant(value) {
                        Ok(variant) => Some(variant),
                        Err(why) => return error(number, format!("bad variant: {why}")),
                    };
                }
            } else if line.is_empty() {
            } else if let Some(rest) = line.strip_prefix('!') {
                let status = rest.trim().strip_prefix("exit ").map(str::trim);
                let status =
                    status.filter(|status| status.strip_prefix("signal ").unwrap_or(status).parse::<i32>().is_ok());
                let Some(status) = status else {
                    return error(number, format!("{}: expected ! exit and a number", quote(line)));
                };
                if exit.is_some() {
                    return error(number, "a second ! exit: the engine ends once");
                }
                exit = Some(Exit { line: number, status: status.to_owned() });
            } else if let Some(command) = marked(line, ">>").or_else(|| marked(line, ">")) {
                if exit.is_some() {
                    return error(number, "a command behind ! exit: the engine has ended");
                }
                let waits = marked(line, ">>").is_none();
                exchanges.push(Exchange { line: number, command: command.to_owned(), waits, expected: Vec::new() });
            } else {
                let Some(what) = expected(line).transpose().or_else(|why| error(number, why))? else {
                    let why = format!(
                        "{}: expected >, <, #, ... or ! exit at the beginning, and a space behind > or <",
                        quote(line)
                    );
                    return error(number, why);
                };
                match exchanges.last_mut() {
                    Some(exchange) if exchange.waits => {
                        exchange.expected.push(Expectation { line: number, what });
                    }
                    Some(_) => return error(number, "an answer behind >>, which waits for none"),
                    None => return error(number, "an answer before the first command"),
                }
            }
        }
        let masks = Masks::new(masks);
        let masks = masks.or_else(|(value, why)| error(mask_lines.get(value).copied().unwrap_or_default(), why))?;
        let command = command.unwrap_or_default();
        let dialogue = dialogue.or_else(|| guessed(&command, &exchanges));
        let variant = variant.or_else(|| command.iter().find_map(|word| games::parse_variant(word).ok()));
        Ok(Self { lines, command, dialogue, variant, masks, exchanges, exit, is_regression: false })
    }
}

/// Parses what stands for one or several lines of an answer; `None` if the line is nothing of the kind.
fn expected(line: &str) -> Option<Result<Expected, String>> {
    if let Some(expression) = marked(line, "<!~") {
        return Some(whole(expression).map(|regex| Expected::Whole { regex, is_matched: false }));
    }
    if let Some(expression) = marked(line, "<~") {
        return Some(whole(expression).map(|regex| Expected::Whole { regex, is_matched: true }));
    }
    if line == "..." {
        return Some(Ok(Expected::Lines));
    }
    match marked(line, "<")? {
        "..." => Some(Ok(Expected::Lines)),
        text => Some(Ok(Expected::Line(text.to_owned()))),
    }
}

/// Guesses the protocol from an answer, from a command, or from the command line.
fn guessed(command: &[String], exchanges: &[Exchange]) -> Option<Dialogue> {
    let first_line = exchanges.iter().find_map(|exchange| {
        exchange.expected.iter().find_map(|expected| match &expected.what {
            Expected::Line(text) => Some(text),
            _ => None,
        })
    });
    if first_line.is_some_and(|line| head(line).is_some()) {
        return Some(Dialogue::Gtp);
    }
    let named = command.iter().find_map(|word| {
        let word = word.rsplit('/').next().unwrap_or(word).to_lowercase();
        let has = |part: &str| word.contains(part);
        if has("gtp") || has("gogui") || has("gnugo") {
            Some(Dialogue::Gtp)
        } else {
            (has("ugi") || has("uci")).then_some(Dialogue::Ugi)
        }
    });
    let first = || {
        let word = exchanges.first()?.command.split_whitespace().next()?;
        match word {
            "ugi" | "uci" | "usi" | "isready" | "position" | "setoption" | "go" | "query" => Some(Dialogue::Ugi),
            "list_commands" | "protocol_version" | "known_command" | "boardsize" | "clear_board" | "genmove" => {
                Some(Dialogue::Gtp)
            }
            _ => None,
        }
    };
    named.or_else(first)
}

/// Returns the pattern of an expected line, masked.
pub(super) fn masked(masks: &Masks, text: &str) -> Pattern {
    Pattern::new(&masks.apply(text))
}
