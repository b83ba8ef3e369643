//! `analyze` and `lz-analyze`, as Leela Zero introduced them and KataGo's "GTP Extensions" describes them.

use std::io::{self, Write};
use std::time::Duration;

use nom::Parser;
use nom::branch::alt;
use nom::bytes::complete::tag_no_case;
use nom::combinator::{eof, opt, value};
use nom::sequence::preceded;

use super::arguments::{blanks, color, parse};
use super::{Answer, Gtp, GtpError, Run, Work, say};
use crate::notation::pieces::number;
use crate::search::ReportSchedule;
use crate::session::{Go, MAX_TIME_MS, PlayError, Progress, TimeLimit, Variation};
use crate::text::quote;

/// Minimum number of moves shown.
const MOVES: usize = 10;

/// Default interval, in centiseconds.
const INTERVAL: u32 = 100;

pub(super) fn analyze(gtp: &mut Gtp, arguments: &str) -> Run {
    let interval = || {
        let keyword = (tag_no_case("interval"), blanks);
        preceded(opt(keyword), number(1, MAX_TIME_MS / 10))
    };
    let behind = alt((preceded(blanks, interval()).map(Some), value(None, eof)));
    let forms = alt((
        (color, behind).map(|(color, interval)| (Some(color), interval)),
        interval().map(|interval| (None, Some(interval))),
    ));
    let usage = "analyze [COLOR] [CENTISECONDS]";
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
        return Err(GtpError::IllegalMove(format!("{}: {error}", quote(arguments))));
    }
    let interval = Duration::from_millis(10) * interval.unwrap_or(INTERVAL);
    let go = Go {
        time: TimeLimit::Unlimited,
        multi_pv: MOVES,
        report_schedule: ReportSchedule { on_doubling: false, interval: Some(interval) },
        ..Go::default()
    };
    let events = gtp.session.search(&go);
    let events = events.map_err(|error| GtpError::Other(error.to_string()))?;
    Ok(Answer::Later(events, Work::Analysis))
}

/// Writes one line with all moves. Writes nothing before the first move was searched: an empty line would end the answer.
pub(super) fn show(progress: &Progress, output: &mut dyn Write) -> io::Result<()> {
    let mut moves: Vec<&Variation> = progress.variations.iter().collect();
    if !progress.statistics.counts_playouts() {
        // The search orders lines by the move it would play; other lines may score higher in their own window.
        moves.sort_by(|a, b| b.expected_score.total_cmp(&a.expected_score));
    }
    let moves = moves.into_iter().enumerate();
    let moves: Vec<String> = moves.map(|(order, variation)| move_info(order, variation)).collect();
    if moves.is_empty() { Ok(()) } else { say(output, &(moves.join(" ") + "\n")) }
}

fn move_info(order: usize, variation: &Variation) -> String {
    let Variation { moves, visits, expected_score, proof } = variation;
    // The lower bound of the 95 % interval. A proven move has no interval.
    let spread = match proof {
        Some(_) => 0.0,
        None => 1.96 * (expected_score * (1.0 - expected_score) / f64::from((*visits).max(1))).sqrt(),
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
