//! `analyze` and `lz-analyze`: the form that Leela Zero gave it and KataGo's documentation of GTP extensions describes.

use std::io::{self, Write};
use std::time::Duration;

use nom::Parser;
use nom::branch::alt;
use nom::bytes::complete::tag_no_case;
use nom::combinator::{eof, opt, value};
use nom::sequence::preceded;

use super::commands::{MAX_TIME, blanks, color, parse};
use super::{Answer, Gtp, GtpError, Run, Work, say};
use crate::notation::pieces::number;
use crate::protocol::counts_playouts;
use crate::search::Pace;
use crate::session::{Go, PlayError, Progress, Time, Variation};
use crate::text::quote;

/// How many moves are shown at least.
const MOVES: usize = 10;

/// How often, in centiseconds, where nothing is said.
const INTERVAL: u32 = 100;

pub(super) fn analyze(gtp: &mut Gtp, arguments: &str) -> Run {
    let interval = || {
        let keyword = (tag_no_case("interval"), blanks);
        preceded(opt(keyword), number(1, MAX_TIME / 10))
    };
    let behind = alt((preceded(blanks, interval()).map(Some), value(None, eof)));
    let forms = alt((
        (color, behind).map(|(color, interval)| (Some(color), interval)),
        interval().map(|interval| (None, Some(interval))),
    ));
    let usage = "analyze [COLOUR] [CENTISECONDS]";
    let (color, interval) = match arguments {
        "" => (None, None),
        _ => parse(arguments, usage, forms)?,
    };
    if gtp.session.outcome().is_some() {
        return Err(GtpError::Other(PlayError::Over.to_string()));
    }
    let side = gtp.session.side();
    if color.is_some_and(|color| color != side) {
        let error = PlayError::WrongColor(side);
        return Err(GtpError::IllegalMove(format!(
            "{}: {error}",
            quote(arguments)
        )));
    }
    let interval = Duration::from_millis(10) * interval.unwrap_or(INTERVAL);
    let go = Go {
        time: Time::Unlimited,
        lines: MOVES,
        pace: Pace {
            doublings: false,
            every: Some(interval),
        },
        ..Go::default()
    };
    let events = gtp.session.search(&go);
    let events = events.map_err(|error| GtpError::Other(error.to_string()))?;
    Ok(Answer::Later(events, Work::Analysis))
}

/// Writes one line for all moves that are shown; none, as an empty line would end the answer, where no move has been
/// looked at yet.
pub(super) fn show(progress: &Progress, output: &mut dyn Write) -> io::Result<()> {
    let mut moves: Vec<&Variation> = progress.variations.iter().collect();
    if !counts_playouts(&progress.effort) {
        // Which move is to be played was decided before the others were looked at for their own sake.
        moves.sort_by(|a, b| b.expected_score.total_cmp(&a.expected_score));
    }
    let moves = moves.into_iter().enumerate();
    let moves: Vec<String> = moves
        .map(|(order, variation)| of_move(order, variation))
        .collect();
    match moves.is_empty() {
        true => Ok(()),
        false => say(output, &(moves.join(" ") + "\n")),
    }
}

fn of_move(order: usize, variation: &Variation) -> String {
    let Variation {
        moves,
        visits,
        expected_score,
        proof,
    } = variation;
    // The lower end of the 95 % interval; what is proven has none.
    let spread = match proof {
        Some(_) => 0.0,
        None => {
            1.96 * (expected_score * (1.0 - expected_score) / f64::from((*visits).max(1))).sqrt()
        }
    };
    let share = |share: f64| (10_000.0 * share.max(0.0)).round() as u32;
    let moves: Vec<String> = moves.iter().map(|steps| steps.join(",")).collect();
    format!(
        "info move {} visits {visits} winrate {} lcb {} order {order} pv {}",
        moves.first().map_or("pass", String::as_str),
        share(*expected_score),
        share(expected_score - spread),
        moves.join(" ")
    )
}
