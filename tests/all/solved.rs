//! Boards that a plain solver can see through, to the end and from every position that comes up: no move of the search gives
//! away what it has. The search has as much as it takes in a second or so.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use pentalith::board::Key;
use pentalith::game::{Method, NoKeys, Position, Steps};
use pentalith::games;
use pentalith::notation::{GameVisitor, Playable};
use pentalith::search::{self, Limits, Settings, SystemClock, Task};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// What positions are worth to the side to move with best play: 1, 0 or -1. It knows nothing but the rules.
#[derive(Default)]
struct Solver(HashMap<Key, i8>);

impl Solver {
    fn value<G: Playable>(&mut self, game: &G, position: &G::Position) -> i8 {
        if let Some(outcome) = game.outcome(position) {
            return match outcome.winner {
                None => 0,
                Some(winner) if winner == position.side() => 1,
                Some(_) => -1,
            };
        }
        let key = game.key(position);
        if let Some(&value) = self.0.get(&key) {
            return value;
        }
        let steps = game.steps(position);
        let mut best = -1;
        for step in (0..steps.count()).filter_map(|n| steps.nth(n)) {
            let mut next = *position;
            game.play(&mut next, step, &mut NoKeys);
            best = best.max(self.value_before(game, position, &next));
            if best == 1 {
                break;
            }
        }
        self.0.insert(key, best);
        best
    }

    /// What a position is worth to the side to move in the one before it.
    fn value_before<G: Playable>(
        &mut self,
        game: &G,
        before: &G::Position,
        position: &G::Position,
    ) -> i8 {
        let value = self.value(game, position);
        if position.side() == before.side() {
            value
        } else {
            -value
        }
    }
}

/// Games of random moves on one board, each after so many random steps, in which the search is asked everywhere.
struct Solved {
    variant: &'static str,
    games: u64,
    random_steps: usize,
}

impl GameVisitor for &Solved {
    type Output = ();

    fn visit<G: Playable>(self, game: G) {
        let game = Arc::new(game);
        let mut solver = Solver::default();
        for seed in 0..self.games {
            let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
            let mut search = search::search(
                Arc::clone(&game),
                Settings {
                    method: Some(Method::Pvs),
                    threads: 1,
                    memory: 16 << 20,
                    seed,
                },
            );
            let limits = Limits {
                nodes: Some(5_000_000),
                ..Limits::default()
            };
            let mut position = game.start();
            for taken in 0.. {
                let steps = game.steps(&position);
                if steps.is_empty() {
                    break;
                }
                if taken >= self.random_steps {
                    let (clock, stop) = (SystemClock::default(), AtomicBool::new(false));
                    let report = search.think(&position, &Task::new(limits, &stop, &clock));
                    let mut after = position;
                    for &step in &report.steps {
                        game.play(&mut after, step, &mut NoKeys);
                    }
                    assert_eq!(
                        solver.value_before(&*game, &position, &after),
                        solver.value(&*game, &position),
                        "{}: {}",
                        self.variant,
                        game.write_position(&position)
                    );
                }
                let n = random.next_u32() as usize % steps.count();
                let step = steps.nth(n).unwrap();
                game.play(&mut position, step, &mut NoKeys);
                search.follow(step);
            }
        }
    }
}

#[test]
fn no_result_is_given_away_on_boards_that_can_be_solved() {
    let boards = [
        ("invector:4x3", 8, 0),
        ("invector:5x4", 3, 8),
        ("markane:4x4", 8, 0),
        ("markane:4x4,pie=on", 4, 0),
        ("gravel:3,x=2,stall=4", 2, 5),
        ("inversion:3", 3, 5),
        ("inversion:3,order=alternate", 3, 8),
        ("inversion:3,order=single,komi=2", 3, 8),
    ];
    for (variant, games, random_steps) in boards {
        let solved = Solved {
            variant,
            games,
            random_steps,
        };
        games::open_narrow(&games::parse_variant(variant).unwrap(), &solved).unwrap();
    }
}
