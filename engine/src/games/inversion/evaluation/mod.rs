//! The evaluation of Inversion: hexes by their patterns, and cells by the open hexes over them.
//!
//! An open hex has empty cells or is pending. A full hex goes to the side with fewer stones in it, so the owner of a
//! cell is settled only when no open hex lies over it. Until then its chances (`fate`) depend on these hexes.
#![expect(clippy::indexing_slicing, reason = "tables have an entry for each pattern, cell and hex")]

pub mod hexes;
mod network;
mod state;

use std::ops::RangeInclusive;

use once_cell::sync::{Lazy, OnceCell};

use super::{Inversion, Order, Position};
use crate::board::{Bitboard, Pext};
use crate::nnue::{Features as _, HiddenLayers, Weights};
use crate::rules::{Color, Evaluate, ProofCost, Sides};
pub(super) use hexes::{BoardHex, Membership, board_hexes, memberships};
use hexes::{CellCounts, FATES, HEX, HexContents};
use network::BoardNetwork;

/// Bounds between the phases of the game, the last phase first: empty cells at most. More is one phase more.
const PHASES: [u32; 7] = [4, 8, 12, 18, 25, 34, 44];

/// Number of output buckets: two in each phase of the game.
///
/// They tell whether the number of empty cells is even or odd, and so who places last.
const BUCKETS: usize = 2 * (PHASES.len() + 1);

/// Number of kinds of open hexes in `fate` features, by empty cells and own stones.
const FATE_KINDS: usize = HEX * (HEX + 1);

/// Contents of a cell in the name of a feature, by the digit in a pattern code: empty, own, the enemy's.
const CONTENTS: [char; 3] = ['-', 'o', 'e'];

/// Features of all patterns of a hex; the twelve symmetries of a pattern are one feature.
struct PatternTable {
    /// By pattern code, the feature, counted from the first pattern.
    features: Vec<u16>,
    /// By feature, its name: the contents of the center and of the cells around it.
    names: Vec<String>,
}

static PATTERNS: Lazy<PatternTable> = Lazy::new(|| {
    // The cells around the center, in circular order.
    const RING: [usize; HEX - 1] = [0, 1, 4, 6, 5, 2];
    const CENTER: usize = 3;
    let digit = |code: usize, cell: usize| code / 3_usize.pow(cell as u32) % 3;
    let transformed = |code: usize, symmetry: usize| -> usize {
        let from = |i: usize| {
            if symmetry < 6 { (i + symmetry) % 6 } else { (symmetry - i) % 6 }
        };
        let ring = (0..6).map(|i| digit(code, RING[from(i)]) * 3_usize.pow(RING[i] as u32));
        ring.sum::<usize>() + digit(code, CENTER) * 3_usize.pow(CENTER as u32)
    };
    let mut table = PatternTable { features: Vec::new(), names: Vec::new() };
    for code in 0..3_usize.pow(HEX as u32) {
        let canonical = (0..12).map(|symmetry| transformed(code, symmetry)).min().unwrap_or(code);
        let feature = match table.features.get(canonical) {
            Some(feature) => *feature,
            None => {
                let symbol = |cell: usize| CONTENTS[digit(code, cell)];
                let ring: String = RING.iter().map(|&cell| symbol(cell)).collect();
                table.names.push(format!("hex.{}.{ring}", symbol(CENTER)));
                table.names.len() as u16 - 1
            }
        };
        table.features.push(feature);
    }
    table
});

/// First feature of each kind. The kinds follow the features that feed neurons alone.
struct FirstFeatures {
    /// Hexes by pattern.
    patterns: usize,
    /// Pending hexes by own stones.
    pending: usize,
    /// Own and enemy stones by the number of open hexes over them.
    covered: usize,
    /// Cells of open hexes, by open hexes over the cell, and by empty cells and own stones of the hex.
    fate: usize,
    /// Side to move, which is always 1.
    to_move: usize,
    /// Komi from the perspective of the side to move.
    komi: usize,
}

impl FirstFeatures {
    /// Returns the first `fate` feature of hexes with these numbers of empty cells and own stones.
    ///
    /// Those for more open hexes over a cell follow at intervals of [`FATE_KINDS`].
    fn fates(&self, empty: u8, own: u8) -> usize {
        let kind = usize::from(empty - 1) * (HEX + 1) + usize::from(own);
        self.fate + kind
    }

    fn of(weights: &Weights) -> Self {
        let patterns = weights.layers().neuron_only;
        let pending = patterns + PATTERNS.names.len();
        let covered = pending + HEX + 1;
        let fate = covered + 2 * (HEX + 1);
        let to_move = fate + FATES * FATE_KINDS;
        Self { patterns, pending, covered, fate, to_move, komi: to_move + 1 }
    }
}

/// Weights of one output bucket in the layout that a search reads.
pub(super) struct Bucket {
    /// Number of the output bucket.
    number: usize,
    /// By pattern code.
    patterns: Vec<i16>,
    /// By empty cells and own stones of an open hex, the weights of its cells under one open hex, two and three.
    fates: [[[i32; FATES]; HEX + 1]; HEX + 1],
    /// By the number of open hexes over it, the weights of an own stone and of an enemy one.
    stones: [[i32; 2]; HEX + 1],
    /// By its number of own stones, the weight of a pending hex.
    pending: [i32; HEX + 1],
    to_move: i32,
    komi: i32,
}

impl Bucket {
    /// Returns all output buckets of a table of weights.
    pub(super) fn all(weights: &Weights) -> Vec<Self> {
        (0..BUCKETS).map(|bucket| Self::new(weights, bucket)).collect()
    }

    fn new(weights: &Weights, bucket: usize) -> Self {
        let first = FirstFeatures::of(weights);
        let value = |feature: usize| weights.weight(feature, bucket);
        let fates = |empty: usize, own: usize| -> [i32; FATES] {
            let fate = first.fates(empty as u8, own as u8);
            std::array::from_fn(|open| value(fate + open * FATE_KINDS))
        };
        Self {
            number: bucket,
            patterns: PATTERNS
                .features
                .iter()
                .map(|&feature| value(first.patterns + usize::from(feature)) as i16)
                .collect(),
            fates: std::array::from_fn(|empty| match empty {
                // A hex without empty cells is not open.
                0 => [[0; FATES]; HEX + 1],
                _ => std::array::from_fn(|own| fates(empty, own)),
            }),
            stones: std::array::from_fn(|open| [0, 1].map(|who| value(first.covered + 2 * open + who))),
            pending: std::array::from_fn(|own| value(first.pending + own)),
            to_move: value(first.to_move),
            komi: value(first.komi),
        }
    }

    /// Returns the value of a pattern.
    #[inline(always)]
    fn pattern(&self, code: u16) -> i32 {
        self.patterns[usize::from(code)].into()
    }

    /// Returns the value of a hex and its cells.
    #[inline(always)]
    fn value(&self, hex: &HexContents) -> i32 {
        self.pattern(hex.code) + self.fates(hex, hex.empty)
    }

    /// Returns the value of the cells of a hex if it had this number of empty cells; 0 if it were full.
    #[inline(always)]
    fn fates(&self, hex: &HexContents, empty: u8) -> i32 {
        let fates = &self.fates[usize::from(empty)][usize::from(hex.own)];
        let mut value = 0;
        for open in 0..FATES {
            value += fates[open] * i32::from(hex.covered[open]);
        }
        value
    }
}

/// Sizes, in cells a side, of the boards with a table. Smaller boards use the first table, larger ones the last.
const SIDES: RangeInclusive<u8> = 3..=7;
const BOARDS: usize = (*SIDES.end() - *SIDES.start() + 1) as usize;

/// Sizes, in cells a side, of the boards whose table has a network. A network fits one board alone.
const NETWORKS: RangeInclusive<u8> = 4..=6;

// Other boards use the first table and the last, so these must not have a network.
const _: () = assert!(*SIDES.start() < *NETWORKS.start() && *NETWORKS.end() < *SIDES.end());

/// By the variant's `order` and by size, the packed weights.
///
/// The value of hexes depends on who chooses the order of inversions, and on the share of the board that is edge.
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

/// Names of the features of the sum.
static NAMES: Lazy<Vec<String>> = Lazy::new(|| {
    let mut names = PATTERNS.names.clone();
    names.extend((0..=HEX).map(|own| format!("pending.{own}")));
    names.extend((0..=HEX).flat_map(|open| ["own", "enemy"].map(|who| format!("{who}.{open}"))));
    for open in 1..=FATES {
        for empty in 1..=HEX {
            names.extend((0..=HEX).map(|own| format!("fate.{open}.{empty}.{own}")));
        }
    }
    names.extend(["move", "komi"].map(str::to_owned));
    names
});

/// Weights in the layout that a search reads.
pub struct Parameters {
    buckets: Vec<Bucket>,
    board_network: Option<BoardNetwork>,
}

impl HexContents {
    /// Visits the features of the hex and of its cells, with their counts.
    #[inline(always)]
    fn terms(&self, first: &FirstFeatures, mut add: impl FnMut(usize, i32)) {
        let pattern = PATTERNS.features[usize::from(self.code)];
        add(first.patterns + usize::from(pattern), 1);
        if self.empty > 0 {
            let fate = first.fates(self.empty, self.own);
            for (open, cells) in self.covered.into_iter().enumerate() {
                add(fate + open * FATE_KINDS, cells.into());
            }
        }
    }
}

impl<B: Bitboard> Inversion<B> {
    /// Returns the built-in weights for the variant's `order` and size.
    fn built_in_weights(&self) -> Weights {
        static WEIGHTS: [[OnceCell<Weights>; BOARDS]; 3] = [const { [const { OnceCell::new() }; BOARDS] }; 3];
        let (order, name) = match self.order {
            Order::Mover => (0, "mover"),
            Order::Alternate => (1, "alternate"),
            Order::Single => (2, "single"),
        };
        let side = self.shape.columns().div_ceil(2);
        let board = usize::from(side.clamp(*SIDES.start(), *SIDES.end()) - SIDES.start());
        let file = TABLES[order][board];
        let purpose = format!("inversion, order={name}, {} cells a side", board + usize::from(*SIDES.start()));
        let unpack = || {
            if NETWORKS.contains(&side) {
                network::table(&self.shape, &self.board_hexes, &NAMES, (&purpose, file))
            } else {
                Weights::built_in(NAMES.clone(), BUCKETS, HiddenLayers::default(), &purpose, file)
            }
        };
        WEIGHTS[order][board].get_or_init(unpack).clone()
    }

    /// Returns the output bucket of a position with these occupied cells.
    #[inline(always)]
    fn bucket(&self, occupied: B) -> usize {
        let empty = (self.cells & !occupied).count();
        let mut phase = 0;
        for &bound in &PHASES {
            phase += usize::from(empty > bound);
        }
        2 * phase + (empty % 2) as usize
    }

    /// Returns, by cell, the number of open hexes over it.
    #[inline(always)]
    fn covers(&self, occupied: B, pending: B) -> CellCounts<B> {
        let mut covers = CellCounts::ZERO;
        for hex in &self.board_hexes {
            if !(hex.cells & !occupied).is_empty() || pending.has(hex.center) {
                covers.add(hex.cells);
            }
        }
        covers
    }

    /// Visits every hex, by its number, with its contents.
    #[inline(always)]
    fn for_each_hex(&self, own: B, enemy: B, covers: &CellCounts<B>, mut visit: impl FnMut(usize, HexContents)) {
        let pext = Pext::detect();
        let covered = covers.one_to_three();
        for number in 0..self.board_hexes.len() {
            visit(number, self.board_hexes[number].contents(own, enemy, covered, pext));
        }
    }

    /// Visits the features of stones, with their counts.
    #[inline(always)]
    fn stone_terms(
        &self,
        own: B,
        enemy: B,
        covers: &CellCounts<B>,
        first: &FirstFeatures,
        mut add: impl FnMut(usize, i32),
    ) {
        for open in 0..=HEX {
            let covered = covers.equal(open);
            add(first.covered + 2 * open, (own & covered).count() as i32);
            add(first.covered + 2 * open + 1, (enemy & covered).count() as i32);
        }
    }

    /// Returns the value of the stones, the komi and the side to move.
    #[inline(always)]
    fn other_sum(&self, bucket: &Bucket, side: Color, own: B, enemy: B, covers: &CellCounts<B>) -> i32 {
        let mut value = bucket.to_move + bucket.komi * self.komi_of(side);
        for open in 0..bucket.stones.len() {
            let (covered, [own_weight, enemy_weight]) = (covers.equal(open), bucket.stones[open]);
            value += own_weight * (own & covered).count() as i32 + enemy_weight * (enemy & covered).count() as i32;
        }
        value
    }

    /// Returns the komi from the perspective of a side.
    #[inline(always)]
    fn komi_of(&self, side: Color) -> i32 {
        if side == Color::Black { self.komi.0 } else { -self.komi.0 }
    }
}

impl<B: Bitboard> Evaluate for Inversion<B> {
    /// Measured in endings of the default variant.
    const PROOF_COST: Option<ProofCost> =
        Some(ProofCost { nodes: 80.0, growth: 2.2, speed: 4.0, max_unordered_moves: 4, min_probe_moves: 7 });

    fn weights(&self) -> &Weights {
        self.weights.weights(|| self.built_in_weights())
    }

    fn set_weights(&mut self, weights: Weights) {
        self.weights.set(weights);
    }

    /// Returns the value of a finished game for Black, from 0 to 1, by the lead in stones.
    ///
    /// The lead says more about the play than the winner alone.
    fn training_target(&self, end: &Position<B>) -> f64 {
        /// Lead in stones that stands for one unit of log-odds.
        const STONES: f64 = 4.0;
        let lead = -f64::from(self.lead_of_white(end)) / 2.0;
        1.0 / (1.0 + libm::exp(-lead / STONES))
    }

    #[inline(always)]
    fn moves_left(&self, position: &Position<B>) -> Option<u32> {
        let [black, white] = position.stones;
        Some((self.cells & !(black | white)).count())
    }

    #[inline(always)]
    fn terms(&self, position: &Position<B>, mut add: impl FnMut(usize, usize, i32)) {
        let Sides { own, enemy } = Sides::new(position.stones, position.side);
        let bucket = self.bucket(own | enemy);
        let mut add = |feature: usize, count: i32| add(feature, bucket, count);
        let first = FirstFeatures::of(self.weights());
        let network = &self.parameters().board_network;
        let covers = self.covers(own | enemy, position.pending);
        self.for_each_hex(own, enemy, &covers, |number, hex| {
            hex.terms(&first, &mut add);
            if let Some(network) = network {
                add(network.hex(number, hex.code).into(), 1);
            }
        });
        if let Some(network) = network {
            network.for_each_cell(Sides { own, enemy }, position.pending, |feature| add(feature.into(), 1));
        }
        for center in position.pending.cells() {
            let stones = self.hexes[center.index()].map_or(0, |hex| (hex & own).count());
            add(first.pending + stones as usize, 1);
        }
        self.stone_terms(own, enemy, &covers, &first, &mut add);
        add(first.to_move, 1);
        add(first.komi, self.komi_of(position.side));
    }

    #[inline(always)]
    fn evaluate(&self, position: &Position<B>) -> i32 {
        let Sides { own, enemy } = Sides::new(position.stones, position.side);
        let Parameters { buckets, board_network: network } = self.parameters();
        let bucket = &buckets[self.bucket(own | enemy)];
        let covers = self.covers(own | enemy, position.pending);
        let mut value = self.other_sum(bucket, position.side, own, enemy, &covers);
        let refresh_cells = |network: &BoardNetwork| network.refresh_cells(Sides { own, enemy }, position.pending);
        let mut accumulator = network.as_ref().map(refresh_cells);
        self.for_each_hex(
            own,
            enemy,
            &covers,
            #[inline(always)]
            |number, hex| {
                value += bucket.value(&hex);
                if let (Some(network), Some(accumulator)) = (network, &mut accumulator) {
                    network.add_hex(accumulator, number, hex.code);
                }
            },
        );
        if let (Some(network), Some(accumulator)) = (network, &accumulator) {
            value += network.output(accumulator, bucket.number);
        }
        for center in position.pending.cells() {
            let stones = self.hexes[center.index()].map_or(0, |hex| (hex & own).count());
            value += bucket.pending[stones as usize % (HEX + 1)];
        }
        value
    }
}
