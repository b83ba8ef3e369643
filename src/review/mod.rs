//! Reviews of games: what each move lost, and what was better.
//!
//! Every position is searched. The moves that seem to have lost something are searched again with twice the budget,
//! before and behind them: a mistake is what both searches call one. The solver tries the positions of the mistakes, and
//! what is proven is carried along the game.
#![deny(clippy::indexing_slicing)]

mod annotate;
mod at_table;
mod bounds;
mod evaluations;
mod words;

use std::fmt::{self, Display};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crossbeam_channel::RecvTimeoutError;
use thiserror::Error;

use crate::games;
use crate::lab::solve::search::Limits;
use crate::lab::solve::{Solver, Value};
use crate::record::{GameRecord, MoveRecord};
use crate::rules::{Board, Color, Narration, Variant};
use crate::search::{Clock, SystemClock};
use crate::session::{Event, Go, HistoryError, OptionError, PlayError, Session, TimeLimit, narrate_move};
use crate::study::error::StudyError;
use crate::study::pool::{PoolEvent, in_order, processors};
use crate::table::Table;

pub use annotate::REVIEWER;
pub use at_table::TableGame;
pub use bounds::Proven;
use bounds::{Bounds, propagate};
use evaluations::Evaluation;
pub use evaluations::Evaluations;

/// Loss of expected score from which on a move is a mistake.
pub const MISTAKE: f64 = 0.05;

/// Expected score up to which a step clearly loses. Where all steps but one do, that one is the only move.
const CLEAR: f64 = 0.2;

/// Lead of the only move over the others.
const LEAD: f64 = 0.25;

/// Memory of the solver, in bytes.
const SOLVER_MEMORY: usize = 16 << 20;

/// Usual time for a position: a game of forty moves takes about a minute on two cores.
pub const TIME: Duration = Duration::from_millis(1500);

/// Minimum number of positions with which the solver tries the positions of a mistake.
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

impl Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nodes(nodes) => write!(f, "{nodes} nodes"),
            Self::Time(time) => write!(f, "{} ms", time.as_millis()),
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

impl Settings {
    /// Returns the settings for the game at a table: by its limit in nodes, or so that a game of forty moves takes about
    /// a minute on two cores.
    pub fn of_table(table: &Table) -> Self {
        let nodes = table.node_limit();
        let budget = if nodes > 0 { Budget::Nodes(nodes) } else { Budget::Time(TIME) };
        Self { budget, jobs: processors(), hash: 16 }
    }
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

/// A reviewed move.
#[derive(Clone, Debug)]
pub struct ReviewedMove {
    /// Number of the turn.
    pub turn: u32,
    /// Side that moved.
    pub side: Color,
    /// The position before the move.
    pub position: String,
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
    /// True if every other move clearly loses, and the best one doesn't.
    pub is_only: bool,
    /// True if there was no other legal move.
    pub is_forced: bool,
    /// The proven result before the move.
    pub proof_before: Option<Proven>,
    /// The proven result behind it.
    pub proof_after: Option<Proven>,
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
    /// Budget for a position.
    pub budget: Budget,
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

/// A position of the game.
struct Point {
    position: String,
    side: Color,
    turn: u32,
    is_over: bool,
    /// True if the move that was played here was the only legal one.
    is_forced: bool,
    bounds: Bounds,
    /// True if the solver was asked.
    is_tried: bool,
    /// Evaluations with the budget, and with twice as much.
    shallow: Option<Evaluation>,
    deep: Option<Evaluation>,
}

impl Point {
    fn new(session: &Session) -> Self {
        let outcome = session.outcome();
        Self {
            position: session.position(),
            side: session.side(),
            turn: session.turn(),
            is_over: outcome.is_some(),
            is_forced: false,
            bounds: outcome.map_or(Bounds::UNKNOWN, |outcome| Bounds::exact(outcome.winner, Some(0))),
            is_tried: false,
            shallow: None,
            deep: None,
        }
    }

    fn best(&self) -> Option<&Evaluation> {
        self.deep.as_ref().or(self.shallow.as_ref())
    }

    /// Returns the evaluations, the deepest one first.
    fn evaluations(&self) -> impl Iterator<Item = &Evaluation> {
        self.deep.iter().chain(&self.shallow)
    }

    /// Takes an evaluation, and what it proves.
    fn take(&mut self, found: Evaluation, is_deep: bool) {
        if let Some(proof) = found.proof {
            let exact = Bounds::exact(proof.winner, Some(proof.moves));
            // Another step may be better than one that leads to a draw.
            let of_draw = || Bounds::of(self.side, [1, 2]);
            self.bounds.narrow(if proof.winner.is_some() { exact } else { of_draw() });
        }
        let slot = if is_deep { &mut self.deep } else { &mut self.shallow };
        *slot = Some(found);
    }

    /// Returns the expected score for a side, by the deepest search, or the first one.
    fn expected(&self, side: Color, is_deep: bool) -> f64 {
        let evaluation = if is_deep { self.best() } else { self.shallow.as_ref() };
        let own = evaluation.map_or(0.5, |found| found.expected);
        self.bounds.clamp(if self.side == side { own } else { 1.0 - own }, side)
    }
}

/// A move of a game, between two positions.
struct Made<'a> {
    before: &'a Point,
    after: &'a Point,
    text: &'a str,
}

impl Made<'_> {
    /// Returns what it lost. The best move loses nothing, whatever deeper searches say behind it.
    fn loss(&self, is_deep: bool) -> f64 {
        let Self { before, after, text } = self;
        let side = before.side;
        let evaluation = if is_deep { before.best() } else { before.shallow.as_ref() };
        let is_best = evaluation.is_none_or(|found| found.best == *text);
        if is_best && !self.is_proven_mistake() || self.keeps_value() {
            return 0.0;
        }
        (before.expected(side, is_deep) - after.expected(side, is_deep)).max(0.0)
    }

    /// Returns true if it is proven that the move loses nothing.
    fn keeps_value(&self) -> bool {
        let [low, _] = self.after.bounds.of_side(self.before.side);
        let [_, high] = self.before.bounds.of_side(self.before.side);
        low >= high
    }

    /// Returns true if it is proven that the move turns a win into something else, or a draw into a loss.
    fn is_proven_mistake(&self) -> bool {
        let [_, high] = self.after.bounds.of_side(self.before.side);
        let [low, _] = self.before.bounds.of_side(self.before.side);
        high < low
    }

    /// Returns true if both searches, or proofs, call it a mistake.
    fn is_mistake(&self) -> bool {
        let is_searched = |point: &Point| point.deep.is_some() || point.is_over;
        let is_verified = is_searched(self.before) && is_searched(self.after) && self.loss(false) > 0.0;
        self.is_proven_mistake() || self.loss(true) >= MISTAKE && is_verified
    }

    fn review(&self, session: &mut Session) -> ReviewedMove {
        let Self { before, after, text } = self;
        let (side, found) = (before.side, before.best());
        let told = match found {
            Some(found) if session.set_position(&before.position).is_ok() => {
                narrate_move(&mut *session.board().fork(), &found.best)
            }
            _ => Vec::new(),
        };
        // The second-best first step says nothing of other ways to go on after the first one.
        let is_step = |found: &Evaluation| !found.best.contains(',');
        let second = found.filter(|found| is_step(found)).and_then(|found| found.second);
        let expected = before.expected(side, true);
        ReviewedMove {
            turn: before.turn,
            side,
            position: before.position.clone(),
            text: (*text).to_owned(),
            before: expected,
            after: after.expected(side, true),
            loss: self.loss(true),
            best: found.map(|found| found.best.clone()).unwrap_or_default(),
            line: found.map(|found| found.line.clone()).unwrap_or_default(),
            told,
            is_only: second.is_some_and(|second| second <= CLEAR && expected - second >= LEAD),
            is_forced: before.is_forced,
            proof_before: before.bounds.proven(),
            proof_after: after.bounds.proven().filter(|_| !after.is_over),
            is_mistake: self.is_mistake(),
            depth: found.map_or(0, |found| found.depth),
            nodes: found.map_or(0, |found| found.nodes),
        }
    }
}

/// Returns the moves of a game between its positions.
fn made<'a>(points: &'a [Point], texts: &'a [&'a str]) -> impl Iterator<Item = (usize, Made<'a>)> {
    let pairs = points.iter().zip(points.iter().skip(1)).zip(texts);
    pairs.map(|((before, after), text)| Made { before, after, text }).enumerate()
}

/// Reviews a game. `progress` gets the number of searches that are done, and of those that are known to be needed.
///
/// # Errors
/// If the game can't be replayed, or the review was stopped. `evaluations` keeps what was found before.
pub fn review(
    record: &GameRecord,
    settings: &Settings,
    evaluations: &mut Evaluations,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Review, ReviewError> {
    let variant = games::parse_variant(&record.variant).map_err(|_| ReviewError::Variant(record.variant.clone()))?;
    let session = Session::new(&variant, Arc::new(SystemClock::default()));
    let mut session = session.ok_or_else(|| ReviewError::Variant(record.variant.clone()))?;
    let (record, mut points) = points(record, &mut session)?;
    let texts: Vec<&str> = record.moves.iter().map(|made| made.text.as_str()).collect();
    let mut searches = Searches { variant: &variant, settings, evaluations, stop, progress, done: 0 };
    let all: Vec<usize> = (0..points.len()).collect();
    searches.run(&mut points, &all, false)?;
    // Deeper searches may find other mistakes: each position is searched twice at most, and tried to be solved once.
    loop {
        propagate(&mut points, &texts);
        let suspects = |is_suspect: fn(&Made<'_>) -> bool, is_done: fn(&Point) -> bool| {
            let suspects = made(&points, &texts).filter(|(_, made)| is_suspect(made) && !made.is_proven_mistake());
            let wanted = suspects.flat_map(|(index, made)| [(index, made.before), (index + 1, made.after)]);
            let wanted = wanted.filter(|(_, point)| !point.is_over && !is_done(point)).map(|(index, _)| index);
            let mut wanted: Vec<usize> = wanted.collect();
            wanted.dedup();
            wanted
        };
        let wanted = suspects(|made| made.loss(true) >= MISTAKE, |point| point.deep.is_some());
        if !wanted.is_empty() {
            searches.run(&mut points, &wanted, true)?;
            continue;
        }
        let wanted = suspects(|made| made.is_mistake(), |point| point.is_tried || point.bounds.proven().is_some());
        if wanted.is_empty() {
            break;
        }
        searches.solve(&mut points, &wanted)?;
    }
    let moves = made(&points, &texts).map(|(_, made)| made.review(&mut session)).collect();
    Ok(Review { variant, budget: settings.budget, record, moves })
}

/// Returns the game with whole moves, and its positions.
fn points(record: &GameRecord, session: &mut Session) -> Result<(GameRecord, Vec<Point>), ReviewError> {
    session.set_history(record.start.as_deref(), &[])?;
    let mut whole: Vec<MoveRecord> = Vec::new();
    let mut points = vec![Point::new(session)];
    let mut is_part = false;
    for (index, made) in record.moves.iter().enumerate() {
        let side = session.side();
        let before = session.board().fork();
        let text = session.play_text(side, &made.text, true).map_err(|why| ReviewError::Move(index + 1, why))?;
        let is_forced = is_forced(before, &text);
        let made = MoveRecord { text, ..made.clone() };
        match whole.last_mut().filter(|_| is_part) {
            Some(last) => {
                last.join(made);
                points.pop();
            }
            None => whole.push(made),
        }
        if let Some(point) = points.last_mut() {
            point.is_forced = is_forced && (!is_part || point.is_forced);
        }
        is_part = session.side() == side && session.outcome().is_none();
        points.push(Point::new(session));
    }
    Ok((GameRecord { moves: whole, ..record.clone() }, points))
}

/// Returns true if each step of a move is the only legal one.
fn is_forced(mut board: Box<dyn Board>, text: &str) -> bool {
    text.split(',').all(|step| {
        let is_only = board.count() == 1;
        if let Ok(step) = board.find_step(step) {
            board.make(step);
        }
        is_only
    })
}

/// The searches of a review.
struct Searches<'a> {
    variant: &'a Variant,
    settings: &'a Settings,
    evaluations: &'a mut Evaluations,
    stop: &'a AtomicBool,
    progress: &'a mut dyn FnMut(usize, usize),
    done: usize,
}

impl Searches<'_> {
    /// Searches positions, with twice the budget if `is_deep`. The result does not depend on the number of threads where
    /// nodes limit the searches.
    fn run(&mut self, points: &mut [Point], wanted: &[usize], is_deep: bool) -> Result<(), ReviewError> {
        let Settings { budget, hash, .. } = *self.settings;
        let budget = if is_deep { budget.times(2) } else { budget };
        let mut tasks: Vec<(usize, String)> = Vec::new();
        let board = games::open(self.variant);
        let mut board = board.ok_or_else(|| ReviewError::Variant(self.variant.to_string()))?;
        for &index in wanted {
            let Some(point) = points.get_mut(index).filter(|point| !point.is_over) else {
                continue;
            };
            match self.evaluations.find(&mut *board, &point.position, budget) {
                Some(known) => {
                    point.take(known.clone(), is_deep);
                    self.done += 1;
                }
                None => tasks.push((index, point.position.clone())),
            }
        }
        let variant = self.variant;
        let work = |kept: &mut Option<Session>, position: &str, ended: &AtomicBool| {
            let session = match kept {
                Some(session) => session,
                None => kept.insert(open(variant, hash)?),
            };
            search(session, position, budget, ended)
        };
        self.in_order(&tasks, work, |evaluations, index, position, found| {
            evaluations.add(variant, position, budget, found.clone());
            if let Some(point) = points.get_mut(index) {
                point.take(found, is_deep);
            }
        })
    }

    /// Lets the solver try positions.
    fn solve(&mut self, points: &mut [Point], wanted: &[usize]) -> Result<(), ReviewError> {
        let point = |&index: &usize| points.get(index).map(|point| (index, point.position.clone()));
        let tasks: Vec<(usize, String)> = wanted.iter().filter_map(point).collect();
        let (variant, budget) = (self.variant, self.settings.budget);
        let work = |kept: &mut Option<Session>, position: &str, ended: &AtomicBool| {
            let session = match kept {
                Some(session) => session,
                None => kept.insert(open(variant, 1)?),
            };
            let bounds = solve(session, position, budget, ended);
            (!ended.load(Ordering::Relaxed)).then_some(bounds)
        };
        self.in_order(&tasks, work, |_, index, _, bounds| {
            if let Some(point) = points.get_mut(index) {
                point.is_tried = true;
                point.bounds.narrow(bounds);
            }
        })
    }

    /// Works on positions with several threads, and takes the results in order.
    fn in_order<R: Send>(
        &mut self,
        tasks: &[(usize, String)],
        work: impl Fn(&mut Option<Session>, &str, &AtomicBool) -> Option<R> + Sync,
        mut take: impl FnMut(&mut Evaluations, usize, &str, R),
    ) -> Result<(), ReviewError> {
        let all = self.done + tasks.len();
        let work = |kept: &mut Option<Session>, place: usize, ended: &AtomicBool| {
            let (_, position) = tasks.get(place)?;
            work(kept, position, ended)
        };
        let Self { evaluations, progress, done, stop, settings, .. } = self;
        in_order(tasks.len(), settings.jobs, stop, work, &mut |event| {
            if let PoolEvent::Done(place, result) = event
                && let Some((index, position)) = tasks.get(place)
            {
                take(evaluations, *index, position, result);
                *done += 1;
            }
            progress(*done, all);
            true
        })?;
        Ok(())
    }
}

/// Returns the bounds of a position that the solver proves within a budget.
fn solve(session: &mut Session, position: &str, budget: Budget, stop: &AtomicBool) -> Bounds {
    let solver = session.set_position(position).ok().and_then(|()| Solver::new(session.board(), SOLVER_MEMORY));
    let Some(mut solver) = solver else {
        return Bounds::UNKNOWN;
    };
    let clock = SystemClock::default();
    let (deadline, positions) = match budget {
        Budget::Nodes(nodes) => (None, Some(nodes.max(POSITIONS))),
        Budget::Time(time) => (Some(clock.now() + time.saturating_mul(2)), None),
    };
    solver.solve(false, &Limits { stop, clock: &clock, deadline, positions });
    let half_points = |value| match value {
        Value::FirstWins => 2,
        Value::Draw => 1,
        Value::SecondWins => 0,
    };
    Bounds::of(session.variant().info().first, solver.bounds().values().map(half_points))
}

fn open(variant: &Variant, hash: u32) -> Option<Session> {
    let mut session = Session::new(variant, Arc::new(SystemClock::default()))?;
    for (name, value) in [("Hash", hash.to_string()), ("MoveOverhead", "0".to_owned())] {
        session.set_option(name, &value).ok()?;
    }
    Some(session)
}

/// Rounds to as many digits as a file keeps.
fn rounded(share: f64) -> f64 {
    (share * 1e9).round() / 1e9
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
        expected: rounded(best.expected_score),
        proof: best.proof,
        line: best.moves.iter().map(|steps| steps.join(",")).collect(),
        best: found.text(),
        second: second.map(rounded),
        depth: best.depth(),
        nodes: progress.statistics.nodes,
    })
}
