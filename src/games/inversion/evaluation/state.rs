//! The children of a position, from what they have in common with it.
//!
//! Inversion does better than to add and remove features: each hex keeps its value, for the leaves that are evaluated, and what
//! an enemy stone anywhere in it changes, so that a stone costs one look a hex.
#![expect(
    clippy::indexing_slicing,
    reason = "there is an entry for each hex, cell and output bucket"
)]

use super::super::{CellStep, Inversion, Position};
use super::hexes::{Counts, Hex, Part};
use super::network::{Accumulator, Located};
use super::{Bucket, Parameters};
use crate::board::{Bitboard, Cell, Pext};
use crate::nnue::{self, Features, Weights};
use crate::rules::{Color, Sides};

type Child<'a, B> = nnue::Child<'a, Position<B>, CellStep>;

/// A hex and its value, from the perspective of who is to move at a leaf.
#[derive(Clone, Copy)]
struct SeenHex {
    hex: Hex,
    value: i32,
    /// What changes, wherever in it another enemy stone comes, but for its pattern then.
    but_for_pattern: i32,
}

impl SeenHex {
    #[inline(always)]
    fn new(bucket: &Bucket, hex: Hex) -> Self {
        let value = bucket.value(&hex);
        // A full hex gets no stone.
        let with = bucket.fates(&hex, hex.empty.saturating_sub(1));
        Self {
            hex,
            value,
            but_for_pattern: with - value,
        }
    }
}

/// What is seen of a position, by the weights for its leaves and from their perspective: all have as many stones.
pub struct State<B> {
    /// The output bucket of leaves.
    bucket: usize,
    /// The value of the hexes, and of all the rest.
    sum: i32,
    rest: i32,
    hexes: Vec<SeenHex>,
    /// How many open hexes lie over each cell.
    covers: Counts<B>,
}

impl<B: Bitboard> Default for State<B> {
    fn default() -> Self {
        Self {
            bucket: 0,
            sum: 0,
            rest: 0,
            hexes: Vec::new(),
            covers: Counts::NONE,
        }
    }
}

impl<B: Bitboard> Clone for State<B> {
    fn clone(&self) -> Self {
        Self {
            hexes: self.hexes.clone(),
            ..*self
        }
    }

    #[inline(always)]
    fn clone_from(&mut self, other: &Self) {
        let Self {
            bucket,
            sum,
            rest,
            covers,
            ..
        } = *other;
        (self.bucket, self.sum, self.rest, self.covers) = (bucket, sum, rest, covers);
        self.hexes.clone_from(&other.hexes);
    }
}

impl<B: Bitboard> State<B> {
    #[inline(always)]
    fn hex(&self, part: &Part) -> &SeenHex {
        &self.hexes[usize::from(part.window)]
    }
}

impl<B: Bitboard> Features<Position<B>, CellStep> for Inversion<B> {
    type Parameters = Parameters;
    type State = State<B>;
    type Accumulator = Accumulator;

    #[inline(always)]
    fn parameters(&self) -> &Parameters {
        let read = |weights: &Weights| Parameters {
            buckets: Bucket::all(weights),
            located: Located::new(weights, &self.windows),
        };
        self.weights.parameters(|| self.own_weights(), read)
    }

    /// As long as hexes are pending, more than one is changing. An inverted hex is not followed further.
    #[inline(always)]
    fn is_incremental<const GOES_ON: bool>(&self, _: &Parameters, child: Child<'_, B>) -> bool {
        let Child {
            position,
            step,
            next,
            ..
        } = child;
        let enemy = (!position.side).index();
        let is_settled = position.pending.is_empty() && next.pending.is_empty();
        is_settled
            && step != CellStep::SWAP
            && !(GOES_ON && position.stones[enemy] != next.stones[enemy])
    }

    #[inline(always)]
    fn read(
        &self,
        parameters: &Parameters,
        state: &mut State<B>,
        position: &Position<B>,
        leaf: &Position<B>,
    ) {
        let [black, white] = leaf.stones;
        state.bucket = self.bucket(black | white);
        let bucket = &parameters.buckets[state.bucket];
        let Sides { own, enemy } = Sides::new(position.stones, leaf.side);
        state.covers = self.covers(own | enemy, B::EMPTY);
        state.rest = self.rest_of_sum(bucket, leaf.side, own, enemy, &state.covers);
        state.hexes.clear();
        let (mut sum, hexes) = (0, &mut state.hexes);
        self.hexes(
            own,
            enemy,
            &state.covers,
            #[inline(always)]
            |_, hex| {
                let seen = SeenHex::new(bucket, hex);
                sum += seen.value;
                hexes.push(seen);
            },
        );
        state.sum = sum;
    }

    #[inline(always)]
    fn refresh(
        &self,
        parameters: &Parameters,
        state: &State<B>,
        position: &Position<B>,
        perspective: usize,
    ) -> Accumulator {
        let Some(located) = &parameters.located else {
            return Accumulator::default();
        };
        let [black, white] = position.stones;
        let (own, enemy) = if perspective == 0 {
            (black, white)
        } else {
            (white, black)
        };
        let mut accumulator = located.refresh_cells(Sides { own, enemy }, B::EMPTY);
        for number in 0..state.hexes.len() {
            located.add_hex(&mut accumulator, number, state.hexes[number].hex.code);
        }
        accumulator
    }

    /// A stone that completes no hex changes the hexes over its cell. It goes on to the position where the other side places,
    /// and from there to leaves, where its own side is to move.
    #[inline(always)]
    fn update<const GOES_ON: bool>(
        &self,
        parameters: &Parameters,
        accumulator: &mut Accumulator,
        state: &mut State<B>,
        child: Child<'_, B>,
    ) {
        let cell = child.step.cell();
        let bucket = &parameters.buckets[state.bucket];
        for part in &self.parts[cell.index()] {
            let seen = &mut state.hexes[usize::from(part.window)];
            let mut hex = seen.hex;
            hex.code += part.digit;
            hex.empty -= 1;
            hex.own += 1;
            let with = SeenHex::new(bucket, hex);
            state.sum += with.value - seen.value;
            if let Some(located) = &parameters.located {
                located.exchange_hex(accumulator, part.window.into(), [seen.hex.code, hex.code]);
            }
            *seen = with;
        }
        if let Some(located) = &parameters.located {
            located.add_stone(accumulator, cell, true);
        }
        let [own, _] = bucket.stones[usize::from(state.covers.at(cell))];
        state.rest += own;
    }

    /// A placement that completes no hex changes the hexes over its cell and adds a stone; one that completes a single hex
    /// changes those that have a cell in common with it.
    #[inline(always)]
    fn evaluate_child(
        &self,
        parameters: &Parameters,
        state: &mut State<B>,
        accumulator: &Accumulator,
        Child {
            position,
            step,
            next,
            ..
        }: Child<'_, B>,
    ) -> i32 {
        let before = Sides::new(position.stones, next.side);
        let after = Sides::new(next.stones, next.side);
        match before.own == after.own {
            true => self.with_stone(parameters, *accumulator, state, step.cell()),
            false => self.with_inversion(
                parameters,
                *accumulator,
                state,
                next.side,
                [before, after],
                step.cell(),
            ),
        }
    }
}

impl<B: Bitboard> Inversion<B> {
    /// The value with another enemy stone in a cell, which completes no hex.
    #[inline(always)]
    fn with_stone(
        &self,
        parameters: &Parameters,
        mut accumulator: Accumulator,
        state: &State<B>,
        cell: Cell,
    ) -> i32 {
        let (parts, bucket) = (&self.parts[cell.index()], &parameters.buckets[state.bucket]);
        let [_, enemy] = bucket.stones[usize::from(state.covers.at(cell))];
        let mut value = state.sum + state.rest + enemy;
        for part in parts {
            let hex = state.hex(part);
            value += hex.but_for_pattern + bucket.pattern(hex.hex.code + 2 * part.digit);
        }
        if let Some(located) = &parameters.located {
            for part in parts {
                let code = state.hex(part).hex.code;
                located.exchange_hex(
                    &mut accumulator,
                    part.window.into(),
                    [code, code + 2 * part.digit],
                );
            }
            located.add_stone(&mut accumulator, cell, false);
            value += located.output(&accumulator, state.bucket);
        }
        value
    }

    /// The value where a stone in a cell has completed a single hex: that one is settled, and all that have a cell in common
    /// with it look different.
    #[inline(always)]
    fn with_inversion(
        &self,
        parameters: &Parameters,
        mut accumulator: Accumulator,
        state: &State<B>,
        side: Color,
        [before, after]: [Sides<B>; 2],
        cell: Cell,
    ) -> i32 {
        let bucket = &parameters.buckets[state.bucket];
        let Sides { own, enemy } = after;
        let mut covers = state.covers;
        let completed = self.parts[cell.index()]
            .iter()
            .find(|part| state.hex(part).hex.empty == 1);
        let near = completed.map_or(&[][..], |part| {
            let window = &self.windows[usize::from(part.window)];
            covers.take(window.cells);
            &window.near
        });
        let (covered, pext) = (covers.fates(), Pext::detect());
        let mut value = state.sum + self.rest_of_sum(bucket, side, own, enemy, &covers);
        for &number in near {
            let number = usize::from(number);
            let hex = self.windows[number].hex(own, enemy, covered, pext);
            let gone = &state.hexes[number];
            value += bucket.value(&hex) - gone.value;
            if let Some(located) = &parameters.located {
                located.exchange_hex(&mut accumulator, number, [gone.hex.code, hex.code]);
            }
        }
        if let Some(located) = &parameters.located {
            located.change_stones(&mut accumulator, before, after);
            value += located.output(&accumulator, state.bucket);
        }
        value
    }
}
