//! What a player of Invictus would look at before counting variations.

use super::{Action, Invictus, Position, Step};
use crate::board::Bitboard;
use crate::game::{Color, Evaluate, Method};

/// What a point is worth that has been scored.
const POINT: i32 = 100;

/// What each pip of a die is worth by the ranks that it has come forward from its player's first one: little at home,
/// most of a point beyond the Divide, where it counts already and may still be captured.
const PIP: [i32; 9] = [0, 10, 18, 30, 48, 80, 86, 92, 100];

impl<B: Bitboard> Evaluate for Invictus<B> {
    fn method(&self) -> Method {
        Method::Uct
    }

    /// Points scored, and the points that the dice will bring by how far they have come.
    #[inline(always)]
    fn evaluate(&self, position: &Position<B>) -> i32 {
        let [black, white] = Color::BOTH.map(|color| {
            let dice = position.by_color()[color.index()];
            let scored = position.scored[color.index()].min(1000) as i32;
            let mut value = POINT * scored;
            for (ranks, pip) in self.ranks_forward[color.index()].iter().zip(PIP) {
                let [ones, twos, fours] = position.bits.map(|bit| (dice & *ranks & bit).count());
                value += pip * (ones + 2 * twos + 4 * fours) as i32;
            }
            value
        });
        black - white
    }

    /// The value of the die that a step captures.
    #[inline(always)]
    fn promise(&self, position: &Position<B>, step: Step) -> i32 {
        match step.action() {
            Action::Move { from, way } => position.value_at(self.target(from, way)).into(),
            Action::Set { .. } | Action::Pass => 0,
        }
    }
}
