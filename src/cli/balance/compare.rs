//! The question `compare`: how does a game play under several rules, each at its own fair komi or with the pie?

use std::io::Write;
use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use super::{Context, GameArgs, distinct_games, openings, status, write_answers};
use crate::cli::CliError;
use crate::games;
use crate::intervals::Estimate;
use crate::rules::Variant;
use crate::study::balance::answers::CompareAnswer;
use crate::study::balance::{Question, QuestionPlan, RuleReport, compare, default_random_steps, rules};
use crate::study::wording::{percent, points, short_strength, tenths};

/// Strengths where none are given.
const STRENGTHS: [u64; 1] = [1024];

#[derive(Args, Debug)]
pub(super) struct CompareArgs {
    /// Variant to play
    variant: String,

    /// An option and its values, as in order=mover,single or x=2,3,4; or size and sizes, as in size=6x5,8x7
    #[arg(value_name = "OPTION=VALUE,…")]
    rules: String,

    #[command(flatten)]
    pub(super) games: GameArgs,
}

/// Columns of the table of other formats.
const COLUMNS: [(&str, &str); 11] = [
    ("strength", "/strength"),
    ("variant", "/row/variant"),
    ("played", "/row/played"),
    ("fair_komi", "/row/fair_komi/value"),
    ("spread", "/row/spread"),
    ("games", "/row/games"),
    ("score", "/row/score/value"),
    ("low", "/row/score/low"),
    ("high", "/row/score/high"),
    ("draws", "/row/draws"),
    ("moves", "/row/moves/1"),
];

fn moves(report: &RuleReport) -> [usize; 3] {
    [0.1, 0.5, 0.9].map(|share| report.moves_at(share))
}

/// Plays a game under several rules.
pub(super) fn compare_rules<E: Write>(
    arguments: &CompareArgs,
    context: &mut Context<'_, E>,
    output: &mut impl Write,
) -> Result<ExitCode, CliError> {
    let CompareArgs { variant, games, .. } = arguments;
    let variant = games::parse_variant(variant)?;
    let variants = rules(&variant, &arguments.rules)?;
    // By default each board takes its own number of random steps.
    let steps = |variant: &Variant| {
        let given = games.random_steps;
        given.unwrap_or_else(|| default_random_steps(variant))
    };
    let variants = variants.into_iter().map(|with| (with.clone(), steps(&with)));
    let variants: Vec<(Variant, u32)> = variants.collect();
    let fewest = variants.iter().map(|(_, steps)| *steps).min();
    let plan = QuestionPlan {
        random_steps: fewest.unwrap_or_default(),
        ..games.plan(Question::Compare(arguments.rules.clone()), &variant)
    };
    let strengths = games.strengths(&STRENGTHS);
    let (found, is_complete) = context.ask(
        &strengths,
        &games.run,
        games.record.as_deref(),
        |nodes, runner| Ok((nodes, compare(&variants, &plan.at(nodes), true, &[], runner)?)),
        |(nodes, reports)| write_reports(&variant, *nodes, reports, &plan.at(*nodes), output),
    )?;
    let answers = found.iter().map(|(nodes, reports)| CompareAnswer::new(reports, &plan.at(*nodes)));
    let answers: Vec<CompareAnswer> = answers.collect();
    let rows = answers.iter().flat_map(|of| of.rules.iter().map(|row| json!({ "strength": of.strength, "row": row })));
    write_answers(games.run.format(), &answers, &COLUMNS, rows, output)?;
    Ok(status(is_complete))
}

fn write_reports(
    variant: &Variant,
    nodes: u64,
    reports: &[RuleReport],
    plan: &QuestionPlan,
    output: &mut impl Write,
) -> Result<(), CliError> {
    let first = variant.info().first;
    let strength = short_strength(nodes);
    let begin = |report: &RuleReport| openings(report.random_steps, plan.seed);
    let are_equal = reports.iter().all(|report| report.random_steps == plan.random_steps);
    match reports.first().filter(|_| are_equal) {
        Some(report) => writeln!(output, "strength {strength}; {}", begin(report))?,
        None => writeln!(output, "strength {strength}")?,
    }
    let answer = CompareAnswer::new(reports, plan);
    for (report, rule) in reports.iter().zip(&answer.rules) {
        writeln!(output, "\n{}, played as {}", report.variant, report.played)?;
        if !are_equal {
            writeln!(output, "{}", begin(report))?;
        }
        let mut row = |name: &str, value: String| writeln!(output, "  {name:<22}{value}");
        if let Some(fair) = &report.fair {
            let place = fair.crossing.place;
            let interval = format!("({} to {})", points(place.low), points(place.high));
            row("fair komi", format!("{} {interval}", points(place.value)))?;
            row("spread", points(fair.crossing.spread))?;
        }
        row("games", distinct_games(report.games(), report.distinct))?;
        if let Some(score) = report.unaided_score().filter(|_| report.help().is_some()) {
            let without = report.help().unwrap_or_default();
            row(&format!("without {without}"), with_interval(score))?;
            if let Some(Estimate { value, low, high }) = rule.difference {
                let [value, low, high] = [value, low, high].map(|share| tenths(100.0 * share));
                row("than the first rule", format!("{value} points in 100 ({low} to {high})"))?;
            }
        }
        if let Some(score) = report.score() {
            row(&format!("score of {first}"), with_interval(score))?;
        }
        row("draws", percent(report.results.draw_rate()))?;
        let [low, median, high] = moves(report);
        row("moves", format!("{median} (80 % of games: {low} to {high})"))?;
        if let Some((share, by_chance)) = report.other_winner {
            let chance = percent(by_chance);
            let text = format!("{} of openings; by chance {chance}", with_interval(share));
            row("won by the other", text)?;
        }
        if let Some(choices) = report.choices {
            row("choices in a game", format!("{:.1}", choices.choices))?;
            let Estimate { value, low, high } = choices.decisive;
            row("decisive ones", format!("{value:.1} ({low:.1} to {high:.1})"))?;
            row("games with one", with_interval(choices.decided))?;
        }
    }
    writeln!(output)?;
    writeln!(output, "{}\n", answer.verdict)?;
    output.flush()?;
    Ok(())
}

fn with_interval(share: Estimate) -> String {
    format!("{} ({} to {})", percent(share.value), percent(share.low), percent(share.high))
}
