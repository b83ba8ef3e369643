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
    fn deviance(&self, mean: f64) -> f64 {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The figures come from a program of its own that follows fishtest's `LLRcalc`.
    #[test]
    fn ratios_are_those_of_fishtest() {
        let cases: &[(f64, f64, &[u64], f64)] = &[
            (0.0, 10.0, &[10, 20, 200, 30, 15], 1.278_545_870),
            (0.0, 5.0, &[100, 500, 3000, 600, 120], 4.889_085_526),
            (-5.0, 5.0, &[3, 0, 10, 1, 4], 0.106_090_528),
            (0.0, 10.0, &[0, 0, 0, 0, 50], 1.418_463_905),
            (0.0, 10.0, &[1, 0, 0, 0, 0], -0.029_255_446),
            (0.0, 100.0, &[0, 2, 9, 4, 0], -2.621_923_384),
        ];
        for &(elo0, elo1, counts, expected) in cases {
            let ratio = Sample::new(counts).log_likelihood_ratio(score(elo0), score(elo1));
            assert!((ratio - expected).abs() < 1e-6, "{counts:?}: {ratio}");
        }
        assert_eq!(Sample::new(&[0; 5]).log_likelihood_ratio(0.5, 0.6), 0.0);
    }

    #[test]
    fn errors_are_those_of_the_normal_distribution() {
        let close = |value: Option<f64>, expected: f64| (value.unwrap() - expected).abs() < 1e-4;
        let sample = Sample::new(&[10, 20, 200, 30, 15]);
        assert!(close(sample.mean().map(elo), 12.639_594));
        assert!(close(sample.elo_error(), 15.119_560));
        // Where there are many games, the likelihood says the same.
        let (low, high) = sample.interval().unwrap();
        assert!((elo(low) + 2.456).abs() < 0.3 && (elo(high) - 27.783).abs() < 0.3);
        assert!((sample.superiority().unwrap() - 0.9496).abs() < 0.001);
    }

    #[test]
    fn few_and_one_sided_results_give_sane_intervals() {
        // A pair won: the best probabilities that explain it with a mean of s have likelihood s.
        let least = (-0.5 * CHI_SQUARED_95).exp();
        let (low, high) = Sample::new(&[0, 0, 0, 0, 1]).interval().unwrap();
        assert!((low - least).abs() < 1e-9 && high == 1.0);
        let (low, high) = Sample::new(&[0, 0, 0, 0, 50]).interval().unwrap();
        assert!((low - least.powf(0.02)).abs() < 1e-9 && high == 1.0);
        let (low, high) = Sample::new(&[7, 0, 0]).interval().unwrap();
        assert!(low == 0.0 && (high - (1.0 - least.powf(1.0 / 7.0))).abs() < 1e-9);
        // A drawn pair says little, and the same in both directions.
        let (low, high) = Sample::new(&[0, 0, 1, 0, 0]).interval().unwrap();
        assert!((low + high - 1.0).abs() < 1e-9 && low < 0.1);
        assert!((Sample::new(&[0, 0, 1, 0, 0]).superiority().unwrap() - 0.5).abs() < 1e-9);
        let sure = Sample::new(&[0, 0, 0, 0, 50]).superiority().unwrap();
        assert!(sure > 0.999_999 && sure <= 1.0);
        for counts in [[0, 0, 0, 0, 1], [0, 0, 1, 0, 0], [50, 0, 0, 0, 0]] {
            assert_eq!(Sample::new(&counts).elo_error(), None);
        }
        assert_eq!(Sample::new(&[0; 3]).interval(), None);
        assert_eq!(Sample::new(&[0; 3]).superiority(), None);
        assert_eq!((elo(1.0), elo(0.0)), (f64::INFINITY, f64::NEG_INFINITY));
    }

    #[test]
    fn intervals_hold_what_they_should() {
        // Every end of an interval is a mean that the counts just contradict, and the mean is inside.
        for counts in [
            [1, 2, 3, 4, 5],
            [0, 0, 3, 0, 1],
            [9, 0, 0, 0, 1],
            [0, 1, 0, 0, 0],
        ] {
            let sample = Sample::new(&counts);
            let (low, high) = sample.interval().unwrap();
            let mean = sample.mean().unwrap();
            assert!(
                0.0 < low && low < mean && mean < high && high < 1.0,
                "{counts:?}"
            );
            for end in [low, high] {
                assert!(
                    (sample.deviance(end) - CHI_SQUARED_95).abs() < 1e-6,
                    "{counts:?}"
                );
            }
        }
    }
}
