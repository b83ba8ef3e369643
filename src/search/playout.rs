//! Games played to the end at random.

use std::iter;

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::board::with_bit_instructions;
use crate::game::{Game, NoKeys, Position, Steps};

/// How many steps a playout makes between two looks at whether it is to stop.
pub(super) const STEPS_A_LOOK: u64 = 512;

/// One of the steps, each with the same chance but for a bias below their number / 2³².
#[inline(always)]
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
            // A copy can stay in registers.
            let mut here = *position;
            let mut length = 0;
            let mut over = true;
            while let Some(step) = random_step(&game.steps(&here), random) {
                game.play(&mut here, step, &mut NoKeys);
                length += 1;
                if length % STEPS_A_LOOK == 0 && stop() {
                    over = false;
                    break;
                }
            }
            *position = here;
            (length, over)
        },
    )
}

/// Plays several games on at random at once, a step of each in turn, so that the processor works on one while
/// another waits for what it has begun. `next` gives the positions to play on from until it has no more, and
/// `done` is shown each finished position and the number of steps that led to it, in no certain order.
///
/// Gives whether all were finished; where `stop`, which is asked from time to time, says true, the rest is dropped.
#[inline]
pub fn play_out_interleaved<G: Game>(
    game: &G,
    lanes: usize,
    random: &mut impl Rng,
    next: impl FnMut() -> Option<G::Position>,
    mut done: impl FnMut(G::Position, u64),
    stop: impl Fn() -> bool,
) -> bool {
    let mut next = iter::from_fn(next).fuse();
    let mut lanes: Vec<_> = next.by_ref().take(lanes).map(Lane::new).collect();
    while !lanes.is_empty() {
        let all_go_on = with_bit_instructions(
            #[inline(always)]
            || {
                for _ in 0..STEPS_A_LOOK {
                    let mut all_go_on = true;
                    for lane in &mut lanes {
                        if let Some(step) = random_step(&game.steps(&lane.position), random) {
                            game.play(&mut lane.position, step, &mut NoKeys);
                            lane.length += 1;
                        } else {
                            all_go_on &= lane.renew(&mut next, &mut done);
                        }
                    }
                    if !all_go_on {
                        return false;
                    }
                }
                true
            },
        );
        if !all_go_on {
            lanes.retain(|lane| lane.goes_on);
        } else if stop() {
            return false;
        }
    }
    true
}

/// One of several games that are played at once.
struct Lane<P> {
    position: P,
    length: u64,
    goes_on: bool,
}

impl<P: Copy> Lane<P> {
    fn new(position: P) -> Self {
        Self {
            position,
            length: 0,
            goes_on: true,
        }
    }

    /// Shows a finished game, and begins the next one where there is one; says whether there is. It is kept out of the loop
    /// over the lanes, which has no register to spare.
    #[cold]
    #[inline(never)]
    fn renew(&mut self, next: &mut impl Iterator<Item = P>, done: &mut impl FnMut(P, u64)) -> bool {
        done(self.position, self.length);
        self.goes_on = match next.next() {
            Some(position) => {
                *self = Self::new(position);
                true
            }
            None => false,
        };
        self.goes_on
    }
}

/// How many steps a move takes from a position when it is played at random, on average over a few times.
pub(super) fn expected_steps<G: Game>(game: &G, position: &G::Position, seed: u64) -> f64 {
    const TIMES: u32 = 16;
    let mut random = Xoshiro256PlusPlus::seed_from_u64(game.key(position).0 ^ seed);
    let mut total = 0;
    for _ in 0..TIMES {
        let mut here = *position;
        while here.side() == position.side() {
            let Some(step) = random_step(&game.steps(&here), &mut random) else {
                break;
            };
            game.play(&mut here, step, &mut NoKeys);
            total += 1;
        }
    }
    f64::from(total) / f64::from(TIMES)
}
