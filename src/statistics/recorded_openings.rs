//! Selects even openings by the results of games. Results between equal engines say more than a short search.

use std::collections::HashMap;

use super::Results;
use crate::record::{GameRecord, Opening};
use crate::rules::Color;

/// Minimum number of games per opening.
const FEWEST: u64 = 2;

/// Tolerance for comparing scores, against rounding.
const ROUNDING: f64 = 1e-9;

/// Openings of games, with the score of Black.
#[derive(Clone, Default, Debug)]
pub struct RecordedOpenings {
    /// In order of appearance.
    openings: Vec<(Opening, Results)>,
    places: HashMap<Opening, usize>,
}

impl RecordedOpenings {
    /// Adds a game. Games in which an engine failed must be left out.
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

    /// Returns the number of openings.
    pub fn count(&self) -> usize {
        self.openings.len()
    }

    /// Returns the number of games.
    pub fn games(&self) -> u64 {
        self.openings.iter().map(|(_, results)| results.games()).sum()
    }

    /// Returns the openings in which Black's score is within `bound` of one half over two games or more.
    pub fn even(&self, bound: f64) -> impl Iterator<Item = &Opening> {
        let is_even = move |results: &Results| {
            let distance = (results.share() - 0.5).abs();
            results.games() >= FEWEST && distance <= bound + ROUNDING
        };
        let even = self.openings.iter().filter(move |(_, results)| is_even(results));
        even.map(|(opening, _)| opening)
    }
}
