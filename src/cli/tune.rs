//! The command that tunes an evaluation.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;

use clap::Args;

use super::CliError;
use crate::games;
use crate::lab::{Tune, TuneError, Tuning, TuningStage};
use crate::notation::Variant;
use crate::search::Clock;

#[derive(Args, Debug)]
pub(super) struct TuneArgs {
    /// The game; several of its variants, where their weights are to fit all of them
    #[arg(required = true, value_name = "VARIANT")]
    variants: Vec<String>,

    /// How often games are played with the newest weights
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: u32,

    /// How many games are played each time
    #[arg(long, default_value_t = 2000, value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    games: u64,

    /// How many nodes are searched for each move
    #[arg(long, default_value_t = 3000, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    nodes: u64,

    /// Begin each game with some random steps, so many at most
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u32).range(0..=10_000))]
    random_steps: u32,

    /// How many positions of a game count, at most, from all parts of it; each takes about 1 kB of memory
    #[arg(long, default_value_t = 24, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    positions: u32,

    /// How strongly weights are drawn to where they began, as if by so many positions; not where there is a network
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    ridge: u32,

    /// What weights are fitted to: so many percent of what the search expected, the rest of how the game ended
    #[arg(long, value_name = "PERCENT", default_value_t = 50, value_parser = clap::value_parser!(u32).range(0..=100))]
    expectation: u32,

    /// How many games are played at once
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: u16,

    /// Equal seeds give equal weights
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// Begin with the weights of this file instead of the program's own; an empty file is all 0
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,

    /// Write the weights to this file instead of standard output; the remarks at its beginning stay
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Writes a file beside another and puts it in its place.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".new");
    fs::write(&beside, text)?;
    fs::rename(&beside, path)
}

/// The lines of remarks with which a file of weights begins.
fn remarks(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap_or_default();
    let lines = text.lines().take_while(|line| line.starts_with('#'));
    lines.flat_map(|line| [line, "\n"]).collect()
}

pub(super) fn tune(
    arguments: TuneArgs,
    clock: &dyn Clock,
    output: &mut impl Write,
    errors: impl Write + Send,
) -> Result<ExitCode, CliError> {
    let variants = arguments.variants.iter();
    let variants = variants.map(|variant| games::parse_variant(variant));
    let variants = variants.collect::<Result<Vec<Variant>, _>>()?;
    let cannot = |what: &str, path: &Path, error: &dyn std::fmt::Display| {
        CliError::Usage(format!("can't {what} {}: {error}", path.display()))
    };
    let from = match &arguments.from {
        Some(path) => Some(fs::read_to_string(path).map_err(|error| cannot("read", path, &error))?),
        None => None,
    };
    // What is there says what the rows and columns are.
    let remarks = arguments.out.as_deref().map(remarks).unwrap_or_default();
    if let Some(path) = &arguments.out {
        // Better now than after hours.
        let folder = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        if !folder.is_dir() {
            return Err(cannot("write to", path, &"there is no such folder"));
        }
    }
    let errors = Mutex::new(errors);
    let tell = |stage: TuningStage| {
        let Ok(mut errors) = errors.lock() else {
            return;
        };
        // Without standard error there is no one to tell.
        let _ = match stage {
            TuningStage::Played(games) if games % 100 == 0 => writeln!(errors, "{games} games"),
            TuningStage::Played(_) => Ok(()),
            TuningStage::Fitted {
                round,
                before,
                after,
                positions,
            } => writeln!(
                errors,
                "round {round}: loss {before:.4} of its games before, {after:.4} of all {positions} positions after"
            ),
        };
    };
    let tune = Tune {
        tuning: Tuning {
            rounds: arguments.rounds,
            games: arguments.games,
            nodes: arguments.nodes,
            random_steps: arguments.random_steps,
            positions: arguments.positions as usize,
            ridge: arguments.ridge.into(),
            expectation: f64::from(arguments.expectation) / 100.0,
            threads: arguments.threads.into(),
            seed: arguments.seed,
        },
        variants: &variants,
        from: from.as_deref(),
        clock,
        tell: &tell,
    };
    let text = tune
        .run()
        .map_err(|error| match (&error, &arguments.from) {
            (TuneError::Weights(_), Some(path)) => cannot("use", path, &error),
            _ => CliError::Usage(error.to_string()),
        })?;
    let Some(path) = &arguments.out else {
        output.write_all(text.as_bytes())?;
        return Ok(ExitCode::SUCCESS);
    };
    if let Err(error) = replace(path, &(remarks + &text)) {
        // Hours of work must not be lost.
        output.write_all(text.as_bytes())?;
        return Err(cannot("write to", path, &error));
    }
    Ok(ExitCode::SUCCESS)
}
