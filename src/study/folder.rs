//! The folder of a study: the records of each strength, and those of shards that wait to be merged.
//!
//! `games-NODES.txt` has the games of a strength, in order and without a gap, and `mirror-NODES.txt` those against a
//! player who mirrors. A shard writes `games-NODES.shard-I-of-N.txt`. Every file is only appended to, or replaced in
//! one step.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::balance::BalanceError;
use super::plan::{Difference, Part, Plan, Series, Wish};
use crate::files;
use crate::record::{GameRecord, ReadError, read_games};
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
pub(super) struct Name {
    pub(super) part: Part,
    pub(super) shard: Option<Shard>,
}

impl Name {
    fn read(name: &str) -> Option<Self> {
        let (series, rest) = name.split_once('-')?;
        let series = [Series::Play, Series::Mirroring].into_iter().find(|&known| prefix(known) == series)?;
        let rest = rest.strip_suffix(".txt")?;
        let (nodes, shard) = match rest.split_once(".shard-") {
            None => (rest, None),
            Some((nodes, shard)) => {
                let (number, of) = shard.split_once("-of-")?;
                let (number, of) = (number.parse().ok()?, of.parse().ok()?);
                (nodes, Some(Shard { number, of }))
            }
        };
        let nodes = nodes.parse().ok()?;
        let part = Part { series, nodes };
        let read = Self { part, shard };
        // Another spelling of a number would be a second file of the same games.
        (read.write() == name).then_some(read)
    }

    pub(super) fn write(self) -> String {
        let Part { series, nodes } = self.part;
        let prefix = prefix(series);
        match self.shard {
            None => format!("{prefix}-{nodes}.txt"),
            Some(Shard { number, of }) => format!("{prefix}-{nodes}.shard-{number}-of-{of}.txt"),
        }
    }
}

/// Returns what names of files begin with.
fn prefix(series: Series) -> &'static str {
    match series {
        Series::Play => "games",
        Series::Mirroring => "mirror",
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
    #[error("{}: {missing} missing {at}{shards}: play them with the same command without --from-records",
        folder.display())]
    Missing {
        /// Folder.
        folder: PathBuf,
        /// Their strength in words.
        at: String,
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

/// Known games of a part, with the files that have them.
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
    pub(super) files: Vec<(Name, PathBuf)>,
    /// Games by part.
    known: BTreeMap<Part, Known>,
    /// Files whose last game is incomplete.
    pub cut: Vec<PathBuf>,
}

impl Folder {
    /// Reads the records of a folder, which need not exist. Nothing is changed.
    ///
    /// # Errors
    /// If the folder holds no study but other files, or a file can't be read, or two files disagree.
    pub fn read(path: &Path) -> Result<Self, StudyError> {
        let mut folder = Self { path: path.to_owned(), files: Vec::new(), known: BTreeMap::new(), cut: Vec::new() };
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
        crate::record::check_record(&path)?;
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
            let known = self.known.entry(name.part).or_insert_with(|| Known { games: BTreeMap::new() });
            let (other, first) = known.games.entry(number).or_insert_with(|| (game.clone(), place));
            if *other != game {
                let (first, path) = (*first, path.clone());
                return Err(StudyError::Conflict { other: self.path_of(first), path, game: number });
            }
        }
        Ok(())
    }

    /// Returns the path of a file by its place.
    pub fn path_of(&self, place: usize) -> PathBuf {
        self.files.get(place).map_or_else(|| self.path.clone(), |(_, path)| path.clone())
    }

    /// Returns the known games by part, the weakest first.
    pub fn known(&self) -> impl Iterator<Item = (Part, &Known)> {
        self.known.iter().map(|(&part, known)| (part, known))
    }

    /// Returns the known games of a part.
    pub fn of(&self, part: Part) -> Option<&Known> {
        self.known.get(&part)
    }

    /// Returns true if there are games of a kind.
    pub fn has(&self, series: Series) -> bool {
        self.known.keys().any(|part| part.series == series)
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
        for (part, known) in self.known() {
            for (game, place) in known.games.values() {
                plan.check(game, part).map_err(|difference| StudyError::OtherStudy {
                    path: self.path_of(*place),
                    game: game.game,
                    difference,
                })?;
            }
            let most = known.games.keys().next_back().copied().unwrap_or(0);
            match part.series {
                Series::Play => plan.need(part.nodes, most),
                Series::Mirroring => plan.need_for_mirroring(part.nodes, most),
            }
        }
        plan.agree(wish).map_err(|difference| StudyError::OtherStudy {
            path: self.path_of(*place),
            game: first.game,
            difference,
        })?;
        Ok(Some(plan))
    }

    /// Checks that no game of a plan is missing. A folder may have no games at all against a player who mirrors.
    ///
    /// # Errors
    /// Names the games that are missing.
    pub fn check_complete(&self, plan: &Plan) -> Result<(), StudyError> {
        for (part, games) in plan.parts() {
            let is_play = part.series == Series::Play;
            if !is_play && !self.has(part.series) {
                continue;
            }
            let known = self.of(part);
            let has = |number: &u64| known.is_some_and(|known| known.games.contains_key(number));
            let absent = self.absent_shards(part);
            let within = (1..=games).filter(|number| !has(number));
            let mut missing: Vec<u64> = within.collect();
            // The very last games may be those of shards that have no file.
            if let Some(of) = absent.first().map(|shard| shard.of.max(1))
                && missing.is_empty()
                && is_play
            {
                let most = games.div_ceil(of).saturating_mul(of);
                let after = games + 1..=most;
                missing.extend(after.filter(|&number| absent.iter().any(|shard| shard.has(number))));
            }
            if missing.is_empty() {
                continue;
            }
            let listed = missing.iter().take(MAX_MISSING).map(u64::to_string);
            let listed = listed.collect::<Vec<_>>().join(", ");
            let more = missing.len().saturating_sub(MAX_MISSING);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            // The games that a shard without a file would have had after the last known one are not known.
            let least = if absent.is_empty() { "" } else { "at least " };
            let missing_text = match missing.len() {
                1 => format!("{least}game {listed} is"),
                count => format!("{least}{} ({listed}{more}) are", counted(count as u64, "game")),
            };
            return Err(StudyError::Missing {
                folder: self.path.clone(),
                at: match is_play {
                    true => format!("at strength {}", part.nodes),
                    false => format!("of mirroring at strength {}", part.nodes),
                },
                missing: missing_text,
                shards: shards_with(&absent, &missing),
            });
        }
        Ok(())
    }

    /// Returns the shards of a part of which the folder has no file, where it has games of others.
    fn absent_shards(&self, part: Part) -> Vec<Shard> {
        let games = self.of(part).into_iter().flat_map(|known| known.games.values());
        let places: BTreeSet<usize> = games.map(|(_, place)| *place).collect();
        let shard_of = |place: &usize| self.files.get(*place).and_then(|(name, _)| name.shard);
        let Some(of) = places.iter().filter_map(shard_of).map(|shard| shard.of).max() else {
            return Vec::new();
        };
        let shards = self.files.iter().filter(|(name, _)| name.part == part);
        let shards: Vec<Shard> = shards.filter_map(|(name, _)| name.shard).collect();
        let all = (1..=of).map(|number| Shard { number, of });
        all.filter(|shard| !shards.contains(shard)).collect()
    }
}

/// Names those of some shards that have missing games.
fn shards_with(absent: &[Shard], missing: &[u64]) -> String {
    let absent = absent.iter();
    let absent = absent.filter(|shard| missing.iter().any(|&game| shard.has(game)));
    let absent: Vec<String> = absent.map(|shard| format!("{}/{}", shard.number, shard.of)).collect();
    match absent.is_empty() {
        true => String::new(),
        false => format!(" (no file of shard {})", absent.join(", ")),
    }
}
