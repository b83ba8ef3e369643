//! Pictures of scores: a bar for each, with its interval.

use std::fmt::Write;

use super::figure::{
    AREAS, BAR_LEFT, BAR_RIGHT, Figure, WHOLE, WIDTH, fitted, isolated, legend, part, path, rectangle, text, text_width,
};
use super::tables::table;
use super::{Ids, Pairing, Score, name, percent, ten_thousandths};
use crate::intervals::{Estimate, Results};
use crate::render::svg::escape;
use crate::statistics::Tally;

/// Height of a line of text.
const LINE: i64 = 16;

/// A score with its label, and the label as it fits above a bar.
struct Row {
    label: String,
    lines: Vec<String>,
    score: Score,
}

/// Returns two names as they fit above a bar: on one line, or on two.
fn lines_of([first, second]: &[String; 2]) -> Vec<String> {
    let room = BAR_RIGHT - BAR_LEFT;
    let one = format!("{} – {}", isolated(first), isolated(second));
    if text_width(&one) <= room {
        vec![one]
    } else {
        let room = room - text_width("– ");
        vec![format!("{} –", fitted(first, room)), fitted(second, room)]
    }
}

/// Returns the sums of wins, draws and losses.
fn sums(rows: &[Row]) -> [u64; 3] {
    let mut sums = [0_u64; 3];
    for Row { score, .. } in rows {
        let Results { wins, draws, losses } = score.results;
        let counts = [wins, draws, losses];
        for (sum, count) in sums.iter_mut().zip(counts) {
            *sum = sum.saturating_add(count);
        }
    }
    sums
}

/// Formats wins, draws, losses and the score.
fn figures(score: &Score) -> String {
    let Results { wins, draws, losses } = score.results;
    match score.percent() {
        Some(percent) => format!("+{wins} ={draws} -{losses}, {percent}"),
        None => "none".to_owned(),
    }
}

/// Draws a score for each label: the shares of wins, draws and losses, and below them the score with its interval.
fn scores(rows: &[Row]) -> (String, i64) {
    let length = BAR_RIGHT - BAR_LEFT;
    // Figures stand beside the last line of the label, or below it if there is no room in any row.
    let lines = rows.iter().map(|row| row.lines.len()).max().unwrap_or(1);
    let is_long = |row: &Row| {
        let label = row.lines.get(lines - 1).map_or(0, |line| text_width(line));
        label + text_width(&figures(&row.score)) + 10 > length
    };
    let below = i64::from(rows.iter().any(is_long));
    // The rows of one picture have one height.
    let words = LINE * (i64::try_from(lines).unwrap_or(1) + below);
    let height = words + 45;
    let bottom = height * i64::try_from(rows.len()).unwrap_or(0) - 10;
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
        let figures = figures(&row.score);
        let Results { wins, draws, .. } = row.score.results;
        let _ = writeln!(shapes, "<g><title>{}: {figures}</title>", escape(&row.label));
        // The ground keeps the grid away from the words.
        rectangle(&mut shapes, "ground", (0, top + 2), (WIDTH, words));
        for (line, number) in row.lines.iter().zip(0..) {
            text(&mut shapes, (BAR_LEFT, top + 14 + LINE * number), "start", line);
        }
        text(&mut shapes, (BAR_RIGHT, top + words - 2), "end", &figures);
        let games = row.score.results.games();
        let ends = [0, wins, wins + draws, games].map(|count| part(count, games, length));
        let pairs = ends.iter().zip(ends.iter().skip(1));
        let bar = top + words + 4;
        for (class, (from, to)) in AREAS.into_iter().zip(pairs) {
            rectangle(&mut shapes, class, (BAR_LEFT + from, bar), (to - from, 13));
        }
        if let Some(estimate) = row.score.estimate {
            let [low, mean, high] =
                [estimate.low, estimate.value, estimate.high].map(|share| at(ten_thousandths(share)));
            let y = bar + 21;
            let (from, to) = (y - 4, y + 4);
            let whisker = format!("M{low} {from}V{to}M{low} {y}H{high}M{high} {from}V{to}");
            path(&mut shapes, "whisker", &whisker);
            let _ = writeln!(shapes, "<circle class=\"mean\" cx=\"{mean}\" cy=\"{y}\" r=\"3\"/>");
        }
        shapes += "</g>\n";
    }
    (shapes, bottom + 20)
}

/// Returns the table of scores.
fn score_table(head: &str, rows: &[Row]) -> String {
    let row = |row: &Row| {
        let (label, score) = (&row.label, &row.score);
        let none = || "–".to_owned();
        let interval = score
            .estimate
            .map(|estimate| [estimate.low, estimate.high].map(|share| percent(ten_thousandths(share))))
            .map_or_else(none, |[low, high]| format!("{low} to {high}"));
        let counts = score.results.counts();
        let share = score.percent().unwrap_or_else(none);
        vec![label.clone(), counts, share, interval]
    };
    let heads = [head, "wins-draws-losses", "score", "95 % interval"];
    table(&heads, &rows.iter().map(row).collect::<Vec<_>>())
}

const SCORES: &str = "A bar for each, divided into wins, draws and losses; below it the score as a dot, with its 95 % \
                      interval as a line.";

/// Draws the results of all pairings.
pub(super) fn results(pairings: &[Pairing<'_>], ids: &mut Ids) -> String {
    let rows = pairings.iter().map(|pairing| Row {
        label: pairing.names.each_ref().map(|name| isolated(name)).join(" – "),
        lines: lines_of(&pairing.names),
        score: Score::new(pairing.head_to_head.results(), pairing.head_to_head.estimate()),
    });
    let rows: Vec<Row> = rows.collect();
    let (shapes, height) = scores(&rows);
    Figure {
        caption: "Results, score and 95 % interval",
        description: SCORES,
        legend: &legend(["first engine wins", "draw", "second engine wins"], sums(&rows)),
        height,
        shapes: &shapes,
        figures: &score_table("pairing", &rows),
    }
    .html(ids)
}

/// Draws the score of the first mover, and that of each engine by color.
pub(super) fn seats(tally: &Tally, ids: &mut Ids) -> String {
    let first = tally.first;
    let all = Score::new(tally.first_mover, tally.first_mover_estimate());
    let mut seats = vec![(String::new(), format!("{first} (moves first)"), all)];
    for place in 0..tally.names.len() {
        let mut by_seat = [Results::default(); 2];
        for (&(a, b), head_to_head) in &tally.head_to_heads {
            let own = match () {
                () if a == place => [head_to_head.moving_first, head_to_head.moving_second],
                () if b == place => [head_to_head.moving_second, head_to_head.moving_first].map(Results::reversed),
                () => continue,
            };
            for (all, own) in by_seat.iter_mut().zip(own) {
                *all = all.with(own);
            }
        }
        for (color, results) in [first, !first].into_iter().zip(by_seat) {
            seats.push((
                name(tally, place),
                color.to_string(),
                Score::new(results, Estimate::of_counts(&results.by_outcome())),
            ));
        }
    }
    let rows = seats.into_iter().map(|(who, color, score)| {
        let label = |who: &str| if who.is_empty() { color.clone() } else { format!("{who} as {color}") };
        let room = BAR_RIGHT - BAR_LEFT - text_width(&label(" "));
        Row { label: label(&isolated(&who)), lines: vec![label(&fitted(&who, room))], score }
    });
    let rows: Vec<Row> = rows.collect();
    let (shapes, height) = scores(&rows);
    Figure {
        caption: "Score by color",
        description: SCORES,
        legend: &legend(["win", "draw", "loss"], sums(&rows)),
        height,
        shapes: &shapes,
        figures: &score_table("color", &rows),
    }
    .html(ids)
}
