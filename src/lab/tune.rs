//! Weights of an evaluation from games that the program plays against itself: rounds of games, and after each round the
//! weights that foretell best how all games so far ended, and what the searches in them expected.

use std::iter::StepBy;
use std::mem;
use std::ops::Range;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rayon::prelude::*;
use rayon::{ThreadPoolBuildError, ThreadPoolBuilder};
use thiserror::Error;

use super::A_LOGARITHM;
use super::fit::Samples;
use super::network_fit;
use super::self_play::{Line, Player, SelfPlay};
use crate::board::Zobrist;
use crate::files::without_mark;
use crate::games;
use crate::nnue::{Weights, WeightsError};
use crate::rules::{Board, Color, Variant};
use crate::search::{Clock, STACK_BYTES};
use crate::text::counted;

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
    pub l2: f64,
    /// How many positions of a game count, at most, from all parts of it: neighbours say nearly the same, but the more
    /// count, the less is learned by chance. With 0, games are only played.
    pub positions: usize,
    /// How much of what weights are fitted to is what the search expected, from 0 to 1; the rest is how the game ended.
    pub lambda: f64,
    /// How many threads play and count.
    pub threads: usize,
    /// Equal seeds give equal weights.
    pub seed: u64,
}

/// How far a tuning is.
#[derive(Clone, Copy, Debug)]
pub enum TuningStage<'a> {
    /// So many games of the round are played.
    Played {
        /// The round, from 1.
        round: u32,
        /// They.
        games: u64,
        /// The last of them, as a line that [`Tune::played`] may have.
        line: &'a str,
    },
    /// The round's weights are found; the loss is the mean negative logarithm of the chance that they give what they are
    /// fitted to, of this round's games before and of all games after.
    Fitted {
        /// From 1; 0 where none is played.
        round: u32,
        /// Of the new games, with the weights that played them.
        before: f64,
        /// Of all games, with the new weights.
        after: f64,
        /// The least that there is, of all games: that of weights which foretell everything.
        least: f64,
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
    /// Texts with games of before, one a line, that count as those of the first round do.
    pub played: &'a [String],
    /// Where the time comes from.
    pub clock: &'a dyn Clock,
    /// Is shown how far it is.
    pub tell: &'a (dyn Fn(TuningStage<'_>) + Sync),
    /// Once it is set, the round that is not finished is given up.
    pub stop: &'a AtomicBool,
}

/// What a tuning came to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tuned {
    /// The text of the table of weights of the last round that is finished; `None` where none is.
    pub weights: Option<String>,
    /// The round that was given up, from 1; 0 is what was to be learned from games of before alone.
    pub given_up: Option<u32>,
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
    /// A line is no game.
    #[error("line {line}: {why}")]
    Game {
        /// Which of the texts, from 0.
        text: usize,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        why: String,
    },
    /// There is nothing to fit weights to.
    #[error("no games: expected rounds of at least one, or games of before")]
    NoGames,
    /// The weights to begin with are not of this game.
    #[error(transparent)]
    Weights(#[from] WeightsError),
    /// The system gives no such threads.
    #[error("{} can't be had: {_1}", counted(*.0 as u64, "thread"))]
    Threads(usize, ThreadPoolBuildError),
}

/// Weights as log-odds.
fn as_odds(weights: &Weights) -> Vec<f64> {
    let places = 0..weights.len();
    places
        .map(|place| f64::from(weights.get(place)) / A_LOGARITHM)
        .collect()
}

/// Which text, and which line of it, from 0.
type Place = (usize, usize);

fn bad_line((text, line): Place, why: String) -> TuneError {
    TuneError::Game {
        text,
        line: line + 1,
        why,
    }
}

fn open(variant: &Variant) -> Result<Box<dyn Board>, TuneError> {
    games::open(variant).ok_or_else(|| TuneError::NotOpened(variant.clone()))
}

impl Tune<'_> {
    /// Plays and counts.
    ///
    /// # Errors
    /// Says why these variants can't be tuned so.
    pub fn run(&self) -> Result<Tuned, TuneError> {
        let first = self.variants.first().ok_or(TuneError::Nothing)?;
        let differs = |other: &&Variant| !ptr::eq(first.info(), other.info());
        if let Some(other) = self.variants.iter().find(differs) {
            return Err(TuneError::Different(first.clone(), other.clone()));
        }
        let mut weights = open(first)?.weights().clone();
        for other in self.variants {
            if !open(other)?.weights().fits(&weights) {
                return Err(TuneError::OtherRows(first.clone(), other.clone()));
            }
        }
        if let Some(text) = self.from {
            weights = weights.reread(text)?;
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

    /// All rounds, with the threads there are.
    fn rounds(&self, mut weights: Weights) -> Result<Tuned, TuneError> {
        let Tuning {
            rounds, games, l2, ..
        } = self.tuning;
        let began = as_odds(&weights);
        let mut samples = self.read(&weights)?;
        if rounds == 0 && samples.count() == 0 && !self.is_stopped() {
            return Err(TuneError::NoGames);
        }
        let mut finished = None;
        for round in u32::from(rounds > 0)..=rounds {
            let given_up = |finished: Option<Weights>| Tuned {
                weights: finished.map(|weights| weights.write()),
                given_up: Some(round),
            };
            let fresh = match round {
                0 => mem::take(&mut samples),
                _ => self.play(&weights, round, u64::from(round - 1) * games)?,
            };
            if self.is_stopped() {
                return Ok(given_up(finished));
            }
            if self.tuning.positions == 0 {
                continue;
            }
            let before = network_fit::loss(&fresh, &weights);
            samples.append(fresh);
            let fitted = match weights.layer().neurons {
                0 => {
                    let found = samples.fit(&as_odds(&weights), &began, l2, self.stop);
                    found.map(|found| {
                        let values = found.iter().map(|odds| (odds * A_LOGARITHM).round() as i32);
                        weights.with(values.collect())
                    })
                }
                _ => network_fit::fit(&samples, &weights, self.tuning.seed, self.stop),
            };
            let Some(fitted) = fitted else {
                return Ok(given_up(finished));
            };
            weights = fitted;
            finished = Some(weights.clone());
            (self.tell)(TuningStage::Fitted {
                round,
                before,
                after: network_fit::loss(&samples, &weights),
                least: samples.least_surprise(),
                positions: samples.count(),
            });
        }
        Ok(Tuned {
            weights: finished.map(|weights| weights.write()),
            given_up: None,
        })
    }

    /// Looks at the positions of the games of before.
    fn read(&self, weights: &Weights) -> Result<Samples, TuneError> {
        let mut by_variant: Vec<(Variant, Vec<(Place, Line<'_>)>)> = Vec::new();
        for (text, played) in self.played.iter().enumerate() {
            for (place, line) in (0..).map(|line| (text, line)).zip(played.lines()) {
                let line = Line::parse(without_mark(line)).map_err(|why| bad_line(place, why))?;
                let variant = games::parse_variant(line.variant);
                let variant = variant.map_err(|error| bad_line(place, error.to_string()))?;
                let known = by_variant.iter().position(|(known, _)| *known == variant);
                let known = known.unwrap_or_else(|| {
                    by_variant.push((variant, Vec::new()));
                    by_variant.len() - 1
                });
                if let Some((_, lines)) = by_variant.get_mut(known) {
                    lines.push((place, line));
                }
            }
        }
        let samples = by_variant.iter();
        let samples = samples.map(|(variant, lines)| self.read_games(variant, lines, weights));
        samples.collect()
    }

    /// Looks at the positions of games of before that are of one variant.
    fn read_games(
        &self,
        variant: &Variant,
        lines: &[(Place, Line<'_>)],
        weights: &Weights,
    ) -> Result<Samples, TuneError> {
        let board = &*open(variant)?;
        if let (Some((place, _)), Some(tuned)) = (lines.first(), self.variants.first())
            && !board.weights().fits(weights)
        {
            let why = format!("{variant} has no such weights as {tuned}");
            return Err(bad_line(*place, why));
        }
        let learn = |(number, (place, line)): (usize, &(Place, Line<'_>))| {
            if self.is_stopped() {
                return Ok(Samples::default());
            }
            let played = SelfPlay::read(board, line).map_err(|why| bad_line(*place, why))?;
            Ok(self.learn(board, &played, number as u64))
        };
        let read: Vec<Result<Samples, TuneError>> =
            lines.par_iter().enumerate().map(learn).collect();
        read.into_iter().collect()
    }

    /// Plays a round of games, the first of which has this number, and looks at their positions.
    fn play(&self, weights: &Weights, round: u32, first: u64) -> Result<Samples, TuneError> {
        let done = AtomicU64::new(0);
        let mut samples = Samples::default();
        let (games, step) = (self.tuning.games, self.variants.len());
        for (variant, number) in self.variants.iter().zip(first..) {
            let numbers = (number..first + games).step_by(step);
            samples.append(self.play_games(variant, weights, round, numbers, &done)?);
        }
        Ok(samples)
    }

    /// Plays those games of a round that are of one variant, by their numbers from 0 over all rounds, and looks at
    /// their positions.
    fn play_games(
        &self,
        variant: &Variant,
        weights: &Weights,
        round: u32,
        numbers: StepBy<Range<u64>>,
        done: &AtomicU64,
    ) -> Result<Samples, TuneError> {
        let mut board = open(variant)?;
        board.set_weights(weights.clone());
        let player = Player {
            random_steps: self.tuning.random_steps,
            nodes: self.tuning.nodes,
            seed: self.tuning.seed,
            clock: self.clock,
            stop: self.stop,
        };
        let play = |number| {
            let begins = !self.is_stopped();
            let Some(played) = begins.then(|| player.play(&*board, number)).flatten() else {
                return Samples::default();
            };
            let games = done.fetch_add(1, Ordering::Relaxed) + 1;
            let line = &played.write(&*board);
            (self.tell)(TuningStage::Played { round, games, line });
            self.learn(&*board, &played, number)
        };
        let numbers: Vec<u64> = numbers.collect();
        let samples: Vec<Samples> = numbers.into_par_iter().map(play).collect();
        Ok(samples.into_iter().collect())
    }

    /// Looks at the positions of a game with this number.
    fn learn(&self, board: &dyn Board, played: &SelfPlay, number: u64) -> Samples {
        let Tuning {
            positions,
            lambda,
            seed,
            ..
        } = self.tuning;
        let mut samples = Samples::default();
        let seed = Zobrist::state_key(seed).0.wrapping_add(number);
        let place = |row, column| board.weights().place(row, column);
        played.positions(board, positions, lambda, seed, |board, target| {
            let target = match board.side() {
                Color::Black => target,
                Color::White => 1.0 - target,
            };
            samples.push(
                |add| {
                    board.terms(&mut |row, column, times| add(place(row, column), times));
                },
                target,
            );
        });
        samples
    }
}
