//! Record files. Games are appended in the order of the schedule, and a match can resume after an end at any moment.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::json::{self, is_json};
use super::reader::{DamagedGame, FileGames, ReadOptions, Reader};
use super::text::{RecordError, parse_games};
use super::{GameRecord, GameResult};
use crate::files::{self, without_mark};

/// Name of a record in error messages.
const WHAT: &str = "a record";

/// An error in reading or writing a record file.
#[derive(Error, Debug)]
pub enum ReadError {
    /// The file can't be opened or read.
    #[error("{}: {}", .0.display(), .1)]
    Io(PathBuf, io::Error),
    /// A game can't be written.
    #[error("{}: {}", .0.display(), .1)]
    NotWritten(PathBuf, io::Error),
    /// Bytes among the complete games are not valid UTF-8.
    #[error("{}, byte {}: it is no UTF-8", .0.display(), .1)]
    NoText(PathBuf, usize),
    /// The file is not a record.
    #[error("{}, {}", .0.display(), .1)]
    Text(PathBuf, RecordError),
    /// A line of the file is not a record.
    #[error("{}, line {line}: {why}", path.display())]
    Json {
        /// File.
        path: PathBuf,
        /// Line number, from 1.
        line: usize,
        /// Description of the error.
        why: serde_json::Error,
    },
    /// Two files have different games with the same number.
    #[error("{}: game {_1} is not the one of the other files of this match", .0.display())]
    Conflict(PathBuf, u64),
    /// Another process is writing to the file.
    #[error("{}: another process is writing to it", .0.display())]
    Locked(PathBuf),
}

/// Format of a record file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RecordFormat {
    /// Tags and moves, as in PGN.
    Text,
    /// One JSON object per line.
    Json,
}

impl RecordFormat {
    fn write(self, game: &GameRecord) -> String {
        match self {
            Self::Text => game.to_text(),
            Self::Json => match serde_json::to_string(game) {
                Ok(line) => line + "\n",
                // Serializing a record can't fail.
                Err(error) => {
                    log::error!("game {}: {error}", game.game);
                    String::new()
                }
            },
        }
    }

    /// Parses the games of a file. Returns them with the length of the complete games, in bytes.
    fn read(self, path: &Path, text: &str) -> Result<(Vec<GameRecord>, usize), ReadError> {
        match self {
            Self::Text => {
                let read = parse_games(text);
                match read.error {
                    Some(error) if !error.is_unfinished => Err(ReadError::Text(path.to_owned(), error)),
                    _ => Ok((read.games, read.end)),
                }
            }
            Self::Json => {
                let mut games = Vec::new();
                let mut end = 0;
                for (i, line) in text.split_inclusive('\n').enumerate() {
                    let object = without_mark(line);
                    match serde_json::from_str(object) {
                        Ok(game) => games.push(game),
                        Err(_) if object.trim().is_empty() => {}
                        // The last line was cut off.
                        Err(_) if !line.ends_with('\n') && object.starts_with('{') => break,
                        Err(why) => {
                            let path = path.to_owned();
                            return Err(ReadError::Json { path, line: i + 1, why });
                        }
                    }
                    end += line.len();
                }
                Ok((games, end))
            }
        }
    }

    /// Returns the line ends that complete games lack before another one can follow.
    fn missing_end(self, games: &str) -> &'static str {
        let ends = games.get(games.trim_end().len()..).unwrap_or_default();
        match (self, ends.matches('\n').count()) {
            _ if games.trim().is_empty() => "",
            (Self::Text, 0) => "\n\n",
            (Self::Text, 1) | (Self::Json, 0) => "\n",
            _ => "",
        }
    }
}

/// Returns the games of a file, unless it has nothing that could be a game, such as notes.
fn or_first_error(path: &Path, read: FileGames) -> Result<FileGames, ReadError> {
    let is_moved = |game: &DamagedGame| game.partial.as_ref().is_some_and(|part| !part.moves.is_empty());
    match read.damaged.first().and_then(|game| game.errors.first()) {
        Some(first) if read.games.is_empty() && !read.damaged.iter().any(is_moved) => {
            Err(ReadError::Text(path.to_owned(), first.clone()))
        }
        _ => Ok(read),
    }
}

/// Reads the games of a file of any format.
///
/// # Errors
/// If it can't be read, or has no game and something else. Games that can't be read as a whole are no error.
pub fn read_file(path: &Path, options: &ReadOptions) -> Result<FileGames, ReadError> {
    let text = files::read_text(path).map_err(|error| ReadError::Io(path.to_owned(), error))?;
    or_first_error(path, read_damaged(&text, options))
}

/// Reads the finished games of known variants from files, file by file. An unfinished game counts as one that is
/// incomplete, a game of another variant as one that is damaged.
///
/// # Errors
/// As [`read_file`].
pub fn read_finished(paths: &[PathBuf]) -> Result<Vec<FileGames>, ReadError> {
    let read = |path: &PathBuf| {
        let mut file = read_file(path, &ReadOptions { needs_variant: true, ..ReadOptions::default() })?;
        let all = file.games.len();
        file.games.retain(|game| game.result != GameResult::Unfinished);
        file.is_cut |= file.games.len() < all;
        Ok(file)
    };
    paths.iter().map(read).collect()
}

/// Checks that a path can hold a record. Reading a pipe or a terminal could wait forever.
///
/// # Errors
/// If it is not a regular file.
pub fn check_record(path: &Path) -> Result<(), ReadError> {
    files::check_plain(path, WHAT).map_err(|error| ReadError::Io(path.to_owned(), error))
}

/// Parses the text of a file of any format.
///
/// # Errors
/// Names the file, and the place of the first error.
pub fn read_games(path: &Path, text: &str) -> Result<FileGames, ReadError> {
    let mut read = read_damaged(text, &ReadOptions::default());
    match read.damaged.first_mut().and_then(|game| game.errors.drain(..).next()) {
        Some(error) => Err(ReadError::Text(path.to_owned(), error)),
        None => Ok(read),
    }
}

/// Parses the text of a file of any format. Games that can't be read as a whole don't hide the others.
pub fn read_damaged(text: &str, options: &ReadOptions) -> FileGames {
    let mut reader = Reader::new(options);
    if is_json(text) {
        return json::read(text, &mut reader);
    }
    let (games, mut damaged) = reader.read(text);
    // The last game of a match may have been cut off.
    let is_cut = damaged.last().is_some_and(|last| last.is_cut && last.place == games.len());
    if is_cut {
        damaged.pop();
    }
    FileGames { games, is_cut, damaged }
}

/// Returns true if a path names an open file.
fn is_open_at(file: &File, path: &Path) -> io::Result<bool> {
    let found = match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        found => found?,
    };
    let own = file.metadata()?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        Ok((own.dev(), own.ino()) == (found.dev(), found.ino()))
    }
    #[cfg(not(unix))]
    Ok(own.is_file() == found.is_file())
}

/// A record file open for writing.
pub struct RecordFile {
    path: PathBuf,
    format: RecordFormat,
    file: File,
    /// Length of the complete games, if anything follows them.
    end: Option<u64>,
    /// Line ends to write before the next game.
    missing_end: &'static str,
    /// Numbers of the games in the file.
    written: BTreeSet<u64>,
}

impl RecordFile {
    /// Opens or creates a file and reads its games.
    ///
    /// The file stays unchanged until the first write. It is locked against other writers.
    ///
    /// # Errors
    /// If it can't be read or written, or is not a record.
    pub fn open(path: &Path, format: RecordFormat) -> Result<(Self, Vec<GameRecord>), ReadError> {
        let io = |error| ReadError::Io(path.to_owned(), error);
        check_record(path)?;
        let mut options = OpenOptions::new();
        let mut file = options.read(true).write(true).create(true).truncate(false).open(path).map_err(io)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(ReadError::Locked(path.to_owned())),
            // Some file systems have no locks.
            Err(TryLockError::Error(error)) => log::warn!("{}: {error}", path.display()),
        }
        let bytes = files::read_open(&mut file).map_err(io)?;
        let text = String::from_utf8_lossy(&bytes);
        let (games, end) = format.read(path, &text)?;
        // An incomplete game may end within a character. Replacing invalid bytes before it would shift its position.
        if let Err(error) = std::str::from_utf8(&bytes)
            && end > error.valid_up_to()
        {
            return Err(ReadError::NoText(path.to_owned(), error.valid_up_to()));
        }
        let file = Self {
            path: path.to_owned(),
            format,
            file,
            end: (end < bytes.len()).then_some(end as u64),
            missing_end: format.missing_end(text.get(..end).unwrap_or_default()),
            written: games.iter().map(|game| game.game).collect(),
        };
        Ok((file, games))
    }

    /// Removes an incomplete game from the end.
    fn cut(&mut self) -> io::Result<()> {
        if let Some(end) = self.end.take() {
            log::warn!("{}: an unfinished game is cut off", self.path.display());
            self.file.set_len(end)?;
        }
        self.file.seek(SeekFrom::End(0)).map(|_| ())
    }

    /// Checks that the path still names the file: what is written to a removed file is lost.
    ///
    /// # Errors
    /// If the file was removed, or replaced by another one.
    pub fn check_in_place(&self) -> Result<(), ReadError> {
        let why = match is_open_at(&self.file, &self.path) {
            Ok(true) => return Ok(()),
            Ok(false) => io::Error::other("it was removed or replaced while games were written to it"),
            Err(error) => error,
        };
        Err(ReadError::NotWritten(self.path.clone(), why))
    }

    /// Appends a game, unless the file already holds it.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn append(&mut self, game: &GameRecord) -> Result<(), ReadError> {
        if self.written.contains(&game.game) {
            return Ok(());
        }
        let text = std::mem::take(&mut self.missing_end).to_owned() + &self.format.write(game);
        self.check_in_place()?;
        let written = self.cut().and_then(|()| self.file.write_all(text.as_bytes()));
        written.map_err(|error| ReadError::NotWritten(self.path.clone(), error))?;
        self.written.insert(game.game);
        Ok(())
    }
}

/// The records of a match: its files, and the games that wait for earlier ones.
///
/// Games are written in the order of the schedule. A game that ends early waits in a separate file, so that it is not
/// lost if the program ends first.
pub struct Records {
    files: Vec<RecordFile>,
    /// `FILE.waiting`, once it is needed.
    waiting_path: Option<PathBuf>,
    waiting_file: Option<RecordFile>,
    /// Numbers of the games of the match, in order.
    order: Vec<u64>,
    /// Number of games in the files.
    next: usize,
    /// Games that wait for earlier ones.
    waiting: BTreeMap<u64, GameRecord>,
}

impl Records {
    /// Opens the files of a match whose games have these numbers, in order.
    ///
    /// # Errors
    /// If a file can't be read or written, or is not a record.
    pub fn open(text: Option<&Path>, json: Option<&Path>, order: Vec<u64>) -> Result<Self, ReadError> {
        let mut waiting = BTreeMap::new();
        let mut open = |path: &Path, format| {
            let (file, games) = RecordFile::open(path, format)?;
            for game in games {
                let number = game.game;
                let known = waiting.entry(number).or_insert_with(|| game.clone());
                if *known != game {
                    return Err(ReadError::Conflict(path.to_owned(), number));
                }
            }
            Ok(file)
        };
        let mut files = Vec::new();
        for (path, format) in [(text, RecordFormat::Text), (json, RecordFormat::Json)] {
            files.extend(path.map(|path| open(path, format)).transpose()?);
        }
        let waiting_path = files.first().map(|file| {
            let mut name = OsString::from(&file.path);
            name.push(".waiting");
            PathBuf::from(name)
        });
        let left_waiting = waiting_path.as_ref().filter(|path| path.exists());
        let waiting_file = left_waiting.map(|path| open(path, RecordFormat::Text)).transpose()?;
        Ok(Self { files, waiting_path, waiting_file, order, next: 0, waiting })
    }

    /// Checks that games can wait in a file, which concurrent games need.
    ///
    /// # Errors
    /// If the file can't be created.
    pub fn check_waiting(&self) -> Result<(), ReadError> {
        match (&self.waiting_path, &self.waiting_file) {
            (Some(path), None) => {
                files::Target::new(path, WHAT).map(|_| ()).map_err(|error| ReadError::Io(path.clone(), error))
            }
            _ => Ok(()),
        }
    }

    /// Returns the games of earlier runs, by number.
    pub fn played(&self) -> &BTreeMap<u64, GameRecord> {
        &self.waiting
    }

    /// Completes the files with the games of earlier runs. Returns the games written, in order.
    ///
    /// # Errors
    /// If a file can't be written.
    pub fn begin(&mut self) -> Result<Vec<GameRecord>, ReadError> {
        self.write()
    }

    /// Adds a finished game. Returns the games that can be written now, in order.
    ///
    /// # Errors
    /// If a file can't be written.
    pub fn add(&mut self, game: GameRecord) -> Result<Vec<GameRecord>, ReadError> {
        let waits = self.order.get(self.next) != Some(&game.game);
        if let Some(path) = self.waiting_path.as_ref().filter(|_| waits) {
            let file = match self.waiting_file.take() {
                Some(file) => file,
                None => RecordFile::open(path, RecordFormat::Text)?.0,
            };
            self.waiting_file.insert(file).append(&game)?;
        }
        self.waiting.insert(game.game, game);
        self.write()
    }

    /// Checks that the games are where they were written.
    ///
    /// # Errors
    /// If a file was removed, or replaced by another one.
    pub fn check_in_place(&self) -> Result<(), ReadError> {
        let mut files = self.files.iter().chain(&self.waiting_file);
        files.try_for_each(RecordFile::check_in_place)
    }

    fn write(&mut self) -> Result<Vec<GameRecord>, ReadError> {
        let mut done = Vec::new();
        while let Some(game) = self.order.get(self.next).and_then(|number| self.waiting.remove(number)) {
            for file in &mut self.files {
                file.append(&game)?;
            }
            done.push(game);
            self.next += 1;
        }
        if self.waiting.is_empty()
            && let Some(file) = self.waiting_file.take()
        {
            let removed = fs::remove_file(&file.path);
            removed.map_err(|error| ReadError::NotWritten(file.path.clone(), error))?;
        }
        Ok(done)
    }
}
