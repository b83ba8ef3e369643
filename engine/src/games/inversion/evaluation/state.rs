//! Incremental evaluation of the children of a position.
//!
//! The sum is not kept as an accumulator. The state holds the value of each hex instead, for the side to move at the
//! leaves, and the change by an enemy stone anywhere in the hex. So a placement costs one table look-up for each hex
//! over its cell.
#![expect(clippy::indexing_slicing, reason = "there is an entry for each hex, cell and output bucket")]

use super::super::{CellStep, Inversion, Position};
use super::hexes::{CellCounts, HexContents, Membership};
use super::network::{Accumulator, BoardNetwork};
use super::{Bucket, Parameters};
use crate::board::{Bitboard, Cell, Pext};
use crate::nnue::{self, Features, Weights};
use crate::rules::{Color, Sides};

type Child<'a, B> = nnue::Child<'a, Position<B>, CellStep>;

/// Contents of a hex and its value, from the perspective of the side to move at the leaves.
#[derive(Clone, Copy)]
struct HexValue {
    contents: HexContents,
    value: i32,
    /// Change of the value by another enemy stone, without the value of the new pattern.
    change_without_pattern: i32,
}

impl HexValue {
    #[inline(always)]
    fn new(bucket: &Bucket, contents: HexContents) -> Self {
        let value = bucket.value(&contents);
        // A full hex gets no further stone, so its change is never used.
        let next = bucket.fates(&contents, contents.empty.saturating_sub(1));
        Self { contents, value, change_without_pattern: next - value }
    }
}

/// State of a position, for the output bucket and the perspective of the leaves below it.
///
/// All these leaves have the same number of stones, and thus the same output bucket.
pub struct State<B> {
    /// Output bucket of the leaves.
    bucket: usize,
    /// Value of all hexes together.
    hex_sum: i32,
    /// Value of the stones, the komi and the side to move.
    other_sum: i32,
    hexes: Vec<HexValue>,
    /// By cell, the number of open hexes over it.
    covers: CellCounts<B>,
}

impl<B: Bitboard> Default for State<B> {
    fn default() -> Self {
        Self { bucket: 0, hex_sum: 0, other_sum: 0, hexes: Vec::new(), covers: CellCounts::ZERO }
    }
}

impl<B: Bitboard> Clone for State<B> {
    fn clone(&self) -> Self {
        Self { hexes: self.hexes.clone(), ..*self }
    }

    #[inline(always)]
    fn clone_from(&mut self, other: &Self) {
        let Self { bucket, hex_sum, other_sum, covers, .. } = *other;
        (self.bucket, self.hex_sum, self.other_sum, self.covers) = (bucket, hex_sum, other_sum, covers);
        self.hexes.clone_from(&other.hexes);
    }
}

impl<B: Bitboard> State<B> {
    /// Returns the hex of a membership.
    #[inline(always)]
    fn hex(&self, membership: &Membership) -> &HexValue {
        &self.hexes[usize::from(membership.hex)]
    }
}

impl<B: Bitboard> Features<Position<B>, CellStep> for Inversion<B> {
    type Parameters = Parameters;
    type State = State<B>;
    type Accumulator = Accumulator;

    #[inline(always)]
    fn parameters(&self) -> &Parameters {
        let make = |weights: &Weights| Parameters {
            buckets: Bucket::all(weights),
            board_network: BoardNetwork::new(weights, &self.board_hexes),
        };
        self.weights.parameters(|| self.built_in_weights(), make)
    }

    /// Returns true where no hex is pending. An accumulator does not advance over a step that inverts a hex.
    #[inline(always)]
    fn is_incremental<const ADVANCE: bool>(&self, _: &Parameters, child: Child<'_, B>) -> bool {
        let Child { position, step, next, .. } = child;
        let enemy = (!position.side).index();
        let is_settled = position.pending.is_empty() && next.pending.is_empty();
        is_settled && step != CellStep::SWAP && !(ADVANCE && position.stones[enemy] != next.stones[enemy])
    }

    #[inline(always)]
    fn refresh_state(&self, parameters: &Parameters, state: &mut State<B>, position: &Position<B>, leaf: &Position<B>) {
        let [black, white] = leaf.stones;
        state.bucket = self.bucket(black | white);
        let bucket = &parameters.buckets[state.bucket];
        let Sides { own, enemy } = Sides::new(position.stones, leaf.side);
        state.covers = self.covers(own | enemy, B::EMPTY);
        state.other_sum = self.other_sum(bucket, leaf.side, own, enemy, &state.covers);
        state.hexes.clear();
        let (mut sum, hexes) = (0, &mut state.hexes);
        self.for_each_hex(
            own,
            enemy,
            &state.covers,
            #[inline(always)]
            |_, contents| {
                let hex = HexValue::new(bucket, contents);
                sum += hex.value;
                hexes.push(hex);
            },
        );
        state.hex_sum = sum;
    }

    #[inline(always)]
    fn refresh(
        &self,
        parameters: &Parameters,
        state: &State<B>,
        position: &Position<B>,
        perspective: usize,
    ) -> Accumulator {
        let Some(network) = &parameters.board_network else {
            return Accumulator::default();
        };
        let [black, white] = position.stones;
        let (own, enemy) = if perspective == 0 { (black, white) } else { (white, black) };
        let mut accumulator = network.refresh_cells(Sides { own, enemy }, B::EMPTY);
        for number in 0..state.hexes.len() {
            network.add_hex(&mut accumulator, number, state.hexes[number].contents.code);
        }
        accumulator
    }

    /// Advances over a stone that completes no hex, which changes the hexes over its cell.
    ///
    /// The leaves are two placements after the position, so the stone is an own one from their perspective.
    #[inline(always)]
    fn update<const ADVANCE: bool>(
        &self,
        parameters: &Parameters,
        accumulator: &mut Accumulator,
        state: &mut State<B>,
        child: Child<'_, B>,
    ) {
        let cell = child.step.cell();
        let bucket = &parameters.buckets[state.bucket];
        for membership in &self.memberships[cell.index()] {
            let hex = &mut state.hexes[usize::from(membership.hex)];
            let mut contents = hex.contents;
            contents.code += membership.digit;
            contents.empty -= 1;
            contents.own += 1;
            let new = HexValue::new(bucket, contents);
            state.hex_sum += new.value - hex.value;
            if let Some(network) = &parameters.board_network {
                let codes = [hex.contents.code, contents.code];
                network.replace_hex(accumulator, membership.hex.into(), codes);
            }
            *hex = new;
        }
        if let Some(network) = &parameters.board_network {
            network.add_stone(accumulator, cell, true);
        }
        let [own, _] = bucket.stones[usize::from(state.covers.at(cell))];
        state.other_sum += own;
    }

    /// Returns the value of a child for the side to move there.
    ///
    /// A placement that completes no hex changes the hexes over its cell. One that completes a single hex changes all
    /// hexes that overlap it.
    #[inline(always)]
    fn evaluate_child(
        &self,
        parameters: &Parameters,
        state: &mut State<B>,
        accumulator: &Accumulator,
        Child { position, step, next, .. }: Child<'_, B>,
    ) -> i32 {
        let before = Sides::new(position.stones, next.side);
        let after = Sides::new(next.stones, next.side);
        if before.own == after.own {
            self.with_stone(parameters, *accumulator, state, step.cell())
        } else {
            self.with_inversion(parameters, *accumulator, state, next.side, [before, after], step.cell())
        }
    }
}

impl<B: Bitboard> Inversion<B> {
    /// Returns the value with another enemy stone in a cell, which completes no hex.
    #[inline(always)]
    fn with_stone(&self, parameters: &Parameters, mut accumulator: Accumulator, state: &State<B>, cell: Cell) -> i32 {
        let (memberships, bucket) = (&self.memberships[cell.index()], &parameters.buckets[state.bucket]);
        let [_, enemy] = bucket.stones[usize::from(state.covers.at(cell))];
        let mut value = state.hex_sum + state.other_sum + enemy;
        for membership in memberships {
            let hex = state.hex(membership);
            let code = hex.contents.code + 2 * membership.digit;
            value += hex.change_without_pattern + bucket.pattern(code);
        }
        if let Some(network) = &parameters.board_network {
            for membership in memberships {
                let code = state.hex(membership).contents.code;
                let codes = [code, code + 2 * membership.digit];
                network.replace_hex(&mut accumulator, membership.hex.into(), codes);
            }
            network.add_stone(&mut accumulator, cell, false);
            value += network.output(&accumulator, state.bucket);
        }
        value
    }

    /// Returns the value after a stone in a cell has completed and inverted a single hex.
    ///
    /// That hex is no longer open, and the contents of all hexes that overlap it change.
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
        let completed =
            self.memberships[cell.index()].iter().find(|membership| state.hex(membership).contents.empty == 1);
        let overlapping = completed.map_or(&[][..], |membership| {
            let hex = &self.board_hexes[usize::from(membership.hex)];
            covers.remove(hex.cells);
            &hex.overlapping
        });
        let (covered, pext) = (covers.one_to_three(), Pext::detect());
        let mut value = state.hex_sum + self.other_sum(bucket, side, own, enemy, &covers);
        for &number in overlapping {
            let number = usize::from(number);
            let contents = self.board_hexes[number].contents(own, enemy, covered, pext);
            let old = &state.hexes[number];
            value += bucket.value(&contents) - old.value;
            if let Some(network) = &parameters.board_network {
                let codes = [old.contents.code, contents.code];
                network.replace_hex(&mut accumulator, number, codes);
            }
        }
        if let Some(network) = &parameters.board_network {
            network.replace_stones(&mut accumulator, before, after);
            value += network.output(&accumulator, state.bucket);
        }
        value
    }
}
