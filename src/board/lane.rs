//! Small sets in the lanes of a vector.
//!
//! Where a loop does the same with each of many words, and neither branches nor looks anything up by what is in them, the compiler
//! makes one instruction of the same operation on eight of them (see [`Vectors`](super::Vectors)).

use super::{Bitboard, Board64, Cell};

impl Board64 {
    /// The set as a word: cell n is bit n.
    #[inline(always)]
    pub fn to_word(self) -> u64 {
        self.0
    }

    /// The set of the cells whose bits are set.
    #[inline(always)]
    pub fn from_word(word: u64) -> Self {
        Self(word)
    }

    /// The same as [`Bitboard::nth_of`] for `n` below the number of cells of all the sets, and some cell of the board for any other.
    #[inline(always)]
    pub fn nth_of_in_lane<const N: usize>(sets: &[Self; N], n: u64) -> (usize, Cell) {
        let (mut i, mut before, mut chosen, mut end) = (0, 0, 0, 0);
        for (j, set) in sets.iter().enumerate() {
            let beyond = n >= end;
            i = if beyond { j } else { i };
            before = if beyond { end } else { before };
            chosen = if beyond { set.0 } else { chosen };
            end += u64::from(set.count());
        }
        (i, select(chosen, n - before))
    }
}

/// The place of the `n`-th set bit, by halves: is it in the lower one, of what is left?
#[inline(always)]
fn select(mut word: u64, mut n: u64) -> Cell {
    let mut place = 0;
    for half in [32, 16, 8, 4, 2, 1] {
        let below = u64::from((word & ((1 << half) - 1)).count_ones());
        let beyond = n >= below;
        n -= if beyond { below } else { 0 };
        let places = if beyond { half } else { 0 };
        word >>= places;
        place += places;
    }
    Cell::new(place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nth_of_sets_is_found_alike_in_a_lane() {
        let mut word = 1_u64;
        for _ in 0..500 {
            let sets = [0, 1, 2, 3].map(|_| {
                word = word.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(1);
                Board64::from_word(word & word.rotate_left(word as u32 % 64))
            });
            assert_eq!(sets.map(|set| Board64::from_word(set.to_word())), sets);
            let count = sets.iter().map(|set| u64::from(set.count())).sum();
            for n in 0..count {
                let found = Board64::nth_of_in_lane(&sets, n);
                assert_eq!(Some(found), Board64::nth_of(&sets, n as u32));
            }
            for n in [count, count + 1, u64::MAX] {
                let (_, cell) = Board64::nth_of_in_lane(&sets, n);
                assert!(cell.index() < 64);
            }
        }
        for n in [0, 1, 63, 64] {
            let (_, cell) = Board64::nth_of_in_lane(&[Board64::EMPTY], n);
            assert!(cell.index() < 64);
        }
    }
}
