//! The questions of balance that a study asks, with their answers.

use serde::Serialize;

use super::answers::{CompareAnswer, KomiAnswer, SwapAnswer};
use super::first_moves::first_moves;
use super::map_picture::swap_picture;
use super::question::{Question, QuestionPlan};
use super::sentences::{compare_sentences, komi_sentence, swap_sentence};
use super::swap::SwapSearch;
use super::{FairKomi, compare, default_random_steps, fair_komi_of_seeds, komi_range, pie_variants, rules, swap_map};
use crate::games;
use crate::intervals::Results;
use crate::render::{Style, Theme};
use crate::rules::Variant;
use crate::study::error::StudyError;
use crate::study::plan::{Strength, StudyPlan};
use crate::study::store::Runner;

/// Maximum number of nodes per move of the games that look for the fair komi.
const MAX_FOR_KOMI: u64 = 32_768;

/// Maximum number of nodes per move of the games that compare rules and first moves: there are many of them.
const MAX_FOR_OTHERS: u64 = 1024;

/// Games that look for the fair komi, at most, for each game of the study at that strength.
const KOMI_GAMES: u64 = 4;

/// Games of other questions for each game of the study at that strength.
const OTHER_GAMES: u64 = 2;

/// Returns the questions that fit the variant of a study, each with its strength and number of games.
/// The fair komi is asked with a number of seeds.
pub fn questions(plan: &StudyPlan, seeds: u64) -> Vec<QuestionPlan> {
    let StudyPlan { variant, strengths, .. } = plan;
    let mut questions = Vec::new();
    let mut ask = |question: Question, strength: &Strength, games: u64, steps: u32| {
        let seeds = if question == Question::Komi { seeds } else { 1 };
        questions.push(QuestionPlan {
            question,
            nodes: strength.nodes,
            max_games: games,
            random_steps: steps.min(plan.random_steps),
            seed: plan.seed,
            seeds,
        });
    };
    let steps = default_random_steps(variant);
    if komi_range(variant).is_ok() {
        let weak = strengths.iter().filter(|strength| strength.nodes <= MAX_FOR_KOMI);
        for strength in weak {
            ask(Question::Komi, strength, KOMI_GAMES.saturating_mul(strength.games), steps);
        }
    }
    let mut weak = strengths.iter().rev();
    let Some(strength) = weak.find(|strength| strength.nodes <= MAX_FOR_OTHERS) else {
        return questions;
    };
    let games = OTHER_GAMES.saturating_mul(strength.games);
    for &text in variant.info().comparisons {
        let Ok(variants) = rules(variant, text) else {
            continue;
        };
        let has_komi = |variant: &Variant| !variant.has("komi") || komi_range(variant).is_ok();
        if variants.iter().all(has_komi) {
            let steps = variants.iter().map(default_random_steps).min();
            ask(Question::Compare(text.to_owned()), strength, games, steps.unwrap_or(0));
        }
    }
    let first = pie_variants(variant).ok().and_then(|[_, without]| {
        let board = games::open(&without)?;
        Some(first_moves(&*board, 0).moves.len())
    });
    if let Some(moves) = first {
        ask(Question::Swap, strength, games.max(SwapSearch::enough_games(moves)), steps);
    }
    questions
}

/// Returns the command that plays a study, with its questions of balance, of a number of seeds, or without them.
pub fn command(plan: &StudyPlan, seeds: Option<u64>) -> String {
    let command = plan.command();
    match seeds {
        Some(2..) => format!("{command} --seeds {}", seeds.unwrap_or(1)),
        // A variant without such questions needs no option for them.
        None if !questions(plan, 1).is_empty() => command + " --no-balance",
        _ => command,
    }
}

/// Returns the largest number of seeds that answered a question; `None` if none was asked.
pub fn seeds_of(answers: &Answers) -> Option<u64> {
    let seeds = answers.komi.iter().map(|komi| komi.seeds.len().max(1) as u64).max();
    (!answers.sentences.is_empty()).then(|| seeds.unwrap_or(1))
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
    /// The answers as sentences, one for each question.
    #[serde(skip)]
    pub sentences: Vec<String>,
    /// The last swap map as SVG.
    #[serde(skip)]
    pub map: Option<String>,
    /// Strength at which the study's own games count in the answers about rules.
    #[serde(skip)]
    pub pooled: Option<u64>,
}

/// Results of the first mover in the games of a study.
#[derive(Clone, Debug)]
pub struct OwnGames {
    /// Random steps at the beginning of each game.
    pub random_steps: u32,
    /// Results by nodes of each search.
    pub results: Vec<(u64, Results)>,
}

/// Answers questions about a variant. `known` has its fair komis by strength, and gets those that are found: rules side by
/// side do not look for them a second time. If `searches_choices` is false, choices in their games are not searched. The
/// study's own games count where they are games of a rule without komi and pie, from openings of the same kind.
///
/// # Errors
/// If games can't be played to their end, or are stopped, or are missing where none may be played.
pub fn answer(
    variant: &Variant,
    questions: &[QuestionPlan],
    searches_choices: bool,
    known: &mut Vec<(Variant, FairKomi)>,
    own: Option<&OwnGames>,
    runner: &mut Runner<'_>,
) -> Result<Answers, StudyError> {
    let mut answers = Answers::default();
    let mut komis: Vec<FairKomi> = Vec::new();
    // Verdicts first, then what explains them.
    let (mut sentences, mut details) = (Vec::new(), Vec::new());
    for plan in questions {
        match &plan.question {
            Question::Komi => {
                let fair = fair_komi_of_seeds(variant, plan, runner)?;
                if fair.is_interrupted {
                    return Err(StudyError::Interrupted);
                }
                answers.komi.push(KomiAnswer::new(variant, &fair, plan));
                known.push((variant.clone(), fair.clone()));
                komis.push(fair);
            }
            Question::Compare(text) => {
                let variants = rules(variant, text)?;
                let variants: Vec<(Variant, u32)> =
                    variants.into_iter().map(|with| (with, plan.random_steps)).collect();
                let mut reports = compare(&variants, plan, searches_choices, known, runner)?;
                for report in reports.iter_mut().filter(|report| report.unaided.0 == *variant) {
                    let same = own.filter(|own| own.random_steps == report.random_steps);
                    let same = same.and_then(|own| own.results.iter().find(|(nodes, _)| *nodes == plan.nodes));
                    if let Some((nodes, results)) = same {
                        report.further = *results;
                        answers.pooled = Some(*nodes);
                    }
                }
                let answer = CompareAnswer::new(&reports, plan);
                sentences.extend(Some(answer.verdict.clone()).filter(|verdict| !verdict.is_empty()));
                details.extend(compare_sentences(text, variant, &answer));
                answers.compare.push(answer);
            }
            Question::Swap => {
                let [with, _] = pie_variants(variant)?;
                let map = swap_map(variant, plan, runner)?;
                sentences.push(swap_sentence(&with, &map));
                answers.swap.push(SwapAnswer::new(&with, &map, plan));
                let style = Style { theme: Theme::Auto, ..Style::default() };
                answers.map = swap_picture(&with, &map, &style, Vec::new());
            }
        }
    }
    answers.sentences.extend(komi_sentence(variant, &komis));
    answers.sentences.append(&mut sentences);
    answers.sentences.append(&mut details);
    Ok(answers)
}
