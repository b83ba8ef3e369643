//! Parses the command line.

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};

use super::Cli;
use super::error::CliError;
use super::version::long_version;
use crate::games;
use crate::text::quote;

/// Parses the command line. `commit` is part of the answer to `--version`.
///
/// # Errors
/// Returns the exit status if there is nothing to run, after printing the reason or the help.
pub fn parse(words: &[OsString], commit: &str, errors: &mut dyn Write) -> Result<Cli, ExitCode> {
    let command = Cli::command().long_version(long_version(commit));
    let matches = command.try_get_matches_from(words);
    let cli = matches.and_then(|mut matches| {
        Cli::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut Cli::command()))
    });
    cli.map_err(|error| {
        if !error.use_stderr() {
            let printed = error.print().and_then(|()| io::stdout().flush());
            return printed.map_or_else(|error| CliError::Io(error).report(errors), |()| ExitCode::SUCCESS);
        }
        // Standard error may be closed.
        let _ = match first_word(words).and_then(meant_command) {
            Some(meant) => writeln!(errors, "pentalith: {meant}"),
            None => error.print(),
        };
        ExitCode::from(2)
    })
}

/// Returns the first word after the program name that is not an option.
fn first_word(words: &[OsString]) -> Option<&str> {
    let mut words = words.iter().skip(1).filter_map(|word| word.to_str());
    loop {
        match words.next()? {
            "--log" => drop(words.next()),
            option if option.starts_with('-') => {}
            word => return Some(word),
        }
    }
}

/// Suggests a command for a first word that is neither a command nor a variant.
pub(super) fn meant_command(word: &str) -> Option<String> {
    if games::parse_variant(word).is_ok() {
        return None;
    }
    let lower = word.to_lowercase();
    let mut cli = Cli::command();
    // Adds clap's own commands, such as `help`.
    cli.build();
    if cli.find_subcommand(word).is_some() {
        return None;
    }
    let names = cli.get_subcommands().map(|command| command.get_name());
    // Accept one wrong letter in three.
    let near = names
        .map(|name| (strsim::damerau_levenshtein(name, &lower), name))
        .filter(|(distance, name)| *distance <= name.len() / 3);
    let (_, meant) = near.min()?;
    Some(format!(
        "{} is neither a command nor a variant: did you mean {}? (pentalith --help lists the commands)",
        quote(word),
        quote(meant)
    ))
}
