//! The tree of a game's moves: the moves that were played, and those that were tried and taken back.

use crate::record::SearchInformation;
use crate::rules::Color;
use crate::session::GameClock;

use super::End;

/// A position in the tree of a game: the start, or what follows a play.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct NodeId(pub usize);

/// A play with what is known of it, and the position behind it.
#[derive(Clone, Debug)]
pub struct Node {
    /// Side that played it; of the start, the side to move.
    pub color: Color,
    /// Number of the turn in which it was played.
    pub turn: u32,
    /// Its steps, joined by commas; empty at the start.
    pub text: String,
    /// Time, and what a search said of it; `None` if it was not searched, as in an opening.
    pub information: Option<SearchInformation>,
    /// Remark.
    pub comment: Option<String>,
    /// Numeric annotation glyphs, as in PGN.
    pub nags: Vec<u8>,
    /// Remark before it, where it begins a variation.
    pub intro: Option<String>,
    /// The clocks behind it.
    pub(super) clock: Option<GameClock>,
    /// The end of the game here, for another reason than the rules.
    pub(super) end: Option<End>,
    parent: Option<NodeId>,
    /// Plays from here, the main line first.
    children: Vec<NodeId>,
    /// The child that the game last went to.
    next: Option<NodeId>,
}

impl Node {
    /// Creates the play of a side in a turn.
    pub(super) fn new(color: Color, turn: u32, text: String) -> Self {
        Self {
            color,
            turn,
            text,
            information: None,
            comment: None,
            nags: Vec::new(),
            intro: None,
            clock: None,
            end: None,
            parent: None,
            children: Vec::new(),
            next: None,
        }
    }

    /// Returns the plays from here, the main line first.
    pub fn children(&self) -> &[NodeId] {
        &self.children
    }

    /// Returns its steps.
    pub fn steps(&self) -> impl Iterator<Item = &str> {
        self.text.split(',').filter(|step| !step.is_empty())
    }
}

/// A tree of plays, with the position at which the game is.
#[derive(Debug)]
pub(super) struct Tree {
    root: Node,
    /// All nodes but the start. A node that is removed stays here, so that the others keep their places.
    others: Vec<Node>,
    current: NodeId,
}

impl Tree {
    pub(super) const ROOT: NodeId = NodeId(0);

    /// Creates the tree of a game that begins.
    pub(super) fn new(side: Color) -> Self {
        Self { root: Node::new(side, 0, String::new()), others: Vec::new(), current: Self::ROOT }
    }

    pub(super) fn current(&self) -> NodeId {
        self.current
    }

    pub(super) fn get(&self, id: NodeId) -> Option<&Node> {
        match id.0.checked_sub(1) {
            None => Some(&self.root),
            Some(index) => self.others.get(index),
        }
    }

    /// Returns the present node.
    pub(super) fn here(&self) -> &Node {
        self.get(self.current).unwrap_or(&self.root)
    }

    pub(super) fn get_mut(&mut self, id: NodeId) -> Option<&mut Node> {
        match id.0.checked_sub(1) {
            None => Some(&mut self.root),
            Some(index) => self.others.get_mut(index),
        }
    }

    pub(super) fn here_mut(&mut self) -> &mut Node {
        let index = self.current.0.checked_sub(1);
        match index.and_then(|index| self.others.get_mut(index)) {
            Some(node) => node,
            None => &mut self.root,
        }
    }

    /// Goes to the child with the same play, or to a new one behind the others.
    pub(super) fn play(&mut self, node: Node) {
        let count = self.others.len();
        let id = self.add(self.current, node.clone());
        let is_known = self.others.len() == count;
        self.enter(id);
        if is_known {
            let here = self.here_mut();
            here.end = None;
            // What an engine said of the move is worth more than the time of who plays it again.
            if here.information.is_none_or(|known| known.score.is_none())
                || node.information.is_some_and(|new| new.score.is_some())
            {
                here.information = node.information;
            }
        }
    }

    /// Adds a play behind a node, unless it is there already, as the last of its children. Returns its node.
    pub(super) fn add(&mut self, parent: NodeId, node: Node) -> NodeId {
        let children = self.get(parent).map(Node::children).unwrap_or_default();
        let known = children.iter().copied().find(|&id| self.get(id).is_some_and(|child| child.text == node.text));
        known.unwrap_or_else(|| {
            let id = NodeId(self.others.len() + 1);
            self.others.push(Node { parent: Some(parent), ..node });
            if let Some(parent) = self.get_mut(parent) {
                parent.children.push(id);
            }
            id
        })
    }

    /// Makes a child of the present node the present one.
    fn enter(&mut self, id: NodeId) {
        self.here_mut().next = Some(id);
        self.current = id;
    }

    /// Makes a node the present one, and its line the one that the game follows.
    pub(super) fn go_to(&mut self, id: NodeId) {
        self.current = Self::ROOT;
        for id in self.path(id) {
            self.enter(id);
        }
    }

    /// Makes the line to a node the main line.
    pub(super) fn promote(&mut self, id: NodeId) {
        for id in self.path(id) {
            if let Some(parent) = self.parent(id).and_then(|parent| self.get_mut(parent)) {
                parent.children.retain(|&child| child != id);
                parent.children.insert(0, id);
            }
        }
    }

    /// Takes a play and what follows it out of the tree. The present node must not be among them.
    pub(super) fn remove(&mut self, id: NodeId) {
        if let Some(parent) = self.parent(id).and_then(|parent| self.get_mut(parent)) {
            parent.children.retain(|&child| child != id);
            if parent.next == Some(id) {
                parent.next = parent.children.first().copied();
            }
        }
    }

    /// Returns true if nothing was played.
    pub(super) fn is_empty(&self) -> bool {
        self.root.children.is_empty()
    }

    pub(super) fn parent(&self, id: NodeId) -> Option<NodeId> {
        self.get(id)?.parent
    }

    /// Returns the node to which the game went from another one.
    pub(super) fn next(&self, id: NodeId) -> Option<NodeId> {
        self.get(id)?.next
    }

    /// Returns the plays that lead to a node, the first one first; none to the start.
    pub(super) fn path(&self, id: NodeId) -> Vec<NodeId> {
        let above = std::iter::successors(Some(id), |&id| self.parent(id));
        let mut path: Vec<NodeId> = above.filter(|&id| id != Self::ROOT).collect();
        path.reverse();
        path
    }

    /// Returns the plays to the present node, and on to the end of the line that the game followed.
    pub(super) fn line(&self) -> Vec<NodeId> {
        let mut line = self.path(self.current);
        line.extend(std::iter::successors(self.next(self.current), |&id| self.next(id)));
        line
    }
}
