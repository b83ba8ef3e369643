//! Steps a second below any search: playouts and perft of every game, and iterations of UCT.
//!
//! `cargo bench --bench speed` prints medians of seven runs, with the slowest and the fastest; with part of a name behind
//! `--`, such as `playouts`, only of those.
#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a benchmark that can't run should say so and end"
)]

use std::hint::black_box;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use pentalith::games;
use pentalith::rules::perft::Perft;
use pentalith::rules::{Board, Method};
use pentalith::search::{Limits, Search, Settings, SystemClock, Task, Uct};

/// Playouts in one measurement.
const PLAYOUTS: u64 = 32;

/// Playouts in one search.
const ITERATIONS: u64 = 4096;

/// The position after a set-up of Invictus that is always the same.
const INVICTUS_SET_UP: &str = "........./w6w5w4w3w2w1w6w5w4/w3w2w1w6w5w4w3w2w1/........./........./........./\
                               b6b5b4b3b2b1b6b5b4/b3b2b1b6b5b4b3b2b1/......... b 0,0 - 0 3";

const VARIANTS: [(&str, Option<&str>, u32); 5] = [
    ("invector:8x7,pie=off", None, 3),
    ("gravel:8,x=4", None, 3),
    ("markane:8x8", None, 3),
    ("inversion:5", None, 3),
    ("invictus", Some(INVICTUS_SET_UP), 4),
];

/// How long a run takes at least, and how many there are.
const RUN: Duration = Duration::from_millis(300);
const RUNS: usize = 7;

/// Does work that says how many units it is, and prints how many a second that makes.
fn measure(name: &str, mut work: impl FnMut() -> u64) {
    work();
    let mut speeds = Vec::new();
    for _ in 0..RUNS {
        let (began, mut units) = (Instant::now(), 0);
        while began.elapsed() < RUN {
            units += work();
        }
        speeds.push(units as f64 / began.elapsed().as_secs_f64());
    }
    speeds.sort_by(f64::total_cmp);
    let [slowest, .., fastest] = speeds.as_slice() else {
        return;
    };
    let median = speeds.get(RUNS / 2).copied().unwrap_or_default();
    println!("{name:<50} {median:>14.0}/s  ({slowest:.0} to {fastest:.0})");
}

fn playouts(board: &dyn Board) -> u64 {
    let mut left = PLAYOUTS + 1;
    black_box(board.playouts(&mut || {
        left -= 1;
        left > 0
    }));
    PLAYOUTS
}

fn count(board: &dyn Board, depth: u32, every_leaf: bool) -> u64 {
    let perft = Perft {
        every_leaf,
        ..Perft::default()
    };
    let count = perft.count(black_box(board), depth, &|| false);
    count.unwrap_or_default()
}

fn iterations(board: &dyn Board, search: &mut Uct) -> u64 {
    let (clock, stop) = (SystemClock::default(), AtomicBool::new(false));
    let limits = Limits {
        nodes: Some(ITERATIONS),
        ..Limits::default()
    };
    search.forget();
    let report = search.think(board, &Task::new(limits, &stop, &clock));
    black_box(report).effort.nodes
}

fn main() {
    let asked: Vec<String> = std::env::args()
        .skip(1)
        .filter(|word| !word.starts_with('-'))
        .collect();
    for (variant, position, depth) in VARIANTS {
        let parsed = games::parse_variant(variant).expect("a variant");
        let mut board = games::open(&parsed).expect("a variant that can be opened");
        if let Some(text) = position {
            board.set_position(text).expect("a position");
        }
        let board = &*board;
        let run = |what: &str, work: &mut dyn FnMut() -> u64| {
            let name = format!("{what}: {variant}");
            if asked.iter().all(|word| name.contains(word)) {
                measure(&name, work);
            }
        };
        run("playouts", &mut || playouts(board));
        run("perft, last ply counted", &mut || {
            count(board, depth, false)
        });
        run("perft, every leaf played", &mut || {
            count(board, depth, true)
        });
        for threads in [1, 2] {
            let mut search = Uct::new(Settings {
                method: Method::Uct,
                threads,
                memory: 64 << 20,
                seed: 1,
            });
            let name = format!("uct, threads {threads}");
            run(&name, &mut || iterations(board, &mut search));
        }
    }
}
