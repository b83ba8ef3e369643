//! Games of questions in a file. A question that is asked again plays only the games that the file does not have.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use super::{BalanceError, Plan};
use crate::arena::record::ReadError;
use crate::arena::record::{GameRecord, RecordFile, RecordFormat, check_record, read_games};
use crate::files;
use crate::games;
use crate::rules::Variant;
use crate::search::Clock;
use crate::study::player::{self, Job, MAX_REPEATED, RANDOM_STEPS};

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
    /// True once a game was played again.
    is_checked: bool,
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
        let kind = kinds
            .iter()
            .position(|kind| self.question.starts_with(kind));
        (
            kind.unwrap_or(kinds.len()),
            self.question.clone(),
            self.nodes,
        )
    }
}

/// Everything that decides a game.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Key {
    variant: String,
    nodes: u64,
    question: String,
    opening: String,
    seed: u64,
    number: u64,
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
            is_checked: false,
            is_cut: false,
        };
        for game in games {
            let number = game.game;
            let (key, asked) = read(&game).ok_or_else(|| BalanceError::NoQuestion {
                path: path.to_owned(),
                game: number,
            })?;
            let same = kept
                .asked
                .iter_mut()
                .find(|known| known.question == asked.question && known.nodes == asked.nodes);
            match same {
                // The question was asked again with more games.
                Some(known) => known.games = known.games.max(asked.games),
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
        self.games
            .keys()
            .map(|key| (key.variant.as_str(), key.seed))
    }

    /// Returns the game of a job, if the file has it.
    ///
    /// # Errors
    /// If it is not the game that this program plays.
    pub(super) fn find(
        &mut self,
        job: &Job<'_>,
        stop: &AtomicBool,
        clock: &dyn Clock,
    ) -> Result<Option<GameRecord>, BalanceError> {
        let Some(game) = self.games.get(&key(job)) else {
            return Ok(None);
        };
        let other = |game: &GameRecord| BalanceError::OtherProgram {
            path: self.path.clone(),
            game: game.game,
        };
        let [black, white] = job.conditions.seats();
        if game.black != black || game.white != white {
            return Err(other(game));
        }
        if !self.is_checked && job.conditions.nodes <= MAX_REPEATED {
            let played = player::play(job.conditions, job.number, stop, clock);
            if played.is_some_and(|played| played.moves != game.moves) {
                return Err(other(game));
            }
            self.is_checked = true;
        }
        Ok(Some(game.clone()))
    }

    /// Appends a game that was played.
    ///
    /// # Errors
    /// If it can't be written.
    pub(super) fn add(&mut self, job: &Job<'_>, game: &GameRecord) -> Result<(), BalanceError> {
        let mut game = game.clone();
        game.game = self.games.len() as u64 + 1;
        if let Some(file) = &mut self.file {
            file.append(&game)?;
        }
        self.games.insert(key(job), game);
        Ok(())
    }

    /// Says that games are missing where nothing may be played.
    pub(super) fn check_playable(&self, missing: usize) -> Result<(), BalanceError> {
        match missing > 0 && self.file.is_none() {
            true => Err(BalanceError::Missing {
                path: self.path.clone(),
                games: missing as u64,
            }),
            false => Ok(()),
        }
    }
}

fn key(job: &Job<'_>) -> Key {
    let conditions = job.conditions;
    Key {
        variant: conditions.variant.to_string(),
        nodes: conditions.nodes,
        question: purpose_parts(&conditions.purpose).map_or_else(
            || conditions.purpose.clone(),
            |(question, _)| question.to_owned(),
        ),
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
    let (question, most) = purpose_parts(purpose)?;
    let opening = opening_part(description);
    let random_steps = opening.split(' ').next()?.parse().ok()?;
    let limit = &game.black.limit;
    let nodes = match limit.strip_prefix("nodes ") {
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
    let asked = Asked {
        question: question.to_owned(),
        nodes,
        games: most,
        random_steps,
    };
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
    description
        .split_once(RANDOM_STEPS)
        .map_or("", |(_, opening)| opening)
}

/// Checks that the games of a file belong to a variant, in any of its options, and to a seed.
pub(super) fn belongs(kept: &Kept, variant: &Variant, seeds: &[u64]) -> bool {
    kept.conditions().all(|(text, seed)| {
        let known = games::parse_variant(text);
        seeds.contains(&seed)
            && known.is_ok_and(|known| {
                known.info().name == variant.info().name && known.size() == variant.size()
            })
    })
}
