//! The search: it keeps its limits and its word, and repeats itself exactly.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use pentalith::game::{Method, NoKeys, Position, Step, Steps};
use pentalith::games;
use pentalith::notation::{GameVisitor, Playable};
use pentalith::search::{self, Limits, NODE_BYTES, Pace, Settings, SystemClock, Task};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

pub const METHODS: [Method; 2] = [Method::Uct, Method::Pvs];

pub fn settings(threads: usize, memory: usize) -> Settings {
    Settings {
        method: Some(Method::Uct),
        threads,
        memory,
        seed: 3,
    }
}

pub fn nodes(nodes: u64) -> Limits {
    Limits {
        nodes: Some(nodes),
        ..Limits::default()
    }
}

/// How full the tree is behind a move that does not fit into it.
struct Filled;

impl GameVisitor for Filled {
    type Output = u32;

    fn visit<G: Playable>(self, game: G) -> u32 {
        let start = game.start();
        let mut search = search::search(Arc::new(game), settings(1, 64 << 10));
        let stop = AtomicBool::new(false);
        let clock = SystemClock::default();
        let report = search.think(&start, &Task::new(nodes(2000), &stop, &clock));
        report.effort.filled
    }
}

#[test]
fn the_last_steps_of_a_move_are_searched_where_the_first_ones_have_filled_the_tree() {
    let variant = games::parse_variant("gravel:6").unwrap();
    let filled = games::open_narrow(&variant, Filled).unwrap();
    assert!(filled > 0, "the tree was emptied, and nothing was searched");
}

/// Whether a search of so many nodes behind some steps claims that whoever is to move loses.
struct ClaimsLoss(&'static str, u64);

impl GameVisitor for ClaimsLoss {
    type Output = bool;

    fn visit<G: Playable>(self, game: G) -> bool {
        let game = Arc::new(game);
        let mut position = game.start();
        for step in self.0.split([' ', ',']) {
            let step = game.resolve(&position, game.parse_step(step).unwrap());
            game.play(&mut position, step.unwrap(), &mut NoKeys);
        }
        let stop = AtomicBool::new(false);
        let clock = SystemClock::default();
        let task = Task::new(nodes(self.1), &stop, &clock);
        (1..6).any(|seed| {
            let settings = Settings {
                method: Some(Method::Pvs),
                seed,
                ..settings(1, 16 << 20)
            };
            let report = search::search(Arc::clone(&game), settings).think(&position, &task);
            let proofs = report.proof.into_iter();
            let mut proofs = proofs.chain(report.lines.iter().filter_map(|line| line.proof));
            proofs.any(|proof| proof.winner == Some(!position.side()))
        })
    }
}

#[test]
fn a_loss_is_claimed_only_where_every_step_loses() {
    for (variant, steps, few, more) in [
        // The first steps of a move, settled early, lose; others do not.
        ("gravel:3", "a3,b3,b3a3,a3 c1,c1,c1,c1", 1500, 100_000),
        // The first step loses, and no other one has been looked at.
        ("markane:4x4", "d1 c3 b2 a2 a1,d4 a3 b4 c1", 1, 1000),
    ] {
        let variant = games::parse_variant(variant).unwrap();
        for nodes in [few, more] {
            let claims = games::open_narrow(&variant, ClaimsLoss(steps, nodes)).unwrap();
            assert!(!claims, "{variant} {steps}: {nodes} nodes");
        }
    }
}

/// Games from random positions in which the winner plays what the search says and the other side anything:
/// they end as was proven, and within as many moves.
struct KeepsItsWord(Method);

impl GameVisitor for KeepsItsWord {
    type Output = u32;

    fn visit<G: Playable>(self, game: G) -> u32 {
        let game = Arc::new(game);
        let settings = Settings {
            method: Some(self.0),
            ..settings(1, 16 << 20)
        };
        let mut search = search::search(Arc::clone(&game), settings);
        let stop = AtomicBool::new(false);
        let clock = SystemClock::default();
        let task = Task::new(nodes(20_000), &stop, &clock);
        let mut wins = 0;
        for seed in 0..16 {
            let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
            let mut any_step = |position: &G::Position| {
                let steps = game.steps(position);
                steps.nth(random.next_u32() as usize % steps.count())
            };
            let mut position = game.start();
            for _ in 0..seed % 8 {
                if let Some(step) = any_step(&position) {
                    game.play(&mut position, step, &mut NoKeys);
                }
                if game.steps(&position).is_empty() {
                    break;
                }
            }
            search.forget();
            let mut promised = None;
            while !game.steps(&position).is_empty() {
                let report = search.think(&position, &task);
                let Some((winner, moves)) = report.proof.and_then(|p| p.winner.zip(Some(p.moves)))
                else {
                    break;
                };
                let (promised_winner, left) = *promised.get_or_insert((winner, moves));
                assert_eq!(winner, promised_winner);
                assert!(moves >= 1 && moves <= left, "{moves} of {left} moves");
                promised = Some((winner, moves.min(left) - 1));
                let side = position.side();
                let mut plan = report.steps.into_iter();
                while position.side() == side && !game.steps(&position).is_empty() {
                    let step = match side == winner {
                        true => plan.next().unwrap(),
                        false => any_step(&position).unwrap(),
                    };
                    search.follow(step);
                    game.play(&mut position, step, &mut NoKeys);
                }
            }
            if let (Some((winner, _)), Some(outcome)) = (promised, game.outcome(&position)) {
                assert_eq!(outcome.winner, Some(winner));
                wins += 1;
            }
        }
        wins
    }
}

#[test]
fn a_proven_win_comes_within_the_moves_it_says() {
    for variant in ["invector:3x2", "markane:3x3", "markane:4x3", "inversion:2"] {
        let variant = games::parse_variant(variant).unwrap();
        for method in METHODS {
            let wins = games::open_narrow(&variant, KeepsItsWord(method)).unwrap();
            // Where there is one step, pvs plays it without a proof.
            let least = if method == Method::Uct { 4 } else { 3 };
            assert!(wins >= least, "{variant}: {wins}");
        }
    }
}

/// Lines, restrictions and depths in one position.
struct Asked;

impl GameVisitor for Asked {
    type Output = ();

    fn visit<G: Playable>(self, game: G) {
        let game = Arc::new(game);
        let mut search = search::search(Arc::clone(&game), settings(1, 16 << 20));
        let start = game.start();
        let steps = game.steps(&start);
        let stop = AtomicBool::new(false);
        let clock = SystemClock::default();
        let seen = std::sync::Mutex::new(Vec::new());
        let watch = |report: pentalith::search::Report<G::Step>| {
            seen.lock()
                .unwrap()
                .push((report.effort.nodes, report.lines.len()));
        };
        let task = Task {
            lines: 3,
            pace: Pace {
                doublings: true,
                every: None,
            },
            watch: &watch,
            ..Task::new(nodes(5_000), &stop, &clock)
        };
        let report = search.think(&start, &task);
        assert_eq!(*seen.lock().unwrap(), [(1024, 3), (2048, 3), (4096, 3)]);
        assert_eq!(report.lines.len(), 3);
        assert_eq!(report.lines[0].steps[..report.steps.len()], report.steps);
        assert!(report.lines[1].visits >= report.lines[2].visits);
        for line in &report.lines {
            let mut here = start;
            for &step in &line.steps {
                assert!(game.steps(&here).contains(step));
                game.play(&mut here, step, &mut NoKeys);
            }
        }
        // Only some moves: the two that were thought worst of, the second with its second step.
        let worst = [steps.nth(0).unwrap(), steps.nth(steps.count() - 1).unwrap()];
        let mut after = start;
        game.play(&mut after, worst[1], &mut NoKeys);
        let mut second = vec![worst[1]];
        if after.side() == start.side() {
            second.extend(game.steps(&after).nth(0));
        }
        let only = [vec![worst[0]], second.clone()];
        for only in [&only[..], &only[1..]] {
            let restricted = Task {
                only,
                lines: 5,
                ..Task::new(nodes(500), &stop, &clock)
            };
            let report = search.think(&start, &restricted);
            assert_eq!(report.lines.len(), only.len());
            assert!(only.iter().any(|only| report.steps.starts_with(only)));
        }
        // Afterwards all are looked at again.
        let report = search.think(&start, &Task::new(nodes(500), &stop, &clock));
        assert!(report.effort.tree_nodes as usize > steps.count());
        search.forget();
        let deep = Limits {
            depth: Some(3),
            ..Limits::default()
        };
        let report = search.think(&start, &Task::new(deep, &stop, &clock));
        assert!(
            report.lines[0].steps.len() >= 3,
            "{}",
            report.lines[0].steps.len()
        );
    }
}

#[test]
fn lines_restrictions_and_depths_are_kept() {
    for variant in [
        "invector:5x4",
        "markane:5x5",
        "gravel:4,x=2",
        "inversion:3",
        "invictus",
    ] {
        games::open_narrow(&games::parse_variant(variant).unwrap(), Asked).unwrap();
    }
}

/// Reports are put together while other threads change the tree.
struct Watched;

impl GameVisitor for Watched {
    type Output = ();

    fn visit<G: Playable>(self, game: G) {
        let game = Arc::new(game);
        let mut search = search::search(Arc::clone(&game), settings(4, 16 << 20));
        let (start, stop, clock) = (game.start(), AtomicBool::new(false), SystemClock::default());
        let watch = |report: pentalith::search::Report<G::Step>| {
            assert!(report.lines.iter().all(|line| !line.steps.is_empty()));
        };
        let task = Task {
            lines: 500,
            pace: Pace {
                doublings: false,
                every: Some(std::time::Duration::ZERO),
            },
            watch: &watch,
            ..Task::new(nodes(2_000), &stop, &clock)
        };
        let report = search.think(&start, &task);
        assert!(!report.steps.is_empty());
    }
}

#[test]
fn several_threads_may_be_watched() {
    for variant in ["gravel:4,x=2", "markane:8x8", "invector:8x7", "inversion:4"] {
        games::open_narrow(&games::parse_variant(variant).unwrap(), Watched).unwrap();
    }
}

/// The first step of Black's move is forced, and what follows is not: it decides the game.
/// What is found within some limits, and by how many nodes.
struct Found(Limits);

impl GameVisitor for Found {
    type Output = (Vec<u32>, u64);

    fn visit<G: Playable>(self, game: G) -> Self::Output {
        let game = Arc::new(game);
        let (start, stop, clock) = (game.start(), AtomicBool::new(false), SystemClock::default());
        let settings = Settings {
            method: Some(Method::Pvs),
            ..settings(1, 16 << 20)
        };
        let task = Task::new(self.0, &stop, &clock);
        let report = search::search(game, settings).think(&start, &task);
        let steps = report.steps.iter().map(|step| step.bits());
        (steps.collect(), report.effort.nodes)
    }
}

#[test]
fn few_nodes_are_as_many_with_a_clock() {
    for (variant, few) in [
        ("invector:8x7", 16),
        ("gravel:4", 64),
        ("markane:8x8", 40),
        ("inversion:5", 24),
        ("invictus", 1536),
    ] {
        let variant = games::parse_variant(variant).unwrap();
        let minutes = |minutes: u64| Some(std::time::Duration::from_secs(60 * minutes));
        let clock = Limits {
            time: minutes(60),
            usual: minutes(10),
            ..nodes(few)
        };
        let found = |limits| games::open_narrow(&variant, Found(limits)).unwrap();
        assert_eq!(found(clock), found(nodes(few)), "{variant}");
    }
}

/// The steps and tree sizes of a game of the search against itself.
struct SelfPlay {
    settings: Settings,
    nodes: u64,
}

impl GameVisitor for SelfPlay {
    type Output = Vec<(Vec<u32>, u64)>;

    fn visit<G: Playable>(self, game: G) -> Self::Output {
        let game = Arc::new(game);
        let mut search = search::search(Arc::clone(&game), self.settings);
        let mut position = game.start();
        let mut played = Vec::new();
        while !game.steps(&position).is_empty() && played.len() < 30 {
            let stop = AtomicBool::new(false);
            let clock = SystemClock::default();
            let report = search.think(&position, &Task::new(nodes(self.nodes), &stop, &clock));
            assert!(report.effort.nodes <= self.nodes);
            for &step in &report.steps {
                game.play(&mut position, step, &mut NoKeys);
                search.follow(step);
            }
            let steps = report.steps.iter().map(|step| step.bits()).collect();
            played.push((steps, report.effort.tree_nodes));
        }
        played
    }
}

#[test]
fn one_thread_with_a_limit_in_nodes_repeats_itself() {
    for variant in [
        "invector:5x4",
        "markane:6x6",
        "gravel:4",
        "inversion:4",
        "invictus",
    ] {
        let variant = games::parse_variant(variant).unwrap();
        let play = || {
            let settings = settings(1, 1 << 20);
            games::open_narrow(
                &variant,
                SelfPlay {
                    settings,
                    nodes: 2_000,
                },
            )
            .unwrap()
        };
        assert_eq!(play(), play());
    }
}

#[test]
fn the_tree_stays_within_its_memory() {
    let variant = games::parse_variant("invector:8x7").unwrap();
    let memory = 100_000;
    for threads in [1, 2] {
        let settings = settings(threads, memory);
        let played = games::open_narrow(
            &variant,
            SelfPlay {
                settings,
                nodes: 3_000,
            },
        )
        .unwrap();
        for (steps, tree_nodes) in played {
            assert_eq!(steps.len(), 1);
            assert!(tree_nodes as usize * NODE_BYTES <= memory);
        }
    }
}

#[test]
fn a_search_that_is_stopped_before_it_begins_still_gives_a_legal_move() {
    struct Stopped;
    impl GameVisitor for Stopped {
        type Output = ();
        fn visit<G: Playable>(self, game: G) {
            let game = Arc::new(game);
            let mut search = search::search(Arc::clone(&game), settings(1, 1));
            let stop = AtomicBool::new(true);
            let start = game.start();
            let clock = SystemClock::default();
            let report = search.think(&start, &Task::new(Limits::default(), &stop, &clock));
            assert_eq!(report.lines[0].steps, report.steps);
            assert!(game.steps(&start).contains(report.steps[0]));
        }
    }
    for variant in ["invector", "markane", "gravel", "inversion", "invictus"] {
        games::open_narrow(&games::parse_variant(variant).unwrap(), Stopped).unwrap();
    }
}

#[test]
fn games_that_are_played_at_once_are_those_given_until_there_is_none() {
    struct AtOnce(usize);
    impl GameVisitor for AtOnce {
        type Output = ();
        fn visit<G: Playable>(self, game: G) {
            let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
            // The first position of all is one that is over, and behind the tenth there is none, once.
            let mut over = game.start();
            search::play_out(&game, &mut over, &mut random, || false);
            let mut asked = 0;
            let next = || {
                asked += 1;
                match asked {
                    1 => Some(over),
                    11 => None,
                    _ => Some(game.start()),
                }
            };
            let mut lengths = Vec::new();
            let done = |position, length| {
                assert!(game.steps(&position).is_empty());
                lengths.push(length);
            };
            let all =
                search::play_out_interleaved(&game, self.0, &mut random, next, done, || false);
            assert!(all);
            assert_eq!((asked, lengths.len()), (11, 10));
            assert_eq!(lengths.iter().filter(|&&length| length == 0).count(), 1);
        }
    }
    for variant in [
        "invector:5x4",
        "markane:4x4",
        "gravel:3",
        "inversion:3",
        "invictus",
    ] {
        for lanes in [1, 3, 64] {
            let variant = games::parse_variant(variant).unwrap();
            games::open_narrow(&variant, AtOnce(lanes)).unwrap();
        }
    }
}
