//! How dice stand: where each is, and what is beside it on the way that it goes and behind it.
#![expect(
    clippy::indexing_slicing,
    reason = "tables have an entry for each place of the board with its rim, and for each of what can be there"
)]

use once_cell::sync::Lazy;

use super::{Action, DIRECTIONS, Invictus, Position, Step};
use crate::board::{Bitboard, Cell, Shape};

/// Values of dice.
pub(super) const VALUES: usize = 6;

/// A board has so many columns and ranks, and with its rim two more.
const SIDE: usize = 9;
const WIDTH: usize = SIDE + 2;

/// What can be in a place: nothing, a die of Black, of White, by value, or the rim.
const EMPTY: u8 = 0;
const RIM: u8 = 2 * VALUES as u8 + 1;
const KINDS: usize = 2 * VALUES + 2;

/// What is beside a die, as it sees it: the rim, nothing, an own die, or an enemy one by value.
const BESIDE: [char; 6] = ['#', '-', 'o', 'l', 'e', 'h'];
const OWN: usize = 2;
const LOWER: usize = 3;

/// Unordered pairs of these.
const PAIRS: usize = BESIDE.len() * (BESIDE.len() + 1) / 2;

/// What is straight ahead: nothing that stands there, an own die, an enemy one.
const AHEAD: [char; 3] = ['-', 'o', 'x'];

/// The highest own die diagonally behind, from where it could take back: none, a lower one, one that is not lower.
const BEHIND: [char; 3] = ['-', 'l', 'h'];

/// Ranks that a die can stand on, from the own first one; on the last one it leaves the board.
const RANKS: usize = SIDE - 1;

/// Columns from the edge to the middle: mirrored positions are alike.
const COLUMNS: usize = SIDE.div_ceil(2);

/// By rank, its zone: the own ranks, about the Divide, behind it, and before the last one.
const ZONE: [usize; RANKS] = [0, 0, 0, 1, 1, 2, 2, 3];
const ZONES: usize = 4;

/// Rows for where a die is, and for what is beside it, of one side.
const PLACE_ROWS: usize = VALUES * RANKS * COLUMNS;
const STAND_ROWS: usize = VALUES * ZONES * PAIRS * AHEAD.len() * BEHIND.len();

/// Rows for the dice of one side.
pub(super) const ROWS: usize = PLACE_ROWS + STAND_ROWS;

/// What the rows are called: `6.b3` for where a die is, as its side sees it, on the left or on the right; and `6.2.-l.o.h` for how
/// it stands: the zone from 1, what is diagonally ahead, what is straight ahead, and what is behind it.
pub(super) fn names() -> Vec<String> {
    let shape = Shape::rectangle(SIDE as u8, SIDE as u8);
    let mut names = Vec::with_capacity(ROWS);
    for value in 1..=VALUES {
        for rank in 0..RANKS {
            let label = |column| shape.label(Cell::new(rank * SIDE + column));
            names.extend((0..COLUMNS).map(|column| format!("{value}.{}", label(column))));
        }
    }
    for value in 1..=VALUES {
        for zone in 1..=ZONES {
            for (i, a) in BESIDE.iter().enumerate() {
                for b in &BESIDE[i..] {
                    for ahead in AHEAD {
                        names.extend(
                            BEHIND.map(|behind| format!("{value}.{zone}.{a}{b}.{ahead}.{behind}")),
                        );
                    }
                }
            }
        }
    }
    names
}

/// What is the same in every position. What is there for a die and what is beside it, adds up to the row of how it stands.
struct Tables {
    /// A board without dice.
    empty: [u8; WIDTH * WIDTH],
    /// By what is in a place and what is beside it, what that is for the first.
    beside: [[u8; KINDS]; KINDS],
    /// By what is diagonally ahead on both sides, and by what is straight ahead.
    pairs: [[u16; BESIDE.len()]; BESIDE.len()],
    ahead: [u16; BESIDE.len()],
    /// By what is in a place and what is diagonally behind it.
    behind: [[u16; KINDS]; KINDS],
    /// By colour and place, the row of a one there, and what the zone adds to how it stands.
    places: [[[u16; 2]; WIDTH * WIDTH]; 2],
    /// By way, from where a die starts, the places of all others that see where it starts or where it comes to.
    near: [Vec<i8>; DIRECTIONS.len()],
}

/// By what is in a place with a die, its colour, 0 for Black, and its value from 0.
#[inline(always)]
fn die(kind: u8) -> (usize, usize) {
    let kind = usize::from(kind) - 1;
    (kind / VALUES, kind % VALUES)
}

#[inline(always)]
fn is_die(kind: u8) -> bool {
    kind != EMPTY && kind != RIM
}

/// The place of a cell.
#[inline(always)]
fn place(cell: Cell) -> usize {
    let cell = cell.index();
    WIDTH + 1 + cell + (WIDTH - SIDE) * (cell / SIDE)
}

/// From a place to the one so many columns to the right and ranks up.
const fn offset(right: i8, up: i8) -> i8 {
    right + up * WIDTH as i8
}

/// The places whose dice see what is in one, from it on.
const SEEN_FROM: [i8; 6] = [
    offset(-1, -1),
    offset(0, -1),
    offset(1, -1),
    offset(-1, 1),
    offset(0, 1),
    offset(1, 1),
];

/// What is beside a die of some kind.
fn beside(kind: u8, other: u8) -> usize {
    match other {
        _ if !is_die(kind) => 0,
        EMPTY => 1,
        other if !is_die(other) => 0,
        other => {
            let ((color, value), (other_color, other_value)) = (die(kind), die(other));
            let enemy =
                LOWER + usize::from(other_value >= value) + usize::from(other_value > value);
            if color == other_color { OWN } else { enemy }
        }
    }
}

/// What is behind a die of some kind.
fn behind(kind: u8, other: u8) -> usize {
    match beside(kind, other) {
        OWN if die(other) < die(kind) => 1,
        OWN => 2,
        _ => 0,
    }
}

static TABLES: Lazy<Tables> = Lazy::new(|| {
    let by_kinds = |of: fn(u8, u8) -> usize| -> [[u16; KINDS]; KINDS] {
        std::array::from_fn(|kind| std::array::from_fn(|other| of(kind as u8, other as u8) as u16))
    };
    let mut empty = [RIM; WIDTH * WIDTH];
    let mut places = [[[0; 2]; WIDTH * WIDTH]; 2];
    for cell in (0..SIDE * SIDE).map(Cell::new) {
        let (column, rank) = (cell.index() % SIDE, cell.index() / SIDE);
        empty[place(cell)] = EMPTY;
        for (color, rank) in [rank, SIDE - 1 - rank].into_iter().enumerate() {
            // A die that arrives is gone.
            let rank = rank.min(RANKS - 1);
            let row = rank * COLUMNS + column.min(SIDE - 1 - column);
            let zone = ZONE[rank] * PAIRS * AHEAD.len() * BEHIND.len();
            places[color][place(cell)] = [row, zone].map(|row| row as u16);
        }
    }
    // In the order of the names: those that begin with the first, then with the second.
    let pair = |a: usize, b: usize| {
        let (a, b) = (a.min(b), a.max(b));
        let before = a * (2 * BESIDE.len() + 1 - a) / 2;
        ((before + b - a) * AHEAD.len() * BEHIND.len()) as u16
    };
    let ahead = |beside: usize| match beside {
        0 | 1 => 0,
        OWN => 1,
        _ => 2,
    };
    let near = |direction: usize| {
        let direction = offset(DIRECTIONS[direction].0, DIRECTIONS[direction].1);
        let from = [0, direction]
            .into_iter()
            .flat_map(|from| SEEN_FROM.map(|seen| from + seen));
        let mut near: Vec<i8> = from
            .filter(|&place| place != 0 && place != direction)
            .collect();
        near.sort_unstable();
        near.dedup();
        near
    };
    Tables {
        empty,
        beside: by_kinds(beside).map(|row| row.map(|beside| beside as u8)),
        pairs: std::array::from_fn(|a| std::array::from_fn(|b| pair(a, b))),
        ahead: std::array::from_fn(|beside| (ahead(beside) * BEHIND.len()) as u16),
        behind: by_kinds(behind),
        places,
        near: std::array::from_fn(near),
    }
});

/// What is in each place of the board, and how the dice there stand.
#[derive(Clone, Copy)]
pub(super) struct Stands {
    kinds: [u8; WIDTH * WIDTH],
    /// The rows of how they stand, in places with a die.
    rows: [u16; WIDTH * WIDTH],
}

/// A row of a die, as its side sees it.
#[derive(Clone, Copy)]
pub(super) struct Row {
    /// Whose die it is, 0 for Black.
    pub(super) color: usize,
    pub(super) row: u16,
}

/// What a step changes.
pub(super) enum Change {
    /// A die has this row no more, or now, or one in the place of another.
    Gone(Row),
    Come(Row),
    Other([Row; 2]),
}

impl Default for Stands {
    fn default() -> Self {
        Self {
            kinds: [RIM; WIDTH * WIDTH],
            rows: [0; WIDTH * WIDTH],
        }
    }
}

impl Stands {
    /// Looks at a position.
    #[inline(always)]
    pub(super) fn read<B: Bitboard>(&mut self, position: &Position<B>) {
        let tables = &*TABLES;
        let [black, white] = position.by_color();
        self.kinds = tables.empty;
        for &(dice, first) in &[(black, 0), (white, VALUES as u8)] {
            for cell in dice.cells() {
                self.kinds[place(cell)] = first + position.value_at(cell);
            }
        }
        for cell in (black | white).cells() {
            let place = place(cell);
            self.rows[place] = self.stand(place, tables);
        }
    }

    /// Shows the rows of all dice.
    #[inline(always)]
    pub(super) fn for_each<B: Bitboard>(&self, position: &Position<B>, mut show: impl FnMut(Row)) {
        let tables = &*TABLES;
        let Position { dice, .. } = position;
        for cell in (dice.own | dice.enemy).cells() {
            let place = place(cell);
            let where_it_is = self.place_row(place, tables);
            show(where_it_is);
            show(Row {
                row: self.rows[place],
                ..where_it_is
            });
        }
    }

    /// The row of where the die in a place is.
    #[inline(always)]
    fn place_row(&self, place: usize, tables: &Tables) -> Row {
        let (color, value) = die(self.kinds[place]);
        let row = (value * RANKS * COLUMNS) as u16 + tables.places[color][place][0];
        Row { color, row }
    }

    /// The row of how the die in a place stands.
    #[inline(always)]
    fn stand(&self, place: usize, tables: &Tables) -> u16 {
        let kind = self.kinds[place];
        let (color, value) = die(kind);
        let forward = if color == 0 { 1 } else { -1 };
        let at = |right: i8, ahead: i8| {
            let there = place.wrapping_add_signed(offset(right, ahead * forward).into());
            usize::from(self.kinds[there])
        };
        let kind = usize::from(kind);
        let (beside, behind) = (&tables.beside[kind], &tables.behind[kind]);
        let beside = |right| usize::from(beside[at(right, 1)]);
        let zone = tables.places[color][place][1];
        (PLACE_ROWS + value * ZONES * PAIRS * AHEAD.len() * BEHIND.len()) as u16
            + zone
            + tables.pairs[beside(-1)][beside(1)]
            + tables.ahead[beside(0)]
            + behind[at(-1, -1)].max(behind[at(1, -1)])
    }

    /// Shows how the rows of a position that was read change by a step of it; a pass changes nothing. Then it is that position
    /// still, or where it `GOES_ON`, the one behind the step.
    #[inline(always)]
    pub(super) fn change<const GOES_ON: bool, B: Bitboard>(
        &mut self,
        game: &Invictus<B>,
        position: &Position<B>,
        step: Step,
        mut show: impl FnMut(Change),
    ) {
        let tables = &*TABLES;
        let (start, to, kind, near) = match step.action() {
            Action::Set { value, cell } => {
                let kind = value + VALUES as u8 * position.side.index() as u8;
                (place(cell), place(cell), kind, &SEEN_FROM[..])
            }
            Action::Move { from, direction } => {
                let (start, to) = (place(from), game.target(from, direction));
                let arrives = game.last_rank[position.side.index()].has(to);
                let kind = if arrives { EMPTY } else { self.kinds[start] };
                (start, place(to), kind, &tables.near[direction][..])
            }
            Action::Pass => return,
        };
        let before = (self.kinds[start], self.kinds[to]);
        for &place in &[start, to] {
            if self.kinds[place] != EMPTY {
                let gone = self.place_row(place, tables);
                show(Change::Gone(gone));
                show(Change::Gone(Row {
                    row: self.rows[place],
                    ..gone
                }));
            }
        }
        self.kinds[start] = EMPTY;
        self.kinds[to] = kind;
        for &near in near {
            let place = start.wrapping_add_signed(near.into());
            if is_die(self.kinds[place]) {
                let (gone, come) = (self.rows[place], self.stand(place, tables));
                if gone != come {
                    let (color, _) = die(self.kinds[place]);
                    show(Change::Other([
                        Row { color, row: gone },
                        Row { color, row: come },
                    ]));
                    if GOES_ON {
                        self.rows[place] = come;
                    }
                }
            }
        }
        if kind != EMPTY {
            let come = self.place_row(to, tables);
            let row = self.stand(to, tables);
            show(Change::Come(come));
            show(Change::Come(Row { row, ..come }));
            if GOES_ON {
                self.rows[to] = row;
            }
        }
        if !GOES_ON {
            // For the next step from the same position.
            (self.kinds[start], self.kinds[to]) = before;
        }
    }
}
