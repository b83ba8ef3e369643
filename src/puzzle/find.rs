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

/// Number of positions in a row, back from the end of a game, that are not solved until the ones before are left out.
const GIVE_UP: usize = 4;

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
    let (mut found, mut seen) = (Vec::new(), HashSet::new());
    let mut unsolved = 0;
    for (position, turn) in positions.into_iter().rev() {
        if unsolved == GIVE_UP {
            break;
        }
        if !seen.insert(position.clone()) || board.set_position(&position).is_err() {
            continue;
        }
        let side = board.side();
        let known = judge.judge(&mut *board).map(|judged| (judged.range(&variant, side), judged.proof));
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let (target, proof) = match known {
            Some(([2, _], proof)) => (Target::Win, proof),
            Some(([1, 1], proof)) => (Target::Draw, proof),
            Some(([_, 0], _)) => {
                unsolved = 0;
                continue;
            }
            _ => {
                unsolved += 1;
                continue;
            }
        };
        unsolved = 0;
        let mut proofs = vec![(String::new(), proof)];
        let line = judge.line(&mut *board, target, &mut proofs);
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
        let source = format!("{source}, game {}, turn {turn}", game.game);
        let variant = variant.clone();
        let puzzle = Puzzle { variant, position, side, target, nodes: rated.nodes, source, line };
        found.push(Found { puzzle, proofs });
    }
    Ok(Some(found))
}

/// Returns the positions of a game before its moves, with the numbers of their turns.
fn positions(game: &GameRecord, variant: &Variant) -> Result<Vec<(String, u32)>, String> {
    let session = Session::new(variant, Arc::new(SystemClock::default()));
    let mut session = session.ok_or_else(|| format!("{variant} can't be opened"))?;
    session.set_history(game.start.as_deref(), &[]).map_err(|error| error.to_string())?;
    let mut positions = vec![(session.position(), session.turn())];
    for (number, made) in (1..).zip(&game.moves) {
        let side = session.side();
        let played = session.play(side, &made.text, true);
        played.map_err(|error| format!("move {number}, {}: {error}", made.text))?;
        if session.outcome().is_none() {
            positions.push((session.position(), session.turn()));
        }
    }
    Ok(positions)
}

/// A proven range of the value of a position.
struct Judged {
    /// Minimum and maximum result.
    values: [Value; 2],
    proof: Vec<u8>,
    /// Best play.
    line: Vec<Step>,
}

impl Judged {
    /// Returns the least and the greatest number of half points of a side.
    fn range(&self, variant: &Variant, side: Color) -> [i32; 2] {
        let [low, high] = self.values.map(|value| match value {
            Value::SecondWins => 0,
            Value::Draw => 1,
            Value::FirstWins => 2,
        });
        if side == variant.info().first { [low, high] } else { [2 - high, 2 - low] }
    }
}

/// A position of a solution.
struct Node {
    solution: Step,
    wrong: Vec<WrongStep>,
    proofs: Vec<(String, Vec<u8>)>,
    /// Best play behind the solution.
    line: Vec<Step>,
}

struct Judge<'a> {
    settings: &'a Settings,
    stop: &'a AtomicBool,
    clock: &'a dyn Clock,
}

impl Judge<'_> {
    /// Proves what it can about a position; `None` if that is nothing.
    fn judge(&self, board: &mut dyn Board) -> Option<Judged> {
        if let Some(outcome) = board.outcome() {
            return Some(ended(board, outcome.winner));
        }
        let mut solver = Solver::new(board, MEMORY)?;
        let limits = |positions| Limits {
            stop: self.stop,
            clock: self.clock,
            deadline: self.settings.time.map(|time| self.clock.now() + time),
            positions: Some(positions),
        };
        solver.solve(false, &limits(self.settings.positions));
        if solver.claims().is_empty() || solver.is_too_deep() {
            return None;
        }
        let more = limits(solver.positions().saturating_add(self.settings.positions));
        let strategies = solver.strategies(&more).ok()?;
        let line = solver.variation(&more);
        Some(Judged { values: solver.bounds().values(), proof: certificate(board, &strategies), line })
    }

    /// Returns the solution from the position of a board, as far as one step alone reaches the target each time.
    fn line(&self, board: &mut dyn Board, target: Target, proofs: &mut Vec<(String, Vec<u8>)>) -> Vec<LineStep> {
        let side = board.side();
        let mut line: Vec<LineStep> = Vec::new();
        let mut replies: Vec<Step> = Vec::new();
        // Length up to the last step that is to be found.
        let mut length = 0;
        while line.len() < MAX_STEPS && !board.is_over() {
            let mut steps = Vec::new();
            board.steps(&mut steps);
            let own = board.side() == side;
            let mut wrong = Vec::new();
            let step = match steps.as_slice() {
                &[only] => only,
                _ if own => {
                    let Some(node) = self.node(board, target, line.len()) else {
                        break;
                    };
                    wrong = node.wrong;
                    proofs.extend(node.proofs);
                    replies = node.line;
                    node.solution
                }
                _ => {
                    if replies.is_empty() {
                        replies = self.judge(board).map_or(Vec::new(), |judged| judged.line);
                    }
                    let Some(&reply) = replies.first().filter(|reply| steps.contains(reply)) else {
                        break;
                    };
                    reply
                }
            };
            if !own || wrong.is_empty() {
                replies = if replies.first() == Some(&step) { replies.split_off(1) } else { Vec::new() };
            }
            let text = board.write_step(step);
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
        line
    }

    /// Returns what is proven about all steps of a position; `None` unless exactly one reaches the target.
    fn node(&self, board: &mut dyn Board, target: Target, number: usize) -> Option<Node> {
        let (side, variant) = (board.side(), board.variant().clone());
        let mut steps = Vec::new();
        board.steps(&mut steps);
        let mut solution: Option<(Step, Judged)> = None;
        let (mut wrong, mut proofs) = (Vec::new(), Vec::new());
        let name = |what: &str| if number == 0 { what.to_owned() } else { format!("{}{what}", number + 1) };
        for step in steps {
            let text = board.write_step(step);
            board.make(step);
            let judged = self.judge(board);
            let reply = judged.as_ref().map(|judged| written(board, &judged.line));
            board.unmake();
            let judged = judged?;
            let [low, high] = judged.range(&variant, side);
            if low >= target.half_points() {
                if solution.is_some() {
                    return None;
                }
                solution = Some((step, judged));
            } else if high < target.half_points() && low == high {
                proofs.push((name(&format!("-{text}")), judged.proof));
                wrong.push(WrongStep { text, draws: high == 1, reply: reply.unwrap_or_default() });
            } else {
                return None;
            }
        }
        let (solution, judged) = solution?;
        if number > 0 {
            board.make(solution);
            proofs.push((name(""), judged.proof));
            board.unmake();
        }
        Some(Node { solution, wrong, proofs, line: judged.line })
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
fn ended(board: &dyn Board, winner: Option<Color>) -> Judged {
    let first = board.variant().info().first;
    let strategy = |is_first, claim| Strategy { is_first, claim, choices: 0, bytes: Vec::new(), positions: 1 };
    let (value, strategies) = match winner {
        None => (Value::Draw, vec![strategy(true, Claim::Draw), strategy(false, Claim::Draw)]),
        Some(winner) => {
            let is_first = winner == first;
            let value = if is_first { Value::FirstWins } else { Value::SecondWins };
            (value, vec![strategy(is_first, Claim::Win)])
        }
    };
    Judged { values: [value; 2], proof: certificate(board, &strategies), line: Vec::new() }
}
