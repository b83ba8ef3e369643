//! The evaluation of Invector: 3x3 patterns, stones that could be captured, and distances from the center.
#![expect(
    clippy::indexing_slicing,
    reason = "tables have an entry for each pit, direction, side, feature and output bucket"
)]

use std::sync::Arc;

use once_cell::sync::Lazy;

use super::{Invector, Position, Step, center_offsets};
use crate::board::{Bitboard, Direction, Shape, map_array};
use crate::games::patterns::{PATTERNS, PairMembership, PatternCodes, PatternFeatures};
use crate::nnue::{self, Features, HiddenLayers, Weights};
use crate::rules::{Evaluate, Position as _, Sides};

/// Bounds between the phases of the game, the last phase first: tenths of the pits that have stones at least.
const PHASES: [u32; 3] = [3, 5, 7];

/// Number of output buckets: one for each phase of the game.
const BUCKETS: usize = PHASES.len() + 1;

/// Number of distances from the middle column or rank in features of stones; the last is for all larger ones.
const DISTANCES: usize = 6;

/// Counted features of each side, the own side first: [`Invector::side_counts`].
const SIDE_COUNTS: [&str; 7] = ["stone", "hit", "loose", "alone", "quiet", "safe", "far"];

/// Features of both sides together.
///
/// They are 1 if stones of the two sides are adjacent, so that the side to move can capture first; and the side to
/// move, which is always 1.
const COMMON: [&str; 2] = ["contact", "move"];

/// Number of features that follow the inputs of the network.
const OTHERS: usize = 2 * SIDE_COUNTS.len() + COMMON.len();

/// Neurons of the network, whose inputs are the patterns and the places of stones.
const NEURONS: usize = 32;

/// Maximum number of pits of a board that uses the network, about 14x14.
///
/// Its training on small boards does not carry over to larger ones.
const MAX_NETWORK_PITS: usize = 200;

/// Weights of boards with a network.
static SMALL: Lazy<Weights> = Lazy::new(|| {
    let mut names = PATTERNS.names.clone();
    for side in SIDES {
        names.extend((0..DISTANCES).flat_map(|x| (0..DISTANCES).map(move |y| format!("{side}.{x}.{y}"))));
    }
    let layers = HiddenLayers { neuron_only: 0, inputs: names.len(), neurons: NEURONS, second: 0 };
    names.extend(other_names());
    Weights::built_in(names, BUCKETS, layers, "invector, up to 200 pits", include_bytes!("weights/small.net"))
});

/// Weights of boards without a network.
static LARGE: Lazy<Weights> = Lazy::new(|| {
    let (names, file) = (other_names().collect(), include_bytes!("weights/large.net"));
    Weights::built_in(names, BUCKETS, HiddenLayers::default(), "invector, more than 200 pits", file)
});

const SIDES: [&str; 2] = ["own", "enemy"];

/// Returns the names of the features that follow the inputs of the network.
fn other_names() -> impl Iterator<Item = String> {
    let of_each = SIDES.iter().flat_map(|side| SIDE_COUNTS.map(|what| format!("{side}.{what}")));
    of_each.chain(COMMON.map(str::to_owned))
}

type Accumulator = nnue::Accumulator<BUCKETS, NEURONS>;
type Network = nnue::Network<BUCKETS, NEURONS>;
type Child<'a, B> = nnue::Child<'a, Position<B>, Step>;

/// Weights in the layout that a search reads.
pub struct Parameters {
    board_network: Option<BoardNetwork>,
    /// By output bucket, the weights of the features that follow the inputs of the network.
    others: [[i32; OTHERS]; BUCKETS],
}

impl Parameters {
    fn new(weights: &Weights, shape: &Shape) -> Self {
        let HiddenLayers { inputs: first, neurons, .. } = weights.layers();
        let others = |bucket| std::array::from_fn(|other| weights.weight(first + other, bucket));
        Self {
            board_network: (neurons > 0).then(|| BoardNetwork::new(weights, shape)),
            others: std::array::from_fn(others),
        }
    }
}

/// The network, with the features of one board.
struct BoardNetwork {
    network: Arc<Network>,
    patterns: PatternFeatures,
    /// By pit, the feature of an own stone and of an enemy one.
    stones: Vec<[u16; 2]>,
    /// By pit and direction, the patterns that a step changes.
    steps: Vec<[Vec<PairMembership>; 4]>,
}

impl BoardNetwork {
    fn new(weights: &Weights, shape: &Shape) -> Self {
        let patterns = PatternFeatures::new(shape);
        let stone = |cell| {
            let distances = center_offsets(shape, cell);
            let [x, y] = distances.map(|distance| usize::from(distance).min(DISTANCES - 1));
            let first = PATTERNS.names.len();
            [0, 1].map(|side| (first + (side * DISTANCES + x) * DISTANCES + y) as u16)
        };
        let step = |from, direction| {
            let to = shape.neighbor(from, direction);
            to.map_or_else(Vec::new, |to| patterns.pair_memberships([from, to]))
        };
        Self {
            network: Network::of(weights),
            stones: shape.cells().map(stone).collect(),
            steps: shape.cells().map(|from| Direction::ALL.map(|direction| step(from, direction))).collect(),
            patterns,
        }
    }

    /// Returns the patterns that a step changes.
    #[inline(always)]
    fn memberships(&self, step: Step) -> &[PairMembership] {
        &self.steps[step.from().index()][step.direction()]
    }

    /// Visits the features of all stones; `sides` has the own ones first.
    #[inline(always)]
    fn for_each_stone<B: Bitboard>(&self, sides: [B; 2], mut visit: impl FnMut(u16)) {
        for side in 0..sides.len() {
            for cell in sides[side].cells() {
                visit(self.stones[cell.index()][side]);
            }
        }
    }

    /// Adds the features of all stones to an accumulator of patterns.
    #[inline(always)]
    fn add_stones<B: Bitboard>(&self, mut accumulator: Accumulator, sides: [B; 2]) -> Accumulator {
        self.for_each_stone(
            sides,
            #[inline(always)]
            |feature| accumulator.add(self.network.feature(feature)),
        );
        accumulator
    }
}

/// Returns the changes by a step to the digits of pattern codes, in its first pit and in its last.
#[inline(always)]
fn digit_changes(is_own: bool, captures: bool) -> [i16; 2] {
    let (stone, enemy) = if is_own { (1, 2) } else { (2, 1) };
    [-stone, if captures { stone - enemy } else { stone }]
}

impl<B: Bitboard> Invector<B> {
    /// Returns the built-in weights for the board.
    fn built_in_weights(&self) -> Weights {
        if self.shape.len() > MAX_NETWORK_PITS { LARGE.clone() } else { SMALL.clone() }
    }

    /// Returns the counts of [`SIDE_COUNTS`] for one side.
    ///
    /// They are stones; those that the enemy could capture, and of these the ones without an own neighbor that could
    /// recapture; all stones without an own neighbor; steps towards the center into an empty pit, and of these the
    /// ones that the enemy could not capture there; and the summed distance from the center.
    #[inline(always)]
    fn side_counts(&self, own: B, enemy: B) -> [i32; SIDE_COUNTS.len()] {
        let (near, near_enemy) = (self.grid.neighbors(own), self.grid.neighbors(enemy));
        let hit = own & near_enemy;
        let empty = self.grid.cells() & !(own | enemy);
        let (mut quiet, mut safe) = (0, 0);
        for &direction in &Direction::ALL {
            let to = self.grid.shift(own, direction) & self.inward[direction as usize] & empty;
            quiet += to.count();
            safe += (to & !near_enemy).count();
        }
        let mut far = 0;
        for &pits in &self.distant {
            far += (own & pits).count();
        }
        let counts = [own.count(), hit.count(), (hit & !near).count(), (own & !near).count(), quiet, safe, far];
        map_array(
            counts,
            #[inline(always)]
            |count| count as i32,
        )
    }

    /// Returns the output bucket of a position with these stones.
    #[inline(always)]
    fn bucket(&self, stones: B) -> usize {
        let tenths = 10 * stones.count() / self.shape.len() as u32;
        let mut bucket = 0;
        for &bound in &PHASES {
            bucket += usize::from(tenths >= bound);
        }
        bucket
    }

    /// Returns the counts of the features that follow the inputs of the network.
    #[inline(always)]
    fn others(&self, own: B, enemy: B) -> [i32; OTHERS] {
        let (ours, theirs) = (self.side_counts(own, enemy), self.side_counts(enemy, own));
        let mut others = [1; OTHERS];
        for i in 0..SIDE_COUNTS.len() {
            others[i] = ours[i];
            others[SIDE_COUNTS.len() + i] = theirs[i];
        }
        others[2 * SIDE_COUNTS.len()] = i32::from(ours[1] > 0);
        others
    }

    /// Returns the value of a position for the side to move; the accumulator counts where there is a network.
    #[inline(always)]
    fn value(&self, parameters: &Parameters, position: &Position<B>, accumulator: &Accumulator) -> i32 {
        let Sides { own, enemy } = position.stones;
        let bucket = self.bucket(own | enemy);
        let (counts, weights) = (self.others(own, enemy), &parameters.others[bucket]);
        let mut value = 0;
        for other in 0..OTHERS {
            value += counts[other] * weights[other];
        }
        if let Some(board_network) = &parameters.board_network {
            value += board_network.network.output(accumulator, bucket);
        }
        value
    }
}

impl<B: Bitboard> Features<Position<B>, Step> for Invector<B> {
    type Parameters = Parameters;
    type State = PatternCodes;
    type Accumulator = Accumulator;

    #[inline(always)]
    fn parameters(&self) -> &Parameters {
        self.weights.parameters(|| self.built_in_weights(), |weights| Parameters::new(weights, &self.shape))
    }

    #[inline(always)]
    fn is_incremental<const ADVANCE: bool>(&self, parameters: &Parameters, Child { step, .. }: Child<'_, B>) -> bool {
        !step.is_special() && parameters.board_network.is_some()
    }

    #[inline(always)]
    fn refresh_state(
        &self,
        parameters: &Parameters,
        codes: &mut PatternCodes,
        position: &Position<B>,
        _leaf: &Position<B>,
    ) {
        if let Some(BoardNetwork { patterns, .. }) = &parameters.board_network {
            patterns.refresh_codes(position.pieces(), codes);
        }
    }

    #[inline(always)]
    fn refresh(
        &self,
        parameters: &Parameters,
        codes: &PatternCodes,
        position: &Position<B>,
        perspective: usize,
    ) -> Accumulator {
        let Some(board_network) = &parameters.board_network else {
            return Accumulator::default();
        };
        let [black, white] = position.pieces();
        let sides = if perspective == 0 { [black, white] } else { [white, black] };
        let BoardNetwork { network, patterns, .. } = board_network;
        board_network.add_stones(patterns.refresh_from_codes(codes, perspective, network), sides)
    }

    /// Updates the stones, and the twelve patterns around the two pits of a step.
    #[inline(always)]
    fn update<const ADVANCE: bool>(
        &self,
        parameters: &Parameters,
        accumulator: &mut Accumulator,
        codes: &mut PatternCodes,
        child: Child<'_, B>,
    ) {
        let Child { position, step, perspective, .. } = child;
        let Some(board_network) = &parameters.board_network else {
            return;
        };
        let BoardNetwork { network, patterns, stones, .. } = board_network;
        let (memberships, color) = (board_network.memberships(step), position.side.index());
        let (from, to) = (step.from(), self.target(step));
        let captures = position.stones.enemy.has(to);
        let (from, to) = (stones[from.index()], stones[to.index()]);
        // The step passes the turn. A child is evaluated for the side that did not move. An accumulator advances for
        // the side to move in the children of the next position, which is the side that did.
        let is_own = ADVANCE;
        let (mover, other) = if is_own { (0, 1) } else { (1, 0) };
        accumulator.replace(network.feature(from[mover]), network.feature(to[mover]));
        if captures {
            accumulator.remove(network.feature(to[other]));
        }
        let change = digit_changes(is_own, captures);
        patterns.update_accumulator_for_pair(accumulator, codes, memberships, perspective, change, network);
        if ADVANCE {
            PatternFeatures::update_codes_of_pair(
                codes,
                memberships,
                [digit_changes(color == 0, captures), digit_changes(color == 1, captures)],
            );
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

impl<B: Bitboard> Evaluate for Invector<B> {
    fn weights(&self) -> &Weights {
        self.weights.weights(|| self.built_in_weights())
    }

    fn set_weights(&mut self, weights: Weights) {
        self.weights.set(weights);
    }

    #[inline(always)]
    fn terms(&self, position: &Position<B>, mut add: impl FnMut(usize, usize, i32)) {
        let Sides { own, enemy } = position.stones;
        let bucket = self.bucket(own | enemy);
        if let Some(board_network) = &self.parameters().board_network {
            let mut add_feature = |feature: u16| add(feature.into(), bucket, 1);
            board_network.patterns.for_each_feature(own, enemy, &mut add_feature);
            board_network.for_each_stone([own, enemy], &mut add_feature);
        }
        let first = self.weights().layers().inputs;
        (first..).zip(self.others(own, enemy)).for_each(|(feature, count)| add(feature, bucket, count));
    }

    #[inline(always)]
    fn evaluate(&self, position: &Position<B>) -> i32 {
        let Sides { own, enemy } = position.stones;
        let parameters = self.parameters();
        let accumulator = match &parameters.board_network {
            Some(board_network) => board_network
                .add_stones(board_network.patterns.refresh(own, enemy, &board_network.network), [own, enemy]),
            None => Accumulator::default(),
        };
        self.value(parameters, position, &accumulator)
    }
}
