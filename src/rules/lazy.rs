//! Weights that are read when they are first asked for, since they may be many: opening a variant takes no time for them.

use std::sync::OnceLock;

use super::Weights;

/// The weights of a game, and what a search makes of them.
pub struct LazyWeights<W> {
    weights: OnceLock<Weights>,
    worths: OnceLock<Box<W>>,
}

impl<W> Default for LazyWeights<W> {
    fn default() -> Self {
        Self {
            weights: OnceLock::new(),
            worths: OnceLock::new(),
        }
    }
}

impl<W> LazyWeights<W> {
    /// The weights; at first the game's own.
    #[inline(always)]
    pub fn weights(&self, own: impl FnOnce() -> Weights) -> &Weights {
        self.weights.get_or_init(own)
    }

    /// What a search makes of the weights; at first of the game's own.
    #[inline(always)]
    pub fn worths(&self, own: impl FnOnce() -> Weights, make: impl FnOnce(&Weights) -> W) -> &W {
        match self.worths.get() {
            Some(worths) => worths,
            None => self
                .worths
                .get_or_init(|| Box::new(make(self.weights(own)))),
        }
    }

    /// Puts other weights in their place.
    pub fn set(&mut self, weights: Weights) {
        *self = Self {
            weights: weights.into(),
            worths: OnceLock::new(),
        };
    }
}
