//! Finds puzzles in games, and proves them.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::rating::Rater;
use super::{LineStep, Puzzle, Settings, Target, WrongStep};
use crate::games;
use crate::lab::solve::certificate::{Claim, Strategy, certificate};
use crate::lab::solve::search::Limits;
use crate::lab::solve::{Solver, Value};
use crate::record::GameRecord;
use crate::rules::{Board, Color, Step, Variant};
use crate::search::{Clock, SystemClock};
use crate::session::Session;

/// Memory of the solver, in bytes.
const MEMORY: usize = 16 << 20;

/// Number of turns in a row, back from the end of a game, that are not solved until the ones before are left out.
const GIVE_UP: usize = 4;

/// Number of positions with which each step is tried first: most positions have two good steps, which are found soon.
const QUICK: u64 = 1_000;

/// Maximum number of steps of a solution.
const MAX_STEPS: usize = 24;

/// Maximum number of steps of a reply to a wrong step.
const MAX_REPLY: usize = 4;

/// A puzzle with the certificates that prove it.
#[derive(Clone, Debug)]
pub struct Found {
    /// The puzzle.
    pub puzzle: Puzzle,
    /// Certificates with parts of their names: of the first position none, of another one of the solution the number of
    /// its step, from 1, and behind a wrong step that step.
    pub proofs: Vec<(String, Vec<u8>)>,
}

/// Finds the puzzles of a game, the last position first; `None` if it was stopped.
///
/// # Errors
/// If the game can't be replayed.
pub fn find(
    game: &GameRecord,
    source: &str,
    settings: &Settings,
    stop: &AtomicBool,
) -> Result<Option<Vec<Found>>, String> {
    let variant = games::parse_variant(&game.variant).map_err(|error| error.to_string())?;
    let positions = positions(game, &variant)?;
    let board = games::open(&variant);
    let mut board = board.ok_or_else(|| format!("{variant} can't be opened"))?;
    let clock = SystemClock::default();
    let judge = Judge { settings, stop, clock: &clock };
    let mut rater = Rater::new(&variant).ok_or_else(|| format!("{variant} can't be opened"))?;
    let (mut found, mut seen) = (Vec::<Found>::new(), HashSet::new());
    let mut unsolved: Vec<u32> = Vec::new();
    for (position, turn) in positions.into_iter().rev() {
        // The earlier steps of a turn are harder to solve than its last one.
        if unsolved.last() == Some(&turn) {
            continue;
        }
        if unsolved.len() == GIVE_UP {
            break;
        }
        if !seen.insert(position.clone()) || board.set_position(&position).is_err() {
            continue;
        }
        let side = board.side();
        let Some(mut solver) = Solver::new(&*board, MEMORY) else {
            break;
        };
        let range = judge.range(&mut solver, settings.positions, side);
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let target = match range {
            [2, _] => Target::Win,
            [1, 1] => Target::Draw,
            [_, 0] => {
                unsolved.clear();
                continue;
            }
            _ => {
                unsolved.push(turn);
                continue;
            }
        };
        unsolved.clear();
        let Some(Solution { line, proofs, positions }) = judge.solution(&mut *board, solver, target) else {
            if stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
            continue;
        };
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let Some(first) = line.first() else {
            continue;
        };
        let rated = rater.nodes(&position, &first.text);
        if rated.is_easy && !settings.keeps_easy {
            continue;
        }
        // The end of this solution is no puzzle of its own.
        found.retain(|later| !positions.contains(&later.puzzle.position));
        let source = format!("{source}, game {}, turn {turn}", game.game);
        let variant = variant.clone();
        let puzzle = Puzzle { variant, position, side, target, nodes: rated.nodes, source, line };
        found.push(Found { puzzle, proofs });
    }
    Ok(Some(found))
}

/// Returns the positions of a game before its steps, with the numbers of their turns.
fn positions(game: &GameRecord, variant: &Variant) -> Result<Vec<(String, u32)>, String> {
    let session = Session::new(variant, Arc::new(SystemClock::default()));
    let mut session = session.ok_or_else(|| format!("{variant} can't be opened"))?;
    session.set_history(game.start.as_deref(), &[]).map_err(|error| error.to_string())?;
    let mut positions = Vec::new();
    for (number, made) in (1..).zip(&game.moves) {
        let mut board = session.board().fork();
        let played = session.play_text(session.side(), &made.text, true);
        let played = played.map_err(|error| format!("move {number}, {}: {error}", made.text))?;
        for step in played.split(',') {
            positions.push((board.position(), board.turn()));
            let step = board.find_step(step).map_err(|_| format!("move {number}, {step}: the step is not legal"))?;
            board.make(step);
        }
    }
    if session.outcome().is_none() {
        positions.push((session.position(), session.turn()));
    }
    Ok(positions)
}

/// Returns the result for a side, in half points.
fn half_points(winner: Option<Color>, side: Color) -> i32 {
    winner.map_or(1, |winner| if winner == side { 2 } else { 0 })
}

/// Proof of a value.
struct Proof {
    certificate: Vec<u8>,
    /// Best play.
    line: Vec<Step>,
}

/// A position of a solution.
struct Node {
    solution: Step,
    wrong: Vec<WrongStep>,
    proofs: Vec<(String, Vec<u8>)>,
    /// Best play behind the solution.
    line: Vec<Step>,
}

/// A solution.
struct Solution {
    line: Vec<LineStep>,
    proofs: Vec<(String, Vec<u8>)>,
    /// Positions along the line.
    positions: Vec<String>,
}

struct Judge<'a> {
    settings: &'a Settings,
    stop: &'a AtomicBool,
    clock: &'a dyn Clock,
}

impl Judge<'_> {
    /// Returns the limits of a solver that may search this many further positions.
    fn limits(&self, solver: &Solver, positions: u64) -> Limits<'_> {
        Limits {
            stop: self.stop,
            clock: self.clock,
            deadline: self.settings.time.map(|time| self.clock.now() + time),
            positions: Some(solver.positions().saturating_add(positions)),
        }
    }

    /// Returns the least and the greatest number of half points of a side in the position of a solver, as far as it is
    /// known after this many positions.
    fn range(&self, solver: &mut Solver, positions: u64, side: Color) -> [i32; 2] {
        if let Some(outcome) = solver.board().outcome() {
            return [half_points(outcome.winner, side); 2];
        }
        solver.solve(false, &self.limits(solver, positions));
        let first = solver.board().variant().info().first;
        let [low, high] = solver.bounds().values().map(|value| match value {
            Value::SecondWins => half_points(Some(!first), side),
            Value::Draw => half_points(None, side),
            Value::FirstWins => half_points(Some(first), side),
        });
        [low.min(high), low.max(high)]
    }

    /// Proves what is known about the position of a solver; `None` if that is nothing.
    fn prove(&self, solver: &mut Solver) -> Option<Proof> {
        if let Some(outcome) = solver.board().outcome() {
            return Some(ended(solver.board(), outcome.winner));
        }
        if solver.claims().is_empty() || solver.is_too_deep() {
            return None;
        }
        let limits = self.limits(solver, self.settings.positions);
        let strategies = solver.strategies(&limits).ok()?;
        let line = solver.variation(&limits);
        Some(Proof { certificate: certificate(solver.board(), &strategies), line })
    }

    /// Returns the solution from the position of a board and its solver, as far as one step alone reaches the target
    /// each time; `None` if there is none.
    fn solution(&self, board: &mut dyn Board, mut solver: Solver, target: Target) -> Option<Solution> {
        let first = self.node(&mut solver, target, 0)?;
        let mut proofs = vec![(String::new(), self.prove(&mut solver)?.certificate)];
        drop(solver);
        let side = board.side();
        let (mut line, mut positions) = (Vec::<LineStep>::new(), Vec::new());
        let mut replies: Vec<Step> = Vec::new();
        let mut first = Some(first);
        // Length up to the last step that is to be found.
        let mut length = 0;
        while line.len() < MAX_STEPS && !board.is_over() {
            let mut steps = Vec::new();
            board.steps(&mut steps);
            let mut wrong = Vec::new();
            let step = match steps.as_slice() {
                &[only] => only,
                _ if board.side() == side => {
                    let later = || self.node(&mut Solver::new(board, MEMORY)?, target, line.len());
                    let Some(node) = first.take().or_else(later) else {
                        break;
                    };
                    wrong = node.wrong;
                    proofs.extend(node.proofs);
                    replies = node.line;
                    node.solution
                }
                _ => {
                    if replies.is_empty() {
                        replies = self.best_play(board).unwrap_or_default();
                    }
                    let Some(&reply) = replies.first().filter(|reply| steps.contains(reply)) else {
                        break;
                    };
                    reply
                }
            };
            if wrong.is_empty() {
                replies = if replies.first() == Some(&step) { replies.split_off(1) } else { Vec::new() };
            }
            let text = board.write_step(step);
            positions.push(board.position());
            line.push(LineStep { side: board.side(), text, wrong });
            if line.last().is_some_and(|last| !last.wrong.is_empty()) {
                length = line.len();
            }
            board.make(step);
        }
        for _ in &line {
            board.unmake();
        }
        line.truncate(length);
        positions.truncate(length);
        Some(Solution { line, proofs, positions })
    }

    /// Returns best play from the position of a board; `None` if its value is not known.
    fn best_play(&self, board: &dyn Board) -> Option<Vec<Step>> {
        let mut solver = Solver::new(board, MEMORY)?;
        self.range(&mut solver, self.settings.positions, board.side());
        Some(self.prove(&mut solver)?.line)
    }

    /// Returns what is proven about all steps of the position of a solver; `None` unless exactly one of several reaches
    /// the target.
    fn node(&self, solver: &mut Solver, target: Target, number: usize) -> Option<Node> {
        let side = solver.board().side();
        let mut steps = Vec::new();
        solver.board().steps(&mut steps);
        let least = target.half_points();
        let (mut solution, mut draws) = (None, Vec::new());
        for positions in [QUICK.min(self.settings.positions), self.settings.positions] {
            let is_last = positions == self.settings.positions;
            solution = None;
            draws.clear();
            for &step in &steps {
                let [low, high] = solver.behind(step, |solver| self.range(solver, positions, side));
                if low >= least {
                    if solution.replace(step).is_some() {
                        return None;
                    }
                } else if is_last && (high >= least || low != high) {
                    return None;
                }
                draws.push(high == 1);
            }
        }
        let solution = solution.filter(|_| steps.len() > 1)?;
        let (mut wrong, mut proofs, mut line) = (Vec::new(), Vec::new(), Vec::new());
        let name = |what: &str| if number == 0 { what.to_owned() } else { format!("{}{what}", number + 1) };
        for (step, draws) in steps.into_iter().zip(draws) {
            let text = solver.board().write_step(step);
            let (proof, reply) = solver.behind(step, |solver| {
                self.range(solver, self.settings.positions, side);
                let proof = self.prove(solver)?;
                let reply = written(&mut *solver.board().fork(), &proof.line);
                Some((proof, reply))
            })?;
            if step != solution {
                proofs.push((name(&format!("-{text}")), proof.certificate));
                wrong.push(WrongStep { text, draws, reply });
                continue;
            }
            line = proof.line;
            if number > 0 {
                proofs.push((name(""), proof.certificate));
            }
        }
        Some(Node { solution, wrong, proofs, line })
    }
}

/// Returns the first steps of a line as texts.
fn written(board: &mut dyn Board, line: &[Step]) -> Vec<String> {
    let mut texts = Vec::new();
    for &step in line.iter().take(MAX_REPLY) {
        texts.push(board.write_step(step));
        board.make(step);
    }
    for _ in &texts {
        board.unmake();
    }
    texts
}

/// Returns what is known about a finished game, for which no choice is needed.
fn ended(board: &dyn Board, winner: Option<Color>) -> Proof {
    let first = board.variant().info().first;
    let strategy = |is_first, claim| Strategy { is_first, claim, choices: 0, bytes: Vec::new(), positions: 1 };
    let strategies = match winner {
        None => vec![strategy(true, Claim::Draw), strategy(false, Claim::Draw)],
        Some(winner) => vec![strategy(winner == first, Claim::Win)],
    };
    Proof { certificate: certificate(board, &strategies), line: Vec::new() }
}
