//! The folder of a study: the records of each strength, and those of shards that wait to be merged.
//!
//! `games-NODES.txt` has the games of a strength, in order and without a gap, and `mirror-NODES.txt` those against a
//! player who mirrors. A shard writes `games-NODES.shard-I-of-N.txt`.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use super::error::StudyError;
use super::plan::{Part, Request, Series, StudyPlan};
use super::player::Job;
use super::store::Store;
use crate::files;
use crate::record::{GameRecord, RecordFile, RecordFormat};
use crate::search::Clock;
use crate::text::counted;

/// Name of the figures in a folder.
pub const JSON: &str = "study.json";

/// Name of the report in a folder.
pub const REPORT: &str = "report.html";

/// Name of the games of the questions of balance in a folder.
pub const BALANCE: &str = "balance.txt";

/// Names of temporary files begin with this.
const TEMPORARY: &str = ".pentalith-";

/// Maximum number of missing games that an error lists.
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
    part: Part,
    shard: Option<Shard>,
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

    fn write(self) -> String {
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

/// The records of a folder.
pub struct Folder {
    path: PathBuf,
    /// Files of games, each with the path. Those of all games come before those of shards.
    files: Vec<(Name, PathBuf)>,
    /// Games of all files.
    pub(super) store: Store,
    /// Files of shards, locked while they are merged.
    locked: Vec<RecordFile>,
}

impl Folder {
    /// Reads the records of a folder, which need not exist. Nothing is changed.
    ///
    /// # Errors
    /// If the folder holds no study but other files, or a file can't be read, or two files disagree.
    pub fn read(path: &Path) -> Result<Self, StudyError> {
        let mut folder = Self { path: path.to_owned(), files: Vec::new(), store: Store::default(), locked: Vec::new() };
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
        for (name, path) in &folder.files {
            folder.store.read(path, |game| {
                if game.game == 0 || name.shard.is_some_and(|shard| !shard.has(game.game)) {
                    return Err("belongs to another shard".to_owned());
                }
                Ok(name.part.key_of(game))
            })?;
        }
        Ok(folder)
    }

    /// Returns the parts that have games: those of each strength, then those against a player who mirrors.
    pub fn parts(&self) -> BTreeSet<Part> {
        self.store.games().filter_map(|(key, ..)| Part::of(key)).collect()
    }

    /// Returns the games of a part in order of their numbers, each with the path of its file.
    pub fn games(&self, part: Part) -> Vec<(&GameRecord, &Path)> {
        let games = self.store.games().filter(|(key, ..)| Part::of(key) == Some(part));
        games.map(|(_, game, path)| (game, path)).collect()
    }

    /// Returns the files whose last game is incomplete.
    pub fn cut(&self) -> impl Iterator<Item = &Path> {
        self.store.cut()
    }

    /// Plans the study of this folder with what is asked for, and checks that every game belongs to it. Returns `None`
    /// if the folder has no games and no variant is asked for.
    ///
    /// # Errors
    /// If other conditions are asked for than those of the records, or a record is another study's.
    pub fn plan(&self, request: &Request) -> Result<Option<StudyPlan>, StudyError> {
        let parts: Vec<(Part, Vec<(&GameRecord, &Path)>)> =
            self.parts().into_iter().map(|part| (part, self.games(part))).collect();
        let Some(&(first, path)) = parts.first().and_then(|(_, games)| games.first()) else {
            return Ok(StudyPlan::new(request));
        };
        let mut plan = StudyPlan::of_record(first).map_err(|why| StudyError::game(path, first.game, why))?;
        for (part, games) in &parts {
            for (game, path) in games {
                let checked = plan.check(game, *part);
                checked.map_err(|difference| StudyError::game(path, game.game, difference.to_string()))?;
            }
            let most = games.last().map_or(0, |(game, _)| game.game);
            match part.series {
                Series::Play => plan.need(part.nodes, most),
                Series::Mirroring => plan.need_for_mirroring(part.nodes, most),
            }
        }
        let agreed = plan.agree(request);
        agreed.map_err(|difference| StudyError::game(path, first.game, difference.to_string()))?;
        Ok(Some(plan))
    }

    /// Checks that this program plays the games of the folder, by playing the first ones of weak strengths again.
    ///
    /// # Errors
    /// If another version played them.
    pub fn check_program(&mut self, plan: &StudyPlan, stop: &AtomicBool, clock: &dyn Clock) -> Result<(), StudyError> {
        for part in self.parts() {
            let first = self.games(part).first().map(|(game, _)| game.game);
            if let Some(number) = first {
                self.store.check(&Job { conditions: &plan.conditions(part), number }, stop, clock)?;
            }
        }
        Ok(())
    }

    /// Opens the files that the games of a plan, or of a shard of it, are appended to. Returns the games that belong
    /// there: part and number, in the order of [`StudyPlan::parts`].
    ///
    /// # Errors
    /// If a file can't be written, or another program is writing to one.
    pub fn open(&mut self, plan: &StudyPlan, shard: Option<Shard>) -> Result<Vec<(Part, u64)>, StudyError> {
        fs::create_dir_all(&self.path).map_err(|error| StudyError::Folder(self.path.clone(), error))?;
        if shard.is_none() {
            // All shards must be finished before they are merged.
            for (name, path) in self.files.iter().filter(|(name, _)| name.shard.is_some()) {
                self.locked.push(RecordFile::open(path, RecordFormat::Text)?.0);
                log::debug!("{}: merged at strength {}", path.display(), name.part.nodes);
            }
        }
        let mut order = Vec::new();
        for (part, games) in plan.parts() {
            let known: BTreeSet<u64> = self.games(part).iter().map(|(game, _)| game.game).collect();
            let own = self.store.append_to(&self.path_of(part, shard), Some(part.group()))?;
            // Another shard, or the file of all games, may have some games of this one.
            let belongs = |game: &u64| {
                shard.is_none_or(|shard| shard.has(*game) && (own.contains(game) || !known.contains(game)))
            };
            order.extend((1..=games).filter(belongs).map(|game| (part, game)));
        }
        Ok(order)
    }

    fn path_of(&self, part: Part, shard: Option<Shard>) -> PathBuf {
        self.path.join(Name { part, shard }.write())
    }

    /// Ends a complete study: the file of each part gets all games in order, and those of shards are removed.
    ///
    /// # Errors
    /// If a file can't be written or removed.
    pub fn merge(self, plan: &StudyPlan) -> Result<(), StudyError> {
        let shards = || self.files.iter().filter(|(name, _)| name.shard.is_some());
        for (part, _) in plan.parts() {
            let path = self.path_of(part, None);
            let text: String = self.games(part).iter().map(|(game, _)| game.to_text()).collect();
            let io = |error| StudyError::NotWritten(path.clone(), error);
            let differs = || Ok(files::read(&path)? != text.as_bytes());
            // The games of shards are removed below: until then the file must be safe on the disk.
            if shards().any(|(name, _)| name.part == part) || differs().map_err(io)? {
                files::write(&path, "a record", text.as_bytes()).map_err(io)?;
            }
        }
        for (_, path) in shards() {
            fs::remove_file(path).map_err(|error| StudyError::NotWritten(path.clone(), error))?;
        }
        Ok(())
    }

    /// Checks that no game of a plan is missing. A folder may have no games at all against a player who mirrors.
    ///
    /// # Errors
    /// Names the games that are missing.
    pub fn check_complete(&self, plan: &StudyPlan) -> Result<(), StudyError> {
        let has_mirroring = self.parts().iter().any(|part| part.series == Series::Mirroring);
        for (part, games) in plan.parts() {
            let is_play = part.series == Series::Play;
            if !is_play && !has_mirroring {
                continue;
            }
            let known: BTreeSet<u64> = self.games(part).iter().map(|(game, _)| game.game).collect();
            let absent = self.absent_shards(part);
            let within = (1..=games).filter(|number| !known.contains(number));
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
            let series = if is_play { "" } else { "of mirroring " };
            let shards = shards_with(&absent, &missing);
            let missing = format!("{missing_text} missing {series}at strength {}{shards}", part.nodes);
            return Err(StudyError::Missing { path: self.path.clone(), missing });
        }
        Ok(())
    }

    /// Returns the shards of a part of which the folder has no file, where it has games of others.
    fn absent_shards(&self, part: Part) -> Vec<Shard> {
        let shard_of =
            |path: &Path| self.files.iter().find(|(_, known)| known == path).and_then(|(name, _)| name.shard);
        let games = self.games(part).into_iter();
        let Some(of) = games.filter_map(|(_, path)| shard_of(path)).map(|shard| shard.of).max() else {
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
    if absent.is_empty() { String::new() } else { format!(" (no file of shard {})", absent.join(", ")) }
}
