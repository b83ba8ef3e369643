//! What a player of Gravel would look at before counting variations: on some boards a network, on others a sum.

mod network;
mod sum;
mod surroundings;

use once_cell::sync::Lazy;

use super::{Gravel, INFO, Position};
use crate::board::Bitboard;
use crate::nnue::{Features as _, Weights};
use crate::rules::{Color, Evaluate};
pub(super) use network::Parameters;

/// Parts of the game: by how many tenths of one player's pieces both together have lost, from each of these numbers on.
const PARTS: [u32; 3] = [1, 3, 5];

/// An output bucket for each part, for the player who moves first in a round and for the other one, behind whose turn the
/// game is judged.
const BUCKETS: usize = 2 * (PARTS.len() + 1);

/// So many numbers of spaces more than pieces lost are told apart, from the number on that loses: near it, one counts for more.
const MARGIN: usize = 12;

/// So many numbers of pieces that can be lost until half are gone.
const SPARE: usize = 8;

static SMALL: Lazy<Weights> = Lazy::new(|| {
    sum::table(
        "gravel, up to four spaces a side",
        include_bytes!("../weights/small.net"),
    )
});
static MEDIUM: Lazy<Weights> = Lazy::new(|| {
    network::table(
        "gravel, 5 to 16 spaces a side",
        include_bytes!("../weights/medium.net"),
    )
});
static LARGE: Lazy<Weights> = Lazy::new(|| {
    sum::table(
        "gravel, 17 spaces a side and more",
        include_bytes!("../weights/large.net"),
    )
});

/// The weights for a board with so many spaces a side: a sum that was learned; a network that was learned on boards of eight, and
/// wins on those of five to sixteen; on larger ones a sum by hand.
fn built_in(side: u8) -> Weights {
    match side {
        ..=4 => SMALL.clone(),
        5..=16 => MEDIUM.clone(),
        _ => LARGE.clone(),
    }
}

/// The output bucket of a position where each player has so many pieces in all.
#[inline(always)]
fn bucket<B: Bitboard>(position: &Position<B>, pieces: u32) -> usize {
    let [black, white] = position.removed;
    let tenths = 10 * (black + white) / pieces;
    let mut part = 0;
    for &least in &PARTS {
        part += usize::from(tenths >= least);
    }
    2 * part + usize::from(position.side != INFO.first)
}

impl<B: Bitboard> Gravel<B> {
    /// By how many spaces a player has more than it lost pieces, and how many it can lose until half are gone, as far as they are
    /// told apart.
    #[inline(always)]
    fn distances(&self, position: &Position<B>, color: Color) -> (usize, usize) {
        #[expect(clippy::indexing_slicing, reason = "there is one for each colour")]
        let (spaces, removed) = (
            position.spaces[color.index()].count(),
            position.removed[color.index()],
        );
        let margin = (spaces + 1).saturating_sub(removed) as usize;
        let spare = (self.pieces / 2).saturating_sub(removed) as usize;
        (margin.min(MARGIN - 1), spare.min(SPARE - 1))
    }
}

impl<B: Bitboard> Evaluate for Gravel<B> {
    fn weights(&self) -> &Weights {
        self.weights.weights(|| built_in(self.shape.columns()))
    }

    fn set_weights(&mut self, weights: Weights) {
        self.weights.set(weights);
    }

    #[inline(always)]
    fn terms(&self, position: &Position<B>, add: impl FnMut(usize, usize, i32)) {
        match self.parameters() {
            Some(_) => self.terms_of_network(position, add),
            None => self.terms_of_sum(position, add),
        }
    }

    #[inline(always)]
    fn evaluate(&self, position: &Position<B>) -> i32 {
        match self.value_of_network(position) {
            Some(value) => value,
            None => self.sum(self.weights(), position),
        }
    }
}
