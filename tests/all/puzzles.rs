//! Puzzles: each is proven to the verifier, the same on every machine, read back, and asked in the terminal.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;

use pentalith::games;
use pentalith::lab::solve::search::Limits;
use pentalith::lab::solve::{Solver, Value};
use pentalith::puzzle::{Found, Puzzle, Settings, Target, find};
use pentalith::record::{GameRecord, ReadOptions, read_damaged};
use pentalith::rules::{Board, Color};
use pentalith::search::SystemClock;

use crate::foreign_records::random_game;
use crate::matches::{folder, run, text};
use crate::verify::check;

const SETTINGS: Settings = Settings { positions: 5_000, time: None, keeps_easy: true };

fn puzzles_of(game: &GameRecord) -> Vec<Found> {
    find(game, "games", &SETTINGS, &AtomicBool::new(false)).unwrap().unwrap()
}

/// Returns the least and the greatest number of half points of a side in the position of a board, by a certificate.
fn proven(bytes: &[u8], board: &dyn Board, side: Color) -> [i32; 2] {
    let proof = check(bytes).unwrap();
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(600)]).into_owned();
    let [variant, position] = [board.variant().to_string(), board.position()];
    assert!(head.starts_with(&format!("pentalith certificate 1\nvariant {variant}\nposition {position}\n")), "{head}");
    let [low, high] = proof.results().map(|result| i32::from(result) + 1);
    if side == board.variant().info().first { [low, high] } else { [2 - high, 2 - low] }
}

/// Checks that the certificates prove each step of a solution to be the only one.
fn assert_proven(Found { puzzle, proofs }: &Found) {
    let proof = |name: &str| {
        let found = proofs.iter().find(|(known, _)| known == name);
        found.unwrap_or_else(|| panic!("{name} among {:?}", proofs.iter().map(|(name, _)| name).collect::<Vec<_>>()))
    };
    let mut board = games::open(&puzzle.variant).unwrap();
    board.set_position(&puzzle.position).unwrap();
    let target = if puzzle.target == Target::Win { 2 } else { 1 };
    assert!(proven(&proof("").1, &*board, puzzle.side)[0] >= target);
    for (number, step) in puzzle.line.iter().enumerate() {
        let mut steps = Vec::new();
        board.steps(&mut steps);
        assert_eq!(step.side, board.side());
        if number == 0 || !step.wrong.is_empty() {
            assert_eq!(step.wrong.len() + 1, steps.len(), "{puzzle:?}");
        }
        let name = |wrong: &str| if number == 0 { format!("-{wrong}") } else { format!("{}-{wrong}", number + 1) };
        for wrong in &step.wrong {
            let mut behind = board.fork();
            behind.make(behind.find_step(&wrong.text).unwrap());
            let high = proven(&proof(&name(&wrong.text)).1, &*behind, puzzle.side)[1];
            assert!(high < target && (high == 1) == wrong.draws, "{puzzle:?}");
        }
        board.make(board.find_step(&step.text).unwrap());
        if number > 0 && !step.wrong.is_empty() {
            assert!(proven(&proof(&(number + 1).to_string()).1, &*board, puzzle.side)[0] >= target);
        }
    }
}

/// Returns a game from a position.
fn game_from(variant: &str, position: &str, moves: &str) -> GameRecord {
    let text = format!("[Variant \"{variant}\"]\n[FEN \"{position}\"]\n\n{moves} *\n");
    let read = read_damaged(&text, &ReadOptions::default());
    read.games.into_iter().next().unwrap_or_else(|| panic!("{:?}", read.damaged))
}

/// Checks the puzzles of games, and that there are some.
fn assert_puzzles(games: impl IntoIterator<Item = GameRecord>) {
    let found: Vec<Found> = games.into_iter().flat_map(|game| puzzles_of(&game)).collect();
    assert!(!found.is_empty());
    for (number, found) in (1..).zip(found) {
        assert_proven(&found);
        let record = found.puzzle.record(number).unwrap();
        let read = read_damaged(&record.to_text(), &ReadOptions::default());
        assert_eq!((read.games.as_slice(), read.damaged.len()), ([record].as_slice(), 0));
        assert_eq!(Puzzle::of(&read.games[0]), Ok(found.puzzle));
    }
}

fn assert_puzzles_of(variant: &str) {
    assert_puzzles((0..4).map(|seed| random_game(variant, seed)));
}

#[test]
fn games_of_invector_have_puzzles() {
    assert_puzzles_of("invector:4x3");
}

#[test]
fn games_of_markane_have_puzzles() {
    assert_puzzles_of("markane:5x4");
}

#[test]
fn games_of_inversion_have_puzzles() {
    assert_puzzles_of("inversion:3");
    assert_puzzles_of("inversion:3,order=alternate");
}

#[test]
fn games_of_gravel_have_puzzles() {
    assert_puzzles_of("gravel:2,x=2");
    // Within a turn, too: one of two ways to end it wins.
    let moves = "xa2";
    assert_puzzles([game_from("gravel:3,x=2", "b1../w1.w1/b1w1. b p1 3,2 0 8", moves)]);
}

#[test]
fn games_of_invictus_have_puzzles() {
    // The die on a8 must leave at once: then the game is over before White's die crosses the Divide.
    let position = ".w6......./b3......../........./........./....w2..../........./........./........./......... \
                    b 10,12 - 0 101";
    assert_puzzles([game_from("invictus:stall=4", position, "a8a9")]);
}

#[test]
fn a_die_on_its_way_is_proven_to_win_with_few_positions() {
    // Black needs two more turns, in which White's many steps change nothing.
    let position = "........./........./.b3......./........./........./........./w5..w1....w1/.w3.w3...../......... \
                    w 53,38 - 3 226";
    let board = games::open(&games::parse_variant("invictus:stall=20").unwrap());
    let mut board = board.unwrap();
    board.set_position(position).unwrap();
    let mut solver = Solver::new(&*board, 1 << 24).unwrap();
    let (stop, clock) = (AtomicBool::new(false), SystemClock::default());
    let limits = Limits { stop: &stop, clock: &clock, deadline: None, positions: Some(10_000) };
    assert!(solver.solve(false, &limits), "{}", solver.positions());
    assert_eq!(solver.value(), Some(Value::FirstWins));
}

#[test]
fn puzzles_are_the_same_for_any_number_of_threads() {
    let folder = folder("puzzles");
    let games: String = (0..4).map(|seed| random_game("markane:5x4", seed).to_text()).collect();
    fs::write(folder.join("games.pgn"), games).unwrap();
    let one = run(&folder, "puzzles games.pgn --easy --nodes 3000 --threads 1");
    assert!(one.status.success(), "{one:?}");
    let all = "puzzles games.pgn --easy --nodes 3000 --threads 3 -o puzzles.pgn --html page.html --proofs proofs";
    let three = run(&folder, all);
    assert!(three.status.success(), "{three:?}");
    let written = fs::read_to_string(folder.join("puzzles.pgn")).unwrap();
    assert_eq!(text(&one.stdout), written);
    let count = written.matches("[Puzzle \"").count();
    assert!(count > 0 && text(&three.stdout).starts_with(&format!("{count} puzzle")), "{three:?}");
    let page = fs::read_to_string(folder.join("page.html")).unwrap();
    assert!(page.contains("id=\"verdict\""), "{page}");
    let proofs: Vec<_> = fs::read_dir(folder.join("proofs")).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(proofs.len() > count);
    for path in proofs {
        let verified = Command::new(env!("CARGO_BIN_EXE_pentalith-verify")).arg(&path).output().unwrap();
        assert!(verified.status.success(), "{verified:?}");
    }
    asked(&folder, &written);
    let replaced = run(&folder, "puzzles games.pgn -o games.pgn");
    assert_eq!(replaced.status.code(), Some(2));
    let none = run(&folder, "puzzles nowhere.pgn");
    assert_eq!(none.status.code(), Some(2));
}

/// Solves the puzzles of a file in the terminal, after a wrong step each.
fn asked(folder: &Path, written: &str) {
    let puzzles: Vec<Puzzle> =
        read_damaged(written, &ReadOptions::default()).games.iter().map(|game| Puzzle::of(game).unwrap()).collect();
    let mut lines = String::from("nonsense\n");
    for puzzle in &puzzles {
        lines += &format!("{}\n", puzzle.line[0].wrong[0].text);
        for step in puzzle.line.iter().filter(|step| !step.wrong.is_empty()) {
            lines += &format!("{}\n", step.text);
        }
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_pentalith"));
    command.args(["play", "--puzzles", "puzzles.pgn"]).current_dir(folder);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let said = text(&output.stdout);
    assert_eq!(said.matches("\nSolved.").count(), puzzles.len(), "{said}");
    assert!(said.contains(&format!("0 of {} puzzle", puzzles.len())), "{said}");
    assert!(said.contains("Right. ") && said.contains(&puzzles[0].line[0].wrong[0].told()[..8]), "{said}");
}
