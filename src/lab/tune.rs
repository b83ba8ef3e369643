//! Weights of an evaluation from games that the program plays against itself: rounds of games, and after each round the
//! weights that foretell best how all games so far ended, and what the searches in them expected.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::prelude::*;
use rayon::{ThreadPoolBuildError, ThreadPoolBuilder};
use thiserror::Error;

use super::fit::Samples;
use crate::board::Zobrist;
use crate::game::{Color, Method, NoKeys, Position, Steps, TEN_TO_ONE, Weights, WeightsError};
use crate::notation::{GameVisitor, Playable};
use crate::search::{Clock, Limits, STACK, Settings, Task, search};

/// One move in so many is random, so that the games differ, and what is bad is seen, too.
const RANDOM_MOVE: u32 = 32;

/// What odds e times as good are in weights.
const A_LOGARITHM: f64 = TEN_TO_ONE / std::f64::consts::LN_10;

/// Positions of a game that count: neighbours say nearly the same.
const POSITIONS_A_GAME: usize = 24;

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
    /// How strongly weights are drawn to where they began, as if by so many positions.
    pub ridge: f64,
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

/// Tunes a game. Gives the text of its table of weights.
pub struct Tune<'a> {
    /// How.
    pub tuning: Tuning,
    /// The text of the weights to begin with; `None` is those that the game has.
    pub from: Option<String>,
    /// Where the time comes from.
    pub clock: &'a dyn Clock,
    /// Is shown how far it is.
    pub tell: &'a (dyn Fn(TuningStage) + Sync),
}

/// Why a game can't be tuned.
#[derive(Error, Debug)]
pub enum TuneError {
    /// The weights to begin with are not of this game.
    #[error(transparent)]
    Weights(#[from] WeightsError),
    /// The system gives no such threads.
    #[error("{0} threads can't be had: {1}")]
    Threads(usize, ThreadPoolBuildError),
}

impl GameVisitor for Tune<'_> {
    type Output = Result<String, TuneError>;

    fn visit<G: Playable>(self, mut game: G) -> Self::Output {
        if let Some(text) = &self.from {
            let weights = game.weights().reread(text)?;
            game.set_weights(weights);
        }
        let threads = self.tuning.threads;
        let pool = ThreadPoolBuilder::new().num_threads(threads);
        let pool = pool.stack_size(STACK).build();
        let pool = pool.map_err(|error| TuneError::Threads(threads, error))?;
        Ok(pool.install(|| self.rounds(game)).write())
    }
}

/// Weights as log-odds.
fn as_odds(weights: &Weights) -> Vec<f64> {
    let places = 0..weights.len();
    places
        .map(|place| f64::from(weights.get(place)) / A_LOGARITHM)
        .collect()
}

impl Tune<'_> {
    /// All rounds, with the threads there are.
    fn rounds<G: Playable>(&self, game: G) -> Weights {
        let Tuning {
            rounds,
            games,
            ridge,
            ..
        } = self.tuning;
        let began = as_odds(game.weights());
        let mut game = Arc::new(game);
        let mut samples = Samples::default();
        for round in 1..=rounds {
            let fresh = self.play(&game, u64::from(round - 1) * games);
            let current = as_odds(game.weights());
            let before = fresh.loss(&current);
            samples.append(fresh);
            let found = samples.fit(&current, &began, ridge);
            (self.tell)(TuningStage::Fitted {
                round,
                before,
                after: samples.loss(&found),
                positions: samples.len(),
            });
            let values = found.iter().map(|odds| (odds * A_LOGARITHM).round() as i32);
            let weights = game.weights().with(values.collect());
            // All searches of the round have ended, so nothing else holds the game.
            if let Some(game) = Arc::get_mut(&mut game) {
                game.set_weights(weights);
            }
        }
        game.weights().clone()
    }

    /// Plays a round of games, the first of which has this number, and looks at their positions.
    fn play<G: Playable>(&self, game: &Arc<G>, first: u64) -> Samples {
        let done = AtomicU64::new(0);
        let play = |number| {
            let mut samples = Samples::default();
            self.play_one(game, first + number, &mut samples);
            (self.tell)(TuningStage::Played(
                done.fetch_add(1, Ordering::Relaxed) + 1,
            ));
            samples
        };
        let played: Vec<Samples> = (0..self.tuning.games).into_par_iter().map(play).collect();
        let mut samples = Samples::default();
        played.into_iter().for_each(|game| samples.append(game));
        samples
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
        let count = positions.len().min(POSITIONS_A_GAME);
        for i in 0..count {
            // One of each of so many equal parts of the game.
            let (from, to) = (
                i * positions.len() / count,
                (i + 1) * positions.len() / count,
            );
            if let Some((position, expected)) = positions.get(from + below(to - from)) {
                // How the game ended is true but partly chance; what the search saw coming is neither.
                let target = (worth + expected) / 2.0;
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
