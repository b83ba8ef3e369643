//! Engine options, the same for every protocol.

use std::fmt::{self, Display};
use std::str::FromStr;
use std::time::Duration;

use thiserror::Error;

use crate::notation::VariantError;
use crate::rules::Method;
use crate::rules::{GameInfo, LEVELS};
use crate::search::Settings;
use crate::text::quote;

/// An engine option.
pub struct OptionInfo {
    /// Name. Input may be in any case.
    pub name: &'static str,
    /// Values.
    pub kind: OptionKind,
    /// Help text.
    pub about: &'static str,
    field: fn(&mut Options) -> &mut u64,
}

/// Values of an engine option.
#[derive(Clone, Copy, Debug)]
pub enum OptionKind {
    /// A whole number within bounds.
    Spin {
        /// Default value.
        default: u64,
        /// Minimum.
        min: u64,
        /// Maximum.
        max: u64,
    },
    /// One of several words. The first one is the default.
    Combo(&'static [&'static str]),
    /// A variant.
    Variant,
    /// A file, or [`NO_FILE`], the default.
    File,
}

/// Value of an option that takes a file, where it has none: as UCI writes empty strings.
pub const NO_FILE: &str = "<empty>";

/// Levels of `Strength`: the best, then those of the game from strong to weak.
const LEVEL_NAMES: [&str; LEVELS + 1] = ["best", "strong", "good", "fair", "weak", "beginner"];

/// A level of play: a value of `Strength`. The default is the best.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Level(usize);

impl Level {
    /// Returns all levels, the weakest first.
    pub fn all() -> impl ExactSizeIterator<Item = Self> {
        (0..LEVEL_NAMES.len()).rev().map(Self)
    }

    /// Returns the number of the level, from 1 for the weakest.
    pub fn number(self) -> usize {
        LEVEL_NAMES.len().saturating_sub(self.0)
    }

    /// Returns true if the level limits the nodes of a search.
    pub fn is_limited(self) -> bool {
        self != Self::default()
    }
}

impl Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(LEVEL_NAMES.get(self.0).copied().unwrap_or_default())
    }
}

impl FromStr for Level {
    type Err = OptionError;

    /// Reads the name of a level, in any case.
    fn from_str(text: &str) -> Result<Self, OptionError> {
        let index = OptionInfo::find("Strength")?.read(text)?;
        Ok(Self(index as usize))
    }
}

/// Values of the option `Search`: the method that is best for the game, and all methods.
pub const SEARCHES: [&str; 4] = {
    let [uct, pvs, puct] = Method::ALL;
    ["best", uct.name(), pvs.name(), puct.name()]
};

/// All engine options.
pub static OPTIONS: &[OptionInfo] = &[
    OptionInfo {
        name: "Variant",
        kind: OptionKind::Variant,
        about: "the game; setting it starts that game",
        field: |options| &mut options.none,
    },
    OptionInfo {
        name: "Threads",
        kind: OptionKind::Spin { default: 1, min: 1, max: 256 },
        about: "number of searching threads",
        field: |options| &mut options.threads,
    },
    OptionInfo {
        name: "Hash",
        kind: OptionKind::Spin { default: 256, min: 1, max: 65_536 },
        about: "upper bound for the memory of the search, in MiB",
        field: |options| &mut options.hash,
    },
    OptionInfo {
        name: "MultiPV",
        kind: OptionKind::Spin { default: 1, min: 1, max: 500 },
        about: "number of variations shown, each with another first step",
        field: |options| &mut options.lines,
    },
    OptionInfo {
        name: "Seed",
        kind: OptionKind::Spin { default: 0, min: 0, max: u32::MAX as u64 },
        about: "seed of the search's random numbers",
        field: |options| &mut options.seed,
    },
    OptionInfo {
        name: "Nodes",
        kind: OptionKind::Spin { default: 0, min: 0, max: 1_000_000_000_000 },
        about: "limit in nodes per search, playouts with uct; 0 for no limit",
        field: |options| &mut options.nodes,
    },
    OptionInfo {
        name: "Moves",
        kind: OptionKind::Combo(&["whole", "step"]),
        about: "unit of UGI's bestmove and pv: whole moves or single steps",
        field: |options| &mut options.moves,
    },
    OptionInfo {
        name: "MoveOverhead",
        kind: OptionKind::Spin { default: 10, min: 0, max: 10_000 },
        about: "time to keep for sending the answer, in ms; at most half of a fixed time",
        field: |options| &mut options.overhead,
    },
    OptionInfo {
        name: "Search",
        kind: OptionKind::Combo(&SEARCHES),
        about: "search method: the best one for the game, principal variation search (pvs), or Monte Carlo tree search \
                by playouts (uct) or evaluations (puct)",
        field: |options| &mut options.method,
    },
    OptionInfo {
        name: "Strength",
        kind: OptionKind::Combo(&LEVEL_NAMES),
        about: "level of play: best has no limit in nodes, weaker levels have a limit that depends on the game",
        field: |options| &mut options.level,
    },
    OptionInfo {
        name: "Contempt",
        kind: OptionKind::Combo(&["on", "off"]),
        about: "play as if a draw were worth less to the engine, where that wins more: in Gravel, with puct",
        field: |options| &mut options.contempt,
    },
    OptionInfo {
        name: "EvalFile",
        kind: OptionKind::File,
        about: "file of weights that tune has written, in place of those of the program",
        field: |options| &mut options.none,
    },
];

impl OptionInfo {
    /// Finds an option by name, in any case.
    ///
    /// # Errors
    /// Lists the options if there is none of this name.
    pub fn find(name: &str) -> Result<&'static Self, OptionError> {
        let found = OPTIONS.iter().find(|option| option.name.eq_ignore_ascii_case(name));
        found.ok_or_else(|| OptionError::Unknown(name.to_owned()))
    }

    /// Returns the values of the option in words, as in "a number from 1 to 256".
    pub fn expected(&self) -> String {
        match self.kind {
            OptionKind::Spin { min, max, .. } => format!("a number from {min} to {max}"),
            OptionKind::Combo(words) => format!("one of {}", words.join(", ")),
            OptionKind::Variant => "a variant".to_owned(),
            OptionKind::File => format!("a file, or {NO_FILE}"),
        }
    }

    /// Returns the default as a number; 0 for a variant and a file.
    fn default(&self) -> u64 {
        match self.kind {
            OptionKind::Spin { default, .. } => default,
            OptionKind::Combo(_) | OptionKind::Variant | OptionKind::File => 0,
        }
    }

    /// Returns the number of a value: the value itself, or the index of a word.
    ///
    /// # Errors
    /// The value is not one of the option.
    pub fn read(&'static self, value: &str) -> Result<u64, OptionError> {
        let bad = || OptionError::Value { option: self, value: value.to_owned() };
        match self.kind {
            OptionKind::Spin { min, max, .. } => {
                let number = value.parse().ok();
                number.filter(|number| (min..=max).contains(number)).ok_or_else(bad)
            }
            OptionKind::Combo(words) => {
                let same = |word: &&str| word.eq_ignore_ascii_case(value);
                let index = words.iter().position(same);
                index.map(|index| index as u64).ok_or_else(bad)
            }
            OptionKind::Variant | OptionKind::File => Err(bad()),
        }
    }
}

/// Values of all options. Words are stored by index.
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
    contempt: u64,
    /// Unused: the field of an option that is stored elsewhere.
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
            contempt: 0,
            none: 0,
        };
        for option in OPTIONS {
            *(option.field)(&mut options) = option.default();
        }
        options
    }
}

/// Error in setting or showing an option.
#[derive(Clone, Error, Debug)]
pub enum OptionError {
    /// There is no such option.
    #[error("no option {}: there are {}", quote(.0), names())]
    Unknown(String),

    /// The option does not take this value.
    #[error("{} {}: expected {}", option.name, quote(.value), option.expected())]
    Value {
        /// The option.
        option: &'static OptionInfo,
        /// The rejected value.
        value: String,
    },

    /// The file is not one of the option.
    #[error("{} {}: {reason}", option.name, quote(.file))]
    File {
        /// The option.
        option: &'static OptionInfo,
        /// The file.
        file: String,
        /// Reason.
        reason: String,
    },

    /// The variant does not exist.
    #[error("Variant {0}")]
    Variant(#[from] VariantError),
}

impl fmt::Debug for OptionInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

fn names() -> String {
    let names: Vec<&str> = OPTIONS.iter().map(|option| option.name).collect();
    names.join(", ")
}

impl Options {
    /// Sets an option.
    ///
    /// # Errors
    /// Names the values that the option takes.
    pub(super) fn set(&mut self, option: &'static OptionInfo, value: &str) -> Result<(), OptionError> {
        *(option.field)(self) = option.read(value)?;
        Ok(())
    }

    /// Returns the value of an option as text.
    pub(super) fn get(&self, option: &OptionInfo) -> String {
        let value = *(option.field)(&mut self.clone());
        match option.kind {
            OptionKind::Combo(words) => {
                let word = words.get(value as usize).copied();
                word.unwrap_or_default().to_owned()
            }
            OptionKind::Spin { .. } | OptionKind::Variant | OptionKind::File => value.to_string(),
        }
    }

    /// Returns whether a search for a move avoids draws.
    pub(super) fn has_contempt(&self) -> bool {
        self.contempt == 0
    }

    /// Returns the settings of a search; the game chooses the method where the option leaves it open.
    pub(super) fn settings(&self, game: &GameInfo) -> Settings {
        Settings {
            method: (self.method as usize)
                .checked_sub(1)
                .and_then(|index| Method::ALL.get(index).copied())
                .unwrap_or(game.method),
            threads: self.threads as usize,
            memory: (self.hash as usize).saturating_mul(1 << 20),
            seed: self.seed,
        }
    }

    /// Returns the limit in nodes per move: the lower one of `Nodes` and `Strength`.
    pub(super) fn nodes(&self, game: &GameInfo) -> Option<u64> {
        let index = (self.level as usize).checked_sub(1);
        let level = index.and_then(|index| game.levels.get(index).copied());
        let option = Some(self.nodes).filter(|&nodes| nodes > 0);
        level.into_iter().chain(option).min()
    }

    pub(super) fn level(&self) -> Level {
        Level(self.level as usize)
    }

    pub(super) fn set_level(&mut self, level: Level) {
        self.level = level.0 as u64;
    }

    /// Returns the option `Nodes`.
    pub(super) fn node_limit(&self) -> u64 {
        self.nodes
    }

    pub(super) fn set_node_limit(&mut self, nodes: u64) {
        self.nodes = nodes;
    }

    /// Returns the number of variations to report.
    pub(super) fn lines(&self) -> usize {
        self.lines as usize
    }

    /// Returns whether moves are shown step by step.
    pub fn single_steps(&self) -> bool {
        self.moves == 1
    }

    /// Returns the time to keep for sending an answer.
    pub(super) fn overhead(&self) -> Duration {
        Duration::from_millis(self.overhead)
    }
}
