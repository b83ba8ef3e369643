//! Balance: the fair komi, first moves under the pie, and rules side by side.
//!
//! Every figure is an estimate from games of the program against itself, with an interval that holds although the
//! games are chosen as they come in. All of it is a pure function of variant, strength, number of games, random steps
//! and seed: the number of threads changes nothing.

mod compare;
pub mod curve;
mod fair_komi;
pub mod first_moves;
pub mod komi;
mod pie;
pub mod swap;

use std::io;
use std::sync::atomic::AtomicBool;

use thiserror::Error;

use crate::arena::record::GameRecord;
use crate::games;
use crate::rules::{HalfPoints, Value, Variant};
use crate::search::Clock;
use crate::study::player::{Job, PlayEnd, PlayEvent, play_all};
use crate::text::quote;

pub use compare::{Choices, RuleReport, compare, rules};
pub use fair_komi::{FairKomi, fair_komi, komi_range};
pub use pie::{ScoredMove, SwapMap, pie_variants, swap_map};

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
}

/// Conditions that all games of a question share.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Most games.
    pub games: u64,
    /// Random steps at the beginning of each game.
    pub random_steps: u32,
    /// Seed of all random numbers.
    pub seed: u64,
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
}

impl Runner<'_> {
    /// Plays games and delivers each with its place in the list, in order.
    ///
    /// `progress` has the games played before and the largest number that may follow these.
    ///
    /// # Errors
    /// If a game is stopped or can't be played.
    pub fn play(
        &mut self,
        jobs: &[Job<'_>],
        progress: (u64, u64),
        mut add: impl FnMut(usize, &GameRecord),
    ) -> Result<(), BalanceError> {
        let (before, after) = progress;
        let mut played = before;
        let total = before + jobs.len() as u64 + after;
        let on_progress = &mut *self.on_progress;
        let mut watch = |event: PlayEvent| {
            if let PlayEvent::Game(place, game) = event {
                add(place, &game);
                played += 1;
            }
            on_progress(played, total - played);
            true
        };
        match play_all(jobs, self.threads, self.stop, self.clock, &mut watch)? {
            PlayEnd::Complete => Ok(()),
            PlayEnd::Stopped => Err(BalanceError::Interrupted),
            PlayEnd::Failed => Err(BalanceError::Failed),
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
    let instead = match variant.info().keys.iter().any(|key| key.name == "pie") {
        true => format!(
            "; its balance rule is the pie: expected pentalith balance swap {variant}, \
             or a game with komi ({})",
            games_with("komi")
        ),
        false => format!("; expected a game with komi ({})", games_with("komi")),
    };
    format!(
        "{} has no komi that could be fair{instead}",
        quote(&variant.to_string())
    )
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

/// Writes a number with commas between groups of three digits.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
