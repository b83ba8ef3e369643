//! The last stones of Invector, as the search and the solver play them: why there are no tables of endings.
//!
//! `PENTALITH_ENDINGS=N` plays N games. With `--nocapture` a table is shown:
//!
//!     PENTALITH_ENDINGS=30 cargo test --release --test all endings_of_invector -- --nocapture

use std::env;
use std::sync::atomic::AtomicBool;

use pentalith::lab::solve::{Solver, Value, search};
use pentalith::rules::{Board, Color, Method};
use pentalith::search::{SearchRequest, Settings, SystemClock, new_search, random_step};
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::search::{nodes, open};

/// Maximum number of stones of the positions that are solved.
const STONES: usize = 9;

/// Maximum number of stones that a table could have.
const TABLE_STONES: usize = 7;

/// The findings in positions with as many stones.
#[derive(Clone, Default)]
struct Row {
    proven_by_search: u32,
    lost_wins: u32,
    /// Positions that the solver visited, a number for each position.
    visited: Vec<u64>,
}

fn stones(board: &dyn Board) -> usize {
    let [black, white] = board.planes().unwrap().pieces;
    (black | white).count_ones() as usize
}

/// Returns the winner with best play, and the number of positions visited.
fn solve(board: &dyn Board) -> (Color, u64) {
    if let Some(winner) = board.outcome().and_then(|outcome| outcome.winner) {
        return (winner, 0);
    }
    let (stop, clock) = (AtomicBool::new(false), SystemClock::default());
    let mut solver = Solver::new(board, 1 << 24).unwrap();
    solver.solve(false, &search::Limits { stop: &stop, clock: &clock, deadline: None, positions: None });
    let winner = match solver.value().unwrap() {
        Value::FirstWins => Color::Black,
        Value::SecondWins => Color::White,
        Value::Draw => panic!("no game is drawn"),
    };
    (winner, solver.positions())
}

#[test]
fn endings_of_invector_need_no_tables() {
    let games = env::var("PENTALITH_ENDINGS").map_or(2, |games| games.parse().unwrap());
    let (stop, clock) = (AtomicBool::new(false), SystemClock::default());
    let mut rows = vec![Row::default(); STONES + 1];
    for seed in 0..games {
        let mut board = open("invector");
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        for _ in 0..4 {
            let step = random_step(&mut *board, &mut random).unwrap();
            board.make(step);
        }
        let mut search = new_search(Settings { method: Method::Pvs, threads: 1, memory: 16 << 20, seed });
        let mut fewest = STONES + 1;
        while !board.is_over() {
            let request = SearchRequest::new(nodes(2000), &stop, &clock);
            let report = search.run(&*board, &request);
            let (side, count) = (board.side(), stones(&*board));
            let is_first = count < fewest;
            fewest = fewest.min(count);
            let before = is_first.then(|| solve(&*board));
            for step in report.best_move {
                board.make(step);
            }
            if let Some((winner, visited)) = before {
                let row = &mut rows[count];
                row.proven_by_search += u32::from(report.proof.is_some());
                row.lost_wins += u32::from(winner == side && solve(&*board).0 != side);
                row.visited.push(visited);
            }
        }
    }
    println!("stones | games | proven by the search | wins lost by it | solver: median | most");
    for (count, row) in rows.iter_mut().enumerate().filter(|(_, row)| !row.visited.is_empty()) {
        row.visited.sort_unstable();
        let visited = &row.visited;
        let (median, most) = (visited[visited.len() / 2], visited[visited.len() - 1]);
        let Row { proven_by_search, lost_wins, .. } = row;
        println!("{count} | {} | {proven_by_search} | {lost_wins} | {median} | {most}", visited.len());
        if count <= TABLE_STONES {
            assert_eq!(*lost_wins, 0, "{count} stones");
            assert!(most < 20_000, "{count} stones: {most} positions");
        }
    }
    assert!(rows[TABLE_STONES].visited.len() as u64 == games);
}
