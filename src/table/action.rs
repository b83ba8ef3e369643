//! Actions at a table, the changes that they make, and why they are refused.

use std::time::Duration;

use thiserror::Error;

use super::seats::Player;
use super::tree::NodeId;
use crate::record::{Cause, GameRecord, GameResult, MoveRecord, SearchInformation};
use crate::rules::{Color, PositionErrors, Variant};
use crate::session::{HistoryError, Level, PlayError, TimeSettings};

/// The end of a game for another reason than the rules.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// This player resigned.
    Resignation(Color),
    /// This player's clock ran out.
    Time(Color),
    /// The game ended as its record says: adjudicated, say, or by a failure of an engine.
    Recorded {
        /// Result.
        result: GameResult,
        /// Cause.
        cause: Cause,
        /// Description.
        reason: String,
        /// Name of the player at fault.
        fault: Option<String>,
    },
}

impl End {
    /// Returns the winner; `None` for a draw.
    pub fn winner(&self) -> Option<Color> {
        match self {
            Self::Resignation(loser) | Self::Time(loser) => Some(!*loser),
            Self::Recorded { result, .. } => match result {
                GameResult::Black => Some(Color::Black),
                GameResult::White => Some(Color::White),
                GameResult::Draw | GameResult::Unfinished => None,
            },
        }
    }
}

/// Extent of an undo.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Span {
    /// To before the last play of a person.
    Play,
    /// To before the last turn of a person; within an unfinished turn, to before its last play.
    Turn,
}

/// A game that begins.
#[derive(Clone, Default, Debug)]
pub struct NewGame {
    /// Variant; `None` for the present one.
    pub variant: Option<Variant>,
    /// Players, Black first; `None` for the present ones.
    pub players: Option<[Player; 2]>,
    /// Level of the engine; `None` for the present one.
    pub level: Option<Level>,
    /// Time for a move of the engine; `None` for the present one.
    pub time: Option<Duration>,
    /// Clocks; `None` for none.
    pub clock: Option<TimeSettings>,
}

/// A game that was played elsewhere.
#[derive(Clone, Debug)]
pub struct StoredGame {
    /// Variant.
    pub variant: Variant,
    /// Start position; `None` for that of the variant.
    pub start: Option<String>,
    /// Moves, or parts of moves.
    pub moves: Vec<MoveRecord>,
    /// Players, result and the rest of its record, if there is one.
    pub header: Option<Box<GameRecord>>,
}

impl StoredGame {
    /// Takes the game of a record, whose variant is this one.
    pub fn of(variant: Variant, mut record: GameRecord) -> Self {
        let moves = std::mem::take(&mut record.moves);
        Self { variant, start: record.start.clone(), moves, header: Some(Box::new(record)) }
    }

    /// Returns whether there is nothing but the start of the variant.
    pub fn is_blank(&self) -> bool {
        self.header.is_none() && self.start.is_none() && self.moves.is_empty()
    }

    /// Takes a game without a record.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use pentalith::{games, search::SystemClock, session::Session};
    /// # use pentalith::table::{Action, Player, StoredGame, Table};
    /// # let clock = Arc::new(SystemClock::default());
    /// # let variant = games::parse_variant("markane:4x4").unwrap();
    /// # let session = Session::new(&variant, clock.clone()).unwrap();
    /// let mut table = Table::new(session, [Player::Person; 2], clock);
    /// let game = StoredGame::line(variant, None, ["a2".to_owned(), "c3".to_owned()]);
    /// table.apply(Action::Load(Box::new(game))).unwrap();
    /// assert_eq!(table.session().moves(), ["a2", "c3"]);
    /// ```
    pub fn line(variant: Variant, start: Option<String>, moves: impl IntoIterator<Item = String>) -> Self {
        let moves = moves.into_iter();
        let moves = moves.map(|text| MoveRecord::new(text, Some(SearchInformation::default())));
        Self { variant, start, moves: moves.collect(), header: None }
    }
}

/// Remark of a review on a move.
#[derive(Clone, Default, Debug)]
pub struct Remark {
    /// Score for the side that moved, with the depth and the nodes of its search.
    pub information: SearchInformation,
    /// Numeric annotation glyphs, as in PGN.
    pub nags: Vec<u8>,
    /// Words.
    pub comment: Option<String>,
    /// A better line; none if the move was good.
    pub better: Vec<MoveRecord>,
}

/// Action at a table.
#[derive(Clone, Debug)]
pub enum Action {
    /// Clicks on a cell, on `pool` or on `pass`: selects, lets go, or plays.
    Click(String),
    /// Plays a step, a move, or a part of one, for the side to move.
    Play(String),
    /// Goes back to where a person decided; first gives up a selection, or takes back a resignation or a loss on time.
    /// At the start, goes back to the game before this one.
    Undo {
        /// Extent of one undo.
        span: Span,
        /// Number of undos. If there are fewer, all of them.
        times: u32,
    },
    /// Goes forward to where the last undo began, or to where a person decides next, this many times.
    Redo {
        /// Number of redos. If there are fewer, all of them.
        times: u32,
    },
    /// Goes to a node of the tree.
    GoTo(NodeId),
    /// Makes the line to a node the main line.
    Promote(NodeId),
    /// Removes a play and what follows it. The game goes to the position before it, if it is among them.
    Remove(NodeId),
    /// Gives the game up for the person to move, or else for the other one.
    Resign,
    /// Begins another game.
    New(Box<NewGame>),
    /// Begins a game at a position.
    Position(String),
    /// Goes on with a game from elsewhere, at its end, and with its players, if its record says who they were.
    Load(Box<StoredGame>),
    /// Sets who plays, Black first.
    Seats([Player; 2]),
    /// Sets the level of the engine.
    Level(Level),
    /// Sets the time for a move of the engine.
    Time(Duration),
    /// Sets the clocks, or removes them.
    Clocks(Option<TimeSettings>),
    /// Asks for a hint.
    Hint,
    /// Switches the analysis on or off.
    Analyze(bool),
    /// Lets the engine play a move for the side to move.
    EngineMove,
    /// Ends the search for a move or a hint, which then answers.
    MoveNow,
    /// Lets the engine move again by itself, after an undo, say.
    Continue,
    /// Lets the engine wait until it is asked.
    Pause,
}

/// Purpose of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// The engine's move.
    Move,
    /// A move for a person, by the engine at its best.
    Hint,
    /// An analysis of the position, until something else is done.
    Analysis,
}

/// Change at a table.
#[derive(Clone, Debug)]
pub enum Change {
    /// A play was made, and led to this node.
    Played {
        /// The node behind it.
        node: NodeId,
        /// Who chose it.
        by: Player,
    },
    /// The game went to another node.
    Moved {
        /// Node that it left.
        from: NodeId,
        /// Node at which it is.
        to: NodeId,
    },
    /// Lines were promoted or removed.
    Tree,
    /// A point was selected, or the selection was given up.
    Selected,
    /// The game has ended for another reason than the rules.
    Ended(End),
    /// Such an end was taken back.
    Reopened(End),
    /// Another game has begun.
    Began,
    /// Resumes the game that was left when another one began, or the later one again.
    Resumed,
    /// Players, levels, times or clocks were set, or the engine waits, or no longer.
    Settings,
    /// A search has begun.
    Searches(Purpose),
    /// There is news of a search.
    Progress,
    /// There is a hint.
    Hint,
    /// A search has failed, or its move can't be played.
    Failed(Refusal),
}

/// Reason why an action can't be done. Nothing has changed then.
#[derive(Clone, PartialEq, Error, Debug)]
pub enum Refusal {
    /// A move can't be played.
    #[error(transparent)]
    Play(#[from] PlayError),
    /// The engine chooses the moves of this side.
    #[error("it is the engine's turn: {0} is the engine")]
    EnginesTurn(Color),
    /// A hint is asked for while the engine is to move.
    #[error("a hint is for a person's move, and it is the engine's turn")]
    HintForEngine,
    /// The game is over.
    #[error("the game is over")]
    Over,
    /// Nothing was played.
    #[error("nothing can be taken back: this is the start")]
    NothingToUndo,
    /// Nothing was taken back.
    #[error("nothing was taken back")]
    NothingToRedo,
    /// There is no such node in the tree.
    #[error("there is no such position in this game")]
    NoNode,
    /// The engine plays both sides.
    #[error("no one can resign: the engine plays both sides")]
    NobodyResigns,
    /// The catalogue has no such game.
    #[error("{0} can't be opened")]
    Variant(Box<Variant>),
    /// A position is not valid.
    #[error("bad position: {0}")]
    Position(#[from] PositionErrors),
    /// A game from elsewhere can't be replayed.
    #[error(transparent)]
    History(#[from] HistoryError),
    /// The search has ended without a result.
    #[error("the search failed; see the log")]
    Search,
}
