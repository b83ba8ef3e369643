//! Time of a move under the clocks that GTP clients set.

use std::sync::Arc;
use std::time::Duration;

use pentalith::games;
use pentalith::protocol::gtp::Gtp;
use pentalith::protocol::{Dialect, Line};
use pentalith::search::SystemClock;
use pentalith::session::Session;

/// Starts a GTP conversation about a board on which games last for about 50 moves.
fn gtp() -> Gtp {
    let variant = games::parse_variant("markane:10x10").unwrap();
    Gtp::new(Session::new(&variant, Arc::new(SystemClock::default())).unwrap())
}

fn answer(gtp: &mut Gtp, command: &str) -> String {
    let mut output = Vec::new();
    gtp.line(&Line::Whole(command.to_owned()), &mut output).unwrap();
    String::from_utf8(output).unwrap()
}

/// Returns Black's soft limit after some commands, without `MoveOverhead`.
fn soft_limit(commands: &[&str]) -> Duration {
    let mut gtp = gtp();
    for command in [&["set MoveOverhead 0"], commands].concat() {
        assert_eq!(answer(&mut gtp, command), "=\n\n", "{command}");
    }
    gtp.session().soft_time().unwrap()
}

/// Commands of clients, and Black's soft limit after them in seconds.
const CASES: &[(&[&str], f64)] = &[
    // No clock: the time for a move.
    (&[], 1.0),
    (&["kgs-time_settings none"], 1.0),
    (&["kata-time_settings NONE"], 1.0),
    // Periods without moves: no limit. GoGui and gtp2ogs send this if there are no clocks.
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
    // No settings: only the time left is known, and for how many moves.
    (&["time_left b 100 0"], 4.0),
    (&["time_left b 100 1"], 100.0),
    (&["time_left b 100 10"], 10.0),
    (&["time_left b -5 1"], 0.0),
    (&["time_settings 600 0 0", "time_left b 100 5"], 20.0),
    // Periods of no length: only the main time.
    (&["time_settings 600 0 5"], 24.0),
    (&["kgs-time_settings byoyomi 600 0 5"], 24.0),
    (&["kgs-time_settings byoyomi 600 30 0"], 24.0),
    (&["kgs-time_settings byoyomi 600 30 0", "time_left b 0 0"], 0.0),
    // Canadian: the number counts the moves still to make in what is left of the period.
    (&["time_settings 0 30 5"], 6.0),
    (&["time_settings 0 5 1"], 5.0),
    (&["time_settings 100 30 5"], 7.0),
    (&["time_settings 100 30 5", "time_left b 0 0"], 6.0),
    (&["time_settings 100 30 5", "time_left b -1 0"], 6.0),
    (&["kgs-time_settings canadian 100 30 5", "time_left b 12 2"], 6.0),
    (&["kgs-time_settings canadian 100 30 5", "time_left b 12 1"], 12.0),
    (&["kgs-time_settings canadian 100 30 5", "time_left b 0 5"], 0.0),
    (&["kgs-time_settings canadian 100 30 5", "time_left b -1 3"], 0.0),
    (&["kgs-time_settings canadian 100 30 5", "time_left b 99 1"], 30.0),
    // Byo-yomi: the number counts the periods left, the present one included.
    (&["kgs-time_settings byoyomi 0 30 5"], 30.0),
    (&["kgs-time_settings byoyomi 100 30 5"], 19.0),
    (&["kgs-time_settings byoyomi 100 30 5", "time_left b -1 0"], 30.0),
    (&["kgs-time_settings byoyomi 100 30 5", "time_left b 30 5"], 30.0),
    (&["kgs-time_settings byoyomi 100 30 5", "time_left b 20 5"], 20.0),
    (&["kgs-time_settings byoyomi 100 30 5", "time_left b 20 1"], 20.0),
    (&["kgs-time_settings byoyomi 100 30 5", "time_left b 1 5"], 30.0),
    (&["kgs-time_settings byoyomi 100 30 5", "time_left b 1 1"], 1.0),
    (&["kgs-time_settings byoyomi 100 30 5", "time_left b 0 1"], 0.0),
    (&["kgs-time_settings byoyomi 120 2 5", "time_left b 0 5"], 2.0),
    (&["kgs-time_settings byoyomi 120 2 5", "time_left b -1 5"], 2.0),
    (&["kgs-time_settings byoyomi 120 2 5", "time_left b 20 5"], 2.0),
    (&["kata-time_settings byoyomi 120 2.5 5", "time_left b 0 2"], 2.5),
    // Fischer: a clock without main time begins with one increment.
    (&["kata-time_settings fischer 100 2"], 5.5),
    (&["kata-time_settings fischer 0 2"], 1.5),
    (&["kata-time_settings fischer 0 2", "time_left b 0 0"], 0.0),
    (&["kata-time_settings fischer 0 2", "time_left b -1 0"], 0.0),
    (&["kata-time_settings fischer 100 2", "time_left b 50 0"], 3.5),
    (&["kata-time_settings fischer 100 2", "time_left b 50 5"], 11.5),
    // With limits; a negative one is none.
    (&["kata-time_settings fischer-capped 100 2 100 -1"], 5.5),
    (&["kata-time_settings fischer-capped 100 2 -1 3.5"], 3.5),
    (&["kgs-time_settings FISCHER-CAPPED 0 2 10 1"], 1.0),
    (&["kata-time_settings fischer-capped 100 2 300 -1", "time_left b 50 0"], 3.5),
];

#[test]
fn every_clock_sets_a_soft_limit() {
    for (commands, expected) in CASES {
        let time = soft_limit(commands).as_secs_f64();
        assert!((time - expected).abs() < 1e-6, "{commands:?}: {time}, not {expected}");
    }
}

#[test]
fn a_bad_clock_command_changes_nothing() {
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
        "kata-time_settings fischer-capped 10 1 5 -1",
        "kata-time_settings fischer-capped 10 1 20",
    ] {
        let mut gtp = gtp();
        answer(&mut gtp, "time_settings 600 0 0");
        let before = gtp.session().soft_time();
        let error = answer(&mut gtp, wrong);
        assert!(error.starts_with("? syntax error: ") && error.contains("expected "), "{error}");
        assert_eq!(gtp.session().soft_time(), before, "{wrong}");
    }
}
