//! The command `ladder`.

use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use serde::Serialize;

use super::CliError;
use super::balance::{Context, RunArgs, status, write_answers};
use super::engine_options::level_names;
use super::format::Format;
use crate::games;
use crate::intervals::{Estimate, rounded};
use crate::rules::LEVELS;
use crate::search::Clock;
use crate::study::balance::answers::PLACES;
use crate::study::balance::default_random_steps;
use crate::study::ladder::{Ladder, LadderEnd, LadderPlan, Rung, TARGET, TOLERANCE, ladder, least_rungs};
use crate::study::wording::percent;
use crate::text::{counted, grouped};

#[derive(Args, Debug)]
pub(super) struct LadderArgs {
    /// Variant to play
    variant: String,

    /// Budget: most nodes of a search
    #[arg(long, value_name = "NODES", default_value_t = 1024, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    max_nodes: u64,

    /// Games that confirm each rung; about twice as many choose its level
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(2..=10_000_000))]
    games: u64,

    /// Random steps of each opening, which two games share [default: one for each 30 cells, and 4 or more]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(0..=1000))]
    random_steps: Option<u32>,

    /// Stop before this number of games would be passed, with the rungs found by then
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    max_games: Option<u64>,

    /// Stop after this time, in seconds, with the rungs found by then
    #[arg(long, value_name = "S", value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    time: Option<u64>,

    /// Keep the games in a file, and play only those that it does not have
    ///
    /// Run a command that was interrupted or stopped again to resume it.
    #[arg(long, value_name = "FILE")]
    pub(super) record: Option<PathBuf>,

    #[command(flatten)]
    run: RunArgs,
}

/// An element of the array that `--json` prints, as `docs/balance.md` describes it.
#[derive(Serialize)]
struct RungAnswer {
    variant: String,
    rung: usize,
    nodes: u64,
    searched: f64,
    games: u64,
    /// Score against the rung below.
    score: Option<Estimate>,
    /// Levels that were tried on fresh games.
    tries: u64,
    /// Rungs of 60 % that the ladder up to here has at least.
    at_least: u64,
    seed: u64,
}

/// Columns of the table of other formats.
const COLUMNS: [(&str, &str); 8] = [
    ("variant", "/variant"),
    ("rung", "/rung"),
    ("nodes", "/nodes"),
    ("searched", "/searched"),
    ("score", "/score/value"),
    ("low", "/score/low"),
    ("high", "/score/high"),
    ("games", "/games"),
];

/// Builds a ladder and prints its rungs.
pub(super) fn print_ladder<E: Write + IsTerminal>(
    arguments: &LadderArgs,
    clock: &dyn Clock,
    output: &mut impl Write,
    errors: E,
) -> Result<ExitCode, CliError> {
    let variant = games::parse_variant(&arguments.variant)?;
    let (steps, format) = (arguments.random_steps, arguments.run.format());
    let plan = LadderPlan {
        most_nodes: arguments.max_nodes,
        games: arguments.games,
        random_steps: steps.unwrap_or_else(|| default_random_steps(&variant).max(4)),
        seed: arguments.run.seed,
        most_games: arguments.max_games,
        time: arguments.time.map(Duration::from_secs),
        tests_levels: format == Format::Text,
    };
    let mut context = Context::new(clock, errors);
    let (mut found, is_complete) = context.ask(
        &[plan.most_nodes],
        &arguments.run,
        arguments.record.as_deref(),
        |_, runner| ladder(&variant, &plan, runner),
        |_| Ok(()),
    )?;
    let Some(ladder) = found.pop() else {
        return Ok(status(is_complete));
    };
    if let Some(why) = stopped(&ladder, arguments) {
        context.line(&format!("pentalith: {why}"));
    }
    if format != Format::Text {
        let rungs = ladder.rungs.iter().enumerate();
        let answers = rungs.map(|(number, rung)| RungAnswer {
            variant: ladder.variant.to_string(),
            rung: number,
            nodes: nodes(rung),
            searched: rounded(rung.level.searched, PLACES),
            games: rung.games,
            score: rung.score.map(|score| score.rounded(PLACES)),
            tries: rung.tries,
            at_least: least_rungs(ladder.rungs.get(..=number).unwrap_or_default()),
            seed: plan.seed,
        });
        let answers: Vec<RungAnswer> = answers.collect();
        write_answers(format, &answers, &COLUMNS, &answers, output)?;
    } else {
        write_ladder(&ladder, &plan, output)?;
    }
    Ok(status(is_complete))
}

/// Returns the nodes of a rung's searches; 0 if it never searches.
fn nodes(rung: &Rung) -> u64 {
    if rung.level.searched > 0.0 { rung.level.nodes } else { 0 }
}

/// Returns a score and its interval, as the tables show them.
fn score_words(score: Option<Estimate>) -> [String; 2] {
    match score {
        None => ["-", "-"].map(str::to_owned),
        Some(Estimate { value, low, high }) => [percent(value), format!("{} to {}", percent(low), percent(high))],
    }
}

fn write_ladder(ladder: &Ladder, plan: &LadderPlan, output: &mut impl Write) -> Result<(), CliError> {
    writeln!(
        output,
        "Lower bound on the engine depth of {}, up to {} nodes: {} of {:.0} % above random play (95 %).\n",
        ladder.variant,
        grouped(plan.most_nodes),
        counted(ladder.least_rungs(), "rung"),
        100.0 * TARGET,
    )?;
    writeln!(
        output,
        "Each level below was chosen to score {:.0} % against the one before. Its score is that of games that had no part \
         in\nthe choice. Where these contradict {:.0} to {:.0} % another level is tried, and its interval made longer.",
        100.0 * TARGET,
        100.0 * (TARGET - TOLERANCE),
        100.0 * (TARGET + TOLERANCE)
    )?;
    writeln!(
        output,
        "openings: {} random steps, balanced, each with seats exchanged; seed {}\n",
        plan.random_steps, plan.seed
    )?;
    writeln!(output, "rung  moves searched   nodes   score    95 % interval  games  tries")?;
    for (number, rung) in ladder.rungs.iter().enumerate() {
        let [score, interval] = score_words(rung.score);
        writeln!(
            output,
            "{number:>4}  {:>14}  {:>6}  {score:>6}  {interval:>15}  {:>5}  {:>5}",
            percent(rung.level.searched),
            grouped(nodes(rung)),
            rung.games,
            rung.tries
        )?;
    }
    write_levels(ladder, output)?;
    output.flush()?;
    Ok(())
}

/// Says what stopped a ladder before its end; `None` if nothing did, or a signal, which is said elsewhere.
fn stopped(ladder: &Ladder, arguments: &LadderArgs) -> Option<String> {
    let what = match ladder.end {
        LadderEnd::Top | LadderEnd::Interrupted => return None,
        LadderEnd::NotFound => {
            return Some("the ladder ends below a rung that fresh games contradicted: give more --games".to_owned());
        }
        LadderEnd::Games => format!("stopped at --max-games {}", arguments.max_games?),
        LadderEnd::Time => format!("stopped after --time {}", arguments.time?),
    };
    let rungs = counted(ladder.rungs.len().saturating_sub(1) as u64, "rung");
    let goes_on = match arguments.record {
        Some(_) => ", and the same command with more resumes",
        None => "",
    };
    Some(format!("{what}: {rungs} above random play by then; there may be more{goes_on}"))
}

/// Writes the levels of `Strength`, and their row for the catalogue.
fn write_levels(ladder: &Ladder, output: &mut impl Write) -> Result<(), CliError> {
    let levels = &ladder.tested;
    if levels.is_empty() {
        return Ok(());
    }
    writeln!(output, "\nLevels of Strength, each to score 75 % against the next, by games of its own:\n")?;
    writeln!(output, "level        nodes   score    95 % interval  games")?;
    for (level, name) in levels.iter().zip(level_names()) {
        let [score, interval] = score_words(level.score);
        writeln!(output, "{name:<8}  {:>8}  {score:>6}  {interval:>15}  {:>5}", grouped(level.nodes), level.games)?;
    }
    match ladder.catalogue_row() {
        Some(row) => writeln!(output, "\nIn the row of the catalogue:\n{row}")?,
        None => writeln!(
            output,
            "\nStrength has {LEVELS} levels below best: a whole row of the catalogue needs more --max-nodes."
        )?,
    }
    Ok(())
}
