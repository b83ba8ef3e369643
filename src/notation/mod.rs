//! Floor 1: text. What every game's notation is made of, and what the text of all games has in common.
//!
//! Text is read in two stages: syntax gives a step as written, and the position then says whether it is
//! legal. The two fail with different errors, and both quote the input. This room gives the types of [`crate::rules`]
//! what text they have in every game: `Variant::parse`, `dyn Board`'s `read_step`, `position` and `diagram`.

mod board;
pub mod diagram;
pub mod pieces;
pub mod position;
mod variant;

pub use board::form;
pub use position::PositionReader;
pub use variant::VariantError;

/// Why `swap` is not legal.
pub fn swap_illegal_reason(pie: bool) -> String {
    match pie {
        true => "swap is for the start of turn 2".to_owned(),
        false => "this variant has no pie rule (pie=off)".to_owned(),
    }
}
