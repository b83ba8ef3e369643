//! Training of a network by Adam (Kingma and Ba 2015) on mini-batches.
//!
//! A step leaves features alone that no sample of its batch has.
#![expect(clippy::indexing_slicing, reason = "samples hold indices of the weights that are trained")]

use std::f32::consts::PI;
use std::sync::atomic::{AtomicBool, Ordering};

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::LOGIT_SCALE;
use super::regression::Samples;
use crate::board::with_best_instructions;
use crate::nnue::{HiddenLayers, MAX_ACTIVATION, Weights};

/// Samples per step.
const BATCH_SIZE: usize = 256;

/// Share of all steps in which the learning rate rises.
const WARM_UP: f32 = 0.02;

/// Minimum learning rate, as a share of the maximum.
const MIN_RATE_SHARE: f32 = 0.002;

/// Decay per step of Adam's mean of gradients (β1).
const MEAN_DECAY: f32 = 0.9;

/// Decay per step of Adam's mean of squared gradients (β2).
const SQUARE_DECAY: f32 = 0.999;

/// Decoupled weight decay per unit of the learning rate (Loshchilov and Hutter 2019).
///
/// It applies to the input weights of neurons, for features that the batch has. Weights that few samples need vanish.
const WEIGHT_DECAY: f32 = 0.1;

/// Bound of the random initial input weights of neurons, in full activations.
///
/// They are random because neurons with equal weights would stay equal.
const INITIAL_INPUT_WEIGHT: f32 = 0.025;

/// Bound of the random initial output weights of neurons, in log-odds.
const INITIAL_OUTPUT_WEIGHT: f32 = 0.05;

/// Bound of the random initial weights between the two layers, in full activations.
const INITIAL_SECOND_WEIGHT: f32 = 0.05;

/// Bound of the random initial output weights of the second layer, in log-odds.
const INITIAL_SECOND_OUTPUT_WEIGHT: f32 = 0.25;

/// Initial bias of neurons, in full activations.
const INITIAL_BIAS: f32 = 0.5;

/// Length and speed of a training.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Schedule {
    /// Passes over all samples.
    pub passes: u32,
    /// Maximum learning rate.
    ///
    /// It is reached by linear warm-up over 2 % of the training, and followed by cosine decay (Loshchilov and
    /// Hutter 2017).
    pub rate: f32,
}

impl Default for Schedule {
    fn default() -> Self {
        Self { passes: 8, rate: 1e-3 }
    }
}

/// Trains a network on samples, starting at these weights.
///
/// A layer whose output weights are all 0 is initialized at random first. Equal seeds give equal weights. Returns
/// `None` once `stop` is set.
pub fn train(
    samples: &Samples,
    weights: &Weights,
    schedule: Schedule,
    seed: u64,
    stop: &AtomicBool,
) -> Option<Weights> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut trainer = Trainer::new(samples, weights, &mut random);
    let mut order: Vec<u32> = (0..samples.count() as u32).collect();
    let steps = schedule.passes as usize * samples.count().div_ceil(BATCH_SIZE);
    let mut step = 0;
    for _ in 0..schedule.passes {
        shuffle(&mut order, &mut random);
        for batch in order.chunks(BATCH_SIZE) {
            if stop.load(Ordering::Relaxed) {
                return None;
            }
            step += 1;
            with_best_instructions(
                #[inline(always)]
                || {
                    batch.iter().for_each(|&sample| trainer.add_gradient(sample as usize, batch.len()));
                    trainer.step(step, schedule.rate * rate_share(step as f32 / steps as f32));
                },
            );
        }
    }
    Some(weights.with_values(trainer.quantized()))
}

/// Returns the mean cross-entropy, in nats, between the targets of samples and the predictions of weights.
pub fn loss(samples: &Samples, weights: &Weights) -> f64 {
    let width = weights.width();
    samples.mean_cross_entropy(|sample| {
        let terms = samples.entries(sample).iter();
        let terms = terms.map(|&(index, count)| (index as usize / width, index as usize % width, count));
        f64::from(weights.value(&terms.collect::<Vec<_>>())) / LOGIT_SCALE
    })
}

/// Returns the share of the maximum learning rate when this share of all steps is done.
fn rate_share(done: f32) -> f32 {
    let share = if done < WARM_UP { done / WARM_UP } else { (1.0 + libm::cosf(PI * done)) / 2.0 };
    share.max(MIN_RATE_SHARE)
}

/// Shuffles a slice (Fisher and Yates 1938).
fn shuffle<T>(items: &mut [T], random: &mut impl Rng) {
    for last in (1..items.len()).rev() {
        let other = (u64::from(random.next_u32()) * (last as u64 + 1)) >> 32;
        items.swap(last, other as usize);
    }
}

/// State of a training. Vectors of weights are by index ([`Weights::index`]).
struct Trainer<'a> {
    samples: &'a Samples,
    weights: &'a Weights,
    /// Weights: by output bucket in log-odds, by neuron in full activations.
    values: Vec<f32>,
    /// Gradient of the loss of the current batch.
    gradient: Vec<f32>,
    /// Adam's decaying mean of gradients.
    mean: Vec<f32>,
    /// Adam's decaying mean of squared gradients.
    square: Vec<f32>,
    /// Features that the samples of the current batch have.
    active: Vec<usize>,
    /// By feature, true if it is in `active`.
    is_active: Vec<bool>,
    /// By neuron, its sum before activation, for the current sample.
    sums: Vec<f32>,
    /// By neuron, its activation.
    activations: Vec<f32>,
    /// By neuron, the derivative of the loss by its sum; before that, by its activation.
    sum_gradient: Vec<f32>,
    /// By neuron of the second layer, its sum before activation.
    second_sums: Vec<f32>,
}

impl<'a> Trainer<'a> {
    fn new(samples: &'a Samples, weights: &'a Weights, random: &mut impl Rng) -> Self {
        let (width, buckets, neurons) = (weights.width(), weights.buckets(), weights.layers().neurons);
        let scale = |index: usize| scale(weights, index);
        let mut values: Vec<f32> = (0..weights.len()).map(|index| weights.get(index) as f32 / scale(index)).collect();
        let outputs = weights.neuron_feature(0)..weights.second_feature(0);
        let second: Vec<usize> = (0..weights.layers().second).map(|neuron| weights.second_feature(neuron)).collect();
        let is_zero = |feature: usize| values[feature * width..][..width].iter().all(|&weight| weight == 0.0);
        let (is_first_new, is_second_new) = (outputs.clone().all(is_zero), second.iter().copied().all(is_zero));
        let mut uniform = |bound: f32| {
            let share = (random.next_u32() >> 8) as f32 / (1 << 24) as f32;
            (2.0 * share - 1.0) * bound
        };
        if is_first_new {
            // Features that no sample has keep weights of 0.
            let mut occurs = vec![false; weights.len() / width];
            samples.indices().for_each(|index| occurs[index / width] = true);
            for feature in (0..weights.layers().inputs).filter(|&feature| occurs[feature]) {
                let inputs = &mut values[feature * width + buckets..][..neurons];
                inputs.iter_mut().for_each(|weight| *weight = uniform(INITIAL_INPUT_WEIGHT));
            }
            values[weights.bias_feature() * width + buckets..][..neurons].fill(INITIAL_BIAS);
            for neuron in outputs {
                let outputs = &mut values[neuron * width..][..buckets];
                outputs.iter_mut().for_each(|weight| *weight = uniform(INITIAL_OUTPUT_WEIGHT));
            }
        }
        if is_second_new {
            for first in second {
                let outputs = &mut values[first * width..][..buckets];
                outputs.iter_mut().for_each(|weight| *weight = uniform(INITIAL_SECOND_OUTPUT_WEIGHT));
                values[(first + 1) * width..][..buckets].fill(INITIAL_BIAS);
                for bucket in 0..buckets {
                    let inputs = &mut values[(first + 2 + bucket) * width + buckets..][..neurons];
                    inputs.iter_mut().for_each(|weight| *weight = uniform(INITIAL_SECOND_WEIGHT));
                }
            }
        }
        let zeros = vec![0.0; values.len()];
        Self {
            samples,
            weights,
            gradient: zeros.clone(),
            mean: zeros.clone(),
            square: zeros,
            active: Vec::new(),
            is_active: vec![false; values.len() / width],
            sums: vec![0.0; neurons],
            activations: vec![0.0; neurons],
            sum_gradient: vec![0.0; neurons],
            second_sums: vec![0.0; weights.layers().second],
            values,
        }
    }

    /// Adds the gradient of a sample to that of its batch, whose size is `batch`.
    #[inline(always)]
    fn add_gradient(&mut self, sample: usize, batch: usize) {
        let (width, buckets, neurons) = (self.weights.width(), self.weights.buckets(), self.weights.layers().neurons);
        let (HiddenLayers { neuron_only, inputs, .. }, bias) = (self.weights.layers(), self.weights.bias_feature());
        let entries = self.samples.entries(sample);
        let bucket = entries.first().map_or(0, |&(index, _)| index as usize % width);
        let output = |neuron: usize| (bias + 1 + neuron) * width + bucket;
        let by_neuron = |feature: usize| feature * width + buckets..(feature + 1) * width;
        self.sums.copy_from_slice(&self.values[by_neuron(bias)]);
        let mut log_odds = 0.0;
        for &(index, count) in entries {
            let (feature, count) = (index as usize / width, count as f32);
            log_odds += self.values[index as usize] * count;
            if feature < inputs {
                let weights = &self.values[by_neuron(feature)];
                self.sums.iter_mut().zip(weights).for_each(|(sum, weight)| *sum += weight * count);
            }
        }
        for neuron in 0..neurons {
            self.activations[neuron] = self.sums[neuron].clamp(0.0, 1.0);
            log_odds += self.values[output(neuron)] * self.activations[neuron];
        }
        for second in 0..self.second_sums.len() {
            let first = self.weights.second_feature(second);
            let weighted = self.values[by_neuron(first + 2 + bucket)].iter().zip(&self.activations);
            let sum: f32 = weighted.map(|(weight, activation)| weight * activation).sum();
            self.second_sums[second] = self.values[(first + 1) * width + bucket] + sum;
            log_odds += self.values[first * width + bucket] * self.second_sums[second].clamp(0.0, 1.0);
        }
        let prediction = 1.0 / (1.0 + libm::expf(-log_odds));
        let slope = (prediction - self.samples.target(sample) as f32) / batch as f32;
        for neuron in 0..neurons {
            self.gradient[output(neuron)] += slope * self.activations[neuron];
            self.sum_gradient[neuron] = slope * self.values[output(neuron)];
        }
        // The activation is constant where it is clipped.
        let is_within = |sum: f32| 0.0 < sum && sum < 1.0;
        for second in 0..self.second_sums.len() {
            let (first, sum) = (self.weights.second_feature(second), self.second_sums[second]);
            self.gradient[first * width + bucket] += slope * sum.clamp(0.0, 1.0);
            if !is_within(sum) {
                continue;
            }
            let slope = slope * self.values[first * width + bucket];
            self.gradient[(first + 1) * width + bucket] += slope;
            let row = by_neuron(first + 2 + bucket);
            let weights = self.values[row.clone()].iter().zip(&mut self.gradient[row]);
            for (neuron, (weight, gradient)) in weights.enumerate() {
                *gradient += slope * self.activations[neuron];
                self.sum_gradient[neuron] += slope * weight;
            }
        }
        for neuron in 0..neurons {
            if !is_within(self.sums[neuron]) {
                self.sum_gradient[neuron] = 0.0;
            }
        }
        for &(index, count) in entries {
            let (feature, count) = (index as usize / width, count as f32);
            if feature >= neuron_only {
                self.gradient[index as usize] += slope * count;
            }
            if feature < inputs {
                let gradient = &mut self.gradient[by_neuron(feature)];
                gradient.iter_mut().zip(&self.sum_gradient).for_each(|(total, gradient)| *total += gradient * count);
            }
            if !self.is_active[feature] {
                self.is_active[feature] = true;
                self.active.push(feature);
            }
        }
        let gradient = &mut self.gradient[by_neuron(bias)];
        gradient.iter_mut().zip(&self.sum_gradient).for_each(|(total, gradient)| *total += gradient);
    }

    /// Takes a step along the gradient of the batch, and clears it. Steps are numbered from 1.
    #[inline(always)]
    fn step(&mut self, number: i32, rate: f32) {
        let width = self.weights.width();
        self.active.extend(self.weights.bias_feature()..self.is_active.len());
        // Adam's correction of the bias towards 0 of means that begin at 0.
        let mean_share = 1.0 - MEAN_DECAY.powi(number);
        let square_share = 1.0 - SQUARE_DECAY.powi(number);
        for feature in self.active.drain(..) {
            self.is_active[feature] = false;
            let indices = feature * width..(feature + 1) * width;
            let gradient = &mut self.gradient[indices.clone()];
            if feature < self.weights.layers().inputs {
                let weights = &mut self.values[indices.clone()][self.weights.buckets()..];
                weights.iter_mut().for_each(|weight| *weight -= rate * WEIGHT_DECAY * *weight);
            }
            let moments = self.mean[indices.clone()].iter_mut().zip(&mut self.square[indices.clone()]);
            let values = self.values[indices].iter_mut().zip(gradient);
            for ((value, gradient), (mean, square)) in values.zip(moments) {
                *mean += (1.0 - MEAN_DECAY) * (*gradient - *mean);
                *square += (1.0 - SQUARE_DECAY) * (*gradient * *gradient - *square);
                *value -= rate * (*mean / mean_share) / ((*square / square_share).sqrt() + 1e-8);
                *gradient = 0.0;
            }
        }
    }

    /// Returns the weights rounded to integers, by index.
    fn quantized(&self) -> Vec<i32> {
        let quantize = |(index, value): (usize, &f32)| (value * scale(self.weights, index)).round() as i32;
        self.values.iter().enumerate().map(quantize).collect()
    }
}

/// Returns the integer weight that stands for 1 at an index: one unit of log-odds, or full activation.
fn scale(weights: &Weights, index: usize) -> f32 {
    let (feature, column) = (index / weights.width(), index % weights.width());
    if column < weights.buckets() && !weights.is_second_bias(feature) {
        LOGIT_SCALE as f32
    } else {
        MAX_ACTIVATION as f32
    }
}
