//! The evaluation of Invictus: the dice with their neighbors, the points, and the race of both sides to bring dice
//! home.

use std::sync::Arc;

use once_cell::sync::Lazy;

use super::die_features::{self, Change, DieFeature, DieFeatures, VALUES};
use super::{Action, DIRECTIONS, Invictus, Position, Step};
use crate::board::{Bitboard, Cell};
use crate::nnue::{self, Features, HiddenLayers, Weights};
use crate::rules::{Color, Evaluate, Position as _};

/// Bounds between the phases of a side's race, the last phase first.
///
/// They are maximum numbers of steps that the side needs to bring its dice home. More is one phase more. Dice of the
/// other side that have not crossed the Divide when the race ends score nothing.
const PHASES: [u32; 3] = [6, 26, 70];

/// Number of output buckets: one for each pair of phases of the two sides.
const BUCKETS: usize = (PHASES.len() + 1) * (PHASES.len() + 1);

/// Steps that a die in hand counts for in the race of its side.
const FROM_HAND: u32 = 7;

/// Lead in points that stands for one unit of log-odds in training targets.
const TARGET_POINTS: f64 = 6.0;

/// Maximum points of a side in the evaluation.
const MAX_POINTS: u32 = 1000;

/// Neurons of the network.
const NEURONS: usize = 32;

/// First feature of a die in hand, by its value. They follow the features of dice on the board.
const HELD: usize = 2 * die_features::COUNT;

/// Number of inputs of the network. A captured die comes to hand with 1 less, so its value is 1 to 5.
const INPUTS: usize = HELD + VALUES - 1;

/// Feature of the lead in points, the first that does not feed the network.
const POINT: usize = INPUTS;

/// Feature of the side to move, which is always 1.
const MOVE: usize = POINT + 1;

static WEIGHTS: Lazy<Weights> = Lazy::new(|| {
    let sides = ["own", "enemy"].iter();
    let mut names: Vec<String> =
        sides.flat_map(|side| die_features::names().into_iter().map(move |name| format!("{side}.{name}"))).collect();
    names.extend((1..VALUES).map(|value| format!("held.{value}")));
    names.extend(["point", "move"].map(str::to_owned));
    let layers = HiddenLayers { neuron_only: 0, inputs: INPUTS, neurons: NEURONS, second: 0 };
    Weights::built_in(names, BUCKETS, layers, "invictus", include_bytes!("weights.net"))
});

type Accumulator = nnue::Accumulator<BUCKETS, NEURONS>;
type Network = nnue::Network<BUCKETS, NEURONS>;
type Child<'a, B> = nnue::Child<'a, Position<B>, Step>;

/// Weights in the layout that a search reads.
pub struct Parameters {
    network: Arc<Network>,
    /// By output bucket, the weights of a point and of the side to move.
    others: [[i32; 2]; BUCKETS],
}

impl Parameters {
    fn new(weights: &Weights) -> Self {
        let others = |bucket| [POINT, MOVE].map(|feature| weights.weight(feature, bucket));
        Self { network: Network::of(weights), others: std::array::from_fn(others) }
    }
}

/// Returns the feature of a die from a perspective: own dice first, then enemy ones.
#[inline(always)]
fn feature(perspective: usize, DieFeature { color, feature }: DieFeature) -> u16 {
    if color == perspective { feature } else { feature + die_features::COUNT as u16 }
}

#[inline(always)]
fn weights(network: &Network, perspective: usize, die: DieFeature) -> &Accumulator {
    network.feature(feature(perspective, die))
}

/// Features of the dice, and the races.
#[derive(Clone, Copy, Default)]
pub struct State {
    dice: DieFeatures,
    /// Steps that Black and White need to bring all their dice home.
    races: [u32; 2],
}

impl<B: Bitboard> Invictus<B> {
    /// Returns the number of steps that a side needs to bring its dice home.
    #[inline(always)]
    fn race(&self, dice: B, color: Color) -> u32 {
        let ranks = &self.ranks_forward[color.index()];
        let mut race = 0;
        for steps in 0..ranks.len() {
            race += steps as u32 * (dice & ranks[ranks.len() - 1 - steps]).count();
        }
        race
    }

    /// Returns the output bucket of a position with these races of Black and White.
    #[inline(always)]
    fn bucket(&self, position: &Position<B>, races: [u32; 2]) -> usize {
        let (own_race, enemy_race) = (races[position.side.index()], races[(!position.side).index()]);
        let in_hand = if position.hand > 0 { FROM_HAND } else { 0 };
        let phase = |race: u32| {
            let mut phase = 0;
            for &bound in &PHASES {
                phase += usize::from(race > bound);
            }
            phase
        };
        (PHASES.len() + 1) * phase(enemy_race) + phase(own_race + in_hand)
    }

    /// Returns the races of Black and White: the steps that they need to bring their dice home.
    #[inline(always)]
    fn races(&self, position: &Position<B>) -> [u32; 2] {
        let [black, white] = position.pieces();
        [self.race(black, Color::Black), self.race(white, Color::White)]
    }

    /// Returns the races after a step, from those before it.
    #[inline(always)]
    fn races_after(&self, position: &Position<B>, step: Step, mut races: [u32; 2]) -> [u32; 2] {
        let side = position.side;
        let home = |color: Color, cell: Cell| 8 - u32::from(self.rank_forward[color.index()][cell.index()]);
        match step.action() {
            Action::Set { cell, .. } => races[side.index()] += home(side, cell),
            Action::Move { from, direction } => {
                let to = self.target(from, direction);
                races[side.index()] -= u32::from(DIRECTIONS[direction].1 != 0);
                if position.dice.enemy.has(to) {
                    races[(!side).index()] -= home(!side, to);
                }
            }
            Action::Pass => {}
        }
        races
    }

    /// Returns the lead in points of the side to move.
    #[inline(always)]
    fn lead(&self, position: &Position<B>) -> i32 {
        let score = |color: Color| position.scored[color.index()].min(MAX_POINTS) as i32;
        let (black, white) = (score(Color::Black), score(Color::White));
        if position.side == Color::Black { black - white } else { white - black }
    }

    /// Returns the feature of the die in hand, if there is one.
    #[inline(always)]
    fn held(&self, position: &Position<B>) -> Option<u16> {
        (position.hand > 0).then(|| (HELD + usize::from(position.hand) - 1) as u16)
    }

    /// Returns the value of a position for the side to move, with the accumulator of its dice and the races.
    #[inline(always)]
    fn value(
        &self,
        Parameters { network, others }: &Parameters,
        position: &Position<B>,
        accumulator: &mut Accumulator,
        races: [u32; 2],
    ) -> i32 {
        let bucket = self.bucket(position, races);
        if let Some(held) = self.held(position) {
            accumulator.add(network.feature(held));
        }
        let [point, to_move] = others[bucket];
        network.output(accumulator, bucket) + self.lead(position) * point + to_move
    }
}

impl<B: Bitboard> Features<Position<B>, Step> for Invictus<B> {
    type Parameters = Parameters;
    type State = State;
    type Accumulator = Accumulator;

    #[inline(always)]
    fn parameters(&self) -> &Parameters {
        self.weights.parameters(|| WEIGHTS.clone(), Parameters::new)
    }

    #[inline(always)]
    fn is_incremental<const ADVANCE: bool>(&self, _: &Parameters, _child: Child<'_, B>) -> bool {
        true
    }

    #[inline(always)]
    fn refresh_state(&self, _: &Parameters, state: &mut State, position: &Position<B>, _leaf: &Position<B>) {
        state.dice.refresh(position);
        state.races = self.races(position);
    }

    #[inline(always)]
    fn refresh(
        &self,
        Parameters { network, .. }: &Parameters,
        state: &State,
        position: &Position<B>,
        perspective: usize,
    ) -> Accumulator {
        let mut accumulator = network.bias();
        state.dice.for_each(
            position,
            #[inline(always)]
            |die| {
                accumulator.add(weights(network, perspective, die));
            },
        );
        accumulator
    }

    /// Updates the features of the one or two dice that a step moves or captures, and of the dice near them.
    #[inline(always)]
    fn update<const ADVANCE: bool>(
        &self,
        Parameters { network, .. }: &Parameters,
        accumulator: &mut Accumulator,
        state: &mut State,
        child: Child<'_, B>,
    ) {
        let Child { position, step, perspective, .. } = child;
        state.dice.update::<ADVANCE, B>(
            self,
            position,
            step,
            #[inline(always)]
            |change| match change {
                Change::Remove(die) => accumulator.remove(weights(network, perspective, die)),
                Change::Add(die) => accumulator.add(weights(network, perspective, die)),
                Change::Replace([old, new]) => {
                    accumulator.replace(weights(network, perspective, old), weights(network, perspective, new));
                }
            },
        );
        if ADVANCE {
            state.races = self.races_after(position, step, state.races);
        }
    }

    #[inline(always)]
    fn output(
        &self,
        parameters: &Parameters,
        accumulator: &mut Accumulator,
        state: &State,
        child: Child<'_, B>,
    ) -> i32 {
        let Child { position, step, next, .. } = child;
        self.value(parameters, next, accumulator, self.races_after(position, step, state.races))
    }
}

impl<B: Bitboard> Evaluate for Invictus<B> {
    fn weights(&self) -> &Weights {
        self.weights.weights(|| WEIGHTS.clone())
    }

    fn set_weights(&mut self, weights: Weights) {
        self.weights.set(weights);
    }

    /// Returns the value of a finished game for Black, from 0 to 1, by the lead in points.
    ///
    /// The lead says more about the play than the winner alone.
    fn training_target(&self, end: &Position<B>) -> f64 {
        let [black, white] = Color::BOTH.map(|color| f64::from(self.points(end, color)));
        1.0 / (1.0 + libm::exp((white - black) / TARGET_POINTS))
    }

    #[inline(always)]
    fn terms(&self, position: &Position<B>, mut add: impl FnMut(usize, usize, i32)) {
        let bucket = self.bucket(position, self.races(position));
        let mut dice = DieFeatures::default();
        dice.refresh(position);
        dice.for_each(position, |die| add(feature(position.side.index(), die).into(), bucket, 1));
        if let Some(held) = self.held(position) {
            add(held.into(), bucket, 1);
        }
        add(POINT, bucket, self.lead(position));
        add(MOVE, bucket, 1);
    }

    #[inline(always)]
    fn evaluate(&self, position: &Position<B>) -> i32 {
        let (parameters, mut state) = (self.parameters(), State::default());
        self.refresh_state(parameters, &mut state, position, position);
        let mut accumulator = self.refresh(parameters, &state, position, position.side.index());
        self.value(parameters, position, &mut accumulator, state.races)
    }

    /// Returns the value of the die that a step captures, or 0.
    #[inline(always)]
    fn ordering_score(&self, position: &Position<B>, step: Step) -> i32 {
        match step.action() {
            Action::Move { from, direction } => position.value_at(self.target(from, direction)).into(),
            Action::Set { .. } | Action::Pass => 0,
        }
    }
}
