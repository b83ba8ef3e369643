//! Random walks from the start of a variant. The steps that were walked are remembered: on a small board the same few
//! walks come again and again.

use std::collections::HashSet;

use rand_core::Rng;

use crate::games;
use crate::rules::{Board, Step, Variant};

/// Maximum size of the remembered steps.
const MOST_REMEMBERED: usize = 1 << 20;

/// A position that a walk has reached.
#[derive(Default)]
struct Node {
    turn: u32,
    is_over: bool,
    /// True if the position was the end of a walk that was new.
    is_seen: bool,
    /// Legal steps, once a walk has gone beyond the position, and the place of the node behind each; 0 if there is none.
    steps: Option<Vec<(Step, usize)>>,
}

/// Random walks, and the positions at their ends.
pub(super) struct Walks {
    board: Box<dyn Board>,
    /// The start comes first.
    nodes: Vec<Node>,
    /// Size of the nodes.
    remembered: usize,
    /// Steps of the last walk, and the place of its end.
    path: Vec<Step>,
    end: usize,
    /// Positions at the ends of walks that were new.
    seen: HashSet<String>,
}

impl Walks {
    /// Creates walks; `None` if the variant belongs to no game of the catalogue.
    pub(super) fn new(variant: &Variant) -> Option<Self> {
        let board = games::open(variant)?;
        let nodes = vec![node(&*board)];
        Some(Self { board, nodes, remembered: 0, path: Vec::new(), end: 0, seen: HashSet::new() })
    }

    /// Returns the steps of the last walk.
    pub(super) fn path(&self) -> &[Step] {
        &self.path
    }

    /// Plays random steps from the start to the end of a turn. Returns false if the game is over then.
    ///
    /// Where turns have taken several steps, the walk goes on until both players have had equally many turns: the steps
    /// of one player alone would leave an uneven position.
    pub(super) fn walk(&mut self, steps: u32, random: &mut impl Rng) -> bool {
        if self.remembered > MOST_REMEMBERED {
            self.board.restart();
            self.nodes = vec![node(&*self.board)];
            self.remembered = 0;
        }
        self.path.clear();
        self.end = 0;
        let (first, mut begun) = (self.at().turn, None);
        loop {
            let (turn, walked) = (self.at().turn, self.path.len() as u64);
            let turns = turn.saturating_sub(first);
            let is_uneven = turns % 2 == 1 && walked > turns.into();
            if walked >= steps.into() && begun != Some(turn) && !is_uneven {
                break;
            }
            begun = Some(turn);
            let number = random.next_u64();
            if !self.go(number) {
                return false;
            }
        }
        !self.at().is_over
    }

    /// Returns true if no walk has ended at the end of the last one before.
    pub(super) fn is_new(&mut self) -> bool {
        if self.at().is_seen {
            return false;
        }
        self.set_up();
        let is_new = self.seen.insert(self.board.position());
        if let Some(node) = self.nodes.get_mut(self.end) {
            node.is_seen = true;
        }
        is_new
    }

    #[expect(clippy::indexing_slicing, reason = "walks end at nodes")]
    fn at(&self) -> &Node {
        &self.nodes[self.end]
    }

    /// Sets up the end of the walk on the board.
    fn set_up(&mut self) {
        self.board.restart();
        for &step in &self.path {
            self.board.make(step);
        }
    }

    /// Takes the legal step that a number selects. Returns false if there is none.
    fn go(&mut self, number: u64) -> bool {
        if self.at().steps.is_none() {
            self.set_up();
            let mut steps = Vec::new();
            self.board.steps(&mut steps);
            self.remembered += steps.len();
            if let Some(node) = self.nodes.get_mut(self.end) {
                node.steps = Some(steps.into_iter().map(|step| (step, 0)).collect());
            }
        }
        let steps = self.at().steps.as_deref().unwrap_or_default();
        let place = (number % (steps.len() as u64).max(1)) as usize;
        let Some(&(step, behind)) = steps.get(place) else {
            return false;
        };
        self.path.push(step);
        if behind != 0 {
            self.end = behind;
            return true;
        }
        self.set_up();
        let new = self.nodes.len();
        let entry = self.nodes.get_mut(self.end).and_then(|node| node.steps.as_mut()?.get_mut(place));
        if let Some((_, behind)) = entry {
            *behind = new;
        }
        self.nodes.push(node(&*self.board));
        self.remembered += 1;
        self.end = new;
        true
    }
}

fn node(board: &dyn Board) -> Node {
    Node { turn: board.turn(), is_over: board.is_over(), ..Node::default() }
}
