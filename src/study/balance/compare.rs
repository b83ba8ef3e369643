//! Rules side by side: each at its own fair komi, or with the pie.

use std::sync::atomic::{AtomicBool, Ordering};

use super::question::{FRESH, QuestionPlan};
use super::verdict::{Scores, Verdict};
use super::{Distinct, FairKomi, at_komi, fair_komi, first_mover_score, komi_range};
use crate::games;
use crate::intervals::{Estimate, Results};
use crate::notation::VariantError;
use crate::record::GameRecord;
use crate::rules::{Board, HalfPoints, Step, Value, Variant};
use crate::search::{Clock, Limits, SearchRequest, Settings, new_search};
use crate::study::error::StudyError;
use crate::study::game_figures::LEAD_MARGIN;
use crate::study::player::{Conditions, Job};
use crate::study::pool::{PoolEvent, in_order};
use crate::study::store::Runner;
use crate::text::quote;

/// Maximum number of games whose choices are searched.
const GAMES_WITH_CHOICES: usize = 100;

/// Memory of a search of a choice, in bytes: a new one for each search must be cheap.
const MEMORY: usize = 1 << 20;

/// Figures of a game under one rule.
#[derive(Clone, Debug)]
pub struct RuleReport {
    /// Variant with this rule.
    pub variant: Variant,
    /// Random steps at the beginning of each game.
    pub random_steps: u32,
    /// Variant that was played: at the fair komi, or with the pie.
    pub played: Variant,
    /// The fair komi, if the game has one.
    pub fair: Option<FairKomi>,
    /// Variant without komi and pie, and the half points of the first mover in its games, in the order of their openings.
    pub unaided: (Variant, Vec<usize>),
    /// Results of the first mover in further games of the same variant from as many random steps: they count in its score,
    /// but are no part of the openings that rules share.
    pub further: Results,
    /// Results of the first mover in games of `played`.
    pub results: Results,
    /// Number of different games among them.
    pub distinct: u64,
    /// Moves of both players in each game, in order of length.
    pub moves: Vec<usize>,
    /// Share of openings that another player won than under the first rule, and the share that chance would give; `None`
    /// for the first rule and for other boards.
    pub other_winner: Option<(Estimate, f64)>,
    /// Choices that mattered, as the choice of a hex in Inversion; `None` without such choices.
    pub choices: Option<Choices>,
}

/// Choices within a turn that some games allow, such as which hex is inverted first.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Choices {
    /// Number of games looked at.
    pub games: u64,
    /// Mean number of choices in a game.
    pub choices: f64,
    /// Mean number of decisive choices in a game. A choice is decisive if, searched to the strength of play, the best
    /// step makes the player lead and the worst one makes the opponent lead. A leader expects more than 55 %.
    pub decisive: Estimate,
    /// Share of games with a decisive choice.
    pub decided: Estimate,
}

impl RuleReport {
    /// Returns the score of the first mover.
    pub fn score(&self) -> Option<Estimate> {
        Estimate::of_counts(&self.results.by_outcome())
    }

    /// Returns the score of the first mover without komi and pie.
    pub fn unaided_score(&self) -> Option<Estimate> {
        let results: Results = self.unaided.1.iter().copied().collect();
        Estimate::of_counts(&results.with(self.further).by_outcome())
    }

    /// Returns what the variant without help lacks; `None` if the game has neither komi nor pie.
    pub fn help(&self) -> Option<&'static str> {
        match (self.variant.has("komi"), self.variant.has("pie")) {
            (true, _) => Some("komi"),
            (_, true) => Some("the pie"),
            _ => None,
        }
    }

    /// Returns the number of games at the fair komi or with the pie.
    pub fn games(&self) -> u64 {
        self.results.games()
    }

    /// Returns a quantile of the number of moves.
    pub fn moves_at(&self, share: f64) -> usize {
        let last = self.moves.len().saturating_sub(1) as f64;
        let moves = self.moves.get((share * last).round() as usize);
        moves.copied().unwrap_or(0)
    }
}

/// Reads rules such as `order=mover,single` or `size=6x5,8x7`, and returns the variant with each.
///
/// # Errors
/// Describes what is wrong with the text, or gives the error of the first variant that is none.
pub fn rules(variant: &Variant, text: &str) -> Result<Vec<Variant>, StudyError> {
    let unfit = |why: &str| StudyError::Unfit(format!("{}: {why}", quote(text)));
    let expected = "expected an option with its values, as in order=mover,single or size=6x5,8x7";
    let (key, values) = text.split_once('=').ok_or_else(|| unfit(expected))?;
    let name = variant.info().name;
    let canonical = variant.to_string();
    let items = canonical.split_once(':').map_or("", |(_, items)| items);
    let is_size = key.eq_ignore_ascii_case("size");
    let is_other = |item: &&str| match item.split_once('=') {
        None => !is_size && !item.is_empty(),
        Some((other, _)) => is_size || !other.eq_ignore_ascii_case(key),
    };
    let others: Vec<&str> = items.split(',').filter(is_other).collect();
    let mut variants = Vec::new();
    for value in values.split(',') {
        let item = if is_size { value.to_owned() } else { format!("{key}={value}") };
        let items = others.iter().copied().chain([item.as_str()]);
        let items: Vec<&str> = items.collect();
        let parsed = games::parse_variant(&format!("{name}:{}", items.join(",")));
        let with = parsed.map_err(|error: VariantError| unfit(&error.to_string()))?;
        if variants.contains(&with) {
            return Err(unfit(&format!("{} is given twice", quote(value))));
        }
        variants.push(with);
    }
    match variants.len() {
        0 | 1 => Err(unfit("expected two values or more")),
        _ => Ok(variants),
    }
}

/// Plays a game under each of several rules at one strength.
///
/// Each variant has its number of random steps at the beginning of games, instead of the plan's.
/// Half of the games look for the fair komi, where there is komi and `known` does not have it; the other half are played at
/// it, and as many without komi and pie. If `searches_choices` is true, choices at the fair komi are searched.
///
/// # Errors
/// If a variant says already how the game is balanced, or if games can't be played to their end.
pub fn compare(
    variants: &[(Variant, u32)],
    plan: &QuestionPlan,
    searches_choices: bool,
    known: &[(Variant, FairKomi)],
    runner: &mut Runner<'_>,
) -> Result<Vec<RuleReport>, StudyError> {
    let mut reports: Vec<RuleReport> = Vec::new();
    let mut first: Option<(Variant, Vec<usize>)> = None;
    for (variant, random_steps) in variants {
        let with = QuestionPlan { random_steps: *random_steps, ..plan.clone() };
        let known = known.iter().find(|(of, fair)| of == variant && fair.nodes == plan.nodes);
        let (played, fair) = balanced(variant, &with, known.map(|(_, fair)| fair), runner)?;
        let unaided = unaided(variant)?;
        let half_points = games_of(&unaided, &with, runner)?;
        let half_points = half_points.iter().map(|game| first_mover_score(&unaided, game)).collect();
        let records = games_of(&played, &with, runner)?;
        let scores: Vec<usize> = records.iter().map(|game| first_mover_score(&played, game)).collect();
        let mut moves: Vec<usize> = records.iter().map(|game| game.moves.len()).collect();
        moves.sort();
        let other_winner = first.as_ref().and_then(|(board, first_scores)| {
            let is_same_board = board.size() == variant.size();
            is_same_board.then(|| other_winner(first_scores, &scores)).flatten()
        });
        let results = scores.iter().copied().collect();
        let mut distinct = Distinct::default();
        records.iter().for_each(|game| distinct.add(game));
        first.get_or_insert_with(|| (variant.clone(), scores));
        let choices = if searches_choices && plan.nodes > 0 { choices(&played, &records, plan, runner)? } else { None };
        reports.push(RuleReport {
            variant: variant.clone(),
            random_steps: *random_steps,
            played,
            fair,
            unaided: (unaided, half_points),
            further: Results::default(),
            results,
            distinct: distinct.count(),
            moves,
            other_winner,
            choices,
        });
    }
    Ok(reports)
}

/// Returns the number of games that look for a komi, and of those that are played at it.
fn half(plan: &QuestionPlan) -> u64 {
    plan.max_games.div_ceil(2)
}

/// Returns a variant at its fair komi, or with its pie, or as it is if it has neither.
fn balanced(
    variant: &Variant,
    plan: &QuestionPlan,
    known: Option<&FairKomi>,
    runner: &mut Runner<'_>,
) -> Result<(Variant, Option<FairKomi>), StudyError> {
    if variant.has("komi") && !variant.switch("pie") {
        komi_range(variant)?;
        let fair = match known {
            Some(fair) => fair.clone(),
            None => fair_komi(variant, half(plan), plan, runner)?,
        };
        if fair.is_interrupted {
            return Err(StudyError::Interrupted);
        }
        let komi = HalfPoints((2.0 * fair.crossing.place.value).round() as i32);
        return Ok((at_komi(variant, komi)?, Some(fair)));
    }
    let with_pie = variant.with("pie", Value::Switch(true));
    Ok((with_pie.unwrap_or_else(|_| variant.clone()), None))
}

/// Returns a variant without komi and pie.
fn unaided(variant: &Variant) -> Result<Variant, StudyError> {
    let without = variant.with("pie", Value::Switch(false)).unwrap_or_else(|_| variant.clone());
    if without.has("komi") { at_komi(&without, HalfPoints(0)) } else { Ok(without) }
}

/// Returns what the games of several rules say together; `None` for fewer than two.
pub fn verdict(reports: &[RuleReport]) -> Option<Verdict> {
    // Boards of one size with equal numbers of random steps share their openings.
    let begins = |report: &RuleReport| (report.variant.size(), report.random_steps);
    let scores = reports.iter().map(|report| Scores {
        half_points: &report.unaided.1,
        openings: reports.iter().position(|other| begins(other) == begins(report)).unwrap_or(0),
    });
    let scores: Vec<Scores<'_>> = scores.collect();
    let shown: Vec<Estimate> = reports.iter().filter_map(RuleReport::unaided_score).collect();
    Verdict::of(&scores).map(|verdict| verdict.with_scores(shown))
}

/// Plays games that have had no part in the choice of a komi. Their openings are the same for every variant of a board.
fn games_of(variant: &Variant, plan: &QuestionPlan, runner: &mut Runner<'_>) -> Result<Vec<GameRecord>, StudyError> {
    let conditions = Conditions { seed: plan.seed.wrapping_add(FRESH), ..plan.conditions(variant) };
    let jobs = (1..=half(plan)).map(|number| Job { conditions: &conditions, number });
    let jobs: Vec<Job<'_>> = jobs.collect();
    let mut records = Vec::new();
    runner.play(&jobs, (0, 0), |_, game| records.push(game.clone()))?;
    Ok(records)
}

/// Compares who won each opening. Draws are left out.
fn other_winner(first: &[usize], other: &[usize]) -> Option<(Estimate, f64)> {
    let pairs = first.iter().zip(other);
    let decided = pairs.filter(|&(&a, &b)| a != 1 && b != 1);
    let decided: Vec<(usize, usize)> = decided.map(|(&a, &b)| (a, b)).collect();
    let count = |wanted: fn(&(usize, usize)) -> bool| decided.iter().filter(|&pair| wanted(pair)).count() as u64;
    let all = decided.len() as u64;
    let differ = count(|(a, b)| a != b);
    let [a, b] = [count(|&(a, _)| a == 2), count(|&(_, b)| b == 2)];
    let [a, b] = [a, b].map(|wins| wins as f64 / all as f64);
    let by_chance = a * (1.0 - b) + b * (1.0 - a);
    Some((Estimate::of_share(differ, all)?, by_chance))
}

/// Looks at the choices of games: how many decide who leads?
fn choices(
    variant: &Variant,
    records: &[GameRecord],
    plan: &QuestionPlan,
    runner: &mut Runner<'_>,
) -> Result<Option<Choices>, StudyError> {
    let board = games::open(variant).ok_or_else(|| StudyError::NotOpened(variant.clone()))?;
    let records = records.get(..GAMES_WITH_CHOICES).unwrap_or(records);
    let (clock, all) = (runner.clock, records.len() as u64);
    let work = |(): &mut (), place: usize, ended: &AtomicBool| {
        choices_of(&*board, records.get(place)?, plan.nodes, plan.seed, (ended, clock))
    };
    let mut found: Vec<(u64, u64)> = Vec::new();
    in_order(records.len(), runner.threads, runner.stop, work, &mut |event| {
        if let PoolEvent::Done(_, choices) = event {
            found.push(choices);
        }
        let done = found.len() as u64;
        (runner.on_progress)(done, all - done)
    })?;
    let number: u64 = found.iter().map(|(number, _)| number).sum();
    let decided = found.iter().filter(|(_, decisive)| *decisive > 0).count() as u64;
    let decisive: Vec<f64> = found.iter().map(|(_, decisive)| *decisive as f64).collect();
    let shares = Estimate::of_share(decided, all).zip(Estimate::of_mean(&decisive));
    let Some((decided, decisive)) = shares.filter(|_| number > 0) else {
        return Ok(None);
    };
    Ok(Some(Choices {
        games: all,
        choices: number as f64 / all as f64,
        decisive: Estimate { value: decisive.value, low: decisive.low.max(0.0), high: decisive.high },
        decided,
    }))
}

/// Returns the number of choices in a game, and how many of them are decisive. `None` if stopped.
fn choices_of(
    start: &dyn Board,
    record: &GameRecord,
    nodes: u64,
    seed: u64,
    (ended, clock): (&AtomicBool, &dyn Clock),
) -> Option<(u64, u64)> {
    let mut board = start.fork();
    let (mut number, mut decisive) = (0, 0);
    let texts = record.moves.iter().flat_map(|made| made.text.split(','));
    for text in texts {
        if board.pending().len() > 1 {
            number += 1;
            decisive += u64::from(decides(&*board, nodes, seed, (ended, clock))?);
        }
        let step = board.find_step(text).ok()?;
        board.make(step);
    }
    Some((number, decisive))
}

/// Returns true if the best step makes the side to move lead, and the worst one makes the opponent lead.
fn decides(board: &dyn Board, nodes: u64, seed: u64, (ended, clock): (&AtomicBool, &dyn Clock)) -> Option<bool> {
    let mut steps = Vec::new();
    board.steps(&mut steps);
    let (mut best, mut worst) = (0.0_f64, 1.0_f64);
    let settings = Settings { method: board.variant().info().method, threads: 1, memory: MEMORY, seed };
    for step in steps {
        let mut search = new_search(settings);
        let limits = Limits { nodes: Some(nodes), ..Limits::default() };
        let moves: [Vec<Step>; 1] = [vec![step]];
        let request = SearchRequest { search_moves: &moves, ..SearchRequest::new(limits, ended, clock) };
        let report = search.run(board, &request);
        if ended.load(Ordering::Relaxed) {
            return None;
        }
        best = best.max(report.expected_score);
        worst = worst.min(report.expected_score);
    }
    Some(best > 0.5 + LEAD_MARGIN && worst < 0.5 - LEAD_MARGIN)
}
