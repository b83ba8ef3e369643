//! What a player of Markane would look at before counting variations: the shapes that stones make with the pits around
//! them, and where each side may place.
#![expect(
    clippy::indexing_slicing,
    reason = "tables have an entry for each colour, perspective, number of pits and output bucket"
)]

use std::sync::Arc;

use once_cell::sync::Lazy;

use super::{CellStep, Markane, Position};
use crate::board::{Bitboard, map_array};
use crate::games::shapes::{Codes, DIGITS, SHAPES};
use crate::nnue::{self, Features, Layer, Weights};
use crate::rules::{Evaluate, Sides};

/// Parts of the game, the last one first: by how many tenths of the pits are empty, from each of these numbers on.
const PARTS: [usize; 3] = [4, 6, 8];

/// An output bucket for each part, for a turn that ends with the next placement, unless that captures, and for one that goes on; both for an
/// even number of empty pits and for an odd one: every turn fills one more, so this tells who is to be the last.
const BUCKETS: usize = 4 * (PARTS.len() + 1);

/// So many pits to place in are told apart, less one.
const ROOM: usize = 12;

/// Rows behind the shapes: pits to place in, of each side and of it alone; placements owed beyond the first; to be
/// the one to move; and behind these, one for each pair of numbers of pits that only one side may place in.
const OTHERS: [&str; 6] = ["own", "enemy", "own.only", "enemy.only", "owed", "move"];

/// Neurons of the network on top of the shapes.
const NEURONS: usize = 64;

static WEIGHTS: Lazy<Weights> = Lazy::new(|| {
    let mut rows = SHAPES.names.clone();
    rows.extend(OTHERS.map(str::to_owned));
    rows.extend(
        (0..ROOM).flat_map(|own| (0..ROOM).map(move |enemy| format!("room.{own}.{enemy}"))),
    );
    let layer = Layer {
        only: 0,
        features: SHAPES.names.len(),
        neurons: NEURONS,
    };
    Weights::built_in(
        rows,
        BUCKETS,
        layer,
        "markane",
        include_bytes!("weights.net"),
    )
});

type Accumulator = nnue::Accumulator<BUCKETS, NEURONS>;
type Network = nnue::Network<BUCKETS, NEURONS>;
type Child<'a, B> = nnue::Child<'a, Position<B>, CellStep>;

/// The weights as a search reads them.
pub struct Parameters {
    network: Arc<Network>,
    others: [Others; BUCKETS],
}

impl Parameters {
    fn new(weights: &Weights) -> Self {
        Self {
            network: Network::of(weights),
            others: std::array::from_fn(|bucket| Others::new(weights, bucket)),
        }
    }
}

/// The weights of all but shapes in an output bucket.
struct Others {
    others: [i32; OTHERS.len()],
    /// By how many pits only the own side may place in, and how many only the enemy.
    room: [[i32; ROOM]; ROOM],
}

impl Others {
    fn new(weights: &Weights, bucket: usize) -> Self {
        let first = SHAPES.names.len();
        let room = |own, enemy| weights.at(first + OTHERS.len() + own * ROOM + enemy, bucket);
        Self {
            others: std::array::from_fn(|other| weights.at(first + other, bucket)),
            room: std::array::from_fn(|own| std::array::from_fn(|enemy| room(own, enemy))),
        }
    }
}

/// By how many pits are empty, the part of the game.
pub(super) fn parts(pits: usize) -> Vec<u8> {
    let part = |left| {
        PARTS
            .iter()
            .filter(|&&least| 10 * left / pits >= least)
            .count() as u8
    };
    (0..=pits).map(part).collect()
}

impl<B: Bitboard> Markane<B> {
    /// The output bucket of a position.
    #[inline(always)]
    fn bucket(&self, position: &Position<B>) -> usize {
        let Sides { own, enemy } = position.stones;
        let left = self.shape.len() - (own | enemy).count() as usize;
        4 * usize::from(self.parts[left]) + 2 * usize::from(position.owed > 1) + left % 2
    }

    /// How often there is what the rows behind the shapes are for, and in how many pits only each side may place.
    #[inline(always)]
    fn others(&self, position: &Position<B>) -> ([i32; OTHERS.len()], [usize; 2]) {
        let Sides { own, enemy } = position.stones;
        let mine = self.placements(own, enemy);
        let theirs = self.placements(enemy, own);
        let count = |set: B| set.count() as i32;
        let alone = [count(mine & !theirs), count(theirs & !mine)];
        let others = [
            count(mine),
            count(theirs),
            alone[0],
            alone[1],
            position.owed as i32 - 1,
            1,
        ];
        (
            others,
            map_array(
                alone,
                #[inline(always)]
                |pits| (pits as usize).min(ROOM - 1),
            ),
        )
    }

    /// The value of a position, with the accumulator of its shapes.
    #[inline(always)]
    fn value(
        &self,
        parameters: &Parameters,
        position: &Position<B>,
        accumulator: &Accumulator,
    ) -> i32 {
        let Parameters { network, others } = parameters;
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
    type State = Codes;
    type Accumulator = Accumulator;

    #[inline(always)]
    fn parameters(&self) -> &Parameters {
        self.weights.parameters(|| WEIGHTS.clone(), Parameters::new)
    }

    #[inline(always)]
    fn is_incremental<const GOES_ON: bool>(
        &self,
        _: &Parameters,
        Child { step, .. }: Child<'_, B>,
    ) -> bool {
        step != CellStep::SWAP
    }

    #[inline(always)]
    fn read(&self, _: &Parameters, codes: &mut Codes, position: &Position<B>, _leaf: &Position<B>) {
        self.windows.read(position.by_color(), codes);
    }

    #[inline(always)]
    fn refresh(
        &self,
        parameters: &Parameters,
        codes: &Codes,
        _: &Position<B>,
        perspective: usize,
    ) -> Accumulator {
        self.windows
            .refresh_from(codes, perspective, &parameters.network)
    }

    /// A placement changes the nine shapes about it, a capture nine more.
    #[inline(always)]
    fn update<const GOES_ON: bool>(
        &self,
        Parameters { network, .. }: &Parameters,
        accumulator: &mut Accumulator,
        codes: &mut Codes,
        child: Child<'_, B>,
    ) {
        let Child {
            position,
            step,
            next,
            perspective,
        } = child;
        let (own, enemy) = (position.side.index(), 1 - position.side.index());
        let placed = DIGITS[own][perspective];
        self.windows.exchange(
            accumulator,
            codes,
            step.cell(),
            perspective,
            placed,
            network,
        );
        // A capture is owed a placement, so the turn goes on.
        let captured = match next.side == position.side {
            true => position.stones.enemy & !next.stones.enemy,
            false => B::EMPTY,
        };
        if !GOES_ON && captured.is_empty() {
            return;
        }
        // Shapes may lose several stones: they are changed one by one, and back for the next step.
        self.windows.change(codes, step.cell(), own, 1);
        for cell in captured.cells() {
            let taken = -DIGITS[enemy][perspective];
            self.windows
                .exchange(accumulator, codes, cell, perspective, taken, network);
            self.windows.change(codes, cell, enemy, -1);
        }
        if !GOES_ON {
            for cell in captured.cells() {
                self.windows.change(codes, cell, enemy, 1);
            }
            self.windows.change(codes, step.cell(), own, -1);
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

impl<B: Bitboard> Evaluate for Markane<B> {
    fn weights(&self) -> &Weights {
        self.weights.weights(|| WEIGHTS.clone())
    }

    fn set_weights(&mut self, weights: Weights) {
        self.weights.set(weights);
    }

    #[inline(always)]
    fn terms(&self, position: &Position<B>, mut add: impl FnMut(usize, usize, i32)) {
        let Sides { own, enemy } = position.stones;
        let bucket = self.bucket(position);
        self.windows
            .rows(own, enemy, |row| add(row.into(), bucket, 1));
        let first = SHAPES.names.len();
        let (others, [own, enemy]) = self.others(position);
        (first..)
            .zip(others)
            .for_each(|(row, times)| add(row, bucket, times));
        add(first + OTHERS.len() + own * ROOM + enemy, bucket, 1);
    }

    #[inline(always)]
    fn evaluate(&self, position: &Position<B>) -> i32 {
        let Sides { own, enemy } = position.stones;
        let parameters = self.parameters();
        self.value(
            parameters,
            position,
            &self.windows.refresh(own, enemy, &parameters.network),
        )
    }

    /// How many stones a placement captures.
    #[inline(always)]
    fn ordering_score(&self, position: &Position<B>, step: CellStep) -> i32 {
        if step == CellStep::SWAP {
            return 0;
        }
        let own = position.stones.own | B::of(step.cell());
        (position.stones.enemy & self.grid.double_neighbors(own)).count() as i32
    }
}
