//! The tree of Monte Carlo tree searches: nodes in one block of memory of fixed size.
//!
//! Nodes are edges of a graph as much as they are positions: several parents may share the children of one position.
//!
//! All fields are atomic, so that several threads can search one tree. Each field is valid by itself. The only order
//! that matters, children written before they are seen, goes through `first_child`.

mod node;
mod reroot;

use std::mem::size_of;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use bytemuck::Zeroable;
use crossbeam_utils::CachePadded;

use node::{EXPANDING, MAX_MOVES, Node, PROVEN_SHIFT, RESULT_SHIFT, STEP_MASK, Value, WHITE_TO_MOVE, halves};
pub use node::{MAX_VALUED_VISITS, MAX_VISITS, NodeIndex, Proven, Statistics};

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

/// An entry of the table of positions: the key and the first child; 0 while there is none.
#[derive(Zeroable)]
struct Place {
    key: AtomicU64,
    first_child: AtomicU32,
    _padding: u32,
}

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

impl ValuedChild {
    /// The only child of a node, without an evaluation.
    pub fn only(step: Step) -> Self {
        Self { step, value: 0.5, prior: 1.0, proven: None }
    }
}

/// The index of the root of a new tree, and after [`Tree::reroot`].
pub const ROOT: NodeIndex = 0;

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
    /// Set when several threads change the tree.
    pub is_shared: bool,
    /// Black's value of a proven draw.
    draw: f32,
}

impl Tree {
    /// Allocates a tree of one root, for at most `memory` bytes.
    pub fn new(memory: usize) -> Self {
        let capacity = (memory / NODE_BYTES).clamp(1, u32::MAX as usize);
        Self::of(zeroed_slice(capacity, 1), Box::default(), Box::default())
    }

    /// Allocates a tree of one root whose nodes have values and whose positions are shared, for at most `memory`
    /// bytes and for a number of threads.
    pub fn with_values(memory: usize, threads: usize) -> Self {
        let capacity = (memory / VALUED_NODE_BYTES).clamp(1, u32::MAX as usize);
        let mut nodes = zeroed_slice::<Node>(capacity, 1);
        let values = zeroed_slice::<Value>(nodes.len(), 1);
        if values.len() < nodes.len() {
            // Memory was short for the second part only.
            nodes = zeroed_slice(values.len(), 1);
        }
        let places = zeroed_slice((nodes.len() / NODES_PER_PLACE).max(BUCKET), BUCKET);
        Self { is_shared: threads > 1, ..Self::of(nodes, values, places) }
    }

    fn of(nodes: Box<[Node]>, values: Box<[Value]>, places: Box<[Place]>) -> Self {
        let (used, full) = (CachePadded::default(), AtomicBool::new(false));
        let mut tree = Self { nodes, values, places, used, full, is_shared: true, draw: 0.5 };
        tree.clear();
        tree
    }

    /// Returns the size of the tree when it is full, in bytes: what was asked for, unless memory was short.
    pub fn bytes(&self) -> usize {
        self.nodes.len() * if self.values.is_empty() { NODE_BYTES } else { VALUED_NODE_BYTES }
    }

    /// Returns Black's value of a proven draw; 0.5 at first.
    pub fn draw(&self) -> f32 {
        self.draw
    }

    /// Sets Black's value of a proven draw, in a tree without proofs.
    pub fn set_draw(&mut self, draw: f32) {
        self.draw = draw;
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
            header.set_visits(visits, mean);
            self.set_minimax(first - 1, minimax);
        }
    }

    /// Stores the value of a node that is not expanded, in a tree with values.
    pub fn set_value(&self, index: NodeIndex, value: f32) {
        self.node(index).set_mean(value, 0, self.is_shared);
        self.set_minimax(index, value);
    }

    fn set_minimax(&self, index: NodeIndex, minimax: f32) {
        let (prior, _) = self.prior_and_minimax(index);
        self.values[index as usize].0.store(halves(prior, minimax), Ordering::Relaxed);
    }

    /// Adds a visit to a node that is under way, in a tree with values.
    #[inline]
    pub fn begin_visit(&self, index: NodeIndex) {
        self.node(index).begin_visit(self.is_shared);
    }

    /// Copies proof and values of the position behind a node to the node.
    #[inline]
    pub fn refresh(&self, index: NodeIndex) {
        self.refresh_and_end(index, 0);
    }

    /// Does the same, and ends a visit that was under way.
    #[inline]
    pub fn end_visit(&self, index: NodeIndex) {
        self.refresh_and_end(index, 1);
    }

    /// One atomic operation does both.
    #[inline]
    fn refresh_and_end(&self, index: NodeIndex, ended_visits: u64) {
        let node = self.node(index);
        let header = self.header(index);
        let mut proven = node.proven();
        if let (None, Some((_, header))) = (proven, header) {
            proven = Proven::from_code(header.first_child.load(Ordering::Acquire) >> RESULT_SHIFT);
            if let Some(proven) = proven {
                node.step.fetch_or(proven.code() << PROVEN_SHIFT, Ordering::Release);
            }
        }
        let (mean, minimax) = match (proven, header) {
            (Some(Proven(None)), _) => (self.draw, self.draw),
            (Some(proven), _) => (proven.points(), proven.points()),
            (None, Some((first, header))) => (header.valued_statistics().mean, self.prior_and_minimax(first - 1).1),
            (None, None) => return node.end_visits(ended_visits, self.is_shared),
        };
        node.set_mean(mean, ended_visits, self.is_shared);
        self.set_minimax(index, minimax);
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
            self.node(header).set_visits(1, value);
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

    /// Returns the visits of a node, with those under way.
    pub fn visits(&self, index: NodeIndex) -> u32 {
        match self.values.is_empty() {
            true => self.node(index).visits(),
            false => self.node(index).valued_statistics().visits,
        }
    }
}

/// Returns the key of a position in the table of positions. It is not 0, which marks empty entries.
fn table_key(key: Key) -> u64 {
    key.0.max(1)
}
