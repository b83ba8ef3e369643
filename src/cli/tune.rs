//! The command that tunes an evaluation.

use std::fs::{self, File};
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

    /// How often games are played with the newest weights; 0 is to learn from --played alone
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(0..=1000))]
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

    /// How many positions of a game count, at most, from all parts of it; each takes about 1 kB of memory. 0 is to play
    /// games for --record alone, and to learn nothing
    #[arg(long, default_value_t = 24, value_parser = clap::value_parser!(u32).range(0..=10_000))]
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

    /// Add every game to this file, one a line, as it ends
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,

    /// Learn from the games of these files, too, as --record has written them
    #[arg(long, value_name = "FILE", num_args = 1..)]
    played: Vec<PathBuf>,

    /// Begin with the weights of this file instead of the program's own; an empty file is all 0
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,

    /// Write the weights to this file instead of standard output; the remarks at its beginning stay
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

impl TuneArgs {
    /// Whether it leaves nothing but what it prints.
    pub(super) fn is_for_output(&self) -> bool {
        self.out.is_none() && self.record.is_none()
    }
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
    let learns = arguments.positions > 0;
    let plays_for_record = arguments.record.is_some() && arguments.rounds > 0;
    let would_learn = arguments.out.is_some() || !arguments.played.is_empty();
    if !learns && (!plays_for_record || would_learn) {
        let why = "--positions 0 plays games and learns nothing: \
                   expected --record FILE for them, --rounds of 1 or more, no --played and no --out";
        return Err(CliError::Usage(why.to_owned()));
    }
    if arguments.rounds == 0 && arguments.record.is_some() {
        let why = "--rounds 0 plays no games that --record could keep: expected --rounds of 1 or more, or no --record";
        return Err(CliError::Usage(why.to_owned()));
    }
    let variants = arguments.variants.iter();
    let variants = variants.map(|variant| games::parse_variant(variant));
    let variants = variants.collect::<Result<Vec<Variant>, _>>()?;
    let cannot = |what: &str, path: &Path, error: &dyn std::fmt::Display| {
        CliError::Usage(format!("can't {what} {}: {error}", path.display()))
    };
    let read =
        |path: &PathBuf| fs::read_to_string(path).map_err(|error| cannot("read", path, &error));
    let from = arguments.from.as_ref().map(read).transpose()?;
    let played = arguments.played.iter().map(read);
    let played = played.collect::<Result<Vec<String>, _>>()?;
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
    let record = match &arguments.record {
        Some(path) => {
            let file = File::options().create(true).append(true).open(path);
            Some((
                path,
                file.map_err(|error| cannot("write to", path, &error))?,
            ))
        }
        None => None,
    };
    let told = Mutex::new((errors, None));
    let tell = |stage: TuningStage<'_>| {
        let Ok(mut told) = told.lock() else {
            return;
        };
        let (errors, failure) = &mut *told;
        if let (TuningStage::Played { line, .. }, Some((_, file))) = (stage, &record) {
            let mut file: &File = file;
            if let Err(error) = file.write_all(format!("{line}\n").as_bytes()) {
                failure.get_or_insert(error);
            }
        }
        // Without standard error there is no one to tell.
        let _ = match stage {
            TuningStage::Played { games, .. } if games % 100 == 0 => {
                writeln!(errors, "{games} games")
            }
            TuningStage::Played { .. } => Ok(()),
            TuningStage::Fitted {
                round,
                before,
                after,
                least,
                positions,
            } => writeln!(
                errors,
                "round {round}: loss {before:.5} of its games before, {after:.5} of all {positions} positions after, at least {least:.5}"
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
        played: &played,
        clock,
        tell: &tell,
    };
    let text = tune.run().map_err(|error| {
        let file = match &error {
            TuneError::Weights(_) => arguments.from.as_ref(),
            TuneError::Game { text, .. } => arguments.played.get(*text),
            _ => None,
        };
        match file {
            Some(path) => cannot("use", path, &error),
            None => CliError::Usage(error.to_string()),
        }
    })?;
    match &arguments.out {
        None if !learns => {}
        None => output.write_all(text.as_bytes())?,
        Some(path) => {
            if let Err(error) = replace(path, &(remarks + &text)) {
                // Hours of work must not be lost.
                output.write_all(text.as_bytes())?;
                return Err(cannot("write to", path, &error));
            }
        }
    }
    let failure = told.into_inner().ok().and_then(|(_, failure)| failure);
    match (failure, &record) {
        (Some(error), Some((path, _))) => Err(cannot("write to", path, &error)),
        _ => Ok(ExitCode::SUCCESS),
    }
}
