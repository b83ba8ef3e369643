//! The search tree of UCT: nodes in one block of memory of fixed size.
//!
//! All fields are atomic, so that several threads can search one tree. Each field is valid by itself. The only order
//! that matters, children written before they are seen, goes through `first_child`.

use std::mem::size_of;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use bytemuck::Zeroable;
use crossbeam_utils::CachePadded;

use super::memory::zeroed_slice;
use crate::rules::{Color, Step};

/// Upper bound for the memory of one node, in bytes: the node and its share of the list in [`Tree::reroot`].
///
/// The list has 16 bytes for each node with children, and such a node has, but for forced steps, at least two children
/// and their header.
pub const NODE_BYTES: usize = size_of::<Node>() + 6;

/// Upper bound for the visits of a node: its half-points must fit in 32 bits.
pub const MAX_VISITS: u32 = u32::MAX / 4;

/// Bits of a node's `step`: the step, and above it the proven result, 0 while there is none.
const STEP_MASK: u32 = (1 << PROVEN_SHIFT) - 1;
const PROVEN_SHIFT: u32 = 30;

/// Value of `first_child` while a thread expands the node.
const EXPANDING: NodeIndex = NodeIndex::MAX;

/// Position of the visits in a node's `statistics`.
const VISITS_SHIFT: u32 = 32;

/// Bits of a proof: number of moves, whether White is to move, and whether a proof is there.
const MAX_MOVES: u32 = (1 << 16) - 1;
const WHITE_TO_MOVE: u32 = 1 << 16;
const HAS_PROOF: u32 = 1 << 17;

/// A position reached by a step from its parent. Sixteen bytes: selection reads all children of a node and waits for
/// their memory.
///
/// A header precedes the children of a node. It has the same type: `step` is the number of children, and `statistics`
/// the proof of their parent.
#[derive(Zeroable)]
pub struct Node {
    step: AtomicU32,
    /// Index of the first child; 0 for a leaf.
    first_child: AtomicU32,
    /// Visits in the upper half, Black's half-points over all of them in the lower: one atomic addition updates both.
    statistics: AtomicU64,
}

/// The index of a node.
pub type NodeIndex = u32;

/// The index of the root of a new tree, and after [`Tree::reroot`].
pub const ROOT: NodeIndex = 0;

/// A proven result under best play: the winner, or `None` for a draw.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Proven(pub Option<Color>);

impl Proven {
    /// Returns Black's half-points: 2, 1 or 0.
    #[inline]
    pub fn value(self) -> u32 {
        match self.0 {
            Some(Color::Black) => 2,
            None => 1,
            Some(Color::White) => 0,
        }
    }

    /// Returns the half-points of `side`: 2, 1 or 0.
    #[inline]
    pub fn value_for(self, side: Color) -> u32 {
        match side {
            Color::Black => self.value(),
            Color::White => 2 - self.value(),
        }
    }
}

impl Node {
    /// Returns the step that leads to this node.
    #[inline]
    pub fn step(&self) -> Step {
        Step(self.step.load(Ordering::Relaxed) & STEP_MASK)
    }

    /// Returns the visits and the sum of Black's half-points over them, both with virtual losses.
    #[inline]
    pub fn statistics(&self) -> (u32, u32) {
        let statistics = self.statistics.load(Ordering::Relaxed);
        ((statistics >> VISITS_SHIFT) as u32, statistics as u32)
    }

    /// Returns the visits, with those under way.
    #[inline]
    pub fn visits(&self) -> u32 {
        self.statistics().0
    }

    /// Adds visits and the sum of Black's half-points over them.
    #[inline]
    pub fn add_visits(&self, visits: u32, half_points: u32) {
        let visits = u64::from(visits) << VISITS_SHIFT;
        self.statistics.fetch_add(visits + u64::from(half_points), Ordering::Relaxed);
    }

    /// Adds visits with virtual losses for `mover`, who chose them, so that other threads prefer other nodes. Returns
    /// the number of visits before.
    #[inline]
    pub fn add_virtual_loss(&self, mover: Color, visits: u32) -> u32 {
        let lost = (u64::from(visits) << VISITS_SHIFT) + u64::from(visits * virtual_loss(mover));
        let before = self.statistics.fetch_add(lost, Ordering::Relaxed);
        (before >> VISITS_SHIFT) as u32
    }

    /// Replaces the virtual losses of `visits` visits by their results, in Black's half-points.
    #[inline]
    pub fn replace_virtual_loss(&self, mover: Color, visits: u32, half_points: u32) {
        let assumed = u64::from(visits * virtual_loss(mover));
        let difference = u64::from(half_points).wrapping_sub(assumed);
        if difference != 0 {
            // Wrapping: the sum with the virtual loss is the result.
            self.statistics.fetch_add(difference, Ordering::Relaxed);
        }
    }

    /// Returns the result, where it is proven.
    #[inline]
    pub fn proven(&self) -> Option<Proven> {
        let code = self.step.load(Ordering::Acquire) >> PROVEN_SHIFT;
        if code == 0 {
            return None;
        }
        match code {
            1 => Some(Proven(Some(Color::Black))),
            2 => Some(Proven(Some(Color::White))),
            _ => Some(Proven(None)),
        }
    }

    /// Becomes an unvisited leaf, reached by `step`.
    fn reset(&self, step: u32) {
        self.step.store(step & STEP_MASK, Ordering::Relaxed);
        self.first_child.store(0, Ordering::Relaxed);
        self.statistics.store(0, Ordering::Relaxed);
    }

    fn copy_from(&self, other: &Self) {
        let step = other.step.load(Ordering::Relaxed);
        self.step.store(step, Ordering::Relaxed);
        let first_child = other.first_child.load(Ordering::Relaxed);
        self.first_child.store(first_child, Ordering::Relaxed);
        let statistics = other.statistics.load(Ordering::Relaxed);
        self.statistics.store(statistics, Ordering::Relaxed);
    }
}

/// Returns Black's half-points for a visit that `mover` loses.
#[inline]
fn virtual_loss(mover: Color) -> u32 {
    match mover {
        Color::Black => 0,
        Color::White => 2,
    }
}

/// A tree of nodes. Siblings are adjacent and come after their parent.
pub struct Tree {
    /// All nodes that fit. The system maps the memory when it is first touched.
    nodes: Box<[Node]>,
    /// Nodes in use. Padded: threads write it, and must not evict what they only read.
    used: CachePadded<AtomicU32>,
    /// Set when an expansion found no room.
    full: AtomicBool,
}

impl Tree {
    /// Allocates a tree of one root, for at most `memory` bytes.
    pub fn new(memory: usize) -> Self {
        let capacity = (memory / NODE_BYTES).clamp(1, u32::MAX as usize);
        let mut tree =
            Self { nodes: zeroed_slice(capacity, 1), used: CachePadded::default(), full: AtomicBool::new(false) };
        tree.clear();
        tree
    }

    /// Returns the size of the tree when it is full, in bytes: what was asked for, unless memory was short.
    pub fn bytes(&self) -> usize {
        self.nodes.len() * NODE_BYTES
    }

    /// Drops all nodes but an unvisited root. Keeps the memory.
    pub fn clear(&mut self) {
        *self.used.get_mut() = 1;
        *self.full.get_mut() = false;
        self.node(ROOT).reset(0);
    }

    /// Returns the number of nodes in use, with those that can't be reached any more.
    pub fn used(&self) -> u32 {
        self.used.load(Ordering::Relaxed)
    }

    /// Returns the share of nodes in use, in thousandths.
    pub fn hashfull(&self) -> u32 {
        (u64::from(self.used()) * 1000 / self.nodes.len() as u64) as u32
    }

    /// Returns whether an expansion has failed for want of room.
    pub fn is_full(&self) -> bool {
        self.full.load(Ordering::Relaxed)
    }

    /// Returns whether more than half of the nodes are in use.
    pub fn is_half_full(&self) -> bool {
        self.used() as usize > self.nodes.len() / 2
    }

    /// Returns a node.
    #[inline]
    pub fn node(&self, index: NodeIndex) -> &Node {
        &self.nodes[index as usize]
    }

    /// Returns the index of the first child and the header before it, once the node is expanded.
    #[inline]
    fn header(&self, parent: NodeIndex) -> Option<(NodeIndex, &Node)> {
        match self.node(parent).first_child.load(Ordering::Acquire) {
            0 | EXPANDING => None,
            first => Some((first, self.node(first - 1))),
        }
    }

    /// Returns the indices of the children; empty before the node is expanded.
    #[inline]
    pub fn children(&self, parent: NodeIndex) -> std::ops::Range<NodeIndex> {
        match self.header(parent) {
            Some((first, header)) => first..first + header.step.load(Ordering::Relaxed),
            None => 0..0,
        }
    }

    /// Stores a proven result that comes within `moves` moves, where `side` is to move. A node without children is the
    /// end of the game.
    pub fn set_proven(&self, index: NodeIndex, result: Proven, moves: u32, side: Color) {
        if let Some((_, header)) = self.header(index) {
            let white = if side == Color::White { WHITE_TO_MOVE } else { 0 };
            let proof = HAS_PROOF | white | moves.min(MAX_MOVES);
            let proof = u64::from(proof);
            // If another thread has stored a proof of the same result, keep it: a mix of two would be wrong.
            let (set, fetch) = (Ordering::Release, Ordering::Relaxed);
            let _ = header.statistics.compare_exchange(0, proof, set, fetch);
        }
        let code = match result.0 {
            Some(Color::Black) => 1,
            Some(Color::White) => 2,
            None => 3,
        };
        self.node(index).step.fetch_or(code << PROVEN_SHIFT, Ordering::Release);
    }

    fn proof(&self, index: NodeIndex) -> u32 {
        self.header(index).map_or(0, |(_, header)| header.statistics.load(Ordering::Acquire) as u32)
    }

    /// Returns an upper bound for the moves until the proven result, the one under way included; 0 at the end of the
    /// game.
    pub fn moves_to_end(&self, index: NodeIndex) -> u32 {
        self.proof(index) & MAX_MOVES
    }

    /// Returns [`Tree::moves_to_end`] before the step to this node, which `mover` takes. The move of that step counts.
    pub fn moves_to_end_by(&self, index: NodeIndex, mover: Color) -> u32 {
        let proof = self.proof(index);
        let white = proof & WHITE_TO_MOVE != 0;
        match proof & MAX_MOVES {
            0 => 1,
            moves if white == (mover == Color::White) => moves,
            moves => moves + 1,
        }
    }

    /// Returns adjacent nodes.
    #[inline]
    pub fn siblings(&self, indices: std::ops::Range<NodeIndex>) -> &[Node] {
        &self.nodes[indices.start as usize..indices.end as usize]
    }

    /// Expands a node with `count` children; `fill` passes the step of each.
    ///
    /// Does nothing if there is no room left, or if another thread expands or has expanded the node.
    pub fn expand(&self, parent: NodeIndex, count: u32, fill: impl FnOnce(&mut dyn FnMut(u32))) {
        let parent = self.node(parent);
        let (set, fetch) = (Ordering::Acquire, Ordering::Relaxed);
        let claimed = parent.first_child.compare_exchange(0, EXPANDING, set, fetch);
        if claimed.is_err() || count == 0 {
            if claimed.is_ok() {
                parent.first_child.store(0, Ordering::Release);
            }
            return;
        }
        let room = self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |used| {
            used.checked_add(count)?.checked_add(1).filter(|&used| used as usize <= self.nodes.len())
        });
        let Ok(header) = room else {
            self.full.store(true, Ordering::Relaxed);
            parent.first_child.store(0, Ordering::Release);
            return;
        };
        self.node(header).reset(count);
        let mut next = header;
        fill(&mut |step| {
            next += 1;
            self.node(next).reset(step);
        });
        parent.first_child.store(header + 1, Ordering::Release);
    }

    /// Expands a node with the legal steps of its position.
    pub fn expand_steps(&self, parent: NodeIndex, steps: &[Step]) {
        self.expand(parent, steps.len() as u32, |add| {
            steps.iter().for_each(|step| add(step.0));
        });
    }

    /// Makes a node the root, in place: drops everything above and beside it, and compacts the rest.
    ///
    /// Returns false and changes nothing if more than `max_nodes` nodes would have to move, or if there is no memory
    /// for the list of them.
    pub fn reroot(&mut self, root: NodeIndex, max_nodes: usize) -> bool {
        struct Block {
            first: NodeIndex,
            count: u32,
            parent: NodeIndex,
            moved_to: NodeIndex,
        }
        let block = |tree: &Self, parent| {
            let children = tree.children(parent);
            let count = children.end - children.start;
            (count > 0).then_some(Block { first: children.start, count, parent, moved_to: 0 })
        };
        // Reserve the upper bound, which only forced steps can exceed: a list that grows by doubling would exceed
        // [`NODE_BYTES`]. Pages that stay unused are never mapped.
        let mut blocks: Vec<Block> = Vec::new();
        if blocks.try_reserve_exact(self.used() as usize / 2 + 1).is_err() {
            return false;
        }
        blocks.extend(block(self, root));
        let mut next = 0;
        let mut kept = 1;
        while next < blocks.len() {
            let Block { first, count, .. } = blocks[next];
            kept += count as usize + 1;
            if kept > max_nodes {
                return false;
            }
            blocks.extend((first..first + count).filter_map(|child| block(self, child)));
            next += 1;
        }
        blocks.sort_unstable_by_key(|block| block.first);
        // In this order each block moves down or stays, so it overwrites nothing that is still needed. A parent
        // precedes its children, so it has moved before them.
        self.copy(root, ROOT);
        let mut end = ROOT + 1;
        for i in 0..blocks.len() {
            let Block { first, count, parent, .. } = blocks[i];
            let holder = blocks[..i].partition_point(|block| block.first <= parent);
            let parent = match holder.checked_sub(1) {
                Some(holder) if parent != root => {
                    let holder = &blocks[holder];
                    holder.moved_to + (parent - holder.first)
                }
                _ => ROOT,
            };
            // The header moves with its children.
            self.copy(first - 1, end);
            end += 1;
            self.node(parent).first_child.store(end, Ordering::Relaxed);
            for offset in 0..count {
                self.copy(first + offset, end + offset);
            }
            blocks[i].moved_to = end;
            end += count;
        }
        *self.used.get_mut() = end;
        *self.full.get_mut() = false;
        true
    }

    fn copy(&self, from: NodeIndex, to: NodeIndex) {
        if from != to {
            self.node(to).copy_from(self.node(from));
        }
    }
}
