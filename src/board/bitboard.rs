//! Sets of cells as bits, generic over the width.
//!
//! Loops go by an index, and without iterators: these are functions of their own, which are not compiled for the
//! instructions of the loop that calls them.

use std::fmt::Debug;
use std::hint::select_unpredictable;
use std::ops::{BitAnd, BitOr, BitXor, Not};

use super::Cell;
use super::cells::{Cells, CellsOf};
use super::processor::{self, Pext};

/// A set of cells, one bit a cell.
///
/// [`Board64`] serves boards of up to 64 cells, [`Board128`] of up to 128 and [`BoardWide`] of up to 64·N.
/// Bits past the last cell of a board are the caller's to keep clear: `!` sets them.
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
    /// A small number for each cell that fits.
    type Mailbox: Mailbox;

    /// How many cells fit.
    const CAPACITY: usize;

    /// No cell.
    const EMPTY: Self;

    /// The set of one cell. Past the capacity it is some set, and no panic.
    fn of(cell: Cell) -> Self;

    /// Every bit moved towards higher cells by `places`, which is less than 64.
    fn shift_up(self, places: u32) -> Self;

    /// Every bit moved towards lower cells by `places`, which is less than 64.
    fn shift_down(self, places: u32) -> Self;

    /// Which of the 64 cells from the one with number `place` on it holds, the first one in the lowest bit. Cells past
    /// the capacity are not held.
    fn window(self, place: usize) -> u64;

    /// Which of the cells of `mask` the set holds, side by side, the first cell in the lowest bit; `None` where sets are
    /// wider than a word.
    #[inline(always)]
    fn pext(self, _mask: Self, _pext: Pext) -> Option<u64> {
        None
    }

    /// How many cells the set holds.
    fn count(self) -> u32;

    /// The lowest cell, or `None` of an empty set.
    fn first(self) -> Option<Cell>;

    /// The set without its lowest cell; an empty set stays empty.
    fn without_first(self) -> Self;

    /// The `n`-th cell from below, counted from 0, or `None` where the set holds no more than `n`.
    fn nth(self, n: u32) -> Option<Cell>;

    /// The `n`-th cell of a set that holds more than `n`; of any other, some cell.
    fn select(self, n: u32) -> Cell;

    /// The `n`-th cell of several sets, counted through one after the other, and which of the sets it is in.
    ///
    /// Where `n` is random, no processor could foresee the set: nothing branches on it.
    #[inline(always)]
    fn nth_of<const N: usize>(sets: &[Self; N], n: u32) -> Option<(usize, Cell)> {
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
        Some((part, set.select(n - before)))
    }

    /// Whether the set holds no cell.
    #[inline(always)]
    fn is_empty(self) -> bool {
        self == Self::EMPTY
    }

    /// Whether the set holds `cell`.
    #[inline(always)]
    fn has(self, cell: Cell) -> bool {
        !(self & Self::of(cell)).is_empty()
    }

    /// Which of the 64 cells from the one with number `64 * i` on it holds, the first one in the lowest bit. `64 * i` is less
    /// than the capacity.
    fn word(self, i: usize) -> u64;

    /// The cells of the set in cell order.
    #[inline(always)]
    fn cells(self) -> Cells<Self> {
        Cells(CellsOf::new([self]))
    }

    /// The set of the cells that the iterator gives.
    fn from_cells(cells: impl IntoIterator<Item = Cell>) -> Self {
        cells
            .into_iter()
            .fold(Self::EMPTY, |set, cell| set | Self::of(cell))
    }
}

/// A number from 0 to 255 for each cell of a board.
pub trait Mailbox: Copy + Eq + Debug + Send + Sync + 'static {
    /// 0 for every cell.
    const ZERO: Self;

    /// The number of a cell.
    fn get(&self, cell: Cell) -> u8;

    /// Gives a cell a number.
    fn set(&mut self, cell: Cell, number: u8);
}

/// Numbers for 64·N cells.
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

/// The place of the `n`-th set bit of a word that has more than `n` bits set.
#[inline(always)]
fn select(word: u64, n: u32) -> u32 {
    match processor::select(word, n) {
        Some(place) => place,
        None => select_portable(word, n),
    }
}

/// The place of the `n`-th set bit of a word that has more than `n` bits set, for every processor.
#[inline(never)]
pub fn select_portable(word: u64, n: u32) -> u32 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const TOPS: u64 = 0x80 * ONES;
    // The bits of each byte, counted in pairs, in fours, in eights; then those of each byte and all below it.
    let pairs = word - ((word >> 1) & 0x5555_5555_5555_5555);
    let fours = (pairs & 0x3333_3333_3333_3333) + ((pairs >> 2) & 0x3333_3333_3333_3333);
    let eights = (fours + (fours >> 4)) & 0x0f0f_0f0f_0f0f_0f0f;
    let sums = eights.wrapping_mul(ONES);
    // A byte's top bit stays set where its sum is greater than n; the first such byte holds the bit that is meant.
    let greater = ((sums | TOPS) - (u64::from(n) + 1) * ONES) & TOPS;
    let place = greater.trailing_zeros() & 0x38;
    let below = (sums << 8) >> place & 0xff;
    let byte = (word >> place & 0xff) as usize;
    place + u32::from(IN_A_BYTE[byte][(u64::from(n) - below) as usize & 7])
}

/// The place of the `n`-th set bit of each byte that has more than `n`.
static IN_A_BYTE: [[u8; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut bit, mut n) = (0, 0);
        while bit < 8 {
            if byte >> bit & 1 == 1 {
                table[byte][n] = bit as u8;
                n += 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    table
};

macro_rules! one_integer {
    ($name:ident, $integer:ty, $capacity:literal, $nth:expr, $pext:expr) => {
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
                Self(<$integer>::wrapping_shl(1, cell.index() as u32))
            }

            #[inline(always)]
            fn shift_up(self, places: u32) -> Self {
                // The mask spares what a shift by more than a word would take.
                Self(self.0 << (places & 63))
            }

            #[inline(always)]
            fn shift_down(self, places: u32) -> Self {
                Self(self.0 >> (places & 63))
            }

            #[inline(always)]
            fn window(self, place: usize) -> u64 {
                self.0.checked_shr(place as u32).unwrap_or(0) as u64
            }

            #[inline(always)]
            fn word(self, i: usize) -> u64 {
                (self.0 >> (64 * i % $capacity)) as u64
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
            fn nth(self, n: u32) -> Option<Cell> {
                (n < self.count()).then(|| self.select(n))
            }

            #[inline(always)]
            fn select(self, n: u32) -> Cell {
                Cell::new($nth(self.0, n) as usize)
            }
        }
    };
}

one_integer!(Board64, u64, 64, select, |pext: Pext, set, mask| Some(
    pext.bits(set, mask)
));
one_integer!(Board128, u128, 128, select_of_two, |_, _, _| None);

/// [`select`] in two words.
#[inline(always)]
fn select_of_two(bits: u128, n: u32) -> u32 {
    let (low, high) = (bits as u64, (bits >> 64) as u64);
    let below = low.count_ones();
    let beyond = n >= below;
    let word = select_unpredictable(beyond, high, low);
    let (base, before) = select_unpredictable(beyond, (64, below), (0, 0));
    base + select(word, n - before)
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
    /// The words that `word` gives for each place. Every word is put together in a register: one written into memory
    /// would have to be read with its neighbours before it has arrived there.
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
                let carried = if i == 0 {
                    0
                } else {
                    self.0[i - 1] >> (64 - places)
                };
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
                let carried = if i + 1 == N {
                    0
                } else {
                    self.0[i + 1] << (64 - places)
                };
                self.0[i] >> places | carried
            },
        )
    }

    #[inline(always)]
    fn window(self, place: usize) -> u64 {
        let (word, bit) = (place / 64, place % 64);
        let at = |word: usize| if word < N { self.0[word] } else { 0 };
        // Two shifts, for one by 64 would not be allowed.
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
    fn nth(self, n: u32) -> Option<Cell> {
        select_of_many(&self.0, n)
    }

    #[inline(always)]
    fn select(self, n: u32) -> Cell {
        self.nth(n).unwrap_or(Cell::new(0))
    }

    /// Large sets stay where they are, and the one that is meant is read there word by word.
    #[inline(always)]
    fn nth_of<const K: usize>(sets: &[Self; K], n: u32) -> Option<(usize, Cell)> {
        // The last one needs no count: what is in none before it is there or nowhere.
        let (i, n) = part_of(
            K - 1,
            #[inline(always)]
            |i| sets[i].count(),
            n,
        );
        let cell = select_of_many(&sets[i].0, n)?;
        Some((i, cell))
    }
}

/// The `n`-th set bit of words, or `None` where they have no more than `n`.
#[inline(always)]
fn select_of_many<const N: usize>(words: &[u64; N], n: u32) -> Option<Cell> {
    let (i, n) = part_of(
        N,
        #[inline(always)]
        |i| words[i].count_ones(),
        n,
    );
    (i < N).then(
        #[inline(always)]
        || Cell::new(64 * i + select(words[i], n) as usize),
    )
}

/// Which of several parts, that have so many things each, the `n`-th thing is in, and the how manieth it is there; past
/// the last part where all together have no more than `n`. Nothing branches on the part.
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
