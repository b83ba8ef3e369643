//! The rules adjudicator: our rules as the judge of a game that others play.

use std::sync::Arc;

use crate::rules::{Color, HalfPoints, Outcome, Variant};
use crate::search::SystemClock;
use crate::session::{HistoryError, Session};

/// A game of a variant of ours, played by somebody else.
pub(crate) struct Adjudicator {
    session: Session,
    first: Color,
}

impl Adjudicator {
    /// A new game; `None` where there is no variant to judge by.
    pub(crate) fn new(variant: Option<&Variant>) -> Option<Self> {
        let variant = variant?;
        let session = Session::new(variant, Arc::new(SystemClock::default()))?;
        let first = variant.info().first;
        Some(Self { session, first })
    }

    /// Begins a game at a position, or at the start.
    ///
    /// # Errors
    /// Where it is no position of the variant.
    pub(crate) fn begin(&mut self, start: Option<&str>) -> Result<(), HistoryError> {
        self.session.set_history(start, &[])
    }

    pub(crate) fn side(&self) -> Color {
        self.session.side()
    }

    pub(crate) fn is_first_players_turn(&self) -> bool {
        self.session.side() == self.first
    }

    /// Whether there is only one legal step.
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

    /// The position drawn for a person.
    pub(crate) fn diagram(&self) -> String {
        self.session.diagram()
    }

    /// Plays a move of the side to move, or says why it is not legal.
    pub(crate) fn play(&mut self, text: &str) -> Result<(), String> {
        let side = self.session.side();
        let played = self.session.play(side, text, true);
        played.map_err(|error| format!("illegal move for {side}: {error}"))
    }

    /// The last move, as it is written.
    pub(crate) fn last_play(&self) -> String {
        self.session.last_play().unwrap_or_default()
    }

    /// A step that is well written but not legal now: one that was legal at the start.
    pub(crate) fn illegal_step(&mut self, variant: &Variant) -> Option<String> {
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
    pub(crate) fn result(&self) -> &'static str {
        match self.session.outcome().map(|outcome| outcome.winner) {
            None => "none",
            Some(None) => "draw",
            Some(Some(winner)) if winner == self.first => "p1win",
            Some(Some(_)) => "p2win",
        }
    }

    /// Who won a finished game, and by how much where the game has points.
    pub(crate) fn score(&self) -> Option<(Option<Color>, Option<HalfPoints>)> {
        let outcome = self.session.outcome()?;
        Some((outcome.winner, self.session.margin()))
    }
}
