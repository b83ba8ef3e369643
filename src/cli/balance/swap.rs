//! The question `swap`: which first moves would be swapped, and what does the pie leave the first mover?

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use super::{Context, GameArgs, distinct_games, openings, status, write_answers};
use crate::cli::CliError;
use crate::cli::pictures::StyleArgs;
use crate::games;
use crate::rules::Variant;
use crate::study::balance::answers::SwapAnswer;
use crate::study::balance::sentences::{both_scores, fairest_sentence, pie_sentence};
use crate::study::balance::{Question, QuestionPlan, SwapMap, pie_variants, swap_map, swap_picture};
use crate::study::wording::percent;
use crate::text::counted;

/// Strengths where none are given.
const STRENGTHS: [u64; 1] = [1024];

#[derive(Args, Debug)]
pub(super) struct SwapArgs {
    /// Variant to play, with or without pie=on
    variant: String,

    #[command(flatten)]
    pub(super) games: GameArgs,

    /// Also draw the map of the last strength: each cell with the score of the side that moves there first
    #[arg(long, value_name = "FILE.svg")]
    pub(super) svg: Option<PathBuf>,

    #[command(flatten)]
    style: StyleArgs,
}

/// Columns of the table of other formats.
const COLUMNS: [(&str, &str); 8] = [
    ("strength", "/strength"),
    ("move", "/row/move"),
    ("score", "/row/score/value"),
    ("low", "/row/score/low"),
    ("high", "/row/score/high"),
    ("answer", "/row/answer"),
    ("games", "/row/games"),
    ("fresh", "/row/fresh"),
];

/// Compares the first moves of a variant under the pie.
pub(super) fn swap<E: Write>(
    arguments: &SwapArgs,
    context: &mut Context<'_, E>,
    output: &mut impl Write,
) -> Result<ExitCode, CliError> {
    let SwapArgs { variant, games, .. } = arguments;
    let [variant, _] = pie_variants(&games::parse_variant(variant)?)?;
    let (file, style) = arguments.style.with_svg(arguments.svg.as_deref())?;
    let (plan, strengths) = (games.plan(Question::Swap, &variant), games.strengths(&STRENGTHS));
    let (found, is_complete) = context.ask(
        &strengths,
        &games.run,
        games.record.as_deref(),
        |nodes, runner| swap_map(&variant, &plan.at(nodes), runner),
        |map| write_map(&variant, map, &plan, output),
    )?;
    let answers = found.iter().map(|map| SwapAnswer::new(&variant, map, &plan));
    let answers: Vec<SwapAnswer> = answers.collect();
    let rows = answers.iter().flat_map(|of| of.moves.iter().map(|row| json!({ "strength": of.strength, "row": row })));
    write_answers(games.run.format(), &answers, &COLUMNS, rows, output)?;
    if let (Some(file), Some(map)) = (file, found.last()) {
        let picture = swap_picture(&variant, map, &style, vec![pie_sentence(&variant, map)]);
        file.write(picture.ok_or_else(|| CliError::NotOpened(variant.clone()))?)?;
    }
    Ok(status(is_complete))
}

fn write_map(variant: &Variant, map: &SwapMap, plan: &QuestionPlan, output: &mut impl Write) -> Result<(), CliError> {
    writeln!(output, "{}\n", pie_sentence(variant, map))?;
    writeln!(output, "{} {}", fairest_sentence(map, ""), both_scores(map).unwrap_or_default())?;
    let number = |wanted: &str| {
        let moves = map.moves.iter();
        moves.filter(|scored| scored.answer() == wanted).count() as u64
    };
    writeln!(
        output,
        "Of {} a swap takes {} and leaves {}; of {} the games do not tell.",
        counted(map.moves.len() as u64, "first move"),
        number("swap"),
        number("keep"),
        number("either")
    )?;
    if map.are_all {
        writeln!(output, "Moves that differ by a symmetry of the board are one.")?
    } else {
        writeln!(output, "There are too many first moves to compare all: these were drawn at random.")?
    }
    writeln!(output, "{}", distinct_games(map.games, map.distinct))?;
    writeln!(output, "{}\n", openings(plan.random_steps, plan.seed))?;
    let moves = map.moves.iter().map(|scored| scored.first_move.text.chars().count());
    let width = moves.max().unwrap_or(0).max(4);
    writeln!(output, "{:<width$}  side scores  95 % interval   answer  games  fresh", "move")?;
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
            scored.answer(),
            scored.games.games(),
            if scored.is_fresh { "yes" } else { "no" }
        )?;
    }
    output.flush()?;
    Ok(())
}
