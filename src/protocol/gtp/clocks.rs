//! Clock commands: "Time handling" of GTP 2, and `kgs-time_settings` of kgsGtp with KataGo's Fischer increments, which is
//! also called `kata-time_settings`.

use std::time::Duration;

use nom::Parser;
use nom::branch::alt;
use nom::bytes::complete::{tag_no_case, take_while1};
use nom::character::complete::char;
use nom::combinator::{map_opt, opt, recognize, value, verify};
use nom::sequence::preceded;

use super::arguments::{blanks, color, parse, text};
use super::{Gtp, Run};
use crate::notation::pieces::{Expected, Parsed, expect, number};
use crate::session::{Overtime, TimeSettings};

/// Maximum number of moves or periods of a clock.
const MAX_COUNT: u32 = 10_000;

/// Maximum time of a clock, in seconds, as KataGo's documentation requires. Correspondence games have days.
const MOST_SECONDS: u32 = i32::MAX as u32;

/// The clock types of `kgs-time_settings`.
pub(super) const KINDS: &[&str] = &["none", "absolute", "byoyomi", "canadian", "fischer", "fischer-capped"];

/// Parses a number of seconds, with or without decimals; it may be negative.
fn number_of_seconds(input: &str) -> Parsed<'_, f64> {
    let digits = take_while1(|c: char| c.is_ascii_digit() || c == '.');
    let number = recognize((opt(char('-')), digits));
    let number = number.map_opt(|text: &str| text.parse().ok());
    verify(number, |seconds: &f64| *seconds <= f64::from(MOST_SECONDS)).parse(input)
}

/// Parses a time setting.
fn seconds(input: &str) -> Parsed<'_, Duration> {
    let seconds = verify(number_of_seconds, |seconds: &f64| *seconds >= 0.0);
    let what = format!("a number of seconds from 0 to {MOST_SECONDS}");
    expect(what, seconds.map(Duration::from_secs_f64)).parse(input)
}

/// Parses a remaining time. Controllers subtract, so the time of an empty clock may be negative.
fn seconds_left(input: &str) -> Parsed<'_, Duration> {
    let seconds = number_of_seconds.map(|seconds| Duration::from_secs_f64(seconds.max(0.0)));
    let what = format!("a number of seconds up to {MOST_SECONDS}");
    expect(what, seconds).parse(input)
}

fn next_seconds(input: &str) -> Parsed<'_, Duration> {
    preceded(blanks, seconds).parse(input)
}

/// Parses a limit; `None`, for no limit, if it is negative.
fn next_limit(input: &str) -> Parsed<'_, Option<Duration>> {
    let limit = number_of_seconds.map(|seconds| (seconds >= 0.0).then(|| Duration::from_secs_f64(seconds)));
    let what = format!("a number of seconds up to {MOST_SECONDS}, negative for no limit");
    preceded(blanks, expect(what, limit)).parse(input)
}

fn next_count(input: &str) -> Parsed<'_, u32> {
    preceded(blanks, number(0, MAX_COUNT)).parse(input)
}

/// Returns Canadian overtime; `None`, for no time limit, if a period has no moves.
fn canadian(main: Duration, period: Duration, moves: u32) -> Option<TimeSettings> {
    let overtime = match moves {
        0 if !period.is_zero() => return None,
        _ if period.is_zero() => Overtime::None,
        _ => Overtime::Canadian { period, moves },
    };
    Some(TimeSettings { main, overtime })
}

/// Returns byo-yomi; without a period only the main time counts.
fn byo_yomi(main: Duration, period: Duration, periods: u32) -> TimeSettings {
    let overtime = match periods {
        0 => Overtime::None,
        _ if period.is_zero() => Overtime::None,
        _ => Overtime::ByoYomi { period, periods },
    };
    TimeSettings { main, overtime }
}

/// Returns an increment after each move. Without main time the clock starts with the increment: otherwise no first move
/// would be possible.
fn fischer(main: Duration, increment: Duration) -> TimeSettings {
    TimeSettings { main: if main.is_zero() { increment } else { main }, overtime: Overtime::Increment(increment) }
}

/// Returns [`fischer`] with limits of the time left after an increment and of the time of a move. The first one is at
/// least the main time.
fn fischer_capped(
    main: Duration,
    increment: Duration,
    limit: Option<Duration>,
    per_move: Option<Duration>,
) -> Option<TimeSettings> {
    let TimeSettings { main: first, .. } = fischer(main, increment);
    let fits = limit.is_none_or(|limit| limit >= main);
    fits.then_some(TimeSettings { main: first, overtime: Overtime::CappedIncrement { increment, limit, per_move } })
}

pub(super) fn time_settings(gtp: &mut Gtp, arguments: &str) -> Run {
    let settings = (seconds, next_seconds, next_count);
    let (main, period, moves) = parse(arguments, "time_settings MAIN PERIOD MOVES", settings)?;
    gtp.session.set_clocks(canadian(main, period, moves));
    text("")
}

pub(super) fn time_left(gtp: &mut Gtp, arguments: &str) -> Run {
    let usage = "time_left COLOR SECONDS MOVES";
    let (color, time, count) = parse(arguments, usage, (color, preceded(blanks, seconds_left), next_count))?;
    gtp.session.set_time_left(color, time, count);
    text("")
}

pub(super) fn kgs_time_settings(gtp: &mut Gtp, arguments: &str, name: &str) -> Run {
    fn kind<'a, T: Clone>(
        word: &'static str,
        rest: impl Parser<&'a str, Output = T, Error = Expected<'a>>,
    ) -> impl Parser<&'a str, Output = T, Error = Expected<'a>> {
        preceded(tag_no_case(word), rest)
    }
    let absolute = |main| TimeSettings { main, overtime: Overtime::None };
    let kinds = alt((
        value(None, tag_no_case("none")),
        kind("absolute", next_seconds).map(|main| Some(absolute(main))),
        kind("byoyomi", (next_seconds, next_seconds, next_count))
            .map(|(main, period, periods)| Some(byo_yomi(main, period, periods))),
        kind("canadian", (next_seconds, next_seconds, next_count))
            .map(|(main, period, moves)| canadian(main, period, moves)),
        kind(
            "fischer-capped",
            map_opt((next_seconds, next_seconds, next_limit, next_limit), |(main, increment, limit, per_move)| {
                fischer_capped(main, increment, limit, per_move)
            }),
        )
        .map(Some),
        kind("fischer", (next_seconds, next_seconds)).map(|(main, increment)| Some(fischer(main, increment))),
    ));
    let usage = "none, absolute MAIN, byoyomi MAIN PERIOD PERIODS, canadian MAIN PERIOD MOVES, \
         fischer MAIN INCREMENT or fischer-capped MAIN INCREMENT LIMIT PER_MOVE";
    let kinds = expect("none, absolute, byoyomi, canadian, fischer or fischer-capped", kinds);
    let settings = parse(arguments, &format!("{name} {usage}"), kinds)?;
    gtp.session.set_clocks(settings);
    text("")
}
