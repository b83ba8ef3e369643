//! Many games of Invector at once.

use super::{Invector, Position, moved};
use crate::board::{Bitboard, Board64, Cell};
use crate::game::{Color, Game, InLanes, Sides};

impl InLanes for Invector<Board64> {
    #[inline(always)]
    fn to_words(position: &Self::Position) -> [u64; 3] {
        let Sides { own, enemy } = position.stones;
        let turn = u64::from(position.turn) << 1 | position.side.index() as u64;
        [own.to_word(), enemy.to_word(), turn]
    }

    #[inline(always)]
    fn from_words([own, enemy, turn]: [u64; 3]) -> Self::Position {
        Position {
            stones: Sides {
                own: Board64::from_word(own),
                enemy: Board64::from_word(enemy),
            },
            side: if turn & 1 == 0 { Color::Black } else { Color::White },
            turn: (turn >> 1) as u32,
        }
    }

    #[inline(always)]
    fn play_in_lane(&self, position: &mut Self::Position, random: u32) -> bool {
        // Read before anything depends on the lane: an index would look at another place for each.
        let [south, west, east, north] = self.strides;
        let steps = self.steps(position);
        let n = (u64::from(random) * u64::from(steps.moves)) >> 32;
        let (direction, from) = Board64::nth_of_in_lane(&steps.from, n);
        let stride = if direction == 0 { south } else { west };
        let stride = if direction == 2 { east } else { stride };
        let stride = if direction == 3 { north } else { stride };
        let to = Cell::new(usize::from((from.index() as u16).wrapping_add(stride)));
        let next = Position {
            stones: moved(position.stones, Board64::of(from), Board64::of(to)),
            side: !position.side,
            turn: position.turn + 1,
        };
        let is_move = steps.moves != 0 && !steps.swap;
        *position = if is_move { next } else { *position };
        is_move
    }
}
