//! The engines of a match, as a command line names them.

use std::ffi::OsString;
use std::fmt::{self, Display};
use std::str::FromStr;
use std::time::Duration;

use nom::Parser;
use nom::branch::alt;
use nom::bytes::complete::{tag, take_till, take_till1};
use nom::character::complete::{char, digit1};
use nom::combinator::{cut, eof, map_opt, opt, peek, recognize, rest, value};
use nom::multi::separated_list1;
use nom::sequence::{preceded, separated_pair, terminated};
use thiserror::Error;

use crate::client::{Command, Protocol};
use crate::notation::pieces::{Expected, Parsed, expect, read};
use crate::text::{ParseError, quote};

/// The longest time that can be said, in seconds.
const LONGEST: f64 = 1e6;

/// A player of a match.
#[derive(Clone, PartialEq, Debug)]
pub struct Engine {
    /// Its name in the match.
    pub name: String,
    /// What it is.
    pub kind: EngineKind,
    /// Options to set before it plays, by name.
    pub options: Vec<(String, String)>,
    /// What it may use.
    pub limit: TimeControl,
}

/// What a player of a match is.
#[derive(Clone, PartialEq, Debug)]
pub enum EngineKind {
    /// A search of ours, in this process.
    BuiltIn(BuiltIn),
    /// A process.
    Process {
        /// What it speaks; `None` to find out.
        protocol: Option<Protocol>,
        /// Its command line.
        command: Command,
    },
}

/// The searches of ours.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BuiltIn {
    /// UCT with random playouts and proofs.
    Uct,
    /// Principal variation search.
    Pvs,
    /// What `genmove` plays by.
    Best,
}

impl Display for EngineKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BuiltIn(BuiltIn::Uct) => f.write_str("uct"),
            Self::BuiltIn(BuiltIn::Pvs) => f.write_str("pvs"),
            Self::BuiltIn(BuiltIn::Best) => f.write_str("best"),
            Self::Process { protocol, command } => {
                if let Some(protocol) = protocol {
                    write!(f, "{protocol}:")?;
                }
                write!(f, "{command}")
            }
        }
    }
}

/// Why an engine can't be understood.
#[derive(Clone, PartialEq, Eq, Error, Debug)]
pub enum EngineError {
    /// Its beginning is wrong.
    #[error(transparent)]
    Parse(#[from] ParseError),
    /// Quotes in its command line are not closed, or all of it is a comment.
    #[error("{}: expected a command line whose quotes are closed, and before any # a program", quote(.0))]
    Words(String),
}

impl FromStr for Engine {
    type Err = EngineError;

    /// Reads `NAME=uct`, `NAME=pvs`, `NAME=best:Threads=2,Hash=64`, `NAME=gtp:COMMAND`, `NAME=ugi:COMMAND` or `NAME=COMMAND`.
    fn from_str(text: &str) -> Result<Self, EngineError> {
        enum Kind<'a> {
            BuiltIn(BuiltIn, Vec<(String, String)>),
            Process(Option<Protocol>, &'a str),
        }
        let which = alt((
            value(BuiltIn::Uct, tag("uct")),
            value(BuiltIn::Pvs, tag("pvs")),
            value(BuiltIn::Best, tag("best")),
        ));
        let options = separated_list1(char(','), option);
        let options = alt((preceded(char(':'), cut(options)), value(Vec::new(), eof)));
        let built_in = (which, options).map(|(which, options)| Kind::BuiltIn(which, options));
        let protocol = alt((
            value(Protocol::Gtp, tag("gtp:")),
            value(Protocol::Ugi, tag("ugi:")),
        ));
        let command = expect("a command line", preceded(blanks, take_till1(|_| false)));
        let process =
            (opt(protocol), command).map(|(protocol, line)| Kind::Process(protocol, line));
        let (name, kind) = read(
            text,
            separated_pair(
                name,
                expect("= and an engine, as in NAME=uct", char('=')),
                alt((built_in, process)),
            ),
        )?;
        let (kind, options) = match kind {
            Kind::BuiltIn(which, options) => (EngineKind::BuiltIn(which), options),
            Kind::Process(protocol, line) => {
                let words = shlex::split(line).filter(|words| !words.is_empty());
                let words = words.ok_or_else(|| EngineError::Words(line.to_owned()))?;
                let command = Command::new(words.into_iter().map(OsString::from));
                (EngineKind::Process { protocol, command }, Vec::new())
            }
        };
        Ok(Self {
            name: name.to_owned(),
            kind,
            options,
            limit: TimeControl::default(),
        })
    }
}

fn blanks(input: &str) -> Parsed<'_, &str> {
    take_till(|c: char| !c.is_whitespace()).parse(input)
}

/// The name of an engine: it must not be taken for something else in front of a `:` or `=`, nor break a tag.
fn name(input: &str) -> Parsed<'_, &str> {
    let stands_out = |c: char| c.is_whitespace() || c.is_control() || ":=,\"\\/".contains(c);
    expect("the name of an engine", take_till1(stands_out)).parse(input)
}

/// `NAME=VALUE`.
fn option(input: &str) -> Parsed<'_, (String, String)> {
    let name = expect(
        "the name of an option",
        take_till1(|c: char| ":=,".contains(c)),
    );
    let value = take_till(|c: char| c == ',');
    let owned = |(name, value): (&str, &str)| (name.trim().to_owned(), value.trim().to_owned());
    separated_pair(name, expect("=", char('=')), value)
        .map(owned)
        .parse(input)
}

/// A setting for one engine, or for all of them: `NAME:SETTING` or `SETTING`.
#[derive(Clone, PartialEq, Debug)]
pub struct For<T> {
    /// The engine.
    pub engine: Option<String>,
    /// What is set for it.
    pub what: T,
    /// As it was written.
    pub text: String,
    /// What in it may be the name of an engine, though it is read as something else.
    pub perhaps: Option<String>,
}

impl<T> For<T> {
    fn read<'a>(
        text: &'a str,
        what: impl Parser<&'a str, Output = T, Error = Expected<'a>>,
    ) -> Result<Self, ParseError> {
        let engine = opt(terminated(name, char(':')));
        let (engine, what) = read(text, (engine, what))?;
        Ok(Self {
            engine: engine.map(str::to_owned),
            what,
            text: text.to_owned(),
            perhaps: None,
        })
    }
}

impl For<(String, String)> {
    /// Reads `[ENGINE:]NAME=VALUE`.
    ///
    /// # Errors
    /// Says what was expected where.
    pub fn option(text: &str) -> Result<Self, ParseError> {
        let name = expect(
            "the name of an option",
            take_till1(|c: char| ":=".contains(c)),
        );
        let option = separated_pair(name, expect("=", char('=')), rest);
        let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        Self::read(text, option.map(owned))
    }
}

impl For<TimeControl> {
    /// Reads `[ENGINE:]MILLISECONDS`.
    ///
    /// # Errors
    /// Says what was expected where.
    pub fn move_time(text: &str) -> Result<Self, ParseError> {
        let time =
            |seconds: f64| (seconds > 0.0).then(|| Duration::from_secs_f64(seconds / 1000.0));
        let time = map_opt(decimal, time).map(TimeControl::MoveTime);
        Self::read(text, expect("milliseconds, more than 0", time))
    }

    /// Reads `[ENGINE:]TIME+INCREMENT`, the time being `SECONDS` or `MINUTES:SECONDS`, and the increment 0 where it is left
    /// out. Digits before the only colon are minutes.
    ///
    /// # Errors
    /// Says what was expected where.
    pub fn clock(text: &str) -> Result<Self, ParseError> {
        if let Ok((minutes, what)) = read(text, (peek(digit1), clock_of_minutes)) {
            return Ok(Self {
                engine: None,
                what,
                text: text.to_owned(),
                perhaps: Some(minutes.to_owned()),
            });
        }
        let clock = alt((clock_of_minutes, clock_of_seconds));
        let what =
            "seconds or minutes:seconds, and an increment in seconds, such as 10+0.1 or 1:30+0.5";
        Self::read(text, expect(what, clock))
    }

    /// Reads `[ENGINE:]NODES`.
    ///
    /// # Errors
    /// Says what was expected where.
    pub fn nodes(text: &str) -> Result<Self, ParseError> {
        let nodes = |digits: &str| {
            digits
                .parse()
                .ok()
                .filter(|&nodes| nodes > 0)
                .map(TimeControl::Nodes)
        };
        Self::read(
            text,
            expect("a number of nodes, more than 0", map_opt(digit1, nodes)),
        )
    }
}

/// `SECONDS+INCREMENT`.
fn clock_of_seconds(input: &str) -> Parsed<'_, TimeControl> {
    map_opt((decimal, increment), |(time, increment)| {
        clock_limit(time, increment)
    })
    .parse(input)
}

/// `MINUTES:SECONDS+INCREMENT`.
fn clock_of_minutes(input: &str) -> Parsed<'_, TimeControl> {
    let time = separated_pair(decimal, char(':'), decimal);
    let clock = |((minutes, seconds), increment)| clock_limit(60.0 * minutes + seconds, increment);
    map_opt((time, increment), clock).parse(input)
}

fn increment(input: &str) -> Parsed<'_, f64> {
    opt(preceded(char('+'), decimal))
        .map(Option::unwrap_or_default)
        .parse(input)
}

fn clock_limit(time: f64, increment: f64) -> Option<TimeControl> {
    let is_some = time + increment > 0.0 && time <= LONGEST;
    is_some.then(|| TimeControl::Clock {
        time: Duration::from_secs_f64(time),
        increment: Duration::from_secs_f64(increment),
    })
}

/// A decimal number that is not too long a time in seconds.
fn decimal(input: &str) -> Parsed<'_, f64> {
    let decimal = recognize((digit1, opt((char('.'), digit1))));
    let short = |text: &str| {
        text.parse()
            .ok()
            .filter(|&seconds: &f64| seconds <= LONGEST)
    };
    map_opt(decimal, short).parse(input)
}

/// What an engine may use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TimeControl {
    /// So much time for each answer.
    MoveTime(Duration),
    /// A clock for the game.
    Clock {
        /// What it shows at the start, without the increment of the first move.
        time: Duration,
        /// What is added before the first move and after each one.
        increment: Duration,
    },
    /// So many nodes for each answer, in any time.
    Nodes(u64),
}

impl TimeControl {
    /// What the clock shows before the first move, where there is one. An increment is for that move, too, as fastchess has
    /// it: without it `0+2` would leave no time to make it in.
    pub fn first_clock(self) -> Duration {
        match self {
            Self::Clock { time, increment } => time + increment,
            Self::MoveTime(_) | Self::Nodes(_) => Duration::ZERO,
        }
    }
}

impl Default for TimeControl {
    fn default() -> Self {
        Self::MoveTime(Duration::from_secs(1))
    }
}

impl Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MoveTime(time) => write!(f, "movetime {}", time.as_secs_f64() * 1000.0),
            Self::Clock { time, increment } => {
                write!(f, "tc {}+{}", time.as_secs_f64(), increment.as_secs_f64())
            }
            Self::Nodes(nodes) => write!(f, "nodes {nodes}"),
        }
    }
}
