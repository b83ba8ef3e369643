//! Benchmarks, self-play and training, which use boards and searches without a session.

mod bench;
pub mod network_training;
mod playout_benchmark;
pub mod regression;
mod self_play;
pub mod solve;
mod tune;

pub use bench::{BenchLine, bench};
pub use network_training::Schedule;
pub use playout_benchmark::PlayoutBenchmark;
pub use self_play::check_game_line;
pub use tune::{TuneError, Tuner, Tuning, TuningProgress, TuningResult};

/// Evaluation units per unit of log-odds: weights divided by this are logits.
const LOGIT_SCALE: f64 = crate::rules::EVALUATION_SCALE / std::f64::consts::LN_10;
