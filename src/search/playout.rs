//! Games played to the end at random.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::board::with_bit_instructions;
use crate::game::{Game, NoKeys, Position, Steps};

/// How many steps a playout makes between two looks at whether it is to stop.
const STEPS_A_LOOK: u64 = 512;

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
    mut next: impl FnMut() -> Option<G::Position>,
    mut done: impl FnMut(G::Position, u64),
    stop: impl Fn() -> bool,
) -> bool {
    let mut begin = || next().map(|position| (position, 0));
    let mut games: Vec<(G::Position, u64)> = (0..lanes).map_while(|_| begin()).collect();
    while !games.is_empty() {
        let finished = with_bit_instructions(
            #[inline(always)]
            || {
                for _ in 0..STEPS_A_LOOK {
                    for (i, (position, length)) in games.iter_mut().enumerate() {
                        let Some(step) = random_step(&game.steps(position), random) else {
                            return Some(i);
                        };
                        game.play(position, step, &mut NoKeys);
                        *length += 1;
                    }
                }
                None
            },
        );
        if let Some(i) = finished {
            let (position, length) = games[i];
            done(position, length);
            match begin() {
                Some(game) => games[i] = game,
                None => drop(games.swap_remove(i)),
            }
        } else if stop() {
            return false;
        }
    }
    true
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
