//! Translates clicks into steps and moves into clicks.

use std::collections::VecDeque;

use super::points::Points;
use super::{Answer, Gogui, Run, Work};
use crate::protocol::gtp::GtpError;
use crate::rules::{Color, StepError};
use crate::search::ReportSchedule;
use crate::session::{Clicked, Go, PlayError, SearchResult, Session};
use crate::text::{cut, quote};

/// Interval of live graphics.
const LIVE: std::time::Duration = std::time::Duration::from_millis(500);

/// Number of moves drawn.
pub(super) const DRAWN: usize = 8;

/// Effect of one `play`.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Play {
    /// Selected a point: the first click of a step.
    Selects(String),
    /// Gave up the selection.
    LetsGo,
    /// Completed a step with this click.
    Completes,
    /// A pass after the end of the game, without effect.
    Nothing,
}

/// The clicks made, and the clicks that remain of the move found by the engine.
#[derive(Default)]
pub(super) struct Mouse {
    plays: Vec<Play>,
    /// Remaining steps of the move found by the engine.
    plan: VecDeque<String>,
    /// The session's change counter when the clicks were last valid.
    changes: u64,
}

impl Mouse {
    /// Forgets all clicks if the game was changed by another command, such as `position`.
    fn synchronize(&mut self, session: &Session) {
        if self.changes != session.revision() {
            *self = Self { changes: session.revision(), ..Self::default() };
        }
    }

    /// Returns the selected point.
    fn selected(&self) -> Option<&str> {
        match self.plays.last() {
            Some(Play::Selects(click)) => Some(click),
            _ => None,
        }
    }
}

/// Returns the selected point.
pub(super) fn selected(gogui: &mut Gogui) -> Option<String> {
    gogui.mouse.synchronize(&gogui.gtp.session);
    gogui.mouse.selected().map(str::to_owned)
}

/// Makes one click.
pub(super) fn click(gogui: &mut Gogui, color: Color, click: &str) -> Result<(), GtpError> {
    gogui.mouse.synchronize(&gogui.gtp.session);
    let session = &mut gogui.gtp.session;
    let point = click;
    let click = Points::of(session).read(point);
    let illegal = |error: &PlayError| GtpError::IllegalMove(format!("{}: {error}", quote(point)));
    if session.side() != color && session.outcome().is_none() {
        return Err(illegal(&PlayError::WrongColor(session.side())));
    }
    let selected = gogui.mouse.selected();
    let play = match session.make_click(selected, click) {
        Ok(Clicked::Selects(point)) => Play::Selects(point),
        Ok(Clicked::LetsGo) => Play::LetsGo,
        Ok(Clicked::Completes(_)) => {
            gogui.mouse.changes = session.revision();
            Play::Completes
        }
        Err(PlayError::Over) if click.eq_ignore_ascii_case("pass") => Play::Nothing,
        Err(PlayError::Step(error @ StepError::Syntax(_))) => {
            return Err(GtpError::Syntax(error.to_string()));
        }
        Err(error @ PlayError::Over) => return Err(illegal(&error)),
        Err(PlayError::Step(StepError::Illegal { reason, .. })) => {
            return Err(GtpError::IllegalMove(format!("{}: {reason}", cut(point))));
        }
        Err(error) => return Err(GtpError::IllegalMove(error.to_string())),
    };
    gogui.mouse.plays.push(play);
    Ok(())
}

/// Takes back one click.
fn unclick(gogui: &mut Gogui) {
    gogui.mouse.plan.clear();
    if matches!(gogui.mouse.plays.pop(), Some(Play::Completes)) {
        gogui.gtp.session.undo();
        gogui.mouse.changes = gogui.gtp.session.revision();
    }
}

pub(super) fn undo(gogui: &mut Gogui, count: u32) -> Result<(), GtpError> {
    gogui.mouse.synchronize(&gogui.gtp.session);
    let clicks = gogui.mouse.plays.len();
    if usize::try_from(count).map_or(true, |count| count > clicks) {
        return Err(GtpError::CannotUndo(match clicks {
            0 => "nothing has been clicked".to_owned(),
            _ => format!("{count} clicks: there are only {clicks}"),
        }));
    }
    for _ in 0..count {
        unclick(gogui);
    }
    Ok(())
}

pub(super) fn play(gogui: &mut Gogui, plays: &[(Color, &str)]) -> Result<(), GtpError> {
    gogui.mouse.synchronize(&gogui.gtp.session);
    let before = gogui.mouse.plays.len();
    let played = plays.iter().try_for_each(|&(color, point)| click(gogui, color, point));
    match played {
        // The engine's plan was for another position.
        Ok(()) => gogui.mouse.plan.clear(),
        Err(_) => {
            let plan = std::mem::take(&mut gogui.mouse.plan);
            while gogui.mouse.plays.len() > before {
                unclick(gogui);
            }
            gogui.mouse.plan = plan;
        }
    }
    played
}

/// Answers the next click of the planned move, or searches for a move.
pub(super) fn genmove(gogui: &mut Gogui, color: Color, play: bool) -> Run {
    gogui.mouse.synchronize(&gogui.gtp.session);
    if gogui.gtp.session.outcome().is_some() {
        if play {
            gogui.mouse.plays.push(Play::Nothing);
        }
        return Ok(Answer::Text("pass".to_owned()));
    }
    if gogui.gtp.session.side() != color {
        let error = PlayError::WrongColor(gogui.gtp.session.side());
        return Err(GtpError::IllegalMove(format!("{color}: {error}")));
    }
    if !gogui.mouse.plan.is_empty() {
        return next_click(gogui, play.then_some(color)).map(Answer::Text);
    }
    let selected = gogui.mouse.selected();
    let only = selected.map(|selected| gogui.gtp.session.steps_from(selected));
    let go = Go {
        search_moves: only.unwrap_or_default(),
        plays: true,
        multi_pv: DRAWN,
        report_schedule: ReportSchedule { on_doubling: false, interval: Some(LIVE) },
        ..Go::default()
    };
    let events = gogui.gtp.session.search(&go);
    let events = events.map_err(|error| GtpError::Other(error.to_string()))?;
    Ok(Answer::Later(events, Work::Click(play.then_some(color))))
}

/// Answers the first click of the move that a search found.
pub(super) fn found(gogui: &mut Gogui, found: SearchResult, player: Option<Color>) -> Result<String, GtpError> {
    if let Some(color) = player {
        gogui.gtp.session.spend(color, found.progress.statistics.time);
    }
    gogui.mouse.plan = found.best_move.into();
    let next = next_click(gogui, player);
    if player.is_none() {
        // reg_genmove must not affect later commands.
        gogui.mouse.plan.clear();
    }
    next
}

/// Returns the next click of the plan, and makes it if a player is given.
fn next_click(gogui: &mut Gogui, player: Option<Color>) -> Result<String, GtpError> {
    let step = gogui.mouse.plan.front().cloned().unwrap_or_default();
    let clicks = gogui.gtp.session.clicks_of(&step);
    // The Pool may have been selected before a step that is one click.
    let made = usize::from(gogui.mouse.selected().is_some() && clicks.len() > 1);
    let Some(next) = clicks.into_iter().nth(made) else {
        let error = format!("the planned step {} has no click left", quote(&step));
        gogui.mouse.plan.clear();
        return Err(GtpError::Other(error));
    };
    if let Some(color) = player {
        click(gogui, color, &next)?;
        if gogui.mouse.selected().is_none() {
            gogui.mouse.plan.pop_front();
        }
    }
    Ok(Points::of(&gogui.gtp.session).write(&next))
}
