//! The network: what each space and what is around it makes of the game, with how far both players are from losing.
#![expect(
    clippy::indexing_slicing,
    reason = "tables have an entry for each column and each row, and are indexed by those"
)]

use std::sync::Arc;

use super::super::steps::Action;
use super::super::{Gravel, Position, Step};
use super::surroundings::{self, Change, Surroundings};
use super::{BUCKETS, MARGIN, SPARE, bucket, built_in};
use crate::board::{Bitboard, Cell, Mailbox};
use crate::nnue::{self, Features, Layer, Weights};
use crate::rules::Color;

/// Neurons of the network.
const NEURONS: usize = 32;

/// So many numbers of pieces in a pool are told apart, from none on.
const POOL: usize = 8;

/// What may still be done in a turn, and by so many numbers of actions, from one on.
const MAY: [&str; 3] = ["place", "remove", "both"];
const LEFT: usize = 4;

/// Rows behind those of spaces that are seen or not: of each player the margin, what it has to spare and its pool, and what may
/// still be done.
const OF_SIDE: usize = MARGIN + SPARE + POOL;
const STATES: usize = 2 * OF_SIDE + MAY.len() * LEFT;

/// Rows behind all features of the network: of each player its spaces and what it has lost.
const COUNTS: [&str; 4] = ["own.space", "own.removed", "enemy.space", "enemy.removed"];
const OTHERS: usize = STATES + COUNTS.len();

type Accumulator = nnue::Accumulator<0, NEURONS>;
/// The network as a search reads it, where there is one.
pub type Parameters = Option<Network>;
type Child<'a, B> = nnue::Child<'a, Position<B>, Step>;

/// A table of weights with a network.
pub(super) fn table(purpose: &str, file: &[u8]) -> Weights {
    let mut rows: Vec<String> = surroundings::names().collect();
    for side in ["own", "enemy"] {
        for (what, numbers) in [("margin", MARGIN), ("spare", SPARE), ("pool", POOL)] {
            rows.extend((0..numbers).map(|number| format!("{side}.{what}.{number}")));
        }
    }
    rows.extend(
        MAY.iter()
            .flat_map(|may| (1..=LEFT).map(move |left| format!("{may}.{left}"))),
    );
    let layer = Layer {
        only: surroundings::ROWS,
        features: rows.len(),
        neurons: NEURONS,
    };
    rows.extend(COUNTS.map(str::to_owned));
    Weights::built_in(rows, BUCKETS, layer, purpose, file)
}

/// The weights as a search reads them.
pub struct Network {
    network: Arc<nnue::Network<0, NEURONS>>,
    /// By output bucket, the rows behind those of spaces.
    others: Vec<[i32; OTHERS]>,
}

impl Network {
    /// Reads a table, if it has a network.
    pub(super) fn new(weights: &Weights) -> Option<Self> {
        let others =
            |bucket| std::array::from_fn(|row| weights.at(surroundings::ROWS + row, bucket));
        (weights.layer().neurons == NEURONS).then(|| Self {
            network: nnue::Network::of(weights),
            others: (0..weights.buckets()).map(others).collect(),
        })
    }
}

/// What is seen of a position but its spaces, by rows behind theirs.
struct Rest {
    states: [usize; 7],
    counts: [i32; COUNTS.len()],
}

impl<B: Bitboard> Gravel<B> {
    #[inline(always)]
    fn rest(&self, position: &Position<B>) -> Rest {
        let of_side = |color: Color| {
            let (margin, spare) = self.distances(position, color);
            let pool = self.pool(position, color) as usize;
            [margin, MARGIN + spare, MARGIN + SPARE + pool.min(POOL - 1)]
        };
        let (own, enemy) = (position.side, !position.side);
        let [a, b, c] = of_side(own);
        let [d, e, f] = of_side(enemy);
        let (used, left) = (
            position.used,
            self.x.saturating_sub(position.used.total()) as usize,
        );
        let may = match (used.may_place(), used.may_remove(self.x)) {
            (true, true) => 2,
            (false, _) => 1,
            (true, false) => 0,
        };
        let may = 2 * OF_SIDE + LEFT * may + left.clamp(1, LEFT) - 1;
        let count = |color: Color| {
            let spaces = position.spaces[color.index()].count();
            [spaces as i32, position.removed[color.index()] as i32]
        };
        let ([own_spaces, own_removed], [enemy_spaces, enemy_removed]) = (count(own), count(enemy));
        Rest {
            states: [a, b, c, OF_SIDE + d, OF_SIDE + e, OF_SIDE + f, may],
            counts: [own_spaces, own_removed, enemy_spaces, enemy_removed],
        }
    }

    /// Shows what there is in a position.
    pub(super) fn terms_of_network(
        &self,
        position: &Position<B>,
        mut add: impl FnMut(usize, usize, i32),
    ) {
        let bucket = bucket(position, self.pieces);
        let mut surroundings = Surroundings::default();
        surroundings.read(self, position);
        surroundings.for_each(self, position.side.index(), |row| {
            add(row.into(), bucket, 1)
        });
        let Rest { states, counts } = self.rest(position);
        for &state in &states {
            add(surroundings::ROWS + state, bucket, 1);
        }
        for (row, count) in (surroundings::ROWS + STATES..).zip(counts) {
            add(row, bucket, count);
        }
    }

    /// The value of a position; none without a network.
    #[inline(always)]
    pub(super) fn value_of_network(&self, position: &Position<B>) -> Option<i32> {
        let (parameters, mut state) = (self.parameters(), State::default());
        let network = parameters.as_ref()?;
        self.read(parameters, &mut state, position, position);
        let mut accumulator = self.refresh(parameters, &state, position, position.side.index());
        Some(self.value(network, position, &mut accumulator))
    }

    /// Changes a stack.
    #[inline(always)]
    fn change<const GOES_ON: bool>(
        &self,
        parameters: &Parameters,
        accumulator: &mut Accumulator,
        surroundings: &mut Surroundings,
        change: Change,
        perspective: usize,
    ) {
        let Some(Network { network, .. }) = parameters else {
            return;
        };
        surroundings.change::<GOES_ON, B>(
            self,
            perspective,
            change,
            #[inline(always)]
            |[gone, come]| accumulator.exchange(network.feature(gone), network.feature(come)),
        );
    }

    /// The value of a position, with the accumulator of its spaces.
    #[inline(always)]
    fn value(
        &self,
        Network { network, others }: &Network,
        position: &Position<B>,
        accumulator: &mut Accumulator,
    ) -> i32 {
        let bucket = bucket(position, self.pieces);
        let others = &others[bucket];
        let Rest { states, counts } = self.rest(position);
        let mut value = 0;
        for &state in &states {
            value += others[state];
            accumulator.add(network.feature((surroundings::ROWS + state) as u16));
        }
        for count in 0..COUNTS.len() {
            value += counts[count] * others[STATES + count];
        }
        value + network.output(accumulator, bucket)
    }
}

/// What the network sees of a position, and the same with a piece more: many relocations lead to the same space.
#[derive(Default)]
pub struct State {
    surroundings: Surroundings,
    /// The piece, and for which perspective the accumulator is.
    put: Option<(Change, usize)>,
    with_put: Surroundings,
    accumulator: Accumulator,
    /// A child's. (Here the compiler works on whole vectors, which it does not where this is a variable.)
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
        self.surroundings.copy(&other.surroundings);
        self.put = None;
    }
}

impl<B: Bitboard> Features<Position<B>, Step> for Gravel<B> {
    type Parameters = Parameters;
    type State = State;
    type Accumulator = Accumulator;

    #[inline(always)]
    fn parameters(&self) -> &Parameters {
        self.weights
            .parameters(|| built_in(self.shape.columns()), Network::new)
    }

    #[inline(always)]
    fn is_incremental<const GOES_ON: bool>(
        &self,
        parameters: &Parameters,
        Child { step, .. }: Child<'_, B>,
    ) -> bool {
        step.action() != Action::Swap && parameters.is_some()
    }

    #[inline(always)]
    fn read(&self, _: &Parameters, state: &mut State, position: &Position<B>, _leaf: &Position<B>) {
        state.surroundings.read(self, position);
        state.put = None;
    }

    #[inline(always)]
    fn refresh(
        &self,
        parameters: &Parameters,
        state: &State,
        _: &Position<B>,
        perspective: usize,
    ) -> Accumulator {
        let Some(Network { network, .. }) = parameters else {
            return Accumulator::default();
        };
        let mut accumulator = network.bias();
        state.surroundings.for_each(
            self,
            perspective,
            #[inline(always)]
            |row| accumulator.add(network.feature(row)),
        );
        accumulator
    }

    /// A step changes one or two stacks and what is around their neighbours. This is for steps that go on alone.
    #[inline(always)]
    fn update<const GOES_ON: bool>(
        &self,
        parameters: &Parameters,
        accumulator: &mut Accumulator,
        state: &mut State,
        child: Child<'_, B>,
    ) {
        let Child {
            position,
            step,
            perspective,
            ..
        } = child;
        let Changes { onto, other } = changes(position, step);
        for &change in &[onto, other] {
            if let Some(change) = change {
                self.change::<true>(
                    parameters,
                    accumulator,
                    &mut state.surroundings,
                    change,
                    perspective,
                );
            }
        }
    }

    /// Where a piece is moved onto a space, all children that have it there go on from one accumulator.
    #[inline(always)]
    fn evaluate_child(
        &self,
        parameters: &Parameters,
        state: &mut State,
        before: &Accumulator,
        Child {
            position,
            step,
            next,
            perspective,
        }: Child<'_, B>,
    ) -> i32 {
        let Changes { onto, other } = changes(position, step);
        let surroundings = match onto {
            Some(onto) => {
                if state.put != Some((onto, perspective)) {
                    state.with_put.copy(&state.surroundings);
                    state.accumulator = *before;
                    self.change::<true>(
                        parameters,
                        &mut state.accumulator,
                        &mut state.with_put,
                        onto,
                        perspective,
                    );
                    state.put = Some((onto, perspective));
                }
                state.child = state.accumulator;
                &mut state.with_put
            }
            None => {
                state.child = *before;
                &mut state.surroundings
            }
        };
        if let Some(change) = other {
            self.change::<false>(
                parameters,
                &mut state.child,
                surroundings,
                change,
                perspective,
            );
        }
        parameters.as_ref().map_or(
            0,
            #[inline(always)]
            |network| self.value(network, next, &mut state.child),
        )
    }
}

/// How a step changes stacks: one that loses or gets a piece, and before that, one that a piece is moved onto.
struct Changes {
    onto: Option<Change>,
    other: Option<Change>,
}

/// How a step, which is no swap, changes the stacks of a position.
#[inline(always)]
fn changes<B: Bitboard>(position: &Position<B>, step: Step) -> Changes {
    let of = |space: Cell, color, by: i8| {
        let before = position.heights.get(space);
        Some(Change {
            space,
            color,
            before,
            after: before.wrapping_add_signed(by),
        })
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
