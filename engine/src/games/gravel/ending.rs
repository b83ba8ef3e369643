//! The end of a game of Gravel.
use super::{Gravel, INFO, Position, Used};
use crate::board::{Bitboard, Cell, Mailbox};
use crate::rules::{Color, Outcome};

/// The first turn that follows a turn of the player who moves second; the game is not judged before.
const FIRST_JUDGED_TURN: u32 = 3;

impl<B: Bitboard> Gravel<B> {
    /// Judges the game, if it is judged in this position. Returns the result if the game is over.
    #[inline(always)]
    pub(super) fn judge(&self, position: &Position<B>) -> Option<Outcome> {
        let new_round =
            position.side == INFO.first && position.turn >= FIRST_JUDGED_TURN && position.used == Used::default();
        let can_not_place = position.used.placed == 0 && self.is_out_of_pieces(position, position.side);
        if new_round || can_not_place { self.result(position) } else { None }
    }

    /// Returns the result of a position in which the game is judged, or `None` if the game is not over.
    #[inline(never)]
    fn result(&self, position: &Position<B>) -> Option<Outcome> {
        let (black, white) = (self.loss_reason(position, Color::Black), self.loss_reason(position, Color::White));
        let draw = |reason| Some(Outcome { winner: None, reason });
        match (black, white) {
            (Some(_), Some(_)) => draw("mutual"),
            (Some(reason), None) => Some(Outcome::win(Color::White, reason)),
            (None, Some(reason)) => Some(Outcome::win(Color::Black, reason)),
            _ if !Color::BOTH.into_iter().any(|color| self.is_able(position, color)) => draw("deadlock"),
            _ if position.stall >= self.stall => draw("stall"),
            _ => None,
        }
    }

    /// Returns the reason why a player has lost, if so.
    #[inline]
    fn loss_reason(&self, position: &Position<B>, color: Color) -> Option<&'static str> {
        let removed = position.removed[color.index()];
        if 2 * removed > self.pieces {
            Some("attrition")
        } else if position.spaces[color.index()].count() < removed {
            Some("territory")
        } else {
            None
        }
    }

    /// Returns true if some turn of a player, to move here, can occupy more spaces or remove a piece.
    fn is_able(&self, position: &Position<B>, color: Color) -> bool {
        self.can_expand(position, color) || self.can_remove(position, color)
    }

    /// Returns true if a turn without removals can occupy more spaces.
    ///
    /// Relocations and retractions never occupy a new space. So a piece must be placed on a vacant space that did not
    /// leave another one empty: one from the Pool, or one retracted from a stack. The latter takes two actions, and X
    /// is at least 2.
    fn can_expand(&self, position: &Position<B>, color: Color) -> bool {
        let [black, white] = position.spaces;
        let vacant = self.grid.cells() & !(black | white);
        let stacked = position.on_board[color.index()] > position.spaces[color.index()].count();
        !vacant.is_empty() && (self.pool(position, color) > 0 || stacked)
    }

    /// Returns true if some turn of a player can remove a piece.
    ///
    /// That needs an enemy space that the player controls after at most X − 1 placing steps. From a space that is
    /// controlled at once, a piece can be removed first and the placing step, such as a retraction, can follow.
    fn can_remove(&self, position: &Position<B>, color: Color) -> bool {
        let mut enemy_spaces = position.spaces[(!color).index()].cells();
        enemy_spaces.any(|space| {
            let actions = self.actions_to_control(position, color, space);
            actions.is_some_and(|actions| actions < self.x)
        })
    }

    /// Returns the fewest placing steps after which a player controls an enemy space; `None` if no number suffices.
    ///
    /// Control needs friendly pieces on two of the neighbors, and more friendly pieces there than enemy pieces, whose
    /// number placing does not change. So the player opens some vacant neighbors, each with a piece from the Pool, and
    /// stacks the other pieces needed on friendly neighbors, one action each, from the Pool or from elsewhere on the
    /// board. If the Pool is empty, a piece for opening must be retracted first, at one more action: best from
    /// elsewhere, else from a neighbor that keeps another piece. All numbers of opened neighbors are tried; there
    /// are at most four.
    fn actions_to_control(&self, position: &Position<B>, color: Color, space: Cell) -> Option<u32> {
        let (own, enemy) = (position.spaces[color.index()], position.spaces[(!color).index()]);
        let neighbors = &self.neighbors[space.index()];
        let (mine, theirs) = self.adjacent_pieces(position, color, space);
        let count = |set: B| neighbors.iter().filter(|&&cell| set.has(cell)).count() as u32;
        let friendly = count(own);
        let vacant = neighbors.len() as u32 - friendly - count(enemy);
        let missing = (theirs + 1).saturating_sub(mine);
        let heights = neighbors.iter().filter(|&&cell| own.has(cell));
        let room: u32 = heights.map(|&cell| self.x - u32::from(position.heights.get(cell))).sum();
        let pool = self.pool(position, color);
        let elsewhere = position.on_board[color.index()] - mine;
        let spare = mine - friendly;

        let cost = |opened: u32| {
            let from_pool = opened.min(pool);
            let from_elsewhere = (opened - from_pool).min(elsewhere);
            let from_neighbors = opened - from_pool - from_elsewhere;
            let stacked = missing.saturating_sub(from_pool + from_elsewhere);
            let supply = pool - from_pool + elsewhere - from_elsewhere;
            // Each opened space has one piece, and room for others. A piece taken from a neighbor leaves room there.
            let room = room + opened * (self.x - 1) + from_neighbors;
            let possible = from_neighbors <= spare && stacked <= supply && stacked <= room;
            possible.then_some(from_pool + 2 * (from_elsewhere + from_neighbors) + stacked)
        };
        let fewest = 2_u32.saturating_sub(friendly);
        (fewest..=vacant).filter_map(cost).min()
    }
}
