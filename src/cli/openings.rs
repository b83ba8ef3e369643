//! The command `openings`, and the option `--openings` of matches.

use std::borrow::Borrow;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use serde_json::{Value, json};

use super::format::write_json;
use super::records::warn_of_left_out;
use super::{CliError, number_in, usage};
use crate::arena::replay::Replay;
use crate::arena::tournament::{OpeningSource, Openings, read_openings};
use crate::files;
use crate::games;
use crate::record::{Opening, read_finished};
use crate::rules::Variant;
use crate::statistics::RecordedOpenings;
use crate::text::{counted, quote};

/// Returns the file that the text of `--openings` names, which need not exist; `None` for a word.
pub(super) fn file_of(text: &str) -> Option<PathBuf> {
    let is_word = is_start(text) || text.starts_with("random:");
    (!is_word).then(|| text.into())
}

fn is_start(text: &str) -> bool {
    matches!(text, "start" | "startpos")
}

/// Default of `--balance`.
const BALANCE: f64 = 0.1;

#[derive(Args, Debug)]
pub struct OpeningArgs {
    /// Source of openings: start, random:STEPS, or a file
    #[arg(long, value_name = "OPENINGS", default_value = "random:4")]
    openings: String,

    /// Maximum distance of the expected score from 0.5 after a random opening [default: 0.1]
    #[arg(long, value_name = "SHARE", value_parser = share)]
    balance: Option<f64>,
}

#[derive(Args, Debug)]
pub struct MakeOpeningsArgs {
    /// Variant to play
    variant: String,

    /// Number of random steps; the turn of the last one is completed
    #[arg(long, value_name = "N", default_value = "4", value_parser = clap::value_parser!(u32).range(0..=1000))]
    steps: u32,

    /// Number of openings
    #[arg(long, value_name = "N", default_value = "50", value_parser = clap::value_parser!(u64).range(1..))]
    count: u64,

    /// Seed of the random numbers
    #[arg(long, value_name = "N", default_value = "1")]
    seed: u64,

    /// Maximum distance from 0.5 of the expected score, or of Black's score in recorded games
    #[arg(long, value_name = "SHARE", default_value_t = BALANCE, value_parser = share)]
    balance: f64,

    /// List the even openings of these records instead of new ones
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["steps", "count", "seed"])]
    data: Vec<PathBuf>,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

fn share(text: &str) -> Result<f64, &'static str> {
    number_in(0.0..=0.5, "a number from 0 to 0.5")(text)
}

impl OpeningArgs {
    /// Reads the option.
    pub fn source(&self, variant: &Variant) -> Result<OpeningSource, CliError> {
        let steps = self.openings.strip_prefix("random:");
        if steps.is_none() && self.balance.is_some() {
            return usage(format!(
                "--balance chooses among random openings: expected --openings random:STEPS, not {}",
                quote(&self.openings)
            ));
        }
        if is_start(&self.openings) {
            return Ok(OpeningSource::Start);
        }
        if let Some(steps) = steps {
            let steps = steps.parse().ok().filter(|&steps| steps <= 1000);
            let Some(steps) = steps else {
                return usage(format!("--openings {}: a number of steps from 0 to 1000", quote(&self.openings)));
            };
            let bound = self.balance.unwrap_or(BALANCE);
            return Ok(OpeningSource::Random { steps, bound });
        }
        let bad = |why: String| CliError::Usage(format!("{}: {why}", self.openings));
        let text = files::read_text(Path::new(&self.openings))
            .map_err(|error| bad(format!("{error}: expected start, random:STEPS, or a file of openings")))?;
        let openings = read_openings(&text, variant).map_err(|error| bad(error.to_string()))?;
        Ok(OpeningSource::List(openings))
    }
}

/// Prints openings, one per line.
pub fn make_openings(
    arguments: &MakeOpeningsArgs,
    output: &mut impl Write,
    errors: impl Write,
) -> Result<ExitCode, CliError> {
    let variant = games::parse_variant(&arguments.variant)?;
    if !arguments.data.is_empty() {
        return even_openings(&variant, arguments, output, errors);
    }
    let &MakeOpeningsArgs { steps, count, seed, balance, .. } = arguments;
    let source = OpeningSource::Random { steps, bound: balance };
    let openings = Openings::new(source, &variant, seed);
    let mut openings = openings.ok_or_else(|| CliError::NotOpened(variant.clone()))?;
    let never = crossbeam_channel::never();
    let openings = (1..=count).map_while(|number| openings.get(number, &never));
    let about = format!("{}, balance {balance}, seed {seed}", counted(steps.into(), "random step"));
    print(&variant, &about, arguments.json, openings, output)
}

/// Prints openings: a comment and a line for each, or JSON.
fn print<O: Borrow<Opening>>(
    variant: &Variant,
    about: &str,
    json: bool,
    openings: impl Iterator<Item = O>,
    output: &mut impl Write,
) -> Result<ExitCode, CliError> {
    if json {
        let openings = openings.map(|opening| {
            let Opening { start, moves } = opening.borrow();
            json!({ "position": start, "moves": moves, "line": opening.borrow().to_string() })
        });
        let openings: Vec<Value> = openings.collect();
        write_json(&json!({ "variant": variant.to_string(), "about": about, "openings": openings }), output)?;
    } else {
        writeln!(output, "# {variant}: {about}")?;
        for opening in openings {
            writeln!(output, "{}", opening.borrow())?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints the even openings of records, one per line.
fn even_openings(
    variant: &Variant,
    arguments: &MakeOpeningsArgs,
    output: &mut impl Write,
    mut errors: impl Write,
) -> Result<ExitCode, CliError> {
    let MakeOpeningsArgs { balance, data, .. } = arguments;
    let files = read_finished(data)?;
    let mut is_whole = !warn_of_left_out(data, &files, &mut errors);
    let (mut openings, mut replay) = (RecordedOpenings::default(), Replay::default());
    // The first game of another variant, and their number.
    let (mut foreign, mut strangers) = (None, 0_u64);
    for (file, games) in data.iter().zip(&files) {
        let file = file.display();
        for game in &games.games {
            if games::parse_variant(&game.variant).as_ref() != Ok(variant) {
                let why = || format!("{file}: game {} is of {}, not of {variant}", game.game, game.variant);
                foreign.get_or_insert_with(why);
                strangers += 1;
                continue;
            }
            // A game in which an engine failed is no evidence about its opening.
            if game.cause.is_failure() {
                continue;
            }
            match replay.referee(game) {
                Ok(()) => openings.add(game),
                // Standard error may be closed.
                Err(wrong) => {
                    is_whole = false;
                    let _ = writeln!(errors, "{file}: {wrong}");
                }
            }
        }
    }
    match foreign {
        Some(first) if openings.count() == 0 => return usage(first),
        Some(_) => {
            let left_out = counted(strangers, "game");
            let _ = writeln!(errors, "pentalith: {left_out} not of {variant} left out");
        }
        None => {}
    }
    let even: Vec<&Opening> = openings.even(*balance).collect();
    let count = counted(openings.count() as u64, "opening");
    let games = counted(openings.games(), "game");
    if let (0, [file, ..]) = (openings.games(), data.as_slice()) {
        return Err(CliError::NoGame(file.clone()));
    }
    if even.is_empty() {
        return usage(format!(
            "no even opening among {count} in {games}: expected one within {balance} of 0.5 over two games or more; play more games, or raise --balance"
        ));
    }
    let about = format!("{} of {count}, {games}, recorded balance {balance}", even.len());
    print(variant, &about, arguments.json, even.into_iter(), output)?;
    Ok(if is_whole { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
