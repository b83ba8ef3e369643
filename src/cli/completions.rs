//! The commands `completions` and `man`: what shells and `man` want to know about the command line.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Arg, Command, CommandFactory, ValueHint};
use clap_complete::Shell;
use clap_mangen::Man;

use super::output_file::write_file;
use super::{Cli, CliError, usage};
use crate::files;
use crate::games::GAMES;
use crate::rules::GameInfo;

/// Writes the completions of a shell.
pub(super) fn completions(shell: Shell, output: &mut impl Write) -> Result<(), CliError> {
    let mut cli = Cli::command();
    // Arguments that are described late are missing until then.
    cli.build();
    let mut cli = hinted(cli);
    // The generator panics where a write fails.
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut cli, env!("CARGO_PKG_NAME"), &mut text);
    output.write_all(&text)?;
    Ok(output.flush()?)
}

/// Adds to a command, and to those below it, what shells may propose as values: games, files and folders.
///
/// The parser does not know these values, because a variant has more than the name of its game.
fn hinted(command: Command) -> Command {
    let hint = |argument: Arg| {
        let is_folder = has_value(&argument, "FOLDER");
        match (argument.get_id().as_str(), argument.get_value_hint()) {
            ("variant" | "variants", _) => argument.value_parser(games()),
            (_, ValueHint::AnyPath) if is_folder => argument.value_hint(ValueHint::DirPath),
            (_, ValueHint::AnyPath) => argument.value_hint(ValueHint::FilePath),
            _ => argument,
        }
    };
    command.mut_args(hint).mut_subcommands(hinted)
}

/// Returns true if the value of an argument has a name.
fn has_value(argument: &Arg, name: &str) -> bool {
    let mut names = argument.get_value_names().into_iter().flatten();
    names.any(|found| found.as_str() == name)
}

/// Returns a parser of the names of games.
fn games() -> PossibleValuesParser {
    let game = |game: &&GameInfo| PossibleValue::new(game.name).help(game.about);
    PossibleValuesParser::new(GAMES.iter().map(game))
}

/// Writes a man page for the program and for each of its commands into a folder, and prints their paths.
pub(super) fn man(folder: &Path, output: &mut impl Write) -> Result<(), CliError> {
    let mut pages = Vec::new();
    let mut cli = Cli::command().disable_help_subcommand(true);
    cli.build();
    add_pages(cli, &mut pages)?;
    if let Err(error) = files::check_new_folder(folder) {
        return usage(format!("can't write to {}: {error}", folder.display()));
    }
    fs::create_dir_all(folder).map_err(|error| CliError::NotWritten(folder.to_owned(), error))?;
    for (name, page) in pages {
        let path = folder.join(name);
        write_file(&path, "a man page", page)?;
        writeln!(output, "{}", path.display())?;
    }
    Ok(output.flush()?)
}

/// Adds the names and the pages of a command and of those below it.
fn add_pages(command: Command, pages: &mut Vec<(String, Vec<u8>)>) -> io::Result<()> {
    let below: Vec<Command> = command.get_subcommands().cloned().collect();
    let source = concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION"));
    let man = Man::new(command).source(source);
    let mut page = Vec::new();
    man.render(&mut page)?;
    pages.push((man.get_filename(), page));
    below.into_iter().try_for_each(|command| add_pages(command, pages))
}
