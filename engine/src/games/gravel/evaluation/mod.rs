//! The evaluation of Gravel: a network on boards of medium size, a weighted sum on others.

mod neighborhood;
mod network;
mod sum;

use once_cell::sync::Lazy;

use super::{Gravel, INFO, Position};
use crate::board::Bitboard;
use crate::nnue::{Features as _, Weights};
use crate::rules::{Color, Evaluate};
pub(super) use network::Parameters;

/// Bounds between the phases of the game: pieces lost by both players at least, in tenths of the pieces of one.
const PHASES: [u32; 3] = [1, 3, 5];

/// Number of output buckets: in each phase, one for the player who moves first in a round and one for the other.
///
/// The players differ because the end of the game is judged after the turn of the second one.
const BUCKETS: usize = 2 * (PHASES.len() + 1);

/// Number of `margin` features, by spaces held beyond pieces lost.
///
/// The first is for margins that lose the game, the last is for all larger margins.
const MARGIN: usize = 12;

/// Number of `spare` features, by pieces that can be lost until half are gone.
///
/// The last is for all larger numbers.
const SPARE: usize = 8;

static UP_TO_4: Lazy<Weights> =
    Lazy::new(|| sum::table("gravel, up to four spaces a side", include_bytes!("../weights/up-to-4.net")));
static UP_TO_10: Lazy<Weights> =
    Lazy::new(|| network::table("gravel, 5 to 10 spaces a side", include_bytes!("../weights/up-to-10.net")));
static UP_TO_12: Lazy<Weights> =
    Lazy::new(|| network::table("gravel, 11 and 12 spaces a side", include_bytes!("../weights/up-to-12.net")));
static UP_TO_16: Lazy<Weights> =
    Lazy::new(|| network::table("gravel, 13 to 16 spaces a side", include_bytes!("../weights/up-to-16.net")));
static LARGE: Lazy<Weights> =
    Lazy::new(|| sum::table("gravel, 17 spaces a side and more", include_bytes!("../weights/large.net")));

/// Returns the built-in weights for a board with this number of spaces a side.
///
/// Small boards have a trained sum and the largest a hand-made one. The networks were all trained on 8x8, each from the
/// one of the next larger boards: the more rounds, the stronger on 8x8, and the weaker on boards that are far from it.
fn built_in(side: u8) -> Weights {
    match side {
        ..=4 => UP_TO_4.clone(),
        5..=10 => UP_TO_10.clone(),
        11..=12 => UP_TO_12.clone(),
        13..=16 => UP_TO_16.clone(),
        _ => LARGE.clone(),
    }
}

/// Returns the output bucket of a position in a game with this number of pieces for each player.
#[inline(always)]
fn bucket<B: Bitboard>(position: &Position<B>, pieces: u32) -> usize {
    let [black, white] = position.removed;
    let tenths = 10 * (black + white) / pieces;
    let mut phase = 0;
    for &bound in &PHASES {
        phase += usize::from(tenths >= bound);
    }
    2 * phase + usize::from(position.side != INFO.first)
}

impl<B: Bitboard> Gravel<B> {
    /// Returns the indices of a player's `margin` feature and `spare` feature.
    #[inline(always)]
    fn distances(&self, position: &Position<B>, color: Color) -> (usize, usize) {
        #[expect(clippy::indexing_slicing, reason = "there is one entry for each color")]
        let (spaces, removed) = (position.spaces[color.index()].count(), position.removed[color.index()]);
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
