//! The memory of a tree search: nodes one behind the other, up to a fixed bound.
//!
//! All fields are atomic, so that several threads can search one tree. Each of them is right by itself, and
//! the only order that matters (children are written before they are seen) goes through `first_child`.

use std::mem::size_of;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use bytemuck::Zeroable;
use crossbeam_utils::CachePadded;

use super::memory::zeroed_slice;
use crate::rules::{Color, Step};

/// What one node costs at most: itself, and its share of the list that moving the root makes (16 bytes for each
/// node with children, which together with their header are at least three but for forced steps).
pub const NODE_BYTES: usize = size_of::<Node>() + 6;

/// The most visits that a node may have: their half-points stay a small number.
pub const MAX_VISITS: u32 = u32::MAX / 4;

/// Bits of a node's `step`: the step, and above it the proven result, 0 while there is none.
const STEP_MASK: u32 = (1 << PROVEN_SHIFT) - 1;
const PROVEN_SHIFT: u32 = 30;

/// In the place of the first child: a thread is about to add them.
const EXPANDING: NodeIndex = NodeIndex::MAX;

/// Where the visits begin in a node's `statistics`.
const VISITS_SHIFT: u32 = 32;

/// Bits of a proof: how many moves it takes, whether White is to move, and whether these two are there.
const MAX_MOVES: u32 = (1 << 16) - 1;
const WHITE_TO_MOVE: u32 = 1 << 16;
const HAS_PROOF: u32 = 1 << 17;

/// A position reached by a step from its parent. Sixteen bytes: a search looks at all children of a node, and waits
/// for their memory.
///
/// The children of a node stand behind a header, which uses the same fields otherwise: `step` is their number, and
/// `statistics` what there is to say of their parent's proof.
#[derive(Zeroable)]
pub struct Node {
    step: AtomicU32,
    /// 0 while there are no children.
    first_child: AtomicU32,
    /// The visits, and below them Black's half-points over all of them: one number, which one instruction changes.
    statistics: AtomicU64,
}

/// The index of a node.
pub type NodeIndex = u32;

/// The index of the first root; [`Tree::reroot`] puts later ones there, too.
pub const ROOT: NodeIndex = 0;

/// A result with best play.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Proven(pub Option<Color>);

impl Proven {
    /// Black's half-points.
    #[inline]
    pub fn value(self) -> u32 {
        match self.0 {
            Some(Color::Black) => 2,
            None => 1,
            Some(Color::White) => 0,
        }
    }

    /// The half-points of a side.
    #[inline]
    pub fn value_for(self, side: Color) -> u32 {
        match side {
            Color::Black => self.value(),
            Color::White => 2 - self.value(),
        }
    }
}

impl Node {
    /// The step that leads to it.
    #[inline]
    pub fn step(&self) -> Step {
        Step(self.step.load(Ordering::Relaxed) & STEP_MASK)
    }

    /// The visits, and Black's half-points over all of them.
    #[inline]
    pub fn statistics(&self) -> (u32, u32) {
        let statistics = self.statistics.load(Ordering::Relaxed);
        ((statistics >> VISITS_SHIFT) as u32, statistics as u32)
    }

    /// How many playouts went through it.
    #[inline]
    pub fn visits(&self) -> u32 {
        self.statistics().0
    }

    /// Counts visits with their results.
    #[inline]
    pub fn add_visits(&self, visits: u32, half_points: u32) {
        let visits = u64::from(visits) << VISITS_SHIFT;
        self.statistics
            .fetch_add(visits + u64::from(half_points), Ordering::Relaxed);
    }

    /// Counts visits that are about to be made as lost for `mover`, who chose them, so that other threads go
    /// elsewhere meanwhile. Gives the number of visits before.
    #[inline]
    pub fn add_virtual_loss(&self, mover: Color, visits: u32) -> u32 {
        let lost = (u64::from(visits) << VISITS_SHIFT) + u64::from(visits * virtual_loss(mover));
        let before = self.statistics.fetch_add(lost, Ordering::Relaxed);
        (before >> VISITS_SHIFT) as u32
    }

    /// Puts the results of these visits, in Black's half-points, in the place of what `enter` assumed.
    #[inline]
    pub fn replace_virtual_loss(&self, mover: Color, visits: u32, half_points: u32) {
        let assumed = u64::from(visits * virtual_loss(mover));
        let difference = u64::from(half_points).wrapping_sub(assumed);
        if difference != 0 {
            // Wrapping: together with `enter` it adds the result.
            self.statistics.fetch_add(difference, Ordering::Relaxed);
        }
    }

    /// The result, where it is proven.
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

    /// Becomes a node of a step without visits or children.
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

/// Black's half-points where `mover` is assumed to lose.
#[inline]
fn virtual_loss(mover: Color) -> u32 {
    match mover {
        Color::Black => 0,
        Color::White => 2,
    }
}

/// A tree of nodes. Children stand next to each other, and behind their parents.
pub struct Tree {
    /// All that there is room for. The system gives the memory when it is first used.
    nodes: Box<[Node]>,
    /// Apart from what all threads read.
    used: CachePadded<AtomicU32>,
    /// Whether children were turned away.
    full: AtomicBool,
}

impl Tree {
    /// A tree of only a root, for at most so many bytes.
    pub fn new(memory: usize) -> Self {
        let capacity = (memory / NODE_BYTES).clamp(1, u32::MAX as usize);
        let mut tree = Self {
            nodes: zeroed_slice(capacity, 1),
            used: CachePadded::default(),
            full: AtomicBool::new(false),
        };
        tree.clear();
        tree
    }

    /// How many bytes it may take, as many as were asked for where there is so much memory.
    pub fn bytes(&self) -> usize {
        self.nodes.len() * NODE_BYTES
    }

    /// Forgets everything but the memory already taken.
    pub fn clear(&mut self) {
        *self.used.get_mut() = 1;
        *self.full.get_mut() = false;
        self.node(ROOT).reset(0);
    }

    /// The number of nodes, those that nothing leads to any more included.
    pub fn used(&self) -> u32 {
        self.used.load(Ordering::Relaxed)
    }

    /// How much of the room is used, in thousandths.
    pub fn hashfull(&self) -> u32 {
        (u64::from(self.used()) * 1000 / self.nodes.len() as u64) as u32
    }

    /// Whether there may be no room for more children: some did not fit.
    pub fn is_full(&self) -> bool {
        self.full.load(Ordering::Relaxed)
    }

    /// Whether half of the room is taken.
    pub fn is_half_full(&self) -> bool {
        self.used() as usize > self.nodes.len() / 2
    }

    /// A node.
    #[inline]
    pub fn node(&self, index: NodeIndex) -> &Node {
        &self.nodes[index as usize]
    }

    /// The header of a node's children, once they are added.
    #[inline]
    fn header(&self, parent: NodeIndex) -> Option<(NodeIndex, &Node)> {
        match self.node(parent).first_child.load(Ordering::Acquire) {
            0 | EXPANDING => None,
            first => Some((first, self.node(first - 1))),
        }
    }

    /// The indices of a node's children; empty before they are added.
    #[inline]
    pub fn children(&self, parent: NodeIndex) -> std::ops::Range<NodeIndex> {
        match self.header(parent) {
            Some((first, header)) => first..first + header.step.load(Ordering::Relaxed),
            None => 0..0,
        }
    }

    /// Keeps a proven result: with best play it comes within so many moves from here, where `side` moves. A node
    /// without children is the end of the game.
    pub fn set_proven(&self, index: NodeIndex, result: Proven, moves: u32, side: Color) {
        if let Some((_, header)) = self.header(index) {
            let white = if side == Color::White {
                WHITE_TO_MOVE
            } else {
                0
            };
            let proof = HAS_PROOF | white | moves.min(MAX_MOVES);
            let proof = u64::from(proof);
            // Another thread's proof of the same result may be there; two in one would be neither.
            let (set, fetch) = (Ordering::Release, Ordering::Relaxed);
            let _ = header.statistics.compare_exchange(0, proof, set, fetch);
        }
        let code = match result.0 {
            Some(Color::Black) => 1,
            Some(Color::White) => 2,
            None => 3,
        };
        self.node(index)
            .step
            .fetch_or(code << PROVEN_SHIFT, Ordering::Release);
    }

    fn proof(&self, index: NodeIndex) -> u32 {
        self.header(index).map_or(0, |(_, header)| {
            header.statistics.load(Ordering::Acquire) as u32
        })
    }

    /// Within how many moves the proven result comes, one under way counting as one; 0 at the end of the game.
    pub fn moves_to_end(&self, index: NodeIndex) -> u32 {
        self.proof(index) & MAX_MOVES
    }

    /// The same as seen by `mover`, who comes here by a step.
    pub fn moves_to_end_by(&self, index: NodeIndex, mover: Color) -> u32 {
        let proof = self.proof(index);
        let white = proof & WHITE_TO_MOVE != 0;
        match proof & MAX_MOVES {
            0 => 1,
            moves if white == (mover == Color::White) => moves,
            moves => moves + 1,
        }
    }

    /// Nodes that stand next to each other.
    #[inline]
    pub fn siblings(&self, indices: std::ops::Range<NodeIndex>) -> &[Node] {
        &self.nodes[indices.start as usize..indices.end as usize]
    }

    /// Adds the children of a node, one for each of `count` steps, which `fill` gives. Where there is no room
    /// left, or another thread is adding them just now, nothing happens.
    pub fn expand(&self, parent: NodeIndex, count: u32, fill: impl FnOnce(&mut dyn FnMut(u32))) {
        let parent = self.node(parent);
        let (set, fetch) = (Ordering::Acquire, Ordering::Relaxed);
        let claimed = parent
            .first_child
            .compare_exchange(0, EXPANDING, set, fetch);
        if claimed.is_err() || count == 0 {
            if claimed.is_ok() {
                parent.first_child.store(0, Ordering::Release);
            }
            return;
        }
        let room = self
            .used
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |used| {
                used.checked_add(count)?
                    .checked_add(1)
                    .filter(|&used| used as usize <= self.nodes.len())
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

    /// [`Tree::expand`] with the legal steps of the node's position.
    pub fn expand_steps(&self, parent: NodeIndex, steps: &[Step]) {
        self.expand(parent, steps.len() as u32, |add| {
            steps.iter().for_each(|step| add(step.0));
        });
    }

    /// Makes a node the root, in place: what does not stem from it is dropped, and the rest moves together. Where
    /// more than `most` nodes would have to move, or there is no memory for their list, nothing happens, and the answer is
    /// false.
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
            (count > 0).then_some(Block {
                first: children.start,
                count,
                parent,
                moved_to: 0,
            })
        };
        // As many as there can be, but for forced steps: a list that grows by doubling would pass the bound on
        // memory. What is not used of it is never touched.
        let mut blocks: Vec<Block> = Vec::new();
        if blocks
            .try_reserve_exact(self.used() as usize / 2 + 1)
            .is_err()
        {
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
        // Lowest first, each block moves down or stays, so nothing that is still needed is overwritten; and a
        // parent, which stands before its children, has moved before them.
        self.copy(root, ROOT);
        let mut end = ROOT + 1;
        for i in 0..blocks.len() {
            let Block {
                first,
                count,
                parent,
                ..
            } = blocks[i];
            let holder = blocks[..i].partition_point(|block| block.first <= parent);
            let parent = match holder.checked_sub(1) {
                Some(holder) if parent != root => {
                    let holder = &blocks[holder];
                    holder.moved_to + (parent - holder.first)
                }
                _ => ROOT,
            };
            // The header comes along.
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
