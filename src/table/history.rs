//! Back and forth through the tree of a game.

use super::tree::Tree;
use super::{Change, Node, NodeId, Player, Refusal, Span, Table};
use crate::rules::Color;

impl Table {
    /// Returns a node of the tree.
    pub fn node(&self, id: NodeId) -> Option<&Node> {
        self.tree.get(id)
    }

    /// Returns the present node.
    pub fn current(&self) -> NodeId {
        self.tree.current()
    }

    /// Returns the node before a play; `None` at the start.
    pub fn parent(&self, id: NodeId) -> Option<NodeId> {
        self.tree.parent(id)
    }

    /// Returns the start of the game.
    pub fn start(&self) -> NodeId {
        Tree::ROOT
    }

    /// Returns the plays that led to the present position, the first one first.
    pub fn path(&self) -> Vec<NodeId> {
        self.tree.path(self.current())
    }

    /// Returns the plays that led to the present position, and on to the end of the line that the game followed last.
    pub fn line(&self) -> Vec<NodeId> {
        self.tree.line()
    }

    /// Returns the plays between two nodes of a line, the first one first.
    pub fn between(&self, above: NodeId, below: NodeId) -> Vec<&Node> {
        let path = self.tree.path(below);
        let from = path.iter().position(|&id| id == above).map_or(0, |place| place + 1);
        path.iter().skip(from).filter_map(|&id| self.node(id)).collect()
    }

    /// Returns true if something can be taken back.
    pub fn can_undo(&self) -> bool {
        let is_in_game = self.current() != Tree::ROOT || self.end().is_some() || self.selected.is_some();
        is_in_game || !self.games.before.is_empty()
    }

    /// Returns true if the game can go forward.
    pub fn can_redo(&self) -> bool {
        self.tree.next(self.current()).is_some() || !self.games.after.is_empty()
    }

    /// Returns true if undo and redo stop where this side is to move: a person decides, or there is none.
    fn decides(&self, color: Color) -> bool {
        self.player_of(color) == Player::Person || !self.players().contains(&Player::Person)
    }

    pub(super) fn undo(&mut self, span: Span, times: u32) -> Result<Vec<Change>, Refusal> {
        let mut changes = vec![self.undo_once(span)?];
        for _ in 1..times {
            match self.undo_once(span) {
                Ok(change) => changes.push(change),
                Err(_) => break,
            }
        }
        Ok(changes)
    }

    fn undo_once(&mut self, span: Span) -> Result<Change, Refusal> {
        if let Some(end) = self.tree.here_mut().end.take() {
            self.settle();
            return Ok(Change::Reopened(end));
        }
        if self.selected.take().is_some() {
            return Ok(Change::Selected);
        }
        let from = self.current();
        if from == Tree::ROOT {
            return self.undo_begin();
        }
        let to = self.decision_before(from, span).ok_or(Refusal::NothingToUndo)?;
        let change = self.move_to(to)?;
        self.left.push(from);
        self.settle();
        Ok(change)
    }

    /// Returns the position to which an undo goes back from a node.
    fn decision_before(&self, from: NodeId, span: Span) -> Option<NodeId> {
        let path = self.tree.path(from);
        let nodes: Vec<&Node> = path.iter().filter_map(|&id| self.node(id)).collect();
        let last = nodes.iter().rposition(|node| self.decides(node.color));
        let first = match (span, last) {
            // To before the moves of the engine, which began.
            (Span::Play, None) => 0,
            (Span::Play, Some(last)) => last,
            (Span::Turn, last) => {
                let last = last?;
                let Node { color, turn, .. } = nodes.get(last)?;
                let is_unfinished = self.session.turn() == *turn && !self.board().is_over();
                let before = nodes.iter().take(last).rev();
                let of_turn = before.take_while(|node| node.color == *color && node.turn == *turn);
                if is_unfinished { last } else { last - of_turn.count() }
            }
        };
        path.get(first).and_then(|&id| self.tree.parent(id))
    }

    pub(super) fn redo(&mut self, times: u32) -> Result<Vec<Change>, Refusal> {
        let mut changes = vec![self.redo_once()?];
        for _ in 1..times {
            match self.redo_once() {
                Ok(change) => changes.push(change),
                Err(_) => break,
            }
        }
        Ok(changes)
    }

    fn redo_once(&mut self) -> Result<Change, Refusal> {
        let Some(next) = self.tree.next(self.current()) else {
            return self.redo_begin();
        };
        let change = match self.left.last() {
            Some(&left) => self.move_to(left)?,
            None => {
                // To where a person decides again.
                let from = self.current();
                self.move_to(next)?;
                while !self.decides(self.session.side())
                    && let Some(next) = self.tree.next(self.current())
                {
                    self.move_to(next)?;
                }
                Change::Moved { from, to: self.current() }
            }
        };
        self.left.pop();
        self.settle();
        Ok(change)
    }

    /// Goes to a node of the tree.
    pub(super) fn move_to(&mut self, to: NodeId) -> Result<Change, Refusal> {
        let from = self.current();
        self.node(to).ok_or(Refusal::NoNode)?;
        let (old, new) = (self.tree.path(from), self.tree.path(to));
        let common = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
        for _ in common..old.len() {
            self.session.undo();
        }
        for &id in new.iter().skip(common) {
            if let Some(Node { color, text, .. }) = self.tree.get(id) {
                self.session.play(*color, text, false)?;
            }
        }
        self.tree.go_to(to);
        Ok(Change::Moved { from, to })
    }

    /// Removes a play and what follows it.
    pub(super) fn remove(&mut self, id: NodeId) -> Result<Vec<Change>, Refusal> {
        let parent = self.parent(id).ok_or(Refusal::NoNode)?;
        let mut changes = Vec::new();
        if self.path().contains(&id) {
            changes.push(self.move_to(parent)?);
            self.settle();
        }
        self.tree.remove(id);
        self.left.clear();
        changes.push(Change::Tree);
        Ok(changes)
    }

    /// Waits at the position that was gone to, with its clocks: neither the engine nor a clock resumes by itself.
    pub(super) fn settle(&mut self) {
        self.leave_position();
        self.is_paused = self.player() == Player::Engine;
        self.timer.stop(self.tree.here().clock);
    }
}
