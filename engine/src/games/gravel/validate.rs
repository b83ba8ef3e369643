//! Validation of positions of Gravel.

use super::{Gravel, INFO, Position};
use crate::board::{Bitboard, Mailbox};
use crate::rules::{Color, PositionError, overlap_error, side_error};

impl<B: Bitboard> Gravel<B> {
    /// Finds every error of a position.
    pub(super) fn errors(&self, position: &Position<B>) -> Vec<PositionError> {
        let mut errors = Vec::new();
        let [black, white] = position.spaces;
        let occupied = black | white;
        let height = |cell| u32::from(position.heights.get(cell));
        let heights_fit = self.shape.cells().all(|cell| {
            occupied.has(cell) == (height(cell) > 0) && position.full.has(cell) == (height(cell) >= self.x)
        });
        if let Some(error) = overlap_error("pieces", position.spaces, self.grid.cells()) {
            errors.push(error);
        } else if !heights_fit {
            errors.push(PositionError::new("board", "the heights do not fit the occupied spaces"));
        }
        for cell in occupied.cells().filter(|&cell| height(cell) > self.x) {
            let (label, height, x) = (self.shape.label(cell), height(cell), self.x);
            let message = format!("{label} holds {height} pieces and can hold at most {x}");
            errors.push(PositionError::new("board", message));
        }
        errors.extend(side_error(position, INFO.first));
        for color in Color::BOTH {
            let on_board: u32 = position.spaces[color.index()].cells().map(height).sum();
            if on_board != position.on_board[color.index()] {
                errors.push(PositionError::new("board", format!("{color}'s pieces are miscounted")));
            }
            let (removed, pieces) = (position.removed[color.index()], self.pieces);
            if u64::from(on_board) + u64::from(removed) > u64::from(pieces) {
                let field = if removed > pieces { "removed" } else { "board" };
                let message =
                    format!("{on_board} on the board and {removed} removed are more than {color}'s {pieces} pieces");
                errors.push(PositionError::new(field, message));
            }
        }
        let used = position.used;
        if used.total() >= self.x {
            let message = format!("a turn has {} actions and ends with the last", self.x);
            errors.push(PositionError::new("used", message));
        }
        let enemy_lost = position.removed[(!position.side).index()];
        if used.removed > enemy_lost {
            let message = format!("the enemy has lost {enemy_lost} pieces, fewer than were removed");
            errors.push(PositionError::new("used", message));
        }
        // The limit is checked only after the second player's turn, so the count may exceed it by one.
        let played = position.turn - 1;
        if position.stall > played.min(self.stall + 1) {
            let limit = self.stall + 1;
            let message = format!("can be at most {limit} (the limit and one) and {played} (the turns so far)");
            errors.push(PositionError::new("stall", message));
        }
        errors
    }
}
