//! Exact values of positions, with proofs.
//!
//! A value is found by questions of one kind: is the first player's result at least a threshold? Each is answered by
//! [`search`]. An answer is a strategy of one side, which [`certificate`] walks through and writes down.
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//!
//! use pentalith_engine::games;
//! use pentalith_engine::lab::solve::Solver;
//! use pentalith_engine::lab::solve::search::Limits;
//! use pentalith_engine::search::SystemClock;
//!
//! let variant = games::parse_variant("inversion:2").unwrap();
//! let board = games::open(&variant).unwrap();
//! let mut solver = Solver::new(&*board, 1 << 20).unwrap();
//! let (stop, clock) = (AtomicBool::new(false), SystemClock::default());
//! let limits = Limits { stop: &stop, clock: &clock, deadline: None, positions: None };
//! assert!(solver.solve(false, &limits));
//! assert!(solver.value().is_some());
//! ```

pub mod certificate;
pub mod code;
mod crc;
pub mod graph;
pub mod layers;
mod saved;
pub mod search;
pub mod sets;
pub mod solved;
mod steady;
pub mod table;
pub mod task;

use std::io::{self, BufRead, Write};
use std::time::Duration;

use crate::rules::{Board, HalfPoints, Step};
use certificate::{Claim, NoStrategy, Strategy};
use graph::is_over;
use saved::Saved;
use search::{Limits, Search};
use table::Table;

/// The result of a game with best play.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Value {
    /// The player who moves second wins.
    SecondWins,
    /// A draw.
    Draw,
    /// The player who moves first wins.
    FirstWins,
}

impl Value {
    /// Returns the word for it: `p1win`, `p2win` or `draw`.
    pub fn word(self) -> &'static str {
        match self {
            Self::FirstWins => "p1win",
            Self::SecondWins => "p2win",
            Self::Draw => "draw",
        }
    }

    fn of(result: i32) -> Self {
        match result {
            1.. => Self::FirstWins,
            0 => Self::Draw,
            _ => Self::SecondWins,
        }
    }
}

/// Maximum number of positions that are searched before it is tried to enumerate all of them.
const PATIENCE: u64 = 100_000;

/// Maximum number of steps of a principal variation.
const MAX_VARIATION: usize = 1000;

/// Maximum number of positions that are searched again for one step of a principal variation.
const VARIATION_POSITIONS: u64 = 1_000_000;

/// Pauses of a search.
pub struct Pauses<'a> {
    /// Time from one to the next.
    pub every: Duration,
    /// The work that is done in each of them.
    pub run: &'a mut dyn FnMut(&Solver),
}

/// Bounds of the value of a position, for the player who moves first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// Lower and upper bound of the result, as [`search::result`] counts.
    results: [i32; 2],
    /// True in games that are decided by points.
    has_scores: bool,
}

impl Bounds {
    /// Returns the bounds of a position about which nothing is known.
    pub fn unknown(board: &dyn Board) -> Self {
        Self { results: [i32::MIN, i32::MAX], has_scores: board.margin().is_some() }
    }

    /// Returns the lower and the upper bound of the result, as [`search::result`] counts.
    pub fn results(self) -> [i32; 2] {
        self.results
    }

    /// Returns the value that is reached at least and at most.
    pub fn values(self) -> [Value; 2] {
        self.results.map(Value::of)
    }

    /// Returns the value, if it is known.
    pub fn value(self) -> Option<Value> {
        let [least, most] = self.values();
        (least == most).then_some(least)
    }

    /// Returns the margin that is reached at least and at most, where it is known.
    pub fn scores(self) -> [Option<HalfPoints>; 2] {
        let is_known = |bound: &i32| self.has_scores && ![i32::MIN, i32::MAX].contains(bound);
        self.results.map(|bound| Some(bound).filter(is_known).map(HalfPoints))
    }

    /// Returns the margin, if it is known.
    pub fn score(self) -> Option<HalfPoints> {
        let [least, most] = self.scores();
        least.filter(|_| least == most)
    }

    /// Returns the threshold to ask about next, or `None` if all is known: with `score` the margin, else the value.
    fn next_question(self, score: bool) -> Option<i32> {
        let [least, most] = self.results;
        if least < 1 && most >= 1 {
            return Some(1);
        }
        if least < 0 && most >= 0 {
            return Some(0);
        }
        let is_open = score && self.has_scores && least != most;
        is_open.then(|| if least > i32::MIN { least + 1 } else { most })
    }
}

impl From<Value> for Bounds {
    /// Makes the bounds of a position whose value is known, in a game without points.
    fn from(value: Value) -> Self {
        Self { results: [value as i32 - 1; 2], has_scores: false }
    }
}

/// Finds the value of one position.
pub struct Solver {
    search: Search,
    /// Bounds of the position that is being solved.
    bounds: Bounds,
    /// Bounds of the position that the search began with, while one that follows it is being solved.
    root: Option<Bounds>,
    /// The position that the search began with.
    position: String,
    /// Time of earlier searches.
    before: Duration,
    /// True if it was tried to enumerate all positions.
    is_enumerated: bool,
}

impl Solver {
    /// Prepares to solve a board's position with a table of at most `memory` bytes; `None` if there is no memory.
    pub fn new(board: &dyn Board, memory: usize) -> Option<Self> {
        let table = Table::new(memory)?;
        Some(Self {
            search: Search::new(board, table),
            bounds: Bounds::unknown(board),
            root: None,
            position: board.position(),
            before: Duration::ZERO,
            is_enumerated: false,
        })
    }

    /// Searches until the value is known, with `score` the margin. Returns false if a limit came first.
    pub fn solve(&mut self, score: bool, limits: &Limits<'_>) -> bool {
        self.find(score, limits, None)
    }

    /// Searches as [`Solver::solve`] does, with pauses in which what is known can be saved.
    pub fn solve_with_pauses(&mut self, score: bool, limits: &Limits<'_>, pauses: Option<&mut Pauses<'_>>) -> bool {
        self.find(score, limits, pauses)
    }

    /// Finds the value of one step per symmetry class of the position, as [`Solver::solve_with_pauses`] does. `then` gets
    /// each step at once, with the solver at the position after it.
    ///
    /// If a limit comes first, the steps that were not solved have the bounds that are known.
    ///
    /// ```
    /// # use std::sync::atomic::AtomicBool;
    /// # use pentalith_engine::games;
    /// # use pentalith_engine::lab::solve::{Solver, Value, search::Limits};
    /// # use pentalith_engine::search::SystemClock;
    /// # let variant = games::parse_variant("markane:3x3").unwrap();
    /// # let board = games::open(&variant).unwrap();
    /// # let (stop, clock) = (AtomicBool::new(false), SystemClock::default());
    /// # let limits = Limits { stop: &stop, clock: &clock, deadline: None, positions: None };
    /// let mut solver = Solver::new(&*board, 1 << 20).unwrap();
    /// let steps = solver.solve_steps(false, &limits, None, |_, _| {});
    /// // Of the nine pits three differ: a corner, an edge, the center.
    /// assert_eq!(steps.len(), 3);
    /// assert!(steps.iter().all(|(_, bounds)| bounds.value().is_some()));
    /// ```
    pub fn solve_steps(
        &mut self,
        score: bool,
        limits: &Limits<'_>,
        mut pauses: Option<&mut Pauses<'_>>,
        mut then: impl FnMut(&mut Self, Step),
    ) -> Vec<(Step, Bounds)> {
        self.search.aim(1);
        let steps: Vec<Step> = self.search.list().iter().map(|child| child.step).collect();
        let mut solved = Vec::new();
        for step in steps {
            let bounds = self.behind(step, |solver| {
                solver.find(score, limits, pauses.as_deref_mut());
                then(solver, step);
                solver.bounds
            });
            solved.push((step, bounds));
        }
        solved
    }

    /// Plays a step, calls `then` with the solver at the position after it, and takes the step back.
    ///
    /// The table is kept, so what is learned behind one step helps behind the others.
    pub fn behind<R>(&mut self, step: Step, then: impl FnOnce(&mut Self) -> R) -> R {
        let before = std::mem::replace(&mut self.bounds, Bounds::unknown(&*self.search.board));
        let outer = self.root;
        self.root.get_or_insert(before);
        self.search.board.make(step);
        let result = then(self);
        self.search.board.unmake();
        (self.bounds, self.root) = (before, outer);
        result
    }

    fn find(&mut self, score: bool, limits: &Limits<'_>, mut pauses: Option<&mut Pauses<'_>>) -> bool {
        let next = |pauses: Option<&Pauses<'_>>| {
            let now = limits.clock.now();
            pauses.map(|pauses| now + pauses.every)
        };
        let mut pause = next(pauses.as_deref());
        while let Some(least) = self.bounds.next_question(score) {
            if self.search.goals.len() >= code::MAX_GOALS {
                return false;
            }
            self.search.aim(least);
            // Many positions are solved long before all positions behind them could be enumerated.
            let is_first_try = self.search.graph.is_none() && !self.is_enumerated;
            let enough = limits.positions.unwrap_or(u64::MAX);
            let reached = self.search.run(&Limits {
                positions: Some(if is_first_try { enough.min(PATIENCE) } else { enough }),
                deadline: limits.deadline.into_iter().chain(pause).min(),
                ..*limits
            });
            // The table holds what was found, so the search resumes where it was.
            let is_due = pause.is_some_and(|pause| limits.clock.now() >= pause);
            if reached.is_none() && is_due && !is_over(limits) {
                if let Some(pauses) = &mut pauses {
                    (pauses.run)(self);
                }
                pause = next(pauses.as_deref());
                if !self.is_too_deep() {
                    continue;
                }
            }
            if reached.is_none() && is_first_try && self.search.positions < enough {
                self.is_enumerated = true;
                self.search.enumerate(limits);
                continue;
            }
            let Some(reached) = reached else {
                return false;
            };
            let goal = self.search.goal();
            let [lowest, highest] = &mut self.bounds.results;
            if reached {
                *lowest = if goal.above == i32::MAX { least } else { goal.above };
            } else {
                *highest = if goal.below == i32::MIN { least - 1 } else { goal.below };
            }
        }
        true
    }

    /// Returns what is known about the position.
    pub fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// Returns the value, if it is known.
    pub fn value(&self) -> Option<Value> {
        self.bounds.value()
    }

    /// Returns the margin of the player who moves first, if it is known.
    pub fn score(&self) -> Option<HalfPoints> {
        self.bounds.score()
    }

    /// Returns the number of positions searched.
    pub fn positions(&self) -> u64 {
        self.search.positions
    }

    /// Returns the time of the earlier searches that this one resumes.
    pub fn earlier_time(&self) -> Duration {
        self.before
    }

    /// Returns the size of the table in bytes.
    pub fn memory(&self) -> u64 {
        self.search.table.bytes()
    }

    /// Returns true if a line was longer than the search can follow.
    pub fn is_too_deep(&self) -> bool {
        self.search.is_too_deep()
    }

    /// Returns true if positions were known by hashes, so that only a walk through the strategies proves the value.
    pub fn needs_walk(&self) -> bool {
        self.search.coder.has_hashed()
    }

    /// Returns the board with the position that is being solved.
    pub fn board(&self) -> &dyn Board {
        &*self.search.board
    }

    /// Returns who can prove what: what the certificate holds.
    pub fn claims(&self) -> Vec<(bool, Claim)> {
        let [least, most] = self.bounds.results;
        if let Some(margin) = self.score() {
            let claim = |points| Claim::Margin(HalfPoints(points));
            return vec![(true, claim(margin.0)), (false, claim(-margin.0))];
        }
        let mut claims = Vec::new();
        match least {
            1.. => claims.push((true, Claim::Win)),
            0 => claims.push((true, Claim::Draw)),
            _ => {}
        }
        match most {
            ..0 => claims.push((false, Claim::Win)),
            0 => claims.push((false, Claim::Draw)),
            _ => {}
        }
        claims
    }

    /// Builds the strategies that prove what is known, each checked in all positions that can arise.
    ///
    /// # Errors
    /// If it is stopped, or if a claim does not hold.
    pub fn strategies(&mut self, limits: &Limits<'_>) -> Result<Vec<Strategy>, NoStrategy> {
        if self.search.positions > PATIENCE && !self.is_enumerated {
            self.is_enumerated = true;
            self.search.enumerate(limits);
        }
        let claims = self.claims().into_iter();
        let mut build = |(is_first, claim)| certificate::strategy(&mut self.search, is_first, claim, limits);
        claims.map(&mut build).collect()
    }

    /// Returns best play from the position: steps that keep the value, and against a won game those that cost the most
    /// work to answer.
    ///
    /// It ends early where a step would have to be searched for too long.
    ///
    /// ```
    /// # use std::sync::atomic::AtomicBool;
    /// # use pentalith_engine::games;
    /// # use pentalith_engine::lab::solve::{Solver, Value, search::Limits};
    /// # use pentalith_engine::search::SystemClock;
    /// # let variant = games::parse_variant("markane:1x1").unwrap();
    /// # let board = games::open(&variant).unwrap();
    /// # let (stop, clock) = (AtomicBool::new(false), SystemClock::default());
    /// # let limits = Limits { stop: &stop, clock: &clock, deadline: None, positions: None };
    /// let mut solver = Solver::new(&*board, 1 << 20).unwrap();
    /// assert!(solver.solve(false, &limits));
    /// assert_eq!(solver.value(), Some(Value::FirstWins));
    /// let line = solver.variation(&limits);
    /// assert_eq!(line.iter().map(|&step| board.write_step(step)).collect::<Vec<_>>(), ["a1"]);
    /// ```
    pub fn variation(&mut self, limits: &Limits<'_>) -> Vec<Step> {
        let mut variation = Vec::new();
        while variation.len() < MAX_VARIATION && !self.search.board.is_over() {
            let Some(step) = self.best_step(limits) else {
                break;
            };
            self.search.board.make(step);
            variation.push(step);
        }
        for _ in &variation {
            self.search.board.unmake();
        }
        variation
    }

    fn best_step(&mut self, limits: &Limits<'_>) -> Option<Step> {
        let [least, most] = self.bounds.results;
        let is_first = self.search.board.side() == self.search.first();
        // The bound that the side to move can keep, and the other one, which it can't avoid.
        let (own, other) = if is_first { (least, most.saturating_add(1)) } else { (most.saturating_add(1), least) };
        let is_open = |bound| bound == i32::MIN || bound == i32::MAX;
        if is_open(own) {
            if is_open(other) {
                return None;
            }
            self.search.aim(other);
            let children = self.search.list();
            return children.iter().max_by_key(|child| child.work).map(|child| child.step);
        }
        self.search.aim(own);
        let proven = |search: &mut Search| {
            let children = search.list().into_iter();
            let proven = children.filter(|child| child.proof == 0);
            proven.min_by_key(|child| child.work).map(|child| child.step)
        };
        if let Some(step) = proven(&mut self.search) {
            return Some(step);
        }
        let run = |search: &mut Search| {
            search.run(&Limits { positions: Some(search.positions + VARIATION_POSITIONS), ..*limits })
        };
        run(&mut self.search)?;
        // A small table may have lost again what was proven.
        proven(&mut self.search).or_else(|| {
            self.search.list().into_iter().map(|child| child.step).find(|&step| {
                self.search.board.make(step);
                let reached = run(&mut self.search);
                self.search.board.unmake();
                reached == Some(is_first)
            })
        })
    }

    /// Writes what is needed to go on later.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn save(&self, time: Duration, output: &mut dyn Write) -> io::Result<()> {
        let search = &self.search;
        let saved = Saved {
            variant: search.board.variant().to_string(),
            position: self.position.clone(),
            bounds: self.root.unwrap_or(self.bounds).results,
            positions: search.positions,
            milliseconds: (self.before + time).as_millis() as u64,
            goals: search.goals.clone(),
        };
        saved::write(&saved, &search.table, output)
    }

    /// Reads what was saved and resumes from there.
    ///
    /// # Errors
    /// If it is none, is damaged, or is of another variant or position.
    pub fn load(board: &dyn Board, memory: usize, input: impl BufRead) -> io::Result<Self> {
        let mut solver = Self::new(board, memory).ok_or(io::ErrorKind::OutOfMemory)?;
        let variant = board.variant().to_string();
        let search = &mut solver.search;
        let saved = saved::read(input, &variant, &board.position(), &mut search.table)?;
        (search.goals, search.positions) = (saved.goals, saved.positions);
        solver.bounds.results = saved.bounds;
        solver.before = Duration::from_millis(saved.milliseconds);
        Ok(solver)
    }
}
