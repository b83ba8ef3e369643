//! Players of a match: a built-in search or a process, behind one trait.

mod built_in;
mod gtp;
mod ugi;

use std::time::Duration;

use crossbeam_channel::{Receiver, Sender};

use super::engine::{Engine, EngineKind, TimeControl};
use crate::client::Protocol;
use crate::client::connection::{ClientError, Connection};
use crate::client::transcript::Transcript;
use crate::client::ugi::UgiClient;
use crate::record::{Cause, Opening, SearchInformation};
use crate::rules::{Color, Variant};
use crate::text::quote;

/// Reason why a player can't go on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failure {
    /// It loses its game, and must be started again.
    Lost(Cause, String),
    /// It can't play this match at all.
    Unfit(String),
    /// The system has no room for its process, which is not its fault.
    NoRoom(String),
    /// The user interrupted the match.
    Interrupted,
    /// Its game can't be judged: this program did not run for this time.
    Paused(Duration),
}

impl From<ClientError> for Failure {
    fn from(error: ClientError) -> Self {
        let why = error.to_string();
        match error {
            ClientError::Interrupted => Self::Interrupted,
            ClientError::NotStarted(_) => Self::Unfit(why),
            ClientError::NoRoom(_) => Self::NoRoom(why),
            ClientError::Refused { command, answer } => Self::Unfit(format!("{command} is answered with {answer}")),
            ClientError::Ended { .. } => Self::Lost(Cause::Crash, why),
            ClientError::Late { .. } | ClientError::Endless(_) => Self::Lost(Cause::Stall, why),
            ClientError::Malformed(_) => Self::Lost(Cause::Disagreement, why),
            ClientError::NoMove(_) => Self::Lost(Cause::IllegalMove, why),
        }
    }
}

/// Parameters of a game, for all players.
#[derive(Clone, Copy, Debug)]
pub struct Setting<'a> {
    /// Variant.
    pub variant: &'a Variant,
    /// Opening.
    pub opening: &'a Opening,
    /// Seed of the random numbers.
    pub seed: u32,
}

/// Limits of the next move.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// Time control of the player.
    pub limit: TimeControl,
    /// Clock and increment of Black and White. A player without a clock gets that of its opponent.
    pub clocks: [(Duration, Duration); 2],
    /// Time after which a missing answer is a failure.
    pub within: Duration,
}

impl Budget {
    /// Returns the clock and the increment of a player.
    fn clock(&self, color: Color) -> (Duration, Duration) {
        let [black, white] = self.clocks;
        match color {
            Color::Black => black,
            Color::White => white,
        }
    }
}

/// Answer of a player.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// A move.
    Move(String),
    /// Resignation.
    Resign,
}

/// Result of a finished game, as a player reports it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claim {
    /// Winner; `None` for a draw.
    pub winner: Option<Color>,
    /// The report as received.
    pub text: String,
}

/// A player of a match.
pub trait Player: Send {
    /// Returns the name and version that the engine reports.
    fn version(&self) -> &str;

    /// Prepares for a game.
    fn begin(&mut self, setting: &Setting<'_>, limit: TimeControl) -> Result<(), Failure>;

    /// Receives a move that was played, also its own.
    fn hear(&mut self, color: Color, text: &str, own: bool) -> Result<(), Failure>;

    /// Receives what it needs to know before its clock starts.
    fn prepare(&mut self, _color: Color, _budget: &Budget) -> Result<(), Failure> {
        Ok(())
    }

    /// Searches for a move.
    fn think(&mut self, color: Color, budget: &Budget) -> Result<(Answer, SearchInformation), Failure>;

    /// Reports the result of a finished game, if it can.
    fn claim(&mut self) -> Result<Option<Claim>, Failure>;

    /// Returns the lines exchanged in this game; none for a player without a process.
    fn exchange(&self) -> Exchange {
        Exchange::default()
    }
}

/// The lines exchanged between the match and a player's process.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Exchange {
    /// Lines to it (`>`) and from it (`<`), each with the time in seconds.
    pub lines: Vec<String>,
    /// End of its standard error.
    pub errors: Vec<String>,
}

/// Parameters for starting players.
#[derive(Clone, Debug)]
pub struct PlayerContext {
    /// Variant.
    pub variant: Variant,
    /// Time limit of an answer that needs no search.
    pub timeout: Duration,
    /// Closing this channel ends all waiting.
    pub interrupt: Receiver<()>,
    /// Receives warnings about the players.
    pub warnings: Sender<Warning>,
}

/// A warning about a player, which plays on.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Warning {
    /// Name of the engine in the match.
    pub engine: String,
    /// Description.
    pub why: String,
}

/// The warnings about one player.
pub(super) struct Warnings {
    engine: String,
    sender: Sender<Warning>,
}

impl Warnings {
    fn new(engine: &Engine, context: &PlayerContext) -> Self {
        Self { engine: engine.name.clone(), sender: context.warnings.clone() }
    }

    /// Warns about the player. A match shows each warning once.
    fn send(&self, why: String) {
        // The receiver is dropped when the match ends.
        let _ = self.sender.send(Warning { engine: self.engine.clone(), why });
    }
}

/// Starts a player.
///
/// # Errors
/// If it can't be started, does not answer, or refuses its options. The error comes with the lines exchanged.
pub fn start(engine: &Engine, context: &PlayerContext) -> Result<Box<dyn Player>, (Failure, Exchange)> {
    match &engine.kind {
        EngineKind::BuiltIn(_) => match built_in::BuiltIn::start(engine, context) {
            Ok(player) => Ok(Box::new(player)),
            Err(failure) => Err((failure, Exchange::default())),
        },
        EngineKind::Process { protocol, command } => {
            let interrupt = context.interrupt.clone();
            let mut connection = Connection::new(command.clone(), context.timeout, interrupt);
            connection.transcript = Transcript::long();
            match connection.start() {
                Ok(_) => meet(connection, *protocol, engine, context),
                Err(error) => {
                    let error = match error {
                        ClientError::NotStarted(why) => ClientError::NotStarted(format!("{command}: {why}")),
                        ClientError::NoRoom(why) => ClientError::NoRoom(format!("{command}: {why}")),
                        error => error,
                    };
                    Err((error.into(), Exchange::default()))
                }
            }
        }
    }
}

/// Detects the protocol of an engine if necessary, and creates a player for it.
fn meet(
    connection: Connection,
    protocol: Option<Protocol>,
    engine: &Engine,
    context: &PlayerContext,
) -> Result<Box<dyn Player>, (Failure, Exchange)> {
    let unmet = |failure: Failure, exchange: Exchange| {
        // Most engines report missing files on standard error.
        let said = exchange.errors.last().map(String::as_str);
        let said = said.or_else(|| {
            let mut lines = exchange.lines.iter().rev();
            lines.find_map(|line| line.split_once(" < ").map(|(_, said)| said))
        });
        let failure = match (failure, said) {
            (Failure::Lost(cause, why), Some(said)) => Failure::Lost(cause, format!("{why}; it says {}", quote(said))),
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
            let mut player = ugi::Ugi::new(client, &context.variant, Warnings::new(engine, context));
            match player.set_up(engine, &context.variant) {
                Ok(()) => Ok(Box::new(player)),
                Err(failure) => unmet(failure, player.exchange()),
            }
        }
        Ok(Protocol::Gtp) => {
            let mut player = gtp::Gtp::new(client.connection, Warnings::new(engine, context));
            match player.set_up(engine) {
                Ok(()) => Ok(Box::new(player)),
                Err(failure) => unmet(failure, player.exchange()),
            }
        }
    }
}

/// Completes the UGI handshake, or detects that the engine speaks GTP.
fn greet(client: &mut UgiClient, may_be_gtp: bool) -> Result<Protocol, ClientError> {
    match client.greet("ugiok", |head| may_be_gtp || !head.ok)? {
        None => Ok(Protocol::Ugi),
        Some(_) if may_be_gtp => Ok(Protocol::Gtp),
        Some(line) => {
            let line = quote(&line);
            Err(ClientError::Malformed(format!("\"ugi\" is answered with {line}, as engines do that speak GTP")))
        }
    }
}

fn exchange(connection: &Connection) -> Exchange {
    Exchange { lines: connection.transcript.lines().collect(), errors: connection.errors() }
}

/// Makes the name that an engine reports fit for a record.
fn version(words: &[&str]) -> String {
    let text = words.join(" ");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
