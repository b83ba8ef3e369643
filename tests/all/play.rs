//! `pentalith play`: games of a person in the terminal, through the real program.

mod typed;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::matches::{command, folder};
use crate::transcripts::run;

/// Returns what the program says to some lines.
fn talk(arguments: &str, lines: &[&str]) -> String {
    let arguments = shlex::split(arguments).unwrap();
    let mut all = vec!["play"];
    all.extend(arguments.iter().map(String::as_str));
    let input: String = lines.iter().map(|line| format!("{line}\n")).collect();
    run(&all, input.as_bytes())
}

/// Checks that the program says some things, one after the other. Line breaks count as blanks.
fn expect(arguments: &str, lines: &[&str], parts: &[&str]) {
    let said = talk(arguments, lines);
    let words: Vec<&str> = said.split_whitespace().collect();
    let text = words.join(" ");
    let mut rest = text.as_str();
    for part in parts {
        let found = rest.split_once(part);
        (_, rest) = found.unwrap_or_else(|| panic!("{part:?} is missing in {said}"));
    }
}

/// Compares what the program says with a snapshot. The search is limited in nodes, so that it is always the same.
fn compare(name: &str, arguments: &str, lines: &[&str]) {
    let said = talk(arguments, lines);
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, said));
}

#[test]
fn markane_with_a_chain_typed_step_by_step() {
    compare(
        "play-markane",
        "markane:4x4 --level beginner",
        &["a2", "b1", "a4", "b3", "legal", "d1", "D3", "moves", "c4", "a1", "quit"],
    );
}

#[test]
fn invector_with_a_swap_as_a_question() {
    compare(
        "play-invector",
        "invector:3x2 --nodes 500 --as w",
        &["hint", "y", "legal a1", "legal b1", "go", "go", "go"],
    );
    // Who says no moves instead.
    compare("play-invector-without-swap", "invector:5x4 --as both", &["c3c4", "n", "c2 c3", "swap", "moves"]);
}

#[test]
fn gravel_step_by_step_and_whole() {
    compare(
        "play-gravel",
        "gravel:3 --nodes 100",
        &["b2", "legal", "xb2", "b2 a1 c3 c3", "a3", "end", "go", "go", "go", "go", "go", "go"],
    );
}

#[test]
fn inversion_with_a_choice_of_hexes() {
    compare(
        "play-inversion",
        "inversion:3 --nodes 200 --position 'ww./bw.w/wbbww/w.bw/.b. w - 15'",
        &["d4", "a1", "d3", "go", "go"],
    );
}

#[test]
fn invictus_with_setting_up_and_returned_dice() {
    compare(
        "play-invictus",
        "invictus --nodes 100",
        &["c2 d2", "c2", "d9", "go", "c2c3", "undo", "undo", "undo", "redo", "redo"],
    );
    compare(
        "play-invictus-end",
        "invictus --nodes 100 --position '..w3w1w1..../...b5...../........./........./........./........./........./b1......../......... b 1,2 - 7 41'",
        &["d8c9", "d8e9", "go", "undo", "resign", "eval", "undo", "as none"],
    );
}

#[test]
fn what_is_typed_wrong_is_explained() {
    compare(
        "play-wrong",
        "markane:6x6 --nodes 200",
        &[
            "",
            "hnt",
            "help me",
            "c9",
            "z1",
            "c3,",
            "c3,d4",
            "c4",
            "d3",
            "legal c3",
            "legal d3",
            "legal z9",
            "undo",
            "undo",
            "undo",
            "redo",
            "redo",
            "level 9",
            "level fair",
            "level",
            "as x",
            "save",
            "load",
            "load nowhere.pgn",
            "new chess",
            "new invictus",
            "6@a9",
            "6@a2",
            "new",
            "resign",
            "b2",
            "resign",
            "\u{1b}[31m",
            "c3\u{0}x",
        ],
    );
}

/// Runs the program in a folder and gives what it says.
#[test]
fn beginners_get_answers_they_can_use() {
    compare(
        "play-beginner",
        "invector:5x4 --as both --nodes 200 --level 3",
        &[
            "rules",
            "a1",
            "pass",
            "a1b1,c1d1",
            "a1-b1",
            "maybe",
            "n",
            "c2c1",
            "b1 a2",
            "help undo",
            "help me",
            "undo 2",
            "undo two",
            "redo now",
            "new markane 6x6 pie=on",
            "place d4",
            "d4,d5",
            "new gravel:4 x=2",
            "a1,a1,a1",
            "b2",
            "b2 b3",
            "new invictus",
            "6 b2",
            "b2",
            "b2",
            "d9",
        ],
    );
    // A die that was captured is set by the person, and the engine plays the rest of the turn.
    compare(
        "play-returned",
        "invictus --nodes 200 --as both \
         --position '..w3w1w1..../...b5...../........./........./........./........./........./b1......../......... b 1,2 - 7 41'",
        &["d8c9", "a6", "go", "undo 2"],
    );
}

fn play_in(folder: &Path, arguments: &str, input: &str) -> String {
    let path = folder.join("input");
    fs::write(&path, input).unwrap();
    let mut command = command(folder, arguments);
    let output = command.env("HOME", folder).stdin(fs::File::open(path).unwrap()).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn games_are_saved_and_loaded() {
    let folder = folder("play-files");
    let said = play_in(
        &folder,
        "play markane:6x6 --nodes 200",
        "c3\nsave a game.pgn\nd5\nsave a game.pgn\nn\nsave a game.pgn\ny\nresign\nsave over.pgn\nquit\n",
    );
    assert!(said.contains("a game.pgn exists. Replace it? [y/N] n\nNot saved."), "{said}");
    let saved = fs::read_to_string(folder.join("a game.pgn")).unwrap();
    assert!(saved.contains("[Result \"*\"]") && saved.contains("[PlyCount \"4\"]"), "{saved}");

    // From another game, and then by the other side.
    let said = play_in(
        &folder,
        "play invictus --as w --nodes 200",
        "load a game.pgn\nmoves\nas w\nsave other.pgn\nload over.pgn\nundo\n",
    );
    assert!(said.contains("markane:6x6, Black person, White pentalith, 4 moves. You are Black."), "{said}");
    assert!(said.contains("White wins: Black has resigned."), "{said}");
    assert!(said.contains("Black has not resigned."), "{said}");
    let other = fs::read_to_string(folder.join("other.pgn")).unwrap();
    assert!(other.contains("[PlyCount \"5\"]"), "{other}");

    // The tools for records know such games.
    let checked = play_in(&folder, "replay 'a game.pgn'", "");
    assert_eq!(checked, "1 game, 4 moves: all as the rules say\n");
    let checked = play_in(&folder, "replay over.pgn --html over.html", "");
    assert_eq!(checked, "1 game, 4 moves: all as the rules say\n");
    play_in(&folder, "replay 'a game.pgn' --html game.html", "");
    let page = fs::read_to_string(folder.join("game.html")).unwrap();
    assert!(page.contains("Unfinished"), "{page}");
    let counted = command(&folder, "stats 'a game.pgn' over.pgn").output().unwrap();
    let errors = String::from_utf8_lossy(&counted.stderr);
    assert!(errors.contains("a game.pgn: the game after 0 whole games is incomplete"), "{errors}");
    assert!(String::from_utf8_lossy(&counted.stdout).contains("1 game"), "{counted:?}");

    // What is no record changes nothing.
    let wrong = saved.replace("1. c3", "1. c9");
    fs::write(folder.join("wrong.pgn"), wrong).unwrap();
    fs::write(folder.join("notes.txt"), "Buy milk.\n").unwrap();
    fs::write(folder.join("two.pgn"), format!("{saved}{}", saved.replace("Round \"1\"", "Round \"2\""))).unwrap();
    let said = play_in(
        &folder,
        "play markane:6x6 --as both",
        "b2\nload wrong.pgn\nload notes.txt\nload .\nload two.pgn\nload two.pgn 3\nmoves\nload no.pgn\nload two.pgn 2\nmoves\nload two.pgn#2:0\nmoves\nload two.pgn#2:9\nsave .\nsave no/where\n",
    );
    for part in [
        "Not loaded: wrong.pgn, game 1: move 1, \"c9\"",
        "Not loaded: notes.txt, line 1, column 1: expected a move",
        "must be a plain file, not a folder",
        "Not loaded: two.pgn has 2 games: choose one by its number, as in two.pgn#1",
        "Not loaded: two.pgn has no game 3",
        "Not loaded: there is no file no.pgn.",
        "1. b2\n",
        "To go on later with the game that you leave, quit the program and type:\n\
         pentalith play markane:6x6 --as both --moves 'b2'\n",
        "1. c3 ",
        "markane:6x6, Black person, White pentalith, 0 moves",
        "Not loaded: game 2 of two.pgn has 4 moves",
        "Not saved: .: a record must be",
        "no such folder: no",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
}

#[test]
fn a_game_comes_back_with_its_players_and_what_others_wrote() {
    let folder = folder("play-back");
    play_in(&folder, "play markane:4x4 --as w --level weak --nodes 50", "go\nsave white.pgn\n");
    let saved = fs::read_to_string(folder.join("white.pgn")).unwrap();
    assert!(saved.contains("[White \"person\"]") && saved.contains("Strength=weak"), "{saved}");
    let saved = saved
        .replacen("pentalith match markane:4x4", "Club evening", 1)
        .replacen("[White \"person\"]", "[White \"Ada\"]", 1)
        .replacen("[PlyCount \"3\"]", "[PlyCount \"3\"]\n[Annotator \"B\"]", 1);
    fs::write(folder.join("white.pgn"), &saved).unwrap();
    let said = play_in(&folder, "play invictus", "load white.pgn\nlevel\nsave copy.pgn\nundo\nsave before.pgn\n");
    assert!(said.contains("markane:4x4, Black pentalith, White Ada, 3 moves. You are White."), "{said}");
    assert!(said.contains("The level is weak."), "{said}");
    assert_eq!(fs::read_to_string(folder.join("copy.pgn")).unwrap(), saved);
    // The same from the command line, whose level and side count more than those of the record.
    for (line, level) in
        [("play white.pgn", "weak"), ("play white.pgn#1 --level fair", "fair"), ("play white.pgn --as both", "weak")]
    {
        let said = play_in(&folder, line, "level\nmoves\nsave again.pgn\ny\n");
        assert!(said.contains(&format!("The level is {level}.")) && said.contains("3. "), "{line}: {said}");
        let again = fs::read_to_string(folder.join("again.pgn")).unwrap();
        assert_eq!(said.contains("You play both sides"), line.ends_with("both"), "{line}: {said}");
        assert!(again == saved || line != "play white.pgn" && again.contains("Club evening"), "{line}: {again}");
    }
    let before = fs::read_to_string(folder.join("before.pgn")).unwrap();
    assert!(before.contains("[PlyCount \"1\"]") && before.contains("[White \"Ada\"]"), "{before}");
}

#[test]
fn the_engine_goes_on_with_a_game_that_is_loaded() {
    let folder = folder("play-loaded");
    play_in(&folder, "play markane:4x4 --as both --moves a2", "save start.pgn\n");
    let saved = fs::read_to_string(folder.join("start.pgn")).unwrap();
    // The person who played Black met the engine.
    play_in(&folder, "play markane:4x4 --nodes 50 --as b --moves 'a2 b1'", "save game.pgn\n");
    let game = fs::read_to_string(folder.join("game.pgn")).unwrap();
    let tags = game.split("\n\n").next().unwrap().replace("[PlyCount \"2\"]", "[PlyCount \"1\"]");
    let moves = saved.split("\n\n").nth(1).unwrap();
    fs::write(folder.join("waits.pgn"), format!("{tags}\n\n{moves}\n\n")).unwrap();
    let said = play_in(&folder, "play invictus", "load waits.pgn\nmoves\n");
    assert!(said.contains("White plays") && said.contains("1. a2 2. "), "{said}");
}

#[test]
fn undo_redo_and_goto_take_numbers() {
    expect(
        "markane:4x4 --as both",
        &["a2", "b1", "c4", "undo 3", "redo 2", "moves", "redo 9", "moves", "goto 1", "moves", "goto 3", "moves"],
        &[
            "moves 1. a2 2. b1 Black> redo 9",
            "moves 1. a2 2. b1 3. c4 White> goto 1",
            "After move 1 of 3.",
            "moves 1. a2 White> goto 3",
            "After move 3 of 3.",
            "moves 1. a2 2. b1 3. c4 ",
        ],
    );
    expect(
        "markane:4x4 --as both",
        &["a2", "b1", "goto 0", "moves", "goto 3", "goto x", "goto", "redo 0"],
        &[
            "The start; redo and goto go forward, to move 2 at most.",
            "No move has been played.",
            "goto \"3\": expected the number of a move, from 0 to 2.",
            "goto \"x\": expected the number of a move, from 0 to 2.",
            "goto \"\": expected the number of a move, from 0 to 2.",
            "redo \"0\": expected a number from 1.",
        ],
    );
}

#[test]
fn a_game_goes_on_where_the_last_line_says() {
    let folder = folder("play-on");
    let said = play_in(&folder, "play gravel:4 --nodes 50", "b2\nb2\n");
    let line = said.lines().last().unwrap();
    let line = line.strip_prefix("To resume this game: pentalith ").unwrap();
    assert_eq!(line, "play gravel:4 --as w --moves 'b2,b2'");
    let again = play_in(&folder, line, "");
    assert!(again.contains("White (you) after b2,b2"), "{again}");
    let wrong = command(&folder, "play gravel:4 --moves 'b2,b9'").output().unwrap();
    assert_eq!(wrong.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("move 1, \"b2,b9\""), "{wrong:?}");
}

#[test]
fn a_terminal_completes_marks_and_is_left_as_it_was() {
    if let Err(error) = Command::new("python3").arg("--version").output() {
        return crate::clients::skip("python3 does not run", &error.to_string());
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients/terminal.py");
    let output =
        Command::new("python3").arg(script).arg(env!("CARGO_BIN_EXE_pentalith")).stdin(Stdio::null()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    if said.starts_with("no terminal") {
        return crate::clients::skip("there is no pseudo-terminal", &said);
    }
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
}
