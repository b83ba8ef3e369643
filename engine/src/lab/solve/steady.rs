//! Choices that meet few different positions, where a graph knows which steps keep the claim.
//!
//! A draw by the clock is held for many turns, and nearly every step holds it. A strategy that always comes back to the
//! same few positions has a short certificate: it plays as it did at another clock, goes where it has been before, or
//! else changes as little as possible.

use std::collections::{HashMap, HashSet, VecDeque};

use super::search::Search;
use crate::rules::{Color, DrawClock, Planes, Step};

/// Weight of a change of the fields other than the board, such as the number of removed pieces.
const STATE_CHANGE: u32 = 100;

/// Weight of a clock at which the position after the step would not keep the claim: such a step is no habit.
const CLOCK: u32 = 1000;

/// The choices of a strategy until now, by positions without their clock.
#[derive(Default)]
pub struct Steady {
    choices: HashMap<u128, Step>,
    /// The positions in which the other side has been to move.
    met: HashSet<u128>,
}

impl Steady {
    /// Notes that the strategy meets the board's position.
    pub fn meet(&mut self, search: &Search, side: Color) {
        if search.board.side() != side
            && let Some((_, code)) = planes(search)
        {
            self.met.insert(code);
        }
    }

    /// Returns a step that keeps the claim for the side to move; `None` if the graph knows none.
    pub fn choose(&mut self, search: &mut Search) -> Option<Step> {
        search.graph.as_ref()?;
        let (_, code) = planes(search)?;
        let side = search.board.side();
        if let Some(&step) = self.choices.get(&code) {
            search.board.make(step);
            let is_kept = search.closeness(side).is_some();
            search.board.unmake();
            if is_kept {
                return Some(step);
            }
        }
        let turn = self.turn(search)?;
        for &step in &turn {
            if let Some((_, code)) = planes(search) {
                self.choices.entry(code).or_insert(step);
            }
            search.board.make(step);
        }
        take_back(search, &turn);
        turn.first().copied()
    }

    /// Chooses how to go on to the end of the turn. Returns the steps.
    fn turn(&self, search: &mut Search) -> Option<Vec<Step>> {
        let side = search.board.side();
        let (before, _) = planes(search)?;
        let mut seen = HashSet::new();
        // Each position within the turn, as the steps to it.
        let mut fringe = VecDeque::from([Vec::new()]);
        let mut best: Option<(u32, Vec<Step>)> = None;
        while let Some(steps) = fringe.pop_front() {
            steps.iter().for_each(|&step| {
                search.board.make(step);
            });
            let mut legal = Vec::new();
            search.board.steps(&mut legal);
            for step in legal {
                search.board.make(step);
                let Some(closeness) = search.closeness(side) else {
                    search.board.unmake();
                    continue;
                };
                let path = || [&steps[..], &[step]].concat();
                let mut found = None;
                if let Some((after, code)) = planes(search)
                    && seen.insert(code)
                {
                    if search.board.side() == side {
                        fringe.push_back(path());
                    } else if self.met.contains(&code) {
                        found = Some(path());
                    } else {
                        let changes = changes(&before, &after) + CLOCK * closeness;
                        if best.as_ref().is_none_or(|(least, _)| changes < *least) {
                            best = Some((changes, path()));
                        }
                    }
                }
                search.board.unmake();
                if found.is_some() {
                    take_back(search, &steps);
                    return found;
                }
            }
            take_back(search, &steps);
        }
        best.map(|(_, steps)| steps)
    }
}

fn take_back(search: &mut Search, steps: &[Step]) {
    for _ in steps {
        search.board.unmake();
    }
}

/// Returns the planes of the board's position without the clock, and their code.
fn planes(search: &Search) -> Option<(Planes, u128)> {
    let board = &*search.board;
    let mut planes = board.planes()?;
    planes.state &= !planes.clock.map_or(0, DrawClock::mask);
    let code = search.coder.exact_of(Some(planes), board.side(), board.turn(), String::new);
    Some((planes, code))
}

/// Counts the differences of two positions.
fn changes(before: &Planes, after: &Planes) -> u32 {
    let sets = |planes: &Planes| planes.pieces.into_iter().chain(planes.marks);
    let cells = sets(before).zip(sets(after));
    let cells: u32 = cells.map(|(before, after)| (before ^ after).count_ones()).sum();
    cells + STATE_CHANGE * u32::from(before.state != after.state)
}
