//! What a thread does beside another one, and what it proves.

use super::*;
use crate::games;
use crate::rules::Method;
use crate::search::{Clock, Limits, Pace, Settings, SystemClock};

fn open(variant: &str) -> Box<dyn Board> {
    games::open(&games::parse_variant(variant).unwrap()).unwrap()
}

/// How deep each step of the start is looked at, in order, where another thread is always at the ones in these places.
fn depths(board: &dyn Board, busy: &[usize]) -> Vec<Option<i32>> {
    let settings = Settings {
        method: Method::Pvs,
        threads: 2,
        memory: 1 << 20,
        seed: 0,
    };
    let mut search = Pvs::new(settings);
    search.table.fit(1 << 20);
    let (clock, stop, halt) = (
        SystemClock::default(),
        AtomicBool::new(false),
        AtomicBool::new(false),
    );
    let run = Run::new(
        Limits::default(),
        Pace::default(),
        &stop,
        &clock,
        clock.now(),
    );
    let mut searcher = Searcher::new(&search, board.fork(), &run, &halt, &[]);
    let node = searcher.root(6 * STEP);
    let mut steps = Vec::new();
    board.steps(&mut steps);
    // As nothing is known of them, they come by their numbers.
    steps.sort_by_key(|&step| std::cmp::Reverse(step));
    let behind: Vec<Next> = steps
        .iter()
        .map(|&step| searcher.look_ahead(step))
        .collect();
    for &place in busy {
        search.busy.begin(behind[place].key);
        assert!(searcher.is_busy(&node, behind[place]));
    }
    // None of them is a win, so all are looked at.
    searcher.search(&node, PROOF, PROOF + 1);
    let depth = |next: &Next| search.table.get(next.key).map(|entry| entry.depth);
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

/// 1 for a win of the side to move, -1 for a loss, 0 for a draw.
fn true_value(board: &mut dyn Board) -> i32 {
    let (side, mut best) = (board.side(), None);
    let mut steps = Vec::new();
    board.steps(&mut steps);
    for step in steps {
        // Better than a win there is nothing.
        if best < Some(1) {
            let passes = board.make(step).side != side;
            let value = true_value(board);
            board.unmake();
            best = best.max(Some(if passes { -value } else { value }));
        }
    }
    best.unwrap_or_else(|| board.end_value().signum())
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
    let (stop, halt) = (AtomicBool::new(false), AtomicBool::new(false));
    let clock = SystemClock::default();
    let mut search = Pvs::new(settings);
    search.table.fit(1 << 20);
    let mut found = [0; 3];
    for ending in 0..count {
        let mut here = start.fork();
        let mut taken = 0;
        while here.moves_left().unwrap() > LEFT {
            taken += 1;
            let place = Zobrist::feature(ending << 32 | taken).0 % here.count() as u64;
            let step = here.nth(place as usize).unwrap();
            here.make(step);
        }
        if here.is_over() {
            continue;
        }
        let run = Run::new(
            Limits::default(),
            Pace::default(),
            &stop,
            &clock,
            clock.now(),
        );
        let mut searcher = Searcher::new(&search, here.fork(), &run, &halt, &[]);
        let mut moves = searcher.root_moves();
        let proven = searcher.prove_root(&mut moves);
        let value = true_value(&mut *here);
        assert!(
            proven || value == 0,
            "{ending}: not proven, but worth {value}"
        );
        let first = moves.first().unwrap();
        let expected = first.value.filter(|_| proven).unwrap_or_default();
        assert_eq!(expected.signum(), value, "{ending}");
        assert!(!proven || is_proof(expected), "{ending}: {expected}");
        if value > 0 {
            let side = here.side();
            let passes = here.make(first.step).side != side;
            let next = true_value(&mut *here);
            assert_eq!(
                if passes { -next } else { next },
                1,
                "{ending}: the win is kept"
            );
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
        let [won, drawn, lost] = endings(&*open(name), 40);
        assert!(won > 2 && lost > 2, "{name}: {won} won, {lost} lost");
        assert_eq!(drawn > 0, name.contains("komi"), "{name}: {drawn} drawn");
    }
}
