//! UGI: the protocol of chess engines, UCI, for any game, as cutegames speaks it (`protocol/ugi.md`).

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
use crate::rules::perft::shown;
use crate::session::{Event, Found, Progress, Session};
use crate::text::quote;

/// One command: a row of the table that dispatch and the documentation share.
pub struct Command {
    /// Its name.
    pub name: &'static str,
    /// Its arguments, those in square brackets optional.
    pub arguments: &'static str,
    /// What it does, in one sentence.
    pub help: &'static str,
    /// Whether it is answered while a search runs; others stop the search first.
    pub at_once: bool,
    run: fn(&mut Ugi, &str) -> Answer,
}

/// What a command comes to.
enum Answer {
    /// These lines; perhaps none.
    Lines(Vec<String>),
    /// Lines now, and more of them from running work.
    Later(Vec<String>, Receiver<Event>),
    /// The end.
    Quit,
}

impl Answer {
    fn nothing() -> Self {
        Self::Lines(Vec::new())
    }

    fn line(line: impl Into<String>) -> Self {
        Self::Lines(vec![line.into()])
    }

    /// Something is wrong; nothing has changed.
    fn error(why: impl std::fmt::Display) -> Self {
        Self::line(format!("info error {why}"))
    }
}

/// A history that could not be taken: what is claimed of it until the next good one.
#[derive(Clone, Copy)]
struct Void {
    /// Who made the illegal move; `None` where the position could not be read.
    loser: Option<Color>,
}

/// UGI over a session.
pub struct Ugi {
    session: Session,
    void: Option<Void>,
    /// The search that is running.
    search: Option<Search>,
    /// What an infinite search found that has ended by itself.
    held: Option<Found>,
    /// No line will come any more.
    ended: bool,
    /// Why there is no game to speak of.
    refusal: Option<String>,
}

/// A search, or a count, as it was asked for.
struct Search {
    /// Until `stop`.
    infinite: bool,
    /// Whether it has been told to end.
    stopped: bool,
    /// The depth of a count.
    perft: Option<u32>,
}

impl Ugi {
    /// Speaks for a session.
    pub fn new(session: Session) -> Self {
        Self {
            session,
            void: None,
            search: None,
            held: None,
            ended: false,
            refusal: None,
        }
    }

    /// Answers the first command with an error, and ends: an engine without a game must not seem to be ready for one.
    pub fn refusing(session: Session, why: String) -> Self {
        Self {
            refusal: Some(why),
            ..Self::new(session)
        }
    }

    /// Runs a command of the table.
    fn run(&mut self, text: &str) -> Answer {
        let (name, arguments) = split(text);
        match find(name) {
            _ if name.is_empty() => Answer::nothing(),
            Some(command) => (command.run)(self, arguments),
            None => {
                let names: Vec<&str> = COMMANDS.iter().map(|command| command.name).collect();
                let names = names.join(", ");
                Answer::line(format!(
                    "info string unknown command {}: there are {names}",
                    quote(name)
                ))
            }
        }
    }

    /// Answers a line of which only the beginning was kept.
    fn refuse_long(&mut self, name: &str, beginning: &str) -> Answer {
        let start = quote(beginning);
        let error = format!("a line may have {MAX_LINE} bytes, this one has more: {start}");
        let mut lines = vec![format!("info error {error}")];
        match name {
            "position" => self.void = Some(Void { loser: None }),
            _ => lines.extend(awaited(name).map(str::to_owned)),
        }
        Answer::Lines(lines)
    }

    /// Tells the running search to answer.
    fn stop(&mut self) {
        if let Some(search) = &mut self.search {
            search.stopped = true;
            self.session.stop();
        }
    }

    /// The last lines of a search.
    fn found(&self, found: &Found) -> Vec<String> {
        let single_steps = self.session.options().single_steps();
        let mut lines = info::lines(&found.progress, single_steps);
        lines.push(match found.steps.as_slice() {
            [first, ..] if single_steps => format!("bestmove {first}"),
            [] => "bestmove none".to_owned(),
            _ => format!("bestmove {}", found.text()),
        });
        lines
    }

    /// Answers an infinite search that has ended by itself.
    fn release(&mut self) -> Vec<String> {
        let held = self.held.take();
        held.map_or(Vec::new(), |found| self.found(&found))
    }
}

/// What a client waits for behind a command even where that can't be carried out.
fn awaited(name: &str) -> Option<&'static str> {
    match name {
        "go" => Some("bestmove none"),
        "query" => Some(commands::NO_RESPONSE),
        _ => None,
    }
}

/// The command and what stands behind it.
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
    lines
        .iter()
        .try_for_each(|line| say(output, &format!("{line}\n")))
}

impl Dialect for Ugi {
    fn line(&mut self, line: &Line, output: &mut dyn Write) -> io::Result<Next> {
        let (Line::Whole(text) | Line::TooLong(text)) = line;
        let (name, _) = split(text);
        if let Some(why) = self.refusal.as_ref().filter(|_| !name.is_empty()) {
            let error = format!("info error {why}");
            let awaited = awaited(name).map(str::to_owned);
            write(
                output,
                &[error].into_iter().chain(awaited).collect::<Vec<_>>(),
            )?;
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
        // Behind a line that waits, others wait, too: they are about what it does.
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
            (Some(Event::Found(found)), _) => {
                if search.infinite && !search.stopped && !self.ended {
                    self.held = Some(found);
                    return Ok(());
                }
                write(output, &self.found(&found))
            }
            (Some(Event::Counted { count, time }), Some(depth)) => {
                let lines = match count {
                    Some(count) => vec![
                        info::count(depth, count, time),
                        format!("nodes {}", shown(count)),
                        none,
                    ],
                    None => vec!["info error perft was stopped".to_owned(), none],
                };
                write(output, &lines)
            }
            _ => {
                let error = "info error the engine broke; the position is as before".to_owned();
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
