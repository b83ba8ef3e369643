//! Ratings of all players on one scale: the Bradley-Terry model in Elo, with an advantage of the first mover for each
//! variant.
//!
//! The player who moved first wins with probability `1 / (1 + 10^(-x / 400))`, where `x` is the difference of the ratings
//! plus the advantage. A draw is half a win and half a loss, or has a share of its own ([`RatingOptions::has_draws`]).
//! The advantage belongs to the seat: under the pie the first mover stays the first mover when the colors are swapped.

mod bootstrap;
mod errors;
mod fit;
mod matrix;
mod pools;
mod rated;
mod text;

pub use rated::{Anchor, FirstMover, Next, RatedPlayer, RatingError, Ratings, SideAdvantage};

use std::collections::hash_map::DefaultHasher;
use std::collections::{HashMap, HashSet};
use std::hash::{Hash, Hasher};

use crate::record::Outcome;

/// Elo of one logit.
const ELO: f64 = 400.0 / std::f64::consts::LN_10;

/// Maximum number of players: the time grows with its cube.
pub const MAX_RATED: usize = 3000;

/// Assumptions and scale of ratings.
#[derive(Clone, PartialEq, Debug)]
pub struct RatingOptions {
    /// Number of drawn games that each player is given against an average player; 0 for plain maximum likelihood.
    pub prior: f64,
    /// True if draws have a share of their own, after Davidson; false if each is half a win and half a loss.
    pub has_draws: bool,
    /// Fixed ratings, at most one in each pool.
    pub anchors: Vec<Anchor>,
    /// Number of resamples for the intervals; 0 for intervals from the Hessian.
    pub resamples: u32,
    /// Seed of the resamples.
    pub seed: u64,
}

impl Default for RatingOptions {
    fn default() -> Self {
        Self { prior: 1.0, has_draws: false, anchors: Vec::new(), resamples: 0, seed: 1 }
    }
}

/// A game that counts, by indices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Game {
    first: usize,
    second: usize,
    variant: usize,
    /// Half points of the first mover: 0, 1 or 2.
    half_points: usize,
    swapped: Option<bool>,
    /// Games of one pair share it.
    cluster: usize,
}

/// Games whose players are to be rated.
#[derive(Clone, Default, Debug)]
pub struct RatingGames {
    names: Names,
    variants: Names,
    games: Vec<Game>,
    clusters: HashMap<u64, usize>,
    cluster_count: usize,
    seen: HashSet<u64>,
    given_twice: u64,
}

/// Different texts, in order of appearance.
#[derive(Clone, Default, Debug)]
struct Names {
    texts: Vec<String>,
    places: HashMap<String, usize>,
}

impl Names {
    fn place(&mut self, text: &str) -> usize {
        if let Some(&place) = self.places.get(text) {
            return place;
        }
        let place = self.texts.len();
        self.texts.push(text.to_owned());
        self.places.insert(text.to_owned(), place);
        place
    }
}

impl RatingGames {
    /// Adds a game, unless it was added before.
    pub fn add(&mut self, outcome: &Outcome) {
        if let Some(identity) = outcome.identity
            && !self.seen.insert(identity)
        {
            self.given_twice += 1;
            return;
        }
        let [first, second] = &outcome.players;
        let (first, second) = (self.names.place(first), self.names.place(second));
        let variant = self.variants.place(&outcome.variant);
        let count = self.cluster_count;
        let cluster = match outcome.pair {
            None => count,
            Some(pair) => {
                let mut hasher = DefaultHasher::new();
                (pair, variant, first.min(second), first.max(second)).hash(&mut hasher);
                *self.clusters.entry(hasher.finish()).or_insert(count)
            }
        };
        self.cluster_count = count.max(cluster + 1);
        let Outcome { half_points, swapped, .. } = *outcome;
        self.games.push(Game { first, second, variant, half_points, swapped, cluster });
    }

    /// Returns the number of games.
    pub fn games(&self) -> usize {
        self.games.len()
    }

    /// Returns the number of players.
    pub fn players(&self) -> usize {
        self.names.texts.len()
    }

    /// Rates the players.
    ///
    /// # Errors
    /// If there are no games, too many players, or anchors that don't fit.
    pub fn rate(&self, options: &RatingOptions) -> Result<Ratings, RatingError> {
        rated::rate(self, options)
    }
}
