//! When a game of Gravel ends, and how.

use super::{Gravel, INFO, Position, Used};
use crate::board::{Bitboard, Cell, Mailbox};
use crate::rules::{Color, Outcome};

/// No turn before this one follows a turn of the player who moves second.
const FIRST_JUDGED_TURN: u32 = 3;

impl<B: Bitboard> Gravel<B> {
    /// How the game ended, if it is a moment to judge and it has.
    #[inline(always)]
    pub(super) fn judgement(&self, position: &Position<B>) -> Option<Outcome> {
        let new_round = position.side == INFO.first
            && position.turn >= FIRST_JUDGED_TURN
            && position.used == Used::default();
        let can_not_place =
            position.used.placed == 0 && self.is_out_of_pieces(position, position.side);
        if new_round || can_not_place {
            self.result(position)
        } else {
            None
        }
    }

    /// The result of a position that is judged.
    #[inline(never)]
    fn result(&self, position: &Position<B>) -> Option<Outcome> {
        let (black, white) = (
            self.loss(position, Color::Black),
            self.loss(position, Color::White),
        );
        let draw = |reason| {
            Some(Outcome {
                winner: None,
                reason,
            })
        };
        match (black, white) {
            (Some(_), Some(_)) => draw("mutual"),
            (Some(reason), None) => Some(Outcome::win(Color::White, reason)),
            (None, Some(reason)) => Some(Outcome::win(Color::Black, reason)),
            _ if !Color::BOTH
                .into_iter()
                .any(|color| self.is_able(position, color)) =>
            {
                draw("deadlock")
            }
            _ if position.stall >= self.stall => draw("stall"),
            _ => None,
        }
    }

    /// Why a player has lost, if he has.
    #[inline]
    fn loss(&self, position: &Position<B>, color: Color) -> Option<&'static str> {
        let removed = position.removed[color.index()];
        if 2 * removed > self.pieces {
            Some("attrition")
        } else if position.spaces[color.index()].count() < removed {
            Some("territory")
        } else {
            None
        }
    }

    /// Whether some legal turn of a player, were it his, would leave him on more spaces or remove a piece.
    fn is_able(&self, position: &Position<B>, color: Color) -> bool {
        self.can_expand(position, color) || self.can_remove(position, color)
    }

    /// Whether a turn without removals can leave a player on more spaces.
    ///
    /// A relocation only ever leaves spaces, and a retraction too, so it takes a piece that is placed on a
    /// vacant space and leaves none: one from the Pool, or one retracted from a stack, which makes two
    /// actions, and X is at least 2.
    fn can_expand(&self, position: &Position<B>, color: Color) -> bool {
        let [black, white] = position.spaces;
        let vacant = self.grid.cells() & !(black | white);
        let stacked = position.on_board[color.index()] > position.spaces[color.index()].count();
        !vacant.is_empty() && (self.pool(position, color) > 0 || stacked)
    }

    /// Whether some turn of a player can remove a piece: after at most X − 1 placing steps there must be an
    /// enemy space that he controls. (One that he controls at once can be removed from first, and a piece of
    /// his own retracted after that.)
    fn can_remove(&self, position: &Position<B>, color: Color) -> bool {
        let mut enemy_spaces = position.spaces[(!color).index()].cells();
        enemy_spaces.any(|space| {
            let actions = self.actions_to_control(position, color, space);
            actions.is_some_and(|actions| actions < self.x)
        })
    }

    /// The fewest placing steps after which a player controls an enemy space; `None` if none suffice.
    ///
    /// Control takes friendly pieces on two of the neighbours, and more of them than of the enemy's, which
    /// placing does not change. So some vacant neighbours are opened, each with a piece from the Pool, and the
    /// rest of what is needed is heaped on friendly neighbours, one action a piece, from the Pool or from
    /// elsewhere on the board. Where the Pool is empty, a piece for opening has to be retracted first, which
    /// costs one action more: best from elsewhere, else from a neighbour that keeps another.
    /// How many to open is tried out, for there are at most four.
    fn actions_to_control(&self, position: &Position<B>, color: Color, space: Cell) -> Option<u32> {
        let (own, enemy) = (
            position.spaces[color.index()],
            position.spaces[(!color).index()],
        );
        let neighbors = &self.neighbors[space.index()];
        let (mine, theirs) = self.pieces_around(position, color, space);
        let count = |set: B| neighbors.iter().filter(|&&cell| set.has(cell)).count() as u32;
        let friendly = count(own);
        let vacant = neighbors.len() as u32 - friendly - count(enemy);
        let missing = (theirs + 1).saturating_sub(mine);
        let heights = neighbors.iter().filter(|&&cell| own.has(cell));
        let room: u32 = heights
            .map(|&cell| self.x - u32::from(position.heights.get(cell)))
            .sum();
        let pool = self.pool(position, color);
        let elsewhere = position.on_board[color.index()] - mine;
        let spare = mine - friendly;

        let cost = |opened: u32| {
            let from_pool = opened.min(pool);
            let from_elsewhere = (opened - from_pool).min(elsewhere);
            let from_neighbors = opened - from_pool - from_elsewhere;
            let heaped = missing.saturating_sub(from_pool + from_elsewhere);
            let supply = pool - from_pool + elsewhere - from_elsewhere;
            // Each opened space has one piece, and room for the others. What is taken from a neighbour makes
            // room there.
            let room = room + opened * (self.x - 1) + from_neighbors;
            let possible = from_neighbors <= spare && heaped <= supply && heaped <= room;
            possible.then_some(from_pool + 2 * (from_elsewhere + from_neighbors) + heaped)
        };
        let fewest = 2_u32.saturating_sub(friendly);
        (fewest..=vacant).filter_map(cost).min()
    }
}
