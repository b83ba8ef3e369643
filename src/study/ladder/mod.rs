//! The ladder: levels of the engine of which each scores 60 % against the one below, from random play to the best.
//!
//! The number of rungs is a lower bound on the depth of the game: a better player, or one with more nodes, adds rungs
//! and takes none away.

mod duel;

use std::sync::Arc;

use super::balance::curve::{Curve, Estimate};
use super::balance::{BalanceError, Plan, Runner, at_komi, fair_komi, komi_range};
use crate::arena::record::Opening;
use crate::arena::statistics::Sample;
use crate::arena::tournament::{OpeningSource, Openings};
use crate::games;
use crate::rules::{Board, HalfPoints, Variant};
use duel::{Duel, play_duels};

pub use duel::Level;

/// Score of each rung against the one below.
pub const TARGET: f64 = 0.6;

/// Largest distance of a rung's score from [`TARGET`].
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

/// Largest distance from one half of the expected score after an opening.
const BALANCE: f64 = 0.1;

/// Times that a rung is tested on fresh games and moved if it misses.
const TRIES: u32 = 8;

/// A rung of the ladder.
#[derive(Clone, PartialEq, Debug)]
pub struct Rung {
    /// The level.
    pub level: Level,
    /// Score against the rung below, by games that did not choose the level; `None` for the lowest rung.
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
}

impl Ladder {
    /// Returns the node limits of levels of which each scores about 75 % against the next, the strongest first.
    ///
    /// Scores become differences in strength by the logistic curve, and add up from rung to rung. Levels lie between
    /// rungs that search every move, and end where rungs play random moves.
    pub fn levels(&self) -> Vec<u64> {
        let strength = |score: f64| libm::log(score / (1.0 - score));
        let (mut levels, mut below_last) = (Vec::new(), 0.0);
        for pair in self.rungs.windows(2).rev() {
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
    match height < 1.0 {
        true => Level {
            searched: height.max(0.0),
            nodes: BASE_NODES,
        },
        false => Level {
            searched: 1.0,
            nodes: (BASE_NODES as f64 * libm::exp2(height - 1.0)).round() as u64,
        },
    }
}

/// Returns the height of a search by its nodes.
fn height_of(nodes: u64) -> f64 {
    1.0 + libm::log2(nodes.max(BASE_NODES) as f64 / BASE_NODES as f64)
}

/// Builds a ladder. `done` gets each rung.
///
/// # Errors
/// If the variant can't be opened, or if games can't be played to their end.
pub fn ladder(
    variant: &Variant,
    plan: &LadderPlan,
    runner: &mut Runner<'_>,
    done: &mut dyn FnMut(&Rung),
) -> Result<Ladder, BalanceError> {
    let variant = with_fair_komi(variant, plan, runner)?;
    let source = OpeningSource::Random {
        steps: plan.random_steps,
        bound: BALANCE,
    };
    let not_opened = || BalanceError::NotOpened(variant.clone());
    let mut builder = Builder {
        openings: Openings::new(source, &variant, plan.seed).ok_or_else(not_opened)?,
        start: games::open(&variant).ok_or_else(not_opened)?,
        plan,
        pairs: 0,
        games: 0,
    };
    let mut rungs = vec![Rung {
        level: level_at(0.0),
        score: None,
        games: 0,
    }];
    rungs.iter().for_each(&mut *done);
    let top = height_of(plan.most_nodes);
    let (mut height, mut stride) = (0.0, 0.1);
    while let Some((next, rung)) = builder.next_rung(height, stride, top, runner)? {
        done(&rung);
        rungs.push(rung);
        stride = next - height;
        height = next;
    }
    Ok(Ladder {
        variant,
        rungs,
        games: builder.games,
    })
}

/// Returns the variant at a fair komi, if its game has komi and the variant none yet.
fn with_fair_komi(
    variant: &Variant,
    plan: &LadderPlan,
    runner: &mut Runner<'_>,
) -> Result<Variant, BalanceError> {
    if komi_range(variant).is_err() {
        return Ok(variant.clone());
    }
    let plan = Plan::new("komi", KOMI_GAMES, plan.random_steps, plan.seed);
    let nodes = KOMI_NODES;
    let fair = fair_komi(variant, nodes, &plan, runner)?;
    if fair.is_interrupted {
        return Err(BalanceError::Interrupted);
    }
    let komi = HalfPoints(2 * fair.crossing.place.value.round() as i32);
    at_komi(variant, komi)
}

struct Builder<'a> {
    openings: Openings,
    start: Box<dyn Board>,
    plan: &'a LadderPlan,
    /// Number of pairs played: each has an opening of its own.
    pairs: u64,
    games: u64,
}

impl Builder<'_> {
    /// Looks for the next rung above a height, and tests it. Returns `None` if there is none below the top.
    fn next_rung(
        &mut self,
        below: f64,
        stride: f64,
        top: f64,
        runner: &mut Runner<'_>,
    ) -> Result<Option<(f64, Rung)>, BalanceError> {
        if top - below < 1e-9 {
            return Ok(None);
        }
        // Scores of the rung below, which fall with the height of its opponent.
        let mut curve = Curve::default();
        let target = 1.0 - TARGET;
        let pairs = (self.plan.games / 2).max(1);
        let (mut looked, mut at) = (0, (below + stride).min(top));
        let mut step = stride;
        while looked < pairs {
            let batch = BATCH.min(pairs - looked);
            let sample = self.play(below, at, batch, runner)?;
            looked += batch;
            add(&mut curve, at, &sample);
            let points = curve.points();
            let is_low = points.iter().all(|point| point.score() > target);
            let is_high = points.iter().all(|point| point.score() < target);
            let highest = points.last().map_or(below, |point| point.x);
            let lowest = points.first().map_or(top, |point| point.x);
            at = if is_low {
                if highest >= top - 1e-9 && looked >= pairs / 2 {
                    // Even the best is not strong enough for another rung.
                    return Ok(None);
                }
                step *= 2.0;
                (highest + step).min(top)
            } else if is_high {
                below + 0.5 * (lowest - below)
            } else {
                curve.rough_crossing(target, (below, top)).0
            };
        }
        for _ in 0..TRIES {
            let level = level_at(at);
            let sample = self.play(below, at, pairs, runner)?;
            let (Some(value), Some((low, high))) = (sample.mean(), sample.interval()) else {
                return Err(BalanceError::Failed);
            };
            // The sample has the scores of the rung below.
            let score = Estimate {
                value: 1.0 - value,
                low: 1.0 - high,
                high: 1.0 - low,
            };
            if (score.value - TARGET).abs() <= TOLERANCE {
                let rung = Rung {
                    level,
                    score: Some(score),
                    games: 2 * pairs,
                };
                return Ok(Some((at, rung)));
            }
            add(&mut curve, at, &sample);
            let next = curve.rough_crossing(target, (below, top)).0;
            if next >= top - 1e-9 && score.value < TARGET {
                return Ok(None);
            }
            at = next;
        }
        Ok(None)
    }

    /// Plays pairs between the levels at two heights. Returns the scores of the first, by pair.
    fn play(
        &mut self,
        one: f64,
        other: f64,
        pairs: u64,
        runner: &mut Runner<'_>,
    ) -> Result<Sample, BalanceError> {
        let never = crossbeam_channel::never();
        let mut openings: Vec<Box<dyn Board>> = Vec::new();
        for number in 1..=pairs {
            let opening = self.openings.get(self.pairs + number, &never);
            let opening: Arc<Opening> = opening.ok_or(BalanceError::Failed)?;
            openings.push(self.after(&opening)?);
        }
        let levels = [one, other].map(level_at);
        let duels = openings
            .iter()
            .zip(self.pairs..)
            .flat_map(|(opening, pair)| {
                [0, 1].map(|black| Duel {
                    opening: &**opening,
                    levels,
                    black,
                    seed: self.plan.seed.wrapping_add(pair * 2 + black as u64),
                })
            });
        let duels: Vec<Duel<'_>> = duels.collect();
        let (before, all) = (self.games, self.games + duels.len() as u64);
        let on_progress = &mut *runner.on_progress;
        let mut on_game = |played: u64| on_progress(before + played, all - before - played);
        let scores = play_duels(
            &duels,
            runner.threads,
            runner.stop,
            runner.clock,
            &mut on_game,
        )?;
        self.pairs += pairs;
        self.games = all;
        let mut counts = [0; 5];
        for pair in scores.chunks(2) {
            if let Some(count) = counts.get_mut(pair.iter().sum::<usize>()) {
                *count += 1;
            }
        }
        Ok(Sample::new(&counts))
    }

    /// Returns a board after an opening.
    fn after(&self, opening: &Opening) -> Result<Box<dyn Board>, BalanceError> {
        let mut board = self.start.fork();
        for text in opening.moves.iter().flat_map(|text| text.split(',')) {
            let step = board.find_step(text).map_err(|_| BalanceError::Failed)?;
            board.make(step);
        }
        Ok(board)
    }
}

/// Adds the mean score of pairs to a curve, as wins and losses.
fn add(curve: &mut Curve, at: f64, sample: &Sample) {
    let (Some(mean), total) = (sample.mean(), sample.total()) else {
        return;
    };
    let wins = (2.0 * total * mean).round() as u64;
    let losses = (2.0 * total) as u64 - wins.min((2.0 * total) as u64);
    curve.add(at, [losses, 0, wins]);
}
