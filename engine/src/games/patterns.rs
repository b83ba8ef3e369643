//! 3x3 pattern features: the contents of a cell and of all cells around it.
//!
//! The evaluations of Invector and Markane share them. Each cell of the board is the center of one pattern. Patterns
//! that are equal after turning or mirroring are one feature.
#![expect(
    clippy::indexing_slicing,
    reason = "tables have an entry for each edge kind, code, cell and number of six bits"
)]

use once_cell::sync::Lazy;

use crate::board::{Bitboard, Cell, Shape};
use crate::nnue::{Accumulator, Network};

/// Cells of a pattern, in cell order.
const CELLS: usize = 9;

/// Number of pattern codes: ternary numbers with a digit for each cell.
const CODES: usize = 3_usize.pow(CELLS as u32);

/// By cell, what its digit counts in a code.
pub(super) const POWERS: [usize; CELLS] = [1, 3, 9, 27, 81, 243, 729, 2187, 6561];

/// Number of edge kinds: columns inside the board, at its first one and at its last one, times the same for ranks.
const EDGES: usize = 9;

/// Contents of a cell in the name of a feature: empty, own, the enemy's, or off the board.
pub(super) const CONTENTS: [char; 4] = ['-', 'o', 'e', '#'];

/// Features of all patterns; the eight symmetries of a pattern are one feature.
pub(super) struct PatternTable {
    /// By edge kind and code, the feature.
    pub(super) features: Vec<u16>,
    /// By feature, its name: the contents of the nine cells in cell order.
    pub(super) names: Vec<String>,
}

/// Returns true if a cell of a pattern with this edge kind is on the board.
fn is_on_board(edge: usize, cell: usize) -> bool {
    let fits = |edge: usize, offset: usize| match edge {
        0 => true,
        1 => offset > 0,
        _ => offset < 2,
    };
    fits(edge / 3, cell % 3) && fits(edge % 3, cell / 3)
}

/// Returns one of the eight symmetries of a pattern: by cell, the cell whose contents come there.
fn symmetry(number: usize) -> [usize; CELLS] {
    std::array::from_fn(|cell| {
        let flip = |offset: usize, bit: usize| {
            if number >> bit & 1 == 1 { 2 - offset } else { offset }
        };
        let (x, y) = (flip(cell % 3, 0), flip(cell / 3, 1));
        if number >> 2 & 1 == 1 { 3 * x + y } else { 3 * y + x }
    })
}

/// Content of a cell off the board, as an index in [`CONTENTS`].
const OFF: u8 = 3;

/// Returns the index in [`PatternTable::features`] of a pattern, given by the indices in [`CONTENTS`] of its cells.
fn index(contents: &[u8; CELLS]) -> usize {
    // The middle cells of the sides are off the board where the board ends.
    let end = |first: usize, last: usize| usize::from(contents[first] == OFF) + 2 * usize::from(contents[last] == OFF);
    let mut code = 0;
    for cell in 0..CELLS {
        code += usize::from(contents[cell] % OFF) * POWERS[cell];
    }
    (3 * end(3, 5) + end(1, 7)) * CODES + code
}

pub(super) static PATTERNS: Lazy<PatternTable> = Lazy::new(|| {
    /// In place of the feature of a pattern that was not met yet.
    const UNKNOWN: u16 = u16::MAX;
    let symmetries: [[usize; CELLS]; 8] = std::array::from_fn(symmetry);
    let mut features = vec![UNKNOWN; EDGES * CODES];
    let mut names = Vec::new();
    for edge in 0..EDGES {
        let on_board: Vec<usize> = (0..CELLS).filter(|&cell| is_on_board(edge, cell)).collect();
        // The digits of a counter run through all contents of the cells on the board.
        for number in 0..3_usize.pow(on_board.len() as u32) {
            let (mut rest, mut code) = (number, 0);
            let mut contents = [OFF; CELLS];
            for &cell in &on_board {
                contents[cell] = (rest % 3) as u8;
                code += rest % 3 * POWERS[cell];
                rest /= 3;
            }
            // An image of it was met before.
            if features[edge * CODES + code] != UNKNOWN {
                continue;
            }
            let mut first = contents;
            for symmetry in &symmetries {
                let mut image = contents;
                for (content, &cell) in image.iter_mut().zip(symmetry) {
                    *content = contents[cell];
                }
                features[index(&image)] = names.len() as u16;
                first = first.min(image);
            }
            let mut name = String::with_capacity(CELLS);
            name.extend(first.map(|content| CONTENTS[usize::from(content)]));
            names.push(name);
        }
    }
    PatternTable { features, names }
});

/// Ternary codes of three neighboring cells, by three bits of own stones and three of enemy ones.
///
/// The first of each pair is from the perspective of the own side, the second from that of the enemy.
static TRIPLES: [[u16; 2]; 64] = {
    const fn digits(bits: usize) -> u16 {
        (bits & 1) as u16 + 3 * (bits >> 1 & 1) as u16 + 9 * (bits >> 2 & 1) as u16
    }
    let mut table = [[0; 2]; 64];
    let mut bits = 0;
    while bits < table.len() {
        let (own, enemy) = (digits(bits & 7), digits(bits >> 3));
        table[bits] = [own + 2 * enemy, enemy + 2 * own];
        bits += 1;
    }
    table
};

/// Contents of a pattern: a ternary number with a digit for each cell, 1 for an own stone, 2 for an enemy one.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct PatternCode(u16);

impl PatternCode {
    /// Returns the index in [`PatternTable::features`], where the codes of the edge kind begin at `edge`.
    #[inline(always)]
    fn index(self, edge: u32) -> usize {
        edge as usize + usize::from(self.0)
    }
}

/// Membership of a cell in a pattern.
struct Membership {
    /// Center of the pattern.
    center: u16,
    /// Index of the first code of the pattern's edge kind in [`PatternTable::features`].
    edge: u32,
    /// Number that an own stone in the cell adds to the code.
    digit: u16,
}

/// Membership of at least one of two cells in a pattern.
pub(super) struct PairMembership {
    /// Center of the pattern.
    center: u16,
    /// Index of the first code of the pattern's edge kind in [`PatternTable::features`].
    edge: u32,
    /// By cell of the pair, the number that an own stone adds to the code; 0 for a cell outside the pattern.
    digits: [i16; 2],
}

impl PairMembership {
    /// Returns the code after each cell of the pair has changed by this many digits.
    #[inline(always)]
    fn changed(&self, PatternCode(code): PatternCode, change: [i16; 2]) -> PatternCode {
        PatternCode(code.wrapping_add_signed(change[0] * self.digits[0] + change[1] * self.digits[1]))
    }
}

/// Patterns of a board, one around each cell.
pub(super) struct PatternFeatures {
    columns: usize,
    /// [`PatternTable::features`].
    features: &'static [u16],
    /// By center, the index of the first code of its edge kind in `features`.
    edges: Vec<u32>,
    /// By cell, the patterns that it belongs to.
    memberships: Vec<Vec<Membership>>,
}

/// Codes of all patterns of a position, by center: from Black's perspective and from White's.
#[derive(Default)]
pub struct PatternCodes(Vec<[PatternCode; 2]>);

impl Clone for PatternCodes {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }

    #[inline(always)]
    fn clone_from(&mut self, others: &Self) {
        self.0.clone_from(&others.0);
    }
}

/// Digit of a stone in a code, by the stone's color and by perspective, each 0 for Black.
pub(super) const DIGITS: [[i16; 2]; 2] = [[1, 2], [2, 1]];

impl PatternFeatures {
    /// Returns the patterns of a board.
    pub(super) fn new(shape: &Shape) -> Self {
        let edge = |offset: u8, count: u8| match offset {
            0 => 1,
            offset if offset + 1 == count => 2,
            _ => 0,
        };
        let mut memberships: Vec<Vec<Membership>> = shape.cells().map(|_| Vec::new()).collect();
        let mut add_pattern = |center: Cell| {
            let (x, y) = shape.coordinates(center);
            let edge = 3 * edge(x, shape.columns()) + edge(y, shape.ranks());
            let first = (edge * CODES) as u32;
            for cell in (0..CELLS).filter(|&cell| is_on_board(edge, cell)) {
                let (dx, dy) = ((cell % 3) as i8 - 1, (cell / 3) as i8 - 1);
                // On boards one cell wide, the edge kind tells of one edge only.
                if let Some(there) = shape.offset(center, dx, dy) {
                    let digit = 3_u16.pow(cell as u32);
                    let center = center.index() as u16;
                    memberships[there.index()].push(Membership { center, edge: first, digit });
                }
            }
            first
        };
        let edges = shape.cells().map(&mut add_pattern).collect();
        Self { columns: shape.columns().into(), features: &PATTERNS.features, edges, memberships }
    }

    /// Visits all patterns, with the codes from the own perspective and from the enemy's.
    #[inline(always)]
    fn for_each<B: Bitboard>(&self, own: B, enemy: B, mut visit: impl FnMut(u32, [PatternCode; 2])) {
        // Shifted by one, so that the first cell of a rank has an empty neighbor before it.
        let rank = |first: usize| {
            let bits = |set: B| (set.window(first) & ((1 << self.columns) - 1)) << 1;
            if first < self.edges.len() { [bits(own), bits(enemy)] } else { [0; 2] }
        };
        let (mut below, mut here) = ([0; 2], rank(0));
        for number in 0..self.edges.len() / self.columns {
            let above = rank((number + 1) * self.columns);
            for x in 0..self.columns {
                let edge = self.edges[number * self.columns + x];
                let triple = |[own, enemy]: [u64; 2]| TRIPLES[(own >> x & 7 | (enemy >> x & 7) << 3) as usize];
                let ranks = [triple(below), triple(here), triple(above)];
                let code = |view: usize| PatternCode(ranks[0][view] + 27 * ranks[1][view] + 729 * ranks[2][view]);
                visit(edge, [code(0), code(1)]);
            }
            (below, here) = (here, above);
        }
    }

    /// Visits the features of all patterns, from the own perspective.
    #[inline(always)]
    pub(super) fn for_each_feature<B: Bitboard>(&self, own: B, enemy: B, mut visit: impl FnMut(u16)) {
        let features = self.features;
        self.for_each(own, enemy, |edge, [code, _]| visit(features[code.index(edge)]));
    }

    /// Computes the accumulator of all patterns from the stones, from the own perspective.
    #[inline(always)]
    pub(super) fn refresh<B: Bitboard, const BUCKETS: usize, const NEURONS: usize>(
        &self,
        own: B,
        enemy: B,
        network: &Network<BUCKETS, NEURONS>,
    ) -> Accumulator<BUCKETS, NEURONS> {
        let mut accumulator = network.bias();
        self.for_each_feature(own, enemy, |feature| accumulator.add(network.feature(feature)));
        accumulator
    }

    /// Computes the codes of a position.
    #[inline(always)]
    pub(super) fn refresh_codes<B: Bitboard>(&self, [black, white]: [B; 2], codes: &mut PatternCodes) {
        codes.0.resize(self.edges.len(), Default::default());
        let mut slots = codes.0.iter_mut();
        self.for_each(black, white, |_, both| {
            if let Some(slot) = slots.next() {
                *slot = both;
            }
        });
    }

    /// Computes the accumulator of all patterns from their codes.
    #[inline(always)]
    pub(super) fn refresh_from_codes<const BUCKETS: usize, const NEURONS: usize>(
        &self,
        codes: &PatternCodes,
        perspective: usize,
        network: &Network<BUCKETS, NEURONS>,
    ) -> Accumulator<BUCKETS, NEURONS> {
        let features = self.features;
        let mut accumulator = network.bias();
        for center in 0..self.edges.len() {
            let code = codes.0[center][perspective];
            accumulator.add(network.feature(features[code.index(self.edges[center])]));
        }
        accumulator
    }

    /// Updates the codes for a stone of a color that comes to a cell (`count` 1) or leaves it (`count` -1).
    #[inline(always)]
    pub(super) fn update_codes(&self, codes: &mut PatternCodes, cell: Cell, color: usize, count: i16) {
        for membership in &self.memberships[cell.index()] {
            let codes = &mut codes.0[usize::from(membership.center)];
            for perspective in 0..codes.len() {
                let PatternCode(code) = &mut codes[perspective];
                let change = count * DIGITS[color][perspective];
                *code = code.wrapping_add_signed(change * membership.digit as i16);
            }
        }
    }

    /// Updates an accumulator for a cell whose digit changes by `change`. The codes are those before.
    #[inline(always)]
    pub(super) fn update_accumulator<const BUCKETS: usize, const NEURONS: usize>(
        &self,
        accumulator: &mut Accumulator<BUCKETS, NEURONS>,
        codes: &PatternCodes,
        cell: Cell,
        perspective: usize,
        change: i16,
        network: &Network<BUCKETS, NEURONS>,
    ) {
        let features = self.features;
        for membership in &self.memberships[cell.index()] {
            let old = codes.0[usize::from(membership.center)][perspective];
            let new = PatternCode(old.0.wrapping_add_signed(change * membership.digit as i16));
            accumulator.replace(
                network.feature(features[old.index(membership.edge)]),
                network.feature(features[new.index(membership.edge)]),
            );
        }
    }

    /// Returns the patterns that at least one of two cells belongs to.
    pub(super) fn pair_memberships(&self, pair: [Cell; 2]) -> Vec<PairMembership> {
        let mut all: Vec<PairMembership> = Vec::new();
        for (number, cell) in pair.into_iter().enumerate() {
            for membership in &self.memberships[cell.index()] {
                let (center, edge) = (membership.center, membership.edge);
                let known = all.iter().position(|pair| pair.center == center);
                let known = known.unwrap_or_else(|| {
                    let digits = [0; 2];
                    all.push(PairMembership { center, edge, digits });
                    all.len() - 1
                });
                all[known].digits[number] = membership.digit.cast_signed();
            }
        }
        all
    }

    /// Updates the codes for two cells whose digits change; `changes` is by perspective and cell.
    #[inline(always)]
    pub(super) fn update_codes_of_pair(
        codes: &mut PatternCodes,
        memberships: &[PairMembership],
        changes: [[i16; 2]; 2],
    ) {
        for membership in memberships {
            let codes = &mut codes.0[usize::from(membership.center)];
            for perspective in 0..codes.len() {
                codes[perspective] = membership.changed(codes[perspective], changes[perspective]);
            }
        }
    }

    /// Updates an accumulator for two cells whose digits change by `change`. The codes are those before.
    #[inline(always)]
    pub(super) fn update_accumulator_for_pair<const BUCKETS: usize, const NEURONS: usize>(
        &self,
        accumulator: &mut Accumulator<BUCKETS, NEURONS>,
        codes: &PatternCodes,
        memberships: &[PairMembership],
        perspective: usize,
        change: [i16; 2],
        network: &Network<BUCKETS, NEURONS>,
    ) {
        let features = self.features;
        for membership in memberships {
            let old = codes.0[usize::from(membership.center)][perspective];
            let new = membership.changed(old, change);
            accumulator.replace(
                network.feature(features[old.index(membership.edge)]),
                network.feature(features[new.index(membership.edge)]),
            );
        }
    }
}
