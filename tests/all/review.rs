//! Reviews of games against exact values, and against blunders that were put in.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use pentalith::games;
use pentalith::record::{FileGames, ReadOptions, read_damaged};
use pentalith::review::{Budget, Review, Settings, review};
use pentalith::rules::Board;
use pentalith::search::SystemClock;
use pentalith::session::{Event, Go, Session, TimeLimit};

use crate::matches::{folder, run, text};

fn reviewed(variant: &str, moves: &[String], nodes: u64, jobs: usize) -> Option<Review> {
    let record = read_damaged(&format!("{variant}\n{}\n", moves.join(" ")), &ReadOptions::default()).games.pop()?;
    let settings = Settings { budget: Budget::Nodes(nodes), jobs, hash: 4 };
    review(&record, &settings, &AtomicBool::new(false), &mut |_, _| {}).ok()
}

/// Returns the score of the side to move with best play, in half points.
fn value(board: &mut dyn Board, known: &mut HashMap<String, i32>) -> i32 {
    let side = board.side();
    if let Some(outcome) = board.outcome() {
        return outcome.winner.map_or(1, |winner| if winner == side { 2 } else { 0 });
    }
    let position = board.position();
    if let Some(&value) = known.get(&position) {
        return value;
    }
    let mut steps = Vec::new();
    board.steps(&mut steps);
    let mut best = 0;
    for step in steps {
        board.make(step);
        let same = board.side() == side;
        let after = value(board, known);
        best = best.max(if same { after } else { 2 - after });
        board.unmake();
    }
    known.insert(position, best);
    best
}

#[test]
fn no_move_that_keeps_the_value_of_a_solved_position_is_a_mistake() {
    let (mut mistakes, mut kept) = (0, 0);
    for (variant, games) in [("markane:4x3", 6_usize), ("invector:3x2", 3), ("invector:4x3", 3)] {
        let parsed = games::parse_variant(variant).unwrap();
        let mut known = HashMap::new();
        for number in 0..games {
            // Moves by a rule that is neither good nor bad.
            let mut board = games::open(&parsed).unwrap();
            let (mut moves, mut values) = (Vec::new(), Vec::new());
            while !board.is_over() {
                let (side, before) = (board.side(), value(&mut *board, &mut known));
                let mut steps = Vec::new();
                while board.side() == side && !board.is_over() {
                    let count = board.count();
                    let step = board.nth((number * 7 + moves.len() * 5 + steps.len()) % count).unwrap();
                    steps.push(board.write_step(step));
                    board.make(step);
                }
                let after = value(&mut *board, &mut known);
                moves.push(steps.join(","));
                values.push((before, if board.side() == side { after } else { 2 - after }));
            }
            let review = reviewed(variant, &moves, 2000, 2).unwrap();
            assert_eq!(review.moves.len(), moves.len());
            for (made, (before, after)) in review.moves.iter().zip(values) {
                if after < before {
                    mistakes += u32::from(made.is_mistake);
                } else {
                    kept += 1;
                    assert!(!made.is_mistake, "{variant} {moves:?}: {made:?}");
                }
            }
        }
    }
    assert!(mistakes > 5 && kept > 20, "{mistakes} {kept}");
}

/// Returns the whole move that a search finds best, and its expected score.
fn best(session: &mut Session, nodes: u64) -> Option<(String, f64)> {
    let go = Go { time: TimeLimit::Unlimited, nodes: Some(nodes), ..Go::default() };
    match session.search(&go).ok()?.into_iter().last()? {
        Event::SearchDone(found) => Some((found.text(), found.progress.variations.first()?.expected_score)),
        _ => None,
    }
}

#[test]
fn blunders_that_were_put_into_strong_games_are_among_the_first_three() {
    let (mut found, mut all) = (0, 0);
    for number in 0..10 {
        let variant = ["markane:6x6", "invector:6x5"][number % 2];
        let mut session =
            Session::new(&games::parse_variant(variant).unwrap(), Arc::new(SystemClock::default())).unwrap();
        let opening = session.legal()[number].clone();
        session.play(session.side(), &opening, true).unwrap();
        let mut blunder = None;
        while session.outcome().is_none() {
            let (text, expected) = best(&mut session, 1000).unwrap();
            let side = session.side();
            if blunder.is_none() && session.turn() > 4 + number as u32 / 2 && expected > 0.5 {
                // The worst reply of one step that a search refutes.
                for step in session.legal() {
                    session.play(side, &step, true).unwrap();
                    let passes = session.side() != side && session.outcome().is_none();
                    if passes && best(&mut session, 1000).unwrap().1 > 0.5 + (1.0 - expected) / 2.0 + 0.25 {
                        blunder = Some(session.moves().len());
                        break;
                    }
                    session.undo();
                }
                if blunder.is_some() {
                    continue;
                }
            }
            session.play(side, &text, true).unwrap();
        }
        let Some(blunder) = blunder else {
            continue;
        };
        all += 1;
        let review = reviewed(variant, &session.moves(), 1500, 2).unwrap();
        let turn = review.moves[blunder - 1].turn;
        found += u32::from(review.mistakes().iter().take(3).any(|made| made.turn == turn));
    }
    assert!(all >= 8 && found * 10 >= all * 9, "{found} of {all}");
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
