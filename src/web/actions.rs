//! The actions of a page, and the ranges of their values.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::session::{Overtime, TimeSettings};
use crate::table::{self, StoredGame};
use crate::text::quote;

/// Maximum length of the text of a position, a variant or a move, in bytes. Quoting longer text would not help.
const MAX_TEXT: usize = 64 << 10;

/// Who decides the moves of a side.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Debug)]
#[serde(rename_all = "lowercase")]
pub(super) enum Player {
    Person,
    Engine,
}

impl From<Player> for table::Player {
    fn from(player: Player) -> Self {
        match player {
            Player::Person => Self::Person,
            Player::Engine => Self::Engine,
        }
    }
}

impl From<table::Player> for Player {
    fn from(player: table::Player) -> Self {
        match player {
            table::Player::Person => Self::Person,
            table::Player::Engine => Self::Engine,
        }
    }
}

/// An action of the page.
#[derive(Clone, Deserialize, Debug)]
#[serde(tag = "do", rename_all = "lowercase", deny_unknown_fields)]
pub(super) enum Action {
    Click {
        point: String,
    },
    Step {
        text: String,
    },
    Undo {},
    Redo {},
    /// To the position after this number of plays: back, or forward through what was taken back.
    Goto {
        plays: usize,
    },
    /// To the end of a variation, which this play begins.
    Variation {
        node: usize,
    },
    /// Makes the line to a play the main line.
    Promote {
        node: usize,
    },
    /// Removes a play and what follows it.
    Remove {
        node: usize,
    },
    /// To the position behind a play.
    Node {
        node: usize,
    },
    /// Reviews the game, or stops that.
    Review {
        on: bool,
    },
    /// Tries the mistakes that the review has found again.
    Retry {
        what: Retry,
    },
    /// Turns the board around, or back.
    Flip {
        on: bool,
    },
    New {
        variant: String,
        players: Option<Players>,
        level: Option<String>,
        seconds: Option<f64>,
        /// None: no clocks.
        clocks: Option<ClockSettings>,
    },
    Players {
        black: Player,
        white: Player,
    },
    Level {
        level: String,
    },
    Seconds {
        seconds: f64,
    },
    /// For how long each step is shown where the engine plays both sides.
    Pace {
        seconds: f64,
    },
    Hint {},
    Analysis {
        on: bool,
    },
    Now {},
    Engine {},
    Resign {},
    Position {
        text: String,
    },
    Load {
        text: String,
    },
    /// Begins with the game that the command line gives. Pages can't send it.
    #[serde(skip)]
    Given(Box<StoredGame>),
    Clocks {
        minutes: Option<f64>,
        #[serde(default)]
        increment: f64,
    },
}

/// Action on the mistakes of a review.
#[derive(Clone, Copy, Deserialize, Debug)]
#[serde(rename_all = "lowercase")]
pub(super) enum Retry {
    /// Goes to the position before the first one.
    Begin,
    /// Goes to the position before the present one again.
    Again,
    /// Goes to the position before the next one.
    Next,
    /// Goes back to the game.
    End,
}

/// Who decides the moves of both sides.
#[derive(Clone, Copy, Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct Players {
    pub(super) black: Player,
    pub(super) white: Player,
}

/// Time of each player.
#[derive(Clone, Copy, Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct ClockSettings {
    pub(super) minutes: f64,
    /// Seconds after each move.
    pub(super) increment: f64,
}

impl ClockSettings {
    /// Returns the time control.
    ///
    /// # Errors
    /// Names the ranges.
    pub(super) fn read(self) -> Result<TimeSettings, String> {
        let Self { minutes, increment } = self;
        if (0.05..=1440.0).contains(&minutes) && (0.0..=3600.0).contains(&increment) {
            Ok(TimeSettings {
                main: Duration::from_secs_f64(minutes * 60.0),
                overtime: Overtime::Increment(Duration::from_secs_f64(increment)),
            })
        } else {
            Err(format!(
                "clocks of {minutes} minutes and {increment} seconds a move: expected 0.05 to 1440 minutes and 0 to \
                 3600 seconds"
            ))
        }
    }
}

/// Returns the time of a move.
///
/// # Errors
/// Names the range.
pub(super) fn move_time(seconds: f64) -> Result<Duration, String> {
    if (0.01..=3600.0).contains(&seconds) {
        Ok(Duration::from_secs_f64(seconds))
    } else {
        Err(format!("{seconds} seconds a move: expected 0.01 to 3600"))
    }
}

/// Returns the time for which a step of a game of the engine against itself is shown.
///
/// # Errors
/// Names the range.
pub(super) fn pace(seconds: f64) -> Result<Duration, String> {
    if (0.0..=60.0).contains(&seconds) {
        Ok(Duration::from_secs_f64(seconds))
    } else {
        Err(format!("{seconds} seconds a step: expected 0 to 60"))
    }
}

/// Refuses text that is too long to have been typed.
pub(super) fn short(text: &str) -> Result<&str, String> {
    if text.len() <= MAX_TEXT { Ok(text) } else { Err(format!("{} has more than {MAX_TEXT} bytes", quote(text))) }
}
