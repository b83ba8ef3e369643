//! Random steps.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::rules::{Board, Step};

/// Returns a legal step, uniformly at random up to a bias below `count` / 2³²; `None` in a finished game.
pub fn random_step(board: &mut dyn Board, random: &mut impl Rng) -> Option<Step> {
    let n = (u64::from(random.next_u32()) * board.count() as u64) >> 32;
    board.nth(n as usize)
}

/// Returns the mean number of steps in a random move of the side to move, over 16 samples.
pub(super) fn expected_steps(board: &dyn Board, seed: u64) -> f64 {
    const SAMPLES: u32 = 16;
    let mut random = Xoshiro256PlusPlus::seed_from_u64(board.key().0 ^ seed);
    let (side, mut total) = (board.side(), 0);
    let mut current = board.fork();
    for _ in 0..SAMPLES {
        while current.side() == side {
            let Some(step) = random_step(&mut *current, &mut random) else {
                break;
            };
            current.make(step);
            total += 1;
        }
        while current.unmake() {}
    }
    f64::from(total) / f64::from(SAMPLES)
}
