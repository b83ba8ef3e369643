//! A board of numbers.

use super::*;

/// A coordinate: column, then rank, from 0.
pub type Cell = (i8, i8);

/// The largest board has 25 columns and 25 ranks.
const CELLS: usize = 625;
const COLUMNS: &str = "abcdefghjklmnopqrstuvwxyz";

/// A rectangle or a hexagon. A cell is 0 if empty, positive with a piece of Black's, negative with one of White's: 1
/// for a stone, else the height of the stack or the value of the die.
#[derive(Clone)]
pub struct Board {
    columns: i8,
    ranks: i8,
    /// Cells per side; a rectangle has 0.
    hexagon: i8,
    /// The largest number of a piece. Stones have none in text.
    pub most: i8,
    at: [i8; CELLS],
}

impl Board {
    /// Returns an empty rectangle. `most` is the largest number of a piece.
    pub fn rectangle(columns: i8, ranks: i8, most: i8) -> Self {
        Self { columns, ranks, hexagon: 0, most, at: [0; CELLS] }
    }

    /// Returns an empty hexagon with a number of cells on each side.
    pub fn hexagon(side: i8) -> Self {
        Self { hexagon: side, ..Self::rectangle(2 * side - 1, 2 * side - 1, 1) }
    }

    /// Returns true if a cell is on the board.
    pub fn inside(&self, (x, y): Cell) -> bool {
        let on_grid = (0..self.columns).contains(&x) && (0..self.ranks).contains(&y);
        on_grid && (self.hexagon == 0 || (x - y).abs() < self.hexagon)
    }

    fn place(&self, (x, y): Cell) -> usize {
        y as usize * self.columns as usize + x as usize
    }

    fn pieces_at(&self) -> impl Iterator<Item = i8> {
        self.at.iter().copied().take(self.columns as usize * self.ranks as usize)
    }

    /// Returns what is on a cell: nothing off the board.
    pub fn at(&self, cell: Cell) -> i8 {
        if self.inside(cell) { self.at.get(self.place(cell)).copied().unwrap_or(0) } else { 0 }
    }

    /// Returns the number of pieces of a color on a cell, or the value of its die there.
    pub fn of(&self, cell: Cell, color: Color) -> i8 {
        (self.at(cell) * color).max(0)
    }

    /// Puts a piece on a cell, or nothing (0), in place of what is there.
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

    /// Returns the cells without a piece, in cell order.
    pub fn empty_cells(&self) -> impl Iterator<Item = Cell> + use<'_> {
        self.cells().filter(|&cell| self.at(cell) == 0)
    }

    /// Returns the cells with a piece of a color.
    pub fn cells_of(&self, color: Color) -> impl Iterator<Item = Cell> + use<'_> {
        self.cells().filter(move |&cell| self.at(cell) * color > 0)
    }

    /// Returns the orthogonal neighbors of a cell of a rectangle, in cell order.
    pub fn neighbors(&self, (x, y): Cell) -> impl Iterator<Item = Cell> + use<'_> {
        let all = [(x, y - 1), (x - 1, y), (x + 1, y), (x, y + 1)];
        all.into_iter().filter(|&cell| self.inside(cell))
    }

    /// Counts the cells with a piece of a color.
    pub fn count(&self, color: Color) -> i64 {
        self.pieces_at().filter(|piece| piece * color > 0).count() as i64
    }

    /// Adds up the heights of the stacks of a color.
    pub fn pieces(&self, color: Color) -> i64 {
        self.pieces_at().map(|piece| i64::from((piece * color).max(0))).sum()
    }

    /// Returns true if there is a piece of a color.
    pub fn has(&self, color: Color) -> bool {
        self.pieces_at().any(|piece| piece * color > 0)
    }

    /// Gives each piece the other color.
    pub fn exchange_colors(&mut self) {
        self.at.iter_mut().for_each(|piece| *piece = -*piece);
    }

    /// Writes the ranks from the top down.
    pub fn text(&self) -> String {
        let piece = |cell| match self.at(cell) {
            0 => ".".to_owned(),
            piece if self.most == 1 => letter(piece).to_string(),
            piece => format!("{}{}", letter(piece.signum()), piece.abs()),
        };
        let rank = |y| (0..self.columns).map(|x| (x, y)).filter(|&cell| self.inside(cell)).map(piece).collect();
        let ranks: Vec<String> = (0..self.ranks).rev().map(rank).collect();
        ranks.join("/")
    }

    /// Reads what `text` writes. What else it reads, `text` writes in another way.
    pub fn read(&mut self, text: &str) -> Result<(), String> {
        for (y, rank) in (0..self.ranks).rev().zip(text.split('/')) {
            let mut rest = rank;
            for cell in self.clone().cells().filter(|&(_, rank)| rank == y) {
                let letter = rest.chars().next();
                let color = if letter == Some('b') { BLACK } else { WHITE };
                rest = rest.get(1..).unwrap_or_default();
                let after = rest.trim_start_matches(|c: char| c.is_ascii_digit());
                let number = rest.strip_suffix(after).and_then(|digits| digits.parse().ok()).unwrap_or(1);
                let fits = (1..=self.most).contains(&number);
                ensure(fits, || format!("no piece has the number {number}, as in `{rank}`"))?;
                self.put(cell, if [Some('b'), Some('w')].contains(&letter) { color * number } else { 0 });
                rest = if self.most > 1 { after } else { rest };
            }
        }
        Ok(())
    }
}

/// Writes the label of a cell, such as `c3`.
pub fn label((x, y): Cell) -> String {
    let column = COLUMNS.chars().nth(x as usize).unwrap_or('?');
    format!("{column}{}", y + 1)
}

/// Reads a label; the cell may lie off the board.
pub fn cell(label: &str) -> Option<Cell> {
    let column = label.chars().next()?;
    let x = COLUMNS.find(column)? as i8;
    let rank: i8 = label.get(1..)?.parse().ok()?;
    Some((x, rank.checked_sub(1)?))
}
