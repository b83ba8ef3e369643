//! One thread of a UCT search (Kocsis and Szepesvári 2006): selection, expansion, playout, backup.

use std::sync::atomic::Ordering;

use once_cell::sync::Lazy;
use rand_core::Rng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{DRAW, EXPANSION_VISITS, EXPLORATION, MIN_CONFIDENT_PLAYOUTS};
use crate::rules::{Board, Color, Step};
use crate::search::control::SearchControl;
use crate::search::tree::{NodeIndex, Proven, ROOT, Tree};

/// Factors of a child's upper confidence bound that depend on its visits alone: 1 / n and 1 / √n.
#[derive(Clone, Copy)]
struct UcbTerms {
    inverse: f64,
    inverse_root: f64,
}

impl UcbTerms {
    /// Size of the table of precomputed factors. Most nodes have few visits, and a load is faster than a division and
    /// a square root.
    const TABLE_SIZE: usize = 1024;

    #[inline]
    fn of(visits: u32) -> Self {
        let visits = f64::from(visits.max(1));
        Self { inverse: 1.0 / visits, inverse_root: 1.0 / visits.sqrt() }
    }

    #[inline]
    fn get(table: &[Self; Self::TABLE_SIZE], visits: u32) -> Self {
        match table.get(visits as usize) {
            Some(terms) => *terms,
            None => Self::of(visits),
        }
    }
}

static UCB_TERMS: Lazy<[UcbTerms; UcbTerms::TABLE_SIZE]> =
    Lazy::new(|| std::array::from_fn(|visits| UcbTerms::of(visits as u32)));

/// One searching thread.
pub(super) struct Worker<'a> {
    /// The board at the end of the path below which this thread searches.
    board: Box<dyn Board>,
    tree: &'a Tree,
    control: &'a SearchControl<'a>,
    random: Xoshiro256PlusPlus,
    terms: &'static [UcbTerms; UcbTerms::TABLE_SIZE],
    /// Nodes of the present descent, each with the side to move there.
    path: Vec<(NodeIndex, Color)>,
    /// Buffer for the legal steps of a node that is expanded.
    steps: Vec<Step>,
    /// Steps played since the clock was last read.
    pub(super) steps_since_check: u64,
    /// Nodes on the longest path of this thread.
    selective_depth: usize,
    /// Visits and Black's half-points that the path before the descent has not received yet.
    unflushed: (u32, u32),
}

impl<'a> Worker<'a> {
    pub(super) fn new(
        board: Box<dyn Board>,
        tree: &'a Tree,
        control: &'a SearchControl<'a>,
        random: Xoshiro256PlusPlus,
    ) -> Self {
        Self {
            board,
            tree,
            control,
            random,
            terms: &UCB_TERMS,
            path: Vec::new(),
            steps: Vec::new(),
            steps_since_check: 0,
            selective_depth: 0,
            unflushed: (0, 0),
        }
    }

    /// Adds the results since the last call to the nodes of `path`, which every descent passes.
    ///
    /// Adding each result at once would make all threads wait for the same cache lines.
    pub(super) fn flush_results(&mut self, path: &[(NodeIndex, Color)]) {
        let (visits, half_points) = std::mem::take(&mut self.unflushed);
        for &(index, _) in path {
            self.tree.node(index).add_visits(visits, half_points);
        }
    }

    /// Selects the child at the end of `path`, if it has enough visits to share one descent among `playouts` playouts.
    pub(super) fn well_visited_child(&mut self, path: &[(NodeIndex, Color)], playouts: u64) -> Option<NodeIndex> {
        if playouts < 2 {
            return None;
        }
        let (node, side) = path[path.len() - 1];
        let child = self.select(node, side)?;
        let is_open = self.tree.node(child).proven().is_none();
        (is_open && self.tree.node(child).visits() >= MIN_CONFIDENT_PLAYOUTS).then_some(child)
    }

    /// Runs playouts that all descend through the end of `path` and its child `first`. The child receives their sum at
    /// once.
    pub(super) fn playouts_through(&mut self, first: NodeIndex, path: &[(NodeIndex, Color)], playouts: u32) {
        let (_, mover) = path[path.len() - 1];
        let node = self.tree.node(first);
        let next = self.board.make(node.step());
        let path_to_child = [path, &[(first, next.side)]].concat();
        node.add_virtual_loss(mover, playouts);
        let (visits, half_points) = std::mem::take(&mut self.unflushed);
        for _ in 0..playouts {
            self.playout_from(&path_to_child);
        }
        self.board.unmake();
        node.replace_virtual_loss(mover, playouts, self.unflushed.1);
        self.unflushed.0 += visits;
        self.unflushed.1 += half_points;
    }

    /// Descends from the end of `path` to a leaf, plays out from there, and backs up the result to the end of `path`.
    pub(super) fn playout_from(&mut self, path: &[(NodeIndex, Color)]) {
        self.board.start_playout();
        self.path.clear();
        self.path.extend(path);
        let (mut index, mut side) = path[path.len() - 1];
        // The first node of a descent is expanded at once, whatever its visits.
        let mut few_visits = false;
        let result = loop {
            let node = self.tree.node(index);
            if let Some(proven) = node.proven() {
                break proven.value();
            }
            if self.tree.children(index).is_empty() && !few_visits {
                self.steps.clear();
                self.board.playout_steps(&mut self.steps);
                self.tree.expand_steps(index, &self.steps);
            }
            let Some(child) = self.select(index, side) else {
                break self.playout(index);
            };
            let node = self.tree.node(child);
            few_visits = node.add_virtual_loss(side, 1) < EXPANSION_VISITS;
            side = self.board.playout_step(node.step());
            index = child;
            self.path.push((index, side));
        };
        self.steps_since_check += self.path.len() as u64;
        if self.path.len() > self.selective_depth {
            self.selective_depth = self.path.len();
            let steps = (self.selective_depth - 1) as u32;
            self.control.selective_depth.fetch_max(steps, Ordering::Relaxed);
        }
        if result == DRAW {
            self.control.draws.fetch_add(1, Ordering::Relaxed);
        }
        self.backup(path.len(), result);
    }

    /// Plays random steps to the end of the game and returns Black's half-points. A leaf that is the end is marked as
    /// proven; an aborted playout counts as a draw.
    fn playout(&mut self, node: NodeIndex) -> u32 {
        let control = self.control;
        let playout = self.board.finish_playout(&mut self.random, &|| control.must_stop());
        self.steps_since_check += playout.steps;
        let Some(winner) = playout.winner else {
            return DRAW;
        };
        if playout.steps == 0 {
            self.tree.set_proven(node, Proven(winner), 0, playout.side);
        }
        Proven(winner).value()
    }

    /// Selects a child: an unvisited one if there is any, else the one with the highest upper confidence bound.
    ///
    /// A proven win for `side` is taken at once. Proven losses come last.
    fn select(&mut self, node: NodeIndex, side: Color) -> Option<NodeIndex> {
        let parent = self.tree.node(node);
        let children = self.tree.children(node);
        let count = children.end - children.start;
        if count == 0 {
            return None;
        }
        // Start at a random child, so that unvisited children are taken in no fixed order.
        let skip = ((u64::from(self.random.next_u32()) * u64::from(count)) >> 32) as u32;
        let from_skip = children.start + skip..children.end;
        let to_skip = children.start..children.start + skip;
        // `libm`, not the system's logarithm: every machine must choose alike.
        let exploration = EXPLORATION * libm::log(f64::from(parent.visits().max(1))).sqrt();
        // White's share of the points is 1 less Black's.
        let (base, half_point) = match side {
            Color::Black => (0.0, 0.5),
            Color::White => (1.0, -0.5),
        };
        let mut best = None;
        let mut best_bound = f64::NEG_INFINITY;
        for indices in [from_skip, to_skip] {
            let mut index = indices.start;
            #[expect(clippy::explicit_counter_loop, reason = "a zipped iterator adds a function call")]
            for child in self.tree.siblings(indices) {
                let (visits, half_points) = child.statistics();
                let terms = UcbTerms::get(self.terms, visits);
                let exploration = exploration * terms.inverse_root;
                let mut bound = base + half_point * f64::from(half_points) * terms.inverse + exploration;
                // Proofs are rare: compute the common case without a branch first.
                if let Some(proven) = child.proven() {
                    bound = match proven.value_for(side) {
                        2 => return Some(index),
                        1 => 0.5 + exploration,
                        _ => f64::MIN,
                    };
                } else if visits == 0 {
                    return Some(index);
                }
                if bound > best_bound {
                    best_bound = bound;
                    best = Some(index);
                }
                index += 1;
            }
        }
        best
    }

    /// Backs up a result along the path behind its first `fixed` nodes, and proves ancestors of a proven leaf.
    fn backup(&mut self, fixed: usize, result: u32) {
        self.unflushed.0 += 1;
        self.unflushed.1 += result;
        // The virtual loss of a node was for the side to move at its parent.
        for pair in self.path[fixed - 1..].windows(2) {
            if let [(_, mover), (index, _)] = pair {
                self.tree.node(*index).replace_virtual_loss(*mover, 1, result);
            }
        }
        let mut proven_below = self.path.last().and_then(|&(index, _)| self.tree.node(index).proven());
        let mut end = self.path.last().map_or(ROOT, |&(index, _)| index);
        for &(index, side) in self.path.iter().rev().skip(1) {
            let Some(proven) = proven_below else {
                break;
            };
            let node = self.tree.node(index);
            if node.proven().is_none() {
                let proof = match proven.value_for(side) {
                    2 => Some((proven, self.tree.moves_to_end_by(end, side))),
                    _ => self.tree.proof_by_children(index, side),
                };
                if let Some((proven, moves)) = proof {
                    self.tree.set_proven(index, proven, moves, side);
                }
            }
            proven_below = node.proven();
            end = index;
        }
    }
}
