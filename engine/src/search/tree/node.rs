//! Nodes of the tree, and what their bits mean.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use bytemuck::Zeroable;

use crate::rules::{Color, Step};

/// The index of a node.
pub type NodeIndex = u32;

/// Upper bound for the visits of a node: its half-points must fit in 32 bits.
pub const MAX_VISITS: u32 = u32::MAX / 4;

/// Bits of a node's `step`: the step, and above it the proven result, 0 while there is none.
pub(super) const STEP_MASK: u32 = (1 << PROVEN_SHIFT) - 1;
pub(super) const PROVEN_SHIFT: u32 = 30;

/// Value of `first_child` while a thread expands the node.
pub(super) const EXPANDING: NodeIndex = NodeIndex::MAX;

/// Position of the visits in a node's `statistics`.
const VISITS_SHIFT: u32 = 32;

/// Bits of a proof: number of moves, whether White is to move, and the result, 0 while there is no proof.
pub(super) const MAX_MOVES: u32 = (1 << 16) - 1;
pub(super) const WHITE_TO_MOVE: u32 = 1 << 16;
pub(super) const RESULT_SHIFT: u32 = 17;

/// A position reached by a step from its parent. Sixteen bytes: selection reads all children of a node and waits for
/// their memory.
///
/// A header precedes the children of a node. It has the same type: `step` is the number of children, `first_child` the
/// proof of their parent, and `statistics` those of their parent's position, in a tree with values.
#[derive(Zeroable)]
pub struct Node {
    pub(super) step: AtomicU32,
    /// Index of the first child; 0 for a leaf.
    pub(super) first_child: AtomicU32,
    /// Visits in the upper half, Black's half-points over all of them in the lower: one atomic addition updates both.
    ///
    /// In a tree with values: [`Statistics`].
    pub(super) statistics: AtomicU64,
}

/// The rest of a node of a tree with values: the prior probability of its step in the upper half, the minimax value in
/// the lower.
///
/// In a header the upper half is the value of the position when it was expanded.
#[derive(Zeroable)]
pub(super) struct Value(pub(super) AtomicU64);

impl Value {
    /// Returns the two halves.
    #[inline]
    pub(super) fn get(&self) -> (f32, f32) {
        let value = self.0.load(Ordering::Relaxed);
        (f32::from_bits((value >> 32) as u32), f32::from_bits(value as u32))
    }
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

pub(super) fn halves(upper: f32, lower: f32) -> u64 {
    u64::from(upper.to_bits()) << 32 | u64::from(lower.to_bits())
}

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

    /// Returns Black's share of the points.
    #[inline]
    pub fn points(self) -> f32 {
        self.value() as f32 / 2.0
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
    pub(super) fn code(self) -> u32 {
        match self.0 {
            Some(Color::Black) => 1,
            Some(Color::White) => 2,
            None => 3,
        }
    }

    #[inline]
    pub(super) fn from_code(code: u32) -> Option<Self> {
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

    /// Changes the statistics by one atomic operation, or faster by two where no other thread changes them.
    #[inline]
    fn change_statistics(&self, is_shared: bool, change: impl Fn(u64) -> u64) {
        if is_shared {
            let _ = self.statistics.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |old| Some(change(old)));
        } else {
            self.statistics.store(change(self.statistics.load(Ordering::Relaxed)), Ordering::Relaxed);
        }
    }

    /// Adds a visit that is under way, in a tree with values.
    #[inline]
    pub(super) fn begin_visit(&self, is_shared: bool) {
        self.change_statistics(is_shared, |old| old + VISIT_UNDER_WAY);
    }

    /// Ends a number of visits that were under way.
    #[inline]
    pub(super) fn end_visits(&self, ended: u64, is_shared: bool) {
        self.change_statistics(is_shared, |old| old - (ended << VISITS_SHIFT));
    }

    /// Replaces the mean value, and ends a number of visits that were under way.
    #[inline]
    pub(super) fn set_mean(&self, mean: f32, ended: u64, is_shared: bool) {
        let visits = |old: u64| (old >> VISITS_SHIFT) - ended;
        self.change_statistics(is_shared, |old| visits(old) << VISITS_SHIFT | u64::from(mean.to_bits()));
    }

    /// Replaces the visits and the mean value. No visit is under way.
    #[inline]
    pub(super) fn set_visits(&self, visits: u32, mean: f32) {
        let visits = u64::from(visits) << UNDER_WAY_BITS << VISITS_SHIFT;
        self.statistics.store(visits | u64::from(mean.to_bits()), Ordering::Relaxed);
    }

    /// Becomes an unvisited leaf, reached by `step`.
    pub(super) fn reset(&self, step: u32) {
        self.step.store(step & STEP_MASK, Ordering::Relaxed);
        self.first_child.store(0, Ordering::Relaxed);
        self.statistics.store(0, Ordering::Relaxed);
    }

    pub(super) fn copy_from(&self, other: &Self) {
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
