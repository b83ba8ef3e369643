//! Reviews of games: what each move lost, and what was better.
//!
//! Every position is searched. The moves that seem to have lost something are searched again with twice the budget,
//! before and behind them: a mistake is what both searches call one.
#![deny(clippy::indexing_slicing)]

mod annotate;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crossbeam_channel::RecvTimeoutError;
use thiserror::Error;

use crate::games;
use crate::lab::solve::search::Limits;
use crate::lab::solve::{Solver, Value};
use crate::record::{GameRecord, MoveRecord};
use crate::rules::{Color, Narration, Variant};
use crate::search::{Proof, SystemClock};
use crate::session::{Event, Go, HistoryError, OptionError, PlayError, Session, TimeLimit};
use crate::study::error::StudyError;
use crate::study::pool::{PoolEvent, in_order};

/// Loss of expected score from which on a move is a mistake.
pub const MISTAKE: f64 = 0.05;

/// Lead of the best step over the second one from which on it is the only move.
const ONLY: f64 = 0.1;

/// Memory of the solver, in bytes.
const SOLVER_MEMORY: usize = 16 << 20;

/// Maximum number of positions of a proof that a move keeps the value.
const POSITIONS: u64 = 100_000;

/// Interval in which a search looks whether it shall stop.
const WATCH: Duration = Duration::from_millis(100);

/// Budget of the search of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Budget {
    /// Number of nodes.
    Nodes(u64),
    /// Time.
    Time(Duration),
}

impl Budget {
    /// Returns a budget this many times as large.
    fn times(self, factor: u32) -> Self {
        match self {
            Self::Nodes(nodes) => Self::Nodes(nodes.saturating_mul(factor.into())),
            Self::Time(time) => Self::Time(time.saturating_mul(factor)),
        }
    }
}

/// Settings of a review.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Budget for a position; mistakes get twice as much.
    pub budget: Budget,
    /// Number of positions that are searched at once.
    pub jobs: usize,
    /// Memory of each search, in MiB.
    pub hash: u32,
}

/// An error of a review.
#[derive(Error, Debug)]
pub enum ReviewError {
    /// The variant of the game can't be opened.
    #[error("{0} can't be opened")]
    Variant(String),
    /// The game can't be replayed.
    #[error(transparent)]
    History(#[from] HistoryError),
    /// A move can't be played.
    #[error("move {0}: {1}")]
    Move(usize, PlayError),
    /// An option has no such value.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// The searches were stopped, or have failed.
    #[error(transparent)]
    Search(#[from] StudyError),
}

/// Result of the search of a position.
#[derive(Clone, Debug)]
struct Evaluation {
    /// Expected score of the side to move.
    expected: f64,
    proof: Option<Proof>,
    /// Moves of the best line; the last one may be incomplete.
    line: Vec<String>,
    best: String,
    /// Expected score with the second-best first step, if there is another one.
    second: Option<f64>,
    depth: usize,
    nodes: u64,
}

/// A reviewed move.
#[derive(Clone, Debug)]
pub struct ReviewedMove {
    /// Number of the turn.
    pub turn: u32,
    /// Side that moved.
    pub side: Color,
    /// The move: its steps joined by commas.
    pub text: String,
    /// Expected score of this side before the move, from 0 to 1.
    pub before: f64,
    /// Expected score of this side behind it.
    pub after: f64,
    /// Difference of the two, 0 for the best move.
    pub loss: f64,
    /// The best move, and how the game may go on with it; the last move may be incomplete.
    pub best: String,
    /// The best line.
    pub line: Vec<String>,
    /// The best move in words.
    pub told: Vec<Narration>,
    /// True if every other step is much worse than the best one, or there is no other.
    pub is_only: bool,
    /// The proven result before the move.
    pub proof_before: Option<Proof>,
    /// The proven result behind it.
    pub proof_after: Option<Proof>,
    /// True if both searches call the move a mistake.
    pub is_mistake: bool,
    /// Depth in steps of the search before it.
    pub depth: usize,
    /// Nodes of the search before it.
    pub nodes: u64,
}

/// A reviewed game.
#[derive(Clone, Debug)]
pub struct Review {
    /// Variant.
    pub variant: Variant,
    /// The game, each of its moves whole.
    pub record: GameRecord,
    /// Its moves.
    pub moves: Vec<ReviewedMove>,
}

impl Review {
    /// Returns the mistakes, the greatest loss first.
    pub fn mistakes(&self) -> Vec<&ReviewedMove> {
        let mut mistakes: Vec<&ReviewedMove> = self.moves.iter().filter(|made| made.is_mistake).collect();
        mistakes.sort_by(|a, b| b.loss.total_cmp(&a.loss));
        mistakes
    }
}

/// A position of the game, and the move that was played there.
struct Point {
    position: String,
    side: Color,
    turn: u32,
    /// Expected score of the side to move, if the game is over.
    end: Option<f64>,
    /// Evaluations with the budget, and with twice as much.
    shallow: Option<Evaluation>,
    deep: Option<Evaluation>,
}

impl Point {
    fn best(&self) -> Option<&Evaluation> {
        self.deep.as_ref().or(self.shallow.as_ref())
    }

    /// Returns the expected score for a side, by the deepest search, or the first one.
    fn expected(&self, side: Color, is_deep: bool) -> f64 {
        let evaluation = if is_deep { self.best() } else { self.shallow.as_ref() };
        let own = self.end.or(evaluation.map(|found| found.expected)).unwrap_or(0.5);
        if self.side == side { own } else { 1.0 - own }
    }
}

/// Reviews a game. `progress` gets the number of searches that are done, and of those that are known to be needed.
///
/// # Errors
/// If the game can't be replayed, or the review was stopped.
pub fn review(
    record: &GameRecord,
    settings: &Settings,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Review, ReviewError> {
    let variant = games::parse_variant(&record.variant).map_err(|_| ReviewError::Variant(record.variant.clone()))?;
    let session = Session::new(&variant, Arc::new(SystemClock::default()));
    let mut session = session.ok_or_else(|| ReviewError::Variant(record.variant.clone()))?;
    let (record, mut points) = points(record, &mut session)?;
    let mut searches = Searches { variant: &variant, settings, stop, progress, done: 0 };
    let all: Vec<usize> = (0..points.len()).collect();
    searches.run(&mut points, &all, false)?;
    // Deeper searches may find other mistakes: each position is searched twice at most.
    loop {
        let suspects = points.windows(2).enumerate().filter(|(index, pair)| {
            let [point, next] = pair else {
                return false;
            };
            let text = record.moves.get(*index).map(|made| made.text.as_str());
            loss(point, next, text.unwrap_or_default(), true) >= MISTAKE
        });
        let wanted = suspects.flat_map(|(index, _)| [index, index + 1]);
        let mut wanted: Vec<usize> =
            wanted.filter(|&index| points.get(index).is_some_and(|point| point.deep.is_none())).collect();
        wanted.dedup();
        wanted.retain(|&index| points.get(index).is_some_and(|point| point.end.is_none()));
        if wanted.is_empty() {
            break;
        }
        searches.run(&mut points, &wanted, true)?;
    }
    let mut moves = Vec::new();
    for (pair, made) in points.windows(2).zip(&record.moves) {
        if let [point, next] = pair {
            let mut judged = judge(&mut session, point, next, &made.text);
            if judged.is_mistake && keeps_value(&mut session, point, next, stop) {
                (judged.is_mistake, judged.loss, judged.before) = (false, 0.0, judged.after);
            }
            moves.push(judged);
        }
    }
    Ok(Review { variant, record, moves })
}

/// Returns the game with whole moves, and its positions.
fn points(record: &GameRecord, session: &mut Session) -> Result<(GameRecord, Vec<Point>), ReviewError> {
    session.set_history(record.start.as_deref(), &[])?;
    let mut whole: Vec<MoveRecord> = Vec::new();
    let mut points = vec![point(session)];
    let mut is_part = false;
    for (index, made) in record.moves.iter().enumerate() {
        let side = session.side();
        let text = session.play_text(side, &made.text, true).map_err(|why| ReviewError::Move(index + 1, why))?;
        let made = MoveRecord { text, ..made.clone() };
        match whole.last_mut().filter(|_| is_part) {
            Some(last) => {
                last.join(made);
                points.pop();
            }
            None => whole.push(made),
        }
        is_part = session.side() == side && session.outcome().is_none();
        points.push(point(session));
    }
    Ok((GameRecord { moves: whole, ..record.clone() }, points))
}

fn point(session: &Session) -> Point {
    let side = session.side();
    let end = session.outcome().map(|outcome| match outcome.winner {
        None => 0.5,
        Some(winner) if winner == side => 1.0,
        Some(_) => 0.0,
    });
    Point { position: session.position(), side, turn: session.turn(), end, shallow: None, deep: None }
}

/// Returns what a move lost. The best move loses nothing, whatever deeper searches say behind it.
fn loss(point: &Point, next: &Point, text: &str, is_deep: bool) -> f64 {
    let evaluation = if is_deep { point.best() } else { point.shallow.as_ref() };
    if evaluation.is_none_or(|found| found.best == text) {
        return 0.0;
    }
    (point.expected(point.side, is_deep) - next.expected(point.side, is_deep)).max(0.0)
}

fn judge(session: &mut Session, point: &Point, next: &Point, text: &str) -> ReviewedMove {
    let lost = loss(point, next, text, true);
    let is_verified = point.deep.is_some() && (next.deep.is_some() || next.end.is_some());
    let is_mistake = lost >= MISTAKE && is_verified && loss(point, next, text, false) > 0.0;
    let found = point.best();
    let told = match found {
        Some(found) if session.set_position(&point.position).is_ok() => narrate(session, &found.best),
        _ => Vec::new(),
    };
    let is_only = found.is_some_and(|found| found.second.is_none_or(|second| found.expected - second >= ONLY));
    ReviewedMove {
        turn: point.turn,
        side: point.side,
        text: text.to_owned(),
        before: point.expected(point.side, true),
        after: next.expected(point.side, true),
        loss: lost,
        best: found.map(|found| found.best.clone()).unwrap_or_default(),
        line: found.map(|found| found.line.clone()).unwrap_or_default(),
        told,
        is_only,
        proof_before: found.and_then(|found| found.proof),
        proof_after: next.best().and_then(|found| found.proof),
        is_mistake,
        depth: found.map_or(0, |found| found.depth),
        nodes: found.map_or(0, |found| found.nodes),
    }
}

/// Returns true if it is proven that a move loses nothing, although two searches have said so: where one of them could
/// not prove the value, say.
fn keeps_value(session: &mut Session, point: &Point, next: &Point, stop: &AtomicBool) -> bool {
    let mut bounds = |position: &str| {
        session.set_position(position).ok()?;
        let mut solver = Solver::new(session.board(), SOLVER_MEMORY)?;
        let clock = SystemClock::default();
        solver.solve(false, &Limits { stop, clock: &clock, deadline: None, positions: Some(POSITIONS) });
        let first = session.variant().info().first;
        let half_points = |value| match value {
            Value::FirstWins => 2,
            Value::Draw => 1,
            Value::SecondWins => 0,
        };
        let [low, high] = solver.bounds().values().map(half_points);
        Some(if point.side == first { [low, high] } else { [2 - high, 2 - low] })
    };
    let before = bounds(&point.position).map_or(2, |[_, high]| high);
    if before == 0 {
        return true;
    }
    let after = match next.end {
        Some(_) => (2.0 * next.expected(point.side, true)).round() as i32,
        None => bounds(&next.position).map_or(0, |[low, _]| low),
    };
    before <= after
}

/// Describes the steps of a move.
fn narrate(session: &Session, text: &str) -> Vec<Narration> {
    let mut board = session.board().fork();
    let narrate = |step| {
        let step = board.find_step(step).ok()?;
        let narration = board.narrate(step);
        board.make(step);
        Some(narration)
    };
    text.split(',').filter_map(narrate).collect()
}

/// The searches of a review.
struct Searches<'a> {
    variant: &'a Variant,
    settings: &'a Settings,
    stop: &'a AtomicBool,
    progress: &'a mut dyn FnMut(usize, usize),
    done: usize,
}

impl Searches<'_> {
    /// Searches positions, with twice the budget if `is_deep`. The result does not depend on the number of threads where
    /// nodes limit the searches.
    fn run(&mut self, points: &mut [Point], wanted: &[usize], is_deep: bool) -> Result<(), ReviewError> {
        let Settings { budget, hash, jobs } = *self.settings;
        let budget = if is_deep { budget.times(2) } else { budget };
        let tasks: Vec<(usize, String)> = wanted
            .iter()
            .filter_map(|&index| points.get(index).map(|point| (index, point)))
            .filter(|(_, point)| point.end.is_none())
            .map(|(index, point)| (index, point.position.clone()))
            .collect();
        let mut found = Vec::new();
        let (all, before) = (self.done + tasks.len(), self.done);
        let variant = self.variant;
        let work = |kept: &mut Option<Session>, task: usize, ended: &AtomicBool| {
            let session = match kept {
                Some(session) => session,
                None => kept.insert(open(variant, hash)?),
            };
            let (_, position) = tasks.get(task)?;
            search(session, position, budget, ended)
        };
        let progress = &mut self.progress;
        in_order(tasks.len(), jobs, self.stop, work, &mut |event| {
            if let PoolEvent::Done(_, evaluation) = event {
                found.push(evaluation);
            }
            progress(before + found.len(), all);
            true
        })?;
        self.done += found.len();
        for ((index, _), evaluation) in tasks.iter().zip(found) {
            if let Some(point) = points.get_mut(*index) {
                let slot = if is_deep { &mut point.deep } else { &mut point.shallow };
                *slot = Some(evaluation);
            }
        }
        Ok(())
    }
}

fn open(variant: &Variant, hash: u32) -> Option<Session> {
    let mut session = Session::new(variant, Arc::new(SystemClock::default()))?;
    for (name, value) in [("Hash", hash.to_string()), ("MoveOverhead", "0".to_owned())] {
        session.set_option(name, &value).ok()?;
    }
    Some(session)
}

/// Searches a position from nothing; `None` if it is stopped.
fn search(session: &mut Session, position: &str, budget: Budget, stop: &AtomicBool) -> Option<Evaluation> {
    session.set_position(position).ok()?;
    let legal = session.legal();
    let go = Go {
        time: match budget {
            Budget::Nodes(_) => TimeLimit::Unlimited,
            Budget::Time(time) => TimeLimit::Fixed(time),
        },
        nodes: match budget {
            Budget::Nodes(nodes) => Some(nodes),
            Budget::Time(_) => None,
        },
        // A search hardly looks at the only legal step, unless it is asked about that one.
        search_moves: if legal.len() == 1 { legal } else { Vec::new() },
        multi_pv: 2,
        ..Go::default()
    };
    let events = session.search(&go).ok()?;
    let found = loop {
        match events.recv_timeout(WATCH) {
            Ok(Event::SearchDone(found)) => break found,
            Ok(_) => {}
            Err(RecvTimeoutError::Timeout) if stop.load(Ordering::Relaxed) => session.stop(),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return None,
        }
    };
    if stop.load(Ordering::Relaxed) {
        return None;
    }
    let progress = &found.progress;
    let best = progress.variations.first()?;
    let second = progress.variations.get(1).map(|second| progress.upper_bound(second).unwrap_or(second).expected_score);
    Some(Evaluation {
        expected: best.expected_score,
        proof: best.proof,
        line: best.moves.iter().map(|steps| steps.join(",")).collect(),
        best: found.text(),
        second,
        depth: best.depth(),
        nodes: progress.statistics.nodes,
    })
}
