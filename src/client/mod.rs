//! Floor 5: other people's engine processes.
//!
//! A process with deadlines, what was said to it and what came back, and one client for each protocol. Matches and the
//! checker share them: a client takes what an engine says as far as a match can, and keeps what the checker holds
//! against it. Nothing here knows the rooms that answer for our own engine.
#![deny(clippy::indexing_slicing)]

pub(crate) mod adjudicator;
pub(crate) mod connection;
pub(crate) mod gtp;
pub mod output;
pub mod process;
pub(crate) mod transcript;
pub(crate) mod ugi;

use std::ffi::OsString;
use std::fmt::{self, Display};

use crate::text::quote;

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

/// Lines that an engine has no reason to say: the first one, quoted, and how many.
#[derive(Default)]
pub(crate) struct Strays {
    pub(crate) first: Option<String>,
    pub(crate) count: usize,
}

impl Strays {
    pub(crate) fn note(&mut self, line: &str) {
        self.count += 1;
        self.first.get_or_insert_with(|| quote(line));
    }
}
