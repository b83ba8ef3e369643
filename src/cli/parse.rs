//! Parses the command line.

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgMatches, ColorChoice, CommandFactory, Error, FromArgMatches, Id};

use super::error::CliError;
use super::play::terminal::Colors;
use super::version::long_version;
use super::{Cli, Command};
use super::{given_position, openings};
use crate::games::{self, GAMES};
use crate::text::quote;

/// Parses the command line. `commit` is part of the answer to `--version`.
///
/// # Errors
/// Returns the exit status if there is nothing to run, after printing the reason or the help.
pub fn parse(words: &[OsString], commit: &str, errors: &mut dyn Write) -> Result<Cli, ExitCode> {
    // clap itself knows `NO_COLOR` and pipes, but not terminals without colors.
    let is_terminal = io::stdout().is_terminal() || io::stderr().is_terminal();
    let color = if is_terminal && !Colors::has_any() { ColorChoice::Never } else { ColorChoice::Auto };
    let command = || Cli::command().color(color);
    let matches = command().long_version(long_version(commit)).try_get_matches_from(words);
    let cli = matches.and_then(|mut matches| {
        let mut files = named_files(&matches);
        let cli = Cli::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut command()))?;
        if let Some(Command::Review(arguments)) = &cli.command {
            files.extend(arguments.partial());
        }
        Ok(Cli { files, ..cli })
    });
    cli.map_err(|error| {
        if !error.use_stderr() {
            let printed = error.print().and_then(|()| io::stdout().flush());
            return printed.map_or_else(|error| CliError::Io(error).report(errors), |()| ExitCode::SUCCESS);
        }
        let meant = first_word(words).and_then(meant_command).or_else(|| hint(&error, words));
        // Standard error may be closed.
        let _ = match meant {
            Some(meant) => writeln!(errors, "pentalith: {meant}"),
            None => error.print(),
        };
        ExitCode::from(2)
    })
}

/// Returns the files that a command line names for reading and writing.
fn named_files(matches: &ArgMatches) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for id in matches.ids().map(Id::as_str) {
        match id {
            "log" => {}
            "variant" | "openings" => {
                let file_of = if id == "openings" { openings::file_of } else { given_position::file_of };
                let texts = matches.try_get_many::<String>(id).ok().flatten().unwrap_or_default();
                files.extend(texts.filter_map(|text| file_of(text)));
            }
            // Other arguments have other types.
            _ => files.extend(matches.try_get_many::<PathBuf>(id).ok().flatten().unwrap_or_default().cloned()),
        }
    }
    files.extend(matches.subcommand().into_iter().flat_map(|(_, matches)| named_files(matches)));
    files
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

/// Explains an argument that clap did not expect, where more can be said than that.
fn hint(error: &Error, words: &[OsString]) -> Option<String> {
    let Some(ContextValue::String(unexpected)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    if error.kind() != ErrorKind::UnknownArgument || unexpected.starts_with('-') {
        return None;
    }
    let mut known = Cli::command();
    known.build();
    let first = first_word(words)?;
    if known.find_subcommand(first).is_none()
        && let Err(error) = games::parse_variant(first)
    {
        let name = first.split(':').next().unwrap_or_default();
        return Some(if GAMES.iter().any(|game| game.name.eq_ignore_ascii_case(name)) {
            format!("bad variant: {error}")
        } else {
            format!("{} is neither a command nor a variant (pentalith --help lists the commands)", quote(first))
        });
    }
    let words: Vec<&str> = words.iter().filter_map(|word| word.to_str()).collect();
    let whole = whole_variant(&words)?;
    Some(format!("unexpected {}: size and options belong to the variant, as in {whole}", quote(unexpected)))
}

/// Joins the first variant among words with the size and options that follow it; `None` if none do.
fn whole_variant(words: &[&str]) -> Option<String> {
    let is_item =
        |word: &&&str| word.starts_with(|c: char| c.is_ascii_digit()) || word.contains('=') && !word.starts_with('-');
    words.iter().enumerate().skip(1).find_map(|(at, &variant)| {
        games::parse_variant(variant).ok()?;
        let items: Vec<&str> = words.iter().skip(at + 1).take_while(is_item).copied().collect();
        let begin = if variant.contains(':') { ',' } else { ':' };
        // The last ones may be arguments of the command.
        let most = (1..=items.len()).rev().filter_map(|count| items.get(..count));
        let mut wholes = most.map(|items| format!("{variant}{begin}{}", items.join(",")));
        wholes.find(|whole| games::parse_variant(whole).is_ok())
    })
}

/// Suggests a command for a first word that is neither a command nor a variant.
pub(super) fn meant_command(word: &str) -> Option<String> {
    if games::parse_variant(word).is_ok() {
        return None;
    }
    if Path::new(word).is_file() {
        let shown = shlex::try_quote(word).unwrap_or_default();
        return Some(format!(
            "{} is a file, not a command: did you mean pentalith replay {shown}? (pentalith --help lists the commands)",
            quote(word)
        ));
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
