//! Matches between engines.
//!
//! The arena uses other engines through `client`, and the built-in searches through `session`. It knows nothing of the
//! protocol code of our own engine.
#![deny(clippy::indexing_slicing)]

pub mod replay;
pub mod tournament;
