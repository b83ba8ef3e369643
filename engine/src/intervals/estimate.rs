//! Estimates with their intervals.

use serde_core::ser::{Serialize, SerializeStruct, Serializer};

use super::Sample;

/// Quantile of the normal distribution for a two-sided 95 % interval.
const NORMAL_95: f64 = 1.959_963_984_540_054;

/// 95 % quantile of the chi-squared distribution with one degree of freedom.
const CHI_SQUARED_95: f64 = 3.841_458_820_694_124;

/// Reciprocal of the part of an outcome that is added to each count.
const ADDED: u64 = 4;

/// Decimal places of estimates that are printed: these must not depend on the last bit.
pub const DIGITS: i32 = 6;

/// Number of bisection steps: estimates have six decimal places.
const HALVINGS: u32 = 30;

/// Quantiles of Student's t distribution for a two-sided 95 % interval, with 1, 2 and 3 degrees of freedom.
const STUDENT_95: [f64; 3] = [12.706_205, 4.302_653, 3.182_446];

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
    /// The interval has every mean that a likelihood ratio test does not reject ([`Sample::deviance`]), after a quarter
    /// of an outcome is added to each count. Without that, intervals of few or one-sided outcomes cover too rarely.
    pub fn of_counts(counts: &[u64]) -> Option<Self> {
        let mean = Sample::new(counts).mean()?;
        // Whole counts are asked for: the deviance grows as they do.
        let counts: Vec<u64> = counts.iter().map(|count| ADDED.saturating_mul(*count) + 1).collect();
        let sample = Sample::new(&counts);
        let middle = sample.mean()?;
        let end = |limit: f64| {
            let (mut inside, mut outside) = (middle, limit);
            for _ in 0..HALVINGS {
                let between = 0.5 * (inside + outside);
                let is_possible = sample.deviance(between) <= ADDED as f64 * CHI_SQUARED_95;
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

    /// Estimates the mean of shares, one a game ([`Estimate::of_mean`]), within 0 to 1.
    pub fn of_mean_share(shares: &[f64]) -> Option<Self> {
        let mean = Self::of_mean(shares)?;
        Some(Self { low: mean.low.max(0.0), high: mean.high.min(1.0), ..mean })
    }
}

/// Returns the quantile of Student's t distribution for a two-sided 95 % interval.
fn student_95(freedom: usize) -> f64 {
    if let Some(&quantile) = STUDENT_95.get(freedom.wrapping_sub(1)) {
        return quantile;
    }
    // Abramowitz and Stegun 26.7.5.
    let (z, n) = (NORMAL_95, freedom as f64);
    let (z3, z5, z7) = (z.powi(3), z.powi(5), z.powi(7));
    z + (z3 + z) / (4.0 * n)
        + (5.0 * z5 + 16.0 * z3 + 3.0 * z) / (96.0 * n.powi(2))
        + (3.0 * z7 + 19.0 * z5 + 17.0 * z3 - 15.0 * z) / (384.0 * n.powi(3))
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
