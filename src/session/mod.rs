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
mod search;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use thiserror::Error;

use crate::files;
use crate::games;
use crate::nnue::Weights;
use crate::rules::{Board, Color, Equipment, HalfPoints, Outcome};
use crate::rules::{PositionErrors, Step, StepError, Variant};
use crate::search::Clock;
use crate::text::{cut, quote};

use background::SearchHandle;
pub use clicks::Clicked;
pub use game_clock::{GameClock, Overtime, TimeAllotment, TimeLeft, TimeSettings, moves_to_go};
use game_history::GameHistory;
pub use last_move::{LastMove, PlayedStep, narrate_move};
pub use messages::{Event, Go, Progress, Score, SearchInformation, SearchResult, TimeLimit, Variation};
pub use options::{Level, NO_FILE, OPTIONS, OptionError, OptionInfo, OptionKind, Options, SEARCHES};
pub use picture::{Picture, Square};
pub use search::DEFAULT_TIME;

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
///
/// ```
/// use std::sync::Arc;
///
/// use pentalith::games;
/// use pentalith::search::SystemClock;
/// use pentalith::session::Session;
///
/// let variant = games::parse_variant("markane:4x4").unwrap();
/// let mut session = Session::new(&variant, Arc::new(SystemClock::default())).unwrap();
/// session.play(session.side(), "a2", false).unwrap();
/// assert_eq!(session.moves(), ["a2"]);
/// assert!(session.play(session.side(), "a2", false).is_err());
/// assert!(session.undo());
/// assert_eq!(session.plays(), 0);
/// ```
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
    /// The evaluation, if it is not that of the program.
    evaluation: Option<Evaluation>,
}

/// An evaluation from a file.
struct Evaluation {
    file: String,
    weights: Weights,
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
            evaluation: None,
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
        match self.open(variant) {
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
        let Some(mut board) = self.open(variant) else {
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

    /// Opens the board of a variant, with the evaluation from a file where it fits.
    fn open(&self, variant: &Variant) -> Option<Box<dyn Board>> {
        let mut board = games::open(variant)?;
        if let Some(Evaluation { weights, .. }) = &self.evaluation
            && board.weights().is_compatible(weights)
        {
            board.set_weights(weights.clone());
        }
        Some(board)
    }

    /// Replaces the weights of the evaluation by those of a file; `None` for those of the program.
    ///
    /// # Errors
    /// Says why the file is no file of weights for this variant. Nothing is changed then.
    fn set_evaluation(&mut self, file: Option<&str>) -> Result<(), String> {
        let read = |file: &str| {
            let text = files::read_text(Path::new(file)).map_err(|error| error.to_string())?;
            let weights = self.board().weights().parse(&text).map_err(|error| error.to_string())?;
            Ok::<_, String>(Evaluation { file: file.to_owned(), weights })
        };
        let evaluation = file.map(read).transpose()?;
        let before = std::mem::replace(&mut self.evaluation, evaluation);
        let variant = self.variant().clone();
        if !self.change_options(&variant) {
            self.evaluation = before;
            return Err(format!("{variant} is no game of the program"));
        }
        Ok(())
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
        let weights = self.history.board.weights();
        if let Some(unfit) = self.evaluation.take_if(|evaluation| !weights.is_compatible(&evaluation.weights)) {
            log::warn!("the evaluation is that of the program: {} does not fit {}", unfit.file, self.variant());
        }
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
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use pentalith::{games, search::SystemClock, session::Session};
    /// # let variant = games::parse_variant("invector:5x4,pie=off").unwrap();
    /// # let mut session = Session::new(&variant, Arc::new(SystemClock::default())).unwrap();
    /// assert!(session.set_position("...../.wbw./..w../..... b 21").is_ok());
    /// assert_eq!(session.legal(), ["c3c2", "c3b3", "c3d3"]);
    /// let errors = session.set_position("...../.wbw. b 21").unwrap_err();
    /// assert!(errors.to_string().contains("board"));
    /// // The position before is still there.
    /// assert_eq!(session.turn(), 21);
    /// ```
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
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use pentalith::games;
    /// use pentalith::search::SystemClock;
    /// use pentalith::session::{Clicked, Session};
    ///
    /// let variant = games::parse_variant("invector:5x4").unwrap();
    /// let session = Session::new(&variant, Arc::new(SystemClock::default())).unwrap();
    /// assert_eq!(session.click(None, "a1"), Ok(Clicked::Selects("a1".to_owned())));
    /// assert_eq!(session.click(Some("a1"), "b1"), Ok(Clicked::Completes("a1b1".to_owned())));
    /// ```
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
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use pentalith::{games, search::SystemClock, session::Session};
    /// # let variant = games::parse_variant("markane:4x4").unwrap();
    /// # let mut session = Session::new(&variant, Arc::new(SystemClock::default())).unwrap();
    /// session.set_history(None, &["a2", "c3"]).unwrap();
    /// assert_eq!((session.moves(), session.turn()), (vec!["a2".to_owned(), "c3".to_owned()], 3));
    /// let error = session.set_history(None, &["a2", "a2"]).unwrap_err();
    /// assert!(error.to_string().contains("move 2"));
    /// assert_eq!(session.plays(), 2);
    /// ```
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
}

impl Drop for Session {
    fn drop(&mut self) {
        self.stop();
    }
}
