//! One thread of a PUCT search (Rosin 2011): selection by priors, expansion by the static evaluation of all children,
//! backup of means and minimax values (implicit minimax backups, Lanctot and others 2014).
//!
//! Values are those of one ply of search: the value of an expanded position is that of its best child.

use std::sync::atomic::Ordering;

use crate::rules::{Board, Color, Puct, Step, is_proven};
use crate::search::control::SearchControl;
use crate::search::tree::{NodeIndex, Proven, Statistics, Tree, ValuedChild};

/// Evaluation by which a child must be better to have e times the prior probability.
const TEMPERATURE: f32 = 60.0;

/// Share of the minimax value in the value of a node; the rest is that of the mean.
pub(super) const MINIMAX_SHARE: f32 = 0.5;

/// Minimum number of positions that a descent expands in a tree of several threads: what each of them writes near the
/// root has to come from the cache of the one that wrote there before.
const SHARED_EXPANSIONS: u32 = 2;

/// Visits of a position between two computations of its values from all children, which undo what threads and rounding
/// have done.
const EXACT_BACKUP_INTERVAL: u32 = 32;

/// Maximum number of steps of a descent, in case positions can repeat.
const MAX_PATH: usize = 500;

/// One searching thread.
pub(super) struct Worker<'a> {
    /// The board after the steps to the nodes of `made`.
    board: Box<dyn Board>,
    /// Nodes of the last descent below the end of the searched path, each with the side to move there.
    ///
    /// Descents have long beginnings in common, so these steps stay made.
    made: Vec<(NodeIndex, Color)>,
    tree: &'a Tree,
    control: &'a SearchControl<'a>,
    /// Exploration constant.
    exploration: f32,
    /// Positions that a descent expands, one below the other.
    expansions: u32,
    /// Evaluation for which values stand for odds of ten to one.
    score_scale: f64,
    /// Orders children of equal values.
    seed: u64,
    /// Nodes of the present descent, each with the side to move there.
    path: Vec<(NodeIndex, Color)>,
    /// Buffers for a position that is expanded.
    evaluated: Vec<(i32, Step)>,
    children: Vec<ValuedChild>,
    keyed: Vec<(u64, Step)>,
    weights: Vec<f32>,
    scores: Vec<f32>,
    /// Steps of the longest descent of this thread.
    selective_depth: usize,
    /// Set when a first node lacks some of its children.
    pub(super) is_first_incomplete: bool,
}

impl<'a> Worker<'a> {
    pub(super) fn new(board: Box<dyn Board>, tree: &'a Tree, control: &'a SearchControl<'a>, seed: u64) -> Self {
        let Puct { exploration, expansions, score_scale, .. } = board.variant().info().puct;
        Self {
            board,
            made: Vec::new(),
            tree,
            control,
            exploration,
            expansions: if tree.is_shared { expansions.max(SHARED_EXPANSIONS) } else { expansions },
            score_scale,
            seed,
            path: Vec::new(),
            evaluated: Vec::new(),
            children: Vec::new(),
            keyed: Vec::new(),
            weights: Vec::new(),
            scores: Vec::new(),
            selective_depth: 0,
            is_first_incomplete: false,
        }
    }

    /// Descends from the end of `path` to a leaf, expands it and the best positions below it, and backs up the value of
    /// the last one to the root.
    ///
    /// A descent that expands two positions takes little longer than one. `path` is the same in all calls, `first` is
    /// the child to descend to first; `None` selects it. Returns false if the limit in nodes is reached.
    pub(super) fn descend(&mut self, path: &[(NodeIndex, Color)], first: Option<NodeIndex>) -> bool {
        self.path.clear();
        self.path.extend(path);
        let fixed = path.len();
        let (mut index, mut side) = path[fixed - 1];
        let mut first = first;
        let (mut is_expanded, mut is_counted) = (true, false);
        // Where lines take turns, two positions below one of them may leave no nodes for the others.
        let mut expansions = if first.is_some() { 1 } else { self.expansions };
        for (index, _) in &path[1..] {
            self.tree.begin_visit(*index);
        }
        loop {
            let node = self.tree.node(index);
            if node.proven().is_some() && first.is_none() || self.path.len() > MAX_PATH {
                break;
            }
            if self.tree.children(index).is_empty() {
                let depth = self.path.len() - fixed;
                let is_first = depth == 0;
                self.unmake_to(depth);
                if is_first || !self.tree.share_children(index, self.board.key()) {
                    is_counted |= self.board.count() > 0;
                    is_expanded = self.expand(index, side, None, is_first);
                } else {
                    // What is known is not expanded further.
                    expansions = 0;
                }
                let children = self.tree.children(index);
                // A forced step is worth no visit of its own.
                if children.end - children.start != 1 {
                    expansions = if is_first || node.proven().is_some() { 0 } else { expansions.saturating_sub(1) };
                    if expansions == 0 {
                        break;
                    }
                }
                if !is_expanded {
                    break;
                }
            }
            let Some(child) = first.take().or_else(|| self.select(index, side)) else {
                break;
            };
            self.tree.begin_visit(child);
            self.tree.prefetch_children(child);
            side = self.make(self.path.len() - fixed, child);
            index = child;
            self.path.push((index, side));
        }
        if !is_counted {
            // Descents into what is known must end, too.
            is_expanded = self.control.reserve_nodes(1) == 1;
        }
        let depth = self.path.len() - 1;
        if depth > self.selective_depth {
            self.selective_depth = depth;
            self.control.selective_depth.fetch_max(depth as u32, Ordering::Relaxed);
        }
        self.back_up(!is_expanded);
        is_expanded
    }

    /// Brings the board to a child of the node that is `depth` steps below the end of the searched path.
    fn make(&mut self, depth: usize, child: NodeIndex) -> Color {
        if let Some(&(made, side)) = self.made.get(depth)
            && made == child
        {
            return side;
        }
        self.unmake_to(depth);
        let side = self.board.make(self.tree.node(child).step()).side;
        self.made.push((child, side));
        side
    }

    /// Takes back the steps that are more than `depth` below the end of the searched path.
    fn unmake_to(&mut self, depth: usize) {
        for _ in self.made.drain(depth.min(self.made.len())..) {
            self.board.unmake();
        }
    }

    /// Expands the position of the board with all of its steps, or with those in `only`.
    ///
    /// Returns false if the limit in nodes is reached: then the first node lacks some of its children, and any other
    /// has a value only.
    pub(super) fn expand(&mut self, index: NodeIndex, side: Color, only: Option<&[Step]>, is_first: bool) -> bool {
        let count = self.board.count();
        if count == 0 {
            let winner = self.board.outcome().and_then(|outcome| outcome.winner);
            self.tree.set_proven(index, Proven(winner), 0, side);
            return true;
        }
        let reserved = self.control.reserve_nodes(count as u64);
        let is_whole = reserved == count as u64;
        self.evaluated.clear();
        if is_whole {
            self.board.evaluate_steps(&mut self.evaluated);
        } else {
            self.evaluate_some_steps(reserved as usize);
        }
        if let Some(only) = only {
            self.evaluated.retain(|(_, step)| only.contains(step));
        }
        self.order_evaluated();
        let Some(&(best, _)) = self.evaluated.first() else {
            return true;
        };
        self.assess_children(best, side);
        let value = self.children.first().map_or(0.5, |child| child.value);
        if !is_whole && !is_first {
            // Children that lack some would be kept for the next moves.
            self.tree.set_value(index, value);
            return false;
        }
        let key = (only.is_none() && is_whole).then(|| self.board.key());
        self.tree.expand_with_values(index, key, &self.children, value);
        self.is_first_incomplete |= !is_whole;
        if is_whole && is_proven(best) {
            self.prove(index, side);
        }
        is_whole
    }

    /// Evaluates the position after the `count` steps that have the best ordering scores.
    fn evaluate_some_steps(&mut self, count: usize) {
        let mut steps = std::mem::take(&mut self.evaluated);
        self.board.score_steps(&mut steps);
        self.evaluated = steps;
        self.order_evaluated();
        self.evaluated.truncate(count);
        let side = self.board.side();
        for (value, step) in &mut self.evaluated {
            let next = self.board.make(*step);
            *value = if self.board.count() == 0 { self.board.terminal_value() } else { self.board.evaluate() };
            if next.side != side {
                *value = -*value;
            }
            self.board.unmake();
        }
        self.order_evaluated();
    }

    /// Computes values and priors of the evaluated steps, whose best evaluation is `best`.
    fn assess_children(&mut self, best: i32, side: Color) {
        let by_temperature = std::f32::consts::LOG2_E / TEMPERATURE;
        let by_odds = -std::f32::consts::LOG2_10 / self.score_scale as f32;
        // Loops without branches, for vectors.
        let values = self.evaluated.iter().map(|&(value, _)| value);
        self.weights.clear();
        self.weights.extend(values.clone().map(|value| exp2((value - best).max(-100_000) as f32 * by_temperature)));
        self.scores.clear();
        let score = |value: i32| 1.0 / (1.0 + exp2(value.clamp(-20_000, 20_000) as f32 * by_odds));
        self.scores.extend(values.map(|value| of_black(score(value), side)));
        let sum: f32 = self.weights.iter().sum();
        let assessed = self.weights.iter().zip(&self.scores);
        self.children.clear();
        self.children.extend(self.evaluated.iter().zip(assessed).map(|(&(value, step), (&weight, &score))| {
            let proven = is_proven(value).then(|| Proven(Some(if value > 0 { side } else { !side })));
            let value = proven.map_or(score, Proven::points);
            ValuedChild { step, value, prior: weight / sum, proven }
        }));
    }

    /// Sorts evaluated steps, the best first. Ties are broken independently of cell order, but always the same way.
    fn order_evaluated(&mut self) {
        self.keyed.clear();
        self.keyed.extend(self.evaluated.iter().map(|&(value, step)| {
            // Values are far from the ends of their range.
            let rank = i32::MAX.wrapping_sub(value) as u32;
            (u64::from(rank) << 32 | u64::from(tie_break(step, self.seed)), step)
        }));
        self.keyed.sort_unstable_by_key(|&(key, _)| key);
        self.evaluated.clear();
        self.evaluated.extend(self.keyed.iter().map(|&(key, step)| (i32::MAX.wrapping_sub((key >> 32) as i32), step)));
    }

    /// Selects the child with the highest upper confidence bound. Proven losses come last.
    fn select(&self, node: NodeIndex, side: Color) -> Option<NodeIndex> {
        let (position, ..) = self.tree.position(node)?;
        let exploration = self.exploration * (position.visits as f32).sqrt();
        let (mut best, mut best_bound) = (None, f32::NEG_INFINITY);
        for (child, node, (prior, minimax)) in self.tree.valued_children(node) {
            if let Some(proven) = node.proven() {
                match proven.value_for(side) {
                    2 => return Some(child),
                    0 => {
                        best = best.or(Some(child));
                        continue;
                    }
                    _ => {}
                }
            }
            let statistics = node.valued_statistics();
            let mut value = of_black((1.0 - MINIMAX_SHARE) * statistics.mean + MINIMAX_SHARE * minimax, side);
            let visits = statistics.visits as f32;
            if statistics.under_way > 0 {
                // Visits under way count as lost, so that threads take other paths.
                value *= 1.0 - statistics.under_way as f32 / visits;
            }
            let bound = value + exploration * prior / (1.0 + visits);
            if bound > best_bound {
                (best, best_bound) = (Some(child), bound);
            }
            if statistics.visits == 0 {
                // Children are in the order of their static values: no other unvisited one has a higher bound.
                break;
            }
        }
        best
    }

    /// Backs up the value of the last node of the path, and proofs, to the root. `is_exact` reads all children again.
    fn back_up(&mut self, is_exact: bool) {
        for index in (1..self.path.len()).rev() {
            let ((child, _), (parent, mover)) = (self.path[index], self.path[index - 1]);
            let node = self.tree.node(child);
            let (before, (_, minimax_before)) = (node.valued_statistics(), self.tree.prior_and_minimax(child));
            self.tree.end_visit(child);
            let is_proven = node.proven().is_some();
            if is_proven {
                self.prove(parent, mover);
            }
            let Some((position, value, minimax)) = self.tree.position(parent) else {
                continue;
            };
            if is_exact || is_proven || position.visits.is_multiple_of(EXACT_BACKUP_INTERVAL) {
                self.update(parent, value, mover);
                continue;
            }
            let (after, (_, minimax_after)) = (node.valued_statistics(), self.tree.prior_and_minimax(child));
            let of_child = |statistics: Statistics| f64::from(statistics.ended()) * f64::from(statistics.mean);
            let sum = f64::from(position.visits) * f64::from(position.mean) + of_child(after) - of_child(before);
            let visits = position.visits + 1;
            let best = of_black(minimax, mover);
            let minimax = match of_black(minimax_after, mover) {
                after if after >= best => minimax_after,
                // The best child has become worse: another one may be better now.
                _ if of_black(minimax_before, mover) >= best => self.best_minimax(parent, mover).unwrap_or(minimax),
                _ => minimax,
            };
            self.tree.set_position(parent, visits, (sum / f64::from(visits)) as f32, minimax);
        }
        self.tree.refresh(self.path[0].0);
    }

    /// Proves a node whose children prove it.
    fn prove(&self, index: NodeIndex, side: Color) {
        if self.tree.node(index).proven().is_none()
            && let Some((proven, moves)) = self.tree.proof_by_children(index, side)
        {
            self.tree.set_proven(index, proven, moves, side);
        }
    }

    /// Iterates over the children that `side` may still play, up to the first one without a visit.
    fn open_children(&self, index: NodeIndex, side: Color) -> impl Iterator<Item = (Statistics, f32)> {
        let mut is_last = false;
        let children = self.tree.valued_children(index);
        let open = children.filter(move |(_, node, _)| node.proven().is_none_or(|proven| proven.value_for(side) > 0));
        let read = open.map(|(_, node, (_, minimax))| (node.valued_statistics(), minimax));
        read.take_while(move |(statistics, _)| !std::mem::replace(&mut is_last, statistics.visits == 0))
    }

    /// Returns the best minimax value of the children for `side`, as Black's; `None` where all of them lose.
    fn best_minimax(&self, index: NodeIndex, side: Color) -> Option<f32> {
        let values = self.open_children(index, side).map(|(_, minimax)| minimax);
        match side {
            Color::Black => values.reduce(f32::max),
            Color::White => values.reduce(f32::min),
        }
    }

    /// Computes visits and values of a position from its own value and those of all children.
    fn update(&self, index: NodeIndex, value: f32, side: Color) {
        let (mut visits, mut sum) = (1, f64::from(value));
        for (statistics, _) in self.open_children(index, side) {
            visits += statistics.ended();
            sum += f64::from(statistics.ended()) * f64::from(statistics.mean);
        }
        let mean = (sum / f64::from(visits)) as f32;
        self.tree.set_position(index, visits, mean, self.best_minimax(index, side).unwrap_or(mean));
    }
}

/// Converts an expected score of `side` to that of Black, or back.
#[inline]
pub(super) fn of_black(score: f32, side: Color) -> f32 {
    match side {
        Color::Black => score,
        Color::White => 1.0 - score,
    }
}

/// Returns a number that orders equally good steps.
#[inline]
fn tie_break(step: Step, seed: u64) -> u32 {
    let hash = (seed << 32 | u64::from(step.0)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((hash ^ hash >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93) >> 32) as u32
}

/// Returns 2 to the power of `x`, from −126 to 126, with a relative error below 1e-6.
///
/// By arithmetic alone, which is the same on every machine, and without branches, for vectors.
#[inline]
fn exp2(x: f32) -> f32 {
    // Its sum with a small number has no bits left for the fraction.
    const INTEGERS: f32 = 12_582_912.0;
    let x = x.clamp(-126.0, 126.0);
    let shifted = x + INTEGERS;
    // Taylor series of 2^rest, where the rest is at most 1/2.
    let y = (x - (shifted - INTEGERS)) * std::f32::consts::LN_2;
    let series =
        1.0 + y * (1.0 + y * (0.5 + y * (1.0 / 6.0 + y * (1.0 / 24.0 + y * (1.0 / 120.0 + y * (1.0 / 720.0))))));
    let exponent = shifted.to_bits().wrapping_sub(INTEGERS.to_bits()).wrapping_add(127);
    series * f32::from_bits(exponent << 23)
}
