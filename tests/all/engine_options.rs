//! Engine options on the command line.

use std::process::Command;
use std::time::{Duration, Instant};

use pentalith::games;
use pentalith::session::{Event, Go, NO_FILE};

use crate::talk::session;
use crate::transcripts::{answers, run};

/// Answers of a dialect of GTP on a small board, called with some flags.
fn answered(command: &str, flags: &[&str], input: &str) -> Vec<String> {
    let arguments = [&[command, "markane:4x4"], flags].concat();
    let output = run(&arguments, input.as_bytes());
    answers(&output).into_iter().map(str::to_owned).collect()
}

#[test]
fn a_flag_is_the_same_as_the_option_that_a_client_sets() {
    for (flag, set) in [
        (["--threads", "2"], "set Threads 2"),
        (["--hash", "16"], "set Hash 16"),
        (["--level", "beginner"], "set Strength beginner"),
        (["--level", "Fair"], "set Strength fair"),
        (["--nodes", "100"], "set Nodes 100"),
        (["--nodes", "0"], "set Nodes 0"),
        (["--seed", "4294967295"], "set Seed 4294967295"),
        (["--movetime", "50"], "time 50"),
        (["--movetime", "0"], "time 0"),
    ] {
        for command in ["gtp", "gogui"] {
            let by_client = answered(command, &[], &format!("{set}\nget\ntime\n"));
            assert_eq!(answered(command, &flag, "get\ntime\n"), by_client[1..]);
        }
    }
}

#[test]
fn an_evaluation_comes_from_a_file_and_goes_with_the_variant() {
    let folder = crate::matches::folder("evaluation-files");
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let (own, zeros, broken) = (path("own.txt"), path("zeros.txt"), path("broken.txt"));
    std::fs::write(&own, games::open(&games::parse_variant("markane:4x4").unwrap()).unwrap().weights().write())
        .unwrap();
    std::fs::write(&zeros, "").unwrap();
    std::fs::write(&broken, "no such feature 1 2\n").unwrap();
    let mut session = session("markane:4x4");
    session.play(session.side(), "a2", false).unwrap();
    let (position, value) = (session.position(), session.board().evaluate());
    assert_ne!(value, 0);
    session.set_option("evalfile", &own).unwrap();
    assert_eq!((session.position(), session.board().evaluate(), session.plays()), (position.clone(), value, 1));
    session.set_option("EvalFile", &zeros).unwrap();
    assert_eq!((session.board().evaluate(), session.option("EvalFile").unwrap()), (0, zeros.clone()));
    // Another board of the game keeps it, an error changes nothing.
    for (file, reason) in [(&broken, "no such feature"), (&path("none.txt"), "No such file"), (&path("."), "directory")]
    {
        let error = session.set_option("EvalFile", file).unwrap_err().to_string();
        assert!(error.starts_with("EvalFile ") && error.contains(file.as_str()) && error.contains(reason), "{error}");
    }
    session.set_option("Variant", "markane:5x5").unwrap();
    assert_eq!((session.board().evaluate(), session.option("EvalFile").unwrap()), (0, zeros.clone()));
    session.set_option("Variant", "invector:5x4").unwrap();
    assert_eq!(session.option("EvalFile").unwrap(), NO_FILE);
    session.set_option("EvalFile", &zeros).unwrap();
    session.set_option("EvalFile", NO_FILE).unwrap();
    session.set_option("Variant", "markane:4x4").unwrap();
    session.play(session.side(), "a2", false).unwrap();
    assert_eq!((session.position(), session.board().evaluate()), (position, value));
    let engines = [format!("own=best:EvalFile={own}"), format!("zeros=puct:EvalFile={zeros}")];
    let arguments = ["match", "markane:4x4", "--engine", &engines[0], "--engine", &engines[1]];
    let output = run(&[&arguments[..], &["--nodes", "50", "--games", "2"]].concat(), b"");
    assert!(output.contains("2 games"), "{output}");
}

#[test]
fn flags_decide_how_the_engine_plays() {
    // Without a limit in nodes it plays after a second; with one, the same on every machine.
    for flags in [["--nodes", "100"], ["--level", "beginner"]] {
        let game = "genmove b\ngenmove w\ngenmove b\n";
        let first = answered("gtp", &flags, game);
        assert_eq!(answered("gtp", &flags, game), first);
        assert_eq!(answered("gtp", &flags, game), first);
    }
    let moves = |seed| {
        let search = "set Search uct\ngenmove b\ngenmove w\ngenmove b\n";
        answered("gtp", &["--nodes", "20", "--seed", seed], search)
    };
    let of_seeds: Vec<_> = ["0", "1", "2", "3"].into_iter().map(moves).collect();
    assert!(of_seeds.iter().any(|moves| *moves != of_seeds[0]));
    // A table of two threads and the least memory still plays.
    let flags = ["--threads", "2", "--hash", "1", "--nodes", "1000"];
    assert_eq!(answered("gtp", &flags, "genmove b\n").len(), 1);
}

#[test]
fn a_time_by_flag_gives_way_to_the_limits_of_one_search() {
    // An hour for each move: every search ends by a limit of its own, or the test would not end.
    let ugi = |input: &str| {
        let arguments = ["ugi", "markane:6x6", "--movetime", "3600000"];
        run(&arguments, input.as_bytes())
    };
    let began = Instant::now();
    for go in ["go movetime 50", "go nodes 100", "go depth 2", "go p1time 500 p2time 500"] {
        assert!(ugi(&format!("{go}\n")).contains("bestmove "), "{go}");
    }
    let clock = "time_settings 1 0 0\ngenmove b\n";
    let arguments = ["gtp", "markane:6x6", "--movetime", "3600000"];
    assert_eq!(answers(&run(&arguments, clock.as_bytes())).len(), 2);
    assert!(began.elapsed() < Duration::from_secs(60));
    // And the flag counts where a search has none.
    for (arguments, search) in [
        (["gtp", "markane:6x6", "--movetime", "50"], "genmove b\n"),
        (["ugi", "markane:6x6", "--movetime", "50"], "go\n"),
    ] {
        let began = Instant::now();
        run(&arguments, search.as_bytes());
        assert!(began.elapsed() >= Duration::from_millis(40), "{arguments:?}");
    }
}

#[test]
fn a_bad_value_is_quoted_with_the_values_that_there_are() {
    let bad = [
        ["--threads", "0"],
        ["--threads", "257"],
        ["--threads", "-1"],
        ["--threads", "two"],
        ["--threads", ""],
        ["--hash", "0"],
        ["--hash", "1e3"],
        ["--level", "godlike"],
        ["--movetime", "86400001"],
        ["--movetime", "1.5"],
        ["--nodes", "1000000000001"],
        ["--nodes", "99999999999999999999"],
        ["--seed", "4294967296"],
    ];
    let mut told = Vec::new();
    for flag in bad {
        let mut errors: Vec<String> = Vec::new();
        for command in ["gtp", "ugi", "gogui"] {
            let program = env!("CARGO_BIN_EXE_pentalith");
            let output = Command::new(program).arg(command).args(flag).output().unwrap();
            assert_eq!(output.status.code(), Some(2), "{flag:?}");
            assert!(output.stdout.is_empty());
            errors.push(String::from_utf8(output.stderr).unwrap());
        }
        assert!(errors.iter().all(|error| *error == errors[0]));
        let lines = errors[0].lines().map(str::trim);
        let lines: Vec<&str> = lines.take_while(|line| !line.is_empty()).collect();
        told.push(lines.join(" "));
    }
    insta::assert_snapshot!(told.join("\n"), @"
    error: invalid value '0' for '--threads <N>': expected a number from 1 to 256
    error: invalid value '257' for '--threads <N>': expected a number from 1 to 256
    error: invalid value '-1' for '--threads <N>': expected a number from 1 to 256
    error: invalid value 'two' for '--threads <N>': expected a number from 1 to 256
    error: invalid value '' for '--threads <N>': expected a number from 1 to 256
    error: invalid value '0' for '--hash <MB>': expected a number from 1 to 65536
    error: invalid value '1e3' for '--hash <MB>': expected a number from 1 to 65536
    error: invalid value 'godlike' for '--level <LEVEL>': expected a number from 1 to 6, or one of beginner, weak, fair, good, strong, best
    error: invalid value '86400001' for '--movetime <MS>': expected a number from 0 to 86400000
    error: invalid value '1.5' for '--movetime <MS>': expected a number from 0 to 86400000
    error: invalid value '1000000000001' for '--nodes <N>': expected a number from 0 to 1000000000000
    error: invalid value '99999999999999999999' for '--nodes <N>': expected a number from 0 to 1000000000000
    error: invalid value '4294967296' for '--seed <N>': expected a number from 0 to 4294967295
    ");
}

#[test]
fn contempt_concerns_moves_and_no_analysis() {
    // Nearly every line of this board is a draw.
    let score = |contempt: &str, plays| {
        let mut session = session("gravel:2");
        session.set_option("Contempt", contempt).unwrap();
        let go = Go { nodes: Some(20_000), plays, ..Go::default() };
        let events = session.search(&go).unwrap();
        let found = events.iter().filter_map(|event| match event {
            Event::SearchDone(result) => result.progress.variations.first().map(|line| line.expected_score),
            _ => None,
        });
        found.last().unwrap()
    };
    assert!(score("on", true) < score("off", true));
    assert_eq!(score("on", false), score("off", false));
    assert_eq!(score("off", true), score("off", false));
}
