//! The order in which steps are looked at: good ones first cut off the most.

use crate::rules::{Color, Step};

/// Where histories are kept, by a number that a step is scattered to.
const HISTORY_SIZE: usize = 1 << 12;

/// Beyond it a history is halved.
const MAX_HISTORY: i32 = 1 << 16;

/// Ranks above every history: the step of the table, killers, and steps that promise much.
const TABLE_STEP: i32 = i32::MAX;
const KILLER: i32 = 1 << 20;
const ORDERING_SCORE_UNIT: i32 = 1 << 21;

/// From here on a step promises something, whatever its history: histories stay within [`MOST_HISTORY`] of 0.
pub(super) const NOISY: i32 = ORDERING_SCORE_UNIT - MAX_HISTORY;

/// Where there is no killer yet.
const NO_STEP: Step = Step(u32::MAX);

/// What one thread remembers of which steps were good.
pub(super) struct MoveOrdering {
    /// How often a step of a side cut off, deep cuts counting more.
    history: [Vec<i32>; 2],
    /// By the number of steps from the root, the last two steps that cut off.
    killers: Vec<[Step; 2]>,
}

#[inline]
fn history_index(Step(step): Step) -> usize {
    (step.wrapping_mul(0x9e37_79b1) >> 20) as usize % HISTORY_SIZE
}

impl MoveOrdering {
    pub(super) fn new(max_ply: usize) -> Self {
        Self {
            history: [vec![0; HISTORY_SIZE], vec![0; HISTORY_SIZE]],
            killers: vec![[NO_STEP; 2]; max_ply],
        }
    }

    /// The rank of a step: the higher, the sooner it is looked at.
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
        let killer = if step == last || step == older {
            KILLER
        } else {
            0
        };
        let ordering_score = ordering_score.clamp(-500, 500) * ORDERING_SCORE_UNIT;
        ordering_score.saturating_add(killer + self.history[side.index()][history_index(step)])
    }

    /// The last steps that cut off so many steps from the root.
    #[inline]
    pub(super) fn killers(&self, ply: usize) -> [Option<Step>; 2] {
        let [last, older] = self.killers[ply];
        let killer = |step: Step| (step != NO_STEP).then_some(step);
        [killer(last), killer(older)]
    }

    /// Remembers a step that cut off.
    #[inline]
    pub(super) fn add_killer(&mut self, ply: usize, step: Step) {
        let killers = &mut self.killers[ply];
        if killers[0] != step {
            *killers = [step, killers[0]];
        }
    }

    /// Remembers a step that cut off, and the ones before it that did not.
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
