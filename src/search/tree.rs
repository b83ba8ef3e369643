//! The memory of a tree search: nodes in chunks that are taken as they are needed, up to a fixed bound.
//!
//! All fields are atomic, so that several threads can search one tree. Each of them is right by itself, and
//! the only order that matters (children are written before they are seen) goes through `links`.

use std::mem::size_of;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use once_cell::sync::OnceCell;

use crate::game::{Color, Step, Steps};

/// Nodes that are taken from the system at once: 384 KiB.
const CHUNK: usize = 1 << 14;

/// What one node costs at most: itself, and its share of the list that moving the root makes (16 bytes for
/// each node with children, of which there are at least two but for forced steps).
pub const NODE_BYTES: usize = size_of::<Node>() + 8;

/// Bits of a node's `value`: Black's half-points, …
const HALF_POINTS: u64 = (1 << 34) - 1;
/// … then, once the node is proven, how many moves that takes, …
const MOVES_SHIFT: u32 = 34;
const MAX_MOVES: u32 = (1 << 16) - 1;
/// … whether White was to move, and whether these two are there.
const WHITE_TO_MOVE: u64 = 1 << 50;
const HAS_PROOF: u64 = 1 << 51;

/// Bits of `links`: the number of children, …
const COUNT: u32 = (1 << 29) - 1;
/// … whether a thread is about to add them, …
const EXPANDING: u32 = 1 << 29;
/// … and the proven result, 0 while there is none.
const PROVEN_SHIFT: u32 = 30;

/// A position reached by a step from its parent.
#[derive(Default)]
pub(super) struct Node {
    step: AtomicU32,
    visits: AtomicU32,
    /// Half-points of Black over all visits, and what a proof adds.
    value: AtomicU64,
    first_child: AtomicU32,
    links: AtomicU32,
}

/// The index of a node.
pub(super) type NodeIndex = u32;

/// The index of the first root; [`Tree::reroot`] puts later ones there, too.
pub(super) const ROOT: NodeIndex = 0;

/// A result with best play.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Proven(pub(super) Option<Color>);

impl Proven {
    /// Black's half-points.
    pub(super) fn value(self) -> u64 {
        match self.0 {
            Some(Color::Black) => 2,
            None => 1,
            Some(Color::White) => 0,
        }
    }

    /// The half-points of a side.
    pub(super) fn value_for(self, side: Color) -> u64 {
        match side {
            Color::Black => self.value(),
            Color::White => 2 - self.value(),
        }
    }
}

impl Node {
    pub(super) fn step(&self) -> u32 {
        self.step.load(Ordering::Relaxed)
    }

    pub(super) fn visits(&self) -> u32 {
        self.visits.load(Ordering::Relaxed)
    }

    /// Black's half-points over all visits.
    pub(super) fn value(&self) -> u64 {
        self.value.load(Ordering::Relaxed) & HALF_POINTS
    }

    /// Counts a visit that is about to be made as lost for `mover`, who chose it, so that other threads go
    /// elsewhere meanwhile. Gives the number of visits before.
    pub(super) fn enter(&self, mover: Color) -> u32 {
        if mover == Color::White {
            self.value.fetch_add(2, Ordering::Relaxed);
        }
        self.visits.fetch_add(1, Ordering::Relaxed)
    }

    /// Puts the result of a visit, in Black's half-points, in the place of what `enter` assumed.
    pub(super) fn leave(&self, mover: Color, result: u64) {
        let assumed = if mover == Color::White { 2 } else { 0 };
        // Wrapping: together with `enter` it adds the result.
        let difference = result.wrapping_sub(assumed);
        self.value.fetch_add(difference, Ordering::Relaxed);
    }

    pub(super) fn proven(&self) -> Option<Proven> {
        match self.links.load(Ordering::Acquire) >> PROVEN_SHIFT {
            0 => None,
            1 => Some(Proven(Some(Color::Black))),
            2 => Some(Proven(Some(Color::White))),
            _ => Some(Proven(None)),
        }
    }

    /// Keeps a proven result: with best play it comes within so many moves from here, where `side` moves.
    pub(super) fn prove(&self, result: Proven, moves: u32, side: Color) {
        let white = if side == Color::White {
            WHITE_TO_MOVE
        } else {
            0
        };
        let proof = HAS_PROOF | white | u64::from(moves.min(MAX_MOVES)) << MOVES_SHIFT;
        // Another thread's proof of the same result may be there; two in one would be neither.
        let _ = self
            .value
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |value| {
                (value & HAS_PROOF == 0).then_some(value | proof)
            });
        let code = match result.0 {
            Some(Color::Black) => 1,
            Some(Color::White) => 2,
            None => 3,
        };
        self.links.fetch_or(code << PROVEN_SHIFT, Ordering::Release);
    }

    /// Within how many moves the proven result comes, one under way counting as one; 0 at the end of the game.
    pub(super) fn moves_to_end(&self) -> u32 {
        (self.value.load(Ordering::Relaxed) >> MOVES_SHIFT) as u32 & MAX_MOVES
    }

    /// The same as seen by `mover`, who comes here by a step.
    pub(super) fn moves_through(&self, mover: Color) -> u32 {
        let white = self.value.load(Ordering::Relaxed) & WHITE_TO_MOVE != 0;
        match self.moves_to_end() {
            0 => 1,
            moves if white == (mover == Color::White) => moves,
            moves => moves + 1,
        }
    }

    /// The children's indices; empty before they are added.
    pub(super) fn children(&self) -> std::ops::Range<NodeIndex> {
        let count = self.links.load(Ordering::Acquire) & COUNT;
        let first = self.first_child.load(Ordering::Relaxed);
        first..first + count
    }

    /// Becomes a node of a step without visits or children.
    fn begin(&self, step: u32) {
        self.step.store(step, Ordering::Relaxed);
        self.visits.store(0, Ordering::Relaxed);
        self.value.store(0, Ordering::Relaxed);
        self.links.store(0, Ordering::Relaxed);
    }

    fn become_copy_of(&self, other: &Self) {
        self.step.store(other.step(), Ordering::Relaxed);
        self.visits.store(other.visits(), Ordering::Relaxed);
        self.value
            .store(other.value.load(Ordering::Relaxed), Ordering::Relaxed);
        let first_child = other.first_child.load(Ordering::Relaxed);
        self.first_child.store(first_child, Ordering::Relaxed);
        self.links
            .store(other.links.load(Ordering::Relaxed), Ordering::Relaxed);
    }
}

/// A tree of nodes. Children stand next to each other, and behind their parents.
pub(super) struct Tree {
    chunks: Vec<OnceCell<Box<[Node]>>>,
    capacity: u32,
    used: AtomicU32,
    /// Whether children were turned away.
    full: AtomicBool,
}

impl Tree {
    /// A tree of only a root, for at most so many bytes.
    pub(super) fn new(memory: usize) -> Self {
        let capacity = (memory / NODE_BYTES).clamp(1, u32::MAX as usize);
        let chunks = (0..capacity.div_ceil(CHUNK)).map(|_| OnceCell::new());
        let mut tree = Self {
            chunks: chunks.collect(),
            capacity: capacity as u32,
            used: AtomicU32::new(0),
            full: AtomicBool::new(false),
        };
        tree.clear();
        tree
    }

    /// Forgets everything but the memory already taken.
    pub(super) fn clear(&mut self) {
        *self.used.get_mut() = 1;
        *self.full.get_mut() = false;
        self.node(ROOT).begin(0);
    }

    /// How many nodes there are, those that nothing leads to any more included.
    pub(super) fn len(&self) -> u32 {
        self.used.load(Ordering::Relaxed)
    }

    /// How much of the room is used, in thousandths.
    pub(super) fn filled(&self) -> u32 {
        (u64::from(self.len()) * 1000 / u64::from(self.capacity)) as u32
    }

    /// Whether there may be no room for more children: some did not fit.
    pub(super) fn is_full(&self) -> bool {
        self.full.load(Ordering::Relaxed)
    }

    pub(super) fn is_half_full(&self) -> bool {
        self.len() > self.capacity / 2
    }

    pub(super) fn node(&self, index: NodeIndex) -> &Node {
        let index = index as usize;
        let chunk = self.chunks[index / CHUNK]
            .get_or_init(|| (0..CHUNK).map(|_| Node::default()).collect());
        &chunk[index % CHUNK]
    }

    /// Adds the children of a node, one for each of `count` steps, which `fill` gives. Where there is no room
    /// left, or another thread is adding them just now, nothing happens.
    pub(super) fn expand(
        &self,
        parent: NodeIndex,
        count: u32,
        fill: impl FnOnce(&mut dyn FnMut(u32)),
    ) {
        let parent = self.node(parent);
        let claimed = parent
            .links
            .fetch_update(Ordering::AcqRel, Ordering::Relaxed, |links| {
                (links & (COUNT | EXPANDING) == 0).then_some(links | EXPANDING)
            });
        if claimed.is_err() {
            return;
        }
        let room = self
            .used
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |used| {
                used.checked_add(count)
                    .filter(|&used| used <= self.capacity)
            });
        let Ok(first) = room else {
            self.full.store(true, Ordering::Relaxed);
            parent.links.fetch_and(!EXPANDING, Ordering::Release);
            return;
        };
        let mut next = first;
        fill(&mut |step| {
            self.node(next).begin(step);
            next += 1;
        });
        parent.first_child.store(first, Ordering::Relaxed);
        // EXPANDING gives way to the count; a proof that came meanwhile stays.
        parent
            .links
            .fetch_add(count.wrapping_sub(EXPANDING), Ordering::Release);
    }

    /// [`Tree::expand`] with the legal steps of the node's position.
    pub(super) fn add_children(&self, parent: NodeIndex, steps: &impl Steps) {
        self.expand(parent, steps.count() as u32, |add| {
            steps.for_each(|step| add(step.bits()));
        });
    }

    /// Makes a node the root, in place: what does not stem from it is dropped, and the rest moves together. Where
    /// more than `most` nodes would have to move, nothing happens, and the answer is false.
    pub(super) fn reroot(&mut self, root: NodeIndex, most: usize) -> bool {
        struct Block {
            first: NodeIndex,
            count: u32,
            parent: NodeIndex,
            moved_to: NodeIndex,
        }
        let block = |tree: &Self, parent| {
            let children = tree.node(parent).children();
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
        let mut blocks: Vec<Block> = Vec::with_capacity(self.len() as usize / 2 + 1);
        blocks.extend(block(self, root));
        let mut next = 0;
        let mut kept = 1;
        while next < blocks.len() {
            let Block { first, count, .. } = blocks[next];
            kept += count as usize;
            if kept > most {
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
            self.node(to).become_copy_of(self.node(from));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The steps of a tree, depth first, with brackets.
    fn drawn(tree: &Tree, index: NodeIndex) -> String {
        let node = tree.node(index);
        let children: String = node.children().map(|child| drawn(tree, child)).collect();
        format!("({}{children})", node.step())
    }

    #[test]
    fn a_new_root_keeps_its_descendants_and_frees_the_rest() {
        let mut tree = Tree::new(NODE_BYTES * 100);
        let add = |tree: &Tree, parent, steps: &[u32]| {
            tree.expand(parent, steps.len() as u32, |add| {
                steps.iter().for_each(|&s| add(s))
            });
        };
        add(&tree, ROOT, &[1, 2, 3]);
        add(&tree, 2, &[20, 21]);
        add(&tree, 1, &[10]);
        add(&tree, 5, &[210, 211]);
        add(&tree, 4, &[200]);
        tree.node(7).enter(Color::White);
        tree.node(7).leave(Color::White, 1);
        tree.node(7).prove(Proven(None), 3, Color::White);
        assert_eq!(
            drawn(&tree, ROOT),
            "(0(1(10))(2(20(200))(21(210)(211)))(3))"
        );
        assert!(!tree.reroot(2, 5));
        assert!(tree.reroot(2, 6));
        assert_eq!(drawn(&tree, ROOT), "(2(20(200))(21(210)(211)))");
        assert_eq!(tree.len(), 6);
        let moved = tree.node(tree.node(2).children().start);
        assert_eq!((moved.step(), moved.visits(), moved.value()), (210, 1, 1));
        assert_eq!(moved.proven(), Some(Proven(None)));
        assert_eq!(moved.moves_to_end(), 3);
        assert_eq!(moved.moves_through(Color::White), 3);
        assert_eq!(moved.moves_through(Color::Black), 4);
    }

    #[test]
    fn a_full_tree_takes_no_more_children() {
        let tree = Tree::new(NODE_BYTES * 3);
        tree.expand(ROOT, 3, |_| panic!("there is room for two"));
        assert!(tree.node(ROOT).children().is_empty());
        tree.expand(ROOT, 2, |add| [7, 8].into_iter().for_each(add));
        assert_eq!(tree.node(ROOT).children(), 1..3);
        tree.expand(ROOT, 0, |_| panic!("it has children"));
        tree.expand(1, 1, |_| panic!("it is full"));
        assert_eq!(tree.len(), 3);
    }
}
