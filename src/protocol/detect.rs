//! Plain `pentalith`: UGI if the first word of the first command is `ugi`, else GTP.

use std::io::{self, Write};

use super::gtp::Gtp;
use super::ugi::Ugi;
use super::{Dialect, Line, Meanwhile, Next};
use crate::session::{Event, Progress, Session};

/// A dialect that is not known before the first command.
pub enum Detect {
    /// No command has come yet. The session is there until one comes.
    Undecided(Option<Box<Session>>),
    /// It is known.
    Decided(Box<dyn Dialect>),
}

impl Detect {
    /// Speaks for a session.
    pub fn new(session: Session) -> Self {
        Self::Undecided(Some(Box::new(session)))
    }

    fn decided(&mut self) -> Option<&mut dyn Dialect> {
        match self {
            Self::Undecided(_) => None,
            Self::Decided(dialect) => Some(&mut **dialect),
        }
    }

    /// Decides by a line, unless it is blank or a comment.
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
            Some("ugi") => Box::new(Ugi::new(*session)),
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
