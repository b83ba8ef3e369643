//! What a position looks like, for clients that draw it.

use crate::rules::{Board, Color, Piece};

/// A cell of a [`Picture`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Square {
    /// Label of the cell.
    pub label: String,
    /// Piece on the cell.
    pub piece: Option<Piece>,
    /// Marked by the board itself, whatever the position.
    pub is_marked: bool,
    /// Waits for a choice of the side to move.
    pub is_pending: bool,
}

/// Visible part of a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Picture {
    /// True for a hexagonal board.
    pub is_hexagon: bool,
    /// Cells by rank from rank 1 up, each rank from left to right; `None` off the board.
    pub ranks: Vec<Vec<Option<Square>>>,
    /// Number of the piece to set now, if the rules choose it.
    pub value_to_set: Option<u8>,
    /// State that the board does not show, line by line.
    pub status: Vec<String>,
}

pub(super) fn picture(board: &dyn Board) -> Picture {
    let shape = board.shape();
    let pending = board.pending();
    let square = |cell| Square {
        label: shape.label(cell),
        piece: board.piece(cell),
        is_marked: board.is_marked(cell),
        is_pending: pending.contains(&cell),
    };
    let rank = |y| {
        let cells = (0..shape.columns()).map(move |x| shape.cell(x, y));
        cells.map(|cell| cell.map(square)).collect()
    };
    Picture {
        is_hexagon: shape.is_hexagon(),
        ranks: (0..shape.ranks()).map(rank).collect(),
        value_to_set: board.value_to_set(),
        status: board.status(),
    }
}

/// Returns the pieces that each player has captured in the history, Black first.
///
/// Counts the loss of the opponent in each step. Not counted are steps in which pieces only change their colour: a
/// swap, a step that adds a piece, a choice among pending cells.
pub(super) fn captured(board: &dyn Board) -> [u32; 2] {
    let [mut by_black, mut by_white] = [0, 0];
    let mut current = board.fork_at(0);
    let [mut black, mut white] = current.piece_counts();
    for step in board.history() {
        let (mover, is_choice) = (current.side(), !current.pending().is_empty());
        current.make(step);
        let [black_now, white_now] = current.piece_counts();
        let fewer = black_now + white_now <= black + white;
        if fewer && !is_choice && current.write_step(step) != "swap" {
            match mover {
                Color::Black => by_black += white.saturating_sub(white_now),
                Color::White => by_white += black.saturating_sub(black_now),
            }
        }
        (black, white) = (black_now, white_now);
    }
    [by_black, by_white]
}
