//! What a player of Invector would look at before counting variations: the shapes that stones make with the pits around
//! them, what could be captured, and how far all are from the centre.
#![expect(
    clippy::indexing_slicing,
    reason = "there is a part of the game for each number of stones, and a row for each pit"
)]

use std::sync::Arc;

use once_cell::sync::Lazy;

use super::{Invector, Position, Step, centre_offsets};
use crate::board::{Bitboard, Direction, Shape, map_array};
use crate::games::shapes::{Codes, PartOfTwo, SHAPES, Windows};
use crate::nnue::{self, Features, Layer, Weights};
use crate::rules::{Evaluate, Sides};

/// Parts of the game, the last one first: by how many tenths of the pits have stones, from each of these numbers on.
const PARTS: [u32; 3] = [3, 5, 7];
const BUCKETS: usize = PARTS.len() + 1;

/// So many columns and ranks beside the middle ones are told apart; what is farther counts as the last.
const FAR: usize = 6;

/// What is counted of either side, the own one first.
const OF_EACH: [&str; 7] = ["stone", "hit", "loose", "alone", "quiet", "safe", "far"];

/// And of both: whether stones touch, when the first to strike gains; and to be the one to move.
const OF_BOTH: [&str; 2] = ["contact", "move"];

const OTHERS: usize = 2 * OF_EACH.len() + OF_BOTH.len();

/// Neurons of the network on top of the shapes and of where stones are.
const NEURONS: usize = 32;

/// Boards with more pits than this, about 14x14, have no network: what it learned on smaller ones is wrong there.
const MOST_PITS: usize = 200;

/// The tables of boards with a network, and of those without.
static SMALL: Lazy<Weights> = Lazy::new(|| {
    let mut rows = SHAPES.names.clone();
    for side in SIDES {
        rows.extend((0..FAR).flat_map(|x| (0..FAR).map(move |y| format!("{side}.{x}.{y}"))));
    }
    let layer = Layer {
        only: 0,
        features: rows.len(),
        neurons: NEURONS,
    };
    rows.extend(names_of_others());
    Weights::built_in(
        rows,
        BUCKETS,
        layer,
        "invector, up to 200 pits",
        include_bytes!("weights/small.net"),
    )
});
static LARGE: Lazy<Weights> = Lazy::new(|| {
    let (rows, file) = (
        names_of_others().collect(),
        include_bytes!("weights/large.net"),
    );
    Weights::built_in(
        rows,
        BUCKETS,
        Layer::default(),
        "invector, more than 200 pits",
        file,
    )
});

const SIDES: [&str; 2] = ["own", "enemy"];

/// The rows behind the features of the network.
fn names_of_others() -> impl Iterator<Item = String> {
    let of_each = SIDES
        .iter()
        .flat_map(|side| OF_EACH.map(|what| format!("{side}.{what}")));
    of_each.chain(OF_BOTH.map(str::to_owned))
}

type Accumulator = nnue::Accumulator<BUCKETS, NEURONS>;
type Network = nnue::Network<BUCKETS, NEURONS>;
type Child<'a, B> = nnue::Child<'a, Position<B>, Step>;

/// The weights as a search reads them.
pub struct Parameters {
    located: Option<Located>,
    /// By output bucket, all but the features of the network.
    others: [[i32; OTHERS]; BUCKETS],
}

impl Parameters {
    fn new(weights: &Weights, shape: &Shape) -> Self {
        let Layer {
            features: first,
            neurons,
            ..
        } = weights.layer();
        let others = |bucket| std::array::from_fn(|other| weights.at(first + other, bucket));
        Self {
            located: (neurons > 0).then(|| Located::new(weights, shape)),
            others: std::array::from_fn(others),
        }
    }
}

/// The network of a board, and what its features are there.
struct Located {
    network: Arc<Network>,
    windows: Windows,
    /// By pit, the feature of an own stone and of an enemy one.
    places: Vec<[u16; 2]>,
    /// By pit and direction, the shapes that a step changes.
    steps: Vec<[Vec<PartOfTwo>; 4]>,
}

impl Located {
    fn new(weights: &Weights, shape: &Shape) -> Self {
        let windows = Windows::new(shape);
        let place = |cell| {
            let [x, y] = centre_offsets(shape, cell).map(|off| usize::from(off).min(FAR - 1));
            [0, 1].map(|side| (SHAPES.names.len() + (side * FAR + x) * FAR + y) as u16)
        };
        let step = |from, direction| {
            let to = shape.neighbor(from, direction);
            to.map_or_else(Vec::new, |to| windows.parts_of_two([from, to]))
        };
        Self {
            network: Network::of(weights),
            places: shape.cells().map(place).collect(),
            steps: shape
                .cells()
                .map(|from| Direction::ALL.map(|direction| step(from, direction)))
                .collect(),
            windows,
        }
    }

    /// The shapes that a step changes.
    #[inline(always)]
    fn parts(&self, step: Step) -> &[PartOfTwo] {
        &self.steps[step.from().index()][step.direction()]
    }

    /// Shows the features of all stones, for a side.
    #[inline(always)]
    fn stones<B: Bitboard>(&self, sides: [B; 2], mut show: impl FnMut(u16)) {
        for side in 0..sides.len() {
            for cell in sides[side].cells() {
                show(self.places[cell.index()][side]);
            }
        }
    }

    /// Adds the stones to an accumulator of shapes.
    #[inline(always)]
    fn add_stones<B: Bitboard>(&self, mut accumulator: Accumulator, sides: [B; 2]) -> Accumulator {
        self.stones(
            sides,
            #[inline(always)]
            |feature| accumulator.add(self.network.feature(feature)),
        );
        accumulator
    }
}

/// The digits that a step adds to the codes, in the pit it starts from and in the one it leads to, by whose stone it is.
#[inline(always)]
fn digits(is_own: bool, captures: bool) -> [i16; 2] {
    let (stone, enemy) = if is_own { (1, 2) } else { (2, 1) };
    [-stone, if captures { stone - enemy } else { stone }]
}

impl<B: Bitboard> Invector<B> {
    fn own_weights(&self) -> Weights {
        if self.shape.len() > MOST_PITS {
            LARGE.clone()
        } else {
            SMALL.clone()
        }
    }

    /// How often there is of one side what [`OF_EACH`] names.
    #[inline(always)]
    fn seen(&self, own: B, enemy: B) -> [i32; OF_EACH.len()] {
        let (near, near_enemy) = (self.grid.neighbors(own), self.grid.neighbors(enemy));
        // What the other side could capture, and of that what nobody stands next to who could strike back.
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
        let seen = [
            own.count(),
            hit.count(),
            (hit & !near).count(),
            (own & !near).count(),
            quiet,
            safe,
            far,
        ];
        map_array(
            seen,
            #[inline(always)]
            |count| count as i32,
        )
    }

    /// The output bucket with these stones.
    #[inline(always)]
    fn bucket(&self, stones: B) -> usize {
        let tenths = 10 * stones.count() / self.shape.len() as u32;
        let mut bucket = 0;
        for &least in &PARTS {
            bucket += usize::from(tenths >= least);
        }
        bucket
    }

    /// How often there is what the rows behind the features of the network are for.
    #[inline(always)]
    fn others(&self, own: B, enemy: B) -> [i32; OTHERS] {
        let (ours, theirs) = (self.seen(own, enemy), self.seen(enemy, own));
        let mut others = [1; OTHERS];
        for i in 0..OF_EACH.len() {
            others[i] = ours[i];
            others[OF_EACH.len() + i] = theirs[i];
        }
        others[2 * OF_EACH.len()] = i32::from(ours[1] > 0);
        others
    }

    /// The value of a position, with the accumulator where there is a network.
    #[inline(always)]
    fn value(
        &self,
        parameters: &Parameters,
        position: &Position<B>,
        accumulator: &Accumulator,
    ) -> i32 {
        let Sides { own, enemy } = position.stones;
        let bucket = self.bucket(own | enemy);
        let (times, weights) = (self.others(own, enemy), &parameters.others[bucket]);
        let mut value = 0;
        for other in 0..OTHERS {
            value += times[other] * weights[other];
        }
        if let Some(located) = &parameters.located {
            value += located.network.output(accumulator, bucket);
        }
        value
    }
}

impl<B: Bitboard> Features<Position<B>, Step> for Invector<B> {
    type Parameters = Parameters;
    type State = Codes;
    type Accumulator = Accumulator;

    #[inline(always)]
    fn parameters(&self) -> &Parameters {
        self.weights.parameters(
            || self.own_weights(),
            |weights| Parameters::new(weights, &self.shape),
        )
    }

    #[inline(always)]
    fn is_incremental<const GOES_ON: bool>(
        &self,
        parameters: &Parameters,
        Child { step, .. }: Child<'_, B>,
    ) -> bool {
        !step.is_special() && parameters.located.is_some()
    }

    #[inline(always)]
    fn read(
        &self,
        parameters: &Parameters,
        codes: &mut Codes,
        position: &Position<B>,
        _leaf: &Position<B>,
    ) {
        if let Some(Located { windows, .. }) = &parameters.located {
            windows.read(position.by_color(), codes);
        }
    }

    #[inline(always)]
    fn refresh(
        &self,
        parameters: &Parameters,
        codes: &Codes,
        position: &Position<B>,
        perspective: usize,
    ) -> Accumulator {
        let Some(located) = &parameters.located else {
            return Accumulator::default();
        };
        let [black, white] = position.by_color();
        let sides = if perspective == 0 {
            [black, white]
        } else {
            [white, black]
        };
        located.add_stones(
            located
                .windows
                .refresh_from(codes, perspective, &located.network),
            sides,
        )
    }

    /// A step changes the twelve shapes about the two pits.
    #[inline(always)]
    fn update<const GOES_ON: bool>(
        &self,
        parameters: &Parameters,
        accumulator: &mut Accumulator,
        codes: &mut Codes,
        child: Child<'_, B>,
    ) {
        let Child {
            position,
            step,
            perspective,
            ..
        } = child;
        let Some(located) = &parameters.located else {
            return;
        };
        let Located {
            network, places, ..
        } = located;
        let (parts, color) = (located.parts(step), position.side.index());
        let (from, to) = (step.from(), self.target(step));
        let captures = position.stones.enemy.has(to);
        let (from, to) = (places[from.index()], places[to.index()]);
        // Every such step passes the turn: a child is seen by the side that did not move, and its parent by the one that did.
        let is_own = GOES_ON;
        let (mover, other) = if is_own { (0, 1) } else { (1, 0) };
        accumulator.exchange(network.feature(from[mover]), network.feature(to[mover]));
        if captures {
            accumulator.remove(network.feature(to[other]));
        }
        let more = digits(is_own, captures);
        located
            .windows
            .exchange_two(accumulator, codes, parts, perspective, more, network);
        if GOES_ON {
            Windows::change_two(
                codes,
                parts,
                [digits(color == 0, captures), digits(color == 1, captures)],
            );
        }
    }

    #[inline(always)]
    fn output(
        &self,
        parameters: &Parameters,
        accumulator: &mut Accumulator,
        _: &Codes,
        child: Child<'_, B>,
    ) -> i32 {
        self.value(parameters, child.next, accumulator)
    }
}

impl<B: Bitboard> Evaluate for Invector<B> {
    fn weights(&self) -> &Weights {
        self.weights.weights(|| self.own_weights())
    }

    fn set_weights(&mut self, weights: Weights) {
        self.weights.set(weights);
    }

    #[inline(always)]
    fn terms(&self, position: &Position<B>, mut add: impl FnMut(usize, usize, i32)) {
        let Sides { own, enemy } = position.stones;
        let bucket = self.bucket(own | enemy);
        if let Some(located) = &self.parameters().located {
            let mut add_row = |row: u16| add(row.into(), bucket, 1);
            located.windows.rows(own, enemy, &mut add_row);
            located.stones([own, enemy], &mut add_row);
        }
        let first = self.weights().layer().features;
        (first..)
            .zip(self.others(own, enemy))
            .for_each(|(row, times)| add(row, bucket, times));
    }

    #[inline(always)]
    fn evaluate(&self, position: &Position<B>) -> i32 {
        let Sides { own, enemy } = position.stones;
        let parameters = self.parameters();
        let accumulator = match &parameters.located {
            Some(located) => located.add_stones(
                located.windows.refresh(own, enemy, &located.network),
                [own, enemy],
            ),
            None => Accumulator::default(),
        };
        self.value(parameters, position, &accumulator)
    }
}
