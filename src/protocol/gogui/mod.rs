//! GoGui's dialect: GTP with the rules extension of Rémi Coulom's version, in which a `play`, a `genmove` and an `undo` are
//! one click each (`protocol/gogui.md`).

mod commands;
mod graphics;
mod live;
mod mouse;

use std::io::{self, Write};

use crossbeam_channel::Receiver;

pub use commands::COMMANDS;

use super::gtp::{Gtp, GtpError, answer};
use super::{Dialect, Line, Meanwhile, Next};
use crate::rules::Color;
use crate::session::{Event, Progress, Session};
use live::Live;
use mouse::Mouse;

/// One command: a row of the table that dispatch, `list_commands`, `known_command` and the documentation share.
pub struct Command {
    /// Its name.
    pub name: &'static str,
    /// Its arguments, those in square brackets optional.
    pub arguments: &'static str,
    /// What it does, in one sentence.
    pub help: &'static str,
    run: fn(&mut Gogui, &str) -> Run,
}

/// What running a command gives.
type Run = Result<Answer, GtpError>;

/// What a command comes to.
enum Answer {
    /// The answer.
    Text(String),
    /// Work is to give the answer.
    Later(Receiver<Event>, Work),
}

fn text(text: impl Into<String>) -> Run {
    Ok(Answer::Text(text.into()))
}

/// What a running search is for.
enum Work {
    /// The first click of a move, to be made for this player if there is one.
    Click(Option<Color>),
    /// A picture of what is thought of the best moves.
    Graphics,
}

/// GoGui's dialect over a session: GTP, but for the commands that the dialect adds or changes.
pub struct Gogui {
    gtp: Gtp,
    /// The id of the command that a running search is to answer, and what it is for; GTP keeps its own.
    asked: Option<(String, Work)>,
    /// The clicks of a client that knows points only.
    mouse: Mouse,
    /// Where pictures of a running search go.
    live: Live,
}

impl Gogui {
    /// Speaks for a session. Pictures of a running search go to `live`.
    pub fn new(session: Session, live: impl Write + Send + 'static) -> Self {
        let names: Vec<&str> = COMMANDS.iter().map(|command| command.name).collect();
        Self {
            gtp: Gtp::extended(session, &names),
            asked: None,
            mouse: Mouse::default(),
            live: Live::new(live),
        }
    }

    /// Answers every command that needs a game with an error.
    pub fn refusing(self, why: String) -> Self {
        Self {
            gtp: self.gtp.refusing(why),
            ..self
        }
    }
}

impl Dialect for Gogui {
    fn line(&mut self, line: &Line, output: &mut dyn Write) -> io::Result<Next> {
        let Some(request) = self.gtp.read(line, output)? else {
            return Ok(Next::Listen);
        };
        let mut own = COMMANDS.iter();
        let Some(command) = own.find(|command| command.name == request.name) else {
            return self.gtp.obey(&request, output);
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
                let picture = graphics::thoughts(&self.gtp.session, progress);
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
            (Some(Event::Found(found)), Work::Click(player)) => mouse::found(self, found, player),
            (Some(Event::Found(found)), Work::Graphics) => {
                Ok(graphics::thoughts(&self.gtp.session, &found.progress))
            }
            _ => Err(GtpError::broke()),
        };
        answer(output, &id, &result)
    }

    fn end_of_input(&mut self, output: &mut dyn Write) -> io::Result<()> {
        self.gtp.end_of_input(output)
    }
}
