//! The question `komi`: at which komi does the first mover score one half?

use std::io::Write;
use std::process::ExitCode;

use clap::Args;

use super::{Context, GameArgs, distinct_games, openings, status, write_answers};
use crate::cli::CliError;
use crate::cli::format::Format;
use crate::games;
use crate::intervals::Estimate;
use crate::study::balance::answers::KomiAnswer;
use crate::study::balance::sentences::trend;
use crate::study::balance::{FairKomi, MAX_SEEDS, Question, QuestionPlan, fair_komi_of_seeds, komi_range};
use crate::study::wording::{points, short_strength};

/// Strengths where none are given.
const STRENGTHS: [u64; 4] = [0, 32, 1024, 32_768];

#[derive(Args, Debug)]
pub(super) struct KomiArgs {
    /// Variant to play
    variant: String,

    /// Number of seeds, from --seed on, each with its own --games; their answers are pooled
    ///
    /// The interval takes the variance between seeds into account, which takes three seeds or more to be short.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=MAX_SEEDS))]
    seeds: u64,

    #[command(flatten)]
    pub(super) games: GameArgs,
}

/// Columns of the table of other formats.
const COLUMNS: [(&str, &str); 7] = [
    ("variant", "/variant"),
    ("strength", "/strength"),
    ("fair_komi", "/fair_komi/value"),
    ("low", "/fair_komi/low"),
    ("high", "/fair_komi/high"),
    ("games", "/games"),
    ("spread", "/spread"),
];

/// Finds the fair komi at each strength.
pub(super) fn komi<E: Write>(
    arguments: &KomiArgs,
    context: &mut Context<'_, E>,
    output: &mut impl Write,
) -> Result<ExitCode, CliError> {
    let KomiArgs { variant, games, seeds } = arguments;
    let variant = games::parse_variant(variant)?;
    komi_range(&variant)?;
    let plan = QuestionPlan { seeds: *seeds, ..games.plan(Question::Komi, &variant) };
    let strengths = games.strengths(&STRENGTHS);
    let format = games.run.format();
    if format == Format::Text {
        let first = variant.info().first;
        writeln!(output, "{variant}: the komi for {}, who moves second, at which {first} scores 50 %", !first)?;
        let last = plan.seed.wrapping_add(plan.seeds - 1);
        let more = if plan.seeds > 1 { format!(" to {last}, pooled") } else { String::new() };
        writeln!(output, "{}{more}\n", openings(plan.random_steps, plan.seed))?;
        writeln!(output, "strength  fair komi   95 % interval  games  spread")?;
        output.flush()?;
    }
    let (found, is_complete) = context.ask(
        &strengths,
        &games.run,
        games.record.as_deref(),
        |nodes, runner| fair_komi_of_seeds(&variant, &plan.at(nodes), runner),
        |fair| {
            for of in &fair.seeds {
                writeln!(output, "{}", komi_row(&format!("seed {}", of.seed), of.place, of.games, "-"))?;
            }
            let (place, games) = (fair.crossing.place, fair.curve.games());
            let spread = points(fair.crossing.spread);
            writeln!(output, "{}", komi_row(&short_strength(fair.nodes), place, games, &spread))?;
            Ok(output.flush()?)
        },
    )?;
    if format != Format::Text {
        let answers = found.iter().map(|fair| KomiAnswer::new(&variant, fair, &plan));
        let answers: Vec<KomiAnswer> = answers.collect();
        write_answers(format, &answers, &COLUMNS, &answers, output)?;
    } else {
        writeln!(output)?;
        for line in komi_words(&found) {
            writeln!(output, "{line}")?;
        }
    }
    Ok(status(is_complete))
}

fn komi_row(name: &str, place: Estimate, games: u64, spread: &str) -> String {
    let Estimate { value, low, high } = place;
    let interval = format!("{} to {}", points(low), points(high));
    format!("{name:>8}  {:>9}  {interval:>14}  {games:>5}  {spread:>6}", points(value))
}

/// Says how the fair komi changes with strength, and where its interval is too long.
fn komi_words(found: &[FairKomi]) -> Vec<String> {
    let mut words: Vec<String> = trend(found).into_iter().collect();
    for fair in found.iter().filter(|fair| fair.distinct < fair.curve.games()) {
        let (strength, games) = (short_strength(fair.nodes), distinct_games(fair.curve.games(), fair.distinct));
        words.push(format!("At strength {strength}: {games}."));
    }
    for fair in found.iter().filter(|fair| fair.crossing.is_local) {
        words.push(format!(
            "At strength {} scores by komi fit no probit curve: the fair komi is that of the komis next to it.",
            short_strength(fair.nodes)
        ));
    }
    for fair in found.iter().filter(|fair| !fair.is_precise) {
        let more = if fair.seeds.is_empty() { "--games" } else { "--games or --seeds" };
        words.push(format!(
            "At strength {} the interval is longer than one point: give more {more}.",
            short_strength(fair.nodes)
        ));
    }
    words
}
