//! Detects the protocol: UGI if the first command is `ugi`, else GTP.

use std::io::{self, Write};

use super::gtp::Gtp;
use super::ugi::Ugi;
use super::{Dialect, Line, Meanwhile, Next};
use crate::session::{Event, Progress, Session};

/// A dialect that the first command selects.
pub enum Detect {
    /// No command has come yet. Holds the session for the dialect.
    Undecided(Option<Box<Session>>),
    /// The selected dialect.
    Decided(Box<dyn Dialect>),
}

impl Detect {
    /// Creates an undecided dialect for a session.
    pub fn new(session: Session) -> Self {
        Self::Undecided(Some(Box::new(session)))
    }

    fn decided(&mut self) -> Option<&mut dyn Dialect> {
        match self {
            Self::Undecided(_) => None,
            Self::Decided(dialect) => Some(&mut **dialect),
        }
    }

    /// Selects the dialect by a line, unless the line is blank or a comment.
    fn decide(&mut self, line: &Line) {
        let Self::Undecided(session) = self else {
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
        *self = Self::Decided(match command.split(' ').next() {
            // UGI says what is wrong with the other two.
            Some("ugi" | "uci" | "usi") => Box::new(Ugi::new(*session)),
            _ => Box::new(Gtp::new(*session)),
        });
    }
}

impl Dialect for Detect {
    fn line(&mut self, line: &Line, output: &mut dyn Write) -> io::Result<Next> {
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
