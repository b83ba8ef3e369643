//! Games that are played for a purpose, in the files that keep them: a study, a question of balance, a ladder.
//!
//! Every file is only appended to, or replaced in one step. A [`Runner`] plays the tasks whose games a [`Store`] lacks,
//! adds them, and delivers all games in the order of the tasks. So a run that was stopped resumes where it ended.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use super::error::StudyError;
use super::pool::{PoolEvent, in_order};
use crate::files;
use crate::record::{GameRecord, ReadError, RecordFile, RecordFormat, Seat, check_record, read_games};
use crate::search::Clock;
use crate::text::counted;

/// Maximum number of nodes per move of a stored game that is played again, to check that this program would play it.
const MAX_REPEATED: u64 = 1024;

/// Everything that decides a game.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct GameKey {
    /// The purpose of the game.
    pub purpose: String,
    /// Nodes of each search; 0 for random play, and where the purpose names the players.
    pub nodes: u64,
    /// Variant.
    pub variant: String,
    /// The beginning of the game.
    pub opening: String,
    /// Seed of all random numbers.
    pub seed: u64,
    /// Number of the game, which decides its random numbers.
    pub number: u64,
}

/// A game to be played: a pure function of what the task says.
pub trait Task: Copy + Sync {
    /// State that a thread keeps from one game to the next.
    type Player: Default;

    /// Plays the game. Returns `None` if stopped, or if it can't be played.
    fn play(&self, player: &mut Self::Player, stop: &AtomicBool, clock: &dyn Clock) -> Option<GameRecord>;

    /// Returns everything that decides the game.
    fn key(&self) -> GameKey;

    /// Returns its players, Black first.
    fn seats(&self) -> [Seat; 2];

    /// Returns the maximum number of nodes of a search.
    fn max_nodes(&self) -> u64;
}

/// Purpose and nodes of the games of a file.
pub type Group = (String, u64);

/// A file of games.
struct StoreFile {
    path: PathBuf,
    /// The games that it takes; `None` for all. A file for all games numbers them anew.
    group: Option<Group>,
    /// `None` if nothing may be added.
    record: Option<RecordFile>,
    /// True if an incomplete game follows the others.
    is_cut: bool,
}

/// Games by what decides them, and the files that keep them. The default keeps none.
#[derive(Default)]
pub struct Store {
    files: Vec<StoreFile>,
    /// Games, each with the place of its file.
    games: BTreeMap<GameKey, (GameRecord, usize)>,
    /// Purposes and nodes of which a game was played again.
    repeated: BTreeSet<Group>,
}

impl Store {
    /// Opens or creates a file for games of any purpose.
    ///
    /// # Errors
    /// If it can't be read or written, or has games without a key.
    pub fn open(path: &Path, key: impl Fn(&GameRecord) -> Result<GameKey, String>) -> Result<Self, StudyError> {
        let (record, games) = RecordFile::open(path, RecordFormat::Text)?;
        let mut store = Self::default();
        store.insert(path, false, games, key)?;
        if let Some(file) = store.files.last_mut() {
            file.record = Some(record);
        }
        Ok(store)
    }

    /// Reads a file, to which nothing can be added.
    ///
    /// # Errors
    /// If it can't be read, or has games without a key, or other games than the files before.
    pub fn read(
        &mut self,
        path: &Path,
        key: impl Fn(&GameRecord) -> Result<GameKey, String>,
    ) -> Result<(), StudyError> {
        check_record(path)?;
        let bytes = files::read(path).map_err(|error| ReadError::Io(path.to_owned(), error))?;
        // An incomplete game may end within a character.
        let read = read_games(path, &String::from_utf8_lossy(&bytes))?;
        self.insert(path, read.is_cut, read.games, key)
    }

    fn insert(
        &mut self,
        path: &Path,
        is_cut: bool,
        games: Vec<GameRecord>,
        key: impl Fn(&GameRecord) -> Result<GameKey, String>,
    ) -> Result<(), StudyError> {
        let place = self.files.len();
        self.files.push(StoreFile { path: path.to_owned(), group: None, record: None, is_cut });
        for game in games {
            let number = game.game;
            let key = key(&game).map_err(|why| StudyError::game(path, number, why))?;
            let (other, first) = self.games.entry(key).or_insert_with(|| (game.clone(), place));
            if !is_same_game(other, &game) {
                let other = self.files.get(*first).map_or(path, |file| &file.path).display();
                let why = format!("is not the one of {other}: one of the files is another study's");
                return Err(StudyError::game(path, number, why));
            }
        }
        Ok(())
    }

    /// Opens or creates a file for the games of a group. Returns the numbers of those that it has.
    ///
    /// # Errors
    /// If it can't be read or written, or another program is writing to it.
    pub fn append_to(&mut self, path: &Path, group: Option<Group>) -> Result<BTreeSet<u64>, StudyError> {
        let (record, games) = RecordFile::open(path, RecordFormat::Text)?;
        self.files.push(StoreFile { path: path.to_owned(), group, record: Some(record), is_cut: false });
        Ok(games.iter().map(|game| game.game).collect())
    }

    /// Returns the games in order of their keys, each with the path of its file.
    pub fn games(&self) -> impl Iterator<Item = (&GameKey, &GameRecord, &Path)> {
        self.games.iter().map(|(key, (game, place))| (key, game, self.path_of(*place)))
    }

    /// Returns the game of a key with the path of its file.
    pub fn get(&self, key: &GameKey) -> Option<(&GameRecord, &Path)> {
        self.games.get(key).map(|(game, place)| (game, self.path_of(*place)))
    }

    /// Returns the files whose last game is incomplete.
    pub fn cut(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().filter(|file| file.is_cut).map(|file| file.path.as_path())
    }

    fn path_of(&self, place: usize) -> &Path {
        self.files.get(place).map_or(Path::new(""), |file| &file.path)
    }

    /// Checks that the stored game of a task is the one that this program plays. Of each purpose and strength one game
    /// is played again, if its searches are short. Returns true if there is one.
    ///
    /// # Errors
    /// If it is another game.
    pub fn check<T: Task>(&mut self, task: &T, stop: &AtomicBool, clock: &dyn Clock) -> Result<bool, StudyError> {
        let key = task.key();
        let Some((game, path)) = self.get(&key) else {
            return Ok(false);
        };
        let [black, white] = task.seats();
        let group = (key.purpose, key.nodes);
        let mut is_same = game.black == black && game.white == white;
        let repeats = is_same && task.max_nodes() <= MAX_REPEATED && !self.repeated.contains(&group);
        if repeats {
            let played = task.play(&mut T::Player::default(), stop, clock);
            is_same = played.is_none_or(|played| is_same_game(&played, game));
        }
        if !is_same {
            let why = "is not the one that this program plays: the games are another version's; \
                       take another file or folder";
            return Err(StudyError::game(path, game.game, why));
        }
        if repeats {
            self.repeated.insert(group);
        }
        Ok(true)
    }

    /// Returns the place of the file that takes a game.
    fn taking(&self, key: &GameKey) -> Option<usize> {
        let takes = |(purpose, nodes): &Group| (purpose, *nodes) == (&key.purpose, key.nodes);
        let takes = |file: &StoreFile| file.record.is_some() && file.group.as_ref().is_none_or(takes);
        self.files.iter().position(takes)
    }

    /// Adds a game that was played, also to the file that takes it.
    fn add(&mut self, key: GameKey, game: &GameRecord) -> Result<(), StudyError> {
        let place = self.taking(&key).unwrap_or(usize::MAX);
        let mut game = game.clone();
        if self.files.get(place).is_some_and(|file| file.group.is_none()) {
            game.game = self.games.len() as u64 + 1;
        }
        self.games.insert(key.clone(), (game, place));
        self.append(&key).map(|_| ())
    }

    /// Appends a game that is known to the file that takes it, unless it is there. Returns the game.
    fn append(&mut self, key: &GameKey) -> Result<Option<&GameRecord>, StudyError> {
        let place = self.taking(key);
        let Some((game, _)) = self.games.get(key) else {
            return Ok(None);
        };
        let file = place.and_then(|place| self.files.get_mut(place));
        if let Some(record) = file.and_then(|file| file.record.as_mut()) {
            record.append(game)?;
        }
        Ok(Some(game))
    }

    /// Checks that missing games may be played.
    fn check_playable(&self, missing: usize) -> Result<(), StudyError> {
        match self.files.first() {
            Some(file) if missing > 0 && self.files.iter().all(|file| file.record.is_none()) => {
                let are = if missing == 1 { "is" } else { "are" };
                let missing = format!("at least {} {are} missing", counted(missing as u64, "game"));
                Err(StudyError::Missing { path: file.path.clone(), missing })
            }
            _ => Ok(()),
        }
    }
}

/// Returns true if two records have the same players, moves and end.
fn is_same_game(one: &GameRecord, other: &GameRecord) -> bool {
    let seats = |game: &GameRecord| [game.black.clone(), game.white.clone()];
    seats(one) == seats(other) && (one.result, &one.reason, &one.moves) == (other.result, &other.reason, &other.moves)
}

/// Plays games that a store lacks, on several threads.
pub struct Runner<'a> {
    /// Number of threads.
    pub threads: usize,
    /// Aborts games once it is set.
    pub stop: &'a AtomicBool,
    /// Source of the time.
    pub clock: &'a dyn Clock,
    /// Receives the number of games delivered, and the largest number that may still follow. Returns false to stop.
    pub on_progress: &'a mut dyn FnMut(u64, u64) -> bool,
    /// Games that are there already, and the files for the others.
    pub store: &'a mut Store,
}

impl Runner<'_> {
    /// Plays the tasks whose games are missing, and delivers each game with its place in the list, in order.
    ///
    /// `progress` has the games delivered before and the largest number that may follow these.
    ///
    /// # Errors
    /// If games are stopped, can't be played or stored, or are not those that this program plays.
    pub fn play<T: Task>(
        &mut self,
        tasks: &[T],
        progress: (u64, u64),
        mut deliver: impl FnMut(usize, &GameRecord),
    ) -> Result<(), StudyError> {
        let Self { threads, stop, clock, on_progress, store } = self;
        let mut missing = Vec::new();
        for (place, task) in tasks.iter().enumerate() {
            if !store.check(task, stop, *clock)? {
                missing.push((place, task));
            }
        }
        store.check_playable(missing.len())?;
        let (before, after) = progress;
        let total = before + tasks.len() as u64 + after;
        let mut delivered = 0;
        let mut deliver_known = |store: &mut Store, delivered: &mut usize| {
            while let Some(task) = tasks.get(*delivered)
                && let Some(game) = store.append(&task.key())?
            {
                deliver(*delivered, game);
                *delivered += 1;
            }
            Ok::<(), StudyError>(())
        };
        deliver_known(store, &mut delivered)?;
        let mut failed = None;
        let work = |player: &mut T::Player, place: usize, ended: &AtomicBool| {
            missing.get(place).and_then(|(_, task)| task.play(player, ended, *clock))
        };
        let done = in_order(missing.len(), *threads, stop, work, &mut |event| {
            if let PoolEvent::Done(place, game) = event
                && let Some((_, task)) = missing.get(place)
            {
                let added = store.add(task.key(), &game).and_then(|()| deliver_known(store, &mut delivered));
                if let Err(error) = added {
                    failed = Some(error);
                    return false;
                }
            }
            let done = before + delivered as u64;
            on_progress(done, total - done)
        });
        if store.files.is_empty() {
            store.games.clear();
        }
        failed.map_or(done, Err)?;
        // Games that were written to a removed file are lost.
        let mut records = store.files.iter().filter_map(|file| file.record.as_ref());
        Ok(records.try_for_each(RecordFile::check_in_place)?)
    }
}
