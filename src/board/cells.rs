//! The cells of sets, one after the other.

use super::Bitboard;
use super::Cell;

/// The cells of a set in cell order.
#[derive(Clone, Copy, Debug)]
pub struct Cells<B>(pub(super) CellsOf<B, 1>);

impl<B: Bitboard> Iterator for Cells<B> {
    type Item = Cell;

    #[inline(always)]
    #[expect(clippy::manual_map, reason = "a closure is a function of its own")]
    fn next(&mut self) -> Option<Cell> {
        match self.0.next() {
            Some((_, cell)) => Some(cell),
            None => None,
        }
    }
}

/// The cells of several sets, one set after the other, each in cell order, with the place of the set.
///
/// A set is taken apart word by word: what is left of a word stays in a register.
#[derive(Clone, Copy, Debug)]
pub struct CellsOf<B, const K: usize> {
    sets: [B; K],
    /// The place of the present set, and of the word in it.
    set: usize,
    place: usize,
    /// The cells of that word which are still to come.
    word: u64,
}

impl<B: Bitboard, const K: usize> CellsOf<B, K> {
    /// All cells of these sets.
    #[inline(always)]
    pub fn new(sets: [B; K]) -> Self {
        Self {
            word: if K == 0 { 0 } else { sets[0].word(0) },
            sets,
            set: 0,
            place: 0,
        }
    }
}

impl<B: Bitboard, const K: usize> Iterator for CellsOf<B, K> {
    type Item = (usize, Cell);

    #[inline(always)]
    fn next(&mut self) -> Option<(usize, Cell)> {
        while self.word == 0 {
            if self.place + 1 < B::CAPACITY / 64 {
                self.place += 1;
            } else if self.set + 1 < K {
                (self.set, self.place) = (self.set + 1, 0);
            } else {
                return None;
            }
            self.word = self.sets[self.set].word(self.place);
        }
        let bit = self.word.trailing_zeros() as usize;
        self.word &= self.word - 1;
        Some((self.set, Cell::new(64 * self.place + bit)))
    }
}
