//! The implementation of [`Board`] for any game, with the game's code inlined into the inner loops.
#![expect(
    clippy::indexing_slicing,
    reason = "`ply` is always the index of a frame, because frames are never dropped while it points to them"
)]

mod frame;
mod loops;
mod packing;

use std::sync::Arc;

use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::board::{Board, Lookahead, NODES_PER_CHECK, Playout, PlayoutCounts, Step, StopCheck, Successor};
use super::value::{WIN, adjust_for_distance, clamp_evaluation, terminal_value};
use super::{
    Clicks, Color, Effects, Equipment, HalfPoints, Layers, Narration, NoKeys, Outcome, PackedStep, Piece, Planes,
    Playable, Position, PositionErrors, ProofCost, StepError, StepText, Steps, Variant,
};
use crate::board::{Cell, Instructions, Key, Shape};
use crate::nnue::{Accumulators, Child, Weights};
use frame::{Ahead, Frame};
use loops::{
    Counter, legal_steps, list_terms, play, play_with_key, prove_ending, run_playout, visit_stones, visit_successors,
};

/// An opened variant with a stack of positions.
pub struct Opened<G: Playable, I> {
    variant: Arc<Variant>,
    game: Arc<G>,
    /// The instruction set that the loops are compiled for.
    instructions: I,
    /// The frames of the history, followed by old frames that are reused.
    frames: Vec<Frame<G>>,
    /// The index of the frame of the current position.
    ply: usize,
    accumulators: Accumulators<G, G::Position, G::Step>,
    /// The position of the running playout.
    playout: G::Position,
}

impl<G: Playable, I: Instructions> Opened<G, I> {
    /// Creates a board at the starting position of the game of a variant, with loops compiled for `instructions`.
    pub fn new(variant: &Variant, game: G, instructions: I) -> Self {
        let start = game.start();
        Self::at(Arc::new(variant.clone()), Arc::new(game), instructions, start)
    }

    fn at(variant: Arc<Variant>, game: Arc<G>, instructions: I, position: G::Position) -> Self {
        let key = game.key(&position);
        Self {
            variant,
            game,
            instructions,
            frames: vec![Frame::new(position, key)],
            ply: 0,
            accumulators: Accumulators::default(),
            playout: position,
        }
    }

    fn reset_to(&mut self, position: G::Position) {
        self.frames.clear();
        let key = self.game.key(&position);
        self.frames.push(Frame::new(position, key));
        self.ply = 0;
    }

    #[inline(always)]
    fn current(&self) -> &G::Position {
        &self.frames[self.ply].position
    }

    fn legal(&self) -> G::Steps {
        legal_steps(&*self.game, self.current(), self.instructions)
    }

    /// Returns the position after a legal step.
    fn after(&self, step: Step) -> G::Position {
        let mut after = *self.current();
        play(&*self.game, &mut after, step.unpack(), self.instructions);
        after
    }

    /// Implements [`Board::search_frontier`], and [`Board::evaluate_steps`] if there is a list for the values.
    ///
    /// One loop serves both, because the evaluation is inlined into it.
    #[inline(never)]
    fn search_ply(
        &mut self,
        killers: [Option<Step>; 2],
        beta: i32,
        count_nodes: &mut dyn FnMut(u64) -> bool,
        mut scored: Option<&mut Vec<(i32, Step)>>,
    ) -> Option<(i32, Step)> {
        let (game, instructions) = (&*self.game, self.instructions);
        let (before, [frame, ..]) = self.frames.split_at_mut(self.ply) else {
            return None;
        };
        let steps = frame.steps(game, instructions);
        // A search that lists values rarely comes to a sibling next: the parent's accumulator would not be used again.
        let before = before.last().zip(frame.step).filter(|_| scored.is_none());
        let before = before.map(|(before, step)| (&before.position, step));
        let position = &frame.position;
        let side = position.side();
        let (mut best, mut best_step) = (-WIN - 1, 0);
        // Killers refuted sibling positions, so they come first.
        let legal = |killer: Option<Step>| {
            let step = killer?.unpack();
            steps.contains(step).then_some(step)
        };
        let killers = [legal(killers[0]), legal(killers[1])];
        let mut first = killers;
        let (mut rest, mut is_done) = (steps.iter(), false);
        let accumulators = &mut self.accumulators;
        accumulators.refresh(before);
        // In batches, because there may be very many steps.
        while !is_done && best < beta {
            let (first, scored) = (&mut first, &mut scored);
            let nodes;
            (best, best_step, rest, is_done, nodes) = instructions.run(
                #[inline(always)]
                || {
                    // Local copies can stay in registers.
                    let (mut best, mut best_step, mut rest) = (best, best_step, rest.clone());
                    let (mut is_done, mut nodes) = (false, 0);
                    while nodes < NODES_PER_CHECK && best < beta {
                        let killer = first[0].take().or_else(|| first[1].take());
                        let step = match killer {
                            Some(killer) => killer,
                            None => match rest.next() {
                                Some(step) if killers.contains(&Some(step)) => continue,
                                Some(step) => step,
                                None => {
                                    is_done = true;
                                    break;
                                }
                            },
                        };
                        nodes += 1;
                        let mut next = *position;
                        game.play(&mut next, step, &mut NoKeys);
                        let side_changes = next.side() != side;
                        let value = if game.steps(&next).is_empty() {
                            terminal_value(game, &next)
                        } else {
                            let next = &next;
                            let child = Child { position, step, next, perspective: next.side().index() };
                            let value = accumulators.evaluate_child(game, child);
                            clamp_evaluation(value.unwrap_or_else(
                                #[inline(always)]
                                || game.evaluate(next),
                            ))
                        };
                        let value = if side_changes { -value } else { value };
                        if let Some(scored) = scored {
                            scored.push((value, Step::pack(step)));
                        }
                        let value = adjust_for_distance(value, side_changes);
                        if value > best {
                            (best, best_step) = (value, step.bits());
                        }
                    }
                    (best, best_step, rest, is_done, nodes)
                },
            );
            if !count_nodes(nodes) {
                return None;
            }
        }
        Some((best, Step(best_step)))
    }
}

impl<G: Playable, I: Instructions> Board for Opened<G, I> {
    fn variant(&self) -> &Variant {
        &self.variant
    }

    fn shape(&self) -> &Shape {
        self.game.shape()
    }

    fn fork_at(&self, ply: usize) -> Box<dyn Board> {
        let frame = &self.frames[ply.min(self.ply)];
        let (variant, game) = (Arc::clone(&self.variant), Arc::clone(&self.game));
        Box::new(Self::at(variant, game, self.instructions, frame.position))
    }

    fn restart(&mut self) {
        self.reset_to(self.game.start());
    }

    fn set_position(&mut self, text: &str) -> Result<(), PositionErrors> {
        match text.trim() {
            "startpos" | "start" => self.restart(),
            text => self.reset_to(self.game.parse_position(text)?),
        }
        Ok(())
    }

    fn ply(&self) -> usize {
        self.ply
    }

    fn history(&self) -> Vec<Step> {
        let made = self.frames[..=self.ply].iter();
        made.filter_map(|frame| frame.step.map(Step::pack)).collect()
    }

    fn side_at(&self, ply: usize) -> Color {
        self.frames[ply.min(self.ply)].position.side()
    }

    fn make(&mut self, step: Step) -> Lookahead {
        let step: G::Step = step.unpack();
        if self.ply + 1 == self.frames.len() {
            let Frame { position, key, .. } = self.frames[self.ply];
            self.frames.push(Frame::new(position, key));
        }
        let (below, above) = self.frames.split_at_mut(self.ply + 1);
        let (frame, next) = (&below[self.ply], &mut above[0]);
        let known = frame.ahead.iter().flatten();
        match known.into_iter().find(|ahead| ahead.step == step) {
            Some(ahead) => (next.position, next.key) = (ahead.position, ahead.key),
            None => {
                (next.position, next.key) = (frame.position, frame.key);
                play_with_key(&*self.game, &mut next.position, step, &mut next.key, self.instructions);
            }
        }
        next.step = Some(step);
        next.steps = None;
        next.ahead = [None, None];
        self.ply += 1;
        Lookahead { side: next.position.side(), key: next.key }
    }

    fn unmake(&mut self) -> bool {
        match self.ply.checked_sub(1) {
            Some(ply) => {
                self.ply = ply;
                true
            }
            None => false,
        }
    }

    fn look_ahead(&mut self, step: Step) -> Lookahead {
        let frame = &mut self.frames[self.ply];
        let slot = &mut frame.ahead[frame.older];
        frame.older ^= 1;
        let ahead = slot.insert(Ahead { step: step.unpack(), position: frame.position, key: frame.key });
        let Ahead { step, position, key } = ahead;
        play_with_key(&*self.game, position, *step, key, self.instructions);
        Lookahead { side: ahead.position.side(), key: ahead.key }
    }

    fn side(&self) -> Color {
        self.current().side()
    }

    fn turn(&self) -> u32 {
        self.current().turn()
    }

    fn key(&self) -> Key {
        self.frames[self.ply].key
    }

    fn outcome(&self) -> Option<Outcome> {
        self.game.outcome(self.current())
    }

    fn count(&mut self) -> usize {
        self.frames[self.ply].steps(&self.game, self.instructions).count()
    }

    fn is_over(&self) -> bool {
        self.legal().is_empty()
    }

    fn steps(&self, steps: &mut Vec<Step>) {
        self.legal().for_each(|step| steps.push(Step::pack(step)));
    }

    fn nth(&mut self, n: usize) -> Option<Step> {
        let steps = self.frames[self.ply].steps(&self.game, self.instructions);
        steps.nth(n, self.instructions).map(Step::pack)
    }

    fn is_legal(&self, step: Step) -> bool {
        self.legal().contains(step.unpack())
    }

    fn evaluate(&self) -> i32 {
        let (game, position) = (&*self.game, self.current());
        self.instructions.run(
            #[inline(always)]
            || clamp_evaluation(game.evaluate(position)),
        )
    }

    fn terminal_value(&self) -> i32 {
        terminal_value(&*self.game, self.current())
    }

    fn proof_cost(&self) -> Option<ProofCost> {
        G::PROOF_COST
    }

    fn moves_left(&self) -> Option<u32> {
        self.game.moves_left(self.current())
    }

    fn ordering_score(&self, step: Step) -> i32 {
        self.game.ordering_score(self.current(), step.unpack())
    }

    fn score_steps(&mut self, scored: &mut Vec<(i32, Step)>) {
        let (game, instructions) = (&*self.game, self.instructions);
        let frame = &mut self.frames[self.ply];
        let steps = frame.steps(game, instructions);
        let position = &frame.position;
        scored.reserve(steps.count());
        instructions.run(
            #[inline(always)]
            || {
                for step in steps.iter() {
                    scored.push((game.ordering_score(position, step), Step::pack(step)));
                }
            },
        );
    }

    fn evaluate_steps(&mut self, scored: &mut Vec<(i32, Step)>) {
        self.search_ply([None, None], i32::MAX, &mut |_| true, Some(scored));
    }

    fn search_frontier(
        &mut self,
        killers: [Option<Step>; 2],
        beta: i32,
        count: &mut dyn FnMut(u64) -> bool,
    ) -> Option<(i32, Step)> {
        self.search_ply(killers, beta, count, None)
    }

    fn prove_ending(&self, alpha: i32, nodes: &mut u64) -> Option<i32> {
        // A constant condition: nothing is compiled for games without endgame proofs.
        if const { G::PROOF_COST.is_none() } {
            return None;
        }
        prove_ending(&*self.game, self.current(), alpha, nodes, self.instructions)
    }

    fn planes(&self) -> Option<Planes> {
        self.game.planes(self.current())
    }

    fn set_planes(&mut self, planes: &Planes, side: Color, turn: u32) -> bool {
        let position = self.game.read_planes(planes, side, turn);
        position.map(|position| self.reset_to(position)).is_some()
    }

    fn successors(&self, visit: &mut dyn FnMut(Successor)) {
        visit_successors(&*self.game, self.current(), visit, self.instructions);
    }

    fn layers(&self) -> Option<Layers> {
        self.game.layers()
    }

    fn stone_steps(&self, stones: [u128; 2], visit: &mut dyn FnMut(&[[u128; 2]])) -> Option<Outcome> {
        visit_stones(&*self.game, stones, visit, self.instructions)
    }

    fn start_playout(&mut self) {
        self.playout = *self.current();
    }

    fn playout_step(&mut self, step: Step) -> Color {
        play(&*self.game, &mut self.playout, step.unpack(), self.instructions);
        self.playout.side()
    }

    fn playout_steps(&self, steps: &mut Vec<Step>) {
        let legal = legal_steps(&*self.game, &self.playout, self.instructions);
        for step in legal.iter() {
            steps.push(Step::pack(step));
        }
    }

    fn finish_playout(&mut self, random: &mut Xoshiro256PlusPlus, stop: StopCheck<'_>) -> Playout {
        let (steps, is_over) = run_playout(&*self.game, &mut self.playout, random, stop, self.instructions);
        let outcome = is_over.then(|| self.game.outcome(&self.playout));
        Playout {
            steps,
            winner: outcome.map(|outcome| outcome.and_then(|outcome| outcome.winner)),
            side: self.playout.side(),
        }
    }

    fn playouts(&self, goes_on: &mut dyn FnMut() -> bool) -> PlayoutCounts {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        let mut counts = PlayoutCounts::default();
        while goes_on() {
            let mut position = *self.current();
            let (steps, _) = run_playout(&*self.game, &mut position, &mut random, &|| false, self.instructions);
            counts.playouts += 1;
            counts.steps += steps;
            let outcome = self.game.outcome(&position);
            let [black, white, draws] = &mut counts.results;
            *match outcome.and_then(|outcome| outcome.winner) {
                Some(Color::Black) => black,
                Some(Color::White) => white,
                None => draws,
            } += 1;
        }
        counts
    }

    fn perft(&self, depth: u32, every_leaf: bool, stop: StopCheck<'_>) -> Option<u64> {
        let counter = Counter { game: &*self.game, instructions: self.instructions, every_leaf, stop };
        counter.count(self.current(), depth)
    }

    fn terms(&self, add: &mut dyn FnMut(usize, usize, i32)) {
        list_terms(&*self.game, self.current(), add);
    }

    fn weights(&self) -> &Weights {
        self.game.weights()
    }

    fn set_weights(&mut self, weights: Weights) -> bool {
        match Arc::get_mut(&mut self.game) {
            Some(game) => {
                game.set_weights(weights);
                self.accumulators = Accumulators::default();
                true
            }
            None => false,
        }
    }

    fn training_target(&self) -> f64 {
        self.game.training_target(self.current())
    }

    fn find_step(&self, text: &str) -> Result<Step, StepError> {
        let parsed = G::Step::parse(self.game.geometry(), text)?;
        let step = G::Step::resolve(self.game.geometry(), parsed).map(Step::pack);
        match step.filter(|&step| self.is_legal(step)) {
            Some(step) => Ok(step),
            None => Err(StepError::Illegal {
                step: text.to_owned(),
                reason: if self.is_over() {
                    "the game is over".to_owned()
                } else {
                    self.game.illegal_reason(self.current(), parsed)
                },
            }),
        }
    }

    fn explain_cell(&self, cell: Cell) -> Option<String> {
        let attempt = self.game.attempt(self.current(), cell).filter(|_| !self.is_over())?;
        let step = G::Step::resolve(self.game.geometry(), attempt);
        let is_legal = step.is_some_and(|step| self.legal().contains(step));
        (!is_legal).then(|| self.game.illegal_reason(self.current(), attempt))
    }

    fn write_step(&self, step: Step) -> String {
        self.game.write_step(step.unpack())
    }

    fn effects(&self, step: Step) -> Effects {
        Effects::of(&*self.game, step.unpack(), self.current(), &self.after(step))
    }

    fn narrate(&self, step: Step) -> Narration {
        self.game.narrate(step.unpack(), self.current(), &self.after(step))
    }

    fn explain_result(&self) -> String {
        self.outcome().map_or_else(String::new, |outcome| self.game.explain(self.current(), outcome))
    }

    fn write_fields(&self) -> String {
        let (side, state, turn) = (self.side().letter(), self.game.write_state(self.current()), self.turn());
        if state.is_empty() { format!("{side} {turn}") } else { format!("{side} {state} {turn}") }
    }

    fn status(&self) -> Vec<String> {
        self.game.status(self.current())
    }

    fn caption(&self) -> Vec<String> {
        self.game.caption(self.current())
    }

    fn counts(&self) -> Vec<(&'static str, HalfPoints)> {
        self.game.counts(self.current())
    }

    fn margin(&self) -> Option<HalfPoints> {
        self.game.margin(self.current())
    }

    fn pass_alias(&self) -> Option<Step> {
        let aliases = G::Step::PASS_ALIASES.iter().map(|&step| Step::pack(step));
        aliases.into_iter().find(|&step| self.is_legal(step))
    }

    fn required_step(&self) -> Option<String> {
        self.game.required_step(self.current())
    }

    fn piece(&self, cell: Cell) -> Option<Piece> {
        self.game.piece(self.current(), cell)
    }

    fn tally(&self) -> [u32; 2] {
        self.game.tally(self.current())
    }

    fn pools(&self) -> Option<[u32; 2]> {
        self.game.pools(self.current())
    }

    fn pending(&self) -> Vec<Cell> {
        self.game.pending(self.current())
    }

    fn value_to_set(&self) -> Option<u8> {
        self.game.value_to_set(self.current())
    }

    fn value_digits(&self) -> usize {
        self.game.value_digits()
    }

    fn cell_contents(&self) -> u32 {
        self.game.cell_contents()
    }

    fn is_marked(&self, cell: Cell) -> bool {
        self.game.is_marked(cell)
    }

    fn equipment(&self) -> Equipment {
        self.game.equipment()
    }

    fn landmarks(&self) -> Vec<Cell> {
        self.game.landmarks()
    }

    fn clicks(&self, step: Step) -> Clicks {
        self.game.clicks(self.current(), step.unpack())
    }
}
