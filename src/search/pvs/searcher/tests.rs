//! What a thread does beside another one.

use std::sync::Arc;

use super::*;
use crate::games;
use crate::notation::{GameVisitor, Playable};
use crate::search::{Clock, Limits, Pace, Settings, SystemClock};

/// How deep each step of the start is looked at, in order, where another thread is always at the ones in these places.
struct Depths<'a>(&'a [usize]);

impl GameVisitor for Depths<'_> {
    type Output = Vec<Option<i32>>;

    fn visit<G: Playable>(self, game: G) -> Self::Output {
        let settings = Settings {
            method: None,
            threads: 2,
            memory: 1 << 20,
            seed: 0,
        };
        let mut search = Pvs::new(Arc::new(game), settings);
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
        for &place in self.0 {
            search.busy.begin(behind[place].key);
            assert!(searcher.is_busy(&node, &behind[place]));
        }
        // None of them is a win, so all are looked at.
        searcher.search(&node, PROOF, PROOF + 1);
        let depth = |next: &Next<G>| search.table.get(next.key).map(|entry| entry.depth);
        behind.iter().map(depth).collect()
    }
}

#[test]
fn a_step_that_is_put_off_is_looked_at_as_deep_as_in_its_turn() {
    let variant = games::parse_variant("markane:5x5").unwrap();
    let depths = |busy: &[usize]| games::open(&variant, Depths(busy)).unwrap();
    let alone = depths(&[]);
    assert!(
        alone[1] > alone[24] && alone[24].is_some(),
        "late ones are reduced: {alone:?}"
    );
    for busy in [&[1][..], &[2, 3, 7], &[23, 24]] {
        assert_eq!(depths(busy), alone, "{busy:?}");
    }
}
