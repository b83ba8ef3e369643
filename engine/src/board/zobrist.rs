//! Hash keys of positions (Zobrist 1970). A variant's keys are generated when it is opened.

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

/// Zobrist keys of pieces on cells, by kind of piece and cell, and of states that belong to no cell.
#[derive(Clone, Debug)]
pub struct Zobrist {
    cells: usize,
    keys: Vec<Key>,
}

impl Zobrist {
    /// Generates keys for `kinds` kinds of piece on `cells` cells.
    pub fn new(kinds: usize, cells: usize) -> Self {
        let keys = (0..kinds * cells).map(|i| Self::state_key(i as u64)).collect();
        Self { cells, keys }
    }

    /// Returns the key of a piece on a cell. Kinds count from 0.
    #[inline]
    pub fn key(&self, kind: usize, cell: Cell) -> Key {
        self.keys[kind * self.cells + cell.index()]
    }

    /// Returns the combined key of all pieces, given as one set of cells for each kind, kind 0 first.
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

    /// Returns the key difference of a change of kind on `cells`: pieces of kind 0 become kind 1, and the reverse.
    #[inline]
    pub fn exchange_key<B: Bitboard>(&self, cells: B) -> Key {
        self.sets_key(&[cells, cells])
    }

    /// Returns the key of a state that belongs to no cell, such as the side to move, by its number.
    ///
    /// Numbers from 2³² on give no key that a piece on a cell has.
    pub const fn state_key(number: u64) -> Key {
        // The output function of SplitMix64 (Steele, Lea, Flood 2014): a bijection that mixes well.
        let mut z = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        Key(z ^ (z >> 31))
    }
}
