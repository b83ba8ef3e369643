//! Floor 5: measurements that enter below the session, at full speed.

mod bench;
mod playouts;

pub use bench::{BenchLine, bench};
pub use playouts::{PlayOut, Playouts};
