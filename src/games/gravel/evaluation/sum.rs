//! The sum of what can be counted.
#![expect(
    clippy::indexing_slicing,
    reason = "tables have an entry for each colour, and are indexed by those"
)]

use super::super::{Gravel, Position};
use super::{BUCKETS, MARGIN, SPARE, bucket};
use crate::board::{Bitboard, map_array};
use crate::nnue::{Layer, Weights};
use crate::rules::Color;

/// What is counted of either side, the own one first: the spaces that it occupies; pieces that it has lost; enemy spaces that it
/// controls, and those that it has pieces at two sides of; vacant ones next to it; its spaces that are full; pieces in its pool.
const OF_EACH: [&str; 7] = [
    "space",
    "removed",
    "controlled",
    "flanked",
    "room",
    "full",
    "pool",
];

/// And of both: to be the one to move, and actions left in this turn.
const OF_BOTH: [&str; 2] = ["move", "left"];

/// A table of weights of the sum.
pub(super) fn table(purpose: &str, file: &[u8]) -> Weights {
    let of_side = |side: &str| {
        let mut rows: Vec<String> = OF_EACH.map(|what| format!("{side}.{what}")).to_vec();
        rows.extend((0..MARGIN).map(|margin| format!("{side}.margin.{margin}")));
        rows.extend((0..SPARE).map(|spare| format!("{side}.spare.{spare}")));
        rows
    };
    let mut rows = [of_side("own"), of_side("enemy")].concat();
    rows.extend(OF_BOTH.map(str::to_owned));
    Weights::built_in(rows, BUCKETS, Layer::default(), purpose, file)
}

impl<B: Bitboard> Gravel<B> {
    /// How often there is of one side what [`OF_EACH`] names.
    #[inline(always)]
    fn counts(&self, position: &Position<B>, color: Color) -> [i32; OF_EACH.len()] {
        let (own, enemy) = (
            position.spaces[color.index()],
            position.spaces[(!color).index()],
        );
        let vacant = self.grid.cells() & !(own | enemy);
        let counts = [
            own.count(),
            position.removed[color.index()],
            self.controlled(position, color).count(),
            (enemy & self.grid.double_neighbors(own)).count(),
            (vacant & self.grid.neighbors(own)).count(),
            (own & position.full).count(),
            self.pool(position, color),
        ];
        map_array(
            counts,
            #[inline(always)]
            |count| count as i32,
        )
    }

    /// Shows what there is in a position.
    #[inline(always)]
    pub(super) fn terms_of_sum(
        &self,
        position: &Position<B>,
        mut add: impl FnMut(usize, usize, i32),
    ) {
        let bucket = bucket(position, self.pieces);
        let mut row = 0;
        for &color in &[position.side, !position.side] {
            for &count in &self.counts(position, color) {
                add(row, bucket, count);
                row += 1;
            }
            let (margin, spare) = self.distances(position, color);
            add(row + margin, bucket, 1);
            add(row + MARGIN + spare, bucket, 1);
            row += MARGIN + SPARE;
        }
        add(row, bucket, 1);
        add(
            row + 1,
            bucket,
            self.x.saturating_sub(position.used.total()) as i32,
        );
    }

    /// What a position is worth.
    #[inline(always)]
    pub(super) fn sum(&self, weights: &Weights, position: &Position<B>) -> i32 {
        let mut value = 0;
        self.terms_of_sum(
            position,
            #[inline(always)]
            |row, bucket, times| value += times * weights.at(row, bucket),
        );
        value
    }
}
