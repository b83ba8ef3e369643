//! Floor 4: one game being played: its history, options and running search.
//!
//! Above there is only text and numbers.
#![deny(clippy::indexing_slicing)]

mod background;
mod game_clock;
mod game_history;
mod messages;
mod options;
mod selection;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crossbeam_channel::Receiver;
use thiserror::Error;

use crate::games;
use crate::rules::{Board, Color, HalfPoints, Outcome};
use crate::rules::{PositionErrors, StepError, Variant};
use crate::search::{Clock, Limits};
use crate::text::{cut, quote};

use background::{SearchHandle, SearchParameters};
pub use game_clock::{GameClock, Overtime, TimeAllotment, TimeLeft, TimeSettings};
use game_history::GameHistory;
pub use messages::{Event, Go, Progress, Score, SearchResult, TimeLimit, Variation};
pub use options::{OPTIONS, OptionError, OptionInfo, OptionKind, Options};
pub use selection::{Clicked, Picture, Square};

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

/// Why a history was not taken. Nothing has changed then.
#[derive(Clone, PartialEq, Eq, Error, Debug)]
pub enum HistoryError {
    /// Its beginning is no position of the variant.
    #[error("bad position: {0}")]
    Position(#[from] PositionErrors),

    /// One of its moves can't be played.
    #[error("illegal move: move {number}, {}: {why}", quote(.text))]
    Move {
        /// Which one, from 1.
        number: usize,
        /// As it was written.
        text: String,
        /// Whose move it was to be.
        mover: Color,
        /// What is wrong with it.
        why: PlayError,
    },
}

/// A game being played.
pub struct Session {
    history: GameHistory,
    search: SearchHandle,
    options: Options,
    /// The time for a move, if somebody set it.
    time: Option<Duration>,
    /// The players' clocks, if there are any.
    game_clock: Option<GameClock>,
    clock: Arc<dyn Clock>,
    stop: Arc<AtomicBool>,
    /// Counts the changes of the game.
    revision: u64,
}

impl Session {
    /// A new game; `None` where the variant is of no game in the catalogue.
    pub fn new(variant: &Variant, clock: Arc<dyn Clock>) -> Option<Self> {
        Some(Self::on(games::open(variant)?, clock))
    }

    /// A new game on a board, of any game, whether the catalogue has it or not.
    pub fn on(board: Box<dyn Board>, clock: Arc<dyn Clock>) -> Self {
        Self {
            history: GameHistory::new(board),
            search: SearchHandle::default(),
            options: Options::default(),
            time: None,
            game_clock: None,
            clock,
            stop: Arc::default(),
            revision: 0,
        }
    }

    fn board(&self) -> &dyn Board {
        &*self.history.board
    }

    /// A number that is another one after every change of the game: a step, going back, another position or
    /// variant.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// The variant.
    pub fn variant(&self) -> &Variant {
        self.board().variant()
    }

    /// Starts a game of another variant; false where it is of no game in the catalogue.
    pub fn set_variant(&mut self, variant: &Variant) -> bool {
        match games::open(variant) {
            Some(board) => {
                self.replace_game(GameHistory::new(board));
                true
            }
            None => false,
        }
    }

    /// Goes on with the same history under other options of the variant; false where the history does not
    /// belong to it.
    pub fn change_options(&mut self, variant: &Variant) -> bool {
        let Some(mut board) = games::open(variant) else {
            return false;
        };
        let (start, plays) = self.history.record();
        if board.set_position(&start).is_err() {
            return false;
        }
        let mut history = GameHistory::new(board);
        let mut replayed = plays.iter();
        if !replayed.all(|(color, text)| history.play(*color, text, false).is_ok()) {
            return false;
        }
        self.replace_game(history);
        true
    }

    /// Goes on with another game.
    fn replace_game(&mut self, history: GameHistory) {
        self.stop();
        self.revision += 1;
        self.history = history;
        self.search = SearchHandle::default();
    }

    /// Starts the game again.
    pub fn restart(&mut self) {
        self.revision += 1;
        self.history.board.restart();
        self.history.clear();
        self.search.clear();
    }

    /// The position, in the notation of `games.md`.
    pub fn position(&self) -> String {
        self.board().position()
    }

    /// Sets the position and clears the history.
    ///
    /// # Errors
    /// Names every fault; nothing has changed then.
    pub fn set_position(&mut self, text: &str) -> Result<(), PositionErrors> {
        self.history.board.set_position(text)?;
        self.history.clear();
        self.search.clear();
        self.revision += 1;
        Ok(())
    }

    /// Whose step it is.
    pub fn side(&self) -> Color {
        self.board().side()
    }

    /// The legal steps in cell order; none if the game is over.
    pub fn legal(&self) -> Vec<String> {
        let mut steps = Vec::new();
        self.board().steps(&mut steps);
        let text = |&step| self.board().write_step(step);
        steps.iter().map(text).collect()
    }

    /// How the game ended, or `None` while it goes on.
    pub fn outcome(&self) -> Option<Outcome> {
        self.board().outcome()
    }

    /// The numbers that the game counts, by name.
    pub fn counts(&self) -> Vec<(&'static str, HalfPoints)> {
        self.board().counts()
    }

    /// By how much a finished game was won, in games that have points.
    pub fn margin(&self) -> Option<HalfPoints> {
        self.board().margin()
    }

    /// The position drawn for a person, and below it whose turn it is or who won. No line is empty.
    pub fn diagram(&self) -> String {
        let state = match self.outcome() {
            None => format!("{} to move, turn {}", self.side(), self.board().turn()),
            Some(Outcome {
                winner: Some(color),
                reason,
            }) => format!("{color} wins: {reason}"),
            Some(Outcome {
                winner: None,
                reason,
            }) => format!("draw: {reason}"),
        };
        format!("{}\n{state}", self.board().diagram())
    }

    /// Plays steps of one side: all of them, or none. They may be one step, a whole move, or any part of a move
    /// from the present step on, joined by commas. With `pass_for_others`, `pass` stands for the step that the
    /// game gives to clients who can say nothing else.
    ///
    /// # Errors
    /// Says which step is wrong and why.
    pub fn play(&mut self, color: Color, text: &str, any_pass: bool) -> Result<(), PlayError> {
        let steps = self.history.play(color, text, any_pass)?;
        self.search.advance(&steps);
        self.revision += 1;
        Ok(())
    }

    /// Takes back the last [`Session::play`], whole; false where there is none.
    pub fn undo(&mut self) -> bool {
        let undone = self.history.undo();
        if undone {
            self.search.clear();
            self.revision += 1;
        }
        undone
    }

    /// How many plays could be taken back.
    pub fn plays(&self) -> usize {
        self.history.plays()
    }

    /// The text of the last [`Session::play`]; `None` where there is none.
    pub fn last_play(&self) -> Option<String> {
        self.history.last_play()
    }

    /// The whole moves since the start or since the position was set, the last one perhaps unfinished.
    pub fn moves(&self) -> Vec<String> {
        let moves = self.history.moves();
        moves.iter().map(|steps| steps.join(",")).collect()
    }

    /// The points that may be clicked next, in cell order, `pass` last; `selected` is the first click of a step,
    /// if there has been one. None where the game is over.
    pub fn points(&self, selected: Option<&str>) -> Vec<String> {
        selection::points(self.board(), selected)
    }

    /// What a click on a point, or `pass`, comes to. It changes nothing: the step is to be played.
    ///
    /// # Errors
    /// Says where one may click instead.
    pub fn click(&self, selected: Option<&str>, click: &str) -> Result<Clicked, PlayError> {
        selection::click(self.board(), selected, click)
    }

    /// The clicks that make a legal step.
    pub fn clicks_of(&self, step: &str) -> Vec<String> {
        selection::clicks_of(self.board(), step)
    }

    /// The legal steps that begin with a click.
    pub fn steps_from(&self, selected: &str) -> Vec<String> {
        selection::steps_from(self.board(), selected)
    }

    /// How many pieces each player has captured since the history began, Black first.
    pub fn captured(&self) -> [u32; 2] {
        selection::captured(self.board())
    }

    /// The number of the turn, from 1.
    pub fn turn(&self) -> u32 {
        self.board().turn()
    }

    /// What a client draws that knows only points.
    pub fn picture(&self) -> Picture {
        selection::picture(self.board())
    }

    /// Whether the side to move may play a move, or the beginning of one.
    ///
    /// # Errors
    /// Says which step is wrong and why.
    pub fn check(&self, text: &str) -> Result<(), PlayError> {
        let mut board = self.board().fork();
        let side = board.side();
        game_history::make_move(&mut *board, side, text, false).map(|_| ())
    }

    /// Plays a whole game so far: from the start, or from a position, each text being a move or any part of one.
    /// Where it goes on from the present history, what the search knows is kept.
    ///
    /// # Errors
    /// Names the position or the move that is wrong, and why.
    pub fn set_history(
        &mut self,
        position: Option<&str>,
        moves: &[&str],
    ) -> Result<(), HistoryError> {
        let history = self.history.read(position, moves)?;
        match history.continuation_of(&self.history) {
            Some(steps) => self.search.advance(&steps),
            None => self.search.clear(),
        }
        self.history = history;
        self.revision += 1;
        Ok(())
    }

    /// Begins to count the sequences of `depth` steps on a thread of its own. The result comes through the
    /// channel, as that of a search.
    pub fn perft(&mut self, depth: u32) -> Receiver<Event> {
        self.stop();
        self.stop = Arc::default();
        background::perft(self.board(), depth, &self.stop, &self.clock)
    }

    /// The engine options.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Sets an engine option by name. Setting the variant starts that game.
    ///
    /// # Errors
    /// Says which options or values there are.
    pub fn set_option(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        let option = options::find(name)?;
        if option.is_variant() {
            let variant = games::parse_variant(value)?;
            // What the catalogue reads it can open.
            self.set_variant(&variant);
            return Ok(());
        }
        self.options.set(option, value)
    }

    /// The value of an engine option by name, as it is written.
    ///
    /// # Errors
    /// Says which options there are.
    pub fn option(&self, name: &str) -> Result<String, OptionError> {
        let option = options::find(name)?;
        Ok(match option.is_variant() {
            true => self.variant().to_string(),
            false => self.options.get(option),
        })
    }

    /// Whether an option limits every search in nodes.
    pub fn has_node_limit(&self) -> bool {
        self.options.nodes(self.variant().info()).is_some()
    }

    /// The time for a move when no clock is set.
    pub fn time(&self) -> Duration {
        self.time.unwrap_or(DEFAULT_TIME)
    }

    /// Puts both players' clocks at the beginning of a game, or away where time does not matter. While there
    /// are clocks, they say how long a move may take.
    pub fn set_clocks(&mut self, settings: Option<TimeSettings>) {
        self.game_clock = settings.map(GameClock::new);
    }

    /// Sets what a player has left: a time, and the moves to make in it (in byo-yomi the periods), zero in the
    /// main time. Without clocks it is all that is known, and so it is if they have no overtime.
    pub fn set_time_left(&mut self, color: Color, time: Duration, count: u32) {
        let settings = TimeSettings {
            main: time,
            overtime: Overtime::None,
        };
        let clock = self
            .game_clock
            .get_or_insert_with(|| GameClock::new(settings));
        clock.set(color, time, count);
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

    /// Begins to search on a thread of its own. What it says comes through the channel, its result last; a channel
    /// that closes without a result means that the search broke.
    ///
    /// Clocks come before the time for a move. A limit in nodes takes the place of the default time, so that the
    /// answer does not depend on the machine; clocks, and a time that was set, hold beside it.
    ///
    /// # Errors
    /// Where one of the moves that may be found is not legal.
    pub fn search(&mut self, go: &Go) -> Result<Receiver<Event>, PlayError> {
        self.stop();
        self.stop = Arc::default();
        let option = self.options.nodes(self.variant().info());
        let nodes = go.nodes.into_iter().chain(option).min();
        let allotment = self.allotment(go, nodes.is_some() || go.depth.is_some());
        let request = SearchParameters {
            settings: self.options.settings(self.variant().info()),
            limits: Limits {
                hard_time: allotment.map(|allotment| allotment.hard),
                soft_time: allotment
                    .filter(|allotment| allotment.soft < allotment.hard)
                    .map(|allotment| allotment.soft),
                nodes,
                depth: go.depth,
            },
            multi_pv: self.options.lines().max(go.multi_pv),
            report_schedule: go.report_schedule,
            search_moves: &go.search_moves,
        };
        self.search
            .search(&*self.history.board, request, &self.stop, &self.clock)
    }

    /// What the system did not give to the last search, threads or memory, a sentence each. Each is said once.
    pub fn take_shortages(&mut self) -> Vec<String> {
        self.search.take_shortages()
    }

    /// How long a search may take, which has another limit or not; `None` where time does not limit it.
    fn allotment(&self, go: &Go, is_limited: bool) -> Option<TimeAllotment> {
        let overhead = self.options.overhead();
        // A fixed time is used up: what is saved of it is lost.
        let fixed = |time| TimeAllotment {
            soft: time,
            hard: time,
        };
        match go.time {
            TimeLimit::Default => {
                let clock = self.game_clock.as_ref();
                let allotment = clock.map(|clock| clock.allot(self.side(), overhead));
                allotment.or(match is_limited {
                    true => self.time.map(fixed),
                    false => Some(fixed(self.time())),
                })
            }
            TimeLimit::Fixed(time) => Some(fixed(time.saturating_sub(overhead.min(time / 2)))),
            TimeLimit::Clock { left, increment } => {
                let clock = GameClock::new(TimeSettings {
                    main: left,
                    overtime: Overtime::Increment(increment),
                });
                Some(clock.allot(self.side(), overhead))
            }
            TimeLimit::Unlimited => None,
        }
    }

    /// How long `genmove` thinks as a rule.
    pub fn soft_time(&self) -> Option<Duration> {
        self.allotment(&Go::default(), false)
            .map(|allotment| allotment.soft)
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
