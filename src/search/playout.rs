//! Games played to the end at random.

use rand_core::Rng;

use crate::board::with_bit_instructions;
use crate::game::{Game, NoKeys, Steps};

/// How many steps a playout makes between two looks at whether it is to stop.
const STEPS_A_LOOK: u64 = 512;

/// One of the steps, each with the same chance but for a bias below their number / 2³².
#[inline]
pub(super) fn random_step<S: Steps>(steps: &S, random: &mut impl Rng) -> Option<S::Step> {
    let n = (u64::from(random.next_u32()) * steps.count() as u64) >> 32;
    steps.nth(n as usize)
}

/// Plays on at random until the game is over or `stop`, which is asked from time to time, says true. Gives the
/// number of steps and whether the game is over.
#[inline]
pub fn play_out<G: Game>(
    game: &G,
    position: &mut G::Position,
    random: &mut impl Rng,
    stop: impl Fn() -> bool,
) -> (u64, bool) {
    with_bit_instructions(
        #[inline(always)]
        || {
            let mut length = 0;
            while let Some(step) = random_step(&game.steps(position), random) {
                game.play(position, step, &mut NoKeys);
                length += 1;
                if length % STEPS_A_LOOK == 0 && stop() {
                    return (length, false);
                }
            }
            (length, true)
        },
    )
}
