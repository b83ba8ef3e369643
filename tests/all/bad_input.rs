//! Bad input: every line gets one framed answer, without a panic, and an error changes no position. Lines that are
//! changed at random are in `fuzz.rs`.

use std::sync::Arc;

use pentalith::games;
use pentalith::protocol::gtp::Gtp;
use pentalith::protocol::{MAX_LINE, serve};
use pentalith::search::SystemClock;
use pentalith::session::Session;

use crate::transcripts::{answers, run};

/// Speaks GTP inside this process.
fn gtp(variant: &str, input: &[u8]) -> String {
    let variant = games::parse_variant(variant).unwrap();
    let session = Session::new(&variant, Arc::new(SystemClock::default())).unwrap();
    let mut output = Vec::new();
    serve(Gtp::new(session), std::io::Cursor::new(input.to_vec()), &mut output).unwrap();
    String::from_utf8(output).unwrap()
}

#[test]
fn bytes_of_every_kind_are_survived() {
    let mut input = Vec::new();
    for byte in 0..=255_u8 {
        input.extend([byte, b'\n', b'1', b' ', byte, byte, b'\n']);
    }
    input.extend(b"2 name\n\xff\xfe\xc3(\n3 position \xf0\x9f\x98\x80\n4 name");
    let output = gtp("markane:3x3", &input);
    assert!(output.contains("=2 pentalith\n\n"));
    assert!(output.contains("?3 bad position: \"😀\": position (column 2): needs 4 fields"));
    assert!(output.ends_with("=4 pentalith\n\n"));
}

/// The answer to the last one of some lines.
fn last_answer(variant: &str, lines: &str) -> String {
    let output = gtp(variant, lines.as_bytes());
    answers(&output).pop().unwrap().to_owned()
}

#[test]
fn a_step_of_another_form_is_told_what_is_expected_now() {
    let setting_up = "expected a step that sets a 6, such as 6@a2";
    let moving = "position ........./.w3......./........./........./........./........./.b2......./........./......... b 0,0 - 0 41\n";
    let returned = "position ........./....b2..../........./........./........./........./..w3....../........./......... w 0,0 w2 0 42\n";
    let moves = "expected a step that moves a die, such as b3a3";
    let cases: &[(&str, &str, &[&str], &str)] = &[
        ("invictus", "", &["a1", "a2", "A2", "a2b3", "pass", "swap", "end", "@a2", "a2@6", "hello"], setting_up),
        ("invictus", "play b 6@a2,6@b2,6@c2\n", &["a1", "a2b3", "pass"], "expected a step that sets a 5, such as 5@d2"),
        ("invictus", returned, &["c3", "c3c4", "pass", "end"], "expected a step that sets a 2, such as 2@a6"),
        ("invictus", moving, &["6@a2", "2@", "@a2", "swap", "pass", "end"], moves),
        ("markane:3x3", "", &["pass", "swap", "end"], "expected a step such as a1"),
        ("invector:5x4", "", &["pass", "swap", "end"], "expected a step such as a1b1"),
        ("inversion:2", "", &["pass", "swap", "end"], "expected a step such as a1"),
        ("gravel:3", "", &["pass", "swap", "end"], "expected a step such as a1"),
        (
            "markane:6x6",
            "position w.b..b/...bw./.w...b/w...b./....../..b.bw w 2 14\n",
            &["pass", "end", "swap", "hello"],
            "expected one of 2 owed placements, such as ",
        ),
        (
            "inversion:3",
            "position ww./bw.w/wbbww/w.bw/.b. w - 15\nplay w d4\n",
            &["pass", "end", "swap"],
            "expected the center of the hex to invert next, such as d3",
        ),
        ("gravel:3", "play w a1\n", &["swap"], "expected a step such as a1, -a1 or end"),
        (
            "invector:5x4",
            "position ...../..b../...../w...w b 21\n",
            &["c3c2", "c3", "swap", "hello"],
            "expected pass, the only step",
        ),
    ];
    for (variant, before, steps, expected) in cases {
        for step in *steps {
            for color in ["b", "w"] {
                let answer = last_answer(variant, &format!("{before}play {color} {step}\n"));
                if answer.contains("turn") && !answer.contains("expected") {
                    // It is the other side's.
                    continue;
                }
                assert!(answer.contains(expected), "{variant} {before} {step}: {answer}");
                assert!(answer.contains(step), "{answer}");
            }
        }
    }
    // What has the right form is told what is wrong with it.
    for (variant, step, expected) in [
        ("invictus", "6@z9", "expected a column from a to j"),
        ("invictus", "6@a1", "sets up on empty spaces of ranks 2 and 3"),
        ("markane:3x3", "z9", "expected swap or a column from a to c"),
        ("markane:3x3", "a9", "expected a rank from 1 to 3"),
        ("invector:5x4", "a1", "expected a column from a to e"),
    ] {
        let answer = last_answer(variant, &format!("play b {step}\n"));
        assert!(answer.contains(expected), "{variant} {step}: {answer}");
    }
}

#[test]
fn a_line_of_a_megabyte_is_answered_and_a_longer_one_refused() {
    let mut input = format!("1 {}\n", "x".repeat(MAX_LINE - 2)).into_bytes();
    input.extend(format!("2 play b {}\n3 name\n", "a1,".repeat(MAX_LINE)).into_bytes());
    input.extend(format!("4 play b a1{}\n", ",a1".repeat(1000)).into_bytes());
    input.extend(format!("5 position {}\n6 position", "b".repeat(MAX_LINE - 20)).into_bytes());
    let output = run(&["gtp", "markane:3x3"], &input);
    let answers = answers(&output);
    assert_eq!(answers.len(), 6);
    assert!(answers[0].starts_with("?1 unknown command: \"xxx"));
    assert!(answers[1].starts_with("?2 syntax error: line too long: expected at most 1048576 bytes"));
    assert_eq!(answers[2], "=3 pentalith");
    assert_eq!(answers[3], "?4 illegal move: a1: Black's move is complete before it");
    assert!(answers[4].starts_with("?5 bad position: \"bbb"));
    assert_eq!(answers[5], "=6 .../.../... b 1 1");
    assert!(output.len() < 2_000, "errors quote only the beginning");
}

#[test]
fn the_end_of_the_input_lets_a_search_answer() {
    let output = run(&["gtp", "invector:5x4"], b"set Nodes 3000\n7 genmove b");
    let answers = answers(&output);
    assert_eq!(answers.len(), 2);
    assert!(answers[1].starts_with("=7 "));
    assert_eq!(run(&[], b""), "");
}

#[test]
fn lines_that_come_during_a_search_wait_their_turn() {
    let mut input = String::from("set Nodes 20000\n1 genmove b\n");
    for id in 2..500 {
        input += &format!("{id} name\n");
    }
    let output = gtp("invector:8x7", input.as_bytes());
    let answers = answers(&output);
    for (id, answer) in (1..500).zip(&answers[1..]) {
        assert!(answer.starts_with(&format!("={id} ")), "{answer}");
    }
}

#[test]
fn an_interrupt_ends_a_search_that_has_no_limit_of_its_own() {
    let input = "time 86400000\n1 genmove b\n# interrupt\n2 name\n";
    let output = gtp("invector:8x7", input.as_bytes());
    let answers = answers(&output);
    assert!(answers[1].starts_with("=1 ") && answers[2] == "=2 pentalith");
}

#[test]
fn a_client_that_goes_away_ends_the_service() {
    struct Gone;
    impl std::io::Write for Gone {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let variant = games::parse_variant("markane").unwrap();
    let session = Session::new(&variant, Arc::new(SystemClock::default())).unwrap();
    let flood = "name\n".repeat(100_000).into_bytes();
    let error = serve(Gtp::new(session), std::io::Cursor::new(flood), Gone).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::BrokenPipe);
}
