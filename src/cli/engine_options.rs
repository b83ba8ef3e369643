//! Engine options on the command line, for people who don't speak a protocol.

use std::ffi::OsStr;
use std::time::Duration;

use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Arg, Args, Command};

use super::{CliError, usage};
use crate::session::{DEFAULT_TIME, MAX_TIME_MS, OptionInfo, OptionKind, Session};

/// Precedence of `--movetime`.
const TIME_HELP: &str = "Clocks, and the time of a single `go`, come before it. With --nodes or a --level below best \
    there is no default, and a search ends at the first limit that it reaches.";

/// Precedence of `--nodes`.
const NODES_HELP: &str = "If --level or a single `go` also has a limit in nodes, the lower one counts.";

/// Options with which a session begins. The client may change them afterwards.
#[derive(Args, Clone, Default, Debug)]
#[command(next_help_heading = "Engine options")]
pub(super) struct EngineOptions {
    #[arg(
        long, value_name = "N", allow_negative_numbers = true,
        help = help("Threads"), value_parser = number_of("Threads")
    )]
    pub(super) threads: Option<u64>,

    #[arg(
        long, value_name = "MB", allow_negative_numbers = true,
        help = help("Hash"), value_parser = number_of("Hash")
    )]
    pub(super) hash: Option<u64>,

    #[arg(
        long, value_name = "LEVEL",
        help = help_of_level(), value_parser = Levels
    )]
    pub(super) level: Option<String>,

    #[arg(
        long, value_name = "MS", allow_negative_numbers = true,
        help = help_of_time(),
        long_help = format!("{}\n\n{TIME_HELP}", help_of_time()), value_parser = milliseconds
    )]
    pub(super) movetime: Option<u32>,

    #[arg(
        long, value_name = "N", allow_negative_numbers = true,
        help = help("Nodes"),
        long_help = format!("{}\n\n{NODES_HELP}", help("Nodes")), value_parser = number_of("Nodes")
    )]
    pub(super) nodes: Option<u64>,

    #[arg(
        long, value_name = "N", allow_negative_numbers = true,
        help = help("Seed"), value_parser = number_of("Seed")
    )]
    pub(super) seed: Option<u64>,
}

impl EngineOptions {
    /// Sets the options of a session, and what clients are told as their defaults.
    ///
    /// # Errors
    /// Names the values that an option takes. Parsing has refused all others before.
    pub(super) fn apply(&self, session: &mut Session) -> Result<(), CliError> {
        let numbers = [("Threads", self.threads), ("Hash", self.hash), ("Nodes", self.nodes), ("Seed", self.seed)];
        let numbers = numbers.into_iter().filter_map(|(name, number)| Some((name, number?.to_string())));
        let level = self.level.clone().map(|level| ("Strength", level));
        for (name, value) in numbers.chain(level) {
            let set = session.set_default(name, &value);
            set.or_else(usage)?;
        }
        if let Some(time) = self.movetime {
            session.set_time(Duration::from_millis(time.into()));
        }
        Ok(())
    }
}

/// Returns a parser of the numbers that an engine option takes.
fn number_of(name: &'static str) -> impl Fn(&str) -> Result<u64, String> + Clone {
    move |text| {
        let option = OptionInfo::find(name).map_err(|error| error.to_string())?;
        let number = option.read(text);
        number.map_err(|_| format!("expected {}", option.expected()))
    }
}

/// Parses levels: by name, or by number from 1, the weakest.
#[derive(Clone)]
struct Levels;

impl Levels {
    /// Returns the names, the weakest first.
    fn names() -> impl Iterator<Item = &'static str> {
        words_of("Strength").iter().rev().copied()
    }

    fn read(text: &str) -> Result<String, String> {
        let number = text.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        let found = match number {
            Some(index) => Self::names().nth(index),
            None => Self::names().find(|name| name.eq_ignore_ascii_case(text)),
        };
        found.map(str::to_owned).ok_or_else(|| {
            let names: Vec<&str> = Self::names().collect();
            format!("expected a number from 1 to {}, or one of {}", names.len(), names.join(", "))
        })
    }
}

impl TypedValueParser for Levels {
    type Value = String;

    fn parse_ref(&self, command: &Command, argument: Option<&Arg>, value: &OsStr) -> Result<String, clap::Error> {
        TypedValueParser::parse_ref(&Self::read, command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(Self::names().map(PossibleValue::new)))
    }
}

/// Returns the help of `--level`.
fn help_of_level() -> String {
    let (weakest, strongest) = (Levels::names().next(), Levels::names().last());
    let (weakest, strongest) = (weakest.unwrap_or_default(), strongest.unwrap_or_default());
    let numbers = format!("a number from 1 ({weakest}) to {} ({strongest}), or its name", Levels::names().count());
    help("Strength").replacen(':', &format!(", {numbers}:"), 1)
}

/// Returns the names of the levels below full strength, the strongest first.
pub(super) fn level_names() -> impl Iterator<Item = &'static str> {
    words_of("Strength").iter().skip(1).copied()
}

/// Parses a time for a move.
fn milliseconds(text: &str) -> Result<u32, String> {
    let number = text.parse().ok().filter(|&number| number <= MAX_TIME_MS);
    number.ok_or_else(|| format!("expected a number from 0 to {MAX_TIME_MS}"))
}

/// Returns the words that an engine option takes.
fn words_of(name: &str) -> &'static [&'static str] {
    match OptionInfo::find(name).map(|option| option.kind) {
        Ok(OptionKind::Combo(words)) => words,
        _ => &[],
    }
}

/// Returns the help of an engine option, with its range and default.
fn help(name: &str) -> String {
    help_with_default(name, None)
}

/// Returns the help of an engine option, with its range and another default than the engine's.
pub(super) fn help_with_default(name: &str, other_default: Option<u64>) -> String {
    let Ok(option) = OptionInfo::find(name) else {
        return String::new();
    };
    let mut letters = option.about.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    let about: String = first.into_iter().chain(letters).collect();
    match option.kind {
        OptionKind::Spin { default, min, max } => {
            let default = other_default.unwrap_or(default);
            format!("{about} [{min} to {max}, default: {default}]")
        }
        OptionKind::Combo(words) => {
            let default = words.first().copied().unwrap_or_default();
            format!("{about} [default: {default}]")
        }
        OptionKind::Variant | OptionKind::File => about,
    }
}

/// Returns the help of `--movetime`.
fn help_of_time() -> String {
    let default = DEFAULT_TIME.as_millis();
    format!("Time per move, in milliseconds [0 to {MAX_TIME_MS}, default: {default}]")
}
