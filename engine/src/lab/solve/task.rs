//! Tasks of the solver: a search, an enumeration of all positions, or both.

use std::sync::atomic::Ordering;
use std::time::Duration;

use thiserror::Error;

use super::certificate::{NoStrategy, Strategy, certificate};
use super::layers::{self, Census, Solved};
use super::search::Limits;
use super::{Bounds, Pauses, Solver};
use crate::rules::{Board, Step};

/// The goal of a task.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Question {
    /// Who wins.
    Value,
    /// Who wins, and the margin in games that are decided by points.
    Score,
    /// The values of all positions, in games whose positions fall into layers; the score in others.
    All,
}

/// A position to solve.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    /// The board with the position.
    pub board: &'a dyn Board,
    /// The goal.
    pub question: Question,
    /// True to prove the value by a certificate.
    pub proof: bool,
    /// True to find the value of each step of the position.
    pub each_step: bool,
    /// Maximum memory of an enumeration, in bytes.
    pub memory: u64,
    /// Number of threads of an enumeration.
    pub threads: usize,
}

/// Why a position is not solved although no limit was reached.
#[derive(Error, PartialEq, Eq, Debug)]
pub enum Failure {
    /// A claim does not hold.
    #[error("the value is not proven: {0}")]
    NotProven(NoStrategy),
    /// The search cannot follow a line.
    #[error("a line is too long for this search")]
    TooDeep,
    /// The enumeration failed.
    #[error("can't solve all positions: {0}")]
    NotEnumerated(layers::Failure),
    /// The enumeration does not have the position.
    #[error("the position is not among the solved ones")]
    Missing,
    /// Two ways to solve give different values.
    #[error("the proof and the enumeration disagree")]
    Contradiction,
}

/// A certificate, and the strategies that are written in it.
pub type Proof = (Vec<u8>, Vec<Strategy>);

/// The result of a task.
pub struct Solution {
    /// Its value, as far as it is known.
    pub bounds: Bounds,
    /// Number of positions searched and enumerated.
    pub positions: u64,
    /// Time of this search and of the earlier ones that it resumes.
    pub time: Duration,
    /// Size of the table, in bytes.
    pub memory: u64,
    /// Best play, as far as it was found.
    pub line: Vec<Step>,
    /// The steps of the position with their values, the best one for the side to move first.
    pub steps: Vec<(Step, Bounds)>,
    /// The certificate, and the strategies that are written in it.
    pub proof: Option<Proof>,
    /// Those of the positions after each step, if they were asked for.
    pub step_proofs: Vec<(Step, Proof)>,
    /// True if the time was over before all that was found was proven.
    pub is_late: bool,
    /// Number of moves to the end with best play, if all positions were solved and a side wins.
    pub length: Option<u32>,
    /// Numbers of positions, if all were solved.
    pub census: Option<Census>,
    /// True if it was stopped.
    pub is_stopped: bool,
    /// Why the search failed.
    pub failure: Option<Failure>,
}

/// Builds the certificate of what a solver has found.
fn prove(solver: &mut Solver, limits: &Limits<'_>) -> Result<Proof, NoStrategy> {
    let strategies = solver.strategies(limits)?;
    Ok((certificate(solver.board(), &strategies), strategies))
}

impl Task<'_> {
    /// Returns true if the task enumerates all positions.
    pub fn enumerates(&self) -> bool {
        self.question == Question::All && self.board.layers().is_some()
    }

    /// Solves the position.
    pub fn run(&self, solver: &mut Solver, limits: &Limits<'_>, pauses: Option<&mut Pauses<'_>>) -> Solution {
        let started = limits.clock.now();
        let mut solution = Solution {
            bounds: Bounds::unknown(self.board),
            positions: 0,
            time: Duration::ZERO,
            memory: 0,
            line: Vec::new(),
            steps: Vec::new(),
            proof: None,
            step_proofs: Vec::new(),
            is_late: false,
            length: None,
            census: None,
            is_stopped: false,
            failure: None,
        };
        if !self.enumerates() || self.proof || self.each_step {
            self.search(solver, &mut solution, limits, pauses);
        }
        if self.enumerates() && !solution.is_stopped && solution.failure.is_none() {
            self.enumerate(&mut solution, limits);
            solution.time = limits.clock.now() - started;
        }
        solution
    }

    /// Searches the position, and proves what was found.
    fn search(
        &self,
        solver: &mut Solver,
        solution: &mut Solution,
        limits: &Limits<'_>,
        mut pauses: Option<&mut Pauses<'_>>,
    ) {
        let started = limits.clock.now();
        let score = self.question != Question::Value;
        solver.solve_with_pauses(score, limits, pauses.as_deref_mut());
        let is_stopped = || limits.stop.load(Ordering::Relaxed);
        if self.each_step {
            solution.steps = solver.solve_steps(score, limits, pauses, |solver, step| {
                if self.proof && !is_stopped() && !solver.claims().is_empty() {
                    match prove(solver, limits) {
                        Ok(proof) => solution.step_proofs.push((step, proof)),
                        Err(NoStrategy::Stopped) => solution.is_late = !is_stopped(),
                        Err(error) => solution.failure = Some(Failure::NotProven(error)),
                    }
                }
            });
        }
        solution.time = solver.earlier_time() + (limits.clock.now() - started);
        (solution.positions, solution.memory) = (solver.positions(), solver.memory());
        let mut is_proven = true;
        if (self.proof || solver.needs_walk()) && !is_stopped() && !solver.claims().is_empty() {
            match prove(solver, limits) {
                Ok(proof) => solution.proof = Some(proof),
                Err(NoStrategy::Stopped) => (is_proven, solution.is_late) = (false, !is_stopped()),
                Err(error) => {
                    is_proven = false;
                    solution.failure = Some(Failure::NotProven(error));
                }
            }
        }
        if solver.is_too_deep() {
            solution.failure = Some(Failure::TooDeep);
        }
        if solver.value().is_some() && !is_stopped() {
            solution.line = solver.variation(limits);
        }
        solution.is_stopped = is_stopped();
        if is_proven || !solver.needs_walk() && solution.failure.is_none() {
            solution.bounds = solver.bounds();
        }
        if solver.needs_walk() {
            let is_proven = |step: Step| solution.step_proofs.iter().any(|(of, _)| *of == step);
            let unproven = solution.steps.iter_mut().filter(|(step, _)| !is_proven(*step));
            unproven.for_each(|(_, bounds)| *bounds = Bounds::unknown(self.board));
        }
        solution.steps.sort_by_key(|&(_, bounds)| bounds.results());
        if self.board.side() == self.board.variant().info().first {
            solution.steps.reverse();
        }
    }

    /// Solves all positions.
    fn enumerate(&self, solution: &mut Solution, limits: &Limits<'_>) {
        let solved = Solved::new(self.board, self.memory, self.threads, limits);
        solution.is_stopped = limits.stop.load(Ordering::Relaxed);
        let solved = match solved {
            Ok(solved) => solved,
            Err(error) => {
                solution.failure = (error != layers::Failure::Stopped).then_some(Failure::NotEnumerated(error));
                return;
            }
        };
        let Some((value, length)) = solved.value(self.board) else {
            solution.failure = Some(Failure::Missing);
            return;
        };
        if solution.bounds.value().is_some_and(|proven| proven != value) {
            solution.failure = Some(Failure::Contradiction);
            return;
        }
        (solution.bounds, solution.length) = (value.into(), length);
        solution.line = solved.variation(self.board);
        solution.positions += solved.census().legal.total();
        solution.memory = solved.bytes();
        solution.census = Some(*solved.census());
    }
}
