//! One searching thread: deferral beside other threads, and proofs.

use std::sync::atomic::AtomicBool;

use pentalith::board::Zobrist;
use pentalith::rules::{Board, Lookahead, Method, PROVEN_WIN, is_proven};
use pentalith::search::control::SearchControl;
use pentalith::search::pvs::depth::ONE_PLY;
use pentalith::search::pvs::searcher::Searcher;
use pentalith::search::{Clock, Limits, Pvs, ReportSchedule, Settings, SystemClock};

use crate::perfect::Solver;
use crate::search::open;

/// Returns the depth to which each step of the start is searched, in order, while another thread searches behind those
/// at the indices `busy`.
fn depths(board: &dyn Board, busy: &[usize]) -> Vec<Option<i32>> {
    let settings = Settings { method: Method::Pvs, threads: 2, memory: 1 << 20, seed: 0 };
    let mut search = Pvs::new(settings);
    search.table.ensure_in_use(1 << 20);
    let (clock, stop, stop_helpers) = (SystemClock::default(), AtomicBool::new(false), AtomicBool::new(false));
    let control = SearchControl::new(Limits::default(), ReportSchedule::default(), &stop, &clock, clock.now());
    let mut searcher = Searcher::new(&search, board.fork(), &control, &stop_helpers, &[]);
    let node = searcher.root(6 * ONE_PLY);
    let mut steps = Vec::new();
    board.steps(&mut steps);
    // Without any knowledge steps are ordered by their numbers.
    steps.sort_by_key(|&step| std::cmp::Reverse(step));
    let children: Vec<Lookahead> = steps.iter().map(|&step| searcher.prefetch_child(step)).collect();
    for &index in busy {
        search.abdada.start_search(children[index].key);
        assert!(searcher.should_defer(&node, children[index]));
    }
    // None of them is proven to win, so all are searched.
    searcher.search(&node, PROVEN_WIN, PROVEN_WIN + 1);
    let depth = |next: &Lookahead| search.table.probe(next.key).map(|entry| entry.depth);
    children.iter().map(depth).collect()
}

#[test]
fn a_deferred_step_is_searched_as_deep_as_without_deferral() {
    let board = open("markane:5x5");
    let alone = depths(&*board, &[]);
    assert!(alone[1] > alone[24] && alone[24].is_some(), "late ones are reduced: {alone:?}");
    for busy in [&[1][..], &[2, 3, 7], &[23, 24]] {
        assert_eq!(depths(&*board, busy), alone, "{busy:?}");
    }
}

/// Proves `count` random endings with `left` moves and compares each proof with an exhaustive search. Returns the numbers
/// of wins, unproven draws and losses.
fn endings(start: &dyn Board, left: u32, count: u64) -> [u64; 3] {
    let settings = Settings { method: Method::Pvs, threads: 1, memory: 1 << 20, seed: 0 };
    let (stop, stop_helpers) = (AtomicBool::new(false), AtomicBool::new(false));
    let clock = SystemClock::default();
    let mut search = Pvs::new(settings);
    search.table.ensure_in_use(1 << 20);
    let mut solver = Solver::default();
    let mut found = [0; 3];
    for ending in 0..count {
        let mut here = start.fork();
        let mut taken = 0;
        while here.moves_left().unwrap() > left {
            taken += 1;
            let index = Zobrist::state_key(ending << 32 | taken).0 % here.count() as u64;
            let step = here.nth(index as usize).unwrap();
            here.make(step);
        }
        if here.is_over() {
            continue;
        }
        let control = SearchControl::new(Limits::default(), ReportSchedule::default(), &stop, &clock, clock.now());
        let mut searcher = Searcher::new(&search, here.fork(), &control, &stop_helpers, &[]);
        let mut moves = searcher.root_moves();
        let proven = searcher.prove_root(&mut moves);
        let value = solver.value(&mut *here);
        assert!(proven || value == 0, "{ending}: not proven, but worth {value}");
        let first = moves.first().unwrap();
        let expected = first.value.filter(|_| proven).unwrap_or_default();
        assert_eq!(expected.signum(), i32::from(value), "{ending}");
        assert!(!proven || is_proven(expected), "{ending}: {expected}");
        if value > 0 {
            let side = here.side();
            let kept = solver.value_behind(&mut *here, side, &[first.step]);
            assert_eq!(kept, 1, "{ending}: the win is kept");
        }
        found[(1 - value) as usize] += 1;
    }
    found
}

#[test]
fn a_proof_says_who_wins() {
    // The exhaustive search takes longer on more cells. Draws are rare.
    for (name, left, count) in [
        ("inversion:4", 7, 10),
        ("inversion:4,komi=1", 6, 30),
        ("inversion:3,order=alternate", 7, 40),
        ("inversion:3,order=single,komi=1", 7, 40),
    ] {
        let [won, drawn, lost] = endings(&*open(name), left, count);
        assert!(won > 2 && lost > 2, "{name}: {won} won, {lost} lost");
        assert_eq!(drawn > 0, name.contains("komi"), "{name}: {drawn} drawn");
    }
}
