//! Steps a second below any search, of every game: random playouts, perft, and the iterations of UCT.
//!
//! `cargo bench -p pentalith-benches --bench speed`, with part of a name behind `--`, such as `playouts`, to run only those.
#![expect(clippy::expect_used, reason = "a benchmark that can't run should say so and end")]

use std::fmt::{self, Display};
use std::hint::black_box;
use std::sync::atomic::AtomicBool;

use divan::Bencher;
use divan::counter::ItemsCount;
use pentalith::games;
use pentalith::rules::perft::Perft;
use pentalith::rules::{Board, Method};
use pentalith::search::{Limits, Mcts, Search, SearchRequest, Settings, SystemClock};

/// Playouts in one measurement.
const PLAYOUTS: u64 = 32;

/// Iterations in one measurement.
const ITERATIONS: u64 = 4096;

/// The position after a set-up of Invictus that is always the same.
const INVICTUS: &str = "........./w6w5w4w3w2w1w6w5w4/w3w2w1w6w5w4w3w2w1/........./........./........./\
                        b6b5b4b3b2b1b6b5b4/b3b2b1b6b5b4b3b2b1/......... b 0,0 - 0 3";

/// A variant, where its measurements begin, and how deep perft goes there.
struct Case {
    variant: &'static str,
    position: Option<&'static str>,
    depth: u32,
}

const CASES: [Case; 5] = [
    Case::start("invector:8x7,pie=off"),
    Case::start("gravel:8,x=4"),
    Case::start("markane:8x8"),
    Case::start("inversion:5"),
    Case { position: Some(INVICTUS), depth: 4, ..Case::start("invictus") },
];

impl Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.variant)
    }
}

impl Case {
    /// Perft three deep from the start.
    const fn start(variant: &'static str) -> Self {
        Self { variant, position: None, depth: 3 }
    }

    fn board(&self) -> Box<dyn Board> {
        let variant = games::parse_variant(self.variant).expect("a variant");
        let mut board = games::open(&variant).expect("a variant that can be opened");
        if let Some(text) = self.position {
            board.set_position(text).expect("a position");
        }
        board
    }
}

fn main() {
    divan::main();
}

#[divan::bench(args = CASES)]
fn playouts(bencher: Bencher<'_, '_>, case: &Case) {
    let board = case.board();
    bencher.counter(ItemsCount::new(PLAYOUTS)).bench_local(|| {
        let mut left = PLAYOUTS + 1;
        board.playouts(&mut || {
            left -= 1;
            left > 0
        })
    });
}

#[divan::bench(args = CASES, consts = [false, true])]
fn perft<const EVERY_LEAF: bool>(bencher: Bencher<'_, '_>, case: &Case) {
    let board = case.board();
    let perft = Perft { every_leaf: EVERY_LEAF, ..Perft::default() };
    let count = |board: &dyn Board| perft.count(black_box(board), case.depth, &|| false);
    bencher.counter(ItemsCount::new(count(&*board).unwrap_or_default())).bench_local(|| count(&*board));
}

#[divan::bench(args = CASES, consts = [1, 2])]
fn uct<const THREADS: usize>(bencher: Bencher<'_, '_>, case: &Case) {
    let board = case.board();
    let (clock, stop) = (SystemClock::default(), AtomicBool::new(false));
    let limits = Limits { nodes: Some(ITERATIONS), ..Limits::default() };
    let mut search = Mcts::new(Settings { method: Method::Uct, threads: THREADS, memory: 64 << 20, seed: 1 });
    bencher.counter(ItemsCount::new(ITERATIONS)).bench_local(|| {
        search.clear();
        search.run(&*board, &SearchRequest::new(limits, &stop, &clock))
    });
}
