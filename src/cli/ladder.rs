//! The command `ladder`.

use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use clap::Args;
use serde::Serialize;

use super::CliError;
use super::balance::{Desk, RunArgs, status, write_json};
use crate::games;
use crate::search::Clock;
use crate::study::balance::answers::{Interval, rounded};
use crate::study::balance::words::percent;
use crate::study::balance::{default_random_steps, grouped};
use crate::study::ladder::{Ladder, LadderPlan, Rung, TARGET, TOLERANCE, ladder};

#[derive(Args, Debug)]
pub(super) struct LadderArgs {
    /// Variant to play
    variant: String,

    /// Budget: most nodes of a search
    #[arg(long, value_name = "NODES", default_value_t = 1024, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    max_nodes: u64,

    /// Games that test each rung, and as many at most that look for it
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(2..=10_000_000))]
    games: u64,

    /// Random steps of each opening, which two games share [default: one for each 30 cells, and 4 or more]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(0..=1000))]
    random_steps: Option<u32>,

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
    score: Option<Interval>,
    seed: u64,
}

/// Builds a ladder and prints its rungs.
pub(super) fn print_ladder<E: Write + IsTerminal>(
    arguments: &LadderArgs,
    clock: &dyn Clock,
    output: &mut impl Write,
    errors: E,
) -> Result<ExitCode, CliError> {
    let variant = games::parse_variant(&arguments.variant)?;
    let steps = arguments.random_steps;
    let plan = LadderPlan {
        most_nodes: arguments.max_nodes,
        games: arguments.games,
        random_steps: steps.unwrap_or_else(|| default_random_steps(&variant).max(4)),
        seed: arguments.run.seed,
    };
    let mut found: Option<Ladder> = None;
    let is_complete = Desk::new(clock, errors).ask(
        &[plan.most_nodes],
        &arguments.run,
        None,
        |_, runner| ladder(&variant, &plan, runner, &mut |_| ()),
        |ladder| {
            found = Some(ladder);
            Ok(())
        },
    )?;
    let Some(ladder) = found else {
        return Ok(status(is_complete));
    };
    if arguments.run.json {
        let rungs = ladder.rungs.iter().enumerate();
        let answers = rungs.map(|(number, rung)| RungAnswer {
            variant: ladder.variant.to_string(),
            rung: number,
            nodes: nodes(rung),
            searched: rounded(rung.level.searched),
            games: rung.games,
            score: rung.score.map(Interval::from),
            seed: plan.seed,
        });
        let answers: Vec<RungAnswer> = answers.collect();
        write_json(&answers, output)?;
    } else {
        write_ladder(&ladder, &plan, output)?;
    }
    Ok(status(is_complete))
}

/// Returns the nodes of a rung's searches; 0 if it never searches.
fn nodes(rung: &Rung) -> u64 {
    match rung.level.searched > 0.0 {
        true => rung.level.nodes,
        false => 0,
    }
}

fn write_ladder(
    ladder: &Ladder,
    plan: &LadderPlan,
    output: &mut impl Write,
) -> Result<(), CliError> {
    let steps = ladder.rungs.len().saturating_sub(1);
    writeln!(
        output,
        "Lower bound on the engine depth of {}: {steps} rungs above random play, up to {} nodes.\n",
        ladder.variant,
        grouped(plan.most_nodes)
    )?;
    writeln!(
        output,
        "Each rung scores {:.0} ± {:.0} in 100 against the one below, by games that did not choose it.",
        100.0 * TARGET,
        100.0 * TOLERANCE
    )?;
    writeln!(
        output,
        "openings: {} random steps, balanced, each with seats exchanged; seed {}\n",
        plan.random_steps, plan.seed
    )?;
    writeln!(
        output,
        "rung  moves searched   nodes   score    95 % interval  games"
    )?;
    for (number, rung) in ladder.rungs.iter().enumerate() {
        let (score, interval) = match rung.score {
            None => ("-".to_owned(), "-".to_owned()),
            Some(score) => (
                percent(score.value),
                format!("{} to {}", percent(score.low), percent(score.high)),
            ),
        };
        writeln!(
            output,
            "{number:>4}  {:>14}  {:>6}  {score:>6}  {interval:>15}  {:>5}",
            percent(rung.level.searched),
            grouped(nodes(rung)),
            rung.games
        )?;
    }
    let levels = ladder.levels();
    if levels.len() > 1 {
        let levels: Vec<String> = levels.into_iter().map(grouped).collect();
        writeln!(
            output,
            "\nNodes of levels that each score 75 % against the next: {}",
            levels.join(" ")
        )?;
    }
    output.flush()?;
    Ok(())
}
