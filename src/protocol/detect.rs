//! Detects the protocol: UGI if the first command is `ugi`, else GTP.

use std::io::{self, Write};

use super::gtp::Gtp;
use super::ugi::Ugi;
use super::{Dialect, Line, Meanwhile, Next, say};
use crate::session::{Event, Progress, Session};

/// A dialect that the first command selects.
pub struct Detect {
    /// The selected dialect; until then, the session for it.
    dialect: Dialects,
    /// Answer to `help`, for a person.
    help: Option<&'static str>,
}

enum Dialects {
    Undecided(Option<Box<Session>>),
    Decided(Box<dyn Dialect>),
}

impl Detect {
    /// Creates an undecided dialect for a session.
    pub fn new(session: Session) -> Self {
        Self { dialect: Dialects::Undecided(Some(Box::new(session))), help: None }
    }

    /// Answers the line `help` with a text. No protocol has that command.
    pub fn helping(self, help: &'static str) -> Self {
        Self { help: Some(help), ..self }
    }

    fn decided(&mut self) -> Option<&mut dyn Dialect> {
        match &mut self.dialect {
            Dialects::Undecided(_) => None,
            Dialects::Decided(dialect) => Some(&mut **dialect),
        }
    }

    /// Selects the dialect by a line, unless the line is blank or a comment.
    fn decide(&mut self, line: &Line) {
        let Dialects::Undecided(session) = &mut self.dialect else {
            return;
        };
        let (Line::Whole(text) | Line::TooLong(text)) = line;
        let command = text.split('#').next().unwrap_or("").trim();
        if command.is_empty() {
            return;
        }
        let Some(session) = session.take() else {
            return;
        };
        self.dialect = Dialects::Decided(match command.split(' ').next() {
            // UGI says what is wrong with the other two.
            Some("ugi" | "uci" | "usi") => Box::new(Ugi::new(*session)),
            _ => Box::new(Gtp::new(*session)),
        });
    }
}

impl Dialect for Detect {
    fn line(&mut self, line: &Line, output: &mut dyn Write) -> io::Result<Next> {
        if let (Some(help), Line::Whole(text)) = (self.help, line)
            && text.trim() == "help"
        {
            say(output, help)?;
            return Ok(Next::Listen);
        }
        self.decide(line);
        match self.decided() {
            Some(dialect) => dialect.line(line, output),
            None => Ok(Next::Listen),
        }
    }

    fn meanwhile(&mut self, line: &Line, output: &mut dyn Write) -> io::Result<Meanwhile> {
        match self.decided() {
            Some(dialect) => dialect.meanwhile(line, output),
            None => Ok(Meanwhile::Later),
        }
    }

    fn progress(&mut self, progress: &Progress, output: &mut dyn Write) -> io::Result<()> {
        match self.decided() {
            Some(dialect) => dialect.progress(progress, output),
            None => Ok(()),
        }
    }

    fn done(&mut self, done: Option<Event>, output: &mut dyn Write) -> io::Result<()> {
        match self.decided() {
            Some(dialect) => dialect.done(done, output),
            None => Ok(()),
        }
    }

    fn end_of_input(&mut self, output: &mut dyn Write) -> io::Result<()> {
        match self.decided() {
            Some(dialect) => dialect.end_of_input(output),
            None => Ok(()),
        }
    }
}
