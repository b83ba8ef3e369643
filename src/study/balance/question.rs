//! A question of balance as a plan of games, and the games of such plans in a file.

use std::path::Path;

use super::at_komi;
use crate::games;
use crate::record::GameRecord;
use crate::rules::{HalfPoints, Variant};
use crate::study::error::StudyError;
use crate::study::player::{Conditions, Description};
use crate::study::store::{GameKey, Store};

/// Beginning of the purpose of games of a question.
const BALANCE: &str = "balance ";

/// Beginning of the purpose of games of a ladder.
pub(in crate::study) const LADDER: &str = "ladder ";

/// Added to the seed of games at the fair komi, so that these are not the games that found it.
pub(super) const FRESH: u64 = 1 << 32;

/// Maximum number of seeds of a question.
pub const MAX_SEEDS: u64 = 100;

/// A question of balance.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Question {
    /// The fair komi.
    Komi,
    /// Rules side by side: an option with its values, as [`super::rules`] reads them.
    Compare(String),
    /// First moves under the pie: which would be swapped, and what it leaves the first mover.
    Swap,
}

/// A question at one strength: the games that all answers to it come from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct QuestionPlan {
    /// The question.
    pub question: Question,
    /// Nodes of each search; 0 for random play.
    pub nodes: u64,
    /// Maximum number of games.
    pub max_games: u64,
    /// Random steps at the beginning of each game.
    pub random_steps: u32,
    /// Seed of all random numbers; the first one, if there are several.
    pub seed: u64,
    /// Number of seeds, each with its own games and its own answer, which are pooled; 1 for questions but the fair komi.
    pub seeds: u64,
}

impl Question {
    /// Returns the question in one word or two, as records have it.
    pub fn name(&self) -> String {
        match self {
            Self::Komi => "komi".to_owned(),
            Self::Compare(rules) => format!("compare {rules}"),
            Self::Swap => "swap".to_owned(),
        }
    }

    /// Reads the purpose of a game.
    fn of_purpose(purpose: &str) -> Option<Self> {
        match purpose.strip_prefix(BALANCE)? {
            "komi" => Some(Self::Komi),
            "swap" => Some(Self::Swap),
            name => name.strip_prefix("compare ").map(|rules| Self::Compare(rules.to_owned())),
        }
    }

    /// Returns the purpose of its games.
    fn purpose(&self) -> String {
        format!("{BALANCE}{}", self.name())
    }
}

impl QuestionPlan {
    /// Returns the question in one word or two.
    pub fn name(&self) -> String {
        self.question.name()
    }

    /// Returns the same question at another strength.
    #[must_use]
    pub fn at(&self, nodes: u64) -> Self {
        Self { nodes, ..self.clone() }
    }

    /// Returns the conditions of games of a variant.
    pub(super) fn conditions(&self, variant: &Variant) -> Conditions {
        Conditions {
            purpose: self.question.purpose(),
            max_games: Some(self.max_games),
            ..Conditions::new(variant, self.nodes, self.random_steps, self.seed)
        }
    }

    /// Reads what a record of a question is for.
    fn of(game: &GameRecord) -> Option<Self> {
        let read = Description::of(game)?;
        Some(Self {
            question: Question::of_purpose(read.purpose)?,
            nodes: nodes(game)?,
            max_games: read.max_games?,
            random_steps: read.beginning.split([' ', ',']).next()?.parse().ok()?,
            seed: game.seed,
            seeds: 1,
        })
    }
}

/// Returns the nodes of each search of the players of a game; 0 for random play.
fn nodes(game: &GameRecord) -> Option<u64> {
    match game.black.limit.as_str() {
        "" => Some(0),
        limit => limit.strip_prefix("nodes ")?.parse().ok(),
    }
}

/// Opens or creates a file of games of questions and ladders. The tag `Pair` has the number of each game, which decides
/// its random numbers, and the tag `Conditions` has the question.
///
/// # Errors
/// If it can't be read or written, or has other games.
pub fn open_record(path: &Path) -> Result<Store, StudyError> {
    Store::open(path, key)
}

/// Opens or creates the file of the questions of a study.
///
/// # Errors
/// As [`open_record`], or if it has games of another study.
pub fn open_questions(path: &Path, variant: &Variant, seed: u64) -> Result<Store, StudyError> {
    let store = open_record(path)?;
    check_questions(&store, path, variant, seed)?;
    Ok(store)
}

/// Reads the file of the questions of a study, to which nothing can be added.
///
/// # Errors
/// As [`open_questions`].
pub fn read_questions(path: &Path, variant: &Variant, seed: u64) -> Result<Store, StudyError> {
    let mut store = Store::default();
    store.read(path, key)?;
    check_questions(&store, path, variant, seed)?;
    Ok(store)
}

/// Returns what decides a game of a question or of a ladder.
fn key(game: &GameRecord) -> Result<GameKey, String> {
    let read = || {
        let read = Description::of(game)?;
        // The players of a ladder differ: its purpose names both.
        let nodes = if read.purpose.starts_with(LADDER) { 0 } else { QuestionPlan::of(game)?.nodes };
        Some(GameKey {
            purpose: read.purpose.to_owned(),
            nodes,
            variant: games::parse_variant(&game.variant).ok()?.to_string(),
            opening: read.beginning.to_owned(),
            seed: game.seed,
            number: game.pair,
        })
    };
    read().ok_or_else(|| {
        let conditions = game.conditions.as_deref().unwrap_or_default();
        format!(
            "is for no question of balance and no ladder: expected the games of another such command, \
             not the conditions {conditions:?}"
        )
    })
}

/// Returns the questions that the games of a store are for: the fair komi by strength, then rules, then first moves.
pub fn asked(store: &Store, seed: u64) -> Vec<QuestionPlan> {
    let mut asked: Vec<QuestionPlan> = Vec::new();
    for mut plan in store.games().filter_map(|(_, game, _)| QuestionPlan::of(game)) {
        let number = plan.seed.wrapping_sub(seed);
        plan.seeds = if number < MAX_SEEDS { number + 1 } else { 1 };
        let same = asked.iter_mut().find(|known| (&known.question, known.nodes) == (&plan.question, plan.nodes));
        match same {
            // The question was asked again with more games.
            Some(known) => {
                known.max_games = known.max_games.max(plan.max_games);
                known.seeds = known.seeds.max(plan.seeds);
            }
            None => asked.push(QuestionPlan { seed, ..plan }),
        }
    }
    asked.sort_by_cached_key(|plan| (plan.question.clone(), plan.nodes));
    asked
}

/// Checks that the games of a store are about a variant, in any of its options, with a seed.
fn check_questions(store: &Store, path: &Path, variant: &Variant, seed: u64) -> Result<(), StudyError> {
    let seeds = [seed, seed.wrapping_add(FRESH)];
    let is_about = |known: &Variant| known.info().name == variant.info().name && known.size() == variant.size();
    check_purpose(store, path, &format!("about {variant} with seed {seed}"), |key| {
        let is_next = key.purpose == Question::Komi.purpose() && key.seed.wrapping_sub(seed) < MAX_SEEDS;
        (seeds.contains(&key.seed) || is_next) && games::parse_variant(&key.variant).is_ok_and(|known| is_about(&known))
    })
}

/// Checks that the games of a store are of the ladder of a variant, at any komi, and of the search for its komi.
///
/// # Errors
/// If another game is there.
pub(in crate::study) fn check_ladder(store: &Store, variant: &Variant, seed: u64) -> Result<(), StudyError> {
    let Some((.., path)) = store.games().next() else {
        return Ok(());
    };
    let without_komi = |variant: &Variant| at_komi(variant, HalfPoints(0)).unwrap_or_else(|_| variant.clone());
    let expected = without_komi(variant);
    check_purpose(store, path, &format!("of the ladder of {variant} with seed {seed}"), |key| {
        key.seed == seed
            && (key.purpose.starts_with(LADDER) || key.purpose == Question::Komi.purpose())
            && games::parse_variant(&key.variant).is_ok_and(|known| without_komi(&known) == expected)
    })
}

fn check_purpose(
    store: &Store,
    path: &Path,
    purpose: &str,
    is_for_it: impl Fn(&GameKey) -> bool,
) -> Result<(), StudyError> {
    if store.games().all(|(key, ..)| is_for_it(key)) {
        return Ok(());
    }
    Err(StudyError::OtherPurpose { path: path.to_owned(), purpose: purpose.to_owned() })
}
