//! What a player of Invector would look at before counting variations.

use super::{Invector, Position};
use crate::board::{Bitboard, Direction};
use crate::game::{Color, Evaluate};

/// What a stone is worth.
const STONE: i32 = 100;

/// What one own stone is worth that the other side could capture at once, to whoever is to move.
const THREAT: i32 = 25;

impl<B: Bitboard> Evaluate for Invector<B> {
    /// Stones, and the enemy stones within reach of the side to move: the first to strike gains.
    #[inline(always)]
    fn evaluate(&self, position: &Position<B>) -> i32 {
        let [black, white] = position.by_color();
        let material = black.count() as i32 - white.count() as i32;
        let contact: u32 = Direction::ALL
            .map(|direction| (self.grid.shift(black, direction) & white).count())
            .iter()
            .sum();
        let first_strike = match position.side {
            Color::Black => contact.min(1) as i32,
            Color::White => -(contact.min(1) as i32),
        };
        STONE * material + THREAT * first_strike
    }
}
