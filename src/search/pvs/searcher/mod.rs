//! One thread of a principal variation search.

mod budget;
mod proof;

use std::collections::VecDeque;
use std::sync::atomic::AtomicBool;

use super::abdada::AbdadaTable;
use super::depth::{STEP, cost, reduction};
use super::move_ordering::{MoveOrdering, NOISY};
use super::transposition::{Bound, Entry, TranspositionTable};
use super::{MAX_PLY, Pvs, RootMove, WINDOW};
use crate::board::{Key, Zobrist};
use crate::rules::{
    Board, Color, Lookahead, PROVEN_WIN, ProofCost, Step, WIN, adjust_for_distance, is_proven,
};
use crate::search::control::SearchControl;
use budget::Budget;

/// From this depth on threads look elsewhere first where another one is at work: below, that would take longer than the work.
const SHARED_FROM: i32 = 3 * STEP;

/// One thread of a search.
pub struct Searcher<'a> {
    search: &'a Pvs,
    /// The board at the node that is being searched. Its history begins at the root.
    board: Box<dyn Board>,
    table: &'a TranspositionTable,
    /// What the threads are at, where there are several.
    busy: Option<&'a AbdadaTable>,
    pub(super) budget: Budget<'a>,
    only: &'a [&'a [Step]],
    /// What a proof takes in this game, where there is one.
    proof_cost: Option<ProofCost>,
    order: MoveOrdering,
    /// By the number of steps from the root, the best steps from there on.
    variations: Vec<Vec<Step>>,
    /// The steps from the root as far as only some may be taken.
    path: Vec<Step>,
    /// Steps still to be looked at, with their ranks, of all nodes on the way.
    waiting: Vec<(i32, Step)>,
}

impl<'a> Searcher<'a> {
    /// A thread that has done nothing yet; `halt` stops it when another one has found enough.
    pub fn new(
        search: &'a Pvs,
        board: Box<dyn Board>,
        run: &'a SearchControl<'a>,
        halt: &'a AtomicBool,
        only: &'a [&'a [Step]],
    ) -> Self {
        Self {
            search,
            proof_cost: board.proof_cost(),
            board,
            table: &search.table,
            busy: (search.settings.threads > 1).then_some(&search.busy),
            budget: Budget::new(search, run, halt),
            only,
            order: MoveOrdering::new(MAX_PLY + 1),
            variations: vec![Vec::new(); MAX_PLY + 2],
            path: Vec::new(),
            waiting: Vec::new(),
        }
    }

    /// The value of a step of the root whose end is known from an earlier search, for who takes it.
    pub(super) fn known_end(&mut self, step: Step) -> Option<i32> {
        let Lookahead { side, key } = self.board.look_ahead(step);
        let Entry { bound, score, .. } = self.table.get(key)?;
        let is_known = match bound {
            Bound::Exact => is_proven(score),
            Bound::Lower => score > PROVEN_WIN,
            Bound::Upper => score < -PROVEN_WIN,
        };
        let passes = side != self.board.side();
        let score = if passes { -score } else { score };
        is_known.then(|| adjust_for_distance(score, passes))
    }

    /// Whether a step may be taken behind the path, by the moves that alone may be found.
    fn is_wanted(&self, step: Step) -> bool {
        self.only.is_empty()
            || self.only.iter().any(|run| {
                let common = run.iter().zip(self.path.iter().chain([&step]));
                common.clone().all(|(wanted, taken)| wanted == taken)
            })
    }

    /// Whether the path has come to where not every step may be taken.
    fn is_restricted(&self, ply: usize) -> bool {
        self.only.iter().any(|run| run.len() > ply)
    }

    /// The steps of the root that may be taken, in an order that depends on the seed.
    pub fn root_moves(&self) -> Vec<RootMove> {
        let mut steps = Vec::new();
        self.board.steps(&mut steps);
        let wanted = steps.into_iter().filter(|&step| self.is_wanted(step));
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
            let scattered = Zobrist::state_key(seed ^ u64::from(root.step.0));
            (-self.board.ordering_score(root.step), scattered.0)
        });
        moves
    }

    /// Searches all steps of the root so deep, and puts the best ones first.
    pub(super) fn iterate(&mut self, moves: &mut [RootMove], depth: i32, lines: usize) {
        for first in 0..lines.min(moves.len()) {
            let last = moves[first].value;
            let rest = &mut moves[first..];
            let (mut low, mut high) = match last {
                Some(value) if depth >= 4 * STEP && !is_proven(value) => {
                    (value - WINDOW, value + WINDOW)
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
                        self.budget.enough = self.budget.in_doubt;
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
        let mut waiting: VecDeque<usize> = (0..moves.len()).collect();
        let mut put_off = 0;
        while let Some(place) = waiting.pop_front() {
            let root = &mut moves[place];
            let next = self.look_ahead(root.step);
            if place > 0 && put_off < waiting.len() && self.is_busy(&node, next) {
                put_off += 1;
                waiting.push_back(place);
                continue;
            }
            let nodes = self.budget.nodes;
            let alpha = best.max(low);
            self.path.clear();
            let value = self.search_step(&node, root.step, place, false, alpha, high);
            root.nodes += self.budget.nodes - nodes;
            if self.budget.stopped {
                break;
            }
            if value > best {
                best = value;
                let rest = self.variations[1].iter().copied();
                found = Some((place, std::iter::once(root.step).chain(rest).collect()));
                if value >= high {
                    break;
                }
            }
        }
        // Below the window it is only known that all are worse than was thought, and where the search ends in the
        // middle, perhaps only that the first one is: then what was found before stands.
        let unknown = moves.first().is_none_or(|root| root.value.is_none());
        let better = match &found {
            Some((place, _)) if self.budget.stopped => *place > 0 && best > low,
            _ => best > low || low == -WIN,
        };
        if let Some((place, variation)) = found.filter(|_| better || unknown) {
            // A loss is proven only once every step is refuted.
            let known = if self.budget.stopped {
                best.max(1 - PROVEN_WIN)
            } else {
                best
            };
            moves[place].value = Some(known);
            moves[place].variation = variation;
            moves[..=place].rotate_right(1);
        }
        best
    }

    /// The root, to be searched so deep.
    pub fn root(&self, depth: i32) -> Node {
        Node {
            side: self.board.side(),
            key: self.board.key(),
            depth,
            cost: STEP,
            ply: 0,
        }
    }

    /// Looks where a step leads, and asks for what the table has there.
    #[inline]
    pub fn look_ahead(&mut self, step: Step) -> Lookahead {
        let next = self.board.look_ahead(step);
        self.table.prefetch(next.key);
        next
    }

    /// Whether another thread is searching behind a step, so that the others should be looked at first.
    pub fn is_busy(&self, node: &Node, next: Lookahead) -> bool {
        let busy = self.busy.filter(|_| node.depth >= SHARED_FROM);
        busy.is_some_and(|busy| busy.has(next.key))
    }

    /// The value of a step for who takes it; the steps behind it are in the variation of the next ply.
    ///
    /// `place` is how many steps come before it in the order, `quiet` whether it may be looked at less deep.
    fn search_step(
        &mut self,
        node: &Node,
        step: Step,
        place: usize,
        quiet: bool,
        alpha: i32,
        beta: i32,
    ) -> i32 {
        let next = self.board.make(step);
        let passes = next.side != node.side;
        let restricted = self.is_restricted(node.ply + 1);
        if restricted {
            self.path.push(step);
        }
        let search = |this: &mut Self, depth: i32, alpha: i32, beta: i32| {
            let child = Node {
                side: next.side,
                key: next.key,
                depth,
                cost: STEP,
                ply: node.ply + 1,
            };
            let value = match passes {
                true => -this.search(&child, -beta, -alpha),
                false => this.search(&child, alpha, beta),
            };
            adjust_for_distance(value, passes)
        };
        let busy = self.busy.filter(|_| node.depth >= SHARED_FROM);
        busy.inspect(|busy| busy.begin(next.key));
        let depth = node.depth - node.cost;
        let mut value = alpha + 1;
        if place > 0 {
            // Whether it is better than the best so far is all that is asked at first.
            let reduction = if quiet {
                reduction(node.depth, place)
            } else {
                0
            };
            value = search(self, depth - reduction, alpha, alpha + 1);
            if value > alpha && reduction > 0 && !self.budget.stopped {
                value = search(self, depth, alpha, alpha + 1);
            }
        }
        if (place == 0 || value > alpha && value < beta) && !self.budget.stopped {
            value = search(self, depth, alpha, beta);
        }
        busy.inspect(|busy| busy.end(next.key));
        if restricted {
            self.path.pop();
        }
        self.board.unmake();
        value
    }

    /// The value of the position on the board for the side to move: the true one between `alpha` and `beta`, else a bound.
    pub fn search(&mut self, node: &Node, alpha: i32, beta: i32) -> i32 {
        self.variations[node.ply].clear();
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
        let known = if restricted {
            None
        } else {
            self.table.get(node.key)
        };
        if let Some(entry) = known.filter(|_| beta - alpha == 1) {
            let enough = entry.depth >= node.depth || is_proven(entry.score);
            if enough && entry.cuts_off(alpha) {
                return entry.score;
            }
        }
        let mut node = *node;
        node.cost = cost(steps);
        if node.cost > 0 && node.depth <= node.cost && !restricted {
            return self.search_last_ply(&node, alpha, beta);
        }
        if node.cost > 0 && known.is_none() && node.depth >= 4 * STEP {
            // Without a step to begin with it is not worth its depth.
            node.depth -= STEP;
        }
        let from_table = known.map(|entry| Step(entry.step));
        let base = self.waiting.len();
        self.board.score_steps(&mut self.waiting);
        if restricted {
            let wanted = self.waiting.split_off(base).into_iter();
            let wanted: Vec<_> = wanted.filter(|&(_, step)| self.is_wanted(step)).collect();
            self.waiting.extend(wanted);
        }
        for (rank, step) in &mut self.waiting[base..] {
            *rank = self.order.rank(side, node.ply, *step, from_table, *rank);
        }
        self.waiting[base..].sort_unstable_by(|a, b| b.cmp(a));
        let count = self.waiting.len() - base;
        let (mut best, mut best_step, mut low) = (-WIN - 1, Step::default(), alpha);
        // Each step is played while the one before it is still to be searched: by its turn, what the table has of it is
        // in the cache.
        let mut ahead = (count > 0).then(|| self.look_ahead(self.waiting[base].1));
        let mut place = 0;
        // The places in the order of those steps that come last because other threads are at them.
        let mut put_off = Vec::new();
        while let Some(next) = ahead {
            let in_order = place + put_off.len();
            if place > 0 && in_order < count && self.is_busy(&node, next) {
                self.waiting[base + place..].rotate_left(1);
                put_off.push(in_order);
                ahead = Some(self.look_ahead(self.waiting[base + place].1));
                continue;
            }
            // A step is looked at as deep as if it had come in its turn.
            let in_order = match in_order.checked_sub(count) {
                None => in_order,
                Some(late) => put_off[late],
            };
            let (rank, step) = self.waiting[base + place];
            ahead = (place + 1 < count).then(|| self.look_ahead(self.waiting[base + place + 1].1));
            let value = self.search_step(&node, step, in_order, rank < NOISY, low, beta);
            if self.budget.stopped {
                break;
            }
            if value > best {
                (best, best_step) = (value, step);
                if value > low {
                    low = value;
                    let (before, after) = self.variations.split_at_mut(node.ply + 1);
                    let (own, rest) = (&mut before[node.ply], &after[0]);
                    own.clear();
                    own.push(step);
                    own.extend(rest);
                }
                if value >= beta {
                    let before = &self.waiting[base..base + place];
                    let depth = node.depth / STEP;
                    self.order.cut(side, node.ply, depth, step, before);
                    break;
                }
            }
            place += 1;
        }
        self.waiting.truncate(base);
        if !self.budget.stopped && !restricted {
            self.keep(&node, best_step, best, alpha, beta);
        }
        best
    }

    /// [`Searcher::search`] where every step leads to a position that is only evaluated.
    fn search_last_ply(&mut self, node: &Node, alpha: i32, beta: i32) -> i32 {
        let (budget, killers) = (&mut self.budget, self.order.killers(node.ply));
        let mut count = |nodes| budget.count(nodes);
        let Some((best, best_step)) = self.board.search_frontier(killers, beta, &mut count) else {
            return 0;
        };
        if best >= beta {
            self.order.kill(node.ply, best_step);
        }
        self.variations[node.ply].push(best_step);
        self.keep(node, best_step, best, alpha, beta);
        best
    }

    /// Keeps what was found in the table.
    fn keep(&self, node: &Node, step: Step, score: i32, alpha: i32, beta: i32) {
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
        self.table.put(node.key, entry);
    }
}

/// Where a search is: what it knows of the position on the board.
#[derive(Clone, Copy)]
pub struct Node {
    side: Color,
    key: Key,
    /// How many half_points of steps are still to be searched.
    depth: i32,
    /// What a step from here takes of them.
    cost: i32,
    /// How many steps it is from the root.
    ply: usize,
}
