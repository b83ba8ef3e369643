//! Floor 5: engine processes of anybody's: what they do with the protocols.
//!
//! The arena talks to engines only through pipes, ours no differently from others', so it knows nothing of the
//! rooms that answer.
#![deny(clippy::indexing_slicing)]

pub mod check;
pub mod process;
