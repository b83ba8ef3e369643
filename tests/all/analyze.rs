//! `pentalith analyze`: the table, the JSON, and what is refused.

use std::process::Command;

use serde_json::Value;

use crate::talk::session;
use crate::transcripts::run;

pub(crate) fn analyze(variant: &str, arguments: &[&str]) -> String {
    run(&[&["analyze", variant], arguments].concat(), b"")
}

/// The object that `--json` prints, checked against the rules of its variant.
fn json(variant: &str, arguments: &[&str]) -> Value {
    let output = analyze(variant, &[arguments, &["--json"]].concat());
    assert_eq!(output.lines().count(), 1, "{output}");
    let object: Value = serde_json::from_str(&output).unwrap();
    let mut session = session(object["variant"].as_str().unwrap());
    let position = object["position"].as_str().unwrap();
    session.set_position(position).unwrap();
    let side = object["side"].as_str().unwrap();
    assert_eq!(side, session.side().to_string().to_lowercase());
    assert_eq!(session.outcome().is_some(), !object["result"].is_null());
    let mut firsts = Vec::new();
    let lines = object["lines"].as_array().unwrap();
    assert_eq!(lines.is_empty(), session.outcome().is_some());
    for line in lines {
        let moves: Vec<&str> = strings(&line["line"]);
        assert_eq!(line["move"], moves[0]);
        session.set_history(Some(position), &moves).unwrap();
        let steps: usize = moves.iter().map(|text| text.split(',').count()).sum();
        assert_eq!(line["depth"].as_u64(), Some(steps as u64));
        let mover = session_after(&mut session, position, moves[0]);
        let complete = mover.as_deref() != Some(side);
        assert_eq!(line["complete"], complete, "{line}");
        let expected_score = line["expected_score"].as_f64().unwrap();
        assert!((0.0..=1.0).contains(&expected_score));
        let result = line["proof"]["result"].as_str();
        let sure = result.map(|result| match result {
            "win" => 1.0,
            "draw" => 0.5,
            "loss" => 0.0,
            _ => panic!("{result}"),
        });
        assert!(sure.is_none_or(|sure| sure == expected_score), "{line}");
        let mate = line["score"]["mate"].is_i64();
        assert_eq!(mate, matches!(result, Some("win" | "loss")), "{line}");
        assert_eq!(mate, line["score"]["cp"].is_null(), "{line}");
        firsts.push(moves[0].split(',').next().unwrap().to_owned());
    }
    assert!(lines.first().is_none_or(|line| line["complete"] == true), "{output}");
    firsts.sort();
    firsts.dedup();
    assert_eq!(firsts.len(), lines.len(), "{output}");
    object
}

/// The side to move after steps from a position; `None` where the game is over.
fn session_after(session: &mut pentalith::session::Session, position: &str, steps: &str) -> Option<String> {
    session.set_history(Some(position), &[steps]).unwrap();
    let goes_on = session.outcome().is_none();
    goes_on.then(|| session.side().to_string().to_lowercase())
}

fn strings(array: &Value) -> Vec<&str> {
    let texts = array.as_array().unwrap().iter();
    texts.map(|text| text.as_str().unwrap()).collect()
}

/// Status and standard error of a call that must fail before it prints anything.
pub(crate) fn failure(arguments: &[&str]) -> String {
    let program = env!("CARGO_BIN_EXE_pentalith");
    let output = Command::new(program).arg("analyze").args(arguments).env_remove("RUST_LOG").output().unwrap();
    assert!(output.stdout.is_empty(), "{output:?}");
    let errors = String::from_utf8(output.stderr).unwrap();
    format!("{}: {}", output.status.code().unwrap(), errors.trim())
}

#[test]
fn every_game_gets_a_table() {
    let tables = [
        analyze("invector:5x4", &["--nodes", "2000", "--moves", "c3c4"]),
        analyze("gravel:4", &["--nodes", "2000", "--lines", "3"]),
        analyze("markane:6x6", &["--nodes", "2000", "--moves", "c3 e5"]),
        analyze("inversion:3", &["--nodes", "2000", "--lines", "2"]),
        analyze("invictus", &["--nodes", "2000"]),
    ];
    insta::assert_snapshot!(tables.join("\n"), @r"
       a b c d e
     4 w b(b)b w 4
     3 b w . w b 3
     2 w b w b w 2
     1 b w b w b 1
       a b c d e
    White to move, turn 2

    rank  move  White scores  depth  nodes  line
       1  swap        66.0 %      5     63  swap b3b4 e3d3 e4d4 d3d4
       2  d3d4        33.3 %      4     11  d3d4 a3b3 a4b4 e1e2
       3  b3b4        33.3 %      4     11  b3b4 e3d3 e4d4 a1a2
       4  e4d4        29.2 %      5     11  e4d4 a3b3 a4b4 d2d3 c2c1
       5  a4b4        29.2 %      5     12  a4b4 e3d3 e4d4 b2b3 c2c1

    2000 nodes

       a  b  c  d
     4 .  .  .  .  4
     3 .  .  .  .  3
     2 .  .  .  .  2
     1 .  .  .  .  1
       a  b  c  d
    White: 9 in the Pool, 0 lost
    Black: 9 in the Pool, 0 lost
    White to move, turn 1

    rank  move         White scores  depth  nodes  line
       1  a1,a2,a4,a3        50.8 %      6     86  a1,a2,a4,a3 d1,d2
       2  d4,d3,d2,c4        50.8 %      4      3  d4,d3,d2,c4
       3  d1,d2,c1,…         50.5 %      3      3  d1,d2,c1

    2000 nodes

       a b c d e f
     6 . . . . . . 6
     5 . . . .(w). 5
     4 . . . . . . 4
     3 . . b . . . 3
     2 . . . . . . 2
     1 . . . . . . 1
       a b c d e f
    owed: 1 placement
    Black to move, turn 3

    rank  move  Black scores  depth  nodes  line
       1  f6          46.6 %      5     35  f6 c5 a1 b6 a6
       2  a5          35.8 %      3      6  a5 c5 f6
       3  e1          35.8 %      3      6  e1 e3 f6
       4  b2          35.7 %      3      7  b2 f6 a3
       5  a1          32.6 %      3      7  a1 f6 a5

    2000 nodes

       5 . . .
      4 . . . .
     3 . . . . .
      2 . . . . \
       1 . . . \ \
          a b c d e
    stones: White 0, Black 0
    White to move, turn 1

    rank  move  White scores  depth  nodes  line
       1  c3          55.9 %      4    476  c3 d5 c4 b1
       2  c1          55.6 %      4    311  c1 c3 c5 c2

    1998 nodes

       a  b  c  d  e  f  g  h  j
     9 .  .  .  .  .  .  .  .  .  9
     8 .  .  .  .  .  .  .  .  .  8
     7 .  .  .  .  .  .  .  .  .  7
     6 .  .  .  .  .  .  .  .  .  6
     5 -- -- -- -- -- -- -- -- -- 5
     4 .  .  .  .  .  .  .  .  .  4
     3 .  .  .  .  .  .  .  .  .  3
     2 .  .  .  .  .  .  .  .  .  2
     1 .  .  .  .  .  .  .  .  .  1
       a  b  c  d  e  f  g  h  j
    score: Black 0, of which 0 off the board; White 0, of which 0 off the board
    to be set up: 6
    Black to move, turn 1

    rank  move                   Black scores  depth  nodes  line
       1  6@c3,6@j2,6@j3,5@e3,…        52.2 %     20    184  6@c3,6@j2,6@j3,5@e3,5@d3,5@f3,4@b3,4@h3,4@g3,3@b2,3@d2,3@a3,2@h2,2@e2,2@f2,1@c2,1@g2,1@a2 6@d7,6@f7
       2  6@d3,…                     ≤ 52.2 %      1      1  6@d3
       3  6@f2,…                     ≤ 52.2 %      1      1  6@f2

    2000 nodes
    ");
}

#[test]
fn the_table_and_the_json_agree_and_repeat() {
    for variant in ["invector:5x4", "gravel:4", "markane:6x6", "inversion:4", "invictus"] {
        for nodes in ["1", "30", "1234"] {
            let limit = ["--nodes", nodes, "--lines", "8"];
            let table = analyze(variant, &limit);
            assert_eq!(table, analyze(variant, &limit), "{variant} {nodes}");
            let mut object = json(variant, &limit);
            let rows = table.split_once("rank").unwrap().1.lines().skip(1);
            let rows: Vec<&str> = rows.take_while(|line| !line.is_empty()).collect();
            let lines = object["lines"].as_array().unwrap();
            assert_eq!(rows.len(), lines.len(), "{variant} {nodes}: {table}");
            for (row, line) in rows.iter().zip(lines) {
                assert!(row.ends_with(&strings(&line["line"]).join(" ")), "{row}");
            }
            object["seconds"].take();
            let mut again = json(variant, &limit);
            again["seconds"].take();
            assert_eq!(object, again);
        }
    }
}

#[test]
fn an_object_has_these_fields() {
    let mut object = json("markane:6x6", &["--nodes", "500", "--lines", "1"]);
    assert!(object["seconds"].take().is_number());
    let text = serde_json::to_string_pretty(&object).unwrap();
    insta::assert_snapshot!(text, @r#"
    {
      "lines": [
        {
          "complete": true,
          "depth": 3,
          "expected_score": 0.484314,
          "line": [
            "a1",
            "c1",
            "c2"
          ],
          "move": "a1",
          "nodes": 3,
          "proof": null,
          "score": {
            "cp": -11
          },
          "upper_bound": false
        }
      ],
      "nodes": 500,
      "position": "....../....../....../....../....../...... b 1 1",
      "result": null,
      "seconds": null,
      "side": "black",
      "variant": "markane:6x6"
    }
    "#);
}

/// Moves of markane:4x4 after which Black has a move of three steps that captures everything.
pub(crate) const BEFORE_THREE_STEPS: &str = "a2 d4 b1 c3 a4 d2 b3 c1";

#[test]
fn a_proven_result_and_a_move_of_several_steps_are_shown() {
    let arguments = ["--moves", BEFORE_THREE_STEPS, "--nodes", "5000"];
    insta::assert_snapshot!(analyze("markane:4x4", &arguments), @"
       a b c d
     4 b . . w 4
     3 . b w . 3
     2 b . . w 2
     1 . b(w). 1
       a b c d
    owed: 1 placement
    Black to move, turn 9

    rank  move         Black scores  proven    depth  nodes  line
       1  d1,d3,c2,c4       100.0 %  win in 1      4      6  d1,d3,c2,c4
       2  d3,c2,c4          100.0 %  win in 1      3      2  d3,c2,c4
       3  c4,d1,d3          100.0 %  win in 1      3      2  c4,d1,d3
       4  c2,d1,d3,c4       100.0 %  win in 1      4      2  c2,d1,d3,c4

    29 nodes
    ");
    let object = json("markane:4x4", &arguments);
    let first = &object["lines"][0];
    assert_eq!(first["proof"]["result"], "win");
    assert_eq!(first["score"]["mate"], 1);
    assert!(first["move"].as_str().unwrap().split(',').count() >= 3);
}

#[test]
fn inversion_shows_the_order_of_several_hexes() {
    // White's d4 fills two hexes, as in the page of the game.
    let position = "ww./bw.w/wbbww/w.bw/.b. w - 15";
    let arguments = ["--position", position, "--nodes", "3000", "--lines", "100"];
    insta::assert_snapshot!(analyze("inversion:3", &arguments), @r#"
       5 w w .
      4 b w . w
     3 w b b w w
      2 w . b w \
       1 . b . \ \
          a b c d e
    stones: White 9, Black 5
    White to move, turn 15

    rank  move   White scores  proven     depth  nodes  line
       1  c1            0.0 %  loss in 3     10    603  c1 e5 a1 b2,b2,b3 d4,d3,d4,c4
       2  a1            0.0 %  loss in 3      8    531  a1 d4,d3 b2,b2,b3 c1 e5
       3  e5            0.0 %  loss in 3      9    447  e5 d4,d3,d4 c1 b2,b3,c3 a1
       4  b2            0.0 %  loss in 3      7    321  b2 d4,c3,c4 e5 c1 a1
       5  d4,c4         0.0 %  loss in 3      7    213  d4,c4 b2,c3 e5 c1 a1
    in N: within N moves of White, not counting Black's

    2115 nodes
    "#);
    let object = json("inversion:3", &arguments);
    let lines = object["lines"].as_array().unwrap();
    let moves = lines.iter().map(|line| line["move"].as_str().unwrap());
    let orders: Vec<&str> = moves.filter(|text| text.starts_with("d4")).collect();
    assert!(["d4,c4", "d4,d3"].contains(&orders[0]), "{orders:?}");
    // In the middle of the move, what is left of it is a move.
    let pending = "ww./bwww/wbbww/w.bw/.b. w d3+c4 15";
    let arguments = ["--position", pending, "--nodes", "3000"];
    insta::assert_snapshot!(analyze("inversion:3", &arguments), @r#"
       5 w w .
      4 b w w w
     3 w b b w w
      2 w . b w \
       1 . b . \ \
          a b c d e
    stones: White 10, Black 5
    pending: d3+c4
    White to move, turn 15

    rank  move  White scores  proven     depth  nodes  line
       1  c4           0.0 %  loss in 3      6    114  c4 b2,c3 c1 e5 a1
       2  d3           0.0 %  loss in 3      6    188  d3 b2,b3 c1 a1 e5
    in N: within N moves of White, not counting Black's

    302 nodes
    "#);
    json("inversion:3", &arguments);
}

#[test]
fn a_swap_is_a_move_like_others() {
    for (variant, first) in [("markane:4x4,pie=on", "c3"), ("invector:5x4", "c3c4")] {
        let arguments = ["--moves", first, "--nodes", "3000", "--lines", "100"];
        let object = json(variant, &arguments);
        let lines = object["lines"].as_array().unwrap();
        let swaps = lines.iter().filter(|line| line["move"] == "swap");
        assert_eq!(swaps.count(), 1, "{object}");
        // Moves go on from a swap, too.
        let moves = format!("{first} swap");
        json(variant, &["--moves", &moves, "--nodes", "100"]);
    }
}

#[test]
fn more_lines_than_legal_moves_are_all_legal_moves() {
    let variant = "markane:3x3";
    let object = json(variant, &["--lines", "500", "--nodes", "3000"]);
    let legal = session(variant).legal();
    assert_eq!(object["lines"].as_array().unwrap().len(), legal.len());
}

#[test]
fn the_only_legal_move_is_searched_too() {
    let (variant, position) = ("invector:5x4", "w..../..w.w/.bb.w/..... b 23");
    let mut only = session(variant);
    only.set_position(position).unwrap();
    assert_eq!(only.legal(), ["c2c3"]);
    for lines in ["1", "5"] {
        let arguments = ["--position", position, "--nodes", "1000", "--lines", lines];
        let object = json(variant, &arguments);
        assert_eq!(object["lines"].as_array().unwrap().len(), 1);
        // It is proven lost before the limit.
        assert!(object["nodes"].as_u64().unwrap() > 20, "{object}");
        assert_eq!(object["lines"][0]["proof"]["result"], "loss");
    }
}

#[test]
fn a_finished_game_has_a_result_and_no_lines() {
    let moves = format!("{BEFORE_THREE_STEPS} d1,d3,c4");
    insta::assert_snapshot!(analyze("markane:4x4", &["--moves", &moves]), @"
       a b c d
     4 b .(b). 4
     3 . b .(b)3
     2 b . . . 2
     1 . b .(b)1
       a b c d
    Black wins: annihilation

    The game is over: no move is left to analyze.
    ");
    insta::assert_snapshot!(analyze("markane:4x4", &["--moves", &moves, "--json"]), @r#"{"variant":"markane:4x4","position":"b.b./.b.b/b.../.b.b b 2 9","side":"black","result":{"winner":"black","reason":"annihilation"},"nodes":0,"seconds":0.0,"lines":[]}"#);
    json("markane:4x4", &["--moves", &moves]);
}

#[test]
fn what_does_not_fit_is_quoted() {
    let over = format!("{BEFORE_THREE_STEPS} d1,d3,c4 a1");
    let mut failures = vec![
        failure(&["chess"]),
        failure(&["markane:3x3", "--position", "b../... w 0"]),
        failure(&["markane:3x3", "--moves", "a1 z9"]),
        failure(&["markane:3x3", "--moves", "a1 a1"]),
        failure(&["markane:3x3", "--moves", "a1,b2"]),
        failure(&["markane:4x4", "--moves", &over]),
    ];
    // The first line of clap's errors says what is wrong.
    for options in [
        &[][..],
        &["markane", "--nodes", "0"],
        &["markane", "--nodes", "many"],
        &["markane", "--movetime", "-1"],
        &["markane", "--nodes", "5", "--movetime", "5"],
        &["markane", "--lines", "0"],
        &["markane", "--lines", "501"],
        &["markane", "--threads", "257"],
        &["markane", "--hash", "0"],
        &["markane", "--depth", "3"],
    ] {
        let error = failure(options);
        failures.push(error.lines().next().unwrap().to_owned());
    }
    insta::assert_snapshot!(failures.join("\n"), @r#"
    2: pentalith: bad variant: "chess": game chess: expected one of invector, gravel, markane, inversion, invictus (pentalith --help lists the commands)
    2: pentalith: bad position: "b../... w 0": position (column 12): needs 4 fields (board, side, owed, turn), has 3
    2: pentalith: illegal move: move 2, "z9": "z9", column 1: expected swap or a column from a to c, found "z9"
    2: pentalith: illegal move: move 2, "a1": a1: the pit is occupied
    2: pentalith: illegal move: move 1, "a1,b2": b2: Black's move is complete before it
    2: pentalith: illegal move: move 10, "a1": the game is over
    2: error: the following required arguments were not provided:
    2: error: invalid value '0' for '--nodes <N>': 0 is not in 1..=1000000000000
    2: error: invalid value 'many' for '--nodes <N>': invalid digit found in string
    2: error: unexpected argument '-1' found
    2: error: the argument '--nodes <N>' cannot be used with '--movetime <MS>'
    2: error: invalid value '0' for '--lines <K>': 0 is not in 1..=500
    2: error: invalid value '501' for '--lines <K>': 501 is not in 1..=500
    2: error: invalid value '257' for '--threads <THREADS>': 257 is not in 1..=256
    2: error: invalid value '0' for '--hash <MB>': 0 is not in 1..=65536
    2: error: unexpected argument '--depth' found
    "#);
}

#[test]
fn a_time_and_threads_limit_the_search() {
    let arguments = "--movetime 50 --threads 2 --hash 8 --lines 2";
    let arguments: Vec<&str> = arguments.split(' ').collect();
    let output = analyze("markane:6x6", &arguments);
    let last = output.lines().last().unwrap();
    assert!(last.contains(" nodes in "), "{output}");
    assert!(last.ends_with(" s"), "{output}");
    let object = json("markane:6x6", &["--movetime", "50", "--hash", "8"]);
    let seconds = object["seconds"].as_f64().unwrap();
    assert!(seconds > 0.0, "{object}");
}

#[cfg(unix)]
#[test]
fn a_signal_ends_the_search_and_prints_what_is_known() {
    use std::io::{BufRead, BufReader, Read};
    use std::process::Stdio;

    let mut program = Command::new(env!("CARGO_BIN_EXE_pentalith"))
        .args(["analyze", "markane:8x8", "--movetime", "600000"])
        .env_remove("RUST_LOG")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut output = BufReader::new(program.stdout.take().unwrap());
    let mut text = String::new();
    while !text.contains("to move") {
        assert!(output.read_line(&mut text).unwrap() > 0, "{text}");
    }
    let id = program.id().to_string();
    let kill = Command::new("kill").args(["-TERM", &id]).status();
    assert!(kill.unwrap().success());
    output.read_to_string(&mut text).unwrap();
    assert_eq!(program.wait().unwrap().code(), Some(130), "{text}");
    assert!(text.ends_with(" s, interrupted\n"), "{text}");
    assert!(text.contains("\nrank  move"), "{text}");
}
