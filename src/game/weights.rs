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

/// The largest weight: sums of many, each several times, stay far from the end of the numbers, and each fits an `i16`.
const LARGEST: i32 = 20_000;

/// Weights by row and column: 800 are odds of ten to one, and about 100 a stone.
///
/// Rows are what a player would name, columns the parts of a game in which it may be worth more or less. The place of a
/// weight is its row times the number of columns, and its column. A copy shares the table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Weights {
    rows: Arc<[String]>,
    columns: usize,
    values: Arc<[i32]>,
}

impl Weights {
    /// A table with these rows and so many columns, as the text of a file of this program says.
    pub fn built_in(rows: Vec<String>, columns: usize, text: &str) -> Self {
        let values = vec![0; rows.len() * columns];
        let empty = Self {
            rows: rows.into(),
            columns,
            values: values.into(),
        };
        // A test reads every one of these files.
        empty.reread(text).unwrap_or_else(|error| {
            log::error!("weights: {error}");
            empty
        })
    }

    /// Reads the text of another table with the same rows and columns. Rows that it lacks are 0; lines that begin with
    /// `#` are remarks.
    ///
    /// # Errors
    /// Says which line is no row of this table with its numbers.
    pub fn reread(&self, text: &str) -> Result<Self, WeightsError> {
        let mut rows: HashMap<&str, &mut [i32]> = HashMap::new();
        let mut values = vec![0; self.values.len()];
        let parts = values.chunks_mut(self.columns.max(1));
        rows.extend(self.rows.iter().map(String::as_str).zip(parts));
        for (line, text) in (1..).zip(text.lines()) {
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            let wrong = |what| WeightsError {
                line,
                text: text.to_owned(),
                what,
            };
            let (name, numbers) = read_row(text).ok_or_else(|| wrong(Wrong::Form))?;
            let row = rows.remove(name).ok_or_else(|| wrong(Wrong::Name))?;
            if row.len() != numbers.len() {
                return Err(wrong(Wrong::Count(row.len())));
            }
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

    /// The place of a weight in a row and a column.
    #[inline(always)]
    pub fn place(&self, row: usize, column: usize) -> usize {
        row * self.columns + column
    }

    /// Whether there is such a weight.
    pub fn has(&self, row: usize, column: usize) -> bool {
        row < self.rows.len() && column < self.columns
    }

    /// The weight in a row and a column; 0 past the last row.
    #[inline(always)]
    pub fn at(&self, row: usize, column: usize) -> i32 {
        self.get(self.place(row, column))
    }

    /// The weights of these rows in a column, side by side: where rows are looked up by a number, that is one look less.
    pub fn gather(&self, rows: &[u16], column: usize) -> Vec<i16> {
        let weight = |&row: &u16| self.at(row.into(), column) as i16;
        rows.iter().map(weight).collect()
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

    /// The table as text. Rows of nothing but 0 are left out.
    pub fn write(&self) -> String {
        let mut text = String::new();
        for (row, values) in self.rows.iter().zip(self.values.chunks(self.columns)) {
            if values.iter().any(|&value| value != 0) {
                text.push_str(row);
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
    #[error("the row has {0} number(s)")]
    Count(usize),
    #[error("weights go from -{LARGEST} to {LARGEST}")]
    Size,
}

/// A line that does not fit a table of weights.
#[derive(Error, Clone, PartialEq, Eq, Debug)]
#[error("line {line}, {text:?}: {what}")]
pub struct WeightsError {
    line: usize,
    text: String,
    what: Wrong,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Weights {
        let rows = ["stone", "--o/e--", "none"].map(str::to_owned).to_vec();
        Weights::built_in(rows, 2, "")
    }

    #[test]
    fn a_table_is_read_as_it_was_written() {
        let text = "stone 100 -7\n--o/e-- 0 3\n";
        let weights = table().reread(text).unwrap();
        assert_eq!(weights.write(), text);
        assert_eq!(
            [0, 1, 3, 4, 6].map(|place| weights.get(place)),
            [100, -7, 3, 0, 0]
        );
        let other = weights.with(vec![1, 2, 3, 4, 5, 6]);
        assert_eq!(weights.reread(&other.write()), Ok(other));
        assert_eq!(weights.reread("# stone 5\n\n"), Ok(table()));
    }

    #[test]
    fn what_is_no_row_is_quoted() {
        let name = "this game's evaluation has no row of that name, or it came before";
        let form = "a row is a name and whole numbers, with spaces between them";
        let cases = [
            ("stone", form),
            ("stone x 1", form),
            (" stone 1 2", form),
            ("stone 4 5 6", "the row has 2 number(s)"),
            ("stone 4", "the row has 2 number(s)"),
            ("other 1 2", name),
            ("none 1 2", name),
            ("stone 20001 0", "weights go from -20000 to 20000"),
        ];
        for (line, what) in cases {
            let error = table().reread(&format!("none 0 1\n{line}\n")).unwrap_err();
            assert_eq!(error.to_string(), format!("line 2, {line:?}: {what}"));
        }
    }
}
