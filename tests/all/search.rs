//! The search: it keeps its limits and its word, and repeats itself exactly.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use pentalith::games;
use pentalith::rules::{Board, EVALUATION_SCALE, Method, Step};
use pentalith::search::{
    self, Clock, Limits, NODE_BYTES, Report, ReportSchedule, SearchRequest, Settings, SystemClock, VALUED_NODE_BYTES,
    random_step,
};
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

pub const METHODS: [Method; 3] = [Method::Uct, Method::Pvs, Method::Puct];

pub fn settings(threads: usize, memory: usize) -> Settings {
    Settings { method: Method::Uct, threads, memory, seed: 3 }
}

pub fn nodes(nodes: u64) -> Limits {
    Limits { nodes: Some(nodes), ..Limits::default() }
}

pub fn open(variant: &str) -> Box<dyn Board> {
    games::open(&games::parse_variant(variant).unwrap()).unwrap()
}

fn legal(board: &dyn Board) -> Vec<Step> {
    let mut steps = Vec::new();
    board.steps(&mut steps);
    steps
}

#[test]
fn the_last_steps_of_a_move_are_searched_where_the_first_ones_have_filled_the_tree() {
    let mut search = search::new_search(settings(1, 64 << 10));
    let stop = AtomicBool::new(false);
    let clock = SystemClock::default();
    let report = search.run(&*open("gravel:6"), &SearchRequest::new(nodes(2000), &stop, &clock));
    let hashfull = report.statistics.hashfull;
    assert!(hashfull > 0, "the tree was emptied, and nothing was searched");
}

#[test]
fn searches_end_however_small_their_tree_is() {
    let (sender, ended) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let stop = AtomicBool::new(false);
        let clock = SystemClock::default();
        let task = SearchRequest::new(nodes(500), &stop, &clock);
        for variant in ["invector:5x4", "markane:4x4", "gravel:3", "inversion:2", "invictus:stall=5"] {
            for (method, bytes) in [(Method::Uct, NODE_BYTES), (Method::Puct, VALUED_NODE_BYTES)] {
                for capacity in [1, 12, 60] {
                    let mut search = search::new_search(Settings { method, ..settings(1, capacity * bytes) });
                    let mut board = open(variant);
                    for _ in 0..100 {
                        for step in search.run(&*board, &task).best_move {
                            search.advance(step);
                            board.make(step);
                        }
                    }
                }
            }
        }
        sender.send(()).unwrap();
    });
    ended.recv_timeout(Duration::from_secs(300)).expect("a search does not end, or fails");
}

#[test]
fn a_search_that_empties_its_tree_says_what_it_knew() {
    let stop = AtomicBool::new(false);
    let clock = SystemClock::default();
    for steps in [0, 3] {
        let mut board = open("invictus");
        for _ in 0..steps {
            board.make(legal(&*board)[0]);
        }
        let of = |limit, memory| {
            let mut search = search::new_search(Settings { method: Method::Puct, ..settings(1, memory) });
            search.run(&*board, &SearchRequest::new(nodes(limit), &stop, &clock))
        };
        // Few nodes for a turn of so many steps, and a tree that takes few of them.
        let expected = of(2000, 16 << 20).expected_score;
        for (limit, memory) in [(40, 16 << 20), (2000, 50 * VALUED_NODE_BYTES)] {
            let found = of(limit, memory);
            assert!((found.expected_score - expected).abs() < 0.1, "{steps} {limit}: {found:?}");
            assert_eq!(found.lines[0].expected_score, found.expected_score, "{steps} {limit}");
        }
    }
}

/// Tells if a search of `limit` nodes after `steps` claims a loss for the side to move.
fn claims_loss(variant: &str, steps: &str, limit: u64) -> bool {
    let mut board = open(variant);
    for step in steps.split([' ', ',']) {
        let step = board.read_step(step).unwrap();
        board.make(step);
    }
    let stop = AtomicBool::new(false);
    let clock = SystemClock::default();
    let task = SearchRequest::new(nodes(limit), &stop, &clock);
    (1..6).any(|seed| {
        let settings = Settings { method: Method::Pvs, seed, ..settings(1, 16 << 20) };
        let report = search::new_search(settings).run(&*board, &task);
        let proofs = report.proof.into_iter();
        let mut proofs = proofs.chain(report.lines.iter().filter_map(|line| line.proof));
        proofs.any(|proof| proof.winner == Some(!board.side()))
    })
}

#[test]
fn a_loss_is_claimed_only_where_every_step_loses() {
    for (variant, steps, few, more) in [
        // The first steps of a move, settled early, lose; others do not.
        ("gravel:3", "a3,b3,b3a3,a3 c1,c1,c1,c1", 1500, 100_000),
        // The first step loses, and no other one has been looked at.
        ("markane:4x4", "d1 c3 b2 a2 a1,d4 a3 b4 c1", 1, 1000),
    ] {
        for nodes in [few, more] {
            assert!(!claims_loss(variant, steps, nodes), "{variant} {steps}: {nodes} nodes");
        }
    }
}

/// Games from random positions in which the winner plays what the search says and the other side anything:
/// they end as was proven, and within as many moves.
fn wins_as_promised(variant: &str, method: Method) -> u32 {
    let settings = Settings { method, ..settings(1, 16 << 20) };
    let mut search = search::new_search(settings);
    let stop = AtomicBool::new(false);
    let clock = SystemClock::default();
    let task = SearchRequest::new(nodes(20_000), &stop, &clock);
    let mut wins = 0;
    for seed in 0..16 {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut board = open(variant);
        for _ in 0..seed % 8 {
            if let Some(step) = random_step(&mut *board, &mut random) {
                board.make(step);
            }
        }
        search.clear();
        let mut promised = None;
        while !board.is_over() {
            let report = search.run(&*board, &task);
            let Some((winner, moves)) = report.proof.and_then(|p| p.winner.zip(Some(p.moves))) else {
                break;
            };
            let (promised_winner, left) = *promised.get_or_insert((winner, moves));
            assert_eq!(winner, promised_winner);
            assert!(moves >= 1 && moves <= left, "{moves} of {left} moves");
            promised = Some((winner, moves.min(left) - 1));
            let side = board.side();
            let mut plan = report.best_move.into_iter();
            while board.side() == side && !board.is_over() {
                let step = match side == winner {
                    true => plan.next().unwrap(),
                    false => random_step(&mut *board, &mut random).unwrap(),
                };
                search.advance(step);
                board.make(step);
            }
        }
        if let (Some((winner, _)), Some(outcome)) = (promised, board.outcome()) {
            assert_eq!(outcome.winner, Some(winner));
            wins += 1;
        }
    }
    wins
}

#[test]
fn a_proven_win_comes_within_the_moves_it_says() {
    for variant in ["invector:3x2", "markane:3x3", "markane:4x3", "inversion:2"] {
        for method in METHODS {
            let wins = wins_as_promised(variant, method);
            // Where there is one step, pvs plays it without a proof.
            let least = if method == Method::Uct { 4 } else { 3 };
            assert!(wins >= least, "{variant}: {wins}");
        }
    }
}

/// Lines, restrictions and depths in one position.
fn asked(variant: &str, method: Method) {
    let mut search = search::new_search(Settings { method, ..settings(1, 16 << 20) });
    let start = open(variant);
    let steps = legal(&*start);
    let stop = AtomicBool::new(false);
    let clock = SystemClock::default();
    let seen = std::sync::Mutex::new(Vec::new());
    let watch = |report: Report| {
        seen.lock().unwrap().push((report.statistics.nodes, report.lines.len()));
    };
    let task = SearchRequest {
        multi_pv: 3,
        report_schedule: ReportSchedule { on_doubling: true, interval: None },
        on_report: &watch,
        ..SearchRequest::new(nodes(5_000), &stop, &clock)
    };
    let report = search.run(&*start, &task);
    let seen = seen.into_inner().unwrap();
    match method {
        // Its nodes come by the children of a position.
        Method::Puct => assert!(seen.len() == 3 && seen.iter().all(|&(_, lines)| lines == 3), "{seen:?}"),
        _ => assert_eq!(seen, [(1024, 3), (2048, 3), (4096, 3)]),
    }
    assert_eq!(report.lines.len(), 3);
    assert_eq!(report.lines[0].variation[..report.best_move.len()], report.best_move);
    assert!(report.lines[1].expected_score >= report.lines[2].expected_score);
    for line in &report.lines {
        let mut here = start.fork();
        for &step in &line.variation {
            assert!(here.is_legal(step));
            here.make(step);
        }
    }
    // Only some moves: the two that were thought worst of, the second with its second step.
    let worst = [steps[0], steps[steps.len() - 1]];
    let mut after = start.fork();
    after.make(worst[1]);
    let mut second = vec![worst[1]];
    if after.side() == start.side() {
        second.extend(after.nth(0));
    }
    let only = [vec![worst[0]], second.clone()];
    for only in [&only[..], &only[1..]] {
        let restricted =
            SearchRequest { search_moves: only, multi_pv: 5, ..SearchRequest::new(nodes(500), &stop, &clock) };
        let report = search.run(&*start, &restricted);
        assert_eq!(report.lines.len(), only.len());
        assert!(only.iter().any(|only| report.best_move.starts_with(only)));
    }
    // Afterwards all are looked at again.
    let report = search.run(&*start, &SearchRequest::new(nodes(500), &stop, &clock));
    assert!(report.statistics.tree_nodes as usize > steps.len());
    search.clear();
    let deep = Limits { depth: Some(3), ..Limits::default() };
    let report = search.run(&*start, &SearchRequest::new(deep, &stop, &clock));
    assert!(report.lines[0].variation.len() >= 3, "{}", report.lines[0].variation.len());
}

#[test]
fn lines_restrictions_and_depths_are_kept() {
    for variant in ["invector:5x4", "markane:5x5", "gravel:4,x=2", "inversion:3", "invictus"] {
        asked(variant, Method::Uct);
        asked(variant, Method::Puct);
    }
}

#[test]
fn other_lines_than_that_of_a_proof_are_searched() {
    let board = open("markane:3x3");
    let (stop, clock) = (AtomicBool::new(false), SystemClock::default());
    for method in [Method::Puct, Method::Pvs] {
        let mut search = search::new_search(Settings { method, ..settings(1, 16 << 20) });
        // The second search begins with the proof.
        for _ in 0..2 {
            let request = SearchRequest { multi_pv: 3, ..SearchRequest::new(nodes(20_000), &stop, &clock) };
            let report = search.run(&*board, &request);
            assert_eq!(report.lines.len(), 3);
            assert!(report.lines.iter().all(|line| line.proof.is_some()), "{method:?}: {report:?}");
        }
    }
}

#[test]
fn scores_are_those_of_the_evaluation_however_flat_the_values_are() {
    let (stop, clock) = (AtomicBool::new(false), SystemClock::default());
    for variant in ["invector:8x7", "gravel:8", "markane:8x8", "inversion:5", "invictus"] {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(5);
        let mut board = open(variant);
        for _ in 0..30 {
            let step = random_step(&mut *board, &mut random).unwrap();
            board.make(step);
        }
        let steps = legal(&*board);
        let side = board.side();
        let value = |&step: &Step| {
            let mut after = board.fork();
            after.make(step);
            if after.side() == side { after.evaluate() } else { -after.evaluate() }
        };
        let best = steps.iter().map(value).max().unwrap();
        let expected = 1.0 / (1.0 + 10_f64.powf(-f64::from(best) / EVALUATION_SCALE));
        let mut search = search::new_search(Settings { method: Method::Puct, ..settings(1, 16 << 20) });
        let report = search.run(&*board, &SearchRequest::new(nodes(steps.len() as u64), &stop, &clock));
        assert!((report.expected_score - expected).abs() < 1e-4, "{variant}: {report:?}, not {expected}");
    }
}

#[test]
fn contempt_lowers_what_may_be_drawn_and_no_proof() {
    let (stop, clock) = (AtomicBool::new(false), SystemClock::default());
    let new = || search::new_search(Settings { method: Method::Puct, ..settings(1, 16 << 20) });
    let request = |contempt, limit| SearchRequest { contempt, ..SearchRequest::new(nodes(limit), &stop, &clock) };
    let (board, mut search) = (open("gravel:2"), new());
    let [plain, wary, again] = [0.0, 0.3, 0.0].map(|contempt| search.run(&*board, &request(contempt, 20_000)));
    assert!(plain.proof.is_none() && wary.proof.is_none(), "the test needs a harder board");
    assert!(wary.expected_score < plain.expected_score, "{wary:?}, {plain:?}");
    assert_eq!(again.expected_score, plain.expected_score, "the tree of another contempt was kept");
    let won = open("markane:3x3");
    let [plain, wary] = [0.0, 0.3].map(|contempt| new().run(&*won, &request(contempt, 20_000)));
    assert!(plain.proof.is_some());
    assert_eq!((plain.proof, plain.lines), (wary.proof, wary.lines));
}

#[test]
fn a_single_legal_move_is_searched_where_it_is_asked_for() {
    let mut board = open("invector:5x4");
    board.set_position("...../..b../...../w...w b 21").unwrap();
    assert_eq!(legal(&*board).len(), 1);
    let (stop, clock) = (AtomicBool::new(false), SystemClock::default());
    for method in METHODS {
        for skip_forced_move in [true, false] {
            let mut search = search::new_search(Settings { method, ..settings(1, 16 << 20) });
            let request = SearchRequest { skip_forced_move, ..SearchRequest::new(nodes(2000), &stop, &clock) };
            let report = search.run(&*board, &request);
            assert_eq!(report.best_move.len(), 1);
            let is_searched = report.statistics.nodes > 1;
            assert_eq!(is_searched, !skip_forced_move, "{method:?}: {report:?}");
            assert!(
                !is_searched || report.proof.is_some() || report.statistics.nodes >= 1800,
                "{method:?}: {report:?}"
            );
        }
    }
}

#[test]
fn several_threads_may_be_watched() {
    // Reports are put together while other threads change the tree.
    let variants = ["gravel:4,x=2", "markane:8x8", "invector:8x7", "inversion:4"];
    for (variant, method) in variants.iter().flat_map(|variant| [(variant, Method::Uct), (variant, Method::Puct)]) {
        let mut search = search::new_search(Settings { method, ..settings(4, 16 << 20) });
        let (stop, clock) = (AtomicBool::new(false), SystemClock::default());
        let watch = |report: Report| {
            assert!(report.lines.iter().all(|line| !line.variation.is_empty()));
        };
        let task = SearchRequest {
            multi_pv: 500,
            report_schedule: ReportSchedule { on_doubling: false, interval: Some(std::time::Duration::ZERO) },
            on_report: &watch,
            ..SearchRequest::new(nodes(2_000), &stop, &clock)
        };
        let report = search.run(&*open(variant), &task);
        assert!(!report.best_move.is_empty());
    }
}

/// Returns the result of a search within some limits, and its number of nodes.
fn found(variant: &str, limits: Limits) -> (Vec<Step>, u64) {
    let (stop, clock) = (AtomicBool::new(false), SystemClock::default());
    let settings = Settings { method: Method::Pvs, ..settings(1, 16 << 20) };
    let task = SearchRequest::new(limits, &stop, &clock);
    let report = search::new_search(settings).run(&*open(variant), &task);
    (report.best_move, report.statistics.nodes)
}

#[test]
fn few_nodes_are_as_many_with_a_clock() {
    for (variant, few) in
        [("invector:8x7", 16), ("gravel:4", 64), ("markane:8x8", 40), ("inversion:5", 24), ("invictus", 1536)]
    {
        let minutes = |minutes: u64| Some(std::time::Duration::from_secs(60 * minutes));
        let clock = Limits { hard_time: minutes(60), soft_time: minutes(10), ..nodes(few) };
        let without = found(variant, nodes(few));
        assert_eq!(found(variant, clock), without, "{variant}");
    }
}

/// The steps and tree sizes of a game of the search against itself.
fn self_play(variant: &str, settings: Settings, limit: u64) -> Vec<(Vec<Step>, u64)> {
    let mut search = search::new_search(settings);
    let mut board = open(variant);
    let mut played = Vec::new();
    while !board.is_over() && played.len() < 30 {
        let stop = AtomicBool::new(false);
        let clock = SystemClock::default();
        let report = search.run(&*board, &SearchRequest::new(nodes(limit), &stop, &clock));
        assert!(report.statistics.nodes <= limit);
        for &step in &report.best_move {
            board.make(step);
            search.advance(step);
        }
        played.push((report.best_move, report.statistics.tree_nodes));
    }
    played
}

#[test]
fn one_thread_with_a_limit_in_nodes_repeats_itself() {
    for variant in ["invector:5x4", "markane:6x6", "gravel:4", "inversion:4", "invictus"] {
        for method in METHODS {
            let play = || self_play(variant, Settings { method, ..settings(1, 1 << 20) }, 500);
            assert_eq!(play(), play());
        }
    }
}

#[test]
fn the_tree_stays_within_its_memory() {
    let memory = 100_000;
    for (method, threads, node_bytes) in [
        (Method::Uct, 1, NODE_BYTES),
        (Method::Uct, 2, NODE_BYTES),
        (Method::Puct, 1, VALUED_NODE_BYTES),
        (Method::Puct, 2, VALUED_NODE_BYTES),
    ] {
        let settings = Settings { method, ..settings(threads, memory) };
        let played = self_play("invector:8x7", settings, 20_000);
        for (steps, tree_nodes) in played {
            assert_eq!(steps.len(), 1);
            assert!(tree_nodes as usize * node_bytes <= memory);
        }
    }
}

#[test]
fn equal_positions_share_their_children() {
    // Two placements in either order are one position.
    let limit = 20_000;
    let mut search = search::new_search(Settings { method: Method::Puct, ..settings(1, 64 << 20) });
    let (stop, clock) = (AtomicBool::new(false), SystemClock::default());
    let report = search.run(&*open("gravel:4"), &SearchRequest::new(nodes(limit), &stop, &clock));
    assert!(report.statistics.tree_nodes < report.statistics.nodes * 5 / 4, "{:?}", report.statistics);
}

#[test]
fn a_search_that_is_stopped_before_it_begins_still_gives_a_legal_move() {
    for variant in ["invector", "markane", "gravel", "inversion", "invictus"] {
        for method in METHODS {
            let mut search = search::new_search(Settings { method, ..settings(1, 1) });
            let stop = AtomicBool::new(true);
            let start = open(variant);
            let clock = SystemClock::default();
            let report = search.run(&*start, &SearchRequest::new(Limits::default(), &stop, &clock));
            assert!(report.lines[0].variation.starts_with(&report.best_move));
            assert!(start.is_legal(report.best_move[0]));
        }
    }
}

/// Returns the positions of random games, one of each game, in which more than one step is legal.
fn random_positions(variant: &str, games: u64) -> impl Iterator<Item = Box<dyn Board>> {
    (0..games).filter_map(move |seed| {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut board = open(variant);
        for _ in 0..7 * seed % 41 {
            let Some(step) = random_step(&mut *board, &mut random) else {
                break;
            };
            board.make(step);
        }
        (board.count() > 1).then_some(board)
    })
}

#[test]
fn a_search_without_a_proof_uses_its_nodes() {
    for (variant, games) in
        [("gravel:4", 16), ("gravel:5", 16), ("gravel:8", 6), ("markane:8x8", 8), ("invector:5x4", 6), ("invictus", 8)]
    {
        for (method, threads, multi_pv) in
            [(Method::Pvs, 1, 1), (Method::Pvs, 3, 1), (Method::Pvs, 1, 3), (Method::Uct, 1, 1), (Method::Uct, 3, 2)]
        {
            for board in random_positions(variant, games) {
                let (stop, clock) = (AtomicBool::new(false), SystemClock::default());
                let limit = 1_500;
                let task = SearchRequest { multi_pv, ..SearchRequest::new(nodes(limit), &stop, &clock) };
                let settings = Settings { method, ..settings(threads, 16 << 20) };
                let report = search::new_search(settings).run(&*board, &task);
                let used = report.statistics.nodes;
                let position = board.position();
                assert!(
                    report.proof.is_some() || 5 * used >= 4 * limit && used <= limit,
                    "{variant} {method:?} {threads} {multi_pv}: {used} nodes at {position}"
                );
            }
        }
    }
}

/// A clock that advances by a microsecond with each reading.
#[derive(Default)]
struct Ticking(AtomicU64);

impl Clock for Ticking {
    fn now(&self) -> Duration {
        Duration::from_micros(self.0.fetch_add(1, Ordering::Relaxed))
    }
}

#[test]
fn a_move_takes_less_of_a_clock_where_it_is_settled_and_more_where_it_is_contested() {
    const SOFT: Duration = Duration::from_millis(1);
    let (mut settled, mut contested) = (0, 0);
    for method in [Method::Puct, Method::Uct] {
        for board in random_positions("invector:6x5", 24) {
            let found = |hard_time| {
                let (stop, clock) = (AtomicBool::new(false), Ticking::default());
                let limits = Limits { hard_time: Some(hard_time), soft_time: Some(SOFT), ..Limits::default() };
                let mut search = search::new_search(Settings { method, ..settings(1, 16 << 20) });
                let report = search.run(&*board, &SearchRequest::new(limits, &stop, &clock));
                (report.best_move, report.statistics.time)
            };
            let (step, fixed_time) = found(SOFT);
            let (soft_step, soft_time) = found(2 * SOFT);
            assert!(soft_time <= 2 * SOFT + Duration::from_micros(20), "{soft_time:?}");
            if soft_time < fixed_time {
                settled += 1;
                assert_eq!(soft_step, step, "what nothing can change is the same");
            }
            contested += u32::from(soft_time > SOFT + Duration::from_micros(20));
        }
    }
    assert!(settled >= 8 && contested >= 1, "{settled} settled, {contested} contested");
}
