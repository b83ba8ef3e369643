//! Floor 5: measurements that enter below the session, at full speed.

mod bench;

pub use bench::{BenchLine, bench};
