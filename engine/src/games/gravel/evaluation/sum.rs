//! The weighted sum of counts in a position of Gravel.
#![expect(clippy::indexing_slicing, reason = "arrays have an entry for each color")]

use super::super::{Gravel, Position};
use super::{BUCKETS, MARGIN, SPARE, bucket};
use crate::board::{Bitboard, map_array};
use crate::nnue::{HiddenLayers, Weights};
use crate::rules::Color;

/// Counted features of each side, the own side first.
///
/// They are occupied spaces; pieces lost; enemy spaces that the side controls; enemy spaces with its pieces in at least
/// two adjacent spaces; vacant spaces next to its own; its full spaces; and pieces in its Pool.
const SIDE_COUNTS: [&str; 7] = ["space", "removed", "controlled", "flanked", "room", "full", "pool"];

/// Features of both sides together: the side to move, which is always 1, and the actions left in its turn.
const COMMON: [&str; 2] = ["move", "left"];

/// Returns the weights of a sum from a packed file.
pub(super) fn table(purpose: &str, file: &[u8]) -> Weights {
    let of_side = |side: &str| {
        let mut names = SIDE_COUNTS.map(|name| format!("{side}.{name}")).to_vec();
        names.extend((0..MARGIN).map(|margin| format!("{side}.margin.{margin}")));
        names.extend((0..SPARE).map(|spare| format!("{side}.spare.{spare}")));
        names
    };
    let mut names = [of_side("own"), of_side("enemy")].concat();
    names.extend(COMMON.map(str::to_owned));
    Weights::built_in(names, BUCKETS, HiddenLayers::default(), purpose, file)
}

impl<B: Bitboard> Gravel<B> {
    /// Returns the counts of [`SIDE_COUNTS`] for one side.
    #[inline(always)]
    fn counts(&self, position: &Position<B>, color: Color) -> [i32; SIDE_COUNTS.len()] {
        let (own, enemy) = (position.spaces[color.index()], position.spaces[(!color).index()]);
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

    /// Visits the features of a position as terms: feature, output bucket and count.
    #[inline(always)]
    pub(super) fn terms_of_sum(&self, position: &Position<B>, mut add: impl FnMut(usize, usize, i32)) {
        let bucket = bucket(position, self.pieces);
        let mut feature = 0;
        for &color in &[position.side, !position.side] {
            for &count in &self.counts(position, color) {
                add(feature, bucket, count);
                feature += 1;
            }
            let (margin, spare) = self.distances(position, color);
            add(feature + margin, bucket, 1);
            add(feature + MARGIN + spare, bucket, 1);
            feature += MARGIN + SPARE;
        }
        add(feature, bucket, 1);
        add(feature + 1, bucket, self.x.saturating_sub(position.used.total()) as i32);
    }

    /// Returns the value of a position for the side to move.
    #[inline(always)]
    pub(super) fn sum(&self, weights: &Weights, position: &Position<B>) -> i32 {
        let mut value = 0;
        self.terms_of_sum(
            position,
            #[inline(always)]
            |feature, bucket, count| value += count * weights.weight(feature, bucket),
        );
        value
    }
}
