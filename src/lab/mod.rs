//! Floor 5: measurements that enter below the session, at full speed.

mod bench;
mod fit;
mod playouts;
mod tune;

pub use bench::{BenchLine, bench};
pub use playouts::{PlayOut, Playouts};
pub use tune::{Tune, TuneError, Tuning, TuningStage};
