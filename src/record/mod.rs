//! Records of games: players, moves, and results, as `docs/matches.md` describes them.
#![deny(clippy::indexing_slicing)]

mod abstract_play;
mod file;
mod json;
mod lexer;
mod opening;
mod outcome;
mod parser;
mod reader;
mod text;

pub use abstract_play::AbstractPlayRecord;
pub use file::{
    ReadError, RecordFile, RecordFormat, Records, check_record, read_damaged, read_file, read_finished, read_games,
};
pub use lexer::sign;
pub use opening::{Opening, split_opening};
pub use outcome::{Outcome, Outcomes, read_outcomes};
pub use parser::MAX_DEPTH;
pub use reader::{DamagedGame, FileGames, ReadOptions, read_move_list};
pub use text::{Games, RecordError, parse_games, plain, remark};

use std::fmt::{self, Display};
use std::str::FromStr;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use crate::rules::Color;

/// The step by which the second player takes the first player's pieces.
const SWAP: &str = "swap";

/// A finished game.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct GameRecord {
    /// Number in the schedule, from 1.
    pub game: u64,
    /// Number of the opening in the schedule, from 1. The games of a pair share it.
    pub pair: u64,
    /// Canonical variant.
    pub variant: String,
    /// Date of the start (UTC), as in PGN: `2026.01.31`.
    pub date: String,
    /// Seed of the match.
    pub seed: u64,
    /// Further conditions of the match, such as `time-margin 200 balance 0.1`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conditions: Option<String>,
    /// Start position; `None` for the start of the variant.
    pub start: Option<String>,
    /// Engine of Black.
    pub black: Seat,
    /// Engine of White.
    pub white: Seat,
    /// Result.
    pub result: GameResult,
    /// Cause of the end.
    pub cause: Cause,
    /// Reason by the rules, or description of the failure.
    pub reason: String,
    /// Name of the engine at fault.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
    /// Remark before the first move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// Moves of both players.
    pub moves: Vec<MoveRecord>,
    /// Other tags of the text, in their order, which are kept and written back. `Event` and `Site` are among them where
    /// somebody else has named them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<(String, String)>,
}

impl GameRecord {
    /// Returns the engine of a color.
    pub fn seat(&self, color: Color) -> &Seat {
        match color {
            Color::Black => &self.black,
            Color::White => &self.white,
        }
    }

    /// Returns the opening: the start position and the moves that were not searched.
    pub fn opening(&self) -> Opening {
        let book = self.moves.iter().take_while(|made| made.information.is_none());
        Opening { start: self.start.clone(), moves: book.map(|made| made.text.clone()).collect() }
    }

    /// Returns the score of a color in half points: 0, 1 or 2.
    pub fn half_points(&self, color: Color) -> usize {
        match self.result {
            GameResult::Draw => 1,
            GameResult::Black if color == Color::Black => 2,
            GameResult::White if color == Color::White => 2,
            _ => 0,
        }
    }
}

/// An engine in a game.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Debug)]
pub struct Seat {
    /// Name in the match.
    pub name: String,
    /// The built-in search, or protocol and command line.
    pub engine: String,
    /// Options set, such as `Threads=2 Hash=64`.
    pub options: String,
    /// Name and version that the engine reports.
    pub version: String,
    /// Time control: `movetime 100`, `tc 10+0.1`, `nodes 1000`.
    pub limit: String,
}

/// Tag of the program or the person that has annotated a game.
pub const ANNOTATOR: &str = "Annotator";

/// Engine of the seat of a person.
pub const PERSON: &str = "person";

impl Seat {
    /// Returns the seat of a person.
    pub fn person(name: String) -> Self {
        let engine = PERSON.to_owned();
        Self { name, engine, options: String::new(), version: String::new(), limit: String::new() }
    }
}

/// Reason of a game that ended by resignation.
pub const RESIGNATION: &str = "resignation";

/// Reason of a draw that the players agreed on.
pub const AGREEMENT: &str = "agreement";

/// Reason of a record whose game goes on.
pub const UNFINISHED: &str = "unfinished";

/// Result of a game.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Debug)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the names say it")]
pub enum GameResult {
    Black,
    White,
    Draw,
    /// The game continues. Matches write no such records; `pentalith play` and `pentalith board` do.
    Unfinished,
}

impl GameResult {
    /// Returns the result with this winner; `None` for a draw.
    pub fn of(winner: Option<Color>) -> Self {
        match winner {
            Some(Color::Black) => Self::Black,
            Some(Color::White) => Self::White,
            None => Self::Draw,
        }
    }
}

impl Display for GameResult {
    /// Formats the result as in PGN, White's points first.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Black => "0-1",
            Self::White => "1-0",
            Self::Draw => "1/2-1/2",
            Self::Unfinished => "*",
        })
    }
}

/// Cause of the end of a game.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Debug)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// The rules, or a resignation.
    Normal,
    /// A player answered no legal move.
    IllegalMove,
    /// A player exceeded its time limit.
    Time,
    /// The process of a player ended, or its search failed.
    Crash,
    /// A player did not answer at all.
    Stall,
    /// A player refused a legal move, or reported another result than the rules.
    Disagreement,
    /// The game reached the maximum number of moves, and is a draw.
    Length,
    /// Both players agreed that one of them had lost.
    Adjudication,
    /// The game was aborted, or it goes on. Matches do not record such games.
    Aborted,
}

impl Cause {
    /// All causes, in the order of reports.
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

    /// Returns true if an engine is at fault.
    pub fn is_failure(self) -> bool {
        !matches!(self, Self::Normal | Self::Length | Self::Adjudication | Self::Aborted)
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
        let found = Self::ALL.into_iter().find(|cause| cause.to_string() == text);
        found.ok_or(())
    }
}

/// A move with the search information of its player.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct MoveRecord {
    /// The whole move: its steps joined by commas.
    #[serde(rename = "move")]
    pub text: String,
    /// Search information; `None` for moves of the opening.
    #[serde(default, skip_serializing_if = "Option::is_none", flatten)]
    pub information: Option<SearchInformation>,
    /// Remark on the move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// Numeric annotation glyphs, as in PGN: 1 for `!`, 2 for `?`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nags: Vec<u8>,
    /// Other lines from the position before the move.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variations: Vec<Line>,
}

/// A variation.
#[derive(Clone, PartialEq, Eq, Default, Serialize, Deserialize, Debug)]
pub struct Line {
    /// Remark before the first move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// Moves of both players.
    pub moves: Vec<MoveRecord>,
}

impl MoveRecord {
    /// Creates the record of a move without annotations.
    pub fn new(text: impl Into<String>, information: Option<SearchInformation>) -> Self {
        Self { text: text.into(), information, comment: None, nags: Vec::new(), variations: Vec::new() }
    }

    /// Appends another part of the same move. Its variations begin with the part before it.
    pub fn join(&mut self, later: Self) {
        for mut line in later.variations {
            if let Some(first) = line.moves.first_mut() {
                first.text = format!("{},{}", self.text, first.text);
            }
            self.variations.push(line);
        }
        self.text = format!("{},{}", self.text, later.text);
        self.nags.extend(later.nags);
        if let (Some(information), Some(later)) = (&mut self.information, later.information) {
            information.add(later);
        }
        self.comment = match (self.comment.take(), later.comment) {
            (Some(comment), Some(later)) => Some(format!("{comment} {later}")),
            (comment, later) => comment.or(later),
        };
    }
}

pub use crate::session::{Score, SearchInformation};

/// Returns the date in UTC as records have it, such as 2026.03.31.
pub fn today() -> String {
    let now = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
    let (date, _) = now.split_once('T').unwrap_or((&now, ""));
    date.replace('-', ".")
}
