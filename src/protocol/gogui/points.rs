//! The points of GoGui's board: the cells, and above them a rank for the Pool in games that have one.

use crate::board::{column_letter, column_of_letter};
use crate::session::Session;

/// The points that GoGui shows.
#[derive(Clone, Copy)]
pub(super) struct Points {
    columns: usize,
    ranks: usize,
    has_pool: bool,
}

impl Points {
    /// Returns the points of the variant that is played.
    pub(super) fn of(session: &Session) -> Self {
        let (columns, ranks) = session.variant().size().dimensions();
        Self { columns: columns.into(), ranks: ranks.into(), has_pool: session.has_pools() }
    }

    /// Returns the side of the square that GoGui draws.
    pub(super) fn size(self) -> usize {
        (self.ranks + usize::from(self.has_pool)).max(self.columns)
    }

    /// Returns the points of the Pool from left to right; none in a game without Pools.
    pub(super) fn pool(self) -> impl Iterator<Item = String> {
        let columns = if self.has_pool { self.columns } else { 0 };
        (0..columns).map(move |x| name(x, self.ranks))
    }

    /// Returns the points outside the board and the Pool, from the top down.
    pub(super) fn padding(self) -> impl Iterator<Item = String> {
        let ranks = self.ranks + usize::from(self.has_pool);
        let is_outside = move |&(x, y): &(usize, usize)| x >= self.columns || y >= ranks;
        let size = self.size();
        let all = (0..size).rev().flat_map(move |y| (0..size).map(move |x| (x, y)));
        all.filter(is_outside).map(|(x, y)| name(x, y))
    }

    /// Writes a click as GoGui does: in upper case, the Pool as its first point; `pass` stays.
    pub(super) fn write(self, click: &str) -> String {
        match click {
            "pass" => click.to_owned(),
            "pool" => name(0, self.ranks),
            cell => cell.to_ascii_uppercase(),
        }
    }

    /// Writes every point on which a click may be made.
    pub(super) fn write_all(self, click: &str) -> Vec<String> {
        match click {
            "pool" => self.pool().collect(),
            _ => vec![self.write(click)],
        }
    }

    /// Reads a point as a click: those of the Pool are `pool`.
    pub(super) fn read(self, point: &str) -> &str {
        if self.is_pool(point) { "pool" } else { point }
    }

    fn is_pool(self, point: &str) -> bool {
        let mut letters = point.chars();
        let column = letters.next().and_then(column_of_letter);
        self.has_pool
            && column.is_some_and(|x| usize::from(x) < self.columns)
            && letters.as_str() == (self.ranks + 1).to_string()
    }
}

/// Returns the name of a point, by its column and its rank from 0.
fn name(x: usize, y: usize) -> String {
    const LETTERS: usize = 25;
    let letter = |x: usize| column_letter(x as u8).to_ascii_uppercase();
    // GoGui calls the column after Z AA.
    let column = match x.checked_sub(LETTERS) {
        None => letter(x).to_string(),
        Some(x) => format!("A{}", letter(x)),
    };
    format!("{column}{}", y + 1)
}
