//! Floor 3: search. Knows the traits of a game and no game.
//!
//! A search never negates by ply: one player may take several steps in a row. Values are kept from Black's
//! point of view, and each node asks whose step it is.
#![expect(
    clippy::indexing_slicing,
    reason = "node numbers come from the tree that they index"
)]

mod clock;
mod tree;
mod uct;

pub use clock::{Clock, SystemClock};
pub use tree::NODE_BYTES;
pub use uct::Uct;

use std::time::Duration;

use crate::game::Color;

/// When a search ends, whatever comes first. Without any limit it ends when it is stopped, or knows the result.
#[derive(Clone, Copy, Default, Debug)]
pub struct Limits {
    /// For so long.
    pub time: Option<Duration>,
    /// So many nodes: playouts, each of which adds its result to the tree.
    pub nodes: Option<u64>,
}

/// What a search works with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// How many threads search at once.
    pub threads: usize,
    /// The most memory that the tree may take, in bytes.
    pub memory: usize,
    /// With one thread and a limit in nodes alone, equal seeds give equal searches.
    pub seed: u64,
}

/// What a search found.
#[derive(Clone, Debug)]
pub struct Report<S> {
    /// A whole move: every step up to where the turn passes or the game ends. Empty where the game is over.
    pub steps: Vec<S>,
    /// How many playouts were made.
    pub nodes: u64,
    /// How many nodes the tree holds.
    pub tree_nodes: u64,
    /// How long it took.
    pub time: Duration,
    /// The share of the points that the side to move expects, from 0 to 1.
    pub expectation: f64,
    /// The result with best play, where it is proven: `Some(None)` is a draw.
    pub proven: Option<Option<Color>>,
}
