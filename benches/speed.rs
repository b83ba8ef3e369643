//! Steps a second below any search: playouts and perft of every game, and iterations of UCT.
//!
//! `cargo bench --bench speed`, with part of a name behind it to run only those.
#![expect(
    clippy::expect_used,
    reason = "a benchmark that can't run should say so and end"
)]

use std::hint::black_box;
use std::sync::atomic::AtomicBool;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
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

#[derive(Clone, Copy)]
enum What {
    Playouts,
    Perft { depth: u32, every_leaf: bool },
    Search { threads: usize },
}

fn measure(group: &mut BenchmarkGroup<'_, WallTime>, board: &dyn Board, what: What) {
    let name = board.variant().to_string();
    match what {
        What::Playouts => {
            group.throughput(Throughput::Elements(PLAYOUTS));
            group.bench_function(name, |bencher| {
                bencher.iter(|| {
                    let mut left = PLAYOUTS + 1;
                    board.playouts(&mut || {
                        left -= 1;
                        left > 0
                    })
                });
            });
        }
        What::Perft { depth, every_leaf } => {
            let perft = Perft {
                every_leaf,
                ..Perft::default()
            };
            let leaves = perft.count(board, depth, &|| false).unwrap_or_default();
            group.throughput(Throughput::Elements(leaves));
            group.bench_function(name, |bencher| {
                bencher.iter(|| perft.count(black_box(board), depth, &|| false));
            });
        }
        What::Search { threads } => {
            let clock = SystemClock::default();
            let (stop, memory, seed) = (AtomicBool::new(false), 64 << 20, 1);
            let limits = Limits {
                nodes: Some(ITERATIONS),
                ..Limits::default()
            };
            let settings = Settings {
                method: Method::Uct,
                threads,
                memory,
                seed,
            };
            let mut search = Uct::new(settings);
            group.throughput(Throughput::Elements(ITERATIONS));
            group.bench_function(name, |bencher| {
                bencher.iter(|| {
                    search.forget();
                    search.think(board, &Task::new(limits, &stop, &clock))
                });
            });
        }
    }
}

fn speed(criterion: &mut Criterion) {
    let mut all = |title: &str, what: &dyn Fn(u32) -> What| {
        let mut group = criterion.benchmark_group(title);
        group.sample_size(20);
        for (variant, position, depth) in VARIANTS {
            let variant = games::parse_variant(variant).expect("a variant");
            let mut board = games::open(&variant).expect("a variant that can be opened");
            if let Some(text) = position {
                board.set_position(text).expect("a position");
            }
            measure(&mut group, &*board, what(depth));
        }
        group.finish();
    };
    all("playouts", &|_| What::Playouts);
    all("perft, last ply counted", &|depth| What::Perft {
        depth,
        every_leaf: false,
    });
    all("perft, every leaf played", &|depth| What::Perft {
        depth,
        every_leaf: true,
    });
    all("uct, 1 thread", &|_| What::Search { threads: 1 });
    all("uct, 2 threads", &|_| What::Search { threads: 2 });
}

criterion_group!(benches, speed);
criterion_main!(benches);
