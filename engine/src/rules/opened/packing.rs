//! Steps of a game as numbers, and back.

use crate::rules::{PackedStep, Step};

impl Step {
    #[inline(always)]
    pub(super) fn pack(step: impl PackedStep) -> Self {
        Self(step.bits())
    }

    #[inline(always)]
    pub(super) fn unpack<S: PackedStep>(self) -> S {
        S::from_bits(self.0)
    }
}
