//! History of a game: a board with the plays that led to its position.
//!
//! A play is what one command played: a step, a move, or part of a move. Undo takes back a play.

use crate::rules::StepError;
use crate::rules::{Board, Color, Step};
use crate::text::ParseError;

use super::{HistoryError, PlayError};

/// A board with its history, divided into plays.
pub(super) struct GameHistory {
    pub(super) board: Box<dyn Board>,
    /// Ply of the history before each play.
    plays: Vec<usize>,
}

impl GameHistory {
    /// Returns a game without plays.
    pub(super) fn new(board: Box<dyn Board>) -> Self {
        Self { board, plays: Vec::new() }
    }

    /// Forgets the plays. Call it when the board has a new start position.
    pub(super) fn clear(&mut self) {
        self.plays.clear();
    }

    /// Plays a move of a side, or part of one, and returns its steps.
    ///
    /// # Errors
    /// Names the wrong step, and why it is wrong. Nothing has changed then.
    pub(super) fn play(&mut self, color: Color, text: &str, any_pass: bool) -> Result<Vec<Step>, PlayError> {
        let before = self.board.ply();
        let steps = make_move(&mut *self.board, color, text, any_pass)?;
        self.plays.push(before);
        Ok(steps)
    }

    /// Adds a play without steps: a pass after the end of the game.
    pub(super) fn pass_after_end(&mut self) {
        self.plays.push(self.board.ply());
    }

    /// Plays a legal step.
    pub(super) fn make(&mut self, step: Step) {
        self.plays.push(self.board.ply());
        self.board.make(step);
    }

    /// Takes back the last play; returns false if there is none.
    pub(super) fn undo(&mut self) -> bool {
        let Some(ply) = self.plays.pop() else {
            return false;
        };
        while self.board.ply() > ply && self.board.unmake() {}
        true
    }

    /// Returns the number of plays.
    pub(super) fn plays(&self) -> usize {
        self.plays.len()
    }

    /// Returns the number of steps of each play.
    pub(super) fn play_lengths(&self) -> Vec<usize> {
        let ends = self.plays.iter().copied().skip(1);
        let ends = ends.chain([self.board.ply()]);
        let plays = self.plays.iter().zip(ends);
        plays.map(|(first, end)| end - first).collect()
    }

    /// Returns the text of the last play.
    pub(super) fn last_play(&self) -> Option<String> {
        let first = *self.plays.last()?;
        let steps = self.board.history().into_iter().skip(first);
        let words: Vec<String> = steps.map(|step| self.board.write_step(step)).collect();
        Some(words.join(","))
    }

    /// Returns the moves of the history, each with its steps. The last one may be incomplete.
    pub(super) fn moves(&self) -> Vec<Vec<String>> {
        split_moves(&*self.board.fork_at(0), &self.board.history())
    }

    /// Returns the start position and each play with its color; the text of a pass after the end is empty.
    pub(super) fn record(&self) -> (String, Vec<(Color, String)>) {
        let mut steps = self.board.history().into_iter();
        let play = |(&first, length): (&usize, usize)| {
            let words: Vec<String> = steps.by_ref().take(length).map(|step| self.board.write_step(step)).collect();
            (self.board.side_at(first), words.join(","))
        };
        let plays = self.plays.iter().zip(self.play_lengths()).map(play).collect();
        (self.board.fork_at(0).position(), plays)
    }

    /// Plays what [`GameHistory::record`] has returned; returns false at the first play that is not legal.
    pub(super) fn replay(&mut self, plays: &[(Color, String)]) -> bool {
        plays.iter().all(|(color, text)| match text.as_str() {
            "" => {
                self.pass_after_end();
                true
            }
            text => self.play(*color, text, false).is_ok(),
        })
    }

    /// Reads a game: a start position, by default that of the variant, and moves or parts of moves.
    ///
    /// # Errors
    /// Names the position or the move that is wrong, and why.
    pub(super) fn read(&self, position: Option<&str>, moves: &[&str]) -> Result<Self, HistoryError> {
        let mut read = Self::new(self.board.fork());
        match position {
            Some(text) => read.board.set_position(text)?,
            None => read.board.restart(),
        }
        let mut last_mover: Option<Color> = None;
        for (i, text) in moves.iter().enumerate() {
            let side = read.board.side();
            let played = read.play(side, text, false);
            played.map_err(|why| HistoryError::at(i, text, side, last_mover, why))?;
            last_mover = Some(side);
        }
        Ok(read)
    }

    /// Returns the steps that lead from the end of `other` to the end of this game; `None` if this game does not
    /// continue it.
    pub(super) fn continuation_of(&self, other: &Self) -> Option<Vec<Step>> {
        let begins = |game_history: &Self| game_history.board.fork_at(0).position();
        let steps = self.board.history();
        let rest = steps.strip_prefix(other.board.history().as_slice())?;
        (begins(self) == begins(other)).then(|| rest.to_vec())
    }
}

/// Plays the steps of a text, all of them by `color`, and returns them.
///
/// # Errors
/// Names the wrong step, and why it is wrong. Nothing has changed then.
pub(super) fn make_move(
    board: &mut dyn Board,
    color: Color,
    text: &str,
    any_pass: bool,
) -> Result<Vec<Step>, PlayError> {
    let before = board.ply();
    let made = make_steps(board, color, text, any_pass);
    if made.is_err() {
        while board.ply() > before && board.unmake() {}
    }
    made
}

fn make_steps(board: &mut dyn Board, color: Color, text: &str, any_pass: bool) -> Result<Vec<Step>, PlayError> {
    if board.is_over() {
        return Err(PlayError::Over);
    }
    if board.side() != color {
        return Err(PlayError::WrongColor(board.side()));
    }
    let mut made = Vec::new();
    let mut column = 0;
    for step_text in text.split(',') {
        let complete = board.side() != color || board.is_over();
        if complete && !made.is_empty() && !step_text.is_empty() {
            let step = step_text.to_owned();
            return Err(PlayError::AfterMove { step, mover: color });
        }
        let read = read_step(board, step_text, any_pass);
        let step = read.map_err(|error| match error {
            // Quote the whole move, with the column in it.
            StepError::Syntax(error) => {
                StepError::Syntax(ParseError { input: text.to_owned(), column: column + error.column, ..error })
            }
            illegal => illegal,
        })?;
        column += step_text.chars().count() + 1;
        board.make(step);
        made.push(step);
    }
    Ok(made)
}

/// Reads one step. With `any_pass`, `pass` may mean the step that the game assigns to it.
fn read_step(board: &dyn Board, text: &str, any_pass: bool) -> Result<Step, StepError> {
    let read = board.read_step(text);
    if read.is_ok() || !any_pass || !text.eq_ignore_ascii_case("pass") {
        return read;
    }
    match (board.pass_alias(), read) {
        (Some(step), _) => Ok(step),
        (None, Err(StepError::Syntax(ParseError { expected, .. }))) => Err(StepError::Illegal {
            step: text.to_owned(),
            reason: format!("a player must take one of the steps that legal shows; expected {expected}"),
        }),
        (None, read) => read,
    }
}

/// Divides steps from the position of a board on into moves, as text.
pub(super) fn split_moves(board: &dyn Board, steps: &[Step]) -> Vec<Vec<String>> {
    let mut board = board.fork();
    let mut moves: Vec<Vec<String>> = Vec::new();
    let mut mover = None;
    for &step in steps {
        let text = board.write_step(step);
        match moves.last_mut() {
            Some(last) if mover == Some(board.side()) => last.push(text),
            _ => moves.push(vec![text]),
        }
        mover = Some(board.side());
        board.make(step);
    }
    moves
}
