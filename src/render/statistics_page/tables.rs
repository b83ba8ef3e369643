//! Tables of the page.

use std::fmt::Write;

use super::figure::isolated;
use super::{CrossTableRow, Pairing};
use crate::render::svg::escape;

/// Writes a table with a head. The first cell of a row is its head.
pub(super) fn table(heads: &[&str], rows: &[Vec<String>]) -> String {
    written("", heads, rows)
}

/// Writes a table whose rows become blocks of labels with their values where it has no room. The roles keep its meaning.
fn stacking(heads: &[&str], rows: &[Vec<String>]) -> String {
    written(" role=\"table\"", heads, rows)
}

fn written(role: &str, heads: &[&str], rows: &[Vec<String>]) -> String {
    let stacks = !role.is_empty();
    let role_of = |role: &str| match stacks {
        true => format!(" role=\"{role}\""),
        false => String::new(),
    };
    let (row_role, head_role, cell_role) = (role_of("row"), role_of("rowheader"), role_of("cell"));
    let mut html = format!("<div class=\"wide\"><table{role}>\n<thead><tr>");
    for head in heads {
        // Writing to a string can't fail.
        let _ = write!(html, "<th scope=\"col\">{}</th>", escape(head));
    }
    html += "</tr></thead>\n<tbody>\n";
    for row in rows {
        let _ = write!(html, "<tr{row_role}>");
        for (column, cell) in row.iter().enumerate() {
            let cell = escape(cell);
            let label = heads.get(column).filter(|_| stacks);
            let label = label.map_or(String::new(), |head| format!(" data-label=\"{}\"", escape(head)));
            let _ = match column {
                0 => write!(html, "<th scope=\"row\"{head_role}>{cell}</th>"),
                _ => write!(html, "<td{cell_role}{label}>{cell}</td>"),
            };
        }
        html += "</tr>\n";
    }
    html + "</tbody>\n</table></div>\n"
}

/// Writes labels with their values.
pub(super) fn facts<L: AsRef<str>>(facts: &[(L, String)]) -> String {
    if facts.is_empty() {
        return String::new();
    }
    let mut html = String::from("<dl>\n");
    for (label, value) in facts {
        let (label, value) = (escape(label.as_ref()), escape(value));
        let _ = writeln!(html, "<div><dt>{label}</dt><dd>{value}</dd></div>");
    }
    html + "</dl>\n"
}

/// Writes the engines. Columns in which no engine has anything are left out.
pub(super) fn engines(engines: &[[String; 5]]) -> String {
    let heads = ["name", "engine", "options", "version", "limit"];
    let is_used = |column: usize| {
        let mut cells = engines.iter().filter_map(|engine| engine.get(column));
        cells.any(|cell| !cell.is_empty())
    };
    let used: Vec<bool> = (0..heads.len()).map(is_used).collect();
    let heads = heads.iter().zip(&used).filter(|(_, used)| **used);
    let heads: Vec<&str> = heads.map(|(head, _)| *head).collect();
    let row = |engine: &[String; 5]| {
        let cells = engine.iter().zip(&used).filter(|(_, used)| **used);
        cells.map(|(cell, _)| cell.clone()).collect()
    };
    let rows: Vec<Vec<String>> = engines.iter().map(row).collect();
    format!("<h2>Engines</h2>\n{}", stacking(&heads, &rows))
}

/// Writes the results of everyone against everyone.
pub(super) fn cross_table(rows: &[CrossTableRow]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let mut heads = vec!["engine", "points", "score", "all"];
    let places = (1..=rows.len()).map(|place| place.to_string());
    let places: Vec<String> = places.collect();
    let has_cells = rows.iter().any(|row| !row.against.is_empty());
    if has_cells {
        heads.extend(places.iter().map(String::as_str));
    }
    let row = |(place, row): (&String, &CrossTableRow)| -> Vec<String> {
        let against = row.against.iter();
        let against = against.map(|cell| cell.clone().unwrap_or_else(|| "–".to_owned()));
        let totals = row.totals.iter().cloned();
        let name = format!("{place}. {}", isolated(&row.name));
        [name].into_iter().chain(totals).chain(against).collect()
    };
    let cells: Vec<Vec<String>> = places.iter().zip(rows).map(row).collect();
    let meaning = match has_cells {
        true => "<p class=\"legend\">wins-draws-losses of the row against the column</p>\n",
        false => "",
    };
    format!("<h2>Cross-table</h2>\n{}{meaning}", stacking(&heads, &cells))
}

/// Writes the figures of two engines.
pub(super) fn pairing(pairing: &Pairing) -> String {
    let [first, second] = pairing.names.each_ref().map(|name| escape(&isolated(name)));
    let lines = facts(&pairing.lines);
    format!("<section class=\"card\">\n<h3>{first} against {second}</h3>\n{lines}</section>\n")
}
