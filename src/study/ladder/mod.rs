//! The ladder: levels of the engine of which each scores 60 % against the one below, from random play to the best.
//!
//! The number of rungs is a lower bound on the depth of the game: a better player, or one with more nodes, adds rungs
//! and takes none away.

mod duel;
mod rung_search;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::balance::{Question, QuestionPlan, at_komi, check_ladder, fair_komi, komi_range};
use super::error::StudyError;
use super::store::Runner;
use crate::arena::tournament::{OpeningSource, Openings};
use crate::games;
use crate::intervals::Estimate;
use crate::record::Opening;
use crate::rules::{Board, HalfPoints, LEVELS, Variant};
use crate::text::grouped;
use duel::Duel;

pub use duel::Level;
pub use rung_search::{Confirmed, RungSearch, TARGET, TOLERANCE, Trial, height_of, level_at};

/// Score of each level of `Strength` against the next.
const LEVEL_SCORE: f64 = 0.75;

/// Strength of a komi for openings, and its games: it only makes the openings more even.
const KOMI_NODES: u64 = 1024;
const KOMI_GAMES: u64 = 200;

/// Largest distance from one half of the expected score after an opening.
const BALANCE: f64 = 0.1;

/// Height above random play at which the first rung is looked for.
const FIRST_STRIDE: f64 = 0.1;

/// Quantile of the normal distribution at 95 %, in units of that for a two-sided interval.
const ONE_SIDED: f64 = 0.839_240;

/// A rung of the ladder.
#[derive(Clone, PartialEq, Debug)]
pub struct Rung {
    /// The level.
    pub level: Level,
    /// Score against the rung below, by fresh games that had no part in the choice of the level; `None` for the lowest
    /// rung.
    pub score: Option<Estimate>,
    /// Number of these games.
    pub games: u64,
    /// Number of levels that were tried on fresh games: 1 unless some were contradicted. The interval takes it into
    /// account.
    pub tries: u64,
}

/// Conditions of a ladder.
#[derive(Clone, Debug)]
pub struct LadderPlan {
    /// Maximum number of nodes of a search.
    pub most_nodes: u64,
    /// Games that confirm each rung; about twice as many choose its level.
    pub games: u64,
    /// Random steps of each opening.
    pub random_steps: u32,
    /// Seed of all random numbers.
    pub seed: u64,
    /// Maximum number of games of the whole ladder, without those for the komi.
    pub most_games: Option<u64>,
    /// Time after which no more games are played.
    pub time: Option<Duration>,
    /// True to test the levels between rungs against each other.
    pub tests_levels: bool,
}

/// The reason why a ladder has no more rungs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LadderEnd {
    /// The search with the most nodes is not strong enough for another rung.
    Top,
    /// No level was found that fresh games did not contradict.
    NotFound,
    /// The largest number of games is played.
    Games,
    /// The time is over.
    Time,
    /// A signal stopped the games.
    Interrupted,
}

/// A level of `Strength`.
#[derive(Clone, PartialEq, Debug)]
pub struct TestedLevel {
    /// Nodes of each search.
    pub nodes: u64,
    /// Score against the next level, by games of its own; `None` for the lowest level, and for levels that were not
    /// tested.
    pub score: Option<Estimate>,
    /// Number of these games.
    pub games: u64,
}

/// A ladder.
#[derive(Clone, Debug)]
pub struct Ladder {
    /// Variant that was played: with a fair komi, if it has one.
    pub variant: Variant,
    /// Rungs from random play on.
    pub rungs: Vec<Rung>,
    /// Number of games, without those for the komi.
    pub games: u64,
    /// Why there are no more rungs.
    pub end: LadderEnd,
    /// The strongest levels between rungs, at most as many as `Strength` has, tested against each other if the plan asks
    /// for it.
    pub tested: Vec<TestedLevel>,
}

impl Ladder {
    /// Returns the number of rungs of [`TARGET`] that a ladder has at least, with a confidence of 95 %.
    ///
    /// Scores become differences in strength by the logistic curve, and add up from rung to rung. The errors of rungs are
    /// independent, as each has its own games: the bound of the sum is by the method of variance estimates recovery (Zou
    /// and Donner 2008).
    pub fn least_rungs(&self) -> u64 {
        least_rungs(&self.rungs)
    }

    /// Returns the node limits of levels of which each scores about 75 % against the next, the strongest first.
    ///
    /// Scores become differences in strength by the logistic curve, and add up from rung to rung. Levels lie between
    /// rungs that search every move, and end where rungs play random moves.
    pub fn levels(&self) -> Vec<u64> {
        Self::levels_between(&self.rungs)
    }

    /// Returns the levels of `Strength` as the row of a game in the catalogue has them; `None` if they are too few.
    pub fn catalogue_row(&self) -> Option<String> {
        let numbers = self.tested.iter().map(|level| grouped(level.nodes));
        let numbers: Vec<String> = numbers.map(|text| text.replace(',', "_")).collect();
        (numbers.len() == LEVELS).then(|| format!("levels: [{}],", numbers.join(", ")))
    }

    fn levels_between(rungs: &[Rung]) -> Vec<u64> {
        let (mut levels, mut below_last) = (Vec::new(), 0.0);
        for pair in rungs.windows(2).rev() {
            let [lower, upper] = pair else {
                continue;
            };
            if lower.level.searched < 1.0 {
                break;
            }
            if levels.is_empty() {
                levels.push(upper.level.nodes);
            }
            let gap = strength(upper.score.map_or(TARGET, |score| score.value));
            let [high, low] = [upper, lower].map(|rung| libm::log2(rung.level.nodes as f64));
            below_last += gap;
            while below_last >= strength(LEVEL_SCORE) - 1e-9 {
                below_last = (below_last - strength(LEVEL_SCORE)).max(0.0);
                let nodes = libm::exp2(low + (high - low) * below_last / gap);
                levels.push(nodes.round() as u64);
            }
        }
        levels
    }
}

/// Returns the strength of a score, in units of the logistic curve.
fn strength(score: f64) -> f64 {
    libm::log(score / (1.0 - score))
}

/// Returns the number of rungs of [`TARGET`] that some of a ladder are worth at least ([`Ladder::least_rungs`]).
pub fn least_rungs(rungs: &[Rung]) -> u64 {
    let scores = rungs.iter().filter_map(|rung| rung.score);
    let (mut sum, mut squares) = (0.0, 0.0);
    for score in scores {
        // A player who never loses has a finite strength, too.
        let value = strength(score.value.clamp(0.01, 0.99));
        sum += value;
        squares += (value - strength(score.low.clamp(0.001, 0.99))).powi(2);
    }
    ((sum - ONE_SIDED * squares.sqrt()) / strength(TARGET)).max(0.0) as u64
}

/// Builds a ladder. What stops its games leaves the rungs that are tested by then.
///
/// # Errors
/// If the variant can't be opened, if games can't be played to their end, or if a file has other games.
pub fn ladder(variant: &Variant, plan: &LadderPlan, runner: &mut Runner<'_>) -> Result<Ladder, StudyError> {
    check_ladder(runner.store, variant, plan.seed)?;
    let (threads, stop, clock) = (runner.threads, runner.stop, runner.clock);
    let began = clock.now();
    let is_late = || plan.time.is_some_and(|time| clock.now() - began >= time);
    let mut on_progress = |played: u64, left: u64| (runner.on_progress)(played, left) && !is_late();
    let mut runner = Runner { threads, stop, clock, on_progress: &mut on_progress, store: &mut *runner.store };
    let mut ladder = Ladder {
        variant: variant.clone(),
        rungs: vec![Rung { level: level_at(0.0), score: None, games: 0, tries: 0 }],
        games: 0,
        end: LadderEnd::Top,
        tested: Vec::new(),
    };
    match climb(&mut ladder, plan, &mut runner) {
        Ok(()) => {}
        Err(Halt::Games) => ladder.end = LadderEnd::Games,
        Err(Halt::Failed(StudyError::Interrupted)) => {
            ladder.end = if stop.load(Ordering::Relaxed) { LadderEnd::Interrupted } else { LadderEnd::Time }
        }
        Err(Halt::Failed(error)) => return Err(error),
    }
    Ok(ladder)
}

/// The reason why a ladder stops before its end.
enum Halt {
    /// The largest number of games is played.
    Games,
    /// Games can't be played, or are interrupted.
    Failed(StudyError),
}

impl From<StudyError> for Halt {
    fn from(error: StudyError) -> Self {
        Self::Failed(error)
    }
}

/// Adds the rungs of a ladder, then its levels.
fn climb(ladder: &mut Ladder, plan: &LadderPlan, runner: &mut Runner<'_>) -> Result<(), Halt> {
    ladder.variant = with_fair_komi(&ladder.variant, plan, runner)?;
    let source = OpeningSource::Random { steps: plan.random_steps, bound: BALANCE };
    let not_opened = || StudyError::NotOpened(ladder.variant.clone());
    let mut builder = Builder {
        openings: Openings::new(source, &ladder.variant, plan.seed).ok_or_else(not_opened)?,
        start: games::open(&ladder.variant).ok_or_else(not_opened)?,
        plan,
        described: format!("{}, balanced", plan.random_steps),
        pairs: 0,
        games: &mut ladder.games,
    };
    let top = height_of(plan.most_nodes);
    let (mut height, mut stride) = (0.0, FIRST_STRIDE);
    ladder.end = loop {
        match builder.next_rung(height, stride, top, runner)? {
            Ok((next, rung)) => {
                ladder.rungs.push(rung);
                stride = next - height;
                height = next;
            }
            Err(end) => break end,
        }
    };
    let nodes = Ladder::levels_between(&ladder.rungs);
    let levels = nodes.into_iter().take(LEVELS).map(|nodes| TestedLevel { nodes, score: None, games: 0 });
    ladder.tested = levels.collect();
    if plan.tests_levels {
        builder.test_levels(&mut ladder.tested, runner)?;
    }
    Ok(())
}

/// Returns the variant at a fair komi, if its game has komi and the variant none yet.
fn with_fair_komi(variant: &Variant, plan: &LadderPlan, runner: &mut Runner<'_>) -> Result<Variant, StudyError> {
    if komi_range(variant).is_err() {
        return Ok(variant.clone());
    }
    let plan = QuestionPlan {
        question: Question::Komi,
        nodes: KOMI_NODES,
        max_games: KOMI_GAMES,
        random_steps: plan.random_steps,
        seed: plan.seed,
        seeds: 1,
    };
    let fair = fair_komi(variant, KOMI_GAMES, &plan, runner)?;
    if fair.is_interrupted {
        return Err(StudyError::Interrupted);
    }
    let komi = HalfPoints(2 * fair.crossing.place.value.round() as i32);
    at_komi(variant, komi)
}

struct Builder<'a> {
    openings: Openings,
    start: Box<dyn Board>,
    plan: &'a LadderPlan,
    /// Description of how openings are made, as records have it.
    described: String,
    /// Number of pairs played: each has an opening of its own.
    pairs: u64,
    games: &'a mut u64,
}

impl Builder<'_> {
    /// Looks for the next rung above a height. Returns why there is none otherwise.
    fn next_rung(
        &mut self,
        below: f64,
        stride: f64,
        top: f64,
        runner: &mut Runner<'_>,
    ) -> Result<Result<(f64, Rung), LadderEnd>, Halt> {
        let pairs = self.pairs_of_test();
        let mut search = RungSearch::new(below, stride, top, pairs);
        while let Some(Trial { at, pairs }) = search.next() {
            search.add(self.play(level_at(at), level_at(below), pairs, runner)?);
        }
        let end = search.end().ok_or(StudyError::Failed)?;
        Ok(end.map(|Confirmed { at, score, tries }| {
            (at, Rung { level: level_at(at), score: Some(score), games: 2 * pairs, tries })
        }))
    }

    fn pairs_of_test(&self) -> u64 {
        (self.plan.games / 2).max(1)
    }

    /// Tests each level against the next.
    fn test_levels(&mut self, levels: &mut [TestedLevel], runner: &mut Runner<'_>) -> Result<(), Halt> {
        let pairs = self.pairs_of_test();
        let lower = levels.iter().skip(1).map(|level| level.nodes);
        let lower: Vec<u64> = lower.collect();
        for (level, below) in levels.iter_mut().zip(lower) {
            let counts = self.play(Level::of_nodes(level.nodes), Level::of_nodes(below), pairs, runner)?;
            level.score = Estimate::of_counts(&counts);
            level.games = 2 * pairs;
        }
        Ok(())
    }

    /// Plays pairs between two levels. Returns the number of pairs by the half points of the first.
    fn play(&mut self, level: Level, below: Level, pairs: u64, runner: &mut Runner<'_>) -> Result<[u64; 5], Halt> {
        let before = *self.games;
        let most = self.plan.most_games.unwrap_or(u64::MAX);
        if before + 2 * pairs > most {
            return Err(Halt::Games);
        }
        let never = crossbeam_channel::never();
        let mut openings: Vec<Arc<Opening>> = Vec::new();
        for number in 1..=pairs {
            let opening = self.openings.get(self.pairs + number, &never);
            openings.push(opening.ok_or(StudyError::Failed)?);
        }
        let duels = openings.iter().zip(self.pairs..).flat_map(|(opening, pair)| {
            [0, 1].map(|black| Duel {
                start: &*self.start,
                opening,
                levels: [level, below],
                black,
                seed: self.plan.seed,
                openings: &self.described,
                number: pair * 2 + black as u64 + 1,
            })
        });
        let duels: Vec<Duel<'_>> = duels.collect();
        let mut scores = vec![0; pairs as usize];
        runner.play(&duels, (before, 0), |place, game| {
            if let (Some(duel), Some(score)) = (duels.get(place), scores.get_mut(place / 2)) {
                *score += duel.half_points(game);
            }
        })?;
        self.pairs += pairs;
        *self.games += duels.len() as u64;
        let mut counts = [0; 5];
        for score in scores {
            if let Some(count) = counts.get_mut(score) {
                *count += 1;
            }
        }
        Ok(counts)
    }
}
