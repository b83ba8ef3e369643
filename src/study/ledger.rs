//! The files that the games of a study are appended to.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use super::folder::{Folder, Name, Shard, StudyError};
use super::plan::{Part, Plan};
use crate::files;
use crate::record::{GameRecord, RecordFile, RecordFormat};

impl Folder {
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
                log::debug!("{}: merged at strength {}", path.display(), name.part.nodes);
            }
        }
        for (part, games) in plan.parts() {
            let path = self.path.join(Name { part, shard }.write());
            let (file, written) = RecordFile::open(&path, RecordFormat::Text)?;
            let known = self.of(part).map(|known| known.games.values().map(|(game, _)| game.clone()));
            let known: BTreeMap<u64, GameRecord> = known.into_iter().flatten().map(|game| (game.game, game)).collect();
            let order = (1..=games).filter(|&game| shard.is_none_or(|shard| shard.has(game)));
            // Another shard, or the file of all games, may have some games of this one.
            let order: Vec<u64> = match shard {
                None => order.collect(),
                Some(_) => {
                    let own = |game: &u64| written.iter().any(|known| known.game == *game);
                    order.filter(|game| own(game) || !known.contains_key(game)).collect()
                }
            };
            files.push(PartFile { part, path, file, order, next: 0, known });
        }
        Ok(Ledger { folder: self, files, locked, is_shard: shard.is_some() })
    }
}

/// The file of a part, with the games that it gets.
struct PartFile {
    part: Part,
    path: PathBuf,
    file: RecordFile,
    /// Numbers of its games, in order.
    order: Vec<u64>,
    /// Number of games that are in it, in order.
    next: usize,
    /// Games that are known already.
    known: BTreeMap<u64, GameRecord>,
}

impl PartFile {
    /// Appends the next games that are known.
    fn write(&mut self) -> Result<(), StudyError> {
        while let Some(game) = self.order.get(self.next).and_then(|number| self.known.get(number)) {
            self.file.append(game)?;
            self.next += 1;
        }
        Ok(())
    }
}

/// Files that games are appended to, in order of their numbers.
pub struct Ledger {
    folder: Folder,
    files: Vec<PartFile>,
    /// Files of shards, kept so that nobody else writes to them.
    locked: Vec<RecordFile>,
    is_shard: bool,
}

impl Ledger {
    /// Returns the games to be played: part and number, in the order of [`Plan::parts`].
    pub fn missing(&self) -> Vec<(Part, u64)> {
        let of = |file: &PartFile| {
            let missing = file.order.iter().filter(|number| !file.known.contains_key(number));
            missing.map(|&number| (file.part, number)).collect::<Vec<_>>()
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
        self.files.iter_mut().try_for_each(PartFile::write)
    }

    /// Adds a game that was played. Games of a part come in order.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn add(&mut self, part: Part, game: GameRecord) -> Result<(), StudyError> {
        let file = self.files.iter_mut().find(|file| file.part == part);
        file.map_or(Ok(()), |file| {
            file.known.insert(game.game, game);
            file.write()
        })
    }

    /// Ends a complete study: the file of each part has all games in order, and shards are gone.
    ///
    /// # Errors
    /// If a file can't be written or removed, or was removed while games were written to it.
    pub fn finish(self) -> Result<(), StudyError> {
        for file in &self.files {
            file.file.check_in_place()?;
        }
        if self.is_shard {
            return Ok(());
        }
        let has_shards = |part| {
            let mut files = self.folder.files.iter();
            files.any(|(name, _)| name.part == part && name.shard.is_some())
        };
        for file in &self.files {
            let text: String = file.known.values().map(GameRecord::to_text).collect();
            let io = |error| StudyError::NotWritten(file.path.clone(), error);
            let differs = || Ok(files::read(&file.path)? != text.as_bytes());
            // What a shard holds is removed below: until then the file must be safe on the disk.
            if has_shards(file.part) || differs().map_err(io)? {
                files::write(&file.path, "a record", text.as_bytes()).map_err(io)?;
            }
        }
        let shards = self.folder.files.iter().filter(|(name, _)| name.shard.is_some());
        for (_, path) in shards {
            fs::remove_file(path).map_err(|error| StudyError::NotWritten(path.clone(), error))?;
        }
        drop(self.locked);
        Ok(())
    }
}
