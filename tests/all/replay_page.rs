//! `pentalith replay --html` as a whole program.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// A match of a second, with `more` arguments.
fn record(folder: &Path, variant: &str, file: &str, more: &[&str]) {
    let engines = ["--engine", "a=pvs", "--engine", "b=uct", "--nodes", "30"];
    let to = ["--games", "2", "--record", file];
    let played = run(folder, &[&["match", variant][..], &engines, &to, more].concat());
    assert!(played.status.success(), "{played:?}");
}

/// The same match in both formats: `games.pgn` and `games.json`.
fn record_twice(folder: &Path) {
    let more = ["--json", "games.json"];
    record(folder, "invector:5x4", "games.pgn", &more);
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_pentalith"));
    let program = program.args(arguments).env_remove("RUST_LOG");
    program.current_dir(folder).output().unwrap()
}

/// Status, standard output and standard error of `replay`.
fn said(folder: &Path, arguments: &str) -> String {
    let arguments: Vec<&str> = arguments.split(' ').collect();
    let output = run(folder, &[&["replay"], &arguments[..]].concat());
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let errors = text(&output.stderr);
    // What clap adds is not ours.
    let errors = errors.split("\n\nUsage").next().unwrap_or_default();
    let errors = errors.split("\n\nFor more").next().unwrap_or_default();
    let (status, out) = (output.status.code().unwrap(), text(&output.stdout));
    format!("{status} | {} | {}", out.trim(), errors.trim())
}

#[test]
fn a_page_is_written_beside_the_summary() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    record_twice(folder);
    let plain = said(folder, "games.pgn");
    assert!(plain.starts_with("0 | 2 games, "), "{plain}");
    assert_eq!(said(folder, "games.pgn --html games.html"), plain);
    let page = fs::read_to_string(folder.join("games.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("<title>2 games of invector:5x4</title>"));
    // An old page is replaced, and the same record gives the same page.
    said(folder, "games.json --html games.html");
    assert_eq!(fs::read_to_string(folder.join("games.html")).unwrap(), page);
    let one = said(folder, "games.pgn --game 2 --html games.html");
    assert!(one.starts_with("0 | 1 game, "), "{one}");
    let page = fs::read_to_string(folder.join("games.html")).unwrap();
    assert!(page.contains("<title>b (Black) – a (White), invector:5x4</title>"));
    assert!(page.contains("id=\"game=2\"") && !page.contains("id=\"game=1\""));
}

#[test]
fn a_record_that_breaks_the_rules_is_shown_up_to_there() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    record_twice(folder);
    let games = fs::read_to_string(folder.join("games.json")).unwrap();
    let mut games: Vec<serde_json::Value> = games.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    games[0]["moves"][6]["move"] = "a1a5".into();
    games[1]["variant"] = "chess<".into();
    let lines: Vec<String> = games.iter().map(|game| format!("{game}\n")).collect();
    fs::write(folder.join("games.json"), lines.concat()).unwrap();
    let plain = said(folder, "games.json");
    assert!(plain.starts_with("1 | game 1: move 7, \"a1a5\": "), "{plain}");
    assert_eq!(said(folder, "games.json --html games.html"), plain);
    let page = fs::read_to_string(folder.join("games.html")).unwrap();
    assert!(page.contains("The record breaks the rules: move 7, &quot;a1a5&quot;: illegal move"));
    assert!(page.contains("The record breaks the rules: ") && page.contains("chess&lt;"));
    let (_, moves) = page.split_once("<p class=\"moves\">").unwrap();
    let moves = moves.split_once("</p>").unwrap().0;
    assert_eq!(moves.split(' ').filter(|word| !word.ends_with('.')).count(), 6);
}

#[test]
fn a_start_position_and_an_unfinished_move_are_shown() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let position = ".../w.b/b.w b 1 5";
    fs::write(folder.join("openings.txt"), format!("fen {position}\n")).unwrap();
    record(folder, "markane:3x3", "games.pgn", &["--openings", "openings.txt"]);
    assert!(said(folder, "games.pgn --html games.html").starts_with("0 | "));
    let page = fs::read_to_string(folder.join("games.html")).unwrap();
    assert!(page.contains("<p class=\"moves\">5. "), "{page}");
    // The record ends within a turn of Gravel.
    record(folder, "gravel:3", "half.pgn", &["--json", "half.json", "--max-moves", "6"]);
    let games = fs::read_to_string(folder.join("half.json")).unwrap();
    let mut game: serde_json::Value = serde_json::from_str(games.lines().next().unwrap()).unwrap();
    let last = game["moves"].as_array_mut().unwrap().last_mut().unwrap();
    last["move"] = last["move"].as_str().unwrap().split(',').next().unwrap().into();
    fs::write(folder.join("half.json"), format!("{game}\n")).unwrap();
    let told = said(folder, "half.json --html half.html");
    assert!(told.contains("1 game, 6 moves"), "{told}");
    let page = fs::read_to_string(folder.join("half.html")).unwrap();
    assert!(page.contains("id=\"game=1\""));
}

#[test]
fn bad_input_is_told_before_anything_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    record(folder, "markane:3x3", "games.pgn", &[]);
    let games = fs::read(folder.join("games.pgn")).unwrap();
    fs::write(folder.join("empty.pgn"), "").unwrap();
    fs::create_dir(folder.join("folder")).unwrap();
    let calls = [
        "games.pgn --html games.pgn",
        "games.pgn --html ./games.pgn",
        "games.pgn --html folder",
        "games.pgn --html no/such/folder.html",
        "empty.pgn --html new.html",
        "games.pgn --game 9 --html new.html",
        "games.pgn --positions --html new.html",
        "games.pgn --diagrams --html new.html",
        "games.pgn --html",
        "games.pgn --html new.html --log new.html",
    ];
    let told = calls.map(|call| format!("{call}\n    {}", said(folder, call)));
    insta::assert_snapshot!(told.join("\n"), @r"
    games.pgn --html games.pgn
        2 |  | pentalith: --html games.pgn would replace the record: expected another file
    games.pgn --html ./games.pgn
        2 |  | pentalith: --html ./games.pgn would replace the record: expected another file
    games.pgn --html folder
        2 |  | pentalith: can't write to folder: the page must be a plain file, not a folder
    games.pgn --html no/such/folder.html
        2 |  | pentalith: can't write to no/such/folder.html: no such folder: no/such
    empty.pgn --html new.html
        1 |  | pentalith: empty.pgn has no game
    games.pgn --game 9 --html new.html
        2 |  | pentalith: games.pgn has no game 9
    games.pgn --positions --html new.html
        2 |  | error: the argument '--positions' cannot be used with '--html <OUT>'
    games.pgn --diagrams --html new.html
        2 |  | error: the argument '--diagrams' cannot be used with '--html <OUT>'
    games.pgn --html
        2 |  | error: a value is required for '--html <OUT>' but none was supplied
    games.pgn --html new.html --log new.html
        2 |  | pentalith: --log new.html is also read or written by this command as new.html: expected another file
    ");
    assert!(!folder.join("new.html").exists());
    assert_eq!(fs::read(folder.join("games.pgn")).unwrap(), games);
}
