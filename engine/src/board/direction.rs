//! The four directions on a rectangular board.

/// A direction to an orthogonal neighbor, in the cell order of the neighbors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Direction {
    South,
    West,
    East,
    North,
}

impl Direction {
    /// The offsets of the neighbors, in their cell order.
    pub const OFFSETS: [(i8, i8); 4] = [(0, -1), (-1, 0), (1, 0), (0, 1)];

    /// All four directions, in the cell order of the neighbors.
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

    /// Returns the offset of the neighbor: columns to the right, ranks up.
    pub fn offset(self) -> (i8, i8) {
        Self::OFFSETS[self as usize]
    }
}
