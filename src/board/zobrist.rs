//! Hash keys of positions (Zobrist 1970), worked out when a variant is opened.

use std::ops::{BitXor, BitXorAssign};

use super::{Bitboard, Cell};

/// A 64-bit hash key. Keys are combined by exclusive or.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Key(pub u64);

impl BitXor for Key {
    type Output = Self;
    #[inline]
    fn bitxor(self, other: Self) -> Self {
        Self(self.0 ^ other.0)
    }
}

impl BitXorAssign for Key {
    #[inline]
    fn bitxor_assign(&mut self, other: Self) {
        self.0 ^= other.0;
    }
}

/// A key for each of some kinds of thing on each cell, and for as many single features as wanted.
#[derive(Clone, Debug)]
pub struct Zobrist {
    cells: usize,
    keys: Vec<Key>,
}

impl Zobrist {
    /// Keys for `kinds` kinds of thing on `cells` cells.
    pub fn new(kinds: usize, cells: usize) -> Self {
        let keys = (0..kinds * cells)
            .map(|i| Self::state_key(i as u64))
            .collect();
        Self { cells, keys }
    }

    /// The key of a thing of kind `kind`, counted from 0, on a cell.
    #[inline]
    pub fn key(&self, kind: usize, cell: Cell) -> Key {
        self.keys[kind * self.cells + cell.index()]
    }

    /// The keys of sets of cells together: the first set is of kind 0, the next of kind 1, and so on.
    #[inline]
    pub fn sets_key<B: Bitboard>(&self, sets: &[B]) -> Key {
        let mut key = Key::default();
        for (kind, set) in sets.iter().enumerate() {
            for cell in set.cells() {
                key ^= self.key(kind, cell);
            }
        }
        key
    }

    /// What changes where things of kind 0 on some cells become kind 1 and the others kind 0.
    #[inline]
    pub fn exchange_key<B: Bitboard>(&self, cells: B) -> Key {
        self.sets_key(&[cells, cells])
    }

    /// The key of a feature that belongs to no cell, named by any number; numbers from 2³² on do not meet
    /// the cells' keys.
    pub const fn state_key(number: u64) -> Key {
        // The output function of SplitMix64 (Steele, Lea, Flood 2014): a bijection that mixes well.
        let mut z = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        Key(z ^ (z >> 31))
    }
}
