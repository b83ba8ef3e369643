//! What a player of Invector would look at before counting variations.

use once_cell::sync::Lazy;

use super::{Invector, Position};
use crate::board::{Bitboard, Direction};
use crate::game::{Evaluate, Sides, Weights};

/// Own stones against enemy ones, and enemy stones next to own ones, where the first to strike gains.
const ROWS: [&str; 2] = ["stone", "contact"];

pub(super) static WEIGHTS: Lazy<Weights> = Lazy::new(|| {
    let rows = ROWS.map(str::to_owned).to_vec();
    Weights::built_in(rows, 1, include_str!("weights.txt"))
});

impl<B: Bitboard> Evaluate for Invector<B> {
    type Outlook = ();

    fn weights(&self) -> &Weights {
        &self.weights
    }

    fn set_weights(&mut self, weights: Weights) {
        self.weights = weights;
    }

    #[inline(always)]
    fn terms(&self, position: &Position<B>, mut add: impl FnMut(usize, usize, i32)) {
        let Sides { own, enemy } = position.stones;
        let contact: u32 = Direction::ALL
            .map(|direction| (self.grid.shift(own, direction) & enemy).count())
            .iter()
            .sum();
        let contact = contact.min(1) as i32;
        add(0, 0, own.count() as i32 - enemy.count() as i32);
        add(1, 0, contact);
    }
}
