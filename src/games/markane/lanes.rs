//! Many games of Markane at once.

use super::{Markane, Position};
use crate::board::{Bitboard, Board64};
use crate::game::{Color, InLanes, Sides};

impl InLanes for Markane<Board64> {
    #[inline(always)]
    fn to_words(position: &Self::Position) -> [u64; 3] {
        let Sides { own, enemy } = position.stones;
        let side = position.side.index() as u64;
        let rest = u64::from(position.owed) << 33 | u64::from(position.turn) << 1 | side;
        [own.to_word(), enemy.to_word(), rest]
    }

    #[inline(always)]
    fn from_words([own, enemy, rest]: [u64; 3]) -> Self::Position {
        Position {
            stones: Sides {
                own: Board64::from_word(own),
                enemy: Board64::from_word(enemy),
            },
            side: if rest & 1 == 0 { Color::Black } else { Color::White },
            owed: (rest >> 33) as u32,
            turn: (rest >> 1) as u32,
        }
    }

    #[inline(always)]
    fn play_in_lane(&self, position: &mut Self::Position, random: u32) -> bool {
        let Sides { own, enemy } = position.stones;
        let cells = self.placements(own, enemy);
        let count = cells.count();
        let n = (u64::from(random) * u64::from(count)) >> 32;
        let (_, cell) = Board64::nth_of_in_lane(&[cells], n);
        let mut next = *position;
        self.place(&mut next, cell);
        next.end_turn();
        let may_swap = self.pie & (position.turn == 2);
        let is_placement = (count != 0) & !position.annihilated() & !may_swap;
        *position = if is_placement { next } else { *position };
        is_placement
    }
}
