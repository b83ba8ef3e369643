//! UGI, the chess protocol UCI for any game, as cutegames speaks it and `protocol/ugi.md` specifies it.

mod commands;
mod go;
mod info;

use std::io::{self, Write};

use crossbeam_channel::Receiver;
use nom::Parser;
use nom::bytes::complete::take_till1;
use nom::character::complete::space0;
use nom::combinator::{opt, rest};

pub use commands::COMMANDS;

use super::{Dialect, Line, MAX_LINE, Meanwhile, Next, say};
use crate::notation::pieces::Expected;
use crate::rules::Color;
use crate::rules::perft::format_count;
use crate::session::{Event, Progress, SearchResult, Session};
use crate::text::quote;

/// A command: a row of the table behind dispatch and the documentation.
pub struct Command {
    /// Name.
    pub name: &'static str,
    /// Arguments; optional ones in square brackets.
    pub arguments: &'static str,
    /// Description, in one sentence.
    pub help: &'static str,
    /// True if it is answered while a search runs. Other commands stop the search first.
    pub at_once: bool,
    run: fn(&mut Ugi, &str) -> Answer,
}

/// Answer to a command.
enum Answer {
    /// Lines, possibly none.
    Lines(Vec<String>),
    /// Lines now, and more from running work.
    Later(Vec<String>, Receiver<Event>),
    /// The process ends.
    Quit,
}

impl Answer {
    fn nothing() -> Self {
        Self::Lines(Vec::new())
    }

    fn line(line: impl Into<String>) -> Self {
        Self::Lines(vec![line.into()])
    }

    /// Returns an `info error` line. The command has changed nothing.
    fn error(why: impl std::fmt::Display) -> Self {
        Self::line(format!("info error {why}"))
    }
}

/// A `position` that was refused. It determines the answers to queries until the next valid one.
#[derive(Clone, Copy)]
struct Void {
    /// The player of the illegal move; `None` if the start position can't be read.
    loser: Option<Color>,
}

/// The UGI dialect of a session.
pub struct Ugi {
    session: Session,
    void: Option<Void>,
    /// The running search.
    search: Option<Search>,
    /// Result of an infinite search that ended by itself, kept until `stop`.
    held: Option<SearchResult>,
    /// True once the input has ended.
    ended: bool,
    /// Reason why no game could be opened.
    refusal: Option<String>,
}

/// A running search or perft.
struct Search {
    /// True if only `stop` ends it.
    infinite: bool,
    /// True once it has been stopped.
    stopped: bool,
    /// Depth of a perft.
    perft: Option<u32>,
}

impl Ugi {
    /// Creates the dialect for a session.
    pub fn new(session: Session) -> Self {
        Self { session, void: None, search: None, held: None, ended: false, refusal: None }
    }

    /// Answers the first command with an error and ends: an engine without a game must not seem ready.
    pub fn refusing(session: Session, why: String) -> Self {
        Self { refusal: Some(why), ..Self::new(session) }
    }

    /// Runs a command.
    fn run(&mut self, text: &str) -> Answer {
        let (name, arguments) = split(text);
        match find(name) {
            _ if name.is_empty() => Answer::nothing(),
            Some(command) => (command.run)(self, arguments),
            None if matches!(name, "uci" | "usi") => {
                Answer::line(format!("info string {} is another protocol: expected ugi", quote(name)))
            }
            None => {
                let names: Vec<&str> = COMMANDS.iter().map(|command| command.name).collect();
                let names = names.join(", ");
                Answer::line(format!("info string unknown command {}: expected one of {names}", quote(name)))
            }
        }
    }

    /// Answers an overlong line, of which only the beginning was kept.
    fn refuse_long(&mut self, name: &str, beginning: &str) -> Answer {
        let start = quote(beginning);
        let error = format!("line too long: expected at most {MAX_LINE} bytes, found {start}");
        let mut lines = vec![format!("info error {error}")];
        match name {
            "position" => self.void = Some(Void { loser: None }),
            _ => lines.extend(awaited(name).map(str::to_owned)),
        }
        Answer::Lines(lines)
    }

    /// Stops the running search, which then answers.
    fn stop(&mut self) {
        if let Some(search) = &mut self.search {
            search.stopped = true;
            self.session.stop();
        }
    }

    /// Returns the final lines of a search.
    fn found(&self, found: &SearchResult) -> Vec<String> {
        let single_steps = self.session.options().single_steps();
        let mut lines = info::lines(&found.progress, single_steps);
        lines.push(match found.best_move.as_slice() {
            [first, ..] if single_steps => format!("bestmove {first}"),
            [] => "bestmove none".to_owned(),
            _ => format!("bestmove {}", found.text()),
        });
        lines
    }

    /// Returns the final lines of an infinite search that ended by itself.
    fn release(&mut self) -> Vec<String> {
        let held = self.held.take();
        held.map_or(Vec::new(), |found| self.found(&found))
    }
}

/// Returns the line that a client waits for even if the command fails.
fn awaited(name: &str) -> Option<&'static str> {
    match name {
        "go" => Some("bestmove none"),
        "query" => Some(commands::NO_RESPONSE),
        _ => None,
    }
}

/// Splits a line into the command and its arguments.
fn split(text: &str) -> (&str, &str) {
    let word = take_till1::<_, _, Expected<'_>>(|c: char| c == ' ');
    match (space0, opt(word), space0, rest).parse(text) {
        Ok((_, (_, name, _, arguments))) => (name.unwrap_or(""), arguments.trim_end()),
        Err(_) => ("", ""),
    }
}

fn find(name: &str) -> Option<&'static Command> {
    COMMANDS.iter().find(|command| command.name == name)
}

fn write(output: &mut dyn Write, lines: &[String]) -> io::Result<()> {
    lines.iter().try_for_each(|line| say(output, &format!("{line}\n")))
}

impl Dialect for Ugi {
    fn line(&mut self, line: &Line, output: &mut dyn Write) -> io::Result<Next> {
        let (Line::Whole(text) | Line::TooLong(text)) = line;
        let (name, _) = split(text);
        if let Some(why) = self.refusal.as_ref().filter(|_| !name.is_empty()) {
            let error = format!("info error {why}");
            let awaited = awaited(name).map(str::to_owned);
            write(output, &[error].into_iter().chain(awaited).collect::<Vec<_>>())?;
            return Ok(Next::Quit);
        }
        if find(name).is_some_and(|command| !command.at_once || command.name == "quit") {
            write(output, &self.release())?;
        }
        let answer = match line {
            Line::Whole(_) => {
                log::debug!("< {text}");
                self.run(text)
            }
            Line::TooLong(_) => {
                log::debug!("< {text}…");
                self.refuse_long(name, text)
            }
        };
        match answer {
            Answer::Lines(lines) => {
                write(output, &lines)?;
                Ok(Next::Listen)
            }
            Answer::Later(lines, events) => {
                write(output, &lines)?;
                Ok(Next::Wait(events))
            }
            Answer::Quit => Ok(Next::Quit),
        }
    }

    fn meanwhile(&mut self, line: &Line, output: &mut dyn Write) -> io::Result<Meanwhile> {
        let stopped = self.search.as_ref().is_some_and(|search| search.stopped);
        let (Line::Whole(text) | Line::TooLong(text)) = line;
        let (name, _) = split(text);
        let at_once = find(name).is_none_or(|command| command.at_once && name != "quit");
        // Lines after a postponed one depend on it: postpone them.
        if stopped || !at_once {
            self.stop();
            return Ok(Meanwhile::Later);
        }
        self.line(line, output)?;
        Ok(Meanwhile::Done)
    }

    fn progress(&mut self, progress: &Progress, output: &mut dyn Write) -> io::Result<()> {
        let single_steps = self.session.options().single_steps();
        write(output, &info::lines(progress, single_steps))
    }

    fn done(&mut self, done: Option<Event>, output: &mut dyn Write) -> io::Result<()> {
        let Some(search) = self.search.take() else {
            return Ok(());
        };
        let none = "bestmove none".to_owned();
        match (done, search.perft) {
            (Some(Event::SearchDone(found)), _) => {
                if search.infinite && !search.stopped && !self.ended {
                    self.held = Some(found);
                    return Ok(());
                }
                write(output, &self.found(&found))
            }
            (Some(Event::PerftDone { count, time }), Some(depth)) => {
                let lines = match count {
                    Some(count) => {
                        vec![info::count(depth, count, time), format!("nodes {}", format_count(count)), none]
                    }
                    None => vec!["info error perft was stopped".to_owned(), none],
                };
                write(output, &lines)
            }
            _ => {
                let error = "info error the engine failed; the position has not changed".to_owned();
                write(output, &[error, none])
            }
        }
    }

    fn end_of_input(&mut self, output: &mut dyn Write) -> io::Result<()> {
        self.ended = true;
        if self.search.as_ref().is_some_and(|search| search.infinite) {
            self.stop();
        }
        let lines = self.release();
        write(output, &lines)
    }
}
