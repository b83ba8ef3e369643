//! The GoGui dialect: GTP with the rules extension of Rémi Coulom's GoGui, as `protocol/gogui.md` specifies it.
//!
//! Each `play`, `genmove` and `undo` is one click.

mod commands;
mod graphics;
mod live;
mod mouse;
mod points;

use std::io::{self, Write};

use crossbeam_channel::Receiver;

pub use commands::COMMANDS;

use super::gtp::{Gtp, GtpError, answer};
use super::{Dialect, Line, Meanwhile, Next};
use crate::rules::Color;
use crate::session::{Event, Progress, Session};
use live::Live;
use mouse::Mouse;

/// A command: a row of the table behind dispatch, `list_commands`, `known_command` and the documentation.
pub struct Command {
    /// Name.
    pub name: &'static str,
    /// Arguments; optional ones in square brackets.
    pub arguments: &'static str,
    /// Description, in one sentence.
    pub help: &'static str,
    run: fn(&mut Gogui, &str) -> Run,
}

/// Result of a command.
type Run = Result<Answer, GtpError>;

/// Answer to a command.
enum Answer {
    /// The text of the answer.
    Text(String),
    /// Running work will give the answer.
    Later(Receiver<Event>, Work),
}

fn text(text: impl Into<String>) -> Run {
    Ok(Answer::Text(text.into()))
}

/// Purpose of a running search.
enum Work {
    /// Find a move and answer its first click; make the click if a player is given.
    Click(Option<Color>),
    /// Draw the evaluation of the best moves.
    Graphics,
}

/// The GoGui dialect of a session: GTP with the commands that the dialect adds or replaces.
pub struct Gogui {
    gtp: Gtp,
    /// Id of the command that a running search answers, and its purpose. `gtp` keeps its own.
    asked: Option<(String, Work)>,
    /// The clicks made since the last move.
    mouse: Mouse,
    /// Output of live graphics during a search.
    live: Live,
}

impl Gogui {
    /// Creates the dialect for a session. Live graphics of a search go to `live`.
    pub fn new(session: Session, live: impl Write + Send + 'static) -> Self {
        let names: Vec<&str> = COMMANDS.iter().map(|command| command.name).collect();
        Self { gtp: Gtp::extended(session, &names), asked: None, mouse: Mouse::default(), live: Live::new(live) }
    }

    /// Answers every command that needs a game with an error.
    pub fn refusing(self, why: String) -> Self {
        Self { gtp: self.gtp.refusing(why), ..self }
    }
}

impl Dialect for Gogui {
    fn line(&mut self, line: &Line, output: &mut dyn Write) -> io::Result<Next> {
        let Some(request) = self.gtp.read(line, output)? else {
            return Ok(Next::Listen);
        };
        let mut own = COMMANDS.iter();
        let Some(command) = own.find(|command| command.name == request.name) else {
            return self.gtp.dispatch(&request, output);
        };
        let run = match self.gtp.refusal(command.name) {
            Some(refusal) => Err(refusal),
            None => (command.run)(self, request.arguments),
        };
        match run {
            Ok(Answer::Text(text)) => answer(output, request.id, &Ok(text))?,
            Ok(Answer::Later(events, work)) => {
                self.asked = Some((request.id.to_owned(), work));
                return Ok(Next::Wait(events));
            }
            Err(error) => answer(output, request.id, &Err(error))?,
        }
        Ok(Next::Listen)
    }

    fn meanwhile(&mut self, line: &Line, output: &mut dyn Write) -> io::Result<Meanwhile> {
        self.gtp.meanwhile(line, output)
    }

    fn progress(&mut self, progress: &Progress, output: &mut dyn Write) -> io::Result<()> {
        match &self.asked {
            None => self.gtp.progress(progress, output),
            Some((_, Work::Click(_))) => {
                let picture = graphics::evaluation(&self.gtp.session, progress);
                self.live.show(picture);
                Ok(())
            }
            Some((_, Work::Graphics)) => Ok(()),
        }
    }

    fn done(&mut self, done: Option<Event>, output: &mut dyn Write) -> io::Result<()> {
        let Some((id, work)) = self.asked.take() else {
            return self.gtp.done(done, output);
        };
        let result = match (done, work) {
            (Some(Event::SearchDone(found)), Work::Click(player)) => mouse::found(self, found, player),
            (Some(Event::SearchDone(found)), Work::Graphics) => {
                Ok(graphics::evaluation(&self.gtp.session, &found.progress))
            }
            _ => Err(GtpError::failed()),
        };
        answer(output, &id, &result)
    }

    fn end_of_input(&mut self, output: &mut dyn Write) -> io::Result<()> {
        self.gtp.end_of_input(output)
    }
}
