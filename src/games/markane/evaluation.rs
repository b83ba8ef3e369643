//! What a player of Markane would look at before counting variations: the shapes that stones make with the pits around
//! them, and where each side may place.
#![expect(
    clippy::indexing_slicing,
    reason = "there is a sum for each view and column"
)]

use once_cell::sync::Lazy;

use super::shapes::{Codes, SHAPES};
use super::{CellStep, Markane, Position};
use crate::board::Bitboard;
use crate::game::{Evaluate, Sides, Weights};

/// Parts of the game, the last one first: by how many tenths of the pits are empty, from each of these numbers on.
const PARTS: [u32; 3] = [4, 6, 8];

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

/// The shapes of a position, to see how a step changes them.
#[derive(Default)]
pub struct Outlook {
    codes: Codes,
    /// Where they are known, the sums of their weights by view and column.
    sums: [[Option<i32>; COLUMNS]; 2],
}

impl<B: Bitboard> Markane<B> {
    /// The column of the weights of a position.
    #[inline(always)]
    fn column(&self, position: &Position<B>) -> usize {
        let Sides { own, enemy } = position.stones;
        let all = self.shape.len() as u32;
        let left = all - (own | enemy).count();
        let part = PARTS.iter().filter(|&&least| 10 * left / all >= least).count();
        4 * part + 2 * usize::from(position.owed > 1) + (left % 2) as usize
    }

    /// The terms but for the shapes: rows and how often.
    #[inline(always)]
    fn other_terms(&self, position: &Position<B>, mut add: impl FnMut(usize, i32)) {
        let Sides { own, enemy } = position.stones;
        let mine = self.placements(own, enemy);
        let theirs = self.placements(enemy, own);
        let count = |set: B| set.count() as i32;
        let others = [
            count(mine),
            count(theirs),
            count(mine & !theirs),
            count(theirs & !mine),
            position.owed as i32 - 1,
            1,
        ];
        let first = SHAPES.names.len();
        for (row, times) in (first..).zip(others) {
            add(row, times);
        }
        let room = |set: B| (set.count() as usize).min(ROOM - 1);
        let place = room(mine & !theirs) * ROOM + room(theirs & !mine);
        add(first + OTHERS.len() + place, 1);
    }
}

impl<B: Bitboard> Evaluate for Markane<B> {
    type Outlook = Outlook;

    fn weights(&self) -> &Weights {
        &self.weights
    }

    fn set_weights(&mut self, weights: Weights) {
        self.weights = weights;
    }

    #[inline(always)]
    fn terms(&self, position: &Position<B>, mut add: impl FnMut(usize, usize, i32)) {
        let Sides { own, enemy } = position.stones;
        let column = self.column(position);
        self.windows.rows(own, enemy, |row| add(row, column, 1));
        self.other_terms(position, |row, times| add(row, column, times));
    }

    #[inline(always)]
    fn prepare(&self, position: &Position<B>, outlook: &mut Outlook) {
        let Sides { own, enemy } = position.stones;
        self.windows.read(own, enemy, &mut outlook.codes);
        outlook.sums = Default::default();
    }

    /// A placement changes the nine shapes about it, a capture nine more.
    #[inline(always)]
    fn evaluate_next(
        &self,
        outlook: &mut Outlook,
        position: &Position<B>,
        step: CellStep,
        next: &Position<B>,
    ) -> i32 {
        if step == CellStep::SWAP {
            return self.evaluate(next);
        }
        let view = usize::from(next.side != position.side);
        let column = self.column(next);
        let worth = |row| self.weights.at(row, column);
        let codes = &mut outlook.codes;
        let sum = &mut outlook.sums[view][column];
        let mut value = *sum.get_or_insert_with(|| self.windows.sum(codes, view, worth));
        // A capture is owed a placement, so the turn goes on.
        let captured = match view {
            0 => position.stones.enemy & !next.stones.enemy,
            _ => B::EMPTY,
        };
        if captured.is_empty() {
            value += self.windows.with_stone(codes, step.cell(), view, worth);
        } else {
            // Shapes may lose several stones: they are changed one by one, and back for the next step.
            let (own, enemy) = (1, 2);
            let mut count = |row, comes| value += if comes { worth(row) } else { -worth(row) };
            self.windows.change(codes, step.cell(), own, &mut count);
            captured.cells().for_each(|cell| self.windows.change(codes, cell, -enemy, &mut count));
            captured.cells().for_each(|cell| self.windows.change(codes, cell, enemy, |_, _| {}));
            self.windows.change(codes, step.cell(), -own, |_, _| {});
        }
        self.other_terms(next, |row, times| value += times * worth(row));
        value
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
