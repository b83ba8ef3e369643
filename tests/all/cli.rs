//! The command line.

use std::io::Write;
use std::process::{Command, Output, Stdio};

use crate::transcripts::{run, without_numbers};

fn pentalith(arguments: &[&str]) -> Output {
    let program = env!("CARGO_BIN_EXE_pentalith");
    Command::new(program).args(arguments).output().unwrap()
}

/// Status and standard error of a call that must fail.
fn failure(arguments: &[&str]) -> String {
    let output = pentalith(arguments);
    assert!(output.stdout.is_empty());
    let errors = String::from_utf8(output.stderr).unwrap();
    format!("{}: {}", output.status.code().unwrap(), errors.trim())
}

#[test]
fn perft_counts_and_divides() {
    let output = run(&["perft", "invector:5x4", "3"], b"");
    assert!(output.starts_with("19066\nnodes/s "), "{output}");
    for flags in [["--threads", "3"], ["--hash", "1"], ["--every-leaf", "--divide"]] {
        let arguments = [&["perft", "invector:5x4", "3"], &flags[..]].concat();
        let output = run(&arguments, b"");
        assert!(output.contains("19066\nnodes/s "), "{output}");
        let played = output.trim_end().ends_with("(every leaf played)");
        assert_eq!(played, flags.contains(&"--every-leaf"), "{output}");
    }
    let position = ".../w.b/b.w b 1 5";
    let arguments = ["perft", "markane:3x3", "2", "--divide", "--position", position];
    let output = run(&arguments, b"");
    insta::assert_snapshot!(without_numbers(&output, &["nodes/s"]), @"
    b1 3
    b2 2
    a3 1
    b3 3
    9
    nodes/s N (last ply counted)
    ");
}

#[test]
fn the_catalogue_names_every_game_with_its_author() {
    insta::assert_snapshot!(run(&["games"], b""), @"
    invector (Mark Steere, 2026). Capture next to you or step towards the center; who takes every enemy stone wins.
      Black moves first.
      size     a size is columns x ranks, as in 8x7, from 1 to 25 each, with one even and one odd dimension (default 8x7)
      pie      on or off (default on): White may swap colors instead of playing turn 2
      solved   p1: 2x1
      solved   p1 with pie=off: 2x1 4x1 6x1 8x1 5x2 10x1 12x1 7x2 14x1 16x1 6x3 9x2 18x1 20x1 5x4
      solved   p2: 4x1 3x2 6x1 8x1 5x2 10x1 4x3 12x1 7x2 14x1 16x1 6x3 9x2 18x1 20x1 5x4
      solved   p2 with pie=off: 3x2 4x3

    gravel (the sheet names no author). Stack pieces, control spaces from their flanks, and remove what stands there.
      White moves first.
      size     a size is one number, of columns and of ranks, from 2 to 25 (default 8)
      x        a number from 2 to 99 (default 4): placements and removals a turn, and pieces a space, at most
      pie      on or off (default off): Black may swap colors instead of playing turn 2
      stall    a number from 1 to 9999 (default 256): turns in a row without a removal that make a draw; 4·N·N where none is given
      solved   draw: 2
      solved   draw with pie=on: 2
      solved   draw with x=2: 2 3
      solved   draw with x=3: 2 3
      solved   draw with x=2,stall=4: 3
      solved   draw with x=3,stall=4: 3

    markane (Mark Steere, 2026). Place stones; captures earn further placements; who cannot place loses.
      Black moves first.
      size     a size is columns x ranks, as in 8x8, from 1 to 25 each (default 8x8)
      pie      on or off (default off): White may swap colors instead of playing turn 2
      solved   p1: 1x1 4x1 5x1 3x2 8x1 9x1 3x3 5x2 12x1 13x1 7x2 16x1 17x1 9x2 6x3 20x1 21x1 7x3 11x2
               24x1 25x1 5x5 13x2 6x5
      solved   p1 with pie=on: 1x1
      solved   p2: 2x1 3x1 2x2 6x1 7x1 4x2 10x1 11x1 6x2 4x3 14x1 15x1 5x3 8x2 4x4 18x1 19x1 10x2 5x4
               22x1 23x1 12x2 8x3 6x4 9x3 14x2 7x4
      solved   p2 with pie=on: 2x1 3x1 4x1 2x2 5x1 6x1 3x2 7x1 8x1 4x2 9x1 3x3 10x1 5x2 11x1 12x1 6x2
               4x3 13x1 14x1 7x2 15x1 5x3 16x1 8x2 4x4 17x1 18x1 9x2 6x3 19x1 20x1 10x2 5x4 7x3 8x3 6x4
               5x5 9x3 7x4

    inversion (Zack Lasner, 2010). Fill the board; a full hex of seven turns to the color that has fewer of it.
      White moves first.
      size     a size is one number, of cells a side, from 2 to 13 (default 5)
      komi     a multiple of 0.5 from -999 to 999 (default 0): points for Black, who moves second
      order    mover or alternate or single (default mover): who says in what order several hexes are inverted; with single, only one is
      pie      on or off (default off): Black may swap colors instead of playing turn 2
      solved   p2 by 7: 2
      solved   p2 by 7 with order=alternate: 2
      solved   p2 by 7 with order=alternate,pie=on: 2
      solved   p2 by 7 with order=single: 2
      solved   p2 by 7 with order=single,pie=on: 2
      solved   p2 by 7 with pie=on: 2
      solved   p1 by 5: 3
      solved   p2 by 3 with pie=on: 3
      solved   p1 by 1 with order=alternate: 3
      solved   p2 by 1 with order=alternate,pie=on: 3
      solved   p1 by 1 with order=single: 3
      solved   p2 by 1 with order=single,pie=on: 3

    invictus (Rey Alicea, 2013). March dice across the Divide; what arrives, and what is captured as a one, scores.
      Black moves first.
      size     the board is always 9x9
      stall    a number from 1 to 9999 (default 100): turns in a row without a capture or a step forward that end the game
    ");
}

#[test]
fn bad_variants_and_positions_are_quoted() {
    let failures = [
        failure(&["gtp", "invector:8x8"]),
        failure(&["gtp", "chess"]),
        failure(&["perft", "markane:26x2", "1"]),
        failure(&["perft", "markane:3x3", "1", "--position", "b../... w 0"]),
        failure(&["markane:"]),
    ];
    insta::assert_snapshot!(failures.join("\n"), @r#"
    2: pentalith: bad variant: "invector:8x8": size 8x8: needs one even and one odd dimension (pentalith --help lists the commands)
    2: pentalith: bad variant: "chess": game chess: expected one of invector, gravel, markane, inversion, invictus (pentalith --help lists the commands)
    2: pentalith: bad variant: "markane:26x2": size 26x2: a size is columns x ranks, as in 8x8, from 1 to 25 each (pentalith --help lists the commands)
    2: pentalith: bad position: "b../... w 0": position (column 12): needs 4 fields (board, side, owed, turn), has 3
    2: pentalith: bad variant: "markane:": item "": expected an item of markane: a size is columns x ranks, as in 8x8, from 1 to 25 each; pie is on or off (pentalith --help lists the commands)
    "#);
}

#[test]
fn bench_counts_the_same_nodes_in_every_run_and_build() {
    let output = run(&["bench"], b"");
    // What comes behind the count is a speed.
    let totals = output.lines().filter_map(|line| line.split_once("total ")?.1.split_once(" nodes"));
    let totals: Vec<&str> = totals.map(|(total, _)| total.trim()).collect();
    // The checksums of the searches' behavior, of puct and of the others: a change of them must be meant.
    assert_eq!(totals, ["7344894", "23445972"]);
    assert!(totals.iter().all(|total| include_str!("../../docs/results/speed.md").contains(total)));
}

#[test]
fn a_log_goes_to_its_file_and_not_to_the_output() {
    let path = std::env::temp_dir().join(format!("pentalith-{}.log", std::process::id()));
    let file = path.to_str().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_pentalith"))
        .args(["--log", file, "perft", "invector:2x1", "1"])
        .output()
        .unwrap();
    assert!(output.status.success());
    let mut gtp = Command::new(env!("CARGO_BIN_EXE_pentalith"));
    let output = crate::transcripts::run(&["gtp", "invector:2x1", "--log", file], b"1 name\n");
    assert_eq!(output, "=1 pentalith\n\n");
    let log = std::fs::read_to_string(&path).unwrap();
    assert!(log.contains("< 1 name") && log.contains("> =1 pentalith"), "{log}");
    std::fs::remove_file(path).unwrap();
    gtp.args(["--log", "/no/such/folder/log"]);
    assert_eq!(gtp.output().unwrap().status.code(), Some(2));
}

#[test]
fn a_word_that_is_nearly_a_command_is_told_from_a_variant() {
    let meant = [
        ("mach", "match"),
        ("Match", "match"),
        ("macth", "match"),
        ("stat", "stats"),
        ("replya", "replay"),
        ("opening", "openings"),
        ("tunes", "tune"),
        ("uci", "ugi"),
        ("chek", "check"),
    ];
    for (word, command) in meant {
        let more: [&[&str]; 3] = [&[], &["invector", "--engine", "a=uct", "--games", "2"], &["x.pgn"]];
        for more in more {
            let told = failure(&[&[word], more].concat());
            let expected =
                format!("2: pentalith: \"{word}\" is neither a command nor a variant: did you mean \"{command}\"?");
            assert!(told.starts_with(&expected), "{told}");
        }
        assert!(failure(&["--log", "/dev/null", word]).contains("did you mean"));
    }
    for word in ["chess", "invectr", "x", "", "a:b"] {
        let told = failure(&[word]);
        assert!(told.starts_with("2: pentalith: bad variant: "), "{told}");
    }
    assert!(failure(&["perft", "invector"]).contains("<DEPTH>"));
    assert!(pentalith(&["--version"]).status.success());
}

#[test]
fn one_kind_of_fault_has_one_status() {
    let engines = "--engine a=uct --engine b=uct";
    for arguments in [
        "stats none.pgn",
        "replay none.pgn",
        "openings invector --data none.pgn",
        "tune invector --from none.txt",
        "tune invector --rounds 0 --data none.txt",
        "tune invector --out no/such/file",
        "tune invector --record no/such/file",
        &format!("match invector {engines} --openings none.txt"),
        &format!("match invector {engines} --record no/such/file"),
        &format!("match invector {engines} --json no/such/file"),
        "match invector --engine a=uct --engine b=/no/such/engine",
        "check -- /no/such/engine",
        "games --log no/such/file",
        "gtp chess",
        "perft invector:5x4 1 --position x",
        "stats --sprt 0,5,2,3 none.pgn",
    ] {
        let words: Vec<&str> = arguments.split(' ').collect();
        let told = failure(&words);
        assert!(told.starts_with("2: "), "{arguments}: {told}");
    }
    let told = failure(&["stats", "--sprt", "0,5,2,3", "none.pgn"]);
    assert!(told.contains("expected a probability between 0 and 0.5"), "{told}");
}

/// A whole conversation with a program that must fail: what it answers, its errors and its status.
fn refused(arguments: &[&str], input: &str) -> (String, String, i32) {
    let mut program = Command::new(env!("CARGO_BIN_EXE_pentalith"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // It may have ended before.
    let _ = program.stdin.take().unwrap().write_all(input.as_bytes());
    let output = program.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let status = output.status.code().unwrap();
    (text(output.stdout), text(output.stderr), status)
}

#[test]
fn a_client_is_told_in_its_own_words_that_there_is_no_such_variant() {
    for variant in ["foo:3", "foo", "markane:0x0", "inversion:komi", ""] {
        let why = format!("bad variant: \"{variant}\"");
        for dialect in ["gtp", "gogui"] {
            let input = "1 name\n2 protocol_version\n3 known_command play\n4 genmove b\n5 boardsize 8\n6 variant markane\n\
                         7 gogui-rules_game_id\n8 list_commands\n9 quit\n";
            let (output, errors, status) = refused(&[dialect, variant], input);
            assert_eq!(status, 2, "{dialect} {variant}");
            assert!(errors.starts_with(&format!("pentalith: {why}")), "{errors}");
            assert_eq!(errors.lines().count(), 1, "{errors}");
            let answers: Vec<&str> = output.split("\n\n").collect();
            assert_eq!(answers[..3], ["=1 pentalith", "=2 2", "=3 true"]);
            for (id, answer) in [(4, answers[3]), (5, answers[4]), (6, answers[5])] {
                assert!(answer.starts_with(&format!("?{id} {why}")), "{answer}");
            }
            assert!(answers[6].starts_with(if dialect == "gogui" { "?7 bad" } else { "?7 unknown" }));
            assert!(answers[7].starts_with("=8 protocol_version\n"));
            assert_eq!(answers[8..], ["=9", ""]);
            // Nothing asked, or no quit at the end.
            for (input, answer) in [("", ""), ("legal", "? bad"), ("# x\n\n", "")] {
                let (output, errors, status) = refused(&[dialect, variant], input);
                assert!(output.starts_with(answer) && output.is_empty() == answer.is_empty());
                assert!(errors.starts_with(&format!("pentalith: {why}")), "{errors}");
                assert_eq!(status, 2);
            }
        }
        // An engine of UGI that has no game is not ready for one.
        for (input, behind) in [
            ("ugi\nisready\n", vec![]),
            ("\n  \nisready\n", vec![]),
            ("go nodes 1\nquit\n", vec!["bestmove none"]),
            ("query gameover\n", vec!["response none"]),
        ] {
            let (output, errors, status) = refused(&["ugi", variant], input);
            let lines: Vec<&str> = output.lines().collect();
            assert!(lines[0].starts_with(&format!("info error {why}")), "{output}");
            assert_eq!(lines[1..], behind, "{output}");
            assert!(errors.starts_with(&format!("pentalith: {why}")), "{errors}");
            assert_eq!(status, 2);
        }
        assert_eq!(refused(&["ugi", variant], "").2, 2);
    }
}

#[test]
fn words_in_the_wrong_place_get_a_hint() {
    let folder = crate::matches::folder("cli-hints");
    let record = folder.join("games.pgn");
    std::fs::write(&record, "").unwrap();
    let record = record.to_str().unwrap();
    for (arguments, hint) in [
        (
            &["play", "inversion", "5"][..],
            "unexpected \"5\": size and options belong to the variant, as in inversion:5",
        ),
        (&["play", "inversion", "5", "komi=3.5", "--as", "w"], "as in inversion:5,komi=3.5"),
        (&["play", "--as", "w", "inversion:5", "komi=3"], "as in inversion:5,komi=3"),
        (&["gtp", "markane", "6x6"], "as in markane:6x6"),
        (&["analyze", "markane", "6x6"], "as in markane:6x6"),
        (&["perft", "gravel", "4", "3"], "as in gravel:4"),
        (&["markane", "6x6"], "as in markane:6x6"),
        (&["reviews", "x.pgn"], "\"reviews\" is neither a command nor a variant"),
        (&["chess", "8x8"], "\"chess\" is neither a command nor a variant"),
        (&["markane:99x1", "x.pgn"], "bad variant: \"markane:99x1\": size 99x1: a size is"),
        (&[record], "is a file, not a command: did you mean pentalith replay"),
        (&[record, "3"], "is a file, not a command: did you mean pentalith replay"),
        (&["play", record], "games.pgn has no game"),
        (&["board", record], "games.pgn has no game"),
        (&["analyze", record], "games.pgn has no game"),
        (
            &["play", "markane", "--level", "7"],
            "expected a number from 1 to 6, or one of beginner, weak, fair, good, strong, best",
        ),
        (&["board", "--level", "0"], "expected a number from 1 to 6, or one of beginner,"),
        (&["gtp", "--level", "hard"], "expected a number from 1 to 6, or one of beginner,"),
    ] {
        let failed = failure(arguments);
        assert!(failed.starts_with("2: ") && failed.contains(hint), "{arguments:?}: {failed}");
    }
    // What clap says of other arguments stays.
    assert!(failure(&["play", "inversion", "--wrong"]).contains("unexpected argument '--wrong'"));
    assert!(failure(&["stats", "--html"]).contains("a value is required"));
    let help = String::from_utf8(pentalith(&["play", "--help"]).stdout).unwrap();
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(help.contains("a number from 1 (beginner) to 6 (best), or its name"), "{help}");
}

#[test]
fn levels_have_names_and_numbers() {
    for level in ["3", "fair", "FAIR"] {
        assert!(run(&["gtp", "markane:4x4", "--level", level], b"get Strength\n").contains("= fair"));
    }
}
