//! Which openings gave both sides their chances, by the games that were played from them: what comes of an opening between
//! equals says more of it than a glance does.

use std::collections::HashMap;

use super::Results;
use crate::arena::record::{GameRecord, Opening};
use crate::rules::Color;

/// An opening must have been played so often.
const FEWEST: u64 = 2;

/// Shares that differ by no more are the same, but for rounding.
const ROUNDING: f64 = 1e-9;

/// The openings of games and what Black scored from them.
#[derive(Clone, Default, Debug)]
pub struct RecordedOpenings {
    /// In the order in which they first came.
    openings: Vec<(Opening, Results)>,
    places: HashMap<Opening, usize>,
}

impl RecordedOpenings {
    /// Takes in a game. One in which an engine failed says nothing of its opening.
    pub fn add(&mut self, game: &GameRecord) {
        if game.cause.is_failure() {
            return;
        }
        let opening = game.opening();
        let place = *self.places.entry(opening.clone()).or_insert_with(|| {
            self.openings.push((opening, Results::default()));
            self.openings.len() - 1
        });
        if let Some((_, results)) = self.openings.get_mut(place) {
            results.add(game.half_points(Color::Black));
        }
    }

    /// How many openings there are.
    pub fn count(&self) -> usize {
        self.openings.len()
    }

    /// How many games there are.
    pub fn games(&self) -> u64 {
        self.openings
            .iter()
            .map(|(_, results)| results.games())
            .sum()
    }

    /// The openings from which Black scored one half, give or take `bound`, in two games or more.
    pub fn even(&self, bound: f64) -> impl Iterator<Item = &Opening> {
        let is_even = move |results: &Results| {
            let distance = (results.share() - 0.5).abs();
            results.games() >= FEWEST && distance <= bound + ROUNDING
        };
        let even = self
            .openings
            .iter()
            .filter(move |(_, results)| is_even(results));
        even.map(|(opening, _)| opening)
    }
}
