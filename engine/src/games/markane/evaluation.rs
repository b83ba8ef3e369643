//! The evaluation of Markane: 3x3 patterns, and the pits in which each side may place.
#![expect(
    clippy::indexing_slicing,
    reason = "tables have an entry for each color, perspective, number of pits and output bucket"
)]

use std::sync::Arc;

use once_cell::sync::Lazy;

use super::{CellStep, Markane, Position};
use crate::board::{Bitboard, Shape, map_array};
use crate::games::patterns::{DIGITS, PATTERNS, PatternCodes, PatternFeatures};
use crate::nnue::{self, Features, HiddenLayer, Weights};
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

/// Counted features, which follow the patterns.
///
/// They are pits in which each side may place, and in which it alone may; placements owed beyond the first; and the
/// side to move, which is always 1. They are followed by a `room` feature for each pair of numbers of pits in which one
/// side alone may place.
const OTHERS: [&str; 6] = ["own", "enemy", "own.only", "enemy.only", "owed", "move"];

/// Neurons of the network, whose inputs are the patterns.
const NEURONS: usize = 64;

/// Maximum number of pits of a board that uses the weights of small boards: 7x7.
///
/// The weights of large boards were trained on from those of small ones, on 8x8 alone, and are weaker on 7x7.
const MAX_SMALL_PITS: usize = 49;

static SMALL: Lazy<Weights> = Lazy::new(|| table("markane, up to 49 pits", include_bytes!("weights/small.net")));
static LARGE: Lazy<Weights> = Lazy::new(|| table("markane, 50 pits and more", include_bytes!("weights/large.net")));

/// Unpacks a file of weights.
fn table(purpose: &str, file: &[u8]) -> Weights {
    let mut names = PATTERNS.names.clone();
    names.extend(OTHERS.map(str::to_owned));
    names.extend((0..ROOM).flat_map(|own| (0..ROOM).map(move |enemy| format!("room.{own}.{enemy}"))));
    let layer = HiddenLayer { neuron_only: 0, inputs: PATTERNS.names.len(), neurons: NEURONS };
    Weights::built_in(names, BUCKETS, layer, purpose, file)
}

/// Returns the built-in weights for a board with this number of pits.
fn built_in(pits: usize) -> Weights {
    if pits <= MAX_SMALL_PITS { SMALL.clone() } else { LARGE.clone() }
}

type Accumulator = nnue::Accumulator<BUCKETS, NEURONS>;
type Network = nnue::Network<BUCKETS, NEURONS>;
type Child<'a, B> = nnue::Child<'a, Position<B>, CellStep>;

/// Weights in the layout that a search reads.
pub struct Parameters {
    network: Arc<Network>,
    /// Patterns of the board.
    patterns: PatternFeatures,
    /// By output bucket.
    others: [OtherWeights; BUCKETS],
}

impl Parameters {
    fn new(weights: &Weights, shape: &Shape) -> Self {
        Self {
            network: Network::of(weights),
            patterns: PatternFeatures::new(shape),
            others: std::array::from_fn(|bucket| OtherWeights::new(weights, bucket)),
        }
    }
}

/// Weights of all features but patterns, in one output bucket.
struct OtherWeights {
    others: [i32; OTHERS.len()],
    /// By the numbers of pits in which the own side alone may place, and the enemy alone.
    room: [[i32; ROOM]; ROOM],
}

impl OtherWeights {
    fn new(weights: &Weights, bucket: usize) -> Self {
        let first = PATTERNS.names.len();
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
        let mut value = network.output(accumulator, bucket) + weights.room[own][enemy];
        for other in 0..OTHERS.len() {
            value += others[other] * weights.others[other];
        }
        value
    }
}

impl<B: Bitboard> Features<Position<B>, CellStep> for Markane<B> {
    type Parameters = Parameters;
    type State = PatternCodes;
    type Accumulator = Accumulator;

    #[inline(always)]
    fn parameters(&self) -> &Parameters {
        self.weights.parameters(|| built_in(self.shape.len()), |weights| Parameters::new(weights, &self.shape))
    }

    #[inline(always)]
    fn is_incremental<const ADVANCE: bool>(&self, _: &Parameters, Child { step, .. }: Child<'_, B>) -> bool {
        step != CellStep::SWAP
    }

    #[inline(always)]
    fn refresh_state(
        &self,
        parameters: &Parameters,
        codes: &mut PatternCodes,
        position: &Position<B>,
        _leaf: &Position<B>,
    ) {
        parameters.patterns.refresh_codes(position.pieces(), codes);
    }

    #[inline(always)]
    fn refresh(
        &self,
        parameters: &Parameters,
        codes: &PatternCodes,
        _: &Position<B>,
        perspective: usize,
    ) -> Accumulator {
        parameters.patterns.refresh_from_codes(codes, perspective, &parameters.network)
    }

    /// Updates the nine patterns around a placement, and nine more around each capture.
    #[inline(always)]
    fn update<const ADVANCE: bool>(
        &self,
        Parameters { network, patterns, .. }: &Parameters,
        accumulator: &mut Accumulator,
        codes: &mut PatternCodes,
        child: Child<'_, B>,
    ) {
        let Child { position, step, next, perspective } = child;
        let (own, enemy) = (position.side.index(), 1 - position.side.index());
        let placed = DIGITS[own][perspective];
        patterns.update_accumulator(accumulator, codes, step.cell(), perspective, placed, network);
        // Only a placement that captures leaves the turn with the same side: every capture owes another placement.
        let captured = if next.side == position.side { position.stones.enemy & !next.stones.enemy } else { B::EMPTY };
        if !ADVANCE && captured.is_empty() {
            return;
        }
        // A pattern may lose several stones. They leave one by one, and come back before the next step.
        patterns.update_codes(codes, step.cell(), own, 1);
        for cell in captured.cells() {
            let captured = -DIGITS[enemy][perspective];
            patterns.update_accumulator(accumulator, codes, cell, perspective, captured, network);
            patterns.update_codes(codes, cell, enemy, -1);
        }
        if !ADVANCE {
            for cell in captured.cells() {
                patterns.update_codes(codes, cell, enemy, 1);
            }
            patterns.update_codes(codes, step.cell(), own, -1);
        }
    }

    #[inline(always)]
    fn output(
        &self,
        parameters: &Parameters,
        accumulator: &mut Accumulator,
        _: &PatternCodes,
        child: Child<'_, B>,
    ) -> i32 {
        self.value(parameters, child.next, accumulator)
    }
}

impl<B: Bitboard> Evaluate for Markane<B> {
    fn weights(&self) -> &Weights {
        self.weights.weights(|| built_in(self.shape.len()))
    }

    fn set_weights(&mut self, weights: Weights) {
        self.weights.set(weights);
    }

    #[inline(always)]
    fn terms(&self, position: &Position<B>, mut add: impl FnMut(usize, usize, i32)) {
        let Sides { own, enemy } = position.stones;
        let bucket = self.bucket(position);
        self.parameters().patterns.for_each_feature(own, enemy, |feature| add(feature.into(), bucket, 1));
        let first = PATTERNS.names.len();
        let (others, [own, enemy]) = self.others(position);
        (first..).zip(others).for_each(|(feature, count)| add(feature, bucket, count));
        add(first + OTHERS.len() + own * ROOM + enemy, bucket, 1);
    }

    #[inline(always)]
    fn evaluate(&self, position: &Position<B>) -> i32 {
        let Sides { own, enemy } = position.stones;
        let parameters = self.parameters();
        self.value(parameters, position, &parameters.patterns.refresh(own, enemy, &parameters.network))
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
