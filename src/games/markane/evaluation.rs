//! What a player of Markane would look at before counting variations.

use super::{CellStep, Markane, Position};
use crate::board::Bitboard;
use crate::game::{Color, Evaluate};

/// What a pit is worth where one side may place and the other may not.
const PLACEMENT: i32 = 100;

impl<B: Bitboard> Evaluate for Markane<B> {
    /// Who has more pits to place in runs out of them later; owed placements use them up.
    #[inline(always)]
    fn evaluate(&self, position: &Position<B>) -> i32 {
        let [black, white] = position.by_color();
        let pits = self.placements(black, white).count() as i32;
        let difference = pits - self.placements(white, black).count() as i32;
        let owed = match position.side {
            Color::Black => position.owed as i32 - 1,
            Color::White => 1 - position.owed as i32,
        };
        PLACEMENT * (difference - owed)
    }

    /// How many stones a placement captures.
    #[inline(always)]
    fn promise(&self, position: &Position<B>, step: CellStep) -> i32 {
        if step == CellStep::SWAP {
            return 0;
        }
        let own = position.stones.own | B::of(step.cell());
        (position.stones.enemy & self.grid.next_to_two(own)).count() as i32
    }
}
