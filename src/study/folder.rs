//! The folder of a study: the records of each strength, and those of shards that wait to be merged.
//!
//! `games-NODES.txt` has the games of a strength, in order and without a gap. A shard writes
//! `games-NODES.shard-I-of-N.txt`. Every file is only appended to, or replaced in one step.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::balance::BalanceError;
use super::plan::{Difference, Plan, Wish};
use crate::arena::record::{GameRecord, ReadError, RecordFile, RecordFormat, read_games};
use crate::files;
use crate::text::counted;

/// Name of the figures in a folder.
pub const JSON: &str = "study.json";

/// Name of the report in a folder.
pub const REPORT: &str = "report.html";

/// Name of the games of the questions of balance in a folder.
pub const BALANCE: &str = "balance.txt";

/// Names of temporary files begin with this.
const TEMPORARY: &str = ".pentalith-";

/// Most numbers of missing games that an error lists.
const MAX_MISSING: usize = 5;

/// A part of the games of every strength.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Shard {
    /// Number, from 1.
    pub number: u64,
    /// Number of shards.
    pub of: u64,
}

impl Shard {
    /// Returns true if the shard has the game with a number, from 1.
    pub fn has(self, game: u64) -> bool {
        game.wrapping_sub(1) % self.of.max(1) + 1 == self.number
    }
}

/// The name of a file of games.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Name {
    nodes: u64,
    shard: Option<Shard>,
}

impl Name {
    fn read(name: &str) -> Option<Self> {
        let rest = name.strip_prefix("games-")?.strip_suffix(".txt")?;
        let (nodes, shard) = match rest.split_once(".shard-") {
            None => (rest, None),
            Some((nodes, shard)) => {
                let (number, of) = shard.split_once("-of-")?;
                let (number, of) = (number.parse().ok()?, of.parse().ok()?);
                (nodes, Some(Shard { number, of }))
            }
        };
        let nodes = nodes.parse().ok()?;
        let read = Self { nodes, shard };
        // Another spelling of a number would be a second file of the same games.
        (read.write() == name).then_some(read)
    }

    fn write(self) -> String {
        let nodes = self.nodes;
        match self.shard {
            None => format!("games-{nodes}.txt"),
            Some(Shard { number, of }) => format!("games-{nodes}.shard-{number}-of-{of}.txt"),
        }
    }
}

/// The reason why a study can't be played or reported.
#[derive(Error, Debug)]
pub enum StudyError {
    /// The folder can't be read or created.
    #[error("{}: {}", .0.display(), .1)]
    Folder(PathBuf, io::Error),
    /// The folder holds other files.
    #[error(
        "{} holds {} and no study: expected a new folder, an empty one, or that of a study", .0.display(), .1.display()
    )]
    Foreign(PathBuf, PathBuf),
    /// The folder has no games.
    #[error("{} has no games of a study: play some first, without --from-records", .0.display())]
    Empty(PathBuf),
    /// A file can't be read or written.
    #[error(transparent)]
    Record(#[from] ReadError),
    /// A result can't be written.
    #[error("{}: {}", .0.display(), .1)]
    NotWritten(PathBuf, io::Error),
    /// A file holds something else than games of a study.
    #[error("{}: game {game} belongs to no study: {why}", path.display())]
    NoStudy {
        /// File.
        path: PathBuf,
        /// Number of the game.
        game: u64,
        /// Reason.
        why: String,
    },
    /// A file holds games of another study.
    #[error(
        "{}: game {game} is another study's: {} was {} and is now {}; take another folder or the same settings",
        path.display(), .difference.what, .difference.was, .difference.is
    )]
    OtherStudy {
        /// File.
        path: PathBuf,
        /// Number of the game.
        game: u64,
        /// The difference.
        difference: Difference,
    },
    /// Another version of the program played the games.
    #[error(
        "{}: game {game} is not the one that this program plays: the records are another version's; take another folder",
        path.display()
    )]
    OtherProgram {
        /// File.
        path: PathBuf,
        /// Number of the game.
        game: u64,
    },
    /// A game breaks the rules.
    #[error("{}: game {game}: {why}", path.display())]
    Violation {
        /// File.
        path: PathBuf,
        /// Number of the game.
        game: u64,
        /// Reason.
        why: String,
    },
    /// A shard's file has a game of another shard.
    #[error("{}: game {game} belongs to another shard", path.display())]
    WrongShard {
        /// File.
        path: PathBuf,
        /// Number of the game.
        game: u64,
    },
    /// Two files have different games with the same number.
    #[error("{}: game {game} is not the one of {}: one of the files is another study's", path.display(), other.display())]
    Conflict {
        /// File.
        path: PathBuf,
        /// Another file.
        other: PathBuf,
        /// Number of the game.
        game: u64,
    },
    /// Games are missing.
    #[error("{}: {missing} missing at strength {nodes}{shards}: play them with the same command without --from-records",
        folder.display())]
    Missing {
        /// Folder.
        folder: PathBuf,
        /// Strength.
        nodes: u64,
        /// The missing games.
        missing: String,
        /// The shards that have them.
        shards: String,
    },
    /// The games of the questions of balance can't be used.
    #[error(transparent)]
    Balance(#[from] BalanceError),
    /// No thread can be started.
    #[error("no thread to play on: {0}")]
    Thread(io::Error),
    /// A game was broken off.
    #[error("a game was broken off by a fault of this program; the same command goes on")]
    Broken,
}

/// Known games of a strength, with the files that have them.
#[derive(Debug)]
pub struct Known {
    /// Games by number, each with the place of its file.
    pub games: BTreeMap<u64, (GameRecord, usize)>,
}

/// The records of a folder.
#[derive(Debug)]
pub struct Folder {
    /// Path of the folder.
    pub path: PathBuf,
    /// Files of games, each with the path. Those of all games come before those of shards.
    files: Vec<(Name, PathBuf)>,
    /// Games by strength.
    known: BTreeMap<u64, Known>,
    /// Files whose last game is incomplete.
    pub cut: Vec<PathBuf>,
}

impl Folder {
    /// Reads the records of a folder, which need not exist. Nothing is changed.
    ///
    /// # Errors
    /// If the folder holds no study but other files, or a file can't be read, or two files disagree.
    pub fn read(path: &Path) -> Result<Self, StudyError> {
        let mut folder = Self {
            path: path.to_owned(),
            files: Vec::new(),
            known: BTreeMap::new(),
            cut: Vec::new(),
        };
        let wrong = |error| StudyError::Folder(path.to_owned(), error);
        let entries = match fs::read_dir(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(folder),
            entries => entries.map_err(wrong)?,
        };
        let mut foreign = None;
        for entry in entries {
            let entry = entry.map_err(wrong)?;
            let name = entry.file_name();
            match name.to_str().map(|name| (name, Name::read(name))) {
                Some((_, Some(name))) => folder.files.push((name, entry.path())),
                Some((name, None)) if name.starts_with(TEMPORARY) => {}
                _ => {
                    // The first by name, so that the message is the same every time.
                    let name = PathBuf::from(name);
                    foreign = Some(foreign.map_or(name.clone(), |other: PathBuf| other.min(name)));
                }
            }
        }
        if let Some(foreign) = foreign.filter(|_| folder.files.is_empty()) {
            return Err(StudyError::Foreign(path.to_owned(), foreign));
        }
        folder.files.sort();
        for place in 0..folder.files.len() {
            folder.read_file(place)?;
        }
        Ok(folder)
    }

    fn read_file(&mut self, place: usize) -> Result<(), StudyError> {
        let Some((name, path)) = self.files.get(place).cloned() else {
            return Ok(());
        };
        crate::arena::record::check_record(&path)?;
        let bytes = files::read(&path).map_err(|error| ReadError::Io(path.clone(), error))?;
        // An incomplete game may end within a character.
        let text = String::from_utf8_lossy(&bytes);
        let file = read_games(&path, &text)?;
        if file.is_cut {
            self.cut.push(path.clone());
        }
        for game in file.games {
            let number = game.game;
            if number == 0 || name.shard.is_some_and(|shard| !shard.has(number)) {
                return Err(StudyError::WrongShard { path, game: number });
            }
            let known = self.known.entry(name.nodes).or_insert_with(|| Known {
                games: BTreeMap::new(),
            });
            let (other, first) = known
                .games
                .entry(number)
                .or_insert_with(|| (game.clone(), place));
            if *other != game {
                let (first, path) = (*first, path.clone());
                return Err(StudyError::Conflict {
                    other: self.path_of(first),
                    path,
                    game: number,
                });
            }
        }
        Ok(())
    }

    /// Returns the path of a file by its place.
    pub fn path_of(&self, place: usize) -> PathBuf {
        self.files
            .get(place)
            .map_or_else(|| self.path.clone(), |(_, path)| path.clone())
    }

    /// Returns the known games by strength, the weakest first.
    pub fn known(&self) -> impl Iterator<Item = (u64, &Known)> {
        self.known.iter().map(|(&nodes, known)| (nodes, known))
    }

    /// Returns the known games of a strength.
    fn of(&self, nodes: u64) -> Option<&Known> {
        self.known.get(&nodes)
    }

    /// Plans the study of this folder with what is asked for, and checks that every game belongs to it. Returns `None`
    /// if the folder has no games and no variant is asked for.
    ///
    /// # Errors
    /// If other conditions are asked for than those of the records, or a record is another study's.
    pub fn plan(&self, wish: &Wish) -> Result<Option<Plan>, StudyError> {
        let all = self.known.values().flat_map(|known| known.games.values());
        let Some((first, place)) = all.clone().next() else {
            return Ok(Plan::new(wish));
        };
        let plan = Plan::of_record(first).map_err(|why| StudyError::NoStudy {
            path: self.path_of(*place),
            game: first.game,
            why,
        });
        let mut plan = plan?;
        for (nodes, known) in self.known() {
            for (game, place) in known.games.values() {
                plan.check(game, nodes)
                    .map_err(|difference| StudyError::OtherStudy {
                        path: self.path_of(*place),
                        game: game.game,
                        difference,
                    })?;
            }
            let most = known.games.keys().next_back().copied().unwrap_or(0);
            plan.need(nodes, most);
        }
        plan.agree(wish)
            .map_err(|difference| StudyError::OtherStudy {
                path: self.path_of(*place),
                game: first.game,
                difference,
            })?;
        Ok(Some(plan))
    }

    /// Checks that no game of a plan is missing.
    ///
    /// # Errors
    /// Names the games that are missing.
    pub fn check_complete(&self, plan: &Plan) -> Result<(), StudyError> {
        for strength in &plan.strengths {
            let known = self.of(strength.nodes);
            let has = |number: &u64| known.is_some_and(|known| known.games.contains_key(number));
            let absent = self.absent_shards(strength.nodes);
            let within = (1..=strength.games).filter(|number| !has(number));
            let mut missing: Vec<u64> = within.collect();
            // The very last games may be those of shards that have no file.
            if let Some(of) = absent.first().map(|shard| shard.of.max(1))
                && missing.is_empty()
            {
                let most = strength.games.div_ceil(of).saturating_mul(of);
                let after = strength.games + 1..=most;
                missing
                    .extend(after.filter(|&number| absent.iter().any(|shard| shard.has(number))));
            }
            if missing.is_empty() {
                continue;
            }
            let listed = missing.iter().take(MAX_MISSING).map(u64::to_string);
            let listed = listed.collect::<Vec<_>>().join(", ");
            let more = missing.len().saturating_sub(MAX_MISSING);
            let more = if more > 0 {
                format!(" and {more} more")
            } else {
                String::new()
            };
            let missing_text = match missing.len() {
                1 => format!("game {listed} is"),
                count => format!("{} ({listed}{more}) are", counted(count as u64, "game")),
            };
            return Err(StudyError::Missing {
                folder: self.path.clone(),
                nodes: strength.nodes,
                missing: missing_text,
                shards: shards_with(&absent, &missing),
            });
        }
        Ok(())
    }

    /// Returns the shards of a strength of which the folder has no file, where it has games of others.
    fn absent_shards(&self, nodes: u64) -> Vec<Shard> {
        let games = self
            .of(nodes)
            .into_iter()
            .flat_map(|known| known.games.values());
        let places: BTreeSet<usize> = games.map(|(_, place)| *place).collect();
        let shard_of = |place: &usize| self.files.get(*place).and_then(|(name, _)| name.shard);
        let Some(of) = places
            .iter()
            .filter_map(shard_of)
            .map(|shard| shard.of)
            .max()
        else {
            return Vec::new();
        };
        let shards = self.files.iter().filter(|(name, _)| name.nodes == nodes);
        let shards: Vec<Shard> = shards.filter_map(|(name, _)| name.shard).collect();
        let all = (1..=of).map(|number| Shard { number, of });
        all.filter(|shard| !shards.contains(shard)).collect()
    }

    /// Creates the folder.
    fn create(&self) -> Result<(), StudyError> {
        fs::create_dir_all(&self.path).map_err(|error| StudyError::Folder(self.path.clone(), error))
    }

    /// Opens the files that the games of a plan, or of a shard of it, are appended to.
    ///
    /// # Errors
    /// If a file can't be written, or another program is writing to one.
    pub fn open(self, plan: &Plan, shard: Option<Shard>) -> Result<Ledger, StudyError> {
        self.create()?;
        let mut files = Vec::new();
        let mut locked = Vec::new();
        if shard.is_none() {
            // Whoever merges needs all shards to be finished.
            for (name, path) in self.files.iter().filter(|(name, _)| name.shard.is_some()) {
                locked.push(RecordFile::open(path, RecordFormat::Text)?.0);
                log::debug!("{}: merged at strength {}", path.display(), name.nodes);
            }
        }
        for strength in &plan.strengths {
            let nodes = strength.nodes;
            let path = self.path.join(Name { nodes, shard }.write());
            let (file, written) = RecordFile::open(&path, RecordFormat::Text)?;
            let known = self
                .of(nodes)
                .map(|known| known.games.values().map(|(game, _)| game.clone()));
            let known: BTreeMap<u64, GameRecord> = known
                .into_iter()
                .flatten()
                .map(|game| (game.game, game))
                .collect();
            let order =
                (1..=strength.games).filter(|&game| shard.is_none_or(|shard| shard.has(game)));
            // Another shard, or the file of all games, may have some games of this one.
            let order: Vec<u64> = match shard {
                None => order.collect(),
                Some(_) => {
                    let own = |game: &u64| written.iter().any(|known| known.game == *game);
                    order
                        .filter(|game| own(game) || !known.contains_key(game))
                        .collect()
                }
            };
            files.push(StrengthFile {
                nodes,
                path,
                file,
                order,
                next: 0,
                known,
            });
        }
        Ok(Ledger {
            folder: self,
            files,
            locked,
            is_shard: shard.is_some(),
        })
    }
}

/// Names those of some shards that have missing games.
fn shards_with(absent: &[Shard], missing: &[u64]) -> String {
    let absent = absent.iter();
    let absent = absent.filter(|shard| missing.iter().any(|&game| shard.has(game)));
    let absent: Vec<String> = absent
        .map(|shard| format!("{}/{}", shard.number, shard.of))
        .collect();
    match absent.is_empty() {
        true => String::new(),
        false => format!(" (no file of shard {})", absent.join(", ")),
    }
}

/// The file of a strength, with the games that it gets.
struct StrengthFile {
    nodes: u64,
    path: PathBuf,
    file: RecordFile,
    /// Numbers of its games, in order.
    order: Vec<u64>,
    /// Number of games that are in it, in order.
    next: usize,
    /// Games that are known already.
    known: BTreeMap<u64, GameRecord>,
}

impl StrengthFile {
    /// Appends the next games that are known.
    fn write(&mut self) -> Result<(), StudyError> {
        while let Some(game) = self
            .order
            .get(self.next)
            .and_then(|number| self.known.get(number))
        {
            self.file.append(game)?;
            self.next += 1;
        }
        Ok(())
    }
}

/// Files that games are appended to, in order of their numbers.
pub struct Ledger {
    folder: Folder,
    files: Vec<StrengthFile>,
    /// Files of shards, kept so that nobody else writes to them.
    locked: Vec<RecordFile>,
    is_shard: bool,
}

impl Ledger {
    /// Returns the games to be played: strength and number, the weakest strength first.
    pub fn missing(&self) -> Vec<(u64, u64)> {
        let of = |file: &StrengthFile| {
            let missing = file
                .order
                .iter()
                .filter(|number| !file.known.contains_key(number));
            missing
                .map(|&number| (file.nodes, number))
                .collect::<Vec<_>>()
        };
        self.files.iter().flat_map(of).collect()
    }

    /// Returns the number of games that the files will have.
    pub fn games(&self) -> u64 {
        self.files.iter().map(|file| file.order.len() as u64).sum()
    }

    /// Appends what other files have of the first games.
    ///
    /// # Errors
    /// If a file can't be written.
    pub fn begin(&mut self) -> Result<(), StudyError> {
        self.files.iter_mut().try_for_each(StrengthFile::write)
    }

    /// Adds a game that was played. Games of a strength come in order.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn add(&mut self, nodes: u64, game: GameRecord) -> Result<(), StudyError> {
        let file = self.files.iter_mut().find(|file| file.nodes == nodes);
        file.map_or(Ok(()), |file| {
            file.known.insert(game.game, game);
            file.write()
        })
    }

    /// Ends a complete study: the file of each strength has all games in order, and shards are gone.
    ///
    /// # Errors
    /// If a file can't be written or removed.
    pub fn finish(self) -> Result<(), StudyError> {
        if self.is_shard {
            return Ok(());
        }
        let has_shards = |nodes| {
            let mut files = self.folder.files.iter();
            files.any(|(name, _)| name.nodes == nodes && name.shard.is_some())
        };
        for file in &self.files {
            let text: String = file.known.values().map(GameRecord::to_text).collect();
            let io = |error| StudyError::NotWritten(file.path.clone(), error);
            let differs = || Ok(files::read(&file.path)? != text.as_bytes());
            // What a shard holds is removed below: until then the file must be safe on the disk.
            if has_shards(file.nodes) || differs().map_err(io)? {
                files::write(&file.path, "a record", text.as_bytes()).map_err(io)?;
            }
        }
        let shards = self
            .folder
            .files
            .iter()
            .filter(|(name, _)| name.shard.is_some());
        for (_, path) in shards {
            fs::remove_file(path).map_err(|error| StudyError::NotWritten(path.clone(), error))?;
        }
        drop(self.locked);
        Ok(())
    }
}
