//! What a player of Invictus would look at before counting variations.

use super::{Invictus, Position};
use crate::board::Bitboard;
use crate::game::{Color, Evaluate};

/// What a point is worth that has been scored, or stands beyond the Divide.
const POINT: i32 = 100;

/// What each rank forward is worth to each pip of a die on the way.
const PIP_AND_RANK: i32 = 4;

impl<B: Bitboard> Evaluate for Invictus<B> {
    /// Points as they stand, and how far the dice have come, the higher ones counting more.
    fn evaluate(&self, position: &Position<B>) -> i32 {
        let [black, white] = Color::BOTH.map(|color| {
            let mut value = POINT.saturating_mul(self.points(position, color) as i32);
            for pips in 1..=6 {
                let dice = position.by_color()[color.index()] & position.of_value(pips);
                for cell in dice.cells() {
                    let (_, y) = self.shape.coordinates(cell);
                    let ranks = match color {
                        Color::Black => y,
                        Color::White => self.shape.ranks() - 1 - y,
                    };
                    value = value.saturating_add(PIP_AND_RANK * i32::from(pips) * i32::from(ranks));
                }
            }
            value
        });
        black.saturating_sub(white)
    }
}
