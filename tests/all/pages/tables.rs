//! Tables of the pages of results come from the tables of figures beside them.
//!
//! In a page, `<!-- strength.tsv search time -->` stands above the table of these parts. `UPDATE_PAGES=1 cargo test
//! tables` writes the figures into the pages.

use std::collections::HashMap;
use std::fs;

use super::{pages, report, root};

/// A table of figures: rows and columns in the order of their first figure.
#[derive(Default)]
struct Table {
    rows: Vec<String>,
    columns: Vec<String>,
    cells: HashMap<(String, String), String>,
}

impl Table {
    fn insert(&mut self, row: &str, column: &str, cell: String) {
        for (names, name) in [(&mut self.rows, row), (&mut self.columns, column)] {
            if !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
        self.cells.insert((row.to_owned(), column.to_owned()), cell);
    }

    /// Returns the lines of the table, without the words of the page in its upper left corner.
    fn lines(&self, corner: &str) -> Vec<String> {
        let mut lines = vec![
            format!("| {corner} | {} |", self.columns.join(" | ")),
            format!("|---|{}", "---|".repeat(self.columns.len())),
        ];
        for row in &self.rows {
            let cells = self.columns.iter().map(|column| {
                let cell = self.cells.get(&(row.clone(), column.clone()));
                cell.map_or("–", String::as_str)
            });
            lines.push(format!("| {row} | {} |", cells.collect::<Vec<_>>().join(" | ")));
        }
        lines
    }
}

/// Reads parts of a table of figures.
fn table(file: &str, parts: &str) -> Table {
    let text = fs::read_to_string(root().join("docs/results").join(file)).unwrap();
    let mut lines = text.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let header = lines.next().unwrap();
    let mut table = Table::default();
    for line in lines {
        assert_eq!(line.len(), header.len(), "{file}: {line:?}");
        let field = |name| line[header.iter().position(|column| *column == name).unwrap()];
        let percent = |name| field(name).parse::<f64>().unwrap_or_else(|_| panic!("{file}: {line:?}"));
        if !parts.split(' ').any(|part| part == line[0]) {
            continue;
        }
        let cell = if header.contains(&"value") {
            field("value").to_owned()
        } else if field("score").is_empty() {
            // Not measured yet.
            "–".to_owned()
        } else {
            let [score, low, high] = ["score", "low", "high"].map(percent);
            assert!(low <= score && score <= high, "{file}: {line:?}");
            match field("games") {
                // Of all games of a row: a rating, or an advantage in Elo.
                "" => format!("{score:+.0} [{low:.0}, {high:.0}]"),
                games => format!("{score:.0} % [{low:.0}, {high:.0}] of {games}"),
            }
        };
        table.insert(line[1], line[2], cell);
    }
    assert!(!table.rows.is_empty(), "{file} has no part {parts}");
    table
}

#[test]
fn the_tables_of_results_show_the_figures() {
    let update = std::env::var_os("UPDATE_PAGES").is_some();
    let mut complaints = Vec::new();
    let mut count = 0;
    for page in pages() {
        let mut lines: Vec<String> = page.text.lines().map(str::to_owned).collect();
        // From the end, so that the lines above keep their numbers.
        for number in (0..lines.len()).rev() {
            let marker = lines[number].strip_prefix("<!-- ").and_then(|line| line.strip_suffix(" -->"));
            let Some((file, parts)) = marker.and_then(|marker| marker.split_once(' ')) else { continue };
            let start = number + 1;
            let end = start + lines[start..].iter().take_while(|line| line.starts_with('|')).count();
            let corner = lines[start].split('|').nth(1).unwrap().trim();
            let expected = table(file, parts).lines(corner);
            if lines[start..end] != expected {
                complaints.push(format!("{}:{}: expected\n{}", page.name, start + 1, expected.join("\n")));
            }
            lines.splice(start..end, expected);
            count += 1;
        }
        let text = lines.join("\n") + "\n";
        if update && text != page.text {
            fs::write(root().join(&page.name), text).unwrap();
        }
    }
    assert!(count > 0);
    if !update {
        report(&complaints);
    }
}
