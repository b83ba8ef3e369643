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
mod variant;

pub use board::form;
pub use position::PositionReader;
pub use variant::VariantError;

/// Explains why `swap` is illegal. `pie` says whether the variant has the pie rule.
pub fn swap_illegal_reason(pie: bool) -> String {
    match pie {
        true => "swap is for the start of turn 2".to_owned(),
        false => "this variant has no pie rule (pie=off)".to_owned(),
    }
}
