//! Engines of a match, as given on the command line.

use std::ffi::OsString;
use std::fmt::{self, Display};
use std::str::FromStr;
use std::time::Duration;

use nom::Parser;
use nom::branch::alt;
use nom::bytes::complete::{tag, take_till, take_till1};
use nom::character::complete::{alpha1, char, digit1};
use nom::combinator::{cut, eof, map_opt, opt, peek, recognize, rest, value};
use nom::multi::separated_list1;
use nom::sequence::{preceded, separated_pair, terminated};
use thiserror::Error;

use crate::client::{Command, Protocol};
use crate::notation::pieces::{Expected, Parsed, expect, read};
use crate::session::{Overtime, SEARCHES, TimeSettings};
use crate::text::{ParseError, quote};

/// Maximum time, in seconds.
const LONGEST: f64 = 1e6;

/// An engine of a match.
#[derive(Clone, PartialEq, Debug)]
pub struct Engine {
    /// Name in the match.
    pub name: String,
    /// Kind.
    pub kind: EngineKind,
    /// Options to set before the first game, as name and value.
    pub options: Vec<(String, String)>,
    /// Time control.
    pub limit: TimeControl,
}

/// Kind of an engine.
#[derive(Clone, PartialEq, Debug)]
pub enum EngineKind {
    /// A built-in search: one of [`SEARCHES`].
    BuiltIn(&'static str),
    /// A process.
    Process {
        /// Protocol; `None` to detect it.
        protocol: Option<Protocol>,
        /// Command line.
        command: Command,
    },
}

impl Display for EngineKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BuiltIn(search) => f.write_str(search),
            Self::Process { protocol, command } => {
                if let Some(protocol) = protocol {
                    write!(f, "{protocol}:")?;
                }
                write!(f, "{command}")
            }
        }
    }
}

/// A syntax error in an engine.
#[derive(Clone, PartialEq, Eq, Error, Debug)]
pub enum EngineError {
    /// The part before the command line is wrong.
    #[error(transparent)]
    Parse(#[from] ParseError),
    /// The command line has an open quotation, or is only a comment.
    #[error("{}: expected a command line whose quotes are closed, and before any # a program", quote(.0))]
    Words(String),
}

impl FromStr for Engine {
    type Err = EngineError;

    /// Parses `NAME=uct`, `NAME=pvs`, `NAME=puct`, `NAME=best:Threads=2,Hash=64`, `NAME=gtp:COMMAND`, `NAME=ugi:COMMAND` or
    /// `NAME=COMMAND`.
    fn from_str(text: &str) -> Result<Self, EngineError> {
        enum Kind<'a> {
            BuiltIn(&'static str, Vec<(String, String)>),
            Process(Option<Protocol>, &'a str),
        }
        let search = map_opt(alpha1, |word| SEARCHES.into_iter().find(|search| *search == word));
        let options = separated_list1(char(','), option);
        let options = alt((preceded(char(':'), cut(options)), value(Vec::new(), eof)));
        let built_in = (search, options).map(|(search, options)| Kind::BuiltIn(search, options));
        let protocol = alt((value(Protocol::Gtp, tag("gtp:")), value(Protocol::Ugi, tag("ugi:"))));
        let command = expect("a command line", preceded(blanks, take_till1(|_| false)));
        let process = (opt(protocol), command).map(|(protocol, line)| Kind::Process(protocol, line));
        let (name, kind) = read(
            text,
            separated_pair(name, expect("= and an engine, as in NAME=uct", char('=')), alt((built_in, process))),
        )?;
        let (kind, options) = match kind {
            Kind::BuiltIn(search, options) => (EngineKind::BuiltIn(search), options),
            Kind::Process(protocol, line) => {
                let words = shlex::split(line).filter(|words| !words.is_empty());
                let words = words.ok_or_else(|| EngineError::Words(line.to_owned()))?;
                let command = Command::new(words.into_iter().map(OsString::from));
                (EngineKind::Process { protocol, command }, Vec::new())
            }
        };
        Ok(Self { name: name.to_owned(), kind, options, limit: TimeControl::default() })
    }
}

fn blanks(input: &str) -> Parsed<'_, &str> {
    take_till(|c: char| !c.is_whitespace()).parse(input)
}

/// Parses a name. It may not contain characters with a meaning in options, records or file names.
fn name(input: &str) -> Parsed<'_, &str> {
    let stands_out = |c: char| c.is_whitespace() || c.is_control() || ":=,\"\\/".contains(c);
    expect("the name of an engine", take_till1(stands_out)).parse(input)
}

/// Parses `NAME=VALUE`.
fn option(input: &str) -> Parsed<'_, (String, String)> {
    let name = expect("the name of an option", take_till1(|c: char| ":=,".contains(c)));
    let value = take_till(|c: char| c == ',');
    let owned = |(name, value): (&str, &str)| (name.trim().to_owned(), value.trim().to_owned());
    separated_pair(name, expect("=", char('=')), value).map(owned).parse(input)
}

/// A setting of one engine or of all: `NAME:SETTING` or `SETTING`.
#[derive(Clone, PartialEq, Debug)]
pub struct For<T> {
    /// Engine; `None` for all.
    pub engine: Option<String>,
    /// Setting.
    pub what: T,
    /// Text of the setting.
    pub text: String,
    /// Part of the setting that could also be the name of an engine.
    pub perhaps: Option<String>,
}

impl<T> For<T> {
    fn read<'a>(
        text: &'a str,
        what: impl Parser<&'a str, Output = T, Error = Expected<'a>>,
    ) -> Result<Self, ParseError> {
        let engine = opt(terminated(name, char(':')));
        let (engine, what) = read(text, (engine, what))?;
        Ok(Self { engine: engine.map(str::to_owned), what, text: text.to_owned(), perhaps: None })
    }
}

impl For<(String, String)> {
    /// Parses `[ENGINE:]NAME=VALUE`.
    ///
    /// # Errors
    /// Names the column and the expected input.
    pub fn option(text: &str) -> Result<Self, ParseError> {
        let name = expect("the name of an option", take_till1(|c: char| ":=".contains(c)));
        let option = separated_pair(name, expect("=", char('=')), rest);
        let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        Self::read(text, option.map(owned))
    }
}

impl For<TimeControl> {
    /// Parses `[ENGINE:]MILLISECONDS`.
    ///
    /// # Errors
    /// Names the column and the expected input.
    pub fn move_time(text: &str) -> Result<Self, ParseError> {
        let time = |seconds: f64| (seconds > 0.0).then(|| Duration::from_secs_f64(seconds / 1000.0));
        let time = map_opt(decimal, time).map(TimeControl::MoveTime);
        Self::read(text, expect("milliseconds, more than 0", time))
    }

    /// Parses `[ENGINE:]TIME+INCREMENT`.
    ///
    /// TIME is `SECONDS` or `MINUTES:SECONDS`, the increment defaults to 0. Digits before the only colon are minutes.
    ///
    /// # Errors
    /// Names the column and the expected input.
    pub fn clock(text: &str) -> Result<Self, ParseError> {
        if let Ok((minutes, what)) = read(text, (peek(digit1), clock_of_minutes)) {
            return Ok(Self { engine: None, what, text: text.to_owned(), perhaps: Some(minutes.to_owned()) });
        }
        let clock = alt((clock_of_minutes, clock_of_seconds));
        let what = "seconds or minutes:seconds, and an increment in seconds, such as 10+0.1 or 1:30+0.5";
        Self::read(text, expect(what, clock))
    }

    /// Parses `[ENGINE:]NODES`.
    ///
    /// # Errors
    /// Names the column and the expected input.
    pub fn nodes(text: &str) -> Result<Self, ParseError> {
        let nodes = |digits: &str| digits.parse().ok().filter(|&nodes| nodes > 0).map(TimeControl::Nodes);
        Self::read(text, expect("a number of nodes, more than 0", map_opt(digit1, nodes)))
    }
}

/// Parses `SECONDS+INCREMENT`.
fn clock_of_seconds(input: &str) -> Parsed<'_, TimeControl> {
    map_opt((decimal, increment), |(time, increment)| clock_limit(time, increment)).parse(input)
}

/// Parses `MINUTES:SECONDS+INCREMENT`.
fn clock_of_minutes(input: &str) -> Parsed<'_, TimeControl> {
    let time = separated_pair(decimal, char(':'), decimal);
    let clock = |((minutes, seconds), increment)| clock_limit(60.0 * minutes + seconds, increment);
    map_opt((time, increment), clock).parse(input)
}

fn increment(input: &str) -> Parsed<'_, f64> {
    opt(preceded(char('+'), decimal)).map(Option::unwrap_or_default).parse(input)
}

fn clock_limit(time: f64, increment: f64) -> Option<TimeControl> {
    let is_some = time + increment > 0.0 && time <= LONGEST;
    is_some.then(|| TimeControl::Clock {
        time: Duration::from_secs_f64(time),
        increment: Duration::from_secs_f64(increment),
    })
}

/// Parses a decimal number of seconds up to the maximum.
fn decimal(input: &str) -> Parsed<'_, f64> {
    let decimal = recognize((digit1, opt((char('.'), digit1))));
    let short = |text: &str| text.parse().ok().filter(|&seconds: &f64| seconds <= LONGEST);
    map_opt(decimal, short).parse(input)
}

/// Time control of an engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TimeControl {
    /// Time per answer.
    MoveTime(Duration),
    /// A clock per game.
    Clock {
        /// Initial time, without the increment of the first move.
        time: Duration,
        /// Increment before the first move and after each move.
        increment: Duration,
    },
    /// Nodes per answer.
    Nodes(u64),
}

impl TimeControl {
    /// Returns the settings of the clocks, if there are any.
    ///
    /// As in fastchess, the main time includes one increment: otherwise `0+2` would leave no time for the first move.
    pub fn settings(self) -> Option<TimeSettings> {
        match self {
            Self::Clock { time, increment } => {
                Some(TimeSettings { main: time + increment, overtime: Overtime::Increment(increment) })
            }
            Self::MoveTime(_) | Self::Nodes(_) => None,
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
