//! Cells, their labels, and the two board shapes: rectangle and hexagon.

use super::Direction;

/// Largest number of columns or ranks of a rectangle, and the number of column letters.
pub const MAX_DIMENSION: u8 = 25;

/// Largest number of cells on a side of a hexagonal board.
pub const MAX_SIDE: u8 = 13;

/// A cell of a board, numbered in cell order from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Cell(u16);

impl Cell {
    /// Creates the cell with this number in cell order. Boards have at most 625 cells.
    #[inline]
    pub const fn new(index: usize) -> Self {
        Self(index as u16)
    }

    /// Returns the number in cell order, from 0.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Returns the letter of a column counted from 0: `a b c d e f g h j k …`, without `i`, as in GTP.
pub fn column_letter(x: u8) -> char {
    let skip = u8::from(x >= b'i' - b'a');
    char::from(b'a' + x + skip)
}

/// Returns the column of a letter in either case, counted from 0; `None` for `i` and for any other character.
pub fn column_of_letter(letter: char) -> Option<u8> {
    let letter = u8::try_from(letter.to_ascii_lowercase()).ok()?;
    match letter {
        b'a'..=b'h' => Some(letter - b'a'),
        b'j'..=b'z' => Some(letter - b'a' - 1),
        _ => None,
    }
}

/// Geometry of a board: its outline, its cells and their coordinates.
///
/// ```
/// use pentalith_engine::board::Shape;
/// let board = Shape::hexagon(5);
/// assert_eq!(board.len(), 61);
/// let middle = board.cell(4, 4).unwrap();
/// assert_eq!(board.label(middle), "e5");
/// assert_eq!(board.neighbors(middle).count(), 6);
/// ```
#[derive(Clone, Debug)]
pub struct Shape {
    outline: Outline,
    columns: u8,
    ranks: u8,
    /// Column and rank of each cell, counted from 0.
    coordinates: Vec<(u8, u8)>,
    /// Cells by `y * columns + x`; `None` for places of the grid that are off a hexagonal board.
    numbers: Vec<Option<Cell>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Outline {
    Rectangle,
    Hexagon { side: u8 },
}

/// A symmetry of the board as a permutation of its cells: entry n is the image of cell n.
pub type Symmetry = Vec<Cell>;

impl Shape {
    /// Creates a rectangle of `columns` × `ranks` cells, each from 1 to [`MAX_DIMENSION`].
    pub fn rectangle(columns: u8, ranks: u8) -> Self {
        Self::new(Outline::Rectangle, columns, ranks)
    }

    /// Creates a hexagon with `side` cells a side, from 1 to [`MAX_SIDE`], on a grid of (2·side−1)² places.
    pub fn hexagon(side: u8) -> Self {
        Self::new(Outline::Hexagon { side }, 2 * side - 1, 2 * side - 1)
    }

    #[inline]
    fn new(outline: Outline, columns: u8, ranks: u8) -> Self {
        let on_board = |x: u8, y: u8| match outline {
            Outline::Rectangle => true,
            Outline::Hexagon { side } => x.abs_diff(y) < side,
        };
        let mut coordinates = Vec::new();
        let mut numbers = Vec::new();
        for y in 0..ranks {
            for x in 0..columns {
                numbers.push(on_board(x, y).then(|| Cell::new(coordinates.len())));
                if on_board(x, y) {
                    coordinates.push((x, y));
                }
            }
        }
        Self { outline, columns, ranks, coordinates, numbers }
    }

    /// Returns the number of columns of the grid.
    pub fn columns(&self) -> u8 {
        self.columns
    }

    /// Returns the number of ranks of the grid.
    pub fn ranks(&self) -> u8 {
        self.ranks
    }

    /// Returns true for a hexagonal board.
    pub fn is_hexagon(&self) -> bool {
        matches!(self.outline, Outline::Hexagon { .. })
    }

    /// Returns the number of cells of the board.
    pub fn len(&self) -> usize {
        self.coordinates.len()
    }

    /// Returns false: the smallest board has one cell.
    pub fn is_empty(&self) -> bool {
        self.coordinates.is_empty()
    }

    /// Iterates over the cells in cell order.
    pub fn cells(&self) -> impl DoubleEndedIterator<Item = Cell> + use<> {
        (0..self.len()).map(Cell::new)
    }

    /// Iterates over the cells of rank `y`, counted from 0, from left to right.
    pub fn rank(&self, y: u8) -> impl Iterator<Item = Cell> + '_ {
        (0..self.columns).filter_map(move |x| self.cell(x, y))
    }

    /// Returns the cell in column `x` and rank `y`, both counted from 0, if it is on the board.
    pub fn cell(&self, x: u8, y: u8) -> Option<Cell> {
        if x >= self.columns || y >= self.ranks {
            return None;
        }
        self.numbers[usize::from(y) * usize::from(self.columns) + usize::from(x)]
    }

    /// Returns the column and the rank of a cell, counted from 0.
    pub fn coordinates(&self, cell: Cell) -> (u8, u8) {
        self.coordinates[cell.index()]
    }

    /// Returns the label of a cell: column letter, then rank number, as in `c4`.
    pub fn label(&self, cell: Cell) -> String {
        let (x, y) = self.coordinates(cell);
        format!("{}{}", column_letter(x), y + 1)
    }

    /// Returns the cell `dx` columns to the right and `dy` ranks up, if it is on the board.
    pub fn offset(&self, cell: Cell, dx: i8, dy: i8) -> Option<Cell> {
        let (x, y) = self.coordinates(cell);
        self.cell(x.checked_add_signed(dx)?, y.checked_add_signed(dy)?)
    }

    /// Returns the difference of cell numbers of a step by an offset on a rectangle, to be added with wrapping.
    pub fn stride(&self, (dx, dy): (i8, i8)) -> u16 {
        (i16::from(dx) + i16::from(dy) * i16::from(self.columns)).cast_unsigned()
    }

    /// Returns the neighbor in a direction, if it is on the board.
    pub fn neighbor(&self, cell: Cell, direction: Direction) -> Option<Cell> {
        let (dx, dy) = direction.offset();
        self.offset(cell, dx, dy)
    }

    /// Iterates over the neighbors of a cell in cell order: up to four on a rectangle, up to six on a hexagon.
    pub fn neighbors(&self, cell: Cell) -> impl Iterator<Item = Cell> + '_ {
        const HEXAGON: &[(i8, i8)] = &[(-1, -1), (0, -1), (-1, 0), (1, 0), (0, 1), (1, 1)];
        let offsets: &[(i8, i8)] = match self.outline {
            Outline::Rectangle => &Direction::OFFSETS,
            Outline::Hexagon { .. } => HEXAGON,
        };
        offsets.iter().filter_map(move |&(dx, dy)| self.offset(cell, dx, dy))
    }

    /// Returns the symmetries of the board, the identity first: 4 of an oblong, 8 of a square, 12 of a hexagon.
    ///
    /// Boards one cell wide have fewer, because some coincide.
    pub fn symmetries(&self) -> Vec<Symmetry> {
        let (right, top) = (self.columns - 1, self.ranks - 1);
        let map = |f: &dyn Fn(u8, u8) -> (u8, u8)| -> Symmetry {
            self.coordinates
                .iter()
                .filter_map(|&(x, y)| {
                    let (x, y) = f(x, y);
                    self.cell(x, y)
                })
                .collect()
        };
        let mut generators: Vec<Symmetry> = match self.outline {
            Outline::Rectangle => vec![map(&|x, y| (right - x, y)), map(&|x, y| (x, top - y))],
            // The rotation by 60 degrees about the center, and the reflection in the long diagonal.
            Outline::Hexagon { side } => {
                vec![map(&|x, y| ((x + side - 1) - y, x)), map(&|x, y| (y, x))]
            }
        };
        if self.outline == Outline::Rectangle && self.columns == self.ranks {
            generators.push(map(&|x, y| (y, x)));
        }
        // The group that the generators span: compose until nothing new appears.
        let mut group: Vec<Symmetry> = vec![self.cells().collect()];
        let mut next = 0;
        while next < group.len() {
            for generator in &generators {
                let composed: Symmetry = group[next].iter().map(|cell| generator[cell.index()]).collect();
                if !group.contains(&composed) {
                    group.push(composed);
                }
            }
            next += 1;
        }
        group
    }
}
