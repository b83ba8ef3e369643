//! Floor 2: the games, one folder each, and the catalogue: one row a game.

mod cell_steps;
pub mod gravel;
pub mod invector;
pub mod inversion;
pub mod invictus;
pub mod markane;
mod shapes;

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
        /// Every game, in the order in which they are shown. The first is the one to play where none is named.
        pub static GAMES: [&GameInfo; [$(stringify!($module)),*].len()] = [$(&$module::INFO),*];

        /// Runs a visitor on an opened variant: its tables are worked out for the narrowest bitboard that holds its cells.
        /// All code of the visitor is compiled for every game and width: [`open`] is what nearly everything wants.
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

        /// The same with the widest bitboard of each game alone.
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

// Each game with the bitboards that it is compiled for, the narrowest first.
catalogue! {
    invector::Invector on [Board64, Board128, Board256], Board640;
    gravel::Gravel on [Board64, Board128, Board256], Board640;
    markane::Markane on [Board64, Board128, Board256], Board640;
    inversion::Inversion on [Board64, Board128, Board256], Board640;
    invictus::Invictus on [], Board128;
}

/// Opens a variant: a board at its start, with loops compiled for this processor. `None` where the variant is of no
/// game in the catalogue.
pub fn open(variant: &Variant) -> Option<Box<dyn Board>> {
    #[cfg(target_arch = "x86_64")]
    if let Some(native) = Native::detect() {
        return visit(variant, Opener(native));
    }
    open_portable(variant)
}

/// [`open`] with loops compiled for any processor. Where nearly every processor has better instructions, that is done
/// for the widest bitboard alone.
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
/// Says which part is wrong and what would be right.
pub fn parse_variant(text: &str) -> Result<Variant, VariantError> {
    Variant::parse(text, &GAMES)
}
