//! Lines changed at random: no panic, one answer to each, and nothing changed by an error, in both dialects.
//!
//! `PENTALITH_FUZZ=N` makes N times as many cases. With `--nocapture` the number of lines is shown:
//!
//!     PENTALITH_FUZZ=100 cargo test --release --test all fuzz -- --nocapture

use std::collections::VecDeque;
use std::io::Read;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

use pentalith::protocol::{Dialect, gtp::Gtp, serve, ugi::Ugi};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::{TestCaseResult, TestRunner};

use crate::talk::session;
use crate::transcripts::answers;

const GTP_LINES: &[&str] = &[
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
    "# interrupt",
    "analyze",
    "8 analyze b 1",
    "lz-analyze w interval 50",
    "gg-undo 2",
    "gogui-play_sequence b a1b1 w a2b2",
    "5 gogui-play_sequence b c2 w b1 b a3",
    "gogui-interrupt",
    "time 3",
    "time_settings 1 0.5 2",
    "time_left b 2 1",
    "kgs-time_settings byoyomi 1 0.5 3",
    "kata-time_settings fischer 1 0.25",
    "kata-time_settings fischer-capped 1 0.25 2 -1",
    "kata-analyze b 1 minmoves 2 avoid b a1b1 1 ownership true",
    "6 lz-genmove_analyze b interval 50 maxmoves 1",
    "kata-list_time_settings",
    "set Variant inversion:2",
    "set Strength beginner",
    "set Moves step",
    "set MultiPV 3",
    "get Variant",
];

const UGI_LINES: &[&str] = &[
    "ugi",
    "isready",
    "stop",
    "d",
    "uginewgame",
    "query fen",
    "query legal",
    "query gameover",
    "query p1turn",
    "query result",
    "query score",
    "query variant",
    "setoption name Variant value invector:3x2,pie=off",
    "setoption name Variant value markane:4x3,pie=on",
    "setoption name Variant value gravel:2,x=2,pie=on",
    "setoption name Variant value inversion:2,komi=0.5,order=alternate",
    "setoption name Variant value invictus:stall=2",
    "setoption name Hash value 2",
    "setoption name Threads value 2",
    "setoption name Seed value 7",
    "setoption name MultiPV value 3",
    "setoption name Moves value step",
    "setoption name Moves value whole",
    "setoption name MoveOverhead value 0",
    "setoption name Strength value beginner",
    "setoption name Ponder value true",
    "position startpos",
    "position fen startpos moves a1b1 moves a2b2",
    "position startpos moves a1b1",
    "position startpos moves c2 b1 a1",
    "position startpos moves a1,b1 a2 b2",
    "position startpos moves 6@b2,6@c2 6@d2",
    "position fen w1b1/.b2 b p1 0,1 0 4",
    "position fen bw/wb./wb w a2+b2 7",
    "position fen bw./.bw w 4",
    "position b.w/..b/... w 2 5 moves c1",
    "position fen w.b.b/bwbw./....w/b.bwb b 15",
    "go",
    "go nodes 5",
    "go depth 2",
    "go movetime 3",
    "go infinite",
    "go infinite nodes 3",
    "go p1time 50 p2time 50 p1inc 1",
    "go searchmoves a1b1 a1 c2",
    "go nodes 4 searchmoves a1,b1 b1",
    "go perft 2",
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
        '\0', '\t', '\r', '\u{7f}', '#', ',', ':', '/', '.', '=', '-', '0', '9', 'i', 'x', 'W', 'é', '\u{fffd}', '😀',
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

/// A line as the program sees it.
fn cleaned(line: &str) -> String {
    let spaced = line.chars().map(|c| if c == '\t' { ' ' } else { c });
    spaced.filter(|c| !c.is_control()).collect()
}

/// A changed line, and whether the next one is a while in coming.
type Sent = (&'static str, Change, bool);

fn sent(lines: &'static [&'static str]) -> impl Strategy<Value = Vec<Sent>> {
    let rarely = prop::bool::weighted(0.1);
    prop::collection::vec((select(lines), change(), rarely), 1..40)
}

/// Input that comes in pieces, with a pause between them.
struct Pieces(VecDeque<Vec<u8>>);

impl Read for Pieces {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        while self.0.front().is_some_and(Vec::is_empty) {
            self.0.pop_front();
            thread::sleep(Duration::from_micros(300));
        }
        let Some(piece) = self.0.front_mut() else {
            return Ok(0);
        };
        let count = piece.len().min(buffer.len());
        buffer[..count].copy_from_slice(&piece[..count]);
        piece.drain(..count);
        Ok(count)
    }
}

/// Returns the answers of a dialect to lines, some of which are followed by a pause.
fn answered(dialect: impl Dialect, lines: &[(String, bool)]) -> String {
    let mut pieces = VecDeque::from([Vec::new()]);
    for (line, pause) in lines {
        let piece = pieces.back_mut().unwrap();
        piece.extend(format!("{line}\n").into_bytes());
        if *pause {
            pieces.push_back(Vec::new());
        }
    }
    let mut output = Vec::new();
    serve(dialect, Pieces(pieces), &mut output).unwrap();
    String::from_utf8(output).unwrap()
}

/// Tests `cases` random inputs, multiplied by `PENTALITH_FUZZ`.
fn fuzz(name: &str, cases: u32, lines: &'static [&'static str], law: impl Fn(Vec<Sent>) -> TestCaseResult) {
    let factor = std::env::var("PENTALITH_FUZZ").map_or(1, |times| times.parse().unwrap());
    let mut runner = TestRunner::new(ProptestConfig {
        cases: cases * factor,
        failure_persistence: None,
        ..ProptestConfig::default()
    });
    let count = AtomicUsize::new(0);
    let counted = |lines: Vec<Sent>| {
        count.fetch_add(lines.len(), Relaxed);
        law(lines)
    };
    let result = runner.run(&sent(lines), counted);
    println!("{name}: {} changed lines", count.load(Relaxed));
    if let Err(error) = result {
        panic!("{name}: {error}");
    }
}

#[test]
fn changed_lines_of_gtp_get_one_answer_each_and_errors_change_nothing() {
    fuzz("GTP", 400, GTP_LINES, |lines| {
        let mut input = vec![("set Nodes 20".to_owned(), false)];
        let mut asked = 0;
        for (line, change, pause) in &lines {
            let line = changed(line, change);
            let before_comment = line.split('#').next().unwrap();
            let asks = !cleaned(before_comment).trim().is_empty();
            input.push((line, *pause));
            if asks {
                input.push(("position".to_owned(), false));
                asked += 1;
            }
        }
        let output = answered(Gtp::new(session("invector:3x2")), &input);
        let answers = answers(&output);
        prop_assert_eq!(answers.len(), 1 + 2 * asked, "{:?}", input);
        let mut before = "= wbw/bwb b 1";
        for pair in answers[1..].chunks(2) {
            prop_assert!(pair[0].starts_with(['=', '?']) && pair[1].starts_with("= "));
            if pair[0].starts_with('?') {
                prop_assert_eq!(pair[1], before, "{} changed the position", pair[0]);
            }
            before = pair[1];
        }
        Ok(())
    });
}

/// First words of the lines of UGI, except those of `d`.
const UGI_ANSWERS: &[&str] = &["info", "bestmove", "response", "readyok", "id", "option", "ugiok", "nodes"];

/// Every line is followed by questions about the position, and by an unknown command with a number, which is
/// answered in its turn and so parts the answers.
#[test]
fn changed_lines_of_ugi_get_one_bestmove_for_each_go_and_errors_change_nothing() {
    fuzz("UGI", 400, UGI_LINES, |lines| {
        let mut input = vec![("setoption name Nodes value 20".to_owned(), false)];
        let mut first_words = Vec::new();
        for (number, (line, change, pause)) in lines.iter().enumerate() {
            let line = changed(line, change);
            let first_word = cleaned(&line).split_whitespace().next().map(str::to_owned);
            first_words.push(first_word.unwrap_or_default());
            input.push((line, *pause));
            input.push(("query fen\nquery legal".to_owned(), false));
            input.push((format!("end-{number}"), false));
        }
        // It ends by itself, by quit, or, since a count may have no other end, by stop.
        let counts = input.iter().any(|(line, _)| line.contains("perft"));
        match (lines.len() % 3, counts) {
            (0, _) => input.push(("quit".to_owned(), false)),
            (_, true) => input.push(("stop".to_owned(), false)),
            _ => {}
        }
        let output = answered(Ugi::new(session("invector:3x2")), &input);

        let wanted = |word: &str| first_words.iter().filter(|first| *first == word).count();
        let lines: Vec<&str> = output.lines().collect();
        let found = lines.iter().filter(|line| line.starts_with("bestmove"));
        prop_assert_eq!(found.count(), wanted("go"), "{:?}: {}", input, output);
        let ready = lines.iter().filter(|line| **line == "readyok");
        prop_assert_eq!(ready.count(), wanted("isready"), "{:?}: {}", input, output);

        let mut rest = lines.as_slice();
        let mut fen = "response wbw/bwb b 1";
        let mut legal = "response a1b1 a1a2 c1b1 c1c2 b2b1 b2a2 b2c2";
        for (number, first_word) in first_words.iter().enumerate() {
            let end = format!("info string unknown command \"end-{number}\"");
            let at = rest.iter().position(|line| line.starts_with(&end));
            prop_assert!(at.is_some(), "{} is missing: {:?}: {}", end, input, output);
            let (segment, behind) = rest.split_at(at.unwrap());
            rest = &behind[1..];
            for line in segment {
                let known = UGI_ANSWERS.contains(&line.split(' ').next().unwrap());
                prop_assert!(known || first_word == "d", "{}: {}", first_word, line);
                if let Some(found) = line.strip_prefix("bestmove ") {
                    prop_assert!(!found.contains(' '), "{}", line);
                    let step = found.split(',').next().unwrap();
                    let is_legal = legal.split(' ').skip(1).any(|legal| legal == step);
                    prop_assert!(is_legal || found == "none", "{} of {}", line, legal);
                }
            }
            let responses = segment.iter().filter(|line| line.starts_with("response"));
            let responses: Vec<&str> = responses.copied().collect();
            let [.., new_fen, new_legal] = responses.as_slice() else {
                return Err(TestCaseError::fail(format!("{input:?}: {output}")));
            };
            // A count that is stopped by the line belongs to a line before it.
            let mut errors = segment.iter().filter(|line| {
                let stopped = **line == "info error perft was stopped";
                line.starts_with("info error") && !stopped
            });
            let may_change = ["position", "setoption", "uginewgame"].contains(&&**first_word);
            if !may_change || errors.next().is_some() {
                prop_assert_eq!(*new_fen, fen, "{:?}: {}", input, output);
            }
            (fen, legal) = (new_fen, new_legal);
        }
        Ok(())
    });
}
