//! Positions on the command line: a variant with `--position` and `--moves`, or those of a recorded game, `FILE`,
//! `FILE#GAME` or `FILE#GAME:MOVE`.

use std::ffi::OsStr;
use std::path::{Path, PathBuf, is_separator};
use std::str::FromStr;
use std::sync::Arc;

use super::{CliError, usage};
use crate::games::{self, GAMES};
use crate::record::{FileGames, GameRecord, ReadOptions, read_file, read_move_list, split_opening};
use crate::rules::{Board, Variant};
use crate::search::Clock;
use crate::session::Session;
use crate::table::StoredGame;
use crate::text::{counted, quote};

/// A position: how it is reached.
pub(super) struct GivenPosition {
    pub(super) variant: String,
    /// Start position; `None` for the start of the variant.
    pub(super) start: Option<String>,
    pub(super) moves: Vec<String>,
    /// Record of the game that ends here, if there is one.
    record: Option<Box<GameRecord>>,
}

impl GivenPosition {
    /// Returns the record of the game that ends here, if there is one.
    pub(super) fn record(&self) -> Option<&GameRecord> {
        self.record.as_deref()
    }

    /// Returns the game for a table, with all that its record has.
    pub(super) fn game(self, variant: Variant) -> StoredGame {
        match self.record {
            Some(record) => StoredGame::of(variant, *record),
            None => StoredGame::line(variant, self.start, self.moves),
        }
    }
}

/// Returns the file that a text names; `None` for a variant.
pub(super) fn file_of(text: &str) -> Option<PathBuf> {
    place_of(text).map(|(file, _)| file.into())
}

/// Splits a text that names a recorded game into the file and what follows `#`; `None` for a variant.
///
/// A file that does not exist is known by its folder, or by the ending of its name.
fn place_of(text: &str) -> Option<(&str, Option<&str>)> {
    if let Some((file, place)) = text.rsplit_once('#') {
        return Some((file, Some(place)));
    }
    let path = Path::new(text);
    let names_file = || {
        let name = text.split(':').next();
        let ending = path.extension().and_then(OsStr::to_str);
        let has_ending = ending.is_some_and(|ending| ending.starts_with(char::is_alphabetic));
        GAMES.iter().all(|info| Some(info.name) != name) && (has_ending || text.contains(is_separator))
    };
    (games::parse_variant(text).is_err() && (path.is_file() || names_file())).then_some((text, None))
}

/// Reads a position from the arguments of a command: `given` is a variant or names a recorded game or position.
pub(super) fn read<'a>(
    given: &str,
    start: Option<&str>,
    moves: impl IntoIterator<Item = &'a str>,
) -> Result<GivenPosition, CliError> {
    let mut from = match (recorded(given)?, start) {
        (Some(_), Some(_)) => {
            let record = quote(given);
            return usage(format!("--position and {record} both give a position: expected one of them"));
        }
        (Some(recorded), None) => recorded,
        (None, start) => {
            let (variant, start) = (given.to_owned(), start.map(str::to_owned));
            GivenPosition { variant, start, moves: Vec::new(), record: None }
        }
    };
    if let Some((position, moves)) = from.start.as_deref().and_then(split_opening) {
        (from.moves, from.start) = (move_list(moves)?, position.map(str::to_owned));
    }
    for list in moves {
        let (position, moves) = match split_opening(list) {
            Some((position, moves)) => (Some(position), moves),
            None => (None, list),
        };
        if let Some(position) = position {
            if start.is_some() || !from.moves.is_empty() {
                let list = quote(list);
                return usage(format!("--moves {list} begins with a position, which is given before: expected moves"));
            }
            from.start = position.map(str::to_owned);
        }
        from.moves.extend(move_list(moves)?);
        from.record = None;
    }
    Ok(from)
}

/// Opens the board of a variant, at a position as `--position` takes it: a position, or an opening with moves.
pub(super) fn board(
    variant: &Variant,
    position: Option<&str>,
    clock: Arc<dyn Clock>,
) -> Result<Box<dyn Board>, CliError> {
    let mut session = Session::new(variant, clock).ok_or_else(|| CliError::NotOpened(variant.clone()))?;
    let (start, moves) = match position.map(|text| (text, split_opening(text))) {
        None => return Ok(session.board().fork()),
        Some((text, None)) => (Some(text), Vec::new()),
        Some((_, Some((start, moves)))) => (start, move_list(moves)?),
    };
    let moves: Vec<&str> = moves.iter().map(String::as_str).collect();
    session.set_history(start, &moves)?;
    Ok(session.board().fork())
}

/// Reads the moves of `--moves`: a list as people write it and this program prints it, with numbers and without.
pub(super) fn move_list(text: &str) -> Result<Vec<String>, CliError> {
    read_move_list(text).or_else(|error| usage(format!("bad moves: {error}")))
}

/// A game of a file, and the number of its moves at whose end a position is; the end of the only game by default.
#[derive(Clone, Copy, Default)]
pub(super) struct Place {
    game: Option<u64>,
    after: Option<u64>,
}

/// Reads `GAME` or `GAME:MOVE`.
impl FromStr for Place {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let number = |text: &str| text.parse().ok().filter(|_| !text.starts_with('+')).ok_or(());
        let (game, after) = match text.split_once(':') {
            None => (text, None),
            Some((game, after)) => (game, Some(number(after)?)),
        };
        Ok(Self { game: Some(number(game)?), after })
    }
}

/// Returns the number of the only game of a file.
fn only_game(file: &str, FileGames { games, damaged, .. }: &FileGames) -> Result<u64, CliError> {
    let numbers = games.iter().map(|game| game.game).chain(damaged.iter().map(|game| game.number));
    match (numbers.clone().min(), numbers.count()) {
        (None, _) => usage(format!("{file} has no game")),
        (Some(only), 1) => Ok(only),
        (Some(first), count) => {
            let count = counted(count as u64, "game");
            usage(format!("{file} has {count}: choose one by its number, as in {file}#{first}"))
        }
    }
}

/// Reads the recorded game or position that a text names; `None` for a variant.
fn recorded(text: &str) -> Result<Option<GivenPosition>, CliError> {
    let Some((file, place)) = place_of(text) else {
        return Ok(None);
    };
    let place = match place.map(str::parse) {
        None => Place::default(),
        Some(Ok(place)) if !file.is_empty() => place,
        Some(_) => {
            return usage(format!("{}: expected FILE#GAME or FILE#GAME:MOVE, such as games.pgn#3:17", quote(text)));
        }
    };
    from_file(Path::new(file), place).map(Some)
}

/// Reads a recorded game, or a position of it.
pub(super) fn from_file(path: &Path, Place { game, after }: Place) -> Result<GivenPosition, CliError> {
    let (read, file) = (read_file(path, &ReadOptions::default())?, &path.display().to_string());
    let game = game.map_or_else(|| only_game(file, &read), Ok)?;
    let FileGames { games, damaged, .. } = read;
    let mut games = games.into_iter().filter(|record| record.game == game);
    let mut damaged = damaged.into_iter().filter(|record| record.number == game);
    let (record, broken, other) = match (games.next(), damaged.next()) {
        (Some(record), None) => (Some(record), None, games.next().is_some()),
        (None, Some(broken)) => (broken.partial, broken.errors.into_iter().next(), damaged.next().is_some()),
        (Some(record), Some(_)) => (Some(record), None, true),
        (None, None) => return usage(format!("{file} has no game {game}")),
    };
    if other {
        return usage(format!("{file} has several games with the number {game}: expected a file where it is unique"));
    }
    let all = record.as_ref().map_or(0, |record| record.moves.len());
    let fits = |after: u64| usize::try_from(after).ok().filter(|&after| after <= all);
    let mut record = match (record, broken) {
        (Some(record), None) => record,
        // The position is before what can't be read.
        (Some(record), Some(_)) if after.is_some_and(|after| fits(after).is_some()) => record,
        (_, broken) => {
            let error = broken.map_or(String::new(), |error| format!(", {error}"));
            let readable = counted(all as u64, "move");
            return usage(format!("{file}{error}; {readable} of game {game} can be read"));
        }
    };
    if let Some(after) = after {
        let Some(after) = fits(after) else {
            let moves = counted(all as u64, "move");
            return usage(format!("game {game} of {file} has {moves}: expected a number up to {all}, found {after}"));
        };
        record.moves.truncate(after);
    }
    let (variant, start) = (record.variant.clone(), record.start.clone());
    let moves = record.moves.iter().map(|made| made.text.clone()).collect();
    Ok(GivenPosition { variant, start, moves, record: after.is_none().then(|| Box::new(record)) })
}
