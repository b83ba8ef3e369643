//! Shifts and neighbour sets of whole bitboards on rectangles.

use super::{Bitboard, Shape};

/// A direction to an orthogonal neighbour, in the cell order of the neighbours.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Direction {
    South,
    West,
    East,
    North,
}

impl Direction {
    /// All four directions, in the cell order of the neighbours.
    pub const ALL: [Self; 4] = [Self::South, Self::West, Self::East, Self::North];

    /// Returns the opposite direction.
    pub fn reverse(self) -> Self {
        match self {
            Self::South => Self::North,
            Self::West => Self::East,
            Self::East => Self::West,
            Self::North => Self::South,
        }
    }

    /// Returns the offset of the neighbour: columns to the right, ranks up.
    pub fn offset(self) -> (i8, i8) {
        match self {
            Self::South => (0, -1),
            Self::West => (-1, 0),
            Self::East => (1, 0),
            Self::North => (0, 1),
        }
    }
}

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

    /// Returns the cells with at least one orthogonal neighbour in `set`.
    #[inline(always)]
    pub fn neighbors(&self, set: B) -> B {
        let south = self.shift(set, Direction::South);
        let north = self.shift(set, Direction::North);
        let west = self.shift(set, Direction::West);
        let east = self.shift(set, Direction::East);
        south | west | east | north
    }

    /// Returns the cells with at least two orthogonal neighbours in `set`.
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
