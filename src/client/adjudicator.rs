//! The rules adjudicator: our rules applied to a game between other engines.

use std::sync::Arc;

use crate::rules::{Color, HalfPoints, Outcome, Variant};
use crate::search::SystemClock;
use crate::session::{HistoryError, Session};

/// A game of one of our variants, played by other engines.
pub(crate) struct Adjudicator {
    session: Session,
    first: Color,
}

impl Adjudicator {
    /// Creates a game; `None` without a variant.
    pub(crate) fn new(variant: Option<&Variant>) -> Option<Self> {
        let variant = variant?;
        let session = Session::new(variant, Arc::new(SystemClock::default()))?;
        let first = variant.info().first;
        Some(Self { session, first })
    }

    /// Starts a game at a position, or at the start of the variant.
    ///
    /// # Errors
    /// If the text is not a position of the variant.
    pub(crate) fn begin(&mut self, start: Option<&str>) -> Result<(), HistoryError> {
        self.session.set_history(start, &[])
    }

    pub(crate) fn side(&self) -> Color {
        self.session.side()
    }

    pub(crate) fn is_first_players_turn(&self) -> bool {
        self.session.side() == self.first
    }

    /// Returns true if there is only one legal step.
    pub(crate) fn is_forced(&self) -> bool {
        self.session.legal().len() == 1
    }

    pub(crate) fn is_over(&self) -> bool {
        self.session.outcome().is_some()
    }

    pub(crate) fn outcome(&self) -> Option<Outcome> {
        self.session.outcome()
    }

    pub(crate) fn position(&self) -> String {
        self.session.position()
    }

    /// Returns the diagram of the position.
    pub(crate) fn diagram(&self) -> String {
        self.session.diagram()
    }

    /// Plays a move of the side to move. Returns the reason if it is illegal.
    pub(crate) fn play(&mut self, text: &str) -> Result<(), String> {
        let side = self.session.side();
        let played = self.session.play(side, text, true);
        played.map_err(|error| format!("illegal move for {side}: {error}"))
    }

    /// Returns true if a text is a legal move.
    pub(crate) fn permits(&mut self, text: &str) -> bool {
        let is_legal = self.play(text).is_ok();
        if is_legal {
            self.session.undo();
        }
        is_legal
    }

    /// Takes back the last move, if there is one.
    pub(crate) fn undo(&mut self) {
        self.session.undo();
    }

    /// Returns the text of the last move.
    pub(crate) fn last_play(&self) -> String {
        self.session.last_play().unwrap_or_default()
    }

    /// Returns a well-formed step that is illegal now: one that was legal at the start.
    pub(crate) fn illegal_step(&mut self, variant: &Variant) -> Option<String> {
        let start = Self::new(Some(variant))?.session.legal();
        start.into_iter().find(|step| !self.permits(step))
    }

    /// Returns the result in the words of `query result`.
    pub(crate) fn result(&self) -> &'static str {
        match self.session.outcome().map(|outcome| outcome.winner) {
            None => "none",
            Some(None) => "draw",
            Some(Some(winner)) if winner == self.first => "p1win",
            Some(Some(_)) => "p2win",
        }
    }

    /// Returns the winner of a finished game, and the margin if the game has points.
    pub(crate) fn score(&self) -> Option<(Option<Color>, Option<HalfPoints>)> {
        let outcome = self.session.outcome()?;
        Some((outcome.winner, self.session.margin()))
    }
}
