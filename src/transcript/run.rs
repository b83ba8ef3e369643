//! Holds the dialogue of a transcript with an engine and compares the answers.

use std::ffi::OsString;
use std::ops::Range;
use std::process::ExitStatus;
use std::time::Duration;

use crossbeam_channel::Receiver;

use super::align::{Edit, Fit, align, is_same};
use super::conversation::Conversation;
use super::parse::masked;
use super::pattern::{Pattern, Piece, escape};
use super::referee::Referee;
use super::{Exchange, Expected, Transcript};
use crate::client::Command;
use crate::client::connection::{ClientError, Connection, time};
use crate::client::output::first_word;

/// Number of commands shown before one whose answer differs.
const CONTEXT: usize = 2;

/// Stands for the arguments of the transcript's own command line in another command line.
const ARGUMENTS: &str = "{args}";

/// Stands for the variant of the transcript in another command line.
const VARIANT: &str = "{variant}";

/// Settings of a run.
#[derive(Clone)]
pub struct RunSettings {
    /// Command line to use instead of those of the transcripts. `{args}` stands for the arguments of the transcript's
    /// own, and `{variant}` for its variant.
    pub engine: Option<Vec<OsString>>,
    /// Time limit of each answer.
    pub timeout: Duration,
    /// Closing this channel interrupts the run.
    pub interrupt: Receiver<()>,
}

/// A line of a difference.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// `-` for a line that is missing, `+` for one that came instead, a space for one that is as expected.
    pub mark: char,
    /// The line.
    pub text: String,
}

impl Row {
    fn new(mark: char, text: impl Into<String>) -> Self {
        Self { mark, text: text.into() }
    }
}

/// An answer that is not as expected.
#[derive(Clone, Debug)]
pub struct Difference {
    /// Number of the line of the command, from 1.
    pub line: usize,
    /// The command.
    pub command: String,
    /// The commands before it, with their answers.
    pub context: Vec<(String, Vec<String>)>,
    /// The expected answer against the one that came.
    pub rows: Vec<Row>,
    /// Further explanation.
    pub note: Option<String>,
    /// The lines of the file that [`accept`] replaces, and what by.
    replaced: Range<usize>,
    new_lines: Vec<String>,
}

/// Kinds of failures.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FailureKind {
    /// The file is no transcript, or the engine can't be started.
    Unusable,
    /// The engine ended.
    Crashed,
    /// An answer did not come in time.
    TimedOut,
    /// The user interrupted the run.
    Interrupted,
}

/// The reason why a dialogue came to no end.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Kind.
    pub kind: FailureKind,
    /// Number of the line in the transcript, from 1; 0 if it has none.
    pub line: usize,
    /// The last command, if there was one.
    pub command: Option<String>,
    /// Description of the event.
    pub what: String,
    /// The lines of the incomplete answer.
    pub answer: Vec<String>,
    /// The last lines of standard error.
    pub errors: Vec<String>,
}

impl Failure {
    /// Creates a failure that has nothing to do with a command.
    pub fn unusable(line: usize, what: impl Into<String>) -> Self {
        let kind = FailureKind::Unusable;
        Self { kind, line, command: None, what: what.into(), answer: Vec::new(), errors: Vec::new() }
    }

    fn new(exchange: &Exchange, error: &ClientError, connection: &Connection) -> Self {
        let kind = match error {
            ClientError::NotStarted(_) | ClientError::NoRoom(_) => FailureKind::Unusable,
            ClientError::Interrupted => FailureKind::Interrupted,
            ClientError::Late { .. } | ClientError::Endless(_) => FailureKind::TimedOut,
            _ => FailureKind::Crashed,
        };
        Self {
            kind,
            line: exchange.line + 1,
            command: Some(exchange.command.clone()),
            what: error.to_string(),
            answer: Vec::new(),
            errors: connection.errors(),
        }
    }
}

/// Result of a transcript.
#[derive(Clone, Default, Debug)]
pub struct FileReport {
    /// Number of commands that were answered.
    pub commands: usize,
    /// Answers that differ.
    pub differences: Vec<Difference>,
    /// The reason why the dialogue broke off, if it did.
    pub failure: Option<Failure>,
}

impl FileReport {
    /// Creates the report of a transcript that can't be run.
    pub fn failed(failure: Failure) -> Self {
        Self { failure: Some(failure), ..Self::default() }
    }

    /// Returns true if all answers are as expected.
    pub fn is_same(&self) -> bool {
        self.differences.is_empty() && self.failure.is_none()
    }

    /// Returns the exit status: 0 same, 1 different, 2 unusable, 3 a crash or a time-out, 130 interrupted.
    pub fn status(&self) -> u8 {
        match &self.failure {
            None => u8::from(!self.differences.is_empty()),
            Some(failure) => match failure.kind {
                FailureKind::Unusable => 2,
                FailureKind::Crashed | FailureKind::TimedOut => 3,
                FailureKind::Interrupted => 130,
            },
        }
    }
}

/// Returns the command line to start.
fn engine(transcript: &Transcript, settings: &RunSettings) -> Result<Vec<OsString>, Failure> {
    let own = || transcript.command.iter().map(OsString::from);
    let Some(words) = &settings.engine else {
        return if transcript.command.is_empty() {
            let why = "no command line: expected $ COMMAND in the first line, or a command behind --";
            Err(Failure::unusable(1, why))
        } else {
            Ok(own().collect())
        };
    };
    let mut engine = Vec::new();
    for word in words {
        match word.to_str() {
            Some(ARGUMENTS) => engine.extend(own().skip(1)),
            Some(word) if word.contains(VARIANT) => match &transcript.variant {
                Some(variant) => engine.push(word.replace(VARIANT, &variant.to_string()).into()),
                None => {
                    let why = "{variant} can't be replaced: expected a line # variant: and its name";
                    return Err(Failure::unusable(1, why));
                }
            },
            _ => engine.push(word.clone()),
        }
    }
    Ok(engine)
}

/// Runs a transcript: sends its commands one by one and compares every answer.
pub fn run(transcript: &Transcript, settings: &RunSettings) -> FileReport {
    let engine = match engine(transcript, settings) {
        Ok(engine) => engine,
        Err(failure) => return FileReport::failed(failure),
    };
    let Some(dialogue) = transcript.dialogue else {
        let why = "the protocol is not known: expected a line # protocol: gtp, ugi or lines";
        return FileReport::failed(Failure::unusable(1, why));
    };
    let connection = Connection::new(Command::new(engine), settings.timeout, settings.interrupt.clone());
    let mut run = Run {
        transcript,
        conversation: Conversation::new(connection, dialogue),
        referee: Referee::new(dialogue, transcript.variant.as_ref()),
        history: Vec::new(),
        report: FileReport::default(),
    };
    run.report.failure = run.exchanges().and_then(|()| run.exit()).err();
    run.report
}

struct Run<'a> {
    transcript: &'a Transcript,
    conversation: Conversation,
    referee: Referee,
    /// Commands and their answers.
    history: Vec<(String, Vec<String>)>,
    report: FileReport,
}

impl Run<'_> {
    fn exchanges(&mut self) -> Result<(), Failure> {
        let transcript = self.transcript;
        for (number, exchange) in transcript.exchanges.iter().enumerate() {
            let is_last = number + 1 == transcript.exchanges.len();
            let least = exchange.expected.iter().filter(|expected| matches!(expected.what, Expected::Line(_))).count();
            let answer = match self.conversation.exchange(&exchange.command, exchange.waits, least) {
                Ok(answer) => answer,
                // It is expected to end here.
                Err(broken)
                    if is_last && transcript.exit.is_some() && matches!(broken.error, ClientError::Ended { .. }) =>
                {
                    broken.lines
                }
                Err(broken) => {
                    let failure = Failure::new(exchange, &broken.error, &self.conversation.connection);
                    return Err(Failure { answer: broken.lines, ..failure });
                }
            };
            self.report.commands += 1;
            if exchange.waits
                && let Some(difference) = self.compare(exchange, &answer)
            {
                self.report.differences.push(difference);
            }
            self.referee.follow(&exchange.command, &answer);
            self.history.push((exchange.command.clone(), answer));
        }
        Ok(())
    }

    /// Compares the exit status, if one is expected.
    fn exit(&mut self) -> Result<(), Failure> {
        let (Some(exit), Some(last)) = (&self.transcript.exit, self.transcript.exchanges.last()) else {
            return Ok(());
        };
        let connection = &mut self.conversation.connection;
        let ended = connection.close_input().and_then(|()| connection.end());
        let (lines, status, took) = ended.map_err(|error| Failure::new(last, &error, connection))?;
        let Some(status) = status else {
            let what = format!("still running {} after the end of its input", time(took));
            let errors = connection.errors();
            let kind = FailureKind::TimedOut;
            let command = Some(last.command.clone());
            return Err(Failure { kind, line: exit.line + 1, command, what, answer: lines, errors });
        };
        let status = exit_text(status);
        let surplus = lines.iter().any(|line| !line.trim().is_empty());
        if status != exit.status || surplus {
            let mut rows: Vec<Row> = lines.iter().map(|line| Row::new('+', format!("< {line}"))).collect();
            if status == exit.status {
                rows.push(Row::new(' ', format!("! exit {status}")));
            } else {
                rows.extend([
                    Row::new('-', format!("! exit {}", exit.status)),
                    Row::new('+', format!("! exit {status}")),
                ]);
            }
            let new_lines = vec![format!("! exit {status}")];
            self.report.differences.push(Difference {
                line: exit.line + 1,
                command: "(the end)".to_owned(),
                context: self.context(),
                rows,
                note: None,
                replaced: exit.line..exit.line + 1,
                new_lines,
            });
        }
        Ok(())
    }

    fn context(&self) -> Vec<(String, Vec<String>)> {
        let first = self.history.len().saturating_sub(CONTEXT);
        self.history.iter().skip(first).cloned().collect()
    }

    fn compare(&mut self, exchange: &Exchange, answer: &[String]) -> Option<Difference> {
        let comparison = Comparison::new(self.transcript, exchange, answer, &mut self.referee);
        if comparison.is_same() {
            return None;
        }
        let uses_rules = comparison.patterns.iter().flatten().any(|pattern| pattern.pieces().contains(&Piece::Legal));
        let last = exchange.expected.last().map_or(exchange.line, |expected| expected.line);
        Some(Difference {
            line: exchange.line + 1,
            command: exchange.command.clone(),
            context: self.context(),
            rows: comparison.rows(),
            replaced: exchange.line + 1..last + 1,
            new_lines: comparison.new_lines(&mut self.referee),
            note: self.referee.trouble().filter(|_| uses_rules).map(str::to_owned),
        })
    }
}

/// Returns an exit status as a transcript has it.
pub(super) fn exit_text(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return format!("signal {signal}");
    }
    status.code().map_or_else(|| "signal 0".to_owned(), |code| code.to_string())
}

/// An answer next to what is expected of it.
struct Comparison<'a> {
    transcript: &'a Transcript,
    exchange: &'a Exchange,
    answer: &'a [String],
    /// The expected lines and wildcards, with their places in the file.
    expected: Vec<(usize, &'a str)>,
    /// Their patterns; `None` for wildcards that take any number of lines.
    patterns: Vec<Option<Pattern>>,
    edits: Vec<Edit>,
    /// Lines of the file with regular expressions that the answer does not fulfil.
    unfulfilled: Vec<usize>,
}

impl<'a> Comparison<'a> {
    fn new(transcript: &'a Transcript, exchange: &'a Exchange, answer: &'a [String], referee: &mut Referee) -> Self {
        let mut expected = Vec::new();
        let mut patterns = Vec::new();
        let mut unfulfilled = Vec::new();
        let whole: Vec<&str> = answer.iter().map(|line| line.trim_end()).collect();
        let whole = whole.join("\n");
        for item in &exchange.expected {
            match &item.what {
                Expected::Line(text) => {
                    expected.push((item.line, text.as_str()));
                    patterns.push(Some(masked(&transcript.masks, text)));
                }
                Expected::Lines => {
                    expected.push((item.line, "..."));
                    patterns.push(None);
                }
                Expected::Whole { regex, is_matched } => {
                    if regex.is_match(&whole) != *is_matched {
                        unfulfilled.push(item.line);
                    }
                }
            }
        }
        // Regular expressions stand for the lines.
        let compares = !expected.is_empty() || exchange.expected.is_empty();
        let compared = if compares { answer.len() } else { 0 };
        let pattern = |number: usize| patterns.get(number).and_then(Option::as_ref);
        let fit = |number: usize, line: usize| match (pattern(number), answer.get(line)) {
            (Some(pattern), Some(line)) if pattern.matches(line, &mut |text| referee.is_legal(text)) => Fit::Same,
            (Some(pattern), Some(line)) if is_similar(pattern, line) => Fit::Similar,
            _ => Fit::Different,
        };
        let edits = align(expected.len(), compared, |number| pattern(number).is_none(), fit);
        Self { transcript, exchange, answer, expected, patterns, edits, unfulfilled }
    }

    fn is_same(&self) -> bool {
        is_same(&self.edits) && self.unfulfilled.is_empty()
    }

    fn text(&self, number: usize) -> String {
        written(self.expected.get(number).map_or("", |(_, text)| text))
    }

    fn came(&self, line: usize) -> &str {
        self.answer.get(line).map_or("", String::as_str)
    }

    fn rows(&self) -> Vec<Row> {
        let mut rows = Vec::new();
        let mut changed = Vec::new();
        for edit in &self.edits {
            if !matches!(edit, Edit::Changed(..)) {
                rows.append(&mut changed);
            }
            match *edit {
                Edit::Same(_, line) => rows.push(Row::new(' ', written(self.came(line)))),
                Edit::Changed(number, line) => {
                    rows.push(Row::new('-', self.text(number)));
                    changed.push(Row::new('+', written(self.came(line))));
                }
                Edit::Missing(number) => rows.push(Row::new('-', self.text(number))),
                Edit::Surplus(line) => rows.push(Row::new('+', written(self.came(line)))),
                Edit::Taken(_) => {}
                Edit::Wildcard(number) => rows.push(Row::new(' ', self.text(number))),
            }
        }
        rows.append(&mut changed);
        let lines = self.unfulfilled.iter().filter_map(|&line| self.transcript.lines.get(line));
        rows.extend(lines.map(|line| Row::new('-', line)));
        if self.edits.is_empty() {
            rows.extend(self.answer.iter().map(|line| Row::new('+', written(line))));
        }
        rows
    }

    /// Returns the lines of the file behind the command that hold for the answer that came. Comments stay.
    fn new_lines(&self, referee: &mut Referee) -> Vec<String> {
        let expectations = &self.exchange.expected;
        let end = expectations.last().map_or(self.exchange.line, |expected| expected.line) + 1;
        let mut at = self.exchange.line + 1;
        let mut lines = Vec::new();
        let places: Vec<usize> = self.expected.iter().map(|(line, _)| *line).collect();
        let others = |range: Range<usize>| {
            let kept = range.filter(|line| !self.unfulfilled.contains(line) && !places.contains(line));
            kept.filter_map(|line| self.transcript.lines.get(line).cloned()).collect::<Vec<_>>()
        };
        for edit in &self.edits {
            if let Edit::Same(number, _) | Edit::Changed(number, _) | Edit::Missing(number) | Edit::Wildcard(number) =
                *edit
                && let Some(&place) = places.get(number)
            {
                lines.extend(others(at..place));
                at = place + 1;
            }
            match *edit {
                Edit::Same(number, _) | Edit::Wildcard(number) => lines.push(self.text(number)),
                Edit::Changed(number, line) => lines.push(self.changed(number, line, referee)),
                Edit::Surplus(line) => lines.push(self.recorded(line)),
                Edit::Missing(_) | Edit::Taken(_) => {}
            }
        }
        lines.extend(others(at..end));
        if self.edits.is_empty() {
            lines.extend((0..self.answer.len()).map(|line| self.recorded(line)));
        }
        lines
    }

    fn recorded(&self, line: usize) -> String {
        written(&self.transcript.masks.apply(&escape(self.came(line).trim_end())))
    }

    /// Returns the pattern of a line that replaces an expected one. Wildcards whose places are the same stay.
    fn changed(&self, number: usize, line: usize, referee: &mut Referee) -> String {
        let came = self.came(line);
        let Some(Some(pattern)) = self.patterns.get(number) else {
            return self.recorded(line);
        };
        if pattern.is_plain() || !is_similar(pattern, came) {
            return self.recorded(line);
        }
        let merged = merge(pattern, came, &mut |text| referee.is_legal(text));
        let merged = self.transcript.masks.apply(&merged);
        if Pattern::new(&merged).matches(came, &mut |_| true) { written(&merged) } else { self.recorded(line) }
    }
}

/// Returns true if a line is of the same kind as the expected one.
fn is_similar(pattern: &Pattern, line: &str) -> bool {
    let first = pattern.first_word();
    !first.is_empty() && first == first_word(line)
}

/// Returns a line of an answer as the file has it.
fn written(line: &str) -> String {
    format!("< {line}").trim_end().to_owned()
}

/// Writes a new line with those wildcards of a pattern that fit it word by word.
fn merge(pattern: &Pattern, line: &str, is_legal: &mut dyn FnMut(&str) -> bool) -> String {
    let words = pattern.words();
    let came: Vec<&str> = line.trim_end().split(' ').collect();
    let word = |number: usize| words.get(number);
    let text = |number: usize| came.get(number).copied().unwrap_or_default();
    let edits = align(
        words.len(),
        came.len(),
        |number| word(number).is_some_and(|word| word.pieces() == [Piece::Any]),
        |number, at| match word(number) {
            Some(word) if word.matches(text(at), is_legal) => Fit::Same,
            _ => Fit::Different,
        },
    );
    let merged = edits.iter().filter_map(|edit| match *edit {
        Edit::Same(number, _) | Edit::Wildcard(number) => word(number).map(Pattern::write),
        Edit::Changed(number, at) => Some(match word(number).map(Pattern::pieces) {
            Some([Piece::OneOf(texts)]) => Pattern::one_of(texts.iter().cloned().chain([text(at).to_owned()])).write(),
            _ => escape(text(at)),
        }),
        Edit::Surplus(at) => Some(escape(text(at))),
        Edit::Missing(_) | Edit::Taken(_) => None,
    });
    merged.collect::<Vec<_>>().join(" ")
}

/// Returns the text of a transcript with new answers in place of those differences that `is_accepted` picks.
pub fn accept(transcript: &Transcript, report: &FileReport, is_accepted: impl Fn(usize) -> bool) -> String {
    let mut text = String::new();
    let mut at = 0;
    let mut push = |lines: &mut dyn Iterator<Item = &String>| {
        for line in lines {
            text.push_str(line);
            text.push('\n');
        }
    };
    for (number, difference) in report.differences.iter().enumerate() {
        if !is_accepted(number) {
            continue;
        }
        let Range { start, end } = difference.replaced;
        push(&mut transcript.lines.iter().take(start).skip(at));
        push(&mut difference.new_lines.iter());
        at = end;
    }
    push(&mut transcript.lines.iter().skip(at));
    text
}
