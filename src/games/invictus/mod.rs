//! Invictus, by Rey Alicea, 2013. Rules: `protocol/games/invictus.md`.
#![expect(
    clippy::indexing_slicing,
    reason = "tables have an entry for each colour, value and direction, and are indexed by those"
)]

mod audit;
mod evaluation;
mod notation;

use std::ops::ControlFlow;

use crate::board::{Bitboard, Cell, Direction, Grid, Key, Shape, Zobrist};
use crate::game::{self, Color, Fault, Game, Keys, Outcome};
use crate::notation::{GameInfo, SizeRule, Value, ValueKind, Variant, VariantKey};

/// The row of the catalogue.
pub static INFO: GameInfo = GameInfo {
    name: "invictus",
    author: "Rey Alicea, 2013",
    about: "March dice across the Divide; what arrives, and what is captured as a one, scores.",
    first: Color::Black,
    size: SizeRule::Fixed { size: (9, 9) },
    keys: &[VariantKey {
        name: "stall",
        about: "turns in a row without a capture or a step forward that end the game",
        kind: ValueKind::Number { min: 1, max: 9999 },
        default: |_| Value::Number(100),
    }],
};

/// How many dice each player sets up.
const DICE: u32 = 18;

/// Turns 1 and 2 set the dice up.
const FIRST_MOVING_TURN: u32 = 3;

/// Columns to the right and ranks up of the eight ways, in the cell order of where they lead. Black goes the
/// last five, White the first five.
const WAYS: [(i8, i8); 8] = [
    (-1, -1),
    (0, -1),
    (1, -1),
    (-1, 0),
    (1, 0),
    (-1, 1),
    (0, 1),
    (1, 1),
];

/// How many ways a die may go.
const OWN_WAYS: usize = 5;

/// An opened variant of Invictus.
pub struct Invictus<B> {
    variant: Variant,
    shape: Shape,
    grid: Grid<B>,
    /// For each colour, the two ranks to set up on.
    home: [B; 2],
    /// For each colour, the four ranks on its side of the Divide.
    territory: [B; 2],
    /// For each colour, the opponent's first rank.
    last_rank: [B; 2],
    stall: u32,
    zobrist: Zobrist,
}

/// A position of Invictus.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Position<B> {
    /// The cells of Black's dice, then of White's.
    dice: [B; 2],
    /// The cells of the dice of each value, 1 first.
    values: [B; 6],
    side: Color,
    /// Points that have left the board, Black's first.
    scored: [u32; 2],
    /// The value of the die that the side to move has to set before anything else, 0 if there is none.
    hand: u8,
    /// Turns in a row without a capture or a step forward.
    stall: u32,
    turn: u32,
}

/// A step: a die set on a cell; a die moved from a cell some way; or `pass`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step(u16);

/// What a step says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Action {
    Set { value: u8, cell: Cell },
    Move { from: Cell, way: (i8, i8) },
    Pass,
}

impl Step {
    const PASS: Self = Self(u16::MAX);

    // The lowest seven bits are the cell, the next three the way, the next three the value of a die to set.
    fn set(value: u8, cell: Cell) -> Self {
        Self(u16::from(value) << 10 | cell.index() as u16)
    }

    fn going(from: Cell, way: usize) -> Self {
        Self((way as u16) << 7 | from.index() as u16)
    }

    fn action(self) -> Action {
        let cell = Cell::new(usize::from(self.0 & 127));
        match self.0 >> 10 {
            0 => Action::Move {
                from: cell,
                way: WAYS[usize::from(self.0 >> 7 & 7)],
            },
            value @ 1..=6 => Action::Set {
                value: value as u8,
                cell,
            },
            _ => Action::Pass,
        }
    }
}

impl game::Step for Step {
    fn bits(self) -> u32 {
        self.0.into()
    }

    fn from_bits(bits: u32) -> Self {
        Self(bits as u16)
    }
}

/// The legal steps of a position: the cells to set a die on, or the cells to move from in each way, or `pass`.
#[derive(Clone, Copy, Debug)]
pub struct Steps<B> {
    /// The value of the die to set, 0 where dice move.
    value: u8,
    set: B,
    from: [B; OWN_WAYS],
    /// Which of the eight ways is the first of the five.
    first_way: usize,
    pass: bool,
}

impl<B: Bitboard> Steps<B> {
    fn none(side: Color) -> Self {
        Self {
            value: 0,
            set: B::EMPTY,
            from: [B::EMPTY; OWN_WAYS],
            first_way: first_way(side),
            pass: false,
        }
    }

    fn of_set(side: Color, value: u8, set: B) -> Self {
        Self {
            value,
            set,
            ..Self::none(side)
        }
    }

    fn any_from(&self) -> B {
        self.from.iter().fold(B::EMPTY, |all, &from| all | from)
    }
}

impl<B: Bitboard> game::Steps for Steps<B> {
    type Step = Step;

    #[inline]
    fn count(&self) -> usize {
        let moves: u32 = self.from.iter().map(|from| from.count()).sum();
        (self.set.count() + moves) as usize + usize::from(self.pass)
    }

    #[inline]
    fn nth(&self, n: usize) -> Option<Step> {
        let mut n = n as u32;
        if let Some(cell) = self.set.nth(n) {
            return Some(Step::set(self.value, cell));
        }
        n -= self.set.count();
        for (i, from) in self.from.iter().enumerate() {
            let count = from.count();
            if n < count {
                return from.nth(n).map(|from| Step::going(from, self.first_way + i));
            }
            n -= count;
        }
        (n == 0 && self.pass).then_some(Step::PASS)
    }

    #[inline]
    fn visit<T>(&self, mut visitor: impl FnMut(Step) -> ControlFlow<T>) -> ControlFlow<T> {
        for cell in self.set.cells() {
            visitor(Step::set(self.value, cell))?;
        }
        for from in self.any_from().cells() {
            for (i, set) in self.from.iter().enumerate() {
                if set.has(from) {
                    visitor(Step::going(from, self.first_way + i))?;
                }
            }
        }
        if self.pass {
            visitor(Step::PASS)?;
        }
        ControlFlow::Continue(())
    }
}

impl<B: Bitboard> game::Position for Position<B> {
    fn side(&self) -> Color {
        self.side
    }

    fn turn(&self) -> u32 {
        self.turn
    }
}

impl<B: Bitboard> Position<B> {
    /// The value of the die on a cell, 0 where there is none.
    fn value_at(&self, cell: Cell) -> u8 {
        let holder = self.values.iter().position(|set| set.has(cell));
        holder.map_or(0, |i| i as u8 + 1)
    }

    fn put(&mut self, color: Color, value: u8, cell: Cell) {
        let bit = B::of(cell);
        self.dice[color.index()] = self.dice[color.index()] | bit;
        let set = &mut self.values[usize::from(value) - 1];
        *set = *set | bit;
    }

    fn clear(&mut self, cell: Cell) {
        let others = !B::of(cell);
        self.dice = self.dice.map(|set| set & others);
        self.values = self.values.map(|set| set & others);
    }

    /// The sets of dice by colour and value.
    fn kinds(&self) -> [B; 12] {
        std::array::from_fn(|kind| self.dice[kind / 6] & self.values[kind % 6])
    }
}

fn first_way(side: Color) -> usize {
    match side {
        Color::Black => WAYS.len() - OWN_WAYS,
        Color::White => 0,
    }
}

/// The value of the die that is set up when `count` already are: 6, 6, 6, 5, 5, 5, …, 1.
fn set_up_value(count: u32) -> u8 {
    6 - (count / 3).min(5) as u8
}

impl<B: Bitboard> Invictus<B> {
    /// Opens a variant of Invictus whose cells fit the bitboard.
    pub fn new(variant: &Variant) -> Self {
        let shape = variant.size().shape();
        let ranks = |ranks: std::ops::RangeInclusive<u8>| {
            B::from_cells(ranks.flat_map(|rank| shape.rank(rank - 1).collect::<Vec<_>>()))
        };
        Self {
            grid: Grid::new(&shape),
            home: [ranks(2..=3), ranks(7..=8)],
            territory: [ranks(1..=4), ranks(6..=9)],
            last_rank: [ranks(9..=9), ranks(1..=1)],
            stall: variant.number("stall"),
            zobrist: Zobrist::new(12, shape.len()),
            variant: variant.clone(),
            shape,
        }
    }

    /// The cells from which one step some way leads into `set`.
    fn before(&self, set: B, (dx, dy): (i8, i8)) -> B {
        let beside = match dx {
            -1 => self.grid.shift(set, Direction::East),
            1 => self.grid.shift(set, Direction::West),
            _ => set,
        };
        match dy {
            -1 => self.grid.shift(beside, Direction::North),
            1 => self.grid.shift(beside, Direction::South),
            _ => beside,
        }
    }

    /// For each way of a side, the cells of its dice that may go there.
    #[inline]
    fn moves(&self, position: &Position<B>, side: Color) -> [B; OWN_WAYS] {
        let [own, enemy] = [position.dice[side.index()], position.dice[(!side).index()]];
        let empty = self.grid.cells() & !(own | enemy);
        std::array::from_fn(|i| {
            let way = WAYS[first_way(side) + i];
            let mut from = own & self.before(empty, way);
            if way.0 != 0 && way.1 != 0 {
                // A die captures equal and lower ones, so each value adds to what the higher ones may take.
                let mut prey = B::EMPTY;
                for value in position.values {
                    prey = prey | (enemy & value);
                    from = from | (own & value & self.before(prey, way));
                }
            }
            from
        })
    }

    fn can_move(&self, position: &Position<B>, side: Color) -> bool {
        self.moves(position, side).iter().any(|from| !from.is_empty())
    }

    /// Whether the game is over for another reason than that neither player could take a step.
    fn ended(&self, position: &Position<B>) -> bool {
        if position.turn < FIRST_MOVING_TURN {
            return false;
        }
        let out = |side: Color| position.dice[side.index()].is_empty();
        let side = position.side;
        out(side) && position.hand == 0 || out(!side) || position.stall >= self.stall
    }

    /// What a side has scored, with the dice beyond the Divide.
    fn points(&self, position: &Position<B>, color: Color) -> u32 {
        let beyond = position.dice[color.index()] & self.territory[(!color).index()];
        let sum = (1..).zip(position.values).map(|(value, set)| value * (beyond & set).count());
        position.scored[color.index()] + sum.sum::<u32>()
    }

    /// The key of everything but the dice on the board.
    fn state_key(&self, position: &Position<B>) -> Key {
        let turn = position.turn.min(FIRST_MOVING_TURN);
        let side = position.side.index() as u64;
        let small = (u64::from(position.hand) << 3) + (u64::from(turn) << 1) + side;
        let [black, white] = position.scored.map(u64::from);
        Zobrist::feature((1 << 40) + small)
            ^ Zobrist::feature((2 << 40) + black)
            ^ Zobrist::feature((3 << 40) + white)
            ^ Zobrist::feature((4 << 40) + u64::from(position.stall))
    }
}

impl<B: Bitboard> Game for Invictus<B> {
    type Position = Position<B>;
    type Step = Step;
    type Steps = Steps<B>;

    fn variant(&self) -> &Variant {
        &self.variant
    }

    fn start(&self) -> Position<B> {
        Position {
            dice: [B::EMPTY; 2],
            values: [B::EMPTY; 6],
            side: INFO.first,
            scored: [0; 2],
            hand: 0,
            stall: 0,
            turn: 1,
        }
    }

    #[inline]
    fn steps(&self, position: &Position<B>) -> Steps<B> {
        let side = position.side;
        let [black, white] = position.dice;
        let empty = self.grid.cells() & !(black | white);
        if position.turn < FIRST_MOVING_TURN {
            let count = position.dice[side.index()].count();
            let set = empty & self.home[side.index()];
            return Steps::of_set(side, set_up_value(count), set);
        }
        if self.ended(position) {
            return Steps::none(side);
        }
        if position.hand > 0 {
            let set = empty & self.territory[side.index()];
            return Steps::of_set(side, position.hand, set);
        }
        let steps = Steps {
            from: self.moves(position, side),
            ..Steps::none(side)
        };
        let stuck = steps.any_from().is_empty();
        Steps {
            pass: stuck && self.can_move(position, !side),
            ..steps
        }
    }

    #[inline]
    fn play(&self, position: &mut Position<B>, step: Step, keys: &mut impl Keys) {
        let before = *position;
        let (side, after) = (before.side, position);
        let turn_ends = match step.action() {
            Action::Set { value, cell } => {
                after.put(side, value, cell);
                after.hand = 0;
                before.turn < FIRST_MOVING_TURN && after.dice[side.index()].count() == DICE
            }
            Action::Pass => {
                after.stall += 1;
                true
            }
            Action::Move { from, way } => {
                self.move_die(after, from, way);
                true
            }
        };
        if turn_ends {
            after.side = !side;
            after.turn += 1;
        }
        let after = *after;
        keys.toggle(|| {
            let (old, new) = (before.kinds(), after.kinds());
            let changed: [B; 12] = std::array::from_fn(|kind| old[kind] ^ new[kind]);
            self.zobrist.sets(&changed) ^ self.state_key(&before) ^ self.state_key(&after)
        });
    }

    fn outcome(&self, position: &Position<B>) -> Option<Outcome> {
        if !game::Steps::is_empty(&self.steps(position)) {
            return None;
        }
        let [black, white] = Color::BOTH.map(|color| self.points(position, color));
        let winner = match black.cmp(&white) {
            std::cmp::Ordering::Greater => Some(Color::Black),
            std::cmp::Ordering::Less => Some(Color::White),
            std::cmp::Ordering::Equal => None,
        };
        Some(Outcome {
            winner,
            reason: "score",
        })
    }

    fn key(&self, position: &Position<B>) -> Key {
        self.zobrist.sets(&position.kinds()) ^ self.state_key(position)
    }

    fn audit(&self, position: &Position<B>) -> Vec<Fault> {
        self.faults(position)
    }
}

impl<B: Bitboard> Invictus<B> {
    /// Moves a die of the side to move, with all that follows for scores, hand and stall.
    fn move_die(&self, position: &mut Position<B>, from: Cell, (dx, dy): (i8, i8)) {
        let Some(to) = self.shape.offset(from, dx, dy) else {
            return;
        };
        let side = position.side;
        let (value, captured) = (position.value_at(from), position.value_at(to));
        position.clear(from);
        position.clear(to);
        match captured {
            0 => {}
            1 => position.scored[side.index()] += 1,
            _ => position.hand = captured - 1,
        }
        if self.last_rank[side.index()].has(to) {
            position.scored[side.index()] += u32::from(value);
        } else if value > 0 {
            position.put(side, value, to);
        }
        let forward = dy != 0;
        position.stall = if captured > 0 || forward { 0 } else { position.stall + 1 };
    }
}
