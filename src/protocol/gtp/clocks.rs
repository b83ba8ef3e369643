//! The commands that set clocks: GTP 2, "Time handling"; `kgs-time_settings` of kgsGtp, which KataGo extends by Fischer's
//! increments and calls `kata-time_settings`, too.

use std::time::Duration;

use nom::Parser;
use nom::branch::alt;
use nom::bytes::complete::{tag_no_case, take_while1};
use nom::character::complete::char;
use nom::combinator::{opt, recognize, value, verify};
use nom::sequence::preceded;

use super::commands::{blanks, color, parse, text};
use super::{Gtp, Run};
use crate::notation::pieces::{Expected, Parsed, expect, number};
use crate::session::{Overtime, TimeSettings};

/// The most moves or periods of a clock.
const MAX_COUNT: u32 = 10_000;

/// The longest time of a clock, in seconds: KataGo's documentation asks for that much. Games by correspondence have days.
const MOST_SECONDS: u32 = i32::MAX as u32;

/// What `kgs-time_settings` can set.
pub(super) const KINDS: &[&str] = &["none", "absolute", "byoyomi", "canadian", "fischer"];

/// A number of seconds, whole or with decimals, and perhaps below zero.
fn number_of_seconds(input: &str) -> Parsed<'_, f64> {
    let digits = take_while1(|c: char| c.is_ascii_digit() || c == '.');
    let number = recognize((opt(char('-')), digits));
    let number = number.map_opt(|text: &str| text.parse().ok());
    verify(number, |seconds: &f64| *seconds <= f64::from(MOST_SECONDS)).parse(input)
}

/// A time that is set.
fn seconds(input: &str) -> Parsed<'_, Duration> {
    let seconds = verify(number_of_seconds, |seconds: &f64| *seconds >= 0.0);
    let what = format!("a number of seconds from 0 to {MOST_SECONDS}");
    expect(what, seconds.map(Duration::from_secs_f64)).parse(input)
}

/// A time that is left: controllers subtract, and say of an empty clock that less than nothing is left.
fn seconds_left(input: &str) -> Parsed<'_, Duration> {
    let seconds = number_of_seconds.map(|seconds| Duration::from_secs_f64(seconds.max(0.0)));
    let what = format!("a number of seconds up to {MOST_SECONDS}");
    expect(what, seconds).parse(input)
}

fn next_seconds(input: &str) -> Parsed<'_, Duration> {
    preceded(blanks, seconds).parse(input)
}

fn next_count(input: &str) -> Parsed<'_, u32> {
    preceded(blanks, number(0, MAX_COUNT)).parse(input)
}

/// Canadian overtime; `None` where there are periods without moves, which means that time does not matter.
fn canadian(main: Duration, period: Duration, moves: u32) -> Option<TimeSettings> {
    let overtime = match moves {
        0 if !period.is_zero() => return None,
        _ if period.is_zero() => Overtime::None,
        _ => Overtime::Canadian { period, moves },
    };
    Some(TimeSettings { main, overtime })
}

/// Byo-yomi; without a period only the main time is left of it.
fn byo_yomi(main: Duration, period: Duration, periods: u32) -> TimeSettings {
    let overtime = match periods {
        0 => Overtime::None,
        _ if period.is_zero() => Overtime::None,
        _ => Overtime::ByoYomi { period, periods },
    };
    TimeSettings { main, overtime }
}

/// An increment. It is added behind each move, but where there is nothing else, nobody could make the first one: then the
/// clock begins with it.
fn fischer(main: Duration, increment: Duration) -> TimeSettings {
    TimeSettings {
        main: if main.is_zero() { increment } else { main },
        overtime: Overtime::Increment(increment),
    }
}

pub(super) fn time_settings(gtp: &mut Gtp, arguments: &str) -> Run {
    let settings = (seconds, next_seconds, next_count);
    let (main, period, moves) = parse(arguments, "time_settings MAIN PERIOD MOVES", settings)?;
    gtp.session.set_clocks(canadian(main, period, moves));
    text("")
}

pub(super) fn time_left(gtp: &mut Gtp, arguments: &str) -> Run {
    let usage = "time_left COLOUR SECONDS MOVES";
    let (color, time, count) = parse(
        arguments,
        usage,
        (color, preceded(blanks, seconds_left), next_count),
    )?;
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
    let absolute = |main| TimeSettings {
        main,
        overtime: Overtime::None,
    };
    let kinds = alt((
        value(None, tag_no_case("none")),
        kind("absolute", next_seconds).map(|main| Some(absolute(main))),
        kind("byoyomi", (next_seconds, next_seconds, next_count))
            .map(|(main, period, periods)| Some(byo_yomi(main, period, periods))),
        kind("canadian", (next_seconds, next_seconds, next_count))
            .map(|(main, period, moves)| canadian(main, period, moves)),
        kind("fischer", (next_seconds, next_seconds))
            .map(|(main, increment)| Some(fischer(main, increment))),
    ));
    let usage = "none, absolute MAIN, byoyomi MAIN PERIOD PERIODS, canadian MAIN PERIOD MOVES or fischer MAIN INCREMENT";
    let kinds = expect("none, absolute, byoyomi, canadian or fischer", kinds);
    let settings = parse(arguments, &format!("{name} {usage}"), kinds)?;
    gtp.session.set_clocks(settings);
    text("")
}
