//! Games of questions in a file. A question that is asked again plays only the games that the file does not have.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use super::{BalanceError, Plan, Question, at_komi};
use crate::files;
use crate::games;
use crate::record::ReadError;
use crate::record::{GameRecord, RecordFile, RecordFormat, Seat, check_record, read_games};
use crate::rules::{HalfPoints, Variant};
use crate::search::Clock;
use crate::study::player::{Job, MAX_REPEATED, RANDOM_STEPS, Task};

/// Beginning of the purpose of games of a ladder.
pub(in crate::study) const LADDER: &str = "ladder ";

/// Games of questions, kept in a file.
///
/// The file has them in the order in which they were played. The tag `Pair` has the number of a game, which decides its
/// random numbers, and the tag `Conditions` has the question.
pub struct Kept {
    path: PathBuf,
    /// `None` if nothing may be played.
    file: Option<RecordFile>,
    games: HashMap<Key, GameRecord>,
    /// Questions of the games, in the order in which they were asked.
    asked: Vec<Asked>,
    /// Groups of games of which one was played again ([`KeptTask::group`]).
    checked: HashSet<String>,
    /// True if an incomplete game follows the others.
    pub is_cut: bool,
}

/// A question that was asked: what games in a file are for.
#[derive(Clone, PartialEq, Debug)]
pub struct Asked {
    /// Name of the question, as [`super::Question::name`] has it.
    pub question: String,
    /// Nodes of each search; 0 for random play.
    pub nodes: u64,
    /// Maximum number of games.
    pub games: u64,
    /// Random steps at the beginning of each game.
    pub random_steps: u32,
}

impl Asked {
    /// Returns what questions are sorted by: the fair komi by strength, then rules, then first moves.
    pub fn order(&self) -> (usize, String, u64) {
        let kinds = ["komi", "compare", "swap"];
        let kind = kinds.iter().position(|kind| self.question.starts_with(kind));
        (kind.unwrap_or(kinds.len()), self.question.clone(), self.nodes)
    }
}

/// Everything that decides a game.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(in crate::study) struct Key {
    pub(in crate::study) variant: String,
    pub(in crate::study) nodes: u64,
    pub(in crate::study) question: String,
    pub(in crate::study) opening: String,
    pub(in crate::study) seed: u64,
    pub(in crate::study) number: u64,
}

/// A game that can be kept in a file.
pub(in crate::study) trait KeptTask: Task {
    /// Returns everything that decides the game.
    fn key(&self) -> Key;

    /// Returns its players, Black first.
    fn seats(&self) -> [Seat; 2];

    /// Returns the most nodes of a search.
    fn most_nodes(&self) -> u64;

    /// Names the games of which one is played again, to see whether this program would play it.
    fn group(&self) -> String;
}

impl KeptTask for Job<'_> {
    fn key(&self) -> Key {
        key(self)
    }

    fn seats(&self) -> [Seat; 2] {
        self.conditions.seats(self.number)
    }

    fn most_nodes(&self) -> u64 {
        self.conditions.nodes
    }

    fn group(&self) -> String {
        String::new()
    }
}

impl Kept {
    /// Opens or creates a file. Games that it does not have may be played, and are appended.
    ///
    /// # Errors
    /// If it can't be read or written, or has other games.
    pub fn open(path: &Path) -> Result<Self, BalanceError> {
        let (file, games) = RecordFile::open(path, RecordFormat::Text)?;
        let mut kept = Self::new(path, games)?;
        kept.file = Some(file);
        Ok(kept)
    }

    /// Reads a file, to which nothing is added.
    ///
    /// # Errors
    /// If it can't be read or has other games.
    pub fn read(path: &Path) -> Result<Self, BalanceError> {
        check_record(path)?;
        let bytes = files::read(path).map_err(|error| ReadError::Io(path.to_owned(), error))?;
        // An incomplete game may end within a character.
        let read = read_games(path, &String::from_utf8_lossy(&bytes))?;
        let mut kept = Self::new(path, read.games)?;
        kept.is_cut = read.is_cut;
        Ok(kept)
    }

    fn new(path: &Path, games: Vec<GameRecord>) -> Result<Self, BalanceError> {
        let mut kept = Self {
            path: path.to_owned(),
            file: None,
            games: HashMap::new(),
            asked: Vec::new(),
            checked: HashSet::new(),
            is_cut: false,
        };
        for game in games {
            let number = game.game;
            let (key, asked) =
                read(&game).ok_or_else(|| BalanceError::NoQuestion { path: path.to_owned(), game: number })?;
            let same =
                kept.asked.iter_mut().find(|known| known.question == asked.question && known.nodes == asked.nodes);
            match same {
                // The question was asked again with more games.
                Some(known) => known.games = known.games.max(asked.games),
                None if asked.question.starts_with(LADDER) => {}
                None => kept.asked.push(asked),
            }
            kept.games.insert(key, game);
        }
        Ok(kept)
    }

    /// Returns the questions that its games are for.
    pub fn asked(&self) -> &[Asked] {
        &self.asked
    }

    /// Returns the variants and seeds of its games.
    pub fn conditions(&self) -> impl Iterator<Item = (&str, u64)> {
        self.games.keys().map(|key| (key.variant.as_str(), key.seed))
    }

    /// Returns the game of a job, if the file has it.
    ///
    /// # Errors
    /// If it is not the game that this program plays.
    pub(super) fn find<T: KeptTask>(
        &mut self,
        job: &T,
        stop: &AtomicBool,
        clock: &dyn Clock,
    ) -> Result<Option<GameRecord>, BalanceError> {
        let Some(game) = self.games.get(&job.key()) else {
            return Ok(None);
        };
        let other = |game: &GameRecord| BalanceError::OtherProgram { path: self.path.clone(), game: game.game };
        let [black, white] = job.seats();
        if game.black != black || game.white != white {
            return Err(other(game));
        }
        let group = job.group();
        if job.most_nodes() <= MAX_REPEATED && !self.checked.contains(&group) {
            let played = job.play(&mut T::Worker::default(), stop, clock);
            if played.is_some_and(|played| played.moves != game.moves) {
                return Err(other(game));
            }
            self.checked.insert(group);
        }
        Ok(Some(game.clone()))
    }

    /// Appends a game that was played.
    ///
    /// # Errors
    /// If it can't be written.
    pub(super) fn add<T: KeptTask>(&mut self, job: &T, game: &GameRecord) -> Result<(), BalanceError> {
        let mut game = game.clone();
        game.game = self.games.len() as u64 + 1;
        if let Some(file) = &mut self.file {
            file.append(&game)?;
        }
        self.games.insert(job.key(), game);
        Ok(())
    }

    /// Checks that all games are of the ladder of a variant, at any komi, and of the search for its komi.
    ///
    /// # Errors
    /// If another game is there.
    pub fn check_ladder(&self, variant: &Variant, seed: u64) -> Result<(), BalanceError> {
        let without_komi = |variant: &Variant| {
            let without = at_komi(variant, HalfPoints(0));
            without.unwrap_or_else(|_| variant.clone())
        };
        let wanted = without_komi(variant);
        let is_of_it = |key: &Key| {
            let known = games::parse_variant(&key.variant);
            key.seed == seed
                && (key.question.starts_with(LADDER) || key.question == Question::Komi.name())
                && known.is_ok_and(|known| without_komi(&known) == wanted)
        };
        match self.games.keys().all(is_of_it) {
            true => Ok(()),
            false => Err(BalanceError::OtherLadder { path: self.path.clone(), variant: variant.to_string(), seed }),
        }
    }

    /// Says that games are missing where nothing may be played.
    pub(super) fn check_playable(&self, missing: usize) -> Result<(), BalanceError> {
        match missing > 0 && self.file.is_none() {
            true => Err(BalanceError::Missing { path: self.path.clone(), games: missing as u64 }),
            false => Ok(()),
        }
    }
}

fn key(job: &Job<'_>) -> Key {
    let conditions = job.conditions;
    Key {
        variant: conditions.variant.to_string(),
        nodes: conditions.nodes,
        question: purpose_parts(&conditions.purpose)
            .map_or_else(|| conditions.purpose.clone(), |(question, _)| question.to_owned()),
        opening: opening_part(&conditions.description()).to_owned(),
        seed: conditions.seed,
        number: job.number,
    }
}

/// Reads what a record is for.
fn read(game: &GameRecord) -> Option<(Key, Asked)> {
    let variant = games::parse_variant(&game.variant).ok()?;
    let description = game.conditions.as_deref()?;
    let (purpose, _) = description.split_once(RANDOM_STEPS)?;
    let is_ladder = purpose.starts_with(LADDER);
    let (question, most) = match is_ladder {
        true => (purpose, 0),
        false => purpose_parts(purpose)?,
    };
    let opening = opening_part(description);
    let random_steps = opening.split([' ', ',']).next()?.parse().ok()?;
    let limit = &game.black.limit;
    let nodes = match limit.strip_prefix("nodes ") {
        // The players of a ladder differ: its purpose names both.
        _ if is_ladder => 0,
        None if limit.is_empty() => 0,
        None => return None,
        Some(nodes) => nodes.parse().ok()?,
    };
    let key = Key {
        variant: variant.to_string(),
        nodes,
        question: question.to_owned(),
        opening: opening.to_owned(),
        seed: game.seed,
        number: game.pair,
    };
    let asked = Asked { question: question.to_owned(), nodes, games: most, random_steps };
    Some((key, asked))
}

/// Returns the question and the maximum number of games of a purpose ([`Plan::purpose`]).
fn purpose_parts(purpose: &str) -> Option<(&str, u64)> {
    let rest = purpose.strip_prefix(Plan::PREFIX)?;
    let (question, most) = rest.rsplit_once(", ")?;
    Some((question, most.strip_suffix(Plan::SUFFIX)?.parse().ok()?))
}

/// Returns the part of a description that says how a game begins.
fn opening_part(description: &str) -> &str {
    description.split_once(RANDOM_STEPS).map_or("", |(_, opening)| opening)
}

/// Checks that the games of a file belong to a variant, in any of its options, and to a seed.
pub(super) fn belongs(kept: &Kept, variant: &Variant, seeds: &[u64]) -> bool {
    kept.conditions().all(|(text, seed)| {
        let known = games::parse_variant(text);
        seeds.contains(&seed)
            && known.is_ok_and(|known| known.info().name == variant.info().name && known.size() == variant.size())
    })
}
