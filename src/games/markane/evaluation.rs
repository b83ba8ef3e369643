//! What a player of Markane would look at before counting variations: the shapes that stones make with the pits around
//! them, and where each side may place.
#![expect(
    clippy::indexing_slicing,
    reason = "there is a sum for each view and column"
)]

use once_cell::sync::Lazy;

use super::{CellStep, Markane, Position};
use crate::board::{Bitboard, Cell, map_array};
use crate::nnue::{Layer, Network, Weights};
use crate::rules::{Evaluate, Sides};
use crate::games::shapes::{Codes, SHAPES};

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

/// Units of the network on top of the shapes.
const UNITS: usize = 64;

static WEIGHTS: Lazy<Weights> = Lazy::new(|| {
    let mut rows = SHAPES.names.clone();
    rows.extend(OTHERS.map(str::to_owned));
    rows.extend((0..ROOM).flat_map(|own| (0..ROOM).map(move |enemy| format!("room.{own}.{enemy}"))));
    let layer = Layer { only: 0, features: SHAPES.names.len(), neurons: UNITS };
    Weights::built_in(rows, COLUMNS, layer, "markane", include_bytes!("weights.net"))
});

/// What is remembered of the sums over shapes.
type Sums = crate::nnue::Accumulator<COLUMNS, UNITS>;

/// The weights as a search reads them.
pub(super) struct Worths {
    network: Network<COLUMNS, UNITS>,
    columns: [Column; COLUMNS],
}

impl Worths {
    fn new(weights: &Weights) -> Self {
        Self {
            network: Network::new(weights),
            columns: std::array::from_fn(|column| Column::new(weights, column)),
        }
    }
}

/// What one column says of all but shapes.
struct Column {
    others: [i32; OTHERS.len()],
    /// By how many pits only the own side may place in, and how many only the enemy.
    room: [[i32; ROOM]; ROOM],
}

impl Column {
    fn new(weights: &Weights, column: usize) -> Self {
        let first = SHAPES.names.len();
        let room = |own, enemy| weights.at(first + OTHERS.len() + own * ROOM + enemy, column);
        Self {
            others: std::array::from_fn(|other| weights.at(first + other, column)),
            room: std::array::from_fn(|own| std::array::from_fn(|enemy| room(own, enemy))),
        }
    }
}

/// By how many pits are empty, the part of the game.
pub(super) fn parts(pits: usize) -> Vec<u8> {
    let part = |left| PARTS.iter().filter(|&&least| 10 * left / pits >= least).count() as u8;
    (0..=pits).map(part).collect()
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
    /// By view, their sums without the stone and with it, as far as they are known.
    base_sums: [Option<Sums>; 2],
    sums: [Option<Sums>; 2],
}

impl<B> Default for Outlook<B> {
    fn default() -> Self {
        Self {
            base: None,
            stone: None,
            codes: Codes::default(),
            base_sums: [None; 2],
            sums: [None; 2],
        }
    }
}

impl<B: Bitboard> Markane<B> {
    #[inline(always)]
    fn worths(&self) -> &Worths {
        self.weights.parameters(|| WEIGHTS.clone(), Worths::new)
    }

    /// The column of the weights of a position.
    #[inline(always)]
    fn column(&self, position: &Position<B>) -> usize {
        let Sides { own, enemy } = position.stones;
        let left = self.shape.len() - (own | enemy).count() as usize;
        4 * usize::from(self.parts[left]) + 2 * usize::from(position.owed > 1) + left % 2
    }

    /// The sums over the shapes of the position that an outlook is of, in a view.
    #[inline(always)]
    fn sums(&self, outlook: &mut Outlook<B>, view: usize, network: &Network<COLUMNS, UNITS>) -> Sums {
        let Outlook { stone, codes, base_sums, sums, .. } = outlook;
        *sums[view].get_or_insert_with(|| {
            let digits = view as i16 + 1;
            let base = base_sums[view].get_or_insert_with(|| {
                let mut sums = self.windows.sums_of(codes, view, network);
                if let Some(cell) = *stone {
                    self.windows.exchange(&mut sums, codes, cell, view, [0, -digits], network);
                }
                sums
            });
            let mut sums = *base;
            if let Some(cell) = *stone {
                self.windows.exchange(&mut sums, codes, cell, view, [-digits, 0], network);
            }
            sums
        })
    }

    /// How often there is what the rows behind the shapes are for, and in how many pits only each side may place.
    #[inline(always)]
    fn others(&self, position: &Position<B>) -> ([i32; OTHERS.len()], [usize; 2]) {
        let Sides { own, enemy } = position.stones;
        let mine = self.placements(own, enemy);
        let theirs = self.placements(enemy, own);
        let count = |set: B| set.count() as i32;
        let alone = [count(mine & !theirs), count(theirs & !mine)];
        let others = [count(mine), count(theirs), alone[0], alone[1], position.owed as i32 - 1, 1];
        (others, map_array(alone, #[inline(always)] |pits| (pits as usize).min(ROOM - 1)))
    }

    /// What these are worth.
    #[inline(always)]
    fn worth_of_others(&self, position: &Position<B>, column: &Column) -> i32 {
        let (others, [own, enemy]) = self.others(position);
        let mut value = column.room[own][enemy];
        for other in 0..OTHERS.len() {
            value += others[other] * column.others[other];
        }
        value
    }
}

impl<B: Bitboard> Evaluate for Markane<B> {
    type Outlook = Outlook<B>;

    fn weights(&self) -> &Weights {
        self.weights.weights(|| WEIGHTS.clone())
    }

    fn set_weights(&mut self, weights: Weights) {
        self.weights.set(weights);
    }

    #[inline(always)]
    fn terms(&self, position: &Position<B>, mut add: impl FnMut(usize, usize, i32)) {
        let Sides { own, enemy } = position.stones;
        let column = self.column(position);
        self.windows.rows(own, enemy, |row| add(row.into(), column, 1));
        let first = SHAPES.names.len();
        let (others, [own, enemy]) = self.others(position);
        (first..).zip(others).for_each(|(row, times)| add(row, column, times));
        add(first + OTHERS.len() + own * ROOM + enemy, column, 1);
    }

    #[inline(always)]
    fn evaluate(&self, position: &Position<B>) -> i32 {
        let Sides { own, enemy } = position.stones;
        let (worths, column) = (self.worths(), self.column(position));
        let sums = self.windows.sums(own, enemy, &worths.network);
        worths.network.output(&sums, column) + self.worth_of_others(position, &worths.columns[column])
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
            outlook.base_sums = [None; 2];
            outlook.base = Some(*base);
        }
        outlook.sums = [None; 2];
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
        let Worths { network, columns } = self.worths();
        let mut sums = self.sums(outlook, view, network);
        let codes = &mut outlook.codes;
        // A capture is owed a placement, so the turn goes on.
        let captured = match goes_on {
            true => position.stones.enemy & !next.stones.enemy,
            false => B::EMPTY,
        };
        let (stone, taken) = if goes_on { (1, 2) } else { (2, 1) };
        self.windows.exchange(&mut sums, codes, step.cell(), view, [0, stone], network);
        if !captured.is_empty() {
            // Shapes may lose several stones: they are changed one by one, and back for the next step.
            self.windows.change(codes, step.cell(), view, stone);
            for cell in captured.cells() {
                self.windows.exchange(&mut sums, codes, cell, view, [0, -taken], network);
                self.windows.change(codes, cell, view, -taken);
            }
            for cell in captured.cells() {
                self.windows.change(codes, cell, view, taken);
            }
            self.windows.change(codes, step.cell(), view, -stone);
        }
        let column = self.column(next);
        network.output(&sums, column) + self.worth_of_others(next, &columns[column])
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
