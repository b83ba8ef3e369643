//! Estimates with their intervals: of a mean score ([`Sample`]), and of the place where a falling curve of scores crosses
//! one ([`curve`]).
//!
//! Plain numbers in, plain numbers out. Matches, ladders and studies estimate with these.

pub mod curve;
mod sample;

pub use sample::{Sample, elo, score};
