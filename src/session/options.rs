//! The engine options, the same for every dialect.

use std::time::Duration;

use thiserror::Error;

use crate::notation::VariantError;
use crate::rules::Method;
use crate::rules::{GameInfo, LEVELS};
use crate::search::Settings;
use crate::text::quote;

/// One engine option.
pub struct OptionInfo {
    /// Its name, in any case on input.
    pub name: &'static str,
    /// Its values.
    pub kind: OptionKind,
    /// What it does.
    pub about: &'static str,
    field: fn(&mut Options) -> &mut u64,
}

/// The values of an engine option.
#[derive(Clone, Copy, Debug)]
pub enum OptionKind {
    /// A whole number within bounds.
    Spin {
        /// The value at the start.
        default: u64,
        /// The least value.
        min: u64,
        /// The greatest value.
        max: u64,
    },
    /// One of some words; the first one at the start.
    Combo(&'static [&'static str]),
    /// A variant.
    Variant,
}

/// The levels of `Strength`: the best, and below it those of the game.
const LEVEL_NAMES: [&str; LEVELS + 1] = ["best", "strong", "good", "fair", "weak", "beginner"];

/// Every engine option.
pub static OPTIONS: &[OptionInfo] = &[
    OptionInfo {
        name: "Variant",
        kind: OptionKind::Variant,
        about: "the game; setting it starts that game",
        field: |options| &mut options.none,
    },
    OptionInfo {
        name: "Threads",
        kind: OptionKind::Spin {
            default: 1,
            min: 1,
            max: 256,
        },
        about: "threads that search at once",
        field: |options| &mut options.threads,
    },
    OptionInfo {
        name: "Hash",
        kind: OptionKind::Spin {
            default: 256,
            min: 1,
            max: 65_536,
        },
        about: "the most memory for the search, in MiB",
        field: |options| &mut options.hash,
    },
    OptionInfo {
        name: "MultiPV",
        kind: OptionKind::Spin {
            default: 1,
            min: 1,
            max: 500,
        },
        about: "how many variations are shown, each with another first step",
        field: |options| &mut options.lines,
    },
    OptionInfo {
        name: "Seed",
        kind: OptionKind::Spin {
            default: 0,
            min: 0,
            max: u32::MAX as u64,
        },
        about: "what the search's random numbers begin with",
        field: |options| &mut options.seed,
    },
    OptionInfo {
        name: "Nodes",
        kind: OptionKind::Spin {
            default: 0,
            min: 0,
            max: 1_000_000_000_000,
        },
        about: "the most nodes of a search, playouts with uct; 0 for no limit",
        field: |options| &mut options.nodes,
    },
    OptionInfo {
        name: "Moves",
        kind: OptionKind::Combo(&["whole", "step"]),
        about: "whether UGI's bestmove and pv show whole moves or single steps",
        field: |options| &mut options.moves,
    },
    OptionInfo {
        name: "MoveOverhead",
        kind: OptionKind::Spin {
            default: 15,
            min: 0,
            max: 10_000,
        },
        about: "milliseconds of each time that are kept for the way of the answer, of a fixed time at most half",
        field: |options| &mut options.overhead,
    },
    OptionInfo {
        name: "Search",
        kind: OptionKind::Combo(&["best", "uct", "pvs"]),
        about: "how moves are found: by principal variation search (best and pvs), or by random playouts (uct)",
        field: |options| &mut options.method,
    },
    OptionInfo {
        name: "Strength",
        kind: OptionKind::Combo(&LEVEL_NAMES),
        about: "best has no limit in nodes; weaker levels look at fewer nodes a move, by the game",
        field: |options| &mut options.level,
    },
];

impl OptionInfo {
    /// The value at the start; 0 for a variant.
    fn default(&self) -> u64 {
        match self.kind {
            OptionKind::Spin { default, .. } => default,
            OptionKind::Combo(_) | OptionKind::Variant => 0,
        }
    }

    /// The number that stands for a value.
    fn read(&'static self, value: &str) -> Result<u64, OptionError> {
        let bad = || OptionError::Value {
            option: self,
            value: value.to_owned(),
        };
        match self.kind {
            OptionKind::Spin { min, max, .. } => {
                let number = value.parse().ok();
                number
                    .filter(|number| (min..=max).contains(number))
                    .ok_or_else(bad)
            }
            OptionKind::Combo(words) => {
                let same = |word: &&str| word.eq_ignore_ascii_case(value);
                let place = words.iter().position(same);
                place.map(|place| place as u64).ok_or_else(bad)
            }
            OptionKind::Variant => Err(bad()),
        }
    }

    /// Whether this is the game itself, which is no number.
    pub(super) fn is_variant(&self) -> bool {
        matches!(self.kind, OptionKind::Variant)
    }
}

/// The options' values.
#[derive(Clone, Debug)]
pub struct Options {
    threads: u64,
    hash: u64,
    lines: u64,
    seed: u64,
    nodes: u64,
    moves: u64,
    overhead: u64,
    method: u64,
    level: u64,
    /// Where an option that is kept elsewhere points to.
    none: u64,
}

impl Default for Options {
    fn default() -> Self {
        let mut options = Self {
            threads: 0,
            hash: 0,
            lines: 0,
            seed: 0,
            nodes: 0,
            moves: 0,
            overhead: 0,
            method: 0,
            level: 0,
            none: 0,
        };
        for option in OPTIONS {
            *(option.field)(&mut options) = option.default();
        }
        options
    }
}

/// Why an option was not set or shown.
#[derive(Clone, Error, Debug)]
pub enum OptionError {
    /// There is no such option.
    #[error("no option {}: there are {}", quote(.0), names())]
    Unknown(String),

    /// The option does not take this value.
    #[error("{} {}: expected {}", option.name, quote(.value), expected(option))]
    Value {
        /// The option.
        option: &'static OptionInfo,
        /// What it was to be.
        value: String,
    },

    /// There is no such variant.
    #[error("Variant {0}")]
    Variant(#[from] VariantError),
}

impl std::fmt::Debug for OptionInfo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

fn names() -> String {
    let names: Vec<&str> = OPTIONS.iter().map(|option| option.name).collect();
    names.join(", ")
}

fn expected(option: &OptionInfo) -> String {
    match option.kind {
        OptionKind::Spin { min, max, .. } => format!("a number from {min} to {max}"),
        OptionKind::Combo(words) => format!("one of {}", words.join(", ")),
        OptionKind::Variant => "a variant".to_owned(),
    }
}

/// The option of a name.
pub(super) fn find(name: &str) -> Result<&'static OptionInfo, OptionError> {
    let found = OPTIONS
        .iter()
        .find(|option| option.name.eq_ignore_ascii_case(name));
    found.ok_or_else(|| OptionError::Unknown(name.to_owned()))
}

impl Options {
    /// Sets an option.
    pub(super) fn set(
        &mut self,
        option: &'static OptionInfo,
        value: &str,
    ) -> Result<(), OptionError> {
        *(option.field)(self) = option.read(value)?;
        Ok(())
    }

    /// The value of an option, as it is written.
    pub(super) fn get(&self, option: &OptionInfo) -> String {
        let value = *(option.field)(&mut self.clone());
        match option.kind {
            OptionKind::Combo(words) => {
                let word = words.get(value as usize).copied();
                word.unwrap_or_default().to_owned()
            }
            OptionKind::Spin { .. } | OptionKind::Variant => value.to_string(),
        }
    }

    /// What a search of a game works with.
    pub(super) fn settings(&self, game: &GameInfo) -> Settings {
        Settings {
            method: match self.method {
                0 => game.method,
                1 => Method::Uct,
                _ => Method::Pvs,
            },
            threads: self.threads as usize,
            memory: (self.hash as usize).saturating_mul(1 << 20),
            seed: self.seed,
        }
    }

    /// The nodes a move of a game may take at most.
    pub(super) fn nodes(&self, game: &GameInfo) -> Option<u64> {
        let place = (self.level as usize).checked_sub(1);
        let level = place.and_then(|place| game.levels.get(place).copied());
        let option = Some(self.nodes).filter(|&nodes| nodes > 0);
        level.into_iter().chain(option).min()
    }

    /// How many variations are shown.
    pub(super) fn lines(&self) -> usize {
        self.lines as usize
    }

    /// Whether moves are shown step by step.
    pub fn single_steps(&self) -> bool {
        self.moves == 1
    }

    /// What the way of an answer to the clock may cost.
    pub(super) fn overhead(&self) -> Duration {
        Duration::from_millis(self.overhead)
    }
}
