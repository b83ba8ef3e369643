//! The cross-table of three engines and more: everyone's results against everyone.

use std::fmt::{self, Display};

use super::tally::Tally;
use crate::intervals::Results;
use crate::text::shortened;

/// Width of the table as text that a terminal shows without breaking lines, in characters.
const WIDTH: usize = 100;

/// Minimum length of a name that is cut, in characters.
const MIN_NAME: usize = 8;

/// Maximum length of a name, in characters.
const MAX_NAME: usize = 32;

/// Maximum number of engines whose results against each other are shown as text.
const MAX_ENGINES: usize = 16;

/// Results of engines against each other, the highest score first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CrossTable {
    /// Engines, the highest score first.
    pub rows: Vec<CrossRow>,
}

/// An engine in a cross-table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CrossRow {
    /// Its name.
    pub name: String,
    /// All its results.
    pub all: Results,
    /// Its results against the engine of each row; `None` against itself, and where two have not met.
    pub against: Vec<Option<Results>>,
}

impl CrossTable {
    /// Creates the table of all engines.
    pub fn new(tally: &Tally) -> Self {
        let mut order: Vec<usize> = (0..tally.names.len()).collect();
        // A stable sort keeps equal scores in order of appearance.
        let share = |&engine: &usize| tally.results_of(engine).share();
        order.sort_by(|a, b| share(b).total_cmp(&share(a)));
        let rows = order.iter().map(|&engine| CrossRow {
            name: tally.names.get(engine).cloned().unwrap_or_default(),
            all: tally.results_of(engine),
            against: order.iter().map(|&other| tally.results_between(engine, other)).collect(),
        });
        Self { rows: rows.collect() }
    }

    /// Formats the cells with the results of engines against each other.
    fn cells(&self, cell: impl Fn(Results) -> String) -> Vec<Vec<String>> {
        let row = |row: &CrossRow| -> Vec<String> {
            let cells = row.against.iter();
            cells.map(|against| against.map_or_else(|| "-".to_owned(), &cell)).collect()
        };
        self.rows.iter().map(row).collect()
    }
}

/// Returns the width of each column of cells, which has a number as its head.
fn widths(cells: &[Vec<String>]) -> Vec<usize> {
    let width = |column: usize| {
        let cells = cells.iter().filter_map(|row| row.get(column));
        let widest = cells.map(|cell| cell.chars().count()).max();
        widest.unwrap_or(0).max((column + 1).to_string().len())
    };
    (0..cells.len()).map(width).collect()
}

impl Display for CrossTable {
    /// Formats the table. The cells are wins-draws-losses if there is room for them, else percent.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = self.cells(Results::counts);
        let room = |cells: &[Vec<String>]| widths(cells).iter().map(|width| width + 1).sum();
        let percents = || self.cells(|against| format!("{:.0}", 100.0 * against.share()));
        let totals = self.rows.iter().map(|row| {
            [
                format!("{}/{}", row.all.points(), row.all.games()),
                format!("{:.1} %", 100.0 * row.all.share()),
                row.all.counts(),
            ]
        });
        let totals: Vec<[String; 3]> = totals.collect();
        let heads = ["points", "score", "all"];
        let width_of = |column: usize, head: &str| {
            let cells = totals.iter().filter_map(|row| row.get(column));
            let widest = cells.map(|cell| cell.chars().count()).max();
            widest.unwrap_or(0).max(head.len())
        };
        let mut total_widths = [0; 3];
        for (column, (width, head)) in total_widths.iter_mut().zip(heads).enumerate() {
            *width = width_of(column, head);
        }
        let rank = self.rows.len().to_string().len();
        let taken = rank + 2 + total_widths.iter().map(|width| width + 2).sum::<usize>() + 1;
        let names = self.rows.iter().map(|row| row.name.chars().count());
        let name = names.max().unwrap_or(0).clamp("engine".len(), MAX_NAME);
        let left = WIDTH.saturating_sub(taken);
        let short = name.min(MIN_NAME);
        let (cells, meaning): (_, &str) = match self.rows.len() {
            0..=MAX_ENGINES if room(&counts) + short <= left => {
                (counts, "wins-draws-losses of the row against the column")
            }
            0..=MAX_ENGINES => (percents(), "percent of the row against the column"),
            _ => (Vec::new(), ""),
        };
        let widths = widths(&cells);
        let name = name.min(left.saturating_sub(room(&cells))).max(short);

        let [points, score, all] = total_widths;
        write!(f, "{:rank$}  {:<name$}", "", "engine")?;
        let [of_points, of_score, of_all] = heads;
        write!(f, "  {of_points:>points$}  {of_score:>score$}  {of_all:>all$}")?;
        for (column, width) in widths.iter().enumerate() {
            let gap = if column == 0 { "  " } else { " " };
            write!(f, "{gap}{:>width$}", column + 1)?;
        }
        writeln!(f)?;
        for (place, (row, [of_points, of_score, of_all])) in self.rows.iter().zip(&totals).enumerate() {
            let engine = shortened(&row.name, name);
            write!(f, "{:>rank$}  {engine:<name$}", place + 1)?;
            write!(f, "  {of_points:>points$}  {of_score:>score$}  {of_all:>all$}")?;
            let cells = cells.get(place).into_iter().flatten();
            for (column, (cell, width)) in cells.zip(&widths).enumerate() {
                let gap = if column == 0 { "  " } else { " " };
                write!(f, "{gap}{cell:>width$}")?;
            }
            writeln!(f)?;
        }
        if meaning.is_empty() { Ok(()) } else { writeln!(f, "{:rank$}  1 to {}: {meaning}", "", self.rows.len()) }
    }
}
