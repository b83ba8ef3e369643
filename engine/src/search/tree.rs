//! The tree of Monte Carlo tree searches: nodes in one block of memory of fixed size.
//!
//! Nodes are edges of a graph as much as they are positions: several parents may share the children of one position.
//!
//! All fields are atomic, so that several threads can search one tree. Each field is valid by itself. The only order
//! that matters, children written before they are seen, goes through `first_child`.

use std::mem::size_of;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use bytemuck::Zeroable;
use crossbeam_utils::CachePadded;

use super::memory::zeroed_slice;
use crate::board::Key;
use crate::rules::{Color, Step};

/// Upper bound for the memory of one node, in bytes: the node and its share of the list in [`Tree::reroot`].
///
/// The list has 16 bytes for each node with children, and such a node has, but for forced steps, at least two children
/// and their header.
pub const NODE_BYTES: usize = size_of::<Node>() + 6;

/// The same for a node of a tree with values: also the value, and its share of the table of positions.
pub const VALUED_NODE_BYTES: usize = NODE_BYTES + size_of::<Value>() + size_of::<Place>() / NODES_PER_PLACE;

/// Nodes of a tree with values for each entry of its table of positions.
const NODES_PER_PLACE: usize = 8;

/// Entries of the table of positions in which a position may be.
const BUCKET: usize = 4;

/// Upper bound for the visits of a node: its half-points must fit in 32 bits.
pub const MAX_VISITS: u32 = u32::MAX / 4;

/// Bits of a node's `step`: the step, and above it the proven result, 0 while there is none.
const STEP_MASK: u32 = (1 << PROVEN_SHIFT) - 1;
const PROVEN_SHIFT: u32 = 30;

/// Value of `first_child` while a thread expands the node.
const EXPANDING: NodeIndex = NodeIndex::MAX;

/// Position of the visits in a node's `statistics`.
const VISITS_SHIFT: u32 = 32;

/// Bits of a proof: number of moves, whether White is to move, and the result, 0 while there is no proof.
const MAX_MOVES: u32 = (1 << 16) - 1;
const WHITE_TO_MOVE: u32 = 1 << 16;
const RESULT_SHIFT: u32 = 17;

/// Marks a header whose block is in the list of [`Tree::reroot`].
const IS_LISTED: u32 = 1 << 31;

/// A position reached by a step from its parent. Sixteen bytes: selection reads all children of a node and waits for
/// their memory.
///
/// A header precedes the children of a node. It has the same type: `step` is the number of children, `first_child` the
/// proof of their parent, and `statistics` those of their parent's position, in a tree with values.
#[derive(Zeroable)]
pub struct Node {
    step: AtomicU32,
    /// Index of the first child; 0 for a leaf.
    first_child: AtomicU32,
    /// Visits in the upper half, Black's half-points over all of them in the lower: one atomic addition updates both.
    ///
    /// In a tree with values: [`Statistics`].
    statistics: AtomicU64,
}

/// The rest of a node of a tree with values: the prior probability of its step in the upper half, the minimax value in
/// the lower.
///
/// In a header the upper half is the value of the position when it was expanded.
#[derive(Zeroable)]
struct Value(AtomicU64);

impl Value {
    /// Returns the two halves.
    #[inline]
    fn get(&self) -> (f32, f32) {
        let value = self.0.load(Ordering::Relaxed);
        (f32::from_bits((value >> 32) as u32), f32::from_bits(value as u32))
    }
}

/// An entry of the table of positions: the key and the first child; 0 while there is none.
#[derive(Zeroable)]
struct Place {
    key: AtomicU64,
    first_child: AtomicU32,
    _padding: u32,
}

/// Statistics of a node in a tree with values. Values are Black's expected share of the points, from 0 to 1.
#[derive(Clone, Copy, Debug)]
pub struct Statistics {
    /// Visits, with those under way.
    pub visits: u32,
    /// Visits under way.
    pub under_way: u32,
    /// Mean value over the visits; the static value before the first one.
    pub mean: f32,
}

impl Statistics {
    /// Returns the visits that have ended.
    #[inline]
    pub fn ended(self) -> u32 {
        self.visits - self.under_way
    }
}

/// Number of bits of the visits under way, below the visits.
const UNDER_WAY_BITS: u32 = 5;

/// A visit that is under way.
const VISIT_UNDER_WAY: u64 = (1 << (VISITS_SHIFT + UNDER_WAY_BITS)) + (1 << VISITS_SHIFT);

/// Upper bound for the visits of a node in a tree with values.
pub const MAX_VALUED_VISITS: u32 = (u32::MAX >> UNDER_WAY_BITS) - 64;

/// A child of a node that is expanded with values.
#[derive(Clone, Copy, Debug)]
pub struct ValuedChild {
    /// The step to the child.
    pub step: Step,
    /// Static value, Black's expected share of the points.
    pub value: f32,
    /// Prior probability of the step.
    pub prior: f32,
    /// The result, if the step ends the game.
    pub proven: Option<Proven>,
}

fn halves(upper: f32, lower: f32) -> u64 {
    u64::from(upper.to_bits()) << 32 | u64::from(lower.to_bits())
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

impl Proven {
    /// Returns the code of the result: 1 to 3.
    fn code(self) -> u32 {
        match self.0 {
            Some(Color::Black) => 1,
            Some(Color::White) => 2,
            None => 3,
        }
    }

    #[inline]
    fn from_code(code: u32) -> Option<Self> {
        match code {
            0 => None,
            1 => Some(Self(Some(Color::Black))),
            2 => Some(Self(Some(Color::White))),
            _ => Some(Self(None)),
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
        Proven::from_code(self.step.load(Ordering::Acquire) >> PROVEN_SHIFT)
    }

    /// Returns the statistics, in a tree with values.
    #[inline]
    pub fn valued_statistics(&self) -> Statistics {
        let statistics = self.statistics.load(Ordering::Relaxed);
        let visits = (statistics >> VISITS_SHIFT) as u32;
        Statistics {
            visits: visits >> UNDER_WAY_BITS,
            under_way: visits & ((1 << UNDER_WAY_BITS) - 1),
            mean: f32::from_bits(statistics as u32),
        }
    }

    /// Adds a visit that is under way, in a tree with values.
    #[inline]
    pub fn begin_visit(&self) {
        self.statistics.fetch_add(VISIT_UNDER_WAY, Ordering::Relaxed);
    }

    /// Ends a visit that was under way.
    #[inline]
    pub fn end_visit(&self) {
        self.statistics.fetch_sub(1 << VISITS_SHIFT, Ordering::Relaxed);
    }

    /// Replaces the mean value, and the visits if they are given.
    #[inline]
    fn set_mean(&self, visits: Option<u32>, mean: f32) {
        let update = |old: u64| {
            let visits = visits.map_or(old >> VISITS_SHIFT, |visits| u64::from(visits) << UNDER_WAY_BITS);
            Some(visits << VISITS_SHIFT | u64::from(mean.to_bits()))
        };
        let _ = self.statistics.fetch_update(Ordering::Relaxed, Ordering::Relaxed, update);
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
    /// In a tree with values, one for each node; otherwise empty.
    values: Box<[Value]>,
    /// In a tree with values, the table of positions; otherwise empty.
    places: Box<[Place]>,
    /// Nodes in use. Padded: threads write it, and must not evict what they only read.
    used: CachePadded<AtomicU32>,
    /// Set when an expansion found no room.
    full: AtomicBool,
}

impl Tree {
    /// Allocates a tree of one root, for at most `memory` bytes.
    pub fn new(memory: usize) -> Self {
        let capacity = (memory / NODE_BYTES).clamp(1, u32::MAX as usize);
        Self::of(zeroed_slice(capacity, 1), Box::default(), Box::default())
    }

    /// Allocates a tree of one root whose nodes have values and whose positions are shared, for at most `memory`
    /// bytes.
    pub fn with_values(memory: usize) -> Self {
        let capacity = (memory / VALUED_NODE_BYTES).clamp(1, u32::MAX as usize);
        let mut nodes = zeroed_slice::<Node>(capacity, 1);
        let values = zeroed_slice::<Value>(nodes.len(), 1);
        if values.len() < nodes.len() {
            // Memory was short for the second part only.
            nodes = zeroed_slice(values.len(), 1);
        }
        let places = zeroed_slice((nodes.len() / NODES_PER_PLACE).max(BUCKET), BUCKET);
        Self::of(nodes, values, places)
    }

    fn of(nodes: Box<[Node]>, values: Box<[Value]>, places: Box<[Place]>) -> Self {
        let (used, full) = (CachePadded::default(), AtomicBool::new(false));
        let mut tree = Self { nodes, values, places, used, full };
        tree.clear();
        tree
    }

    /// Returns the size of the tree when it is full, in bytes: what was asked for, unless memory was short.
    pub fn bytes(&self) -> usize {
        self.nodes.len() * if self.values.is_empty() { NODE_BYTES } else { VALUED_NODE_BYTES }
    }

    /// Drops all nodes but an unvisited root. Keeps the memory.
    pub fn clear(&mut self) {
        *self.used.get_mut() = 1;
        *self.full.get_mut() = false;
        self.node(ROOT).reset(0);
        for place in &mut self.places {
            // Reads alone do not map pages that were never written.
            if *place.key.get_mut() != 0 {
                *place = Place::zeroed();
            }
        }
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
    pub fn children(&self, parent: NodeIndex) -> Range<NodeIndex> {
        match self.header(parent) {
            Some((first, header)) => first..first + header.step.load(Ordering::Relaxed),
            None => 0..0,
        }
    }

    /// Returns the prior probability of the step to a node and its minimax value, in a tree with values.
    #[inline]
    pub fn prior_and_minimax(&self, index: NodeIndex) -> (f32, f32) {
        self.values[index as usize].get()
    }

    /// Iterates over the children of a node in a tree with values: index, node, prior and minimax value.
    #[inline]
    pub fn valued_children(&self, parent: NodeIndex) -> impl Iterator<Item = (NodeIndex, &Node, (f32, f32))> {
        let indices = self.children(parent);
        let range = indices.start as usize..indices.end as usize;
        let (nodes, values) = (&self.nodes[range.clone()], &self.values[range]);
        indices.zip(nodes).zip(values).map(|((index, node), value)| (index, node, value.get()))
    }

    /// Begins to load the children of a node, in a tree with values, while the processor does something else.
    #[inline]
    pub fn prefetch_children(&self, parent: NodeIndex) {
        if let Some((first, header)) = self.header(parent) {
            std::hint::black_box(header.statistics.load(Ordering::Relaxed));
            std::hint::black_box(self.values[first as usize].0.load(Ordering::Relaxed));
        }
    }

    /// Returns the visits and the mean of the position behind a node, over all its parents, its value when it was
    /// expanded, and its minimax value.
    #[inline]
    pub fn position(&self, index: NodeIndex) -> Option<(Statistics, f32, f32)> {
        let (first, header) = self.header(index)?;
        let (value, minimax) = self.prior_and_minimax(first - 1);
        Some((header.valued_statistics(), value, minimax))
    }

    /// Stores visits and values of the position behind an expanded node.
    #[inline]
    pub fn set_position(&self, index: NodeIndex, visits: u32, mean: f32, minimax: f32) {
        if let Some((first, header)) = self.header(index) {
            header.set_mean(Some(visits), mean);
            self.set_minimax(first - 1, minimax);
        }
    }

    /// Stores the value of a node that is not expanded, in a tree with values.
    pub fn set_value(&self, index: NodeIndex, value: f32) {
        self.node(index).set_mean(None, value);
        self.set_minimax(index, value);
    }

    fn set_minimax(&self, index: NodeIndex, minimax: f32) {
        let (prior, _) = self.prior_and_minimax(index);
        self.values[index as usize].0.store(halves(prior, minimax), Ordering::Relaxed);
    }

    /// Copies proof and values of the position behind a node to the node.
    #[inline]
    pub fn refresh(&self, index: NodeIndex) {
        let node = self.node(index);
        let mut known = node.proven();
        if let Some((first, header)) = self.header(index) {
            let proof = Proven::from_code(header.first_child.load(Ordering::Acquire) >> RESULT_SHIFT);
            if let (None, Some(proven)) = (known, proof) {
                node.step.fetch_or(proven.code() << PROVEN_SHIFT, Ordering::Release);
                known = proof;
            }
            if known.is_none() {
                node.set_mean(None, header.valued_statistics().mean);
                self.set_minimax(index, self.prior_and_minimax(first - 1).1);
            }
        }
        if let Some(proven) = known {
            self.set_value(index, proven.value() as f32 / 2.0);
        }
    }

    /// Stores a proven result that comes within `moves` moves, where `side` is to move. A node without children is the
    /// end of the game.
    pub fn set_proven(&self, index: NodeIndex, result: Proven, moves: u32, side: Color) {
        if let Some((_, header)) = self.header(index) {
            let white = if side == Color::White { WHITE_TO_MOVE } else { 0 };
            let proof = result.code() << RESULT_SHIFT | white | moves.min(MAX_MOVES);
            // If another thread has stored a proof of the same result, keep it: a mix of two would be wrong.
            let (set, fetch) = (Ordering::Release, Ordering::Relaxed);
            let _ = header.first_child.compare_exchange(0, proof, set, fetch);
        }
        self.node(index).step.fetch_or(result.code() << PROVEN_SHIFT, Ordering::Release);
    }

    fn proof(&self, index: NodeIndex) -> u32 {
        self.header(index).map_or(0, |(_, header)| header.first_child.load(Ordering::Acquire))
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

    /// Returns the result that the children of a node prove for `side`, who is to move there, and its number of moves.
    ///
    /// A child that wins proves a win, the shortest one that there is. Otherwise all children must be proven: among
    /// draws and losses the longest is best.
    pub fn proof_by_children(&self, index: NodeIndex, side: Color) -> Option<(Proven, u32)> {
        let mut best: Option<(Proven, u32)> = None;
        let mut all_proven = true;
        for child in self.children(index) {
            let Some(proven) = self.node(child).proven() else {
                all_proven = false;
                continue;
            };
            let moves = self.moves_to_end_by(child, side);
            let rank = |(proven, moves): (Proven, u32)| match proven.value_for(side) {
                2 => (2, u32::MAX - moves),
                value => (value, moves),
            };
            if best.is_none_or(|best| rank((proven, moves)) > rank(best)) {
                best = Some((proven, moves));
            }
        }
        best.filter(|(proven, _)| all_proven || proven.value_for(side) == 2)
    }

    /// Returns adjacent nodes.
    #[inline]
    pub fn siblings(&self, indices: std::ops::Range<NodeIndex>) -> &[Node] {
        &self.nodes[indices.start as usize..indices.end as usize]
    }

    /// Claims a leaf for expansion. Returns false if another thread expands or has expanded it.
    fn claim(&self, parent: &Node) -> bool {
        parent.first_child.compare_exchange(0, EXPANDING, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    /// Reserves a header and `count` children, and returns the index of the header; `None` if there is no room left.
    fn reserve(&self, count: u32) -> Option<NodeIndex> {
        let room = self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |used| {
            used.checked_add(count)?.checked_add(1).filter(|&used| used as usize <= self.nodes.len())
        });
        if room.is_err() {
            self.full.store(true, Ordering::Relaxed);
        }
        let header = room.ok()?;
        self.node(header).reset(count);
        Some(header)
    }

    /// Expands a node with `count` children; `fill` passes the step of each.
    ///
    /// Does nothing if there is no room left, or if another thread expands or has expanded the node.
    pub fn expand(&self, parent: NodeIndex, count: u32, fill: impl FnOnce(&mut dyn FnMut(u32))) {
        let parent = self.node(parent);
        if count == 0 || !self.claim(parent) {
            return;
        }
        let first_child = self.reserve(count).map_or(0, |header| {
            let mut next = header;
            fill(&mut |step| {
                next += 1;
                self.node(next).reset(step);
            });
            header + 1
        });
        parent.first_child.store(first_child, Ordering::Release);
    }

    /// Expands a node with the legal steps of its position.
    pub fn expand_steps(&self, parent: NodeIndex, steps: &[Step]) {
        self.expand(parent, steps.len() as u32, |add| {
            steps.iter().for_each(|step| add(step.0));
        });
    }

    /// Expands a node with children that have values, best first, and with the value of its own position.
    ///
    /// Another node with this `key` will share the children; `None` shares nothing. Does nothing in the cases of
    /// [`Tree::expand`].
    pub fn expand_with_values(&self, parent: NodeIndex, key: Option<Key>, children: &[ValuedChild], value: f32) {
        let parent = self.node(parent);
        if children.is_empty() || !self.claim(parent) {
            return;
        }
        let first_child = self.reserve(children.len() as u32).map_or(0, |header| {
            self.values[header as usize].0.store(halves(value, value), Ordering::Relaxed);
            self.node(header).set_mean(Some(1), value);
            for (child, index) in children.iter().zip(header + 1..) {
                let node = self.node(index);
                let code = child.proven.map_or(0, Proven::code);
                node.step.store(child.step.0 & STEP_MASK | code << PROVEN_SHIFT, Ordering::Relaxed);
                node.first_child.store(0, Ordering::Relaxed);
                node.statistics.store(child.value.to_bits().into(), Ordering::Relaxed);
                self.values[index as usize].0.store(halves(child.prior, child.value), Ordering::Relaxed);
            }
            if let Some(key) = key {
                self.remember(key, header + 1);
            }
            header + 1
        });
        parent.first_child.store(first_child, Ordering::Release);
    }

    /// Gives a leaf the children of its position, if another node has been expanded with its `key`. Returns whether it
    /// has children now.
    pub fn share_children(&self, index: NodeIndex, key: Key) -> bool {
        let key = table_key(key);
        let place = self.bucket(key).iter().find(|place| place.key.load(Ordering::Acquire) == key);
        let first_child = place.map_or(0, |place| place.first_child.load(Ordering::Acquire));
        if first_child == 0 {
            return false;
        }
        let (set, fetch) = (Ordering::AcqRel, Ordering::Relaxed);
        self.node(index).first_child.compare_exchange(0, first_child, set, fetch).is_ok()
    }

    /// Enters the children of a position into the table of positions, if there is room.
    fn remember(&self, key: Key, first_child: NodeIndex) {
        let key = table_key(key);
        for place in self.bucket(key) {
            let (set, fetch) = (Ordering::AcqRel, Ordering::Acquire);
            match place.key.compare_exchange(0, key, set, fetch) {
                Ok(_) => {
                    place.first_child.store(first_child, Ordering::Release);
                    return;
                }
                Err(other) if other == key => return,
                Err(_) => {}
            }
        }
    }

    fn bucket(&self, key: u64) -> &[Place] {
        let buckets = (self.places.len() / BUCKET) as u128;
        let bucket = ((u128::from(key) * buckets) >> 64) as usize;
        self.places.get(bucket * BUCKET..(bucket + 1) * BUCKET).unwrap_or_default()
    }

    /// Makes a node the root, in place: drops everything above and beside it and the children of nodes with fewer than
    /// `min_visits` visits, and compacts the rest.
    ///
    /// Returns false and changes nothing if more than `max_nodes` nodes would have to move, or if there is no memory
    /// for the list of them.
    pub fn reroot(&mut self, root: NodeIndex, max_nodes: usize, min_visits: u32) -> bool {
        let Some(mut blocks) = self.list_blocks(root, max_nodes, min_visits) else {
            return false;
        };
        blocks.sort_unstable_by_key(|block| block.first);
        let mut end = ROOT + 1;
        for block in &mut blocks {
            block.moved_to = end + 1;
            end += block.count + 1;
        }
        let moved = |first_child: NodeIndex| {
            let found = blocks.binary_search_by_key(&first_child, |block| block.first);
            found.map_or(0, |found| blocks[found].moved_to)
        };
        // In this order each block moves down or stays, so it overwrites nothing that is still needed.
        self.copy(root, ROOT);
        let moved_root = moved(*self.nodes[ROOT as usize].first_child.get_mut());
        *self.nodes[ROOT as usize].first_child.get_mut() = moved_root;
        for block in &blocks {
            // The header moves with its children.
            self.copy(block.first - 1, block.moved_to - 1);
            *self.nodes[block.moved_to as usize - 1].step.get_mut() &= !IS_LISTED;
            for offset in 0..block.count {
                self.copy(block.first + offset, block.moved_to + offset);
                let first_child = self.nodes[(block.moved_to + offset) as usize].first_child.get_mut();
                if *first_child != 0 {
                    *first_child = moved(*first_child);
                }
            }
        }
        for place in &mut self.places {
            if *place.key.get_mut() != 0 {
                let first_child = moved(*place.first_child.get_mut());
                let key = if first_child == 0 { 0 } else { *place.key.get_mut() };
                *place = Place { key: key.into(), first_child: first_child.into(), _padding: 0 };
            }
        }
        *self.used.get_mut() = end;
        *self.full.get_mut() = false;
        true
    }

    /// Lists the children that [`Tree::reroot`] keeps, each block once, and marks their headers.
    fn list_blocks(&mut self, root: NodeIndex, max_nodes: usize, min_visits: u32) -> Option<Vec<Block>> {
        // Reserve the upper bound, which only forced steps can exceed: a list that grows by doubling would exceed
        // [`NODE_BYTES`]. Pages that stay unused are never mapped.
        let mut blocks: Vec<Block> = Vec::new();
        blocks.try_reserve_exact(self.used() as usize / 2 + 1).ok()?;
        blocks.extend(self.list_block(root));
        let mut next = 0;
        let mut kept = 1;
        while let Some(&Block { first, count, .. }) = blocks.get(next) {
            kept += count as usize + 1;
            if kept > max_nodes {
                for block in blocks {
                    *self.nodes[block.first as usize - 1].step.get_mut() &= !IS_LISTED;
                }
                return None;
            }
            for child in first..first + count {
                if self.visits(child) >= min_visits {
                    blocks.extend(self.list_block(child));
                }
            }
            next += 1;
        }
        Some(blocks)
    }

    /// Returns the children of a node and marks them as listed; `None` if there are none, or they are listed.
    fn list_block(&mut self, parent: NodeIndex) -> Option<Block> {
        let first = *self.nodes[parent as usize].first_child.get_mut();
        let header = first.checked_sub(1).and_then(|header| self.nodes.get_mut(header as usize))?;
        let count = header.step.get_mut();
        if *count & IS_LISTED != 0 {
            return None;
        }
        let block = Block { first, count: *count, moved_to: 0 };
        *count |= IS_LISTED;
        Some(block)
    }

    /// Returns the visits of a node, with those under way.
    pub fn visits(&self, index: NodeIndex) -> u32 {
        match self.values.is_empty() {
            true => self.node(index).visits(),
            false => self.node(index).valued_statistics().visits,
        }
    }

    fn copy(&self, from: NodeIndex, to: NodeIndex) {
        if from == to {
            return;
        }
        self.node(to).copy_from(self.node(from));
        if let (Some(from), Some(to)) = (self.values.get(from as usize), self.values.get(to as usize)) {
            to.0.store(from.0.load(Ordering::Relaxed), Ordering::Relaxed);
        }
    }
}

/// The children of a node, in the list of [`Tree::reroot`].
struct Block {
    first: NodeIndex,
    count: u32,
    moved_to: NodeIndex,
}

/// Returns the key of a position in the table of positions. It is not 0, which marks empty entries.
fn table_key(key: Key) -> u64 {
    key.0.max(1)
}
