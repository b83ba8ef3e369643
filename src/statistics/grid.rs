//! Tables of names and numbers: for a terminal, as Markdown and as CSV.

use std::fmt::Write;

use serde::Serialize;
use serde_json::Value;

/// A table: a column of names first, then numbers.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Grid {
    /// Caption; empty for none.
    pub caption: String,
    /// Heads of the columns.
    pub heads: Vec<String>,
    /// Cells, row by row.
    pub rows: Vec<Vec<String>>,
}

impl Grid {
    /// Creates a table.
    pub fn new(caption: &str, heads: &[&str], rows: Vec<Vec<String>>) -> Self {
        let heads = heads.iter().map(|&head| head.to_owned()).collect();
        Self { caption: caption.to_owned(), heads, rows }
    }

    /// Creates a table with a row for each value. Each column has a head, and the place of its cells in the JSON of the
    /// value, as in `/score/low`. A cell is empty where that is `null` or missing.
    pub fn of_rows<T: Serialize>(columns: &[(&str, &str)], rows: impl IntoIterator<Item = T>) -> Self {
        let row = |value: T| {
            // Serializing answers can't fail.
            let value = serde_json::to_value(value).unwrap_or_default();
            let cell = |(_, place): &(&str, &str)| match value.pointer(place) {
                None | Some(Value::Null) => String::new(),
                Some(Value::String(text)) => text.clone(),
                Some(other) => other.to_string(),
            };
            columns.iter().map(cell).collect()
        };
        let heads: Vec<&str> = columns.iter().map(|(head, _)| *head).collect();
        Self::new("", &heads, rows.into_iter().map(row).collect())
    }

    /// Formats the table for a terminal.
    pub fn text(&self) -> String {
        let rows = || std::iter::once(&self.heads).chain(&self.rows);
        let width = |column: usize| {
            let cells = rows().filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.heads.len()).map(width).collect();
        let mut text = String::new();
        if !self.caption.is_empty() {
            let _ = writeln!(text, "{}", self.caption);
        }
        for row in rows() {
            let mut line = String::new();
            for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
                // Writing to a string can't fail.
                let _ = match column {
                    0 => write!(line, "{cell:<width$}"),
                    _ => write!(line, "  {cell:>width$}"),
                };
            }
            let _ = writeln!(text, "{}", line.trim_end());
        }
        text
    }

    /// Formats the table as Markdown.
    pub fn markdown(&self) -> String {
        let line = |cells: &[String]| {
            let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        let mut text = if self.caption.is_empty() { String::new() } else { format!("{}\n\n", self.caption) };
        text += &line(&self.heads);
        let rule = self.heads.iter().enumerate().map(|(column, _)| if column == 0 { "---" } else { "---:" });
        let _ = writeln!(text, "|{}|", rule.collect::<Vec<_>>().join("|"));
        for row in &self.rows {
            text += &line(row);
        }
        text
    }

    /// Formats the table as CSV, without its caption.
    pub fn csv(&self) -> String {
        let cell = |cell: &String| {
            if cell.contains([',', '"', '\n', '\r']) {
                format!("\"{}\"", cell.replace('"', "\"\""))
            } else {
                cell.clone()
            }
        };
        let line = |cells: &Vec<String>| format!("{}\n", cells.iter().map(cell).collect::<Vec<_>>().join(","));
        std::iter::once(&self.heads).chain(&self.rows).map(line).collect()
    }
}
