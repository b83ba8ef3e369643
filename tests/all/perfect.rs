//! The search plays perfectly where the game is small enough to be solved, and claims no result that is not so.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use pentalith::game::{Color, Method, NoKeys, Position, Steps};
use pentalith::games;
use pentalith::notation::{GameVisitor, Playable};
use pentalith::search::{self, Settings, SystemClock, Task};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::search::{METHODS, nodes, settings};

/// The result with best play, by trying everything: 1 where Black wins, -1 where White does.
fn value<G: Playable>(game: &G, position: &G::Position, known: &mut HashMap<String, i32>) -> i32 {
    let name = game.write_position(position);
    if let Some(&value) = known.get(&name) {
        return value;
    }
    let result = match game.outcome(position) {
        Some(outcome) => outcome.winner.map_or(0, |winner| match winner {
            Color::Black => 1,
            Color::White => -1,
        }),
        None => {
            let mut values = Vec::new();
            game.steps(position).for_each(|step| {
                let mut next = *position;
                game.play(&mut next, step, &mut NoKeys);
                values.push(value(game, &next, known));
            });
            let best = match position.side() {
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

impl GameVisitor for Perfect {
    type Output = ();

    fn visit<G: Playable>(self, game: G) {
        let game = Arc::new(game);
        let mut known = HashMap::new();
        let start = match self.from {
            Some(text) => game.parse_position(text).unwrap(),
            None => game.start(),
        };
        for way in self.ways {
            way.check(&game, start, &mut known);
        }
    }
}

impl Way {
    fn check<G: Playable>(
        self,
        game: &Arc<G>,
        start: G::Position,
        known: &mut HashMap<String, i32>,
    ) {
        let settings = Settings {
            method: Some(self.method),
            ..settings(self.threads, 16 << 20)
        };
        let mut search = search::search(Arc::clone(game), settings);
        // A playout sees the end of the game, and so costs as much as many positions.
        let enough = match self.method {
            Method::Uct => 20_000,
            Method::Pvs => 300_000,
        };
        let limits = nodes(self.nodes.unwrap_or(enough));
        for seed in 0..5 {
            let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
            let mut position = start;
            while !game.steps(&position).is_empty() {
                let clock = SystemClock::default();
                let stop = AtomicBool::new(false);
                let report = search.think(&position, &Task::new(limits, &stop, &clock));
                let expected = value(&**game, &position, known);
                let mut after = position;
                for &step in &report.steps {
                    assert_eq!(after.side(), position.side());
                    game.play(&mut after, step, &mut NoKeys);
                }
                let over = game.outcome(&after).is_some();
                assert!(over || after.side() != position.side(), "a whole move");
                let text = game.write_position(&position);
                if self.anywhere || report.proof.is_some() {
                    assert_eq!(value(&**game, &after, known), expected, "{text}");
                }
                if let Some(proof) = report.proof {
                    let proven = proof
                        .winner
                        .map_or(0, |w| if w == Color::Black { 1 } else { -1 });
                    assert_eq!(proven, expected, "{text}");
                }
                let steps = game.steps(&position);
                let n = random.next_u32() as usize % steps.count();
                let step = steps.nth(n).unwrap();
                game.play(&mut position, step, &mut NoKeys);
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
        let variant = games::parse_variant(variant).unwrap();
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
        games::open_narrow(&variant, perfect).unwrap();
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
        let variant = games::parse_variant(variant).unwrap();
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
        games::open_narrow(&variant, perfect).unwrap();
    }
}

#[test]
fn what_follows_a_forced_step_is_searched() {
    let variant = games::parse_variant("markane:4x4").unwrap();
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
    games::open_narrow(&variant, perfect).unwrap();
}
