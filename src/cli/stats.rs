//! The command `stats`.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use super::format::{Format, FormatArgs, write_json};
use super::output_file::OutputFile;
use super::records::warn_of_left_out;
use super::tournament::{ACCEPTED_H0, UNDECIDED};
use super::{CliError, usage};
use crate::files;
use crate::record::read_finished;
use crate::render::StatisticsPage;
use crate::statistics::{Decision, Sprt, Statistics};
use crate::text::quote;

#[derive(Args, Debug)]
pub struct StatsArgs {
    /// Record files, text or JSON
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Also run a sequential test between an Elo difference of ELO0 and one of ELO1
    #[arg(long, value_name = "ELO0,ELO1[,ALPHA,BETA]", value_parser = Sprt::parse, allow_hyphen_values = true)]
    sprt: Option<Sprt>,

    #[command(flatten)]
    format: FormatArgs,

    /// Also write a page with tables and plots, for a browser
    #[arg(long, value_name = "OUT.html")]
    pub(super) html: Option<PathBuf>,
}

/// Checks that a page is not written over one of the records.
pub(super) fn page(path: Option<&Path>, records: &[PathBuf]) -> Result<Option<OutputFile>, CliError> {
    let Some(path) = path else {
        return Ok(None);
    };
    if let Some(file) = records.iter().find(|file| files::is_same(path, file)) {
        let name = quote(&file.display().to_string());
        return usage(format!("--html {name} is one of the records: expected another file"));
    }
    OutputFile::open(path, "the page").map(Some)
}

/// Prints the statistics of records.
pub fn stats(arguments: &StatsArgs, output: &mut impl Write, errors: impl Write) -> Result<ExitCode, CliError> {
    let page = page(arguments.html.as_deref(), &arguments.files)?;
    let files = read_finished(&arguments.files)?;
    let are_unread = warn_of_left_out(&arguments.files, &files, errors);
    let games = files.into_iter().map(|file| file.games).collect();
    let (statistics, details) = match &page {
        Some(_) => Statistics::detailed(games, arguments.sprt)?,
        None => (Statistics::of(games, arguments.sprt)?, Vec::new()),
    };
    let variants = statistics.variants();
    let are_paired = !variants.is_empty() && variants.iter().all(|(_, tally)| tally.is_paired_match());
    if arguments.sprt.is_some() && !are_paired {
        return usage("--sprt compares two engines by pairs of games: expected records of one match that have them");
    }
    if let Some(page) = page {
        if statistics.games() == 0 {
            return usage("--html: there are no games to show: expected records with games");
        }
        page.write(StatisticsPage::new(&statistics, &details).html())?;
    }
    match arguments.format.format() {
        Format::Json => write_json(&statistics.json(), output)?,
        Format::Csv => write!(output, "{}", statistics.csv())?,
        Format::Markdown => write!(output, "{}", statistics.markdown())?,
        Format::Text => write!(output, "{statistics}")?,
    }
    if statistics.games() == 0 {
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::from(match (arguments.sprt, statistics.decision()) {
        // No test is of a part of its games.
        _ if are_unread => 1,
        (None, _) | (_, Some(Decision::H1)) => 0,
        (Some(_), Some(Decision::H0)) => ACCEPTED_H0,
        (Some(_), None) => UNDECIDED,
    }))
}
