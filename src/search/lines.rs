//! What the tree shows: the order of the steps from a node, and the lines of a report.

use std::cmp::Reverse;
use std::sync::atomic::Ordering::Relaxed;

use super::control::SearchControl;
use super::tree::NodeIndex;
use super::uct::{Place, Uct, average};
use super::{Proof, Report, RootLine, SearchStatistics};
use crate::board::Zobrist;
use crate::rules::{Color, Step};

/// How often a step must have been visited to be shown behind the first one of a line.
const SHOWN_VISITS: u32 = 8;

/// What children of one node are compared by.
type Rank = (u32, u32, u32, u64, u64);

/// Whether what is proven in the tree holds for the whole move: where its first steps are not in the tree any more, others
/// may be better.
fn holds(place: &Place<'_>, proof: Proof, side: Color) -> bool {
    place.before.is_empty() || proof.winner == Some(side)
}

/// An average of playouts that is no certainty: one more of them might come out otherwise.
fn cautious(average: f64, visits: u32) -> f64 {
    let least = 0.5 / (f64::from(visits) + 1.0);
    match average {
        0.0 => least,
        1.0 => 1.0 - least,
        _ => average,
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
            Some(2) => (3, u32::MAX - self.tree.moves_through(index, side)),
            // A draw in hand is worth a doubtful chance.
            None | Some(1) => (2, visits),
            _ => (0, self.tree.moves_through(index, side)),
        };
        // Averages lie between 0 and 1, where the bits of numbers are in the order of the numbers.
        let average = average((visits, half_points), side).to_bits();
        // Between equals in no order of the board, but always the same.
        let scattered = Zobrist::state_key(child.step().0.into()).0;
        (class, order, visits, average, scattered)
    }

    /// The child to play.
    pub(super) fn best_child(&self, node: NodeIndex, side: Color) -> Option<NodeIndex> {
        let children = self.tree.children(node);
        children.max_by_key(|&child| self.rank(child, side))
    }

    /// How far the search has come.
    pub(super) fn report(
        &self,
        place: &Place<'_>,
        run: &SearchControl<'_>,
        lines: usize,
    ) -> Report {
        let (root, side) = place.root();
        let node = self.tree.node(root);
        let nodes = run.nodes.load(Relaxed);
        let proof = node.proven().map(|proven| Proof {
            winner: proven.0,
            moves: self.tree.moves_to_end(root),
        });
        Report {
            steps: Vec::new(),
            lines: self.lines(place, lines),
            effort: SearchStatistics {
                nodes,
                tree_nodes: self.tree.used().into(),
                hashfull: self.tree.hashfull(),
                selective_depth: run.selective_depth.load(Relaxed),
                draws: run.draws.load(Relaxed) as f64 / nodes.max(1) as f64,
                time: run.elapsed(),
            },
            expected_score: match node.proven() {
                Some(proven) => proven.value_for(side) as f64 / 2.0,
                None => average(node.statistics(), side),
            },
            proof: proof.filter(|proof| holds(place, *proof, side)),
        }
    }

    fn lines(&self, place: &Place<'_>, lines: usize) -> Vec<RootLine> {
        let (root, side) = place.root();
        let settled = place.path.get(1).map(|&(child, _)| child);
        let seen = |child: &NodeIndex| {
            let node = self.tree.node(*child);
            node.visits() > 0 || node.proven().is_some() || Some(*child) == settled
        };
        let mut children: Vec<NodeIndex> = self.tree.children(root).filter(seen).collect();
        children
            .sort_by_cached_key(|&child| Reverse((Some(child) == settled, self.rank(child, side))));
        children.truncate(lines);
        let line = |&child: &NodeIndex| {
            let node = self.tree.node(child);
            let proof = node.proven().map(|proven| Proof {
                winner: proven.0,
                moves: self.tree.moves_through(child, side),
            });
            RootLine {
                steps: self.variation(place, child),
                visits: node.visits(),
                expected_score: match node.proven() {
                    Some(proven) => proven.value_for(side) as f64 / 2.0,
                    None => cautious(average(node.statistics(), side), node.visits()),
                },
                proof: proof.filter(|proof| holds(place, *proof, side)),
            }
        };
        children.iter().map(line).collect()
    }

    /// The steps from where the search began, through a child of the root, and on along the best children.
    fn variation(&self, place: &Place<'_>, child: NodeIndex) -> Vec<Step> {
        let mut steps = place.before.clone();
        let mut here = place.here.fork_at(0);
        let mut path = place.path.iter().map(|&(node, _)| node).skip(1);
        let mut next = Some(child);
        while let Some(child) = next {
            let node = self.tree.node(child);
            here.make(node.step());
            steps.push(node.step());
            // The settled steps are shown even before they have been visited much.
            let mut shown = |next: &NodeIndex| {
                let node = self.tree.node(*next);
                node.visits() >= SHOWN_VISITS || node.proven().is_some()
            };
            let settled = path
                .next()
                .filter(|&node| node == child)
                .and(path.clone().next());
            next = settled.or_else(|| self.best_child(child, here.side()).filter(&mut shown));
        }
        steps
    }

    /// How many steps the principal variation has.
    pub(super) fn depth(&self, place: &Place<'_>) -> usize {
        let (root, side) = place.root();
        let settled = place.path.get(1).map(|&(child, _)| child);
        let best = settled.or_else(|| self.best_child(root, side));
        best.map_or(0, |child| self.variation(place, child).len())
    }
}
