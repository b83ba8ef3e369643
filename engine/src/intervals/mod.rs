//! Counts of results, and estimates with their intervals: of a mean score ([`Sample`]), and of the place where a falling
//! curve of scores crosses one ([`curve`]).
//!
//! Plain numbers in, plain numbers out. Matches, ladders and studies estimate with these.

pub mod curve;
mod estimate;
mod local;
mod quantiles;
mod results;
mod sample;

pub use estimate::{DIGITS, Estimate, rounded};
pub use quantiles::{CHI_SQUARED_95, normal, normal_quantile};
pub use results::Results;
pub use sample::{Sample, elo, score};
