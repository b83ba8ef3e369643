//! Floor 6: matches between engines.
//!
//! The arena talks to other engines only through the clients, and to our own search through the session, so it knows
//! nothing of the rooms that answer.
#![deny(clippy::indexing_slicing)]

pub mod record;
pub mod replay;
pub mod statistics;
pub mod tournament;
