//! Logistic regression on sparse samples.
//!
//! It uses Newton's method with conjugate gradients, after Lin, Weng and Keerthi (2008), but with a line search instead
//! of a trust region.
#![expect(
    clippy::indexing_slicing,
    reason = "samples are made by `push`, and there is a weight for every index in them"
)]

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::threads;

/// Maximum number of steps of Newton's method.
const NEWTON_STEPS: usize = 20;

/// Maximum number of conjugate gradient steps within each step of Newton's method.
const GRADIENT_STEPS: usize = 60;

/// Minimum curvature of the loss of a sample.
///
/// Where predictions are nearly certain, the loss is nearly flat, and a Newton step would overshoot far.
const MIN_CURVATURE: f64 = 1e-2;

/// Improvement of the mean loss below which the fit has converged.
const TOLERANCE: f64 = 1e-6;

/// Training samples: the features of positions, and the target value of each from the side to move.
#[derive(Clone, Default, Debug)]
pub struct Samples {
    /// By sample, the end of its entries.
    ends: Vec<usize>,
    /// Pairs of weight index and count, sample after sample.
    entries: Vec<(u32, i32)>,
    /// By sample, the target value, from 0 to 1.
    targets: Vec<f64>,
}

impl FromIterator<Self> for Samples {
    /// Concatenates several sets of samples.
    fn from_iter<I: IntoIterator<Item = Self>>(sets: I) -> Self {
        let sets: Vec<Self> = sets.into_iter().collect();
        let mut all = Self::default();
        // Samples may take half of the memory: growing by doubling could exceed it.
        all.entries.reserve_exact(sets.iter().map(|set| set.entries.len()).sum());
        sets.into_iter().for_each(|set| all.append(set));
        all
    }
}

impl Samples {
    /// Adds a sample with this target value, from 0 to 1.
    ///
    /// `visit` calls its argument with a weight index and a count for each feature. Counts of one index are summed.
    pub fn push(&mut self, visit: impl FnOnce(&mut dyn FnMut(usize, i32)), target: f64) {
        let mut counts = BTreeMap::new();
        visit(&mut |index, count| *counts.entry(index as u32).or_default() += count);
        self.entries.extend(counts.into_iter().filter(|&(_, count)| count != 0));
        self.ends.push(self.entries.len());
        self.targets.push(target);
    }

    /// Appends the samples of another set.
    pub fn append(&mut self, other: Self) {
        if self.count() == 0 && self.entries.capacity() == 0 {
            *self = other;
            return;
        }
        let begin = self.entries.len();
        self.entries.extend(other.entries);
        self.ends.extend(other.ends.iter().map(|end| begin + end));
        self.targets.extend(other.targets);
    }

    /// Returns the number of samples.
    pub fn count(&self) -> usize {
        self.targets.len()
    }

    /// Returns the target value of a sample, from 0 to 1.
    pub(super) fn target(&self, sample: usize) -> f64 {
        self.targets[sample]
    }

    /// Iterates over the weight indices of all samples, with repetitions.
    pub(super) fn indices(&self) -> impl Iterator<Item = usize> {
        self.entries.iter().map(|&(index, _)| index as usize)
    }

    /// Returns the entries of a sample, as pairs of weight index and count.
    pub(super) fn entries(&self, sample: usize) -> &[(u32, i32)] {
        let begin = if sample == 0 { 0 } else { self.ends[sample - 1] };
        &self.entries[begin..self.ends[sample]]
    }

    /// Returns the weighted sum of the features of a sample.
    fn sum(&self, sample: usize, weights: &[f64]) -> f64 {
        let weigh = |&(index, count): &(u32, i32)| weights[index as usize] * f64::from(count);
        self.entries(sample).iter().map(weigh).sum()
    }

    /// Adds the features of a sample, times a factor, to a vector of sums by weight index.
    fn add_scaled(&self, sample: usize, factor: f64, total: &mut [f64]) {
        for &(index, count) in self.entries(sample) {
            total[index as usize] += factor * f64::from(count);
        }
    }

    /// Runs `work` for all samples in parallel, and returns the vector of sums that it adds to.
    ///
    /// Samples are split into the same parts for any number of threads, since sums of floating-point numbers depend on
    /// their order.
    fn total(&self, width: usize, work: impl Fn(usize, &mut [f64]) + Sync) -> Vec<f64> {
        const PARTS: usize = 16;
        let bound = |part: usize| part * self.count() / PARTS;
        let total = |part: usize| {
            let mut total = vec![0.0; width];
            (bound(part)..bound(part + 1)).for_each(|sample| work(sample, &mut total));
            total
        };
        let parts = threads::map(PARTS, total);
        let mut total = vec![0.0; width];
        parts.iter().for_each(|part| add(&mut total, 1.0, part));
        total
    }

    /// Returns the mean cross-entropy, in nats, between targets and the predictions of weights, given as log-odds.
    pub fn loss(&self, weights: &[f64]) -> f64 {
        self.mean_cross_entropy(|sample| self.sum(sample, weights))
    }

    /// Returns the mean cross-entropy, in nats, between targets and predicted log-odds.
    pub(super) fn mean_cross_entropy(&self, log_odds: impl Fn(usize) -> f64 + Sync) -> f64 {
        self.mean(|sample| cross_entropy(self.targets[sample], log_odds(sample)))
    }

    /// Returns the mean entropy of the targets, in nats: the loss of perfect predictions.
    pub fn minimum_loss(&self) -> f64 {
        self.mean(|sample| {
            let target = self.targets[sample];
            let log_odds = libm::log(target / (1.0 - target));
            if log_odds.is_finite() { cross_entropy(target, log_odds) } else { 0.0 }
        })
    }

    /// Returns the mean of a function of samples.
    fn mean(&self, of: impl Fn(usize) -> f64 + Sync) -> f64 {
        let total = self.total(1, |sample, total| total[0] += of(sample));
        total[0] / self.count().max(1) as f64
    }

    /// Fits weights, as log-odds, to the targets, starting at `from`.
    ///
    /// L2 regularization adds half of `l2` times the squared distance of each weight from its `prior` to the total
    /// loss, so that weights of rare features stay near it. Returns `None` once `stop` is set.
    pub fn fit(&self, from: &[f64], prior: &[f64], l2: f64, stop: &AtomicBool) -> Option<Vec<f64>> {
        let width = from.len();
        let mut weights = from.to_vec();
        let penalized = |weights: &[f64]| {
            let squares = weights.iter().zip(prior).map(|(weight, prior)| (weight - prior).powi(2));
            self.loss(weights) + l2 * squares.sum::<f64>() / 2.0 / self.count().max(1) as f64
        };
        let mut loss = penalized(&weights);
        for _ in 0..NEWTON_STEPS {
            let predictions: Vec<f64> = (0..self.count()).map(|sample| logistic(self.sum(sample, &weights))).collect();
            let mut gradient = self.total(width, |sample, total| {
                self.add_scaled(sample, self.targets[sample] - predictions[sample], total);
            });
            for (index, slope) in gradient.iter_mut().enumerate() {
                *slope -= l2 * (weights[index] - prior[index]);
            }
            let hessian_product = |direction: &[f64]| {
                let mut image = self.total(width, |sample, total| {
                    let curvature = (predictions[sample] * (1.0 - predictions[sample])).max(MIN_CURVATURE);
                    self.add_scaled(sample, self.sum(sample, direction) * curvature, total);
                });
                for (index, value) in image.iter_mut().enumerate() {
                    *value += l2 * direction[index];
                }
                image
            };
            let step = conjugate_gradients(gradient, hessian_product, stop)?;
            // Far from the optimum, a whole step may overshoot: halve it until the loss falls.
            let along = |scale: f64| -> Vec<f64> {
                weights.iter().zip(&step).map(|(weight, step)| weight + scale * step).collect()
            };
            let scales = std::iter::successors(Some(1.0), |scale| Some(scale / 2.0)).take(12);
            let tried = scales.map(|scale| (penalized(&along(scale)), scale));
            let Some((next, scale)) = tried.into_iter().find(|(next, _)| *next < loss) else {
                break;
            };
            weights = along(scale);
            let gained = loss - next;
            loss = next;
            if gained < TOLERANCE {
                break;
            }
        }
        Some(weights)
    }
}

/// Returns the cross-entropy, in nats, between a target value and predicted log-odds.
fn cross_entropy(target: f64, log_odds: f64) -> f64 {
    // −ln p of a win, computed without p, which could round to 0.
    let surprisal = |log_odds: f64| libm::log1p(libm::exp(-log_odds.abs())) + (-log_odds).max(0.0);
    target * surprisal(log_odds) + (1.0 - target) * surprisal(-log_odds)
}

/// Solves `image(x) = target` approximately, for a symmetric positive definite map (Hestenes and Stiefel 1952).
///
/// Returns `None` once `stop` is set.
fn conjugate_gradients(target: Vec<f64>, image: impl Fn(&[f64]) -> Vec<f64>, stop: &AtomicBool) -> Option<Vec<f64>> {
    let mut solution = vec![0.0; target.len()];
    let mut residual = target.clone();
    let mut direction = target;
    let mut norm = dot(&residual, &residual);
    let tolerance = norm * 1e-6;
    for _ in 0..GRADIENT_STEPS {
        if stop.load(Ordering::Relaxed) {
            return None;
        }
        if norm <= tolerance {
            break;
        }
        let image = image(&direction);
        let scale = norm / dot(&direction, &image);
        add(&mut solution, scale, &direction);
        add(&mut residual, -scale, &image);
        let next = dot(&residual, &residual);
        let ratio = next / norm;
        norm = next;
        direction = residual.iter().zip(&direction).map(|(r, d)| r + ratio * d).collect();
    }
    Some(solution)
}

/// Returns the probability with these log-odds, a natural logarithm.
pub fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-x))
}

/// Returns the dot product of two vectors.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Adds a vector, times a factor, to another vector.
fn add(to: &mut [f64], factor: f64, vector: &[f64]) {
    to.iter_mut().zip(vector).for_each(|(to, value)| *to += factor * value);
}
