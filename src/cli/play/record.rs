//! Writes the game to a file and reads it from one, in the format of matches.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use super::game::{CommandError, Game, refuse};
use crate::arena::replay::Replay;
use crate::files;
use crate::games;
use crate::record::{FileGames, ReadOptions, check_record, read_file};
use crate::table::{Action, StoredGame};
use crate::text::{counted, quote};

impl Game<'_> {
    /// Writes the game to a file. Asks before a file is replaced.
    pub(super) fn save(&mut self, name: &str) -> Result<(), CommandError> {
        if name.is_empty() {
            return refuse("save needs a file, as in save game.pgn.");
        }
        let path = &typed_path(name)?;
        let shown = path.display();
        let target = files::Target::new(path, "a record");
        let target = target.or_else(|error| refuse(format!("Not saved: {shown}: {error}")))?;
        if path.exists() && !self.confirm(&format!("{shown} exists. Replace it?"))? {
            return refuse("Not saved.");
        }
        let written = target.replace(self.table.record().to_text().as_bytes());
        written.or_else(|error| refuse(format!("Not saved: {shown}: {error}")))?;
        self.is_saved = true;
        self.say(&format!("The game is in {shown}. load {shown} resumes it."))?;
        Ok(())
    }

    /// Goes on with a game from a file.
    pub(super) fn load(&mut self, rest: &str) -> Result<(), CommandError> {
        if rest.is_empty() {
            return refuse("load needs a file, as in load game.pgn.");
        }
        // A number after the name chooses a game, unless it is part of a file's name.
        let (name, number) = match rest.rsplit_once(' ') {
            Some((name, number)) if !Path::new(rest).exists() => (name.trim(), number.parse::<u64>().ok()),
            _ => (rest, None),
        };
        let name = if number.is_none() { rest } else { name };
        let path = &typed_path(name)?;
        let shown = path.display();
        if !path.exists() {
            return refuse(format!("Not loaded: there is no file {shown}."));
        }
        check_record(path).or_else(|error| refuse(format!("Not loaded: {error}")))?;
        let read = read_file(path, &ReadOptions::default());
        let FileGames { mut games, damaged, .. } = read.or_else(|error| refuse(format!("Not loaded: {error}")))?;
        let count = counted((games.len() + damaged.len()) as u64, "game");
        let is_only = games.len() + damaged.len() == 1;
        if let Some(number) = number {
            games.retain(|game| game.game == number);
        }
        let broken = damaged.iter().find(|game| number.is_none_or(|number| game.number == number));
        let broken = broken.and_then(|game| game.errors.first());
        let game = match (games.as_slice(), number) {
            ([game, ..], Some(_)) => game,
            ([game], None) if is_only => game,
            ([], _) => {
                return refuse(match (broken, number) {
                    (Some(error), _) => format!("Not loaded: {shown}, {error}"),
                    (None, Some(number)) => format!("Not loaded: {shown} has no game {number}."),
                    (None, None) => format!("Not loaded: {shown} has no game."),
                });
            }
            ([first, ..], None) => {
                let number = first.game;
                return refuse(format!("{shown} has {count}. Choose one by its number, as in load {name} {number}."));
            }
        };
        let wrong = |why: String| format!("Not loaded: {shown}, game {}: {why}", game.game);
        let checked = Replay::default().check(game, |_| {});
        checked.or_else(|why| refuse(wrong(why)))?;
        let variant = games::parse_variant(&game.variant);
        let variant = variant.or_else(|error| refuse(wrong(error.to_string())))?;
        self.leave()?;
        let loaded = self.table.apply(Action::Load(Box::new(StoredGame::of(variant, game.clone()))));
        loaded.or_else(|refusal| refuse(wrong(refusal.to_string())))?;
        self.note_begin();
        let played = counted(game.moves.len() as u64, "move");
        let (black, white) = (&game.black.name, &game.white.name);
        let who = match self.side().only() {
            Some(own) => format!(" You are {own}."),
            None => String::new(),
        };
        self.say(&format!("{}, Black {black}, White {white}, {played}.{who}", self.session().variant()))?;
        Ok(())
    }
}

/// Returns the path that a person has typed. As in a shell, quotes and backslashes are taken off, and `~` is the home
/// folder; unlike there, blanks need no quotes.
fn typed_path(typed: &str) -> Result<PathBuf, CommandError> {
    // A file may have any of these in its name.
    if typed == files::STANDARD {
        return refuse("- would be standard input or output, which is this dialogue: expected the name of a file.");
    }
    if Path::new(typed).exists() {
        return Ok(typed.into());
    }
    // Elsewhere a backslash stands between folders.
    let quotes: &[char] = if cfg!(unix) { &['"', '\'', '\\'] } else { &['"'] };
    let unquoted = match typed.contains(quotes).then(|| shlex::split(typed)) {
        None => Cow::Borrowed(typed),
        Some(Some(words)) => Cow::Owned(words.join(" ")),
        Some(None) if typed.starts_with(['"', '\'']) => {
            return refuse(format!("{}: a quotation mark at the end is missing.", quote(typed)));
        }
        // An apostrophe.
        Some(None) => Cow::Borrowed(typed),
    };
    let behind_home = match unquoted.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with(std::path::is_separator) => Some(rest),
        _ => None,
    };
    Ok(match (behind_home, std::env::home_dir()) {
        (Some(rest), Some(home)) => home.join(rest.trim_start_matches(std::path::is_separator)),
        _ => PathBuf::from(&*unquoted),
    })
}
