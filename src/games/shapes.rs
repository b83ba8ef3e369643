//! The shapes that stones make with the pits around them: what is in nine pits, a pit and all around it.
#![expect(
    clippy::indexing_slicing,
    reason = "tables have an entry for each edge, code, pit and number of six bits"
)]

use std::collections::HashMap;

use once_cell::sync::Lazy;

use crate::board::{Bitboard, Cell, Shape};
use crate::nnue::{Accumulator, Network};

/// Pits of a shape: one and all around it, in cell order.
const PITS: usize = 9;

/// Ternary numbers with a digit for each pit.
const CODES: usize = 3_usize.pow(PITS as u32);

/// Ways to stand at the edge of the board: in the middle of it, at its beginning and at its end, in both directions.
const EDGES: usize = 9;

/// What a pit of a shape is: empty, own, the enemy's, or off the board.
const PIT: [char; 4] = ['-', 'o', 'e', '#'];

/// The shapes: of equal ones that are turned or mirrored, one stands for all eight.
pub(super) struct Shapes {
    /// By edge and code, the row.
    pub(super) rows: Vec<u16>,
    /// By row, the nine pits in cell order.
    pub(super) names: Vec<String>,
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
        let flip = |place: usize, bit: usize| {
            if way >> bit & 1 == 1 {
                2 - place
            } else {
                place
            }
        };
        let (x, y) = (flip(pit % 3, 0), flip(pit / 3, 1));
        if way >> 2 & 1 == 1 {
            3 * x + y
        } else {
            3 * y + x
        }
    })
}

pub(super) static SHAPES: Lazy<Shapes> = Lazy::new(|| {
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

/// By the own stones of three neighbours and the enemy ones, as bits, the ternary number of what is there; in the view
/// of the side to move, and in the other's.
static TRIPLES: [[u16; 2]; 64] = {
    const fn digits(bits: usize) -> u16 {
        (bits & 1) as u16 + 3 * (bits >> 1 & 1) as u16 + 9 * (bits >> 2 & 1) as u16
    }
    let mut table = [[0; 2]; 64];
    let mut bits = 0;
    while bits < table.len() {
        let (own, enemy) = (digits(bits & 7), digits(bits >> 3));
        table[bits] = [own + 2 * enemy, enemy + 2 * own];
        bits += 1;
    }
    table
};

/// What a shape consists of: a ternary number with a digit for each of its pits, 1 for an own stone, 2 for an enemy one.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Code(u16);

impl Code {
    /// The place of a shape with this code in a table by edge and code, where its edge begins there.
    #[inline(always)]
    fn at(self, edge: u32) -> usize {
        edge as usize + usize::from(self.0)
    }
}

/// A shape that a pit belongs to.
struct Part {
    /// The pit in the middle of the shape.
    window: u16,
    /// Where its edge begins in the table.
    edge: u32,
    /// What an own stone in the pit adds to the code.
    digit: u16,
}

/// A shape that at least one of two pits belongs to.
pub(super) struct PartOfTwo {
    /// The pit in the middle of the shape.
    window: u16,
    /// Where its edge begins in the table.
    edge: u32,
    /// What an own stone adds to the code in the one pit, and in the other.
    digits: [i16; 2],
}

impl PartOfTwo {
    /// The code with so many digits more in each of the pits.
    #[inline(always)]
    fn changed(&self, Code(code): Code, more: [i16; 2]) -> Code {
        Code(code.wrapping_add_signed(more[0] * self.digits[0] + more[1] * self.digits[1]))
    }
}

/// The shapes of a board, one about each pit.
pub(super) struct Windows {
    columns: usize,
    /// [`Shapes::rows`].
    rows: &'static [u16],
    /// By the pit in the middle, where its edge begins in the table.
    edges: Vec<u32>,
    /// By pit, the shapes that it belongs to.
    parts: Vec<Vec<Part>>,
}

/// The shapes of a position: their codes from Black's perspective, and from White's.
#[derive(Default)]
pub struct Codes(Vec<[Code; 2]>);

impl Clone for Codes {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }

    #[inline(always)]
    fn clone_from(&mut self, others: &Self) {
        self.0.clone_from(&others.0);
    }
}

/// The digit of a stone, by its colour and the perspective, each 0 for Black.
pub(super) const DIGITS: [[i16; 2]; 2] = [[1, 2], [2, 1]];

impl Windows {
    /// The shapes of a board.
    pub(super) fn new(shape: &Shape) -> Self {
        let edge = |place: u8, count: u8| match place {
            0 => 1,
            place if place + 1 == count => 2,
            _ => 0,
        };
        let mut parts: Vec<Vec<Part>> = shape.cells().map(|_| Vec::new()).collect();
        let mut about = |cell: Cell| {
            let (x, y) = shape.coordinates(cell);
            let edge = 3 * edge(x, shape.columns()) + edge(y, shape.ranks());
            let begin = (edge * CODES) as u32;
            for pit in (0..PITS).filter(|&pit| is_on_board(edge, pit)) {
                let (dx, dy) = ((pit % 3) as i8 - 1, (pit / 3) as i8 - 1);
                // On boards one pit wide, the shape knows of one edge only.
                if let Some(there) = shape.offset(cell, dx, dy) {
                    let digit = 3_u16.pow(pit as u32);
                    let window = cell.index() as u16;
                    parts[there.index()].push(Part {
                        window,
                        edge: begin,
                        digit,
                    });
                }
            }
            begin
        };
        let edges = shape.cells().map(&mut about).collect();
        Self {
            columns: shape.columns().into(),
            rows: &SHAPES.rows,
            edges,
            parts,
        }
    }

    /// Shows the codes of all shapes, from the perspective of the first side and from the other's.
    #[inline(always)]
    fn for_each<B: Bitboard>(&self, own: B, enemy: B, mut show: impl FnMut(u32, [Code; 2])) {
        // Shifted by one, so that the first pit of a rank has a neighbour before it, which is empty.
        let rank = |first: usize| {
            let bits = |set: B| (set.window(first) & ((1 << self.columns) - 1)) << 1;
            if first < self.edges.len() {
                [bits(own), bits(enemy)]
            } else {
                [0; 2]
            }
        };
        let (mut below, mut here) = ([0; 2], rank(0));
        for number in 0..self.edges.len() / self.columns {
            let above = rank((number + 1) * self.columns);
            for x in 0..self.columns {
                let edge = self.edges[number * self.columns + x];
                let triple = |[own, enemy]: [u64; 2]| {
                    TRIPLES[(own >> x & 7 | (enemy >> x & 7) << 3) as usize]
                };
                let ranks = [triple(below), triple(here), triple(above)];
                let code =
                    |view: usize| Code(ranks[0][view] + 27 * ranks[1][view] + 729 * ranks[2][view]);
                show(edge, [code(0), code(1)]);
            }
            (below, here) = (here, above);
        }
    }

    /// Shows the rows of all shapes, for a side with these stones.
    #[inline(always)]
    pub(super) fn rows<B: Bitboard>(&self, own: B, enemy: B, mut show: impl FnMut(u16)) {
        let rows = self.rows;
        self.for_each(own, enemy, |edge, [code, _]| show(rows[code.at(edge)]));
    }

    /// Adds up all shapes for a side with these stones.
    #[inline(always)]
    pub(super) fn refresh<B: Bitboard, const BUCKETS: usize, const NEURONS: usize>(
        &self,
        own: B,
        enemy: B,
        network: &Network<BUCKETS, NEURONS>,
    ) -> Accumulator<BUCKETS, NEURONS> {
        let mut accumulator = network.bias();
        self.rows(own, enemy, |row| accumulator.add(network.feature(row)));
        accumulator
    }

    /// Finds the codes of a position.
    #[inline(always)]
    pub(super) fn read<B: Bitboard>(&self, [black, white]: [B; 2], codes: &mut Codes) {
        codes.0.resize(self.edges.len(), Default::default());
        let mut places = codes.0.iter_mut();
        self.for_each(black, white, |_, both| {
            if let Some(place) = places.next() {
                *place = both;
            }
        });
    }

    /// Adds up all shapes with these codes.
    #[inline(always)]
    pub(super) fn refresh_from<const BUCKETS: usize, const NEURONS: usize>(
        &self,
        codes: &Codes,
        perspective: usize,
        network: &Network<BUCKETS, NEURONS>,
    ) -> Accumulator<BUCKETS, NEURONS> {
        let rows = self.rows;
        let mut accumulator = network.bias();
        for window in 0..self.edges.len() {
            let code = codes.0[window][perspective];
            accumulator.add(network.feature(rows[code.at(self.edges[window])]));
        }
        accumulator
    }

    /// Adds so many times a stone of a colour in a pit to the codes.
    #[inline(always)]
    pub(super) fn change(&self, codes: &mut Codes, cell: Cell, color: usize, times: i16) {
        for part in &self.parts[cell.index()] {
            let codes = &mut codes.0[usize::from(part.window)];
            for perspective in 0..codes.len() {
                let Code(code) = &mut codes[perspective];
                let digits = times * DIGITS[color][perspective];
                *code = code.wrapping_add_signed(digits * part.digit as i16);
            }
        }
    }

    /// Updates an accumulator for so many more digits in a pit than the codes say.
    #[inline(always)]
    pub(super) fn exchange<const BUCKETS: usize, const NEURONS: usize>(
        &self,
        accumulator: &mut Accumulator<BUCKETS, NEURONS>,
        codes: &Codes,
        cell: Cell,
        perspective: usize,
        digits: i16,
        network: &Network<BUCKETS, NEURONS>,
    ) {
        let rows = self.rows;
        for part in &self.parts[cell.index()] {
            let gone = codes.0[usize::from(part.window)][perspective];
            let come = Code(gone.0.wrapping_add_signed(digits * part.digit as i16));
            accumulator.exchange(
                network.feature(rows[gone.at(part.edge)]),
                network.feature(rows[come.at(part.edge)]),
            );
        }
    }

    /// The shapes that two pits belong to.
    pub(super) fn parts_of_two(&self, pits: [Cell; 2]) -> Vec<PartOfTwo> {
        let mut all: Vec<PartOfTwo> = Vec::new();
        for (place, pit) in pits.into_iter().enumerate() {
            for part in &self.parts[pit.index()] {
                let (window, edge) = (part.window, part.edge);
                let known = all.iter().position(|part| part.window == window);
                let known = known.unwrap_or_else(|| {
                    let digits = [0; 2];
                    all.push(PartOfTwo {
                        window,
                        edge,
                        digits,
                    });
                    all.len() - 1
                });
                all[known].digits[place] = part.digit.cast_signed();
            }
        }
        all
    }

    /// Adds so many digits in each of two pits to the codes, by perspective.
    #[inline(always)]
    pub(super) fn change_two(codes: &mut Codes, parts: &[PartOfTwo], more: [[i16; 2]; 2]) {
        for part in parts {
            let codes = &mut codes.0[usize::from(part.window)];
            for perspective in 0..codes.len() {
                codes[perspective] = part.changed(codes[perspective], more[perspective]);
            }
        }
    }

    /// Updates an accumulator for so many more digits in each of two pits than the codes say.
    #[inline(always)]
    pub(super) fn exchange_two<const BUCKETS: usize, const NEURONS: usize>(
        &self,
        accumulator: &mut Accumulator<BUCKETS, NEURONS>,
        codes: &Codes,
        parts: &[PartOfTwo],
        perspective: usize,
        more: [i16; 2],
        network: &Network<BUCKETS, NEURONS>,
    ) {
        let rows = self.rows;
        for part in parts {
            let gone = codes.0[usize::from(part.window)][perspective];
            let come = part.changed(gone, more);
            accumulator.exchange(
                network.feature(rows[gone.at(part.edge)]),
                network.feature(rows[come.at(part.edge)]),
            );
        }
    }
}
