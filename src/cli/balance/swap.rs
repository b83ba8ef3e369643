//! The question `swap`: which first moves would be swapped, and what does the pie leave the first mover?

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use serde::Serialize;

use super::{Desk, GameArgs, Interval, openings, percent, status, write_json};
use crate::board::Cell;
use crate::cli::pictures::{StyleArgs, is_svg};
use crate::cli::{CliError, usage};
use crate::files::Target;
use crate::games;
use crate::render::{Annotations, Style, svg};
use crate::rules::Variant;
use crate::study::balance::swap::Answer;
use crate::study::balance::{Plan, ScoredMove, SwapMap, pie_variants, strength_name, swap_map};
use crate::text::{counted, quote};

/// Strengths where none are given.
const STRENGTHS: [u64; 1] = [1024];

/// Points in 100 within which a score is called fair.
const FAIR: f64 = 10.0;

#[derive(Args, Debug)]
pub(super) struct SwapArgs {
    /// Variant to play, with or without pie=on
    variant: String,

    #[command(flatten)]
    games: GameArgs,

    /// Draw the map, too, that of the last strength: each cell with the score of the side that moves there first
    #[arg(long, value_name = "FILE.svg")]
    pub(super) svg: Option<PathBuf>,

    #[command(flatten)]
    style: StyleArgs,
}

/// An element of the array that `swap --json` prints, as `docs/balance.md` describes it.
#[derive(Serialize)]
struct SwapAnswer {
    variant: String,
    strength: u64,
    games: u64,
    score: Interval,
    /// The fairest first move.
    #[serde(rename = "move")]
    fairest: String,
    complete: bool,
    random_steps: u32,
    seed: u64,
    moves: Vec<MoveAnswer>,
}

#[derive(Serialize)]
struct MoveAnswer {
    #[serde(rename = "move")]
    text: String,
    games: u64,
    /// Score of the side that made the move.
    score: Option<Interval>,
    answer: &'static str,
    fresh: bool,
}

impl SwapAnswer {
    fn new(variant: &Variant, map: &SwapMap, plan: &Plan) -> Self {
        let moves = map.moves.iter().map(|scored| MoveAnswer {
            text: scored.first_move.text.clone(),
            games: scored.games.games(),
            score: scored.games.side().map(Interval::from),
            answer: answer(scored),
            fresh: scored.is_fresh,
        });
        Self {
            variant: variant.to_string(),
            strength: map.nodes,
            games: map.games,
            score: map.score.into(),
            fairest: fairest(map).to_owned(),
            complete: map.are_all,
            random_steps: plan.random_steps,
            seed: plan.seed,
            moves: moves.collect(),
        }
    }
}

/// Returns the text of the fairest first move.
fn fairest(map: &SwapMap) -> &str {
    let first = map.moves.first();
    first.map_or("", |scored| &scored.first_move.text)
}

/// Returns the second player's best answer: `swap`, `keep`, or `either` where games do not tell.
fn answer(scored: &ScoredMove) -> &'static str {
    match scored.games.best_answer() {
        Some(Answer::Swap) => "swap",
        Some(Answer::Keep) => "keep",
        None => "either",
    }
}

/// Compares the first moves of a variant under the pie.
pub(super) fn swap<E: Write>(
    arguments: &SwapArgs,
    desk: &mut Desk<'_, E>,
    output: &mut impl Write,
) -> Result<ExitCode, CliError> {
    let SwapArgs { variant, games, .. } = arguments;
    let [variant, _] = pie_variants(&games::parse_variant(variant)?)?;
    let style = arguments.style.style();
    let picture = arguments.svg.as_deref().map(picture_target).transpose()?;
    if picture.is_none() && style != Style::default() {
        return usage("--coordinates, --size, --theme and --letters need --svg FILE.svg");
    }
    let (plan, strengths) = (games.plan(&variant), games.strengths(&STRENGTHS));
    let mut found = Vec::new();
    let is_complete = desk.ask(
        &strengths,
        games.threads(),
        |nodes, runner| swap_map(&variant, nodes, &plan, runner),
        |map| {
            if !games.json {
                write_map(&variant, &map, &plan, output)?;
            }
            found.push(map);
            Ok(())
        },
    )?;
    if games.json {
        let answers = found
            .iter()
            .map(|map| SwapAnswer::new(&variant, map, &plan));
        let answers: Vec<SwapAnswer> = answers.collect();
        write_json(&answers, output)?;
    }
    if let (Some((path, target)), Some(map)) = (picture, found.last()) {
        let picture = draw(&variant, map, &style)?;
        let written = target.replace(picture.as_bytes());
        written.map_err(|error| CliError::NotWritten(path.to_owned(), error))?;
    }
    Ok(status(is_complete))
}

/// Checks that the picture can be written, before games are played.
fn picture_target(path: &Path) -> Result<(&Path, Target), CliError> {
    let name = path.display();
    if !is_svg(path) {
        let name = quote(&name.to_string());
        return usage(format!("--svg {name}: expected FILE.svg"));
    }
    let target = Target::new(path, "the picture");
    let target = target.or_else(|error| usage(format!("can't write to {name}: {error}")))?;
    Ok((path, target))
}

/// Says in one sentence what the pie does.
fn sentence(variant: &Variant, map: &SwapMap) -> String {
    let (strength, score) = (strength_name(map.nodes), map.score);
    let within = (100.0 * (0.5 - score.low).max(0.0)).ceil();
    let at = match map.nodes {
        0 => "in random play".to_owned(),
        1 => "at 1 node".to_owned(),
        _ => format!("at {strength} nodes"),
    };
    if within <= FAIR {
        let points = counted(within as u64, "point");
        return format!("The pie makes {variant} fair to within {points} in 100 {at} (95 %).");
    }
    let leaves = format!(
        "it leaves the first mover {} (95 %: {} to {})",
        percent(score.value),
        percent(score.low),
        percent(score.high)
    );
    match score.high < 0.5 {
        true => format!("The pie does not make {variant} fair {at}: {leaves}."),
        false => {
            format!("These games do not show whether the pie makes {variant} fair {at}: {leaves}.")
        }
    }
}

fn write_map(
    variant: &Variant,
    map: &SwapMap,
    plan: &Plan,
    output: &mut impl Write,
) -> Result<(), CliError> {
    writeln!(output, "{}\n", sentence(variant, map))?;
    let score = map.score;
    writeln!(
        output,
        "The fairest first move is {}: the first mover then scores {} (95 %: {} to {}), by fresh games.",
        fairest(map),
        percent(score.value),
        percent(score.low),
        percent(score.high)
    )?;
    let number = |wanted: &str| {
        let moves = map.moves.iter();
        moves.filter(|scored| answer(scored) == wanted).count() as u64
    };
    writeln!(
        output,
        "Of {} a swap takes {} and leaves {}; of {} the games do not tell.",
        counted(map.moves.len() as u64, "first move"),
        number("swap"),
        number("keep"),
        number("either")
    )?;
    match map.are_all {
        true => writeln!(
            output,
            "Moves that differ by a symmetry of the board are one."
        )?,
        false => writeln!(
            output,
            "There are too many first moves to compare all: these were drawn at random."
        )?,
    }
    writeln!(output, "{}\n", openings(plan))?;
    let moves = map
        .moves
        .iter()
        .map(|scored| scored.first_move.text.chars().count());
    let width = moves.max().unwrap_or(0).max(4);
    writeln!(
        output,
        "{:<width$}  side scores  95 % interval   answer  games  fresh",
        "move"
    )?;
    for scored in &map.moves {
        let Some(side) = scored.games.side() else {
            continue;
        };
        let interval = format!("{} to {}", percent(side.low), percent(side.high));
        writeln!(
            output,
            "{:<width$}  {:>11}  {interval:>16}  {:<6}  {:>5}  {}",
            scored.first_move.text,
            percent(side.value),
            answer(scored),
            scored.games.games(),
            if scored.is_fresh { "yes" } else { "no" }
        )?;
    }
    output.flush()?;
    Ok(())
}

/// Draws the map: on each cell the score of the fairest first move there. Moves that a swap takes are shaded, others
/// hatched.
fn draw(variant: &Variant, map: &SwapMap, style: &Style) -> Result<String, CliError> {
    let board = games::open(variant).ok_or_else(|| CliError::NotOpened(variant.clone()))?;
    let mut heat: Vec<(Cell, f64, String)> = Vec::new();
    for scored in &map.moves {
        let Some(side) = scored.games.side() else {
            continue;
        };
        for &cell in &scored.first_move.cells {
            let advantage = side.value - 0.5;
            let known = heat.iter_mut().find(|(other, ..)| *other == cell);
            let text = format!("{:.0}", 100.0 * side.value);
            match known {
                Some(known) if known.1.abs() <= advantage.abs() => {}
                Some(known) => *known = (cell, advantage, text),
                None => heat.push((cell, advantage, text)),
            }
        }
    }
    heat.sort_by_key(|(cell, ..)| *cell);
    let annotations = Annotations {
        heat,
        notes: vec![
            sentence(variant, map),
            "numbers: what the side that moves there first scores, in percent".to_owned(),
        ],
        ..Annotations::default()
    };
    Ok(svg(&*board, &annotations, style))
}
