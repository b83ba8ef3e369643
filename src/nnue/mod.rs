//! Floor 1: evaluation by weights and networks. A game names its features and what a step changes of them; accumulators,
//! sharing among siblings, lazy refresh and network files are here, once for all games.

mod accumulators;
mod lazy;
mod network;
mod weights;
mod weights_file;

pub use accumulators::{Accumulators, Child, Features};
pub use lazy::LazyWeights;
pub use network::{Accumulator, Network};
pub use weights::{Layer, MAX_ACTIVATION, Term, Weights, WeightsError};
pub use weights_file::WeightsFileError;
