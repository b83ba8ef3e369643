//! A board of numbers, and the keys that tell positions apart.

use super::{BLACK, Color, Position, WHITE};

/// A coordinate: column, then rank, from 0.
pub type Cell = (i8, i8);

/// The largest board has 25 columns and 25 ranks.
const CELLS: usize = 625;

/// A rectangle or a hexagon. A cell is 0 if empty, positive with a piece of Black's, negative with one of White's: 1
/// for a stone, else the height of the stack or the value of the die.
#[derive(Clone)]
pub struct Board {
    columns: i8,
    ranks: i8,
    /// Cells per side; a rectangle has 0.
    hexagon: i8,
    at: [i8; CELLS],
}

impl Board {
    pub fn rectangle(columns: i8, ranks: i8) -> Self {
        Self {
            columns,
            ranks,
            hexagon: 0,
            at: [0; CELLS],
        }
    }

    pub fn hexagon(side: i8) -> Self {
        Self {
            hexagon: side,
            ..Self::rectangle(2 * side - 1, 2 * side - 1)
        }
    }

    pub fn inside(&self, (x, y): Cell) -> bool {
        let on_grid = (0..self.columns).contains(&x) && (0..self.ranks).contains(&y);
        on_grid && (self.hexagon == 0 || (x - y).abs() < self.hexagon)
    }

    fn pieces_at(&self) -> impl Iterator<Item = &i8> {
        self.at
            .iter()
            .take(self.columns as usize * self.ranks as usize)
    }

    fn place(&self, (x, y): Cell) -> usize {
        y as usize * self.columns as usize + x as usize
    }

    /// Returns what is on a cell: nothing off the board.
    pub fn at(&self, cell: Cell) -> i8 {
        if !self.inside(cell) {
            return 0;
        }
        self.at.get(self.place(cell)).copied().unwrap_or(0)
    }

    /// Returns the number of pieces of a colour on a cell, or the value of its die there.
    pub fn of(&self, cell: Cell, color: Color) -> i8 {
        (self.at(cell) * color).max(0)
    }

    pub fn put(&mut self, cell: Cell, piece: i8) {
        let place = self.place(cell);
        if let Some(at) = self.at.get_mut(place) {
            *at = piece;
        }
    }

    /// Returns all cells in cell order: rank 1 first, from left to right.
    pub fn cells(&self) -> impl Iterator<Item = Cell> + use<'_> {
        let all = (0..self.ranks).flat_map(|y| (0..self.columns).map(move |x| (x, y)));
        all.filter(|&cell| self.inside(cell))
    }

    /// Returns the orthogonal neighbours of a cell of a rectangle, in cell order.
    pub fn neighbors(&self, (x, y): Cell) -> impl Iterator<Item = Cell> + use<'_> {
        let all = [(x, y - 1), (x - 1, y), (x + 1, y), (x, y + 1)];
        all.into_iter().filter(|&cell| self.inside(cell))
    }

    /// Counts the cells with a piece of a colour.
    pub fn count(&self, color: Color) -> i64 {
        self.pieces_at().filter(|&&piece| piece * color > 0).count() as i64
    }

    /// Adds up the heights of the stacks of a colour.
    pub fn pieces(&self, color: Color) -> i64 {
        self.pieces_at()
            .map(|&piece| i64::from((piece * color).max(0)))
            .sum()
    }

    pub fn has(&self, color: Color) -> bool {
        self.pieces_at().any(|&piece| piece * color > 0)
    }

    pub fn exchange_colors(&mut self) {
        for piece in &mut self.at {
            *piece = -*piece;
        }
    }

    /// Writes the board into a key; no number is above `most`.
    pub fn key(&self, most: i8, key: &mut Key) {
        for cell in self.cells() {
            key.push(
                i64::from(self.at(cell)) + i64::from(most),
                2 * i64::from(most) + 1,
            );
        }
    }

    /// Writes the ranks from the top down; `numbers` says whether pieces have any.
    pub fn text(&self, numbers: bool) -> String {
        let mut text = String::new();
        for y in (0..self.ranks).rev() {
            for x in (0..self.columns).filter(|&x| self.inside((x, y))) {
                match self.at((x, y)) {
                    0 => text.push('.'),
                    piece => text.push(if piece > 0 { 'b' } else { 'w' }),
                }
                if numbers && self.at((x, y)) != 0 {
                    text += &self.at((x, y)).abs().to_string();
                }
            }
            if y > 0 {
                text.push('/');
            }
        }
        text
    }

    /// Reads what `text` writes. No number may be above `most`; pieces have numbers if `numbers` says so.
    pub fn read(&mut self, text: &str, numbers: bool, most: i8) -> Result<(), String> {
        let ranks: Vec<&str> = text.split('/').collect();
        if ranks.len() != self.ranks as usize {
            return Err(format!(
                "the board has {} ranks, not {}",
                self.ranks,
                ranks.len()
            ));
        }
        for (y, rank) in (0..self.ranks).rev().zip(ranks) {
            let wrong = || format!("rank {} does not fit the board: `{rank}`", y + 1);
            let mut rest = rank;
            for x in (0..self.columns).filter(|&x| self.inside((x, y))) {
                let piece = rest.chars().next().ok_or_else(wrong)?;
                rest = rest.get(1..).ok_or_else(wrong)?;
                let color = match piece {
                    '.' => 0,
                    'b' => BLACK,
                    'w' => WHITE,
                    _ => return Err(wrong()),
                };
                let mut number = 1;
                if numbers && color != 0 {
                    let digits =
                        rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
                    let value: Option<i8> =
                        rest.get(..digits).and_then(|digits| digits.parse().ok());
                    number = value
                        .filter(|value| (1..=most).contains(value))
                        .ok_or_else(wrong)?;
                    rest = rest.get(digits..).ok_or_else(wrong)?;
                }
                self.put((x, y), color * number);
            }
            if !rest.is_empty() {
                return Err(wrong());
            }
        }
        Ok(())
    }
}

/// A position as bytes, equal only for equal positions: the digits of a number, each with a base of its own. The bases
/// are the same for all positions of a variant, and so is the length.
#[derive(Default)]
pub struct Key {
    pub bytes: Vec<u8>,
    number: u64,
    /// The number is below this.
    range: u64,
}

impl Key {
    /// Makes this the key of a position.
    pub fn set(&mut self, position: &impl Position) {
        self.bytes.clear();
        (self.number, self.range) = (0, 1);
        position.key(self);
        self.flush();
    }

    pub fn push(&mut self, digit: i64, base: i64) {
        assert!(
            (0..base).contains(&digit),
            "{digit} is no digit below {base}"
        );
        let (digit, base) = (digit as u64, base as u64);
        match self.range.checked_mul(base) {
            Some(range) => (self.number, self.range) = (self.number * base + digit, range),
            None => {
                self.flush();
                (self.number, self.range) = (digit, base);
            }
        }
    }

    /// Writes the bytes that a number of this range can have.
    fn flush(&mut self) {
        let length = (64 - (self.range - 1).leading_zeros()).div_ceil(8) as usize;
        self.bytes
            .extend(self.number.to_le_bytes().iter().take(length));
    }
}
