//! Pictures of scores: a bar for each, with its interval.

use std::fmt::Write;

use super::figure::{
    BAR_LEFT, BAR_RIGHT, Figure, WHOLE, WIDTH, legend, part, path, rectangle, text,
};
use super::tables::table;
use super::{Ids, Pairing, Score, Seat, percent};
use crate::render::svg::escape;
use crate::text::shortened;

/// Most characters of a label above a bar.
pub(super) const MAX_LABEL: usize = 46;

/// A score with its label, and the label as it fits above a bar.
struct Row<'a> {
    label: String,
    short: String,
    score: &'a Score,
}

/// Joins two names in as many characters as fit above a bar. A short name leaves room for the other one.
fn joined([first, second]: &[String; 2]) -> String {
    let room = MAX_LABEL - 3;
    let spare = |other: &str| (room / 2).max(room.saturating_sub(other.chars().count()));
    let (for_first, for_second) = (spare(second), spare(first));
    let (first, second) = (shortened(first, for_first), shortened(second, for_second));
    format!("{first} – {second}")
}

/// Draws a score for each label: the shares of wins, draws and losses, and below them the score with its interval.
fn scores(rows: &[Row<'_>]) -> (String, i64) {
    let figures = |score: &Score| {
        let Score {
            wins,
            draws,
            losses,
            ..
        } = score;
        match score.percent() {
            Some(percent) => format!("+{wins} ={draws} -{losses}, {percent}"),
            None => "none".to_owned(),
        }
    };
    // Figures stand beside the labels, or below them if there is no room.
    let is_long =
        |row: &Row<'_>| row.short.chars().count() + figures(row.score).chars().count() > MAX_LABEL;
    let below = if rows.iter().any(is_long) { 16 } else { 0 };
    let height = 50 + below;
    let bottom = height * i64::try_from(rows.len()).unwrap_or(0) + 4;
    let length = BAR_RIGHT - BAR_LEFT;
    let at = |share: u32| BAR_LEFT + part(share.into(), WHOLE.into(), length);
    let mut shapes = String::new();
    for tick in [0, 25, 50, 75, 100] {
        let x = at(tick * WHOLE / 100);
        let class = if tick == 50 { "half" } else { "grid" };
        path(&mut shapes, class, &format!("M{x} 4V{bottom}"));
        let (x, anchor) = match tick {
            0 => (0, "start"),
            100 => (WIDTH, "end"),
            _ => (x, "middle"),
        };
        text(&mut shapes, (x, bottom + 14), anchor, &format!("{tick} %"));
    }
    for (row, place) in rows.iter().zip(0..) {
        let top = place * height;
        let figures = figures(row.score);
        let (wins, draws) = (row.score.wins, row.score.draws);
        let _ = writeln!(
            shapes,
            "<g><title>{}: {figures}</title>",
            escape(&row.label)
        );
        // The ground keeps the grid away from the words.
        rectangle(&mut shapes, "ground", (0, top + 2), (WIDTH, 16 + below));
        text(&mut shapes, (BAR_LEFT, top + 14), "start", &row.short);
        text(&mut shapes, (BAR_RIGHT, top + 14 + below), "end", &figures);
        let games = row.score.games();
        let ends = [0, wins, wins + draws, games].map(|count| part(count, games, length));
        let pairs = ends.iter().zip(ends.iter().skip(1));
        for (class, (from, to)) in ["win", "draw", "loss"].into_iter().zip(pairs) {
            let place = (BAR_LEFT + from, top + below + 20);
            rectangle(&mut shapes, class, place, (to - from, 13));
        }
        if let Some(estimate) = &row.score.estimate {
            let (low, mean, high) = (at(estimate.low), at(estimate.mean), at(estimate.high));
            let y = top + below + 41;
            let (from, to) = (y - 4, y + 4);
            let whisker = format!("M{low} {from}V{to}M{low} {y}H{high}M{high} {from}V{to}");
            path(&mut shapes, "whisker", &whisker);
            let _ = writeln!(
                shapes,
                "<circle class=\"mean\" cx=\"{mean}\" cy=\"{y}\" r=\"3\"/>"
            );
        }
        shapes += "</g>\n";
    }
    (shapes, bottom + 20)
}

/// Returns the table of scores.
fn score_table(head: &str, rows: &[Row<'_>]) -> String {
    let row = |row: &Row<'_>| {
        let (label, score) = (&row.label, row.score);
        let none = || "–".to_owned();
        let interval = score.estimate.map_or_else(none, |estimate| {
            format!("{} to {}", percent(estimate.low), percent(estimate.high))
        });
        let counts = [score.wins, score.draws, score.losses].map(|count| count.to_string());
        let cells = [label.clone()].into_iter().chain(counts);
        let cells = cells.chain([score.percent().unwrap_or_else(none), interval]);
        cells.collect()
    };
    let heads = [head, "wins", "draws", "losses", "score", "95 % interval"];
    table(&heads, &rows.iter().map(row).collect::<Vec<_>>())
}

const SCORES: &str = "A bar for each, divided into wins, draws and losses; below it the score as a dot, with its 95 % \
                      interval as a line.";

/// Draws the results of all pairings.
pub(super) fn results(pairings: &[Pairing], ids: &mut Ids) -> String {
    let rows = pairings.iter().map(|pairing| Row {
        label: pairing.names.join(" – "),
        short: joined(&pairing.names),
        score: &pairing.score,
    });
    let rows: Vec<Row<'_>> = rows.collect();
    let (shapes, height) = scores(&rows);
    Figure {
        caption: "Results, score and 95 % interval",
        description: SCORES,
        legend: &legend(["first engine wins", "draw", "second engine wins"]),
        height,
        shapes: &shapes,
        figures: &score_table("pairing", &rows),
    }
    .html(ids)
}

/// Draws the scores by seat.
pub(super) fn seats(seats: &[Seat], ids: &mut Ids) -> String {
    let rows = seats.iter().map(|seat| {
        let [who, color] = [&seat.name, &seat.color].map(String::as_str);
        let label = |who: &str| match who.is_empty() {
            true => color.to_owned(),
            false => format!("{who} as {color}"),
        };
        let room = MAX_LABEL.saturating_sub(label(" ").chars().count()) + 1;
        Row {
            label: label(who),
            short: label(&shortened(who, room)),
            score: &seat.score,
        }
    });
    let rows: Vec<Row<'_>> = rows.collect();
    let (shapes, height) = scores(&rows);
    Figure {
        caption: "Score by color",
        description: SCORES,
        legend: &legend(["win", "draw", "loss"]),
        height,
        shapes: &shapes,
        figures: &score_table("color", &rows),
    }
    .html(ids)
}
