//! Records in JSON: an object a game, in lines, in an array, or one behind the other.

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::abstract_play::AbstractPlayRecord;
use super::lexer::{Lexer, Place};
use super::reader::{DamagedGame, FileGames, Reader};
use super::{GameRecord, RecordError};
use crate::files::BYTE_ORDER_MARK;
use crate::games;

/// Returns true if a text begins with a JSON object, or an array of objects: a tag or a comment begins otherwise.
pub(super) fn is_json(text: &str) -> bool {
    let begin = text.trim_start_matches(|c: char| c.is_whitespace() || c == BYTE_ORDER_MARK);
    match begin.strip_prefix('[') {
        Some(rest) => rest.trim_start().starts_with(['{', ']']),
        None => begin.starts_with('{') && !Lexer::new(text).begins_with_comment(),
    }
}

/// A part of a text that should be one object.
pub(super) struct Object<'a> {
    pub(super) text: &'a str,
    pub(super) place: Place,
    /// True if the text ends within it.
    pub(super) is_cut: bool,
}

impl Object<'_> {
    /// Returns an error by its place in the whole text.
    pub(super) fn error(&self, error: &serde_json::Error) -> RecordError {
        let why = error.to_string();
        // The place is named already.
        let why = why.rsplit_once(" at line ").map_or(why.as_str(), |(why, _)| why).to_owned();
        let place = match error.line() {
            0 => self.place,
            1 => Place { column: self.place.column + error.column().max(1) - 1, ..self.place },
            line => Place { line: self.place.line + line - 1, column: error.column() },
        };
        RecordError::new(place, why)
    }

    /// Returns an error at the beginning of the object.
    pub(super) fn fault(&self, why: String) -> RecordError {
        RecordError::new(self.place, why)
    }
}

/// The objects of a text. What is damaged in one of them does not hide the others.
pub(super) struct Objects<'a> {
    lexer: Lexer<'a>,
}

impl<'a> Objects<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { lexer: Lexer::new(text) }
    }
}

impl<'a> Iterator for Objects<'a> {
    type Item = Object<'a>;

    fn next(&mut self) -> Option<Object<'a>> {
        let is_between = |c: char| c.is_whitespace() || matches!(c, ',' | '[' | ']' | BYTE_ORDER_MARK);
        self.lexer.take_while(is_between);
        let (text, place) = (self.lexer.rest(), self.lexer.place());
        if text.is_empty() {
            return None;
        }
        let length = length(text);
        let is_cut = length.is_none() && !text.ends_with('\n');
        let text = self.lexer.take(length.unwrap_or(text.len()));
        Some(Object { text, place, is_cut })
    }
}

/// Returns the length of the object with which a text begins, or of what stands in its place; `None` if the text ends
/// within it.
fn length(text: &str) -> Option<usize> {
    if !text.starts_with('{') {
        return Some(text.find(['{', '\n']).unwrap_or(text.len()));
    }
    let (mut depth, mut in_string, mut is_escaped, mut line) = (0_usize, false, false, 0);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if std::mem::take(&mut is_escaped) => {}
            // A string ends in its line, so one that lacks its end does not take the rest of the text.
            b'\n' => (in_string, line) = (false, at + 1),
            b'"' => in_string = !in_string,
            b'\\' => is_escaped = in_string,
            _ if in_string => {}
            // A bracket that was forgotten does not take the next record either.
            b'{' if at > 0 && text.get(at..).is_some_and(|rest| begins_record(rest, at == line)) => return Some(at),
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// Returns true if a record begins here: with a header, or at the beginning of a line with the number of a game.
fn begins_record(text: &str, begins_line: bool) -> bool {
    let inside = text.get(1..).unwrap_or_default().trim_start();
    let is_number = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
    inside.starts_with("\"header\"") || begins_line && inside.strip_prefix("\"game\":").is_some_and(is_number)
}

/// The one of two forms that a record has.
#[derive(Deserialize)]
struct Form {
    header: Option<IgnoredAny>,
}

/// Returns true if an object is a record of AbstractPlay.
pub(super) fn is_abstract_play(object: &str) -> bool {
    object.contains("\"header\"") && serde_json::from_str::<Form>(object).is_ok_and(|form| form.header.is_some())
}

/// Reads the games of a text.
pub(super) fn read(text: &str, reader: &mut Reader<'_>) -> FileGames {
    let (mut games, mut damaged, mut is_cut) = (Vec::new(), Vec::new(), false);
    for object in Objects::new(text) {
        let (number, place) = ((games.len() + damaged.len()) as u64 + 1, games.len());
        let mut errors = Vec::new();
        let game = read_one(&object, number, reader, &mut errors);
        match game {
            Some(game) if errors.is_empty() => games.push(game),
            _ if object.is_cut => is_cut = true,
            partial => damaged.push(DamagedGame { number, place, errors, partial, is_cut: false }),
        }
    }
    FileGames { games, is_cut, damaged }
}

fn read_one(
    object: &Object<'_>,
    number: u64,
    reader: &mut Reader<'_>,
    errors: &mut Vec<RecordError>,
) -> Option<GameRecord> {
    let read = if is_abstract_play(object.text) {
        serde_json::from_str::<AbstractPlayRecord>(object.text)
            .map(|record| record.complete(number, object.place, reader, errors))
    } else {
        serde_json::from_str::<GameRecord>(object.text).map(Some)
    };
    let game = read.map_err(|error| errors.push(object.error(&error))).ok()??;
    if reader.options.needs_variant
        && let Err(why) = games::parse_variant(&game.variant)
    {
        errors.push(object.fault(why.to_string()));
        return None;
    }
    Some(game)
}
