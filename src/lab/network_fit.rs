//! The weights of a network from samples: Adam (Kingma and Ba 2015) on small batches. Rows that a batch does not show stay
//! as they are.
#![expect(
    clippy::indexing_slicing,
    reason = "places are those of the table of weights, which the samples are of, too"
)]

use std::f32::consts::PI;
use std::sync::atomic::{AtomicBool, Ordering};

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::A_LOGARITHM;
use super::fit::Samples;
use crate::board::with_best_instructions;
use crate::nnue::{Layer, MAX_ACTIVATION, Weights};

/// How often each sample is looked at.
const EPOCHS: usize = 8;

/// Samples that are looked at between two steps.
const BATCH: usize = 256;

/// How large steps are at most. Over the first fiftieth they come to that, and then fall like a cosine (Loshchilov and Hutter 2017).
const RATE: f32 = 1e-3;

/// How fast gradients and their squares are forgotten.
const MEAN_DECAY: f32 = 0.9;
const SQUARE_DECAY: f32 = 0.999;

/// By how much of the rate the shares of inputs that are shown are drawn to 0 (Loshchilov and Hutter 2019): what few samples need
/// vanishes.
const DECAY: f32 = 0.1;

/// A network that has learned nothing begins with weights at random within these bounds, and units half full: equal ones
/// would stay equal.
const FIRST_SHARE: f32 = 0.025;
const FIRST_WORTH: f32 = 0.05;
const FIRST_FILLED: f32 = 0.5;

/// Weights with which the network foretells the samples better; `None` once `stop` is set.
pub fn fit(samples: &Samples, weights: &Weights, seed: u64, stop: &AtomicBool) -> Option<Weights> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut fit = Fit::new(samples, weights, &mut random);
    let mut order: Vec<u32> = (0..samples.count() as u32).collect();
    let steps = EPOCHS * samples.count().div_ceil(BATCH);
    let mut step = 0;
    for _ in 0..EPOCHS {
        shuffle(&mut order, &mut random);
        for batch in order.chunks(BATCH) {
            if stop.load(Ordering::Relaxed) {
                return None;
            }
            step += 1;
            with_best_instructions(
                #[inline(always)]
                || {
                    batch
                        .iter()
                        .for_each(|&sample| fit.learn(sample as usize, batch.len()));
                    fit.step(step, rate(step as f32 / steps as f32));
                },
            );
        }
    }
    Some(weights.with(fit.written()))
}

/// The mean of the negative logarithm of the chance that weights give what samples are fitted to.
pub fn loss(samples: &Samples, weights: &Weights) -> f64 {
    let width = weights.width();
    samples.mean_surprise(|sample| {
        let terms = samples.entries(sample).iter();
        let terms =
            terms.map(|&(place, times)| (place as usize / width, place as usize % width, times));
        f64::from(weights.value(&terms.collect::<Vec<_>>())) / A_LOGARITHM
    })
}

/// How large steps are, by how much of all is done.
fn rate(done: f32) -> f32 {
    const WARM: f32 = 0.02;
    let share = if done < WARM {
        done / WARM
    } else {
        (1.0 + libm::cosf(PI * done)) / 2.0
    };
    RATE * share.max(0.002)
}

/// Puts things in an order by chance (Fisher and Yates 1938).
fn shuffle<T>(things: &mut [T], random: &mut impl Rng) {
    for last in (1..things.len()).rev() {
        let other = (u64::from(random.next_u32()) * (last as u64 + 1)) >> 32;
        things.swap(last, other as usize);
    }
}

struct Fit<'a> {
    samples: &'a Samples,
    weights: &'a Weights,
    /// By place: log-odds in columns, and parts of a full unit behind them.
    values: Vec<f32>,
    gradient: Vec<f32>,
    mean: Vec<f32>,
    square: Vec<f32>,
    /// The rows that the batch shows, and by row, whether it is one of them.
    shown: Vec<usize>,
    is_shown: Vec<bool>,
    /// How far each unit is filled, and what more would do.
    filled: Vec<f32>,
    pull: Vec<f32>,
}

impl<'a> Fit<'a> {
    fn new(samples: &'a Samples, weights: &'a Weights, random: &mut impl Rng) -> Self {
        let (width, columns, units) = (weights.width(), weights.buckets(), weights.layer().neurons);
        let scale = |place: usize| scale(weights, place);
        let mut values: Vec<f32> = (0..weights.len())
            .map(|place| weights.get(place) as f32 / scale(place))
            .collect();
        let first_unit = weights.neuron(0);
        if values[first_unit * width..]
            .iter()
            .all(|&worth| worth == 0.0)
        {
            let mut near_zero = |most: f32| {
                let share = (random.next_u32() >> 8) as f32 / (1 << 24) as f32;
                (2.0 * share - 1.0) * most
            };
            // What no sample shows stays at 0.
            let mut shown = vec![false; weights.len() / width];
            samples
                .places()
                .for_each(|place| shown[place / width] = true);
            for row in (0..weights.layer().features).filter(|&row| shown[row]) {
                let shares = &mut values[row * width + columns..][..units];
                shares
                    .iter_mut()
                    .for_each(|share| *share = near_zero(FIRST_SHARE));
            }
            values[weights.bias() * width + columns..][..units].fill(FIRST_FILLED);
            for row in values[first_unit * width..].chunks_mut(width) {
                row[..columns]
                    .iter_mut()
                    .for_each(|worth| *worth = near_zero(FIRST_WORTH));
            }
        }
        let zeros = vec![0.0; values.len()];
        Self {
            samples,
            weights,
            gradient: zeros.clone(),
            mean: zeros.clone(),
            square: zeros,
            shown: Vec::new(),
            is_shown: vec![false; values.len() / width],
            filled: vec![0.0; units],
            pull: vec![0.0; units],
            values,
        }
    }

    /// Adds the gradient of a sample to that of its batch of so many.
    #[inline(always)]
    fn learn(&mut self, sample: usize, batch: usize) {
        let (width, columns, units) = (
            self.weights.width(),
            self.weights.buckets(),
            self.weights.layer().neurons,
        );
        let (
            Layer {
                only,
                features: inputs,
                ..
            },
            bias,
        ) = (self.weights.layer(), self.weights.bias());
        let entries = self.samples.entries(sample);
        let column = entries
            .first()
            .map_or(0, |&(place, _)| place as usize % width);
        let outputs = |unit: usize| (bias + 1 + unit) * width + column;
        let shares = |row: usize| row * width + columns..(row + 1) * width;
        self.filled.copy_from_slice(&self.values[shares(bias)]);
        let mut odds = 0.0;
        for &(place, times) in entries {
            let (row, times) = (place as usize / width, times as f32);
            odds += self.values[place as usize] * times;
            if row < inputs {
                let shares = &self.values[shares(row)];
                self.filled
                    .iter_mut()
                    .zip(shares)
                    .for_each(|(sum, share)| *sum += share * times);
            }
        }
        for (unit, filled) in self.filled.iter().enumerate() {
            odds += self.values[outputs(unit)] * filled.clamp(0.0, 1.0);
        }
        let chance = 1.0 / (1.0 + libm::expf(-odds));
        let slope = (chance - self.samples.target(sample) as f32) / batch as f32;
        for unit in 0..units {
            let filled = self.filled[unit];
            self.gradient[outputs(unit)] += slope * filled.clamp(0.0, 1.0);
            // Beyond its bounds a unit stays as it is.
            let moves = 0.0 < filled && filled < 1.0;
            self.pull[unit] = if moves {
                slope * self.values[outputs(unit)]
            } else {
                0.0
            };
        }
        for &(place, times) in entries {
            let (row, times) = (place as usize / width, times as f32);
            if row >= only {
                self.gradient[place as usize] += slope * times;
            }
            if row < inputs {
                let gradient = &mut self.gradient[shares(row)];
                gradient
                    .iter_mut()
                    .zip(&self.pull)
                    .for_each(|(sum, pull)| *sum += pull * times);
            }
            if !self.is_shown[row] {
                self.is_shown[row] = true;
                self.shown.push(row);
            }
        }
        let gradient = &mut self.gradient[shares(bias)];
        gradient
            .iter_mut()
            .zip(&self.pull)
            .for_each(|(sum, pull)| *sum += pull);
    }

    /// Takes a step with what the batch has shown, the so many-th, from 1 on.
    #[inline(always)]
    fn step(&mut self, number: i32, rate: f32) {
        let width = self.weights.width();
        self.shown.extend(self.weights.bias()..self.is_shown.len());
        let mean_share = 1.0 - MEAN_DECAY.powi(number);
        let square_share = 1.0 - SQUARE_DECAY.powi(number);
        for row in self.shown.drain(..) {
            self.is_shown[row] = false;
            let places = row * width..(row + 1) * width;
            let gradient = &mut self.gradient[places.clone()];
            if row < self.weights.layer().features {
                let shares = &mut self.values[places.clone()][self.weights.buckets()..];
                shares
                    .iter_mut()
                    .for_each(|share| *share -= rate * DECAY * *share);
            }
            let moments = self.mean[places.clone()]
                .iter_mut()
                .zip(&mut self.square[places.clone()]);
            let values = self.values[places].iter_mut().zip(gradient);
            for ((value, gradient), (mean, square)) in values.zip(moments) {
                *mean += (1.0 - MEAN_DECAY) * (*gradient - *mean);
                *square += (1.0 - SQUARE_DECAY) * (*gradient * *gradient - *square);
                *value -= rate * (*mean / mean_share) / ((*square / square_share).sqrt() + 1e-8);
                *gradient = 0.0;
            }
        }
    }

    /// The values as whole numbers, by place.
    fn written(&self) -> Vec<i32> {
        let written =
            |(place, value): (usize, &f32)| (value * scale(self.weights, place)).round() as i32;
        self.values.iter().enumerate().map(written).collect()
    }
}

/// What stands for one, at a place: e to one in a column, and a full unit behind it.
fn scale(weights: &Weights, place: usize) -> f32 {
    if place % weights.width() < weights.buckets() {
        A_LOGARITHM as f32
    } else {
        MAX_ACTIVATION as f32
    }
}
