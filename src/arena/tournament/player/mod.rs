//! Who sits at the board: a search of ours or a process, behind one trait.

mod built_in;
mod gtp;
mod ugi;

pub(in crate::arena) use gtp::claim;
pub(in crate::arena) use ugi::take_info;

use std::time::Duration;

use crossbeam_channel::Receiver;

use super::engine::{Engine, EngineKind, Limit};
use crate::arena::record::{Cause, Opening, Thought};
use crate::arena::wire::{self, Fault, Record, Wire};
use crate::arena::{Command, Protocol, words};
use crate::rules::Color;
use crate::rules::Variant;
use crate::text::quote;

/// How long an engine may take to end after `quit` before it is killed.
const QUITTING: Duration = Duration::from_millis(500);

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

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        let why = fault.to_string();
        match fault {
            Fault::Interrupted => Self::Interrupted,
            Fault::NotStarted(_) => Self::Unfit(why),
            Fault::NoRoom(_) => Self::NoRoom(why),
            Fault::Ended { .. } => Self::Lost(Cause::Crash, why),
            Fault::Late { .. } | Fault::Endless(_) => Self::Lost(Cause::Stall, why),
            Fault::Malformed(_) | Fault::Moot(_) => Self::Lost(Cause::Disagreement, why),
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
    pub limit: Limit,
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
    fn begin(&mut self, setting: &Setting<'_>, limit: Limit) -> Result<(), Failure>;

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
            let partner = Partner::start(command, around);
            let partner = partner.map_err(|fault| (fault.into(), Exchange::default()))?;
            partner.meet(*protocol, engine, &around.variant)
        }
    }
}

/// A player's process. It is asked to end when it is dropped, and then made to.
struct Partner {
    wire: Wire,
}

impl Partner {
    fn start(command: &Command, around: &Surroundings) -> Result<Self, Fault> {
        let wire = Wire::start(command, around.timeout, around.interrupt.clone());
        let mut wire = wire.map_err(|fault| match fault {
            Fault::NotStarted(why) => Fault::NotStarted(format!("{command}: {why}")),
            Fault::NoRoom(why) => Fault::NoRoom(format!("{command}: {why}")),
            fault => fault,
        })?;
        wire.record = Record::long();
        Ok(Self { wire })
    }

    /// Finds out what the engine speaks, where that is not known, and makes a player of it.
    fn meet(
        mut self,
        protocol: Option<Protocol>,
        engine: &Engine,
        variant: &Variant,
    ) -> Result<Box<dyn Player>, (Failure, Exchange)> {
        let greeting = match protocol {
            Some(Protocol::Gtp) => Ok(None),
            Some(Protocol::Ugi) => self.greet(false),
            None => self.greet(true),
        };
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
        match greeting {
            Err(fault) => unmet(fault.into(), self.exchange()),
            Ok(Some(greeting)) => {
                let mut player = ugi::Ugi::new(self, &greeting, variant);
                match player.set_up(engine, variant) {
                    Ok(()) => Ok(Box::new(player)),
                    Err(failure) => unmet(failure, player.exchange()),
                }
            }
            Ok(None) => {
                let mut player = gtp::Gtp::new(self);
                match player.set_up(engine) {
                    Ok(()) => Ok(Box::new(player)),
                    Err(failure) => unmet(failure, player.exchange()),
                }
            }
        }
    }

    /// The time for an answer that needs no thought.
    fn limit(&self) -> wire::Limit {
        wire::Limit::new(self.wire.timeout)
    }

    /// Says `ugi` and gives the lines before `ugiok`; `None` where the answer is one of GTP, if it may be.
    fn greet(&mut self, may_be_gtp: bool) -> Result<Option<Vec<String>>, Fault> {
        const WHAT: &str = "ugiok";
        let limit = self.limit();
        self.wire.send("ugi");
        let mut greeting = Vec::new();
        while greeting.len() < wire::MANY {
            let line = self.wire.line(WHAT, limit)?.trim().to_owned();
            if line == "ugiok" {
                return Ok(Some(greeting));
            }
            if may_be_gtp && words::head(&line).is_some() {
                return Ok(None);
            }
            if words::head(&line).is_some_and(|head| !head.ok) {
                let line = quote(&line);
                return Err(Fault::Malformed(format!(
                    "\"ugi\" is answered with {line}, as engines do that speak GTP"
                )));
            }
            greeting.push(line);
        }
        Err(Fault::Endless(WHAT.to_owned()))
    }

    /// Begins a new record of what is said.
    fn new_record(&mut self) {
        self.wire.record = Record::long();
    }

    fn exchange(&self) -> Exchange {
        Exchange {
            lines: self.wire.record.lines().collect(),
            errors: self.wire.errors(),
        }
    }
}

impl Drop for Partner {
    fn drop(&mut self) {
        self.wire.quit(QUITTING);
    }
}

/// A name that an engine gives itself, fit for a record.
fn version(words: &[&str]) -> String {
    let text = words.join(" ");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
