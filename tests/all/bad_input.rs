//! Whatever comes in: one framed answer a line, no panic, and the position as it was after an error.

use std::sync::Arc;

use pentalith::games;
use pentalith::protocol::gtp::Gtp;
use pentalith::protocol::{MAX_LINE, serve};
use pentalith::search::SystemClock;
use pentalith::session::Session;
use proptest::prelude::*;
use proptest::sample::{Index, select};

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

const LINES: &[&str] = &[
    "protocol_version",
    "name",
    "12 known_command play",
    "list_commands",
    "variant",
    "variant invector:3x2,pie=off",
    "variant markane:4x3,pie=on",
    "variant gravel:2,x=2,pie=on",
    "variant inversion:2,komi=0.5,order=alternate",
    "variant invictus:stall=2",
    "play w a1,b1b2,-a1,xb2,end",
    "play b 6@b2,6@c2",
    "komi 1.5",
    "position w1b1/.b2 b p1 0,1 0 4",
    "position bw/wb./wb w a2+b2 7",
    "boardsize 5",
    "boardsize 4 3",
    "rectangular_boardsize 3 4",
    "clear_board",
    "komi 0",
    "position",
    "position bw./.bw w 4",
    "position b.w/..b/... w 2 5",
    "position w.b.b/bwbw./....w/b.bwb b 15",
    "showboard",
    "legal",
    "play b a1b1",
    "play w c2",
    "play white a1,b2,c3",
    "play b swap",
    "play w pass",
    "genmove b",
    "9 genmove white",
    "reg_genmove b",
    "undo",
    "moves",
    "score",
    "final_score",
    "set Seed 7",
    "set Hash 2",
    "set Threads 2",
    "get",
    "get Hash",
];

/// One change of a line.
#[derive(Clone, Debug)]
enum Change {
    None,
    Remove(Index),
    Insert(Index, char),
    Cut(Index),
    Twice,
}

fn change() -> impl Strategy<Value = Change> {
    let odd = vec![
        '\0', '\t', '\r', '\u{7f}', '#', ',', ':', '/', '.', '=', '-', '0', '9', 'i', 'x', 'W',
        'é', '\u{fffd}', '😀',
    ];
    prop_oneof![
        3 => Just(Change::None),
        2 => any::<Index>().prop_map(Change::Remove),
        3 => (any::<Index>(), select(odd)).prop_map(|(at, c)| Change::Insert(at, c)),
        1 => any::<Index>().prop_map(Change::Cut),
        1 => Just(Change::Twice),
    ]
}

fn changed(line: &str, change: &Change) -> String {
    let mut chars: Vec<char> = line.chars().collect();
    match change {
        Change::None => {}
        Change::Remove(at) => {
            chars.remove(at.index(chars.len()));
        }
        Change::Insert(at, c) => chars.insert(at.index(chars.len() + 1), *c),
        Change::Cut(at) => chars.truncate(at.index(chars.len())),
        Change::Twice => chars.extend(chars.clone()),
    }
    chars.into_iter().collect()
}

/// What is left of a line once it is cleaned and its comment is gone.
fn asks_something(line: &str) -> bool {
    let line = line.split('#').next().unwrap();
    line.chars().any(|c| !c.is_control() && c != ' ')
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn changed_lines_get_one_answer_each_and_errors_change_nothing(
        lines in prop::collection::vec((select(LINES), change()), 1..40)
    ) {
        let mut input = String::from("set Nodes 20\n");
        let mut asked = 0;
        for (line, change) in &lines {
            let line = changed(line, change);
            if asks_something(&line) {
                input += &format!("{line}\nposition\n");
                asked += 1;
            } else {
                input += &format!("{line}\n");
            }
        }
        let output = gtp("invector:3x2", input.as_bytes());
        let answers = answers(&output);
        prop_assert_eq!(answers.len(), 1 + 2 * asked, "{}", input);
        let mut before = "= bwb/wbw b 1".replace("bwb/wbw", "wbw/bwb");
        for pair in answers[1..].chunks(2) {
            prop_assert!(pair[0].starts_with(['=', '?']) && pair[1].starts_with("= "));
            if pair[0].starts_with('?') {
                prop_assert_eq!(pair[1], &before, "{} changed the position", pair[0]);
            }
            before = pair[1].to_owned();
        }
    }
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
