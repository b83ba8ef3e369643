//! Whatever comes in: one framed answer a line, no panic, and the position as it was after an error. Lines that are
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
    serve(
        Gtp::new(session),
        std::io::Cursor::new(input.to_vec()),
        &mut output,
    )
    .unwrap();
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
    assert!(answers[1].starts_with("?2 syntax error: a line may have 1048576 bytes"));
    assert_eq!(answers[2], "=3 pentalith");
    assert_eq!(
        answers[3],
        "?4 illegal move: a1: Black's move is complete before it"
    );
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
