//! Invictus, by Rey Alicea, 2013. Rules: `protocol/games/invictus.md`.
#![expect(
    clippy::indexing_slicing,
    reason = "tables have an entry for each color, value and direction, and are indexed by those"
)]

mod die_features;
mod evaluation;
mod notation;
mod steps;
mod validate;

use std::hint::select_unpredictable;

use evaluation::Parameters;
use steps::Action;
pub use steps::{Step, Steps};

use crate::board::{Bitboard, Cell, Direction, Grid, Key, Shape, Zobrist};
use crate::nnue::LazyWeights;
use crate::rules::{
    self, Color, Game, GameInfo, Keys, Method, Outcome, Position as _, PositionError, Puct, Sides, SizeRule, Value,
    ValueKind, Variant, VariantKey,
};

/// The entry in the catalogue.
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
    method: Method::Puct,
    puct: Puct { exploration: 0.2, expansions: 2, ..Puct::DEFAULT },
    turns_per_cell: 1.5,
    comparisons: &[],
    levels: [10_240, 3_840, 1_408, 544, 256],
};

/// Number of dice that each player sets up.
const DICE: u32 = 18;

/// The first turn in which dice move; turns 1 and 2 set them up.
const FIRST_MOVING_TURN: u32 = 3;

/// The eight directions as columns to the right and ranks up, in the cell order of their targets.
///
/// Black moves in the last five, White in the first five.
const DIRECTIONS: [(i8, i8); 8] = [(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1)];

/// Number of directions in which a side's dice move.
const SIDE_DIRECTIONS: usize = 5;

/// An opened variant of Invictus.
pub struct Invictus<B> {
    shape: Shape,
    grid: Grid<B>,
    /// For each color, the two ranks to set up on.
    home: [B; 2],
    /// For each color, the four ranks on its side of the Divide.
    territory: [B; 2],
    /// For each color, the opponent's first rank.
    last_rank: [B; 2],
    /// For each color, the ranks in its forward direction.
    ranks_forward: [[B; 9]; 2],
    /// For each color, the distance of each cell from its first rank, in ranks.
    rank_forward: [Vec<u8>; 2],
    /// For each direction, the difference of cell numbers of a step.
    strides: [u16; DIRECTIONS.len()],
    stall: u32,
    weights: LazyWeights<Parameters>,
    zobrist: Zobrist,
}

/// A position of Invictus.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Position<B> {
    /// The cells of the dice of each side.
    dice: Sides<B>,
    /// The cells of the dice by binary digit of their value: those with bit 0, bit 1 and bit 2 set.
    bits: [B; 3],
    side: Color,
    /// Points scored off the board by Black and by White.
    scored: [u32; 2],
    /// The value of the captured die that the side to move must set first; 0 if there is none.
    hand: u8,
    /// Turns in a row without a capture or a step forward.
    stall: u32,
    turn: u32,
}

impl<B: Bitboard> rules::Position for Position<B> {
    type Set = B;

    #[inline]
    fn side(&self) -> Color {
        self.side
    }

    #[inline]
    fn turn(&self) -> u32 {
        self.turn
    }

    fn pieces(&self) -> [B; 2] {
        self.dice.by_color(self.side)
    }
}

impl<B: Bitboard> Position<B> {
    /// Returns the value of the die on a cell; 0 if there is none.
    #[inline(always)]
    fn value_at(&self, cell: Cell) -> u8 {
        let has = |bit: usize| u8::from(self.bits[bit].has(cell));
        has(0) + 2 * has(1) + 4 * has(2)
    }

    /// Returns the cells of the dice with a value from 1 to 6.
    #[inline(always)]
    fn of_value(&self, value: u8) -> B {
        let matching = |bit: usize| {
            let set = self.bits[bit];
            if value >> bit & 1 == 1 { set } else { !set }
        };
        (self.dice.own | self.dice.enemy) & matching(0) & matching(1) & matching(2)
    }

    /// Adds a die on an empty cell.
    #[inline(always)]
    fn put(&mut self, color: Color, value: u8, cell: Cell) {
        let cell = B::of(cell);
        let Sides { own, enemy } = &mut self.dice;
        let dice = if color == self.side { own } else { enemy };
        *dice = *dice | cell;
        for bit in 0..self.bits.len() {
            let set = select_unpredictable(value >> bit & 1 == 1, cell, B::EMPTY);
            self.bits[bit] = self.bits[bit] | set;
        }
    }

    /// Returns the cells of the dice by color and value: index 6 · color + value − 1.
    #[inline(always)]
    fn kinds(&self) -> [B; 12] {
        let dice = self.pieces();
        let mut kinds = [B::EMPTY; 12];
        for kind in 0..kinds.len() {
            kinds[kind] = dice[kind / 6] & self.of_value(kind as u8 % 6 + 1);
        }
        kinds
    }
}

/// Returns the value of the die to set up after `count` others: 6, 6, 6, 5, 5, 5, …, 1.
fn set_up_value(count: u32) -> u8 {
    6 - (count / 3).min(5) as u8
}

impl<B: Bitboard> Invictus<B> {
    /// Opens a variant of Invictus. Its cells must fit the bitboard.
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
            ranks_forward: Color::BOTH.map(|color| {
                std::array::from_fn(|i| match color {
                    Color::Black => ranks(i as u8 + 1..=i as u8 + 1),
                    Color::White => ranks(9 - i as u8..=9 - i as u8),
                })
            }),
            rank_forward: Color::BOTH.map(|color| {
                let rank = |cell| match (color, shape.coordinates(cell)) {
                    (Color::Black, (_, y)) => y,
                    (Color::White, (_, y)) => 8 - y,
                };
                shape.cells().map(rank).collect()
            }),
            strides: DIRECTIONS.map(|offset| shape.stride(offset)),
            stall: variant.number("stall"),
            weights: LazyWeights::default(),
            zobrist: Zobrist::new(12, shape.len()),
            shape,
        }
    }

    /// Generates the moves of a side: for each of its directions, the cells from which a die can move in it.
    #[inline(always)]
    fn moves(&self, dice: Sides<B>, bits: [B; 3], side: Color) -> [B; SIDE_DIRECTIONS] {
        let Sides { own, enemy } = dice;
        let free = self.grid.cells() & !own;
        let empty = free & !enemy;
        let west = own & self.grid.shift(empty, Direction::East);
        let east = own & self.grid.shift(empty, Direction::West);
        // Shifting backwards brings to each cell the content of the cell in front of it.
        let back = match side {
            Color::Black => Direction::South,
            Color::White => Direction::North,
        };
        let straight = own & self.grid.shift(empty, back);
        let [ones, twos, fours] = bits;
        let in_front = [
            self.grid.shift(free, back),
            self.grid.shift(enemy & ones, back),
            self.grid.shift(enemy & twos, back),
            self.grid.shift(enemy & fours, back),
        ];
        let to_west = own & self.diagonal_moves(in_front, bits, Direction::East);
        let to_east = own & self.diagonal_moves(in_front, bits, Direction::West);
        match side {
            Color::Black => [west, east, to_west, straight, to_east],
            Color::White => [to_west, straight, to_east, west, east],
        }
    }

    /// Returns the cells from which a die may move diagonally: onto a free cell, or onto an enemy die of no higher
    /// value.
    ///
    /// `in_front` has the cells without a friendly die and the enemy's value bits, shifted back by one rank; `back`
    /// is the sideways direction that completes the shift from the target.
    #[inline(always)]
    fn diagonal_moves(&self, in_front: [B; 4], [ones, twos, fours]: [B; 3], back: Direction) -> B {
        let [free, enemy_ones, enemy_twos, enemy_fours] = in_front;
        let free = self.grid.shift(free, back);
        let enemy_ones = self.grid.shift(enemy_ones, back);
        let enemy_twos = self.grid.shift(enemy_twos, back);
        let enemy_fours = self.grid.shift(enemy_fours, back);
        // Bit-sliced comparison from the lowest bit up: a differing higher bit decides, an equal one keeps the result.
        let lower = !ones & enemy_ones;
        let lower = (!twos & enemy_twos) | (!(twos ^ enemy_twos) & lower);
        let lower = (!fours & enemy_fours) | (!(fours ^ enemy_fours) & lower);
        free & !lower
    }

    /// Returns true if the side that is not to move has a move.
    fn enemy_can_move(&self, position: &Position<B>) -> bool {
        let moves = self.moves(position.dice.flipped(), position.bits, !position.side);
        let mut any = B::EMPTY;
        for &from in &moves {
            any = any | from;
        }
        !any.is_empty()
    }

    /// Returns true if the game is over for another reason than that neither side can move.
    fn has_ended(&self, position: &Position<B>) -> bool {
        if position.turn < FIRST_MOVING_TURN {
            return false;
        }
        let Sides { own, enemy } = position.dice;
        own.is_empty() && position.hand == 0 || enemy.is_empty() || position.stall >= self.stall
    }

    /// Returns a side's score: points scored off the board and the values of its dice beyond the Divide.
    fn points(&self, position: &Position<B>, color: Color) -> u32 {
        let beyond = position.pieces()[color.index()] & self.territory[(!color).index()];
        let count = |bit: usize| (beyond & position.bits[bit]).count();
        position.scored[color.index()] + count(0) + 2 * count(1) + 4 * count(2)
    }

    /// Returns the key of everything but the dice on the board.
    fn state_key(&self, position: &Position<B>) -> Key {
        let turn = position.turn.min(FIRST_MOVING_TURN);
        let side = position.side.index() as u64;
        let small = (u64::from(position.hand) << 3) + (u64::from(turn) << 1) + side;
        let [black, white] = position.scored;
        Zobrist::state_key((1 << 40) + small)
            ^ Zobrist::state_key((2 << 40) + u64::from(black))
            ^ Zobrist::state_key((3 << 40) + u64::from(white))
            ^ Zobrist::state_key((4 << 40) + u64::from(position.stall))
    }
}

impl<B: Bitboard> Game for Invictus<B> {
    type Position = Position<B>;
    type Step = Step;
    type Steps = Steps<B>;

    fn start(&self) -> Position<B> {
        Position {
            dice: Sides { own: B::EMPTY, enemy: B::EMPTY },
            bits: [B::EMPTY; 3],
            side: INFO.first,
            scored: [0; 2],
            hand: 0,
            stall: 0,
            turn: 1,
        }
    }

    #[inline(always)]
    fn steps(&self, position: &Position<B>) -> Steps<B> {
        let side = position.side;
        let Sides { own, enemy } = position.dice;
        let empty = self.grid.cells() & !(own | enemy);
        if position.turn < FIRST_MOVING_TURN {
            let set = empty & self.home[side.index()];
            return Steps::of_set(side, set_up_value(own.count()), set);
        }
        if self.has_ended(position) {
            return Steps::none(side);
        }
        if position.hand > 0 {
            let set = empty & self.territory[side.index()];
            return Steps::of_set(side, position.hand, set);
        }
        let steps = Steps { cells: self.moves(position.dice, position.bits, side), ..Steps::none(side) };
        let stuck = steps.all_cells().is_empty();
        Steps { pass: stuck && self.enemy_can_move(position), ..steps }
    }

    #[inline(always)]
    fn play(&self, position: &mut Position<B>, step: Step, keys: &mut impl Keys) {
        let before = *position;
        let after = position;
        let turn_ends = match step.action() {
            Action::Set { value, cell } => {
                after.put(before.side, value, cell);
                after.hand = 0;
                // The last dice that are set up are ones.
                before.turn < FIRST_MOVING_TURN && value == 1 && after.dice.own.count() == DICE
            }
            Action::Pass => {
                after.stall += 1;
                true
            }
            Action::Move { from, direction } => {
                self.move_die(after, from, direction);
                true
            }
        };
        if turn_ends {
            after.dice = after.dice.flipped();
            after.side = !before.side;
            after.turn += 1;
        }
        let after = *after;
        keys.toggle(|| {
            let (old, new) = (before.kinds(), after.kinds());
            let mut changed = [B::EMPTY; 12];
            for kind in 0..changed.len() {
                changed[kind] = old[kind] ^ new[kind];
            }
            self.zobrist.sets_key(&changed) ^ self.state_key(&before) ^ self.state_key(&after)
        });
    }

    fn outcome(&self, position: &Position<B>) -> Option<Outcome> {
        if !rules::Steps::is_empty(&self.steps(position)) {
            return None;
        }
        let [black, white] = Color::BOTH.map(|color| self.points(position, color));
        let winner = match black.cmp(&white) {
            std::cmp::Ordering::Greater => Some(Color::Black),
            std::cmp::Ordering::Less => Some(Color::White),
            std::cmp::Ordering::Equal => None,
        };
        Some(Outcome { winner, reason: "score" })
    }

    fn key(&self, position: &Position<B>) -> Key {
        self.zobrist.sets_key(&position.kinds()) ^ self.state_key(position)
    }

    fn validate(&self, position: &Position<B>) -> Vec<PositionError> {
        self.errors(position)
    }
}

impl<B: Bitboard> Invictus<B> {
    /// Returns the target of a move from a cell in a direction.
    #[inline(always)]
    fn target(&self, from: Cell, direction: usize) -> Cell {
        Cell::new(usize::from((from.index() as u16).wrapping_add(self.strides[direction])))
    }

    /// Moves a die of the side to move and updates score, hand and stall.
    #[inline(always)]
    fn move_die(&self, position: &mut Position<B>, from: Cell, direction: usize) {
        let to = self.target(from, direction);
        let side = position.side;
        let (value, captured) = (position.value_at(from), position.value_at(to));
        let cleared = B::of(from) | B::of(to);
        position.dice.own = position.dice.own & !cleared;
        position.dice.enemy = position.dice.enemy & !cleared;
        for set in &mut position.bits {
            *set = *set & !cleared;
        }
        position.hand = captured.saturating_sub(1);
        let scored = &mut position.scored[side.index()];
        *scored += u32::from(captured == 1);
        if self.last_rank[side.index()].has(to) {
            *scored += u32::from(value);
        } else {
            position.put(side, value, to);
        }
        let forward = DIRECTIONS[direction].1 != 0;
        let progress = captured > 0 || forward;
        position.stall = select_unpredictable(progress, 0, position.stall + 1);
    }
}
