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

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use crate::games;
    use crate::protocol::gtp::{Answer, Gtp};
    use crate::search::SystemClock;
    use crate::session::Session;

    /// How long Black thinks after these commands, without `MoveOverhead`.
    fn thinks(commands: &[&str]) -> Duration {
        let variant = games::parse_variant("invector:5x4").unwrap();
        let session = Session::new(&variant, Arc::new(SystemClock::default())).unwrap();
        let mut gtp = Gtp::new(session);
        for command in [&["set MoveOverhead 0"], commands].concat() {
            let (_, result) = gtp.run(command).unwrap();
            let taken = matches!(&result, Ok(Answer::Text(text)) if text.is_empty());
            assert!(taken, "{command}: {:?}", result.err());
        }
        gtp.session.usual_time().unwrap()
    }

    /// What clients send, and how many seconds Black then thinks as a rule.
    const CASES: &[(&[&str], f64)] = &[
        // No clock: the time for a move.
        (&[], 1.0),
        (&["kgs-time_settings none"], 1.0),
        (&["kata-time_settings NONE"], 1.0),
        // Periods without moves: no limit. GoGui says so where there are no clocks, and so does gtp2ogs.
        (&["time_settings 0 1 0"], 1.0),
        (&["time_settings 600 30 0"], 1.0),
        (&["kgs-time_settings canadian 600 30 0"], 1.0),
        (&["time_settings 600 0 0", "time_settings 0 1 0"], 1.0),
        // Absolute.
        (&["time_settings 600 0 0"], 24.0),
        (&["kgs-time_settings absolute 600"], 24.0),
        (&["kata-time_settings absolute 5.0"], 0.2),
        (&["time_settings 600 0 0", "time_left b 100 0"], 4.0),
        (&["time_settings 600 0 0", "time_left w 100 0"], 24.0),
        (&["time_settings 600 0 0", "time_left B 0.5 0"], 0.02),
        (&["time_settings 600 0 0", "time_left black 0 0"], 0.0),
        (&["time_settings 600 0 0", "time_left b -1 0"], 0.0),
        (&["time_settings 600 0 0", "time_left b -0.25 0"], 0.0),
        (&["time_settings 600 0 0", "time_left b -100000 0"], 0.0),
        // By correspondence.
        (&["time_settings 604800 0 0"], 24_192.0),
        (&["time_left b 250000 0"], 10_000.0),
        // No settings: all that is known is what is left, and for how many moves.
        (&["time_left b 100 0"], 4.0),
        (&["time_left b 100 1"], 100.0),
        (&["time_left b 100 10"], 10.0),
        (&["time_left b -5 1"], 0.0),
        (&["time_settings 600 0 0", "time_left b 100 5"], 20.0),
        // Periods of no length: only the main time.
        (&["time_settings 600 0 5"], 24.0),
        (&["kgs-time_settings byoyomi 600 0 5"], 24.0),
        (&["kgs-time_settings byoyomi 600 30 0"], 24.0),
        (
            &["kgs-time_settings byoyomi 600 30 0", "time_left b 0 0"],
            0.0,
        ),
        // Canadian: the number is that of the moves still to make in what is left of the period.
        (&["time_settings 0 30 5"], 6.0),
        (&["time_settings 0 5 1"], 5.0),
        (&["time_settings 100 30 5"], 7.0),
        (&["time_settings 100 30 5", "time_left b 0 0"], 6.0),
        (&["time_settings 100 30 5", "time_left b -1 0"], 6.0),
        (
            &["kgs-time_settings canadian 100 30 5", "time_left b 12 2"],
            6.0,
        ),
        (
            &["kgs-time_settings canadian 100 30 5", "time_left b 12 1"],
            12.0,
        ),
        (
            &["kgs-time_settings canadian 100 30 5", "time_left b 0 5"],
            0.0,
        ),
        (
            &["kgs-time_settings canadian 100 30 5", "time_left b -1 3"],
            0.0,
        ),
        (
            &["kgs-time_settings canadian 100 30 5", "time_left b 99 1"],
            30.0,
        ),
        // Byo-yomi: the number is that of the periods left, the present one among them.
        (&["kgs-time_settings byoyomi 0 30 5"], 30.0),
        (&["kgs-time_settings byoyomi 100 30 5"], 19.0),
        (
            &["kgs-time_settings byoyomi 100 30 5", "time_left b -1 0"],
            30.0,
        ),
        (
            &["kgs-time_settings byoyomi 100 30 5", "time_left b 30 5"],
            30.0,
        ),
        (
            &["kgs-time_settings byoyomi 100 30 5", "time_left b 20 5"],
            20.0,
        ),
        (
            &["kgs-time_settings byoyomi 100 30 5", "time_left b 20 1"],
            20.0,
        ),
        (
            &["kgs-time_settings byoyomi 100 30 5", "time_left b 1 5"],
            30.0,
        ),
        (
            &["kgs-time_settings byoyomi 100 30 5", "time_left b 1 1"],
            1.0,
        ),
        (
            &["kgs-time_settings byoyomi 100 30 5", "time_left b 0 1"],
            0.0,
        ),
        (
            &["kgs-time_settings byoyomi 120 2 5", "time_left b 0 5"],
            2.0,
        ),
        (
            &["kgs-time_settings byoyomi 120 2 5", "time_left b -1 5"],
            2.0,
        ),
        (
            &["kgs-time_settings byoyomi 120 2 5", "time_left b 20 5"],
            2.0,
        ),
        (
            &["kata-time_settings byoyomi 120 2.5 5", "time_left b 0 2"],
            2.5,
        ),
        // Fischer: a clock that has nothing but increments begins with one.
        (&["kata-time_settings fischer 100 2"], 5.5),
        (&["kata-time_settings fischer 0 2"], 1.5),
        (&["kata-time_settings fischer 0 2", "time_left b 0 0"], 0.0),
        (&["kata-time_settings fischer 0 2", "time_left b -1 0"], 0.0),
        (
            &["kata-time_settings fischer 100 2", "time_left b 50 0"],
            3.5,
        ),
        (
            &["kata-time_settings fischer 100 2", "time_left b 50 5"],
            11.5,
        ),
    ];

    #[test]
    fn every_clock_gives_its_time() {
        for (commands, expected) in CASES {
            let time = thinks(commands).as_secs_f64();
            assert!(
                (time - expected).abs() < 1e-6,
                "{commands:?}: {time}, not {expected}"
            );
        }
    }

    #[test]
    fn what_is_no_clock_changes_nothing() {
        for wrong in [
            "time_left b 100",
            "time_left b",
            "time_left purple 100 0",
            "time_left b soon 0",
            "time_left b 100 -1",
            "time_left b 100 1.5",
            "time_left b 1e99 0",
            "time_left b inf 0",
            "time_left b nan 0",
            "time_left b 100 0 0",
            "time_settings -1 0 0",
            "time_settings 10 -1 0",
            "time_settings 10 1 -1",
            "time_settings 10 1",
            "kgs-time_settings",
            "kgs-time_settings hourglass 10",
            "kgs-time_settings byoyomi 10 10",
            "kgs-time_settings absolute -10",
            "kata-time_settings fischer 10",
        ] {
            let variant = games::parse_variant("invector:5x4").unwrap();
            let session = Session::new(&variant, Arc::new(SystemClock::default())).unwrap();
            let mut gtp = Gtp::new(session);
            let _ = gtp.run("time_settings 600 0 0");
            let before = gtp.session.usual_time();
            let (_, result) = gtp.run(wrong).unwrap();
            let error = result
                .err()
                .map(|error| error.to_string())
                .unwrap_or_default();
            assert!(
                error.starts_with("syntax error: ") && error.contains("expected "),
                "{error}"
            );
            assert_eq!(gtp.session.usual_time(), before, "{wrong}");
        }
    }
}
