//! What the tree shows: the order of the steps from a node, and the lines of a report.

use std::cmp::Reverse;
use std::sync::atomic::Ordering::Relaxed;

use super::{PartialMove, Uct, mean_score};
use crate::board::Zobrist;
use crate::rules::{Color, Step};
use crate::search::control::SearchControl;
use crate::search::tree::NodeIndex;
use crate::search::{Proof, Report, RootLine, SearchStatistics};

/// How often a step must have been visited to be shown behind the first one of a line.
const MIN_PV_VISITS: u32 = 8;

/// What children of one node are compared by.
type Rank = (u32, u32, u32, u64, u64);

/// Whether what is proven in the tree holds for the whole move: where its first steps are not in the tree any more, others
/// may be better.
fn holds_for_whole_move(partial: &PartialMove<'_>, proof: Proof, side: Color) -> bool {
    partial.before_tree.is_empty() || proof.winner == Some(side)
}

/// An average of playouts that is no certainty: one more of them might come out otherwise.
fn bounded_score(mean_score: f64, visits: u32) -> f64 {
    let least = 0.5 / (f64::from(visits) + 1.0);
    match mean_score {
        0.0 => least,
        1.0 => 1.0 - least,
        _ => mean_score,
    }
}

impl Uct {
    /// How good a child is to play: proven wins first, shorter ones before longer ones, proven losses last, the
    /// selective_depth first among them, else the more visited one; between equals the better average.
    ///
    /// Children are compared by what this gives and never by what they are at the moment: other threads change
    /// them meanwhile.
    fn rank(&self, index: NodeIndex, side: Color) -> Rank {
        let child = self.tree.node(index);
        let (visits, half_points) = child.statistics();
        let (class, order) = match child.proven().map(|proven| proven.value_for(side)) {
            Some(2) => (3, u32::MAX - self.tree.moves_to_end_by(index, side)),
            // A draw in hand is worth a doubtful chance.
            None | Some(1) => (2, visits),
            _ => (0, self.tree.moves_to_end_by(index, side)),
        };
        // Averages lie between 0 and 1, where the bits of numbers are in the order of the numbers.
        let mean_score = mean_score((visits, half_points), side).to_bits();
        // Between equals in no order of the board, but always the same.
        let hashed = Zobrist::feature(child.step().0.into()).0;
        (class, order, visits, mean_score, hashed)
    }

    /// The child to play.
    pub(super) fn best_child(&self, node: NodeIndex, side: Color) -> Option<NodeIndex> {
        let children = self.tree.children(node);
        children.max_by_key(|&child| self.rank(child, side))
    }

    /// How far the search has come.
    pub(super) fn report(
        &self,
        partial: &PartialMove<'_>,
        control: &SearchControl<'_>,
        lines: usize,
    ) -> Report {
        let (root, side) = partial.root();
        let node = self.tree.node(root);
        let nodes = control.nodes.load(Relaxed);
        let proof = node.proven().map(|proven| Proof {
            winner: proven.0,
            moves: self.tree.moves_to_end(root),
        });
        Report {
            best_move: Vec::new(),
            lines: self.lines(partial, lines),
            statistics: SearchStatistics {
                nodes,
                tree_nodes: self.tree.used().into(),
                hashfull: self.tree.hashfull(),
                selective_depth: control.selective_depth.load(Relaxed),
                draws: control.draws.load(Relaxed) as f64 / nodes.max(1) as f64,
                time: control.elapsed(),
            },
            expected_score: match node.proven() {
                Some(proven) => proven.value_for(side) as f64 / 2.0,
                None => mean_score(node.statistics(), side),
            },
            proof: proof.filter(|proof| holds_for_whole_move(partial, *proof, side)),
        }
    }

    fn lines(&self, partial: &PartialMove<'_>, lines: usize) -> Vec<RootLine> {
        let (root, side) = partial.root();
        let chosen = partial.path.get(1).map(|&(child, _)| child);
        let seen = |child: &NodeIndex| {
            let node = self.tree.node(*child);
            node.visits() > 0 || node.proven().is_some() || Some(*child) == chosen
        };
        let mut children: Vec<NodeIndex> = self.tree.children(root).filter(seen).collect();
        children
            .sort_by_cached_key(|&child| Reverse((Some(child) == chosen, self.rank(child, side))));
        children.truncate(lines);
        let line = |&child: &NodeIndex| {
            let node = self.tree.node(child);
            let proof = node.proven().map(|proven| Proof {
                winner: proven.0,
                moves: self.tree.moves_to_end_by(child, side),
            });
            RootLine {
                variation: self.variation(partial, child),
                visits: node.visits(),
                expected_score: match node.proven() {
                    Some(proven) => proven.value_for(side) as f64 / 2.0,
                    None => bounded_score(mean_score(node.statistics(), side), node.visits()),
                },
                proof: proof.filter(|proof| holds_for_whole_move(partial, *proof, side)),
            }
        };
        children.iter().map(line).collect()
    }

    /// The steps from where the search began, through a child of the root, and on along the best children.
    fn variation(&self, partial: &PartialMove<'_>, child: NodeIndex) -> Vec<Step> {
        let mut steps = partial.before_tree.clone();
        let mut here = partial.board.fork_at(0);
        let mut path = partial.path.iter().map(|&(node, _)| node).skip(1);
        let mut next = Some(child);
        while let Some(child) = next {
            let node = self.tree.node(child);
            here.make(node.step());
            steps.push(node.step());
            // The settled steps are shown even before they have been visited much.
            let mut shown = |next: &NodeIndex| {
                let node = self.tree.node(*next);
                node.visits() >= MIN_PV_VISITS || node.proven().is_some()
            };
            let chosen = path
                .next()
                .filter(|&node| node == child)
                .and(path.clone().next());
            next = chosen.or_else(|| self.best_child(child, here.side()).filter(&mut shown));
        }
        steps
    }

    /// How many steps the principal variation has.
    pub(super) fn depth(&self, partial: &PartialMove<'_>) -> usize {
        let (root, side) = partial.root();
        let chosen = partial.path.get(1).map(|&(child, _)| child);
        let best = chosen.or_else(|| self.best_child(root, side));
        best.map_or(0, |child| self.variation(partial, child).len())
    }
}
