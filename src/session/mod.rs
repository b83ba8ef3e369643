//! A game being played, with its history, options and running search.
//!
//! Modules of higher layers exchange text and numbers with a session, never steps of a board.
#![deny(clippy::indexing_slicing)]

mod background;
mod clicks;
mod game_clock;
mod game_history;
mod last_move;
mod messages;
mod options;
mod picture;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crossbeam_channel::Receiver;
use thiserror::Error;

use crate::games;
use crate::rules::{Board, Color, Equipment, HalfPoints, Outcome};
use crate::rules::{PositionErrors, Step, StepError, Variant};
use crate::search::{Clock, Limits};
use crate::text::{cut, quote};

use background::{SearchHandle, SearchParameters};
pub use clicks::Clicked;
pub use game_clock::{GameClock, Overtime, TimeAllotment, TimeLeft, TimeSettings, moves_to_go};
use game_history::GameHistory;
pub use last_move::{LastMove, PlayedStep};
pub use messages::{Event, Go, Progress, Score, SearchInformation, SearchResult, TimeLimit, Variation};
pub use options::{Level, OPTIONS, OptionError, OptionInfo, OptionKind, Options};
pub use picture::{Picture, Square};

/// Time for a move without a clock or another limit.
pub const DEFAULT_TIME: Duration = Duration::from_secs(1);

/// Maximum of the time for a move that a user sets, in milliseconds: one day.
pub const MAX_TIME_MS: u32 = 86_400_000;

/// Error in playing a move. The game is unchanged.
#[derive(Clone, PartialEq, Eq, Error, Debug)]
pub enum PlayError {
    /// A step can't be read, or is not legal where it would be played.
    #[error(transparent)]
    Step(#[from] StepError),

    /// It is the other side's turn.
    #[error("it is {0}'s turn")]
    WrongColor(Color),

    /// The game is over.
    #[error("the game is over")]
    Over,

    /// The move is complete before its last step.
    #[error("{}: {mover}'s move is complete before it", cut(.step))]
    AfterMove {
        /// First step after the end of the move.
        step: String,
        /// Side that played the move.
        mover: Color,
    },
}

/// Error in setting a history. The game is unchanged.
#[derive(Clone, PartialEq, Eq, Error, Debug)]
pub enum HistoryError {
    /// The start position is not valid in the variant.
    #[error("bad position: {0}")]
    Position(#[from] PositionErrors),

    /// A move can't be played.
    #[error("illegal move: move {number}, {}: {why}", quote(.text))]
    Move {
        /// Number of the move, from 1.
        number: usize,
        /// Text of the move.
        text: String,
        /// Side that would play the move.
        mover: Color,
        /// The reason.
        why: PlayError,
    },
}

impl HistoryError {
    /// Returns the error of the move at a place, from 0, which a side could not play behind the move of another one.
    pub(crate) fn at(place: usize, text: &str, side: Color, last_mover: Option<Color>, why: PlayError) -> Self {
        Self::Move {
            number: place + 1,
            text: text.to_owned(),
            // After the end, the side to move may be the last mover, but another move would be its opponent's.
            mover: match (&why, last_mover) {
                (PlayError::Over, Some(last)) => !last,
                _ => side,
            },
            why,
        }
    }
}

/// A game being played.
pub struct Session {
    history: GameHistory,
    search: SearchHandle,
    options: Options,
    /// Values with which the options began.
    defaults: Options,
    /// Time for a move, if it was set.
    time: Option<Duration>,
    /// Clocks of the players, if there are any.
    game_clock: Option<GameClock>,
    clock: Arc<dyn Clock>,
    stop: Arc<AtomicBool>,
    /// Number of changes of the game.
    revision: u64,
}

impl Session {
    /// Starts a game; `None` if the variant belongs to no game of the catalogue.
    pub fn new(variant: &Variant, clock: Arc<dyn Clock>) -> Option<Self> {
        Some(Self::on(games::open(variant)?, clock))
    }

    /// Starts a game on a board, which need not be of a game in the catalogue.
    pub fn on(board: Box<dyn Board>, clock: Arc<dyn Clock>) -> Self {
        Self {
            history: GameHistory::new(board),
            search: SearchHandle::default(),
            options: Options::default(),
            defaults: Options::default(),
            time: None,
            game_clock: None,
            clock,
            stop: Arc::default(),
            revision: 0,
        }
    }

    /// Returns the board, for pictures of the position and of the moves that led to it.
    pub fn board(&self) -> &dyn Board {
        &*self.history.board
    }

    /// Returns a number that grows with every change of the game: a step, an undo, another position or variant.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Returns the variant.
    pub fn variant(&self) -> &Variant {
        self.board().variant()
    }

    /// Starts a game of another variant; returns false if it belongs to no game of the catalogue.
    pub fn set_variant(&mut self, variant: &Variant) -> bool {
        match games::open(variant) {
            Some(board) => {
                self.replace_game(GameHistory::new(board));
                true
            }
            None => false,
        }
    }

    /// Changes the options of the variant and replays the history; returns false, with nothing changed, if it does not
    /// fit.
    pub fn change_options(&mut self, variant: &Variant) -> bool {
        let Some(mut board) = games::open(variant) else {
            return false;
        };
        let (start, plays) = self.history.record();
        if board.set_position(&start).is_err() {
            return false;
        }
        let mut history = GameHistory::new(board);
        if !history.replay(&plays) {
            return false;
        }
        self.replace_game(history);
        true
    }

    /// Advances the search by steps that were played. A running one, which would hold its lock to the end, is stopped.
    fn follow(&self, steps: &[crate::rules::Step]) {
        self.stop();
        self.search.advance(steps);
    }

    /// Drops what the search knows, and stops a running one.
    fn forget(&self) {
        self.stop();
        self.search.clear();
    }

    /// Continues with another game.
    fn replace_game(&mut self, history: GameHistory) {
        self.stop();
        self.revision += 1;
        self.history = history;
        self.search = SearchHandle::default();
    }

    /// Starts the game again from the start position of the variant.
    pub fn restart(&mut self) {
        self.revision += 1;
        self.history.board.restart();
        self.history.clear();
        self.forget();
    }

    /// Returns the position, in the notation of `protocol/notation.md`.
    pub fn position(&self) -> String {
        self.board().position()
    }

    /// Sets the position and clears the history.
    ///
    /// # Errors
    /// Names every error of the position. The game is unchanged then.
    pub fn set_position(&mut self, text: &str) -> Result<(), PositionErrors> {
        self.history.board.set_position(text)?;
        self.history.clear();
        self.forget();
        self.revision += 1;
        Ok(())
    }

    /// Returns the side to move.
    pub fn side(&self) -> Color {
        self.board().side()
    }

    /// Returns the legal steps in cell order; none in a finished game.
    pub fn legal(&self) -> Vec<String> {
        let mut steps = Vec::new();
        self.board().steps(&mut steps);
        let text = |&step| self.board().write_step(step);
        steps.iter().map(text).collect()
    }

    /// Describes the required kind of step, as in `a step that sets a 6`; `None` where any kind may be legal.
    pub fn required_step(&self) -> Option<String> {
        self.board().required_step()
    }

    /// Returns the outcome, or `None` while the game is not over.
    pub fn outcome(&self) -> Option<Outcome> {
        self.board().outcome()
    }

    /// Returns the counts that the game keeps, by name.
    pub fn counts(&self) -> Vec<(&'static str, HalfPoints)> {
        self.board().counts()
    }

    /// Returns the dice that the side to move has to set before anything else, the present one first, as in
    /// `dice left to set: 6 5 4`; `None` if there are not several.
    pub fn dice_left(&self) -> Option<String> {
        let mut board = self.board().fork();
        let side = board.side();
        let (mut dice, mut steps) = (Vec::new(), Vec::new());
        // Where a die is set does not change which ones follow.
        while let (Some(value), true) = (board.value_to_set(), board.side() == side) {
            dice.push(value.to_string());
            steps.clear();
            board.steps(&mut steps);
            let Some(&first) = steps.first() else {
                break;
            };
            board.make(first);
        }
        (dice.len() > 1).then(|| format!("dice left to set: {}", dice.join(" ")))
    }

    /// Returns what each player has on the board, in games whose status lines do not count it: `stones: Black 3, White 4`.
    pub fn material(&self) -> Option<String> {
        let what = match self.board().equipment() {
            Equipment::Pits => "stones",
            Equipment::Stacks => "spaces",
            Equipment::Stones | Equipment::Dice => return None,
        };
        let counts = self.counts();
        let of = |name| counts.iter().find(|(known, _)| *known == name);
        let ((_, black), (_, white)) = (of("b")?, of("w")?);
        Some(format!("{what}: Black {black}, White {white}"))
    }

    /// Returns the margin of victory of a finished game, in games with points.
    pub fn margin(&self) -> Option<HalfPoints> {
        self.board().margin()
    }

    /// Returns the position as a diagram, and below it the side to move or the result. No line is empty.
    pub fn diagram(&self) -> String {
        let state = match self.outcome() {
            None => format!("{} to move, turn {}", self.side(), self.board().turn()),
            Some(Outcome { winner: Some(color), reason }) => format!("{color} wins: {reason}"),
            Some(Outcome { winner: None, reason }) => format!("draw: {reason}"),
        };
        format!("{}\n{state}", self.board().diagram())
    }

    /// Plays steps of one side: all of them, or none.
    ///
    /// The text is a step, a whole move, or any part of a move from the present step on, joined by commas. With
    /// `any_pass`, `pass` means the step that the game assigns to it, for clients that can send nothing else.
    ///
    /// # Errors
    /// Names the wrong step, and why it is wrong.
    pub fn play(&mut self, color: Color, text: &str, any_pass: bool) -> Result<(), PlayError> {
        self.play_text(color, text, any_pass).map(|_| ())
    }

    /// Plays steps of one side as [`Session::play`] does. Returns them as the notation writes them.
    ///
    /// # Errors
    /// As [`Session::play`].
    pub fn play_text(&mut self, color: Color, text: &str, any_pass: bool) -> Result<String, PlayError> {
        let steps = self.history.play(color, text, any_pass)?;
        self.follow(&steps);
        self.revision += 1;
        let words: Vec<String> = steps.iter().map(|&step| self.board().write_step(step)).collect();
        Ok(words.join(","))
    }

    /// Adds a play without steps, for a pass after the end of the game; returns false, with nothing changed, before it.
    ///
    /// Controllers send and get such passes, and count them when they take plays back.
    pub fn pass_after_end(&mut self) -> bool {
        let is_over = self.board().is_over();
        if is_over {
            self.history.pass_after_end();
        }
        is_over
    }

    /// Takes back all of the last [`Session::play`]; returns false if there is none.
    pub fn undo(&mut self) -> bool {
        let undone = self.history.undo();
        if undone {
            self.forget();
            self.revision += 1;
        }
        undone
    }

    /// Returns the number of plays that can be taken back.
    pub fn plays(&self) -> usize {
        self.history.plays()
    }

    /// Returns the number of steps of each play, the first one first.
    pub fn play_lengths(&self) -> Vec<usize> {
        self.history.play_lengths()
    }

    /// Returns the text of the last [`Session::play`], or `None`.
    pub fn last_play(&self) -> Option<String> {
        self.history.last_play()
    }

    /// Returns the moves since the start position. The last one may be incomplete.
    pub fn moves(&self) -> Vec<String> {
        self.history.moves().iter().map(|steps| steps.join(",")).collect()
    }

    /// Returns legal steps from the position on as moves. The last one may be incomplete.
    pub fn moves_of(&self, steps: &[Step]) -> Vec<String> {
        let moves = game_history::split_moves(self.board(), steps);
        moves.iter().map(|steps| steps.join(",")).collect()
    }

    /// Returns the points that may be clicked next: cells in cell order, then `pool`, then `pass`; none in a finished
    /// game.
    ///
    /// `selected` is the selection, the first click of a step that needs two. It is one of the points: a click on it
    /// lets go.
    pub fn points(&self, selected: Option<&str>) -> Vec<String> {
        clicks::points(self.board(), selected)
    }

    /// Returns the points that complete a step with the selection: cells in cell order, then `pool`.
    pub fn targets(&self, selected: &str) -> Vec<String> {
        clicks::targets(self.board(), selected)
    }

    /// Returns the meaning of a click on a cell, on `pool` or on `pass`. Nothing is played.
    ///
    /// `pass` enters the step `pass`, `end` or `swap`, of which at most one is legal, whatever is selected.
    ///
    /// # Errors
    /// Names the points that may be clicked instead.
    pub fn click(&self, selected: Option<&str>, click: &str) -> Result<Clicked, PlayError> {
        clicks::click(self.board(), selected, click)
    }

    /// Makes a click of the side to move, as [`Session::click`] understands it: plays the step that it completes.
    ///
    /// # Errors
    /// Names the points that may be clicked instead. Nothing has changed then.
    pub fn make_click(&mut self, selected: Option<&str>, click: &str) -> Result<Clicked, PlayError> {
        let (clicked, step) = clicks::step_of_click(self.board(), selected, click)?;
        if let Some(step) = step {
            self.history.make(step);
            self.search.advance(&[step]);
            self.revision += 1;
        }
        Ok(clicked)
    }

    /// Returns the clicks of a legal step; none for any other text.
    pub fn clicks_of(&self, step: &str) -> Vec<String> {
        clicks::clicks_of(self.board(), step)
    }

    /// Returns the legal steps that may follow a selection.
    pub fn steps_from(&self, selected: &str) -> Vec<String> {
        clicks::steps_from(self.board(), selected)
    }

    /// Returns the numbers of Black and of White to show next to the board: what they have lost, owe or have scored.
    pub fn tally(&self) -> [u32; 2] {
        self.board().tally()
    }

    /// Returns whether the game has Pools, from which pieces are placed.
    pub fn has_pools(&self) -> bool {
        self.board().pools().is_some()
    }

    /// Returns the number of the turn, from 1.
    pub fn turn(&self) -> u32 {
        self.board().turn()
    }

    /// Returns the visible part of the position.
    pub fn picture(&self) -> Picture {
        picture::picture(self.board())
    }

    /// Checks that the side to move may play a move, or the beginning of one.
    ///
    /// # Errors
    /// Names the wrong step, and why it is wrong.
    pub fn check(&self, text: &str) -> Result<(), PlayError> {
        let mut board = self.board().fork();
        let side = board.side();
        game_history::make_move(&mut *board, side, text, false).map(|_| ())
    }

    /// Sets the whole game: a start position, by default that of the variant, and moves or parts of moves.
    ///
    /// If it continues the present game, the search keeps what it knows.
    ///
    /// # Errors
    /// Names the position or the move that is wrong, and why.
    pub fn set_history(&mut self, position: Option<&str>, moves: &[&str]) -> Result<(), HistoryError> {
        let history = self.history.read(position, moves)?;
        match history.continuation_of(&self.history) {
            Some(steps) => self.search.advance(&steps),
            None => self.search.clear(),
        }
        self.history = history;
        self.revision += 1;
        Ok(())
    }

    /// Starts perft to `depth` steps on a background thread. The result comes through the channel, as
    /// [`Event::PerftDone`].
    pub fn perft(&mut self, depth: u32) -> Receiver<Event> {
        self.stop();
        self.stop = Arc::default();
        background::perft(self.board(), depth, &self.stop, &self.clock)
    }

    /// Returns the engine options.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Sets an engine option by name. Setting the variant starts a game of it.
    ///
    /// # Errors
    /// Names the existing options, or the values that the option takes.
    pub fn set_option(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        let option = OptionInfo::find(name)?;
        if option.is_variant() {
            let variant = games::parse_variant(value)?;
            // The catalogue opens every variant that it reads.
            self.set_variant(&variant);
            return Ok(());
        }
        self.options.set(option, value)
    }

    /// Sets an engine option, other than the variant, and its default, which clients are told.
    ///
    /// # Errors
    /// Names the existing options, or the values that the option takes.
    pub fn set_default(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        let option = OptionInfo::find(name)?;
        self.defaults.set(option, value)?;
        self.options.set(option, value)
    }

    /// Returns the default of an engine option as text; the present variant for the variant.
    pub fn default_of(&self, option: &OptionInfo) -> String {
        if option.is_variant() { self.variant().to_string() } else { self.defaults.get(option) }
    }

    /// Returns the value of an engine option by name, as text.
    ///
    /// # Errors
    /// Names the existing options.
    pub fn option(&self, name: &str) -> Result<String, OptionError> {
        let option = OptionInfo::find(name)?;
        Ok(if option.is_variant() { self.variant().to_string() } else { self.options.get(option) })
    }

    /// Returns whether an option limits every search in nodes.
    pub fn has_node_limit(&self) -> bool {
        self.options.nodes(self.variant().info()).is_some()
    }

    /// Returns the level of play: the option `Strength`.
    pub fn level(&self) -> Level {
        self.options.level()
    }

    /// Sets the level of play.
    pub fn set_level(&mut self, level: Level) {
        self.options.set_level(level);
    }

    /// Returns the option `Nodes`: the limit in nodes of every search, or 0.
    pub fn node_limit(&self) -> u64 {
        self.options.node_limit()
    }

    /// Sets the limit in nodes of every search; 0 for none.
    pub fn set_node_limit(&mut self, nodes: u64) {
        self.options.set_node_limit(nodes);
    }

    /// Returns the time for a move without clocks.
    pub fn time(&self) -> Duration {
        self.time.unwrap_or(DEFAULT_TIME)
    }

    /// Sets both clocks to the start of a game, or removes them. While there are clocks, they limit the time of a
    /// move.
    pub fn set_clocks(&mut self, settings: Option<TimeSettings>) {
        self.set_clock(settings.map(GameClock::new));
    }

    /// Sets the state of both clocks, or removes them.
    pub fn set_clock(&mut self, clock: Option<GameClock>) {
        self.game_clock = clock;
    }

    /// Sets a player's clock; `count` is zero in the main time, else the moves to make in `time`, or the byo-yomi
    /// periods.
    ///
    /// Without clocks it starts clocks that have `time` as their main time and no overtime.
    pub fn set_time_left(&mut self, color: Color, time: Duration, count: u32) {
        let settings = TimeSettings { main: time, overtime: Overtime::None };
        let clock = self.game_clock.get_or_insert_with(|| GameClock::new(settings));
        clock.set(color, time, count);
    }

    /// Subtracts the time of a move from a player's clock.
    pub fn spend(&mut self, color: Color, time: Duration) {
        if let Some(clock) = &mut self.game_clock {
            clock.spend(color, time);
        }
    }

    /// Sets the time for a move.
    pub fn set_time(&mut self, time: Duration) {
        self.time = Some(time);
    }

    /// Starts a search on a background thread.
    ///
    /// Its events come through the channel, the result last. A channel that closes without a result means that the
    /// search panicked.
    ///
    /// Clocks take precedence over the time for a move. With a limit in nodes or depth the default time does not
    /// apply, so that the answer does not depend on the machine; clocks, and a time that was set, still do.
    ///
    /// # Errors
    /// Names the first search move that is not legal.
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
            // A client that asks for a time or for nodes wants the score; others want the move.
            skip_forced_move: matches!(go.time, TimeLimit::Default | TimeLimit::Clock { .. }) && go.nodes.is_none(),
            report_schedule: go.report_schedule,
            search_moves: &go.search_moves,
        };
        self.search.search(&*self.history.board, request, &self.stop, &self.clock)
    }

    /// Returns one sentence for each resource that the system refused to the last search, each of them once.
    pub fn take_shortages(&mut self) -> Vec<String> {
        self.search.take_shortages()
    }

    /// Returns the time of a search, or `None` without a limit in time. `is_limited`: there is a limit in nodes or
    /// depth.
    fn allotment(&self, go: &Go, is_limited: bool) -> Option<TimeAllotment> {
        let overhead = self.options.overhead();
        let moves_to_go = moves_to_go(&*self.history.board);
        // A fixed time is used up: there is no later move to save it for.
        let fixed = |time| TimeAllotment { soft: time, hard: time };
        match go.time {
            TimeLimit::Default => {
                let clock = self.game_clock.as_ref();
                let allotment = clock.map(|clock| clock.allot(self.side(), moves_to_go, overhead));
                allotment.or(if is_limited { self.time.map(fixed) } else { Some(fixed(self.time())) })
            }
            TimeLimit::Fixed(time) => Some(fixed(time.saturating_sub(overhead.min(time / 2)))),
            TimeLimit::Clock { left, increment } => {
                let clock = GameClock::new(TimeSettings { main: left, overtime: Overtime::Increment(increment) });
                Some(clock.allot(self.side(), moves_to_go, overhead))
            }
            TimeLimit::Unlimited => None,
        }
    }

    /// Returns the soft limit of `genmove`.
    pub fn soft_time(&self) -> Option<Duration> {
        self.allotment(&Go::default(), false).map(|allotment| allotment.soft)
    }

    /// Stops a running search, which then answers, or perft, which then gives no count.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.stop();
    }
}
