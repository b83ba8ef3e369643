//! Back and forth through the moves of a game.

use serde::Serialize;

use super::game::Game;
use super::state::name;
use super::wishes::Player;
use crate::record::SearchInformation;
use crate::rules::{Board, Color};

/// A play that was taken back.
pub(super) struct TakenBack {
    side: Color,
    /// The steps, as they were played.
    text: String,
    note: SearchInformation,
}

/// A move, or a part of one, in the list of moves.
#[derive(Serialize)]
pub(super) struct MoveState {
    turn: u32,
    side: &'static str,
    steps: Vec<String>,
    /// For each step the number of plays after which it is played. Greater numbers than that of the plays since the
    /// start belong to steps that were taken back.
    plays: Vec<usize>,
}

impl Game {
    pub(super) fn can_undo(&self) -> bool {
        self.session.plays() > 0 || self.ended.is_some() || self.selected.is_some()
    }

    pub(super) fn can_redo(&self) -> bool {
        !self.redo.is_empty()
    }

    /// Takes back plays until a person decides again.
    pub(super) fn undo(&mut self) -> Result<(), String> {
        if self.ended.take().is_some() {
            self.settle();
            return Ok(());
        }
        if self.selected.take().is_some() {
            return Ok(());
        }
        if !self.take_back() {
            return Err("nothing can be taken back: this is the start".to_owned());
        }
        while !self.is_stop() && self.take_back() {}
        self.settle();
        Ok(())
    }

    /// Plays again what was taken back, until a person decides.
    pub(super) fn redo(&mut self) -> Result<(), String> {
        if !self.play_again()? {
            return Err("nothing was taken back".to_owned());
        }
        while !self.is_stop() && self.play_again()? {}
        self.settle();
        Ok(())
    }

    /// Goes to the position after `plays` plays, back or forward through what was taken back.
    pub(super) fn go_to(&mut self, plays: usize) -> Result<(), String> {
        let last = self.session.plays() + self.redo.len();
        if plays > last {
            return Err(format!("there is no play {plays}: expected 0 to {last}"));
        }
        self.ended = None;
        while self.session.plays() > plays && self.take_back() {}
        while self.session.plays() < plays && self.play_again()? {}
        self.settle();
        Ok(())
    }

    /// Returns true if undo and redo stop here: a person decides, or there is none.
    fn is_stop(&self) -> bool {
        self.player() == Player::Person || !self.players.contains(&Player::Person)
    }

    /// Takes one play back. Returns false if there is none.
    fn take_back(&mut self) -> bool {
        let Some(text) = self.session.last_play() else {
            return false;
        };
        if !self.session.undo() {
            return false;
        }
        self.redo.push(TakenBack { side: self.session.side(), text, note: self.notes.pop().unwrap_or_default() });
        true
    }

    /// Plays the last play that was taken back. Returns false if there is none.
    fn play_again(&mut self) -> Result<bool, String> {
        let Some(TakenBack { side, text, note }) = self.redo.pop() else {
            return Ok(false);
        };
        let played = self.session.play(side, &text, false);
        played.map_err(|error| error.to_string())?;
        self.notes.push(note);
        Ok(true)
    }

    /// Waits at the position that was gone to: neither the engine nor the clocks go on by themselves.
    fn settle(&mut self) {
        self.changed();
        self.is_paused = self.player() == Player::Engine;
        self.since = std::time::Instant::now();
        if let Some(clocks) = &mut self.clocks {
            clocks.stop();
        }
    }

    /// Returns the moves since the start, and those that were taken back. The last one may be incomplete.
    pub(super) fn moves(&self) -> Vec<MoveState> {
        let mut board = self.board().fork_at(0);
        let history = self.board().history();
        let mut moves = MoveList::default();
        let mut steps = history.into_iter();
        let lengths = self.session.play_lengths();
        for (index, length) in lengths.iter().enumerate() {
            for step in steps.by_ref().take(*length) {
                moves.add(&*board, board.write_step(step), index + 1);
                board.make(step);
            }
        }
        for (index, taken) in self.redo.iter().rev().enumerate() {
            for text in taken.text.split(',') {
                let Ok(step) = board.read_step(text) else {
                    return moves.0;
                };
                moves.add(&*board, text.to_owned(), lengths.len() + index + 1);
                board.make(step);
            }
        }
        moves.0
    }
}

#[derive(Default)]
struct MoveList(Vec<MoveState>);

impl MoveList {
    /// Adds a step that is about to be played on `board`.
    fn add(&mut self, board: &dyn Board, text: String, plays: usize) {
        let (side, turn) = (name(board.side()), board.turn());
        match self.0.last_mut() {
            Some(last) if last.side == side && last.turn == turn => {
                last.steps.push(text);
                last.plays.push(plays);
            }
            _ => self.0.push(MoveState { turn, side, steps: vec![text], plays: vec![plays] }),
        }
    }
}
