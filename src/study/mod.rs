//! Studies of a game: games of the program against itself under stated conditions, and figures computed from their
//! records alone.
#![deny(clippy::indexing_slicing)]

pub mod balance;
mod in_order;
pub mod ladder;
pub mod player;
