//! The network of Inversion, which adds to the sum of hexes.
//!
//! Its inputs tell where hexes and stones are on the board, and its neurons combine them. The sum does neither.
#![expect(clippy::indexing_slicing, reason = "tables have an entry for each pattern and hex")]

use std::sync::Arc;

use super::hexes::BoardHex;
use super::{BUCKETS, PATTERNS};
use crate::board::{Bitboard, Cell, Shape};
use crate::nnue::{self, HiddenLayers, Network, Weights};
use crate::rules::Sides;

/// Neurons of the network.
const NEURONS: usize = 32;

/// Features of a cell: an own stone, an enemy one, and a pending hex with its center there.
const OWN: usize = 0;
const ENEMY: usize = 1;
const PENDING: usize = 2;
const CELL_FEATURES: [&str; 3] = ["own", "enemy", "pending"];

/// Accumulator of the network, whose inputs feed neurons alone.
pub type Accumulator = nnue::Accumulator<0, NEURONS>;

/// Returns the overlap of each hex, and all values of it in ascending order.
///
/// The overlap is the number of hexes that have a cell in common with it, including itself. It is smaller near the
/// edge.
fn overlaps<B>(hexes: &[BoardHex<B>]) -> (Vec<usize>, Vec<usize>) {
    let overlaps: Vec<usize> = hexes.iter().map(|hex| hex.overlapping.len()).collect();
    let mut values = overlaps.clone();
    values.sort_unstable();
    values.dedup();
    (overlaps, values)
}

/// Returns the weights with a network for a board. `others` names the features that don't feed the network.
pub(super) fn table<B>(
    shape: &Shape,
    hexes: &[BoardHex<B>],
    others: &[String],
    (purpose, file): (&str, &[u8]),
) -> Weights {
    let (_, overlaps) = overlaps(hexes);
    let patterns = |overlap| PATTERNS.names.iter().map(move |name| format!("{overlap}.{name}"));
    let hexes = overlaps.iter().flat_map(patterns);
    let cells = shape.cells().map(|cell| shape.label(cell));
    let cells = cells.flat_map(|cell| CELL_FEATURES.map(|name| format!("{cell}.{name}")));
    let mut names: Vec<String> = hexes.chain(cells).collect();
    let layers = HiddenLayers { neuron_only: names.len(), inputs: names.len(), neurons: NEURONS, second: 0 };
    names.extend(others.iter().cloned());
    Weights::built_in(names, BUCKETS, layers, purpose, file)
}

/// The network, with the features of one board.
///
/// Its inputs are the patterns of hexes, once for each overlap, and then the features of each cell.
pub(super) struct BoardNetwork {
    network: Arc<Network<0, NEURONS>>,
    /// By pattern code, the pattern.
    patterns: &'static [u16],
    /// By hex, the feature of its first pattern.
    first_patterns: Vec<u16>,
    /// First feature of cells.
    first_cell: usize,
}

impl BoardNetwork {
    /// Returns the network of a table for the board with these hexes; `None` where the table has no network.
    pub(super) fn new<B>(weights: &Weights, hexes: &[BoardHex<B>]) -> Option<Self> {
        if weights.layers().neurons != NEURONS {
            return None;
        }
        let (overlaps, values) = overlaps(hexes);
        let count = PATTERNS.names.len();
        let first = |overlap| (values.partition_point(|&value| value < overlap) * count) as u16;
        Some(Self {
            network: Network::of(weights),
            patterns: &PATTERNS.features,
            first_patterns: overlaps.into_iter().map(first).collect(),
            first_cell: values.len() * count,
        })
    }

    /// Returns the feature of a hex with this pattern code.
    #[inline(always)]
    pub(super) fn hex(&self, number: usize, code: u16) -> u16 {
        self.first_patterns[number] + self.patterns[usize::from(code)]
    }

    /// Returns a feature of a cell; `kind` is an index of [`CELL_FEATURES`].
    #[inline(always)]
    fn cell(&self, cell: Cell, kind: usize) -> u16 {
        (self.first_cell + CELL_FEATURES.len() * cell.index() + kind) as u16
    }

    /// Visits the features of all cells.
    #[inline(always)]
    pub(super) fn for_each_cell<B: Bitboard>(&self, sides: Sides<B>, pending: B, mut visit: impl FnMut(u16)) {
        for &(set, kind) in &[(sides.own, OWN), (sides.enemy, ENEMY), (pending, PENDING)] {
            for cell in set.cells() {
                visit(self.cell(cell, kind));
            }
        }
    }

    /// Returns the accumulator of the features of all cells.
    #[inline(always)]
    pub(super) fn refresh_cells<B: Bitboard>(&self, sides: Sides<B>, pending: B) -> Accumulator {
        let mut accumulator = self.network.bias();
        self.for_each_cell(
            sides,
            pending,
            #[inline(always)]
            |feature| accumulator.add(self.network.feature(feature)),
        );
        accumulator
    }

    /// Adds the feature of a hex.
    #[inline(always)]
    pub(super) fn add_hex(&self, accumulator: &mut Accumulator, number: usize, code: u16) {
        accumulator.add(self.network.feature(self.hex(number, code)));
    }

    /// Replaces the feature of a hex whose pattern code changes.
    #[inline(always)]
    pub(super) fn replace_hex(&self, accumulator: &mut Accumulator, number: usize, [old, new]: [u16; 2]) {
        let weights = |code| self.network.feature(self.hex(number, code));
        accumulator.replace(weights(old), weights(new));
    }

    /// Adds the feature of an own or enemy stone.
    #[inline(always)]
    pub(super) fn add_stone(&self, accumulator: &mut Accumulator, cell: Cell, is_own: bool) {
        let kind = if is_own { OWN } else { ENEMY };
        accumulator.add(self.network.feature(self.cell(cell, kind)));
    }

    /// Replaces the features of stones that are new or have changed sides.
    #[inline(always)]
    pub(super) fn replace_stones<B: Bitboard>(&self, accumulator: &mut Accumulator, before: Sides<B>, after: Sides<B>) {
        let weights = |cell, kind| self.network.feature(self.cell(cell, kind));
        for cell in (before.enemy & after.own).cells() {
            accumulator.replace(weights(cell, ENEMY), weights(cell, OWN));
        }
        for cell in (before.own & after.enemy).cells() {
            accumulator.replace(weights(cell, OWN), weights(cell, ENEMY));
        }
        let occupied = before.own | before.enemy;
        for cell in (after.own & !occupied).cells() {
            accumulator.add(weights(cell, OWN));
        }
        for cell in (after.enemy & !occupied).cells() {
            accumulator.add(weights(cell, ENEMY));
        }
    }

    /// Returns the value in an output bucket.
    #[inline(always)]
    pub(super) fn output(&self, accumulator: &Accumulator, bucket: usize) -> i32 {
        self.network.output(accumulator, bucket)
    }
}
