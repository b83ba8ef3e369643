//! Weights that are read when they are first asked for, since they may be many: opening a variant takes no time for them.

use std::sync::OnceLock;

use super::Weights;

/// The weights of a game, and the parameters that a search reads.
pub struct LazyWeights<P> {
    weights: OnceLock<Weights>,
    parameters: OnceLock<Box<P>>,
}

impl<P> Default for LazyWeights<P> {
    fn default() -> Self {
        Self {
            weights: OnceLock::new(),
            parameters: OnceLock::new(),
        }
    }
}

impl<P> LazyWeights<P> {
    /// The weights; at first the game's own.
    #[inline(always)]
    pub fn weights(&self, own: impl FnOnce() -> Weights) -> &Weights {
        self.weights.get_or_init(own)
    }

    /// The parameters that are made from the weights; at first from the game's own.
    #[inline(always)]
    pub fn parameters(
        &self,
        own: impl FnOnce() -> Weights,
        make: impl FnOnce(&Weights) -> P,
    ) -> &P {
        match self.parameters.get() {
            Some(parameters) => parameters,
            None => self
                .parameters
                .get_or_init(|| Box::new(make(self.weights(own)))),
        }
    }

    /// Puts other weights in their place.
    pub fn set(&mut self, weights: Weights) {
        *self = Self {
            weights: weights.into(),
            parameters: OnceLock::new(),
        };
    }
}
