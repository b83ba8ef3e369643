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

mod action;
mod games;
mod history;
mod record;
mod search;
mod seats;
mod timer;
mod tree;

use std::cell::RefCell;
use std::sync::Arc;
use std::time::Duration;

use crate::record::{GameRecord, SearchInformation};
use crate::rules::{Board, Color, Variant};
use crate::search::Clock;
use crate::session::{Clicked, GameClock, Level, Session, TimeSettings};

pub use crate::record::Cause;
pub use action::{Action, Change, End, NewGame, Purpose, Refusal, Remark, Span, StoredGame};
use games::LeftGames;
use search::Work;
pub use seats::Player;
use seats::Seat;
use timer::Timer;
use tree::Tree;
pub use tree::{Node, NodeId};

/// Origin of a game that was loaded.
struct Brought {
    /// Its record without the moves; `None` for a link.
    header: Option<Box<GameRecord>>,
    /// The node of its end.
    end: NodeId,
}

/// A game with its players.
pub struct Table {
    session: Session,
    tree: Tree,
    /// Nodes that undos have left, the last one on top.
    left: Vec<NodeId>,
    games: LeftGames,
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
    brought: Option<Brought>,
    /// The program that has annotated the game.
    annotator: Option<String>,
    /// The start position of the last variant that was asked for.
    usual_start: RefCell<Option<(Variant, String)>>,
}

impl Table {
    /// Starts a game at the position of a session, whose options hold the level of the engine and a limit in nodes.
    pub fn new(session: Session, players: [Player; 2], now: Arc<dyn Clock>) -> Self {
        let level = session.level();
        Self {
            tree: Tree::new(session.side()),
            left: Vec::new(),
            games: LeftGames::default(),
            selected: None,
            seats: players.map(|player| Seat::new(player, level)),
            nodes: session.node_limit(),
            own_nodes: session.node_limit(),
            is_paused: false,
            work: Work::default(),
            timer: Timer::new(Arc::clone(&now)),
            now,
            brought: None,
            annotator: None,
            usual_start: RefCell::default(),
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

    /// Returns true if the game came from elsewhere.
    pub fn is_loaded(&self) -> bool {
        self.brought.is_some()
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

    /// Returns the present state of the clocks.
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
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use pentalith::{games, search::SystemClock, session::Session};
    /// # use pentalith::table::{Action, Player, Table};
    /// # let clock = Arc::new(SystemClock::default());
    /// # let variant = games::parse_variant("markane:4x4").unwrap();
    /// # let session = Session::new(&variant, clock.clone()).unwrap();
    /// let mut table = Table::new(session, [Player::Person; 2], clock);
    /// table.apply(Action::Play("a2".to_owned())).unwrap();
    /// let refusal = table.apply(Action::Play("a2".to_owned())).unwrap_err();
    /// assert!(refusal.to_string().contains("a2"));
    /// table.apply(Action::Resign).unwrap();
    /// assert!(table.is_over());
    /// ```
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
            Action::Promote(node) => {
                self.node(node).ok_or(Refusal::NoNode)?;
                self.tree.promote(node);
                Change::Tree
            }
            Action::Remove(node) => return self.remove(node),
            Action::Resign => self.resign()?,
            Action::New(game) => {
                self.begin(*game)?;
                Change::Began
            }
            Action::Position(text) => {
                let before = self.beginning();
                self.session.set_position(&text)?;
                self.begin_anew(before);
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
                if is_on {
                    // Its moves are to be seen.
                    self.work.hint = None;
                }
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
        self.reset_clock(settings);
        self.tree.here_mut().clock = self.timer.clock;
    }

    fn reset_clock(&mut self, settings: Option<TimeSettings>) {
        self.timer.clock = settings.map(GameClock::new);
        self.timer.is_running = false;
        self.timer.restart();
    }

    fn begin(&mut self, game: NewGame) -> Result<(), Refusal> {
        let NewGame { variant, players, level, time, clock } = game;
        let before = self.beginning();
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
        self.begin_anew(before);
        self.set_clock(clock);
        Ok(())
    }
}
