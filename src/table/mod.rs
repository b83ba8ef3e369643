//! One game at a table: who plays, the tree of moves, the clocks, and what the engine is doing.
//!
//! The board in the browser and the game in the terminal drive a [`Table`] by [`Action`]s, wait for the events of its
//! search, and show what has changed. A table knows no wire, no words and no pictures.
//!
//! ```
//! use std::sync::Arc;
//!
//! use pentalith::games;
//! use pentalith::search::SystemClock;
//! use pentalith::session::Session;
//! use pentalith::table::{Action, Player, Span, Table};
//!
//! let clock = Arc::new(SystemClock::default());
//! let variant = games::parse_variant("markane:4x4").unwrap();
//! let session = Session::new(&variant, clock.clone()).unwrap();
//! let mut table = Table::new(session, [Player::Person; 2], clock);
//! table.apply(Action::Play("a2".to_owned())).unwrap();
//! table.apply(Action::Undo { span: Span::Play, times: 1 }).unwrap();
//! // The move that was taken back is still in the tree.
//! table.apply(Action::Play("b2".to_owned())).unwrap();
//! let start = table.path().first().and_then(|&first| table.parent(first)).unwrap();
//! assert_eq!(table.node(start).unwrap().children().len(), 2);
//! ```
#![deny(clippy::indexing_slicing)]

mod history;
mod record;
mod search;
mod seats;
mod timer;
mod tree;

use std::sync::Arc;
use std::time::Duration;

use thiserror::Error;

use crate::record::{GameRecord, GameResult, MoveRecord, SearchInformation};
use crate::rules::{Board, Color, PositionErrors, Variant};
use crate::search::Clock;
use crate::session::{Clicked, GameClock, HistoryError, Level, PlayError, Session, TimeSettings};

pub use crate::record::Cause;
pub use search::Purpose;
use search::Work;
pub use seats::Player;
use seats::Seat;
use timer::Timer;
use tree::Tree;
pub use tree::{Node, NodeId};

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

    /// Takes a game without a record.
    pub fn line(variant: Variant, start: Option<String>, moves: impl IntoIterator<Item = String>) -> Self {
        let moves = moves.into_iter();
        let moves = moves.map(|text| MoveRecord::new(text, Some(SearchInformation::default())));
        Self { variant, start, moves: moves.collect(), header: None }
    }
}

/// Action at a table.
#[derive(Clone, Debug)]
pub enum Action {
    /// Clicks on a cell, on `pool` or on `pass`: selects, lets go, or plays.
    Click(String),
    /// Plays a step, a move, or a part of one, for the side to move.
    Play(String),
    /// Goes back to where a person decided; first gives up a selection, or takes back a resignation or a loss on time.
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
    /// A point was selected, or the selection was given up.
    Selected,
    /// The game has ended for another reason than the rules.
    Ended(End),
    /// Such an end was taken back.
    Reopened(End),
    /// Another game has begun.
    Began,
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
    #[error("nobody can resign: the engine plays both sides")]
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

/// A game with its players.
pub struct Table {
    session: Session,
    tree: Tree,
    /// Nodes that undos have left, the last one on top.
    left: Vec<NodeId>,
    /// The first click of a step of two.
    selected: Option<String>,
    seats: [Seat; 2],
    /// Limit in nodes of the engine's moves and hints; 0 for none.
    nodes: u64,
    /// The limit in nodes that the table began with.
    own_nodes: u64,
    /// True if the engine waits to be asked for its move.
    is_paused: bool,
    work: Work,
    timer: Timer,
    now: Arc<dyn Clock>,
    /// The record of a game that was loaded, without its moves, and the node of its end.
    brought: Option<(Box<GameRecord>, NodeId)>,
}

impl Table {
    /// Starts a game at the position of a session, whose options hold the level of the engine and a limit in nodes.
    pub fn new(session: Session, players: [Player; 2], now: Arc<dyn Clock>) -> Self {
        let level = session.level();
        Self {
            tree: Tree::new(session.side()),
            left: Vec::new(),
            selected: None,
            seats: players.map(|player| Seat::new(player, level)),
            nodes: session.node_limit(),
            own_nodes: session.node_limit(),
            is_paused: false,
            work: Work::default(),
            timer: Timer::new(Arc::clone(&now)),
            now,
            brought: None,
            session,
        }
    }

    /// Returns the session, to ask for the position, for legal steps, and for what clicks mean.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Returns the board.
    pub fn board(&self) -> &dyn Board {
        self.session.board()
    }

    /// Returns one sentence for each resource that the system refused to the last search, each of them once.
    pub fn take_shortages(&mut self) -> Vec<String> {
        self.session.take_shortages()
    }

    /// Returns the selected point.
    pub fn selected(&self) -> Option<&str> {
        self.selected.as_deref()
    }

    /// Returns the players, Black first.
    pub fn players(&self) -> [Player; 2] {
        self.seats.each_ref().map(|seat| seat.player)
    }

    /// Returns the player of a side.
    pub fn player_of(&self, color: Color) -> Player {
        self.seat(color).player
    }

    /// Returns who moves next.
    pub fn player(&self) -> Player {
        self.player_of(self.session.side())
    }

    /// Returns the level of the engine, of the side to move if both have one.
    pub fn level(&self) -> Level {
        let side = self.session.side();
        let sides = [side, !side];
        let engine = sides.into_iter().find(|&color| self.player_of(color) == Player::Engine);
        self.seat(engine.unwrap_or(side)).level
    }

    /// Returns the end of the game for another reason than the rules.
    pub fn end(&self) -> Option<&End> {
        self.tree.here().end.as_ref()
    }

    /// Returns the winner of a game that is over, `None` for a draw.
    pub fn winner(&self) -> Option<Option<Color>> {
        let ended = self.end().map(End::winner);
        ended.or_else(|| self.session.outcome().map(|outcome| outcome.winner))
    }

    /// Returns true if the game is over, by the rules or for another reason.
    pub fn is_over(&self) -> bool {
        self.end().is_some() || self.board().is_over()
    }

    /// Returns true if a person may move now.
    pub fn is_persons_turn(&self) -> bool {
        !self.is_over() && self.player() == Player::Person
    }

    /// Returns true if the engine is to move, and waits to be asked.
    pub fn is_waiting(&self) -> bool {
        self.is_paused && !self.is_over() && self.player() == Player::Engine && !self.is_thinking()
    }

    /// Returns true if the engine does not move by itself.
    pub fn is_paused(&self) -> bool {
        self.is_paused
    }

    /// Returns the clocks as they stand now.
    pub fn clock(&self) -> Option<GameClock> {
        self.timer.reading(self.session.side())
    }

    /// Returns true if the clock of the side to move runs.
    pub fn is_clock_running(&self) -> bool {
        self.timer.is_running && !self.is_over()
    }

    /// Returns the time after which the clock of the side to move runs out, if it runs.
    pub fn time_left(&self) -> Option<Duration> {
        let clock = self.clock().filter(|_| self.is_clock_running())?;
        Some(clock.left(self.session.side()).time)
    }

    fn seat(&self, color: Color) -> &Seat {
        let [black, white] = &self.seats;
        match color {
            Color::Black => black,
            Color::White => white,
        }
    }

    fn seat_mut(&mut self, color: Color) -> &mut Seat {
        let [black, white] = &mut self.seats;
        match color {
            Color::Black => black,
            Color::White => white,
        }
    }

    /// Does something. What is due then begins with [`Table::resume`].
    ///
    /// # Errors
    /// Says why it can't be done. Nothing has changed then.
    pub fn apply(&mut self, action: Action) -> Result<Vec<Change>, Refusal> {
        let change = match action {
            Action::Click(point) => self.click(&point)?,
            Action::Play(text) => {
                self.expect_turn()?;
                self.play(&text, SearchInformation::default(), Player::Person)?
            }
            Action::Undo { span, times } => return self.undo(span, times),
            Action::Redo { times } => return self.redo(times),
            Action::GoTo(node) => {
                let change = self.move_to(node)?;
                self.left.clear();
                self.settle();
                change
            }
            Action::Resign => self.resign()?,
            Action::New(game) => {
                self.begin(*game)?;
                Change::Began
            }
            Action::Position(text) => {
                self.session.set_position(&text)?;
                self.begin_anew();
                Change::Began
            }
            Action::Load(game) => {
                self.load(*game)?;
                Change::Began
            }
            Action::Seats(players) => {
                self.stop();
                self.set_players(players);
                self.is_paused = false;
                Change::Settings
            }
            Action::Level(level) => {
                self.set_level(level);
                Change::Settings
            }
            Action::Time(time) => {
                self.session.set_time(time);
                Change::Settings
            }
            Action::Clocks(settings) => {
                self.set_clock(settings);
                Change::Settings
            }
            Action::Hint => {
                self.expect_unfinished()?;
                if self.player() == Player::Engine && !self.is_paused {
                    return Err(Refusal::HintForEngine);
                }
                self.stop();
                self.work.wants_hint = true;
                Change::Settings
            }
            Action::Analyze(is_on) => {
                self.work.is_analyzing = is_on;
                if !self.is_thinking() {
                    self.stop();
                }
                Change::Settings
            }
            Action::EngineMove => {
                self.expect_unfinished()?;
                match self.work.running {
                    Some((Purpose::Move, _)) => Change::Searches(Purpose::Move),
                    _ => self.search(Purpose::Move)?,
                }
            }
            Action::MoveNow => {
                if self.is_thinking() {
                    self.session.stop();
                }
                Change::Settings
            }
            Action::Continue => {
                self.is_paused = false;
                Change::Settings
            }
            Action::Pause => {
                self.stop();
                self.is_paused = true;
                Change::Settings
            }
        };
        Ok(vec![change])
    }

    /// Ends the game if the clock of the side to move has run out.
    pub fn check_clock(&mut self) -> Option<Change> {
        self.time_left().filter(Duration::is_zero)?;
        let loser = self.session.side();
        self.timer.played(loser, false);
        Some(self.end_early(End::Time(loser)))
    }

    fn expect_unfinished(&self) -> Result<(), Refusal> {
        if self.is_over() { Err(Refusal::Over) } else { Ok(()) }
    }

    /// Refuses while the engine is to choose. While it waits, a person may move in its place.
    fn expect_turn(&self) -> Result<(), Refusal> {
        self.expect_unfinished()?;
        match self.player() {
            Player::Engine if !self.is_paused => Err(Refusal::EnginesTurn(self.session.side())),
            _ => Ok(()),
        }
    }

    fn click(&mut self, point: &str) -> Result<Change, Refusal> {
        self.expect_turn()?;
        match self.session.click(self.selected.as_deref(), point)? {
            Clicked::Selects(point) => self.selected = Some(point),
            Clicked::LetsGo => self.selected = None,
            Clicked::Completes(step) => return self.play(&step, SearchInformation::default(), Player::Person),
        }
        Ok(Change::Selected)
    }

    /// Plays steps of the side to move, and takes their time from its clock.
    fn play(&mut self, text: &str, information: SearchInformation, by: Player) -> Result<Change, Refusal> {
        let (side, turn) = (self.session.side(), self.session.turn());
        self.session.play(side, text, false)?;
        let is_over = self.board().is_over();
        let time = self.timer.played(side, is_over || self.session.side() != side);
        self.timer.is_running &= !is_over;
        let mut node = Node::new(side, turn, self.session.last_play().unwrap_or_default());
        let time_ms = time.as_millis().try_into().unwrap_or(u64::MAX);
        node.information = Some(SearchInformation { time_ms, ..information });
        node.clock = self.timer.clock;
        self.tree.play(node);
        self.left.clear();
        self.is_paused = false;
        self.leave_position();
        self.take_seat(side);
        Ok(Change::Played { node: self.tree.current(), by })
    }

    fn resign(&mut self) -> Result<Change, Refusal> {
        self.expect_unfinished()?;
        let side = self.session.side();
        let loser = [side, !side].into_iter().find(|&color| self.player_of(color) == Player::Person);
        Ok(self.end_early(End::Resignation(loser.ok_or(Refusal::NobodyResigns)?)))
    }

    fn end_early(&mut self, end: End) -> Change {
        self.leave_position();
        self.timer.is_running = false;
        self.tree.here_mut().end = Some(end.clone());
        Change::Ended(end)
    }

    fn set_level(&mut self, level: Level) {
        for seat in &mut self.seats {
            seat.level = level;
        }
    }

    fn set_players(&mut self, players: [Player; 2]) {
        for (seat, player) in self.seats.iter_mut().zip(players) {
            seat.player = player;
        }
    }

    fn set_clock(&mut self, settings: Option<TimeSettings>) {
        self.timer.clock = settings.map(GameClock::new);
        self.timer.is_running = false;
        self.timer.restart();
        self.tree.here_mut().clock = self.timer.clock;
    }

    fn begin(&mut self, game: NewGame) -> Result<(), Refusal> {
        let NewGame { variant, players, level, time, clock } = game;
        match variant {
            Some(variant) if !self.session.set_variant(&variant) => return Err(Refusal::Variant(Box::new(variant))),
            Some(_) => {}
            None => self.session.restart(),
        }
        if let Some(level) = level {
            self.set_level(level);
        }
        if let Some(time) = time {
            self.session.set_time(time);
        }
        if let Some(players) = players {
            self.set_players(players);
        }
        self.begin_anew();
        self.set_clock(clock);
        Ok(())
    }

    /// Forgets the game before: the position of the session is the start of another one.
    fn begin_anew(&mut self) {
        self.leave_position();
        self.tree = Tree::new(self.board().fork_at(0).side());
        self.left.clear();
        self.brought = None;
        for seat in &mut self.seats {
            seat.brought = None;
        }
        self.is_paused = false;
        self.set_clock(self.timer.clock.map(|clock| clock.settings()));
    }
}
