//! Boards that a plain solver can see through, to the end and from every position that comes up: no move of the search gives
//! away what it has. The search has as much as it takes in a second or so.

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;

use pentalith::board::Key;
use pentalith::games;
use pentalith::rules::{Board, Color, Method, Step};
use pentalith::search::{self, Limits, Settings, SystemClock, Task, random_step};
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

/// What positions are worth to the side to move with best play: 1, 0 or -1. It knows nothing but the rules.
#[derive(Default)]
pub struct Solver(HashMap<Key, i8>);

impl Solver {
    /// What a position is worth to the side to move.
    pub fn value(&mut self, board: &mut dyn Board) -> i8 {
        if let Some(outcome) = board.outcome() {
            return match outcome.winner {
                None => 0,
                Some(winner) if winner == board.side() => 1,
                Some(_) => -1,
            };
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

    /// What the position behind some steps is worth to a side.
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

/// Games of random moves on one board, each after so many random steps, in which the search is asked everywhere.
struct Solved {
    variant: &'static str,
    games: u64,
    random_steps: usize,
}

impl Solved {
    fn check(&self) {
        let start = games::open(&games::parse_variant(self.variant).unwrap()).unwrap();
        let mut solver = Solver::default();
        for seed in 0..self.games {
            let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
            let mut search = search::search(Settings {
                method: Method::Pvs,
                threads: 1,
                memory: 16 << 20,
                seed,
            });
            let limits = Limits {
                nodes: Some(5_000_000),
                ..Limits::default()
            };
            let mut board = start.fork();
            for taken in 0.. {
                if board.is_over() {
                    break;
                }
                if taken >= self.random_steps {
                    let (clock, stop) = (SystemClock::default(), AtomicBool::new(false));
                    let report = search.think(&*board, &Task::new(limits, &stop, &clock));
                    let side = board.side();
                    assert_eq!(
                        solver.value_behind(&mut *board, side, &report.steps),
                        solver.value(&mut *board),
                        "{}: {}",
                        self.variant,
                        board.position()
                    );
                }
                let step = random_step(&mut *board, &mut random).unwrap();
                board.make(step);
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
        solved.check();
    }
}
