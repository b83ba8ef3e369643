//! What a player of Markane would look at before counting variations: the shapes that stones make with the pits around
//! them, and where each side may place.
#![expect(
    clippy::indexing_slicing,
    reason = "there is a sum for each view and column"
)]

use once_cell::sync::{Lazy, OnceCell};

use super::shapes::{Codes, SHAPES};
use super::{CellStep, Markane, Position};
use crate::board::{Bitboard, Cell};
use crate::game::{Evaluate, Sides, Weights};

/// Parts of the game, the last one first: by how many tenths of the pits are empty, from each of these numbers on.
const PARTS: [usize; 3] = [4, 6, 8];

/// Each part for a turn that ends with the next placement, unless that captures, and for one that goes on; both for an
/// even number of empty pits and for an odd one: every turn fills one more, so this tells who is to be the last.
const COLUMNS: usize = 4 * (PARTS.len() + 1);

/// So many pits to place in are told apart, less one.
const ROOM: usize = 12;

/// Rows behind the shapes: pits to place in, of each side and of it alone; placements owed beyond the first; to be
/// the one to move; and behind these, one for each pair of numbers of pits that only one side may place in.
const OTHERS: [&str; 6] = ["own", "enemy", "own.only", "enemy.only", "owed", "move"];

pub(super) static WEIGHTS: Lazy<Weights> = Lazy::new(|| {
    let mut rows = SHAPES.names.clone();
    rows.extend(OTHERS.map(str::to_owned));
    rows.extend((0..ROOM).flat_map(|own| (0..ROOM).map(move |enemy| format!("room.{own}.{enemy}"))));
    Weights::built_in(rows, COLUMNS, include_str!("weights.txt"))
});

/// The weights of one column as a search reads them.
pub(super) struct Column {
    /// By the edge and the code of a shape.
    shapes: Vec<i16>,
    others: [i32; OTHERS.len()],
    /// By how many pits only the own side may place in, and how many only the enemy.
    room: [[i32; ROOM]; ROOM],
}

impl Column {
    fn new(weights: &Weights, column: usize) -> Self {
        let first = SHAPES.names.len();
        let room = |own, enemy| weights.at(first + OTHERS.len() + own * ROOM + enemy, column);
        Self {
            shapes: weights.gather(&SHAPES.rows, column),
            others: std::array::from_fn(|other| weights.at(first + other, column)),
            room: std::array::from_fn(|own| std::array::from_fn(|enemy| room(own, enemy))),
        }
    }
}

/// All columns, each made when it is first asked for: they are large.
pub(super) type Columns = [OnceCell<Column>; COLUMNS];

/// By how many pits are empty, the part of the game.
pub(super) fn parts(pits: usize) -> Vec<u8> {
    let part = |left| PARTS.iter().filter(|&&least| 10 * left / pits >= least).count() as u8;
    (0..=pits).map(part).collect()
}

/// Sums by view and column, as far as they are known.
#[derive(Default)]
struct Sums {
    /// One bit for each.
    known: u64,
    sums: [[i32; COLUMNS]; 2],
}

impl Sums {
    #[inline(always)]
    fn get(&mut self, view: usize, column: usize, sum: impl FnOnce() -> i32) -> i32 {
        let bit = 1 << (COLUMNS * view + column);
        if self.known & bit == 0 {
            self.known |= bit;
            self.sums[view][column] = sum();
        }
        self.sums[view][column]
    }
}

/// What is remembered of a position to see how a step changes it: what all positions behind the one before it have in
/// common, and the stone that they differ in.
pub struct Outlook<B> {
    /// The position without that stone.
    base: Option<Position<B>>,
    /// The stone, which is of the side to move there.
    stone: Option<Cell>,
    /// The shapes with the stone, in the views of the base.
    codes: Codes,
    /// What they are worth without the stone, and what it changes.
    sums: Sums,
    changes: Sums,
}

impl<B> Default for Outlook<B> {
    fn default() -> Self {
        Self {
            base: None,
            stone: None,
            codes: Codes::default(),
            sums: Sums::default(),
            changes: Sums::default(),
        }
    }
}

impl<B: Bitboard> Markane<B> {
    /// The column of the weights of a position.
    #[inline(always)]
    fn column(&self, position: &Position<B>) -> usize {
        let Sides { own, enemy } = position.stones;
        let left = self.shape.len() - (own | enemy).count() as usize;
        4 * usize::from(self.parts[left]) + 2 * usize::from(position.owed > 1) + left % 2
    }

    /// The weights of a column.
    #[inline(always)]
    fn weights_of(&self, column: usize) -> &Column {
        self.columns[column].get_or_init(|| Column::new(&self.weights, column))
    }

    /// How often there is what the rows behind the shapes are for, and in how many pits only each side may place.
    #[inline(always)]
    fn others(&self, position: &Position<B>) -> ([i32; OTHERS.len()], [usize; 2]) {
        let Sides { own, enemy } = position.stones;
        let mine = self.placements(own, enemy);
        let theirs = self.placements(enemy, own);
        let count = |set: B| set.count() as i32;
        let alone = [mine & !theirs, theirs & !mine].map(count);
        let others = [count(mine), count(theirs), alone[0], alone[1], position.owed as i32 - 1, 1];
        (others, alone.map(|pits| (pits as usize).min(ROOM - 1)))
    }

    /// What these are worth.
    #[inline(always)]
    fn worth_of_others(&self, position: &Position<B>, column: &Column) -> i32 {
        let (others, [own, enemy]) = self.others(position);
        let sum: i32 = others.iter().zip(column.others).map(|(times, worth)| times * worth).sum();
        sum + column.room[own][enemy]
    }
}

impl<B: Bitboard> Evaluate for Markane<B> {
    type Outlook = Outlook<B>;

    fn weights(&self) -> &Weights {
        &self.weights
    }

    fn set_weights(&mut self, weights: Weights) {
        self.weights = weights;
        self.columns = Columns::default();
    }

    #[inline(always)]
    fn terms(&self, position: &Position<B>, mut add: impl FnMut(usize, usize, i32)) {
        let Sides { own, enemy } = position.stones;
        let column = self.column(position);
        self.windows.rows(own, enemy, |row| add(row, column, 1));
        let first = SHAPES.names.len();
        let (others, [own, enemy]) = self.others(position);
        (first..).zip(others).for_each(|(row, times)| add(row, column, times));
        add(first + OTHERS.len() + own * ROOM + enemy, column, 1);
    }

    #[inline(always)]
    fn evaluate(&self, position: &Position<B>) -> i32 {
        let Sides { own, enemy } = position.stones;
        let column = self.weights_of(self.column(position));
        self.windows.worth(own, enemy, &column.shapes) + self.worth_of_others(position, column)
    }

    /// What positions behind the one before have in common is theirs as long as no step captures.
    #[inline(always)]
    fn prepare(
        &self,
        before: Option<(&Position<B>, CellStep)>,
        position: &Position<B>,
        outlook: &mut Outlook<B>,
    ) {
        let placed = before.filter(|(before, step)| {
            let quiet = before.side != position.side && before.stones.enemy == position.stones.own;
            quiet && *step != CellStep::SWAP
        });
        let base = placed.map_or(position, |(before, _)| before);
        let codes = &mut outlook.codes;
        if outlook.base.as_ref() == Some(base) {
            if let Some(cell) = outlook.stone {
                self.windows.take_stone(codes, cell);
            }
        } else {
            self.windows.read(base.stones.own, base.stones.enemy, codes);
            outlook.sums.known = 0;
            outlook.base = Some(*base);
        }
        outlook.changes.known = 0;
        outlook.stone = placed.map(|(_, step)| step.cell());
        if let Some(cell) = outlook.stone {
            self.windows.put_stone(codes, cell);
        }
    }

    /// A placement changes the nine shapes about it, a capture nine more.
    #[inline(always)]
    fn evaluate_next(
        &self,
        outlook: &mut Outlook<B>,
        position: &Position<B>,
        step: CellStep,
        next: &Position<B>,
    ) -> i32 {
        if step == CellStep::SWAP {
            return self.evaluate(next);
        }
        let goes_on = next.side == position.side;
        // The stone has made it the other side's turn.
        let own = usize::from(outlook.stone.is_some());
        let view = if goes_on { own } else { 1 - own };
        let number = self.column(next);
        let column = self.weights_of(number);
        let worths = &column.shapes;
        let Outlook { stone, codes, sums, changes, .. } = outlook;
        let change = changes.get(view, number, || {
            stone.map_or(0, |cell| self.windows.worth_of_stone(codes, cell, view, worths))
        });
        let sum = sums.get(view, number, || self.windows.sum(codes, view, worths) - change);
        let mut value = sum + change;
        // A capture is owed a placement, so the turn goes on.
        let captured = match goes_on {
            true => position.stones.enemy & !next.stones.enemy,
            false => B::EMPTY,
        };
        let (stone, taken) = if goes_on { (1, 2) } else { (2, 1) };
        if captured.is_empty() {
            value += self.windows.with_stone(codes, step.cell(), view, stone, worths);
        } else {
            // Shapes may lose several stones: they are changed one by one, and back for the next step.
            value += self.windows.change(codes, step.cell(), view, stone, worths);
            for cell in captured.cells() {
                value += self.windows.change(codes, cell, view, -taken, worths);
            }
            for cell in captured.cells() {
                self.windows.change(codes, cell, view, taken, worths);
            }
            self.windows.change(codes, step.cell(), view, -stone, worths);
        }
        value + self.worth_of_others(next, column)
    }

    /// How many stones a placement captures.
    #[inline(always)]
    fn promise(&self, position: &Position<B>, step: CellStep) -> i32 {
        if step == CellStep::SWAP {
            return 0;
        }
        let own = position.stones.own | B::of(step.cell());
        (position.stones.enemy & self.grid.next_to_two(own)).count() as i32
    }
}
