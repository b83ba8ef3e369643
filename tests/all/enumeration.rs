//! Enumerated positions of games with a draw clock have the values of exhaustive search, at every clock.

use std::sync::atomic::AtomicBool;

use pentalith::lab::solve::Value;
use pentalith::lab::solve::certificate::{Claim, certificate, strategy};
use pentalith::lab::solve::code::Coder;
use pentalith::lab::solve::graph::Graph;
use pentalith::lab::solve::search::{Limits, Search};
use pentalith::lab::solve::table::Table;
use pentalith::rules::{Board, Color};
use pentalith::search::{SystemClock, random_step};
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::perfect;
use crate::search::open;
use crate::solve::replay;

/// Calls a function with limits that end nothing.
fn unlimited<T>(run: impl FnOnce(&Limits<'_>) -> T) -> T {
    let (stop, clock) = (AtomicBool::new(false), SystemClock::default());
    run(&Limits { stop: &stop, clock: &clock, deadline: None, positions: None })
}

/// Returns the board after each step of a random game.
fn game(variant: &str, seed: u64) -> Vec<Box<dyn Board>> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut board = open(variant);
    let mut boards = vec![board.fork()];
    while let Some(step) = random_step(&mut *board, &mut random).filter(|_| boards.len() < 200) {
        board.make(step);
        boards.push(board.fork());
    }
    boards
}

#[test]
fn a_position_comes_back_from_its_planes_and_from_its_code() {
    for variant in ["gravel:2,x=2,pie=on", "gravel:3,x=3", "gravel:3", "gravel:5,x=7"] {
        for here in (0..4).flat_map(|seed| game(variant, seed)) {
            let (planes, side, turn) = (here.planes().unwrap(), here.side(), here.turn());
            let mut board = open(variant);
            assert!(board.set_planes(&planes, side, turn));
            assert_eq!(board.position(), here.position(), "{variant}");
            assert_eq!(board.key(), here.key(), "{variant}");
            let coder = Coder::new(&*board);
            let code = coder.exact(&*here);
            match coder.unpack(code, &planes) {
                Some((again, side_again, turn_again)) => {
                    assert_eq!((again, side_again), (planes, side), "{variant}");
                    assert!(turn == turn_again || turn > 4 && (turn - turn_again) % 2 == 0);
                }
                // The larger board's positions do not fit.
                None => assert_eq!(variant, "gravel:5,x=7"),
            }
        }
    }
    let mut other = open("markane:3x3");
    let before = other.position();
    assert!(!other.set_planes(&other.planes().unwrap(), Color::Black, 1));
    assert_eq!(other.position(), before);
}

#[test]
fn at_each_clock_each_side_wins_where_exhaustive_search_says_so() {
    for variant in [
        "gravel:2,x=2,stall=3",
        "gravel:2,x=2,stall=6",
        "gravel:2,x=2,pie=on,stall=4",
        "gravel:2,x=3,stall=5",
        "gravel:2,stall=4",
    ] {
        let start = open(variant);
        let coder = Coder::new(&*start);
        let graph = unlimited(|limits| Graph::new(&*start, &coder, 1 << 24, limits)).unwrap();
        let mut known = perfect::Solver::default();
        let mut decided = 0;
        for board in (0..30).flat_map(|seed| game(variant, seed)) {
            if board.is_over() {
                continue;
            }
            let (side, turn) = (board.side(), board.turn());
            let (clock, code) = coder.without_clock(board.planes(), side, turn, 0).unwrap();
            let wins = graph.wins(code).unwrap().map(|wins| clock < u32::from(wins));
            let value = known.value_behind(&mut *board.fork(), Color::Black, &[]);
            let text = format!("{variant} {}", board.position());
            assert_eq!(wins, [value == 1, value == -1], "{text}");
            decided += u32::from(value != 0);
        }
        assert!(decided > 20, "{variant}: {decided}");
    }
}

/// Proves a position by its graph alone.
fn check(board: &dyn Board) -> Value {
    let mut search = Search::new(board, Table::new(1 << 24).unwrap());
    assert!(unlimited(|limits| search.enumerate(limits)));
    let mut reaches = |least| {
        search.aim(least);
        unlimited(|limits| search.run(limits)).unwrap()
    };
    let (wins, holds) = (reaches(1), reaches(0));
    let (value, claims): (_, &[(bool, Claim)]) = match (wins, holds) {
        (true, _) => (Value::FirstWins, &[(true, Claim::Win)]),
        (_, true) => (Value::Draw, &[(true, Claim::Draw), (false, Claim::Draw)]),
        _ => (Value::SecondWins, &[(false, Claim::Win)]),
    };
    let strategies = claims.iter().map(|&(is_first, claim)| {
        let built = unlimited(|limits| strategy(&mut search, is_first, claim, limits));
        built.unwrap_or_else(|error| panic!("{} {error}", board.position()))
    });
    let strategies: Vec<_> = strategies.collect();
    replay(board, &certificate(board, &strategies));
    value
}

#[test]
fn strategies_of_enumerated_positions_hold() {
    let mut seen = [0; 3];
    for (variant, seeds) in [("gravel:2,x=2", 6), ("gravel:2,x=3,stall=7", 6), ("gravel:2,pie=on,stall=5", 6)] {
        for seed in 0..seeds {
            let boards = game(variant, seed);
            for board in boards.iter().step_by(9).filter(|board| !board.is_over()) {
                let value = check(&**board);
                seen[value as usize] += 1;
                let mut known = perfect::Solver::default();
                let first = board.variant().info().first;
                let expected = known.value_behind(&mut *board.fork(), first, &[]);
                assert_eq!(value as i8 - 1, expected, "{variant} {}", board.position());
            }
        }
    }
    assert!(seen.iter().all(|&count| count > 3), "{seen:?}");
}

#[test]
fn a_graph_that_does_not_fit_is_given_up() {
    let board = open("gravel:3");
    let coder = Coder::new(&*board);
    assert!(unlimited(|limits| Graph::new(&*board, &coder, 1 << 20, limits)).is_none());
    let other = open("markane:3x3");
    let coder = Coder::new(&*other);
    assert!(unlimited(|limits| Graph::new(&*other, &coder, 1 << 20, limits)).is_none());
}
