//! Positions of a history, with what is computed once and used again.

use super::loops::legal_steps;
use crate::board::{Instructions, Key};
use crate::rules::Game;

/// A position of the history, and what was computed from it.
pub(super) struct Frame<G: Game> {
    pub(super) position: G::Position,
    pub(super) key: Key,
    /// The step that led here; `None` at the start of the history.
    pub(super) step: Option<G::Step>,
    /// The legal steps, generated on first use.
    pub(super) steps: Option<G::Steps>,
    /// Results of the last two lookaheads.
    pub(super) ahead: [Option<Ahead<G>>; 2],
    /// The index of the older one.
    pub(super) older: usize,
}

/// The position and the key after a step.
pub(super) struct Ahead<G: Game> {
    pub(super) step: G::Step,
    pub(super) position: G::Position,
    pub(super) key: Key,
}

impl<G: Game> Frame<G> {
    pub(super) fn new(position: G::Position, key: Key) -> Self {
        Self { position, key, step: None, steps: None, ahead: [None, None], older: 0 }
    }

    pub(super) fn steps(&mut self, game: &G, instructions: impl Instructions) -> G::Steps {
        *self.steps.get_or_insert_with(|| legal_steps(game, &self.position, instructions))
    }
}
