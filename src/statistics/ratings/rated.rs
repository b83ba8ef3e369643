//! Rated players.

use std::collections::BTreeMap;
use std::str::FromStr;

use thiserror::Error;

use super::errors::Errors;
use super::fit::{Cell, Chances, Fit, Model, UNBOUNDED, at};
use super::pools::{Pool, pools};
use super::{ELO, Game, MAX_RATED, RatingGames, RatingOptions, bootstrap};
use crate::intervals::{Estimate, Results};
use crate::text::{list, quote};

/// Quantile of the normal distribution for a two-sided 95 % interval.
const NORMAL_95: f64 = 1.959_963_984_540_054;

/// Variance in squared logits from which on games say nothing: that of a difference of 2,400 Elo after one game.
const FLAT: f64 = 1e6;

/// Maximum number of names listed in an error.
const MAX_NAMES: usize = 12;

/// A fixed rating.
#[derive(Clone, PartialEq, Debug)]
pub struct Anchor {
    /// Name of the player.
    pub name: String,
    /// Rating in Elo.
    pub rating: f64,
}

impl FromStr for Anchor {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        // Names may contain `=`.
        let parts = text.rsplit_once('=');
        let parts = parts.and_then(|(name, rating)| Some((name, rating.trim().parse::<f64>().ok()?)));
        match parts.filter(|(name, rating)| !name.is_empty() && rating.abs() <= 100_000.0) {
            Some((name, rating)) => Ok(Self { name: name.to_owned(), rating }),
            None => Err("an anchor is NAME=RATING, as in best=2000".to_owned()),
        }
    }
}

/// Why players can't be rated.
#[derive(Clone, PartialEq, Eq, Error, Debug)]
pub enum RatingError {
    /// There is no finished game.
    #[error("there are no games to rate: expected records with finished games")]
    NoGames,
    /// There are more players than fit.
    #[error("there are {0} players: expected at most {MAX_RATED}")]
    TooMany(usize),
    /// No player has the name of an anchor.
    #[error("no player is called {}: there are {_1}", quote(.0))]
    Unknown(String, String),
    /// Two anchors would fix the same scale.
    #[error("{} and {} are in one pool: expected one anchor for each pool", quote(.0), quote(.1))]
    TwoAnchors(String, String),
    /// The rating of an anchor is not finite.
    #[error("{} has won or lost all its games against the others: with a prior of 0 it can't be an anchor", quote(.0))]
    UnboundedAnchor(String),
    /// The likelihood has no single maximum.
    #[error("with a prior of 0 these games have no single most likely ratings: expected a prior above 0")]
    NoMaximum,
}

/// A player with a rating in Elo.
#[derive(Clone, PartialEq, Debug)]
pub struct RatedPlayer {
    /// Name.
    pub name: String,
    /// Number of the pool, from 1.
    pub pool: usize,
    /// Rating with its 95 % interval; infinite if all games against the others were won or lost and there is no prior, and
    /// not a number if nothing compares the player with the others.
    pub rating: Estimate,
    /// Results of all games.
    pub results: Results,
    /// Comparison with the next player of the pool.
    pub next: Option<Next>,
}

/// Comparison of a player with the next one.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Next {
    /// Likelihood that the player is the stronger one.
    pub superiority: f64,
    /// Number of games between both that would be needed to show it at 95 %; 0 if it is shown.
    pub games: f64,
}

/// The advantage of the first mover in a variant.
#[derive(Clone, PartialEq, Debug)]
pub struct FirstMover {
    /// Variant.
    pub variant: String,
    /// Advantage of the player who moves first, in Elo.
    pub advantage: Estimate,
    /// Results of the first mover.
    pub results: Results,
    /// Share of draws between equals without an advantage, if draws have a share of their own.
    pub draws: Option<f64>,
    /// Under the pie: the advantage in games without a swap and with one, at these ratings.
    pub sides: Option<[SideAdvantage; 2]>,
}

/// The advantage of the first mover in games of one side.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SideAdvantage {
    /// Advantage of the player who moved first, in Elo.
    pub advantage: Estimate,
    /// Results of the first mover.
    pub results: Results,
}

/// Ratings of players.
#[derive(Clone, Debug)]
pub struct Ratings {
    /// Players, pool by pool, the strongest first.
    pub players: Vec<RatedPlayer>,
    /// Variants, in order of appearance.
    pub first_mover: Vec<FirstMover>,
    /// Number of pools.
    pub pools: usize,
    /// Number of games.
    pub games: u64,
    /// Number of games that were given more than once.
    pub given_twice: u64,
    /// Options.
    pub options: RatingOptions,
    /// Index in the fit of each player.
    order: Vec<usize>,
    model: Model,
    fit: Fit,
    errors: Errors,
    /// Number of games of each variant.
    weights: Vec<f64>,
}

/// Counts games by players, seats and variant.
pub(super) fn cells_of(games: impl Iterator<Item = Game>) -> Vec<Cell> {
    let mut cells: BTreeMap<(usize, usize, usize), [f64; 3]> = BTreeMap::new();
    for game in games {
        let counts = cells.entry((game.variant, game.first, game.second)).or_default();
        if let Some(count) = counts.get_mut(game.half_points) {
            *count += 1.0;
        }
    }
    let cells = cells.into_iter();
    cells.map(|((variant, first, second), games)| Cell { first, second, variant, games }).collect()
}

/// Returns, for each player, those against whom it has scored.
fn scored(games: &RatingGames) -> Vec<Vec<usize>> {
    let mut scored: Vec<Vec<usize>> = vec![Vec::new(); games.players()];
    for game in &games.games {
        for (player, other, points) in
            [(game.first, game.second, game.half_points), (game.second, game.first, 2 - game.half_points)]
        {
            if let Some(list) = scored.get_mut(player).filter(|_| points > 0) {
                list.push(other);
            }
        }
    }
    for list in &mut scored {
        list.sort_unstable();
        list.dedup();
    }
    scored
}

/// Shift of the scale of a group of players: to the mean, or to a player with a fixed rating in logits.
struct Scale<'a> {
    group: &'a [usize],
    anchor: Option<(usize, f64)>,
}

impl Scale<'_> {
    fn shift(&self, values: &mut [f64]) {
        let sum: f64 = self.group.iter().map(|&player| at(values, player)).sum();
        let shift = match self.anchor {
            None => -sum / self.group.len().max(1) as f64,
            Some((player, rating)) => rating - at(values, player),
        };
        for &player in self.group {
            if let Some(value) = values.get_mut(player) {
                *value += shift;
            }
        }
    }
}

pub(super) fn rate(all: &RatingGames, options: &RatingOptions) -> Result<Ratings, RatingError> {
    if all.games.is_empty() {
        return Err(RatingError::NoGames);
    }
    if all.players() > MAX_RATED {
        return Err(RatingError::TooMany(all.players()));
    }
    let pools = pools(&scored(all));
    let is_plain = options.prior <= 0.0;
    let groups: Vec<Vec<usize>> =
        pools.iter().map(|pool| if is_plain { pool.core.clone() } else { pool.players.clone() }).collect();
    let mut group_of = vec![usize::MAX; all.players()];
    for (number, group) in groups.iter().enumerate() {
        for &player in group {
            if let Some(place) = group_of.get_mut(player) {
                *place = number;
            }
        }
    }
    let is_inside = |player: usize| group_of.get(player).is_some_and(|&group| group != usize::MAX);
    // Without a prior the games between players who are infinitely far from each other say nothing more.
    let games: Vec<Game> =
        all.games.iter().filter(|game| is_inside(game.first) && is_inside(game.second)).copied().collect();
    let scales = scales(all, options, &pools, &groups)?;

    let model = Model {
        players: all.players(),
        variants: all.variants.texts.len(),
        has_draws: options.has_draws,
        prior: options.prior,
        centered: groups.clone(),
    };
    let cells = cells_of(games.iter().copied());
    let mut fit = model.fit(&cells, None).ok_or(RatingError::NoMaximum)?;
    let errors = Errors::new(&model, &fit, &games, &groups);
    let shift = |values: &mut Vec<f64>| scales.iter().for_each(|scale| scale.shift(values));
    let resampled = (options.resamples > 0)
        .then(|| bootstrap::intervals(&model, &fit, &games, (options.resamples, options.seed), shift));
    shift(&mut fit.values);

    let estimate = |place: usize, variance: f64| {
        let value = ELO * at(&fit.values, place);
        // A parameter without a maximum is where the search for it was given up, or where the likelihood got flat.
        if is_plain && (value.abs() > 0.75 * ELO * UNBOUNDED || variance > FLAT) {
            let end = f64::INFINITY.copysign(value);
            return Estimate { value: end, low: end, high: end };
        }
        let error = NORMAL_95 * ELO * variance.sqrt();
        let [low, high] = match resampled.as_ref().and_then(|intervals| intervals.get(place)) {
            Some(interval) => interval.map(|end| ELO * end),
            None => [value - error, value + error],
        };
        Estimate { value, low, high }
    };
    let mut results = vec![Results::default(); all.players()];
    for game in &all.games {
        for (player, points) in [(game.first, game.half_points), (game.second, 2 - game.half_points)] {
            if let Some(results) = results.get_mut(player) {
                results.add(points);
            }
        }
    }
    let mut players = Vec::new();
    for (number, (pool, scale)) in pools.iter().zip(&scales).enumerate() {
        let rated = pool.players.iter().map(|&player| {
            let rating = match (is_inside(player), scale.anchor) {
                (true, Some((anchor, _))) => estimate(player, errors.of_difference(player, anchor)),
                (true, None) => estimate(player, errors.of(player)),
                (false, _) => {
                    let value = match (pool.above.contains(&player), pool.below.contains(&player)) {
                        (true, _) => f64::INFINITY,
                        (_, true) => f64::NEG_INFINITY,
                        _ => f64::NAN,
                    };
                    Estimate { value, low: value, high: value }
                }
            };
            let name = all.names.texts.get(player).cloned().unwrap_or_default();
            let results = results.get(player).copied().unwrap_or_default();
            (player, RatedPlayer { name, pool: number + 1, rating, results, next: None })
        });
        let mut rated: Vec<(usize, RatedPlayer)> = rated.collect();
        let key = |rating: f64| if rating.is_nan() { f64::NEG_INFINITY } else { rating };
        rated.sort_by(|(_, a), (_, b)| key(b.rating.value).total_cmp(&key(a.rating.value)));
        players.extend(rated);
    }
    let (order, players): (Vec<usize>, Vec<RatedPlayer>) = players.into_iter().unzip();
    let mut weights = vec![0.0; model.variants];
    for game in &all.games {
        if let Some(weight) = weights.get_mut(game.variant) {
            *weight += 1.0;
        }
    }
    let first_mover = all.variants.texts.iter().enumerate().map(|(variant, name)| {
        let place = model.advantage(variant);
        let own = || all.games.iter().filter(move |game| game.variant == variant);
        let was_rated = games.iter().any(|game| game.variant == variant);
        let advantage = if was_rated {
            estimate(place, errors.of(place))
        } else {
            Estimate { value: f64::NAN, low: f64::NAN, high: f64::NAN }
        };
        let weight = model.draw_weight(&fit.values, variant);
        let draws = weight.map(|weight| {
            let [_, draw, _] = Chances::new(0.0, Some(weight)).of;
            draw
        });
        let rated_here = games.iter().filter(|game| game.variant == variant);
        let [_, scatter] = errors.scatter;
        let sides = own().any(|game| game.swapped == Some(true)).then(|| {
            [false, true].map(|swapped| {
                let side = rated_here.clone().filter(|game| game.swapped == Some(swapped)).copied();
                side_advantage(&model, &fit, side.collect(), scatter)
            })
        });
        FirstMover {
            variant: name.clone(),
            advantage,
            results: own().map(|game| game.half_points).collect(),
            draws,
            sides,
        }
    });
    let first_mover = first_mover.collect();
    let pools = pools.len();
    let count = all.games.len() as u64;
    let (given_twice, options) = (all.given_twice, options.clone());
    let mut ratings =
        Ratings { players, first_mover, pools, games: count, given_twice, options, order, model, fit, errors, weights };
    let next: Vec<Option<Next>> = (0..ratings.players.len()).map(|place| ratings.next(place)).collect();
    for (player, next) in ratings.players.iter_mut().zip(next) {
        player.next = next;
    }
    Ok(ratings)
}

/// Finds the scale of each pool.
fn scales<'a>(
    all: &RatingGames,
    options: &RatingOptions,
    pools: &[Pool],
    groups: &'a [Vec<usize>],
) -> Result<Vec<Scale<'a>>, RatingError> {
    let mut scales: Vec<Scale<'a>> = groups.iter().map(|group| Scale { group, anchor: None }).collect();
    for anchor in &options.anchors {
        let Some(&player) = all.names.places.get(&anchor.name) else {
            let mut names: Vec<String> = all.names.texts.iter().take(MAX_NAMES).map(|name| quote(name)).collect();
            if all.players() > MAX_NAMES {
                names.push(format!("{} more", all.players() - MAX_NAMES));
            }
            return Err(RatingError::Unknown(anchor.name.clone(), list(&names, "and")));
        };
        let pool = pools.iter().zip(&mut scales).find(|(pool, _)| pool.players.binary_search(&player).is_ok());
        let Some((_, scale)) = pool else { continue };
        if let Some((other, _)) = scale.anchor {
            let other = all.names.texts.get(other).cloned().unwrap_or_default();
            return Err(RatingError::TwoAnchors(other, anchor.name.clone()));
        }
        if !scale.group.contains(&player) {
            return Err(RatingError::UnboundedAnchor(anchor.name.clone()));
        }
        scale.anchor = Some((player, anchor.rating / ELO));
    }
    Ok(scales)
}

/// Finds the most likely advantage of the first mover in some games, at fixed ratings.
fn side_advantage(model: &Model, fit: &Fit, games: Vec<Game>, scatter: f64) -> SideAdvantage {
    let results: Results = games.iter().map(|game| game.half_points).collect();
    let none = Estimate { value: f64::NAN, low: f64::NAN, high: f64::NAN };
    if games.is_empty() {
        return SideAdvantage { advantage: none, results };
    }
    let cells = cells_of(games.into_iter());
    let derivatives = |advantage: f64| {
        let prior = Chances::new(advantage, None);
        let mut slope = model.prior * prior.slope(0.5);
        let mut information = model.prior * prior.information();
        for cell in &cells {
            let difference = at(&fit.values, cell.first) - at(&fit.values, cell.second) + advantage;
            let chances = Chances::new(difference, model.draw_weight(&fit.values, cell.variant));
            for (count, score) in cell.games.iter().zip([0.0, 0.5, 1.0]) {
                slope += count * chances.slope(score);
                information += count * chances.information();
            }
        }
        (slope, information)
    };
    // The slope falls with the advantage.
    let (mut low, mut high) = (-UNBOUNDED, UNBOUNDED);
    for _ in 0..80 {
        let middle = 0.5 * (low + high);
        let (slope, _) = derivatives(middle);
        *(if slope > 0.0 { &mut low } else { &mut high }) = middle;
    }
    let middle = 0.5 * (low + high);
    let value = ELO * middle;
    let advantage = if middle.abs() > 0.75 * UNBOUNDED {
        let end = f64::INFINITY.copysign(value);
        Estimate { value: end, low: end, high: end }
    } else {
        let (_, information) = derivatives(middle);
        let error = NORMAL_95 * ELO * (scatter / information).sqrt();
        Estimate { value, low: value - error, high: value + error }
    };
    SideAdvantage { advantage, results }
}

impl Ratings {
    /// Returns the difference of the strengths of two players by their places in the table, in logits, with its variance;
    /// `None` if nothing compares them.
    fn difference(&self, a: usize, b: usize) -> Option<(f64, f64)> {
        let (one, other) = (self.players.get(a)?, self.players.get(b)?);
        let is_finite = one.rating.value.is_finite() && other.rating.value.is_finite();
        if one.pool != other.pool || !is_finite {
            return None;
        }
        let (a, b) = (*self.order.get(a)?, *self.order.get(b)?);
        let values = &self.fit.values;
        Some((at(values, a) - at(values, b), self.errors.of_difference(a, b)))
    }

    /// Returns the likelihood that one player is stronger than another one, by their places in the table.
    pub fn superiority(&self, a: usize, b: usize) -> Option<f64> {
        if let (Some(one), Some(other)) = (self.players.get(a), self.players.get(b))
            && one.pool == other.pool
            && (one.rating.value.is_infinite() || other.rating.value.is_infinite())
        {
            let order = one.rating.value.partial_cmp(&other.rating.value)?;
            return match order {
                std::cmp::Ordering::Less => Some(0.0),
                std::cmp::Ordering::Equal => None,
                std::cmp::Ordering::Greater => Some(1.0),
            };
        }
        let (difference, variance) = self.difference(a, b)?;
        let root = difference / variance.sqrt().max(1e-12);
        Some(0.5 * libm::erfc(-root / std::f64::consts::SQRT_2))
    }

    /// Returns the chances of one player against another one in a variant, moving first and moving second.
    fn chances(&self, difference: f64, variant: usize) -> [Chances; 2] {
        let advantage = at(&self.fit.values, self.model.advantage(variant));
        let weight = self.model.draw_weight(&self.fit.values, variant);
        [advantage, -advantage].map(|advantage| Chances::new(difference + advantage, weight))
    }

    /// Returns the mean over both seats and all games.
    fn mean(&self, difference: f64, value: impl Fn(&Chances) -> f64) -> f64 {
        let variants = self.weights.iter().enumerate();
        let sum: f64 = variants
            .map(|(variant, weight)| {
                let [first, second] = self.chances(difference, variant);
                weight * 0.5 * (value(&first) + value(&second))
            })
            .sum();
        sum / self.weights.iter().sum::<f64>().max(1.0)
    }

    /// Returns the expected score of one player against another one, by their places in the table, if they move first
    /// equally often.
    pub fn expected_score(&self, a: usize, b: usize) -> Option<f64> {
        let (difference, _) = self.difference(a, b)?;
        Some(self.mean(difference, Chances::score))
    }

    /// Compares a player with the next one.
    fn next(&self, place: usize) -> Option<Next> {
        let superiority = self.superiority(place, place + 1)?;
        let games = match self.difference(place, place + 1) {
            None => 0.0,
            Some((difference, variance)) => {
                let needed = (difference / NORMAL_95).powi(2);
                let [scatter, _] = self.errors.scatter;
                let information = self.mean(difference, Chances::information) / scatter;
                if variance <= needed { 0.0 } else { ((1.0 / needed - 1.0 / variance) / information).ceil() }
            }
        };
        Some(Next { superiority, games })
    }

    /// Returns what a reader should know about the sample.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.pools > 1 {
            let pools = (1..=self.pools).take(MAX_NAMES).map(|pool| {
                let mut names = self.players.iter().filter(|player| player.pool == pool).map(|player| &player.name);
                let (first, rest) = (names.next(), names.count());
                let first = first.map_or_else(String::new, |name| quote(name));
                if rest == 0 { first } else { format!("{first} and {rest} more") }
            });
            let pools = pools.collect::<Vec<_>>().join("; ");
            notes.push(format!(
                "there are {} pools without a game between them, and their ratings can't be compared: {pools}",
                self.pools
            ));
        }
        let is_unbounded = |player: &&RatedPlayer| !player.rating.value.is_finite();
        let unbounded: Vec<String> =
            self.players.iter().filter(is_unbounded).take(MAX_NAMES).map(|player| quote(&player.name)).collect();
        if !unbounded.is_empty() {
            notes.push(format!(
                "without a prior these games don't bound the rating of {}; a prior above 0 does",
                list(&unbounded, "and")
            ));
        }
        if self.given_twice > 0 {
            let games = crate::text::counted(self.given_twice, "game");
            notes.push(format!("{games} given more than once and counted once"));
        }
        notes
    }
}
