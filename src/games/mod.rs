//! Floor 2: the games, one folder each, and the catalogue: one row a game.

mod cell_steps;
mod shapes;

use crate::board::{Bitboard, Board64, Board128, BoardWide};
use crate::game::{Board, Opened};
use crate::notation::{GameInfo, GameVisitor, Playable, Variant, VariantError};

type Board256 = BoardWide<4>;
type Board640 = BoardWide<10>;

macro_rules! catalogue {
    ($($module:ident :: $game:ident on $narrowest:ident $(, $board:ident)*;)*) => {
        $(pub mod $module;)*

        /// Every game, in the order in which they are shown. The first is the one to play where none is named.
        pub static GAMES: [&GameInfo; [$(stringify!($module)),*].len()] = [$(&$module::INFO),*];

        /// Runs a visitor on an opened variant: its tables are worked out for the narrowest bitboard that holds its cells.
        pub fn visit<V: GameVisitor>(variant: &Variant, visitor: V) -> Option<V::Output> {
            let cells = variant.size().shape().len();
            $(if std::ptr::eq(variant.info(), &$module::INFO) {
                if cells <= $narrowest::CAPACITY {
                    return visit_narrow(variant, visitor);
                }
                $(if cells <= $board::CAPACITY {
                    return Some(visitor.visit($module::$game::<$board>::new(variant)));
                })*
            })*
            None
        }

        /// The same for a variant that fits the narrowest bitboard of its game. Work that is wanted on small boards
        /// alone is compiled for these alone.
        pub fn visit_narrow<V: GameVisitor>(variant: &Variant, visitor: V) -> Option<V::Output> {
            let cells = variant.size().shape().len();
            $(if std::ptr::eq(variant.info(), &$module::INFO) && cells <= $narrowest::CAPACITY {
                return Some(visitor.visit($module::$game::<$narrowest>::new(variant)));
            })*
            None
        }
    };
}

// Each game with the bitboards that it is compiled for, the narrowest first.
catalogue! {
    invector::Invector on Board64, Board128, Board256, Board640;
    gravel::Gravel on Board64, Board128, Board256, Board640;
    markane::Markane on Board64, Board128, Board256, Board640;
    inversion::Inversion on Board64, Board128, Board256, Board640;
    invictus::Invictus on Board128;
}

/// Opens a variant: a board at its start. `None` where the variant is of no game in the catalogue.
pub fn open(variant: &Variant) -> Option<Box<dyn Board>> {
    visit(variant, Opener)
}

struct Opener;

impl GameVisitor for Opener {
    type Output = Box<dyn Board>;

    fn visit<G: Playable>(self, game: G) -> Self::Output {
        Box::new(Opened::new(game))
    }
}

/// Reads a variant of any game.
///
/// # Errors
/// Says which part is wrong and what would be right.
pub fn parse_variant(text: &str) -> Result<Variant, VariantError> {
    Variant::parse(text, &GAMES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weaker_levels_look_at_fewer_nodes() {
        for info in GAMES {
            assert!(
                info.levels
                    .is_sorted_by(|stronger, weaker| stronger > weaker),
                "{}",
                info.name
            );
            assert!(info.levels.iter().all(|&nodes| nodes > 0), "{}", info.name);
        }
    }
}
