//! What can be said of the mean of a few outcomes.
//!
//! Everything here comes from the likelihood of the counts alone, without a normal distribution of the outcomes, so
//! that it holds for two games and for a hundred wins in a row.

/// The quantile of the chi-squared distribution with one degree of freedom at 95 %.
const CHI_SQUARED_95: f64 = 3.841_458_820_694_124;

/// The quantile of the normal distribution for a two-sided interval of 95 %.
const NORMAL_95: f64 = 1.959_963_984_540_054;

/// Halvings of an interval of numbers: more than a `f64` has bits.
const HALVINGS: u32 = 100;

/// How often each outcome came: the scores are spread evenly from 0 to 1. Three are the results of games, five
/// the results of pairs of games.
#[derive(Clone, PartialEq, Debug)]
pub struct Sample(Vec<f64>);

impl Sample {
    /// Counts of outcomes, the worst first; at least two.
    pub fn new(counts: &[u64]) -> Self {
        Self(counts.iter().map(|&count| count as f64).collect())
    }

    /// The same with a little of every outcome, as the SPRT of fishtest counts: a thousandth for none.
    fn regular(&self) -> Self {
        let regular = |&count: &f64| if count == 0.0 { 1e-3 } else { count };
        Self(self.0.iter().map(regular).collect())
    }

    /// How many outcomes there are.
    pub fn total(&self) -> f64 {
        self.0.iter().sum()
    }

    /// Each outcome's score and count.
    fn outcomes(&self) -> impl Iterator<Item = (f64, f64)> {
        let last = self.0.len().saturating_sub(1).max(1) as f64;
        let numbered = self.0.iter().enumerate();
        numbered.map(move |(i, &count)| (i as f64 / last, count))
    }

    fn average(&self, value: impl Fn(f64) -> f64) -> f64 {
        let sum: f64 = self
            .outcomes()
            .map(|(score, count)| count * value(score))
            .sum();
        sum / self.total()
    }

    /// The mean score; `None` without outcomes.
    pub fn mean(&self) -> Option<f64> {
        (self.total() > 0.0).then(|| self.average(|score| score))
    }

    /// The standard error of the mean.
    fn standard_error(&self) -> Option<f64> {
        let mean = self.mean()?;
        let variance = self.average(|score| (score - mean) * (score - mean));
        Some((variance / self.total()).sqrt())
    }

    /// Twice the logarithm of how much likelier the counts are with the best probabilities than with the best ones
    /// whose mean is `mean`, which lies between 0 and 1.
    ///
    /// The best probabilities with a given mean are `count / total / (1 + t·(score − mean))` for one number `t`
    /// (Van den Bergh, "The Generalized Sequential Probability Ratio Test"), the one at which `f` below, which is
    /// concave, is greatest; `t` has to leave every probability positive, also of outcomes that never came.
    pub fn deviance(&self, mean: f64) -> f64 {
        let (mut low, mut high) = (-1.0 / (1.0 - mean), 1.0 / mean);
        for _ in 0..HALVINGS {
            let t = 0.5 * (low + high);
            let slope = |(score, count): (f64, f64)| {
                let distance = score - mean;
                match count == 0.0 {
                    true => 0.0,
                    false => count * distance / (1.0 + t * distance),
                }
            };
            match self.outcomes().map(slope).sum::<f64>() > 0.0 {
                true => low = t,
                false => high = t,
            }
        }
        let t = 0.5 * (low + high);
        let f = |(score, count): (f64, f64)| match count == 0.0 {
            true => 0.0,
            false => count * (t * (score - mean)).ln_1p(),
        };
        (2.0 * self.outcomes().map(f).sum::<f64>()).max(0.0)
    }

    /// The 95 % interval of the mean: all means that the counts do not contradict by a likelihood ratio test.
    pub fn interval(&self) -> Option<(f64, f64)> {
        let mean = self.mean()?;
        // The end between the mean and one of 0 and 1.
        let end = |limit: f64| {
            let (mut inside, mut outside) = (mean, limit);
            for _ in 0..HALVINGS {
                let middle = 0.5 * (inside + outside);
                let possible = middle == inside
                    || middle == outside
                    || self.deviance(middle) <= CHI_SQUARED_95;
                *(if possible { &mut inside } else { &mut outside }) = middle;
            }
            inside
        };
        let low = if mean > 0.0 { end(0.0) } else { 0.0 };
        let high = if mean < 1.0 { end(1.0) } else { 1.0 };
        Some((low, high))
    }

    /// The same by the normal distribution: half its length, in Elo, as most programs show it behind `±`; `None`
    /// where it reaches 0 or 1, or has no length.
    pub fn elo_error(&self) -> Option<f64> {
        let (mean, error) = (self.mean()?, NORMAL_95 * self.standard_error()?);
        let (low, high) = (mean - error, mean + error);
        let usable = error > 0.0 && low > 0.0 && high < 1.0;
        usable.then(|| 0.5 * (elo(high) - elo(low)))
    }

    /// The likelihood that the true mean is above one half: the normal distribution of the signed root of the
    /// likelihood ratio.
    pub fn superiority(&self) -> Option<f64> {
        let root = self.deviance(0.5).sqrt();
        let mean = self.mean()?;
        let root = if mean < 0.5 { -root } else { root };
        Some(0.5 * libm::erfc(-root / std::f64::consts::SQRT_2))
    }

    /// The logarithm of how much likelier the counts are with a mean of `score1` than with one of `score0`, each with
    /// the best probabilities.
    pub fn log_likelihood_ratio(&self, score0: f64, score1: f64) -> f64 {
        let regular = self.regular();
        match self.total() > 0.0 {
            true => 0.5 * (regular.deviance(score0) - regular.deviance(score1)),
            false => 0.0,
        }
    }
}

/// The difference in Elo that goes with a score; infinite for 0 and 1.
pub fn elo(score: f64) -> f64 {
    400.0 * libm::log10(score / (1.0 - score))
}

/// The score that goes with a difference in Elo.
pub fn score(elo: f64) -> f64 {
    1.0 / (1.0 + libm::exp10(-elo / 400.0))
}
