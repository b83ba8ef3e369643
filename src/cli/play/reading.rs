//! Reads moves as people type them.
//!
//! Commas or blanks stand between steps. Blanks, dashes, colons and crosses may stand within a step, as in `e2 - e4`.
//! The value of a die to set may be left out, or stand before its cell without `@`. A word may say what the step does,
//! as in `place c4`.

use super::game::Game;
use crate::board::column_letter;
use crate::notation::form;
use crate::rules::{Color, StepError};
use crate::session::{PlayError, Session};
use crate::text::{ParseError, list};

/// Maximum number of steps that are tried for one line: words may be joined in many ways.
const MAX_TRIALS: usize = 2000;

/// Maximum number of words of a step, as in `move e2 to e4`.
const MAX_WORDS: usize = 4;

/// Maximum number of forms of steps that are shown as examples.
const MAX_EXAMPLES: usize = 6;

/// Words that stand between the two parts of a step.
const BETWEEN: [&str; 6] = ["x", "×", "to", "on", "at", "@"];

/// Signs that may stand between the two parts of a step, also several of them, as in `e2->e4`.
const SIGNS: &str = "-–—−>→⇒:=/.~";

/// A word of a line.
struct Word<'a> {
    text: &'a str,
    /// Its first character in the line, from 1.
    column: usize,
    /// True if a comma stands before it.
    follows_comma: bool,
}

/// A step as it may be meant.
struct Reading {
    text: String,
    /// Number of words that it takes.
    words: usize,
    /// True if it has a value that was not typed.
    is_completed: bool,
}

/// Error at a place where no reading goes on.
struct Wrong {
    /// Number of words that could be read before it.
    read: usize,
    /// Weight of the error: of two at the same place, the one with the greater weight is told.
    weight: u8,
    error: PlayError,
}

impl Game<'_> {
    /// Reads a move, or a part of one, for the side to move. Returns its steps as the notation writes them.
    ///
    /// # Errors
    /// Names the first step that can't be read or played. Syntax errors quote the line as it was typed.
    pub(super) fn read(&mut self, typed: &str) -> Result<String, PlayError> {
        if self.session().outcome().is_some() {
            return Err(PlayError::Over);
        }
        self.set_scratch(&self.session().position());
        let mut reader = Reader {
            side: self.aside.side(),
            session: &mut self.aside,
            typed,
            words: split(typed),
            steps: Vec::new(),
            trials: 0,
            wrong: None,
        };
        match (reader.read(0), reader.wrong) {
            (true, _) if !reader.steps.is_empty() => Ok(reader.steps.join(",")),
            (false, Some(wrong)) => Err(wrong.error),
            _ => Err(PlayError::Step(StepError::Syntax(ParseError {
                input: typed.to_owned(),
                column: 1,
                expected: offered(self.session(), typed),
            }))),
        }
    }
}

/// Splits a line into words.
fn split(typed: &str) -> Vec<Word<'_>> {
    let mut words: Vec<Word<'_>> = Vec::new();
    let mut begin: Option<(usize, usize)> = None;
    let mut follows_comma = false;
    let ends = std::iter::once((typed.len(), ','));
    for (column, (at, letter)) in (1..).zip(typed.char_indices().chain(ends)) {
        if !matches!(letter, ',' | ' ' | '\t') {
            begin.get_or_insert((at, column));
            continue;
        }
        if let Some((start, column)) = begin.take() {
            words.push(Word { text: typed.get(start..at).unwrap_or_default(), column, follows_comma });
            follows_comma = false;
        }
        follows_comma |= letter == ',';
    }
    words
}

/// Reads the words of a line.
struct Reader<'a> {
    /// The position after the steps that have been read.
    session: &'a mut Session,
    side: Color,
    typed: &'a str,
    words: Vec<Word<'a>>,
    steps: Vec<String>,
    trials: usize,
    wrong: Option<Wrong>,
}

impl Reader<'_> {
    /// Reads the words from one on. Returns true if all of them are legal steps.
    fn read(&mut self, from: usize) -> bool {
        let Some(word) = self.words.get(from) else {
            return true;
        };
        let is_complete = self.session.side() != self.side || self.session.outcome().is_some();
        if from > 0 && is_complete {
            let error = PlayError::AfterMove { step: word.text.to_owned(), mover: self.side };
            self.blame(from, 1, error);
            return false;
        }
        for reading in self.readings(from) {
            self.trials += 1;
            if self.trials > MAX_TRIALS {
                return false;
            }
            match self.session.play(self.side, &reading.text, false) {
                Ok(()) => {
                    let step = self.session.last_play();
                    self.steps.push(step.unwrap_or(reading.text));
                    if self.read(from + reading.words) {
                        return true;
                    }
                    self.steps.pop();
                    self.session.undo();
                }
                Err(error) => self.weigh(from, &reading, error),
            }
        }
        false
    }

    /// Returns the steps that may begin with a word, the likeliest first.
    fn readings(&self, from: usize) -> Vec<Reading> {
        let rest = self.words.get(from..).unwrap_or_default();
        let end = rest.iter().skip(1).position(|word| word.follows_comma);
        let rest = rest.get(..end.map_or(rest.len(), |end| end + 1));
        let words: Vec<&str> = rest.unwrap_or_default().iter().map(|word| word.text).take(MAX_WORDS).collect();
        let picture = self.session.picture();
        let value = picture.value_to_set;
        let mut squares = picture.ranks.iter().flatten().flatten();
        let is_choice = squares.any(|square| square.is_pending);
        let mut readings = Vec::new();
        let mut add = |text: &str, words: usize, fits: &dyn Fn(&str) -> bool| {
            for (text, is_completed) in spellings(text, value) {
                if fits(&form(&text)) {
                    readings.push(Reading { text, words, is_completed });
                }
            }
        };
        if let [verb, others @ ..] = words.as_slice()
            && let Some(verb) = Verb::of(verb)
        {
            for count in (1..=others.len().min(3)).rev() {
                let object: Vec<&str> = others.iter().take(count).copied().collect();
                let object = join(&object);
                let prefix = match verb {
                    Verb::Remove => "x",
                    Verb::Return => "-",
                    Verb::Place | Verb::Invert | Verb::Move => "",
                };
                add(&format!("{prefix}{object}"), count + 1, &|form| match verb {
                    Verb::Place => !is_choice && matches!(form, "#" | "9@#"),
                    Verb::Invert => is_choice && form == "#",
                    Verb::Move => form == "##",
                    Verb::Remove => form == "x#",
                    Verb::Return => form == "-#",
                });
            }
        }
        let any = |_: &str| true;
        if let [first, between, last, ..] = words.as_slice()
            && is_between(between)
        {
            add(&join(&[*first, *last]), 3, &any);
        }
        if let [first, ..] = words.as_slice() {
            add(first, 1, &any);
        }
        if let [first, second, ..] = words.as_slice() {
            add(&format!("{first}{second}"), 2, &any);
        }
        readings
    }

    /// Notes an error of a reading.
    fn weigh(&mut self, from: usize, reading: &Reading, error: PlayError) {
        let Some(word) = self.words.get(from) else {
            return;
        };
        match error {
            PlayError::Step(StepError::Syntax(error)) if reading.text == word.text => {
                // A cell is no step, but nothing in it is wrong.
                let is_cell = form(word.text) == "#" && error.column > word.text.chars().count();
                let (column, expected) = match error.column {
                    1 => (1, offered(self.session, word.text)),
                    _ if is_cell => (1, offered(self.session, word.text)),
                    column => (column, error.expected),
                };
                let error = ParseError { input: self.typed.to_owned(), column: word.column + column - 1, expected };
                self.blame(from, 0, StepError::Syntax(error).into());
            }
            // It was not typed like this.
            PlayError::Step(StepError::Syntax(_)) => {}
            // What must be there first is said by the step that was typed, and not by a guess.
            error if reading.is_completed => self.blame(from, 2, error),
            error => self.blame(from, 3, error),
        }
    }

    /// Keeps the error that says the most: the one that comes after the most words.
    fn blame(&mut self, read: usize, weight: u8, error: PlayError) {
        let is_more = |known: &Wrong| match self.words.len() {
            // Two cells with a blank between may be one step.
            2 => (weight, read) > (known.weight, known.read),
            _ => (read, weight) > (known.read, known.weight),
        };
        if self.wrong.as_ref().is_none_or(is_more) {
            self.wrong = Some(Wrong { read, weight, error });
        }
    }
}

/// A word that says what a step does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Verb {
    Place,
    Invert,
    Move,
    Remove,
    Return,
}

impl Verb {
    fn of(word: &str) -> Option<Self> {
        Some(match word.to_lowercase().as_str() {
            "place" | "put" | "set" => Self::Place,
            "invert" => Self::Invert,
            "move" => Self::Move,
            "remove" => Self::Remove,
            "return" => Self::Return,
            _ => return None,
        })
    }
}

/// Returns true for a word that says what a step does, as in `place c4`.
pub(super) fn says_what(word: &str) -> bool {
    Verb::of(word).is_some()
}

/// Joins the words of a step, without those that stand between its parts.
fn join(words: &[&str]) -> String {
    words.iter().filter(|word| !is_between(word)).copied().collect()
}

/// Returns true for a word that stands between the two parts of a step.
fn is_between(word: &str) -> bool {
    BETWEEN.contains(&word.to_lowercase().as_str()) || !word.is_empty() && word.chars().all(|c| SIGNS.contains(c))
}

/// Returns the ways to spell a step in the notation, each with true if it has a value that was not typed.
///
/// `value` is that of the die to set.
fn spellings(text: &str, value: Option<u8>) -> Vec<(String, bool)> {
    let mut all = vec![(text.to_owned(), false)];
    let plain = without_signs(text);
    if plain != text {
        all.push((plain.clone(), false));
    }
    match (form(&plain).as_str(), value) {
        ("9#", _) => {
            let cell = plain.trim_start_matches(|c: char| c.is_ascii_digit());
            let pips = plain.strip_suffix(cell).unwrap_or_default();
            all.push((format!("{pips}@{cell}"), false));
        }
        ("#", Some(value)) => all.push((format!("{value}@{plain}"), true)),
        _ => {}
    }
    all
}

/// Leaves out what stands between two cells, as in `e2-e4`, `e2:e4` and `e2xe4`, or after a value, as in `6-c2`.
fn without_signs(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let after_signs = rest.trim_start_matches(|c| SIGNS.contains(c));
        // A column is called x, too: only one cross stands between two cells.
        let after_cross = rest.strip_prefix(['x', 'X', '×']).filter(|_| after_signs.len() == rest.len());
        let after = after_cross.unwrap_or(after_signs);
        let is_between = kept.ends_with(|c: char| c.is_ascii_digit())
            && after.len() < rest.len()
            && after.starts_with(|c: char| c.is_ascii_alphabetic());
        if is_between {
            rest = after;
        } else {
            kept.push(letter);
            rest = rest.get(letter.len_utf8()..).unwrap_or_default();
        }
    }
    kept
}

/// Returns an example of each form of the legal steps.
pub(super) fn examples(session: &Session) -> Vec<String> {
    let mut forms: Vec<String> = Vec::new();
    let mut examples = Vec::new();
    for step in session.legal() {
        let form = form(&step);
        if !forms.contains(&form) {
            forms.push(form);
            examples.push(step);
        }
    }
    examples
}

/// Describes the step that is expected, with examples of legal ones.
pub(super) fn expected_step(session: &Session) -> String {
    let mut examples = examples(session);
    let is_placement = examples.iter().all(|step| form(step) == "#");
    examples.truncate(MAX_EXAMPLES);
    let required = session.required_step();
    let required = required.unwrap_or_else(|| {
        if is_placement { format!("place a {}", session.board().equipment().noun()) } else { "a step".to_owned() }
    });
    format!("{required}, such as {}", list(&examples, "or"))
}

/// Describes what may stand where a word can't be read from its first letter on.
fn offered(session: &Session, word: &str) -> String {
    let columns = session.picture().ranks.first().map_or(0, Vec::len);
    let columns = u8::try_from(columns).unwrap_or(u8::MAX);
    let first = word.chars().next().unwrap_or_default();
    let is_on_board = (0..columns).any(|x| column_letter(x) == first.to_ascii_lowercase());
    if form(word).starts_with('#') && !is_on_board {
        let last = column_letter(columns.saturating_sub(1));
        let without = if columns > 8 { ", without i" } else { "" };
        return format!("a column from a to {last}{without}");
    }
    match session.legal().as_slice() {
        [only] => format!("{only}, the only step"),
        _ => {
            let mut examples = examples(session);
            examples.truncate(MAX_EXAMPLES);
            let examples = list(&examples, "or");
            match session.required_step() {
                Some(required) => format!("{required}, such as {examples}"),
                None => format!("a step such as {examples}"),
            }
        }
    }
}
