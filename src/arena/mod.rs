//! Floor 5: engine processes of anybody's: what they do with the protocols, and matches between them.
//!
//! The arena talks to other engines only through pipes, and to our own search through the session, so it knows
//! nothing of the rooms that answer.
#![deny(clippy::indexing_slicing)]

pub mod check;
mod heard;
mod judge;
pub mod process;
pub mod record;
pub mod replay;
pub mod statistics;
pub mod tournament;
mod wire;
pub mod words;

pub use heard::{Heard, hear};

use std::ffi::OsString;
use std::fmt::{self, Display};

/// A protocol that engines speak.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Protocol {
    /// The Go Text Protocol, version 2.
    Gtp,
    /// The Universal Game Interface.
    Ugi,
}

impl Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Gtp => "gtp",
            Self::Ugi => "ugi",
        })
    }
}

/// The command line of an engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Command {
    /// The program.
    pub program: OsString,
    /// What stands behind it.
    pub arguments: Vec<OsString>,
}

impl Command {
    /// A command of words, the first of which is the program.
    pub fn new(words: impl IntoIterator<Item = OsString>) -> Self {
        let mut words = words.into_iter();
        Self {
            program: words.next().unwrap_or_default(),
            arguments: words.collect(),
        }
    }
}

impl Display for Command {
    /// As a shell reads it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = [&self.program].into_iter().chain(&self.arguments);
        let words: Vec<String> = words
            .map(|word| word.to_string_lossy().into_owned())
            .collect();
        let words = words.iter().map(String::as_str);
        // Only a zero byte can't be quoted, and no command line holds one.
        f.write_str(&shlex::try_join(words).unwrap_or_default())
    }
}
