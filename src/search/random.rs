//! Steps at random.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::rules::{Board, Step};

/// One of the legal steps, each with the same chance but for a bias below their number / 2³².
pub fn random_step(board: &mut dyn Board, random: &mut impl Rng) -> Option<Step> {
    let n = (u64::from(random.next_u32()) * board.count() as u64) >> 32;
    board.nth(n as usize)
}

/// How many steps a move takes when it is played at random, on average over a few times.
pub(super) fn expected_steps(board: &dyn Board, seed: u64) -> f64 {
    const TIMES: u32 = 16;
    let mut random = Xoshiro256PlusPlus::seed_from_u64(board.key().0 ^ seed);
    let (side, mut total) = (board.side(), 0);
    let mut here = board.fork();
    for _ in 0..TIMES {
        while here.side() == side {
            let Some(step) = random_step(&mut *here, &mut random) else {
                break;
            };
            here.make(step);
            total += 1;
        }
        while here.unmake() {}
    }
    f64::from(total) / f64::from(TIMES)
}
