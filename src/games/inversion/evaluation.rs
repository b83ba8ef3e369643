//! What a player of Inversion would look at before counting variations.

use super::{Inversion, Position};
use crate::board::Bitboard;
use crate::game::{Evaluate, Method};

/// What a stone is worth.
const STONE: i32 = 100;

impl<B: Bitboard> Evaluate for Inversion<B> {
    fn method(&self) -> Method {
        Method::Uct
    }

    /// Stones that no open hex can take away any more, and the komi; a stone in an open hex counts nothing,
    /// for it is as likely to help the other side to be the minority there.
    #[inline(always)]
    fn evaluate(&self, position: &Position<B>) -> i32 {
        let [black, white] = position.stones;
        let occupied = black | white;
        let open = |centre: &crate::board::Cell| {
            let hex = self.hexes[centre.index()];
            hex.is_some_and(|hex| !(hex & !occupied).is_empty() || position.pending.has(*centre))
        };
        let unsettled = self
            .shape
            .cells()
            .filter(open)
            .filter_map(|centre| self.hexes[centre.index()])
            .fold(B::EMPTY, |all, hex| all | hex);
        let settled = |stones: B| (stones & !unsettled).count() as i32;
        STONE * (settled(black) - settled(white)) + STONE / 2 * self.komi.0
    }
}
