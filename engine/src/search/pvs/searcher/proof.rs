//! Proof search: who wins, by an exhaustive search of what is left.
//!
//! Near the end this takes less than scoring each step, because any winning step is as good as the best.

use super::{SearchNode, Searcher};
use crate::rules::{Lookahead, Step, WIN, adjust_for_distance, is_proven};
use crate::search::pvs::RootMove;
use crate::search::pvs::depth::ONE_PLY;

impl Searcher<'_> {
    /// Searches until it is proven whether the side to move wins or loses. Returns false if stopped before, or in a
    /// draw.
    ///
    /// The step to play comes first: one that wins or draws, else the one whose refutation took the most nodes.
    pub fn prove_root(&mut self, moves: &mut [RootMove]) -> bool {
        let node = self.root(0);
        // Without a win there may still be a draw.
        let mut best = 0;
        for alpha in [0, -1] {
            best = -WIN - 1;
            for index in 0..moves.len() {
                let nodes = self.budget.nodes;
                let value = self.prove_step(&node, moves[index].step, alpha);
                if self.budget.stopped {
                    return false;
                }
                moves[index].nodes = self.budget.nodes - nodes;
                best = best.max(value);
                if value > alpha {
                    moves[..=index].rotate_right(1);
                    break;
                }
            }
            if is_proven(best) {
                break;
            }
        }
        if !is_proven(best) {
            return false;
        }
        if best < 0 {
            moves.sort_by_key(|root| std::cmp::Reverse(root.nodes));
        }
        if let Some(first) = moves.first_mut() {
            first.value = Some(best);
            first.variation = self.proven_variation(first.step);
        }
        true
    }

    /// Returns a step and the proven steps that the table has behind it.
    fn proven_variation(&self, first: Step) -> Vec<Step> {
        let mut current = self.board.fork();
        let mut variation = Vec::new();
        let mut next = Some(first);
        // Every step is legal, so the game ends and the loop with it.
        while let Some(step) = next {
            variation.push(step);
            let Lookahead { key, .. } = current.make(step);
            let entry = self.table.probe(key).filter(|entry| is_proven(entry.score));
            let step = entry.map(|entry| Step(entry.step));
            next = step.filter(|&step| current.is_legal(step));
        }
        variation
    }

    fn prove_step(&mut self, node: &SearchNode, step: Step, alpha: i32) -> i32 {
        let Lookahead { side, key } = self.board.make(step);
        let child = SearchNode { side, key, ply: node.ply + 1, ..*node };
        let turn_passes = side != node.side;
        let value = match turn_passes {
            true => -self.prove(&child, -alpha - 1),
            false => self.prove(&child, alpha),
        };
        self.board.unmake();
        adjust_for_distance(value, turn_passes)
    }

    /// Proves whether the value for the side to move is above `alpha`.
    ///
    /// A result above `alpha` is a lower bound of the value, any other an upper bound.
    fn prove(&mut self, node: &SearchNode, alpha: i32) -> i32 {
        let moves_left = self.board.moves_left().unwrap_or(u32::MAX);
        if self.proof_cost.is_some_and(|cost| moves_left <= cost.max_unordered_moves) {
            let mut nodes = 0;
            let value = self.board.prove_ending(alpha, &mut nodes);
            let may_continue = self.budget.count(nodes);
            if let Some(value) = value {
                return value;
            }
            if !may_continue {
                return 0;
            }
        }
        if !self.budget.count(1) {
            return 0;
        }
        let table_entry = self.table.probe(node.key);
        if let Some(entry) = table_entry.filter(|entry| is_proven(entry.score) && entry.cuts_off(alpha)) {
            return entry.score;
        }
        let base = self.step_stack.len();
        // Table step first, then by static evaluation of the positions behind the steps.
        let table_step = table_entry.map(|entry| Step(entry.step));
        self.board.evaluate_steps(&mut self.step_stack);
        let from_table = self.step_stack[base..].iter_mut().find(|(_, step)| Some(*step) == table_step);
        if let Some((value, _)) = from_table {
            *value = WIN;
        }
        self.step_stack[base..].sort_unstable_by(|a, b| b.cmp(a));
        let (mut best, mut best_step) = (-WIN - 1, Step::default());
        if self.proof_cost.is_some_and(|cost| moves_left >= cost.min_probe_moves)
            && let Some(found) = self.proven_step(node, base, alpha)
        {
            (best, best_step) = found;
        }
        let mut index = base;
        while best <= alpha && index < self.step_stack.len() {
            let (_, step) = self.step_stack[index];
            let value = self.prove_step(node, step, alpha);
            if self.budget.stopped {
                break;
            }
            if value > best {
                (best, best_step) = (value, step);
            }
            index += 1;
        }
        self.step_stack.truncate(base);
        if !self.budget.stopped {
            // Store it as deep as a search that sees the end.
            let node = SearchNode { depth: ONE_PLY * moves_left.min(1 << 8) as i32, ..*node };
            self.store(&node, best_step, best, alpha, alpha + 1);
        }
        best
    }

    /// Returns the first unsearched step that the table proves to be better than `alpha`, with its value.
    fn proven_step(&mut self, node: &SearchNode, base: usize, alpha: i32) -> Option<(i32, Step)> {
        // Prefetch all buckets before the first probe.
        let mut next = Vec::with_capacity(self.step_stack.len() - base);
        for index in base..self.step_stack.len() {
            let (_, step) = self.step_stack[index];
            next.push((step, self.prefetch_child(step)));
        }
        next.iter().find_map(|&(step, Lookahead { side, key })| {
            let turn_passes = side != node.side;
            let entry = self.table.probe(key).filter(|entry| is_proven(entry.score))?;
            let (value, bound) = match turn_passes {
                true => (-entry.score, -alpha - 1),
                false => (entry.score, alpha),
            };
            let value = adjust_for_distance(value, turn_passes);
            (value > alpha && entry.cuts_off(bound)).then_some((value, step))
        })
    }
}
