//! What a thread does beside another one, and what it proves.

use std::sync::Arc;

use super::*;
use crate::board::Board64;
use crate::game::NoKeys;
use crate::games::inversion::Inversion;
use crate::games::markane::Markane;
use crate::games::parse_variant;
use crate::search::{Clock, Limits, Pace, Settings, SystemClock};

/// How deep each step of the start is looked at, in order, where another thread is always at the ones in these places.
fn depths<G: Evaluate>(game: &Arc<G>, busy: &[usize]) -> Vec<Option<i32>> {
    let settings = Settings {
        method: None,
        threads: 2,
        memory: 1 << 20,
        seed: 0,
    };
    let mut search = Pvs::new(Arc::clone(game), settings);
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
    let mut searcher = Searcher::new(&search, &run, &halt, &[]);
    let position = search.game.start();
    let key = search.game.key(&position);
    let node = Node {
        position: &position,
        before: None,
        key,
        depth: 6 * STEP,
        cost: STEP,
        ply: 0,
    };
    let mut steps = Vec::new();
    search
        .game
        .steps(&position)
        .for_each(|step| steps.push(step));
    // As nothing is known of them, they come by their numbers.
    steps.sort_by_key(|step| std::cmp::Reverse(step.bits()));
    let behind: Vec<Next<G>> = steps
        .iter()
        .map(|&step| searcher.play(&node, step))
        .collect();
    for &place in busy {
        search.busy.begin(behind[place].key);
        assert!(searcher.is_busy(&node, &behind[place]));
    }
    // None of them is a win, so all are looked at.
    searcher.search(&node, PROOF, PROOF + 1);
    let depth = |next: &Next<G>| search.table.get(next.key).map(|entry| entry.depth);
    behind.iter().map(depth).collect()
}

#[test]
fn a_step_that_is_put_off_is_looked_at_as_deep_as_in_its_turn() {
    let game = Arc::new(Markane::<Board64>::new(
        &parse_variant("markane:5x5").unwrap(),
    ));
    let alone = depths(&game, &[]);
    assert!(
        alone[1] > alone[24] && alone[24].is_some(),
        "late ones are reduced: {alone:?}"
    );
    for busy in [&[1][..], &[2, 3, 7], &[23, 24]] {
        assert_eq!(depths(&game, busy), alone, "{busy:?}");
    }
}

/// 1 for a win of the side to move, -1 for a loss, 0 for a draw.
fn true_value<G: Evaluate>(game: &G, position: &G::Position) -> i32 {
    let mut best = None;
    game.steps(position).for_each(|step| {
        let mut next = *position;
        game.play(&mut next, step, &mut NoKeys);
        // Better than a win there is nothing.
        if best < Some(1) {
            let value = true_value(game, &next);
            let passes = next.side() != position.side();
            best = best.max(Some(if passes { -value } else { value }));
        }
    });
    best.unwrap_or_else(|| end_value(game, position).signum())
}

/// Tries to prove who wins so many endings, and holds each proof against all that may come. Gives how many wins there were, losses,
/// and positions of which nothing is proven.
fn endings<G: Evaluate>(game: G, count: u64) -> [u64; 3] {
    /// Moves that are left.
    const LEFT: u32 = 7;
    let settings = Settings {
        method: None,
        threads: 1,
        memory: 1 << 20,
        seed: 0,
    };
    let (stop, halt) = (AtomicBool::new(false), AtomicBool::new(false));
    let clock = SystemClock::default();
    let mut search = Pvs::new(Arc::new(game), settings);
    search.table.fit(1 << 20);
    let game = Arc::clone(&search.game);
    let mut found = [0; 3];
    for ending in 0..count {
        let mut here = game.start();
        let mut taken = 0;
        while game.moves_left(&here).unwrap() > LEFT {
            let steps = game.steps(&here);
            taken += 1;
            let place = Zobrist::feature(ending << 32 | taken).0 % steps.count() as u64;
            game.play(&mut here, steps.nth(place as usize).unwrap(), &mut NoKeys);
        }
        if game.steps(&here).is_empty() {
            continue;
        }
        let run = Run::new(
            Limits::default(),
            Pace::default(),
            &stop,
            &clock,
            clock.now(),
        );
        let mut searcher = Searcher::new(&search, &run, &halt, &[]);
        let mut moves = searcher.root_moves(&here);
        let proven = searcher.prove_root(&here, &mut moves);
        let value = true_value(&*game, &here);
        assert!(
            proven || value == 0,
            "{ending}: not proven, but worth {value}"
        );
        let first = moves.first().unwrap();
        let expected = first.value.filter(|_| proven).unwrap_or_default();
        assert_eq!(expected.signum(), value, "{ending}");
        assert!(!proven || is_proof(expected), "{ending}: {expected}");
        if value > 0 {
            let mut next = here;
            game.play(&mut next, first.step, &mut NoKeys);
            let passes = next.side() != here.side();
            let next = true_value(&*game, &next);
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
        let game = Inversion::<Board64>::new(&parse_variant(name).unwrap());
        let [won, drawn, lost] = endings(game, 40);
        assert!(won > 2 && lost > 2, "{name}: {won} won, {lost} lost");
        assert_eq!(drawn > 0, name.contains("komi"), "{name}: {drawn} drawn");
    }
}
