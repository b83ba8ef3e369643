//! Who wins, found by looking at all that may still come: near the end that takes less than to say how good each step is, for
//! every step that wins is as good as the best.

use super::{Next, Node, Searcher, bounded, end_value, through};
use crate::board::with_bit_instructions;
use crate::game::{Evaluate, NoKeys, Position, Step, Steps};
use crate::search::pvs::depth::STEP;
use crate::search::pvs::{NODES_A_LOOK, RootMove, WIN, is_proof};

/// With so few moves left, to play them all is faster than to order them and to keep what was found.
const FEW: u32 = 4;

/// From so many moves on the table is asked about every step before the first one is searched.
const ASKED_FROM: u32 = 7;

impl<G: Evaluate> Searcher<'_, G> {
    /// Searches until it is known whether the side to move wins, and says no where it has to end before that, or where it is a
    /// draw. The step to play comes first: one that wins or draws, or else the one that took the longest to refute.
    pub(in crate::search::pvs) fn prove_root(
        &mut self,
        position: &G::Position,
        moves: &mut [RootMove<G::Step>],
    ) -> bool {
        let key = self.game.key(position);
        let node = Node {
            position,
            before: None,
            key,
            depth: 0,
            cost: STEP,
            ply: 0,
        };
        // Who can't win may still draw.
        let mut best = 0;
        for alpha in [0, -1] {
            best = -WIN - 1;
            for place in 0..moves.len() {
                let nodes = self.nodes;
                let value = self.prove_step(&node, &self.play(&node, moves[place].step), alpha);
                if self.stopped {
                    return false;
                }
                moves[place].nodes = self.nodes - nodes;
                best = best.max(value);
                if value > alpha {
                    moves[..=place].rotate_right(1);
                    break;
                }
            }
            if is_proof(best) {
                break;
            }
        }
        if !is_proof(best) {
            return false;
        }
        if best < 0 {
            moves.sort_by_key(|root| std::cmp::Reverse(root.nodes));
        }
        if let Some(first) = moves.first_mut() {
            first.value = Some(best);
            first.variation = self.proven_variation(position, first.step);
        }
        true
    }

    /// A step and what the table has behind it, as far as that is proven.
    fn proven_variation(&self, position: &G::Position, first: G::Step) -> Vec<G::Step> {
        let (mut here, mut key) = (*position, self.game.key(position));
        let mut variation = Vec::new();
        let mut next = Some(first);
        // Every step is legal, so that the game ends.
        while let Some(step) = next {
            variation.push(step);
            self.game.play(&mut here, step, &mut key);
            let steps = self.game.steps(&here);
            let entry = self.table.get(key).filter(|entry| is_proof(entry.score));
            let step = entry.map(|entry| G::Step::from_bits(entry.step));
            next = step.filter(|&step| steps.contains(step));
        }
        variation
    }

    fn prove_step(
        &mut self,
        node: &Node<'_, G::Position, G::Step>,
        next: &Next<G>,
        alpha: i32,
    ) -> i32 {
        let passes = next.position.side() != node.position.side();
        let child = Node {
            position: &next.position,
            before: Some((node.position, next.step)),
            key: next.key,
            ply: node.ply + 1,
            ..*node
        };
        let value = match passes {
            true => -self.prove(&child, -alpha - 1),
            false => self.prove(&child, alpha),
        };
        through(value, passes)
    }

    /// Whether the value of a position for the side to move is above `alpha`: one above it is no more than the true one, any
    /// other no less.
    fn prove(&mut self, node: &Node<'_, G::Position, G::Step>, alpha: i32) -> i32 {
        let game = self.game;
        let left = game.moves_left(node.position).unwrap_or(u32::MAX);
        if left <= FEW {
            let mut looked = 0;
            let value = play_out(game, node.position, alpha, &mut looked);
            let goes_on = self.count(looked);
            if let Some(value) = value {
                return value;
            }
            if !goes_on {
                return 0;
            }
        }
        if !self.count(1) {
            return 0;
        }
        let known = self.table.get(node.key);
        if let Some(entry) = known.filter(|entry| is_proof(entry.score) && entry.settles(alpha)) {
            return entry.score;
        }
        let base = self.waiting.len();
        self.wait_by_evaluation(node, known.map(|entry| entry.step));
        let (mut best, mut best_step) = (-WIN - 1, 0);
        if left >= ASKED_FROM
            && let Some(found) = self.known_step(node, base, alpha)
        {
            (best, best_step) = found;
        }
        let mut place = base;
        while best <= alpha && place < self.waiting.len() {
            let (_, bits) = self.waiting[place];
            let next = self.play(node, G::Step::from_bits(bits));
            let value = self.prove_step(node, &next, alpha);
            if self.stopped {
                break;
            }
            if value > best {
                (best, best_step) = (value, bits);
            }
            place += 1;
        }
        self.waiting.truncate(base);
        if !self.stopped {
            // As deep as a search that sees the end.
            let node = Node {
                depth: STEP * left.min(1 << 8) as i32,
                ..*node
            };
            self.keep(&node, best_step, best, alpha, alpha + 1);
        }
        best
    }

    /// Has all steps wait, the one of the table first, then by how good they look at once.
    fn wait_by_evaluation(
        &mut self,
        node: &Node<'_, G::Position, G::Step>,
        from_table: Option<u32>,
    ) {
        let (game, outlook) = (self.game, &mut self.outlook);
        let waiting = &mut self.waiting;
        let base = waiting.len();
        let steps = game.steps(node.position);
        let side = node.position.side();
        with_bit_instructions(
            #[inline(always)]
            || {
                game.prepare(node.before, node.position, outlook);
                steps.for_each_in_any_order(
                    #[inline(always)]
                    |step| {
                        let mut next = *node.position;
                        game.play(&mut next, step, &mut NoKeys);
                        let value = match game.steps(&next).is_empty() {
                            true => end_value(game, &next),
                            false => {
                                bounded(game.evaluate_next(outlook, node.position, step, &next))
                            }
                        };
                        let value = if next.side() == side { value } else { -value };
                        let rank = if from_table == Some(step.bits()) {
                            WIN
                        } else {
                            value
                        };
                        waiting.push((rank, step.bits()));
                    },
                );
            },
        );
        self.waiting[base..].sort_unstable_by(|a, b| b.cmp(a));
    }

    /// Among the steps that wait, one that is known to be better than `alpha`, with its value.
    fn known_step(
        &self,
        node: &Node<'_, G::Position, G::Step>,
        base: usize,
        alpha: i32,
    ) -> Option<(i32, u32)> {
        let next = |&(_, bits): &(i32, u32)| self.play(node, G::Step::from_bits(bits));
        // All are asked for before the first one is looked up.
        let next: Vec<Next<G>> = self.waiting[base..].iter().map(next).collect();
        next.iter().find_map(|next| {
            let passes = next.position.side() != node.position.side();
            let entry = self
                .table
                .get(next.key)
                .filter(|entry| is_proof(entry.score))?;
            let (value, bound) = match passes {
                true => (-entry.score, -alpha - 1),
                false => (entry.score, alpha),
            };
            let value = through(value, passes);
            (value > alpha && entry.settles(bound)).then(|| (value, next.step.bits()))
        })
    }
}

/// [`Searcher::prove`] where next to nothing is left. Gives nothing where it turns out to be too much for a search that keeps
/// nothing, as where several hexes are inverted in any order.
fn play_out<G: Evaluate>(
    game: &G,
    position: &G::Position,
    alpha: i32,
    looked: &mut u64,
) -> Option<i32> {
    with_bit_instructions(
        #[inline(always)]
        || {
            let steps = game.steps(position);
            let count = steps.count();
            if count == 0 {
                return Some(end_value(game, position));
            }
            let (mut best, mut place) = (-WIN - 1, 0);
            while place < count && best <= alpha {
                let Some(step) = steps.nth(place) else { break };
                place += 1;
                *looked += 1;
                if *looked >= NODES_A_LOOK {
                    return None;
                }
                let mut next = *position;
                game.play(&mut next, step, &mut NoKeys);
                let passes = next.side() != position.side();
                let value = match (game.steps(&next).is_empty(), passes) {
                    (true, true) => -end_value(game, &next),
                    (true, false) => end_value(game, &next),
                    (false, true) => -play_out(game, &next, -alpha - 1, looked)?,
                    (false, false) => play_out(game, &next, alpha, looked)?,
                };
                best = best.max(through(value, passes));
            }
            Some(best)
        },
    )
}
