//! A falling curve of scores, such as the first mover's score by komi, and the place where it crosses a score.
//!
//! The model is a probit regression: the score at `x` is Φ((c − x) / s), where `c` is the place of one half and `s` the
//! spread. Wins, draws and losses at each place have free shares beyond their mean score, so that draws count as the
//! little noise that they are. Intervals are those of the profile likelihood. Where the games contradict the model, a
//! local fit takes its place, which knows no shape.

use super::local::LocalFit;
use super::quantiles::{normal, normal_quantile};
use super::{Estimate, Results};

/// Smallest spread, in units of `x`: a smaller one is a step.
const LEAST_SPREAD: f64 = 0.05;

/// Wins, and losses, that are added to the games at a place for a local fit.
const ADDED: f64 = 0.5;

/// Share of its range by which a place may miss that of a least value.
const TOLERANCE: f64 = 1e-4;

/// Maximum number of steps of the search for it.
const MOST_STEPS: u32 = 30;

/// Steps of a bisection.
const HALVINGS: u32 = 16;

/// Places at which the search for the best crossing begins.
const PLACES: u32 = 24;

/// Results at one place of the curve.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Point {
    /// Place, such as a komi.
    pub x: f64,
    /// Results.
    pub results: Results,
}

impl Point {
    /// Returns the number of games.
    pub fn games(&self) -> u64 {
        self.results.games()
    }

    /// Returns the mean score, from 0 to 1; one half without games.
    pub fn score(&self) -> f64 {
        if self.games() == 0 { 0.5 } else { self.results.share() }
    }

    fn counts(&self) -> [f64; 3] {
        let [losses, draws, wins] = self.results.by_outcome();
        [losses as f64, draws as f64, wins as f64]
    }

    /// Returns twice the log-likelihood ratio of the counts' own shares against the best with a mean score, after half a
    /// win and half a loss are added: without them a few games that were all won would exclude too much.
    pub(super) fn deviance(&self, mean: f64) -> f64 {
        let [losses, draws, wins] = self.counts();
        let counts = [losses + ADDED, draws, wins + ADDED];
        2.0 * (best_log_likelihood(counts) - log_likelihood(counts, mean.clamp(1e-12, 1.0 - 1e-12)))
    }
}

fn term(count: f64, share: f64) -> f64 {
    if count == 0.0 { 0.0 } else { count * share.max(1e-300).ln() }
}

/// Returns the largest log-likelihood of counts of losses, draws and wins with a mean score between 0 and 1.
///
/// Half the share of draws, `u`, solves a quadratic equation; the other shares follow from the mean.
fn log_likelihood([losses, draws, wins]: [f64; 3], mean: f64) -> f64 {
    let games = losses + draws + wins;
    let b = draws + losses * mean + wins * (1.0 - mean);
    let product = mean * (1.0 - mean);
    let root = (b * b - 4.0 * games * draws * product).max(0.0).sqrt();
    let u = match b + root {
        0.0 => 0.0,
        sum => 2.0 * draws * product / sum,
    };
    term(losses, 1.0 - mean - u) + term(draws, 2.0 * u) + term(wins, mean - u)
}

/// Returns the log-likelihood of counts with their own shares.
fn best_log_likelihood(counts: [f64; 3]) -> f64 {
    let games: f64 = counts.iter().sum();
    counts.iter().map(|&count| term(count, count / games)).sum()
}

/// Place where a curve crosses a score.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Crossing {
    /// Place.
    pub place: Estimate,
    /// Spread of the fitted curve: the score is 84 % this far below the place of one half.
    pub spread: f64,
    /// True if no such curve fits, and the place is that of a local fit.
    pub is_local: bool,
}

/// Results at the places of a curve.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Curve {
    /// In order of place.
    points: Vec<Point>,
}

impl Curve {
    /// Adds games at a place.
    pub fn add(&mut self, x: f64, results: Results) {
        let place = self.points.partition_point(|point| point.x < x);
        match self.points.get_mut(place).filter(|point| point.x == x) {
            Some(point) => point.results = point.results.with(results),
            None => self.points.insert(place, Point { x, results }),
        }
    }

    /// Adds one game at a place, with its score in half points: 0, 1 or 2.
    pub fn add_game(&mut self, x: f64, half_points: usize) {
        self.add(x, Results::from_iter([half_points]));
    }

    /// Returns the results, in order of place.
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// Returns the number of games.
    pub fn games(&self) -> u64 {
        self.points.iter().map(Point::games).sum()
    }

    /// Returns the part of the curve around a place.
    pub fn near(&self, place: f64, distance: f64) -> Self {
        let points = self.points.iter();
        Self { points: points.filter(|point| (point.x - place).abs() <= distance).copied().collect() }
    }

    /// Returns true if some place scores above `score` and some place below it, or a place exactly that.
    pub fn brackets(&self, score: f64) -> bool {
        let above = self.points.iter().any(|point| point.score() >= score);
        above && self.points.iter().any(|point| point.score() <= score)
    }

    /// Estimates where the curve crosses a score between 0 and 1, within a range of places. The ends of the interval have
    /// a deviance so much larger than the estimate.
    pub fn crossing(&self, score: f64, range: (f64, f64), deviance: f64) -> Crossing {
        let fit = Fit::new(&self.points, score, range);
        let value = fit.best(self.likely(score, range));
        let least = fit.deviance(value);
        // Finds the end of the interval between the best place and an end of the range.
        let end = |limit: f64| {
            let (mut inside, mut outside) = (value, limit);
            let is_possible = |x: f64| fit.deviance(x) - least <= deviance;
            if is_possible(limit) {
                return limit;
            }
            for _ in 0..HALVINGS {
                let middle = 0.5 * (inside + outside);
                let end = if is_possible(middle) { &mut inside } else { &mut outside };
                *end = middle;
            }
            outside
        };
        let place = Estimate { value, low: end(range.0), high: end(range.1) };
        Crossing { place, spread: fit.best_spread(value), is_local: false }
    }

    /// Estimates where the curve crosses a score, as [`Curve::crossing`] does, but without a model of its shape.
    pub fn local_crossing(&self, score: f64, range: (f64, f64), deviance: f64) -> Crossing {
        let (guess, spread) = self.rough_crossing(score, range);
        let [value, low, high] = LocalFit::new(&self.points, score, range).crossing(guess, deviance);
        Crossing { place: Estimate { value, low, high }, spread, is_local: true }
    }

    /// Returns true if the games contradict the model: the deviance of the fit from free scores is half a standard
    /// deviation above its mean. With so low a threshold bad fits hardly ever pass, and good ones seldom fail.
    pub fn contradicts_model(&self, score: f64, range: (f64, f64)) -> bool {
        let fit = Fit::new(&self.points, score, range);
        let freedom = self.points.len() as f64 - 2.0;
        let deviance = fit.deviance(fit.best(self.likely(score, range)));
        freedom > 0.0 && deviance > freedom + 0.5 * (2.0 * freedom).sqrt()
    }

    /// Estimates where the curve crosses a score, without an interval, and its spread.
    pub fn rough_crossing(&self, score: f64, range: (f64, f64)) -> (f64, f64) {
        let fit = Fit::new(&self.points, score, range);
        let value = fit.best(self.likely(score, range));
        (value, fit.best_spread(value))
    }

    /// Returns the part of a range where the crossing is: between the places, if these have scores on both sides.
    ///
    /// Without this, few games whose scores rise by chance would move the estimate to an end of the range.
    fn likely(&self, score: f64, range: (f64, f64)) -> (f64, f64) {
        match (self.points.first(), self.points.last()) {
            (Some(first), Some(last)) if self.brackets(score) => (first.x, last.x),
            _ => range,
        }
    }
}

/// Fit of a curve that crosses a score.
struct Fit {
    /// Places, and losses, draws and wins there.
    points: Vec<(f64, [f64; 3])>,
    /// Twice the log-likelihood of free scores.
    best: f64,
    /// Quantile of the normal distribution at the score of the crossing.
    offset: f64,
    /// Largest spread.
    most_spread: f64,
}

impl Fit {
    fn new(points: &[Point], score: f64, range: (f64, f64)) -> Self {
        let points: Vec<_> = points.iter().map(|point| (point.x, point.counts())).collect();
        Self {
            best: 2.0 * points.iter().map(|&(_, counts)| best_log_likelihood(counts)).sum::<f64>(),
            points,
            offset: normal_quantile(score),
            most_spread: (0.5 * (range.1 - range.0)).max(2.0 * LEAST_SPREAD),
        }
    }

    /// Returns the best place of the crossing in a range.
    fn best(&self, (from, to): (f64, f64)) -> f64 {
        let place = |index: u32| from + (to - from) * f64::from(index) / f64::from(PLACES);
        let deviances = (0..=PLACES).map(|index| (index, self.deviance(place(index))));
        let best = deviances.min_by(|(_, a), (_, b)| a.total_cmp(b));
        let index = best.map_or(0, |(index, _)| index);
        let around = (place(index.saturating_sub(1)), place((index + 1).min(PLACES)));
        least_at(around, |x| self.deviance(x))
    }

    /// Returns the deviance of a crossing with the spread that fits it best.
    fn deviance(&self, crossing: f64) -> f64 {
        self.deviance_with(crossing, self.best_spread(crossing))
    }

    /// Returns the spread that fits a crossing best.
    fn best_spread(&self, crossing: f64) -> f64 {
        let (least, most) = (LEAST_SPREAD, self.most_spread);
        let logarithm = least_at((least.ln(), most.ln()), |logarithm| self.deviance_with(crossing, logarithm.exp()));
        logarithm.exp()
    }

    /// Returns twice the log-likelihood ratio of free scores against those of a curve.
    fn deviance_with(&self, crossing: f64, spread: f64) -> f64 {
        let deviance = |&(x, counts): &(f64, [f64; 3])| {
            let score = normal((crossing - x) / spread + self.offset);
            let score = score.clamp(1e-12, 1.0 - 1e-12);
            -2.0 * log_likelihood(counts, score)
        };
        self.best + self.points.iter().map(deviance).sum::<f64>()
    }
}

/// Finds where a function with one minimum is least, by parabolas and, where these fail, golden sections (Brent 1973).
pub(super) fn least_at((mut from, mut to): (f64, f64), value: impl Fn(f64) -> f64) -> f64 {
    const SECTION: f64 = 0.381_966_011_250_105;
    let tolerance = TOLERANCE * (to - from);
    let first = from + SECTION * (to - from);
    let at_first = value(first);
    // The best place, the second best, and the one that was second best before, each with its value.
    let (mut best, mut second, mut third) = ((first, at_first), (first, at_first), (first, at_first));
    let (mut step, mut step_before) = (0.0_f64, 0.0_f64);
    for _ in 0..MOST_STEPS {
        let ((x, at_x), (w, at_w), (v, at_v)) = (best, second, third);
        let middle = 0.5 * (from + to);
        if (x - middle).abs() + 0.5 * (to - from) <= 2.0 * tolerance {
            break;
        }
        // The parabola through the three is least at `x + p / q`.
        let (r, q) = ((x - w) * (at_x - at_v), (x - v) * (at_x - at_w));
        let (p, q) = ((x - w) * r - (x - v) * q, 2.0 * (q - r));
        let is_inside = q != 0.0 && (from - x < p / q) && (p / q < to - x);
        if is_inside && (p / q).abs() < 0.5 * step_before.abs() {
            (step_before, step) = (step, p / q);
        } else {
            step_before = if x < middle { to - x } else { from - x };
            step = SECTION * step_before;
        }
        let place = x + if step.abs() < tolerance { tolerance.copysign(step) } else { step };
        let next = (place, value(place));
        if next.1 <= at_x {
            *(if place < x { &mut to } else { &mut from }) = x;
            (best, second, third) = (next, best, second);
        } else {
            *(if place < x { &mut from } else { &mut to }) = place;
            if next.1 <= at_w || w == x {
                (second, third) = (next, second);
            } else if next.1 <= at_v || v == x || v == w {
                third = next;
            }
        }
    }
    best.0
}
