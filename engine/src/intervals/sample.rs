//! Estimates of a mean score from outcome counts.
//!
//! All intervals come from the likelihood of the counts, without assuming a normal distribution of outcomes. They hold
//! for two games as well as for a hundred wins in a row.

use super::Estimate;
use super::quantiles::{CHI_SQUARED_95, NORMAL_95};

/// Number of bisection steps: more than a `f64` has bits.
const HALVINGS: u32 = 100;

/// Counts of outcomes with evenly spaced scores from 0 to 1: three results of games, or five of game pairs.
#[derive(Clone, PartialEq, Debug)]
pub struct Sample(Vec<f64>);

impl Sample {
    /// Creates a sample from counts, the worst outcome first; at least two.
    pub fn new(counts: &[u64]) -> Self {
        Self(counts.iter().map(|&count| count as f64).collect())
    }

    /// Returns the counts with 0.001 in place of 0, as the SPRT of fishtest uses them.
    fn regular(&self) -> Self {
        let regular = |&count: &f64| if count == 0.0 { 1e-3 } else { count };
        Self(self.0.iter().map(regular).collect())
    }

    /// Returns the number of outcomes.
    pub fn total(&self) -> f64 {
        self.0.iter().sum()
    }

    /// Returns the score and the count of each outcome.
    fn outcomes(&self) -> impl Iterator<Item = (f64, f64)> {
        let last = self.0.len().saturating_sub(1).max(1) as f64;
        let numbered = self.0.iter().enumerate();
        numbered.map(move |(i, &count)| (i as f64 / last, count))
    }

    fn average(&self, value: impl Fn(f64) -> f64) -> f64 {
        let sum: f64 = self.outcomes().map(|(score, count)| count * value(score)).sum();
        sum / self.total()
    }

    /// Returns the mean score; `None` without outcomes.
    pub fn mean(&self) -> Option<f64> {
        (self.total() > 0.0).then(|| self.average(|score| score))
    }

    /// Returns the standard error of the mean.
    fn standard_error(&self) -> Option<f64> {
        let mean = self.mean()?;
        let variance = self.average(|score| (score - mean) * (score - mean));
        Some((variance / self.total()).sqrt())
    }

    /// Returns the deviance of a mean between 0 and 1: twice the log-likelihood ratio of the best outcome probabilities
    /// against the best ones with that mean.
    ///
    /// The latter are `count / total / (1 + t·(score − mean))` for one number `t` (Van den Bergh, "The Generalized
    /// Sequential Probability Ratio Test"): the maximum of the concave `f` below. Every probability must stay positive,
    /// also of outcomes that never came.
    pub fn deviance(&self, mean: f64) -> f64 {
        let (mut low, mut high) = (-1.0 / (1.0 - mean), 1.0 / mean);
        for _ in 0..HALVINGS {
            let t = 0.5 * (low + high);
            let slope = |(score, count): (f64, f64)| {
                let distance = score - mean;
                if count == 0.0 { 0.0 } else { count * distance / (1.0 + t * distance) }
            };
            if self.outcomes().map(slope).sum::<f64>() > 0.0 { low = t } else { high = t }
        }
        let t = 0.5 * (low + high);
        let f = |(score, count): (f64, f64)| if count == 0.0 { 0.0 } else { count * (t * (score - mean)).ln_1p() };
        (2.0 * self.outcomes().map(f).sum::<f64>()).max(0.0)
    }

    /// Returns the 95 % interval of the mean: all means that a likelihood ratio test does not reject.
    pub fn interval(&self) -> Option<(f64, f64)> {
        let mean = self.mean()?;
        // Finds the end of the interval between the mean and 0 or 1.
        let end = |limit: f64| {
            let (mut inside, mut outside) = (mean, limit);
            for _ in 0..HALVINGS {
                let middle = 0.5 * (inside + outside);
                let possible = middle == inside || middle == outside || self.deviance(middle) <= CHI_SQUARED_95;
                *(if possible { &mut inside } else { &mut outside }) = middle;
            }
            inside
        };
        let low = if mean > 0.0 { end(0.0) } else { 0.0 };
        let high = if mean < 1.0 { end(1.0) } else { 1.0 };
        Some((low, high))
    }

    /// Returns the mean score with its 95 % interval ([`Sample::interval`]); `None` without outcomes.
    pub fn estimate(&self) -> Option<Estimate> {
        let (value, (low, high)) = (self.mean()?, self.interval()?);
        Some(Estimate { value, low, high })
    }

    /// Returns the normalized Elo of a mean score, as Fishtest and fastchess define it: its distance from one half in
    /// standard deviations of a game, times 800 / ln 10. An outcome is the mean of a number of games. `None` if all outcomes
    /// are equal.
    ///
    /// Unlike Elo it does not depend on the share of draws, and says how many games a difference needs.
    pub fn normalized_elo(&self, score: f64, games: u32) -> Option<f64> {
        let deviation = self.standard_error()? * (self.total() * f64::from(games)).sqrt();
        (deviation > 0.0).then(|| (score - 0.5) / deviation * 800.0 / std::f64::consts::LN_10)
    }

    /// Returns half the length of the 95 % interval by the normal distribution, in Elo, as most programs print it after
    /// `±`; `None` if the interval reaches 0 or 1, or has no length.
    pub fn elo_error(&self) -> Option<f64> {
        let (mean, error) = (self.mean()?, NORMAL_95 * self.standard_error()?);
        let (low, high) = (mean - error, mean + error);
        let usable = error > 0.0 && low > 0.0 && high < 1.0;
        usable.then(|| 0.5 * (elo(high) - elo(low)))
    }

    /// Returns the likelihood of superiority, that the true mean is above one half: the normal distribution function of
    /// the signed root of the deviance.
    pub fn superiority(&self) -> Option<f64> {
        let root = self.deviance(0.5).sqrt();
        let mean = self.mean()?;
        let root = if mean < 0.5 { -root } else { root };
        Some(0.5 * libm::erfc(-root / std::f64::consts::SQRT_2))
    }

    /// Returns the log-likelihood ratio of the mean `score1` against the mean `score0`, each with its best
    /// probabilities.
    pub fn log_likelihood_ratio(&self, score0: f64, score1: f64) -> f64 {
        let regular = self.regular();
        if self.total() > 0.0 { 0.5 * (regular.deviance(score0) - regular.deviance(score1)) } else { 0.0 }
    }
}

/// Converts a score to an Elo difference; infinite for 0 and 1.
pub fn elo(score: f64) -> f64 {
    400.0 * libm::log10(score / (1.0 - score))
}

/// Converts an Elo difference to a score.
pub fn score(elo: f64) -> f64 {
    1.0 / (1.0 + libm::exp10(-elo / 400.0))
}
