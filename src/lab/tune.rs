//! Weights of an evaluation from games that the program plays against itself: rounds of games, and after each round the
//! weights that foretell best how all games so far ended, and what the searches in them expected.

use std::iter::StepBy;
use std::ops::Range;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::prelude::*;
use rayon::{ThreadPoolBuildError, ThreadPoolBuilder};
use thiserror::Error;

use super::A_LOGARITHM;
use super::fit::Samples;
use super::network;
use crate::board::Zobrist;
use crate::game::{Color, Method, NoKeys, Position, Steps, Weights, WeightsError};
use crate::games;
use crate::notation::{GameVisitor, Playable, Variant};
use crate::search::{Clock, Limits, STACK, Settings, Task, search};

/// One move in so many is random, so that the games differ, and what is bad is seen, too.
const RANDOM_MOVE: u32 = 32;

/// What a search may remember: enough for small numbers of nodes.
const MEMORY: usize = 8 << 20;

/// How weights are found.
#[derive(Clone, Copy, Debug)]
pub struct Tuning {
    /// How often games are played with the newest weights.
    pub rounds: u32,
    /// How many games each time.
    pub games: u64,
    /// Nodes a move.
    pub nodes: u64,
    /// A game begins with some number of random steps up to this.
    pub random_steps: u32,
    /// How strongly weights are drawn to where they began, as if by so many positions; not where there is a network.
    pub ridge: f64,
    /// How many positions of a game count, at most, from all parts of it: neighbours say nearly the same, but the more
    /// count, the less is learned by chance.
    pub positions: usize,
    /// How much of what weights are fitted to is what the search expected, from 0 to 1; the rest is how the game ended.
    pub expectation: f64,
    /// How many threads play and count.
    pub threads: usize,
    /// Equal seeds give equal weights.
    pub seed: u64,
}

/// How far a tuning is.
#[derive(Clone, Copy, Debug)]
pub enum TuningStage {
    /// So many games of the round are played.
    Played(u64),
    /// The round's weights are found; the loss is the mean negative logarithm of the chance that they give what they are
    /// fitted to, of this round's games before and of all games after.
    Fitted {
        /// From 1.
        round: u32,
        /// Of the new games, with the weights that played them.
        before: f64,
        /// Of all games, with the new weights.
        after: f64,
        /// How many positions were counted.
        positions: usize,
    },
}

/// A tuning of the weights that some variants of a game share.
pub struct Tune<'a> {
    /// How.
    pub tuning: Tuning,
    /// Games are played of each in turn, so that the weights fit all of them.
    pub variants: &'a [Variant],
    /// The text of the weights to begin with; `None` is those that the first variant has.
    pub from: Option<&'a str>,
    /// Where the time comes from.
    pub clock: &'a dyn Clock,
    /// Is shown how far it is.
    pub tell: &'a (dyn Fn(TuningStage) + Sync),
}

/// Why a game can't be tuned.
#[derive(Error, Debug)]
pub enum TuneError {
    /// There is no variant.
    #[error("no variant to tune: expected at least one")]
    Nothing,
    /// A variant that this build can't open.
    #[error("{0} can't be played in this build")]
    NotOpened(Variant),
    /// The variants are not all of one game.
    #[error("{0} and {1} are different games: only variants of one game share their weights")]
    Different(Variant, Variant),
    /// The evaluation sees other things on one board than on another.
    #[error("{0} and {1} have tables of weights with different rows, which can't be tuned as one")]
    OtherRows(Variant, Variant),
    /// The weights to begin with are not of this game.
    #[error(transparent)]
    Weights(#[from] WeightsError),
    /// The system gives no such threads.
    #[error("{0} threads can't be had: {1}")]
    Threads(usize, ThreadPoolBuildError),
}

/// Weights as log-odds.
fn as_odds(weights: &Weights) -> Vec<f64> {
    let places = 0..weights.len();
    places
        .map(|place| f64::from(weights.get(place)) / A_LOGARITHM)
        .collect()
}

/// Asks a game for its weights.
struct OwnWeights;

impl GameVisitor for OwnWeights {
    type Output = Weights;

    fn visit<G: Playable>(self, game: G) -> Weights {
        game.weights().clone()
    }
}

/// Plays those games of a round that are of one variant, and looks at their positions.
struct Round<'a> {
    tune: &'a Tune<'a>,
    weights: &'a Weights,
    /// The numbers of the games, from 0 over all rounds.
    numbers: StepBy<Range<u64>>,
    done: &'a AtomicU64,
}

impl GameVisitor for Round<'_> {
    type Output = Samples;

    fn visit<G: Playable>(self, mut game: G) -> Samples {
        game.set_weights(self.weights.clone());
        let game = Arc::new(game);
        let play = |number| {
            let mut samples = Samples::default();
            self.tune.play_one(&game, number, &mut samples);
            let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
            (self.tune.tell)(TuningStage::Played(done));
            samples
        };
        let numbers: Vec<u64> = self.numbers.collect();
        let played: Vec<Samples> = numbers.into_par_iter().map(play).collect();
        let mut samples = Samples::default();
        played.into_iter().for_each(|game| samples.append(game));
        samples
    }
}

impl Tune<'_> {
    /// Plays and counts. Gives the text of the table of weights.
    ///
    /// # Errors
    /// Says why these variants can't be tuned so.
    pub fn run(&self) -> Result<String, TuneError> {
        let first = self.variants.first().ok_or(TuneError::Nothing)?;
        let differs = |other: &&Variant| !ptr::eq(first.info(), other.info());
        if let Some(other) = self.variants.iter().find(differs) {
            return Err(TuneError::Different(first.clone(), other.clone()));
        }
        let not_opened = || TuneError::NotOpened(first.clone());
        let mut weights = games::open(first, OwnWeights).ok_or_else(not_opened)?;
        for other in self.variants {
            let own = games::open(other, OwnWeights);
            let own = own.ok_or_else(|| TuneError::NotOpened(other.clone()))?;
            if !own.fits(&weights) {
                return Err(TuneError::OtherRows(first.clone(), other.clone()));
            }
        }
        if let Some(text) = self.from {
            weights = weights.reread(text)?;
        }
        let threads = self.tuning.threads;
        let pool = ThreadPoolBuilder::new().num_threads(threads);
        let pool = pool.stack_size(STACK).build();
        let pool = pool.map_err(|error| TuneError::Threads(threads, error))?;
        Ok(pool.install(|| self.rounds(weights))?.write())
    }

    /// All rounds, with the threads there are.
    fn rounds(&self, mut weights: Weights) -> Result<Weights, TuneError> {
        let Tuning {
            rounds,
            games,
            ridge,
            ..
        } = self.tuning;
        let began = as_odds(&weights);
        let mut samples = Samples::default();
        for round in 1..=rounds {
            let fresh = self.play(&weights, u64::from(round - 1) * games)?;
            let before = network::loss(&fresh, &weights);
            samples.append(fresh);
            weights = match weights.layer().units {
                0 => {
                    let found = samples.fit(&as_odds(&weights), &began, ridge);
                    let values = found.iter().map(|odds| (odds * A_LOGARITHM).round() as i32);
                    weights.with(values.collect())
                }
                _ => network::fit(&samples, &weights, self.tuning.seed),
            };
            (self.tell)(TuningStage::Fitted {
                round,
                before,
                after: network::loss(&samples, &weights),
                positions: samples.len(),
            });
        }
        Ok(weights)
    }

    /// Plays a round of games, the first of which has this number, and looks at their positions.
    fn play(&self, weights: &Weights, first: u64) -> Result<Samples, TuneError> {
        let done = AtomicU64::new(0);
        let mut samples = Samples::default();
        for (variant, number) in self.variants.iter().zip(first..) {
            let round = Round {
                tune: self,
                weights,
                numbers: (number..first + self.tuning.games).step_by(self.variants.len()),
                done: &done,
            };
            let played = games::open(variant, round);
            samples.append(played.ok_or_else(|| TuneError::NotOpened(variant.clone()))?);
        }
        Ok(samples)
    }

    fn play_one<G: Playable>(&self, game: &Arc<G>, number: u64, samples: &mut Samples) {
        let tuning = self.tuning;
        let seed = Zobrist::feature(tuning.seed).0.wrapping_add(number);
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut below =
            |bound: usize| ((u64::from(random.next_u32()) * bound as u64) >> 32) as usize;
        let opening = below(tuning.random_steps as usize + 1);
        let settings = Settings {
            method: Some(Method::Pvs),
            threads: 1,
            memory: MEMORY,
            seed,
        };
        let mut search = search(Arc::clone(game), settings);
        let limits = Limits {
            nodes: Some(tuning.nodes),
            ..Limits::default()
        };
        let stop = AtomicBool::new(false);
        let mut positions = Vec::new();
        let mut here = game.start();
        let mut taken = 0;
        loop {
            let legal = game.steps(&here);
            if legal.is_empty() {
                break;
            }
            let at_random = taken < opening || below(RANDOM_MOVE as usize) == 0;
            let (steps, expected) = if at_random {
                (legal.nth(below(legal.count())).into_iter().collect(), None)
            } else {
                let task = Task::new(limits, &stop, self.clock);
                let report = search.think(&here, &task);
                let expected = match here.side() {
                    Color::Black => report.expectation,
                    Color::White => 1.0 - report.expectation,
                };
                (report.steps, Some(expected))
            };
            for step in steps {
                positions.extend(expected.map(|expected| (here, expected)));
                game.play(&mut here, step, &mut NoKeys);
                search.follow(step);
                taken += 1;
            }
        }
        let worth = game.worth(&here);
        let count = positions.len().min(tuning.positions);
        for i in 0..count {
            // One of each of so many equal parts of the game.
            let (from, to) = (
                i * positions.len() / count,
                (i + 1) * positions.len() / count,
            );
            if let Some((position, expected)) = positions.get(from + below(to - from)) {
                // How the game ended is true but partly chance; what the search saw coming is neither.
                let target = worth + tuning.expectation * (expected - worth);
                let target = match position.side() {
                    Color::Black => target,
                    Color::White => 1.0 - target,
                };
                let place = |row, column| game.weights().place(row, column);
                samples.push(
                    |add| {
                        game.terms(position, |row, column, times| {
                            add(place(row, column), times)
                        })
                    },
                    target,
                );
            }
        }
    }
}
