//! Estimates with their intervals.

use serde_core::ser::{Serialize, SerializeStruct, Serializer};

use super::Sample;
use super::quantiles::{CHI_SQUARED_95, NORMAL_95, normal_quantile, student_95};

/// Reciprocal of the part of an outcome that is added to the counts, in equal parts.
const ADDED: u64 = 2;

/// Decimal places of estimates that are printed: these must not depend on the last bit.
pub const DIGITS: i32 = 6;

/// Part of the interval without a variance between estimates that an interval of pooled ones has at least.
///
/// Two estimates that are equal by chance would have none at all. With the whole of it, two cover in 99 % of simulations;
/// with this part in 95 to 98 %, as three and five do.
const LEAST_OF_POOLED: f64 = 0.7;

/// Number of bisection steps: estimates have six decimal places.
const HALVINGS: u32 = 30;

/// An estimate with its 95 % interval.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Estimate {
    /// The estimate.
    pub value: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

/// Rounds to a number of decimal places.
pub fn rounded(number: f64, digits: i32) -> f64 {
    let unit = libm::exp10(f64::from(digits));
    let rounded = (number * unit).round() / unit;
    // No negative zero.
    if rounded == 0.0 { 0.0 } else { rounded }
}

impl Estimate {
    fn new(value: f64, low: f64, high: f64) -> Self {
        Self { value, low, high }.rounded(DIGITS)
    }

    /// Returns the estimate with its interval rounded to a number of decimal places.
    #[must_use]
    pub fn rounded(self, digits: i32) -> Self {
        let Self { value, low, high } = self;
        let [value, low, high] = [value, low, high].map(|number| rounded(number, digits));
        Self { value, low, high }
    }

    /// Returns the length of the interval.
    pub fn width(&self) -> f64 {
        self.high - self.low
    }

    /// Returns true if a number lies in the interval.
    pub fn contains(&self, number: f64) -> bool {
        (self.low..=self.high).contains(&number)
    }

    /// Estimates a mean score from the counts of evenly spaced outcomes from 0 to 1, the worst first. `None` without
    /// outcomes.
    ///
    /// The interval has every mean that a likelihood ratio test does not reject ([`Sample::deviance`]), after half an
    /// outcome is added to the counts, in equal parts. Without that, intervals of few or one-sided outcomes cover too
    /// rarely; with more, those of a few pairs that are nearly all won.
    pub fn of_counts(counts: &[u64]) -> Option<Self> {
        Self::of_counts_within(counts, CHI_SQUARED_95)
    }

    /// Estimates a mean score as [`Estimate::of_counts`] does, with an interval so much longer that this number of
    /// estimates hold together in 95 of 100 cases (Bonferroni's correction).
    pub fn of_counts_among(counts: &[u64], estimates: u64) -> Option<Self> {
        let quantile = match estimates {
            0 | 1 => CHI_SQUARED_95,
            _ => normal_quantile(0.025 / estimates as f64).powi(2),
        };
        Self::of_counts_within(counts, quantile)
    }

    fn of_counts_within(counts: &[u64], quantile: f64) -> Option<Self> {
        let mean = Sample::new(counts).mean()?;
        // Whole counts are asked for: the deviance grows as they do.
        let factor = ADDED * counts.len() as u64;
        let counts: Vec<u64> = counts.iter().map(|count| factor.saturating_mul(*count).saturating_add(1)).collect();
        let sample = Sample::new(&counts);
        let middle = sample.mean()?;
        let end = |limit: f64| {
            let (mut inside, mut outside) = (middle, limit);
            for _ in 0..HALVINGS {
                let between = 0.5 * (inside + outside);
                let is_possible = sample.deviance(between) <= factor as f64 * quantile;
                *(if is_possible { &mut inside } else { &mut outside }) = between;
            }
            inside
        };
        Some(Self::new(mean, end(0.0).min(mean), end(1.0).max(mean)))
    }

    /// Estimates a share from the number of cases and the number of all ([`Estimate::of_counts`]).
    pub fn of_share(cases: u64, all: u64) -> Option<Self> {
        Self::of_counts(&[all.saturating_sub(cases), cases])
    }

    /// Estimates the mean of values, one a game, by Student's t distribution. `None` without values.
    ///
    /// The interval of a single value is unbounded; it is given as the value itself on both sides, and the number of
    /// games next to it says so.
    pub fn of_mean(values: &[f64]) -> Option<Self> {
        let count = values.len() as f64;
        if values.is_empty() {
            return None;
        }
        let mean = values.iter().sum::<f64>() / count;
        if values.len() < 2 {
            return Some(Self::new(mean, mean, mean));
        }
        let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
        let error = (squares / (count - 1.0) / count).sqrt();
        let half = student_95(values.len() - 1) * error;
        Some(Self::new(mean, mean - half, mean + half))
    }

    /// Pools independent estimates of one quantity, such as those of several seeds. `None` without estimates.
    ///
    /// The model is that of random effects: estimates vary by their own errors, and between each other by an unknown
    /// variance (DerSimonian and Laird 1986). The interval is that of Student's t distribution with the variance that they
    /// show (Hartung and Knapp 2001), or 0.7 of the one without a variance between them, if that is longer.
    pub fn pooled(estimates: &[Self]) -> Option<Self> {
        let (first, count) = (estimates.first()?, estimates.len() as f64);
        if estimates.len() < 2 {
            return Some(*first);
        }
        // An estimate that is sure would have all the weight.
        let variance = |of: &Self| (of.width() / (2.0 * NORMAL_95)).max(1e-4).powi(2);
        let weighted = |between: f64| {
            let weights: Vec<f64> = estimates.iter().map(|of| 1.0 / (variance(of) + between)).collect();
            let sum: f64 = weights.iter().sum();
            let mean = weights.iter().zip(estimates).map(|(weight, of)| weight * of.value).sum::<f64>() / sum;
            let squares = weights.iter().zip(estimates).map(|(weight, of)| weight * (of.value - mean).powi(2));
            (mean, sum, squares.sum::<f64>(), weights.iter().map(|weight| weight * weight).sum::<f64>())
        };
        let (_, sum, squares, of_weights) = weighted(0.0);
        let between = (squares - (count - 1.0)) / (sum - of_weights / sum);
        let (mean, sum, squares, _) = weighted(between.max(0.0));
        let shown = student_95(estimates.len() - 1) * (squares / (count - 1.0) / sum).sqrt();
        let half = shown.max(LEAST_OF_POOLED * NORMAL_95 / sum.sqrt());
        Some(Self::new(mean, mean - half, mean + half))
    }

    /// Estimates the mean of shares, one a game ([`Estimate::of_mean`]), within 0 to 1.
    pub fn of_mean_share(shares: &[f64]) -> Option<Self> {
        let mean = Self::of_mean(shares)?;
        Some(Self { low: mean.low.max(0.0), high: mean.high.min(1.0), ..mean })
    }
}

impl Serialize for Estimate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Estimate", 3)?;
        fields.serialize_field("value", &self.value)?;
        fields.serialize_field("low", &self.low)?;
        fields.serialize_field("high", &self.high)?;
        fields.end()
    }
}
