//! Cells and their labels, bitboards, shapes, neighbors, symmetries and hash keys.
//!
//! Knows no game. Cells are numbered in cell order (`protocol/notation.md`): rank 1 first, from left to right within a
//! rank, counting only the cells that are on the board. Bit n of a [`Bitboard`] is cell n.
#![expect(
    clippy::indexing_slicing,
    reason = "tables have one entry a cell, and cells are made by the shape that sized the tables"
)]

mod array;
mod bitboard;
mod cells;
mod direction;
mod grid;
mod processor;
mod shape;
mod zobrist;

pub use array::map_array;
pub use bitboard::{ArrayMailbox, Bitboard, Board64, Board128, BoardWide, Mailbox};
pub use cells::{Cells, CellsOf};
pub use direction::Direction;
pub use grid::Grid;
pub use processor::{
    Instructions, Native, Pext, Portable, instructions_used, prefetch, select_portable, with_best_instructions,
};
pub use shape::{Cell, MAX_DIMENSION, MAX_SIDE, Shape, Symmetry, column_letter, column_of_letter};
pub use zobrist::{Key, Zobrist};
