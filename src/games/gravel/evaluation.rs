//! What a player of Gravel would look at before counting variations.

use once_cell::sync::Lazy;

use super::{Gravel, Position};
use crate::board::Bitboard;
use crate::game::{Evaluate, Weights};

/// Territory is spaces less what was removed; controlled enemy spaces are what can be removed from next.
const ROWS: [&str; 3] = ["space", "removed", "controlled"];

pub(super) static WEIGHTS: Lazy<Weights> = Lazy::new(|| {
    let rows = ROWS.map(str::to_owned).to_vec();
    Weights::built_in(rows, 1, include_str!("weights.txt"))
});

impl<B: Bitboard> Evaluate for Gravel<B> {
    type Outlook = ();

    fn weights(&self) -> &Weights {
        &self.weights
    }

    fn set_weights(&mut self, weights: Weights) {
        self.weights = weights;
    }

    #[inline(always)]
    fn terms(&self, position: &Position<B>, mut add: impl FnMut(usize, usize, i32)) {
        for (color, sign) in [(position.side, 1), (!position.side, -1)] {
            let i = color.index();
            add(0, 0, sign * position.spaces[i].count() as i32);
            add(1, 0, sign * position.removed[i] as i32);
            add(2, 0, sign * self.controlled(position, color).count() as i32);
        }
    }
}
