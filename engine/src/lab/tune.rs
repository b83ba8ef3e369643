//! Training of evaluation weights on self-play games.
//!
//! In each round the newest weights play games; then weights are fitted to the positions of all games played until
//! then. The target is a mix of the result of the game and the expected score of the search.

use std::iter::StepBy;
use std::mem;
use std::ops::Range;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rayon_core::{ThreadPoolBuildError, ThreadPoolBuilder};
use thiserror::Error;

use super::LOGIT_SCALE;
use super::network_training::{self, Schedule};
use super::regression::Samples;
use super::self_play::{GameLine, SelfPlayGame, SelfPlayer};
use crate::board::Zobrist;
use crate::files::without_mark;
use crate::games;
use crate::nnue::{Weights, WeightsError};
use crate::rules::{Board, Color, Method, Variant};
use crate::search::{Clock, STACK_BYTES};
use crate::text::counted;
use crate::threads;

/// Parameters of a training.
#[derive(Clone, Copy, Debug)]
pub struct Tuning {
    /// Rounds of self-play, each with the newest weights; 0 trains on recorded games alone.
    pub rounds: u32,
    /// Games per round.
    pub games: u64,
    /// Search method; `None` is that of the game.
    pub method: Option<Method>,
    /// Nodes per search.
    pub nodes: u64,
    /// Maximum number of random steps at the beginning of a game; each game draws its own.
    pub random_steps: u32,
    /// Strength of L2 regularization towards the initial weights. Unused where the weights have a network.
    pub l2: f64,
    /// Maximum number of positions sampled from a game, evenly over its length; 0 plays games without training.
    ///
    /// Neighboring positions say nearly the same, but more samples reduce overfitting.
    pub positions: usize,
    /// Share of the search's expected score in the training target, from 0 to 1; the rest is the result of the game.
    pub lambda: f64,
    /// Share of the games that is left out of the fit, and tells its loss on games that it has not seen.
    pub validation: f64,
    /// Length and speed of the fit of a network.
    pub schedule: Schedule,
    /// Number of threads, for self-play and for training.
    pub threads: usize,
    /// Seed of all random choices: equal seeds give equal weights.
    pub seed: u64,
}

/// Progress of a training.
#[derive(Clone, Copy, Debug)]
pub enum TuningProgress<'a> {
    /// A game is finished.
    Played {
        /// Round, from 1.
        round: u32,
        /// Number of games of the round that are finished.
        games: u64,
        /// The game, as a line for [`Tuner::data`].
        line: &'a str,
    },
    /// The weights of a round are fitted. Losses are mean cross-entropies in nats.
    Fitted {
        /// Round, from 1; 0 where none is played.
        round: u32,
        /// Loss of the weights before the fit, on the games of this round.
        before: f64,
        /// Loss of the fitted weights, on all games.
        after: f64,
        /// Loss of perfect predictions, on all games.
        minimum: f64,
        /// Loss on the games that were left out, before and after the fit; `None` without any.
        validation: Option<(f64, f64)>,
        /// Number of positions in all games.
        positions: usize,
    },
}

/// Training of the weights that some variants of one game share.
pub struct Tuner<'a> {
    /// Parameters.
    pub tuning: Tuning,
    /// Variants to train for. Games alternate between them.
    pub variants: &'a [Variant],
    /// Text of the initial weights; `None` is those of the first variant.
    pub initial_weights: Option<&'a str>,
    /// Texts of recorded games, one game a line, to train on besides those that are played.
    pub data: &'a [String],
    /// Source of time.
    pub clock: &'a dyn Clock,
    /// Callback for progress, from any thread.
    pub on_progress: &'a (dyn Fn(TuningProgress<'_>) + Sync),
    /// Aborts the present round once it is set.
    pub stop: &'a AtomicBool,
}

/// Result of a training.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TuningResult {
    /// Text of the weights after the last finished round; `None` where no round was finished.
    pub weights: Option<String>,
    /// Round that was aborted, from 1; 0 is training on recorded games alone.
    pub aborted_round: Option<u32>,
}

/// Error of a training that can't be done.
#[derive(Error, Debug)]
pub enum TuneError {
    /// No variant is given.
    #[error("no variant to tune: expected at least one")]
    Nothing,
    /// This build can't open a variant.
    #[error("{0} can't be played in this build")]
    NotOpened(Variant),
    /// The variants belong to different games.
    #[error("{0} and {1} are different games: only variants of one game share their weights")]
    Different(Variant, Variant),
    /// The evaluations of two variants have different features.
    #[error("{0} and {1} have different features: only variants with equal ones can be tuned together")]
    DifferentFeatures(Variant, Variant),
    /// A line of [`Tuner::data`] is not a finished game.
    #[error("line {line}: {reason}")]
    Game {
        /// Index of the text.
        text: usize,
        /// Line number, from 1.
        line: usize,
        /// Error in the line.
        reason: String,
    },
    /// There are no games to train on.
    #[error("no games to learn from: expected at least one round, or recorded games")]
    NoGames,
    /// The initial weights don't fit the game.
    #[error(transparent)]
    Weights(#[from] WeightsError),
    /// The threads can't be started.
    #[error("can't start {}: {_1}", counted(*.0 as u64, "thread"))]
    Threads(usize, ThreadPoolBuildError),
}

/// Samples of the games that are fitted to, and of those that are left out.
#[derive(Default)]
struct Sets {
    fitted: Samples,
    validation: Samples,
}

impl Sets {
    fn append(&mut self, other: Self) {
        self.fitted.append(other.fitted);
        self.validation.append(other.validation);
    }
}

impl FromIterator<Self> for Sets {
    fn from_iter<I: IntoIterator<Item = Self>>(sets: I) -> Self {
        let (fitted, validation): (Vec<_>, Vec<_>) = sets.into_iter().map(|set| (set.fitted, set.validation)).unzip();
        Self { fitted: fitted.into_iter().collect(), validation: validation.into_iter().collect() }
    }
}

/// Converts weights to log-odds.
fn to_log_odds(weights: &Weights) -> Vec<f64> {
    let indices = 0..weights.len();
    indices.map(|index| f64::from(weights.get(index)) / LOGIT_SCALE).collect()
}

/// Place in [`Tuner::data`]: the index of a text, and the index of a line in it.
type LineIndex = (usize, usize);

fn bad_line((text, line): LineIndex, reason: String) -> TuneError {
    TuneError::Game { text, line: line + 1, reason }
}

fn open(variant: &Variant) -> Result<Box<dyn Board>, TuneError> {
    games::open(variant).ok_or_else(|| TuneError::NotOpened(variant.clone()))
}

impl Tuner<'_> {
    /// Runs all rounds.
    ///
    /// # Errors
    /// Returns an error where the variants, the initial weights or the recorded games don't fit together.
    pub fn run(&self) -> Result<TuningResult, TuneError> {
        let first = self.variants.first().ok_or(TuneError::Nothing)?;
        let differs = |other: &&Variant| !ptr::eq(first.info(), other.info());
        if let Some(other) = self.variants.iter().find(differs) {
            return Err(TuneError::Different(first.clone(), other.clone()));
        }
        let mut weights = open(first)?.weights().clone();
        for other in self.variants {
            if !open(other)?.weights().is_compatible(&weights) {
                return Err(TuneError::DifferentFeatures(first.clone(), other.clone()));
            }
        }
        if let Some(text) = self.initial_weights {
            weights = weights.parse(text)?;
        }
        let threads = self.tuning.threads;
        let pool = ThreadPoolBuilder::new().num_threads(threads);
        let pool = pool.stack_size(STACK_BYTES).build();
        let pool = pool.map_err(|error| TuneError::Threads(threads, error))?;
        pool.install(|| self.rounds(weights))
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Runs all rounds in the current thread pool.
    fn rounds(&self, mut weights: Weights) -> Result<TuningResult, TuneError> {
        let Tuning { rounds, games: games_per_round, l2, schedule, seed, .. } = self.tuning;
        let initial = to_log_odds(&weights);
        let mut samples = self.read_data(&weights)?;
        if rounds == 0 && samples.fitted.count() == 0 && !self.is_stopped() {
            return Err(TuneError::NoGames);
        }
        let mut finished = None;
        for round in u32::from(rounds > 0)..=rounds {
            let aborted = |finished: Option<Weights>| TuningResult {
                weights: finished.map(|weights| weights.write()),
                aborted_round: Some(round),
            };
            let fresh = match round {
                0 => mem::take(&mut samples),
                _ => self.play(&weights, round, u64::from(round - 1) * games_per_round)?,
            };
            if self.is_stopped() {
                return Ok(aborted(finished));
            }
            if self.tuning.positions == 0 {
                continue;
            }
            let before = network_training::loss(&fresh.fitted, &weights);
            samples.append(fresh);
            let Sets { fitted: games, validation } = &samples;
            let of_validation =
                |weights: &Weights| (validation.count() > 0).then(|| network_training::loss(validation, weights));
            let validation_before = of_validation(&weights);
            let fitted = match weights.layers().neurons {
                0 => {
                    let fitted = games.fit(&to_log_odds(&weights), &initial, l2, self.stop);
                    fitted.map(|fitted| {
                        let values = fitted.iter().map(|log_odds| (log_odds * LOGIT_SCALE).round() as i32);
                        weights.with_values(values.collect())
                    })
                }
                _ => network_training::train(games, &weights, schedule, seed, self.stop),
            };
            let Some(fitted) = fitted else {
                return Ok(aborted(finished));
            };
            weights = fitted;
            finished = Some(weights.clone());
            (self.on_progress)(TuningProgress::Fitted {
                round,
                before,
                after: network_training::loss(games, &weights),
                minimum: games.minimum_loss(),
                validation: validation_before.zip(of_validation(&weights)),
                positions: games.count(),
            });
        }
        Ok(TuningResult { weights: finished.map(|weights| weights.write()), aborted_round: None })
    }

    /// Samples the positions of the recorded games.
    fn read_data(&self, weights: &Weights) -> Result<Sets, TuneError> {
        let mut by_variant: Vec<(Variant, Vec<(LineIndex, GameLine<'_>)>)> = Vec::new();
        for (text, games) in self.data.iter().enumerate() {
            for (index, line) in (0..).map(|line| (text, line)).zip(games.lines()) {
                let line = GameLine::parse(without_mark(line));
                let line = line.map_err(|reason| bad_line(index, reason))?;
                let variant = games::parse_variant(line.variant);
                let variant = variant.map_err(|error| bad_line(index, error.to_string()))?;
                let known = by_variant.iter().position(|(known, _)| *known == variant);
                let known = known.unwrap_or_else(|| {
                    by_variant.push((variant, Vec::new()));
                    by_variant.len() - 1
                });
                if let Some((_, lines)) = by_variant.get_mut(known) {
                    lines.push((index, line));
                }
            }
        }
        let samples = by_variant.iter();
        let samples = samples.map(|(variant, lines)| self.read_games(variant, lines, weights));
        samples.collect()
    }

    /// Samples the positions of the recorded games of one variant.
    fn read_games(
        &self,
        variant: &Variant,
        lines: &[(LineIndex, GameLine<'_>)],
        weights: &Weights,
    ) -> Result<Sets, TuneError> {
        let board = &*open(variant)?;
        if let (Some((index, _)), Some(tuned)) = (lines.first(), self.variants.first())
            && !board.weights().is_compatible(weights)
        {
            let reason = format!("{variant} has not the same features as {tuned}");
            return Err(bad_line(*index, reason));
        }
        let sample = |number: usize| {
            let Some((index, line)) = lines.get(number).filter(|_| !self.is_stopped()) else {
                return Ok(Sets::default());
            };
            let game = SelfPlayGame::read(board, line);
            let game = game.map_err(|reason| bad_line(*index, reason))?;
            Ok(self.sample(board, &game, number as u64))
        };
        threads::map(lines.len(), sample).into_iter().collect()
    }

    /// Plays the games of a round, numbered from `first`, and samples their positions.
    fn play(&self, weights: &Weights, round: u32, first: u64) -> Result<Sets, TuneError> {
        let finished = AtomicU64::new(0);
        let mut samples = Sets::default();
        let (games, step) = (self.tuning.games, self.variants.len());
        for (variant, number) in self.variants.iter().zip(first..) {
            let numbers = (number..first + games).step_by(step);
            samples.append(self.play_games(variant, weights, round, numbers, &finished)?);
        }
        Ok(samples)
    }

    /// Plays the games of a round that are of one variant, and samples their positions.
    ///
    /// Games are numbered from 0 over all rounds.
    fn play_games(
        &self,
        variant: &Variant,
        weights: &Weights,
        round: u32,
        numbers: StepBy<Range<u64>>,
        finished: &AtomicU64,
    ) -> Result<Sets, TuneError> {
        let mut board = open(variant)?;
        board.set_weights(weights.clone());
        let player = SelfPlayer {
            random_steps: self.tuning.random_steps,
            method: self.tuning.method.unwrap_or(variant.info().method),
            nodes: self.tuning.nodes,
            seed: self.tuning.seed,
            clock: self.clock,
            stop: self.stop,
        };
        let play = |number| {
            let begins = !self.is_stopped();
            let Some(game) = begins.then(|| player.play(&*board, number)).flatten() else {
                return Sets::default();
            };
            let games = finished.fetch_add(1, Ordering::Relaxed) + 1;
            let line = &game.write(&*board);
            (self.on_progress)(TuningProgress::Played { round, games, line });
            self.sample(&*board, &game, number)
        };
        let numbers: Vec<u64> = numbers.collect();
        let samples = threads::map(numbers.len(), |index| numbers.get(index).map(|&number| play(number)));
        Ok(samples.into_iter().flatten().collect())
    }

    /// Samples positions of the game with this number.
    fn sample(&self, board: &dyn Board, game: &SelfPlayGame, number: u64) -> Sets {
        let Tuning { positions, lambda, validation, seed, .. } = self.tuning;
        let mut samples = Samples::default();
        let seed = Zobrist::state_key(seed).0.wrapping_add(number);
        let index = |feature, bucket| board.weights().index(feature, bucket);
        game.positions(board, positions, lambda, seed, |board, target| {
            let target = match board.side() {
                Color::Black => target,
                Color::White => 1.0 - target,
            };
            samples.push(
                |add| {
                    board.terms(&mut |feature, bucket, count| add(index(feature, bucket), count));
                },
                target,
            );
        });
        // Evenly spaced games.
        let left_out = |games: u64| (games as f64 * validation) as u64;
        match left_out(number) == left_out(number + 1) {
            true => Sets { fitted: samples, ..Sets::default() },
            false => Sets { validation: samples, ..Sets::default() },
        }
    }
}
