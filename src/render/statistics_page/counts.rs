//! Pictures of numbers of games: by reason, by cause, and by length.

use std::fmt::Write;

use super::figure::{
    AREAS, BAR_LEFT, BAR_RIGHT, BOTTOM, Figure, HEIGHT, LEFT, RIGHT, TOP, WHOLE, fitted, isolated, legend, part, path,
    rectangle, text, text_width, tick_distance, tick_label,
};
use super::tables::table;
use super::{Ids, percent};
use crate::render::svg::escape;
use crate::text::counted;

/// Maximum number of bars of a histogram.
pub(super) const MAX_BINS: u64 = 24;

/// Draws numbers of games as bars, whose rails stand for all games of the picture. `head` stands above the labels in the table.
pub(super) fn counts(caption: &str, head: &str, counts: &[(String, u64)], ids: &mut Ids) -> String {
    const ROW: i64 = 44;
    if counts.is_empty() {
        return String::new();
    }
    let all: u64 = counts.iter().map(|(_, count)| count).sum();
    let share = |count: u64| {
        let share = part(count, all, WHOLE.into());
        percent(u32::try_from(share).unwrap_or(WHOLE))
    };
    let length = BAR_RIGHT - BAR_LEFT;
    let mut shapes = String::new();
    let mut top = 0;
    for (label, count) in counts {
        let figures = format!("{count}, {}", share(*count));
        let _ = writeln!(shapes, "<g><title>{}: {figures}</title>", escape(label));
        let short = fitted(label, length - text_width(&figures) - 10);
        text(&mut shapes, (BAR_LEFT, top + 14), "start", &short);
        text(&mut shapes, (BAR_RIGHT, top + 14), "end", &figures);
        rectangle(&mut shapes, "rail", (BAR_LEFT, top + 20), (length, 10));
        let width = part(*count, all, length).max(2);
        rectangle(&mut shapes, "win", (BAR_LEFT, top + 20), (width, 10));
        shapes += "</g>\n";
        top += ROW;
    }
    let row = |(label, count): &(String, u64)| vec![isolated(label), count.to_string(), share(*count)];
    let rows: Vec<Vec<String>> = counts.iter().map(row).collect();
    Figure {
        caption,
        description: "A bar for each, on a rail for all games of the picture.",
        legend: &format!("<p class=\"legend\">full width: {}, 100\u{a0}%</p>\n", counted(all, "game")),
        height: top + 4,
        shapes: &shapes,
        figures: &table(&[head, "games", "share"], &rows),
    }
    .html(ids)
}

/// Draws a histogram of the lengths of games, by result.
pub(super) fn lengths(lengths: &[(u64, [u64; 3])], outcomes: &[String; 3], ids: &mut Ids) -> String {
    let (Some((shortest, _)), Some((longest, _))) = (lengths.first(), lengths.last()) else {
        return String::new();
    };
    let width = (longest - shortest) / MAX_BINS + 1;
    let mut bins: Vec<(u64, [u64; 3])> = Vec::new();
    for (length, counts) in lengths {
        let from = length - (length - shortest) % width;
        // Bins without games are there, too.
        while bins.last().is_some_and(|(last, _)| last + width < from) {
            let next = bins.last().map_or(from, |(last, _)| last + width);
            bins.push((next, [0; 3]));
        }
        if bins.last().is_none_or(|(last, _)| *last != from) {
            bins.push((from, [0; 3]));
        }
        if let Some((_, all)) = bins.last_mut() {
            for (all, count) in all.iter_mut().zip(counts) {
                *all += count;
            }
        }
    }
    let name = |from: u64| match width {
        1 => from.to_string(),
        _ => format!("{from} to {}", from + width - 1),
    };
    let most = bins.iter().map(|(_, counts)| counts.iter().sum::<u64>()).max();
    let most = most.unwrap_or(1);
    let mut shapes = String::new();
    let distance = tick_distance(most);
    for games in (0..=most / distance).map(|tick| tick * distance) {
        let y = BOTTOM - part(games, most, BOTTOM - TOP);
        path(&mut shapes, "grid", &format!("M{LEFT} {y}H{RIGHT}"));
        text(&mut shapes, (LEFT - 5, y + 4), "end", &tick_label(games));
    }
    let count = bins.len() as u64;
    let x = |bin: u64| LEFT + part(bin, count, RIGHT - LEFT);
    // Labels need room.
    let every = count.div_ceil(6).max(1);
    for ((from, counts), bin) in bins.iter().zip(0..) {
        let (left, right) = (x(bin), x(bin + 1));
        let [first, draws, second] = counts;
        let _ = writeln!(shapes, "<g><title>{} moves: {first} + {draws} + {second}</title>", name(*from));
        let mut sum = 0;
        for (class, count) in AREAS.into_iter().zip(counts) {
            let below = BOTTOM - part(sum, most, BOTTOM - TOP);
            sum += count;
            let above = BOTTOM - part(sum, most, BOTTOM - TOP);
            rectangle(&mut shapes, class, (left + 1, above), ((right - left - 2).clamp(2, 40), below - above));
        }
        shapes += "</g>\n";
        if bin % every == 0 {
            let middle = left + 1 + (right - left - 2).clamp(2, 40) / 2;
            text(&mut shapes, (middle, BOTTOM + 17), "middle", &from.to_string());
        }
    }
    path(&mut shapes, "axis", &format!("M{LEFT} {BOTTOM}H{RIGHT}"));
    let unit = match width {
        1 => "moves".to_owned(),
        _ => format!("moves, {width} to a bar, from"),
    };
    text(&mut shapes, ((LEFT + RIGHT) / 2, BOTTOM + 33), "middle", &unit);
    let rows = bins.iter().map(|(from, counts)| {
        let counts = counts.map(|count| count.to_string());
        [name(*from)].into_iter().chain(counts).collect()
    });
    let sums = [0, 1, 2].map(|result| {
        let counts = bins.iter().filter_map(|(_, counts)| counts.get(result));
        counts.sum::<u64>()
    });
    let [first, draw, second] = outcomes.each_ref().map(String::as_str);
    Figure {
        caption: "Lengths of the games, by result",
        description: &format!("The number of games by their number of moves, from {shortest} to {longest}."),
        legend: &legend([first, draw, second], sums),
        height: HEIGHT,
        shapes: &shapes,
        figures: &table(&["moves", first, draw, second], &rows.collect::<Vec<_>>()),
    }
    .html(ids)
}
