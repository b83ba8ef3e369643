//! Transcripts: dialogues with an engine as text files, which are run again, compared and accepted.
//!
//! `docs/transcripts.md` describes the format. [`Transcript::new`] parses a file, [`run`] holds the dialogue with an
//! engine and compares, and [`accept`] writes the new answers into the text, where wildcards that still match stay.
#![deny(clippy::indexing_slicing)]

mod align;
mod conversation;
mod files;
mod masks;
mod parse;
mod pattern;
mod record;
mod referee;
mod regress;
mod report;
mod run;

use std::fmt::{self, Display};

use regex_lite::Regex;

pub use self::files::{EXTENSION, collect, is_regression, read};
use crate::client::Command;
use crate::rules::Variant;
use masks::Masks;
pub use parse::TranscriptError;
pub use record::{Logged, Recording, Said, read_log, relay};
pub use report::{json, text};
pub use run::{Difference, Failure, FailureKind, FileReport, Row, RunSettings, accept, run};

/// Kind of dialogue: decides where an answer ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dialogue {
    /// GTP: an empty line ends each answer.
    Gtp,
    /// UGI, UCI or USI: `isready` shows where an answer ends.
    Ugi,
    /// Any lines: an answer ends when nothing more comes.
    Lines,
}

impl Dialogue {
    /// Returns the dialogue of a name.
    fn named(name: &str) -> Option<Self> {
        match name {
            "gtp" => Some(Self::Gtp),
            "ugi" | "uci" | "usi" => Some(Self::Ugi),
            "lines" => Some(Self::Lines),
            _ => None,
        }
    }
}

impl Display for Dialogue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Gtp => "gtp",
            Self::Ugi => "ugi",
            Self::Lines => "lines",
        })
    }
}

/// Returns the first line of a transcript: the command line, or a comment if it does not fit into a line.
pub(crate) fn first_line(command: &Command) -> String {
    let command = command.to_string();
    if command.contains(['\n', '\r']) {
        "# The command line of the engine has several lines: give it behind --.\n".to_owned()
    } else {
        format!("$ {command}\n")
    }
}

/// A dialogue with an engine: commands, and what is expected of the answers.
pub struct Transcript {
    /// The lines of the file.
    lines: Vec<String>,
    /// Command line of the engine; empty if the file has none.
    pub command: Vec<String>,
    /// The kind of dialogue, if it is known.
    pub dialogue: Option<Dialogue>,
    /// The variant that is played, by whose rules moves are legal.
    pub variant: Option<Variant>,
    masks: Masks,
    exchanges: Vec<Exchange>,
    exit: Option<Exit>,
    /// True for a file of gogui-regress, whose patterns are not answers.
    pub is_regression: bool,
}

/// A command and the requirements on its answer. Lines are counted from 0.
struct Exchange {
    line: usize,
    command: String,
    /// False if the next command is sent without waiting for an answer.
    waits: bool,
    expected: Vec<Expectation>,
}

struct Expectation {
    line: usize,
    what: Expected,
}

/// Requirement on an answer.
enum Expected {
    /// A line, with wildcards.
    Line(String),
    /// Any number of lines.
    Lines,
    /// A regular expression for the whole answer.
    Whole { regex: Regex, is_matched: bool },
}

/// The expected exit status of the engine.
struct Exit {
    line: usize,
    status: String,
}

impl Transcript {
    /// Returns the number of commands.
    pub fn commands(&self) -> usize {
        self.exchanges.len()
    }
}
