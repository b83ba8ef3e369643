//! `pentalith check`: good engines pass, and every kind of bad engine is caught by the check made for it.
#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use pentalith::check::gtp;

use crate::talk::side_by_side;

const GTP: &str = include_str!("engines/gtp.sh");
const UGI: &str = include_str!("engines/ugi.sh");

/// A run of the program: its status, its report and its errors.
fn run(arguments: &[&str]) -> (i32, String, String) {
    let program = env!("CARGO_BIN_EXE_pentalith");
    let output = Command::new(program).args(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let status = output.status.code().unwrap();
    (status, text(output.stdout), text(output.stderr))
}

/// Checks an engine that is a script, with something wrong; gives status and report.
fn check(protocol: &str, script: &str, bad: &str, seconds: &str) -> (i32, String) {
    let options = ["check", "--protocol", protocol, "--timeout", seconds];
    let engine = ["--", "sh", "-c", script, "engine", bad];
    let (status, report, _) = run(&[options.as_slice(), engine.as_slice()].concat());
    (status, report)
}

/// The names of the checks that came out so.
fn rows<'a>(report: &'a str, word: &str) -> Vec<&'a str> {
    let rows = report.lines().filter_map(|line| line.strip_prefix(word));
    rows.map(|row| row.trim_start().split("  ").next().unwrap()).collect()
}

#[test]
fn our_own_gtp_passes_whole() {
    let engine = env!("CARGO_BIN_EXE_pentalith");
    let (status, report, errors) =
        run(&["check", "--variant", "invector:5x4", "--timeout", "60", "--", engine, "gtp", "invector:5x4"]);
    assert_eq!((status, errors.as_str()), (0, ""), "{report}");
    let all = gtp::CHECKS.len();
    assert_eq!(rows(&report, "pass").len(), all, "{report}");
    let summary = format!("\n{all} passed, 0 failed, 0 skipped\n");
    assert!(report.ends_with(&summary), "{report}");
}

#[test]
fn the_example_engine_of_the_page_passes() {
    if let Err(error) = Command::new("python3").arg("--version").output() {
        return crate::clients::skip("python3 does not run", &error.to_string());
    }
    let engine = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/examples/random_invector.py");
    let (status, report, errors) = run(&[
        "check",
        "--variant",
        "invector:5x4",
        "--timeout",
        "60",
        "--",
        "python3",
        engine.to_str().unwrap(),
        "5",
        "4",
    ]);
    assert_eq!((status, errors.as_str()), (0, ""), "{report}");
    assert_eq!(rows(&report, "note"), [""; 0], "{report}");
    // It has no options to set.
    let skipped = rows(&report, "skip");
    let lists = ["the list of legal steps is right", "perft is right"];
    assert_eq!(skipped, [&["an option out of its range is survived"], lists.as_slice()].concat());
}

#[test]
fn good_engines_of_unknown_games_pass() {
    for (protocol, script) in [("gtp", GTP), ("ugi", UGI)] {
        // Without --protocol it is found out.
        let (status, report, _) = run(&["check", "--timeout", "30", "--", "sh", "-c", script]);
        assert!(report.contains(&format!(": {protocol}, 30 s for each")), "{report}");
        assert_eq!(status, 0, "{report}");
        assert_eq!(rows(&report, "note"), [""; 0], "{report}");
        // What can only be known with our rules is skipped.
        let skipped = rows(&report, "skip");
        assert!((7..=10).contains(&skipped.len()), "{report}");
        assert!(report.contains("only known with --variant"), "{report}");
    }
}

#[test]
fn white_space_of_any_kind_is_a_note_and_no_failure() {
    let engine = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/all/engines/ugi.sh");
    let odd = [("", "\\t"), ("", "  "), (" \\t", "\\f \\v"), ("\\t", " ")];
    side_by_side(odd, |(first, between)| {
        let script = format!(
            "sh {engine} | while IFS= read -r line; do printf '{first}%s \\n' \"$(printf %s \"$line\" | sed \"s/ /$(printf \
             '{between}')/g\")\"; done"
        );
        let arguments = ["check", "--protocol", "ugi", "--timeout", "30", "--", "sh", "-c", &script];
        let (status, report, _) = run(&arguments);
        assert_eq!(status, 0, "{report}");
        assert_eq!(rows(&report, "note"), ["one space separates the words of a line"], "{report}");
    });
}

/// Asserts that exactly these checks fail, and gives the report.
fn fails(protocol: &str, script: &str, bad: &str, seconds: &str, expected: &[&str]) -> String {
    let (status, report) = check(protocol, script, bad, seconds);
    assert_eq!(rows(&report, "FAIL"), expected, "{bad}: {report}");
    assert_eq!(status, 1, "{bad}");
    report
}

/// Asserts that at least these checks fail: with a short time-out, a slow machine may fail others.
fn catches(protocol: &str, script: &str, bad: &str, seconds: &str, expected: &[&str]) -> String {
    let (status, report) = check(protocol, script, bad, seconds);
    let failed = rows(&report, "FAIL");
    for name in expected {
        assert!(failed.contains(name), "{bad}: {report}");
    }
    assert_eq!(status, 1, "{bad}");
    report
}

const FIRST_GTP: &str = "the first command is answered";
const FIRST_UGI: &str = "ugi is answered with ugiok";

#[test]
fn an_engine_that_never_speaks_is_given_up_at_once() {
    let protocols = [("gtp", GTP, FIRST_GTP), ("ugi", UGI, FIRST_UGI)];
    let all = protocols.map(|protocol| ["hangs", "dies", "floods"].map(|bad| (protocol, bad)));
    side_by_side(all.as_flattened(), |((protocol, script, first), bad)| {
        let began = Instant::now();
        let report = fails(protocol, script, bad, "0.3", &[first]);
        assert!(began.elapsed() < Duration::from_secs(20), "{bad}");
        let others = rows(&report, "skip").len();
        assert_eq!(rows(&report, "pass"), [""; 0]);
        assert!(others > 30, "{report}");
    });
    let (status, report, errors) = run(&["check", "--timeout", "0.3", "--", "sleep", "1000"]);
    assert_eq!(status, 1);
    assert_eq!(rows(&report, "FAIL"), ["the engine speaks GTP or UGI"]);
    assert_eq!(errors, "pentalith: 1 of the checks failed\n");
}

#[test]
fn the_proof_shows_what_was_said_and_what_the_engine_complained_of() {
    let report = fails("gtp", GTP, "dies", "5", &[FIRST_GTP]);
    let proof: Vec<&str> = report.lines().skip(2).take(4).collect();
    insta::assert_snapshot!(proof.join("\n"), @"
    FAIL  the first command is answered                          the engine ended (exit status: 3): no answer to the first command
            why: an answer is a line that begins with = or ?, and it must come in time
            > name
            ! no license
    ");
    let report = fails("gtp", GTP, "floods", "0.3", &[FIRST_GTP]);
    assert!(report.contains("no answer to the first command"), "{report}");
    assert!(report.contains("        < flood\n"), "{report}");
    let report = fails("gtp", GTP, "floods-one-line", "0.3", &[FIRST_GTP]);
    assert!(report.contains("        < xxxx"), "{report}");
}

#[test]
fn each_fault_in_gtp_is_found_by_its_own_check() {
    const SECONDS: &str = "5";
    let faults: &[(&str, &[&str])] = &[
        ("two-empty-lines", &["only one empty line ends an answer"]),
        ("twice", &["a command gets one answer and no more", "only answers are on standard output"]),
        ("no-ids", &["an id is echoed"]),
        ("stray", &["only answers are on standard output"]),
        ("knows-all", &["known_command agrees with the list"]),
        ("plays-anything", &["nonsense for a move gets an error and changes nothing"]),
        ("no-undo", &["undo takes a move back"]),
    ];
    side_by_side(faults, |(bad, expected)| {
        fails("gtp", GTP, bad, SECONDS, expected);
    });
}

#[test]
fn faults_that_cost_time_are_found_too() {
    let no_empty_line = || {
        let frame = "an empty line ends an answer";
        let report = fails("gtp", GTP, "no-empty-line", "0.5", &[frame]);
        let why = "no empty line that ends the answer within 500 ms";
        assert!(report.contains(why), "{report}");
    };
    let stays = || {
        let ends = ["quit is answered and ends the process", "the end of input ends the process"];
        let report = catches("gtp", GTP, "stays", "1", &ends);
        assert!(report.contains("still running 1"), "{report}");
    };
    let never_moves = || {
        let moves = "a move of genmove can be played in a new game";
        let report = catches("gtp", GTP, "never-moves", "1", &[moves]);
        let why = "no answer to \"genmove\" within 1 s";
        assert!(report.contains(why), "{report}");
        // Nobody waits for the same twice.
        assert!(report.contains("genmove is not answered"), "{report}");
    };
    let all: [fn(); 3] = [no_empty_line, stays, never_moves];
    side_by_side(all, |test| test());
}

#[test]
fn engines_that_break_in_the_middle_are_started_again() {
    let all = [("stops-reading", "no answer"), ("floods-later", "no answer"), ("dies-later", "signal: 9")];
    side_by_side(all, |(bad, word)| {
        let flood = "2000 commands at once are answered";
        let report = catches("gtp", GTP, bad, "1", &[flood]);
        assert!(report.contains(word), "{report}");
        // The checks behind it go on with a new process.
        assert!(rows(&report, "pass").contains(&"quit is answered and ends the process"), "{report}");
    });
}

#[test]
fn an_engine_that_leaves_a_child_behind_is_known_to_have_died() {
    let began = Instant::now();
    for (protocol, script, move_check) in [
        ("gtp", GTP, "a move of genmove can be played in a new game"),
        ("ugi", UGI, "go movetime gives exactly one bestmove"),
    ] {
        let report = catches(protocol, script, "dies-before-its-child", "600", &[move_check]);
        assert!(report.contains("the engine ended (signal: 11"), "{report}");
        assert!(!report.contains("within 600 s"), "{report}");
    }
    // Far less than one time-out.
    assert!(began.elapsed() < Duration::from_secs(120));
}

#[test]
fn each_fault_in_ugi_is_found_by_its_own_check() {
    const SECONDS: &str = "5";
    let one = "go movetime gives exactly one bestmove";
    let faults: &[(&str, &[&str])] = &[
        ("no-author", &["id name and id author are given"]),
        ("odd-option", &["options are well formed"]),
        ("two-bestmoves", &[one, "no second bestmove comes after stop"]),
        ("late", &["go movetime keeps to its time"]),
        ("always-stops", &["no second bestmove comes after stop", "stop without a search gives nothing"]),
        ("odd-result", &["queries are answered well at the start", "a whole game comes to its end"]),
        ("no-winner", &["query result of that game is right"]),
        ("dies-of-illegal-moves", &["an illegal move is survived"]),
        ("ponders", &["bestmove is followed by the move alone"]),
    ];
    side_by_side(faults, |(bad, expected)| {
        let report = fails("ugi", UGI, bad, SECONDS, expected);
        let why = "expected the end, found \"ponder\"";
        assert_eq!(report.contains(why), *bad == "ponders", "{report}");
    });
}

#[test]
fn faults_in_ugi_that_cost_time_are_found_too() {
    let ends: &[_] = &[
        "quit ends the process",
        "quit ends the process while a search runs",
        "the end of input ends the process",
        "the end of input ends the process while a search runs",
    ];
    let all = [
        ("no-bestmove", &["go movetime gives exactly one bestmove"][..], "no bestmove within 1 s"),
        ("deaf", &["isready is answered while a search runs"], ""),
        ("stays", ends, ""),
    ];
    side_by_side(all, |(bad, expected, why)| {
        let report = catches("ugi", UGI, bad, "1", expected);
        assert!(report.contains(why), "{report}");
    });
}

/// Checks an engine that plays a game of ours, or says so.
fn judged(variant: &str, script: &str, bad: &str) -> (i32, String) {
    let options = ["check", "--variant", variant, "--timeout", "10"];
    let engine = ["--", "sh", "-c", script, "engine", bad];
    let (status, report, _) = run(&[options.as_slice(), engine.as_slice()].concat());
    (status, report)
}

#[test]
fn our_rules_judge_a_game_in_ugi() {
    const MARKANE: &str = include_str!("engines/markane.sh");
    let legal = "every move of that game is legal";
    let right = "query result of that game is right";
    let all = [
        ("markane:2x1", "", ""),
        ("markane:2x1", "boasts", "p1win, but by the rules p2win"),
        ("markane:2x1", "cheats", "move 2: illegal move for White: a1:"),
        // The same engine does not play another game.
        ("markane:2x2", "", ""),
    ];
    side_by_side(all, |(variant, bad, why)| {
        let (status, report) = judged(variant, MARKANE, bad);
        let (passed, failed) = (rows(&report, "pass"), rows(&report, "FAIL"));
        assert!(report.contains(why), "{report}");
        match (variant, bad) {
            ("markane:2x1", "") => {
                assert_eq!(status, 0, "{report}");
                for name in ["position fen sets the position", legal, right] {
                    assert!(passed.contains(&name), "{report}");
                }
            }
            (_, "boasts") => assert_eq!(failed, [right, "query result is right in every game"], "{report}"),
            _ => assert!(failed.contains(&legal), "{report}"),
        }
    });
}

#[test]
fn our_rules_judge_a_game_in_gtp() {
    let (status, report) = judged("markane:2x1", GTP, "");
    let legal = "every move of a whole game is legal";
    assert!(status == 1 && rows(&report, "FAIL").contains(&legal), "{report}");
    assert!(report.contains("move 1: illegal move for Black: "), "{report}");
}

#[test]
fn what_is_only_recommended_is_noted_and_does_not_fail() {
    let notes = [
        ("no-info", "an info line comes before bestmove"),
        ("odd-info", "info lines are well formed"),
        ("chatty", "only the protocol is on standard output"),
    ];
    side_by_side(notes, |(bad, name)| {
        let (status, report) = check("ugi", UGI, bad, "10");
        assert_eq!((status, rows(&report, "note")), (0, vec![name]), "{report}");
        assert!(report.ends_with(", 1 note\n"), "{report}");
    });
}

#[test]
#[cfg(target_os = "linux")]
fn output_without_end_takes_no_memory_without_end() {
    for (protocol, script, bad) in
        [("gtp", GTP, "floods-one-line"), ("gtp", GTP, "answers-without-end"), ("ugi", UGI, "floods")]
    {
        let program = env!("CARGO_BIN_EXE_pentalith");
        // Kilobytes of address space, for the engine's programs, too.
        let limited = "ulimit -v 400000; exec \"$@\"";
        let check = [program, "check", "--protocol", protocol, "--timeout", "2"];
        let output = Command::new("sh")
            .args(["-c", limited, "sh"])
            .args(check)
            .args(["--", "sh", "-c", script, "engine", bad])
            .output()
            .unwrap();
        let report = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(1), "{bad}: {report}");
        assert_eq!(rows(&report, "FAIL").len(), 1, "{bad}: {report}");
    }
}

/// Tells if any process has a word on its command line. A process that has ended has no command line.
#[cfg(target_os = "linux")]
fn runs(word: &str) -> bool {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let mut lines = processes.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    lines.any(|line| String::from_utf8_lossy(&line).split('\0').any(|w| w == word))
}

#[test]
#[cfg(target_os = "linux")]
fn no_process_is_left_behind() {
    // A number of seconds that nobody else sleeps.
    let seconds = format!("10{}.5", std::process::id());
    let options = ["check", "--protocol", "gtp", "--timeout", "60", "--"];
    let engine = ["sh", "-c", GTP, "engine", "leaves-a-child", &seconds];
    let (status, report, _) = run(&[options.as_slice(), engine.as_slice()].concat());
    assert_eq!(status, 0, "{report}");
    assert!(!runs(&seconds));
    // An engine that hangs is a script that waits for another process, and both must go.
    let hang = format!("sleep {seconds}; true");
    let (status, _, _) = run(&["check", "--timeout", "0.2", "--", "sh", "-c", &hang]);
    assert_eq!(status, 1);
    assert!(!runs(&seconds));
}

#[test]
#[cfg(target_os = "linux")]
fn an_interrupted_run_leaves_no_process_either() {
    let seconds = format!("20{}.5", std::process::id());
    let mut program = Command::new(env!("CARGO_BIN_EXE_pentalith"))
        .args(["check", "--timeout", "600", "--", "sleep", &seconds])
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let deadline = Instant::now() + Duration::from_secs(30);
    // Its own command line holds the word, too, before it starts the other.
    let engine_runs = || {
        let children = format!("/proc/{0}/task/{0}/children", program.id());
        fs::read_to_string(children).is_ok_and(|children| !children.trim().is_empty())
    };
    while !engine_runs() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(10));
    }
    let kill = Command::new("kill").args(["-TERM", &program.id().to_string()]).status();
    assert!(kill.unwrap().success());
    assert_eq!(program.wait().unwrap().code(), Some(130));
    assert!(!runs(&seconds));
}

#[test]
fn a_command_that_is_none_is_an_error_of_the_command_line() {
    let (status, report, errors) = run(&["check", "--", "/no/such/engine"]);
    assert_eq!((status, report.as_str()), (2, ""));
    assert!(errors.starts_with("pentalith: the engine can't be started: "), "{errors}");
    for arguments in [
        &["check"] as &[&str],
        &["check", "--"],
        &["check", "sh"],
        &["check", "--timeout", "0", "--", "sh"],
        &["check", "--protocol", "uci", "--", "sh"],
        &["check", "--variant", "chess", "--", "sh"],
    ] {
        assert_eq!(run(arguments).0, 2, "{arguments:?}");
    }
}
