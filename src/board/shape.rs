//! Cells, their labels, and the two shapes of board: rectangle and hexagon.

use super::Direction;

/// The most columns or ranks a rectangle may have, and the number of column letters.
pub const MAX_DIMENSION: u8 = 25;

/// The most cells a side of a hexagonal board may have.
pub const MAX_SIDE: u8 = 13;

/// A cell of a board, numbered in cell order from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Cell(u16);

impl Cell {
    /// The cell with this number in cell order. Boards have at most 625 cells.
    #[inline]
    pub const fn new(index: usize) -> Self {
        Self(index as u16)
    }

    /// The number in cell order, from 0.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The letter of a column counted from 0: `a b c d e f g h j k …`, without `i`, as in GTP.
pub fn column_letter(x: u8) -> char {
    let skip = u8::from(x >= b'i' - b'a');
    char::from(b'a' + x + skip)
}

/// The column of a letter in either case, counted from 0; `None` for `i` and for what is no letter.
pub fn column_of_letter(letter: char) -> Option<u8> {
    let letter = u8::try_from(letter.to_ascii_lowercase()).ok()?;
    match letter {
        b'a'..=b'h' => Some(letter - b'a'),
        b'j'..=b'z' => Some(letter - b'a' - 1),
        _ => None,
    }
}

/// What the board looks like, with tables worked out from the geometry when it is made.
///
/// ```
/// use pentalith::board::Shape;
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
    coordinates: Vec<(u8, u8)>,
    /// Cell numbers by `y * columns + x`; `None` off a hexagonal board.
    numbers: Vec<Option<Cell>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Outline {
    Rectangle,
    Hexagon { side: u8 },
}

/// Where each cell goes under one symmetry of the board: entry n is the image of cell n.
pub type Symmetry = Vec<Cell>;

impl Shape {
    /// A rectangle of `columns` × `ranks` cells, each from 1 to [`MAX_DIMENSION`].
    pub fn rectangle(columns: u8, ranks: u8) -> Self {
        Self::new(Outline::Rectangle, columns, ranks)
    }

    /// A hexagon with `side` cells a side, from 1 to [`MAX_SIDE`], on a grid of (2·side−1)² places.
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
        Self {
            outline,
            columns,
            ranks,
            coordinates,
            numbers,
        }
    }

    /// How many columns the grid has.
    pub fn columns(&self) -> u8 {
        self.columns
    }

    /// How many ranks the grid has.
    pub fn ranks(&self) -> u8 {
        self.ranks
    }

    /// Whether this is a hexagonal board.
    pub fn is_hexagon(&self) -> bool {
        matches!(self.outline, Outline::Hexagon { .. })
    }

    /// How many cells the board has.
    pub fn len(&self) -> usize {
        self.coordinates.len()
    }

    /// Never true: the smallest board has one cell.
    pub fn is_empty(&self) -> bool {
        self.coordinates.is_empty()
    }

    /// The cells in cell order.
    pub fn cells(&self) -> impl DoubleEndedIterator<Item = Cell> + use<> {
        (0..self.len()).map(Cell::new)
    }

    /// The cells of rank `y`, counted from 0, from left to right.
    pub fn rank(&self, y: u8) -> impl Iterator<Item = Cell> + '_ {
        (0..self.columns).filter_map(move |x| self.cell(x, y))
    }

    /// The cell in column `x` and rank `y`, both counted from 0, if it is on the board.
    pub fn cell(&self, x: u8, y: u8) -> Option<Cell> {
        if x >= self.columns || y >= self.ranks {
            return None;
        }
        self.numbers[usize::from(y) * usize::from(self.columns) + usize::from(x)]
    }

    /// Column and rank of a cell, counted from 0.
    pub fn coordinates(&self, cell: Cell) -> (u8, u8) {
        self.coordinates[cell.index()]
    }

    /// The label of a cell: column letter, then rank number, as in `c4`.
    pub fn label(&self, cell: Cell) -> String {
        let (x, y) = self.coordinates(cell);
        format!("{}{}", column_letter(x), y + 1)
    }

    /// The cell `dx` columns to the right of and `dy` ranks above this one, if it is on the board.
    pub fn offset(&self, cell: Cell, dx: i8, dy: i8) -> Option<Cell> {
        let (x, y) = self.coordinates(cell);
        self.cell(x.checked_add_signed(dx)?, y.checked_add_signed(dy)?)
    }

    /// The next cell in a direction, if the board goes on there.
    pub fn neighbor(&self, cell: Cell, direction: Direction) -> Option<Cell> {
        let (dx, dy) = direction.offset();
        self.offset(cell, dx, dy)
    }

    /// The cells next to this one, in cell order: four ways on a rectangle, six on a hexagon
    /// (`games.md`, "Coordinates").
    pub fn neighbors(&self, cell: Cell) -> impl Iterator<Item = Cell> + '_ {
        const RECTANGLE: &[(i8, i8)] = &[(0, -1), (-1, 0), (1, 0), (0, 1)];
        const HEXAGON: &[(i8, i8)] = &[(-1, -1), (0, -1), (-1, 0), (1, 0), (0, 1), (1, 1)];
        let offsets = match self.outline {
            Outline::Rectangle => RECTANGLE,
            Outline::Hexagon { .. } => HEXAGON,
        };
        offsets
            .iter()
            .filter_map(move |&(dx, dy)| self.offset(cell, dx, dy))
    }

    /// Every symmetry of the board, the identity first: 4 of an oblong, 8 of a square, 12 of a hexagon.
    /// (On boards one cell wide some of them coincide.)
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
            // A turn by 60 degrees about the middle, and the mirror in the long diagonal.
            Outline::Hexagon { side } => {
                vec![map(&|x, y| ((x + side - 1) - y, x)), map(&|x, y| (y, x))]
            }
        };
        if self.outline == Outline::Rectangle && self.columns == self.ranks {
            generators.push(map(&|x, y| (y, x)));
        }
        // The group that the generators span, by composing until nothing new appears.
        let mut group: Vec<Symmetry> = vec![self.cells().collect()];
        let mut next = 0;
        while next < group.len() {
            for generator in &generators {
                let composed: Symmetry = group[next]
                    .iter()
                    .map(|cell| generator[cell.index()])
                    .collect();
                if !group.contains(&composed) {
                    group.push(composed);
                }
            }
            next += 1;
        }
        group
    }
}
