//! The question `komi`: at which komi does the first mover score one half?

use std::io::Write;
use std::process::ExitCode;

use clap::Args;

use super::{Context, GameArgs, distinct_games, openings, status, write_json};
use crate::cli::CliError;
use crate::games;
use crate::intervals::Estimate;
use crate::study::balance::answers::KomiAnswer;
use crate::study::balance::sentences::trend;
use crate::study::balance::{FairKomi, Question, fair_komi, komi_range};
use crate::study::wording::{points, short_strength};

/// Strengths where none are given.
const STRENGTHS: [u64; 4] = [0, 32, 1024, 32_768];

#[derive(Args, Debug)]
pub(super) struct KomiArgs {
    /// Variant to play
    variant: String,

    #[command(flatten)]
    pub(super) games: GameArgs,
}

/// Finds the fair komi at each strength.
pub(super) fn komi<E: Write>(
    arguments: &KomiArgs,
    context: &mut Context<'_, E>,
    output: &mut impl Write,
) -> Result<ExitCode, CliError> {
    let KomiArgs { variant, games } = arguments;
    let variant = games::parse_variant(variant)?;
    komi_range(&variant)?;
    let (plan, strengths) = (games.plan(Question::Komi, &variant), games.strengths(&STRENGTHS));
    if !games.run.json {
        let first = variant.info().first;
        writeln!(output, "{variant}: the komi for {}, who moves second, at which {first} scores 50 %", !first)?;
        writeln!(output, "{}\n", openings(plan.random_steps, plan.seed))?;
        writeln!(output, "strength  fair komi   95 % interval  games  spread")?;
        output.flush()?;
    }
    let mut found = Vec::new();
    let is_complete = context.ask(
        &strengths,
        &games.run,
        games.record.as_deref(),
        |nodes, runner| fair_komi(&variant, plan.max_games, &plan.at(nodes), runner),
        |fair| {
            if !games.run.json {
                writeln!(output, "{}", komi_row(&fair))?;
                output.flush()?;
            }
            found.push(fair);
            Ok(())
        },
    )?;
    if games.run.json {
        let answers = found.iter().map(|fair| KomiAnswer::new(&variant, fair, &plan));
        let answers: Vec<KomiAnswer> = answers.collect();
        write_json(&answers, output)?;
    } else {
        writeln!(output)?;
        for line in komi_words(&found) {
            writeln!(output, "{line}")?;
        }
    }
    Ok(status(is_complete))
}

fn komi_row(fair: &FairKomi) -> String {
    let Estimate { value, low, high } = fair.crossing.place;
    format!(
        "{:>8}  {:>9}  {:>14}  {:>5}  {:>6}",
        short_strength(fair.nodes),
        points(value),
        format!("{} to {}", points(low), points(high)),
        fair.curve.games(),
        points(fair.crossing.spread)
    )
}

/// Says how the fair komi changes with strength, and where its interval is too long.
fn komi_words(found: &[FairKomi]) -> Vec<String> {
    let mut words: Vec<String> = trend(found).into_iter().collect();
    for fair in found.iter().filter(|fair| fair.distinct < fair.curve.games()) {
        let (strength, games) = (short_strength(fair.nodes), distinct_games(fair.curve.games(), fair.distinct));
        words.push(format!("At strength {strength}: {games}."));
    }
    for fair in found.iter().filter(|fair| !fair.is_precise) {
        words.push(format!(
            "At strength {} the interval is longer than one point: give more --games.",
            short_strength(fair.nodes)
        ));
    }
    words
}
