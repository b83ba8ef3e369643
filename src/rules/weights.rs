//! The weights of an evaluation: a table in a text file, one row a line, its name first.

use std::collections::HashMap;
use std::fmt::Write;
use std::sync::Arc;

use nom::Parser;
use nom::bytes::complete::is_not;
use nom::character::complete::{i32, space0, space1};
use nom::combinator::all_consuming;
use nom::multi::separated_list1;
use nom::sequence::{separated_pair, terminated};
use thiserror::Error;

use crate::files::without_mark;

/// The largest weight: sums of many, each several times, stay far from the end of the numbers, and each fits an `i16`.
const LARGEST: i32 = 20_000;

/// A unit of a network is full where its sum comes to this, and empty where it comes to 0. Sums are kept in an `i16`, which they
/// fit on every board as long as shares are as small as those that were learned; beyond it they wrap, wherever they are made.
pub const FULL: i32 = 128;

/// Weights by row and column: 800 are odds of ten to one, and about 100 a stone.
///
/// Rows are what a player would name, columns the parts of a game in which it may be worth more or less. A copy shares the table.
///
/// A table may have a network with one layer of hidden units besides ([`Layer`]). Then the first rows, its inputs, have a number
/// for each unit behind their columns: by how much they fill it, in 128ths. Behind all other rows comes one called `bias`, how full
/// units are where nothing is seen, and one for each unit, `unit.0` and so on: what it is worth where it is full, by column.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Weights {
    rows: Arc<[String]>,
    columns: usize,
    layer: Layer,
    values: Arc<[i32]>,
    /// What a file says of it: lines that begin with `#`.
    about: Arc<str>,
}

/// What a network consists of.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Layer {
    /// How many rows do nothing but fill units: the first ones. Their columns are always 0, and are not written.
    pub only: usize,
    /// How many rows fill units, with these.
    pub inputs: usize,
    /// How many units there are.
    pub units: usize,
}

/// What is seen in a position: the row and the column of its weight, and how often the side to move has it more than the other.
pub type Term = (usize, usize, i32);

impl Weights {
    /// A table of zeros. A network adds the rows of its bias and units behind the others.
    pub fn empty(mut rows: Vec<String>, columns: usize, layer: Layer) -> Self {
        if layer.units > 0 {
            rows.push("bias".to_owned());
            rows.extend((0..layer.units).map(|unit| format!("unit.{unit}")));
        }
        let values = vec![0; rows.len() * (columns + layer.units)];
        Self {
            rows: rows.into(),
            columns,
            layer,
            values: values.into(),
            about: "".into(),
        }
    }

    /// A table as a text says ([`Weights::reread`]).
    ///
    /// # Errors
    /// Says which line is no row of this table with its numbers.
    pub fn from_text(
        rows: Vec<String>,
        columns: usize,
        layer: Layer,
        text: &str,
    ) -> Result<Self, WeightsError> {
        Self::empty(rows, columns, layer).reread(text)
    }

    /// The same table, of which a file says this.
    pub(super) fn about(self, about: &str) -> Self {
        Self {
            about: about.into(),
            ..self
        }
    }

    /// What a file says of it, each line behind `#`.
    pub(super) fn said(&self) -> &str {
        &self.about
    }

    /// The names of the rows.
    pub(super) fn rows(&self) -> &[String] {
        &self.rows
    }

    /// The weights by place.
    pub(super) fn values(&self) -> &[i32] {
        &self.values
    }

    /// Reads the text of another table with the same rows and columns. Rows that it lacks are 0; lines that begin with
    /// `#` are remarks.
    ///
    /// # Errors
    /// Says which line is no row of this table with its numbers.
    pub fn reread(&self, text: &str) -> Result<Self, WeightsError> {
        let mut rows: HashMap<&str, (usize, &mut [i32])> = HashMap::new();
        let mut values = vec![0; self.values.len()];
        let parts = values.chunks_mut(self.width().max(1));
        rows.extend(self.rows.iter().map(String::as_str).zip((0..).zip(parts)));
        for (line, text) in (1..).zip(text.lines().map(without_mark)) {
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            let wrong = |what| WeightsError {
                line,
                text: text.to_owned(),
                what,
            };
            let (name, numbers) = read_row(text).ok_or_else(|| wrong(Wrong::Form))?;
            let (place, row) = rows.remove(name).ok_or_else(|| wrong(Wrong::Name))?;
            let (columns, units) = self.numbers(place);
            // What fills no unit may leave that out.
            let fits = [columns, columns + units].contains(&numbers.len());
            let from = self.columns - columns;
            let row = row
                .get_mut(from..from + numbers.len())
                .filter(|_| fits)
                .ok_or_else(|| wrong(Wrong::Count(columns, units)))?;
            if numbers
                .iter()
                .any(|number| number.unsigned_abs() > LARGEST.unsigned_abs())
            {
                return Err(wrong(Wrong::Size));
            }
            row.copy_from_slice(&numbers);
        }
        Ok(self.with(values))
    }

    /// How many columns a row has, and how many units it fills.
    fn numbers(&self, row: usize) -> (usize, usize) {
        let Layer {
            only,
            inputs,
            units,
        } = self.layer;
        let columns = if row < only { 0 } else { self.columns };
        let fills = units > 0 && (row < inputs || row == self.bias());
        (columns, if fills { units } else { 0 })
    }

    /// Whether these may stand in the place of others: the same rows, columns and network.
    pub fn fits(&self, others: &Self) -> bool {
        let form = |weights: &Self| (weights.columns, weights.layer);
        form(self) == form(others) && self.rows == others.rows
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The weight at a place; 0 past the end.
    #[inline(always)]
    pub fn get(&self, place: usize) -> i32 {
        self.values.get(place).copied().unwrap_or(0)
    }

    /// How many numbers a row has: one for each column, then one for each unit.
    pub fn width(&self) -> usize {
        self.columns + self.layer.units
    }

    /// How many columns there are.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The network; one without units where there is none.
    pub fn layer(&self) -> Layer {
        self.layer
    }

    /// The row of how full units are where nothing is seen.
    pub fn bias(&self) -> usize {
        self.rows.len() - self.layer.units - 1
    }

    /// The row of what a unit is worth.
    pub fn unit(&self, unit: usize) -> usize {
        self.rows.len() - self.layer.units + unit
    }

    /// The place of a weight in a row and a column, or, behind the columns, a unit.
    #[inline(always)]
    pub fn place(&self, row: usize, column: usize) -> usize {
        row * self.width() + column
    }

    /// Whether there is such a weight.
    pub fn has(&self, row: usize, column: usize) -> bool {
        row < self.rows.len() && column < self.columns
    }

    /// What some terms are worth together, which are all of one column where there is a network: what evaluations come to,
    /// not how they are found fast.
    pub fn value(&self, terms: &[Term]) -> i32 {
        let Layer { inputs, units, .. } = self.layer;
        let weigh = |&(row, column, times): &Term| times * self.at(row, column);
        let sum: i32 = terms.iter().map(weigh).sum();
        let column = terms.first().map_or(0, |&(_, column, _)| column);
        let filled = |unit: usize| {
            let unit = self.columns + unit;
            let inputs = terms.iter().filter(|(row, ..)| *row < inputs);
            let fill = |&(row, _, times): &Term| times * self.at(row, unit);
            (self.at(self.bias(), unit) + inputs.map(fill).sum::<i32>()) as i16
        };
        let filled = |unit| i32::from(filled(unit)).clamp(0, FULL);
        let worth = |unit| filled(unit) * self.at(self.unit(unit), column);
        sum + (0..units).map(worth).sum::<i32>().div_euclid(FULL)
    }

    /// The weights of a row, by column and then by unit; none past the last row.
    pub fn row(&self, row: usize) -> &[i32] {
        let width = self.width();
        self.values
            .get(row * width..(row + 1) * width)
            .unwrap_or(&[])
    }

    /// The weight in a row and a column; 0 past the last row.
    #[inline(always)]
    pub fn at(&self, row: usize, column: usize) -> i32 {
        self.get(self.place(row, column))
    }

    /// A table with the same rows and other values, by place. They are kept within what a weight may be; what is
    /// missing is 0.
    pub fn with(&self, values: Vec<i32>) -> Self {
        let values = values.into_iter().chain(std::iter::repeat(0));
        let values = values.map(|value| value.clamp(-LARGEST, LARGEST));
        Self {
            values: values.take(self.values.len()).collect(),
            ..self.clone()
        }
    }

    /// The table as text, behind what its file says of it.
    pub fn text(&self) -> String {
        format!("{}{}", self.about, self.write())
    }

    /// The table as text. Rows of nothing but 0 are left out.
    pub fn write(&self) -> String {
        let mut text = String::new();
        let rows = self.rows.iter().zip(self.values.chunks(self.width()));
        for (place, (row, values)) in rows.enumerate() {
            let (own, filling) = values.split_at(self.columns);
            let is_some = |values: &[i32]| values.iter().any(|&value| value != 0);
            if is_some(values) {
                text.push_str(row);
                let values = match (is_some(filling), self.numbers(place)) {
                    (true, (0, _)) => filling,
                    (true, _) => values,
                    (false, _) => own,
                };
                for value in values {
                    // Writing to a string can't fail.
                    let _ = write!(text, " {value}");
                }
                text.push('\n');
            }
        }
        text
    }
}

/// The name and the numbers of a row.
fn read_row(text: &str) -> Option<(&str, Vec<i32>)> {
    let numbers = separated_list1(space1::<_, ()>, i32);
    let row = separated_pair(is_not(" "), space1, terminated(numbers, space0));
    all_consuming(row).parse(text).ok().map(|(_, row)| row)
}

/// What is wrong with a row.
#[derive(Error, Clone, PartialEq, Eq, Debug)]
enum Wrong {
    #[error("a row is a name and whole numbers, with spaces between them")]
    Form,
    #[error("this game's evaluation has no row of that name, or it came before")]
    Name,
    #[error("the row has {} number(s){}", if *.0 > 0 { .0 } else { .1 }, or_more(*.0, *.1))]
    Count(usize, usize),
    #[error("weights go from -{LARGEST} to {LARGEST}")]
    Size,
}

/// How many numbers a row may have instead of one for each column.
fn or_more(columns: usize, units: usize) -> String {
    match columns.min(units) {
        0 => String::new(),
        _ => format!(", or {}", columns + units),
    }
}

/// A line that does not fit a table of weights.
#[derive(Error, Clone, PartialEq, Eq, Debug)]
#[error("line {line}, {text:?}: {what}")]
pub struct WeightsError {
    line: usize,
    text: String,
    what: Wrong,
}
