//! Balance: the fair komi, first moves under the pie, and rules side by side.
//!
//! Every figure is an estimate from games of the program against itself, with an interval that holds although the
//! games are chosen as they come in. All of it is a pure function of variant, strength, number of games, random steps
//! and seed: the number of threads changes nothing.

pub mod answers;
mod compare;
mod fair_komi;
pub mod first_moves;
mod kept;
pub mod komi;
mod map_picture;
mod pie;
mod questions;
pub mod swap;
pub mod words;

use std::io;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use thiserror::Error;

use crate::games;
use crate::record::{GameRecord, ReadError};
use crate::rules::{HalfPoints, Value, Variant};
use crate::search::Clock;
use crate::study::player::{Conditions, PlayEnd, PlayEvent, play_all};
use crate::text::{grouped, quote};

pub use compare::{Choices, RuleReport, compare, rules};
pub use fair_komi::{FairKomi, fair_komi, komi_range};
pub use kept::{Asked, Kept};
pub(super) use kept::{KeptTask, Key, LADDER};
pub use map_picture::swap_picture;
pub use pie::{ScoredMove, SwapMap, pie_variants, swap_map};
pub use questions::{Answers, Question, answer, check_kept, questions};

/// Cells of the board for each random step at the beginning of a game, where the number of steps is not given.
const CELLS_PER_RANDOM_STEP: u32 = 30;

/// The reason why a question of balance has no answer.
#[derive(Error, Debug)]
pub enum BalanceError {
    /// The variant belongs to no game of the catalogue.
    #[error("{0} can't be opened")]
    NotOpened(Variant),
    /// The game has no komi, or the command has a question that does not fit the variant.
    #[error("{0}")]
    Unfit(String),
    /// `stop` was set.
    #[error("interrupted")]
    Interrupted,
    /// A game could not be played.
    #[error("a game could not be played: the program is at fault")]
    Failed,
    /// No thread could be started.
    #[error("no thread can be started: {0}")]
    Thread(#[from] io::Error),
    /// The file of games can't be read or written.
    #[error(transparent)]
    Record(#[from] ReadError),
    /// The file has a game that is for no question.
    #[error("{}: game {game} is for no question of balance and no ladder: expected the games of another such command", path.display())]
    NoQuestion {
        /// File.
        path: PathBuf,
        /// Number of the game in the file.
        game: u64,
    },
    /// Another version of the program played the games of the file.
    #[error(
        "{}: game {game} is not the one that this program plays: the games are another version's; take another file",
        path.display()
    )]
    OtherProgram {
        /// File.
        path: PathBuf,
        /// Number of the game in the file.
        game: u64,
    },
    /// The file has games about another variant, or with another seed.
    #[error("{}: its games are not all about {variant} with seed {seed}: take another folder or the same settings",
        path.display())]
    OtherStudy {
        /// File.
        path: PathBuf,
        /// Variant that was asked for.
        variant: String,
        /// Seed that was asked for.
        seed: u64,
    },
    /// The file has games that are not of the ladder that is asked for.
    #[error("{}: its games are not all of the ladder of {variant} with seed {seed}: take another file", path.display())]
    OtherLadder {
        /// File.
        path: PathBuf,
        /// Variant that was asked for.
        variant: String,
        /// Seed that was asked for.
        seed: u64,
    },
    /// Games are missing, and none may be played.
    #[error("{}: at least {} missing: play them with the same command without --from-records", path.display(),
        match games { 1 => "1 game is".to_owned(), games => format!("{games} games are") })]
    Missing {
        /// File.
        path: PathBuf,
        /// Number of games.
        games: u64,
    },
}

/// Conditions that all games of a question share.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    /// Purpose of the games, as records have it ([`Plan::new`]).
    pub purpose: String,
    /// Most games.
    pub games: u64,
    /// Random steps at the beginning of each game.
    pub random_steps: u32,
    /// Seed of all random numbers.
    pub seed: u64,
}

impl Plan {
    /// Beginning of a purpose.
    const PREFIX: &str = "balance ";
    /// End of a purpose, after the maximum number of games.
    const SUFFIX: &str = " games at most";

    /// Creates the plan of a question, which is named in records.
    pub fn new(question: &str, games: u64, random_steps: u32, seed: u64) -> Self {
        Self { purpose: format!("{}{question}, {games}{}", Self::PREFIX, Self::SUFFIX), games, random_steps, seed }
    }

    /// Returns the conditions of games at a strength.
    fn conditions(&self, variant: &Variant, nodes: u64) -> Conditions {
        Conditions { purpose: self.purpose.clone(), ..Conditions::new(variant, nodes, self.random_steps, self.seed) }
    }
}

/// Plays games on several threads.
pub struct Runner<'a> {
    /// Number of threads.
    pub threads: usize,
    /// Aborts games once it is set.
    pub stop: &'a AtomicBool,
    /// Source of the time.
    pub clock: &'a dyn Clock,
    /// Receives the number of games played, after each, and the largest number that may still follow.
    pub on_progress: &'a mut dyn FnMut(u64, u64),
    /// Games that are there already, and a place for the others. `None` keeps none.
    pub kept: Option<&'a mut Kept>,
}

impl Runner<'_> {
    /// Plays games and delivers each with its place in the list, in order.
    ///
    /// `progress` has the games played before and the largest number that may follow these.
    ///
    /// # Errors
    /// If a game is stopped, can't be played or can't be kept.
    pub(super) fn play<T: KeptTask>(
        &mut self,
        jobs: &[T],
        progress: (u64, u64),
        mut add: impl FnMut(usize, &GameRecord),
    ) -> Result<(), BalanceError> {
        let (before, after) = progress;
        let total = before + jobs.len() as u64 + after;
        let mut games: Vec<Option<GameRecord>> = Vec::new();
        if let Some(kept) = &mut self.kept {
            for job in jobs {
                games.push(kept.find(job, self.stop, self.clock)?);
            }
        }
        games.resize(jobs.len(), None);
        let missing = |place: &usize| games.get(*place).is_some_and(Option::is_none);
        let missing: Vec<usize> = (0..jobs.len()).filter(missing).collect();
        if let Some(kept) = &self.kept {
            kept.check_playable(missing.len())?;
        }
        let to_play = missing.iter().filter_map(|&place| jobs.get(place).copied());
        let to_play: Vec<T> = to_play.collect();
        // Number of jobs whose games were delivered, in order.
        let mut delivered = 0;
        let mut deliver = |games: &mut [Option<GameRecord>]| {
            while let Some(game) = games.get_mut(delivered).and_then(Option::take) {
                add(delivered, &game);
                delivered += 1;
            }
            before + delivered as u64
        };
        let mut done = deliver(&mut games);
        let mut failed = None;
        let (on_progress, kept) = (&mut *self.on_progress, &mut self.kept);
        let mut watch = |event: PlayEvent| {
            if let PlayEvent::Game(place, game) = event {
                let (Some(job), Some(&place)) = (to_play.get(place), missing.get(place)) else {
                    return false;
                };
                if let Some(Err(error)) = kept.as_mut().map(|kept| kept.add(job, &game)) {
                    failed = Some(error);
                    return false;
                }
                if let Some(missing) = games.get_mut(place) {
                    *missing = Some(*game);
                }
                done = deliver(&mut games);
            }
            on_progress(done, total - done);
            true
        };
        let end = play_all(&to_play, self.threads, self.stop, self.clock, &mut watch)?;
        match (failed, end) {
            (Some(error), _) => Err(error),
            (None, PlayEnd::Complete) => Ok(()),
            (None, PlayEnd::Stopped) => Err(BalanceError::Interrupted),
            (None, PlayEnd::Failed) => Err(BalanceError::Failed),
        }
    }
}

/// Returns the number of random steps at the beginning of a game where none is given: few, and none on a very small
/// board, where they would decide the game.
pub fn default_random_steps(variant: &Variant) -> u32 {
    let cells = u32::try_from(variant.size().shape().len()).unwrap_or(u32::MAX);
    cells / CELLS_PER_RANDOM_STEP
}

/// Returns a variant at another komi.
///
/// # Errors
/// If the game has no komi.
pub fn at_komi(variant: &Variant, komi: HalfPoints) -> Result<Variant, BalanceError> {
    let with = variant.with("komi", Value::HalfPoints(komi));
    with.map_err(|why| BalanceError::Unfit(why.unwrap_or_else(|| no_komi(variant))))
}

/// Returns the names of the games that have an option.
fn games_with(option: &str) -> String {
    let games = games::GAMES.iter();
    let games = games.filter(|info| info.keys.iter().any(|key| key.name == option));
    let names: Vec<&str> = games.map(|info| info.name).collect();
    names.join(", ")
}

/// Says that a game has no komi, and which games have one.
fn no_komi(variant: &Variant) -> String {
    let instead = match variant.has("pie") {
        true => format!(
            "; its balance rule is the pie: expected pentalith balance swap {variant}, \
             or a game with komi ({})",
            games_with("komi")
        ),
        false => format!("; expected a game with komi ({})", games_with("komi")),
    };
    format!("{} has no komi that could be fair{instead}", quote(&variant.to_string()))
}

/// Returns the score of the player who moves first, in half points: 0, 1 or 2.
pub fn first_mover_score(variant: &Variant, game: &GameRecord) -> usize {
    game.half_points(variant.info().first)
}

/// Returns the name of a strength: `random`, or a number of nodes.
pub fn strength_name(nodes: u64) -> String {
    match nodes {
        0 => "random".to_owned(),
        nodes => grouped(nodes),
    }
}
