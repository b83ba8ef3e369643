//! The games that were played at a table before and after the present one.

use super::seats::Seat;
use super::tree::Tree;
use super::{Brought, Change, NodeId, Refusal, Table};
use crate::rules::Variant;
use crate::session::TimeSettings;

/// Maximum number of games that can be taken back to.
const MAX_GAMES: usize = 16;

/// A game that was left.
pub(super) struct LeftGame {
    variant: Variant,
    /// Position at its start; `None` for that of the variant.
    start: Option<String>,
    tree: Tree,
    left: Vec<NodeId>,
    seats: [Seat; 2],
    clock: Option<TimeSettings>,
    brought: Option<Brought>,
    annotator: Option<String>,
}

/// The games before the present one, and those that an undo has left, the nearest ones last.
#[derive(Default)]
pub(super) struct LeftGames {
    pub(super) before: Vec<LeftGame>,
    pub(super) after: Vec<LeftGame>,
}

/// The rules and the start of a game.
pub(super) struct Beginning {
    variant: Variant,
    start: Option<String>,
    seats: [Seat; 2],
    clock: Option<TimeSettings>,
}

impl Table {
    /// Notes the present game before the session changes.
    pub(super) fn beginning(&self) -> Beginning {
        Beginning {
            variant: self.session.variant().clone(),
            start: self.start_position(),
            seats: self.seats.clone(),
            clock: self.timer.clock.map(|clock| clock.settings()),
        }
    }

    /// Puts the game aside that began like this. The position of the session is the start of another one.
    pub(super) fn begin_anew(&mut self, beginning: Beginning) {
        let left = self.take_game(beginning);
        // A game without a play is no loss.
        if !left.tree.is_empty() {
            self.games.before.push(left);
            if self.games.before.len() > MAX_GAMES {
                self.games.before.remove(0);
            }
        }
        self.games.after.clear();
        self.set_clock(self.timer.clock.map(|clock| clock.settings()));
    }

    fn take_game(&mut self, beginning: Beginning) -> LeftGame {
        let Beginning { variant, start, seats, clock } = beginning;
        self.leave_position();
        let tree = Tree::new(self.board().fork_at(0).side());
        for seat in &mut self.seats {
            seat.brought = None;
        }
        self.is_paused = false;
        LeftGame {
            variant,
            start,
            tree: std::mem::replace(&mut self.tree, tree),
            left: std::mem::take(&mut self.left),
            seats,
            clock,
            brought: self.brought.take(),
            annotator: self.annotator.take(),
        }
    }

    /// Goes back to the game before this one.
    pub(super) fn undo_begin(&mut self) -> Result<Change, Refusal> {
        let game = self.games.before.pop().ok_or(Refusal::NothingToUndo)?;
        let left = self.resume_game(game)?;
        self.games.after.push(left);
        Ok(Change::Resumed)
    }

    /// Goes forward to the game after this one.
    pub(super) fn redo_begin(&mut self) -> Result<Change, Refusal> {
        let game = self.games.after.pop().ok_or(Refusal::NothingToRedo)?;
        let left = self.resume_game(game)?;
        self.games.before.push(left);
        Ok(Change::Resumed)
    }

    /// Plays on with a game, at the position where it was left. Returns the present one.
    fn resume_game(&mut self, game: LeftGame) -> Result<LeftGame, Refusal> {
        let beginning = self.beginning();
        let LeftGame { variant, start, tree, left, seats, clock, brought, annotator } = game;
        if variant != *self.session.variant() && !self.session.set_variant(&variant) {
            return Err(Refusal::Variant(Box::new(variant)));
        }
        let texts: Vec<String> =
            tree.path(tree.current()).into_iter().filter_map(|id| Some(tree.get(id)?.text.clone())).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        self.session.set_history(start.as_deref(), &texts)?;
        let present = self.take_game(beginning);
        (self.tree, self.left, self.seats, self.brought) = (tree, left, seats, brought);
        self.annotator = annotator;
        self.reset_clock(clock);
        self.settle();
        Ok(present)
    }
}
