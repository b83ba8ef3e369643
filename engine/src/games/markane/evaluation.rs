//! The evaluation of Markane: 3x3 patterns, lines, and the pits in which each side may place.
#![expect(
    clippy::indexing_slicing,
    reason = "tables have an entry for each color, perspective, number of pits and output bucket"
)]

use std::sync::Arc;

use once_cell::sync::Lazy;

use super::lines::{self, LINES, LineCodes, LineFeatures};
use super::{CellStep, Markane, Position};
use crate::board::{Bitboard, Cell, Shape, map_array};
use crate::games::patterns::{DIGITS, PATTERNS, PatternCodes, PatternFeatures};
use crate::nnue::{self, Features, HiddenLayers, Weights};
use crate::rules::{Evaluate, Position as _, Sides};

/// Bounds between the phases of the game, the last phase first: tenths of the pits that are empty at least.
const PHASES: [usize; 3] = [4, 6, 8];

/// Number of output buckets: four in each phase of the game.
///
/// They tell whether one placement is owed or several, and whether the number of empty pits is even or odd. Every turn
/// fills one pit more than it empties, so the parity tells who places last.
const BUCKETS: usize = 4 * (PHASES.len() + 1);

/// Number of `room` features by pits that one side alone may place in; the last is for all larger numbers.
const ROOM: usize = 12;

/// Counted features, which follow the lines and the patterns.
///
/// They are pits in which each side may place, and in which it alone may; placements owed beyond the first; and the
/// side to move, which is always 1. They are followed by a `room` feature for each pair of numbers of pits in which one
/// side alone may place.
const OTHERS: [&str; 6] = ["own", "enemy", "own.only", "enemy.only", "owed", "move"];

/// Neurons of the network, whose inputs are the lines and the patterns.
const NEURONS: usize = 64;

/// Neurons of its second layer.
const SECOND: usize = 8;

/// Maximum number of pits of a board that uses the weights of small boards: 7x7.
///
/// The weights of large boards were trained on from those of small ones, on 8x8 alone, and are weaker on 7x7.
const MAX_SMALL_PITS: usize = 49;

static SMALL: Lazy<Weights> = Lazy::new(|| table("markane, up to 49 pits", include_bytes!("weights/small.net")));
static LINED: Lazy<Weights> = Lazy::new(|| table("markane, 8x8", include_bytes!("weights/8x8.net")));
static LARGE: Lazy<Weights> = Lazy::new(|| table("markane, 50 pits and more", include_bytes!("weights/large.net")));

/// Unpacks a file of weights.
fn table(purpose: &str, file: &[u8]) -> Weights {
    let mut names = LINES.names.clone();
    names.extend_from_slice(&PATTERNS.names);
    names.extend(OTHERS.map(str::to_owned));
    names.extend((0..ROOM).flat_map(|own| (0..ROOM).map(move |enemy| format!("room.{own}.{enemy}"))));
    let neuron_only = LINES.names.len();
    let inputs = neuron_only + PATTERNS.names.len();
    let layers = HiddenLayers { neuron_only, inputs, neurons: NEURONS, second: SECOND };
    Weights::built_in(names, BUCKETS, layers, purpose, file)
}

/// Returns the built-in weights for a board.
fn built_in(shape: &Shape) -> Weights {
    match shape.len() {
        ..=MAX_SMALL_PITS => SMALL.clone(),
        _ if lines::has_lines(shape) => LINED.clone(),
        _ => LARGE.clone(),
    }
}

type Accumulator = nnue::Accumulator<BUCKETS, NEURONS>;
type Network = nnue::Network<BUCKETS, NEURONS>;
type Child<'a, B> = nnue::Child<'a, Position<B>, CellStep>;

/// Weights in the layout that a search reads.
pub struct Parameters {
    network: Arc<Network>,
    /// Lines of the board.
    lines: LineFeatures,
    /// Patterns of the board.
    patterns: PatternFeatures,
    /// By output bucket.
    others: [OtherWeights; BUCKETS],
}

impl Parameters {
    fn new(weights: &Weights, shape: &Shape) -> Self {
        Self {
            network: Network::of(weights),
            lines: LineFeatures::new(shape),
            patterns: PatternFeatures::new(shape),
            others: std::array::from_fn(|bucket| OtherWeights::new(weights, bucket)),
        }
    }
}

/// Weights of all features but lines and patterns, in one output bucket.
struct OtherWeights {
    others: [i32; OTHERS.len()],
    /// By the numbers of pits in which the own side alone may place, and the enemy alone.
    room: [[i32; ROOM]; ROOM],
}

impl OtherWeights {
    fn new(weights: &Weights, bucket: usize) -> Self {
        let first = weights.layers().inputs;
        let room = |own, enemy| weights.weight(first + OTHERS.len() + own * ROOM + enemy, bucket);
        Self {
            others: std::array::from_fn(|other| weights.weight(first + other, bucket)),
            room: std::array::from_fn(|own| std::array::from_fn(|enemy| room(own, enemy))),
        }
    }
}

/// Returns the phase of the game by the number of empty pits, for a board with this number of pits.
pub(super) fn phases(pits: usize) -> Vec<u8> {
    let phase = |empty| PHASES.iter().filter(|&&bound| 10 * empty / pits >= bound).count() as u8;
    (0..=pits).map(phase).collect()
}

impl<B: Bitboard> Markane<B> {
    /// Returns the output bucket of a position.
    #[inline(always)]
    fn bucket(&self, position: &Position<B>) -> usize {
        let Sides { own, enemy } = position.stones;
        let empty = self.shape.len() - (own | enemy).count() as usize;
        4 * usize::from(self.phases[empty]) + 2 * usize::from(position.owed > 1) + empty % 2
    }

    /// Returns the counts of [`OTHERS`], and the indices of the `room` feature.
    #[inline(always)]
    fn others(&self, position: &Position<B>) -> ([i32; OTHERS.len()], [usize; 2]) {
        let Sides { own, enemy } = position.stones;
        let mine = self.placements(own, enemy);
        let theirs = self.placements(enemy, own);
        let count = |set: B| set.count() as i32;
        let alone = [count(mine & !theirs), count(theirs & !mine)];
        let others = [count(mine), count(theirs), alone[0], alone[1], position.owed as i32 - 1, 1];
        (
            others,
            map_array(
                alone,
                #[inline(always)]
                |pits| (pits as usize).min(ROOM - 1),
            ),
        )
    }

    /// Returns the value of a position for the side to move, with the accumulator of its patterns.
    #[inline(always)]
    fn value(&self, parameters: &Parameters, position: &Position<B>, accumulator: &Accumulator) -> i32 {
        let Parameters { network, others, .. } = parameters;
        let bucket = self.bucket(position);
        let weights = &others[bucket];
        let (others, [own, enemy]) = self.others(position);
        let mut value = network.output(accumulator, bucket) + network.second_output(accumulator, bucket);
        value += weights.room[own][enemy];
        for other in 0..OTHERS.len() {
            value += others[other] * weights.others[other];
        }
        value
    }
}

/// Contents of all lines and patterns of a position.
#[derive(Clone, Default)]
pub struct Codes {
    lines: LineCodes,
    patterns: PatternCodes,
}

impl Codes {
    /// Updates the codes for a stone of a color that comes to a cell (`count` 1) or leaves it (`count` -1).
    #[inline(always)]
    fn update(&mut self, parameters: &Parameters, cell: Cell, color: usize, count: i16) {
        parameters.lines.update_codes(&mut self.lines, cell, color, count);
        parameters.patterns.update_codes(&mut self.patterns, cell, color, count);
    }

    /// Updates an accumulator for a cell whose digit changes by `change`. The codes are those before.
    #[inline(always)]
    fn update_accumulator(
        &self,
        Parameters { network, lines, patterns, .. }: &Parameters,
        accumulator: &mut Accumulator,
        cell: Cell,
        perspective: usize,
        change: i16,
    ) {
        lines.update_accumulator(accumulator, &self.lines, cell, perspective, change, network);
        patterns.update_accumulator(accumulator, &self.patterns, cell, perspective, change, network);
    }
}

impl<B: Bitboard> Features<Position<B>, CellStep> for Markane<B> {
    type Parameters = Parameters;
    type State = Codes;
    type Accumulator = Accumulator;

    #[inline(always)]
    fn parameters(&self) -> &Parameters {
        self.weights.parameters(|| built_in(&self.shape), |weights| Parameters::new(weights, &self.shape))
    }

    #[inline(always)]
    fn is_incremental<const ADVANCE: bool>(&self, _: &Parameters, Child { step, .. }: Child<'_, B>) -> bool {
        step != CellStep::SWAP
    }

    #[inline(always)]
    fn refresh_state(&self, parameters: &Parameters, codes: &mut Codes, position: &Position<B>, _leaf: &Position<B>) {
        parameters.lines.refresh_codes(position.pieces(), &mut codes.lines);
        parameters.patterns.refresh_codes(position.pieces(), &mut codes.patterns);
    }

    #[inline(always)]
    fn refresh(&self, parameters: &Parameters, codes: &Codes, _: &Position<B>, perspective: usize) -> Accumulator {
        let Parameters { network, lines, patterns, .. } = parameters;
        let mut accumulator = patterns.refresh_from_codes(&codes.patterns, perspective, network);
        lines.add_from_codes(&codes.lines, perspective, network, &mut accumulator);
        accumulator
    }

    /// Updates the lines through a placement and the patterns around it, and those of each capture.
    #[inline(always)]
    fn update<const ADVANCE: bool>(
        &self,
        parameters: &Parameters,
        accumulator: &mut Accumulator,
        codes: &mut Codes,
        child: Child<'_, B>,
    ) {
        let Child { position, step, next, perspective } = child;
        let (own, enemy) = (position.side.index(), 1 - position.side.index());
        codes.update_accumulator(parameters, accumulator, step.cell(), perspective, DIGITS[own][perspective]);
        // Only a placement that captures leaves the turn with the same side: every capture owes another placement.
        let captured = if next.side == position.side { position.stones.enemy & !next.stones.enemy } else { B::EMPTY };
        if !ADVANCE && captured.is_empty() {
            return;
        }
        // A pattern may lose several stones. They leave one by one, and come back before the next step.
        codes.update(parameters, step.cell(), own, 1);
        for cell in captured.cells() {
            codes.update_accumulator(parameters, accumulator, cell, perspective, -DIGITS[enemy][perspective]);
            codes.update(parameters, cell, enemy, -1);
        }
        if !ADVANCE {
            for cell in captured.cells() {
                codes.update(parameters, cell, enemy, 1);
            }
            codes.update(parameters, step.cell(), own, -1);
        }
    }

    #[inline(always)]
    fn output(&self, parameters: &Parameters, accumulator: &mut Accumulator, _: &Codes, child: Child<'_, B>) -> i32 {
        self.value(parameters, child.next, accumulator)
    }
}

impl<B: Bitboard> Evaluate for Markane<B> {
    fn weights(&self) -> &Weights {
        self.weights.weights(|| built_in(&self.shape))
    }

    fn set_weights(&mut self, weights: Weights) {
        self.weights.set(weights);
    }

    #[inline(always)]
    fn terms(&self, position: &Position<B>, mut add: impl FnMut(usize, usize, i32)) {
        let Sides { own, enemy } = position.stones;
        let bucket = self.bucket(position);
        let Parameters { lines, patterns, .. } = self.parameters();
        let (first_pattern, first_other) = (LINES.names.len(), LINES.names.len() + PATTERNS.names.len());
        lines.for_each_feature(own, enemy, |feature| add(feature.into(), bucket, 1));
        patterns.for_each_feature(own, enemy, |feature| add(first_pattern + usize::from(feature), bucket, 1));
        let (others, [own, enemy]) = self.others(position);
        (first_other..).zip(others).for_each(|(feature, count)| add(feature, bucket, count));
        add(first_other + OTHERS.len() + own * ROOM + enemy, bucket, 1);
    }

    #[inline(always)]
    fn evaluate(&self, position: &Position<B>) -> i32 {
        let Sides { own, enemy } = position.stones;
        let parameters = self.parameters();
        let mut accumulator = parameters.patterns.refresh(own, enemy, &parameters.network);
        parameters.lines.for_each_feature(own, enemy, |line| {
            accumulator.add_neurons(parameters.network.neuron_only(line));
        });
        self.value(parameters, position, &accumulator)
    }

    /// Returns the number of stones that a placement captures.
    #[inline(always)]
    fn ordering_score(&self, position: &Position<B>, step: CellStep) -> i32 {
        if step == CellStep::SWAP {
            return 0;
        }
        let own = position.stones.own | B::of(step.cell());
        (position.stones.enemy & self.grid.double_neighbors(own)).count() as i32
    }
}
