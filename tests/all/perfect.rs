//! The search plays perfectly where the game is small enough to be solved, and claims no result that is not so.

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;

use pentalith::games;
use pentalith::rules::{Board, Color, Method};
use pentalith::search::{self, Settings, SystemClock, Task, random_step};
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::search::{METHODS, nodes, settings};

/// The result with best play, by trying everything: 1 where Black wins, -1 where White does.
fn value(board: &mut dyn Board, known: &mut HashMap<String, i32>) -> i32 {
    let name = board.position();
    if let Some(&value) = known.get(&name) {
        return value;
    }
    let result = match board.outcome() {
        Some(outcome) => outcome.winner.map_or(0, |winner| match winner {
            Color::Black => 1,
            Color::White => -1,
        }),
        None => {
            let mut steps = Vec::new();
            board.steps(&mut steps);
            let values = steps.into_iter().map(|step| {
                board.make(step);
                let value = value(board, known);
                board.unmake();
                value
            });
            let values: Vec<i32> = values.collect();
            let best = match board.side() {
                Color::Black => values.into_iter().max(),
                Color::White => values.into_iter().min(),
            };
            best.unwrap()
        }
    };
    known.insert(name, result);
    result
}

/// Random games in which a search, asked at every position, never gives a result away: in a game that it can
/// search to the end anywhere, and else wherever it says that it has. What is true is found out once for all ways to search.
struct Perfect {
    ways: Vec<Way>,
    from: Option<&'static str>,
}

/// How to search. With `fresh` the search begins anew each time.
struct Way {
    threads: usize,
    /// How many nodes a search has; enough for the game where it is `None`.
    nodes: Option<u64>,
    anywhere: bool,
    fresh: bool,
    method: Method,
}

impl Perfect {
    fn check(self, variant: &str) {
        let mut start = games::open(&games::parse_variant(variant).unwrap()).unwrap();
        let mut known = HashMap::new();
        if let Some(text) = self.from {
            start.set_position(text).unwrap();
        }
        for way in self.ways {
            way.check(&*start, &mut known);
        }
    }
}

impl Way {
    fn check(self, start: &dyn Board, known: &mut HashMap<String, i32>) {
        let settings = Settings {
            method: self.method,
            ..settings(self.threads, 16 << 20)
        };
        let mut search = search::search(settings);
        // A playout sees the end of the game, and so costs as much as many positions.
        let enough = match self.method {
            Method::Uct => 20_000,
            Method::Pvs => 300_000,
        };
        let limits = nodes(self.nodes.unwrap_or(enough));
        for seed in 0..5 {
            let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
            let mut board = start.fork();
            while !board.is_over() {
                let clock = SystemClock::default();
                let stop = AtomicBool::new(false);
                let report = search.think(&*board, &Task::new(limits, &stop, &clock));
                let expected = value(&mut *board, known);
                let mut after = board.fork();
                for &step in &report.steps {
                    assert_eq!(after.side(), board.side());
                    after.make(step);
                }
                let over = after.outcome().is_some();
                assert!(over || after.side() != board.side(), "a whole move");
                let text = board.position();
                if self.anywhere || report.proof.is_some() {
                    assert_eq!(value(&mut *after, known), expected, "{text}");
                }
                if let Some(proof) = report.proof {
                    let proven = proof
                        .winner
                        .map_or(0, |w| if w == Color::Black { 1 } else { -1 });
                    assert_eq!(proven, expected, "{text}");
                }
                let step = random_step(&mut *board, &mut random).unwrap();
                board.make(step);
                match self.fresh {
                    true => search.forget(),
                    false => search.follow(step),
                }
            }
            search.forget();
        }
    }
}

#[test]
fn small_games_are_played_perfectly() {
    let cases = [
        ("invector:3x2", true),
        ("invector:4x1", true),
        ("invector:4x3", false),
        ("markane:3x3", true),
        ("markane:4x3", true),
        ("gravel:2,x=2,stall=2", true),
        ("inversion:2", true),
        ("inversion:2,komi=1,pie=on", true),
    ];
    for (variant, anywhere) in cases {
        let ways = [(1, false), (1, true), (2, false)];
        let ways = METHODS.into_iter().flat_map(|m| ways.map(|w| (m, w)));
        let ways = ways.map(|(method, (threads, fresh))| Way {
            threads,
            nodes: None,
            // An evaluation helps where the search does not see the end.
            anywhere: anywhere || method == Method::Pvs,
            fresh,
            method,
        });
        let perfect = Perfect {
            ways: ways.collect(),
            from: None,
        };
        perfect.check(variant);
    }
}

#[test]
fn short_searches_claim_no_result_that_is_not_so() {
    for variant in [
        "invector:4x3",
        "markane:4x3",
        "gravel:2,x=2,stall=2",
        "inversion:2,komi=1,pie=on",
    ] {
        let few = [1, 20, 400];
        let ways = METHODS.into_iter().flat_map(|m| few.map(|n| (m, n)));
        let ways = ways.map(|(method, nodes)| Way {
            threads: 1,
            nodes: Some(nodes),
            anywhere: false,
            fresh: true,
            method,
        });
        let perfect = Perfect {
            ways: ways.collect(),
            from: None,
        };
        perfect.check(variant);
    }
}

#[test]
fn what_follows_a_forced_step_is_searched() {
    let ways = METHODS.map(|method| Way {
        nodes: None,
        threads: 1,
        anywhere: true,
        fresh: true,
        method,
    });
    let perfect = Perfect {
        ways: ways.into(),
        from: Some(".b.w/w.w./...b/wbb. b 1 9"),
    };
    perfect.check("markane:4x4");
}
