//! The commands `perft`, `games` and `bench`.

use std::io::{self, Write};
use std::time::Duration;

use serde_json::{Value, json};

use crate::games::GAMES;
use crate::lab;
use crate::lab::solve::solved::SOLVED;
use crate::rules::perft::{Perft, format_count, per_second, saturating_sum};
use crate::rules::{Board, GameInfo, Method, PlayoutCounts, Step};
use crate::search::Clock;
use crate::text::counted;

/// Width of the lines of solved variants, in characters.
const SOLVED_WIDTH: usize = 100;

/// Runs perft. Returns the count after each first step, and their sum.
fn counts(board: &dyn Board, depth: u32, perft: &Perft) -> (Vec<(Step, u64)>, u64) {
    let counts = perft.divide(board, depth, &|| false).unwrap_or_default();
    let count = match depth {
        0 => 1,
        _ => saturating_sum(counts.iter().map(|(_, count)| *count)),
    };
    (counts, count)
}

/// Runs perft. Returns the lines to print.
///
/// The speed is among them if a clock measures it.
pub(super) fn count(board: &dyn Board, depth: u32, divide: bool, perft: &Perft, clock: Option<&dyn Clock>) -> String {
    let began = clock.map(Clock::now);
    let mut lines = Vec::new();
    let (counts, count) = counts(board, depth, perft);
    if divide {
        let line = |(step, count): &(_, u64)| format!("{} {}", board.write_step(*step), format_count(*count));
        lines.extend(counts.iter().map(line));
    }
    let time = clock.zip(began).map(|(clock, began)| clock.now().saturating_sub(began));
    lines.push(format_count(count));
    lines.extend(time.map(|time| format!("nodes/s {} ({})", per_second(count, time), perft.kind())));
    lines.join("\n")
}

/// Runs perft. Returns the count, and those after each first step, as JSON.
pub(super) fn count_json(board: &dyn Board, depth: u32, perft: &Perft) -> String {
    let (counts, count) = counts(board, depth, perft);
    let steps = counts.iter().map(|(step, count)| json!({"step": board.write_step(*step), "count": count}));
    let object = json!({
        "variant": board.variant().to_string(),
        "position": board.position(),
        "depth": depth,
        "count": count,
        "steps": steps.collect::<Vec<_>>(),
    });
    object.to_string()
}

/// Prints the games as JSON.
pub(super) fn games_json(output: &mut impl Write) -> io::Result<()> {
    let games = GAMES.iter().map(|info| {
        let keys = info.keys.iter().map(|key| {
            json!({
                "name": key.name,
                "values": key.kind.to_string(),
                "default": (key.default)(info.size.default()).to_string(),
                "about": key.about,
            })
        });
        json!({
            "name": info.name,
            "author": info.author,
            "about": info.about,
            "first": info.first.to_string().to_lowercase(),
            "size": info.size.to_string(),
            "default_size": info.size.default().to_string(),
            "options": keys.collect::<Vec<_>>(),
        })
    });
    writeln!(output, "{}", Value::Array(games.collect()))
}

pub(super) fn games(output: &mut impl Write) -> io::Result<()> {
    for (i, info) in GAMES.iter().enumerate() {
        let GameInfo { name, author, about, first, size, keys, .. } = info;
        if i > 0 {
            writeln!(output)?;
        }
        writeln!(output, "{name} ({author}). {about}")?;
        writeln!(output, "  {first} moves first.")?;
        let default = match size.default().to_string() {
            default if default.is_empty() => default,
            default => format!(" (default {default})"),
        };
        writeln!(output, "  {:<8} {size}{default}", "size")?;
        for key in *keys {
            let default = (key.default)(size.default());
            let (name, about, kind) = (key.name, key.about, &key.kind);
            writeln!(output, "  {name:<8} {kind} (default {default}): {about}")?;
        }
        write!(output, "{}", solved(info.name))?;
    }
    Ok(())
}

/// Lists the solved variants of a game: sizes, by their value and the options that follow the size.
fn solved(game: &str) -> String {
    let variants = SOLVED.iter().filter_map(|(variant, value)| {
        let items = variant.strip_prefix(game)?.strip_prefix(':')?;
        let (size, options) = items.split_once(',').unwrap_or((items, ""));
        Some((size, (*value, options)))
    });
    let mut lines: Vec<((&str, &str), String)> = Vec::new();
    for (size, group) in variants {
        match lines.iter_mut().find(|(known, _)| *known == group) {
            Some((_, line)) => {
                let width = line.lines().last().map_or(0, str::len);
                let space = if width + size.len() < SOLVED_WIDTH { " ".to_owned() } else { format!("\n{:11}", "") };
                *line += &format!("{space}{size}");
            }
            None => {
                let head = match group {
                    (value, "") => value.to_owned(),
                    (value, options) => format!("{value} with {options}"),
                };
                lines.push((group, format!("  {:<8} {head}: {size}", "solved")));
            }
        }
    }
    lines.iter().map(|(_, line)| format!("{line}\n")).collect()
}

pub(super) fn playouts(done: &PlayoutCounts, time: Duration, output: &mut impl Write) -> io::Result<()> {
    let [black, white, draws] = done.results;
    let count = done.playouts;
    let length = done.steps as f64 / count.max(1) as f64;
    writeln!(output, "{}, {length:.1} steps each", counted(count, "playout"))?;
    writeln!(output, "Black won {black}, White won {white}, draws {draws}")?;
    writeln!(output, "steps/s {}", per_second(done.steps, time))?;
    writeln!(output, "playouts/s {}", per_second(count, time))
}

pub(super) fn bench(clock: &dyn Clock, timed: bool, output: &mut impl Write) -> io::Result<()> {
    // Each group has its own total, so that a change of one method leaves the signature of the others.
    for (name, methods) in [("puct total", &[Method::Puct][..]), ("total", &[Method::Uct, Method::Pvs])] {
        let mut total = 0;
        for line in lab::bench(methods, clock) {
            let what = if line.method == Method::Uct { "playouts" } else { "nodes" };
            let variant = format!("{} {}", line.variant, line.method.name());
            let speed = per_second(line.visits, line.time);
            let speed = if timed { format!(" {speed:>10} {what}/s") } else { String::new() };
            writeln!(output, "{variant:<16} {:>10} nodes{speed}", line.nodes)?;
            total += line.nodes;
        }
        writeln!(output, "{name:<16} {total:>10} nodes")?;
    }
    Ok(())
}
