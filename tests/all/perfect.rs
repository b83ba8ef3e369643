//! The search plays perfectly where the game is small enough to be solved, and claims no result that is not so.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::atomic::AtomicBool;

use pentalith::board::Key;
use pentalith::rules::{Board, Color, Method, Step};
use pentalith::search::{self, SearchRequest, Settings, SystemClock, random_step};
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::search::{METHODS, nodes, open, settings};

/// Game-theoretic values of positions for the side to move: 1, 0 or -1. Uses the rules alone.
#[derive(Default)]
pub struct Solver(HashMap<Key, i8, BuildHasherDefault<OfKeys>>);

/// Keys are hashes already.
#[derive(Default)]
pub struct OfKeys(u64);

impl Hasher for OfKeys {
    fn write(&mut self, _: &[u8]) {
        panic!("a key is one number");
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

impl Solver {
    /// Returns the game-theoretic value of a position for the side to move.
    pub fn value(&mut self, board: &mut dyn Board) -> i8 {
        if let Some(outcome) = board.outcome() {
            return worth(outcome.winner, board.side());
        }
        let (key, side) = (board.key(), board.side());
        if let Some(&value) = self.0.get(&key) {
            return value;
        }
        let mut steps = Vec::new();
        board.steps(&mut steps);
        let mut best = -1;
        for step in steps {
            best = best.max(self.value_behind(board, side, &[step]));
            if best == 1 {
                break;
            }
        }
        self.0.insert(key, best);
        best
    }

    /// Returns the game-theoretic value for `side` of the position after some steps.
    pub fn value_behind(&mut self, board: &mut dyn Board, side: Color, steps: &[Step]) -> i8 {
        steps.iter().for_each(|&step| {
            board.make(step);
        });
        let value = self.value(board);
        let value = if board.side() == side { value } else { -value };
        steps.iter().for_each(|_| {
            board.unmake();
        });
        value
    }
}

fn worth(winner: Option<Color>, side: Color) -> i8 {
    match winner {
        None => 0,
        Some(winner) if winner == side => 1,
        Some(_) => -1,
    }
}

/// Settings of the search.
struct Way {
    method: Method,
    threads: usize,
    /// Forgets after each move what it has found.
    fresh: bool,
    nodes: u64,
    /// Gives no result away: it sees the end, or its evaluation helps. Else only where it claims a result.
    anywhere: bool,
}

/// Games of random moves, one for each seed, in which the search is asked everywhere behind the first few steps.
fn check(start: &dyn Board, solver: &mut Solver, way: &Way, seeds: &[u64], random_steps: usize) {
    for &seed in seeds {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut search = search::new_search(Settings { method: way.method, seed, ..settings(way.threads, 16 << 20) });
        let mut board = start.fork();
        for taken in 0.. {
            if board.is_over() {
                break;
            }
            if taken >= random_steps {
                let (clock, stop) = (SystemClock::default(), AtomicBool::new(false));
                let task = SearchRequest::new(nodes(way.nodes), &stop, &clock);
                let report = search.run(&*board, &task);
                let (side, text) = (board.side(), board.position());
                let expected = solver.value(&mut *board);
                if way.anywhere || report.proof.is_some() {
                    let kept = solver.value_behind(&mut *board, side, &report.best_move);
                    assert_eq!(kept, expected, "{text}");
                }
                if let Some(proof) = report.proof {
                    assert_eq!(worth(proof.winner, side), expected, "{text}");
                }
                let mut after = board.fork();
                for &step in &report.best_move {
                    assert_eq!(after.side(), side, "{text}");
                    after.make(step);
                }
                assert!(after.is_over() || after.side() != side, "a whole move");
            }
            let step = random_step(&mut *board, &mut random).unwrap();
            board.make(step);
            match way.fresh {
                true => search.clear(),
                false => search.advance(step),
            }
        }
    }
}

/// A game that is solved from the start: searches that see the end, in every way, each in other games; and short ones.
fn solved(variant: &str, uct_plays_perfectly: bool) {
    let start = open(variant);
    let mut solver = Solver::default();
    for method in METHODS {
        // A playout sees the end of the game, and so costs as much as many positions.
        let enough = match method {
            Method::Uct => 20_000,
            Method::Pvs | Method::Puct => 300_000,
        };
        let anywhere = uct_plays_perfectly || method != Method::Uct;
        for (threads, fresh, nodes, anywhere, seeds) in [
            (1, false, enough, anywhere, &[0, 1][..]),
            (1, true, enough, anywhere, &[2, 3]),
            (2, false, enough, anywhere, &[4]),
            (1, true, 1, false, &[0, 1]),
            (1, true, 20, false, &[2, 3]),
            (1, true, 400, false, &[4, 5]),
        ] {
            let way = Way { method, threads, fresh, nodes, anywhere };
            check(&*start, &mut solver, &way, seeds, 0);
        }
    }
}

/// A game that is solved only behind some steps, for the search that has an evaluation: as much as it takes in a second or so.
fn solved_late(variant: &str, games: u64, random_steps: usize) {
    let way = Way { method: Method::Pvs, threads: 1, fresh: false, nodes: 5_000_000, anywhere: true };
    let seeds: Vec<u64> = (0..games).collect();
    check(&*open(variant), &mut Solver::default(), &way, &seeds, random_steps);
}

/// A test a game, so that they run side by side.
macro_rules! games {
    ($($name:ident: $check:expr;)*) => { $(#[test] fn $name() { $check; })* };
}

games! {
    invector_3x2: solved("invector:3x2", true);
    invector_4x1: solved("invector:4x1", true);
    invector_4x3: solved("invector:4x3", false);
    markane_3x3: solved("markane:3x3", true);
    markane_4x3: solved("markane:4x3", true);
    gravel_2: solved("gravel:2,x=2,stall=2", true);
    inversion_2: solved("inversion:2", true);
    inversion_2_pie: solved("inversion:2,komi=1,pie=on", true);
    invector_4x3_late: solved_late("invector:4x3", 8, 0);
    invector_5x4: solved_late("invector:5x4", 3, 10);
    markane_4x4: solved_late("markane:4x4", 8, 0);
    markane_4x4_pie: solved_late("markane:4x4,pie=on", 4, 0);
    gravel_3: solved_late("gravel:3,x=2,stall=4", 3, 12);
    inversion_3: solved_late("inversion:3", 3, 5);
    inversion_3_alternate: solved_late("inversion:3,order=alternate", 3, 8);
    inversion_3_single: solved_late("inversion:3,order=single,komi=2", 3, 8);
}

#[test]
fn what_follows_a_forced_step_is_searched() {
    let mut start = open("markane:4x4");
    start.set_position(".b.w/w.w./...b/wbb. b 1 9").unwrap();
    for (method, nodes) in METHODS.into_iter().zip([20_000, 300_000]) {
        let way = Way { method, threads: 1, fresh: true, nodes, anywhere: true };
        check(&*start, &mut Solver::default(), &way, &[0, 1, 2, 3, 4], 0);
    }
}
