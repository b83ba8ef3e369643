//! Line features: the contents of each rank and each file of an 8x8 board.
//!
//! They tell where on the board stones are, which patterns do not. A line and its mirror image are one feature, and so
//! are lines at equal distances from the edge. Boards of other sizes have no lines.
#![expect(clippy::indexing_slicing, reason = "tables have an entry for each line, code, cell and byte")]

use once_cell::sync::Lazy;

use crate::board::{Bitboard, Cell, Shape};
use crate::games::patterns::{CONTENTS, DIGITS, POWERS};
use crate::nnue::{Accumulator, Network};

/// Cells of a line.
const LENGTH: usize = 8;

/// Number of line codes: ternary numbers with a digit for each cell.
const CODES: usize = 3_usize.pow(LENGTH as u32);

/// Lines of a board: its ranks from the bottom up, then its files from left to right.
const COUNT: usize = 2 * LENGTH;

/// Features of all lines.
pub(super) struct LineTable {
    /// By distance from the edge and code, the feature.
    features: Vec<u16>,
    /// By feature, its name: the distance from the edge, and the contents of the cells.
    pub(super) names: Vec<String>,
}

pub(super) static LINES: Lazy<LineTable> = Lazy::new(|| {
    let mut features = Vec::with_capacity(LENGTH / 2 * CODES);
    let mut names = Vec::new();
    for distance in 0..LENGTH / 2 {
        for code in 0..CODES {
            let digits: [usize; LENGTH] = std::array::from_fn(|cell| code / POWERS[cell] % 3);
            let mirrored = digits.iter().fold(0, |code, digit| 3 * code + digit);
            if mirrored < code {
                features.push(features[distance * CODES + mirrored]);
            } else {
                features.push(names.len() as u16);
                let contents: String = digits.iter().map(|&digit| CONTENTS[digit]).collect();
                names.push(format!("line{distance}.{contents}"));
            }
        }
    }
    LineTable { features, names }
});

/// Ternary numbers by the bits of a byte.
static TERNARY: [u16; 256] = {
    let mut table = [0; 256];
    let mut byte = 1;
    while byte < table.len() {
        table[byte] = 3 * table[byte / 2] + byte as u16 % 2;
        byte += 1;
    }
    table
};

/// Codes of all lines of a position: ternary numbers with a digit for each cell, 1 for an own stone, 2 for an enemy one.
///
/// By perspective: Black's, then White's.
pub(super) type LineCodes = [[u16; COUNT]; 2];

/// Returns the rank and the file of a cell, each with the index of the cell in it.
#[inline(always)]
fn lines(cell: Cell) -> [(usize, usize); 2] {
    let (x, y) = (cell.index() % LENGTH, cell.index() / LENGTH);
    [(y, x), (LENGTH + x, y)]
}

/// Returns the index of a line's feature in the weights.
#[inline(always)]
fn feature(features: &[u16], line: usize, code: u16) -> u16 {
    let place = line % LENGTH;
    let distance = place.min(LENGTH - 1 - place);
    features[distance * CODES + usize::from(code)]
}

/// Returns true if a board has lines.
pub(super) fn has_lines(shape: &Shape) -> bool {
    [shape.columns(), shape.ranks()].map(usize::from) == [LENGTH; 2]
}

/// Lines of a board, if it has any.
pub(super) struct LineFeatures {
    /// [`LineTable::features`]; empty where the board has no lines.
    features: &'static [u16],
}

impl LineFeatures {
    pub(super) fn new(shape: &Shape) -> Self {
        Self { features: if has_lines(shape) { &LINES.features } else { &[] } }
    }

    #[inline(always)]
    fn has_lines(&self) -> bool {
        !self.features.is_empty()
    }

    /// Returns the codes from the perspective of the side whose stones are `own`.
    #[inline(always)]
    fn codes<B: Bitboard>(own: B, enemy: B) -> [u16; COUNT] {
        let bytes = |set: B, line: usize| {
            let bits = set.window(0);
            let byte = match line.checked_sub(LENGTH) {
                None => bits >> (LENGTH * line),
                // The product brings the lowest bits of all bytes together in the highest byte.
                Some(x) => (bits >> x & 0x0101_0101_0101_0101).wrapping_mul(0x0102_0408_1020_4080) >> 56,
            };
            TERNARY[(byte & 0xff) as usize]
        };
        let mut codes = [0; COUNT];
        for line in 0..COUNT {
            codes[line] = bytes(own, line) + 2 * bytes(enemy, line);
        }
        codes
    }

    /// Visits the features of all lines, from the own perspective.
    #[inline(always)]
    pub(super) fn for_each_feature<B: Bitboard>(&self, own: B, enemy: B, mut visit: impl FnMut(u16)) {
        if self.has_lines() {
            let codes = Self::codes(own, enemy);
            (0..COUNT).for_each(|line| visit(feature(self.features, line, codes[line])));
        }
    }

    /// Computes the codes of a position.
    #[inline(always)]
    pub(super) fn refresh_codes<B: Bitboard>(&self, [black, white]: [B; 2], codes: &mut LineCodes) {
        if self.has_lines() {
            *codes = [Self::codes(black, white), Self::codes(white, black)];
        }
    }

    /// Adds the weights of all lines to an accumulator.
    #[inline(always)]
    pub(super) fn add_from_codes<const BUCKETS: usize, const NEURONS: usize>(
        &self,
        codes: &LineCodes,
        perspective: usize,
        network: &Network<BUCKETS, NEURONS>,
        accumulator: &mut Accumulator<BUCKETS, NEURONS>,
    ) {
        if self.has_lines() {
            for line in 0..COUNT {
                accumulator.add_neurons(network.neuron_only(feature(self.features, line, codes[perspective][line])));
            }
        }
    }

    /// Updates the codes for a stone of a color that comes to a cell (`count` 1) or leaves it (`count` -1).
    #[inline(always)]
    pub(super) fn update_codes(&self, codes: &mut LineCodes, cell: Cell, color: usize, count: i16) {
        if self.has_lines() {
            for (line, index) in lines(cell) {
                for perspective in 0..codes.len() {
                    let change = count * DIGITS[color][perspective] * POWERS[index] as i16;
                    codes[perspective][line] = codes[perspective][line].wrapping_add_signed(change);
                }
            }
        }
    }

    /// Updates an accumulator for a cell whose digit changes by `change`. The codes are those before.
    #[inline(always)]
    pub(super) fn update_accumulator<const BUCKETS: usize, const NEURONS: usize>(
        &self,
        accumulator: &mut Accumulator<BUCKETS, NEURONS>,
        codes: &LineCodes,
        cell: Cell,
        perspective: usize,
        change: i16,
        network: &Network<BUCKETS, NEURONS>,
    ) {
        if self.has_lines() {
            for (line, index) in lines(cell) {
                let old = codes[perspective][line];
                let new = old.wrapping_add_signed(change * POWERS[index] as i16);
                accumulator.replace_neurons(
                    network.neuron_only(feature(self.features, line, old)),
                    network.neuron_only(feature(self.features, line, new)),
                );
            }
        }
    }
}
