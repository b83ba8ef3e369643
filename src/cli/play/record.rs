//! Writes the game to a file and reads it from one, in the format of matches.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use super::game::{CommandError, Game, refuse};
use crate::arena::replay::Replay;
use crate::cli::given_position::{self, Place};
use crate::files;
use crate::games;
use crate::record::check_record;
use crate::table::Action;
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
        let (name, place) = split_place(rest);
        let path = &typed_path(name)?;
        if !path.exists() {
            return refuse(format!("Not loaded: there is no file {}.", path.display()));
        }
        check_record(path).or_else(|error| refuse(format!("Not loaded: {error}")))?;
        let given = given_position::from_file(path, place);
        let given = given.or_else(|error| refuse(format!("Not loaded: {error}")))?;
        let game = given.record().map_or(String::new(), |record| format!(", game {}", record.game));
        let wrong = |why: String| format!("Not loaded: {}{game}: {why}", path.display());
        if let Some(record) = given.record() {
            Replay::default().check(record, |_| {}).or_else(|why| refuse(wrong(why)))?;
        }
        let variant = games::parse_variant(&given.variant);
        let variant = variant.or_else(|error| refuse(wrong(error.to_string())))?;
        self.leave()?;
        let loaded = self.table.apply(Action::Load(Box::new(given.game(variant))));
        loaded.or_else(|refusal| refuse(wrong(refusal.to_string())))?;
        self.note_begin();
        let record = self.table.record();
        let played = counted(record.moves.len() as u64, "move");
        let (black, white) = (&record.black.name, &record.white.name);
        let who = match self.side().only() {
            Some(own) => format!(" You are {own}."),
            None => String::new(),
        };
        self.say(&format!("{}, Black {black}, White {white}, {played}.{who}", self.session().variant()))?;
        Ok(())
    }
}

/// Splits what a person has typed into the name of a file and which game of it: `games.pgn 7`, or `games.pgn#7:12`.
fn split_place(typed: &str) -> (&str, Place) {
    // A file may have any of these in its name.
    if Path::new(typed).exists() {
        return (typed, Place::default());
    }
    let parts = [' ', '#'].into_iter().filter_map(|sign| typed.rsplit_once(sign));
    let mut places = parts.filter_map(|(name, place)| Some((name.trim_end(), place.parse().ok()?)));
    places.next().unwrap_or((typed, Place::default()))
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
