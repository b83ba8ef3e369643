//! What a player of Invictus would look at before counting variations: the dice by value and by how far they have come,
//! what captures what, and the race: whoever brings the last die home ends the game.

use once_cell::sync::Lazy;

use super::{Action, Invictus, Position, Step};
use crate::board::{Bitboard, Direction};
use crate::game::{Color, Evaluate, Sides, Weights};

/// Parts of the game, by how many steps the other side still needs to bring all its dice home, at most; what is more is
/// one part more. Dice that have not crossed the Divide by then are worth nothing.
const PARTS: [u32; 5] = [6, 14, 26, 44, 70];
const COLUMNS: usize = PARTS.len() + 1;

const VALUES: usize = 6;
const RANKS: usize = 9;

/// So many steps are needed from where a die is set again.
const FROM_HAND: u32 = 7;

/// How clearly a game was won: so many points more make the odds e times as good.
const POINTS: f64 = 6.0;

/// Kinds of rows that there are for each value and each rank, counted from the player's own first one: all dice; those of
/// the side to move that can be captured, without and with others behind them; those of the other side; and dice that
/// no enemy die is in front of.
#[derive(Clone, Copy)]
enum Dice {
    All,
    Attacked,
    Defended,
    Attacking,
    Passed,
}

impl Dice {
    const NAMES: [&str; 5] = ["die", "attacked", "defended", "attacking", "passed"];

    /// The row of a value from 0 and a rank from 0.
    fn row(self, value: usize, rank: usize) -> usize {
        (self as usize * VALUES + value) * RANKS + rank
    }
}

/// Rows behind those of the dice: points scored, to be the one to move, and the values of a die in hand.
const POINT: usize = Dice::NAMES.len() * VALUES * RANKS;
const MOVE: usize = POINT + 1;
const HAND: usize = MOVE + 1;

pub(super) static WEIGHTS: Lazy<Weights> = Lazy::new(|| {
    let mut rows = Vec::new();
    for kind in Dice::NAMES {
        for value in 1..=VALUES {
            rows.extend((1..=RANKS).map(|rank| format!("{kind}.{value}.{rank}")));
        }
    }
    rows.extend(["point", "move"].map(str::to_owned));
    rows.extend((1..VALUES).map(|value| format!("hand.{value}")));
    Weights::built_in(rows, COLUMNS, include_str!("weights.txt"))
});

impl<B: Bitboard> Invictus<B> {
    /// The cells that dice of a colour could capture on.
    #[inline(always)]
    fn reached(&self, dice: B, color: Color) -> B {
        let forward = match color {
            Color::Black => Direction::North,
            Color::White => Direction::South,
        };
        let ahead = self.grid.shift(dice, forward);
        self.grid.shift(ahead, Direction::East) | self.grid.shift(ahead, Direction::West)
    }

    /// How many steps a side needs to bring its dice home.
    #[inline(always)]
    fn race(&self, dice: B, color: Color) -> u32 {
        let ranks = self.ranks_forward[color.index()].iter().rev();
        let steps = (0..).zip(ranks);
        steps.map(|(steps, rank)| steps * (dice & *rank).count()).sum()
    }

    /// The dice that no enemy die is in front of: nothing on the board can capture them any more.
    #[inline(always)]
    fn passed(&self, dice: B, enemy: B, color: Color) -> B {
        let mut passed = B::EMPTY;
        for rank in self.ranks_forward[color.index()].iter().rev() {
            passed = passed | (*rank & dice);
            if !(*rank & enemy).is_empty() {
                break;
            }
        }
        passed
    }
}

impl<B: Bitboard> Evaluate for Invictus<B> {
    type Outlook = ();

    fn weights(&self) -> &Weights {
        &self.weights
    }

    fn set_weights(&mut self, weights: Weights) {
        self.weights = weights;
    }

    /// Clear wins count more than narrow ones: the points say more than who won.
    fn worth(&self, end: &Position<B>) -> f64 {
        let [black, white] = Color::BOTH.map(|color| f64::from(self.points(end, color)));
        1.0 / (1.0 + libm::exp((white - black) / POINTS))
    }

    #[inline(always)]
    fn terms(&self, position: &Position<B>, mut add: impl FnMut(usize, usize, i32)) {
        let Sides { own, enemy } = position.dice;
        let side = position.side;
        let in_hand = if position.hand > 0 { FROM_HAND } else { 0 };
        let part = |race: u32| PARTS.iter().filter(|&&most| race > most).count();
        let own_part = part(self.race(enemy, !side));
        let enemy_part = part(self.race(own, side) + in_hand);
        let kinds: [B; VALUES] = std::array::from_fn(|i| position.of_value(i as u8 + 1));
        let views = [
            (own, enemy, side, own_part),
            (enemy, own, !side, enemy_part),
        ];
        for (dice, enemy, color, part) in views {
            let sign = if color == side { 1 } else { -1 };
            let ranks = &self.rank_forward[color.index()];
            let protected = self.reached(dice, color);
            let passed = self.passed(dice, enemy, color);
            let mut not_lower = B::EMPTY;
            for value in (0..VALUES).rev() {
                not_lower = not_lower | (enemy & kinds[value]);
                let dice = dice & kinds[value];
                let attacked = dice & self.reached(not_lower, !color);
                let mut show = |kind: Dice, set: B| {
                    for cell in set.cells() {
                        let row = kind.row(value, ranks[cell.index()].into());
                        add(row, part, sign);
                    }
                };
                show(Dice::All, dice);
                if color == side {
                    show(Dice::Attacked, attacked & !protected);
                    show(Dice::Defended, attacked & protected);
                } else {
                    show(Dice::Attacking, attacked);
                }
                show(Dice::Passed, dice & passed);
            }
            let scored = position.scored[color.index()].min(1000) as i32;
            add(POINT, part, sign * scored);
        }
        add(MOVE, own_part, 1);
        if position.hand > 0 {
            let row = HAND + usize::from(position.hand) - 1;
            add(row, own_part, 1);
        }
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
