//! Steps a second below any search: playouts and perft of every game, and iterations of UCT.
//!
//! `cargo bench --bench speed`, with part of a name behind it to run only those.
#![expect(
    clippy::expect_used,
    reason = "a benchmark that can't run should say so and end"
)]

use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use pentalith::board::Vectors;
use pentalith::game::InLanes;
use pentalith::games;
use pentalith::notation::{GameVisitor, LaneVisitor, Playable};
use pentalith::perft::Perft;
use pentalith::search::{
    Limits, Search, Settings, SystemClock, Task, Uct, play_out, play_out_in_lanes,
    play_out_interleaved,
};
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

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

struct Measure<'a, 'c> {
    group: &'a mut BenchmarkGroup<'c, WallTime>,
    what: What,
    position: Option<&'a str>,
}

#[derive(Clone, Copy)]
enum What {
    Playouts { batch: usize },
    Perft { depth: u32, every_leaf: bool },
    Search { threads: usize },
}

impl GameVisitor for Measure<'_, '_> {
    type Output = ();

    fn visit<G: Playable>(self, game: G) {
        let start = match self.position {
            Some(text) => game.parse_position(text).expect("a position"),
            None => game.start(),
        };
        let name = game.variant().to_string();
        let group = self.group;
        match self.what {
            What::Playouts { batch } => {
                let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
                group.throughput(Throughput::Elements(PLAYOUTS));
                group.bench_function(name, |bencher| {
                    bencher.iter(|| {
                        let mut left = PLAYOUTS;
                        if batch > 1 {
                            let next = || {
                                left = left.checked_sub(1)?;
                                Some(start)
                            };
                            let done = |position, _| {
                                black_box(position);
                            };
                            play_out_interleaved(&game, batch, &mut random, next, done, || false);
                        } else {
                            for _ in 0..left {
                                let mut position = start;
                                play_out(&game, &mut position, &mut random, || false);
                                black_box(position);
                            }
                        }
                    });
                });
            }
            What::Perft { depth, every_leaf } => {
                let perft = Perft {
                    every_leaf,
                    ..Perft::default()
                };
                let leaves = perft
                    .count(&game, &start, depth, &|| false)
                    .unwrap_or_default();
                group.throughput(Throughput::Elements(leaves));
                group.bench_function(name, |bencher| {
                    bencher.iter(|| perft.count(&game, black_box(&start), depth, &|| false));
                });
            }
            What::Search { threads } => {
                let (game, clock) = (Arc::new(game), SystemClock::default());
                let (stop, memory, seed) = (AtomicBool::new(false), 64 << 20, 1);
                let limits = Limits {
                    nodes: Some(ITERATIONS),
                    ..Limits::default()
                };
                let settings = Settings {
                    method: None,
                    threads,
                    memory,
                    seed,
                };
                let mut search = Uct::new(game, settings);
                group.throughput(Throughput::Elements(ITERATIONS));
                group.bench_function(name, |bencher| {
                    bencher.iter(|| {
                        search.forget();
                        search.think(&start, &Task::new(limits, &stop, &clock))
                    });
                });
            }
        }
    }
}

/// Playouts in the lanes of four vectors.
struct InLanesOf<'a, 'c>(&'a mut BenchmarkGroup<'c, WallTime>);

impl LaneVisitor for InLanesOf<'_, '_> {
    type Output = ();

    fn visit<G: Playable + InLanes>(self, game: G) {
        let Self(group) = self;
        let (vectors, start) = (Vectors::detect(), game.start());
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        group.throughput(Throughput::Elements(PLAYOUTS));
        group.bench_function(game.variant().to_string(), |bencher| {
            bencher.iter(|| {
                let mut left = PLAYOUTS;
                let next = || {
                    left = left.checked_sub(1)?;
                    Some(start)
                };
                let done = |position, _| {
                    black_box(position);
                };
                play_out_in_lanes(&game, vectors, 4, &mut random, next, done, || false);
            });
        });
    }
}

fn speed(criterion: &mut Criterion) {
    let mut measure = |title: &str, what: &dyn Fn(u32) -> What| {
        let mut group = criterion.benchmark_group(title);
        group.sample_size(20);
        for (variant, position, depth) in VARIANTS {
            let variant = games::parse_variant(variant).expect("a variant");
            let measure = Measure {
                group: &mut group,
                what: what(depth),
                position,
            };
            games::open(&variant, measure).expect("a variant that can be opened");
        }
        group.finish();
    };
    measure("playouts", &|_| What::Playouts { batch: 1 });
    measure("playouts, 4 at once", &|_| What::Playouts { batch: 4 });
    measure("perft, last ply counted", &|depth| What::Perft {
        depth,
        every_leaf: false,
    });
    measure("perft, every leaf played", &|depth| What::Perft {
        depth,
        every_leaf: true,
    });
    measure("uct, 1 thread", &|_| What::Search { threads: 1 });
    measure("uct, 2 threads", &|_| What::Search { threads: 2 });
    let mut group = criterion.benchmark_group("playouts, 32 in lanes");
    group.sample_size(20);
    for (variant, _, _) in VARIANTS {
        let variant = games::parse_variant(variant).expect("a variant");
        // Most have none.
        let _ = games::open_in_lanes(&variant, InLanesOf(&mut group));
    }
    group.finish();
}

criterion_group!(benches, speed);
criterion_main!(benches);
