//! Positions on the command line: a variant with `--position` and `--moves`, or `FILE#GAME:MOVE` of a recorded game.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{CliError, usage};
use crate::record::{FileGames, ReadOptions, read_file, read_move_list, split_opening};
use crate::rules::{Board, Variant};
use crate::search::Clock;
use crate::session::Session;
use crate::text::{counted, quote};

/// A position: how it is reached.
pub(super) struct GivenPosition {
    pub(super) variant: String,
    /// Start position; `None` for the start of the variant.
    pub(super) start: Option<String>,
    pub(super) moves: Vec<String>,
}

/// Returns the file that a text names; `None` for a variant.
pub(super) fn file_of(text: &str) -> Option<PathBuf> {
    text.rsplit_once('#').map(|(file, _)| file.into())
}

/// Reads a position from the arguments of a command: `given` is a variant or names a recorded position.
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
            GivenPosition { variant: given.to_owned(), start: start.map(str::to_owned), moves: Vec::new() }
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

/// Reads the recorded position that a text names; `None` for a variant.
fn recorded(text: &str) -> Result<Option<GivenPosition>, CliError> {
    let Some((file, place)) = text.rsplit_once('#') else {
        return Ok(None);
    };
    let (game, after) = match place.split_once(':') {
        Some((game, after)) => (game, Some(after)),
        None => (place, None),
    };
    let number = |text: &str| text.parse::<u64>().ok().filter(|_| !text.starts_with('+'));
    let after = after.map(|after| number(after).ok_or(after)).transpose();
    let (Some(game), Ok(after), false) = (number(game), after, file.is_empty()) else {
        let text = quote(text);
        return usage(format!("{text}: expected FILE#GAME or FILE#GAME:MOVE, such as games.pgn#3:17"));
    };
    let FileGames { games, damaged, .. } = read_file(Path::new(file), &ReadOptions::default())?;
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
    let moves = record.moves.into_iter().map(|made| made.text).collect();
    Ok(Some(GivenPosition { variant: record.variant, start: record.start, moves }))
}
