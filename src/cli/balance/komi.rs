//! The question `komi`: at which komi does the first mover score one half?

use std::io::Write;
use std::process::ExitCode;

use clap::Args;
use serde::Serialize;

use super::{Desk, GameArgs, Interval, openings, points, rounded, status, write_json};
use crate::cli::CliError;
use crate::games;
use crate::rules::Variant;
use crate::study::balance::curve::Estimate;
use crate::study::balance::{FairKomi, Plan, fair_komi, komi_range, strength_name};

/// Strengths where none are given.
const STRENGTHS: [u64; 4] = [0, 32, 1024, 32_768];

#[derive(Args, Debug)]
pub(super) struct KomiArgs {
    /// Variant to play
    variant: String,

    #[command(flatten)]
    games: GameArgs,
}

/// An element of the array that `komi --json` prints, as `docs/balance.md` describes it.
#[derive(Serialize)]
struct KomiAnswer {
    variant: String,
    strength: u64,
    games: u64,
    fair_komi: Interval,
    precise: bool,
    spread: f64,
    random_steps: u32,
    seed: u64,
    curve: Vec<KomiPoint>,
}

#[derive(Serialize)]
struct KomiPoint {
    komi: f64,
    games: u64,
    wins: u64,
    draws: u64,
    losses: u64,
}

impl KomiAnswer {
    fn new(variant: &Variant, fair: &FairKomi, plan: &Plan) -> Self {
        let points = fair.curve.points().iter().map(|point| {
            let [losses, draws, wins] = point.counts;
            KomiPoint {
                komi: point.x,
                games: point.games(),
                wins,
                draws,
                losses,
            }
        });
        Self {
            variant: variant.to_string(),
            strength: fair.nodes,
            games: fair.curve.games(),
            fair_komi: fair.crossing.place.into(),
            precise: fair.is_precise,
            spread: rounded(fair.crossing.spread),
            random_steps: plan.random_steps,
            seed: plan.seed,
            curve: points.collect(),
        }
    }
}

/// Finds the fair komi at each strength.
pub(super) fn komi<E: Write>(
    arguments: &KomiArgs,
    desk: &mut Desk<'_, E>,
    output: &mut impl Write,
) -> Result<ExitCode, CliError> {
    let KomiArgs { variant, games } = arguments;
    let variant = games::parse_variant(variant)?;
    komi_range(&variant)?;
    let (plan, strengths) = (games.plan(&variant), games.strengths(&STRENGTHS));
    if !games.json {
        let first = variant.info().first;
        writeln!(
            output,
            "{variant}: the komi for {}, who moves second, at which {first} scores 50 %",
            !first
        )?;
        writeln!(output, "{}\n", openings(&plan))?;
        writeln!(output, "strength  fair komi   95 % interval  games  spread")?;
        output.flush()?;
    }
    let mut found = Vec::new();
    let is_complete = desk.ask(
        &strengths,
        games.threads(),
        |nodes, runner| fair_komi(&variant, nodes, &plan, runner),
        |fair| {
            if !games.json {
                writeln!(output, "{}", komi_row(&fair))?;
                output.flush()?;
            }
            found.push(fair);
            Ok(())
        },
    )?;
    if games.json {
        let answers = found
            .iter()
            .map(|fair| KomiAnswer::new(&variant, fair, &plan));
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
        strength_name(fair.nodes),
        points(value),
        format!("{} to {}", points(low), points(high)),
        fair.curve.games(),
        points(fair.crossing.spread)
    )
}

/// Says how the fair komi changes with strength, and where its interval is too long.
fn komi_words(found: &[FairKomi]) -> Vec<String> {
    let mut words = Vec::new();
    if let [first, .., last] = found {
        let [from, to] = [first, last].map(|fair| fair.crossing.place);
        let (weak, strong) = (strength_name(first.nodes), strength_name(last.nodes));
        let trend = match (from.high < to.low, to.high < from.low) {
            (true, _) => "rises",
            (_, true) => "falls",
            _ => "is the same, within chance,",
        };
        words.push(format!(
            "From strength {weak} to {strong} the fair komi {trend} from {} to {}.",
            points(from.value),
            points(to.value)
        ));
    }
    for fair in found.iter().filter(|fair| !fair.is_precise) {
        words.push(format!(
            "At strength {} the interval is longer than one point: give more --games.",
            strength_name(fair.nodes)
        ));
    }
    words
}
