//! The game of one tab: a table, which a page drives.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::Receiver;

use super::actions::Retry;
use super::actions::{self, ClockSettings, Players, move_time, pace, short};
use super::link;
use super::review::{self, Reviews};
use crate::games;
use crate::rules::{Color, Variant};
use crate::search::SystemClock;
use crate::session::{Event, Level, Session};
use crate::table::{Action, Change, NewGame, NodeId, Player, Span, Table};

/// Prepares a session: sets the options that the command line gave.
pub type Configure = Arc<dyn Fn(&mut Session) + Send + Sync>;

/// Usual time for which each step is shown where the engine plays both sides.
const PACE: Duration = Duration::from_millis(700);

/// A table with the pages that watch it.
pub(super) struct Game {
    pub(super) table: Table,
    /// Message to the person, until the next action.
    pub(super) message: Option<String>,
    /// True if White's side of the board is at the bottom's place, for who plays from there.
    pub(super) is_flipped: bool,
    /// Number of steps of the engine's last play, which pages show one by one; 0 after anything else.
    pub(super) replayed: usize,
    pub(super) reviews: Reviews,
    /// Time for which each step is shown where the engine plays both sides without clocks.
    pub(super) pace: Duration,
    /// When the engine, which plays both sides, makes its next move.
    next_move: Option<Instant>,
    /// True while a page watches: without one, nothing is searched.
    is_watched: bool,
}

impl Game {
    /// Starts a game of a variant, a person against the engine. `None` if there is no such game.
    pub(super) fn new(variant: &Variant, configure: &Configure) -> Option<Self> {
        let clock = Arc::new(SystemClock::default());
        let mut session = Session::new(variant, clock.clone())?;
        configure(&mut session);
        // A person begins.
        let players = match session.side() {
            Color::Black => [Player::Person, Player::Engine],
            Color::White => [Player::Engine, Player::Person],
        };
        Some(Self {
            table: Table::new(session, players, clock),
            message: None,
            is_flipped: false,
            replayed: 0,
            reviews: Reviews::default(),
            pace: PACE,
            next_move: None,
            is_watched: false,
        })
    }

    /// Returns the events of the running search.
    pub(super) fn events(&self) -> Option<&Receiver<Event>> {
        self.table.events()
    }

    /// Does what a page requests for.
    ///
    /// # Errors
    /// Says why it can't be done. Nothing has changed then.
    pub(super) fn act(&mut self, action: actions::Action) -> Result<(), String> {
        self.message = None;
        if !matches!(action, actions::Action::Flip { .. }) {
            self.next_move = None;
        }
        match action {
            actions::Action::Pace { seconds } => self.pace = pace(seconds)?,
            actions::Action::Flip { on } => {
                self.is_flipped = on;
                return Ok(());
            }
            actions::Action::Review { on: true } => return self.reviews.start(&self.table),
            actions::Action::Review { on: false } => {
                self.reviews.stop();
                return Ok(());
            }
            actions::Action::Retry { what } => match what {
                Retry::Begin => self.reviews.begin_retry(&mut self.table),
                Retry::Again => self.reviews.ask(&mut self.table),
                Retry::Next => self.reviews.next(&mut self.table),
                Retry::End => self.reviews.end_retry(&mut self.table),
            }?,
            action => {
                // A level that the command line gives counts more than that of its record.
                let level = matches!(action, actions::Action::Given(_)).then(|| self.table.level());
                let action = self.action(action)?;
                let mut changes = self.table.apply(action).map_err(|refusal| refusal.to_string())?;
                if let Some(level) = level.filter(|level| level.is_limited()) {
                    changes.extend(self.table.apply(Action::Level(level)).map_err(|refusal| refusal.to_string())?);
                }
                self.replayed = 0;
                self.reviews.note(&changes, &mut self.table)?;
                self.report(changes);
            }
        }
        self.resume();
        Ok(())
    }

    /// Translates an action of the page.
    fn action(&self, action: actions::Action) -> Result<Action, String> {
        Ok(match action {
            actions::Action::Click { point } => Action::Click(short(&point)?.to_owned()),
            actions::Action::Step { text } => Action::Play(short(text.trim())?.to_owned()),
            actions::Action::Undo {} => Action::Undo { span: Span::Play, times: 1 },
            actions::Action::Redo {} => Action::Redo { times: 1 },
            actions::Action::Goto { plays } => {
                let line = self.table.line();
                let before = plays.checked_sub(1);
                let node = before.map_or(Some(self.table.start()), |index| line.get(index).copied());
                let missing = || format!("there is no play {plays}: expected 0 to {}", line.len());
                Action::GoTo(node.ok_or_else(missing)?)
            }
            actions::Action::Variation { node } => {
                let first = NodeId(node);
                let ahead = |&id: &NodeId| self.table.node(id)?.children().first().copied();
                let last = self.table.node(first).and_then(|_| std::iter::successors(Some(first), ahead).last());
                Action::GoTo(last.unwrap_or(first))
            }
            actions::Action::Promote { node } => Action::Promote(NodeId(node)),
            actions::Action::Remove { node } => Action::Remove(NodeId(node)),
            actions::Action::Node { node } => Action::GoTo(NodeId(node)),
            // They are done before.
            actions::Action::Flip { .. }
            | actions::Action::Pace { .. }
            | actions::Action::Review { .. }
            | actions::Action::Retry { .. } => Action::Analyze(self.table.is_analyzing()),
            actions::Action::New { variant, players, level, seconds, clocks } => {
                let variant = games::parse_variant(short(&variant)?);
                Action::New(Box::new(NewGame {
                    variant: Some(variant.map_err(|error| format!("bad variant: {error}"))?),
                    players: players.map(|Players { black, white }| [black.into(), white.into()]),
                    level: level.map(|level| read_level(&level)).transpose()?,
                    time: seconds.map(move_time).transpose()?,
                    clock: clocks.map(ClockSettings::read).transpose()?,
                }))
            }
            actions::Action::Players { black, white } => Action::Seats([black.into(), white.into()]),
            actions::Action::Level { level } => Action::Level(read_level(&level)?),
            actions::Action::Seconds { seconds } => Action::Time(move_time(seconds)?),
            actions::Action::Hint {} => Action::Hint,
            actions::Action::Analysis { on } => Action::Analyze(on),
            actions::Action::Now {} if self.table.is_thinking() => Action::MoveNow,
            actions::Action::Now {} => Action::Continue,
            actions::Action::Engine {} => Action::EngineMove,
            actions::Action::Resign {} => Action::Resign,
            actions::Action::Position { text } => Action::Position(short(text.trim())?.to_owned()),
            actions::Action::Load { text } => Action::Load(Box::new(link::read(&text)?)),
            actions::Action::Given(game) => Action::Load(game),
            actions::Action::Clocks { minutes, increment } => {
                let settings = minutes.map(|minutes| ClockSettings { minutes, increment });
                Action::Clocks(settings.map(ClockSettings::read).transpose()?)
            }
        })
    }

    /// Returns the moment when the player to move has no time left, or when the engine makes its next move.
    pub(super) fn deadline(&self) -> Option<Instant> {
        let late = self.table.time_left().map(|left| Instant::now() + left);
        late.into_iter().chain(self.next_move).min()
    }

    /// Lets the engine move, if it has waited for that. Returns true if so.
    pub(super) fn check_pace(&mut self) -> bool {
        let is_due = self.next_move.is_some_and(|moment| moment <= Instant::now());
        if is_due {
            self.next_move = None;
            self.resume();
        }
        is_due
    }

    /// Ends the game if the clock of the player to move has run out. Returns true if so.
    pub(super) fn check_clocks(&mut self) -> bool {
        self.table.check_clock().is_some()
    }

    /// Notes whether a page watches.
    pub(super) fn set_watched(&mut self, is_watched: bool) {
        if std::mem::replace(&mut self.is_watched, is_watched) != is_watched {
            self.resume();
        }
    }

    /// Starts the search that is due, or stops all where no page watches.
    fn resume(&mut self) {
        if !self.is_watched {
            return self.table.stop();
        }
        if self.next_move.is_some() {
            return;
        }
        if let Err(refusal) = self.table.resume() {
            self.message = Some(refusal.to_string());
        }
    }

    /// Takes an event of the running review. `None`: its thread has ended.
    pub(super) fn handle_review(&mut self, event: Option<review::Event>) {
        if let Some(message) = self.reviews.handle(event, &mut self.table) {
            self.message = Some(message);
        }
    }

    /// Takes an event of the running search. `None`: it ended without a result.
    pub(super) fn handle_event(&mut self, event: Option<Event>) {
        let changes = self.table.receive(event);
        if let Err(error) = self.reviews.note(&changes, &mut self.table) {
            self.message = Some(error);
        }
        self.report(changes);
        self.resume();
    }

    /// Keeps what is not to be seen on the board.
    fn report(&mut self, changes: Vec<Change>) {
        for change in changes {
            match change {
                Change::Played { node, by: Player::Engine } => {
                    let Some(node) = self.table.node(node) else {
                        continue;
                    };
                    self.replayed = node.steps().count();
                    let is_alone = self.table.players() == [Player::Engine; 2] && self.table.clock().is_none();
                    if is_alone && !self.pace.is_zero() {
                        let shown = self.pace.saturating_mul(self.replayed.try_into().unwrap_or(u32::MAX));
                        self.next_move = Some(Instant::now() + shown);
                    }
                    if node.text == "swap" {
                        self.message = Some("The engine swaps sides.".to_owned());
                    }
                }
                Change::Resumed => {
                    let variant = self.table.session().variant();
                    self.message = Some(format!("Another game is being played: {variant}."));
                }
                Change::Failed(refusal) => self.message = Some(refusal.to_string()),
                _ => {}
            }
        }
    }
}

fn read_level(text: &str) -> Result<Level, String> {
    short(text)?.parse().map_err(|error: crate::session::OptionError| error.to_string())
}
