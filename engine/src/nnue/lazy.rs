//! Weights that are read when they are first needed, so that opening a variant takes no time for them.

use std::sync::OnceLock;

use super::Weights;

/// Weights of a game, and the search parameters made from them, both initialized lazily.
pub struct LazyWeights<P> {
    weights: OnceLock<Weights>,
    parameters: OnceLock<Box<P>>,
}

impl<P> Default for LazyWeights<P> {
    fn default() -> Self {
        Self { weights: OnceLock::new(), parameters: OnceLock::new() }
    }
}

impl<P> LazyWeights<P> {
    /// Returns the weights: those that were set, or the built-in ones.
    #[inline(always)]
    pub fn weights(&self, built_in: impl FnOnce() -> Weights) -> &Weights {
        self.weights.get_or_init(built_in)
    }

    /// Returns the search parameters, which `make` converts from the weights on the first call.
    #[inline(always)]
    pub fn parameters(&self, built_in: impl FnOnce() -> Weights, make: impl FnOnce(&Weights) -> P) -> &P {
        match self.parameters.get() {
            Some(parameters) => parameters,
            None => self.parameters.get_or_init(|| Box::new(make(self.weights(built_in)))),
        }
    }

    /// Replaces the weights, and discards the parameters made from the old ones.
    pub fn set(&mut self, weights: Weights) {
        *self = Self { weights: weights.into(), parameters: OnceLock::new() };
    }
}
