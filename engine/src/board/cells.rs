//! Iterators over the cells of bitboards.

use super::Bitboard;
use super::Cell;

/// Iterator over the cells of one set, in cell order.
#[derive(Clone, Copy, Debug)]
pub struct Cells<B>(pub(super) CellsOf<B, 1>);

impl<B: Bitboard> Iterator for Cells<B> {
    type Item = Cell;

    #[inline(always)]
    #[expect(
        clippy::manual_map,
        reason = "a closure is a separate function, not compiled for the caller's instructions"
    )]
    fn next(&mut self) -> Option<Cell> {
        match self.0.next() {
            Some((_, cell)) => Some(cell),
            None => None,
        }
    }
}

/// Iterator over the cells of several sets, set after set, each cell with the index of its set.
///
/// Serializes word by word: the rest of the current word stays in a register.
#[derive(Clone, Copy, Debug)]
pub struct CellsOf<B, const K: usize> {
    sets: [B; K],
    /// Index of the current set.
    set: usize,
    /// Index of the current word in it.
    index: usize,
    /// The cells of that word that are not yet returned.
    word: u64,
}

impl<B: Bitboard, const K: usize> CellsOf<B, K> {
    /// Creates an iterator over all cells of `sets`.
    #[inline(always)]
    pub fn new(sets: [B; K]) -> Self {
        Self { word: if K == 0 { 0 } else { sets[0].word(0) }, sets, set: 0, index: 0 }
    }
}

impl<B: Bitboard, const K: usize> Iterator for CellsOf<B, K> {
    type Item = (usize, Cell);

    #[inline(always)]
    fn next(&mut self) -> Option<(usize, Cell)> {
        while self.word == 0 {
            if self.index + 1 < B::CAPACITY / 64 {
                self.index += 1;
            } else if self.set + 1 < K {
                (self.set, self.index) = (self.set + 1, 0);
            } else {
                return None;
            }
            self.word = self.sets[self.set].word(self.index);
        }
        let bit = self.word.trailing_zeros() as usize;
        self.word &= self.word - 1;
        Some((self.set, Cell::new(64 * self.index + bit)))
    }
}
