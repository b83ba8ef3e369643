//! The hexes of a board, and what is in them.
#![expect(
    clippy::indexing_slicing,
    reason = "there is a number for each seven bits"
)]

use crate::board::{Bitboard, Cell, Pext, Shape, map_array};

/// Cells of a hex.
pub(super) const HEX: usize = 7;

/// The ranks of a hex as they lie on the board: where the first cell is from the centre, and how many there are.
const RANKS: [(i8, i8, u32); 3] = [(-1, -1, 2), (-1, 0, 3), (0, 1, 2)];

/// So many open hexes over a cell are told apart in what becomes of it.
pub(super) const FATES: usize = 3;

/// By seven bits, the ternary number that has a digit 1 wherever they have one.
static TERNARY: [u16; 1 << HEX] = {
    let mut table = [0; 1 << HEX];
    let mut bits = 1;
    while bits < table.len() {
        // The number without the lowest bit is known.
        table[bits] = table[bits & (bits - 1)] + 3_u16.pow(bits.trailing_zeros());
        bits += 1;
    }
    table
};

/// A hex of the board.
pub struct Window<B> {
    pub(super) centre: Cell,
    /// Its cells.
    pub cells: B,
    /// The first cell of each of its ranks.
    ranks: [usize; RANKS.len()],
    /// The numbers of the hexes that have a cell in common with it, its own too.
    pub(super) near: Vec<u16>,
}

/// The hexes of a board.
pub fn windows<B: Bitboard>(shape: &Shape, hexes: &[Option<B>]) -> Vec<Window<B>> {
    let window = |(centre, hex): (Cell, &Option<B>)| {
        let first = |(dx, dy, _)| shape.offset(centre, dx, dy).map_or(0, Cell::index);
        let cells = (*hex)?;
        let all = hexes.iter().flatten().zip(0..);
        let near = all
            .filter(|(other, _)| !(cells & **other).is_empty())
            .map(|(_, number)| number)
            .collect();
        Some(Window {
            centre,
            cells,
            ranks: RANKS.map(first),
            near,
        })
    };
    shape.cells().zip(hexes).filter_map(window).collect()
}

impl<B: Bitboard> Window<B> {
    /// Which cells of the hex a set holds, in cell order.
    #[inline(always)]
    pub fn bits(&self, set: B, pext: Option<Pext>) -> usize {
        if let Some(bits) = pext.and_then(|pext| set.pext(self.cells, pext)) {
            return bits as usize % TERNARY.len();
        }
        let mut bits = 0;
        let mut place = 0;
        for rank in 0..RANKS.len() {
            let (_, _, count) = RANKS[rank];
            bits |= (set.window(self.ranks[rank]) & ((1 << count) - 1)) << place;
            place += count;
        }
        bits as usize
    }
}

impl<B: Bitboard> Window<B> {
    /// What the hex consists of, where so many cells lie under one open hex, under two and under three.
    #[inline(always)]
    pub(super) fn hex(&self, own: B, enemy: B, covered: [B; FATES], pext: Option<Pext>) -> Hex {
        let (o, e) = (self.bits(own, pext), self.bits(enemy, pext));
        Hex {
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

/// A number from 0 to 7 for each cell, one bit a set.
#[derive(Clone, Copy)]
pub(super) struct Counts<B>([B; 3]);

impl<B: Bitboard> Counts<B> {
    /// Nothing was counted.
    pub(super) const NONE: Self = Self([B::EMPTY; 3]);

    /// Counts the cells of a set once more.
    #[inline(always)]
    pub(super) fn add(&mut self, set: B) {
        let [ones, twos, fours] = self.0;
        let carry = ones & set;
        self.0 = [ones ^ set, twos ^ carry, fours ^ (twos & carry)];
    }

    /// Counts the cells of a set once less, each of which was counted.
    #[inline(always)]
    pub(super) fn take(&mut self, set: B) {
        let [ones, twos, fours] = self.0;
        let borrow = set & !ones;
        self.0 = [ones ^ set, twos ^ borrow, fours ^ (borrow & !twos)];
    }

    /// How often a cell was counted.
    #[inline(always)]
    pub(super) fn at(&self, cell: Cell) -> u8 {
        let has = |bit: usize| u8::from(self.0[bit].has(cell));
        has(0) + 2 * has(1) + 4 * has(2)
    }

    /// The cells that were counted once, twice and three times.
    #[inline(always)]
    pub(super) fn fates(&self) -> [B; FATES] {
        let mut fates = [B::EMPTY; FATES];
        for i in 0..FATES {
            fates[i] = self.equal(i + 1);
        }
        fates
    }

    /// The cells that were counted so often.
    #[inline(always)]
    pub(super) fn equal(&self, count: usize) -> B {
        let where_bit = |bit: usize| {
            if count >> bit & 1 == 1 {
                self.0[bit]
            } else {
                !self.0[bit]
            }
        };
        where_bit(0) & where_bit(1) & where_bit(2)
    }
}

/// A hex of a position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hex {
    /// What it consists of: a ternary number with a digit for each cell, 1 for an own stone, 2 for an enemy one.
    pub(super) code: u16,
    /// How many of its cells are empty, and how many hold own stones.
    pub(super) empty: u8,
    pub(super) own: u8,
    /// How many of its cells lie under one open hex, under two and under three.
    pub(super) covered: [u8; FATES],
}

/// A hex that a cell belongs to.
pub(in crate::games::inversion) struct Part {
    /// Its number.
    pub(super) window: u16,
    /// What an own stone in the cell adds to the code.
    pub(super) digit: u16,
}

/// By cell, the hexes that it belongs to.
pub(in crate::games::inversion) fn parts<B: Bitboard>(
    shape: &Shape,
    windows: &[Window<B>],
) -> Vec<Vec<Part>> {
    let pext = Pext::detect();
    let mut parts: Vec<Vec<Part>> = shape.cells().map(|_| Vec::new()).collect();
    for (window, number) in windows.iter().zip(0..) {
        for cell in window.cells.cells() {
            let place = window.bits(B::of(cell), pext).trailing_zeros();
            parts[cell.index()].push(Part {
                window: number,
                digit: 3_u16.pow(place),
            });
        }
    }
    parts
}
