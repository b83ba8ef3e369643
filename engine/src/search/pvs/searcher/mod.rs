//! One thread of a principal variation search.

mod budget;
mod proof;

use std::collections::VecDeque;
use std::sync::atomic::AtomicBool;

use super::abdada::AbdadaTable;
use super::depth::{ONE_PLY, late_move_reduction, step_cost};
use super::move_ordering::{MoveOrdering, NOISY};
use super::transposition::{Bound, Entry, TranspositionTable};
use super::{ASPIRATION_WINDOW, MAX_PLY, Pvs, RootMove};
use crate::board::{Key, Zobrist};
use crate::rules::{Board, Color, Lookahead, PROVEN_WIN, ProofCost, Step, WIN, adjust_for_distance, is_proven};
use crate::search::control::SearchControl;
use budget::Budget;

/// Depth from which threads defer what others are searching. Below it the bookkeeping costs more than it saves.
const ABDADA_MIN_DEPTH: i32 = 3 * ONE_PLY;

/// One searching thread.
pub struct Searcher<'a> {
    search: &'a Pvs,
    /// The board at the node being searched. Its history begins at the root.
    board: Box<dyn Board>,
    table: &'a TranspositionTable,
    /// Positions being searched, if there are several threads.
    abdada: Option<&'a AbdadaTable>,
    pub(super) budget: Budget<'a>,
    search_moves: &'a [&'a [Step]],
    /// Cost of a proof in this game, where the game can enumerate its endings.
    proof_cost: Option<ProofCost>,
    move_ordering: MoveOrdering,
    /// Principal variation from each ply on.
    pv_table: Vec<Vec<Step>>,
    /// Steps from the root; extended only as long as `search_moves` may restrict the next one.
    path: Vec<Step>,
    /// Steps still to be searched of all nodes on the path, each with its ordering score.
    step_stack: Vec<(i32, Step)>,
}

impl<'a> Searcher<'a> {
    /// Builds a thread that searches a board; `stop_helpers` ends it when the main thread has finished.
    pub fn new(
        search: &'a Pvs,
        board: Box<dyn Board>,
        control: &'a SearchControl<'a>,
        stop_helpers: &'a AtomicBool,
        search_moves: &'a [&'a [Step]],
    ) -> Self {
        Self {
            search,
            proof_cost: board.proof_cost(),
            board,
            table: &search.table,
            abdada: (search.settings.threads > 1).then_some(&search.abdada),
            budget: Budget::new(search, control, stop_helpers),
            search_moves,
            move_ordering: MoveOrdering::new(MAX_PLY + 1),
            pv_table: vec![Vec::new(); MAX_PLY + 2],
            path: Vec::new(),
            step_stack: Vec::new(),
        }
    }

    /// Returns the value of a root step, for the side that plays it, if the table has its proof.
    pub(super) fn proven_value(&mut self, step: Step) -> Option<i32> {
        let Lookahead { side, key } = self.board.look_ahead(step);
        let Entry { bound, score, .. } = self.table.probe(key)?;
        let is_known = match bound {
            Bound::Exact => is_proven(score),
            Bound::Lower => score > PROVEN_WIN,
            Bound::Upper => score < -PROVEN_WIN,
        };
        let turn_passes = side != self.board.side();
        let score = if turn_passes { -score } else { score };
        is_known.then(|| adjust_for_distance(score, turn_passes))
    }

    /// Returns whether the search moves allow a step after the path.
    fn is_search_move(&self, step: Step) -> bool {
        self.search_moves.is_empty()
            || self.search_moves.iter().any(|wanted| {
                let common = wanted.iter().zip(self.path.iter().chain([&step]));
                common.clone().all(|(step, taken)| step == taken)
            })
    }

    /// Returns whether the search moves restrict the steps at a ply.
    fn is_restricted(&self, ply: usize) -> bool {
        self.search_moves.iter().any(|wanted| wanted.len() > ply)
    }

    /// Returns the allowed steps of the root by ordering score, ties broken by the seed.
    pub fn root_moves(&self) -> Vec<RootMove> {
        let mut steps = Vec::new();
        self.board.steps(&mut steps);
        let wanted = steps.into_iter().filter(|&step| self.is_search_move(step));
        let mut moves: Vec<RootMove> =
            wanted.map(|step| RootMove { step, value: None, variation: vec![step], nodes: 0 }).collect();
        // Break ties independently of cell order, and differently for each seed.
        let seed = self.search.settings.seed << 32;
        moves.sort_by_cached_key(|root| {
            let hashed = Zobrist::state_key(seed ^ u64::from(root.step.0));
            (-self.board.ordering_score(root.step), hashed.0)
        });
        moves
    }

    /// Searches all steps of the root to a depth, and moves the best `lines` steps to the front.
    pub(super) fn search_iteration(&mut self, moves: &mut [RootMove], depth: i32, lines: usize) {
        for first in 0..lines.min(moves.len()) {
            let last = moves[first].value;
            let rest = &mut moves[first..];
            let (mut low, mut high) = match last {
                Some(value) if depth >= 4 * ONE_PLY && !is_proven(value) => {
                    (value - ASPIRATION_WINDOW, value + ASPIRATION_WINDOW)
                }
                _ => (-WIN, WIN),
            };
            loop {
                let best = self.search_root(rest, depth, low, high);
                if self.budget.stopped {
                    break;
                }
                // Outside of the window the value is only a bound: search again with that side of the window open.
                match best {
                    value if value <= low && low > -WIN => {
                        low = -WIN;
                        self.budget.soft_deadline = self.budget.fail_low_deadline;
                    }
                    value if value >= high && high < WIN => high = WIN,
                    _ => break,
                }
            }
            if self.budget.stopped {
                return;
            }
        }
    }

    /// Searches steps of the root within a window. Moves the best step to the front and keeps the order of the others.
    fn search_root(&mut self, moves: &mut [RootMove], depth: i32, low: i32, high: i32) -> i32 {
        let mut best = -WIN - 1;
        let mut found: Option<(usize, Vec<Step>)> = None;
        let node = self.root(depth);
        let mut unsearched: VecDeque<usize> = (0..moves.len()).collect();
        let mut deferred = 0;
        while let Some(index) = unsearched.pop_front() {
            let root = &mut moves[index];
            let next = self.prefetch_child(root.step);
            if index > 0 && deferred < unsearched.len() && self.should_defer(&node, next) {
                deferred += 1;
                unsearched.push_back(index);
                continue;
            }
            let nodes = self.budget.nodes;
            let alpha = best.max(low);
            self.path.clear();
            let value = self.search_step(&node, root.step, index, false, alpha, high);
            root.nodes += self.budget.nodes - nodes;
            if self.budget.stopped {
                break;
            }
            if value > best {
                best = value;
                let rest = self.pv_table[1].iter().copied();
                found = Some((index, std::iter::once(root.step).chain(rest).collect()));
                if value >= high {
                    break;
                }
            }
        }
        // On a fail-low all steps are only known to be worse than expected. In an interrupted search that may hold for
        // the first step alone. Keep the former best step then.
        let unknown = moves.first().is_none_or(|root| root.value.is_none());
        let better = match &found {
            Some((index, _)) if self.budget.stopped => *index > 0 && best > low,
            _ => best > low || low == -WIN,
        };
        if let Some((index, variation)) = found.filter(|_| better || unknown) {
            // A loss is proven only once every step is refuted.
            let value = if self.budget.stopped { best.max(1 - PROVEN_WIN) } else { best };
            moves[index].value = Some(value);
            moves[index].variation = variation;
            moves[..=index].rotate_right(1);
        }
        best
    }

    /// Returns the root node, to be searched to a depth.
    pub fn root(&self, depth: i32) -> SearchNode {
        SearchNode { side: self.board.side(), key: self.board.key(), depth, cost: ONE_PLY, ply: 0 }
    }

    /// Returns side and key behind a step, and prefetches the table there.
    #[inline]
    pub fn prefetch_child(&mut self, step: Step) -> Lookahead {
        let next = self.board.look_ahead(step);
        self.table.prefetch(next.key);
        next
    }

    /// Returns whether another thread is searching behind a step, so that other steps should come first.
    pub fn should_defer(&self, node: &SearchNode, next: Lookahead) -> bool {
        let abdada = self.abdada.filter(|_| node.depth >= ABDADA_MIN_DEPTH);
        abdada.is_some_and(|abdada| abdada.is_searching(next.key))
    }

    /// Returns the value of a step for the side that plays it. Its variation is in the next row of `pv_table`.
    ///
    /// `index` is the place of the step in the move ordering, and `reducible` allows a late move reduction.
    fn search_step(
        &mut self,
        node: &SearchNode,
        step: Step,
        index: usize,
        reducible: bool,
        alpha: i32,
        beta: i32,
    ) -> i32 {
        let next = self.board.make(step);
        let turn_passes = next.side != node.side;
        let restricted = self.is_restricted(node.ply + 1);
        if restricted {
            self.path.push(step);
        }
        let search = |this: &mut Self, depth: i32, alpha: i32, beta: i32| {
            let child = SearchNode { side: next.side, key: next.key, depth, cost: ONE_PLY, ply: node.ply + 1 };
            let value = match turn_passes {
                true => -this.search(&child, -beta, -alpha),
                false => this.search(&child, alpha, beta),
            };
            adjust_for_distance(value, turn_passes)
        };
        let abdada = self.abdada.filter(|_| node.depth >= ABDADA_MIN_DEPTH);
        abdada.inspect(|abdada| abdada.start_search(next.key));
        let depth = node.depth - node.cost;
        let mut value = alpha + 1;
        if index > 0 {
            // Null window search first: is the step better than the best one before it?
            let reduction = if reducible { late_move_reduction(node.depth, index) } else { 0 };
            value = search(self, depth - reduction, alpha, alpha + 1);
            if value > alpha && reduction > 0 && !self.budget.stopped {
                value = search(self, depth, alpha, alpha + 1);
            }
        }
        if (index == 0 || value > alpha && value < beta) && !self.budget.stopped {
            value = search(self, depth, alpha, beta);
        }
        abdada.inspect(|abdada| abdada.finish_search(next.key));
        if restricted {
            self.path.pop();
        }
        self.board.unmake();
        value
    }

    /// Returns the value of the node for the side to move: exact between `alpha` and `beta`, else a bound (fail-soft).
    pub fn search(&mut self, node: &SearchNode, alpha: i32, beta: i32) -> i32 {
        self.pv_table[node.ply].clear();
        if !self.budget.count(1) {
            return 0;
        }
        let side = node.side;
        let steps = self.board.count();
        if steps == 0 {
            return self.board.terminal_value();
        }
        if node.depth <= 0 || node.ply >= MAX_PLY {
            return self.board.evaluate();
        }
        let restricted = self.is_restricted(node.ply);
        let table_entry = if restricted { None } else { self.table.probe(node.key) };
        if let Some(entry) = table_entry.filter(|_| beta - alpha == 1) {
            let enough = entry.depth >= node.depth || is_proven(entry.score);
            if enough && entry.cuts_off(alpha) {
                return entry.score;
            }
        }
        let mut node = *node;
        node.cost = step_cost(steps);
        if node.cost > 0 && node.depth <= node.cost && !restricted {
            return self.search_frontier_node(&node, alpha, beta);
        }
        if node.cost > 0 && table_entry.is_none() && node.depth >= 4 * ONE_PLY {
            // Internal iterative reduction: without a hash move the ordering is poor, and full depth is not worth it.
            node.depth -= ONE_PLY;
        }
        let table_step = table_entry.map(|entry| Step(entry.step));
        let base = self.step_stack.len();
        self.board.score_steps(&mut self.step_stack);
        if restricted {
            let wanted = self.step_stack.split_off(base).into_iter();
            let wanted: Vec<_> = wanted.filter(|&(_, step)| self.is_search_move(step)).collect();
            self.step_stack.extend(wanted);
        }
        for (rank, step) in &mut self.step_stack[base..] {
            *rank = self.move_ordering.rank(side, node.ply, *step, table_step, *rank);
        }
        self.step_stack[base..].sort_unstable_by(|a, b| b.cmp(a));
        let count = self.step_stack.len() - base;
        let (mut best, mut best_step, mut low) = (-WIN - 1, Step::default(), alpha);
        // Compute each child while its predecessor is searched: its table bucket is in the cache when its turn comes.
        let mut upcoming = (count > 0).then(|| self.prefetch_child(self.step_stack[base].1));
        let mut index = 0;
        // Indices, in the move ordering, of the steps that come last because other threads are searching them.
        let mut deferred = Vec::new();
        while let Some(next) = upcoming {
            let order_index = index + deferred.len();
            if index > 0 && order_index < count && self.should_defer(&node, next) {
                self.step_stack[base + index..].rotate_left(1);
                deferred.push(order_index);
                upcoming = Some(self.prefetch_child(self.step_stack[base + index].1));
                continue;
            }
            // A deferred step is reduced by its index in the move ordering, as without deferral.
            let order_index = match order_index.checked_sub(count) {
                None => order_index,
                Some(late) => deferred[late],
            };
            let (rank, step) = self.step_stack[base + index];
            upcoming = (index + 1 < count).then(|| self.prefetch_child(self.step_stack[base + index + 1].1));
            let value = self.search_step(&node, step, order_index, rank < NOISY, low, beta);
            if self.budget.stopped {
                break;
            }
            if value > best {
                (best, best_step) = (value, step);
                if value > low {
                    low = value;
                    let (before, after) = self.pv_table.split_at_mut(node.ply + 1);
                    let (own, rest) = (&mut before[node.ply], &after[0]);
                    own.clear();
                    own.push(step);
                    own.extend(rest);
                }
                if value >= beta {
                    let before = &self.step_stack[base..base + index];
                    let depth = node.depth / ONE_PLY;
                    self.move_ordering.on_beta_cutoff(side, node.ply, depth, step, before);
                    break;
                }
            }
            index += 1;
        }
        self.step_stack.truncate(base);
        if !self.budget.stopped && !restricted {
            self.store(&node, best_step, best, alpha, beta);
        }
        best
    }

    /// Searches a frontier node, whose children are only evaluated.
    fn search_frontier_node(&mut self, node: &SearchNode, alpha: i32, beta: i32) -> i32 {
        let (budget, killers) = (&mut self.budget, self.move_ordering.killers(node.ply));
        let mut count = |nodes| budget.count(nodes);
        let Some((best, best_step)) = self.board.search_frontier(killers, beta, &mut count) else {
            return 0;
        };
        if best >= beta {
            self.move_ordering.add_killer(node.ply, best_step);
        }
        self.pv_table[node.ply].push(best_step);
        self.store(node, best_step, best, alpha, beta);
        best
    }

    /// Stores a result in the table.
    fn store(&self, node: &SearchNode, step: Step, score: i32, alpha: i32, beta: i32) {
        let bound = match score {
            _ if score <= alpha => Bound::Upper,
            _ if score >= beta => Bound::Lower,
            _ => Bound::Exact,
        };
        let entry = Entry { step: step.0, depth: node.depth, bound, score };
        self.table.store(node.key, entry);
    }
}

/// A node of the search: properties of the position on the board.
#[derive(Clone, Copy)]
pub struct SearchNode {
    side: Color,
    key: Key,
    /// Depth still to be searched, in half steps.
    depth: i32,
    /// Depth that a step from here costs, in half steps.
    cost: i32,
    /// Steps from the root.
    ply: usize,
}
