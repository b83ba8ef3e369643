//! Arguments of all commands: files by name or as `-`, positions, openings; and output that is the same in two runs.
#![cfg(unix)]

use std::any::TypeId;
use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use clap::CommandFactory;
use pentalith::cli::Cli;

use crate::matches::{folder, text};

/// Two games of one match.
const GAMES: &str = r#"[White "Ann"]
[Black "Bob"]
[Result "1-0"]
[Variant "markane:2x1"]

1. a1 b1 1-0

[White "Bob"]
[Black "Ann"]
[Result "1-0"]
[Variant "markane:2x1"]

1. a1 b1 1-0
"#;

/// A dialogue with this program.
const RECORDED: &str =
    concat!("$ ", env!("CARGO_BIN_EXE_pentalith"), " gtp\n# protocol: gtp\n> protocol_version\n< = 2\n");

/// Runs the program in a folder with an input.
fn run(folder: &Path, arguments: &[&str], input: &str) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_pentalith"));
    program.args(arguments).current_dir(folder).env_remove("RUST_LOG");
    let mut program = program.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // The program may refuse to begin.
    let _ = program.stdin.take().unwrap().write_all(input.as_bytes());
    program.wait_with_output().unwrap()
}

/// Returns the arguments of all commands that are paths, as in `stats --html`.
fn path_arguments(command: &clap::Command, name: &str, found: &mut BTreeSet<String>) {
    for argument in command.get_arguments() {
        if argument.get_value_parser().type_id() == TypeId::of::<PathBuf>() {
            let id = argument.get_long().map_or_else(|| argument.get_id().to_string(), |long| format!("--{long}"));
            found.insert(format!("{name} {id}").trim().to_owned());
        }
    }
    for inner in command.get_subcommands().filter(|inner| inner.get_name() != "help") {
        path_arguments(inner, format!("{name} {}", inner.get_name()).trim(), found);
    }
}

/// The meaning of `-` as an argument.
enum Dash {
    /// Standard input, with this text; the output has that text.
    Input(&'static str, &'static str),
    /// Standard output, which begins with this text.
    Output(&'static str),
    /// Refused, with this reason.
    Refused(&'static str),
}

const NO_FILE: &str = "can't be standard output: expected the name of a file, such as ./- for one with this name";

#[test]
fn a_hyphen_is_a_standard_stream_or_refused() {
    use Dash::{Input, Output, Refused};
    let weights = crate::transcripts::run(&["weights", "markane:2x1"], b"");
    let weights: &'static str = Box::leak(weights.into_boxed_str());
    let transcript = "# protocol: gtp\n> protocol_version\n< = 2\n";
    let rows: Vec<(&str, &str, Dash)> = vec![
        ("--log", "games --log -", Refused("--log - would mix the log with the answers")),
        ("analyze --svg", "analyze markane:2x1 --nodes 9 --svg -", Refused("expected FILE.svg")),
        (
            "balance compare --record",
            "balance compare inversion:2 order=mover,single --strength 0 --games 8 --record -",
            Refused(NO_FILE),
        ),
        ("balance komi --record", "balance komi inversion:2 --strength 0 --games 8 --record -", Refused(NO_FILE)),
        ("balance swap --record", "balance swap markane:3x3 --strength 0 --games 8 --record -", Refused(NO_FILE)),
        ("balance swap --svg", "balance swap markane:3x3 --strength 0 --games 8 --svg -", Refused("expected FILE.svg")),
        (
            "check --transcripts",
            "check --only answered --transcripts - -- true",
            Refused("a folder can't be standard output"),
        ),
        ("diagram --heat", "diagram markane:2x1 --heat -", Input("# shade\na1 0.25\n", "0.25")),
        ("diagram --output", "diagram markane:2x1 -o -", Output("<svg")),
        ("ladder --record", "ladder markane:2x1 --max-nodes 2 --games 8 --record -", Refused(NO_FILE)),
        ("man folder", "man -", Refused("a folder can't be standard output")),
        (
            "match --engines",
            "match markane:2x1 --nodes 1 --games 2 --engines -",
            Input("[[engine]]\nname = 'a'\ncommand = 'uct'\n[[engine]]\nname = 'b'\ncommand = 'uct'\n", "2 games"),
        ),
        (
            "match --failures",
            "match markane:2x1 --engine a=uct --engine b=uct --nodes 1 --games 2 --failures -",
            Refused("a folder can't be standard output"),
        ),
        (
            "match --json",
            "match markane:2x1 --engine a=uct --engine b=uct --nodes 1 --games 2 --json -",
            Refused(NO_FILE),
        ),
        (
            "match --record",
            "match markane:2x1 --engine a=uct --engine b=uct --nodes 1 --games 2 --record -",
            Refused(NO_FILE),
        ),
        ("openings --data", "openings markane:2x1 --balance 0.5 --data -", Input(GAMES, "1 of 1 opening, 2 games")),
        ("play --puzzles", "play --puzzles -", Refused("--puzzles - would be standard input")),
        ("puzzles --html", "puzzles games.pgn --nodes 9 --html -", Refused(NO_FILE)),
        ("puzzles --output", "puzzles games.pgn --nodes 9 --output -", Refused(NO_FILE)),
        ("puzzles --proofs", "puzzles games.pgn --nodes 9 --proofs -", Refused("a folder can't be standard output")),
        ("puzzles files", "puzzles - --nodes 9", Input(GAMES, "")),
        ("rate --html", "rate games.pgn --html -", Refused(NO_FILE)),
        ("rate files", "rate -", Input(GAMES, "2 games, 2 players")),
        ("replay --html", "replay games.pgn --html -", Refused(NO_FILE)),
        ("replay file", "replay -", Input(GAMES, "2 games, 4 moves: all as the rules say")),
        ("review --html", "review games.pgn --nodes 1 --html -", Refused(NO_FILE)),
        ("review --output", "review games.pgn --nodes 1 --output -", Refused(NO_FILE)),
        ("review file", "review - --nodes 1", Input(GAMES, "No mistake was found")),
        ("solve --proof", "solve markane:2x1 --proof -", Refused(NO_FILE)),
        ("solve --save", "solve markane:2x1 --save -", Refused(NO_FILE)),
        ("stats --html", "stats games.pgn --html -", Refused(NO_FILE)),
        ("stats files", "stats -", Input(GAMES, "2 games, 2.0 moves each")),
        (
            "study --out",
            "study markane:2x1 --strength 0:1 --out -",
            Refused("--out - can't be standard output: a study is a folder"),
        ),
        ("transcript record --from", "transcript record new.transcript --from -", Input(RECORDED, "")),
        ("transcript record file", "transcript record - --from old.transcript", Refused(NO_FILE)),
        (
            "transcript run files",
            concat!("transcript run - -- ", env!("CARGO_BIN_EXE_pentalith"), " gtp"),
            Input(transcript, "1 same"),
        ),
        ("tune --data", "tune markane:2x1 --rounds 1 --games 2 --data -", Input("", "")),
        ("tune --from", "tune markane:2x1 --rounds 1 --games 2 --from -", Input(weights, "#")),
        ("tune --out", "tune markane:2x1 --rounds 1 --games 2 --out -", Output("")),
        ("tune --record", "tune markane:2x1 --rounds 1 --games 2 --record -", Refused(NO_FILE)),
        ("weights --from", "weights markane:2x1 --from -", Input(weights, "#")),
        ("weights --pack", "weights markane:2x1 --pack -", Output("")),
    ];
    let mut known = BTreeSet::new();
    path_arguments(
        &{
            let mut all = Cli::command();
            all.build();
            all
        },
        "",
        &mut known,
    );
    // A global argument is one of every command.
    known.retain(|name| name == "--log" || !name.ends_with(" --log"));
    let tested: BTreeSet<String> = rows.iter().map(|(name, ..)| (*name).to_owned()).collect();
    assert_eq!(tested, known);
    let folder = folder("hyphens");
    fs::write(folder.join("games.pgn"), GAMES).unwrap();
    fs::write(folder.join("old.transcript"), transcript).unwrap();
    // A position of a recorded game, and files that have words for values.
    let more = vec![
        ("legal variant", "legal -- -#1:1", Input(GAMES, "b1")),
        (
            "match --openings",
            "match markane:2x1 --engine a=uct --engine b=uct --nodes 1 --games 2 --openings -",
            Input("startpos moves a1\n", "2 games"),
        ),
    ];
    for (name, line, dash) in rows.into_iter().chain(more) {
        let words: Vec<&str> = line.split(' ').collect();
        let input = if let Input(input, _) = dash { input } else { "" };
        let output = run(&folder, &words, input);
        let shown = String::from_utf8_lossy(&output.stdout).into_owned();
        let errors = text(&output.stderr);
        match dash {
            Input(_, has) => assert!(output.status.success() && shown.contains(has), "{name}: {shown}{errors}"),
            Output(begins) => assert!(
                output.status.success() && !shown.is_empty() && shown.starts_with(begins),
                "{name}: {shown}{errors}"
            ),
            Refused(why) => assert!(output.status.code().unwrap() > 0 && errors.contains(why), "{name}: {errors}"),
        }
        assert!(!folder.join("-").exists(), "{name} made a file");
    }
}

#[test]
fn the_start_is_understood_wherever_a_position_is() {
    let folder = folder("starts");
    for start in
        ["start", "startpos", "startpos moves b2", "fen .../.../... b 1 1 moves b2", "position startpos moves b2"]
    {
        let same = |arguments: &[&str]| {
            let output = run(&folder, arguments, "");
            assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
            text(&output.stdout)
        };
        let expected = if start.contains("b2") { ".../.b./... w 1 2\n" } else { ".../.../... b 1 1\n" };
        assert_eq!(same(&["position", "markane:3x3", "--position", start]), expected);
        assert_eq!(same(&["position", "markane:3x3", "--moves", start]), expected);
        for command in [
            &["legal", "markane:3x3"][..],
            &["score", "markane:3x3"],
            &["perft", "markane:3x3", "2", "--reproducible"],
            &["analyze", "markane:3x3", "--nodes", "20"],
            &["diagram", "markane:3x3"],
            &["solve", "markane:3x3", "--reproducible"],
        ] {
            let by_position = same(&[command, &["--position", expected.trim()]].concat());
            // A picture and a diagram show the last move, which a position does not have.
            if !["diagram", "analyze"].contains(&command[0]) || !start.contains("b2") {
                assert_eq!(same(&[command, &["--position", start]].concat()), by_position, "{command:?} {start}");
            }
        }
        let shown = run(&folder, &["play", "markane:3x3", "--position", start], "position\nquit\n");
        assert!(shown.status.success(), "{}", text(&shown.stderr));
    }
    let dialogue = "position fen startpos moves b2\nposition fen start\nquery p1turn\n";
    let answers = crate::transcripts::run(&["ugi", "markane:3x3"], dialogue.as_bytes());
    assert_eq!(answers, "response true\n");
    let twice = run(&folder, &["legal", "markane:3x3", "--position", "start", "--moves", "startpos moves b2"], "");
    assert!(text(&twice.stderr).contains("which is given before"), "{}", text(&twice.stderr));
}

#[test]
fn lines_of_openings_and_lists_of_moves_are_understood_both_ways() {
    let folder = folder("opening-lines");
    let openings = run(&folder, &["openings", "markane:3x3", "--count", "2", "--steps", "2"], "");
    let openings = text(&openings.stdout);
    let lines: Vec<&str> = openings.lines().collect();
    assert!(lines[0].starts_with("# ") && lines.len() == 3, "{openings}");
    for line in &lines[1..] {
        let moves = line.strip_prefix("startpos moves ").unwrap();
        let position =
            |option: &str, given: &str| text(&run(&folder, &["position", "markane:3x3", option, given], "").stdout);
        let expected = position("--moves", moves);
        assert!(!expected.is_empty());
        assert_eq!([position("--moves", line), position("--position", line)], [expected.clone(), expected]);
    }
    // Openings, their comment, moves with numbers as people write them, and positions.
    fs::write(folder.join("o.txt"), format!("{openings}1. b2 a1 2. c3\nstart\nb2 a1 # a remark\n.../.../... b 1 1\n"))
        .unwrap();
    let line = "match markane:3x3 --engine a=uct --engine b=uct --nodes 1 --games 12 --openings o.txt --record r.pgn";
    let words: Vec<&str> = line.split(' ').collect();
    let played = run(&folder, &words, "");
    assert!(played.status.success(), "{}", text(&played.stderr));
    let record = fs::read_to_string(folder.join("r.pgn")).unwrap();
    assert!(record.contains("[Opening \"startpos moves b2 a1 c3\"]"), "{record}");
}

#[test]
fn two_runs_have_the_same_output() {
    let folder = folder("reproducible");
    let line = "match markane:3x3 --engine a=uct --engine b=uct --nodes 20 --games 4 --record games.pgn";
    let program = env!("CARGO_BIN_EXE_pentalith");
    let _ = run(&folder, &line.split(' ').collect::<Vec<_>>(), "");
    fs::write(folder.join("one.transcript"), "# protocol: gtp\n> name\n< = [..]\n").unwrap();
    let engine = format!("-- {program} ugi markane:3x3");
    for line in [
        "analyze markane:3x3 --nodes 200",
        "analyze markane:3x3 --nodes 200 --json",
        "balance komi inversion:2 --strength 0 --games 8",
        &format!("check --only stop --only fen {engine}"),
        "completions bash",
        "diagram markane:3x3",
        "games",
        "ladder markane:3x3 --max-nodes 4 --games 8",
        "legal markane:3x3",
        line,
        "openings markane:3x3 --count 3",
        "perft markane:3x3 3",
        "perft markane:3x3 3 --json",
        "rate games.pgn",
        "replay games.pgn --positions",
        "review games.pgn --nodes 30 --threads 2",
        "solve markane:3x3",
        "solve markane:3x3 --json",
        "stats games.pgn --json",
        &format!("transcript run one.transcript -- {program} gtp"),
        "tune markane:3x3 --rounds 1 --games 2",
        "weights markane:3x3",
    ] {
        let words: Vec<&str> = line.split(' ').collect();
        let place = words.iter().position(|word| *word == "--").unwrap_or(words.len());
        let words = [&words[..place], &["--reproducible"], &words[place..]].concat();
        let [first, second] = [(); 2].map(|()| run(&folder, &words, ""));
        assert!(first.status.success(), "{line}: {}", text(&first.stderr));
        assert_eq!(text(&first.stdout), text(&second.stdout), "{line}");
    }
    for line in ["analyze markane:3x3", "review games.pgn", "bench playouts markane:3x3"] {
        let words: Vec<&str> = line.split(' ').chain(["--reproducible"]).collect();
        let refused = run(&folder, &words, "");
        assert_eq!(refused.status.code(), Some(2), "{line}");
        assert!(text(&refused.stderr).contains("--reproducible"), "{line}");
    }
}

#[test]
fn a_file_without_a_game_ends_with_status_1() {
    let folder = folder("no-games");
    fs::write(folder.join("empty.pgn"), "").unwrap();
    fs::write(folder.join("blank.pgn"), "\n\n").unwrap();
    for file in ["empty.pgn", "blank.pgn"] {
        for line in [
            "stats",
            "stats --json",
            "rate",
            "replay",
            "replay --json",
            "review --nodes 1",
            "openings markane:2x1 --data",
        ] {
            let words: Vec<&str> = line.split(' ').chain([file]).collect();
            let output = run(&folder, &words, "");
            assert_eq!(output.status.code(), Some(1), "{line} {file}: {}", text(&output.stderr));
        }
    }
}
