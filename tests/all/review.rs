//! Reviews of games against exact values, and against blunders that were put in.

use std::fs;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use pentalith::games;
use pentalith::lab::solve::search::Limits;
use pentalith::lab::solve::{Solver, Value};
use pentalith::record::{FileGames, GameRecord, ReadOptions, read_damaged};
use pentalith::review::{Budget, Evaluations, Review, ReviewError, Settings, review};
use pentalith::rules::{Board, Color};
use pentalith::search::SystemClock;
use pentalith::study::error::StudyError;

use crate::matches::{folder, run, text};

fn recorded(variant: &str, start: Option<&str>, moves: &[String]) -> GameRecord {
    let start = start.map(|start| format!("[FEN \"{start}\"]\n")).unwrap_or_default();
    let text = format!("[Variant \"{variant}\"]\n{start}\n{} *\n", moves.join(" "));
    let FileGames { mut games, damaged, .. } = read_damaged(&text, &ReadOptions::default());
    games.pop().unwrap_or_else(|| panic!("{text}: {damaged:?}"))
}

fn reviewed(variant: &str, start: Option<&str>, moves: &[String], nodes: u64, jobs: usize) -> Option<Review> {
    let record = recorded(variant, start, moves);
    let settings = Settings { budget: Budget::Nodes(nodes), jobs, hash: 4 };
    review(&record, &settings, &mut Evaluations::default(), &AtomicBool::new(false), &mut |_, _| {}).ok()
}

/// Returns the score of the side to move with best play, in half points.
fn value(board: &dyn Board) -> i32 {
    let side = board.side();
    if let Some(outcome) = board.outcome() {
        return half_points(outcome.winner, side);
    }
    let (stop, clock) = (AtomicBool::new(false), SystemClock::default());
    let mut solver = Solver::new(board, 1 << 24).unwrap();
    assert!(solver.solve(false, &Limits { stop: &stop, clock: &clock, deadline: None, positions: None }));
    let first = match solver.value().unwrap() {
        Value::FirstWins => 2,
        Value::Draw => 1,
        Value::SecondWins => 0,
    };
    if side == board.variant().info().first { first } else { 2 - first }
}

fn half_points(winner: Option<Color>, side: Color) -> i32 {
    winner.map_or(1, |winner| if winner == side { 2 } else { 0 })
}

/// Reviews games by a rule that is neither good nor bad, on boards that the solver solves. No move that keeps the value
/// is a mistake, and what is proven is true.
fn compare_with_solver(variant: &str, start: Option<&str>, numbers: Range<usize>) -> [u32; 3] {
    let [mut mistakes, mut kept, mut proven] = [0; 3];
    for number in numbers {
        let mut board = games::open(&games::parse_variant(variant).unwrap()).unwrap();
        if let Some(start) = start {
            board.set_position(start).unwrap();
        }
        let (mut moves, mut values) = (Vec::new(), Vec::new());
        while !board.is_over() {
            let (side, before) = (board.side(), value(&*board));
            let mut steps = Vec::new();
            let mut is_forced = true;
            while board.side() == side && !board.is_over() {
                let count = board.count();
                is_forced &= count == 1;
                let step = board.nth((number * 7 + moves.len() * 5 + steps.len()) % count).unwrap();
                steps.push(board.write_step(step));
                board.make(step);
            }
            let after = value(&*board);
            moves.push(steps.join(","));
            values.push((before, if board.side() == side { after } else { 2 - after }, is_forced));
        }
        let review = reviewed(variant, start, &moves, 1000, 2).unwrap();
        assert_eq!(review.moves.len(), moves.len());
        for (made, (before, after, is_forced)) in review.moves.iter().zip(values) {
            let what = format!("{variant} {moves:?}: {made:?}, {before} {after}");
            assert_eq!(made.is_forced, is_forced, "{what}");
            assert!(!made.is_forced || !made.is_only && !made.is_mistake, "{what}");
            if after < before {
                mistakes += u32::from(made.is_mistake);
            } else {
                kept += 1;
                assert!(!made.is_mistake, "{what}");
            }
            for (proof, value) in [(made.proof_before, before), (made.proof_after, after)] {
                let Some(proof) = proof else { continue };
                proven += 1;
                assert_eq!(half_points(proof.winner, made.side), value, "{what}");
            }
            // What is lost stays lost.
            if made.proof_before.is_some_and(|proof| proof.winner == Some(!made.side)) {
                assert_eq!((made.after, made.loss), (0.0, 0.0), "{what}");
            }
        }
    }
    [mistakes, kept, proven]
}

#[test]
fn no_move_that_keeps_the_value_of_a_solved_position_is_a_mistake() {
    let dice =
        "........./........./......w1../........./...b2...../..b1....../........./........./......... b 0,0 - 0 9";
    let all = [
        ("markane:4x3", None, 0..6),
        ("invector:3x2", None, 0..3),
        ("invector:4x3", None, 0..3),
        ("inversion:2", None, 0..4),
        ("gravel:2,x=2", None, 0..3),
        ("invictus:stall=2", Some(dice), 0..3),
    ];
    let found = all.map(|(variant, start, numbers)| compare_with_solver(variant, start, numbers));
    let [mistakes, kept, proven] = [0, 1, 2].map(|index| found.iter().map(|counts| counts[index]).sum::<u32>());
    assert!(mistakes > 5 && kept > 40 && proven > 40, "{found:?}");
}

#[test]
fn an_interrupted_review_resumes_from_its_file() {
    let file = folder("review-resume").join("out.pgn.partial");
    let moves = ["c3", "d6", "a2", "f4", "e5"].map(str::to_owned);
    let record = recorded("markane:6x6", None, &moves);
    let settings = Settings { budget: Budget::Nodes(400), jobs: 1, hash: 4 };
    let stop = AtomicBool::new(false);
    let whole = review(&record, &settings, &mut Evaluations::default(), &stop, &mut |_, _| {}).unwrap();
    let mut evaluations = Evaluations::open(&file).unwrap();
    let stopped = review(&record, &settings, &mut evaluations, &stop, &mut |done, _| stop.store(done == 3, Relaxed));
    assert!(matches!(stopped, Err(ReviewError::Search(StudyError::Interrupted))), "{stopped:?}");
    // As if it had been killed while it wrote.
    let mut text = fs::read_to_string(&file).unwrap();
    text.push_str("{\"variant\":\"markane:6x6\",\"posi");
    // A move that is not legal is searched again.
    let text = text.replacen("\"best\":\"", "\"best\":\"a99,", 1);
    fs::write(&file, text).unwrap();
    let mut evaluations = Evaluations::open(&file).unwrap();
    assert_eq!(evaluations.len(), 3);
    let mut first = None;
    let stop = AtomicBool::new(false);
    let resumed = review(&record, &settings, &mut evaluations, &stop, &mut |done, _| {
        first.get_or_insert(done);
    });
    assert!(first.is_some_and(|first| first >= 2), "{first:?}");
    assert_eq!(format!("{:?}", resumed.unwrap().moves), format!("{:?}", whole.moves));
    evaluations.remove_file();
    assert!(!file.exists());
    // Another file is never written to.
    fs::write(&file, "notes\n").unwrap();
    assert!(Evaluations::open(&file).is_err());
    assert_eq!(fs::read_to_string(&file).unwrap(), "notes\n");
}

/// Games of searches with 500 nodes per move, of two random moves before them, and one move of which was replaced by a
/// random one: by searches with 5,000 nodes it loses more than a quarter of the expected score.
#[test]
fn blunders_that_were_put_into_strong_games_are_among_the_first_three() {
    let games = include_str!("../blunders.tsv").lines().skip(1).map(|line| line.split('\t').collect::<Vec<_>>());
    let (mut found, mut all) = (0, 0);
    for game in games {
        let [variant, start, turn, moves] = game[..] else { panic!("{game:?}") };
        let moves: Vec<String> = moves.split(' ').map(str::to_owned).collect();
        let review = reviewed(variant, Some(start).filter(|start| !start.is_empty()), &moves, 1_500, 2).unwrap();
        let mistakes = review.mistakes();
        let is_found = mistakes.iter().take(3).any(|made| made.turn.to_string() == turn);
        if !is_found {
            println!("{variant}: turn {turn} is not found, but {:?}", mistakes[0].headline());
        }
        (found, all) = (found + usize::from(is_found), all + 1);
    }
    assert!(all == 14 && 10 * found >= 9 * all, "{found} of {all}");
}

#[test]
fn a_review_is_printed_and_written_in_every_form() {
    let folder = folder("review");
    let moves = "1. c3! d6 2. a2 {hm} f4 3. e5 b6 4. e2 d1 *";
    fs::write(folder.join("club.pgn"), format!("[Variant \"markane:6x6\"]\n[White \"Bo\"]\n\n{moves}\n")).unwrap();
    let command = "review club.pgn --nodes 300 --threads 2";
    let shown = text(&run(&folder, command).stdout);
    assert!(shown.starts_with("game 1: markane:6x6, Black ?, White Bo, 8 moves, *\n"), "{shown}");
    assert!(shown.contains("300 nodes per position"), "{shown}");
    assert_eq!(text(&run(&folder, &command.replace("threads 2", "threads 1")).stdout), shown);
    let output = run(&folder, &format!("{command} --json -o out.pgn --html out.html"));
    assert!(output.status.success(), "{output:?}");
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let first = &json[0]["moves"][0];
    assert_eq!((json[0]["variant"].as_str(), first["side"].as_str()), (Some("markane:6x6"), Some("black")));
    for game in json.as_array().unwrap() {
        for made in game["moves"].as_array().unwrap() {
            let [before, after, loss] = ["before", "after", "loss"].map(|name| made[name].as_f64().unwrap());
            assert!([before, after, loss].iter().all(|share| (0.0..=1.0).contains(share)), "{made}");
            assert!(!made["line"].as_array().unwrap().is_empty() && made["best"].is_string(), "{made}");
        }
    }
    let written = fs::read_to_string(folder.join("out.pgn")).unwrap();
    let FileGames { games, damaged, .. } = read_damaged(&written, &ReadOptions::default());
    assert!(damaged.is_empty(), "{damaged:?}");
    assert_eq!(games[0].moves[2].comment.as_deref().map(|text| text.starts_with("hm")), Some(true));
    assert!(games[0].moves.iter().all(|made| made.information.is_some_and(|known| known.score.is_some())));
    let replayed = run(&folder, "replay out.pgn");
    assert!(replayed.status.success(), "{replayed:?}");
    assert!(fs::read_to_string(folder.join("out.html")).unwrap().contains("<html"));
    let output = run(&folder, "review club.pgn --nodes 300 -o club.pgn");
    assert_eq!(output.status.code(), Some(2));
    assert!(Path::new(&folder.join("club.pgn")).exists());
    // A game that is over, and one that can't be read.
    fs::write(folder.join("two.pgn"), "invector:2x1\na1b1\n\n[Variant \"markane:6x6\"]\n\n1. c3 c3 *\n").unwrap();
    let output = run(&folder, "review two.pgn --nodes 100");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(text(&output.stderr).contains("line 6, column 7: "), "{output:?}");
}
