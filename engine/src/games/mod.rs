//! The games, one folder each, and the catalogue, one row a game.

mod cell_steps;
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
use crate::rules::{Board, Opened};
use crate::rules::{GameInfo, GameVisitor, Playable, Variant};

type Board256 = BoardWide<4>;
type Board640 = BoardWide<10>;

macro_rules! catalogue {
    ($($module:ident :: $game:ident on [$($narrower:ident),*], $widest:ident;)*) => {
        /// All games, in display order. The first is the default game.
        pub static GAMES: [&GameInfo; [$(stringify!($module)),*].len()] = [$(&$module::INFO),*];

        /// Opens a variant with the narrowest bitboard that holds its cells and runs a visitor on it.
        ///
        /// The visitor is compiled for each game and width; [`open()`] is right for nearly everything. Returns `None`
        /// if the game is not in the catalogue.
        pub fn visit<V: GameVisitor>(variant: &Variant, visitor: V) -> Option<V::Output> {
            $(if std::ptr::eq(variant.info(), &$module::INFO) {
                let cells = variant.size().shape().len();
                $(if cells <= $narrower::CAPACITY {
                    return Some(visitor.visit($module::$game::<$narrower>::new(variant)));
                })*
                if cells <= $widest::CAPACITY {
                    return Some(visitor.visit($module::$game::<$widest>::new(variant)));
                }
            })*
            None
        }

        /// Opens a variant with the widest bitboard of its game and runs a visitor on it.
        pub fn visit_widest<V: GameVisitor>(variant: &Variant, visitor: V) -> Option<V::Output> {
            $(if std::ptr::eq(variant.info(), &$module::INFO)
                && variant.size().shape().len() <= $widest::CAPACITY
            {
                return Some(visitor.visit($module::$game::<$widest>::new(variant)));
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
        return visit(variant, Opener(native));
    }
    open_portable(variant)
}

/// Opens a variant as [`open()`] does, with loops compiled for the baseline instructions.
///
/// On x86-64, where nearly every processor has better instructions, it uses the widest bitboard only.
pub fn open_portable(variant: &Variant) -> Option<Box<dyn Board>> {
    #[cfg(target_arch = "x86_64")]
    return visit_widest(variant, Opener(Portable));
    #[cfg(not(target_arch = "x86_64"))]
    visit(variant, Opener(Portable))
}

struct Opener<I>(I);

impl<I: Instructions> GameVisitor for Opener<I> {
    type Output = Box<dyn Board>;

    fn visit<G: Playable>(self, game: G) -> Self::Output {
        Box::new(Opened::new(game, self.0))
    }
}

/// Reads a variant of any game.
///
/// # Errors
/// Gives the wrong part and the allowed values.
pub fn parse_variant(text: &str) -> Result<Variant, VariantError> {
    Variant::parse(text, &GAMES)
}
