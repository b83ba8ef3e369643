//! The fair komi: the one at which the first mover scores one half when the game is played at that komi.
//!
//! A komi changes how a player plays: whoever has won with it need not win by more. So margins of games at one komi say
//! little about another one, and only results at the komi that was played count. Margins choose where to look first.
//! The search is sequential: each batch of games is played around the fair komi that the earlier ones suggest.

use std::cell::OnceCell;

use crate::intervals::curve::{Crossing, Curve};
use crate::intervals::{CHI_SQUARED_95, Estimate};
use crate::rules::HalfPoints;

/// Games of the first batch.
const FIRST_BATCH: usize = 16;

/// Maximum number of games of a batch.
const LARGEST_BATCH: usize = 96;

/// Minimum number of games before the search may end: intervals of fewer games are too short too often.
const FEWEST: u64 = 96;

/// Games from which on the search ends at the length that is asked for. Of `n` games fewer, the interval must be shorter
/// by the factor √(`n` / `ENOUGH`): where few games seem to suffice, the curve often only looks steep by chance.
const ENOUGH: u64 = 400;

/// Smallest and largest distance of the outer komis from the fair one, in points.
///
/// Between them it is the length of the interval. Games far away measure the slope, without which intervals of few games
/// would be very long. But the true curve is not quite the fitted one, so they would pull a precise estimate aside.
const DISTANCES: (f64, f64) = (1.0, 4.0);

/// Distance from the fair komi within which games count, in lengths of the interval; and the smallest one, in points.
const WINDOW: f64 = 3.0;
const NEAREST: f64 = 2.0;

/// Deviance at the ends of the interval of a probit curve, after few games and after [`ENOUGH`].
///
/// Games end when the interval is short: intervals that are too short by chance would end them too soon, and cover in 92 %
/// of simulated searches with [`CHI_SQUARED_95`]. After few games the interval of a local fit makes it longer. All numbers
/// here are chosen so that from 93 to 98 % cover, curves of no such shape as well.
const DEVIANCE_OF_FEW: f64 = 3.6;
const DEVIANCE: f64 = 4.7;

/// Limits of what the interval of a local fit adds to that of the probit curve: where few games were played, nothing else
/// bounds it.
struct Beyond {
    /// Deviance at the ends of the interval of the local fit.
    deviance: f64,
    /// Lengths of the interval of the probit curve.
    lengths: f64,
    /// Points.
    points: f64,
}

/// Where games contradict the curve.
const BEYOND: Beyond = Beyond { deviance: CHI_SQUARED_95, lengths: 2.0, points: f64::INFINITY };

/// Where fewer than [`ENOUGH`] do, after which the interval of the probit curve is long itself.
const BEYOND_OF_FEW: Beyond = Beyond { deviance: CHI_SQUARED_95, lengths: 0.75, points: 1.5 };

/// Where fewer do not contradict the curve, which they could hardly do.
const BEYOND_A_FIT: Beyond = Beyond { deviance: 2.7, lengths: 0.5, points: 0.8 };

/// Sequential search for the fair komi.
#[derive(Clone, Debug)]
pub struct KomiSearch {
    curve: Curve,
    /// Lowest and highest komi that could be fair.
    range: (f64, f64),
    /// Maximum number of games.
    games: u64,
    /// The search ends when the interval is at most twice as long, or shorter after few games.
    precision: f64,
    /// Komi of a game with the margin of the first mover without komi.
    margins: Vec<(f64, f64)>,
    /// Fit of the curve, until the next game.
    fit: OnceCell<Crossing>,
}

impl KomiSearch {
    /// Starts a search for a komi within a range, with a maximum number of games.
    pub fn new(range: (HalfPoints, HalfPoints), games: u64, precision: f64) -> Self {
        let points = |half_points: HalfPoints| f64::from(half_points.0) / 2.0;
        Self {
            curve: Curve::default(),
            range: (points(range.0), points(range.1)),
            games,
            precision,
            margins: Vec::new(),
            fit: OnceCell::new(),
        }
    }

    /// Adds a game at a komi: the first mover's score in half points, and its margin in points without komi.
    pub fn add(&mut self, komi: HalfPoints, half_points: usize, margin: Option<f64>) {
        let komi = f64::from(komi.0) / 2.0;
        self.curve.add_game(komi, half_points);
        self.fit.take();
        self.margins.extend(margin.map(|margin| (komi, margin)));
    }

    /// Returns the results by komi.
    pub fn curve(&self) -> &Curve {
        &self.curve
    }

    /// Returns true as long as margins say where to look.
    pub fn wants_margins(&self) -> bool {
        !self.curve.brackets(0.5)
    }

    /// Returns the largest number of games that are still to be played.
    pub fn games_left(&self) -> u64 {
        if self.is_precise() { 0 } else { self.games.saturating_sub(self.curve.games()) }
    }

    /// Returns the komis of the games to be played next; none if the interval is short enough or no games are left.
    pub fn next(&self) -> Vec<HalfPoints> {
        let played = self.curve.games();
        let left = usize::try_from(self.games_left()).unwrap_or(usize::MAX);
        let (center, distance) = self.focus();
        let komis = match played {
            0 => [center; 6],
            _ => {
                let (lower, upper) = (center.floor(), center.ceil());
                [lower, (center - distance).round(), upper, lower, (center + distance).round(), upper]
            }
        };
        let batch = (played as usize / 2).clamp(FIRST_BATCH, LARGEST_BATCH);
        let komis = komis.iter().cycle().take(batch.min(left));
        komis.map(|&komi| self.within(komi)).collect()
    }

    /// Estimates the fair komi.
    pub fn fair(&self) -> Estimate {
        self.crossing().place
    }

    /// Fits the curve near the fair komi.
    pub fn crossing(&self) -> Crossing {
        *self.fit.get_or_init(|| self.fitted())
    }

    /// Fits a probit curve to the games near the crossing. If these contradict it, a local fit says where the crossing is.
    /// The interval is that of both then; also after few games, which can't show that a curve fits.
    fn fitted(&self) -> Crossing {
        let probit = self.fitted_probit();
        let distance = (WINDOW * probit.place.width()).max(NEAREST);
        let near = self.curve.near(probit.place.value, distance);
        let contradicts = near.contradicts_model(0.5, self.range);
        let beyond = match (contradicts, self.curve.games() >= ENOUGH) {
            (false, true) => return probit,
            (true, true) => BEYOND,
            (true, false) => BEYOND_OF_FEW,
            (false, false) => BEYOND_A_FIT,
        };
        let mut fit = self.curve.local_crossing(0.5, self.range, beyond.deviance);
        let most = (beyond.lengths * probit.place.width()).min(beyond.points);
        let place = &mut fit.place;
        place.low = place.low.clamp(probit.place.low - most, probit.place.low);
        place.high = place.high.clamp(probit.place.high, probit.place.high + most);
        let value = if contradicts { place.value } else { probit.place.value };
        place.value = value.clamp(place.low, place.high);
        Crossing { is_local: contradicts, spread: if contradicts { fit.spread } else { probit.spread }, ..fit }
    }

    fn fitted_probit(&self) -> Crossing {
        let (center, spread) = self.curve.rough_crossing(0.5, self.range);
        let (_, farthest) = DISTANCES;
        let distance = (2.0 * spread).clamp(farthest, 2.0 * farthest + 2.0);
        let first = self.fitted_near(center, distance);
        let first = first.unwrap_or_else(|| self.curve.crossing(0.5, self.range, self.deviance()));
        let Estimate { value, .. } = first.place;
        let distance = (WINDOW * first.place.width()).max(NEAREST);
        self.fitted_near(value, distance).unwrap_or(first)
    }

    /// Fits the games near a komi, if they are half of all games.
    fn fitted_near(&self, komi: f64, distance: f64) -> Option<Crossing> {
        let near = self.curve.near(komi, distance);
        (2 * near.games() >= self.curve.games()).then(|| near.crossing(0.5, self.range, self.deviance()))
    }

    fn deviance(&self) -> f64 {
        if self.curve.games() < ENOUGH { DEVIANCE_OF_FEW } else { DEVIANCE }
    }

    /// Returns true if the interval is as short as it should be.
    pub fn is_precise(&self) -> bool {
        let played = self.curve.games();
        let share = played.min(ENOUGH) as f64 / ENOUGH as f64;
        played >= FEWEST && self.fair().width() <= 2.0 * self.precision * share.sqrt()
    }

    /// Returns the komi around which to play, and the distance of the outer komis.
    fn focus(&self) -> (f64, f64) {
        if self.curve.games() == 0 {
            return (0.0, 0.0);
        }
        if self.curve.brackets(0.5) {
            let crossing = self.crossing();
            let (nearest, farthest) = DISTANCES;
            let width = crossing.place.width();
            // Without a model, games outside the interval say nothing: the outer ones are played at its ends.
            let distance = if crossing.is_local { (0.5 * width).max(nearest) } else { width.clamp(nearest, farthest) };
            return (crossing.place.value, distance);
        }
        // All komis until now are too low, or all too high: go where the margins point, and at least a little farther.
        let points = self.curve.points();
        let too_low = points.iter().all(|point| point.score() > 0.5);
        let edge = if too_low { points.last() } else { points.first() };
        let edge = edge.map_or(0.0, |point| point.x);
        let margins = self.margins.iter().filter(|(komi, _)| *komi == edge);
        let mut margins: Vec<f64> = margins.map(|&(_, margin)| margin).collect();
        margins.sort_by(f64::total_cmp);
        let median = margins.get(margins.len() / 2).copied().unwrap_or(edge);
        let center = if too_low { median.max(edge + 2.0) } else { median.min(edge - 2.0) };
        (center, 2.0)
    }

    /// Returns the nearest komi within the range.
    fn within(&self, komi: f64) -> HalfPoints {
        let (low, high) = self.range;
        HalfPoints((2.0 * komi.clamp(low, high)).round() as i32)
    }
}
