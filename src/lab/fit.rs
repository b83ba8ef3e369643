//! Logistic regression on sparse samples by Newton's method with conjugate gradients and a line search (after
//! Lin, Weng and Keerthi 2008, who bound the step otherwise).
#![expect(
    clippy::indexing_slicing,
    reason = "samples are made by `push`, and weights have a place for each that was seen"
)]

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

/// The most steps of Newton's method, and of conjugate gradients within each.
const NEWTON_STEPS: usize = 20;
const GRADIENT_STEPS: usize = 60;

/// Where results seem certain, the loss is nearly flat, and a step by its curvature would lead far beyond the best.
const FLATTEST: f64 = 1e-2;

/// An improvement of the mean loss that is not worth another step.
const ENOUGH: f64 = 1e-6;

/// What was seen in positions, and how good they were for Black.
#[derive(Clone, Default, Debug)]
pub struct Samples {
    /// Where the entries of each sample end.
    ends: Vec<usize>,
    /// Places of weights, and how often each was seen.
    entries: Vec<(u32, i32)>,
    /// How good, from 0 to 1.
    targets: Vec<f64>,
}

impl FromIterator<Self> for Samples {
    /// All of several sets, one behind the other.
    fn from_iter<I: IntoIterator<Item = Self>>(sets: I) -> Self {
        let sets: Vec<Self> = sets.into_iter().collect();
        let mut all = Self::default();
        // They may take half of the memory that there is.
        all.entries
            .reserve_exact(sets.iter().map(|set| set.entries.len()).sum());
        sets.into_iter().for_each(|set| all.append(set));
        all
    }
}

impl Samples {
    /// Adds what `show` shows of one position.
    pub fn push(&mut self, show: impl FnOnce(&mut dyn FnMut(usize, i32)), target: f64) {
        let mut seen = BTreeMap::new();
        show(&mut |place, times| *seen.entry(place as u32).or_default() += times);
        self.entries
            .extend(seen.into_iter().filter(|&(_, times)| times != 0));
        self.ends.push(self.entries.len());
        self.targets.push(target);
    }

    /// Adds the samples of another set behind these.
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

    /// The number of samples.
    pub fn count(&self) -> usize {
        self.targets.len()
    }

    /// How good a sample was, from 0 to 1.
    pub(super) fn target(&self, sample: usize) -> f64 {
        self.targets[sample]
    }

    /// The places that samples show, each as often as there are samples that show it.
    pub(super) fn places(&self) -> impl Iterator<Item = usize> {
        self.entries.iter().map(|&(place, _)| place as usize)
    }

    /// What a sample shows: places of weights, and how often.
    pub(super) fn entries(&self, sample: usize) -> &[(u32, i32)] {
        let begin = if sample == 0 {
            0
        } else {
            self.ends[sample - 1]
        };
        &self.entries[begin..self.ends[sample]]
    }

    /// The weights of what a sample shows, added up.
    fn sum(&self, sample: usize, weights: &[f64]) -> f64 {
        let weigh = |&(place, times): &(u32, i32)| weights[place as usize] * f64::from(times);
        self.entries(sample).iter().map(weigh).sum()
    }

    /// Adds to the sum of each place that a sample shows.
    fn spread(&self, sample: usize, amount: f64, total: &mut [f64]) {
        for &(place, times) in self.entries(sample) {
            total[place as usize] += amount * f64::from(times);
        }
    }

    /// Works on all samples with the threads there are, and adds up the vectors that come out. The parts are the same
    /// whatever the number of threads: sums of floating-point numbers depend on their order.
    fn total(&self, width: usize, work: impl Fn(usize, &mut [f64]) + Sync) -> Vec<f64> {
        const PARTS: usize = 16;
        let bound = |part: usize| part * self.count() / PARTS;
        let total = |part: usize| {
            let mut total = vec![0.0; width];
            (bound(part)..bound(part + 1)).for_each(|sample| work(sample, &mut total));
            total
        };
        let parts: Vec<Vec<f64>> = (0..PARTS).into_par_iter().map(total).collect();
        let mut total = vec![0.0; width];
        parts.iter().for_each(|part| add(&mut total, 1.0, part));
        total
    }

    /// The mean of the negative logarithm of the chance that weights, as log-odds, give the results.
    pub fn loss(&self, weights: &[f64]) -> f64 {
        self.mean_surprise(|sample| self.sum(sample, weights))
    }

    /// The same where a sample is thought to have these log-odds.
    pub(super) fn mean_surprise(&self, odds: impl Fn(usize) -> f64 + Sync) -> f64 {
        self.mean(|sample| surprise(self.targets[sample], odds(sample)))
    }

    /// The same where every sample is thought to be as good as it was: no weights have a smaller loss.
    pub fn least_surprise(&self) -> f64 {
        self.mean(|sample| {
            let target = self.targets[sample];
            let odds = libm::log(target / (1.0 - target));
            if odds.is_finite() {
                surprise(target, odds)
            } else {
                0.0
            }
        })
    }

    fn mean(&self, of: impl Fn(usize) -> f64 + Sync) -> f64 {
        let total = self.total(1, |sample, total| total[0] += of(sample));
        total[0] / self.count().max(1) as f64
    }

    /// The weights, as log-odds, under which the results are most likely, sought from some weights on. Each is drawn
    /// towards its `centre` by half of `l2` times the square of its distance: what was seen seldom stays near it.
    /// `None` once `stop` is set.
    pub fn fit(
        &self,
        from: &[f64],
        centre: &[f64],
        l2: f64,
        stop: &AtomicBool,
    ) -> Option<Vec<f64>> {
        let width = from.len();
        let mut weights = from.to_vec();
        let penalized = |weights: &[f64]| {
            let draw = weights
                .iter()
                .zip(centre)
                .map(|(weight, centre)| (weight - centre).powi(2));
            self.loss(weights) + l2 * draw.sum::<f64>() / 2.0 / self.count().max(1) as f64
        };
        let mut loss = penalized(&weights);
        for _ in 0..NEWTON_STEPS {
            let chances: Vec<f64> = (0..self.count())
                .map(|sample| logistic(self.sum(sample, &weights)))
                .collect();
            let mut gradient = self.total(width, |sample, total| {
                self.spread(sample, self.targets[sample] - chances[sample], total);
            });
            for (place, slope) in gradient.iter_mut().enumerate() {
                *slope -= l2 * (weights[place] - centre[place]);
            }
            let curved = |direction: &[f64]| {
                let mut image = self.total(width, |sample, total| {
                    let curvature = (chances[sample] * (1.0 - chances[sample])).max(FLATTEST);
                    self.spread(sample, self.sum(sample, direction) * curvature, total);
                });
                for (place, value) in image.iter_mut().enumerate() {
                    *value += l2 * direction[place];
                }
                image
            };
            let step = conjugate_gradients(gradient, curved, stop)?;
            // Far from the best weights, a whole step may lead too far.
            let along = |share: f64| -> Vec<f64> {
                weights
                    .iter()
                    .zip(&step)
                    .map(|(weight, step)| weight + share * step)
                    .collect()
            };
            let shares = std::iter::successors(Some(1.0), |share| Some(share / 2.0)).take(12);
            let tried = shares.map(|share| (penalized(&along(share)), share));
            let Some((next, share)) = tried.into_iter().find(|(next, _)| *next < loss) else {
                break;
            };
            weights = along(share);
            let gained = loss - next;
            loss = next;
            if gained < ENOUGH {
                break;
            }
        }
        Some(weights)
    }
}

/// The negative logarithm of the chance that log-odds give to what was so good.
fn surprise(target: f64, odds: f64) -> f64 {
    // −ln p of a result that is won; without a rounded p, which could be 0.
    let surprise = |odds: f64| libm::log1p(libm::exp(-odds.abs())) + (-odds).max(0.0);
    target * surprise(odds) + (1.0 - target) * surprise(-odds)
}

/// Solves `image(x) = target` for a symmetric positive map (Hestenes and Stiefel 1952), nearly; `None` once `stop` is set.
fn conjugate_gradients(
    target: Vec<f64>,
    image: impl Fn(&[f64]) -> Vec<f64>,
    stop: &AtomicBool,
) -> Option<Vec<f64>> {
    let mut solution = vec![0.0; target.len()];
    let mut residual = target.clone();
    let mut direction = target;
    let mut norm = dot(&residual, &residual);
    let enough = norm * 1e-6;
    for _ in 0..GRADIENT_STEPS {
        if stop.load(Ordering::Relaxed) {
            return None;
        }
        if norm <= enough {
            break;
        }
        let image = image(&direction);
        let scale = norm / dot(&direction, &image);
        add(&mut solution, scale, &direction);
        add(&mut residual, -scale, &image);
        let next = dot(&residual, &residual);
        let ratio = next / norm;
        norm = next;
        direction = residual
            .iter()
            .zip(&direction)
            .map(|(r, d)| r + ratio * d)
            .collect();
    }
    Some(solution)
}

/// The probability that has these odds, given as their natural logarithm.
pub fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-x))
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn add(to: &mut [f64], scale: f64, what: &[f64]) {
    to.iter_mut()
        .zip(what)
        .for_each(|(to, what)| *to += scale * what);
}
