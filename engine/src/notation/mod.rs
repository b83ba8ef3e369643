//! Text. Parsers and writers that the notations of all games share.
//!
//! Text is read in two stages: the syntax gives a parsed step, and the position then decides whether it is legal. The
//! two stages have different errors, and both quote the input.
//!
//! This module adds text methods to types of [`crate::rules`]: `Variant::parse`, and `read_step`, `position` and
//! `diagram` of `dyn Board`.

mod board;
pub mod diagram;
pub mod pieces;
pub mod position;
pub(crate) mod steps;
mod variant;

pub use board::form;
pub use position::PositionReader;
pub use steps::{move_illegal_reason, pass_illegal_reason, swap_illegal_reason};
pub use variant::VariantError;
