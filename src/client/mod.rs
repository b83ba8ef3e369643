//! Clients of other engines: processes with deadlines, transcripts, and one client per protocol.
//!
//! Matches and conformance checks share them. A client accepts whatever a match can use, and records the deviations
//! that the checks report. It knows nothing of our own engine's protocol code.
#![deny(clippy::indexing_slicing)]

pub(crate) mod adjudicator;
pub(crate) mod connection;
pub(crate) mod gtp;
pub mod output;
pub mod pauses;
pub mod process;
pub(crate) mod transcript;
pub(crate) mod ugi;

use std::ffi::OsString;
use std::fmt::{self, Display};
use std::path::PathBuf;

use crate::text::quote;

/// A protocol between engines and their clients.
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
    /// Arguments of the program.
    pub arguments: Vec<OsString>,
    /// Working folder, if it is another one than that of this program.
    pub folder: Option<PathBuf>,
    /// Variables that are set in its environment.
    pub environment: Vec<(String, String)>,
}

impl Command {
    /// Creates a command line from its words, of which the first is the program.
    pub fn new(words: impl IntoIterator<Item = OsString>) -> Self {
        let mut words = words.into_iter();
        Self {
            program: words.next().unwrap_or_default(),
            arguments: words.collect(),
            folder: None,
            environment: Vec::new(),
        }
    }
}

impl Display for Command {
    /// Formats the command line for a shell.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut words = Vec::new();
        if self.folder.is_some() || !self.environment.is_empty() {
            words.push("env".to_owned());
            let folder = self.folder.iter().flat_map(|folder| ["-C".to_owned(), folder.display().to_string()]);
            words.extend(folder);
            words.extend(self.environment.iter().map(|(name, value)| format!("{name}={value}")));
        }
        let command = [&self.program].into_iter().chain(&self.arguments);
        words.extend(command.map(|word| word.to_string_lossy().into_owned()));
        let words = words.iter().map(String::as_str);
        // Only a zero byte can't be quoted, and no command line holds one.
        f.write_str(&shlex::try_join(words).unwrap_or_default())
    }
}

/// Unsolicited lines: the first one, quoted, and their number.
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
