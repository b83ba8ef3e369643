//! A game that was played, as it is kept: who played, what, and how it ended (`protocol/match.md`).

mod file;
mod text;

pub use file::{
    FileGames, ReadError, RecordFile, RecordFormat, Records, check_record, read_files, read_games,
};
pub use text::{Games, RecordError, parse_games, plain};

use std::fmt::{self, Display};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::client::output::SearchInfo;
use crate::rules::Color;

/// A finished game.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct GameRecord {
    /// Its number in the schedule, from 1.
    pub game: u64,
    /// The number of its opening in the schedule, from 1; the games of a pair share it.
    pub pair: u64,
    /// The variant, in its canonical form.
    pub variant: String,
    /// The day on which it began (UTC), as PGN writes it: `2026.01.31`.
    pub date: String,
    /// The seed of the match.
    pub seed: u64,
    /// What else held for every game of the match: `time-margin 200 balance 0.1`. Older records do not say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conditions: Option<String>,
    /// The position before the first move; `None` is the start of the variant.
    pub start: Option<String>,
    /// Who played Black.
    pub black: Seat,
    /// Who played White.
    pub white: Seat,
    /// Who won.
    pub result: GameResult,
    /// How it ended.
    pub cause: Cause,
    /// The reason by the rules, or what went wrong.
    pub reason: String,
    /// The name of whose fault it was, if something went wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
    /// Every move of both players in turn.
    pub moves: Vec<MoveRecord>,
}

impl GameRecord {
    /// Who played a colour.
    pub fn seat(&self, color: Color) -> &Seat {
        match color {
            Color::Black => &self.black,
            Color::White => &self.white,
        }
    }

    /// Where the players took over: the position at first and the moves that nobody had to find.
    pub fn opening(&self) -> Opening {
        let book = self.moves.iter().take_while(|made| made.thought.is_none());
        Opening {
            start: self.start.clone(),
            moves: book.map(|made| made.text.clone()).collect(),
        }
    }

    /// A player's points in half_points: 0, 1 or 2.
    pub fn half_points(&self, color: Color) -> usize {
        match self.result {
            GameResult::Draw => 1,
            GameResult::Black if color == Color::Black => 2,
            GameResult::White if color == Color::White => 2,
            _ => 0,
        }
    }
}

/// Where a game begins.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub struct Opening {
    /// The position at first; `None` is the start of the variant.
    pub start: Option<String>,
    /// Moves that are played from there.
    pub moves: Vec<String>,
}

impl Display for Opening {
    /// As UGI's `position` says it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.start {
            Some(position) => write!(f, "fen {position}")?,
            None => f.write_str("startpos")?,
        }
        if !self.moves.is_empty() {
            write!(f, " moves {}", self.moves.join(" "))?;
        }
        Ok(())
    }
}

/// A player of a game.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Debug)]
pub struct Seat {
    /// The name in the match.
    pub name: String,
    /// The engine: a search of ours, or a protocol and a command line.
    pub engine: String,
    /// The options that were set: `Threads=2 Hash=64`.
    pub options: String,
    /// What the engine calls itself, with its version.
    pub version: String,
    /// What it could use for a move or the game: `movetime 100`, `tc 10+0.1`, `nodes 1000`.
    pub limit: String,
}

/// The reason of a game in which a player gave up.
pub const RESIGNATION: &str = "resignation";

/// Who won.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Debug)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the names say it")]
pub enum GameResult {
    Black,
    White,
    Draw,
}

impl GameResult {
    /// A win, or a draw where nobody won.
    pub fn of(winner: Option<Color>) -> Self {
        match winner {
            Some(Color::Black) => Self::Black,
            Some(Color::White) => Self::White,
            None => Self::Draw,
        }
    }
}

impl Display for GameResult {
    /// As in PGN, White's points first.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Black => "0-1",
            Self::White => "1-0",
            Self::Draw => "1/2-1/2",
        })
    }
}

/// How a game ended.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Debug)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// By the rules, or a player resigned.
    Normal,
    /// A player's answer was no legal move.
    IllegalMove,
    /// A player answered too late.
    Time,
    /// A player's process ended, or its search broke.
    Crash,
    /// A player did not answer at all.
    Stall,
    /// A player refused a legal move of the other, or said another result than the rules.
    Disagreement,
    /// The game reached the most moves that the match allows, and is a draw.
    Length,
    /// Both players thought for long enough that one of them had lost.
    Adjudication,
    /// It was stopped. Such games are not kept.
    Aborted,
}

impl Cause {
    /// Every cause, in the order in which they are shown.
    pub const ALL: [Self; 9] = [
        Self::Normal,
        Self::IllegalMove,
        Self::Time,
        Self::Crash,
        Self::Stall,
        Self::Disagreement,
        Self::Length,
        Self::Adjudication,
        Self::Aborted,
    ];

    /// Whether an engine is to blame.
    pub fn is_failure(self) -> bool {
        !matches!(
            self,
            Self::Normal | Self::Length | Self::Adjudication | Self::Aborted
        )
    }
}

impl Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Normal => "normal",
            Self::IllegalMove => "illegal move",
            Self::Time => "time",
            Self::Crash => "crash",
            Self::Stall => "stall",
            Self::Disagreement => "disagreement",
            Self::Length => "length",
            Self::Adjudication => "adjudication",
            Self::Aborted => "aborted",
        })
    }
}

impl FromStr for Cause {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let found = Self::ALL
            .into_iter()
            .find(|cause| cause.to_string() == text);
        found.ok_or(())
    }
}

/// A move and what its player said of it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct MoveRecord {
    /// The whole move: its steps joined by commas.
    #[serde(rename = "move")]
    pub text: String,
    /// What it took to find; `None` for the moves of the opening.
    #[serde(default, skip_serializing_if = "Option::is_none", flatten)]
    pub thought: Option<Thought>,
}

impl MoveRecord {
    /// Makes one move of two answers by the same player.
    pub fn join(&mut self, later: Self) {
        self.text = format!("{},{}", self.text, later.text);
        if let (Some(thought), Some(later)) = (&mut self.thought, later.thought) {
            thought.add(later);
        }
    }
}

/// What it took to find a move, and what came of it.
#[derive(Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, Debug)]
pub struct Thought {
    /// The time until the answer came, in milliseconds.
    pub time_ms: u64,
    /// What the player thinks of its position.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<Score>,
    /// How many steps deep it looked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// How many nodes it searched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
}

impl From<SearchInfo> for Thought {
    fn from(info: SearchInfo) -> Self {
        Self {
            time_ms: 0,
            score: info.score,
            depth: info.depth,
            nodes: info.nodes,
        }
    }
}

impl Thought {
    /// What another answer of the same move adds.
    pub fn add(&mut self, later: Self) {
        *self = Self {
            time_ms: self.time_ms + later.time_ms,
            nodes: match (self.nodes, later.nodes) {
                (Some(a), Some(b)) => Some(a.saturating_add(b)),
                (a, b) => b.or(a),
            },
            score: later.score.or(self.score),
            depth: later.depth.or(self.depth),
        };
    }
}

pub use crate::session::Score;
