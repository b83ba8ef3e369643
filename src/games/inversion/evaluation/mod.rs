//! What a player of Inversion would look at before counting variations.
//!
//! A stone counts in the end if no open hex can take it away any more; until then its fate is that of the hexes around it,
//! each of which will go to whoever is the minority when it is full.

#![expect(
    clippy::indexing_slicing,
    reason = "tables have an entry for each pattern, cell and hex"
)]

pub mod hexes;
mod network;
mod state;

use std::ops::RangeInclusive;

use once_cell::sync::{Lazy, OnceCell};

use super::{Inversion, Order, Position};
use crate::board::{Bitboard, Pext};
use crate::nnue::{Features as _, Layer, Weights};
use crate::rules::{Color, Evaluate, ProofCost, Sides};
use hexes::{Counts, FATES, HEX, Hex};
pub(super) use hexes::{Part, Window, parts, windows};
use network::Located;

/// Parts of the game, by how many cells are empty at most; what has more is one part more.
const PARTS: [u32; 7] = [4, 8, 12, 18, 25, 34, 44];

/// An output bucket for each part, for an even number of empty cells and for an odd one: who places last matters.
const BUCKETS: usize = 2 * (PARTS.len() + 1);

/// So many kinds of open hexes are told apart in it: by their empty cells and their own stones.
const FATE_KINDS: usize = HEX * (HEX + 1);

/// The digits of the pattern of a hex: ternary numbers with a digit for each cell, in cell order.
const DIGITS: [char; 3] = ['-', 'o', 'e'];

/// The patterns of a hex: of equal ones that are turned or mirrored, the least stands for all twelve.
struct Patterns {
    /// By pattern, its row.
    rows: Vec<u16>,
    /// By row, the centre and the cells around it: `-` empty, `o` own, `e` enemy.
    names: Vec<String>,
}

static PATTERNS: Lazy<Patterns> = Lazy::new(|| {
    // The cells around the centre, which is cell 3, from one to the next.
    const RING: [usize; HEX - 1] = [0, 1, 4, 6, 5, 2];
    const CENTRE: usize = 3;
    let digit = |pattern: usize, cell: usize| pattern / 3_usize.pow(cell as u32) % 3;
    let turned = |pattern: usize, way: usize| -> usize {
        let from = |i: usize| {
            if way < 6 {
                (i + way) % 6
            } else {
                (way - i) % 6
            }
        };
        let ring = (0..6).map(|i| digit(pattern, RING[from(i)]) * 3_usize.pow(RING[i] as u32));
        ring.sum::<usize>() + digit(pattern, CENTRE) * 3_usize.pow(CENTRE as u32)
    };
    let mut patterns = Patterns {
        rows: Vec::new(),
        names: Vec::new(),
    };
    for pattern in 0..3_usize.pow(HEX as u32) {
        let least = (0..12)
            .map(|way| turned(pattern, way))
            .min()
            .unwrap_or(pattern);
        let row = match patterns.rows.get(least) {
            Some(row) => *row,
            None => {
                let name = |cell: usize| DIGITS[digit(pattern, cell)];
                let ring: String = RING.iter().map(|&cell| name(cell)).collect();
                patterns.names.push(format!("hex.{}.{ring}", name(CENTRE)));
                patterns.names.len() as u16 - 1
            }
        };
        patterns.rows.push(row);
    }
    patterns
});

/// Where kinds of rows begin: behind what only feeds neurons, the patterns; hexes to be inverted by their own stones; own and
/// enemy stones by the open hexes over them; cells by the open hexes over them, and by the empty cells and own stones of each
/// such hex.
struct Rows {
    patterns: usize,
    pending: usize,
    covered: usize,
    fate: usize,
    to_move: usize,
    komi: usize,
}

impl Rows {
    /// The first of the rows for a hex with so many empty cells and own stones: one for each number of open hexes
    /// over a cell.
    fn fates(&self, empty: u8, own: u8) -> usize {
        let kind = usize::from(empty - 1) * (HEX + 1) + usize::from(own);
        self.fate + kind
    }

    fn of(weights: &Weights) -> Self {
        let patterns = weights.layer().only;
        let pending = patterns + PATTERNS.names.len();
        let covered = pending + HEX + 1;
        let fate = covered + 2 * (HEX + 1);
        let to_move = fate + FATES * FATE_KINDS;
        Self {
            patterns,
            pending,
            covered,
            fate,
            to_move,
            komi: to_move + 1,
        }
    }
}

/// The weights of one output bucket as a search reads them, in the order in which it needs them.
pub(super) struct Bucket {
    /// Which one it is.
    number: usize,
    /// By the code of a hex.
    patterns: Vec<i16>,
    /// By how many cells of an open hex are empty, and how many hold own stones: what a cell of it under one open hex,
    /// under two and under three counts.
    fates: [[[i32; FATES]; HEX + 1]; HEX + 1],
    /// By how many open hexes lie over it, an own stone and an enemy one.
    stones: [[i32; 2]; HEX + 1],
    /// By its own stones, a hex that is to be inverted.
    pending: [i32; HEX + 1],
    to_move: i32,
    komi: i32,
}

impl Bucket {
    /// All buckets of a table of weights.
    pub(super) fn all(weights: &Weights) -> Vec<Self> {
        (0..BUCKETS)
            .map(|bucket| Self::new(weights, bucket))
            .collect()
    }

    fn new(weights: &Weights, bucket: usize) -> Self {
        let rows = Rows::of(weights);
        let value = |row: usize| weights.at(row, bucket);
        let fates = |empty: usize, own: usize| -> [i32; FATES] {
            let first = rows.fates(empty as u8, own as u8);
            std::array::from_fn(|open| value(first + open * FATE_KINDS))
        };
        Self {
            number: bucket,
            patterns: PATTERNS
                .rows
                .iter()
                .map(|&row| value(rows.patterns + usize::from(row)) as i16)
                .collect(),
            fates: std::array::from_fn(|empty| match empty {
                // No open hex is full.
                0 => [[0; FATES]; HEX + 1],
                _ => std::array::from_fn(|own| fates(empty, own)),
            }),
            stones: std::array::from_fn(|open| {
                [0, 1].map(|who| value(rows.covered + 2 * open + who))
            }),
            pending: std::array::from_fn(|own| value(rows.pending + own)),
            to_move: value(rows.to_move),
            komi: value(rows.komi),
        }
    }

    /// The value of a hex by its pattern.
    #[inline(always)]
    fn pattern(&self, code: u16) -> i32 {
        self.patterns[usize::from(code)].into()
    }

    /// The value of a hex.
    #[inline(always)]
    fn value(&self, hex: &Hex) -> i32 {
        self.pattern(hex.code) + self.fates(hex, hex.empty)
    }

    /// The value of the cells of a hex that is open or full, with so many empty ones.
    #[inline(always)]
    fn fates(&self, hex: &Hex, empty: u8) -> i32 {
        let fates = &self.fates[usize::from(empty)][usize::from(hex.own)];
        let mut value = 0;
        for open in 0..FATES {
            value += fates[open] * i32::from(hex.covered[open]);
        }
        value
    }
}

/// Cells a side of the boards with a table of their own. Smaller ones take the first, and larger ones the last.
const SIDES: RangeInclusive<u8> = 3..=7;
const BOARDS: usize = (*SIDES.end() - *SIDES.start() + 1) as usize;

/// Cells a side of the boards whose tables have a network, which fits no other board.
const NETWORKS: RangeInclusive<u8> = 4..=6;

// The first table and the last are those of other boards, too.
const _: () = assert!(*SIDES.start() < *NETWORKS.start() && *NETWORKS.end() < *SIDES.end());

/// By order, the tables of these boards: who says in what order hexes are inverted changes what they are worth, and so does
/// how much of the board is edge.
const TABLES: [[&[u8]; BOARDS]; 3] = [
    [
        include_bytes!("../weights/mover-3.net"),
        include_bytes!("../weights/mover-4.net"),
        include_bytes!("../weights/mover-5.net"),
        include_bytes!("../weights/mover-6.net"),
        include_bytes!("../weights/mover-7.net"),
    ],
    [
        include_bytes!("../weights/alternate-3.net"),
        include_bytes!("../weights/alternate-4.net"),
        include_bytes!("../weights/alternate-5.net"),
        include_bytes!("../weights/alternate-6.net"),
        include_bytes!("../weights/alternate-7.net"),
    ],
    [
        include_bytes!("../weights/single-3.net"),
        include_bytes!("../weights/single-4.net"),
        include_bytes!("../weights/single-5.net"),
        include_bytes!("../weights/single-6.net"),
        include_bytes!("../weights/single-7.net"),
    ],
];

/// The names of the rows.
static NAMES: Lazy<Vec<String>> = Lazy::new(|| {
    let mut rows = PATTERNS.names.clone();
    rows.extend((0..=HEX).map(|own| format!("pending.{own}")));
    rows.extend((0..=HEX).flat_map(|open| ["own", "enemy"].map(|who| format!("{who}.{open}"))));
    for open in 1..=FATES {
        for empty in 1..=HEX {
            rows.extend((0..=HEX).map(|own| format!("fate.{open}.{empty}.{own}")));
        }
    }
    rows.extend(["move", "komi"].map(str::to_owned));
    rows
});

/// The weights as a search reads them.
pub struct Parameters {
    buckets: Vec<Bucket>,
    located: Option<Located>,
}

impl Hex {
    #[inline(always)]
    fn terms(&self, rows: &Rows, mut add: impl FnMut(usize, i32)) {
        add(
            rows.patterns + usize::from(PATTERNS.rows[usize::from(self.code)]),
            1,
        );
        if self.empty > 0 {
            let first = rows.fates(self.empty, self.own);
            for (open, cells) in self.covered.into_iter().enumerate() {
                add(first + open * FATE_KINDS, cells.into());
            }
        }
    }
}

impl<B: Bitboard> Inversion<B> {
    /// The weights with which the order is played on a board of this size.
    fn own_weights(&self) -> Weights {
        static READ: [[OnceCell<Weights>; BOARDS]; 3] =
            [const { [const { OnceCell::new() }; BOARDS] }; 3];
        let (order, name) = match self.order {
            Order::Mover => (0, "mover"),
            Order::Alternate => (1, "alternate"),
            Order::Single => (2, "single"),
        };
        let side = self.variant.size().dimensions().0.div_ceil(2);
        let board = usize::from(side.clamp(*SIDES.start(), *SIDES.end()) - SIDES.start());
        let file = TABLES[order][board];
        let purpose = format!(
            "inversion, order={name}, {} cells a side",
            board + usize::from(*SIDES.start())
        );
        let read = || {
            if NETWORKS.contains(&side) {
                network::table(&self.shape, &self.windows, &NAMES, (&purpose, file))
            } else {
                Weights::built_in(NAMES.clone(), BUCKETS, Layer::default(), &purpose, file)
            }
        };
        READ[order][board].get_or_init(read).clone()
    }

    /// The output bucket where these cells are occupied.
    #[inline(always)]
    fn bucket(&self, occupied: B) -> usize {
        let left = (self.cells & !occupied).count();
        let mut part = 0;
        for &most in &PARTS {
            part += usize::from(left > most);
        }
        2 * part + (left % 2) as usize
    }

    /// Over each cell, how many hexes have empty cells or are still to be inverted.
    #[inline(always)]
    fn covers(&self, occupied: B, pending: B) -> Counts<B> {
        let mut covers = Counts::NONE;
        for window in &self.windows {
            if !(window.cells & !occupied).is_empty() || pending.has(window.centre) {
                covers.add(window.cells);
            }
        }
        covers
    }

    /// Shows every hex by its number.
    #[inline(always)]
    fn hexes(&self, own: B, enemy: B, covers: &Counts<B>, mut show: impl FnMut(usize, Hex)) {
        let pext = Pext::detect();
        let covered = covers.fates();
        for number in 0..self.windows.len() {
            show(number, self.windows[number].hex(own, enemy, covered, pext));
        }
    }

    /// Stones by the open hexes over them.
    #[inline(always)]
    fn stone_terms(
        &self,
        own: B,
        enemy: B,
        covers: &Counts<B>,
        rows: &Rows,
        mut add: impl FnMut(usize, i32),
    ) {
        for open in 0..=HEX {
            let covered = covers.equal(open);
            add(rows.covered + 2 * open, (own & covered).count() as i32);
            add(
                rows.covered + 2 * open + 1,
                (enemy & covered).count() as i32,
            );
        }
    }

    /// The value of stones, the komi and being the one to move.
    #[inline(always)]
    fn rest_of_sum(
        &self,
        bucket: &Bucket,
        side: Color,
        own: B,
        enemy: B,
        covers: &Counts<B>,
    ) -> i32 {
        let mut value = bucket.to_move + bucket.komi * self.komi_of(side);
        for open in 0..bucket.stones.len() {
            let (covered, [mine, theirs]) = (covers.equal(open), bucket.stones[open]);
            value +=
                mine * (own & covered).count() as i32 + theirs * (enemy & covered).count() as i32;
        }
        value
    }

    /// The komi from the view of a side.
    #[inline(always)]
    fn komi_of(&self, side: Color) -> i32 {
        if side == Color::Black {
            self.komi.0
        } else {
            -self.komi.0
        }
    }
}

impl<B: Bitboard> Evaluate for Inversion<B> {
    /// By endings of the default variant.
    const PROOF_COST: Option<ProofCost> = Some(ProofCost {
        nodes: 80.0,
        growth: 2.2,
        speed: 4.0,
        max_unordered_moves: 4,
        min_probe_moves: 7,
    });

    fn weights(&self) -> &Weights {
        self.weights.weights(|| self.own_weights())
    }

    fn set_weights(&mut self, weights: Weights) {
        self.weights.set(weights);
    }

    /// Clear wins count more than narrow ones: how many stones it was says more than who won.
    fn training_target(&self, end: &Position<B>) -> f64 {
        /// So many stones more make the odds e times as good.
        const STONES: f64 = 4.0;
        let lead = -f64::from(self.lead_of_white(end)) / 2.0;
        1.0 / (1.0 + libm::exp(-lead / STONES))
    }

    #[inline(always)]
    fn moves_left(&self, position: &Position<B>) -> Option<u32> {
        let [black, white] = position.stones;
        Some((self.cells & !(black | white)).count())
    }

    /// All from the view of the side to move.
    #[inline(always)]
    fn terms(&self, position: &Position<B>, mut add: impl FnMut(usize, usize, i32)) {
        let Sides { own, enemy } = Sides::new(position.stones, position.side);
        let bucket = self.bucket(own | enemy);
        let mut add_row = |row: usize, times: i32| add(row, bucket, times);
        let rows = Rows::of(self.weights());
        let located = &self.parameters().located;
        let covers = self.covers(own | enemy, position.pending);
        self.hexes(own, enemy, &covers, |number, hex| {
            hex.terms(&rows, &mut add_row);
            if let Some(located) = located {
                add_row(located.hex(number, hex.code).into(), 1);
            }
        });
        if let Some(located) = located {
            located.cells(Sides { own, enemy }, position.pending, |row| {
                add_row(row.into(), 1)
            });
        }
        for centre in position.pending.cells() {
            let stones = self.hexes[centre.index()].map_or(0, |hex| (hex & own).count());
            add_row(rows.pending + stones as usize, 1);
        }
        self.stone_terms(own, enemy, &covers, &rows, &mut add_row);
        add_row(rows.to_move, 1);
        add_row(rows.komi, self.komi_of(position.side));
    }

    #[inline(always)]
    fn evaluate(&self, position: &Position<B>) -> i32 {
        let Sides { own, enemy } = Sides::new(position.stones, position.side);
        let Parameters { buckets, located } = self.parameters();
        let bucket = &buckets[self.bucket(own | enemy)];
        let covers = self.covers(own | enemy, position.pending);
        let mut value = self.rest_of_sum(bucket, position.side, own, enemy, &covers);
        let refresh_cells =
            |located: &Located| located.refresh_cells(Sides { own, enemy }, position.pending);
        let mut accumulator = located.as_ref().map(refresh_cells);
        self.hexes(
            own,
            enemy,
            &covers,
            #[inline(always)]
            |number, hex| {
                value += bucket.value(&hex);
                if let (Some(located), Some(accumulator)) = (located, &mut accumulator) {
                    located.add_hex(accumulator, number, hex.code);
                }
            },
        );
        if let (Some(located), Some(accumulator)) = (located, &accumulator) {
            value += located.output(accumulator, bucket.number);
        }
        for centre in position.pending.cells() {
            let stones = self.hexes[centre.index()].map_or(0, |hex| (hex & own).count());
            value += bucket.pending[stones as usize % (HEX + 1)];
        }
        value
    }
}
