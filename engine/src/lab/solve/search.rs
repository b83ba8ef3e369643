//! Depth-first proof-number search (Nagai 2002): does the first player reach a result?

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::code::Coder;
use super::graph::Graph;
use super::table::{Entry, INFINITE, Table};
use crate::rules::{Board, Color, HalfPoints, Outcome, Step, Successor};
use crate::search::{Clock, random_step};

/// Positions between two looks at the clock.
const POSITIONS_PER_CHECK: u64 = 256;

/// Proof number of a position that was not searched, in games whose turns have one step.
///
/// Its disproof number is this times the number of its steps. The number is large against the 1 that each further
/// child adds to a disproof number: few steps count for more than few children.
const UNIT: u32 = 16;

/// Part of the second-best proof number by which the best one may exceed it before the search turns to the other step:
/// in games whose turns have one step, in other ones, and where players can shuffle. There a step that leads nowhere
/// has many positions behind it, and its number hardly grows.
const SLACK: [u32; 3] = [1, 2, 16];

/// Option of the games in which players can shuffle: the number of turns after which that ends the game.
const SHUFFLES: &str = "stall";

/// Number of random games that show whether a player takes several steps in a row, and the most steps of each.
const GAMES: (u64, usize) = (8, 200);

/// Maximum number of steps of a line: more than any game that can be solved has.
const MAX_DEPTH: usize = 100_000;

/// Conditions that end a search early.
pub struct Limits<'a> {
    /// Ends it when it is set.
    pub stop: &'a AtomicBool,
    /// The source of the time.
    pub clock: &'a dyn Clock,
    /// The reading of the clock at which it ends.
    pub deadline: Option<Duration>,
    /// The number of positions at which it ends.
    pub positions: Option<u64>,
}

/// The question whether the first player's result is at least a threshold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Goal {
    /// The threshold, as [`result`] counts.
    pub least: i32,
    /// The largest result below the threshold that was met.
    pub below: i32,
    /// The smallest result of at least the threshold that was met.
    pub above: i32,
}

/// A step with what is known about the position after it.
#[derive(Clone, Copy, Debug)]
pub struct Child {
    /// The step.
    pub step: Step,
    code: u128,
    /// True if the same side is to move after it.
    same_side: bool,
    /// The number of the proof that the side to move reaches its goal by this step; 0 if it is proven.
    pub proof: u32,
    /// The number of the disproof.
    pub disproof: u32,
    /// Number of positions searched for it.
    pub work: u32,
}

/// A child whose proof numbers are still to be looked up.
#[derive(Clone, Copy)]
struct Unexplored {
    /// Its place in the list.
    child: usize,
    after: Color,
    /// Number of its steps.
    count: u32,
    /// Its clock, and its code without it, in games that have one.
    clockless: Option<(u32, u128)>,
    known: Option<Entry>,
    /// Entry of its code without the clock.
    without_clock: Option<Entry>,
}

/// Returns the proof numbers of what is proven or disproven.
fn decided(is_proven: bool) -> (u32, u32) {
    if is_proven { (0, INFINITE) } else { (INFINITE, 0) }
}

/// Returns the result of a finished game for `first`: the margin in half-points, else 1, 0 or −1.
pub fn result(outcome: Outcome, margin: Option<HalfPoints>, first: Color) -> i32 {
    let size = margin.map_or(1, |margin| margin.0);
    match outcome.winner {
        None => 0,
        Some(winner) if winner == first => size,
        Some(_) => -size,
    }
}

/// Returns true if a player takes several steps in a row in some random game from a position.
fn has_long_turns(board: &dyn Board) -> bool {
    let (games, steps) = GAMES;
    (0..games).any(|seed| {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut game = board.fork();
        (0..steps).any(|_| match random_step(&mut *game, &mut random) {
            Some(step) => {
                let side = game.side();
                game.make(step).side == side && !game.is_over()
            }
            None => false,
        })
    })
}

/// A search with its table.
pub struct Search {
    pub(super) board: Box<dyn Board>,
    pub(super) coder: Coder,
    pub(super) table: Table,
    /// Thresholds that were asked about. Codes of different ones differ.
    pub(super) goals: Vec<Goal>,
    pub(super) positions: u64,
    /// All positions that can follow, where there is memory for them.
    pub(super) graph: Option<Graph>,
    /// Proof number of a position that was not searched.
    unit: u32,
    /// Part of the second-best proof number, one of [`SLACK`].
    slack: u32,
    goal: usize,
    children: Vec<Child>,
    /// A buffer for the children of the position that is expanded.
    unexplored: Vec<Unexplored>,
    next_check: u64,
    depth: usize,
    stopped: bool,
    too_deep: bool,
}

impl Search {
    /// Prepares a search of a board's position.
    pub fn new(board: &dyn Board, table: Table) -> Self {
        let [one_step, several_steps, shuffles] = SLACK;
        let (unit, slack) = if has_long_turns(board) {
            (1, several_steps)
        } else if board.variant().has(SHUFFLES) {
            (UNIT, shuffles)
        } else {
            (UNIT, one_step)
        };
        Self {
            board: board.fork(),
            coder: Coder::new(board),
            table,
            goals: Vec::new(),
            positions: 0,
            graph: None,
            unit,
            slack,
            goal: 0,
            children: Vec::new(),
            unexplored: Vec::new(),
            next_check: 0,
            depth: 0,
            stopped: false,
            too_deep: false,
        }
    }

    /// Returns the player who moves first, for whom results count.
    pub fn first(&self) -> Color {
        self.board.variant().info().first
    }

    /// Returns the number of positions that were searched.
    pub fn positions(&self) -> u64 {
        self.positions
    }

    /// Returns the table.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// Returns true if a line was longer than a search can follow.
    pub fn is_too_deep(&self) -> bool {
        self.too_deep
    }

    /// Chooses the goal of the searches that follow.
    ///
    /// Reuses the entries of another threshold if no game met until then ended with a result between the two.
    pub fn aim(&mut self, least: i32) {
        let known = self.goals.iter();
        let mut known = known.map(|goal| goal.below < least && least <= goal.above);
        self.goal = match known.position(|fits| fits) {
            Some(goal) => goal,
            None => {
                self.goals.push(Goal { least, below: i32::MIN, above: i32::MAX });
                self.goals.len() - 1
            }
        };
        if let Some(goal) = self.goals.get_mut(self.goal) {
            goal.least = least;
        }
    }

    /// Returns the goal.
    pub fn goal(&self) -> Goal {
        self.goals.get(self.goal).copied().unwrap_or(Goal { least: 0, below: i32::MIN, above: i32::MAX })
    }

    /// Searches the board's position. Returns whether the first player reaches the goal, or `None` if stopped.
    pub fn run(&mut self, limits: &Limits<'_>) -> Option<bool> {
        if self.graph.is_some() {
            // The graph holds games of every result.
            (-1..=1).for_each(|result| self.meet(result));
        }
        let is_first = self.board.side() == self.first();
        if let Some(outcome) = self.board.outcome() {
            let result = result(outcome, self.board.margin(), self.first());
            self.meet(result);
            return Some(result >= self.goal().least);
        }
        (self.stopped, self.next_check, self.depth) = (false, self.positions, 0);
        let code = self.code();
        let (proof, disproof) = match self.board.proof_cost() {
            Some(_) => self.decide(code, limits),
            None => self.search(code, INFINITE, INFINITE, limits),
        };
        match (proof, disproof) {
            (0, _) => Some(is_first),
            (_, 0) => Some(!is_first),
            _ => None,
        }
    }

    /// Enumerates all positions that can follow, in at most as many bytes of memory as the table has.
    ///
    /// From then on each step is known to win or not, at once. Returns false if there are too many positions, if the
    /// game has no clock, or if a limit comes first.
    pub fn enumerate(&mut self, limits: &Limits<'_>) -> bool {
        if self.graph.is_none() {
            let memory = self.table.bytes() as usize;
            self.graph = Graph::new(&*self.board, &self.coder, memory, limits);
            let nodes = self.graph.as_ref().map_or(0, Graph::positions);
            self.positions += nodes as u64;
        }
        self.graph.is_some()
    }

    /// Returns how close it is that a side reaches its goal from the board's position, as [`Graph::reached`] does;
    /// `None` if it does not, or if the graph does not know the position.
    pub fn closeness(&self, side: Color) -> Option<u32> {
        let (board, first, least) = (&*self.board, self.first(), self.goal().least);
        let planes = board.planes();
        let code = self.coder.without_clock(planes, board.side(), board.turn(), 0);
        let (clock, code) = code?;
        let known = self.graph.as_ref()?.reached(clock, code, first, least);
        let (is_reached, closeness) = known.or_else(|| {
            let result = result(board.outcome()?, board.margin(), first);
            Some((result >= least, 0))
        })?;
        (is_reached == (side == first)).then_some(closeness)
    }

    /// Returns the code of the board's position.
    pub fn code(&self) -> u128 {
        let board = &*self.board;
        let text = || board.position();
        let (planes, side, turn) = (board.planes(), board.side(), board.turn());
        self.coder.canonical(planes, side, turn, self.goal, text)
    }

    /// Notes that a result was met at the end of a line.
    fn meet(&mut self, result: i32) {
        if let Some(goal) = self.goals.get_mut(self.goal) {
            goal.meet(result);
        }
    }

    /// Lists the steps of the board's position, each with what is known about it.
    pub fn list(&mut self) -> Vec<Child> {
        let base = self.children.len();
        self.expand();
        self.children.split_off(base)
    }

    /// Appends one step per symmetry class of the board's position to the list.
    fn expand(&mut self) {
        let Self { board, coder, table, goals, children, unexplored, goal: index, unit, graph, .. } = self;
        let board = &**board;
        let base = children.len();
        let (side, first) = (board.side(), board.variant().info().first);
        let Some(goal) = goals.get_mut(*index) else {
            return;
        };
        unexplored.clear();
        board.successors(&mut |successor: Successor| {
            let Successor { step, side: after, .. } = successor;
            if let Some(outcome) = successor.outcome {
                let result = result(outcome, successor.margin, first);
                goal.meet(result);
                let (proof, disproof) = decided((result >= goal.least) == (side == first));
                children.push(Child { step, code: 0, same_side: true, proof, disproof, work: 0 });
                return;
            }
            let text = || {
                let mut next = board.fork();
                next.make(step);
                next.position()
            };
            let code = coder.canonical(successor.planes, after, successor.turn, *index, text);
            let is_known = |child: &Child| child.code == code;
            if children.iter().skip(base).any(is_known) {
                return;
            }
            let clockless = |goal| coder.without_clock(successor.planes, after, successor.turn, goal);
            let in_graph = graph.as_ref().and_then(|graph| {
                let (clock, without) = clockless(0)?;
                let (reached, work) = graph.reached(clock, without, first, goal.least)?;
                let (proof, disproof) = decided(reached == (after == first));
                Some(Entry::new(code, proof, disproof, u64::from(work)))
            });
            let clockless = clockless(*index);
            let (child, count) = (children.len(), successor.count as u32);
            unexplored.push(Unexplored { child, after, count, clockless, known: in_graph, without_clock: None });
            children.push(Child { step, code, same_side: after == side, proof: 0, disproof: 0, work: 0 });
        });
        // Nothing but these look into the table, so that the processor waits for many places of it at a time.
        for Unexplored { child, clockless, known, without_clock, .. } in unexplored.iter_mut() {
            *known = known.or_else(|| table.get(children.get(*child)?.code));
            *without_clock = clockless.and_then(|(_, code)| table.get(code));
        }
        for &mut Unexplored { child, after, count, clockless, known, without_clock } in unexplored {
            let Some(child) = children.get_mut(child) else {
                continue;
            };
            let by_clock = || {
                let reached = goal.known_by_clock(clockless?.0, without_clock?)?;
                let (proof, disproof) = decided(reached == (after == first));
                Some(Entry::new(child.code, proof, disproof, 1))
            };
            let by_table = known.filter(|entry| entry.proof == 0 || entry.disproof == 0);
            let (own, other, work) = match by_table.or_else(by_clock).or(known) {
                Some(entry) => (entry.proof, entry.disproof, entry.work),
                None => (*unit, unit.saturating_mul(count), 0),
            };
            (child.proof, child.disproof) = if child.same_side { (own, other) } else { (other, own) };
            child.work = work;
        }
    }

    /// Searches the board's position until one of its proof numbers reaches its limit. Returns both.
    fn search(&mut self, code: u128, proof_limit: u32, disproof_limit: u32, limits: &Limits<'_>) -> (u32, u32) {
        self.positions += 1;
        let before = self.positions;
        self.check(limits);
        let base = self.children.len();
        self.expand();
        let (proof, disproof) = loop {
            let best = self.best(base);
            let Best { proof, disproof, .. } = best;
            if proof >= proof_limit || disproof >= disproof_limit || self.stopped {
                break (proof, disproof);
            }
            let Some(&child) = self.children.get(best.index) else {
                break (proof, disproof);
            };
            // More than the second best needs, so that two good steps do not take turns too often.
            let slack = best.second / self.slack;
            let proof_limit = proof_limit.min((best.second + slack).saturating_add(1));
            let disproof_limit = disproof_limit.saturating_sub(best.others);
            self.board.make(child.step);
            self.depth += 1;
            let started = self.positions;
            let (proof, disproof) = if child.same_side {
                self.search(child.code, proof_limit, disproof_limit, limits)
            } else {
                let (own, other) = self.search(child.code, disproof_limit, proof_limit, limits);
                (other, own)
            };
            self.depth -= 1;
            self.board.unmake();
            let work = self.positions - started;
            if let Some(child) = self.children.get_mut(best.index) {
                (child.proof, child.disproof) = (proof, disproof);
                child.work = child.work.saturating_add(work as u32);
            }
        };
        self.children.truncate(base);
        if !self.stopped || proof == 0 || disproof == 0 {
            let work = self.positions - before + 1;
            self.table.put(Entry::new(code, proof, disproof, work));
            if proof == 0 || disproof == 0 {
                self.note_clock(proof == 0, work);
            }
        }
        (proof, disproof)
    }

    /// Enters for which clocks the result of the board's position is known, in games that have a clock.
    ///
    /// `wins` says whether the side to move reaches its goal.
    fn note_clock(&mut self, wins: bool, work: u64) {
        let (planes, side, turn) = (self.board.planes(), self.board.side(), self.board.turn());
        let Some((clock, code)) = self.coder.without_clock(planes, side, turn, self.goal) else {
            return;
        };
        let reached = wins == (side == self.first());
        let known = self.table.get(code);
        let (mut won_up_to, mut open_from) = known.map_or((0, INFINITE), |entry| (entry.proof, entry.disproof));
        if reached == (self.goal().least > 0) {
            won_up_to = won_up_to.max(clock + 1)
        } else {
            open_from = open_from.min(clock + 1)
        }
        self.table.put(Entry::new(code, won_up_to, open_from, work));
    }

    /// Searches the board's position to the end of the game, the steps that the evaluation likes best first.
    ///
    /// Returns the proof numbers, which are both 1 if the search was stopped.
    fn decide(&mut self, code: u128, limits: &Limits<'_>) -> (u32, u32) {
        self.positions += 1;
        let before = self.positions;
        self.check(limits);
        let mut children = self.list();
        let mut numbers = (INFINITE, 0);
        if children.iter().any(|child| child.proof == 0) {
            numbers = (0, INFINITE);
        } else {
            children.retain(|child| child.disproof != 0);
            let mut values = Vec::new();
            self.board.evaluate_steps(&mut values);
            values.sort_unstable_by(|a, b| b.cmp(a));
            for (_, step) in values {
                let Some(child) = children.iter().find(|child| child.step == step) else {
                    continue;
                };
                if self.stopped {
                    return (1, 1);
                }
                self.board.make(step);
                self.depth += 1;
                let (own, other) = self.decide(child.code, limits);
                self.depth -= 1;
                self.board.unmake();
                match if child.same_side { own } else { other } {
                    0 => {
                        numbers = (0, INFINITE);
                        break;
                    }
                    INFINITE => {}
                    _ => return (1, 1),
                }
            }
        }
        let work = self.positions - before + 1;
        self.table.put(Entry::new(code, numbers.0, numbers.1, work));
        numbers
    }

    /// Stops the search when a limit is reached.
    fn check(&mut self, limits: &Limits<'_>) {
        if self.depth > MAX_DEPTH {
            (self.stopped, self.too_deep) = (true, true);
        }
        if self.positions < self.next_check {
            return;
        }
        self.next_check = self.positions + POSITIONS_PER_CHECK;
        let is_late = limits.deadline.is_some_and(|deadline| limits.clock.now() >= deadline);
        let is_enough = limits.positions.is_some_and(|most| self.positions >= most);
        self.stopped |= is_late || is_enough || limits.stop.load(Ordering::Relaxed);
    }

    /// Computes the proof numbers of the node whose children are listed from `base` on.
    fn best(&self, base: usize) -> Best {
        let mut best = Best { proof: INFINITE, disproof: 0, index: usize::MAX, second: INFINITE, others: 0 };
        let (mut open, mut dearest, mut least) = (0, 0, INFINITE);
        for (index, child) in self.children.iter().enumerate().skip(base) {
            if child.proof < best.proof || child.proof == best.proof && child.disproof < least {
                best.second = best.proof;
                (best.proof, best.index, least) = (child.proof, index, child.disproof);
            } else {
                best.second = best.second.min(child.proof);
            }
            dearest = dearest.max(child.disproof);
            open += u32::from(child.disproof > 0);
        }
        // Children share positions, so a sum would count them several times: one child's disproof, and 1 for each other.
        best.others = open.saturating_sub(1);
        best.disproof = match dearest {
            0 | INFINITE => dearest,
            _ => (dearest + best.others).min(INFINITE - 1),
        };
        best
    }
}

impl Goal {
    /// Returns whether the first player reaches the goal at a clock, by an entry without the clock.
    ///
    /// A side that wins at a clock wins at each lower one with the same steps: they end the game before the clock
    /// does, and a lower clock ends it later still. So what is no win at a clock is none at a higher one. The entry
    /// holds, each plus 1, the highest clock at which the game is known to be won, by the first player for a goal of
    /// at least a win, else by the other; and the lowest one at which it is known not to be.
    fn known_by_clock(&self, clock: u32, entry: Entry) -> Option<bool> {
        let by_first = self.least > 0;
        if clock < entry.proof {
            return Some(by_first);
        }
        (clock + 1 >= entry.disproof).then_some(!by_first)
    }

    fn meet(&mut self, result: i32) {
        if result >= self.least { self.above = self.above.min(result) } else { self.below = self.below.max(result) }
    }
}

/// The proof numbers of a node, and which child to search next.
struct Best {
    proof: u32,
    disproof: u32,
    /// The child with the least proof number.
    index: usize,
    /// The second least proof number.
    second: u32,
    /// The part of the disproof number that the other children add.
    others: u32,
}
