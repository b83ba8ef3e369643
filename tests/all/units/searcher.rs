//! What a thread does beside another one, and what it proves.

use std::sync::atomic::AtomicBool;

use pentalith::board::Zobrist;
use pentalith::rules::{Board, Lookahead, Method, PROVEN_WIN, is_proven};
use pentalith::search::control::SearchControl;
use pentalith::search::pvs::depth::ONE_PLY;
use pentalith::search::pvs::searcher::Searcher;
use pentalith::search::{Clock, Limits, Pvs, ReportSchedule, Settings, SystemClock};

use crate::perfect::Solver;
use crate::search::open;

/// How deep each step of the start is looked at, in order, where another thread is always at the ones in these places.
fn depths(board: &dyn Board, busy: &[usize]) -> Vec<Option<i32>> {
    let settings = Settings {
        method: Method::Pvs,
        threads: 2,
        memory: 1 << 20,
        seed: 0,
    };
    let mut search = Pvs::new(settings);
    search.table.ensure_in_use(1 << 20);
    let (clock, stop, stop_helpers) = (
        SystemClock::default(),
        AtomicBool::new(false),
        AtomicBool::new(false),
    );
    let control = SearchControl::new(
        Limits::default(),
        ReportSchedule::default(),
        &stop,
        &clock,
        clock.now(),
    );
    let mut searcher = Searcher::new(&search, board.fork(), &control, &stop_helpers, &[]);
    let node = searcher.root(6 * ONE_PLY);
    let mut steps = Vec::new();
    board.steps(&mut steps);
    // As nothing is known of them, they come by their numbers.
    steps.sort_by_key(|&step| std::cmp::Reverse(step));
    let behind: Vec<Lookahead> = steps
        .iter()
        .map(|&step| searcher.prefetch_child(step))
        .collect();
    for &index in busy {
        search.abdada.start_search(behind[index].key);
        assert!(searcher.should_defer(&node, behind[index]));
    }
    // None of them is a win, so all are looked at.
    searcher.search(&node, PROVEN_WIN, PROVEN_WIN + 1);
    let depth = |next: &Lookahead| search.table.probe(next.key).map(|entry| entry.depth);
    behind.iter().map(depth).collect()
}

#[test]
fn a_step_that_is_put_off_is_looked_at_as_deep_as_in_its_turn() {
    let board = open("markane:5x5");
    let alone = depths(&*board, &[]);
    assert!(
        alone[1] > alone[24] && alone[24].is_some(),
        "late ones are reduced: {alone:?}"
    );
    for busy in [&[1][..], &[2, 3, 7], &[23, 24]] {
        assert_eq!(depths(&*board, busy), alone, "{busy:?}");
    }
}

/// Tries to prove who wins so many endings, and holds each proof against all that may come. Gives how many wins there were, losses,
/// and positions of which nothing is proven.
fn endings(start: &dyn Board, count: u64) -> [u64; 3] {
    /// Moves that are left.
    const LEFT: u32 = 7;
    let settings = Settings {
        method: Method::Pvs,
        threads: 1,
        memory: 1 << 20,
        seed: 0,
    };
    let (stop, stop_helpers) = (AtomicBool::new(false), AtomicBool::new(false));
    let clock = SystemClock::default();
    let mut search = Pvs::new(settings);
    search.table.ensure_in_use(1 << 20);
    let mut solver = Solver::default();
    let mut found = [0; 3];
    for ending in 0..count {
        let mut here = start.fork();
        let mut taken = 0;
        while here.moves_left().unwrap() > LEFT {
            taken += 1;
            let index = Zobrist::feature(ending << 32 | taken).0 % here.count() as u64;
            let step = here.nth(index as usize).unwrap();
            here.make(step);
        }
        if here.is_over() {
            continue;
        }
        let control = SearchControl::new(
            Limits::default(),
            ReportSchedule::default(),
            &stop,
            &clock,
            clock.now(),
        );
        let mut searcher = Searcher::new(&search, here.fork(), &control, &stop_helpers, &[]);
        let mut moves = searcher.root_moves();
        let proven = searcher.prove_root(&mut moves);
        let value = solver.value(&mut *here);
        assert!(
            proven || value == 0,
            "{ending}: not proven, but worth {value}"
        );
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
    for name in [
        "inversion:4",
        "inversion:4,komi=1",
        "inversion:3,order=alternate",
        "inversion:3,order=single,komi=1",
    ] {
        // The more cells, the longer it takes to know what is true.
        let count = if name.starts_with("inversion:4") {
            20
        } else {
            40
        };
        let [won, drawn, lost] = endings(&*open(name), count);
        assert!(won > 2 && lost > 2, "{name}: {won} won, {lost} lost");
        assert_eq!(drawn > 0, name.contains("komi"), "{name}: {drawn} drawn");
    }
}
