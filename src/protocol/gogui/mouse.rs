//! Clicks instead of moves.

use std::collections::VecDeque;

use crate::protocol::gtp::{Answer, Gtp, GtpError, Run, Work};
use crate::rules::{Color, StepError};
use crate::search::Pace;
use crate::session::{Clicked, Found, Go, PlayError, Session};
use crate::text::quote;

/// How often a running search is drawn.
const LIVE: std::time::Duration = std::time::Duration::from_millis(500);

/// How many moves are drawn.
pub(super) const DRAWN: usize = 8;

/// What one play did.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Play {
    /// It began a step, by this click.
    Selects(String),
    /// It completed one of this player, by this click.
    Completes(Color, String),
    /// The game was over: a pass without effect.
    Nothing,
}

/// The clicks so far, and those that the engine still has in mind.
#[derive(Default)]
pub struct Mouse {
    plays: Vec<Play>,
    /// The rest of the move that was found: its steps.
    plan: VecDeque<String>,
    /// The number of the session's last change that is known here.
    changes: u64,
}

impl Mouse {
    /// Forgets all clicks where the game has changed otherwise: by another position, or the start of a game.
    fn look_at(&mut self, session: &Session) {
        if self.changes != session.changes() {
            *self = Self {
                changes: session.changes(),
                ..Self::default()
            };
        }
    }

    /// The first click of a step, if there has been one.
    fn selected(&self) -> Option<&str> {
        match self.plays.last() {
            Some(Play::Selects(click)) => Some(click),
            _ => None,
        }
    }

    /// The points of the last move, and of none before the first one: those of all its steps so far.
    fn last_move(&self) -> Vec<String> {
        let plays = match self.plays.as_slice() {
            [plays @ .., Play::Selects(_)] => plays,
            plays => plays,
        };
        let Some(&Play::Completes(player, _)) = plays.last() else {
            return Vec::new();
        };
        let clicks = plays.iter().rev().map_while(|play| match play {
            Play::Completes(color, click) => (*color == player).then_some(click),
            Play::Selects(click) => Some(click),
            Play::Nothing => None,
        });
        let mut points: Vec<String> = clicks.filter(|click| *click != "pass").cloned().collect();
        points.sort_unstable();
        points.dedup();
        points
    }
}

/// The first click of a step, if there has been one.
pub(super) fn selected(gtp: &mut Gtp) -> Option<String> {
    gtp.mouse.look_at(&gtp.session);
    gtp.mouse.selected().map(str::to_owned)
}

/// The points of the last move.
pub(super) fn last_move(gtp: &mut Gtp) -> Vec<String> {
    gtp.mouse.look_at(&gtp.session);
    gtp.mouse.last_move()
}

/// Makes one click.
pub(super) fn click(gtp: &mut Gtp, color: Color, click: &str) -> Result<(), GtpError> {
    gtp.mouse.look_at(&gtp.session);
    let illegal = |error: &PlayError| GtpError::IllegalMove(format!("{}: {error}", quote(click)));
    if gtp.session.outcome().is_none() && gtp.session.side() != color {
        return Err(illegal(&PlayError::WrongColor(gtp.session.side())));
    }
    let selected = gtp.mouse.selected().map(str::to_owned);
    let clicked = gtp.session.click(selected.as_deref(), click);
    let play = match clicked {
        Ok(Clicked::Selects) => Play::Selects(click.to_ascii_lowercase()),
        Ok(Clicked::Completes(step)) => {
            let played = gtp.session.play(color, &step, false);
            played.map_err(|error| illegal(&error))?;
            gtp.mouse.changes = gtp.session.changes();
            Play::Completes(color, click.to_ascii_lowercase())
        }
        Err(PlayError::Over) if click.eq_ignore_ascii_case("pass") => Play::Nothing,
        Err(PlayError::Step(error @ StepError::Syntax(_))) => {
            return Err(GtpError::Syntax(error.to_string()));
        }
        Err(error @ PlayError::Over) => return Err(illegal(&error)),
        Err(error) => return Err(GtpError::IllegalMove(error.to_string())),
    };
    gtp.mouse.plays.push(play);
    Ok(())
}

/// Takes back one click.
fn unclick(gtp: &mut Gtp) {
    gtp.mouse.plan.clear();
    if matches!(gtp.mouse.plays.pop(), Some(Play::Completes(..))) {
        gtp.session.undo();
        gtp.mouse.changes = gtp.session.changes();
    }
}

pub(super) fn undo(gtp: &mut Gtp, count: u32) -> Result<(), GtpError> {
    gtp.mouse.look_at(&gtp.session);
    let clicks = gtp.mouse.plays.len();
    if usize::try_from(count).map_or(true, |count| count > clicks) {
        return Err(GtpError::CannotUndo(match clicks {
            0 => "nothing has been clicked".to_owned(),
            _ => format!("{count} clicks: there are only {clicks}"),
        }));
    }
    for _ in 0..count {
        unclick(gtp);
    }
    Ok(())
}

pub(super) fn play(gtp: &mut Gtp, plays: &[(Color, &str)]) -> Result<(), GtpError> {
    gtp.mouse.look_at(&gtp.session);
    let before = gtp.mouse.plays.len();
    let played = plays
        .iter()
        .try_for_each(|&(color, point)| click(gtp, color, point));
    match played {
        // What the engine had in mind was another game.
        Ok(()) => gtp.mouse.plan.clear(),
        Err(_) => {
            let plan = std::mem::take(&mut gtp.mouse.plan);
            while gtp.mouse.plays.len() > before {
                unclick(gtp);
            }
            gtp.mouse.plan = plan;
        }
    }
    played
}

/// Answers the next click of the move that was found before, or searches for a move.
pub(super) fn genmove(gtp: &mut Gtp, color: Color, play: bool) -> Run {
    gtp.mouse.look_at(&gtp.session);
    if gtp.session.outcome().is_some() {
        if play {
            gtp.mouse.plays.push(Play::Nothing);
        }
        return Ok(Answer::Text("pass".to_owned()));
    }
    if gtp.session.side() != color {
        let error = PlayError::WrongColor(gtp.session.side());
        return Err(GtpError::IllegalMove(format!("{color}: {error}")));
    }
    if !gtp.mouse.plan.is_empty() {
        return next_click(gtp, play.then_some(color)).map(Answer::Text);
    }
    let selected = gtp.mouse.selected();
    let only = selected.map(|selected| gtp.session.steps_from(selected));
    let go = Go {
        only: only.unwrap_or_default(),
        lines: DRAWN,
        pace: Pace {
            doublings: false,
            every: Some(LIVE),
        },
        ..Go::default()
    };
    let events = gtp.session.search(&go);
    let events = events.map_err(|error| GtpError::Other(error.to_string()))?;
    Ok(Answer::Later(events, Work::Click(play.then_some(color))))
}

/// A search has found a move: its first click is the answer.
pub(in crate::protocol) fn found(
    gtp: &mut Gtp,
    found: Found,
    player: Option<Color>,
) -> Result<String, GtpError> {
    if let Some(color) = player {
        gtp.session.spend(color, found.progress.effort.time);
    }
    gtp.mouse.plan = found.steps.into();
    let next = next_click(gtp, player);
    if player.is_none() {
        // What was only asked for binds nobody.
        gtp.mouse.plan.clear();
    }
    next
}

/// The next click of the plan, made for a player if there is one.
fn next_click(gtp: &mut Gtp, player: Option<Color>) -> Result<String, GtpError> {
    let step = gtp.mouse.plan.front().cloned().unwrap_or_default();
    let clicks = gtp.session.clicks_of(&step);
    let made = usize::from(gtp.mouse.selected().is_some());
    let Some(next) = clicks.into_iter().nth(made) else {
        let error = format!("the planned step {} has no click left", quote(&step));
        gtp.mouse.plan.clear();
        return Err(GtpError::Other(error));
    };
    if let Some(color) = player {
        click(gtp, color, &next)?;
        if gtp.mouse.selected().is_none() {
            gtp.mouse.plan.pop_front();
        }
    }
    Ok(point(&next))
}

/// A point as GoGui writes it: upper case, but for `pass`.
pub(super) fn point(text: &str) -> String {
    match text {
        "pass" => text.to_owned(),
        _ => text.to_ascii_uppercase(),
    }
}
