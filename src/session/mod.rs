//! Floor 4: one game being played: its history, options and running search.
//!
//! Below, everything is generic over a game; above there is only text and numbers. The trait behind
//! [`Session`] is the one place where the type of the game is erased.
#![deny(clippy::indexing_slicing)]

mod game_clock;
mod options;
mod table;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crossbeam_channel::Receiver;
use thiserror::Error;

use crate::game::{Color, Halves, Outcome};
use crate::games;
use crate::notation::{GameVisitor, Playable, PositionError, StepError, Variant, cut};
use crate::search::{Clock, Limits};

use game_clock::GameClock;
pub use game_clock::TimeSettings;
pub use options::{OPTIONS, OptionError, OptionInfo, Options};
use table::{Opener, Table};

/// How long a move takes where nothing else is said.
pub const DEFAULT_TIME: Duration = Duration::from_secs(1);

/// Why a move was not played. Nothing has changed then.
#[derive(Clone, PartialEq, Eq, Error, Debug)]
pub enum PlayError {
    /// One of its steps is no step, or not legal where it would be played.
    #[error(transparent)]
    Step(#[from] StepError),

    /// It is the other side's turn.
    #[error("it is {0}'s turn")]
    WrongColor(Color),

    /// The game ended before.
    #[error("the game is over")]
    Over,

    /// There are steps left over when the move is complete.
    #[error("{}: {mover}'s move is complete before it", cut(.step))]
    AfterMove {
        /// The first of them.
        step: String,
        /// Whose move it was.
        mover: Color,
    },
}

/// What a search came to, as text and numbers.
#[derive(Clone, Debug)]
pub struct Found {
    /// A whole move: steps joined by commas; empty where the game is over.
    pub text: String,
    /// How many playouts were made.
    pub nodes: u64,
    /// How many nodes the tree holds.
    pub tree_nodes: u64,
    /// How long it took.
    pub time: Duration,
    /// The share of the points that the side to move expects, from 0 to 1.
    pub expectation: f64,
    /// The result with best play, where it is proven: `Some(None)` is a draw.
    pub proven: Option<Option<Color>>,
}

/// What work on a thread of its own came to.
#[derive(Clone, Debug)]
pub enum Done {
    /// Of [`Session::search`].
    Found(Found),
    /// Of [`Session::perft`].
    Counted {
        /// The count, unless it was stopped.
        count: Option<u64>,
        /// How long it took.
        time: Duration,
    },
}

/// A game being played.
pub struct Session {
    table: Box<dyn Table>,
    options: Options,
    /// The time for a move, if somebody set it.
    time: Option<Duration>,
    /// The players' clocks, if there are any.
    game_clock: Option<GameClock>,
    clock: Arc<dyn Clock>,
    stop: Arc<AtomicBool>,
}

impl Session {
    /// A new game; `None` where the variant is of no game in the catalogue.
    pub fn new(variant: &Variant, clock: Arc<dyn Clock>) -> Option<Self> {
        Some(Self::at(games::open(variant, Opener)?, clock))
    }

    /// A new game of any type, whether the catalogue has it or not.
    pub fn on<G: Playable>(game: G, clock: Arc<dyn Clock>) -> Self {
        Self::at(Opener.visit(game), clock)
    }

    fn at(table: Box<dyn Table>, clock: Arc<dyn Clock>) -> Self {
        Self {
            table,
            options: Options::default(),
            time: None,
            game_clock: None,
            clock,
            stop: Arc::default(),
        }
    }

    /// The variant.
    pub fn variant(&self) -> &Variant {
        self.table.variant()
    }

    /// Starts a game of another variant; false where it is of no game in the catalogue.
    pub fn set_variant(&mut self, variant: &Variant) -> bool {
        match games::open(variant, Opener) {
            Some(table) => {
                self.stop();
                self.table = table;
                true
            }
            None => false,
        }
    }

    /// Goes on with the same history under other options of the variant; false where the history does not
    /// belong to it.
    pub fn change_options(&mut self, variant: &Variant) -> bool {
        let Some(mut table) = games::open(variant, Opener) else {
            return false;
        };
        let (start, plays) = self.table.record();
        let mut replay = || {
            table.set_position(&start).ok()?;
            plays
                .iter()
                .try_for_each(|(color, text)| table.play(*color, text, false).ok())
        };
        if replay().is_none() {
            return false;
        }
        self.stop();
        self.table = table;
        true
    }

    /// Starts the game again.
    pub fn restart(&mut self) {
        self.table.restart();
    }

    /// The position, in the notation of `games.md`.
    pub fn position(&self) -> String {
        self.table.position()
    }

    /// Sets the position and clears the history.
    ///
    /// # Errors
    /// Names every fault; nothing has changed then.
    pub fn set_position(&mut self, text: &str) -> Result<(), PositionError> {
        self.table.set_position(text)
    }

    /// Whose step it is.
    pub fn side(&self) -> Color {
        self.table.side()
    }

    /// The legal steps in cell order; none if the game is over.
    pub fn legal(&self) -> Vec<String> {
        self.table.legal()
    }

    /// How the game ended, or `None` while it goes on.
    pub fn outcome(&self) -> Option<Outcome> {
        self.table.outcome()
    }

    /// The numbers that the game counts, by name.
    pub fn counts(&self) -> Vec<(&'static str, Halves)> {
        self.table.counts()
    }

    /// By how much a finished game was won, in games that have points.
    pub fn margin(&self) -> Option<Halves> {
        self.table.margin()
    }

    /// The position drawn for a person, and below it whose turn it is or who won. No line is empty.
    pub fn diagram(&self) -> String {
        let state = match self.outcome() {
            None => format!("{} to move, turn {}", self.side(), self.table.turn()),
            Some(Outcome {
                winner: Some(color),
                reason,
            }) => format!("{color} wins: {reason}"),
            Some(Outcome {
                winner: None,
                reason,
            }) => format!("draw: {reason}"),
        };
        format!("{}\n{state}", self.table.diagram())
    }

    /// Plays steps of one side: all of them, or none. They may be one step, a whole move, or any part of a move
    /// from the present step on, joined by commas. With `pass_for_others`, `pass` stands for the step that the
    /// game gives to clients who can say nothing else.
    ///
    /// # Errors
    /// Says which step is wrong and why.
    pub fn play(
        &mut self,
        color: Color,
        text: &str,
        pass_for_others: bool,
    ) -> Result<(), PlayError> {
        self.table.play(color, text, pass_for_others)
    }

    /// Takes back the last [`Session::play`], whole; false where there is none.
    pub fn undo(&mut self) -> bool {
        self.table.undo()
    }

    /// The whole moves since the start or since the position was set, the last one perhaps unfinished.
    pub fn moves(&self) -> Vec<String> {
        self.table.moves()
    }

    /// Begins to count the sequences of `depth` steps on a thread of its own. The result comes through the
    /// channel, as that of a search.
    pub fn perft(&mut self, depth: u32) -> Receiver<Done> {
        self.stop();
        self.stop = Arc::default();
        self.table.perft(depth, &self.stop, &self.clock)
    }

    /// The engine options.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Sets an engine option by name.
    ///
    /// # Errors
    /// Says which options or values there are.
    pub fn set_option(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        self.options.set(name, value)
    }

    /// The time for a move when no clock is set.
    pub fn time(&self) -> Duration {
        self.time.unwrap_or(DEFAULT_TIME)
    }

    /// Puts both players' clocks at the beginning of a game, or away where time does not matter. While there
    /// are clocks, they say how long a move may take.
    pub fn set_clocks(&mut self, settings: TimeSettings) {
        self.game_clock = GameClock::new(settings);
    }

    /// Sets what a player has left: a time, and the moves to make in it, zero in the main time. Without clocks
    /// it is no more than a main time.
    pub fn set_time_left(&mut self, color: Color, time: Duration, moves: u32) {
        let settings = TimeSettings {
            main: time,
            period: Duration::ZERO,
            moves: 0,
        };
        let clock = self.game_clock.take().or_else(|| GameClock::new(settings));
        self.game_clock = clock.map(|mut clock| {
            clock.set(color, time, moves);
            clock
        });
    }

    /// Takes the time of a move off a player's clock.
    pub fn spend(&mut self, color: Color, time: Duration) {
        if let Some(clock) = &mut self.game_clock {
            clock.spend(color, time);
        }
    }

    /// Sets the time for a move.
    pub fn set_time(&mut self, time: Duration) {
        self.time = Some(time);
    }

    /// Begins to search on a thread of its own. The result comes through the channel; one that closes without
    /// a result means that the search broke.
    ///
    /// Clocks come before the time for a move. A limit in nodes takes the place of the default time, so that the
    /// answer does not depend on the machine; clocks, and a time that was set, hold beside it.
    pub fn search(&mut self) -> Receiver<Done> {
        self.stop();
        self.stop = Arc::default();
        let nodes = Some(self.options.nodes).filter(|&nodes| nodes > 0);
        let share = self
            .game_clock
            .as_ref()
            .map(|clock| clock.share(self.side()));
        let time = match nodes {
            Some(_) => share.or(self.time),
            None => share.or(Some(self.time())),
        };
        let limits = Limits { time, nodes };
        self.table
            .search(self.options.settings(), limits, &self.stop, &self.clock)
    }

    /// Makes a running search answer now, and a running count give up.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.stop();
    }
}
