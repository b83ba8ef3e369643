//! Errors of fitted ratings: the inverse of the Hessian, scaled by how much the results scatter.

use super::Game;
use super::fit::{Cell, Fit, Model, at};
use super::matrix::Symmetric;

/// Weight of the scatter that the model expects, in pairs or single games.
const EXPECTED: f64 = 3.0;

/// Covariances of the parameters of a fit, in squared logits.
#[derive(Clone, Debug)]
pub(super) struct Errors {
    covariance: Symmetric,
    /// Factors by which the variances of strengths and of advantages exceed those of independent wins and losses.
    pub(super) scatter: [f64; 2],
    players: usize,
}

impl Errors {
    /// Computes the errors of a fit of these games, relative to the mean of each group of players.
    pub(super) fn new(model: &Model, fit: &Fit, games: &[Game], groups: &[Vec<usize>]) -> Self {
        let mut covariance = fit.factor.inverse();
        center(&mut covariance, model, groups);
        let parameters = groups.iter().map(|group| group.len() - 1).sum::<usize>() + model.variants;
        let scatter = scatter(model, fit, games, parameters);
        Self { covariance, scatter, players: model.players }
    }

    /// Returns the variance of the difference of two strengths.
    pub(super) fn of_difference(&self, a: usize, b: usize) -> f64 {
        let variance = self.covariance.get(a, a) + self.covariance.get(b, b) - 2.0 * self.covariance.get(a, b);
        self.scaled(variance, a)
    }

    /// Returns the variance of a parameter.
    pub(super) fn of(&self, place: usize) -> f64 {
        self.scaled(self.covariance.get(place, place), place)
    }

    fn scaled(&self, variance: f64, place: usize) -> f64 {
        let [strength, advantage] = self.scatter;
        variance.max(0.0) * if place < self.players { strength } else { advantage }
    }
}

/// Makes the strengths of a covariance those relative to the mean of each group.
fn center(covariance: &mut Symmetric, model: &Model, groups: &[Vec<usize>]) {
    for group in groups {
        let count = group.len() as f64;
        let size = model.players + model.variants;
        let means: Vec<f64> = (0..size)
            .map(|place| group.iter().map(|&player| covariance.get(place, player)).sum::<f64>() / count)
            .collect();
        let mean = group.iter().map(|&player| at(&means, player)).sum::<f64>() / count;
        let mut is_member = vec![false; size];
        for &player in group {
            if let Some(member) = is_member.get_mut(player) {
                *member = true;
            }
        }
        let member = |place: usize| is_member.get(place).copied().unwrap_or(false);
        for a in 0..size {
            for b in 0..=a {
                let change = match (member(a), member(b)) {
                    (true, true) => mean - at(&means, a) - at(&means, b),
                    (true, false) => -at(&means, b),
                    (false, true) => -at(&means, a),
                    (false, false) => continue,
                };
                covariance.add(a, b, change);
            }
        }
    }
}

/// Compares the scatter of the results with that of independent wins and losses: less where games are drawn, more or less
/// where the games of a pair depend on each other.
///
/// The first number is that of the results of players against each other, the second that of the results of seats. Few
/// games say little about it, so the expected scatter is weighed in.
fn scatter(model: &Model, fit: &Fit, games: &[Game], parameters: usize) -> [f64; 2] {
    let count = games.iter().map(|game| game.cluster + 1).max().unwrap_or(0);
    let mut sums = vec![[0.0_f64; 2]; count];
    let (mut expected, mut clusters) = ([0.0, 0.0], 0.0);
    let mut is_seen = vec![false; count];
    for game in games {
        let cell = Cell { first: game.first, second: game.second, variant: game.variant, games: [0.0; 3] };
        let chances = model.chances(&fit.values, &cell);
        let slope = chances.slope(0.5 * game.half_points as f64);
        let [of_players, of_seats] = &mut expected;
        *of_seats += chances.information();
        if game.first != game.second {
            *of_players += chances.information();
        }
        // From the view of one of the players in all games of a pair.
        let of_player = match game.first.cmp(&game.second) {
            std::cmp::Ordering::Less => slope,
            std::cmp::Ordering::Greater => -slope,
            std::cmp::Ordering::Equal => 0.0,
        };
        if let Some([players, seats]) = sums.get_mut(game.cluster) {
            *players += of_player;
            *seats += slope;
        }
        if let Some(seen) = is_seen.get_mut(game.cluster).filter(|seen| !**seen) {
            *seen = true;
            clusters += 1.0;
        }
    }
    let free = clusters - parameters as f64;
    [0, 1].map(|which| {
        let expected = at(&expected, which);
        let squares = sums.iter().map(|sums| sums.get(which).map_or(0.0, |sum| sum * sum)).sum::<f64>();
        if free > 0.0 && expected > 0.0 {
            (free * (squares / expected) * (clusters / free) + EXPECTED) / (free + EXPECTED)
        } else {
            1.0
        }
    })
}
