//! Who wins, found by looking at all that may still come: near the end that takes less than to say how good each step is, for
//! every step that wins is as good as the best.

use super::{SearchNode, Searcher};
use crate::rules::{Lookahead, Step, WIN, adjust_for_distance, is_proven};
use crate::search::pvs::RootMove;
use crate::search::pvs::depth::ONE_PLY;

impl Searcher<'_> {
    /// Searches until it is known whether the side to move wins, and says no where it has to end before that, or where it is a
    /// draw. The step to play comes first: one that wins or draws, or else the one that took the longest to refute.
    pub fn prove_root(&mut self, moves: &mut [RootMove]) -> bool {
        let node = self.root(0);
        // Who can't win may still draw.
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

    /// A step and what the table has behind it, as far as that is proven.
    fn proven_variation(&self, first: Step) -> Vec<Step> {
        let mut here = self.board.fork();
        let mut variation = Vec::new();
        let mut next = Some(first);
        // Every step is legal, so that the game ends.
        while let Some(step) = next {
            variation.push(step);
            let Lookahead { key, .. } = here.make(step);
            let entry = self.table.probe(key).filter(|entry| is_proven(entry.score));
            let step = entry.map(|entry| Step(entry.step));
            next = step.filter(|&step| here.is_legal(step));
        }
        variation
    }

    fn prove_step(&mut self, node: &SearchNode, step: Step, alpha: i32) -> i32 {
        let Lookahead { side, key } = self.board.make(step);
        let child = SearchNode {
            side,
            key,
            ply: node.ply + 1,
            ..*node
        };
        let turn_passes = side != node.side;
        let value = match turn_passes {
            true => -self.prove(&child, -alpha - 1),
            false => self.prove(&child, alpha),
        };
        self.board.unmake();
        adjust_for_distance(value, turn_passes)
    }

    /// Whether the value of a position for the side to move is above `alpha`: one above it is no more than the true one, any
    /// other no less.
    fn prove(&mut self, node: &SearchNode, alpha: i32) -> i32 {
        let moves_left = self.board.moves_left().unwrap_or(u32::MAX);
        if self
            .endings
            .is_some_and(|endings| moves_left <= endings.unordered)
        {
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
        let known = self.table.probe(node.key);
        if let Some(entry) = known.filter(|entry| is_proven(entry.score) && entry.cuts_off(alpha)) {
            return entry.score;
        }
        let base = self.step_stack.len();
        // The step of the table first, then by how good they look at once.
        let table_step = known.map(|entry| Step(entry.step));
        self.board.evaluate_steps(&mut self.step_stack);
        let table_entry = self.step_stack[base..]
            .iter_mut()
            .find(|(_, step)| Some(*step) == table_step);
        if let Some((value, _)) = table_entry {
            *value = WIN;
        }
        self.step_stack[base..].sort_unstable_by(|a, b| b.cmp(a));
        let (mut best, mut best_step) = (-WIN - 1, Step::default());
        if self
            .endings
            .is_some_and(|endings| moves_left >= endings.asked_from)
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
            // As deep as a search that sees the end.
            let node = SearchNode {
                depth: ONE_PLY * moves_left.min(1 << 8) as i32,
                ..*node
            };
            self.store(&node, best_step, best, alpha, alpha + 1);
        }
        best
    }

    /// Among the steps that wait, one that is known to be better than `alpha`, with its value.
    fn proven_step(&mut self, node: &SearchNode, base: usize, alpha: i32) -> Option<(i32, Step)> {
        // All are asked for before the first one is looked up.
        let mut next = Vec::with_capacity(self.step_stack.len() - base);
        for index in base..self.step_stack.len() {
            let (_, step) = self.step_stack[index];
            next.push((step, self.prefetch_child(step)));
        }
        next.iter().find_map(|&(step, Lookahead { side, key })| {
            let turn_passes = side != node.side;
            let entry = self
                .table
                .probe(key)
                .filter(|entry| is_proven(entry.score))?;
            let (value, bound) = match turn_passes {
                true => (-entry.score, -alpha - 1),
                false => (entry.score, alpha),
            };
            let value = adjust_for_distance(value, turn_passes);
            (value > alpha && entry.cuts_off(bound)).then_some((value, step))
        })
    }
}
