//! Floor 6: measurements that enter below the session, at full speed.

mod bench;
pub mod fit;
pub mod network_fit;
mod playouts;
mod self_play;
mod tune;

pub use bench::{BenchLine, bench};
pub use playouts::PlayOut;
pub use self_play::check_line;
pub use tune::{Tune, TuneError, Tuned, Tuning, TuningStage};

/// What odds e times as good are in weights.
const A_LOGARITHM: f64 = crate::rules::EVALUATION_SCALE / std::f64::consts::LN_10;
