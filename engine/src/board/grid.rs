//! Shifts and neighbor sets of whole bitboards on rectangles.

use super::{Bitboard, Direction, Shape};

/// Edge masks that keep shifted bits on a rectangular board.
#[derive(Clone, Copy, Debug)]
pub struct Grid<B> {
    columns: u32,
    cells: B,
    first_column: B,
    last_column: B,
}

impl<B: Bitboard> Grid<B> {
    /// Creates the masks of a rectangular shape. Its cells must fit the bitboard.
    pub fn new(shape: &Shape) -> Self {
        let column = |x| B::from_cells((0..shape.ranks()).filter_map(|y| shape.cell(x, y)));
        Self {
            columns: u32::from(shape.columns()),
            cells: B::from_cells(shape.cells()),
            first_column: column(0),
            last_column: column(shape.columns() - 1),
        }
    }

    /// Returns the set of all cells of the board.
    pub fn cells(&self) -> B {
        self.cells
    }

    /// Shifts a set by one cell in a direction. Bits that leave the board are dropped.
    #[inline(always)]
    pub fn shift(&self, set: B, direction: Direction) -> B {
        match direction {
            Direction::South => set.shift_down(self.columns),
            Direction::West => (set & !self.first_column).shift_down(1),
            Direction::East => (set & !self.last_column).shift_up(1),
            Direction::North => set.shift_up(self.columns) & self.cells,
        }
    }

    /// Shifts a set by at most one column to the right or left, and one rank up or down.
    #[inline(always)]
    pub fn shift_by(&self, set: B, (dx, dy): (i8, i8)) -> B {
        let set = match dx {
            0 => set,
            1.. => self.shift(set, Direction::East),
            _ => self.shift(set, Direction::West),
        };
        match dy {
            0 => set,
            1.. => self.shift(set, Direction::North),
            _ => self.shift(set, Direction::South),
        }
    }

    /// Returns the cells with at least one orthogonal neighbor in `set`.
    #[inline(always)]
    pub fn neighbors(&self, set: B) -> B {
        let south = self.shift(set, Direction::South);
        let north = self.shift(set, Direction::North);
        let west = self.shift(set, Direction::West);
        let east = self.shift(set, Direction::East);
        south | west | east | north
    }

    /// Returns the cells with at least two orthogonal neighbors in `set`.
    #[inline(always)]
    pub fn double_neighbors(&self, set: B) -> B {
        let south = self.shift(set, Direction::South);
        let north = self.shift(set, Direction::North);
        let west = self.shift(set, Direction::West);
        let east = self.shift(set, Direction::East);
        // Two of four: both of a pair, or one of each pair.
        (south & north) | (west & east) | ((south | north) & (west | east))
    }
}
