//! The games, one folder each, and the catalogue, one row a game.

pub mod gravel;
pub mod invector;
pub mod inversion;
pub mod invictus;
pub mod markane;
mod patterns;

#[cfg(target_arch = "x86_64")]
use crate::board::Native;
use crate::board::{Bitboard, Board64, Board128, BoardWide, Instructions, Portable};
use crate::notation::VariantError;
use crate::rules::{Board, GameInfo, Opened, Variant};

type Board256 = BoardWide<4>;
type Board640 = BoardWide<10>;

macro_rules! catalogue {
    ($($module:ident :: $game:ident on [$($narrower:ident),*], $widest:ident;)*) => {
        /// All games, in display order. The first is the default game.
        pub static GAMES: [&GameInfo; [$(stringify!($module)),*].len()] = [$(&$module::INFO),*];

        /// Opens a variant with the narrowest bitboard that holds its cells.
        fn open_with(variant: &Variant, instructions: impl Instructions) -> Option<Box<dyn Board>> {
            $(if std::ptr::eq(variant.info(), &$module::INFO) {
                $(if variant.size().shape().len() <= $narrower::CAPACITY {
                    let game = $module::$game::<$narrower>::new(variant);
                    return Some(Box::new(Opened::new(variant, game, instructions)));
                })*
            })*
            open_widest(variant, instructions)
        }

        /// Opens a variant with the widest bitboard of its game.
        fn open_widest(variant: &Variant, instructions: impl Instructions) -> Option<Box<dyn Board>> {
            $(if std::ptr::eq(variant.info(), &$module::INFO)
                && variant.size().shape().len() <= $widest::CAPACITY
            {
                let game = $module::$game::<$widest>::new(variant);
                return Some(Box::new(Opened::new(variant, game, instructions)));
            })*
            None
        }
    };
}

// Each game with the bitboards that it is compiled for, narrowest first.
catalogue! {
    invector::Invector on [Board64, Board128, Board256], Board640;
    gravel::Gravel on [Board64, Board128, Board256], Board640;
    markane::Markane on [Board64, Board128, Board256], Board640;
    inversion::Inversion on [Board64, Board128, Board256], Board640;
    invictus::Invictus on [], Board128;
}

/// Opens a variant: creates a board at its starting position, with loops compiled for this processor.
///
/// Returns `None` if the game is not in the catalogue.
pub fn open(variant: &Variant) -> Option<Box<dyn Board>> {
    #[cfg(target_arch = "x86_64")]
    if let Some(native) = Native::detect() {
        return open_with(variant, native);
    }
    open_portable(variant)
}

/// Opens a variant as [`open()`] does, with loops compiled for the baseline instructions.
///
/// On x86-64, where nearly every processor has better instructions, it uses the widest bitboard only.
pub fn open_portable(variant: &Variant) -> Option<Box<dyn Board>> {
    #[cfg(target_arch = "x86_64")]
    return open_widest(variant, Portable);
    #[cfg(not(target_arch = "x86_64"))]
    open_with(variant, Portable)
}

/// Reads a variant of any game.
///
/// # Errors
/// Gives the wrong part and the allowed values.
pub fn parse_variant(text: &str) -> Result<Variant, VariantError> {
    Variant::parse(text, &GAMES)
}
