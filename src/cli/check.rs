//! The command `check`.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, ValueHint};
use serde_json::json;

use super::signals::stops;
use super::standard_streams::StandardStreams;
use super::transcript::Format;
use super::{CliError, protocol, seconds, usage};
use crate::check::{Check, CheckError, CheckReport, Row, RuleSettings, Selection, Settings, gtp, run, ugi};
use crate::client::{Command, Protocol};
use crate::files;
use crate::games;
use crate::render::test_results::{Case, Verdict, junit, tap};
use crate::text::quote;

#[derive(Args, Debug)]
pub struct CheckArgs {
    /// Protocol of the engine: gtp or ugi [default: detected]
    #[arg(long, value_parser = protocol)]
    protocol: Option<Protocol>,

    /// Variant that the engine plays, to compare its rules with ours
    #[arg(long)]
    variant: Option<String>,

    /// Time limit for each answer, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    timeout: Duration,

    /// Number of random games in which rules are compared
    #[arg(long, value_name = "NUMBER", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    games: u32,

    /// Seed of these games
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,

    /// Command by which the engine lists its legal steps [default: legal, or query legal in UGI, if it knows that]
    #[arg(long, value_name = "COMMAND")]
    legal_command: Option<String>,

    /// List the checks, and check nothing
    #[arg(long, exclusive = true)]
    list: bool,

    /// Make only checks with this in their names; may be repeated
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,

    /// Leave out checks with this in their names; may be repeated
    #[arg(long, value_name = "NAME")]
    skip: Vec<String>,

    /// Write the smallest game that shows a wrong rule as a transcript into this folder
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    transcripts: Option<PathBuf>,

    /// Show the lines exchanged for every check
    #[arg(long)]
    verbose: bool,

    /// Print the report as one JSON object
    #[arg(long, conflicts_with_all = ["verbose", "format"])]
    json: bool,

    /// Format of the report
    #[arg(long, value_enum, default_value_t = Format::Text, conflicts_with = "verbose")]
    format: Format,

    /// Command line of the engine
    #[arg(last = true, required_unless_present = "list", value_names = ["COMMAND", "ARGS"],
          value_hint = ValueHint::CommandName)]
    engine: Vec<OsString>,
}

/// Checks an engine.
pub(super) fn check(arguments: CheckArgs, timed: bool, output: &mut impl Write) -> Result<ExitCode, CliError> {
    if arguments.list {
        list(Protocol::Gtp, gtp::CHECKS, output)?;
        list(Protocol::Ugi, ugi::CHECKS, output)?;
        return Ok(ExitCode::SUCCESS);
    }
    let selection = Selection { only: arguments.only, skip: arguments.skip };
    if let Some(part) = selection.unknown() {
        return usage(format!("no check has {} in its name: check --list lists them", quote(part)));
    }
    if let Some(folder) = &arguments.transcripts {
        let checked = files::check_new_folder(folder);
        checked.or_else(|error| usage(format!("--transcripts {}: {error}", folder.display())))?;
    }
    let format = if arguments.json { Format::Json } else { arguments.format };
    let [interrupt] = stops(true);
    let settings = Settings {
        engine: Command::new(arguments.engine),
        protocol: arguments.protocol,
        variant: arguments.variant.as_deref().map(games::parse_variant).transpose()?,
        timeout: arguments.timeout,
        verbose: arguments.verbose,
        figures: timed,
        is_quiet: format != Format::Text,
        rules: RuleSettings { games: arguments.games, seed: arguments.seed, legal_command: arguments.legal_command },
        selection,
        transcripts: arguments.transcripts,
        interrupt,
    };
    match run(settings, output) {
        Ok(report) => {
            print(format, &report, output)?;
            match report.summary.failed {
                0 => Ok(ExitCode::SUCCESS),
                failed => Err(CliError::ChecksFailed(failed)),
            }
        }
        Err(CheckError::Interrupted) if StandardStreams::new().output_is_gone() => {
            Err(CliError::Io(io::ErrorKind::BrokenPipe.into()))
        }
        Err(error) => Err(error.into()),
    }
}

/// Lists the checks of a protocol.
fn list<T>(protocol: Protocol, checks: &[Check<T>], output: &mut impl Write) -> io::Result<()> {
    let mut checks = checks.iter();
    checks.try_for_each(|Check { name, need, why, .. }| writeln!(output, "{protocol}\t{name}\t{need}\t{why}"))
}

/// Prints the report for programs. For people it has been printed row by row.
fn print(format: Format, report: &CheckReport, output: &mut impl Write) -> io::Result<()> {
    let suite = || format!("pentalith check {}", report.engine);
    match format {
        Format::Text => Ok(()),
        Format::Json => {
            let checks = report.rows.iter().map(|row| {
                json!({
                    "name": row.name,
                    "need": row.need.to_string(),
                    "verdict": row.verdict.to_lowercase(),
                    "message": row.message,
                    "why": row.why,
                    "dialogue": row.dialogue,
                    "transcript": row.transcript,
                })
            });
            let object = json!({
                "engine": report.engine,
                "protocol": report.protocol.map(|protocol| protocol.to_string()),
                "passed": report.summary.passed,
                "failed": report.summary.failed,
                "skipped": report.summary.skipped,
                "noted": report.summary.noted,
                "checks": checks.collect::<Vec<_>>(),
            });
            writeln!(output, "{object}")
        }
        Format::Tap => write!(output, "{}", tap(&cases(&report.rows))),
        Format::Junit => write!(output, "{}", junit(&suite(), &cases(&report.rows))),
    }
}

/// Returns the checks as test cases. A note is no failure.
fn cases(rows: &[Row]) -> Vec<Case> {
    let cases = rows.iter().map(|row| Case {
        name: row.name.to_owned(),
        verdict: match row.verdict {
            "FAIL" => Verdict::Failed,
            "skip" => Verdict::Skipped,
            _ => Verdict::Passed,
        },
        message: row.message.clone(),
        details: match &row.transcript {
            Some(transcript) => format!("{}\n{transcript}", row.why),
            None => format!("{}\n{}", row.why, row.dialogue.join("\n")),
        },
    });
    cases.collect()
}
