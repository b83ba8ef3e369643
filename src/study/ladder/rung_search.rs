//! The search for the next rung: games that choose its level, then fresh games that confirm it.
//!
//! Whoever tests levels until one passes finds one that was lucky. So the games that choose a level never count for its
//! score, and a level is confirmed by fresh games once: their score is the rung's, whatever it is. Only where they
//! contradict the level another one is chosen. Such tries are counted, and the interval is that of as many statements.

use crate::intervals::curve::Curve;
use crate::intervals::{Estimate, Results, Sample};

use super::LadderEnd;
use super::duel::Level;

/// Score of each rung against the one below.
pub const TARGET: f64 = 0.6;

/// Distance of a score from [`TARGET`] that does not contradict a rung.
pub const TOLERANCE: f64 = 0.03;

/// Nodes of searches below which a level is weakened by random moves instead.
const BASE_NODES: u64 = 8;

/// Pairs of games of a batch that looks for the rung.
const BATCH: u64 = 24;

/// Pairs of games that choose a level, for each that confirms it; and the most, where no level was strong or weak enough.
const LOOKS: u64 = 2;
const MOST_LOOKS: u64 = 12;

/// Share of the heights that were played, next to an end of which a crossing is that end.
const EDGE: f64 = 0.02;

/// Share of the way to the top from which on games tell of the top.
const NEAR_TOP: f64 = 0.9;

/// Times that a level is confirmed, if earlier ones were contradicted.
const TRIES: u64 = 4;

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
pub fn height_of(nodes: u64) -> f64 {
    1.0 + libm::log2(nodes.max(BASE_NODES) as f64 / BASE_NODES as f64)
}

/// Games to be played next: pairs of the level at a height against the level below.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Trial {
    /// Height of the level.
    pub at: f64,
    /// Number of pairs.
    pub pairs: u64,
}

/// A level that was confirmed.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Confirmed {
    /// Its height.
    pub at: f64,
    /// Score against the level below, by the games that confirmed it.
    pub score: Estimate,
    /// Number of tries, 1 unless earlier ones were contradicted.
    pub tries: u64,
}

/// Sequential search for the level that scores [`TARGET`] against another one.
#[derive(Clone, Debug)]
pub struct RungSearch {
    /// Scores of the level below, which fall with the height of its opponent.
    curve: Curve,
    below: f64,
    top: f64,
    /// Distance by which the height grows while no level is strong enough.
    step: f64,
    /// Pairs that confirm a level.
    pairs: u64,
    /// Pairs that have chosen.
    looked: u64,
    at: f64,
    tries: u64,
    stage: Stage,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Stage {
    Choosing,
    Confirming,
    Over(Result<Confirmed, LadderEnd>),
}

impl RungSearch {
    /// Starts a search above a height, up to the top, first at a distance. `pairs` confirm a level.
    pub fn new(below: f64, stride: f64, top: f64, pairs: u64) -> Self {
        Self {
            curve: Curve::default(),
            below,
            top,
            step: stride,
            pairs: pairs.max(1),
            looked: 0,
            at: settled((below + stride).min(top)),
            tries: 0,
            stage: if is_top(below, top) { Stage::Over(Err(LadderEnd::Top)) } else { Stage::Choosing },
        }
    }

    /// Returns the games to be played next; `None` at the end.
    pub fn next(&self) -> Option<Trial> {
        let pairs = match self.stage {
            Stage::Choosing => BATCH.min(self.pairs),
            Stage::Confirming => self.pairs,
            Stage::Over(_) => return None,
        };
        Some(Trial { at: self.at, pairs })
    }

    /// Returns the rung, or the reason why there is none; `None` before the end.
    pub fn end(&self) -> Option<Result<Confirmed, LadderEnd>> {
        match self.stage {
            Stage::Over(end) => Some(end),
            _ => None,
        }
    }

    /// Adds the games of [`RungSearch::next`]: the number of pairs by the half points of the upper level in both games.
    pub fn add(&mut self, counts: [u64; 5]) {
        match self.stage {
            Stage::Choosing => self.add_choosing(counts),
            Stage::Confirming => self.add_confirming(counts),
            Stage::Over(_) => {}
        }
    }

    fn add_choosing(&mut self, counts: [u64; 5]) {
        self.looked += counts.iter().sum::<u64>();
        self.add_to_curve(counts);
        let target = 1.0 - TARGET;
        let points = self.curve.points();
        let is_low = points.iter().all(|point| point.score() > target);
        let is_high = points.iter().all(|point| point.score() < target);
        let (lowest, highest) = self.played();
        let crossing = self.crossing();
        // At an edge of what was played, a score on the other side is likely chance.
        let edge = EDGE * (highest - lowest);
        let (is_above, is_below) = (is_low || crossing > highest - edge, is_high || crossing < lowest + edge);
        let is_at_top = is_top(highest, self.top);
        let is_settled = !is_low && !is_high && !is_below && (!is_above || is_at_top);
        if is_above && is_at_top && self.is_top_too_weak() {
            self.stage = Stage::Over(Err(LadderEnd::Top));
        } else if is_settled && self.looked >= LOOKS * self.pairs {
            self.stage = Stage::Confirming;
        } else if self.looked >= MOST_LOOKS * self.pairs {
            self.stage = Stage::Over(Err(LadderEnd::NotFound));
        }
        let next = if is_above {
            let next = highest + self.step;
            self.step *= if is_low { 2.0 } else { 1.0 };
            next
        } else if is_below {
            self.below + 0.5 * (lowest - self.below)
        } else {
            crossing
        };
        self.move_to(next);
    }

    /// Returns true if even the best level is not strong enough for another rung: surely, or as far as enough games say.
    fn is_top_too_weak(&self) -> bool {
        let near = self.below + NEAR_TOP * (self.top - self.below);
        let near_top = self.curve.points().iter().filter(|point| point.x >= near);
        let results = near_top.fold(Results::default(), |sum, point| sum.with(point.results));
        let score = results.sample().estimate();
        let is_sure = score.is_some_and(|score| score.low > 1.0 - TARGET + TOLERANCE);
        is_sure || results.games() >= 2 * LOOKS * self.pairs && results.share() > 1.0 - TARGET + TOLERANCE
    }

    fn add_confirming(&mut self, counts: [u64; 5]) {
        self.tries += 1;
        let Some(score) = Estimate::of_counts_among(&counts, self.tries) else {
            return;
        };
        if score.low <= TARGET + TOLERANCE && score.high >= TARGET - TOLERANCE {
            let confirmed = Confirmed { at: self.at, score, tries: self.tries };
            self.stage = Stage::Over(Ok(confirmed));
            return;
        }
        // Now they choose, with the others.
        self.add_to_curve(counts);
        let target = 1.0 - TARGET;
        let is_low = self.curve.points().iter().all(|point| point.score() > target);
        let (_, highest) = self.played();
        // Without a height that is strong enough, a crossing would be the highest that was played.
        let next = if is_low { highest + self.step } else { self.crossing() };
        if is_top(next, self.top) && is_top(self.at, self.top) && score.value < TARGET {
            self.stage = Stage::Over(Err(LadderEnd::Top));
        } else if self.tries >= TRIES {
            self.stage = Stage::Over(Err(LadderEnd::NotFound));
        }
        self.move_to(next);
    }

    fn move_to(&mut self, next: f64) {
        self.at = if is_top(next, self.top) { self.top } else { settled(next) };
    }

    /// Returns the lowest and the highest height that was played.
    fn played(&self) -> (f64, f64) {
        let points = self.curve.points();
        let lowest = points.first().map_or(self.top, |point| point.x);
        (lowest, points.last().map_or(self.below, |point| point.x))
    }

    /// Returns the height at which the level below scores what it should.
    fn crossing(&self) -> f64 {
        let (place, _) = self.curve.rough_crossing(1.0 - TARGET, (self.below, self.top));
        place
    }

    /// Adds scores of pairs, as wins and losses of the level below.
    fn add_to_curve(&mut self, counts: [u64; 5]) {
        let sample = Sample::new(&counts);
        let games = (2.0 * sample.total()) as u64;
        let losses = (games as f64 * sample.mean().unwrap_or(0.5)).round() as u64;
        let losses = losses.min(games);
        self.curve.add(self.at, Results { wins: games - losses, draws: 0, losses });
    }
}

fn is_top(height: f64, top: f64) -> bool {
    height >= top - 1e-9
}
