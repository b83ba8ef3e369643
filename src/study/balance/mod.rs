//! Balance: the fair komi, first moves under the pie, and rules side by side.

pub mod curve;
pub mod komi;
