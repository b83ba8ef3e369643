//! Strong solutions by layers have the values, lengths and numbers of positions of plain computations.

use std::collections::{HashMap, HashSet};
use std::process::{Command, Output};
use std::sync::atomic::AtomicBool;

use pentalith::lab::solve::code::Coder;
use pentalith::lab::solve::layers::{Counts, Failure, Solved, bytes};
use pentalith::lab::solve::search::Limits;
use pentalith::lab::solve::solved::SOLVED;
use pentalith::rules::{Board, Color, Planes};
use pentalith::search::{SystemClock, random_step};
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::perfect;
use crate::search::open;

/// Solves all positions with a number of threads.
fn solved(board: &dyn Board, threads: usize) -> Result<Solved, Failure> {
    let (stop, clock) = (AtomicBool::new(false), SystemClock::default());
    let limits = Limits { stop: &stop, clock: &clock, deadline: None, positions: None };
    Solved::new(board, 1 << 30, threads, &limits)
}

/// Results for the side to move and numbers of moves to the end, by the rules alone: of positions from turn 3 on.
#[derive(Default)]
struct Plain(HashMap<[u128; 2], (i32, u32)>);

impl Plain {
    fn score(&mut self, board: &mut dyn Board) -> (i32, u32) {
        if let Some(outcome) = board.outcome() {
            let wins = outcome.winner == Some(board.side());
            return (if wins { 1 } else { -1 }, 0);
        }
        let stones = stones(board);
        let is_late = board.turn() >= 3;
        if let Some(&known) = self.0.get(&stones).filter(|_| is_late) {
            return known;
        }
        let mut steps = Vec::new();
        board.steps(&mut steps);
        let scores: Vec<(i32, u32)> = steps
            .into_iter()
            .map(|step| {
                board.make(step);
                let (result, length) = self.score(board);
                board.unmake();
                (-result, length + 1)
            })
            .collect();
        let wins = scores.iter().filter(|(result, _)| *result == 1);
        let best = match wins.map(|(_, length)| length).min() {
            Some(&shortest) => (1, shortest),
            None => (-1, scores.iter().map(|(_, length)| *length).max().unwrap()),
        };
        if is_late {
            self.0.insert(stones, best);
        }
        best
    }
}

/// The stones of the side to move and those of the other side.
fn stones(board: &dyn Board) -> [u128; 2] {
    let [black, white] = board.planes().unwrap().pieces;
    match board.side() {
        Color::Black => [black, white],
        Color::White => [white, black],
    }
}

/// All legal positions of turn 3: each way to put stones on the board.
fn arrangements(variant: &str) -> Vec<Box<dyn Board>> {
    let board = open(variant);
    let cells = board.shape().len();
    let most = cells as u32 / 2;
    let mut all = Vec::new();
    for occupied in 1_u128..1 << cells {
        let mut black = occupied;
        loop {
            let white = occupied ^ black;
            if black.count_ones() <= most && white.count_ones() <= most {
                let mut board = board.fork();
                let planes = Planes { pieces: [black, white], ..board.planes().unwrap() };
                assert!(board.set_planes(&planes, Color::Black, 3));
                all.push(board);
            }
            if black == 0 {
                break;
            }
            black = (black - 1) & occupied;
        }
    }
    all
}

fn add(counts: &mut Counts, (result, length): (i32, u32)) {
    match result {
        1 => counts.wins += 1,
        0 => counts.draws += 1,
        _ => counts.losses += 1,
    }
    counts.longest = counts.longest.max(length);
}

/// Lists the positions from turn 3 on that can follow, of alike ones the first.
fn follow(board: &mut dyn Board, coder: &Coder, seen: &mut HashSet<u128>, found: &mut Vec<Box<dyn Board>>) {
    let (planes, side, turn) = (board.planes(), board.side(), board.turn());
    let code = coder.canonical(planes, side, turn, 0, String::new);
    if !seen.insert(code) {
        return;
    }
    if turn >= 3 {
        found.push(board.fork());
    }
    let mut steps = Vec::new();
    board.steps(&mut steps);
    for step in steps {
        board.make(step);
        follow(board, coder, seen, found);
        board.unmake();
    }
}

#[test]
fn every_position_has_the_value_and_the_length_of_a_plain_computation() {
    for variant in ["invector:2x1", "invector:1x4,pie=off", "invector:3x2", "invector:3x2,pie=off", "invector:2x5"] {
        let start = open(variant);
        let all = solved(&*start, 2).unwrap();
        let mut plain = Plain::default();
        let coder = Coder::new(&*start);
        let (mut codes, mut legal, mut arranged) = (HashSet::new(), Counts::default(), Counts::default());
        for mut board in arrangements(variant) {
            let expected = plain.score(&mut *board);
            let text = format!("{variant} {}", board.position());
            let score = all.score(&mut *board).unwrap();
            assert_eq!(score.result(), expected.0, "{text}");
            assert_eq!(score.length(), Some(expected.1), "{text}");
            let (planes, side, turn) = (board.planes(), board.side(), board.turn());
            if codes.insert(coder.canonical(planes, side, turn, 0, String::new)) {
                add(&mut legal, expected);
            }
            add(&mut arranged, expected);
        }
        let census = all.census();
        assert_eq!(census.legal, legal, "{variant}");
        assert_eq!(census.arrangements, arranged, "{variant}");
        let (mut seen, mut found, mut reachable) = (HashSet::new(), Vec::new(), Counts::default());
        follow(&mut *start.fork(), &coder, &mut seen, &mut found);
        for mut board in found {
            add(&mut reachable, plain.score(&mut *board));
        }
        assert_eq!(census.reachable, reachable, "{variant}");
        let (result, length) = plain.score(&mut *start.fork());
        let (value, moves) = all.value(&*start).unwrap();
        // In turn 1 the player who moves first is to move.
        assert_eq!((value as i32 - 1, moves), (result, Some(length)), "{variant}");
    }
}

#[test]
fn positions_of_larger_boards_have_the_values_of_exhaustive_search() {
    for variant in ["invector:4x3", "invector:4x3,pie=off", "invector:7x2"] {
        let start = open(variant);
        let all = solved(&*start, 2).unwrap();
        let (mut known, mut plain) = (perfect::Solver::default(), Plain::default());
        let mut seen = [0; 2];
        for seed in 0..40 {
            let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
            let mut board = start.fork();
            loop {
                let score = all.score(&mut *board).unwrap();
                let text = format!("{variant} {}", board.position());
                let expected = known.value(&mut *board);
                assert_eq!(score.result(), i32::from(expected), "{text}");
                seen[usize::from(expected == 1)] += 1;
                // Lengths take all steps of all positions, so the larger board has them for late positions alone.
                if start.shape().len() <= 12 || board.turn() > 8 {
                    let length = plain.score(&mut *board).1;
                    assert_eq!(score.length(), Some(length), "{text}");
                }
                match random_step(&mut *board, &mut random) {
                    Some(step) => board.make(step),
                    None => break,
                };
            }
        }
        assert!(seen.iter().all(|&count| count > 50), "{variant}: {seen:?}");
    }
}

#[test]
fn starts_have_the_known_values() {
    let mut checked = 0;
    for &(variant, value) in SOLVED {
        let board = open(variant);
        if board.layers().is_none() || board.shape().len() > 14 {
            continue;
        }
        let all = solved(&*board, 2).unwrap();
        let found = all.value(&*board).unwrap();
        assert_eq!(found.0.word(), format!("{value}win"), "{variant}");
        let line = all.variation(&*board);
        assert_eq!(Some(line.len() as u32), found.1, "{variant}");
        let mut end = board.fork();
        for step in line {
            assert!(end.is_legal(step), "{variant}");
            end.make(step);
        }
        assert!(end.is_over(), "{variant}");
        checked += 1;
    }
    assert_eq!(checked, 22);
}

#[test]
fn threads_change_nothing_and_a_position_needs_less() {
    let board = open("invector:4x3");
    let one = solved(&*board, 1).unwrap();
    for threads in [2, 5] {
        let more = solved(&*board, threads).unwrap();
        assert_eq!(more.census(), one.census());
        assert_eq!(more.variation(&*board), one.variation(&*board));
    }
    let mut late = open("invector:4x3");
    late.set_position("..b./bw../.... w 6").unwrap();
    assert!(bytes(&*late).unwrap() < bytes(&*board).unwrap());
    let part = solved(&*late, 2).unwrap();
    assert_eq!(part.value(&*late), one.value(&*late));
    assert_eq!(part.variation(&*late), one.variation(&*late));
    assert!(part.census().legal.total() < one.census().legal.total());
    assert!(part.score(&mut *board.fork()).is_none());
    // The estimate covers what the table and its lists take, and is not far off.
    for board in [&board, &late] {
        let taken = solved(&**board, 1).unwrap().bytes();
        assert!((taken..taken * 2).contains(&bytes(&**board).unwrap()));
    }
}

#[test]
fn what_cannot_be_solved_is_refused() {
    let failure = |variant: &str| solved(&*open(variant), 1).err().unwrap();
    assert_eq!(failure("markane:3x3"), Failure::NoLayers);
    assert_eq!(failure("invector"), Failure::TooLarge(56));
    let needed = bytes(&*open("invector:8x3")).unwrap();
    assert_eq!(failure("invector:8x3"), Failure::Memory(needed));
    // A quarter of 3²⁴ positions and more.
    assert!(needed > 3_u64.pow(24) / 4 && needed < 3_u64.pow(24) / 3);
    let (stop, clock) = (AtomicBool::new(true), SystemClock::default());
    let limits = Limits { stop: &stop, clock: &clock, deadline: None, positions: None };
    let stopped = Solved::new(&*open("invector:3x2"), 1 << 30, 1, &limits);
    assert_eq!(stopped.err(), Some(Failure::Stopped));
}

fn solve(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pentalith"));
    command.arg("solve").args(arguments).output().unwrap()
}

#[test]
fn the_command_solves_all_positions() {
    let output = solve(&["invector:5x2", "--goal", "all", "--threads", "2", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found["value"], "p2win");
    assert_eq!(found["bounds"]["value"], serde_json::json!(["p2win", "p2win"]));
    assert_eq!(found["complete"], true);
    let moves = found["line"].as_array().unwrap().len();
    assert_eq!(found["length"], moves);
    let total = &found["census"]["legal"]["positions"];
    assert_eq!(&found["positions"], total);
    let text = String::from_utf8(solve(&["invector:5x2", "--goal", "all"]).stdout).unwrap();
    assert!(text.contains(&format!("p2 (White) wins in {moves} moves\n")), "{text}");
    assert!(text.contains(&format!("\nsolved: {total} positions;")), "{text}");

    for (arguments, expected) in [
        (&["invector", "--goal", "all"][..], "up to 24 cells"),
        (&["invector:5x4", "--goal", "all", "--memory", "100"], "--memory allows 100"),
        (&["invector:3x2", "--goal", "all", "--save", "x"], "--save"),
    ] {
        let refused = solve(arguments);
        assert_eq!(refused.status.code(), Some(2), "{refused:?}");
        let why = String::from_utf8(refused.stderr).unwrap();
        assert!(why.contains(expected) && why.contains("--goal value"), "{why}");
    }
    let late = solve(&["invector:5x4", "--goal", "all", "--time", "0.01", "--json"]);
    assert_eq!(late.status.code(), Some(1), "{late:?}");
    let found: serde_json::Value = serde_json::from_slice(&late.stdout).unwrap();
    assert_eq!(found["value"], "unknown");
    assert_eq!(found["bounds"]["value"], serde_json::json!(["p2win", "p1win"]));
    assert!(found["length"].is_null() && found["census"].is_null());
}
