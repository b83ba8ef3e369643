//! Certificates: complete strategies, as `docs/solving.md` describes them.

use std::collections::HashSet;
use std::fmt::{self, Display};
use std::hash::{BuildHasherDefault, Hasher};

use super::crc::crc32;
use super::graph::is_over;
use super::search::{Limits, Search, result};
use super::steady::Steady;
use crate::board::Zobrist;
use crate::rules::{Board, Color, HalfPoints, Step};

/// Bytes of choices between two checksums.
const BLOCK: usize = 1 << 16;

/// The result that a strategy guarantees.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Claim {
    /// A win.
    Win,
    /// At least a draw.
    Draw,
    /// At least this margin, from the view of the strategy's side.
    Margin(HalfPoints),
}

impl Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Win => f.write_str("win"),
            Self::Draw => f.write_str("draw"),
            Self::Margin(margin) => write!(f, "margin {margin}"),
        }
    }
}

impl Claim {
    /// Returns the least result that fulfils the claim, from the view of the strategy's side.
    fn least(self) -> i32 {
        match self {
            Self::Win => 1,
            Self::Draw => 0,
            Self::Margin(margin) => margin.0,
        }
    }
}

/// Why no strategy was written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoStrategy {
    /// It was stopped, or its time is over.
    Stopped,
    /// The claim is wrong at a position: two positions had one code.
    Wrong(String),
    /// A position follows from itself.
    Cycle(String),
}

impl Display for NoStrategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stopped => f.write_str("it was stopped"),
            Self::Wrong(position) => write!(f, "the claim does not hold at {position}"),
            Self::Cycle(position) => write!(f, "the position {position} comes again"),
        }
    }
}

/// A complete strategy of one side, checked in every position that can arise.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Strategy {
    /// True if it is that of the player who moves first.
    pub is_first: bool,
    /// The result that it guarantees.
    pub claim: Claim,
    /// Number of choices.
    pub choices: u64,
    /// The choices, each as an unsigned LEB128 number.
    pub bytes: Vec<u8>,
    /// Number of positions that can arise.
    pub positions: u64,
}

/// Writes a certificate.
pub fn certificate(board: &dyn Board, strategies: &[Strategy]) -> Vec<u8> {
    let (variant, position) = (board.variant(), board.position());
    let head =
        format!("pentalith certificate 1\nvariant {variant}\nposition {position}\nstrategies {}\n", strategies.len());
    let mut text = head.into_bytes();
    for strategy in strategies {
        let side = if strategy.is_first { "p1" } else { "p2" };
        let Strategy { claim, choices, .. } = strategy;
        text.extend(format!("strategy {side} {claim} {choices}\n").into_bytes());
        for block in strategy.bytes.chunks(BLOCK) {
            text.extend(block);
            text.extend(crc32(block).to_le_bytes());
        }
    }
    text
}

/// A position on the path of the walk, and its steps that are left.
struct Frame {
    code: u128,
    steps: Vec<Step>,
    next: usize,
}

/// Mixes codes, which are numbers with most bits 0.
#[derive(Default)]
struct CodeHasher(u64);

impl Hasher for CodeHasher {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = Zobrist::state_key(self.0 ^ u64::from(byte)).0;
        }
    }

    fn write_u128(&mut self, code: u128) {
        self.0 = Zobrist::state_key((code >> 64) as u64 ^ Zobrist::state_key(code as u64).0).0;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// A walk through all positions that can arise if one side follows its strategy.
struct Walk<'a> {
    search: &'a mut Search,
    limits: &'a Limits<'a>,
    side: Color,
    claim: Claim,
    visited: HashSet<u128, BuildHasherDefault<CodeHasher>>,
    path: Vec<Frame>,
    steady: Steady,
    choices: u64,
    bytes: Vec<u8>,
}

/// Builds the strategy with which a side reaches what the search has proven for it, and checks it in all positions.
///
/// # Errors
/// If it is stopped, or if the claim does not hold.
pub fn strategy(
    search: &mut Search,
    is_first: bool,
    claim: Claim,
    limits: &Limits<'_>,
) -> Result<Strategy, NoStrategy> {
    let first = search.first();
    // The second player reaches `claim` if the first does not reach what would be too much.
    search.aim(if is_first { claim.least() } else { 1 - claim.least() });
    let mut walk = Walk {
        side: if is_first { first } else { !first },
        claim,
        search,
        limits,
        visited: HashSet::default(),
        path: Vec::new(),
        steady: Steady::default(),
        choices: 0,
        bytes: Vec::new(),
    };
    let walked = walk.run();
    // The search gets its board back as it was.
    while walk.path.len() > 1 {
        walk.path.pop();
        walk.search.board.unmake();
    }
    walked?;
    Ok(Strategy { is_first, claim, choices: walk.choices, bytes: walk.bytes, positions: walk.visited.len() as u64 })
}

impl Walk<'_> {
    fn run(&mut self) -> Result<(), NoStrategy> {
        self.enter()?;
        while let Some(frame) = self.path.last_mut() {
            if let Some(&step) = frame.steps.get(frame.next) {
                frame.next += 1;
                self.search.board.make(step);
                match self.enter() {
                    Ok(true) => {}
                    Ok(false) => {
                        self.search.board.unmake();
                    }
                    Err(error) => {
                        self.search.board.unmake();
                        return Err(error);
                    }
                }
            } else {
                self.path.pop();
                if !self.path.is_empty() {
                    self.search.board.unmake();
                }
            }
        }
        Ok(())
    }

    /// Visits the board's position. Returns false if nothing follows from it that was not visited.
    fn enter(&mut self) -> Result<bool, NoStrategy> {
        let Search { board, coder, .. } = &*self.search;
        if let Some(outcome) = board.outcome() {
            let result = result(outcome, board.margin(), self.side);
            return if result >= self.claim.least() { Ok(false) } else { Err(NoStrategy::Wrong(board.position())) };
        }
        let code = coder.exact(&**board);
        if !self.visited.insert(code) {
            return if self.path.iter().any(|frame| frame.code == code) {
                Err(NoStrategy::Cycle(board.position()))
            } else {
                Ok(false)
            };
        }
        if is_over(self.limits) {
            return Err(NoStrategy::Stopped);
        }
        let mut steps = Vec::new();
        board.steps(&mut steps);
        if self.search.graph.is_some() {
            self.steady.meet(self.search, self.side);
        }
        let board = &self.search.board;
        if board.side() == self.side && steps.len() > 1 {
            let step = self.choose()?;
            let index = steps.iter().position(|&legal| legal == step);
            self.write(index.unwrap_or(0));
            steps = vec![step];
        }
        self.path.push(Frame { code, steps, next: 0 });
        Ok(true)
    }

    /// Writes a choice.
    fn write(&mut self, index: usize) {
        self.choices += 1;
        let mut rest = index;
        loop {
            let low = (rest & 0x7f) as u8;
            rest >>= 7;
            if rest == 0 {
                self.bytes.push(low);
                return;
            }
            self.bytes.push(low | 0x80);
        }
    }

    /// Returns a step that is proven to reach the claim: if possible to a position already visited, else the one whose
    /// proof took the least work.
    fn choose(&mut self) -> Result<Step, NoStrategy> {
        if let Some(step) = self.steady.choose(self.search) {
            return Ok(step);
        }
        if let Some(step) = self.proven_step() {
            return Ok(step);
        }
        // The table no longer holds what is needed: search it again.
        let wanted = self.side == self.search.first();
        if self.search.run(self.limits).ok_or(NoStrategy::Stopped)? != wanted {
            return Err(NoStrategy::Wrong(self.search.board.position()));
        }
        if let Some(step) = self.proven_step() {
            return Ok(step);
        }
        let mut children = self.search.list();
        children.sort_by_key(|child| child.proof);
        for child in children {
            self.search.board.make(child.step);
            let reached = self.search.run(self.limits);
            self.search.board.unmake();
            if reached.ok_or(NoStrategy::Stopped)? == wanted {
                return Ok(child.step);
            }
        }
        Err(NoStrategy::Wrong(self.search.board.position()))
    }

    fn proven_step(&mut self) -> Option<Step> {
        let children = self.search.list();
        let proven = children.iter().filter(|child| child.proof == 0);
        let mut best: Option<(u32, Step)> = None;
        for child in proven {
            let Search { board, coder, .. } = &mut *self.search;
            board.make(child.step);
            let is_free = board.is_over() || self.visited.contains(&coder.exact(&**board));
            board.unmake();
            if is_free {
                return Some(child.step);
            }
            if best.is_none_or(|(work, _)| child.work < work) {
                best = Some((child.work, child.step));
            }
        }
        best.map(|(_, step)| step)
    }
}
