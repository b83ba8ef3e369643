//! What a player of Markane would look at before counting variations.

use super::{Markane, Position};
use crate::board::Bitboard;
use crate::game::{Color, Evaluate};

/// What a pit is worth where one side may place and the other may not.
const PLACEMENT: i32 = 100;

impl<B: Bitboard> Evaluate for Markane<B> {
    /// Who has more pits to place in runs out of them later; owed placements use them up.
    fn evaluate(&self, position: &Position<B>) -> i32 {
        let [black, white] = position.by_color();
        let pits = |own, enemy| self.placements(own, enemy).count() as i32;
        let difference = pits(black, white) - pits(white, black);
        let owed = match position.side {
            Color::Black => position.owed as i32 - 1,
            Color::White => 1 - position.owed as i32,
        };
        PLACEMENT * (difference - owed)
    }
}
