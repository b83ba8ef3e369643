//! What a player of Markane would look at before counting variations: the shapes that stones make with the pits around
//! them, and where each side may place.
#![expect(
    clippy::indexing_slicing,
    reason = "tables have an entry for each edge, code and number of nine bits"
)]

use std::collections::HashMap;

use once_cell::sync::Lazy;

use super::{CellStep, Markane, Position};
use crate::board::{Bitboard, Shape};
use crate::game::{Color, Evaluate, Sides, Weights};

/// Parts of the game, the last one first: by how many tenths of the pits are empty, from each of these numbers on.
const PARTS: [u32; 3] = [4, 6, 8];

/// Each part for a turn that ends with the next placement, unless that captures, and for one that goes on.
const COLUMNS: usize = 2 * (PARTS.len() + 1);

/// So many pits to place in are told apart, less one.
const ROOM: usize = 12;

/// Pits of a shape: one and all around it, in cell order.
const PITS: usize = 9;

/// Ternary numbers with a digit for each pit.
const CODES: usize = 3_usize.pow(PITS as u32);

/// Ways to stand at the edge of the board: in the middle of it, at its beginning and at its end, in both directions.
const EDGES: usize = 9;

/// What a pit of a shape is: empty, own, the enemy's, or off the board.
const PIT: [char; 4] = ['-', 'o', 'e', '#'];

/// The shapes: of equal ones that are turned or mirrored, one stands for all eight.
struct Shapes {
    /// By edge and code, the row.
    rows: Vec<u16>,
    /// By row, the nine pits.
    names: Vec<String>,
}

/// Whether a pit of a shape at an edge is on the board.
fn is_on_board(edge: usize, pit: usize) -> bool {
    let fits = |edge: usize, place: usize| match edge {
        0 => true,
        1 => place > 0,
        _ => place < 2,
    };
    fits(edge / 3, pit % 3) && fits(edge % 3, pit / 3)
}

/// Where the pits of a shape come from when it is turned or mirrored in one of eight ways.
fn turned(way: usize) -> [usize; PITS] {
    std::array::from_fn(|pit| {
        let flip = |place: usize, bit: usize| if way >> bit & 1 == 1 { 2 - place } else { place };
        let (x, y) = (flip(pit % 3, 0), flip(pit / 3, 1));
        if way >> 2 & 1 == 1 { 3 * x + y } else { 3 * y + x }
    })
}

static SHAPES: Lazy<Shapes> = Lazy::new(|| {
    let ways: [[usize; PITS]; 8] = std::array::from_fn(turned);
    let mut shapes = Shapes {
        rows: vec![0; EDGES * CODES],
        names: Vec::new(),
    };
    let mut known = HashMap::new();
    for edge in 0..EDGES {
        let there: Vec<usize> = (0..PITS).filter(|&pit| is_on_board(edge, pit)).collect();
        // What is there runs through all it can be, like the digits of a number.
        for number in 0..3_usize.pow(there.len() as u32) {
            let (mut rest, mut code) = (number, 0);
            let mut pits = [PIT.len() - 1; PITS];
            for &pit in &there {
                pits[pit] = rest % 3;
                code += rest % 3 * 3_usize.pow(pit as u32);
                rest /= 3;
            }
            let digits = |way: &[usize; PITS]| way.iter().fold(0, |sum, &pit| 4 * sum + pits[pit]);
            let least = ways.iter().map(digits).min().unwrap_or(0);
            shapes.rows[edge * CODES + code] = *known.entry(least).or_insert_with(|| {
                let pit = |place| PIT[least >> (2 * (PITS - 1 - place)) & 3];
                shapes.names.push((0..PITS).map(pit).collect());
                shapes.names.len() as u16 - 1
            });
        }
    }
    shapes
});

/// By nine bits, the ternary number that has a digit 1 wherever they have one.
static TERNARY: Lazy<[u16; 1 << PITS]> = Lazy::new(|| {
    let digit = |bits: usize, i: u32| (bits as u16 >> i & 1) * 3_u16.pow(i);
    std::array::from_fn(|bits| (0..PITS as u32).map(|i| digit(bits, i)).sum())
});

/// Rows behind the shapes: pits to place in, of each side and of it alone; placements owed beyond the first; to be
/// the one to move; and behind these, one for each pair of numbers of pits that only one side may place in.
const OTHERS: [&str; 6] = ["own", "enemy", "own.only", "enemy.only", "owed", "move"];

pub(super) static WEIGHTS: Lazy<Weights> = Lazy::new(|| {
    let mut rows = SHAPES.names.clone();
    rows.extend(OTHERS.map(str::to_owned));
    rows.extend((0..ROOM).flat_map(|own| (0..ROOM).map(move |enemy| format!("room.{own}.{enemy}"))));
    Weights::built_in(rows, COLUMNS, include_str!("weights.txt"))
});

/// Where the shape about a pit is on the board.
pub(super) struct Window {
    /// The first pit of each of its ranks that is on the board.
    ranks: [usize; 3],
    /// How many pits of each rank lie before the board.
    skipped: u32,
    /// Its pits that are on the board.
    mask: usize,
    /// Where its edge begins in the table.
    edge: usize,
}

/// The shapes of a board, one about each pit.
pub(super) fn windows(shape: &Shape) -> Vec<Window> {
    let edge = |place: u8, count: u8| match place {
        0 => 1,
        place if place + 1 == count => 2,
        _ => 0,
    };
    let window = |cell| {
        let (x, y) = shape.coordinates(cell);
        let edge = 3 * edge(x, shape.columns()) + edge(y, shape.ranks());
        let is_there = |pit: &usize| {
            let (dx, dy) = ((pit % 3) as i8 - 1, (pit / 3) as i8 - 1);
            // On boards one pit wide, the shape knows of one edge only.
            shape.offset(cell, dx, dy).is_some() && is_on_board(edge, *pit)
        };
        let west = i8::from(x > 0);
        let rank = |dy| shape.offset(cell, -west, dy).map_or(0, |cell| cell.index());
        Window {
            ranks: [-1, 0, 1].map(rank),
            skipped: u32::from(x == 0),
            mask: (0..PITS).filter(is_there).map(|pit| 1 << pit).sum(),
            edge: edge * CODES,
        }
    };
    shape.cells().map(window).collect()
}

impl Window {
    /// Which pits of the shape a set holds, in cell order.
    #[inline(always)]
    fn bits(&self, set: impl Bitboard) -> usize {
        let [low, middle, high] = self.ranks.map(|rank| (set.window(rank) << self.skipped & 7) as usize);
        (low | middle << 3 | high << 6) & self.mask
    }
}

impl<B: Bitboard> Evaluate for Markane<B> {
    fn weights(&self) -> &Weights {
        &self.weights
    }

    fn set_weights(&mut self, weights: Weights) {
        self.weights = weights;
    }

    /// All from the view of the side to move.
    #[inline(always)]
    fn terms(&self, position: &Position<B>, mut add: impl FnMut(usize, i32)) {
        let Sides { own, enemy } = position.stones;
        let sign = if position.side == Color::Black { 1 } else { -1 };
        let all = self.shape.len() as u32;
        let tenths = 10 * (all - (own | enemy).count()) / all;
        let part = PARTS.iter().filter(|&&least| tenths >= least).count();
        let column = 2 * part + usize::from(position.owed > 1);
        let mut add_row = |row: usize, times: i32| add(row * COLUMNS + column, sign * times);
        let (ternary, shapes) = (&*TERNARY, &SHAPES.rows);
        for window in &self.windows {
            let code = ternary[window.bits(own)] + 2 * ternary[window.bits(enemy)];
            add_row(shapes[window.edge + usize::from(code)].into(), 1);
        }
        let mine = self.placements(own, enemy);
        let theirs = self.placements(enemy, own);
        let count = |set: B| set.count() as i32;
        let room = |set: B| (set.count() as usize).min(ROOM - 1);
        add_row(SHAPES.names.len() + OTHERS.len() + room(mine & !theirs) * ROOM + room(theirs & !mine), 1);
        let others = [
            count(mine),
            count(theirs),
            count(mine & !theirs),
            count(theirs & !mine),
            position.owed as i32 - 1,
            1,
        ];
        for (row, times) in (SHAPES.names.len()..).zip(others) {
            add_row(row, times);
        }
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
