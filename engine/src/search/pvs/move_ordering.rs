//! Move ordering: hash move, ordering score, killers, history.

use crate::rules::{Color, Step};

/// Slots of a history table; steps are hashed to them.
const HISTORY_SIZE: usize = 1 << 12;

/// Bound of a history value, at which the whole table is halved.
const MAX_HISTORY: i32 = 1 << 16;

/// Weights of the ordering: hash move before ordering score before killers before history.
const TABLE_STEP: i32 = i32::MAX;
const KILLER: i32 = 1 << 20;
const ORDERING_SCORE_UNIT: i32 = 1 << 21;

/// Rank from which a step is noisy, whatever its history: it has a positive ordering score.
pub(super) const NOISY: i32 = ORDERING_SCORE_UNIT - MAX_HISTORY;

/// Placeholder of an empty killer slot.
const NO_STEP: Step = Step(u32::MAX);

/// Move ordering of one thread.
pub(super) struct MoveOrdering {
    /// History by side and hashed step. Deep beta cut-offs count more.
    history: [Vec<i32>; 2],
    /// The last two steps that caused a beta cut-off, by ply.
    killers: Vec<[Step; 2]>,
}

#[inline]
fn history_index(Step(step): Step) -> usize {
    (step.wrapping_mul(0x9e37_79b1) >> 20) as usize % HISTORY_SIZE
}

impl MoveOrdering {
    pub(super) fn new(max_ply: usize) -> Self {
        Self { history: [vec![0; HISTORY_SIZE], vec![0; HISTORY_SIZE]], killers: vec![[NO_STEP; 2]; max_ply] }
    }

    /// Returns the rank of a step; the highest is searched first.
    #[inline]
    pub(super) fn rank(
        &self,
        side: Color,
        ply: usize,
        step: Step,
        table_step: Option<Step>,
        ordering_score: i32,
    ) -> i32 {
        if table_step == Some(step) {
            return TABLE_STEP;
        }
        let [last, older] = self.killers[ply];
        let killer = if step == last || step == older { KILLER } else { 0 };
        let ordering_score = ordering_score.clamp(-500, 500) * ORDERING_SCORE_UNIT;
        ordering_score.saturating_add(killer + self.history[side.index()][history_index(step)])
    }

    /// Returns the killers of a ply, the latest first.
    #[inline]
    pub(super) fn killers(&self, ply: usize) -> [Option<Step>; 2] {
        let [last, older] = self.killers[ply];
        let killer = |step: Step| (step != NO_STEP).then_some(step);
        [killer(last), killer(older)]
    }

    /// Adds a killer.
    #[inline]
    pub(super) fn add_killer(&mut self, ply: usize, step: Step) {
        let killers = &mut self.killers[ply];
        if killers[0] != step {
            *killers = [step, killers[0]];
        }
    }

    /// Rewards a step that caused a beta cut-off at `depth` steps, and punishes those searched before it.
    pub(super) fn on_beta_cutoff(
        &mut self,
        side: Color,
        ply: usize,
        depth: i32,
        step: Step,
        searched_before: &[(i32, Step)],
    ) {
        self.add_killer(ply, step);
        let bonus = (depth * depth).min(400);
        let history = &mut self.history[side.index()];
        for &(_, other) in searched_before {
            let value = &mut history[history_index(other)];
            *value = (*value - bonus / 4).max(-MAX_HISTORY);
        }
        let value = &mut history[history_index(step)];
        *value += bonus;
        if *value > MAX_HISTORY {
            history.iter_mut().for_each(|value| *value /= 2);
        }
    }
}
