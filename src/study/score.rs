//! Scores of games, and quantiles.

use serde::Serialize;

use crate::intervals::{Estimate, Results};

/// A score over games.
#[derive(Clone, Copy, PartialEq, Serialize, Debug)]
pub struct Score {
    /// Numbers of games won, drawn and lost.
    #[serde(flatten)]
    pub results: Results,
    /// Estimate of the score, from 0 to 1; a draw counts one half.
    #[serde(flatten)]
    pub estimate: Estimate,
}

impl Score {
    /// Estimates a score from results. `None` without games.
    pub fn new(results: Results) -> Option<Self> {
        Some(Self { results, estimate: Estimate::of_counts(&results.by_outcome())? })
    }

    /// Estimates a score from the half points of games: 0, 1 or 2 each.
    pub fn of(half_points: impl IntoIterator<Item = usize>) -> Option<Self> {
        Self::new(half_points.into_iter().collect())
    }
}

/// Quantiles of whole numbers, by nearest rank.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Quantiles {
    pub minimum: u32,
    pub p5: u32,
    pub p25: u32,
    pub median: u32,
    pub p75: u32,
    pub p95: u32,
    pub maximum: u32,
}

impl Quantiles {
    /// Computes the quantiles of values in any order. `None` without values.
    pub fn of(mut values: Vec<u32>) -> Option<Self> {
        values.sort_unstable();
        let last = values.len().checked_sub(1)?;
        let at = |percent: usize| {
            let rank = (percent * values.len()).div_ceil(100).saturating_sub(1);
            values.get(rank.min(last)).copied().unwrap_or(0)
        };
        Some(Self {
            minimum: at(0),
            p5: at(5),
            p25: at(25),
            median: at(50),
            p75: at(75),
            p95: at(95),
            maximum: at(100),
        })
    }
}
