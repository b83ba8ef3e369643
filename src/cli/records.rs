//! Games that commands read from files of any origin, and the report of those that can't be read.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;

use super::output_file::OutputFile;
use super::{CliError, usage};
use crate::files;
use crate::games;
use crate::record::{DamagedGame, FileGames, GameRecord, ReadOptions, RecordError, read_file};
use crate::rules::Variant;
use crate::text::counted;

/// Arguments that choose the games of a file.
#[derive(Args, Debug)]
pub(super) struct RecordArgs {
    /// Record file: text, as people write it; JSON; or JSON of AbstractPlay
    pub(super) file: PathBuf,

    /// Variant of the games that don't name theirs
    #[arg(long, value_parser = games::parse_variant)]
    variant: Option<Variant>,

    /// Take the readable beginning of games that can't be read to their end
    #[arg(long)]
    partial: bool,

    /// Take only the game with this number
    #[arg(long, value_name = "N")]
    game: Option<u64>,
}

impl RecordArgs {
    /// Reads the games of the file, and prints what is wrong with those that can't be read.
    pub(super) fn read(&self, output: &mut impl Write) -> Result<Recorded, CliError> {
        read_recorded(&self.file, self.variant.clone(), self.partial, output)
    }

    /// Opens the file that an option names, which must not be the record.
    pub(super) fn output(
        &self,
        option: &str,
        path: Option<&PathBuf>,
        what: &str,
    ) -> Result<Option<OutputFile>, CliError> {
        let Some(path) = path else {
            return Ok(None);
        };
        if files::is_same(path, &self.file) {
            return usage(format!("{option} {} would replace the record: expected another file", path.display()));
        }
        OutputFile::open(path, what).map(Some)
    }

    /// Keeps the game that the command line names.
    pub(super) fn choose(&self, games: &mut Vec<GameRecord>) -> Result<(), CliError> {
        let Some(number) = self.game else {
            return Ok(());
        };
        games.retain(|game| game.game == number);
        if games.is_empty() {
            return usage(format!("{} has no game {number}", self.file.display()));
        }
        Ok(())
    }
}

/// Maximum number of errors that are printed for a file.
const PRINTED: usize = 20;

/// The games that a command reads from a file of any origin.
pub(super) struct Recorded {
    pub(super) games: Vec<GameRecord>,
    /// True if an incomplete game of a match follows them.
    pub(super) is_cut: bool,
    /// Number of games that can't be read as a whole.
    pub(super) unread: usize,
}

/// Reads games, and prints what is wrong with those that can't be read. With `partial` their beginnings are among the
/// games.
pub(super) fn read_recorded(
    path: &Path,
    variant: Option<Variant>,
    partial: bool,
    output: &mut impl Write,
) -> Result<Recorded, CliError> {
    let FileGames { mut games, is_cut, damaged } = read_file(path, &ReadOptions { variant, ..ReadOptions::default() })?;
    let unread = damaged.len();
    write_errors(path, errors_in(&damaged), output)?;
    let parts = damaged.iter().filter_map(|game| game.partial.as_ref()).filter(|game| !game.moves.is_empty());
    if !partial && unread > 0 {
        let readable = parts.map(|game| game.moves.len()).sum::<usize>();
        let offer = match readable {
            0 => String::new(),
            _ => format!("; --partial takes the {} before the errors", counted(readable as u64, "move")),
        };
        writeln!(output, "{} can't be read{offer}", counted(unread as u64, "game"))?;
    } else {
        // From the last one on, so that the places of the others stay.
        for game in damaged.into_iter().rev() {
            let part = game.partial.filter(|part| !part.moves.is_empty());
            part.into_iter().for_each(|part| games.insert(game.place.min(games.len()), part));
        }
    }
    Ok(Recorded { games, is_cut, unread })
}

/// Prints the errors in a file, one a line, and counts those behind the first ones.
pub(super) fn write_errors<'a>(
    path: &Path,
    errors: impl Iterator<Item = &'a RecordError> + Clone,
    output: &mut impl Write,
) -> io::Result<()> {
    for error in errors.clone().take(PRINTED) {
        writeln!(output, "{}, {error}", path.display())?;
    }
    match errors.skip(PRINTED).count() {
        0 => Ok(()),
        more => writeln!(output, "{}: {} more", path.display(), counted(more as u64, "error")),
    }
}

/// Returns the errors in damaged games.
fn errors_in(damaged: &[DamagedGame]) -> impl Iterator<Item = &RecordError> + Clone {
    damaged.iter().flat_map(|game| &game.errors)
}

/// Warns about games that are left out, because they are incomplete or can't be read. Returns true if some can't be read.
pub(super) fn warn_of_left_out(paths: &[PathBuf], files: &[FileGames], mut errors: impl Write) -> bool {
    // Standard error may be closed.
    for (path, file) in paths.iter().zip(files) {
        let _ = write_errors(path, errors_in(&file.damaged), &mut errors);
        let path = path.display();
        let (games, unread) = (counted(file.games.len() as u64, "whole game"), file.damaged.len());
        if unread > 0 {
            let unread = counted(unread as u64, "game");
            let _ = writeln!(errors, "pentalith: {path}: {unread} can't be read and {} left out", are(&unread));
        }
        if file.is_cut {
            let _ = writeln!(errors, "pentalith: {path}: the game after {games} is incomplete and is left out");
        }
    }
    files.iter().any(|file| !file.damaged.is_empty())
}

/// Returns the verb behind a counted noun.
fn are(counted: &str) -> &'static str {
    if counted.starts_with("1 ") { "is" } else { "are" }
}
