//! `analyze`, `lz-analyze` and the like, as Leela Zero introduced them and KataGo's "GTP Extensions" describes them.

use std::io::{self, Write};
use std::time::Duration;

use crossbeam_channel::Receiver;
use nom::Parser;
use nom::branch::alt;
use nom::bytes::complete::tag_no_case;
use nom::combinator::{cut, eof, opt, value};
use nom::multi::many0;
use nom::sequence::{preceded, terminated};

use super::arguments::{blanks, color, parse, word};
use super::{Answer, Gtp, GtpError, Run, Work, say};
use crate::notation::pieces::{Expected, Parsed, expect, number};
use crate::rules::Color;
use crate::search::ReportSchedule;
use crate::session::{Event, Go, MAX_TIME_MS, PlayError, Progress, Session, TimeLimit, Variation};
use crate::text::quote;

/// Minimum number of moves shown.
const MOVES: usize = 10;

/// Default interval, in centiseconds.
const INTERVAL: u32 = 100;

/// Maximum number of moves that `minmoves` and `maxmoves` name.
const MAX_MOVES: u32 = 10_000;

/// Form of the lines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::protocol) enum Form {
    /// Shares in ten-thousandths, as in Leela Zero.
    LeelaZero,
    /// Shares from 0 to 1, as in KataGo.
    KataGo,
}

/// The part of an analysis that is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::protocol) struct Shown {
    form: Form,
    /// Maximum number of moves.
    max_moves: usize,
}

/// An argument with a key.
enum Key<'a> {
    Interval(u32),
    MinMoves(u32),
    MaxMoves(u32),
    /// Steps of a player, the only ones to search if `true`, or those not to search.
    Restriction(bool, Color, &'a str),
    /// A request for something that this engine does not know.
    Ignored,
}

/// The arguments of all commands that analyze.
struct Arguments<'a> {
    color: Option<Color>,
    interval: Duration,
    keys: Vec<Key<'a>>,
}

fn argument_end(input: &str) -> Parsed<'_, ()> {
    value((), alt((blanks, eof))).parse(input)
}

fn interval(input: &str) -> Parsed<'_, u32> {
    number(1, MAX_TIME_MS / 10).parse(input)
}

/// Parses a key and its value. Keys that other engines document are known; those without a meaning here are skipped.
fn key(input: &str) -> Parsed<'_, Key<'_>> {
    fn named<'a, T>(
        name: &'static str,
        value: impl Parser<&'a str, Output = T, Error = Expected<'a>>,
    ) -> impl Parser<&'a str, Output = T, Error = Expected<'a>> {
        preceded((tag_no_case(name), blanks), cut(value))
    }
    fn restriction(input: &str) -> Parsed<'_, (Color, &str)> {
        let depth = preceded(blanks, number(1, MAX_MOVES));
        (color, preceded(blanks, word), depth).map(|(color, steps, _)| (color, steps)).parse(input)
    }
    let moves = || number(0, MAX_MOVES);
    let truth = || expect("true or false", alt((tag_no_case("true"), tag_no_case("false"))));
    let flag = |name| named(name, truth()).map(|_| Key::Ignored);
    let restricts = |allows| move |(color, steps)| Key::Restriction(allows, color, steps);
    alt((
        named("interval", interval).map(Key::Interval),
        named("minmoves", moves()).map(Key::MinMoves),
        named("maxmoves", moves()).map(Key::MaxMoves),
        named("allow", restriction).map(restricts(true)),
        named("avoid", restriction).map(restricts(false)),
        flag("ownershipStdev"),
        flag("ownership"),
        flag("movesOwnershipStdev"),
        flag("movesOwnership"),
        flag("pvVisits"),
        flag("pvEdgeVisits"),
        flag("rootInfo"),
        flag("noResultValue"),
    ))
    .parse(input)
}

impl<'a> Arguments<'a> {
    fn parse(arguments: &'a str, name: &str) -> Result<Self, GtpError> {
        const KEYS: &str = "a color, a number of centiseconds from 1 to 8640000, or a key: interval, minmoves, maxmoves, \
            allow, avoid, ownership, movesOwnership, pvVisits, pvEdgeVisits, rootInfo or noResultValue";
        let parser = (
            opt(terminated(color, argument_end)),
            opt(terminated(interval, argument_end)),
            many0(terminated(key, argument_end)),
            expect(KEYS, eof),
        );
        let usage = format!("{name} [COLOR] [CENTISECONDS] [KEY VALUE]…");
        let (color, interval, keys, _) = parse(arguments, &usage, parser)?;
        let keyed =
            keys.iter().rev().find_map(|key| if let Key::Interval(interval) = key { Some(*interval) } else { None });
        let interval = Duration::from_millis(10) * keyed.or(interval).unwrap_or(INTERVAL);
        Ok(Self { color, interval, keys })
    }

    /// Returns the smallest number of moves that is asked for.
    fn min_moves(&self) -> usize {
        let numbers = self.keys.iter().map(|key| if let Key::MinMoves(number) = key { *number as usize } else { 0 });
        numbers.max().unwrap_or(0)
    }

    fn shown(&self, form: Form) -> Shown {
        let numbers = self.keys.iter().filter_map(|key| match key {
            Key::MaxMoves(number) => Some(*number as usize),
            _ => None,
        });
        Shown { form, max_moves: numbers.min().unwrap_or(usize::MAX) }
    }

    /// Returns the steps to which `allow` and `avoid` restrict the side to move; none for all.
    fn search_moves(&self, session: &Session) -> Result<Vec<String>, GtpError> {
        let side = session.side();
        let of = |wanted: bool| {
            let keys = self.keys.iter().filter_map(move |key| match key {
                Key::Restriction(allows, color, steps) if *allows == wanted && *color == side => Some(*steps),
                _ => None,
            });
            keys.flat_map(|steps| steps.split(',')).map(str::to_owned).collect::<Vec<String>>()
        };
        let (allowed, avoided) = (of(true), of(false));
        if avoided.is_empty() {
            return Ok(allowed);
        }
        let all = if allowed.is_empty() { session.legal() } else { allowed };
        let is_avoided = |step: &String| avoided.iter().any(|other| other.eq_ignore_ascii_case(step));
        let left: Vec<String> = all.into_iter().filter(|step| !is_avoided(step)).collect();
        if left.is_empty() { Err(GtpError::Other("avoid leaves no move to search".to_owned())) } else { Ok(left) }
    }

    /// Starts a search for the side to move.
    fn search(&self, gtp: &mut Gtp, text: &str, go: Go) -> Result<Receiver<Event>, GtpError> {
        let side = gtp.session.side();
        if self.color.is_some_and(|color| color != side) {
            let error = PlayError::WrongColor(side);
            return Err(GtpError::IllegalMove(format!("{}: {error}", quote(text))));
        }
        let go = Go {
            report_schedule: ReportSchedule { on_doubling: false, interval: Some(self.interval) },
            search_moves: self.search_moves(&gtp.session)?,
            ..go
        };
        let events = gtp.session.search(&go);
        events.map_err(|error| GtpError::Other(error.to_string()))
    }
}

pub(super) fn analyze(gtp: &mut Gtp, text: &str, name: &str, form: Form) -> Run {
    let arguments = Arguments::parse(text, name)?;
    if gtp.session.outcome().is_some() {
        return Err(GtpError::Other(PlayError::Over.to_string()));
    }
    let go = Go { time: TimeLimit::Unlimited, multi_pv: arguments.min_moves().max(MOVES), ..Go::default() };
    let events = arguments.search(gtp, text, go)?;
    Ok(Answer::Later(events, Work::Analysis(arguments.shown(form))))
}

/// Plays a move as `genmove` does, and shows the analysis meanwhile.
pub(super) fn genmove_analyze(gtp: &mut Gtp, text: &str, name: &str, form: Form) -> Run {
    let arguments = Arguments::parse(text, name)?;
    if gtp.session.outcome().is_some() {
        gtp.session.pass_after_end();
        return super::arguments::text("\nplay pass");
    }
    let go = Go { plays: true, multi_pv: arguments.min_moves(), ..Go::default() };
    let events = arguments.search(gtp, text, go)?;
    Ok(Answer::Later(events, Work::AnalyzedMove(gtp.session.side(), arguments.shown(form))))
}

/// Writes one line with all moves. Writes nothing before the first move was searched: an empty line would end the answer.
pub(super) fn show(progress: &Progress, shown: Shown, output: &mut dyn Write) -> io::Result<()> {
    let mut moves: Vec<&Variation> = progress.variations.iter().collect();
    if !progress.statistics.counts_playouts() {
        // The search orders lines by the move it would play; other lines may score higher in their own window.
        moves.sort_by(|a, b| b.expected_score.total_cmp(&a.expected_score));
    }
    let moves = moves.into_iter().take(shown.max_moves).enumerate();
    let moves: Vec<String> = moves.map(|(order, variation)| move_info(order, variation, shown.form)).collect();
    if moves.is_empty() { Ok(()) } else { say(output, &(moves.join(" ") + "\n")) }
}

fn move_info(order: usize, variation: &Variation, form: Form) -> String {
    let Variation { moves, visits, expected_score, proof } = variation;
    // The lower bound of the 95 % interval. A proven move has no interval.
    let spread = match proof {
        Some(_) => 0.0,
        None => 1.96 * (expected_score * (1.0 - expected_score) / f64::from((*visits).max(1))).sqrt(),
    };
    let share = |share: f64| match form {
        Form::LeelaZero => ((10_000.0 * share.max(0.0)).round() as u32).to_string(),
        Form::KataGo => format!("{:.6}", share.max(0.0)),
    };
    let moves: Vec<String> = moves.iter().map(|steps| steps.join(",")).collect();
    format!(
        "info move {} visits {visits} winrate {} lcb {} order {order} pv {}",
        moves.first().map_or("pass", String::as_str),
        share(*expected_score),
        share(expected_score - spread),
        moves.join(" ")
    )
}
