//! The questions of balance that a study asks, with their answers.

use std::path::Path;

use serde::Serialize;

use super::answers::{CompareAnswer, KomiAnswer, SwapAnswer};
use super::compare::FRESH;
use super::first_moves::first_moves;
use super::kept::belongs;
use super::map_picture::swap_picture;
use super::swap::SwapSearch;
use super::words::{compare_words, komi_words, swap_words};
use super::{
    Asked, BalanceError, FairKomi, Kept, Plan, Runner, compare, default_random_steps, fair_komi, komi_range,
    pie_variants, rules, swap_map,
};
use crate::games;
use crate::render::{Style, Theme};
use crate::rules::Variant;
use crate::study::plan::Strength;

/// Most nodes a move of the games that look for the fair komi.
const MOST_FOR_KOMI: u64 = 32_768;

/// Most nodes a move of the games that compare rules and first moves: there are many of them.
const MOST_FOR_OTHERS: u64 = 1024;

/// Games that look for the fair komi, at most, for each game of the study at that strength.
const KOMI_GAMES: u64 = 4;

/// Games of other questions for each game of the study at that strength.
const OTHER_GAMES: u64 = 2;

/// A question of balance.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Question {
    /// The fair komi.
    Komi,
    /// Rules side by side: an option with its values, as [`rules`] reads them.
    Compare(String),
    /// First moves under the pie: which would be swapped, and what it leaves the first mover.
    Swap,
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

    fn read(name: &str) -> Option<Self> {
        match name {
            "komi" => Some(Self::Komi),
            "swap" => Some(Self::Swap),
            name => name.strip_prefix("compare ").map(|rules| Self::Compare(rules.to_owned())),
        }
    }
}

/// Returns the questions that fit a variant, each with its strength and number of games.
pub fn questions(variant: &Variant, strengths: &[Strength], random_steps: u32) -> Vec<Asked> {
    let mut asked = Vec::new();
    let mut ask = |question: &Question, strength: &Strength, games: u64, steps: u32| {
        asked.push(Asked {
            question: question.name(),
            nodes: strength.nodes,
            games,
            random_steps: steps.min(random_steps),
        });
    };
    let steps = default_random_steps(variant);
    if komi_range(variant).is_ok() {
        let weak = strengths.iter().filter(|strength| strength.nodes <= MOST_FOR_KOMI);
        for strength in weak {
            let games = KOMI_GAMES.saturating_mul(strength.games);
            ask(&Question::Komi, strength, games, steps);
        }
    }
    let mut weak = strengths.iter().rev();
    let Some(strength) = weak.find(|strength| strength.nodes <= MOST_FOR_OTHERS) else {
        return asked;
    };
    let games = OTHER_GAMES.saturating_mul(strength.games);
    for &text in variant.info().comparisons {
        let Ok(variants) = rules(variant, text) else {
            continue;
        };
        let has_komi = |variant: &Variant| !variant.has("komi") || komi_range(variant).is_ok();
        if variants.iter().all(has_komi) {
            let steps = variants.iter().map(default_random_steps).min();
            let question = Question::Compare(text.to_owned());
            ask(&question, strength, games, steps.unwrap_or(0));
        }
    }
    let first = pie_variants(variant).ok().and_then(|[_, without]| {
        let board = games::open(&without)?;
        Some(first_moves(&*board, 0).moves.len())
    });
    if let Some(moves) = first {
        let games = games.max(SwapSearch::enough_games(moves));
        ask(&Question::Swap, strength, games, steps);
    }
    asked
}

/// Answers to the questions of a study.
#[derive(Clone, PartialEq, Default, Serialize, Debug)]
pub struct Answers {
    /// The fair komi, by strength.
    pub komi: Vec<KomiAnswer>,
    /// Rules side by side.
    pub compare: Vec<CompareAnswer>,
    /// First moves under the pie.
    pub swap: Vec<SwapAnswer>,
    /// The answers in words, one for each question.
    #[serde(skip)]
    pub words: Vec<String>,
    /// The last swap map as SVG.
    #[serde(skip)]
    pub map: Option<String>,
}

/// Answers questions about a variant. If `searches_choices` is false, choices in their games are not searched.
///
/// # Errors
/// If games can't be played to their end, or are stopped, or are missing where none may be played.
pub fn answer(
    variant: &Variant,
    asked: &[Asked],
    seed: u64,
    searches_choices: bool,
    runner: &mut Runner<'_>,
) -> Result<Answers, BalanceError> {
    let mut answers = Answers::default();
    let mut komis: Vec<FairKomi> = Vec::new();
    let mut words = Vec::new();
    for asked in asked {
        let nodes = asked.nodes;
        let plan = Plan::new(&asked.question, asked.games, asked.random_steps, seed);
        let unknown = || BalanceError::Unfit(format!("{} is no question", asked.question));
        match Question::read(&asked.question).ok_or_else(unknown)? {
            Question::Komi => {
                let fair = fair_komi(variant, nodes, &plan, runner)?;
                if fair.is_interrupted {
                    return Err(BalanceError::Interrupted);
                }
                answers.komi.push(KomiAnswer::new(variant, &fair, &plan));
                komis.push(fair);
            }
            Question::Compare(text) => {
                let variants = rules(variant, &text)?;
                let variants = variants.into_iter().map(|with| (with, asked.random_steps));
                let variants: Vec<(Variant, u32)> = variants.collect();
                let reports = compare(&variants, nodes, &plan, searches_choices, runner)?;
                let answer = CompareAnswer::new(nodes, &reports, &plan);
                words.extend(compare_words(&text, &answer));
                answers.compare.push(answer);
            }
            Question::Swap => {
                let [with, _] = pie_variants(variant)?;
                let map = swap_map(variant, nodes, &plan, runner)?;
                words.push(swap_words(&with, &map));
                answers.swap.push(SwapAnswer::new(&with, &map, &plan));
                let style = Style { theme: Theme::Auto, ..Style::default() };
                answers.map = swap_picture(&with, &map, &style, Vec::new());
            }
        }
    }
    answers.words.extend(komi_words(variant, &komis));
    answers.words.append(&mut words);
    Ok(answers)
}

/// Checks that a file has games of questions about a variant, and of no other.
///
/// # Errors
/// Names the file.
pub fn check_kept(kept: &Kept, path: &Path, variant: &Variant, seed: u64) -> Result<(), BalanceError> {
    match belongs(kept, variant, &[seed, seed.wrapping_add(FRESH)]) {
        true => Ok(()),
        false => Err(BalanceError::OtherStudy { path: path.to_owned(), variant: variant.to_string(), seed }),
    }
}
