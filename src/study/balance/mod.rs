//! Balance: the fair komi, first moves under the pie, and rules side by side.
//!
//! Every figure is an estimate from games of the program against itself, with an interval that holds although the
//! games are chosen as they come in. All of it is a pure function of variant, strength, number of games, random steps
//! and seed: the number of threads changes nothing.

pub mod answers;
mod compare;
mod fair_komi;
pub mod first_moves;
pub mod komi;
mod map_picture;
mod pie;
mod question;
mod questions;
pub mod sentences;
pub mod swap;
mod verdict;

use std::collections::HashSet;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use super::error::StudyError;
use crate::games;
use crate::record::GameRecord;
use crate::rules::{HalfPoints, Value, Variant};
use crate::text::quote;

pub use compare::{Choices, RuleReport, compare, rules, verdict};
pub use fair_komi::{FairKomi, SeedKomi, fair_komi, fair_komi_of_seeds, komi_range};
pub use map_picture::swap_picture;
pub use pie::{ScoredMove, SwapMap, pie_variants, swap_map};
pub(super) use question::{LADDER, check_ladder};
pub use question::{MAX_SEEDS, Question, QuestionPlan, asked, open_questions, open_record, read_questions};
pub use questions::{Answers, OwnGames, answer, command, questions, seeds_of};
pub use verdict::{Difference, Scores, Verdict};

/// Cells of the board for each random step at the beginning of a game, where the number of steps is not given.
const CELLS_PER_RANDOM_STEP: u32 = 30;

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
pub fn at_komi(variant: &Variant, komi: HalfPoints) -> Result<Variant, StudyError> {
    let with = variant.with("komi", Value::HalfPoints(komi));
    with.map_err(|why| StudyError::Unfit(why.unwrap_or_else(|| no_komi(variant))))
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
    let instead = if variant.has("pie") {
        format!(
            "; its balance rule is the pie: expected pentalith balance swap {variant}, \
             or a game with komi ({})",
            games_with("komi")
        )
    } else {
        format!("; expected a game with komi ({})", games_with("komi"))
    };
    format!("{} has no komi that could be fair{instead}", quote(&variant.to_string()))
}

/// Games that differ in variant, start or moves.
#[derive(Default)]
struct Distinct(HashSet<u64>);

impl Distinct {
    fn add(&mut self, game: &GameRecord) {
        let mut hasher = DefaultHasher::new();
        (&game.variant, &game.start).hash(&mut hasher);
        game.moves.iter().for_each(|made| made.text.hash(&mut hasher));
        self.0.insert(hasher.finish());
    }

    fn count(&self) -> u64 {
        self.0.len() as u64
    }
}

/// Returns the score of the player who moves first, in half points: 0, 1 or 2.
pub fn first_mover_score(variant: &Variant, game: &GameRecord) -> usize {
    game.half_points(variant.info().first)
}
