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
use crate::rules::{
    Board, Color, Endings, Lookahead, PROVEN_WIN, Step, WIN, adjust_for_distance, is_proven,
};
use crate::search::control::SearchControl;
use budget::Budget;

/// From this depth on threads look elsewhere first where another one is at work: below, that would take longer than the work.
const ABDADA_MIN_DEPTH: i32 = 3 * ONE_PLY;

/// One thread of a search.
pub struct Searcher<'a> {
    search: &'a Pvs,
    /// The board at the node that is being searched. Its history begins at the root.
    board: Box<dyn Board>,
    table: &'a TranspositionTable,
    /// What the threads are at, where there are several.
    abdada: Option<&'a AbdadaTable>,
    pub(super) budget: Budget<'a>,
    search_moves: &'a [&'a [Step]],
    /// What a proof takes in this game, where there is one.
    endings: Option<Endings>,
    move_ordering: MoveOrdering,
    /// By the number of steps from the root, the best steps from there on.
    pv_table: Vec<Vec<Step>>,
    /// The steps from the root as far as only some may be taken.
    path: Vec<Step>,
    /// Steps still to be looked at, with their ranks, of all nodes on the way.
    step_stack: Vec<(i32, Step)>,
}

impl<'a> Searcher<'a> {
    /// A thread that has done nothing yet; `halt` stops it when another one has found enough.
    pub fn new(
        search: &'a Pvs,
        board: Box<dyn Board>,
        control: &'a SearchControl<'a>,
        stop_helpers: &'a AtomicBool,
        search_moves: &'a [&'a [Step]],
    ) -> Self {
        Self {
            search,
            endings: board.endings(),
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

    /// The value of a step of the root whose end is known from an earlier search, for who takes it.
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

    /// Whether a step may be taken behind the path, by the moves that alone may be found.
    fn is_search_move(&self, step: Step) -> bool {
        self.search_moves.is_empty()
            || self.search_moves.iter().any(|wanted| {
                let common = wanted.iter().zip(self.path.iter().chain([&step]));
                common.clone().all(|(step, taken)| step == taken)
            })
    }

    /// Whether the path has come to where not every step may be taken.
    fn is_restricted(&self, ply: usize) -> bool {
        self.search_moves.iter().any(|wanted| wanted.len() > ply)
    }

    /// The steps of the root that may be taken, in an order that depends on the seed.
    pub fn root_moves(&self) -> Vec<RootMove> {
        let mut steps = Vec::new();
        self.board.steps(&mut steps);
        let wanted = steps.into_iter().filter(|&step| self.is_search_move(step));
        let mut moves: Vec<RootMove> = wanted
            .map(|step| RootMove {
                step,
                value: None,
                variation: vec![step],
                nodes: 0,
            })
            .collect();
        // Between equals in no order of the board, and another one for another seed.
        let seed = self.search.settings.seed << 32;
        moves.sort_by_cached_key(|root| {
            let hashed = Zobrist::feature(seed ^ u64::from(root.step.0));
            (-self.board.ordering_score(root.step), hashed.0)
        });
        moves
    }

    /// Searches all steps of the root so deep, and puts the best ones first.
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
                // Outside of the window the value is only a bound: once more, with all values on that side.
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

    /// Searches steps of the root within a window. The best one comes first, the others stay in order.
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
        // Below the window it is only known that all are worse than was thought, and where the search ends in the
        // middle, perhaps only that the first one is: then what was found before stands.
        let unknown = moves.first().is_none_or(|root| root.value.is_none());
        let better = match &found {
            Some((index, _)) if self.budget.stopped => *index > 0 && best > low,
            _ => best > low || low == -WIN,
        };
        if let Some((index, variation)) = found.filter(|_| better || unknown) {
            // A loss is proven only once every step is refuted.
            let known = if self.budget.stopped {
                best.max(1 - PROVEN_WIN)
            } else {
                best
            };
            moves[index].value = Some(known);
            moves[index].variation = variation;
            moves[..=index].rotate_right(1);
        }
        best
    }

    /// The root, to be searched so deep.
    pub fn root(&self, depth: i32) -> SearchNode {
        SearchNode {
            side: self.board.side(),
            key: self.board.key(),
            depth,
            cost: ONE_PLY,
            ply: 0,
        }
    }

    /// Looks where a step leads, and asks for what the table has there.
    #[inline]
    pub fn prefetch_child(&mut self, step: Step) -> Lookahead {
        let next = self.board.look_ahead(step);
        self.table.prefetch(next.key);
        next
    }

    /// Whether another thread is searching behind a step, so that the others should be looked at first.
    pub fn should_defer(&self, node: &SearchNode, next: Lookahead) -> bool {
        let abdada = self.abdada.filter(|_| node.depth >= ABDADA_MIN_DEPTH);
        abdada.is_some_and(|abdada| abdada.is_searching(next.key))
    }

    /// The value of a step for who takes it; the steps behind it are in the variation of the next ply.
    ///
    /// `place` is how many steps come before it in the order, `quiet` whether it may be looked at less deep.
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
            let child = SearchNode {
                side: next.side,
                key: next.key,
                depth,
                cost: ONE_PLY,
                ply: node.ply + 1,
            };
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
            // Whether it is better than the best so far is all that is asked at first.
            let reduction = if reducible {
                late_move_reduction(node.depth, index)
            } else {
                0
            };
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

    /// The value of the position on the board for the side to move: the true one between `alpha` and `beta`, else a bound.
    pub fn search(&mut self, node: &SearchNode, alpha: i32, beta: i32) -> i32 {
        self.pv_table[node.ply].clear();
        if !self.budget.count(1) {
            return 0;
        }
        let side = node.side;
        let steps = self.board.count();
        if steps == 0 {
            return self.board.end_value();
        }
        if node.depth <= 0 || node.ply >= MAX_PLY {
            return self.board.evaluate();
        }
        let restricted = self.is_restricted(node.ply);
        let known = if restricted {
            None
        } else {
            self.table.probe(node.key)
        };
        if let Some(entry) = known.filter(|_| beta - alpha == 1) {
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
        if node.cost > 0 && known.is_none() && node.depth >= 4 * ONE_PLY {
            // Without a step to begin with it is not worth its depth.
            node.depth -= ONE_PLY;
        }
        let table_step = known.map(|entry| Step(entry.step));
        let base = self.step_stack.len();
        self.board.score_steps(&mut self.step_stack);
        if restricted {
            let wanted = self.step_stack.split_off(base).into_iter();
            let wanted: Vec<_> = wanted
                .filter(|&(_, step)| self.is_search_move(step))
                .collect();
            self.step_stack.extend(wanted);
        }
        for (rank, step) in &mut self.step_stack[base..] {
            *rank = self
                .move_ordering
                .rank(side, node.ply, *step, table_step, *rank);
        }
        self.step_stack[base..].sort_unstable_by(|a, b| b.cmp(a));
        let count = self.step_stack.len() - base;
        let (mut best, mut best_step, mut low) = (-WIN - 1, Step::default(), alpha);
        // Each step is played while the one before it is still to be searched: by its turn, what the table has of it is
        // in the cache.
        let mut upcoming = (count > 0).then(|| self.prefetch_child(self.step_stack[base].1));
        let mut index = 0;
        // The places in the order of those steps that come last because other threads are at them.
        let mut deferred = Vec::new();
        while let Some(next) = upcoming {
            let order_index = index + deferred.len();
            if index > 0 && order_index < count && self.should_defer(&node, next) {
                self.step_stack[base + index..].rotate_left(1);
                deferred.push(order_index);
                upcoming = Some(self.prefetch_child(self.step_stack[base + index].1));
                continue;
            }
            // A step is looked at as deep as if it had come in its turn.
            let order_index = match order_index.checked_sub(count) {
                None => order_index,
                Some(late) => deferred[late],
            };
            let (rank, step) = self.step_stack[base + index];
            upcoming = (index + 1 < count)
                .then(|| self.prefetch_child(self.step_stack[base + index + 1].1));
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
                    self.move_ordering
                        .on_beta_cutoff(side, node.ply, depth, step, before);
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

    /// [`Searcher::search`] where every step leads to a position that is only evaluated.
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

    /// Keeps what was found in the table.
    fn store(&self, node: &SearchNode, step: Step, score: i32, alpha: i32, beta: i32) {
        let bound = match score {
            _ if score <= alpha => Bound::Upper,
            _ if score >= beta => Bound::Lower,
            _ => Bound::Exact,
        };
        let entry = Entry {
            step: step.0,
            depth: node.depth,
            bound,
            score,
        };
        self.table.store(node.key, entry);
    }
}

/// Where a search is: what it knows of the position on the board.
#[derive(Clone, Copy)]
pub struct SearchNode {
    side: Color,
    key: Key,
    /// How many half_points of steps are still to be searched.
    depth: i32,
    /// What a step from here takes of them.
    cost: i32,
    /// How many steps it is from the root.
    ply: usize,
}
