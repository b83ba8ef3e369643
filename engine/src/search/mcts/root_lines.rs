//! Reports of the tree: the ranking of children, variations and root lines.

use std::cmp::Reverse;
use std::sync::atomic::Ordering::Relaxed;

use super::puct::{MINIMAX_SHARE, of_black};
use super::{Mcts, PartialMove, mean_score};
use crate::board::Zobrist;
use crate::rules::{Board, Color, EVALUATION_SCALE, Step};
use crate::search::control::SearchControl;
use crate::search::tree::NodeIndex;
use crate::search::{Proof, Report, RootLine, SearchStatistics};

/// Playouts that a step needs to appear in a variation behind its first step.
const MIN_PV_PLAYOUTS: u32 = 8;

/// Sort key of children: class of the result, visits or moves, visits, value, hash.
type Rank = (u32, u32, u32, u64, u64);

/// Returns whether a proof in the tree holds for the whole move.
///
/// If the tree begins after the first steps of the move, other first steps may avoid a loss or a draw.
fn holds_for_whole_move(partial: &PartialMove<'_>, proof: Proof, side: Color) -> bool {
    partial.before_tree.is_empty() || proof.winner == Some(side)
}

/// Returns a mean score kept away from 0 and 1 by half a playout: only a proof is certain.
fn bounded_score(mean_score: f64, visits: u32) -> f64 {
    let least = 0.5 / (f64::from(visits) + 1.0);
    match mean_score {
        0.0 => least,
        1.0 => 1.0 - least,
        _ => mean_score,
    }
}

/// Returns the power of the odds of a value that are the odds of the expected score.
fn score_power(board: &dyn Board) -> f64 {
    board.variant().info().puct.score_scale / EVALUATION_SCALE
}

/// Returns the share whose odds are a power of the odds of `share`.
fn raise_odds(share: f64, power: f64) -> f64 {
    let [own, enemy] = [share, 1.0 - share].map(|share| libm::pow(share, power));
    own / (own + enemy)
}

impl Mcts {
    /// Ranks a child: proven wins first, the shortest of them first; proven losses last, the longest of them first. In
    /// between more visits rank higher, then the better value; from `confident` visits on, the better value alone.
    ///
    /// Compare returned ranks, never nodes: other threads change nodes meanwhile.
    fn rank(&self, index: NodeIndex, side: Color, confident: u32) -> Rank {
        let child = self.tree.node(index);
        let visits = self.tree.visits(index);
        let (class, order) = match child.proven().map(|proven| proven.value_for(side)) {
            Some(2) => (3, u32::MAX - self.tree.moves_to_end_by(index, side)),
            // A proven draw competes with children that are not proven.
            None | Some(1) if visits >= confident => (2, u32::MAX),
            None | Some(1) => (2, visits),
            _ => (0, self.tree.moves_to_end_by(index, side)),
        };
        // Values lie between 0 and 1, where the bits of a float are in the order of its value.
        let value = self.value(index, side).to_bits();
        let visits = if visits >= confident { u32::MAX } else { visits };
        // Break ties independently of cell order, but always the same way.
        let hashed = Zobrist::state_key(child.step().0.into()).0;
        (class, order, visits, value, hashed)
    }

    /// Returns the value of a node for `side`, without regard to proofs.
    fn value(&self, index: NodeIndex, side: Color) -> f64 {
        let node = self.tree.node(index);
        if !self.evaluates_leaves() {
            return mean_score(node.statistics(), side);
        }
        let (_, minimax) = self.tree.prior_and_minimax(index);
        let value = (1.0 - MINIMAX_SHARE) * node.valued_statistics().mean + MINIMAX_SHARE * minimax;
        of_black(value, side).into()
    }

    /// Returns the expected score of a node for `side`, without regard to proofs.
    fn score(&self, index: NodeIndex, side: Color) -> f64 {
        let value = self.value(index, side);
        match &self.board {
            Some(board) if self.evaluates_leaves() => raise_odds(value, score_power(&**board)),
            _ => value,
        }
    }

    /// Returns Black's value of a draw in a search for the side to move, to which it is worth `contempt` points less.
    pub(super) fn draw_value(&self, board: &dyn Board, contempt: f64) -> f32 {
        if !self.evaluates_leaves() {
            return 0.5;
        }
        of_black(raise_odds(0.5 - contempt, 1.0 / score_power(board)) as f32, board.side())
    }

    /// Returns those among the best `lines` children that are not proven, where there are several lines.
    pub(super) fn open_lines(&self, node: NodeIndex, side: Color, lines: usize) -> Vec<NodeIndex> {
        if lines < 2 {
            return Vec::new();
        }
        let mut children: Vec<NodeIndex> = self.tree.children(node).collect();
        children.sort_by_cached_key(|&child| Reverse(self.rank(child, side, u32::MAX)));
        children.truncate(lines);
        children.retain(|&child| self.tree.node(child).proven().is_none());
        children
    }

    /// Returns the best child in a search for `lines` lines.
    ///
    /// Lines take turns, so that their visits say less than their scores where these are based on many.
    pub(super) fn best_child(&self, node: NodeIndex, side: Color, lines: usize) -> Option<NodeIndex> {
        let children = self.tree.children(node);
        let confident = self.confident_visits(node, lines);
        children.max_by_key(|&child| self.rank(child, side, confident))
    }

    /// Returns the best child and the one that follows it in visits.
    fn two_best(&self, node: NodeIndex, side: Color) -> Option<(NodeIndex, NodeIndex)> {
        let best = self.best_child(node, side, 1)?;
        let others = self.tree.children(node).filter(|&child| child != best);
        let open =
            others.filter(|&child| self.tree.node(child).proven().is_none_or(|proven| proven.value_for(side) > 0));
        open.max_by_key(|&child| self.tree.visits(child)).map(|second| (best, second))
    }

    /// Returns whether no other child can have more visits than the best one after `visits` more.
    pub(super) fn is_settled(&self, node: NodeIndex, side: Color, visits: f64) -> bool {
        self.two_best(node, side).is_none_or(|(best, second)| {
            f64::from(self.tree.visits(best)) > f64::from(self.tree.visits(second)) + visits
        })
    }

    /// Returns whether another child has a better value than the one with the most visits, and nearly as many visits.
    pub(super) fn is_contested(&self, node: NodeIndex, side: Color) -> bool {
        self.two_best(node, side).is_some_and(|(best, second)| {
            self.tree.visits(second) >= self.tree.visits(best) / 2 && self.value(second, side) > self.value(best, side)
        })
    }

    /// Returns visits and expected score of the root, or of one before it that was searched more; `None` if none was
    /// searched.
    pub(super) fn known(&self, partial: &PartialMove<'_>) -> Option<(u32, f64)> {
        let (root, _) = partial.root();
        let visits = self.visits_below(root);
        let own = (visits > 0).then(|| (visits, self.score(root, partial.side)));
        partial.before.filter(|(before, _)| *before >= visits).or(own)
    }

    fn confident_visits(&self, node: NodeIndex, lines: usize) -> u32 {
        let visits = self.tree.children(node).map(|child| self.tree.visits(child));
        let is_by_score = lines > 1 && self.evaluates_leaves();
        visits.max().filter(|_| is_by_score).map_or(u32::MAX, |most| most.div_ceil(2).max(1))
    }

    /// Reports the state of the search, with up to `lines` root lines.
    pub(super) fn report(&self, partial: &PartialMove<'_>, control: &SearchControl<'_>, lines: usize) -> Report {
        let ((root, _), side) = (partial.root(), partial.side);
        let node = self.tree.node(root);
        let nodes = control.nodes.load(Relaxed);
        let proof = node.proven().map(|proven| Proof { winner: proven.0, moves: self.tree.moves_to_end(root) });
        Report {
            best_move: Vec::new(),
            lines: self.lines(partial, lines),
            statistics: SearchStatistics {
                nodes,
                tree_nodes: self.tree.used().into(),
                hashfull: self.tree.hashfull(),
                selective_depth: control.selective_depth.load(Relaxed),
                draws: (!self.evaluates_leaves()).then(|| control.draws.load(Relaxed) as f64 / nodes.max(1) as f64),
                time: control.elapsed(),
            },
            expected_score: match node.proven() {
                Some(proven) => proven.value_for(side) as f64 / 2.0,
                None => self.known(partial).map_or(0.5, |(_, score)| score),
            },
            proof: proof.filter(|proof| holds_for_whole_move(partial, *proof, side)),
        }
    }

    fn lines(&self, partial: &PartialMove<'_>, lines: usize) -> Vec<RootLine> {
        let (root, side) = partial.root();
        if side != partial.side {
            // The tree begins behind the move.
            return Vec::new();
        }
        let chosen = partial.path.get(1).map(|&(child, _)| child);
        let seen = |child: &NodeIndex| {
            let node = self.tree.node(*child);
            self.tree.visits(*child) > 0 || node.proven().is_some() || Some(*child) == chosen
        };
        let mut children: Vec<NodeIndex> = self.tree.children(root).filter(seen).collect();
        let confident = self.confident_visits(root, lines);
        children.sort_by_cached_key(|&child| Reverse((Some(child) == chosen, self.rank(child, side, confident))));
        children.truncate(lines);
        let line = |&child: &NodeIndex| {
            let node = self.tree.node(child);
            let proof =
                node.proven().map(|proven| Proof { winner: proven.0, moves: self.tree.moves_to_end_by(child, side) });
            RootLine {
                variation: self.variation(partial, child),
                visits: self.tree.visits(child),
                expected_score: match node.proven() {
                    Some(proven) => proven.value_for(side) as f64 / 2.0,
                    None => bounded_score(self.score(child, side), self.tree.visits(child)),
                },
                proof: proof.filter(|proof| holds_for_whole_move(partial, *proof, side)),
            }
        };
        let mut lines: Vec<RootLine> = children.iter().map(line).collect();
        if let Some((first, others)) = lines.split_first_mut() {
            if let (Some(before), None) = (partial.before, first.proof)
                && self.known(partial) == Some(before)
            {
                first.expected_score = before.1;
            }
            others.sort_by(|a, b| b.expected_score.total_cmp(&a.expected_score));
        }
        lines
    }

    /// Returns the steps from the searched position through a child of the root and on along the best children.
    fn variation(&self, partial: &PartialMove<'_>, child: NodeIndex) -> Vec<Step> {
        let mut steps = partial.before_tree.clone();
        let mut board = partial.board.fork_at(0);
        let mut path = partial.path.iter().map(|&(node, _)| node).skip(1);
        let mut next = Some(child);
        let min_visits = if self.evaluates_leaves() { 1 } else { MIN_PV_PLAYOUTS };
        while let Some(child) = next {
            let node = self.tree.node(child);
            board.make(node.step());
            steps.push(node.step());
            // Chosen steps are shown even with few visits.
            let mut shown = |next: &NodeIndex| {
                let node = self.tree.node(*next);
                self.tree.visits(*next) >= min_visits || node.proven().is_some()
            };
            let chosen = path.next().filter(|&node| node == child).and(path.clone().next());
            next = chosen.or_else(|| self.best_child(child, board.side(), 1).filter(&mut shown));
        }
        steps
    }

    /// Returns the length of the principal variation, in steps.
    pub(super) fn depth(&self, partial: &PartialMove<'_>) -> usize {
        let (root, side) = partial.root();
        let chosen = partial.path.get(1).map(|&(child, _)| child);
        let best = chosen.or_else(|| self.best_child(root, side, 1));
        best.map_or(0, |child| self.variation(partial, child).len())
    }
}
