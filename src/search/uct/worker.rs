//! One thread of a UCT search: playouts, each down the tree, on to the end at random, and back up.

use std::sync::atomic::Ordering;

use once_cell::sync::Lazy;
use rand_core::Rng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{DRAW, EXPANSION_VISITS, EXPLORATION, MIN_CONFIDENT_VISITS};
use crate::rules::{Board, Color, Step};
use crate::search::control::SearchControl;
use crate::search::tree::{NodeIndex, Proven, ROOT, Tree};

/// What the bound of a child is made of: one through its visits, and one through their root.
#[derive(Clone, Copy)]
struct UcbTerms {
    inverse: f64,
    inverse_root: f64,
}

impl UcbTerms {
    /// For small numbers of visits, which are most: a table is quicker than a division and a root.
    const TABLE_SIZE: usize = 1024;

    #[inline]
    fn of(visits: u32) -> Self {
        let visits = f64::from(visits.max(1));
        Self {
            inverse: 1.0 / visits,
            inverse_root: 1.0 / visits.sqrt(),
        }
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

/// One thread of a search.
pub(super) struct Worker<'a> {
    /// A board at the end of the path below which this thread searches.
    board: Box<dyn Board>,
    tree: &'a Tree,
    control: &'a SearchControl<'a>,
    random: Xoshiro256PlusPlus,
    terms: &'static [UcbTerms; UcbTerms::TABLE_SIZE],
    /// The nodes of the present descent, each with the side to move there.
    path: Vec<(NodeIndex, Color)>,
    /// The legal steps of a node that is given children.
    steps: Vec<Step>,
    /// Steps played since the last look at the clock.
    pub(super) steps_since_check: u64,
    /// The selective_depth path so far.
    selective_depth: usize,
    /// Visits and Black's half-points that the nodes before the descent have still to be told of.
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

    /// Tells the nodes of a path, through which every descent of this search goes, of the visits since the last time.
    /// All threads would wait for each other if each visit were told at once.
    pub(super) fn flush_results(&mut self, path: &[(NodeIndex, Color)]) {
        let (visits, half_points) = std::mem::take(&mut self.unflushed);
        for &(index, _) in path {
            self.tree.node(index).add_visits(visits, half_points);
        }
    }

    /// The step to look at next where a path ends, if several playouts may go on behind it before others are looked at.
    pub(super) fn well_visited_child(
        &mut self,
        path: &[(NodeIndex, Color)],
        playouts: u64,
    ) -> Option<NodeIndex> {
        if playouts < 2 {
            return None;
        }
        let (node, side) = path[path.len() - 1];
        let child = self.select(node, side)?;
        let is_open = self.tree.node(child).proven().is_none();
        (is_open && self.tree.node(child).visits() >= MIN_CONFIDENT_VISITS).then_some(child)
    }

    /// Makes some playouts that all go on behind a path and one more step, which is told of them at once.
    pub(super) fn playouts_through(
        &mut self,
        first: NodeIndex,
        path: &[(NodeIndex, Color)],
        playouts: u32,
    ) {
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

    /// Descends from the end of a path to a leaf, plays on from there at random, and takes the result back up
    /// to where the path begins.
    pub(super) fn playout_from(&mut self, path: &[(NodeIndex, Color)]) {
        self.board.start_playout();
        self.path.clear();
        self.path.extend(path);
        let (mut index, mut side) = path[path.len() - 1];
        // Where the search begins, children are wanted at once.
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
            self.control
                .selective_depth
                .fetch_max(steps, Ordering::Relaxed);
        }
        if result == DRAW {
            self.control.draws.fetch_add(1, Ordering::Relaxed);
        }
        self.backup(path.len(), result);
    }

    /// Plays at random to the end of the game. A node that is an end itself is proven by that. Where the search
    /// must end in the middle, this counts as a draw.
    fn playout(&mut self, node: NodeIndex) -> u32 {
        let control = self.control;
        let playout = self
            .board
            .finish_playout(&mut self.random, &|| control.must_stop());
        self.steps_since_check += playout.steps;
        let Some(winner) = playout.winner else {
            return DRAW;
        };
        if playout.steps == 0 {
            self.tree.set_proven(node, Proven(winner), 0, playout.side);
        }
        Proven(winner).value()
    }

    /// The child to look at next: an unvisited one if there is any, else the one with the highest upper
    /// confidence bound. Children that are proven lost for `side` are passed over.
    fn select(&mut self, node: NodeIndex, side: Color) -> Option<NodeIndex> {
        let parent = self.tree.node(node);
        let children = self.tree.children(node);
        let count = children.end - children.start;
        if count == 0 {
            return None;
        }
        // From a random one on, so that unvisited children are taken without preference.
        let skip = ((u64::from(self.random.next_u32()) * u64::from(count)) >> 32) as u32;
        let from_skip = children.start + skip..children.end;
        let to_skip = children.start..children.start + skip;
        // `libm`, not the system's logarithm: every machine must choose alike.
        let exploration = EXPLORATION * libm::log(f64::from(parent.visits().max(1))).sqrt();
        // White's share of the points is what Black's leaves of 1.
        let (base, half_point) = match side {
            Color::Black => (0.0, 0.5),
            Color::White => (1.0, -0.5),
        };
        let mut best = None;
        let mut best_bound = f64::NEG_INFINITY;
        for indices in [from_skip, to_skip] {
            let mut index = indices.start;
            #[expect(
                clippy::explicit_counter_loop,
                reason = "a zipped iterator is a function of its own"
            )]
            for child in self.tree.siblings(indices) {
                let (visits, half_points) = child.statistics();
                let terms = UcbTerms::get(self.terms, visits);
                let exploration = exploration * terms.inverse_root;
                let mut bound =
                    base + half_point * f64::from(half_points) * terms.inverse + exploration;
                // Few are: what most are is worked out without asking.
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

    /// Adds a result to every node of the path behind the settled ones, and proves what follows from a proven end of it.
    fn backup(&mut self, fixed: usize, result: u32) {
        self.unflushed.0 += 1;
        self.unflushed.1 += result;
        // A node's visit was counted for whoever chose it.
        for pair in self.path[fixed - 1..].windows(2) {
            if let [(_, mover), (index, _)] = pair {
                self.tree
                    .node(*index)
                    .replace_virtual_loss(*mover, 1, result);
            }
        }
        let mut known = self
            .path
            .last()
            .and_then(|&(index, _)| self.tree.node(index).proven());
        let mut end = self.path.last().map_or(ROOT, |&(index, _)| index);
        for &(index, side) in self.path.iter().rev().skip(1) {
            let Some(proven) = known else {
                break;
            };
            let node = self.tree.node(index);
            if node.proven().is_none() {
                let known_moves = match proven.value_for(side) {
                    2 => Some((proven, self.tree.moves_to_end_by(end, side))),
                    _ => self.best_proven(self.tree.children(index), side),
                };
                if let Some((proven, moves)) = known_moves {
                    self.tree.set_proven(index, proven, moves, side);
                }
            }
            known = node.proven();
            end = index;
        }
    }

    /// The best result among nodes for a side and the moves that it takes, if all of them are proven. What can't
    /// be won is put off as long as possible.
    fn best_proven(&self, nodes: std::ops::Range<NodeIndex>, side: Color) -> Option<(Proven, u32)> {
        let mut best: Option<(Proven, u32)> = None;
        for index in nodes {
            let node = self.tree.node(index);
            let (proven, moves) = (node.proven()?, self.tree.moves_to_end_by(index, side));
            let rank = |(proven, moves): (Proven, u32)| (proven.value_for(side), moves);
            if best.is_none_or(|best| rank((proven, moves)) > rank(best)) {
                best = Some((proven, moves));
            }
        }
        best
    }
}
