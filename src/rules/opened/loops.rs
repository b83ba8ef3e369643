//! Loops that are compiled for every game, width and processor: playouts, the last moves of a proof, and perft; and what
//! is inlined once a game and called from everywhere else.

use rand_core::Rng;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::board::{Instructions, Key};
use crate::rules::board::{NODES_PER_CHECK, StopCheck};
use crate::rules::value::{WIN, adjust_for_distance, terminal_value};
use crate::rules::{Evaluate, Game, NoKeys, Position, Steps};

/// How many steps a playout makes between two looks at whether it is to stop.
const STEPS_A_LOOK: u64 = 512;

/// Once a game: what it is made of is inlined.
#[inline(never)]
pub(super) fn legal_steps<G: Game>(
    game: &G,
    position: &G::Position,
    instructions: impl Instructions,
) -> G::Steps {
    instructions.run(
        #[inline(always)]
        || game.steps(position),
    )
}

/// Once a game, too.
#[inline(never)]
fn count_steps<G: Game>(game: &G, position: &G::Position, instructions: impl Instructions) -> u64 {
    instructions.run(
        #[inline(always)]
        || game.steps(position).count() as u64,
    )
}

/// Once a game, too.
#[inline(never)]
pub(super) fn play<G: Game>(
    game: &G,
    position: &mut G::Position,
    step: G::Step,
    instructions: impl Instructions,
) {
    instructions.run(
        #[inline(always)]
        || game.play(position, step, &mut NoKeys),
    );
}

/// Once a game, too.
#[inline(never)]
pub(super) fn play_with_key<G: Game>(
    game: &G,
    position: &mut G::Position,
    step: G::Step,
    key: &mut Key,
    instructions: impl Instructions,
) {
    instructions.run(
        #[inline(always)]
        || game.play(position, step, key),
    );
}

/// Once a game: training is not worth a copy for every processor.
#[inline(never)]
pub(super) fn show_terms<G: Evaluate>(
    game: &G,
    position: &G::Position,
    add: &mut dyn FnMut(usize, usize, i32),
) {
    game.terms(position, add);
}

/// Plays on at random until the game is over or `stop`, which is asked from time to time, says true. Gives the number
/// of steps and whether the game is over.
#[inline(never)]
pub(super) fn play_out<G: Game>(
    game: &G,
    position: &mut G::Position,
    random: &mut Xoshiro256PlusPlus,
    stop: StopCheck<'_>,
    instructions: impl Instructions,
) -> (u64, bool) {
    instructions.run(
        #[inline(always)]
        || {
            // Copies can stay in registers.
            let (mut here, mut numbers) = (*position, random.clone());
            let mut length = 0;
            let mut over = true;
            loop {
                let steps = game.steps(&here);
                // Each has the same chance but for a bias below their number / 2³².
                let n = (u64::from(numbers.next_u32()) * steps.count() as u64) >> 32;
                let Some(step) = steps.nth(n as usize) else {
                    break;
                };
                game.play(&mut here, step, &mut NoKeys);
                length += 1;
                if length % STEPS_A_LOOK == 0 && stop() {
                    over = false;
                    break;
                }
            }
            (*position, *random) = (here, numbers);
            (length, over)
        },
    )
}

/// [`Board::prove_ending`], which keeps nothing: too much where many steps can be taken in any order.
pub(super) fn prove_ending<G: Evaluate>(
    game: &G,
    position: &G::Position,
    alpha: i32,
    nodes: &mut u64,
    instructions: impl Instructions,
) -> Option<i32> {
    instructions.run(
        #[inline(always)]
        || {
            let steps = game.steps(position);
            if steps.is_empty() {
                return Some(terminal_value(game, position));
            }
            let mut best = -WIN - 1;
            for step in steps.iter() {
                if best > alpha {
                    break;
                }
                *nodes += 1;
                if *nodes >= NODES_PER_CHECK {
                    return None;
                }
                let mut next = *position;
                game.play(&mut next, step, &mut NoKeys);
                let passes = next.side() != position.side();
                let value = match (game.steps(&next).is_empty(), passes) {
                    (true, true) => -terminal_value(game, &next),
                    (true, false) => terminal_value(game, &next),
                    (false, true) => -prove_ending(game, &next, -alpha - 1, nodes, instructions)?,
                    (false, false) => prove_ending(game, &next, alpha, nodes, instructions)?,
                };
                best = best.max(adjust_for_distance(value, passes));
            }
            Some(best)
        },
    )
}

/// Counts sequences of steps.
pub(super) struct Counter<'a, G, I> {
    pub(super) game: &'a G,
    pub(super) instructions: I,
    pub(super) every_leaf: bool,
    pub(super) stop: StopCheck<'a>,
}

impl<G: Game, I: Instructions> Counter<'_, G, I> {
    pub(super) fn count(&self, position: &G::Position, depth: u32) -> Option<u64> {
        match (depth, self.every_leaf) {
            (0, _) => Some(1),
            (1, false) => Some(count_steps(self.game, position, self.instructions)),
            (2, false) | (1, true) => Some(self.count_one_ply(position)),
            _ if depth > 2 && (self.stop)() => None,
            _ => self.count_all(position, depth),
        }
    }

    fn count_all(&self, position: &G::Position, depth: u32) -> Option<u64> {
        let mut total = 0_u64;
        let steps = legal_steps(self.game, position, self.instructions);
        for step in steps.iter() {
            let mut next = *position;
            play(self.game, &mut next, step, self.instructions);
            total = total.saturating_add(self.count(&next, depth - 1)?);
        }
        Some(total)
    }

    /// Plays every step from a position, and counts the steps from where they lead, or with every leaf played those
    /// positions.
    fn count_one_ply(&self, position: &G::Position) -> u64 {
        self.instructions.run(
            #[inline(always)]
            || {
                let (mut total, every_leaf) = (0, self.every_leaf);
                for step in self.game.steps(position).iter() {
                    let mut next = *position;
                    self.game.play(&mut next, step, &mut NoKeys);
                    total += match every_leaf {
                        true => {
                            std::hint::black_box(&next);
                            1
                        }
                        false => count_steps(self.game, &next, self.instructions),
                    };
                }
                total
            },
        )
    }
}
