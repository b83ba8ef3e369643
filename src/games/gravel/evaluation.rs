//! What a player of Gravel would look at before counting variations.

use super::{Gravel, Position};
use crate::board::Bitboard;
use crate::game::{Color, Evaluate};

/// What a space is worth, and what a removed piece costs: territory compares the two.
const SPACE: i32 = 100;

/// What a controlled enemy space is worth.
const CONTROL: i32 = 40;

impl<B: Bitboard> Evaluate for Gravel<B> {
    /// How far each player is from losing on territory, and what each could remove from.
    #[inline(always)]
    fn evaluate(&self, position: &Position<B>) -> i32 {
        let [black, white] = Color::BOTH.map(|color| {
            let spaces = position.spaces[color.index()].count() as i32;
            let removed = position.removed[color.index()] as i32;
            let controlled = self.controlled(position, color).count() as i32;
            SPACE * (spaces - removed) + CONTROL * controlled
        });
        black - white
    }
}
