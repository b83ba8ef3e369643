//! Our rules as the judge of a game that an engine plays.

use std::sync::Arc;

use crate::game::{Color, Halves};
use crate::notation::Variant;
use crate::search::SystemClock;
use crate::session::Session;

/// A game of a variant of ours, played by somebody else.
pub(super) struct Judge {
    session: Session,
    first: Color,
}

impl Judge {
    /// A new game; `None` where there is no variant to judge by.
    pub(super) fn new(variant: Option<&Variant>) -> Option<Self> {
        let variant = variant?;
        let session = Session::new(variant, Arc::new(SystemClock::default()))?;
        let first = variant.info().first;
        Some(Self { session, first })
    }

    pub(super) fn side(&self) -> Color {
        self.session.side()
    }

    pub(super) fn is_first_players_turn(&self) -> bool {
        self.session.side() == self.first
    }

    pub(super) fn is_over(&self) -> bool {
        self.session.outcome().is_some()
    }

    pub(super) fn position(&self) -> String {
        self.session.position()
    }

    /// Plays a move of the side to move, or says why it is not legal.
    pub(super) fn play(&mut self, text: &str) -> Result<(), String> {
        let side = self.session.side();
        let played = self.session.play(side, text, true);
        played.map_err(|error| format!("illegal move for {side}: {error}"))
    }

    /// A step that is well written but not legal now: one that was legal at the start.
    pub(super) fn illegal_step(&mut self, variant: &Variant) -> Option<String> {
        let start = Self::new(Some(variant))?.session.legal();
        start.into_iter().find(|step| {
            let legal = self.play(step).is_ok();
            if legal {
                self.session.undo();
            }
            !legal
        })
    }

    /// The result as `query result` says it.
    pub(super) fn result(&self) -> &'static str {
        match self.session.outcome().map(|outcome| outcome.winner) {
            None => "none",
            Some(None) => "draw",
            Some(Some(winner)) if winner == self.first => "p1win",
            Some(Some(_)) => "p2win",
        }
    }

    /// Who won a finished game, and by how much where the game has points.
    pub(super) fn score(&self) -> Option<(Option<Color>, Option<Halves>)> {
        let outcome = self.session.outcome()?;
        Some((outcome.winner, self.session.margin()))
    }
}
