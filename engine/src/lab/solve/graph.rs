//! All positions that can follow, as a graph, with the clocks at which each side wins, for games with a clock.
//!
//! A node is a position without its clock ([`DrawClock`]), so a game can come back to it. Of each node and side one
//! number says everything: a side that wins at a clock wins at each lower one, so it wins below a certain clock.

use std::sync::atomic::Ordering;

use super::code::Coder;
use super::search::Limits;
use crate::board::Zobrist;
use crate::rules::{Board, Color, DrawClock};

/// Nodes between two looks at the limits.
const NODES_PER_CHECK: usize = 1024;

/// Kinds of edges, in their two lowest bits: how the clock changes.
const KEEP: u32 = 0;
const ADVANCE: u32 = 1;
const RESET: u32 = 2;
/// The game is over: the other bits say who wins.
const END: u32 = 3;

/// Bytes of memory for a node, without its edges and its place in the index.
const NODE_BYTES: usize = size_of::<u128>() + size_of::<u32>() + size_of::<Node>();

/// A position without its clock.
#[derive(Clone, Copy)]
struct Node {
    /// For each color, the number of clocks, from 0 on, at which it wins.
    wins: [u16; 2],
    side: Color,
    /// True if the game is drawn here when the clock is at its limit.
    is_judged: bool,
}

/// The positions that can follow from one.
pub struct Graph {
    codes: Vec<u128>,
    nodes: Vec<Node>,
    /// Where the edges of each node end in `edges`.
    ends: Vec<u32>,
    edges: Vec<u32>,
    /// Nodes by their codes, in open addressing; each plus 1, and 0 where none is. The size is a power of two.
    index: Vec<u32>,
    clock: DrawClock,
}

/// Reserves memory for one more element, a quarter more at a time. Returns false if there is none.
fn reserve<T>(list: &mut Vec<T>) -> bool {
    list.len() < list.capacity() || list.try_reserve_exact(list.len() / 4 + 1024).is_ok()
}

impl Graph {
    /// Enumerates the positions that can follow from the board's, and finds who wins at which clocks.
    ///
    /// `None` if the game has no clock, if the positions need more than `memory` bytes, or if a limit comes first.
    pub fn new(board: &dyn Board, coder: &Coder, memory: usize, limits: &Limits<'_>) -> Option<Self> {
        let planes = board.planes()?;
        let clock = planes.clock.filter(|clock| clock.limit > 2)?;
        let mut graph = Self {
            codes: Vec::new(),
            nodes: Vec::new(),
            ends: Vec::new(),
            edges: Vec::new(),
            index: vec![0; 1 << 10],
            clock,
        };
        let (_, root) = coder.without_clock(Some(planes), board.side(), board.turn(), 0)?;
        graph.node(root)?;
        let mut board = board.fork();
        let mut next = 0;
        while let Some(&code) = graph.codes.get(next) {
            if next % NODES_PER_CHECK == 0 && (is_over(limits) || graph.bytes() > memory) {
                return None;
            }
            graph.add(&mut *board, coder, code)?;
            next += 1;
        }
        graph.solve(limits).then_some(graph)
    }

    /// Returns the number of positions.
    pub fn positions(&self) -> usize {
        self.codes.len()
    }

    /// Returns the number of steps between positions.
    pub fn edges(&self) -> usize {
        self.edges.len()
    }

    /// Returns the memory that is used, in bytes.
    pub fn bytes(&self) -> usize {
        let indices = self.edges.capacity() + self.index.capacity();
        self.codes.capacity() * NODE_BYTES + indices * size_of::<u32>()
    }

    /// Returns of a position, whose code is one without a clock, the number of clocks at which each color wins.
    pub fn wins(&self, code: u128) -> Option<[u16; 2]> {
        let place = self.index.get(self.place(code))?;
        let node = self.nodes.get((*place as usize).checked_sub(1)?)?;
        Some(node.wins)
    }

    /// Returns whether `first` reaches a result of at least `least` at a clock, as [`super::search::result`] counts.
    ///
    /// The number with it is how close the decision is: for a draw the number of clocks at which the side that holds it
    /// would lose, for a win those at which the winner would not win.
    pub fn reached(&self, clock: u32, code: u128, first: Color, least: i32) -> Option<(bool, u32)> {
        let wins = self.wins(code)?;
        let won = |color: Color| wins.get(color.index()).map_or(0, |&wins| u32::from(wins));
        let (own, other) = (won(first), won(!first));
        let always = u32::from(self.always());
        Some(if least > 0 {
            if clock < own { (true, always - own) } else { (false, own) }
        } else if clock < other {
            (false, always - other)
        } else {
            (true, other)
        })
    }

    /// Returns more than any clock: the number of clocks of a side that always wins.
    pub fn always(&self) -> u16 {
        // The clock passes its limit by 1 at most, where the game is judged after the second player's turn only.
        (self.clock.limit + 2) as u16
    }

    /// Returns the place of a code in the index, or the free one where it belongs.
    fn place(&self, code: u128) -> usize {
        let mixed = Zobrist::state_key((code >> 64) as u64 ^ Zobrist::state_key(code as u64).0);
        let mask = self.index.len() - 1;
        let mut place = mixed.0 as usize & mask;
        loop {
            let node = self.index.get(place).copied().unwrap_or(0) as usize;
            if node == 0 || self.codes.get(node - 1) == Some(&code) {
                return place;
            }
            place = (place + 1) & mask;
        }
    }

    /// Returns the node of a code, new if there was none; `None` if there is no memory.
    fn node(&mut self, code: u128) -> Option<u32> {
        let place = self.place(code);
        if let Some(&node) = self.index.get(place).filter(|&&node| node > 0) {
            return Some(node - 1);
        }
        if !reserve(&mut self.codes) {
            return None;
        }
        self.codes.push(code);
        let node = u32::try_from(self.codes.len()).ok().filter(|&node| node < 1 << 30)?;
        *self.index.get_mut(place)? = node;
        if self.codes.len() * 2 > self.index.len() {
            let mut index = Vec::new();
            index.try_reserve_exact(self.index.len() * 2).ok()?;
            index.resize(self.index.len() * 2, 0);
            self.index = index;
            for known in 0..self.codes.len() {
                let place = self.place(*self.codes.get(known)?);
                *self.index.get_mut(place)? = known as u32 + 1;
            }
        }
        Some(node - 1)
    }

    /// Adds the edges of the next node.
    fn add(&mut self, board: &mut dyn Board, coder: &Coder, code: u128) -> Option<()> {
        let (mut planes, side, turn) = coder.unpack(code, &board.planes()?)?;
        let state = planes.state;
        planes.state = state | u64::from(self.clock.limit);
        let is_set = board.set_planes(&planes, side, turn);
        let is_judged = is_set && board.is_over();
        // At 1, the clock shows whether a step resets it.
        planes.state = state | 1;
        let mut is_complete = is_set && board.set_planes(&planes, side, turn);
        board.successors(&mut |successor| {
            let edge = match successor.outcome {
                Some(outcome) => {
                    let winner = outcome.winner.map_or(0, |winner| 1 + winner.index() as u32);
                    Some(winner << 2 | END)
                }
                None => {
                    let (side, turn) = (successor.side, successor.turn);
                    let next = coder.without_clock(successor.planes, side, turn, 0);
                    next.and_then(|(clock, code)| {
                        let kind = match clock {
                            0 => RESET,
                            1 => KEEP,
                            _ => ADVANCE,
                        };
                        Some(self.node(code)? << 2 | kind)
                    })
                }
            };
            match edge.filter(|_| reserve(&mut self.edges)) {
                Some(edge) => self.edges.push(edge),
                None => is_complete = false,
            }
        });
        if !reserve(&mut self.nodes) || !reserve(&mut self.ends) {
            return None;
        }
        self.nodes.push(Node { wins: [0; 2], side, is_judged });
        self.ends.push(u32::try_from(self.edges.len()).ok()?);
        is_complete.then_some(())
    }

    /// Raises the numbers of clocks until they agree at all nodes. Returns false if a limit comes first.
    ///
    /// Each turn raises the clock or resets it by progress that can't be undone, so the value at a node and clock
    /// follows from those at later ones: there is one solution, and the one that is found from below is it.
    fn solve(&mut self, limits: &Limits<'_>) -> bool {
        loop {
            let mut changed = false;
            for node in (0..self.nodes.len()).rev() {
                if node % NODES_PER_CHECK == 0 && is_over(limits) {
                    return false;
                }
                let wins = self.value(node);
                if let Some(node) = self.nodes.get_mut(node).filter(|node| node.wins != wins) {
                    node.wins = wins;
                    changed = true;
                }
            }
            if !changed {
                return true;
            }
        }
    }

    /// Returns the numbers of clocks at which the colors win at a node, by those of the nodes behind it.
    fn value(&self, index: usize) -> [u16; 2] {
        let Some(node) = self.nodes.get(index) else {
            return [0; 2];
        };
        let always = self.always();
        let most = if node.is_judged { self.clock.limit as u16 } else { always };
        let end = |index: usize| self.ends.get(index).map_or(0, |&end| end as usize);
        let range = index.checked_sub(1).map_or(0, end)..end(index);
        let edges = self.edges.get(range).unwrap_or_default();
        // The side to move takes the best, the other side gets what is left.
        let own = node.side.index();
        let (mut best, mut left) = (0, always);
        for &edge in edges {
            let target = (edge >> 2) as usize;
            let wins = match edge & 3 {
                END => [1, 2].map(|winner| if target == winner { always } else { 0 }),
                kind => {
                    let wins = self.nodes.get(target).map_or([0; 2], |node| node.wins);
                    wins.map(|wins| match kind {
                        KEEP => wins,
                        ADVANCE if wins == always => always,
                        ADVANCE => wins.saturating_sub(1),
                        _ if wins > 0 => always,
                        _ => 0,
                    })
                }
            };
            let (mine, theirs) = if own == 0 { (wins[0], wins[1]) } else { (wins[1], wins[0]) };
            best = best.max(mine);
            left = left.min(theirs);
            if best == always && left == 0 {
                break;
            }
        }
        let (best, left) = (best.min(most), left.min(most));
        if own == 0 { [best, left] } else { [left, best] }
    }
}

/// Returns true once a limit of time is reached.
pub(super) fn is_over(limits: &Limits<'_>) -> bool {
    limits.stop.load(Ordering::Relaxed) || limits.deadline.is_some_and(|deadline| limits.clock.now() >= deadline)
}
