//! Moves as marks: the steps that were played, and those that an analysis proposes.

use super::Candidate;
use crate::board::Cell;
use crate::rules::{Board, Color, Piece, Step};

/// Cells, paths and captures of the last move.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct LastMove {
    /// The cells where its steps ended, which get a frame.
    pub cells: Vec<Cell>,
    /// Origins and targets of the steps that moved a piece, which get a thin frame and an arrow.
    pub paths: Vec<(Cell, Cell)>,
    /// The cells where pieces were captured, with the side of the piece.
    pub captured: Vec<(Cell, Color)>,
    /// The cells that are not as they were before the move.
    pub changed: Vec<Cell>,
    /// The pieces of all cells before the move; empty until its first step is played.
    pub before: Vec<Option<Piece>>,
}

impl LastMove {
    /// Plays a legal step and adds it. Returns the cells that it touches, the one where it ends last.
    pub fn play(&mut self, board: &mut dyn Board, step: Step) -> Vec<Cell> {
        let (side, touched) = (board.side(), board.clicks(step).cells());
        let before = pieces(board);
        board.make(step);
        if self.before.is_empty() {
            self.before = before.clone();
        }
        let now = board.shape().cells().zip(&self.before);
        self.changed = now.filter(|&(cell, was)| board.piece(cell) != *was).map(|(cell, _)| cell).collect();
        let (from, to) = (touched.first(), touched.last());
        if let (Some(&from), Some(&to)) = (from, to) {
            self.cells.retain(|&cell| cell != to);
            self.cells.push(to);
            if from != to {
                self.paths.push((from, to));
            }
        }
        for (cell, piece) in board.shape().cells().zip(before) {
            let Some(piece) = piece.filter(|piece| piece.color != side) else {
                continue;
            };
            // A piece that only changes its color is not captured: it is one that a step has moved onto, or that is gone.
            let is_taken = match board.piece(cell) {
                None => true,
                Some(now) => from != to && to == Some(&cell) && now.color == side,
            };
            if is_taken {
                self.captured.push((cell, piece.color));
            }
        }
        touched
    }

    /// Returns the changed cells where no step ended or began.
    pub(super) fn others(&self) -> impl Iterator<Item = Cell> {
        let is_named = |cell: Cell| self.cells.contains(&cell) || self.paths.iter().any(|&(from, _)| from == cell);
        self.changed.iter().copied().filter(move |&cell| !is_named(cell))
    }
}

fn pieces(board: &dyn Board) -> Vec<Option<Piece>> {
    board.shape().cells().map(|cell| board.piece(cell)).collect()
}

impl Candidate {
    /// The strength of the further steps of the best move.
    pub const FURTHER: u8 = 4;

    /// Returns a step that touches `cells` as a mark; `None` for a step without cells.
    pub fn of(cells: &[Cell], strength: u8, text: String) -> Option<Self> {
        let (first, to) = (*cells.first()?, *cells.last()?);
        Some(Self { from: Some(first).filter(|&from| from != to), to, strength, text })
    }

    /// Returns the strength of a move that loses `loss` of the expected score against the best one, from 0 to 1.
    pub fn strength_of(loss: f64) -> u8 {
        /// From this loss on, all moves are equally weak.
        const LARGE: f64 = 0.2;
        /// Strength of a move that loses nothing.
        const CLOSE: f64 = 6.0;
        let weaker = (loss.max(0.0) / LARGE).min(1.0) * (CLOSE - 1.0);
        (CLOSE - weaker).round() as u8
    }
}
