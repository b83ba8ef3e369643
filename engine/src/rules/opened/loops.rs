//! Loops that are compiled for each game, width and instruction set: playouts, the last moves of a proof, and perft.
//!
//! Also wrappers that keep one copy of move generation and of playing a step for each game.

use rand_core::Rng;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::board::{Instructions, Key};
use crate::rules::Planes;
use crate::rules::board::{NODES_PER_CHECK, Step, StopCheck, Successor};
use crate::rules::value::{WIN, adjust_for_distance, terminal_value};
use crate::rules::{Evaluate, Game, NoKeys, Outcome, Playable, Position, Sides, Steps};

/// Number of steps of a playout between two checks whether to stop.
const STEPS_PER_CHECK: u64 = 512;

/// Maximum number of steps whose positions are passed on together.
const BATCH: usize = 16;

/// Generates the legal steps. Never inlined: one copy for each game saves code.
#[inline(never)]
pub(super) fn legal_steps<G: Game>(game: &G, position: &G::Position, instructions: impl Instructions) -> G::Steps {
    instructions.run(
        #[inline(always)]
        || game.steps(position),
    )
}

/// Counts the legal steps. Never inlined, as above.
#[inline(never)]
fn count_steps<G: Game>(game: &G, position: &G::Position, instructions: impl Instructions) -> u64 {
    instructions.run(
        #[inline(always)]
        || game.steps(position).count() as u64,
    )
}

/// Plays a step without computing the key. Never inlined, as above.
#[inline(never)]
pub(super) fn play<G: Game>(game: &G, position: &mut G::Position, step: G::Step, instructions: impl Instructions) {
    instructions.run(
        #[inline(always)]
        || game.play(position, step, &mut NoKeys),
    );
}

/// Plays a step and updates the key. Never inlined, as above.
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

/// Lists the evaluation terms. Never inlined, and not compiled for each instruction set: only training uses it.
#[inline(never)]
pub(super) fn list_terms<G: Evaluate>(game: &G, position: &G::Position, add: &mut dyn FnMut(usize, usize, i32)) {
    game.terms(position, add);
}

/// Plays random steps until the game is over or `stop`, which is polled regularly, returns true.
///
/// Returns the number of steps and whether the game is over.
#[inline(never)]
pub(super) fn run_playout<G: Game>(
    game: &G,
    position: &mut G::Position,
    random: &mut Xoshiro256PlusPlus,
    stop: StopCheck<'_>,
    instructions: impl Instructions,
) -> (u64, bool) {
    instructions.run(
        #[inline(always)]
        || {
            // Local copies can stay in registers.
            let (mut here, mut numbers) = (*position, random.clone());
            let mut length = 0;
            let mut over = true;
            loop {
                let steps = game.steps(&here);
                // A uniform choice, with a bias below count / 2³².
                let n = (u64::from(numbers.next_u32()) * steps.count() as u64) >> 32;
                let Some(step) = steps.nth(n as usize, instructions) else {
                    break;
                };
                game.play(&mut here, step, &mut NoKeys);
                length += 1;
                if length % STEPS_PER_CHECK == 0 && stop() {
                    over = false;
                    break;
                }
            }
            (*position, *random) = (here, numbers);
            (length, over)
        },
    )
}

/// Implements `Board::prove_ending` by plain alpha-beta with a null window, without a table.
///
/// Without a table, transpositions are searched again, so this pays for the last few moves only.
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
                let side_changes = next.side() != position.side();
                let value = match (game.steps(&next).is_empty(), side_changes) {
                    (true, true) => -terminal_value(game, &next),
                    (true, false) => terminal_value(game, &next),
                    (false, true) => -prove_ending(game, &next, -alpha - 1, nodes, instructions)?,
                    (false, false) => prove_ending(game, &next, alpha, nodes, instructions)?,
                };
                best = best.max(adjust_for_distance(value, side_changes));
            }
            Some(best)
        },
    )
}

/// Implements `Board::successors`.
#[inline(never)]
pub(super) fn visit_successors<G: Playable>(
    game: &G,
    position: &G::Position,
    visit: &mut dyn FnMut(Successor),
    instructions: impl Instructions,
) {
    instructions.run(
        #[inline(always)]
        || {
            game.steps(position).for_each(
                #[inline(always)]
                |step| {
                    let mut next = *position;
                    game.play(&mut next, step, &mut NoKeys);
                    let count = game.steps(&next).count();
                    let outcome = if count == 0 { game.outcome(&next) } else { None };
                    visit(Successor {
                        step: Step::pack(step),
                        side: next.side(),
                        turn: next.turn(),
                        planes: game.planes(&next),
                        count,
                        outcome,
                        margin: outcome.and_then(|_| game.margin(&next)),
                    });
                },
            );
        },
    );
}

/// Implements `Board::stone_steps`.
#[inline(never)]
pub(super) fn visit_stones<G: Playable>(
    game: &G,
    [own, enemy]: [u128; 2],
    visit: &mut dyn FnMut(&[[u128; 2]]),
    instructions: impl Instructions,
) -> Option<Outcome> {
    instructions.run(
        #[inline(always)]
        || {
            let side = game.start().side();
            let planes = Planes { pieces: Sides { own, enemy }.by_color(side), ..Planes::default() };
            // The first player's turns are the odd ones.
            let position = game.read_planes(&planes, side, 3)?;
            let steps = game.steps(&position);
            if steps.is_empty() {
                return game.outcome(&position);
            }
            // In batches, because a call for each step takes longer than the step.
            let (mut batch, mut count) = ([[0; 2]; BATCH], 0);
            steps.for_each_by_kind(
                #[inline(always)]
                |step| {
                    let mut next = position;
                    game.play(&mut next, step, &mut NoKeys);
                    let Some(planes) = game.planes(&next) else {
                        return;
                    };
                    if count == BATCH {
                        visit(&batch);
                        count = 0;
                    }
                    if let Some(place) = batch.get_mut(count) {
                        let Sides { own, enemy } = Sides::new(planes.pieces, next.side());
                        *place = [own, enemy];
                        count += 1;
                    }
                },
            );
            visit(batch.get(..count).unwrap_or_default());
            None
        },
    )
}

/// Perft of one thread.
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
            (2, false) => Some(self.count_one_ply(
                position,
                #[inline(always)]
                |next| count_steps(self.game, next, self.instructions),
            )),
            (1, true) => Some(self.count_one_ply(
                position,
                #[inline(always)]
                |next| {
                    std::hint::black_box(next);
                    1
                },
            )),
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

    /// Plays every legal step and adds up `count` of the positions after it.
    #[inline(always)]
    fn count_one_ply(&self, position: &G::Position, count: impl Fn(&G::Position) -> u64) -> u64 {
        self.instructions.run(
            #[inline(always)]
            || {
                let mut total = 0;
                self.game.steps(position).for_each_by_kind(
                    #[inline(always)]
                    |step| {
                        let mut next = *position;
                        self.game.play(&mut next, step, &mut NoKeys);
                        total += count(&next);
                    },
                );
                total
            },
        )
    }
}
