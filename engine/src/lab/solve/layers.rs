//! Strong solutions: the value of every position of a game whose positions fall into layers ([`Layers`]), and the
//! number of moves to the end with best play.
//!
//! Each layer needs the values of lighter ones alone, so the layers are solved from the lightest to the heaviest. The
//! positions of a layer are solved in parallel. One byte holds the value and the number of moves.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon_core::ThreadPoolBuilder;
use thiserror::Error;

use super::Value;
use super::graph::is_over;
use super::search::Limits;
use super::sets::{self, MAX_CELLS, Set, Sets};
use crate::board::{Instructions, Native, Symmetry};
use crate::rules::{Board, Color, Layers, Outcome, Step};
use crate::threads;

/// The score of a position that was won before; that of a lost one is its negative, and that of a drawn one 0.
///
/// Each move to the end takes 1 from the size of the score.
const END: i8 = 126;

/// In place of a score: the position is illegal, or an equivalent one represents it.
const UNUSED: i8 = i8::MIN;

/// In place of a score: a step leaves the stones as they are, so another position of the same set comes first.
const WAITING: i8 = i8::MIN + 1;

/// Positions that a thread solves at a time.
const CHUNK: usize = 1 << 12;

/// Why there is no solution.
#[derive(Error, PartialEq, Eq, Debug)]
pub enum Failure {
    /// The game has no layers.
    #[error("the positions of this game do not fall into layers")]
    NoLayers,
    /// The board is too large.
    #[error("boards of up to {MAX_CELLS} cells can be enumerated, and this one has {0}")]
    TooLarge(usize),
    /// The positions do not fit.
    #[error("all positions take {} MiB of memory", .0.div_ceil(1 << 20))]
    Memory(u64),
    /// The system has less memory than was allowed.
    #[error("there is no memory for all positions")]
    NoMemory,
    /// The threads did not start.
    #[error("can't start the threads: {0}")]
    Threads(String),
    /// A limit came first.
    #[error("stopped")]
    Stopped,
    /// A game with best play has more moves than a byte can hold.
    #[error("a game with best play has more than {} moves", END - 1)]
    TooLong,
    /// A step leads to a layer that comes later.
    #[error("a step does not lead to a lighter layer")]
    NoLayer,
}

/// The score of a position with best play: the winner plays for the shortest game, the loser for the longest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Score(i8);

impl Score {
    fn of(outcome: Outcome, side: Color) -> Self {
        Self(match outcome.winner {
            None => 0,
            Some(winner) if winner == side => END,
            Some(_) => -END,
        })
    }

    /// Returns 1 if the side to move wins, 0 for a draw, −1 if it loses.
    pub fn result(self) -> i32 {
        i32::from(self.0.signum())
    }

    /// Returns the number of moves to the end, if a side wins.
    pub fn length(self) -> Option<u32> {
        (self.0 != 0).then(|| (END - self.0.abs()).unsigned_abs().into())
    }

    /// Returns the score of the position before, where the step to this one is best; `None` if the game is too long.
    fn before(self) -> Option<Self> {
        let score = -self.0 + self.0.signum();
        (score != 0 || self.0 == 0).then_some(Self(score))
    }
}

/// Numbers of positions by their value for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counts {
    /// Positions that it wins.
    pub wins: u64,
    /// Drawn ones.
    pub draws: u64,
    /// Positions that it loses.
    pub losses: u64,
    /// Largest number of moves to the end.
    pub longest: u32,
}

impl Counts {
    /// Returns the number of positions.
    pub fn total(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    fn add(&mut self, score: Score, count: u64) {
        match score.result() {
            1 => self.wins += count,
            0 => self.draws += count,
            _ => self.losses += count,
        }
        self.longest = self.longest.max(score.length().unwrap_or(0));
    }

    fn join(self, other: Self) -> Self {
        Self {
            wins: self.wins + other.wins,
            draws: self.draws + other.draws,
            losses: self.losses + other.losses,
            longest: self.longest.max(other.longest),
        }
    }
}

/// Numbers of positions from turn 3 on, finished ones included.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Census {
    /// Those that were solved: legal ones with stones that weigh at most as much as those of the first position. A
    /// class of positions that differ by a symmetry of the board or exchanged colors counts once.
    pub legal: Counts,
    /// The same, where positions count that differ by a symmetry of the board.
    pub arrangements: Counts,
    /// Those that can follow from the first position, and that position; each class counts once.
    pub reachable: Counts,
}

impl Census {
    fn join(self, other: Self) -> Self {
        Self {
            legal: self.legal.join(other.legal),
            arrangements: self.arrangements.join(other.arrangements),
            reachable: self.reachable.join(other.reachable),
        }
    }
}

/// The scores of all positions that weigh no more than a first one.
pub struct Solved {
    board: Box<dyn Board>,
    sets: Sets,
    native: Option<Native>,
    most: u32,
    /// The scores of the positions of each set.
    scores: Vec<Box<[i8]>>,
    census: Census,
}

/// The weight of the stones of a board.
fn weight(board: &dyn Board, layers: &Layers) -> Option<u32> {
    let [black, white] = board.planes()?.pieces;
    let cells = layers.weights.iter().zip(0..);
    let occupied = cells.filter(|&(_, cell)| (black | white) >> cell & 1 == 1);
    Some(occupied.map(|(weight, _)| weight).sum())
}

/// Returns the symmetries that preserve the rules and the weights.
fn symmetries(board: &dyn Board, layers: &Layers) -> Option<Vec<Symmetry>> {
    let planes = board.planes().filter(|planes| planes.colors_alike)?;
    let mut symmetries = board.shape().symmetries();
    let weight = |cell: usize| layers.weights.get(cell);
    let is_kept = |symmetry: &Symmetry| {
        let mut images = symmetry.iter().enumerate();
        images.all(|(cell, image)| weight(cell) == weight(image.index()))
    };
    if !planes.ranks_alike || !symmetries.iter().all(is_kept) {
        symmetries.truncate(1);
    }
    Some(symmetries)
}

/// Returns the memory in bytes that the solution takes of all positions that can follow from a board's.
///
/// # Errors
/// If the game has no layers, or the board is too large.
pub fn bytes(board: &dyn Board) -> Result<u64, Failure> {
    let layers = board.layers().ok_or(Failure::NoLayers)?;
    let cells = board.shape().len();
    if cells > MAX_CELLS {
        return Err(Failure::TooLarge(cells));
    }
    let symmetries = symmetries(board, &layers).ok_or(Failure::NoLayers)?;
    let limit = weight(board, &layers).ok_or(Failure::NoLayers)?;
    Ok(sets::bytes(&layers, &symmetries, limit))
}

impl Solved {
    /// Solves all positions that can follow from a board's, and all others that weigh no more.
    ///
    /// # Errors
    /// If the positions need more than `memory` bytes, if the game or the board does not allow it, or if a limit comes
    /// first.
    pub fn new(board: &dyn Board, memory: u64, threads: usize, limits: &Limits<'_>) -> Result<Self, Failure> {
        let needed = bytes(board)?;
        if needed > memory {
            return Err(Failure::Memory(needed));
        }
        let layers = board.layers().ok_or(Failure::NoLayers)?;
        let symmetries = symmetries(board, &layers).ok_or(Failure::NoLayers)?;
        let limit = weight(board, &layers).ok_or(Failure::NoLayers)?;
        let sets = Sets::new(&layers, &symmetries, limit).ok_or(Failure::NoMemory)?;
        let mut scores = Vec::new();
        let reserved = scores.try_reserve_exact(sets.len());
        reserved.map_err(|_| Failure::NoMemory)?;
        let mut solved = Self {
            board: board.fork(),
            sets,
            native: Native::detect(),
            most: layers.most,
            scores,
            census: Census::default(),
        };
        let pool = ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|error| Failure::Threads(error.to_string()))?;
        pool.install(|| {
            solved.solve(limits)?;
            let reached = solved.reach(limits)?;
            solved.census = solved.count(&reached);
            Ok(solved)
        })
    }

    /// Returns the numbers of positions.
    pub fn census(&self) -> &Census {
        &self.census
    }

    /// Returns the size of the table of scores and of its lists, in bytes.
    pub fn bytes(&self) -> u64 {
        let scores: usize = self.scores.iter().map(|scores| scores.len()).sum();
        let lists = self.scores.capacity() * size_of::<Box<[i8]>>() + self.sets.bytes();
        (scores + lists) as u64
    }

    fn solve(&mut self, limits: &Limits<'_>) -> Result<(), Failure> {
        for layer in self.sets.layers() {
            let first = layer.start;
            let solve = |index| self.solve_set(first + index, limits);
            let solved = threads::map(layer.len(), solve).into_iter();
            let solved: Vec<Box<[i8]>> = solved.collect::<Result<_, _>>()?;
            self.scores.extend(solved);
        }
        Ok(())
    }

    /// Solves the positions of a set.
    fn solve_set(&self, number: usize, limits: &Limits<'_>) -> Result<Box<[i8]>, Failure> {
        let set = self.sets.get(number).ok_or(Failure::NoLayer)?;
        let mut scores = Vec::new();
        let reserved = scores.try_reserve_exact(set.positions());
        reserved.map_err(|_| Failure::NoMemory)?;
        scores.resize(set.positions(), UNUSED);
        let chunks: Vec<Mutex<&mut [i8]>> = scores.chunks_mut(CHUNK).map(Mutex::new).collect();
        let solve = |chunk: usize| {
            if is_over(limits) {
                return Err(Failure::Stopped);
            }
            let first = chunk * CHUNK;
            let Some(mut scores) = chunks.get(chunk).and_then(|chunk| chunk.lock().ok()) else {
                return Ok(());
            };
            let mut own = set.stones(first);
            for (score, position) in scores.iter_mut().zip(first..) {
                if self.is_used(set, own, position) {
                    *score = self.score_of(number, set, own, None)?;
                }
                own = set.next(own);
            }
            Ok(())
        };
        let solved = threads::map(chunks.len(), solve).into_iter();
        solved.collect::<Result<(), _>>()?;
        for position in 0..scores.len() {
            if scores.get(position) == Some(&WAITING) {
                let score = self.score_of(number, set, set.stones(position), Some(&scores))?;
                if let Some(place) = scores.get_mut(position) {
                    *place = score;
                }
            }
        }
        Ok(scores.into_boxed_slice())
    }

    /// Returns true if a position is legal and represents its symmetry class.
    fn is_used(&self, set: Set, own: u32, position: usize) -> bool {
        let [own_count, all] = [own, set.cells].map(u32::count_ones);
        all > 0 && own_count <= self.most && all - own_count <= self.most && self.sets.alike(set, position) > 0
    }

    /// Returns the score of a position of a set, by those of the positions behind it.
    ///
    /// `same` are the scores of its set; without them it waits if it needs one.
    fn score_of(&self, number: usize, set: Set, own: u32, same: Option<&[i8]>) -> Result<i8, Failure> {
        let (mut best, mut waits, mut is_known) = (UNUSED, false, true);
        let outcome = self.steps([own, set.cells ^ own], |next, position| {
            let score = if next == number {
                match same {
                    Some(scores) => scores.get(position),
                    None => {
                        waits = true;
                        return;
                    }
                }
            } else {
                let scores = self.scores.get(next);
                scores.and_then(|scores| scores.get(position))
            };
            match score {
                Some(&score) if score > WAITING => best = best.max(-score),
                _ => is_known = false,
            }
        });
        if let Some(outcome) = outcome {
            return Ok(Score::of(outcome, self.board.variant().info().first).0);
        }
        match (is_known, waits, best) {
            (false, ..) | (true, false, UNUSED) => Err(Failure::NoLayer),
            (true, true, _) => Ok(WAITING),
            (true, false, best) => {
                let score = Score(-best).before().ok_or(Failure::TooLong)?;
                Ok(score.0)
            }
        }
    }

    /// Calls `visit` with the place of the position after each step. Returns the outcome if there are no steps.
    #[inline]
    fn steps(&self, stones: [u32; 2], mut visit: impl FnMut(usize, usize)) -> Option<Outcome> {
        let stones = stones.map(u128::from);
        self.board.stone_steps(stones, &mut |batch| match self.native {
            Some(native) => native.run(
                #[inline(always)]
                || self.locate_all(batch, &mut visit),
            ),
            None => self.locate_all(batch, &mut visit),
        })
    }

    #[inline(always)]
    fn locate_all(&self, batch: &[[u128; 2]], visit: &mut impl FnMut(usize, usize)) {
        for stones in batch {
            let [own, other] = *stones;
            let (set, position) = self.sets.locate([own as u32, other as u32]);
            visit(set, position);
        }
    }

    /// Marks the positions from turn 3 on that can follow from the board's, by bits for each set.
    fn reach(&self, limits: &Limits<'_>) -> Result<Vec<Box<[AtomicU64]>>, Failure> {
        let mut marks: Vec<Box<[AtomicU64]>> = Vec::new();
        let reserved = marks.try_reserve_exact(self.sets.len());
        reserved.map_err(|_| Failure::NoMemory)?;
        for scores in &self.scores {
            let words = scores.len().div_ceil(64);
            let mut set = Vec::new();
            let reserved = set.try_reserve_exact(words);
            reserved.map_err(|_| Failure::NoMemory)?;
            set.resize_with(words, AtomicU64::default);
            marks.push(set.into_boxed_slice());
        }
        self.mark_first(&mut *self.board.fork(), &marks);
        for layer in self.sets.layers().rev() {
            let first = layer.start;
            let spread = |index| self.spread(first + index, &marks, limits);
            let spread = threads::map(layer.len(), spread).into_iter();
            spread.collect::<Result<(), _>>()?;
        }
        Ok(marks)
    }

    /// Marks the first positions from turn 3 on.
    fn mark_first(&self, board: &mut dyn Board, marks: &[Box<[AtomicU64]>]) {
        if board.turn() >= 3 {
            if let Some((set, position)) = self.place(board) {
                mark(marks, set, position);
            }
            return;
        }
        let mut steps = Vec::new();
        board.steps(&mut steps);
        for step in steps {
            board.make(step);
            self.mark_first(board, marks);
            board.unmake();
        }
    }

    /// Marks what can follow from the marked positions of a set.
    fn spread(&self, number: usize, marks: &[Box<[AtomicU64]>], limits: &Limits<'_>) -> Result<(), Failure> {
        let set = self.sets.get(number).ok_or(Failure::NoLayer)?;
        let words = marks.get(number).ok_or(Failure::NoLayer)?;
        let visit = |position: usize, same: &mut Vec<usize>| {
            let own = set.stones(position);
            self.steps([own, set.cells ^ own], |next, position| {
                if next == number {
                    same.push(position);
                } else {
                    mark(marks, next, position);
                }
            });
        };
        let chunks: Vec<&[AtomicU64]> = words.chunks(CHUNK / 64).collect();
        let same = threads::map(chunks.len(), |chunk| {
            if is_over(limits) {
                return Err(Failure::Stopped);
            }
            let words = chunks.get(chunk).copied().unwrap_or_default();
            let mut same = Vec::new();
            for (word, start) in words.iter().zip((chunk * CHUNK..).step_by(64)) {
                let mut word = word.load(Ordering::Relaxed);
                while word != 0 {
                    visit(start + word.trailing_zeros() as usize, &mut same);
                    word &= word - 1;
                }
            }
            Ok(same)
        });
        let same: Vec<Vec<usize>> = same.into_iter().collect::<Result<_, _>>()?;
        // No step of the same kind follows.
        let mut none = Vec::new();
        for position in same.into_iter().flatten() {
            if mark(marks, number, position) {
                visit(position, &mut none);
            }
        }
        Ok(())
    }

    fn count(&self, marks: &[Box<[AtomicU64]>]) -> Census {
        let of_set = |number: usize| {
            let mut census = Census::default();
            let (scores, marks) = (self.scores.get(number), marks.get(number));
            let (Some(set), Some(scores), Some(marks)) = (self.sets.get(number), scores, marks) else {
                return census;
            };
            for (&score, position) in scores.iter().zip(0..) {
                if score <= WAITING {
                    continue;
                }
                let score = Score(score);
                census.legal.add(score, 1);
                let alike = self.sets.alike(set, position);
                census.arrangements.add(score, alike);
                let word = marks.get(position / 64);
                let word = word.map_or(0, |word| word.load(Ordering::Relaxed));
                if word >> (position % 64) & 1 == 1 {
                    census.reachable.add(score, 1);
                }
            }
            census
        };
        let counts = threads::map(self.scores.len(), of_set).into_iter();
        counts.fold(Census::default(), Census::join)
    }

    /// Returns the place of a board's position, from turn 3 on.
    fn place(&self, board: &dyn Board) -> Option<(usize, usize)> {
        let [black, white] = board.planes()?.pieces.map(|pieces| pieces as u32);
        let stones = match board.side() {
            Color::Black => [black, white],
            Color::White => [white, black],
        };
        Some(self.sets.locate(stones))
    }

    /// Returns the score of a board's position; `None` if it is not among the solved ones.
    pub fn score(&self, board: &mut dyn Board) -> Option<Score> {
        if let Some(outcome) = board.outcome() {
            return Some(Score::of(outcome, board.side()));
        }
        if board.turn() >= 3 {
            let (set, position) = self.place(board)?;
            let score = *self.scores.get(set)?.get(position)?;
            return (score > WAITING).then_some(Score(score));
        }
        // The right to swap is part of the position in turns 1 and 2.
        self.best(board).map(|(score, _)| score)
    }

    /// Returns the score of a board's position by its steps, and the first of the best steps.
    fn best(&self, board: &mut dyn Board) -> Option<(Score, Step)> {
        let mut best: Option<(Score, Step)> = None;
        let mut steps = Vec::new();
        board.steps(&mut steps);
        for step in steps {
            board.make(step);
            let score = self.score(board);
            board.unmake();
            let score = score?.before()?;
            if best.is_none_or(|(best, _)| best.0 < score.0) {
                best = Some((score, step));
            }
        }
        best
    }

    /// Returns a game with best play from a board's position.
    pub fn variation(&self, board: &dyn Board) -> Vec<Step> {
        let mut board = board.fork();
        let mut steps = Vec::new();
        while let Some((_, step)) = self.best(&mut *board) {
            board.make(step);
            steps.push(step);
        }
        steps
    }

    /// Returns the value of a board's position for the player who moves first in the game, and the number of moves to
    /// the end if a side wins.
    pub fn value(&self, board: &dyn Board) -> Option<(Value, Option<u32>)> {
        let score = self.score(&mut *board.fork())?;
        let is_first = board.side() == board.variant().info().first;
        let result = if is_first { score.result() } else { -score.result() };
        Some((Value::of(result), score.length()))
    }
}

/// Marks a position. Returns true if it was not marked.
fn mark(marks: &[Box<[AtomicU64]>], set: usize, position: usize) -> bool {
    let word = marks.get(set).and_then(|set| set.get(position / 64));
    let bit = 1 << (position % 64);
    word.is_some_and(|word| {
        // Most are marked several times: reading does not take the line from other threads.
        word.load(Ordering::Relaxed) & bit == 0 && word.fetch_or(bit, Ordering::Relaxed) & bit == 0
    })
}
