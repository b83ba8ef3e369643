//! The engine options, the same for every dialect.

use thiserror::Error;

use crate::notation::quote;
use crate::search::Settings;

/// One engine option: a whole number within bounds.
pub struct OptionInfo {
    /// Its name, in any case on input.
    pub name: &'static str,
    /// The value at the start.
    pub default: u64,
    /// The least value.
    pub min: u64,
    /// The greatest value.
    pub max: u64,
    /// What it does.
    pub about: &'static str,
    field: fn(&mut Options) -> &mut u64,
}

/// Every engine option.
pub static OPTIONS: &[OptionInfo] = &[
    OptionInfo {
        name: "Threads",
        default: 1,
        min: 1,
        max: 256,
        about: "threads that search at once",
        field: |options| &mut options.threads,
    },
    OptionInfo {
        name: "Hash",
        default: 256,
        min: 1,
        max: 65_536,
        about: "the most memory for the search, in MiB",
        field: |options| &mut options.hash,
    },
    OptionInfo {
        name: "Seed",
        default: 0,
        min: 0,
        max: u32::MAX as u64,
        about: "what the search's random numbers begin with",
        field: |options| &mut options.seed,
    },
    OptionInfo {
        name: "Nodes",
        default: 0,
        min: 0,
        max: 1_000_000_000_000,
        about: "playouts a search makes at most; 0 for no limit",
        field: |options| &mut options.nodes,
    },
];

/// The options' values.
#[derive(Clone, Debug)]
pub struct Options {
    threads: u64,
    hash: u64,
    seed: u64,
    /// The limit in nodes, 0 for none.
    pub nodes: u64,
}

impl Default for Options {
    fn default() -> Self {
        let mut options = Self {
            threads: 0,
            hash: 0,
            seed: 0,
            nodes: 0,
        };
        for option in OPTIONS {
            *(option.field)(&mut options) = option.default;
        }
        options
    }
}

/// Why an option was not set or shown.
#[derive(Clone, PartialEq, Eq, Error, Debug)]
pub enum OptionError {
    /// There is no such option.
    #[error("no option {}: there are {}", quote(.0), names())]
    Unknown(String),

    /// The option does not take this value.
    #[error("{name} {}: expected a number from {min} to {max}", quote(.value))]
    Value {
        /// The option.
        name: &'static str,
        /// What it was to be.
        value: String,
        /// The least value.
        min: u64,
        /// The greatest value.
        max: u64,
    },
}

fn names() -> String {
    let names: Vec<&str> = OPTIONS.iter().map(|option| option.name).collect();
    names.join(", ")
}

fn find(name: &str) -> Result<&'static OptionInfo, OptionError> {
    let found = OPTIONS
        .iter()
        .find(|option| option.name.eq_ignore_ascii_case(name));
    found.ok_or_else(|| OptionError::Unknown(name.to_owned()))
}

impl Options {
    /// Sets an option by name.
    ///
    /// # Errors
    /// Says which options or values there are.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        let option = find(name)?;
        let &OptionInfo { name, min, max, .. } = option;
        let number = value
            .parse()
            .ok()
            .filter(|number| (min..=max).contains(number));
        let number = number.ok_or_else(|| OptionError::Value {
            name,
            value: value.to_owned(),
            min,
            max,
        })?;
        *(option.field)(self) = number;
        Ok(())
    }

    /// The value of an option by name.
    ///
    /// # Errors
    /// Says which options there are.
    pub fn get(&self, name: &str) -> Result<u64, OptionError> {
        let option = find(name)?;
        Ok(*(option.field)(&mut self.clone()))
    }

    /// What a search works with.
    pub fn settings(&self) -> Settings {
        Settings {
            threads: self.threads as usize,
            memory: (self.hash as usize).saturating_mul(1 << 20),
            seed: self.seed,
        }
    }
}
