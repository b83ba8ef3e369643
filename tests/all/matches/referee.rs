//! The referee: exact scores count, times in which it slept do not, and one question has one answer.

use std::fs;
use std::path::Path;
use std::process::Output;

use pentalith::record::{Cause, Score};

use super::peers::PEER;
use super::{PROGRAM, folder, games, run, text};
use crate::talk::side_by_side;

/// A UGI engine for the games of this program: a shell changes its lines, each in `$l`.
fn changed(change: &str) -> String {
    format!("ugi:sh -c \"{PROGRAM} ugi | while read -r l; do {change}; done\"")
}

/// Runs a match in a folder, which must succeed.
fn played(folder: &Path, arguments: &str) -> Output {
    let output = run(folder, arguments);
    assert!(output.status.success(), "{arguments}: {}", text(&output.stderr));
    output
}

#[test]
fn a_bound_decides_no_game_and_is_not_recorded() {
    let folder = folder("bounds");
    let says = |first: &str, last: &str| {
        let info = "case \\\"$l\\\" in info*) ;; bestmove*) echo info depth 5 score FIRST; echo info depth 6 score LAST; echo \
                    \\\"$l\\\" ;; *) echo \\\"$l\\\" ;; esac";
        changed(&info.replace("FIRST", first).replace("LAST", last))
    };
    for (first, [a, b]) in [
        (None, ["mate -9 lowerbound", "mate 9 upperbound"]),
        (None, ["cp -900 wdl 0 1 999 lowerbound", "cp 900 upperbound"]),
        (Some("cp 7"), ["mate -9 upperbound", "mate 9 lowerbound"]),
    ] {
        // An exact score in a string is none.
        let first = first.unwrap_or("none");
        let arguments = format!(
            "match markane:4x4 --engine 'a={}' --engine 'b={}' --nodes 5 --games 2 --openings start --timeout 60 \
             --resign 600,1 --record games.pgn",
            says(first, a),
            says(first, b)
        );
        let _ = fs::remove_file(folder.join("games.pgn"));
        played(&folder, &arguments);
        for game in games(&folder.join("games.pgn")) {
            assert_eq!(game.cause, Cause::Normal, "{a}");
            let scores = game.moves.iter().filter_map(|made| made.information).map(|information| information.score);
            let expected = (first == "cp 7").then_some(Score::Cp(7));
            // A single legal step has no score.
            assert!(scores.clone().all(|score| score == expected || score.is_none()), "{game:?}");
            assert!(scores.clone().any(|score| score == expected), "{game:?}");
        }
    }
}

#[test]
fn a_second_bestmove_is_not_taken_for_the_next_one() {
    let folder = folder("second-bestmove");
    let twice = changed("echo \\\"$l\\\"; case \\\"$l\\\" in bestmove*) echo \\\"$l\\\" ;; esac");
    let arguments = format!(
        "match markane:4x4 --engine a=uct --engine 'b={twice}' --nodes 5 --games 4 --openings start --timeout 60 \
         --record games.pgn"
    );
    let output = played(&folder, &arguments);
    assert!(games(&folder.join("games.pgn")).iter().all(|game| game.cause == Cause::Normal));
    assert_eq!(text(&output.stderr), "pentalith: b: a second bestmove for one go is ignored\n");
}

#[test]
fn a_second_answer_is_not_taken_for_the_next_one() {
    let folder = folder("second-answer");
    // GTP has no command to wait with: the second answer comes with the first one, in one write.
    let script = "import sys\nfor line in sys.stdin:\n    w = line.split()\n    if w[0] == 'list_commands': a = 'name\\n\
                  clear_board\\nplay\\ngenmove\\nquit'\n    elif w[0] == 'genmove': a = MOVE\n    else: a = ''\n    if w[0] == \
                  'play': taken = w[2]\n    if w[0] == 'clear_board': taken = None\n    text = '= ' + a + '\\n\\n'\n    \
                  sys.stdout.write(text * 2)\n    sys.stdout.flush()\n    if w[0] == 'quit': break\n";
    let script = script.replace("MOVE", "'b1' if taken == 'a1' else 'a1'");
    fs::write(folder.join("twice.py"), script).unwrap();
    if let Err(error) = std::process::Command::new("python3").arg("--version").output() {
        return crate::clients::skip("python3 does not run", &error.to_string());
    }
    let arguments = "match markane:2x1 --engine a=uct --engine 'b=gtp:python3 twice.py' --nodes a:5 --movetime b:20000 \
                     --games 4 --openings start --timeout 60 --record games.pgn";
    played(&folder, arguments);
    assert!(games(&folder.join("games.pgn")).iter().all(|game| game.cause == Cause::Normal));
}

/// Time in which the referee does not run, in seconds: longer than any time limit of these tests.
const ASLEEP: u32 = 7;

/// Writes a UGI engine that stops its parent for a while when it is first asked for a move, and then answers at once.
///
/// So the referee is always stopped while it waits.
fn stops_its_referee(folder: &Path) {
    let script = "\"$PROGRAM\" ugi | while read -r l; do
        case \"$l\" in
        bestmove*)
            if [ ! -e stopped ]; then
                : >stopped
                (sleep ASLEEP; kill -CONT $PPID) &
                kill -STOP $PPID
                until ps -o stat= -p $PPID | grep -q T; do :; done
            fi ;;
        esac
        echo \"$l\"
    done";
    let script = script.replace("$PROGRAM", PROGRAM).replace("ASLEEP", &ASLEEP.to_string());
    fs::write(folder.join("stops.sh"), script).unwrap();
}

#[test]
fn a_referee_that_slept_fails_no_engine() {
    let limits = [
        // The answer may have come in time.
        ("--movetime b:1500", true),
        ("--tc b:1+1", true),
        // Nobody knows what the clock showed.
        ("--tc b:600+1", true),
        // Whatever happened, the answer came in time.
        ("--movetime b:20000", false),
        // The answer is in the pipe.
        ("--nodes b:20 --move-timeout 1 --timeout 5", false),
    ];
    side_by_side(limits.into_iter().enumerate(), |(number, (limit, is_void))| {
        let folder = folder(&format!("sleeps-{number}"));
        stops_its_referee(&folder);
        let arguments = format!(
            "match markane:3x2 --engine a=uct --engine 'b=ugi:sh stops.sh' --nodes a:20 --option b:Nodes=20 {limit} --games 2 \
             --openings start --record games.pgn"
        );
        let output = played(&folder, &arguments);
        assert!(folder.join("stopped").exists(), "{limit}");
        let games = games(&folder.join("games.pgn"));
        assert!(games.iter().all(|game| game.cause == Cause::Normal), "{limit}: {games:?}");
        let errors = text(&output.stderr);
        let void = "game 1 is void and is played again: the referee did not run for ";
        assert_eq!(errors.contains(void), is_void, "{limit}: {errors}");
        let times = games.iter().flat_map(|game| &game.moves).filter_map(|made| made.information);
        assert!(times.map(|information| information.time_ms).max() < Some(5000), "{limit}");
    });
}

#[test]
fn checks_do_not_count_the_time_in_which_this_program_slept() {
    let folder = folder("checks-sleep");
    stops_its_referee(&folder);
    // The first search is the one that must end in time.
    let output = run(&folder, "check --protocol ugi --timeout 5 -- sh stops.sh");
    let report = text(&output.stdout);
    assert!(folder.join("stopped").exists(), "{report}");
    let row = report.lines().find(|line| line.contains("go movetime gives exactly one bestmove")).unwrap();
    assert!(row.starts_with("pass"), "{report}");
}

#[test]
fn a_warning_about_an_engine_is_said_once_and_by_its_name() {
    let folder = folder("warnings");
    let arguments = format!(
        "match markane:2x1 --engine good=uct --engine 'mine=gtp:sh {PEER} gtp nothing .' --nodes good:5 --movetime mine:20000 \
         --games 6 --concurrency 2 --openings start --timeout 20"
    );
    let output = played(&folder, &arguments);
    assert_eq!(text(&output.stderr), "pentalith: mine: its limit can't be set: it has no command for it\n");
    let output = played(&folder, &format!("{arguments} --quiet"));
    assert_eq!(text(&output.stderr), "");
}

#[test]
fn options_are_sent_as_the_engine_writes_them() {
    let folder = folder("options");
    let script = "while read -r l; do case \"$l\" in ugi) printf 'id name x\\noption name Clear Hash type button\\noption name \
                  Style type combo default Solid var Solid var Wild\\noption name Log type string default\\nugiok\\n' ;; *) echo \
                  \"$l\" >>sent; [ \"$l\" != isready ] || exit 3 ;; esac; done";
    fs::write(folder.join("engine.sh"), script).unwrap();
    let send = |options: &str| {
        let _ = fs::remove_file(folder.join("sent"));
        let arguments = format!("match markane:2x1 --engine a=uct --engine 'b=ugi:sh engine.sh' --games 2 {options}");
        let output = run(&folder, &arguments);
        assert_eq!(output.status.code(), Some(2));
        (fs::read_to_string(folder.join("sent")).unwrap_or_default(), text(&output.stderr))
    };
    let (sent, _) = send("--option 'b:clear hash=' --option b:style=wILD --option b:Log=");
    assert_eq!(sent, "setoption name Clear Hash\nsetoption name Style value Wild\nsetoption name Log value\nisready\n");
    for (option, why) in [
        ("'b:clear hash=now'", "Clear Hash \"now\": expected nothing behind =, because it is a button"),
        ("b:Style=tame", "Style \"tame\": expected one of Solid, Wild"),
        ("b:variant=markane:3x2", "b: the option \"variant=markane:3x2\" would set another variant than the match"),
        ("Variant=gravel", "a: the option \"Variant=gravel\" would set another variant than the match"),
    ] {
        let (sent, errors) = send(&format!("--option {option}"));
        assert!(errors.contains(why), "{errors}");
        assert!(!sent.contains("setoption"), "{sent}");
    }
}

#[test]
fn a_script_without_its_interpreter_is_not_missing() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder("interpreters");
    let write = |name: &str, content: &str| {
        let path = folder.join(name);
        fs::write(&path, content).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    };
    write("windows", "#!/bin/sh\r\necho\r\n");
    write("nowhere", "#! /no/such/python3 -u\n");
    write("nested", &format!("#!{}\n", folder.join("nowhere").display()));
    for (engine, why) in [
        (
            "./windows",
            "./windows: its interpreter \"/bin/sh\\r\" is missing; its lines end with CR LF: expected LF alone",
        ),
        (
            "./nowhere",
            "./nowhere: its interpreter \"/no/such/python3\" is missing: expected a program that exists behind #!",
        ),
        ("./nested", "./nested: its interpreter \"/no/such/python3\" is missing"),
        ("./none", "./none: No such file or directory"),
    ] {
        for command in [format!("match markane:2x1 --engine a=uct --engine 'b={engine}'"), format!("check -- {engine}")]
        {
            let output = run(&folder, &command);
            let errors = text(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{errors}");
            assert!(errors.contains(why), "{errors}");
        }
    }
    // One that is found by PATH.
    let mut found = super::command(&folder, "check -- windows");
    let path = format!("{}:/usr/bin:/bin", folder.display());
    let output = found.env("PATH", path).output().unwrap();
    assert!(text(&output.stderr).contains("its interpreter \"/bin/sh\\r\" is missing"), "{output:?}");
}
