//! The commands that set clocks: GTP 2, "Time handling"; `kgs-time_settings` of kgsGtp, which KataGo extends by Fischer's
//! increments and calls `kata-time_settings`, too.

use std::time::Duration;

use nom::Parser;
use nom::branch::alt;
use nom::bytes::complete::{tag_no_case, take_while1};
use nom::combinator::{value, verify};
use nom::sequence::preceded;

use super::commands::{MAX_TIME, blanks, color, parse, text};
use super::{Gtp, Run};
use crate::notation::pieces::{Expected, Parsed, expect, number};
use crate::session::{Overtime, TimeSettings};

/// The most moves or periods of a clock.
const MAX_COUNT: u32 = 10_000;

/// What `kgs-time_settings` can set.
pub(super) const KINDS: &[&str] = &["none", "absolute", "byoyomi", "canadian", "fischer"];

/// Seconds, whole or with decimals, up to a day.
fn seconds(input: &str) -> Parsed<'_, Duration> {
    let digits = take_while1(|c: char| c.is_ascii_digit() || c == '.');
    let number = digits.map_opt(|text: &str| text.parse().ok());
    let most = f64::from(MAX_TIME / 1000);
    let seconds = verify(number, |seconds: &f64| *seconds <= most).map(Duration::from_secs_f64);
    expect("a number of seconds up to 86400", seconds).parse(input)
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
        0 => Overtime::None,
        _ => Overtime::Canadian { period, moves },
    };
    Some(TimeSettings { main, overtime })
}

pub(super) fn time_settings(gtp: &mut Gtp, arguments: &str) -> Run {
    let settings = (seconds, next_seconds, next_count);
    let (main, period, moves) = parse(arguments, "time_settings MAIN PERIOD MOVES", settings)?;
    gtp.session.set_clocks(canadian(main, period, moves));
    text("")
}

pub(super) fn time_left(gtp: &mut Gtp, arguments: &str) -> Run {
    let usage = "time_left COLOUR SECONDS MOVES";
    let (color, time, count) = parse(arguments, usage, (color, next_seconds, next_count))?;
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
    let simple = |main, overtime| Some(TimeSettings { main, overtime });
    let kinds = alt((
        value(None, tag_no_case("none")),
        kind("absolute", next_seconds).map(|main| simple(main, Overtime::None)),
        kind("byoyomi", (next_seconds, next_seconds, next_count))
            .map(|(main, period, periods)| simple(main, Overtime::ByoYomi { period, periods })),
        kind("canadian", (next_seconds, next_seconds, next_count))
            .map(|(main, period, moves)| canadian(main, period, moves)),
        kind("fischer", (next_seconds, next_seconds))
            .map(|(main, increment)| simple(main, Overtime::Increment(increment))),
    ));
    let usage = "none, absolute MAIN, byoyomi MAIN PERIOD PERIODS, canadian MAIN PERIOD MOVES or fischer MAIN INCREMENT";
    let kinds = expect("none, absolute, byoyomi, canadian or fischer", kinds);
    let settings = parse(arguments, &format!("{name} {usage}"), kinds)?;
    gtp.session.set_clocks(settings);
    text("")
}
