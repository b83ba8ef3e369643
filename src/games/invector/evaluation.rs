//! What a player of Invector would look at before counting variations.
#![expect(
    clippy::indexing_slicing,
    reason = "there is a part of the game for each number of stones"
)]

use once_cell::sync::Lazy;

use super::{Invector, Position};
use crate::board::{Bitboard, Direction};
use crate::game::{Evaluate, Sides, Weights};

/// Parts of the game, the last one first: by how many tenths of the pits have stones, from each of these numbers on.
const PARTS: [u32; 3] = [3, 5, 7];

/// What is counted of either side, the own one first.
const OF_EACH: [&str; 7] = ["stone", "hit", "loose", "alone", "quiet", "safe", "far"];

/// And of both: whether stones touch, when the first to strike gains; and to be the one to move.
const OF_BOTH: [&str; 2] = ["contact", "move"];

pub(super) static WEIGHTS: Lazy<Weights> = Lazy::new(|| {
    let sides = ["own", "enemy"].into_iter();
    let each = sides.flat_map(|side| OF_EACH.map(|what| format!("{side}.{what}")));
    let rows = each.chain(OF_BOTH.map(str::to_owned)).collect();
    Weights::built_in(rows, PARTS.len() + 1, include_str!("weights.txt"))
});

impl<B: Bitboard> Invector<B> {
    /// How often there is of one side what [`OF_EACH`] names.
    #[inline(always)]
    fn seen(&self, own: B, enemy: B) -> [i32; OF_EACH.len()] {
        let (near, near_enemy) = (self.grid.next_to(own), self.grid.next_to(enemy));
        // What the other side could capture, and of that what nobody stands next to who could strike back.
        let hit = own & near_enemy;
        let empty = self.grid.cells() & !(own | enemy);
        let (mut quiet, mut safe) = (0, 0);
        for direction in Direction::ALL {
            let to = self.grid.shift(own, direction) & self.inward[direction as usize] & empty;
            quiet += to.count();
            safe += (to & !near_enemy).count();
        }
        let far: u32 = self.distant.iter().map(|&pits| (own & pits).count()).sum();
        [own.count(), hit.count(), (hit & !near).count(), (own & !near).count(), quiet, safe, far].map(|n| n as i32)
    }
}

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
        let tenths = 10 * (own | enemy).count() / self.shape.len() as u32;
        let column = PARTS.iter().filter(|&&least| tenths >= least).count();
        let sides = [self.seen(own, enemy), self.seen(enemy, own)];
        let mut row = 0;
        for times in sides.into_iter().flatten() {
            add(row, column, times);
            row += 1;
        }
        add(row, column, i32::from(sides[0][1] > 0));
        add(row + 1, column, 1);
    }
}
