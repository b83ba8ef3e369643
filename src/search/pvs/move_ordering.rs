//! The order in which steps are looked at: good ones first cut off the most.

use crate::rules::{Color, Step};

/// Where histories are kept, by a number that a step is scattered to.
const HISTORY: usize = 1 << 12;

/// Beyond it a history is halved.
const MOST_HISTORY: i32 = 1 << 16;

/// Ranks above every history: the step of the table, killers, and steps that promise much.
const FROM_TABLE: i32 = i32::MAX;
const KILLER: i32 = 1 << 20;
const PROMISE: i32 = 1 << 21;

/// From here on a step promises something, whatever its history: histories stay within [`MOST_HISTORY`] of 0.
pub(super) const NOISY: i32 = PROMISE - MOST_HISTORY;

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
fn scattered(Step(step): Step) -> usize {
    (step.wrapping_mul(0x9e37_79b1) >> 20) as usize % HISTORY
}

impl MoveOrdering {
    pub(super) fn new(max_ply: usize) -> Self {
        Self {
            history: [vec![0; HISTORY], vec![0; HISTORY]],
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
        from_table: Option<Step>,
        ordering_score: i32,
    ) -> i32 {
        if from_table == Some(step) {
            return FROM_TABLE;
        }
        let [last, before] = self.killers[ply];
        let killer = if step == last || step == before {
            KILLER
        } else {
            0
        };
        let ordering_score = ordering_score.clamp(-500, 500) * PROMISE;
        ordering_score.saturating_add(killer + self.history[side.index()][scattered(step)])
    }

    /// The last steps that cut off so many steps from the root.
    #[inline]
    pub(super) fn killers(&self, ply: usize) -> [Option<Step>; 2] {
        let [last, before] = self.killers[ply];
        let killer = |step: Step| (step != NO_STEP).then_some(step);
        [killer(last), killer(before)]
    }

    /// Remembers a step that cut off.
    #[inline]
    pub(super) fn kill(&mut self, ply: usize, step: Step) {
        let killers = &mut self.killers[ply];
        if killers[0] != step {
            *killers = [step, killers[0]];
        }
    }

    /// Remembers a step that cut off, and the ones before it that did not.
    pub(super) fn cut(
        &mut self,
        side: Color,
        ply: usize,
        depth: i32,
        step: Step,
        before: &[(i32, Step)],
    ) {
        self.kill(ply, step);
        let bonus = (depth * depth).min(400);
        let history = &mut self.history[side.index()];
        for &(_, other) in before {
            let value = &mut history[scattered(other)];
            *value = (*value - bonus / 4).max(-MOST_HISTORY);
        }
        let value = &mut history[scattered(step)];
        *value += bonus;
        if *value > MOST_HISTORY {
            history.iter_mut().for_each(|value| *value /= 2);
        }
    }
}
