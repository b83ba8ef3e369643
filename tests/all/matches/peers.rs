//! Engines that do something wrong: each has its cause, and none stops a match before its rule says so.

use std::fs;
use std::io::BufRead;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use pentalith::record::{Cause, GameRecord};

use super::{PROGRAM, folder, games, run, text};
use crate::talk::side_by_side;

pub(super) const PEER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/all/engines/peer.sh");

/// Tells if a process runs whose command line contains `word`.
fn runs(word: &str) -> bool {
    let processes = Command::new("ps").args(["-eo", "args"]).output().unwrap();
    let mut lines = processes.stdout.lines().map(Result::unwrap);
    lines.any(|line| line.contains(word))
}

/// Plays two games between a good engine and a bad peer.
fn against(protocol: &str, bad: &str, options: &str) -> (Vec<GameRecord>, Output, PathBuf) {
    let name = format!("peer-{protocol}-{bad}");
    let folder = folder(&name);
    let arguments = format!(
        "match markane:2x1 --engine good=uct --engine 'bad={protocol}:sh {PEER} {protocol} {bad} {}' \
         --games 2 --nodes good:10 --openings start --record games.pgn {options}",
        folder.display()
    );
    let output = run(&folder, &arguments);
    assert!(!runs(&format!("{PEER} {protocol} {bad} {}", folder.display())), "{name} is still running");
    let games = games(&folder.join("games.pgn"));
    let replay = run(&folder, "replay games.pgn");
    assert!(replay.status.success(), "{name}: {}", text(&replay.stdout));
    (games, output, folder)
}

fn assert_causes(protocol: &str, bad: &str, options: &str, expected: [Cause; 2]) {
    let (games, output, _) = against(protocol, bad, options);
    let errors = text(&output.stderr);
    assert!(output.status.success(), "{protocol} {bad}: {errors}");
    let causes: Vec<Cause> = games.iter().map(|game| game.cause).collect();
    assert_eq!(causes, expected, "{protocol} {bad}: {errors}");
    for game in games.iter().filter(|game| game.cause.is_failure()) {
        assert_eq!(game.fault.as_deref(), Some("bad"), "{protocol} {bad}");
        // Whoever fails in a game loses it; what is said behind its end changes nothing.
        if game.cause != Cause::Disagreement {
            assert_eq!(game.half_points(color_of(game, "good")), 2, "{protocol} {bad}");
        }
    }
}

fn color_of(game: &GameRecord, name: &str) -> pentalith::rules::Color {
    use pentalith::rules::Color::{Black, White};
    if game.black.name == name { Black } else { White }
}

/// With long times for everything, so that a slow machine fails nothing else.
const PATIENT: &str = "--movetime bad:20000 --timeout 20";

#[test]
fn what_an_engine_does_wrong_has_its_cause() {
    use Cause::{Crash, Disagreement, IllegalMove, Normal};
    let both = |cause| [cause, cause];
    for (bad, expected) in [
        ("nothing", both(Normal)),
        ("spread", both(Normal)),
        ("upper", both(Normal)),
        ("leaves-a-child", both(Normal)),
        ("stays", both(Normal)),
        ("silent", both(Normal)),
        ("dies", both(Crash)),
        ("dies-and-never-starts", both(Crash)),
        ("dies-between", [Normal, Crash]),
        ("illegal", both(IllegalMove)),
        ("format", both(IllegalMove)),
        ("no-move", both(IllegalMove)),
        ("taken", [Normal, IllegalMove]),
        ("boasts", both(Disagreement)),
    ] {
        // The good engine has the first move in the first game.
        let expected = match bad {
            "taken" => [IllegalMove, Normal],
            _ => expected,
        };
        for protocol in ["ugi", "gtp"] {
            assert_causes(protocol, bad, PATIENT, expected);
        }
    }
    for odd in ["extreme", "two-lines"] {
        let (games, ..) = against(if odd == "extreme" { "ugi" } else { "gtp" }, odd, PATIENT);
        assert_eq!(games.len(), 2);
        assert!(games.iter().all(|game| !game.reason.contains('\n')));
        assert!(games.iter().all(|game| game.opening().moves.is_empty()));
    }
    assert_causes("ugi", "unsure", PATIENT, both(Disagreement));
    assert_causes("gtp", "refuses", PATIENT, [Disagreement, Disagreement]);
    assert_causes("gtp", "errors", PATIENT, both(IllegalMove));
    let (games, ..) = against("gtp", "resigns", PATIENT);
    assert!(games.iter().all(|game| game.reason == "resignation"));
}

#[test]
fn engines_that_hang_or_never_end_lose_and_are_killed() {
    // Short times: what fails here fails in any time.
    let options = "--movetime bad:50 --time-margin 50 --timeout 0.3";
    for protocol in ["ugi", "gtp"] {
        let all = ["hangs", "garbage", "floods", "floods-one-line"];
        side_by_side(all, |bad| {
            assert_causes(protocol, bad, options, [Cause::Stall, Cause::Stall]);
        });
    }
}

#[test]
fn an_engine_that_leaves_a_child_behind_has_crashed_at_once() {
    for protocol in ["ugi", "gtp"] {
        for bad in ["dies-before-its-child", "dies-before-its-far-child"] {
            let began = Instant::now();
            let (games, output, folder) = against(protocol, bad, "--movetime bad:100000");
            // Far less than the time for a move, and than the far child lives.
            assert!(began.elapsed() < Duration::from_secs(20), "{protocol} {bad}");
            assert!(output.status.success(), "{}", text(&output.stderr));
            assert_eq!(games.len(), 2);
            for game in games {
                assert_eq!(game.cause, Cause::Crash, "{protocol} {bad}");
                assert!(game.reason.contains("signal: 11"), "{}", game.reason);
            }
            if bad == "dies-before-its-child" {
                assert!(!runs("sleep 4321"));
                let lines = folder.join("games.pgn.failures/game-1/bad.lines");
                let lines = fs::read_to_string(lines).unwrap();
                assert!(lines.contains(" < last words"), "{lines}");
            }
        }
    }
}

#[test]
fn what_is_no_engine_plays_no_game() {
    let refuses_all = "gtp:sh -c \"while read l; do printf \\\"? no\\\\n\\\\n\\\"; done\"";
    let ugi = format!("ugi:{PROGRAM} gtp");
    let gtp = format!("gtp:{PROGRAM} ugi");
    let peer = |bad: &str| format!("ugi:sh {PEER} ugi {bad} .");
    let all = [
        ("true", "its handshake failed: the engine ended (exit status: 0): no ugiok"),
        ("ugi:true", "the engine ended (exit status: 0): no ugiok"),
        ("gtp:true", "the engine ended (exit status: 0): no answer to \"list_commands\""),
        ("echo ugiok", "the engine ended (exit status: 0): no readyok"),
        ("cat", "no ugiok within 500 ms; it says \"ugi\""),
        ("gtp:cat", "no answer to \"list_commands\" within 500 ms; it says \"list_commands\""),
        ("yes hello", "; it says \"hello\""),
        ("gtp:yes hello", "; it says \"hello\""),
        ("sleep 1001", "no ugiok within 500 ms"),
        ("sh -c \"exec >&-; sleep 1001\"", "the engine closed its output: no ugiok"),
        ("sh -c \"sleep 1001 & kill -SEGV \\$\\$\"", "signal: 11"),
        ("sh -c \"echo no license >&2; exit 7\"", "(exit status: 7): no ugiok; it says \"no license\""),
        (refuses_all, "list_commands is answered with \"? no\""),
        (&ugi, "as engines do that speak GTP"),
        (&gtp, "no answer to \"list_commands\" within 500 ms"),
        (&peer("hangs-at-start"), "its handshake failed: no ugiok within 500 ms"),
        (&peer("floods-at-start"), "its handshake failed: "),
        (&peer("dies-at-start"), "its handshake failed: the engine ended (exit status: 3)"),
        (&peer("dies-at-first-game"), "it was never ready for a game: the engine ended (exit status: 3)"),
    ];
    side_by_side(all.into_iter().enumerate(), |(number, (engine, why))| {
        let folder = folder(&format!("no-engine-{number}"));
        let arguments = format!(
            "match markane:2x1 --engine good=uct --engine 'bad={engine}' --nodes good:10 --games 4 --openings start \
             --timeout 0.5 --record games.pgn"
        );
        let output = run(&folder, &arguments);
        let errors = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{engine}: {errors}");
        assert!(errors.contains("pentalith: bad can't play this match: "), "{engine}: {errors}");
        assert!(errors.contains(why), "{engine}: {errors}");
        assert_eq!(text(&output.stdout), "");
        assert_eq!(games(&folder.join("games.pgn")), []);
        assert!(!folder.join("games.pgn.failures").exists());
    });
    assert!(!runs("sleep 1001"));
}

#[test]
fn every_engine_shows_that_it_can_play_before_a_game_is_scored() {
    let folder = folder("no-third-engine");
    let arguments = format!(
        "match markane:2x1 --engine a=uct --engine 'b=ugi:sh {PEER} ugi nothing .' --engine c=true --nodes a:10 --games 20 \
         --openings start --concurrency 3 --record games.pgn"
    );
    let output = run(&folder, &arguments);
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(errors.contains("c can't play this match"), "{errors}");
    assert_eq!(games(&folder.join("games.pgn")), []);
    // What has been played before stays.
    let peer = folder.join("peer.sh");
    fs::write(&peer, format!("exec sh {PEER} ugi nothing .")).unwrap();
    let arguments = |games: u32| {
        format!(
            "match markane:2x1 --engine a=uct --engine 'b=ugi:sh peer.sh' --nodes a:10 --games {games} --openings start \
             --record games.pgn"
        )
    };
    assert!(run(&folder, &arguments(4)).status.success());
    let before = fs::read_to_string(folder.join("games.pgn")).unwrap();
    fs::write(&peer, "exit 5").unwrap();
    let output = run(&folder, &arguments(6));
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(errors.contains("exit status: 5"), "{errors}");
    let after = fs::read_to_string(folder.join("games.pgn")).unwrap();
    assert_eq!(after, before);
}

#[test]
fn an_engine_that_answers_late_loses_on_time_and_plays_on() {
    let options = "--movetime bad:100 --timeout 20";
    for protocol in ["ugi", "gtp"] {
        assert_causes(protocol, "late", options, [Cause::Time, Cause::Time]);
    }
}

#[test]
fn a_failed_game_leaves_what_is_needed_to_understand_it() {
    let (_, output, folder) = against("ugi", "dies-alone", PATIENT);
    let errors = text(&output.stderr);
    assert!(errors.contains("game 1: bad: crash: the engine ended (exit status: 3): no bestmove"), "{errors}");
    assert!(errors.contains("its transcripts are in games.pgn.failures/game-1"), "{errors}");
    let left = folder.join("games.pgn.failures/game-1");
    let lines = fs::read_to_string(left.join("bad.lines")).unwrap();
    let said: Vec<&str> = lines.lines().map(|line| line.split_once(' ').unwrap().1).collect();
    let expected = [
        "> uginewgame",
        "> isready",
        "< readyok",
        "> position startpos moves a1",
        "> isready",
        "< readyok",
        "> go movetime 20000",
        "! out of memory",
    ];
    // The moves of the good engine may differ.
    let said: Vec<String> = said.iter().map(|line| line.replace("moves b1", "moves a1")).collect();
    assert_eq!(said, expected);
    assert_eq!(fs::read_to_string(left.join("bad.errors")).unwrap(), "out of memory\n");
    assert_eq!(games(&left.join("record.pgn")).len(), 1);
    // An option stands before the end of the options.
    let behind = format!(
        "match --engine good=uct --engine 'bad=ugi:sh {PEER} ugi dies' --games 2 --nodes good:10 --openings start \
         --record behind.pgn -- markane:2x1"
    );
    assert!(run(&folder, &behind).status.success());
    let script = folder.join("behind.pgn.failures/game-2/replay.sh");
    let again = Command::new("sh").arg(script).output().unwrap();
    assert!(text(&again.stdout).contains("ends  crash 1 (bad 1)"), "{again:?}");
    let script = fs::read_to_string(left.join("replay.sh")).unwrap();
    assert!(script.ends_with(" --only 1\n"), "{script}");
    // The script plays the same game again, and leaves the record alone.
    let before = fs::read_to_string(folder.join("games.pgn")).unwrap();
    let again = Command::new("sh").arg(left.join("replay.sh")).output().unwrap();
    assert!(text(&again.stdout).contains("ends  crash 1 (bad 1)"), "{again:?}");
    assert_eq!(fs::read_to_string(folder.join("games.pgn")).unwrap(), before);
}

#[test]
fn an_engine_that_takes_whole_seconds_alone_is_never_given_more_than_it_has() {
    for (milliseconds, expected) in
        [(2500, &["time_settings 0 2.5 1", "time_settings 0 2 1"][..]), (500, &["time_settings 0 0.5 1"])]
    {
        let options = format!("--movetime bad:{milliseconds} --timeout 20");
        let (.., folder) = against("gtp", "whole-seconds", &options);
        let lines = folder.join("games.pgn.failures/game-1/bad.lines");
        let lines = fs::read_to_string(lines).unwrap();
        let said = lines.lines().filter_map(|line| line.split_once(" > "));
        let said = said.map(|(_, said)| said);
        let said: Vec<&str> = said.filter(|said| said.starts_with("time_settings")).collect();
        assert_eq!(said, expected);
        // What it has no command for, it is not told.
        assert!(!lines.contains("boardsize"), "{lines}");
    }
}

#[test]
fn an_engine_that_fails_again_and_again_ends_the_match() {
    let folder = folder("gives-up");
    let arguments = format!(
        "match markane:2x1 --engine good=uct --engine 'bad=ugi:sh {PEER} ugi dies' --games 20 --nodes good:10 \
         --max-failures 3 --openings start --record games.pgn"
    );
    let output = run(&folder, &arguments);
    assert_eq!(output.status.code(), Some(3));
    let errors = text(&output.stderr);
    assert!(errors.contains("pentalith: bad failed too often; the last time: crash: "), "{errors}");
    assert_eq!(games(&folder.join("games.pgn")).len(), 3);
    assert!(text(&output.stdout).contains("ends  crash 3 (bad 3)"));
}

#[test]
fn a_match_with_failures_in_the_opening_goes_on_too() {
    let folder = folder("fails-in-the-opening");
    let arguments = format!(
        "match markane:2x1 --engine good=uct --engine 'bad=gtp:sh {PEER} gtp refuses' --engine 'no=ugi:sh {PEER} ugi \
         dies-and-never-starts .' --games 2 --movetime 20000 --nodes good:10 --openings random:1 --record games.pgn --quiet"
    );
    let output = run(&folder, &arguments);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let again = run(&folder, &arguments);
    assert!(again.status.success(), "{}", text(&again.stderr));
    assert_eq!(text(&again.stdout), text(&output.stdout));
    let games = games(&folder.join("games.pgn"));
    assert!(games.iter().all(|game| game.opening().moves.len() == 1));
    let replay = text(&run(&folder, "replay games.pgn").stdout);
    assert!(replay.ends_with(" moves: all as the rules say\n"), "{replay}");
}

#[test]
fn engines_that_can_not_take_part_are_named_at_once() {
    let folder = folder("unfit");
    let peer = format!("ugi:sh {PEER} ugi");
    for (engine, option, why) in [
        (
            "./no-such-engine",
            "",
            "bad can't play this match: the engine can't be started: ./no-such-engine: No such file",
        ),
        (peer.as_str(), "--option bad:Strength=weak", "the engine has no option \"Strength\""),
        ("uct:Threads=0", "", "Threads \"0\": expected a number from 1 to 256"),
        ("uct:Nothing=1", "", "no option \"Nothing\""),
        ("gtp:./x", "--tc other:1+1", "\"other:1+1\": no engine is called \"other\": there are good, bad"),
        ("gtp:./x", "--tc 1:2:3:4", "\"1:2:3:4\", column 6: expected the end, found \":4\""),
        ("uct", "--nodes 5 --movetime 5", "two limits: movetime 5 and nodes 5"),
        ("uct", "--openings nowhere.txt", "nowhere.txt: No such file"),
        ("uct", "--openings random:x", "\"random:x\": a number of steps"),
        ("uct", "--sprt 0,5 --shard 1/2", "--sprt needs all games in one place"),
        ("ugi:PROGRAM ugi", "--option bad:Threads=300", "Threads \"300\": expected a number from 1 to 256"),
        ("uct", "--sprt 0,5 --no-pairs", "it can't be --no-pairs"),
        ("uct", "--only 999", "the schedule has no such game"),
        ("uct", "--openings start --balance 0.2", "expected --openings random:STEPS, not \"start\""),
        ("uct", "--record games --json games", "--record and --json name the same file"),
        ("ugi:# none", "", "and before any # a program"),
        ("uct", "--sprt 5,0", "two differences in Elo, the smaller one first"),
        ("uct", "--shard 3/2", "a part is I/N"),
        ("uct", "--engine bad=uct", "two engines are called \"bad\""),
    ] {
        let engine = engine.replace("PROGRAM", PROGRAM);
        let arguments = format!("match markane:2x1 --engine good=uct --engine 'bad={engine}' {option}");
        let output = run(&folder, &arguments);
        let errors = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments}: {errors}");
        assert!(errors.contains(why), "{arguments}: {errors}");
        assert_eq!(text(&output.stdout), "");
    }
}

#[test]
fn a_clock_begins_with_an_increment() {
    for (clock, told) in [
        ("0+20", "p1time 20000 p2time 20000 p1inc 20000 p2inc 20000"),
        ("1:00+1", "p1time 61000 p2time 61000 p1inc 1000 p2inc 1000"),
        ("30", "p1time 30000 p2time 30000 p1inc 0 p2inc 0"),
    ] {
        let folder = folder(&format!("clock-{}", clock.replace(':', "-")));
        let arguments = format!(
            "match markane:2x1 --engine good=uct --engine 'bad=ugi:sh -c \"tee lines | sh {PEER} ugi nothing\"' \
             --games 2 --tc {clock} --openings start --record games.pgn --quiet"
        );
        let output = run(&folder, &arguments);
        assert!(output.status.success(), "{}", text(&output.stderr));
        let lines = fs::read_to_string(folder.join("lines")).unwrap();
        assert!(lines.contains(&format!("go {told}\n")), "{clock}: {lines}");
        let games = games(&folder.join("games.pgn"));
        assert!(games.iter().all(|game| game.cause == Cause::Normal), "{clock}");
    }
}

#[test]
fn minutes_are_not_taken_for_an_engine_nor_an_engine_for_minutes() {
    let folder = folder("minutes");
    let arguments = "match markane:2x1 --engine 1=uct --engine b=uct --games 2 --tc 1:30+1 --quiet";
    let output = run(&folder, arguments);
    assert_eq!(output.status.code(), Some(2));
    let errors = text(&output.stderr);
    assert!(
        errors.contains("--tc \"1:30+1\" may be minutes, or a clock of the engine 1: expected seconds for tc 90+1"),
        "{errors}"
    );
    let arguments = arguments.replace("1:30+1", "1:0:30+1 --tc b:20+1");
    let output = run(&folder, &arguments);
    assert!(output.status.success(), "{}", text(&output.stderr));
}
