//! The network of Gravel. Its inputs are the neighborhoods of spaces, and how far both players are from losing.
#![expect(clippy::indexing_slicing, reason = "tables have an entry for each output bucket and feature")]

use std::sync::Arc;

use super::super::steps::Action;
use super::super::{Gravel, Position, Step};
use super::neighborhood::{self, Change, NeighborhoodFeatures};
use super::{BUCKETS, MARGIN, SPARE, bucket, built_in};
use crate::board::{Bitboard, Cell, Mailbox};
use crate::nnue::{self, Features, HiddenLayers, Weights};
use crate::rules::Color;

/// Neurons of the network.
const NEURONS: usize = 32;

/// Number of `pool` features, by pieces in the Pool from 0; the last is for all larger numbers.
const POOL: usize = 8;

/// Kinds of actions that are still allowed in the turn.
const ALLOWED: [&str; 3] = ["place", "remove", "both"];

/// Number of features for actions left in the turn, from 1; the last is for all larger numbers.
const LEFT: usize = 4;

/// Number of state features of one player: its margin, what it has to spare and its Pool.
const SIDE_STATES: usize = MARGIN + SPARE + POOL;

/// Number of state features, which follow those of spaces: of each player, and the actions still allowed.
const STATES: usize = 2 * SIDE_STATES + ALLOWED.len() * LEFT;

/// Counted features, which follow the inputs of the network: spaces and lost pieces of each player.
const COUNTS: [&str; 4] = ["own.space", "own.removed", "enemy.space", "enemy.removed"];

/// Number of features that follow those of spaces.
const OTHERS: usize = STATES + COUNTS.len();

type Accumulator = nnue::Accumulator<0, NEURONS>;
/// Weights in the layout that a search reads; `None` where there is no network.
pub type Parameters = Option<Network>;
type Child<'a, B> = nnue::Child<'a, Position<B>, Step>;

/// Returns the weights with a network from a packed file.
pub(super) fn table(purpose: &str, file: &[u8]) -> Weights {
    let mut names: Vec<String> = neighborhood::names().collect();
    for side in ["own", "enemy"] {
        for (name, count) in [("margin", MARGIN), ("spare", SPARE), ("pool", POOL)] {
            names.extend((0..count).map(|number| format!("{side}.{name}.{number}")));
        }
    }
    names.extend(ALLOWED.iter().flat_map(|allowed| (1..=LEFT).map(move |left| format!("{allowed}.{left}"))));
    let layers = HiddenLayers { neuron_only: neighborhood::COUNT, inputs: names.len(), neurons: NEURONS, second: 0 };
    names.extend(COUNTS.map(str::to_owned));
    Weights::built_in(names, BUCKETS, layers, purpose, file)
}

/// Weights of the network and of the features that follow those of spaces.
pub struct Network {
    network: Arc<nnue::Network<0, NEURONS>>,
    /// By output bucket, the weights of the features that follow those of spaces.
    others: Vec<[i32; OTHERS]>,
}

impl Network {
    /// Returns the network of a table; `None` where the table has no network.
    pub(super) fn new(weights: &Weights) -> Option<Self> {
        let others = |bucket| std::array::from_fn(|i| weights.weight(neighborhood::COUNT + i, bucket));
        (weights.layers().neurons == NEURONS)
            .then(|| Self { network: nnue::Network::of(weights), others: (0..weights.buckets()).map(others).collect() })
    }
}

/// Features of a position that follow those of spaces.
struct OtherFeatures {
    /// Active state features, counted from the first one.
    states: [usize; 7],
    /// Counts of [`COUNTS`].
    counts: [i32; COUNTS.len()],
}

impl<B: Bitboard> Gravel<B> {
    /// Returns the features that follow those of spaces.
    #[inline(always)]
    fn other_features(&self, position: &Position<B>) -> OtherFeatures {
        let of_side = |color: Color| {
            let (margin, spare) = self.distances(position, color);
            let pool = self.pool(position, color) as usize;
            [margin, MARGIN + spare, MARGIN + SPARE + pool.min(POOL - 1)]
        };
        let (own, enemy) = (position.side, !position.side);
        let [a, b, c] = of_side(own);
        let [d, e, f] = of_side(enemy);
        let (used, left) = (position.used, self.x.saturating_sub(position.used.total()) as usize);
        let allowed = match (used.may_place(), used.may_remove(self.x)) {
            (true, true) => 2,
            (false, _) => 1,
            (true, false) => 0,
        };
        let allowed = 2 * SIDE_STATES + LEFT * allowed + left.clamp(1, LEFT) - 1;
        let count = |color: Color| {
            let spaces = position.spaces[color.index()].count();
            [spaces as i32, position.removed[color.index()] as i32]
        };
        let ([own_spaces, own_removed], [enemy_spaces, enemy_removed]) = (count(own), count(enemy));
        OtherFeatures {
            states: [a, b, c, SIDE_STATES + d, SIDE_STATES + e, SIDE_STATES + f, allowed],
            counts: [own_spaces, own_removed, enemy_spaces, enemy_removed],
        }
    }

    /// Visits the features of a position as terms: feature, output bucket and count.
    pub(super) fn terms_of_network(&self, position: &Position<B>, mut add: impl FnMut(usize, usize, i32)) {
        let bucket = bucket(position, self.pieces);
        let mut neighborhoods = NeighborhoodFeatures::default();
        neighborhoods.refresh(self, position);
        neighborhoods.for_each(self, position.side.index(), |feature| add(feature.into(), bucket, 1));
        let OtherFeatures { states, counts } = self.other_features(position);
        for &state in &states {
            add(neighborhood::COUNT + state, bucket, 1);
        }
        for (feature, count) in (neighborhood::COUNT + STATES..).zip(counts) {
            add(feature, bucket, count);
        }
    }

    /// Returns the value of a position for the side to move; `None` where there is no network.
    #[inline(always)]
    pub(super) fn value_of_network(&self, position: &Position<B>) -> Option<i32> {
        let (parameters, mut state) = (self.parameters(), State::default());
        let network = parameters.as_ref()?;
        self.refresh_state(parameters, &mut state, position, position);
        let mut accumulator = self.refresh(parameters, &state, position, position.side.index());
        Some(self.value(network, position, &mut accumulator))
    }

    /// Updates an accumulator and the neighborhoods for a change of a stack.
    #[inline(always)]
    fn change_stack<const ADVANCE: bool>(
        &self,
        parameters: &Parameters,
        accumulator: &mut Accumulator,
        neighborhoods: &mut NeighborhoodFeatures,
        change: Change,
        perspective: usize,
    ) {
        let Some(Network { network, .. }) = parameters else {
            return;
        };
        neighborhoods.update::<ADVANCE, B>(
            self,
            perspective,
            change,
            #[inline(always)]
            |[old, new]| accumulator.replace(network.feature(old), network.feature(new)),
        );
    }

    /// Returns the value of a position for the side to move, with the accumulator of its spaces.
    #[inline(always)]
    fn value(
        &self,
        Network { network, others }: &Network,
        position: &Position<B>,
        accumulator: &mut Accumulator,
    ) -> i32 {
        let bucket = bucket(position, self.pieces);
        let others = &others[bucket];
        let OtherFeatures { states, counts } = self.other_features(position);
        let mut value = 0;
        for &state in &states {
            value += others[state];
            accumulator.add(network.feature((neighborhood::COUNT + state) as u16));
        }
        for count in 0..COUNTS.len() {
            value += counts[count] * others[STATES + count];
        }
        value + network.output(accumulator, bucket)
    }
}

/// Neighborhoods of a position, and those with one piece added.
///
/// Many relocations move a piece onto the same space. They share the second half of the state.
#[derive(Default)]
pub struct State {
    neighborhoods: NeighborhoodFeatures,
    /// Added piece, and the perspective of `accumulator_with_added`.
    added: Option<(Change, usize)>,
    neighborhoods_with_added: NeighborhoodFeatures,
    accumulator_with_added: Accumulator,
    /// Accumulator of a child. As a local variable, the compiler would not vectorize it.
    child: Accumulator,
}

impl Clone for State {
    fn clone(&self) -> Self {
        let mut clone = Self::default();
        clone.clone_from(self);
        clone
    }

    #[inline(always)]
    fn clone_from(&mut self, other: &Self) {
        self.neighborhoods.copy_from(&other.neighborhoods);
        self.added = None;
    }
}

impl<B: Bitboard> Features<Position<B>, Step> for Gravel<B> {
    type Parameters = Parameters;
    type State = State;
    type Accumulator = Accumulator;

    #[inline(always)]
    fn parameters(&self) -> &Parameters {
        self.weights.parameters(|| built_in(self.shape.columns()), Network::new)
    }

    #[inline(always)]
    fn is_incremental<const ADVANCE: bool>(&self, parameters: &Parameters, Child { step, .. }: Child<'_, B>) -> bool {
        step.action() != Action::Swap && parameters.is_some()
    }

    #[inline(always)]
    fn refresh_state(&self, _: &Parameters, state: &mut State, position: &Position<B>, _leaf: &Position<B>) {
        state.neighborhoods.refresh(self, position);
        state.added = None;
    }

    #[inline(always)]
    fn refresh(&self, parameters: &Parameters, state: &State, _: &Position<B>, perspective: usize) -> Accumulator {
        let Some(Network { network, .. }) = parameters else {
            return Accumulator::default();
        };
        let mut accumulator = network.bias();
        state.neighborhoods.for_each(
            self,
            perspective,
            #[inline(always)]
            |feature| accumulator.add(network.feature(feature)),
        );
        accumulator
    }

    /// Advances over a step, which changes one or two stacks and the neighborhoods of the spaces next to them.
    #[inline(always)]
    fn update<const ADVANCE: bool>(
        &self,
        parameters: &Parameters,
        accumulator: &mut Accumulator,
        state: &mut State,
        child: Child<'_, B>,
    ) {
        let Child { position, step, perspective, .. } = child;
        let Changes { onto, other } = changes(position, step);
        for &change in &[onto, other] {
            if let Some(change) = change {
                self.change_stack::<true>(parameters, accumulator, &mut state.neighborhoods, change, perspective);
            }
        }
    }

    /// Returns the value of a child for the side to move there.
    ///
    /// All relocations onto the same space are evaluated from one accumulator that has the piece there.
    #[inline(always)]
    fn evaluate_child(
        &self,
        parameters: &Parameters,
        state: &mut State,
        before: &Accumulator,
        Child { position, step, next, perspective }: Child<'_, B>,
    ) -> i32 {
        let Changes { onto, other } = changes(position, step);
        let neighborhoods = match onto {
            Some(onto) => {
                if state.added != Some((onto, perspective)) {
                    state.neighborhoods_with_added.copy_from(&state.neighborhoods);
                    state.accumulator_with_added = *before;
                    self.change_stack::<true>(
                        parameters,
                        &mut state.accumulator_with_added,
                        &mut state.neighborhoods_with_added,
                        onto,
                        perspective,
                    );
                    state.added = Some((onto, perspective));
                }
                state.child = state.accumulator_with_added;
                &mut state.neighborhoods_with_added
            }
            None => {
                state.child = *before;
                &mut state.neighborhoods
            }
        };
        if let Some(change) = other {
            self.change_stack::<false>(parameters, &mut state.child, neighborhoods, change, perspective);
        }
        parameters.as_ref().map_or(
            0,
            #[inline(always)]
            |network| self.value(network, next, &mut state.child),
        )
    }
}

/// Changes of stacks by a step.
struct Changes {
    /// Stack that a relocation moves a piece onto.
    onto: Option<Change>,
    /// Stack that loses a piece, or that gets one from the Pool.
    other: Option<Change>,
}

/// Returns the changes of stacks by a step; none for a swap, which is not incremental.
#[inline(always)]
fn changes<B: Bitboard>(position: &Position<B>, step: Step) -> Changes {
    let of = |space: Cell, color, by: i8| {
        let before = position.heights.get(space);
        Some(Change { space, color, before, after: before.wrapping_add_signed(by) })
    };
    let side = position.side;
    let (onto, other) = match step.action() {
        Action::Place(space) => (None, of(space, side, 1)),
        Action::Relocate(from, to) => (of(to, side, 1), of(from, side, -1)),
        Action::Retract(space) => (None, of(space, side, -1)),
        Action::Remove(space) => (None, of(space, !side, -1)),
        Action::End | Action::Swap => (None, None),
    };
    Changes { onto, other }
}
