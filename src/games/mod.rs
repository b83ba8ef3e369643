//! Floor 2: the games, one folder each, and the catalogue: one row a game.

#[macro_use]
mod width;
mod cell_steps;

use crate::notation::{GameInfo, GameVisitor, Variant, VariantError};

macro_rules! catalogue {
    ($($module:ident :: $game:ident)*) => {
        $(pub mod $module;)*

        /// Every game, in the order in which they are shown. The first is the one to play where none is named.
        pub static GAMES: [&GameInfo; [$(stringify!($module)),*].len()] = [$(&$module::INFO),*];

        /// Opens a variant: works out its tables, on the narrowest bitboard that holds its cells, and runs
        /// the visitor on the game.
        pub fn open<V: GameVisitor>(variant: &Variant, visitor: V) -> Option<V::Output> {
            let cells = variant.size().shape().len();
            $(if std::ptr::eq(variant.info(), &$module::INFO) {
                return with_width!(cells, B => visitor.visit($module::$game::<B>::new(variant)));
            })*
            None
        }
    };
}

catalogue! {
    invector::Invector
    gravel::Gravel
    markane::Markane
    inversion::Inversion
    invictus::Invictus
}

/// Reads a variant of any game.
///
/// # Errors
/// Says which part is wrong and what would be right.
pub fn parse_variant(text: &str) -> Result<Variant, VariantError> {
    Variant::parse(text, &GAMES)
}
