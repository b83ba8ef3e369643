//! The network of a board: what the sum of hexes can't see, for it asks neither where they are nor what else there is.
#![expect(
    clippy::indexing_slicing,
    reason = "tables have an entry for each pattern and hex"
)]

use std::sync::Arc;

use super::hexes::Window;
use super::{BUCKETS, PATTERNS};
use crate::board::{Bitboard, Cell, Shape};
use crate::nnue::{self, Layer, Network, Weights};
use crate::rules::Sides;

/// Neurons of the network.
const NEURONS: usize = 32;

/// What may be in a cell: an own stone, an enemy one, and a hex to be inverted about it.
const OWN: usize = 0;
const ENEMY: usize = 1;
const PENDING: usize = 2;
const IN_CELL: [&str; 3] = ["own", "enemy", "pending"];

/// Hexes and cells feed neurons alone.
pub type Accumulator = nnue::Accumulator<0, NEURONS>;

/// By hex, how many hexes have a cell in common with it, itself among them: the fewer, the nearer it is to the edge. And these
/// numbers, each once.
fn crowds<B>(windows: &[Window<B>]) -> (Vec<usize>, Vec<usize>) {
    let crowds: Vec<usize> = windows.iter().map(|window| window.near.len()).collect();
    let mut kinds = crowds.clone();
    kinds.sort_unstable();
    kinds.dedup();
    (crowds, kinds)
}

/// A table of weights with a network for a board; its other rows have the names given.
pub(super) fn table<B>(
    shape: &Shape,
    windows: &[Window<B>],
    others: &[String],
    (purpose, file): (&str, &[u8]),
) -> Weights {
    let (_, kinds) = crowds(windows);
    let patterns = |kind| {
        PATTERNS
            .names
            .iter()
            .map(move |name| format!("{kind}.{name}"))
    };
    let hexes = kinds.iter().flat_map(patterns);
    let cells = shape.cells().map(|cell| shape.label(cell));
    let cells = cells.flat_map(|cell| IN_CELL.map(|what| format!("{cell}.{what}")));
    let mut rows: Vec<String> = hexes.chain(cells).collect();
    let layer = Layer {
        only: rows.len(),
        features: rows.len(),
        neurons: NEURONS,
    };
    rows.extend(others.iter().cloned());
    Weights::built_in(rows, BUCKETS, layer, purpose, file)
}

/// The network of a board. Its features are the patterns of hexes, apart for each number of hexes that have a cell in common
/// with them, and behind them, cell by cell, what is in it.
pub(super) struct Located {
    network: Arc<Network<0, NEURONS>>,
    /// By code, the row of its pattern among those of a hex.
    rows: &'static [u16],
    /// By hex, the row of its first pattern.
    patterns: Vec<u16>,
    /// The first row of cells.
    cells: usize,
}

impl Located {
    /// Reads the network of a table, if it has one, for the board with these hexes.
    pub(super) fn new<B>(weights: &Weights, windows: &[Window<B>]) -> Option<Self> {
        if weights.layer().neurons != NEURONS {
            return None;
        }
        let (crowds, kinds) = crowds(windows);
        let count = PATTERNS.names.len();
        let first = |crowd| (kinds.partition_point(|&kind| kind < crowd) * count) as u16;
        Some(Self {
            network: Network::of(weights),
            rows: &PATTERNS.rows,
            patterns: crowds.into_iter().map(first).collect(),
            cells: kinds.len() * count,
        })
    }

    /// The row of a hex by its code.
    #[inline(always)]
    pub(super) fn hex(&self, number: usize, code: u16) -> u16 {
        self.patterns[number] + self.rows[usize::from(code)]
    }

    /// The row of what is in a cell.
    #[inline(always)]
    fn cell(&self, cell: Cell, what: usize) -> u16 {
        (self.cells + IN_CELL.len() * cell.index() + what) as u16
    }

    /// Shows the rows of what is in cells.
    #[inline(always)]
    pub(super) fn cells<B: Bitboard>(
        &self,
        sides: Sides<B>,
        pending: B,
        mut show: impl FnMut(u16),
    ) {
        for &(set, what) in &[(sides.own, OWN), (sides.enemy, ENEMY), (pending, PENDING)] {
            for cell in set.cells() {
                show(self.cell(cell, what));
            }
        }
    }

    /// Adds up all cells.
    #[inline(always)]
    pub(super) fn refresh_cells<B: Bitboard>(&self, sides: Sides<B>, pending: B) -> Accumulator {
        let mut accumulator = self.network.bias();
        self.cells(
            sides,
            pending,
            #[inline(always)]
            |row| accumulator.add(self.network.feature(row)),
        );
        accumulator
    }

    /// Adds a hex.
    #[inline(always)]
    pub(super) fn add_hex(&self, accumulator: &mut Accumulator, number: usize, code: u16) {
        accumulator.add(self.network.feature(self.hex(number, code)));
    }

    /// Changes a hex from one code to another.
    #[inline(always)]
    pub(super) fn exchange_hex(
        &self,
        accumulator: &mut Accumulator,
        number: usize,
        [gone, come]: [u16; 2],
    ) {
        let input = |code| self.network.feature(self.hex(number, code));
        accumulator.exchange(input(gone), input(come));
    }

    /// Adds a stone, an own one or an enemy.
    #[inline(always)]
    pub(super) fn add_stone(&self, accumulator: &mut Accumulator, cell: Cell, is_own: bool) {
        let what = if is_own { OWN } else { ENEMY };
        accumulator.add(self.network.feature(self.cell(cell, what)));
    }

    /// Changes stones from what they were to what they are.
    #[inline(always)]
    pub(super) fn change_stones<B: Bitboard>(
        &self,
        accumulator: &mut Accumulator,
        before: Sides<B>,
        after: Sides<B>,
    ) {
        let input = |cell, what| self.network.feature(self.cell(cell, what));
        for cell in (before.enemy & after.own).cells() {
            accumulator.exchange(input(cell, ENEMY), input(cell, OWN));
        }
        for cell in (before.own & after.enemy).cells() {
            accumulator.exchange(input(cell, OWN), input(cell, ENEMY));
        }
        let occupied = before.own | before.enemy;
        for cell in (after.own & !occupied).cells() {
            accumulator.add(input(cell, OWN));
        }
        for cell in (after.enemy & !occupied).cells() {
            accumulator.add(input(cell, ENEMY));
        }
    }

    /// The value in an output bucket.
    #[inline(always)]
    pub(super) fn output(&self, accumulator: &Accumulator, bucket: usize) -> i32 {
        self.network.output(accumulator, bucket)
    }
}
