//! The ladder: levels of the engine of which each scores 60 % against the one below, from random play to the best.
//!
//! The number of rungs is a lower bound on the depth of the game: a better player, or one with more nodes, adds rungs
//! and takes none away.

mod duel;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::balance::{Question, QuestionPlan, at_komi, check_ladder, fair_komi, komi_range};
use super::error::StudyError;
use super::store::Runner;
use crate::arena::tournament::{OpeningSource, Openings};
use crate::games;
use crate::intervals::curve::Curve;
use crate::intervals::{Estimate, Results, Sample};
use crate::record::Opening;
use crate::rules::{Board, HalfPoints, LEVELS, Variant};
use crate::text::grouped;
use duel::Duel;

pub use duel::Level;

/// Score of each rung against the one below, in the games that test it.
pub const TARGET: f64 = 0.6;

/// Largest distance of the score of these games from [`TARGET`].
pub const TOLERANCE: f64 = 0.03;

/// Score of each level of `Strength` against the next.
const LEVEL_SCORE: f64 = 0.75;

/// Nodes of searches below which a level is weakened by random moves instead.
const BASE_NODES: u64 = 8;

/// Strength of a komi for openings, and its games: it only makes the openings more even.
const KOMI_NODES: u64 = 1024;
const KOMI_GAMES: u64 = 200;

/// Pairs of games of a batch that looks for the next rung.
const BATCH: u64 = 24;

/// Pairs of games after which a test of a rung ends if the rung can't pass any more.
const TEST_BATCH: u64 = 64;

/// Games that test a rung, for each game that looks for it once the rung lies between two heights: a test that fails
/// tells where to look next, too.
const TESTS: u64 = 4;

/// Largest distance from one half of the expected score after an opening.
const BALANCE: f64 = 0.1;

/// Height above random play at which the first rung is looked for.
const FIRST_STRIDE: f64 = 0.1;

/// Times that a rung is tested on fresh games and moved if it misses.
const TRIES: u32 = 12;

/// A rung of the ladder.
#[derive(Clone, PartialEq, Debug)]
pub struct Rung {
    /// The level.
    pub level: Level,
    /// Score against the rung below, by fresh games that had no part in the choice of the level, nor in its tests; `None`
    /// for the lowest rung.
    pub score: Option<Estimate>,
    /// Number of these games.
    pub games: u64,
}

/// Conditions of a ladder.
#[derive(Clone, Debug)]
pub struct LadderPlan {
    /// Most nodes of a search.
    pub most_nodes: u64,
    /// Games that test each rung, and as many at most that look for it.
    pub games: u64,
    /// Random steps of each opening.
    pub random_steps: u32,
    /// Seed of all random numbers.
    pub seed: u64,
    /// Most games of the whole ladder, without those for the komi.
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
    /// No level was found whose tests came out near enough to [`TARGET`].
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
        let strength = |score: f64| libm::log(score / (1.0 - score));
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

/// Returns the level at a height. From 0 to 1 the share of searched moves grows; above, each 1 doubles the nodes.
pub fn level_at(height: f64) -> Level {
    if height < 1.0 {
        Level {
            // As many digits as records have.
            searched: (height.max(0.0) * 1e4).round() / 1e4,
            nodes: BASE_NODES,
        }
    } else {
        Level { searched: 1.0, nodes: (BASE_NODES as f64 * libm::exp2(height - 1.0)).round() as u64 }
    }
}

/// Returns the height that stands for all with the same level, so that the games of a level are counted together.
fn settled(height: f64) -> f64 {
    let level = level_at(height);
    if height < 1.0 { level.searched } else { height_of(level.nodes) }
}

/// Returns the height of a search by its nodes.
fn height_of(nodes: u64) -> f64 {
    1.0 + libm::log2(nodes.max(BASE_NODES) as f64 / BASE_NODES as f64)
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
        rungs: vec![Rung { level: level_at(0.0), score: None, games: 0 }],
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
    /// Looks for the next rung above a height, and tests it. Returns why there is none otherwise.
    fn next_rung(
        &mut self,
        below: f64,
        stride: f64,
        top: f64,
        runner: &mut Runner<'_>,
    ) -> Result<Result<(f64, Rung), LadderEnd>, Halt> {
        let is_top = |at: f64| at >= top - 1e-9;
        if is_top(below) {
            return Ok(Err(LadderEnd::Top));
        }
        // Scores of the rung below, which fall with the height of its opponent.
        let mut curve = Curve::default();
        let target = 1.0 - TARGET;
        let pairs = self.pairs_of_test();
        let (mut looked, mut at, mut step) = (0, settled((below + stride).min(top)), stride);
        while looked < pairs {
            let batch = BATCH.min(pairs - looked);
            let sample = self.play([level_at(below), level_at(at)], batch, runner)?;
            looked += batch;
            add(&mut curve, at, mean(&sample)?.value, sample.total());
            let points = curve.points();
            let is_low = points.iter().all(|point| point.score() > target);
            let is_high = points.iter().all(|point| point.score() < target);
            let highest = points.last().map_or(below, |point| point.x);
            let lowest = points.first().map_or(top, |point| point.x);
            at = if is_low {
                let at_top = points.last().filter(|point| is_top(point.x));
                let at_top = at_top.and_then(|point| point.results.sample().estimate());
                // Even the best is not strong enough for another rung.
                if at_top.is_some_and(|score| score.low > target + TOLERANCE || 2 * looked >= pairs) {
                    return Ok(Err(LadderEnd::Top));
                }
                let next = (highest + step).min(top);
                step *= 2.0;
                next
            } else if is_high {
                below + 0.5 * (lowest - below)
            } else {
                curve.rough_crossing(target, (below, top)).0
            };
            at = settled(at);
            if !is_low && !is_high && TESTS * looked >= pairs {
                break;
            }
        }
        for _ in 0..TRIES {
            let levels = [level_at(at), level_at(below)];
            let mut sample = self.test(levels, runner)?;
            let mut score = mean(&sample)?;
            let is_whole = sample.total() >= pairs as f64;
            if is_whole && (score.value - TARGET).abs() <= TOLERANCE {
                // The level that passes is one that was lucky: its score is that of fresh games, wherever it lies, unless
                // these contradict it.
                let fresh = self.play(levels, pairs, runner)?;
                let confirmed = mean(&fresh)?;
                if !is_out(confirmed) {
                    let rung = Rung { level: level_at(at), score: Some(confirmed), games: 2 * pairs };
                    return Ok(Ok((at, rung)));
                }
                (sample, score) = (fresh, confirmed);
            }
            // The curve has the scores of the rung below.
            add(&mut curve, at, 1.0 - score.value, sample.total());
            let highest = curve.points().last().map_or(below, |point| point.x);
            let is_low = curve.points().iter().all(|point| point.score() > target);
            let next = if is_low {
                // No height that was played is strong enough: a crossing would be the highest of them.
                highest + step
            } else {
                curve.rough_crossing(target, (below, top)).0
            };
            if is_top(next) && is_top(at) && score.value < TARGET {
                return Ok(Err(LadderEnd::Top));
            }
            at = if is_top(next) { top } else { settled(next) };
        }
        Ok(Err(LadderEnd::NotFound))
    }

    fn pairs_of_test(&self) -> u64 {
        (self.plan.games / 2).max(1)
    }

    /// Plays the games that test a level against the one below. Ends early if the score can't be that of a rung.
    fn test(&mut self, levels: [Level; 2], runner: &mut Runner<'_>) -> Result<Sample, Halt> {
        let mut counts = [0; 5];
        let mut left = self.pairs_of_test();
        loop {
            let batch = TEST_BATCH.min(left);
            left -= batch;
            self.play_counts(levels, batch, &mut counts, runner)?;
            let sample = Sample::new(&counts);
            if left == 0 || is_out(mean(&sample)?) {
                return Ok(sample);
            }
        }
    }

    /// Tests each level against the next.
    fn test_levels(&mut self, levels: &mut [TestedLevel], runner: &mut Runner<'_>) -> Result<(), Halt> {
        let pairs = self.pairs_of_test();
        let lower = levels.iter().skip(1).map(|level| level.nodes);
        let lower: Vec<u64> = lower.collect();
        for (level, below) in levels.iter_mut().zip(lower) {
            let players = [level.nodes, below].map(Level::of_nodes);
            let sample = self.play(players, pairs, runner)?;
            level.score = Some(mean(&sample)?);
            level.games = 2 * pairs;
        }
        Ok(())
    }

    /// Plays pairs between two levels. Returns the scores of the first, by pair.
    fn play(&mut self, levels: [Level; 2], pairs: u64, runner: &mut Runner<'_>) -> Result<Sample, Halt> {
        let mut counts = [0; 5];
        self.play_counts(levels, pairs, &mut counts, runner)?;
        Ok(Sample::new(&counts))
    }

    /// Plays pairs between two levels, and adds the scores of the first to the counts of pairs.
    fn play_counts(
        &mut self,
        levels: [Level; 2],
        pairs: u64,
        counts: &mut [u64; 5],
        runner: &mut Runner<'_>,
    ) -> Result<(), Halt> {
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
                levels,
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
        for score in scores {
            if let Some(count) = counts.get_mut(score) {
                *count += 1;
            }
        }
        Ok(())
    }
}

/// Returns true if a score can't be that of a rung.
fn is_out(score: Estimate) -> bool {
    score.low > TARGET + TOLERANCE || score.high < TARGET - TOLERANCE
}

/// Returns the mean score of a sample with its interval.
fn mean(sample: &Sample) -> Result<Estimate, StudyError> {
    sample.estimate().ok_or(StudyError::Failed)
}

/// Adds a mean score of pairs to a curve, as wins and losses.
fn add(curve: &mut Curve, at: f64, mean: f64, pairs: f64) {
    let games = (2.0 * pairs) as u64;
    let wins = ((2.0 * pairs * mean).round() as u64).min(games);
    curve.add(at, Results { wins, draws: 0, losses: games - wins });
}
