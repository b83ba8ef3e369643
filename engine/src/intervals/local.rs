//! Where a curve of no known shape crosses a score.
//!
//! All that is assumed is that mean scores fall from place to place, and that between two places one apart the curve is
//! straight. So the games next to a crossing say where it is, and those farther away, neighbors pooled where they must be,
//! say where it can't be.

use super::curve::{Point, least_at};

/// Parts into which the way from one place to the next is cut in search of the crossing.
const PARTS: u32 = 16;

/// Steps of a bisection between two of them.
const HALVINGS: u32 = 10;

/// Largest distance of places between which the curve is straight.
const STRAIGHT: f64 = 1.0 + 1e-9;

/// Difference of deviances that is no difference.
const EQUAL: f64 = 1e-3;

/// Crossings of a curve through points, in order of place.
pub(super) struct LocalFit<'a> {
    points: &'a [Point],
    score: f64,
    range: (f64, f64),
}

impl<'a> LocalFit<'a> {
    pub(super) fn new(points: &'a [Point], score: f64, range: (f64, f64)) -> Self {
        Self { points, score, range }
    }

    /// Returns the most likely crossing, of several that nearest to `guess`, and the ends of all whose deviance is at most
    /// so much larger.
    pub(super) fn crossing(&self, guess: f64, deviance: f64) -> [f64; 3] {
        let places: Vec<(f64, f64)> = self.places().into_iter().map(|at| (at, self.deviance(at))).collect();
        let least = places.iter().map(|(_, of)| *of).fold(f64::INFINITY, f64::min);
        let best = places.iter().filter(|(_, of)| *of <= least + EQUAL).map(|(at, _)| *at);
        let best = best.min_by(|a, b| (a - guess).abs().total_cmp(&(b - guess).abs())).unwrap_or(guess);
        let is_possible = |of: f64| of - least <= deviance;
        let end = |mut inside: f64, mut outside: f64| {
            for _ in 0..HALVINGS {
                let middle = 0.5 * (inside + outside);
                *(if is_possible(self.deviance(middle)) { &mut inside } else { &mut outside }) = middle;
            }
            outside
        };
        let (mut low, mut high) = (best, best);
        for pair in places.windows(2) {
            let &[(before, of_before), (after, of_after)] = pair else { continue };
            match (is_possible(of_before), is_possible(of_after)) {
                (true, true) => (low, high) = (low.min(before), high.max(after)),
                (true, false) => (low, high) = (low.min(before), high.max(end(before, after))),
                (false, true) => (low, high) = (low.min(end(after, before)), high.max(after)),
                (false, false) => {}
            }
        }
        [best, low, high]
    }

    /// Returns places of which one is near each crossing, in order.
    fn places(&self) -> Vec<f64> {
        let (from, to) = self.range;
        let mut places = vec![from];
        let mut last: Option<f64> = None;
        for point in self.points {
            let begin = last.unwrap_or(from);
            let part = |index: u32| begin + (point.x - begin) * f64::from(index) / f64::from(PARTS);
            places.extend((1..PARTS).map(part));
            places.push(point.x);
            last = Some(point.x);
        }
        places.push(0.5 * (last.unwrap_or(from) + to));
        places.push(to);
        places
    }

    /// Returns the deviance of a crossing: twice the log-likelihood ratio of free scores against those of a falling curve
    /// with it.
    fn deviance(&self, crossing: f64) -> f64 {
        let after = self.points.partition_point(|point| point.x <= crossing);
        let (before, after) = self.points.split_at(after);
        let neighbors = match (before, after) {
            ([before @ .., left], [right, after @ ..]) if right.x - left.x <= STRAIGHT => {
                Some((before, left, right, after))
            }
            _ => None,
        };
        let Some((before, left, right, after)) = neighbors else {
            // The score at the crossing itself is the one that is crossed.
            let at = before.last().filter(|point| point.x == crossing && point.score() > self.score);
            let at = at.map_or(0.0, |point| point.deviance(self.score));
            return falling(before, (self.score, 1.0)) + at + falling(after, (0.0, self.score));
        };
        // The straight line through the crossing falls from `score + share * fall` to `score - (1 - share) * fall`.
        let share = (crossing - left.x) / (right.x - left.x);
        let most = (1.0 - self.score) / share.max(1e-9);
        let most = most.min(self.score / (1.0 - share).max(1e-9));
        let of_fall = |fall: f64| {
            let (high, low) = (self.score + share * fall, self.score - (1.0 - share) * fall);
            left.deviance(high) + right.deviance(low) + falling(before, (high, 1.0)) + falling(after, (0.0, low))
        };
        let fall = least_at((0.0, most), of_fall);
        of_fall(fall).min(of_fall(0.0))
    }
}

/// Returns the deviance of the falling scores within bounds that fit points best: neighbors whose scores rise are pooled
/// (isotonic regression), and means outside the bounds are moved to them.
fn falling(points: &[Point], (low, high): (f64, f64)) -> f64 {
    // Score and number of the games of each block, and its number of points.
    let mut blocks: Vec<(f64, f64, usize)> = Vec::with_capacity(points.len());
    for point in points {
        let games = point.games() as f64;
        let mut block = (games * point.score(), games, 1);
        while let Some(&(score, games, count)) = blocks.last()
            && score * block.1 <= block.0 * games
        {
            block = (block.0 + score, block.1 + games, block.2 + count);
            blocks.pop();
        }
        blocks.push(block);
    }
    let mut rest = points.iter();
    let deviance = |(score, games, count): (f64, f64, usize)| {
        let mean = (score / games).clamp(low, high);
        rest.by_ref().take(count).filter(|point| point.score() != mean).map(|point| point.deviance(mean)).sum::<f64>()
    };
    blocks.into_iter().map(deviance).sum()
}
