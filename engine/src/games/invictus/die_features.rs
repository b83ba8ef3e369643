//! Features of dice: the cell of each, and its neighbors ahead and behind.
#![expect(
    clippy::indexing_slicing,
    reason = "tables have an entry for each square of the board with its rim, and for each content of a square"
)]

use once_cell::sync::Lazy;

use super::{Action, DIRECTIONS, Invictus, Position, Step};
use crate::board::{Bitboard, Cell, Shape};
use crate::rules::Position as _;

/// Number of values of a die.
pub(super) const VALUES: usize = 6;

/// Columns and ranks of the board.
const SIDE: usize = 9;

/// Columns and ranks of the board with a rim around it.
const WIDTH: usize = SIDE + 2;

/// Content of an empty square. Dice of Black follow by value, then those of White.
const EMPTY: u8 = 0;

/// Content of a square off the board.
const RIM: u8 = 2 * VALUES as u8 + 1;

/// Number of contents of a square.
const CONTENTS: usize = 2 * VALUES + 2;

/// Relations of a die to a square ahead of it, as in names.
///
/// They are the rim; an empty square; an own die; and an enemy die of lower, equal or higher value.
const RELATIONS: [char; 6] = ['#', '-', 'o', 'l', 'e', 'h'];

/// Relation to an own die.
const OWN: usize = 2;

/// Relation to an enemy die of lower value.
const LOWER: usize = 3;

/// Number of unordered pairs of relations.
const PAIRS: usize = RELATIONS.len() * (RELATIONS.len() + 1) / 2;

/// Contents straight ahead, as in names: no die, an own die, an enemy die.
const AHEAD: [char; 3] = ['-', 'o', 'x'];

/// Highest own die diagonally behind, which could recapture, as in names: none, a lower one, one that is not lower.
const BEHIND: [char; 3] = ['-', 'l', 'h'];

/// Ranks that a die can be on, from its own first rank; it leaves the board on the last one.
const RANKS: usize = SIDE - 1;

/// Columns from the edge to the middle. Mirrored positions have equal features.
const COLUMNS: usize = SIDE.div_ceil(2);

/// By rank, its zone: the first ranks, those around the Divide, those beyond it, and the one before the last.
const ZONE: [usize; RANKS] = [0, 0, 0, 1, 1, 2, 2, 3];

/// Number of zones.
const ZONES: usize = 4;

/// Number of cell features of one side: by value and cell.
const CELL_FEATURES: usize = VALUES * RANKS * COLUMNS;

/// Number of neighborhood features of one side: by value, zone and neighbors.
const NEIGHBORHOOD_FEATURES: usize = VALUES * ZONES * PAIRS * AHEAD.len() * BEHIND.len();

/// Number of features of the dice of one side.
pub(super) const COUNT: usize = CELL_FEATURES + NEIGHBORHOOD_FEATURES;

/// Returns the names of the features.
///
/// `6.b3` is the cell feature of a 6 on b3, or mirrored on h3, as its side sees the board. `6.2.-l.o.h` is the
/// neighborhood feature of a 6 in the second zone, with an empty square and a lower enemy die diagonally ahead, an own
/// die straight ahead, and an own die that is not lower diagonally behind.
pub(super) fn names() -> Vec<String> {
    let shape = Shape::rectangle(SIDE as u8, SIDE as u8);
    let mut names = Vec::with_capacity(COUNT);
    for value in 1..=VALUES {
        for rank in 0..RANKS {
            let label = |column| shape.label(Cell::new(rank * SIDE + column));
            names.extend((0..COLUMNS).map(|column| format!("{value}.{}", label(column))));
        }
    }
    for value in 1..=VALUES {
        for zone in 1..=ZONES {
            for (i, a) in RELATIONS.iter().enumerate() {
                for b in &RELATIONS[i..] {
                    for ahead in AHEAD {
                        names.extend(BEHIND.map(|behind| format!("{value}.{zone}.{a}{b}.{ahead}.{behind}")));
                    }
                }
            }
        }
    }
    names
}

/// Tables to find features with. A neighborhood feature is the sum of parts for the die, its zone and its neighbors.
struct Tables {
    /// Contents of the squares of a board without dice.
    empty: [u8; WIDTH * WIDTH],
    /// By the contents of a square and of another one ahead, the relation.
    relations: [[u8; CONTENTS]; CONTENTS],
    /// By the relations to both squares diagonally ahead, the part of the feature.
    pairs: [[u16; RELATIONS.len()]; RELATIONS.len()],
    /// By the relation to the square straight ahead, the part of the feature.
    ahead: [u16; RELATIONS.len()],
    /// By the contents of a square and of another one diagonally behind, the part of the feature.
    behind: [[u16; CONTENTS]; CONTENTS],
    /// By color and square, the cell feature of a 1, and the zone's part of the neighborhood feature.
    squares: [[[u16; 2]; WIDTH * WIDTH]; 2],
    /// By direction of a move, the offsets from its start of all squares with the start or the target as a neighbor.
    near: [Vec<i8>; DIRECTIONS.len()],
}

/// Returns the color, 0 for Black, and the value from 0 of a die that is the content of a square.
#[inline(always)]
fn die(content: u8) -> (usize, usize) {
    let die = usize::from(content) - 1;
    (die / VALUES, die % VALUES)
}

#[inline(always)]
fn is_die(content: u8) -> bool {
    content != EMPTY && content != RIM
}

/// Returns the square of a cell on the board with its rim.
#[inline(always)]
fn square(cell: Cell) -> usize {
    let cell = cell.index();
    WIDTH + 1 + cell + (WIDTH - SIDE) * (cell / SIDE)
}

/// Returns the offset of the square this many columns to the right and ranks up.
const fn offset(right: i8, up: i8) -> i8 {
    right + up * WIDTH as i8
}

/// Offsets from a square to all squares whose dice have it as a neighbor, ahead or behind.
const NEIGHBOUR_OF: [i8; 6] = [offset(-1, -1), offset(0, -1), offset(1, -1), offset(-1, 1), offset(0, 1), offset(1, 1)];

/// Returns the relation of a die to the content of a square ahead of it; 0 for what is no die.
fn relation(content: u8, other: u8) -> usize {
    match other {
        _ if !is_die(content) => 0,
        EMPTY => 1,
        other if !is_die(other) => 0,
        other => {
            let ((color, value), (other_color, other_value)) = (die(content), die(other));
            let enemy = LOWER + usize::from(other_value >= value) + usize::from(other_value > value);
            if color == other_color { OWN } else { enemy }
        }
    }
}

/// Returns the index in [`BEHIND`] for a die and the content of a square diagonally behind it.
fn behind(content: u8, other: u8) -> usize {
    match relation(content, other) {
        OWN if die(other) < die(content) => 1,
        OWN => 2,
        _ => 0,
    }
}

static TABLES: Lazy<Tables> = Lazy::new(|| {
    let by_contents = |of: fn(u8, u8) -> usize| -> [[u16; CONTENTS]; CONTENTS] {
        std::array::from_fn(|content| std::array::from_fn(|other| of(content as u8, other as u8) as u16))
    };
    let mut empty = [RIM; WIDTH * WIDTH];
    let mut squares = [[[0; 2]; WIDTH * WIDTH]; 2];
    for cell in (0..SIDE * SIDE).map(Cell::new) {
        let (column, rank) = (cell.index() % SIDE, cell.index() / SIDE);
        empty[square(cell)] = EMPTY;
        for (color, rank) in [rank, SIDE - 1 - rank].into_iter().enumerate() {
            // No die stays on the last rank: any entry serves.
            let rank = rank.min(RANKS - 1);
            let cell_feature = rank * COLUMNS + column.min(SIDE - 1 - column);
            let zone = ZONE[rank] * PAIRS * AHEAD.len() * BEHIND.len();
            squares[color][square(cell)] = [cell_feature, zone].map(|part| part as u16);
        }
    }
    // In the order of the names: pairs with the first relation, then the remaining ones with the second, and so on.
    let pair = |a: usize, b: usize| {
        let (a, b) = (a.min(b), a.max(b));
        let before = a * (2 * RELATIONS.len() + 1 - a) / 2;
        ((before + b - a) * AHEAD.len() * BEHIND.len()) as u16
    };
    let ahead = |relation: usize| match relation {
        0 | 1 => 0,
        OWN => 1,
        _ => 2,
    };
    let near = |direction: usize| {
        let target = offset(DIRECTIONS[direction].0, DIRECTIONS[direction].1);
        let all = [0, target].into_iter().flat_map(|square| NEIGHBOUR_OF.map(|offset| square + offset));
        let mut near: Vec<i8> = all.filter(|&square| square != 0 && square != target).collect();
        near.sort_unstable();
        near.dedup();
        near
    };
    Tables {
        empty,
        relations: by_contents(relation).map(|by_other| by_other.map(|relation| relation as u8)),
        pairs: std::array::from_fn(|a| std::array::from_fn(|b| pair(a, b))),
        ahead: std::array::from_fn(|relation| (ahead(relation) * BEHIND.len()) as u16),
        behind: by_contents(behind),
        squares,
        near: std::array::from_fn(near),
    }
});

/// Contents of all squares of a position, and the features of its dice.
#[derive(Clone, Copy)]
pub(super) struct DieFeatures {
    /// By square.
    contents: [u8; WIDTH * WIDTH],
    /// By square with a die, its neighborhood feature.
    neighborhoods: [u16; WIDTH * WIDTH],
}

/// Feature of a die, as its own side sees the board.
#[derive(Clone, Copy)]
pub(super) struct DieFeature {
    /// Color of the die, 0 for Black.
    pub(super) color: usize,
    pub(super) feature: u16,
}

/// Change of a feature by a step.
pub(super) enum Change {
    Remove(DieFeature),
    Add(DieFeature),
    /// Old and new feature.
    Replace([DieFeature; 2]),
}

impl Default for DieFeatures {
    fn default() -> Self {
        Self { contents: [RIM; WIDTH * WIDTH], neighborhoods: [0; WIDTH * WIDTH] }
    }
}

impl DieFeatures {
    /// Computes the features of a position.
    #[inline(always)]
    pub(super) fn refresh<B: Bitboard>(&mut self, position: &Position<B>) {
        let tables = &*TABLES;
        let [black, white] = position.pieces();
        self.contents = tables.empty;
        for &(dice, first) in &[(black, 0), (white, VALUES as u8)] {
            for cell in dice.cells() {
                self.contents[square(cell)] = first + position.value_at(cell);
            }
        }
        for cell in (black | white).cells() {
            let square = square(cell);
            self.neighborhoods[square] = self.neighborhood(square, tables);
        }
    }

    /// Visits the features of all dice.
    #[inline(always)]
    pub(super) fn for_each<B: Bitboard>(&self, position: &Position<B>, mut visit: impl FnMut(DieFeature)) {
        let tables = &*TABLES;
        let Position { dice, .. } = position;
        for cell in (dice.own | dice.enemy).cells() {
            let square = square(cell);
            let cell_feature = self.cell_feature(square, tables);
            visit(cell_feature);
            visit(DieFeature { feature: self.neighborhoods[square], ..cell_feature });
        }
    }

    /// Returns the cell feature of the die on a square.
    #[inline(always)]
    fn cell_feature(&self, square: usize, tables: &Tables) -> DieFeature {
        let (color, value) = die(self.contents[square]);
        let feature = (value * RANKS * COLUMNS) as u16 + tables.squares[color][square][0];
        DieFeature { color, feature }
    }

    /// Returns the neighborhood feature of the die on a square.
    #[inline(always)]
    fn neighborhood(&self, square: usize, tables: &Tables) -> u16 {
        let content = self.contents[square];
        let (color, value) = die(content);
        let forward = if color == 0 { 1 } else { -1 };
        let at = |right: i8, ahead: i8| {
            let there = square.wrapping_add_signed(offset(right, ahead * forward).into());
            usize::from(self.contents[there])
        };
        let content = usize::from(content);
        let (relations, behind) = (&tables.relations[content], &tables.behind[content]);
        let relation = |right| usize::from(relations[at(right, 1)]);
        let zone = tables.squares[color][square][1];
        (CELL_FEATURES + value * ZONES * PAIRS * AHEAD.len() * BEHIND.len()) as u16
            + zone
            + tables.pairs[relation(-1)][relation(1)]
            + tables.ahead[relation(0)]
            + behind[at(-1, -1)].max(behind[at(1, -1)])
    }

    /// Visits the changes of features by a step; a pass changes none.
    ///
    /// With `ADVANCE` the features become those after the step, else they stay those of the position before.
    #[inline(always)]
    pub(super) fn update<const ADVANCE: bool, B: Bitboard>(
        &mut self,
        game: &Invictus<B>,
        position: &Position<B>,
        step: Step,
        mut visit: impl FnMut(Change),
    ) {
        let tables = &*TABLES;
        let (start, to, content, near) = match step.action() {
            Action::Set { value, cell } => {
                let content = value + VALUES as u8 * position.side.index() as u8;
                (square(cell), square(cell), content, &NEIGHBOUR_OF[..])
            }
            Action::Move { from, direction } => {
                let (start, to) = (square(from), game.target(from, direction));
                let arrives = game.last_rank[position.side.index()].has(to);
                let content = if arrives { EMPTY } else { self.contents[start] };
                (start, square(to), content, &tables.near[direction][..])
            }
            Action::Pass => return,
        };
        let before = (self.contents[start], self.contents[to]);
        for &square in &[start, to] {
            if self.contents[square] != EMPTY {
                let cell_feature = self.cell_feature(square, tables);
                visit(Change::Remove(cell_feature));
                visit(Change::Remove(DieFeature { feature: self.neighborhoods[square], ..cell_feature }));
            }
        }
        self.contents[start] = EMPTY;
        self.contents[to] = content;
        for &near in near {
            let square = start.wrapping_add_signed(near.into());
            if is_die(self.contents[square]) {
                let (old, new) = (self.neighborhoods[square], self.neighborhood(square, tables));
                if old != new {
                    let (color, _) = die(self.contents[square]);
                    visit(Change::Replace([DieFeature { color, feature: old }, DieFeature { color, feature: new }]));
                    if ADVANCE {
                        self.neighborhoods[square] = new;
                    }
                }
            }
        }
        if content != EMPTY {
            let cell_feature = self.cell_feature(to, tables);
            let feature = self.neighborhood(to, tables);
            visit(Change::Add(cell_feature));
            visit(Change::Add(DieFeature { feature, ..cell_feature }));
            if ADVANCE {
                self.neighborhoods[to] = feature;
            }
        }
        if !ADVANCE {
            // The next step starts from the same position.
            (self.contents[start], self.contents[to]) = before;
        }
    }
}
