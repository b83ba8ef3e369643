//! Evaluation by feature weights and networks (NNUE).
//!
//! A game says which features a position has, and which ones a step adds and removes ([`Features`]). The rest is here,
//! once for all games: [`Weights`] and their files, [`Network`], and the lazily refreshed [`Accumulators`] that
//! siblings share.

mod accumulators;
mod lazy;
mod network;
mod weights;
mod weights_file;

pub use accumulators::{Accumulators, Child, Features};
pub use lazy::LazyWeights;
pub use network::{Accumulator, Network};
pub use weights::{HiddenLayers, MAX_ACTIVATION, Term, Weights, WeightsError};
pub use weights_file::WeightsFileError;
