//! What a player of Invictus would look at before counting variations: where the dice are and what captures what, the points, and
//! the race: whoever brings the last die home ends the game.

use std::sync::Arc;

use once_cell::sync::Lazy;

use super::stands::{self, Change, Row, Stands, VALUES};
use super::{Action, DIRECTIONS, Invictus, Position, Step};
use crate::board::{Bitboard, Cell};
use crate::nnue::{self, Features, Layer, Weights};
use crate::rules::{Color, Evaluate};

/// Parts of the game for the dice of a side, the last one first: by how many steps the other side still needs to bring all
/// of its own home, at most; what is more is one part more. Dice that have not crossed the Divide by then are worth nothing.
const PARTS: [u32; 3] = [6, 26, 70];

/// An output bucket for each part for the side to move and each for the other.
const BUCKETS: usize = (PARTS.len() + 1) * (PARTS.len() + 1);

/// So many steps are needed from where a die is set again.
const FROM_HAND: u32 = 7;

/// How clearly a game was won: so many points more make the odds e times as good.
const POINTS: f64 = 6.0;

/// Points beyond these are not told apart.
const MOST_POINTS: u32 = 1000;

/// Neurons of the network.
const NEURONS: usize = 32;

/// Features behind those of the dice of both sides: the values of a die in hand. A one that is captured is gone.
const HELD: usize = 2 * stands::ROWS;
const FEATURES: usize = HELD + VALUES - 1;

/// Rows behind the network's features: points scored more than the other side, and to be the one to move.
const POINT: usize = FEATURES;
const MOVE: usize = POINT + 1;

static WEIGHTS: Lazy<Weights> = Lazy::new(|| {
    let sides = ["own", "enemy"].iter();
    let mut rows: Vec<String> = sides
        .flat_map(|side| {
            stands::names()
                .into_iter()
                .map(move |name| format!("{side}.{name}"))
        })
        .collect();
    rows.extend((1..VALUES).map(|value| format!("held.{value}")));
    rows.extend(["point", "move"].map(str::to_owned));
    let layer = Layer {
        only: 0,
        features: FEATURES,
        neurons: NEURONS,
    };
    Weights::built_in(
        rows,
        BUCKETS,
        layer,
        "invictus",
        include_bytes!("weights.net"),
    )
});

type Accumulator = nnue::Accumulator<BUCKETS, NEURONS>;
type Network = nnue::Network<BUCKETS, NEURONS>;
type Child<'a, B> = nnue::Child<'a, Position<B>, Step>;

/// The weights as a search reads them.
pub struct Parameters {
    network: Arc<Network>,
    /// By output bucket, a point and the move.
    others: [[i32; 2]; BUCKETS],
}

impl Parameters {
    fn new(weights: &Weights) -> Self {
        let others = |bucket| [POINT, MOVE].map(|row| weights.at(row, bucket));
        Self {
            network: Network::of(weights),
            others: std::array::from_fn(others),
        }
    }
}

/// The feature of a row of a die, from a perspective.
#[inline(always)]
fn feature(perspective: usize, Row { color, row }: Row) -> u16 {
    if color == perspective {
        row
    } else {
        row + stands::ROWS as u16
    }
}

#[inline(always)]
fn weights(network: &Network, perspective: usize, row: Row) -> &Accumulator {
    network.feature(feature(perspective, row))
}

/// What the network sees of a position.
#[derive(Clone, Copy, Default)]
pub struct State {
    stands: Stands,
    /// How many steps Black and White need to bring all dice home.
    races: [u32; 2],
}

impl<B: Bitboard> Invictus<B> {
    /// How many steps a side needs to bring its dice home.
    #[inline(always)]
    fn race(&self, dice: B, color: Color) -> u32 {
        let ranks = &self.ranks_forward[color.index()];
        let mut race = 0;
        for steps in 0..ranks.len() {
            race += steps as u32 * (dice & ranks[ranks.len() - 1 - steps]).count();
        }
        race
    }

    /// The output bucket of a position in which Black and White need so many steps.
    #[inline(always)]
    fn bucket(&self, position: &Position<B>, races: [u32; 2]) -> usize {
        let (own_race, enemy_race) = (
            races[position.side.index()],
            races[(!position.side).index()],
        );
        let in_hand = if position.hand > 0 { FROM_HAND } else { 0 };
        let part = |race: u32| {
            let mut part = 0;
            for &most in &PARTS {
                part += usize::from(race > most);
            }
            part
        };
        (PARTS.len() + 1) * part(enemy_race) + part(own_race + in_hand)
    }

    /// How many steps Black and White need.
    #[inline(always)]
    fn races(&self, position: &Position<B>) -> [u32; 2] {
        let [black, white] = position.by_color();
        [
            self.race(black, Color::Black),
            self.race(white, Color::White),
        ]
    }

    /// The same behind a step from a position where they need so many.
    #[inline(always)]
    fn races_after(&self, position: &Position<B>, step: Step, mut races: [u32; 2]) -> [u32; 2] {
        let side = position.side;
        let home = |color: Color, cell: Cell| {
            8 - u32::from(self.rank_forward[color.index()][cell.index()])
        };
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

    /// How many points the side to move has scored more than the other.
    #[inline(always)]
    fn lead(&self, position: &Position<B>) -> i32 {
        let score = |color: Color| position.scored[color.index()].min(MOST_POINTS) as i32;
        let (black, white) = (score(Color::Black), score(Color::White));
        if position.side == Color::Black {
            black - white
        } else {
            white - black
        }
    }

    /// The feature of a die in hand.
    #[inline(always)]
    fn held(&self, position: &Position<B>) -> Option<u16> {
        (position.hand > 0).then(|| (HELD + usize::from(position.hand) - 1) as u16)
    }

    /// The value of a position, with the accumulator of its dice and the races.
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
    fn is_incremental<const GOES_ON: bool>(&self, _: &Parameters, _child: Child<'_, B>) -> bool {
        true
    }

    #[inline(always)]
    fn read(&self, _: &Parameters, state: &mut State, position: &Position<B>, _leaf: &Position<B>) {
        state.stands.read(position);
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
        state.stands.for_each(
            position,
            #[inline(always)]
            |row| {
                accumulator.add(weights(network, perspective, row));
            },
        );
        accumulator
    }

    /// A step changes where one die or two are, and how those about them stand.
    #[inline(always)]
    fn update<const GOES_ON: bool>(
        &self,
        Parameters { network, .. }: &Parameters,
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
        state.stands.change::<GOES_ON, B>(
            self,
            position,
            step,
            #[inline(always)]
            |change| match change {
                Change::Gone(row) => accumulator.remove(weights(network, perspective, row)),
                Change::Come(row) => accumulator.add(weights(network, perspective, row)),
                Change::Other([gone, come]) => {
                    accumulator.exchange(
                        weights(network, perspective, gone),
                        weights(network, perspective, come),
                    );
                }
            },
        );
        if GOES_ON {
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
        let Child {
            position,
            step,
            next,
            ..
        } = child;
        self.value(
            parameters,
            next,
            accumulator,
            self.races_after(position, step, state.races),
        )
    }
}

impl<B: Bitboard> Evaluate for Invictus<B> {
    fn weights(&self) -> &Weights {
        self.weights.weights(|| WEIGHTS.clone())
    }

    fn set_weights(&mut self, weights: Weights) {
        self.weights.set(weights);
    }

    /// Clear wins count more than narrow ones: the points say more than who won.
    fn training_target(&self, end: &Position<B>) -> f64 {
        let [black, white] = Color::BOTH.map(|color| f64::from(self.points(end, color)));
        1.0 / (1.0 + libm::exp((white - black) / POINTS))
    }

    #[inline(always)]
    fn terms(&self, position: &Position<B>, mut add: impl FnMut(usize, usize, i32)) {
        let bucket = self.bucket(position, self.races(position));
        let mut stands = Stands::default();
        stands.read(position);
        stands.for_each(position, |row| {
            add(feature(position.side.index(), row).into(), bucket, 1)
        });
        if let Some(held) = self.held(position) {
            add(held.into(), bucket, 1);
        }
        add(POINT, bucket, self.lead(position));
        add(MOVE, bucket, 1);
    }

    #[inline(always)]
    fn evaluate(&self, position: &Position<B>) -> i32 {
        let (parameters, mut state) = (self.parameters(), State::default());
        self.read(parameters, &mut state, position, position);
        let mut accumulator = self.refresh(parameters, &state, position, position.side.index());
        self.value(parameters, position, &mut accumulator, state.races)
    }

    /// The value of the die that a step captures.
    #[inline(always)]
    fn ordering_score(&self, position: &Position<B>, step: Step) -> i32 {
        match step.action() {
            Action::Move { from, direction } => {
                position.value_at(self.target(from, direction)).into()
            }
            Action::Set { .. } | Action::Pass => 0,
        }
    }
}
