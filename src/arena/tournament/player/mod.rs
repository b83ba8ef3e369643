//! Who sits at the board: a search of ours or a process, behind one trait.

mod built_in;
mod gtp;
mod ugi;

use std::time::Duration;

use crossbeam_channel::Receiver;

use super::engine::{Engine, EngineKind, TimeControl};
use crate::arena::record::{Cause, Opening, Thought};
use crate::client::Protocol;
use crate::client::connection::{ClientError, Connection};
use crate::client::transcript::Transcript;
use crate::client::ugi::UgiClient;
use crate::rules::{Color, Variant};
use crate::text::quote;

/// Why a player can't go on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failure {
    /// It has lost its game, and needs to be started again.
    Lost(Cause, String),
    /// It can't play this match at all.
    Unfit(String),
    /// There is no room for its process, which is not its fault.
    NoRoom(String),
    /// Whoever runs the match wants it to stop.
    Interrupted,
}

impl From<ClientError> for Failure {
    fn from(error: ClientError) -> Self {
        let why = error.to_string();
        match error {
            ClientError::Interrupted => Self::Interrupted,
            ClientError::NotStarted(_) => Self::Unfit(why),
            ClientError::NoRoom(_) => Self::NoRoom(why),
            ClientError::Refused { command, answer } => {
                Self::Unfit(format!("{command} is answered with {answer}"))
            }
            ClientError::Ended { .. } => Self::Lost(Cause::Crash, why),
            ClientError::Late { .. } | ClientError::Endless(_) => Self::Lost(Cause::Stall, why),
            ClientError::Malformed(_) => Self::Lost(Cause::Disagreement, why),
            ClientError::NoMove(_) => Self::Lost(Cause::IllegalMove, why),
        }
    }
}

/// What every player of a match is told before a game.
#[derive(Clone, Copy, Debug)]
pub struct Setting<'a> {
    /// The game.
    pub variant: &'a Variant,
    /// Where it begins.
    pub opening: &'a Opening,
    /// What its random numbers begin with.
    pub seed: u32,
}

/// What a player may use for its next move.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// Its limit.
    pub limit: TimeControl,
    /// What the clocks of Black and White show, and what is added after each move; a player without a clock gets
    /// its opponent's.
    pub clocks: [(Duration, Duration); 2],
    /// Without an answer within this time it has failed.
    pub within: Duration,
}

impl Budget {
    /// What a player's clock shows, and what is added after each move.
    fn clock(&self, color: Color) -> (Duration, Duration) {
        let [black, white] = self.clocks;
        match color {
            Color::Black => black,
            Color::White => white,
        }
    }
}

/// What a player does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// This move.
    Move(String),
    /// It gives up.
    Resign,
}

/// The result that a player says a finished game has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claim {
    /// Who won; `None` is a draw.
    pub winner: Option<Color>,
    /// As it was said.
    pub text: String,
}

/// A player of a match.
pub trait Player: Send {
    /// What it calls itself.
    fn version(&self) -> &str;

    /// Gets ready for a game.
    fn begin(&mut self, setting: &Setting<'_>, limit: TimeControl) -> Result<(), Failure>;

    /// Is told of a move that was played, its own ones among them.
    fn hear(&mut self, color: Color, text: &str, own: bool) -> Result<(), Failure>;

    /// Is told what it needs to know before its clock runs.
    fn prepare(&mut self, _color: Color, _budget: &Budget) -> Result<(), Failure> {
        Ok(())
    }

    /// Thinks about a move.
    fn think(&mut self, color: Color, budget: &Budget) -> Result<(Answer, Thought), Failure>;

    /// Says how a finished game ended, if it can.
    fn claim(&mut self) -> Result<Option<Claim>, Failure>;

    /// What was said in the present game; a player without a process says nothing.
    fn exchange(&self) -> Exchange {
        Exchange::default()
    }
}

/// What was said between the match and a player's process.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Exchange {
    /// The lines to it (`>`) and from it (`<`), with the time in seconds.
    pub lines: Vec<String>,
    /// The end of its standard error.
    pub errors: Vec<String>,
}

/// What players are started with.
#[derive(Clone, Debug)]
pub struct Surroundings {
    /// The game.
    pub variant: Variant,
    /// How long an answer may take that needs no thought.
    pub timeout: Duration,
    /// Waiting ends early once the other side of this is dropped.
    pub interrupt: Receiver<()>,
}

/// Brings a player to the board.
///
/// # Errors
/// Where it can't be started, does not answer, or does not take its options; with what it said.
pub fn start(
    engine: &Engine,
    around: &Surroundings,
) -> Result<Box<dyn Player>, (Failure, Exchange)> {
    match &engine.kind {
        EngineKind::BuiltIn(_) => match built_in::BuiltIn::start(engine, around) {
            Ok(player) => Ok(Box::new(player)),
            Err(failure) => Err((failure, Exchange::default())),
        },
        EngineKind::Process { protocol, command } => {
            let interrupt = around.interrupt.clone();
            let mut connection = Connection::new(command.clone(), around.timeout, interrupt);
            connection.transcript = Transcript::long();
            match connection.start() {
                Ok(_) => meet(connection, *protocol, engine, &around.variant),
                Err(error) => {
                    let error = match error {
                        ClientError::NotStarted(why) => {
                            ClientError::NotStarted(format!("{command}: {why}"))
                        }
                        ClientError::NoRoom(why) => {
                            ClientError::NoRoom(format!("{command}: {why}"))
                        }
                        error => error,
                    };
                    Err((error.into(), Exchange::default()))
                }
            }
        }
    }
}

/// Finds out what an engine speaks, where that is not known, and makes a player of it.
fn meet(
    connection: Connection,
    protocol: Option<Protocol>,
    engine: &Engine,
    variant: &Variant,
) -> Result<Box<dyn Player>, (Failure, Exchange)> {
    let unmet = |failure: Failure, exchange: Exchange| {
        // Most engines say on standard error what they miss.
        let said = exchange.errors.last().map(String::as_str);
        let said = said.or_else(|| {
            let mut lines = exchange.lines.iter().rev();
            lines.find_map(|line| line.split_once(" < ").map(|(_, said)| said))
        });
        let failure = match (failure, said) {
            (Failure::Lost(cause, why), Some(said)) => {
                Failure::Lost(cause, format!("{why}; it says {}", quote(said)))
            }
            (failure, _) => failure,
        };
        Err((failure, exchange))
    };
    let mut client = UgiClient::new(connection);
    let protocol = match protocol {
        Some(Protocol::Gtp) => Ok(Protocol::Gtp),
        Some(Protocol::Ugi) => greet(&mut client, false),
        None => greet(&mut client, true),
    };
    match protocol {
        Err(error) => unmet(error.into(), exchange(&client.connection)),
        Ok(Protocol::Ugi) => {
            let mut player = ugi::Ugi::new(client, variant);
            match player.set_up(engine, variant) {
                Ok(()) => Ok(Box::new(player)),
                Err(failure) => unmet(failure, player.exchange()),
            }
        }
        Ok(Protocol::Gtp) => {
            let mut player = gtp::Gtp::new(client.connection);
            match player.set_up(engine) {
                Ok(()) => Ok(Box::new(player)),
                Err(failure) => unmet(failure, player.exchange()),
            }
        }
    }
}

/// Greets an engine of UGI, or finds out that it speaks GTP, if it may.
fn greet(client: &mut UgiClient, may_be_gtp: bool) -> Result<Protocol, ClientError> {
    match client.greet("ugiok", |head| may_be_gtp || !head.ok)? {
        None => Ok(Protocol::Ugi),
        Some(_) if may_be_gtp => Ok(Protocol::Gtp),
        Some(line) => {
            let line = quote(&line);
            Err(ClientError::Malformed(format!(
                "\"ugi\" is answered with {line}, as engines do that speak GTP"
            )))
        }
    }
}

fn exchange(connection: &Connection) -> Exchange {
    Exchange {
        lines: connection.transcript.lines().collect(),
        errors: connection.errors(),
    }
}

/// A name that an engine gives itself, fit for a record.
fn version(words: &[&str]) -> String {
    let text = words.join(" ");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
