//! Who plays at a table, and what records say of them.

use std::time::Duration;

use crate::record;
use crate::rules::Color;
use crate::session::{Level, MAX_TIME_MS};

/// Who decides the moves of a side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Player {
    /// Somebody at the table.
    Person,
    /// The search of this program.
    Engine,
}

/// A side of a game.
#[derive(Clone, Debug)]
pub(super) struct Seat {
    pub(super) player: Player,
    /// Level of the engine.
    pub(super) level: Level,
    /// Seat that a record brought, until another player plays.
    pub(super) brought: Option<record::Seat>,
}

/// Player of a seat of a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Recorded {
    Person,
    /// The search of this program, at a level, with a time for a move and a limit in nodes where the record has them.
    Engine {
        level: Level,
        limit: Option<Limit>,
    },
    /// Another engine, or another search.
    Other,
}

/// Limit of the engine's moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Limit {
    MoveTime(Duration),
    Nodes(u64),
}

/// Engine of a seat of this program at a table.
const ENGINE: &str = "best";

impl Recorded {
    pub(super) fn read(seat: &record::Seat) -> Self {
        if seat.engine == record::PERSON {
            return Self::Person;
        }
        if seat.engine != ENGINE || !seat.version.starts_with("pentalith ") {
            return Self::Other;
        }
        let level = seat.options.split(' ').find_map(|word| word.strip_prefix("Strength="));
        let limit = match seat.limit.split_once(' ') {
            Some(("movetime", number)) => number.parse().ok().map(|time: u64| {
                let time = time.min(MAX_TIME_MS.into());
                Limit::MoveTime(Duration::from_millis(time))
            }),
            Some(("nodes", number)) => number.parse().ok().map(Limit::Nodes),
            _ => None,
        };
        let level = level.and_then(|name| name.parse().ok()).unwrap_or_default();
        Self::Engine { level, limit }
    }

    pub(super) fn player(self) -> Player {
        match self {
            Self::Person => Player::Person,
            Self::Engine { .. } | Self::Other => Player::Engine,
        }
    }
}

/// Settings of the engine that records have.
pub(super) struct Settings {
    pub(super) threads: String,
    pub(super) nodes: u64,
    pub(super) time_ms: u128,
}

impl Seat {
    pub(super) fn new(player: Player, level: Level) -> Self {
        Self { player, level, brought: None }
    }

    /// Returns the seat of who plays here, as a record has it. Two of a kind have different names, so that a fault
    /// names one of them.
    pub(super) fn record(&self, color: Color, other: &Self, settings: &Settings) -> record::Seat {
        let name = |kind: &str| {
            if self.player == other.player { format!("{kind} ({color})") } else { kind.to_owned() }
        };
        let Settings { threads, nodes, time_ms } = settings;
        match self.player {
            Player::Person => record::Seat::person(name("person")),
            Player::Engine => record::Seat {
                name: name("pentalith"),
                engine: ENGINE.to_owned(),
                options: format!("Strength={} Threads={threads}", self.level),
                version: format!("pentalith {}", env!("CARGO_PKG_VERSION")),
                limit: if self.level.is_limited() || *nodes > 0 {
                    format!("nodes {nodes}")
                } else {
                    format!("movetime {time_ms}")
                },
            },
        }
    }
}
