//! The command `stats`.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::tournament::{ACCEPTED_H0, UNDECIDED};
use super::{CliError, usage, warn_of_incomplete};
use crate::arena::record::read_files;
use crate::arena::statistics::{Decision, Sprt, Statistics};

#[derive(Args, Debug)]
pub struct StatsArgs {
    /// Record files, text or JSON
    #[arg(required = true, value_name = "FILE")]
    pub(super) files: Vec<PathBuf>,

    /// Also run a sequential test between an Elo difference of ELO0 and one of ELO1
    #[arg(long, value_name = "ELO0,ELO1[,ALPHA,BETA]", value_parser = Sprt::parse, allow_hyphen_values = true)]
    sprt: Option<Sprt>,
}

/// Prints the statistics of records.
pub fn stats(
    arguments: &StatsArgs,
    output: &mut impl Write,
    errors: impl Write,
) -> Result<ExitCode, CliError> {
    let files = read_files(&arguments.files)?;
    warn_of_incomplete(&arguments.files, &files, errors);
    let games = files.into_iter().map(|file| file.games).collect();
    let statistics = Statistics::of(games, arguments.sprt)?;
    let variants = statistics.variants();
    let are_paired =
        !variants.is_empty() && variants.iter().all(|(_, tally)| tally.is_paired_match());
    if arguments.sprt.is_some() && !are_paired {
        return usage(
            "--sprt compares two engines by pairs of games: expected records of one match that have them",
        );
    }
    write!(output, "{statistics}")?;
    Ok(ExitCode::from(
        match (arguments.sprt, statistics.decision()) {
            (None, _) | (_, Some(Decision::H1)) => 0,
            (Some(_), Some(Decision::H0)) => ACCEPTED_H0,
            (Some(_), None) => UNDECIDED,
        },
    ))
}
