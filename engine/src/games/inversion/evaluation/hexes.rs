//! The hexes of a board, which are cells with their six neighbors, and their contents in a position.
#![expect(
    clippy::indexing_slicing,
    reason = "tables have an entry for each number of seven bits, and for each rank and count"
)]

use crate::board::{Bitboard, Cell, Pext, Shape, map_array};

/// Number of cells of a hex.
pub(super) const HEX: usize = 7;

/// Ranks of a hex: the offset of the first cell from the center in columns and ranks, and the number of cells.
const RANKS: [(i8, i8, u32); 3] = [(-1, -1, 2), (-1, 0, 3), (0, 1, 2)];

/// Maximum number of open hexes over a cell in `fate` features.
pub(super) const FATES: usize = 3;

/// By seven bits, the ternary number with the same digits.
static TERNARY: [u16; 1 << HEX] = {
    let mut table = [0; 1 << HEX];
    let mut bits = 1;
    while bits < table.len() {
        // The entry without the lowest bit is already filled in.
        table[bits] = table[bits & (bits - 1)] + 3_u16.pow(bits.trailing_zeros());
        bits += 1;
    }
    table
};

/// Hex of the board.
pub struct BoardHex<B> {
    pub(super) center: Cell,
    /// Cells of the hex.
    pub cells: B,
    /// By rank of the hex, the index of its first cell.
    ranks: [usize; RANKS.len()],
    /// Numbers of the hexes that have a cell in common with this one, including its own.
    pub(super) overlapping: Vec<u16>,
}

/// Returns the hexes of a board, from those by center.
pub fn board_hexes<B: Bitboard>(shape: &Shape, hexes: &[Option<B>]) -> Vec<BoardHex<B>> {
    let board_hex = |(center, hex): (Cell, &Option<B>)| {
        let first = |(dx, dy, _)| shape.offset(center, dx, dy).map_or(0, Cell::index);
        let cells = (*hex)?;
        let all = hexes.iter().flatten().zip(0..);
        let overlapping = all.filter(|(other, _)| !(cells & **other).is_empty()).map(|(_, number)| number).collect();
        Some(BoardHex { center, cells, ranks: RANKS.map(first), overlapping })
    };
    shape.cells().zip(hexes).filter_map(board_hex).collect()
}

impl<B: Bitboard> BoardHex<B> {
    /// Returns a bit for each cell of the hex, in cell order, set where `set` holds the cell.
    #[inline(always)]
    pub fn bits(&self, set: B, pext: Option<Pext>) -> usize {
        if let Some(bits) = pext.and_then(|pext| set.pext(self.cells, pext)) {
            return bits as usize % TERNARY.len();
        }
        let mut bits = 0;
        let mut shift = 0;
        for rank in 0..RANKS.len() {
            let (_, _, count) = RANKS[rank];
            bits |= (set.window(self.ranks[rank]) & ((1 << count) - 1)) << shift;
            shift += count;
        }
        bits as usize
    }
}

impl<B: Bitboard> BoardHex<B> {
    /// Returns the contents of the hex in a position. `covered` has the cells under one open hex, two and three.
    #[inline(always)]
    pub(super) fn contents(&self, own: B, enemy: B, covered: [B; FATES], pext: Option<Pext>) -> HexContents {
        let (o, e) = (self.bits(own, pext), self.bits(enemy, pext));
        HexContents {
            code: TERNARY[o] + 2 * TERNARY[e],
            empty: HEX as u8 - (o | e).count_ones() as u8,
            own: o.count_ones() as u8,
            covered: map_array(
                covered,
                #[inline(always)]
                |covered| (self.cells & covered).count() as u8,
            ),
        }
    }
}

/// Counts from 0 to 7, one for each cell, stored as three bitboards of their bits.
#[derive(Clone, Copy)]
pub(super) struct CellCounts<B>([B; 3]);

impl<B: Bitboard> CellCounts<B> {
    /// Counts of 0 for all cells.
    pub(super) const ZERO: Self = Self([B::EMPTY; 3]);

    /// Adds 1 to the counts of the cells of a set.
    #[inline(always)]
    pub(super) fn add(&mut self, set: B) {
        let [ones, twos, fours] = self.0;
        let carry = ones & set;
        self.0 = [ones ^ set, twos ^ carry, fours ^ (twos & carry)];
    }

    /// Subtracts 1 from the counts of the cells of a set, none of which may be 0.
    #[inline(always)]
    pub(super) fn remove(&mut self, set: B) {
        let [ones, twos, fours] = self.0;
        let borrow = set & !ones;
        self.0 = [ones ^ set, twos ^ borrow, fours ^ (borrow & !twos)];
    }

    /// Returns the count of a cell.
    #[inline(always)]
    pub(super) fn at(&self, cell: Cell) -> u8 {
        let has = |bit: usize| u8::from(self.0[bit].has(cell));
        has(0) + 2 * has(1) + 4 * has(2)
    }

    /// Returns the cells with a count of 1, those with 2 and those with 3.
    #[inline(always)]
    pub(super) fn one_to_three(&self) -> [B; FATES] {
        let mut cells = [B::EMPTY; FATES];
        for i in 0..FATES {
            cells[i] = self.equal(i + 1);
        }
        cells
    }

    /// Returns the cells with this count.
    #[inline(always)]
    pub(super) fn equal(&self, count: usize) -> B {
        let where_bit = |bit: usize| {
            if count >> bit & 1 == 1 { self.0[bit] } else { !self.0[bit] }
        };
        where_bit(0) & where_bit(1) & where_bit(2)
    }
}

/// Contents of a hex in a position.
#[derive(Clone, Copy, Debug)]
pub(super) struct HexContents {
    /// Pattern code: a ternary number with a digit for each cell, 1 for an own stone, 2 for an enemy one.
    pub(super) code: u16,
    /// Number of empty cells.
    pub(super) empty: u8,
    /// Number of own stones.
    pub(super) own: u8,
    /// Numbers of cells under one open hex, two and three.
    pub(super) covered: [u8; FATES],
}

/// Membership of a cell in a hex.
pub(in crate::games::inversion) struct Membership {
    /// Number of the hex.
    pub(super) hex: u16,
    /// Number that an own stone in the cell adds to the pattern code.
    pub(super) digit: u16,
}

/// Returns, by cell, the hexes that it belongs to.
pub(in crate::games::inversion) fn memberships<B: Bitboard>(
    shape: &Shape,
    hexes: &[BoardHex<B>],
) -> Vec<Vec<Membership>> {
    let pext = Pext::detect();
    let mut memberships: Vec<Vec<Membership>> = shape.cells().map(|_| Vec::new()).collect();
    for (hex, number) in hexes.iter().zip(0..) {
        for cell in hex.cells.cells() {
            let digit = hex.bits(B::of(cell), pext).trailing_zeros();
            memberships[cell.index()].push(Membership { hex: number, digit: 3_u16.pow(digit) });
        }
    }
    memberships
}
