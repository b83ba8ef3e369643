//! Bitboards: sets of cells, one bit a cell, of any width.
//!
//! Loops use an index instead of an iterator. The methods of an iterator are separate functions, which are not compiled
//! for the instructions of the loop that calls them.

use std::fmt::Debug;
use std::hint::select_unpredictable;
use std::ops::{BitAnd, BitOr, BitXor, Not};

use super::Cell;
use super::cells::{Cells, CellsOf};
use super::processor::{Instructions, Pext};

/// A set of cells, one bit a cell.
///
/// [`Board64`] holds up to 64 cells, [`Board128`] up to 128 and [`BoardWide`] up to 64·N.
/// The caller keeps the bits past the last cell of a board clear; `!` sets them.
pub trait Bitboard:
    Copy
    + Eq
    + Default
    + Debug
    + Send
    + Sync
    + 'static
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
{
    /// The mailbox with one byte for each cell of this bitboard.
    type Mailbox: Mailbox;

    /// Number of cells that fit.
    const CAPACITY: usize;

    /// The empty set.
    const EMPTY: Self;

    /// Returns the set of one cell. A cell past the capacity gives an unspecified set and no panic.
    fn of(cell: Cell) -> Self;

    /// Shifts every bit towards higher cells by `places`, which is less than 64.
    fn shift_up(self, places: u32) -> Self;

    /// Shifts every bit towards lower cells by `places`, which is less than 64.
    fn shift_down(self, places: u32) -> Self;

    /// Returns the 64 bits from cell number `start` on, that cell in the lowest bit. Cells past the capacity read as 0.
    fn window(self, start: usize) -> u64;

    /// Extracts the bits at the cells of `mask`, packed from bit 0 up (parallel bit extract).
    ///
    /// Returns `None` where the bitboard is wider than a word.
    #[inline(always)]
    fn pext(self, _mask: Self, _pext: Pext) -> Option<u64> {
        None
    }

    /// Returns the number of cells in the set (population count).
    fn count(self) -> u32;

    /// Returns the lowest cell (bit scan forward), or `None` for the empty set.
    fn first(self) -> Option<Cell>;

    /// Returns the set without its lowest cell; the empty set stays empty.
    fn without_first(self) -> Self;

    /// Returns the `n`-th lowest cell, counted from 0, or `None` where the set has no more than `n` cells.
    fn nth(self, n: u32, instructions: impl Instructions) -> Option<Cell>;

    /// Returns the `n`-th lowest cell of a set with more than `n` cells; for any other set, an unspecified cell.
    fn select(self, n: u32, instructions: impl Instructions) -> Cell;

    /// Returns the `n`-th cell of several sets, numbered set after set, and the index of its set.
    ///
    /// Does not branch on the set: `n` is often random, and the branch would be mispredicted.
    #[inline(always)]
    fn nth_of<const N: usize>(sets: &[Self; N], n: u32, instructions: impl Instructions) -> Option<(usize, Cell)> {
        let (mut ends, mut end) = ([0; N], 0);
        for i in 0..N {
            end += sets[i].count();
            ends[i] = end;
        }
        if n >= end {
            return None;
        }
        let (mut part, mut before, mut set) = (0, 0, sets[0]);
        for i in 1..N {
            let beyond = n >= ends[i - 1];
            part += usize::from(beyond);
            before = select_unpredictable(beyond, ends[i - 1], before);
            set = select_unpredictable(beyond, sets[i], set);
        }
        Some((part, set.select(n - before, instructions)))
    }

    /// Returns true for the empty set.
    #[inline(always)]
    fn is_empty(self) -> bool {
        self == Self::EMPTY
    }

    /// Returns true if the set holds `cell`.
    #[inline(always)]
    fn has(self, cell: Cell) -> bool {
        !(self & Self::of(cell)).is_empty()
    }

    /// Returns word `i`: the bits of cells `64 * i` to `64 * i + 63`. `64 * i` is less than the capacity.
    fn word(self, i: usize) -> u64;

    /// Returns the bits of the first 128 cells, that of cell 0 in the lowest bit.
    #[inline(always)]
    fn bits(self) -> u128 {
        let high = if Self::CAPACITY > 64 { self.word(1) } else { 0 };
        u128::from(high) << 64 | u128::from(self.word(0))
    }

    /// Returns the set of the cells whose bits are set, as [`Bitboard::bits`] gives them. Bits past the capacity are lost.
    #[inline(always)]
    fn from_bits(mut bits: u128) -> Self {
        let mut set = Self::EMPTY;
        while bits != 0 {
            set = set | Self::of(Cell::new(bits.trailing_zeros() as usize));
            bits &= bits - 1;
        }
        set
    }

    /// Iterates over the cells of the set in cell order.
    #[inline(always)]
    fn cells(self) -> Cells<Self> {
        Cells(CellsOf::new([self]))
    }

    /// Collects cells into a set.
    fn from_cells(cells: impl IntoIterator<Item = Cell>) -> Self {
        cells.into_iter().fold(Self::EMPTY, |set, cell| set | Self::of(cell))
    }
}

/// A mailbox: an array with one byte for each cell of a board.
pub trait Mailbox: Copy + Eq + Debug + Send + Sync + 'static {
    /// The mailbox with 0 for every cell.
    const ZERO: Self;

    /// Returns the byte of a cell.
    fn get(&self, cell: Cell) -> u8;

    /// Sets the byte of a cell.
    fn set(&mut self, cell: Cell, number: u8);
}

/// A [`Mailbox`] of 64·N cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ArrayMailbox<const N: usize>([[u8; 64]; N]);

impl<const N: usize> Mailbox for ArrayMailbox<N> {
    const ZERO: Self = Self([[0; 64]; N]);

    #[inline(always)]
    fn get(&self, cell: Cell) -> u8 {
        self.0[cell.index() / 64][cell.index() % 64]
    }

    #[inline(always)]
    fn set(&mut self, cell: Cell, number: u8) {
        self.0[cell.index() / 64][cell.index() % 64] = number;
    }
}

macro_rules! one_integer {
    ($name:ident, $integer:ty, $capacity:literal, $bit:expr, $nth:expr, $pext:expr) => {
        #[doc = concat!("A set of up to ", stringify!($capacity), " cells in one `", stringify!($integer), "`.")]
        #[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
        pub struct $name(pub(super) $integer);

        impl BitAnd for $name {
            type Output = Self;
            #[inline(always)]
            fn bitand(self, other: Self) -> Self {
                Self(self.0 & other.0)
            }
        }

        impl BitOr for $name {
            type Output = Self;
            #[inline(always)]
            fn bitor(self, other: Self) -> Self {
                Self(self.0 | other.0)
            }
        }

        impl BitXor for $name {
            type Output = Self;
            #[inline(always)]
            fn bitxor(self, other: Self) -> Self {
                Self(self.0 ^ other.0)
            }
        }

        impl Not for $name {
            type Output = Self;
            #[inline(always)]
            fn not(self) -> Self {
                Self(!self.0)
            }
        }

        impl Bitboard for $name {
            type Mailbox = ArrayMailbox<{ $capacity / 64 }>;
            const CAPACITY: usize = $capacity;
            const EMPTY: Self = Self(0);

            #[inline(always)]
            fn of(cell: Cell) -> Self {
                Self($bit(cell.index()))
            }

            #[inline(always)]
            fn shift_up(self, places: u32) -> Self {
                // With the mask the compiler need not handle shifts of more than a word.
                Self(self.0 << (places & 63))
            }

            #[inline(always)]
            fn shift_down(self, places: u32) -> Self {
                Self(self.0 >> (places & 63))
            }

            #[inline(always)]
            fn window(self, start: usize) -> u64 {
                self.0.checked_shr(start as u32).unwrap_or(0) as u64
            }

            #[inline(always)]
            fn word(self, i: usize) -> u64 {
                (self.0 >> (64 * i % $capacity)) as u64
            }

            #[inline(always)]
            fn from_bits(bits: u128) -> Self {
                Self(bits as $integer)
            }

            #[inline(always)]
            fn pext(self, mask: Self, pext: Pext) -> Option<u64> {
                $pext(pext, self.0, mask.0)
            }

            #[inline(always)]
            fn count(self) -> u32 {
                self.0.count_ones()
            }

            #[inline(always)]
            fn first(self) -> Option<Cell> {
                match self.0 {
                    0 => None,
                    bits => Some(Cell::new(bits.trailing_zeros() as usize)),
                }
            }

            #[inline(always)]
            fn without_first(self) -> Self {
                Self(self.0 & self.0.wrapping_sub(1))
            }

            #[inline(always)]
            fn nth(self, n: u32, instructions: impl Instructions) -> Option<Cell> {
                (n < self.count()).then(
                    #[inline(always)]
                    || self.select(n, instructions),
                )
            }

            #[inline(always)]
            fn select(self, n: u32, instructions: impl Instructions) -> Cell {
                Cell::new($nth(self.0, n, instructions) as usize)
            }
        }
    };
}

one_integer!(Board64, u64, 64, bit_of_one, select_of_one, |pext: Pext, set, mask| { Some(pext.bits(set, mask)) });
one_integer!(Board128, u128, 128, bit_of_two, select_of_two, |_, _, _| { None });

/// Returns a word with only this bit set.
#[inline(always)]
fn bit_of_one(index: usize) -> u64 {
    1 << (index & 63)
}

/// Returns two words with only this bit set. Takes fewer instructions than a shift of 128 bits.
#[inline(always)]
fn bit_of_two(index: usize) -> u128 {
    let bit = bit_of_one(index);
    let (low, high) = select_unpredictable(index & 64 == 0, (bit, 0), (0, bit));
    u128::from(high) << 64 | u128::from(low)
}

/// Returns the index of the `n`-th set bit of a word.
#[inline(always)]
fn select_of_one(bits: u64, n: u32, instructions: impl Instructions) -> u32 {
    instructions.select(bits, n)
}

/// Returns the index of the `n`-th set bit of two words.
#[inline(always)]
fn select_of_two(bits: u128, n: u32, instructions: impl Instructions) -> u32 {
    let (low, high) = (bits as u64, (bits >> 64) as u64);
    let below = low.count_ones();
    let beyond = n >= below;
    let word = select_unpredictable(beyond, high, low);
    let (base, before) = select_unpredictable(beyond, (64, below), (0, 0));
    base + instructions.select(word, n - before)
}

/// A set of up to 64·N cells in N words, lowest cells first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BoardWide<const N: usize>([u64; N]);

impl<const N: usize> Default for BoardWide<N> {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl<const N: usize> BoardWide<N> {
    /// Collects the words that `word` gives for each index.
    ///
    /// Each word is computed in a register: a vector load of words just stored one by one would stall (failed store
    /// forwarding).
    #[inline(always)]
    fn of_words(word: impl Fn(usize) -> u64) -> Self {
        let mut words = [0; N];
        for i in 0..N {
            words[i] = word(i);
        }
        Self(words)
    }

    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(u64, u64) -> u64) -> Self {
        Self::of_words(
            #[inline(always)]
            |i| f(self.0[i], other.0[i]),
        )
    }
}

impl<const N: usize> BitAnd for BoardWide<N> {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        self.zip(
            other,
            #[inline(always)]
            |a, b| a & b,
        )
    }
}

impl<const N: usize> BitOr for BoardWide<N> {
    type Output = Self;
    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        self.zip(
            other,
            #[inline(always)]
            |a, b| a | b,
        )
    }
}

impl<const N: usize> BitXor for BoardWide<N> {
    type Output = Self;
    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        self.zip(
            other,
            #[inline(always)]
            |a, b| a ^ b,
        )
    }
}

impl<const N: usize> Not for BoardWide<N> {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Self::of_words(
            #[inline(always)]
            |i| !self.0[i],
        )
    }
}

impl<const N: usize> Bitboard for BoardWide<N> {
    type Mailbox = ArrayMailbox<N>;
    const CAPACITY: usize = 64 * N;
    const EMPTY: Self = Self([0; N]);

    #[inline(always)]
    fn of(cell: Cell) -> Self {
        let (word, bit) = (cell.index() / 64 % N, 1 << (cell.index() % 64));
        Self::of_words(
            #[inline(always)]
            |i| if i == word { bit } else { 0 },
        )
    }

    #[inline(always)]
    fn shift_up(self, places: u32) -> Self {
        if places == 0 {
            return self;
        }
        Self::of_words(
            #[inline(always)]
            |i| {
                let carried = if i == 0 { 0 } else { self.0[i - 1] >> (64 - places) };
                self.0[i] << places | carried
            },
        )
    }

    #[inline(always)]
    fn shift_down(self, places: u32) -> Self {
        if places == 0 {
            return self;
        }
        Self::of_words(
            #[inline(always)]
            |i| {
                let carried = if i + 1 == N { 0 } else { self.0[i + 1] << (64 - places) };
                self.0[i] >> places | carried
            },
        )
    }

    #[inline(always)]
    fn window(self, start: usize) -> u64 {
        let (word, bit) = (start / 64, start % 64);
        let at = |word: usize| if word < N { self.0[word] } else { 0 };
        // Two shifts, because a shift by 64 would overflow.
        at(word) >> bit | at(word + 1) << 1 << (63 - bit)
    }

    #[inline(always)]
    fn word(self, i: usize) -> u64 {
        self.0[i % N]
    }

    #[inline(always)]
    fn count(self) -> u32 {
        let mut count = 0;
        for i in 0..N {
            count += self.0[i].count_ones();
        }
        count
    }

    #[inline(always)]
    fn has(self, cell: Cell) -> bool {
        let word = self.0[cell.index() / 64 % N];
        word >> (cell.index() % 64) & 1 == 1
    }

    #[inline(always)]
    fn first(self) -> Option<Cell> {
        for i in 0..N {
            if self.0[i] != 0 {
                return Some(Cell::new(64 * i + self.0[i].trailing_zeros() as usize));
            }
        }
        None
    }

    #[inline(always)]
    fn without_first(mut self) -> Self {
        for i in 0..N {
            if self.0[i] != 0 {
                self.0[i] &= self.0[i] - 1;
                break;
            }
        }
        self
    }

    #[inline(always)]
    fn nth(self, n: u32, instructions: impl Instructions) -> Option<Cell> {
        select_of_many(&self.0, n, instructions)
    }

    #[inline(always)]
    fn select(self, n: u32, instructions: impl Instructions) -> Cell {
        self.nth(n, instructions).unwrap_or(Cell::new(0))
    }

    // Large sets stay in memory, and only the selected one is read, word by word.
    #[inline(always)]
    fn nth_of<const K: usize>(sets: &[Self; K], n: u32, instructions: impl Instructions) -> Option<(usize, Cell)> {
        // The last set needs no count: a cell that is in no earlier set is there or nowhere.
        let (i, n) = part_of(
            K - 1,
            #[inline(always)]
            |i| sets[i].count(),
            n,
        );
        let cell = select_of_many(&sets[i].0, n, instructions)?;
        Some((i, cell))
    }
}

/// Returns the cell of the `n`-th set bit of several words, or `None` where they have no more than `n` bits set.
#[inline(always)]
fn select_of_many<const N: usize>(words: &[u64; N], n: u32, instructions: impl Instructions) -> Option<Cell> {
    let (i, n) = part_of(
        N,
        #[inline(always)]
        |i| words[i].count_ones(),
        n,
    );
    (i < N).then(
        #[inline(always)]
        || Cell::new(64 * i + instructions.select(words[i], n) as usize),
    )
}

/// Finds the part that holds item `n`, where `count` gives the number of items in each part.
///
/// Returns the index of the part and the index of the item in it, or `parts` as the index where the parts have no more
/// than `n` items together. Does not branch on the part.
#[inline(always)]
fn part_of(parts: usize, count: impl Fn(usize) -> u32, n: u32) -> (usize, u32) {
    let (mut part, mut before, mut end) = (0, 0, 0);
    for i in 0..parts {
        end += count(i);
        let beyond = n >= end;
        part += usize::from(beyond);
        before = select_unpredictable(beyond, end, before);
    }
    (part, n - before)
}
