//! Tables of the page.

use std::fmt::Write;

use super::figure::isolated;
use super::{Pairing, name};
use crate::intervals::Results;
use crate::record::Seat;
use crate::render::svg::escape;
use crate::statistics::{CrossTable, Details, Tally, head_to_head_lines};
use crate::text::{counted, cut};

/// Maximum number of engines whose results against each other are in the cross-table.
const MAX_ENGINES: usize = 24;

/// Maximum number of different settings that are listed.
const MAX_SETTINGS: usize = 6;

/// Writes a table with a head. The first cell of a row is its head.
pub(super) fn table(heads: &[&str], rows: &[Vec<String>]) -> String {
    written("", heads, rows)
}

/// Writes a table whose rows become blocks of labels with their values where it has no room. The roles keep its meaning.
pub(super) fn stacking(heads: &[&str], rows: &[Vec<String>]) -> String {
    written(" role=\"table\"", heads, rows)
}

fn written(role: &str, heads: &[&str], rows: &[Vec<String>]) -> String {
    let stacks = !role.is_empty();
    let role_of = |role: &str| if stacks { format!(" role=\"{role}\"") } else { String::new() };
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

/// Returns the conditions of the games.
pub(super) fn conditions(details: &Details) -> Vec<(&'static str, String)> {
    let mut facts = Vec::new();
    if let Some((first, last)) = &details.dates {
        let played = if first == last { cut(first) } else { format!("{} to {}", cut(first), cut(last)) };
        facts.push(("played", played));
    }
    if !details.conditions.is_empty() {
        facts.push(("conditions", listed(details.conditions.iter())));
    }
    let seeds = if details.seeds.len() == 1 { "seed" } else { "seeds" };
    facts.push((seeds, listed(details.seeds.iter())));
    facts
}

/// Joins settings, of which a foreign record may have any number.
fn listed<T: ToString>(settings: impl ExactSizeIterator<Item = T>) -> String {
    let more = settings.len().saturating_sub(MAX_SETTINGS);
    let shown = settings.take(MAX_SETTINGS);
    let mut shown: Vec<String> = shown.map(|setting| cut(&setting.to_string())).collect();
    if more > 0 {
        shown.push(format!("and {more} more"));
    }
    shown.join("; ")
}

/// Returns the engines behind a name.
fn engines_of(tally: &Tally, place: usize) -> Vec<[String; 5]> {
    let name = name(tally, place);
    let row = |seat: &Seat| {
        let [engine, options] = [&seat.engine, &seat.options].map(|text| cut(text));
        [name.clone(), engine, options, cut(&seat.version), cut(&seat.limit)]
    };
    let mut rows: Vec<[String; 5]> = tally.seats_of(place).take(MAX_SETTINGS).map(row).collect();
    let more = tally.seats_of(place).count().saturating_sub(MAX_SETTINGS);
    if rows.is_empty() {
        rows.push([name, String::new(), String::new(), String::new(), String::new()]);
    } else if more > 0 {
        let engine = format!("and {}", counted(more as u64, "other setting"));
        rows.push([name, engine, String::new(), String::new(), String::new()]);
    }
    rows
}

/// Writes the engines below a heading of this level. Columns in which no engine has anything are left out.
pub(super) fn engines(tally: &Tally, level: u8) -> String {
    let engines: Vec<[String; 5]> = (0..tally.names.len()).flat_map(|place| engines_of(tally, place)).collect();
    let heads = ["name", "engine", "options", "version", "limit"];
    let is_used = |column: usize| {
        let mut cells = engines.iter().filter_map(|engine| engine.get(column));
        cells.any(|cell| !cell.is_empty())
    };
    let used: Vec<bool> = (0..heads.len()).map(is_used).collect();
    let heads = heads.iter().zip(&used).filter(|(_, used)| **used);
    let heads: Vec<&str> = heads.map(|(head, _)| *head).collect();
    let row = |engine: [String; 5]| {
        let cells = engine.into_iter().zip(&used).filter(|(_, used)| **used);
        cells.map(|(cell, _)| cell).collect()
    };
    let rows: Vec<Vec<String>> = engines.into_iter().map(row).collect();
    format!("<h{level}>Engines</h{level}>\n{}", stacking(&heads, &rows))
}

/// Writes the results of everyone against everyone below a heading of this level; nothing for two engines.
pub(super) fn cross_table(tally: &Tally, level: u8) -> String {
    if tally.names.len() <= 2 {
        return String::new();
    }
    let rows = CrossTable::new(tally).rows;
    let has_cells = rows.len() <= MAX_ENGINES;
    let places: Vec<String> = (1..=rows.len()).map(|place| place.to_string()).collect();
    let mut heads = vec!["engine", "points", "score", "all"];
    if has_cells {
        heads.extend(places.iter().map(String::as_str));
    }
    let cells = places.iter().zip(rows).map(|(place, row)| {
        let all = row.all;
        let mut cells = vec![
            format!("{place}. {}", isolated(&cut(&row.name))),
            format!("{}/{}", all.points(), all.games()),
            format!("{:.1} %", 100.0 * all.share()),
            all.counts(),
        ];
        let against = row.against.into_iter().filter(|_| has_cells);
        cells.extend(against.map(|cell| cell.map_or_else(|| "–".to_owned(), Results::counts)));
        cells
    });
    let meaning =
        if has_cells { "<p class=\"legend\">wins-draws-losses of the row against the column</p>\n" } else { "" };
    format!("<h{level}>Cross-table</h{level}>\n{}{meaning}", stacking(&heads, &cells.collect::<Vec<_>>()))
}

/// Writes the figures of two engines below a heading of this level.
pub(super) fn pairing(pairing: &Pairing<'_>, level: u8) -> String {
    let [first, second] = pairing.names.each_ref().map(|name| escape(&isolated(name)));
    let lines = facts(&head_to_head_lines(pairing.head_to_head, pairing.sprt));
    format!("<section class=\"card\">\n<h{level}>{first} against {second}</h{level}>\n{lines}</section>\n")
}
