//! Lines of engines, and the pipes that they come through.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crossbeam_channel::bounded;
use pentalith::check::gtp::playing::difference;
use pentalith::client::output::{
    FinalScore, Head, SearchInfo, behind, bestmove, final_score, first_word, head, info, is_spaced_oddly, option,
    response, second_word,
};
use pentalith::client::pauses::Pauses;
#[cfg(unix)]
use pentalith::client::process::unix;
use pentalith::client::process::{NoLine, Pipe, threads};
use pentalith::rules::{Color, HalfPoints};
use pentalith::session::Score;

#[test]
fn an_answer_begins_with_a_mark_and_perhaps_an_id() {
    let parts = |line| head(line).map(|Head { ok, id, text }| (ok, id, text));
    let some = |ok, id: &str, text: &str| Some((ok, id.to_owned(), text.to_owned()));
    assert_eq!(parts("=12 D4"), some(true, "12", "D4"));
    assert_eq!(parts("?12 unknown command"), some(false, "12", "unknown command"));
    assert_eq!(parts("= 12"), some(true, "", "12"));
    assert_eq!(parts("="), some(true, "", ""));
    assert_eq!(parts("D4"), None);
    assert_eq!(parts(""), None);
}

#[test]
fn answers_have_two_words() {
    assert_eq!(bestmove("bestmove c3,d4").as_deref(), Ok("c3,d4"));
    assert_eq!(response("response true").as_deref(), Ok("true"));
    for line in ["bestmove", "bestmove ", "bestmove a ponder b", "response a", "bestmovea"] {
        let error = bestmove(line).unwrap_err();
        assert!(!error.expected.is_empty(), "{error}");
    }
    let error = bestmove("response a").unwrap_err().to_string();
    assert_eq!(error, "\"response a\", column 1: expected bestmove, found \"response\"");
}

#[test]
fn any_white_space_separates_words() {
    for line in [
        "bestmove a",
        "bestmove  a",
        "bestmove\ta",
        " bestmove a",
        "\tbestmove \t a \r",
        "bestmove\u{b}\u{c}a\r\r",
        "bestmove a ",
    ] {
        assert_eq!(bestmove(line).as_deref(), Ok("a"), "{line:?}");
        assert_eq!((first_word(line), second_word(line)), ("bestmove", "a"));
        assert_eq!(behind(line, &["bestmove"]), Some("a"));
        assert_eq!(is_spaced_oddly(line), line != "bestmove a", "{line:?}");
    }
    assert_eq!(behind("\tid \tname  Two  pits ", &["id", "name"]), Some("Two  pits"));
    assert_eq!(behind("id names x", &["id", "name"]), None);
    assert_eq!(behind("id name", &["id", "name"]), Some(""));
    let spread = "\toption  name\tMy  Hash type spin\tdefault  16 min 1   max 64 \r";
    let plain = "option name My Hash type spin default 16 min 1 max 64";
    assert_eq!(option(spread), option(plain));
    assert!(info(" info\tdepth  3 score\tcp -1\u{c}upperbound  nodes 5 \t").is_ok());
    for (line, odd) in [
        ("info depth 1 string  a  b", false),
        ("info  depth 1 string a", true),
        ("info depth 1 pv a b", false),
        ("info depth 1 pv a  b", true),
        ("id name a  b", false),
        ("id\tname a", true),
        ("readyok", false),
        ("readyok ", true),
        ("", false),
    ] {
        assert_eq!(is_spaced_oddly(line), odd, "{line:?}");
    }
}

#[test]
fn options_say_what_they_lack() {
    let good = [
        "option name Hash type spin default 16 min 1 max 64",
        "option name My long name type string default",
        "option name Level type combo default very low var very low var high",
        "option name Ponder type check default false",
        "option name Clear Hash type button",
    ];
    for line in good {
        assert!(option(line).is_ok(), "{line}: {:?}", option(line));
    }
    let bad = [
        "option name Hash type spin default 0 min 1 max 64",
        "option name Hash type spin default 1 min 1",
        "option name Level type combo default middle var low var high",
        "option name X type number default 1",
        "option type spin default 1 min 1 max 2",
        "option Hash",
        "option name Ponder type check",
    ];
    for line in bad {
        assert!(option(line).is_err(), "{line}");
    }
    let level = option("option name Level type combo default very low var very low var high");
    assert_eq!(level.map(|o| o.vars), Ok(vec!["very low".to_owned(), "high".to_owned()]));
}

#[test]
fn a_value_is_sent_as_the_engine_writes_it() {
    let value = |line: &str, value: &str| option(line).unwrap().value(value);
    let combo = "option name Style type combo default Solid var Solid var Very Wild var wild var WILD";
    for (given, sent) in [("solid", "Solid"), ("VERY wild", "Very Wild"), ("WILD", "WILD"), ("wild", "wild")] {
        assert_eq!(value(combo, given).as_deref(), Ok(sent));
    }
    assert_eq!(value(combo, "tame"), Err("one of Solid, Very Wild, wild, WILD".to_owned()));
    let check = "option name Ponder type check default false";
    assert_eq!(value(check, "True").as_deref(), Ok("true"));
    assert_eq!(value(check, "yes"), Err("true or false".to_owned()));
    let spin = "option name Hash type spin default 16 min 1 max 64";
    assert_eq!(value(spin, "+007").as_deref(), Ok("7"));
    assert_eq!(value(spin, "65"), Err("a number from 1 to 64".to_owned()));
    let button = "option name Clear Hash type button";
    assert_eq!(value(button, "").as_deref(), Ok(""));
    assert_eq!(value(button, "true"), Err("nothing behind =, because it is a button".to_owned()));
    assert_eq!(value("option name File type string default", " As Is").as_deref(), Ok(" As Is"));
}

#[test]
fn a_bound_is_not_a_score() {
    let last = |lines: &[&str]| {
        let mut info = SearchInfo::default();
        lines.iter().for_each(|line| info.take(line));
        (info.score, info.depth, info.nodes)
    };
    let exact = "info depth 5 score cp 30 nodes 100 pv a1";
    for bound in [
        "info depth 6 score cp -900 upperbound nodes 200 pv a1",
        "info depth 6 score cp 900 lowerbound nodes 200",
        "info depth 6 score mate -9 lowerbound nodes 200 pv a1",
        "info depth 6 score mate 9 upperbound nodes 200 pv a1",
        "info depth 6 score cp 900 wdl 900 50 50 lowerbound nodes 200 pv a1",
        "info depth 6 nodes 200 upperbound score cp -900",
        "info\tdepth 6 score  cp -900\tupperbound nodes 200",
    ] {
        assert_eq!(last(&[exact, bound]), (Some(Score::Cp(30)), Some(5), Some(200)), "{bound}");
        assert_eq!(last(&[bound]), (None, None, Some(200)), "{bound}");
        // The search was repeated with an open window.
        let again = "info depth 6 score mate 3 nodes 300 pv a1 upperbound";
        assert_eq!(last(&[exact, bound, again]), (Some(Score::Mate(3)), Some(6), Some(300)), "{bound}");
    }
}

/// Returns pauses after ticks at these milliseconds, and the time at a millisecond.
fn ticked(ticks: &[u64]) -> (Pauses, impl Fn(u64) -> Instant) {
    let began = Instant::now();
    let at = move |milliseconds| began + Duration::from_millis(milliseconds);
    let mut pauses = Pauses::new(began);
    ticks.iter().for_each(|&milliseconds| pauses.tick(at(milliseconds)));
    (pauses, at)
}

#[test]
fn a_gap_between_ticks_is_a_pause() {
    let paused = |ticks: &[u64], began, now| {
        let (pauses, at) = ticked(ticks);
        pauses.since(at(began), at(now)).as_millis()
    };
    // A tick that is a little late is no pause.
    assert_eq!(paused(&[20, 40, 130, 150], 0, 200), 0);
    let twice = [20, 40, 60, 3060, 3080, 3140, 5140, 5160];
    assert_eq!(paused(&twice, 0, 5170), 5000);
    assert_eq!(paused(&twice, 3060, 5170), 2000);
    // The wait began in the pause.
    assert_eq!(paused(&twice, 70, 5170), 2990 + 2000);
    assert_eq!(paused(&twice, 5150, 5170), 0);
    // The thread that ticks has not run yet since the program was woken.
    assert_eq!(paused(&twice, 5150, 9160), 4000);
    assert_eq!(paused(&twice, 5200, 9160), 3960);
}

#[test]
fn a_thousand_pauses_do_not_grow() {
    let ticks: Vec<u64> = (1..=1000).map(|number| number * 1000).collect();
    let (pauses, at) = ticked(&ticks);
    assert_eq!(pauses.since(at(999_000), at(1_000_000)).as_millis(), 1000);
    assert!(pauses.since(at(0), at(1_000_000)) < Duration::from_secs(100));
}

#[test]
fn a_number_is_brought_within_the_bounds_of_an_option() {
    let within = |bounds: &str, number| {
        option(&format!("option name Seed type spin default 5 {bounds}")).map(|o| o.within(number))
    };
    assert_eq!(within("min 0 max 4294967295", u32::MAX), Ok(4_294_967_295));
    assert_eq!(within("min 0 max 100", 1_548_883_768), Ok(1_548_883_768 % 101));
    assert_eq!(within("min 5 max 5", 7), Ok(5));
    assert_eq!(within("min 3 max 6", 1), Ok(5));
    assert_eq!(within("min -9 max 9", 4), Ok(4));
    let string = option("option name Seed type string default").map(|o| o.within(7));
    assert_eq!(string, Ok(7));
}

#[test]
fn info_lines_have_numbers_where_numbers_belong() {
    let good = [
        "info depth 3 seldepth 5 score cp -12 time 7 nodes 100 pv a1 b2",
        "info score mate -3 wdl 1 2 3 tthits 0 hashfull 0",
        "info score cp 5 lowerbound nodes 1",
        "info string depth x",
        "info depth 1 conviction high nodes 4",
    ];
    for line in good {
        assert!(info(line).is_ok(), "{line}: {:?}", info(line));
    }
    for line in ["info depth x", "info depth", "info score 12", "info nodes 1.5", "info"] {
        assert!(info(line).is_err(), "{line}");
    }
}

const SOON: Duration = Duration::from_secs(20);

fn started<P: Pipe>(program: &str, arguments: &[&str]) -> (Child, P) {
    let mut child = Command::new(program).args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let pipes = P::new(child.stdin.take().unwrap(), child.stdout.take().unwrap());
    (child, pipes.unwrap())
}

/// Says more than any pipe holds to a process that repeats it, before reading anything.
fn repeats<P: Pipe>() {
    let (mut child, mut pipes) = started::<P>("cat", &[]);
    let (sender, interrupt) = bounded(0);
    let said: Vec<u8> = (0..2_000_000_u32).map(|i| (i / 7) as u8).collect();
    for part in said.chunks(70_001) {
        pipes.write(part);
    }
    pipes.close_input();
    let mut heard = Vec::new();
    let deadline = Instant::now() + SOON;
    let mut read = |heard: &mut Vec<u8>, deadline| pipes.read(heard, deadline, &interrupt);
    // After a deadline, only what has come already is read.
    assert!(matches!(read(&mut heard, Instant::now()), Ok(()) | Err(NoLine::Late)));
    while read(&mut heard, deadline).is_ok() {}
    assert_eq!(read(&mut heard, deadline), Err(NoLine::Ended));
    assert!(heard == said);
    assert_eq!(pipes.unread(), 0);
    drop(sender);
    assert!(child.wait().unwrap().success());
}

/// A process that neither reads nor writes is waited for until the deadline or an interruption.
fn waits<P: Pipe>() {
    let (mut child, mut pipes) = started::<P>("sleep", &["1000"]);
    let (sender, interrupt) = bounded(0);
    pipes.write(&[0; 1_000_000]);
    assert!(pipes.unread() > 0);
    let mut heard = Vec::new();
    let short = Instant::now() + Duration::from_millis(100);
    assert_eq!(pipes.read(&mut heard, short, &interrupt), Err(NoLine::Late));
    assert!(Instant::now() >= short);
    drop(sender);
    let long = Instant::now() + SOON;
    assert_eq!(pipes.read(&mut heard, long, &interrupt), Err(NoLine::Interrupted));
    assert!(Instant::now() < long);
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
#[cfg(unix)]
fn pipes_never_block() {
    repeats::<unix::Pipes>();
    waits::<unix::Pipes>();
}

#[test]
#[cfg(unix)]
fn pipes_on_threads_never_block() {
    repeats::<threads::Pipes>();
    waits::<threads::Pipes>();
}

#[test]
fn scores_are_read() {
    let (black, white) = (Some(Color::Black), Some(Color::White));
    for (text, winner, margin, is_standard) in [
        ("B+7", black, Some(HalfPoints(14)), true),
        ("w+0.5", white, Some(HalfPoints(1)), true),
        ("B+", black, None, true),
        ("0", None, None, true),
        ("Draw", None, None, true),
        ("jigo", None, None, false),
        ("W+Resign", white, None, false),
        ("B+7 points", black, None, false),
    ] {
        let score = FinalScore { winner, margin, is_standard };
        assert_eq!(final_score(text), Some(score), "{text}");
    }
    for wrong in ["", "B", "7", "0 points"] {
        assert_eq!(final_score(wrong), None, "{wrong}");
    }
}

#[test]
fn a_difference_names_its_line() {
    assert_eq!(difference("a\nb", "a\nb"), None);
    let changed = difference("a\nb", "a\nc");
    assert_eq!(changed.as_deref(), Some("line 2: \"b\" is now \"c\""));
    assert!(difference("a", "a\nb").is_some() && difference("a\nb", "a").is_some());
}
