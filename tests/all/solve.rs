//! The solver finds the values that exhaustive search finds, proves them, and goes on where it was interrupted.

use std::collections::HashSet;
use std::fs;
use std::process::{Command, Output};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use pentalith::board::Key;
use pentalith::games;
use pentalith::lab::solve::certificate::{Strategy, certificate};
use pentalith::lab::solve::search::Limits;
use pentalith::lab::solve::solved::SOLVED;
use pentalith::lab::solve::task::{Question, Task};
use pentalith::lab::solve::{Bounds, Pauses, Solver, Value};
use pentalith::rules::{Board, Color, HalfPoints};
use pentalith::search::{Clock, SystemClock, random_step};
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::HashMap;

use crate::matches::folder;
use crate::perfect;
use crate::search::open;

/// Searches with a table of `bytes` bytes until the value, or the score, is known.
fn solved(board: &dyn Board, score: bool, bytes: usize) -> Solver {
    let (stop, clock) = (AtomicBool::new(false), SystemClock::default());
    let mut solver = Solver::new(board, bytes).unwrap();
    assert!(solver.solve(score, &limits(&stop, &clock, None)));
    solver
}

fn limits<'a>(stop: &'a AtomicBool, clock: &'a SystemClock, positions: Option<u64>) -> Limits<'a> {
    Limits { stop, clock, deadline: None, positions }
}

fn strategies(solver: &mut Solver) -> Vec<Strategy> {
    let (stop, clock) = (AtomicBool::new(false), SystemClock::default());
    let strategies = solver.strategies(&limits(&stop, &clock, None));
    strategies.unwrap_or_else(|error| panic!("{error}"))
}

/// The value of a position by exhaustive search.
fn expected(board: &dyn Board, solver: &mut perfect::Solver) -> Value {
    let first = board.variant().info().first;
    match solver.value_behind(&mut *board.fork(), first, &[]) {
        1 => Value::FirstWins,
        0 => Value::Draw,
        _ => Value::SecondWins,
    }
}

/// Solves a position and its neighborhood: checks the value, the strategies, and the line of best play.
fn check(board: &dyn Board, known: &mut perfect::Solver, bytes: usize) {
    let text = format!("{} {}", board.variant(), board.position());
    let expected = expected(board, known);
    let mut solver = solved(board, false, bytes);
    assert_eq!(solver.value(), Some(expected), "{text}");
    let strategies = strategies(&mut solver);
    let count = if expected == Value::Draw { 2 } else { 1 };
    assert_eq!(strategies.len(), count, "{text}");
    replay(board, &certificate(board, &strategies));
    let (stop, clock) = (AtomicBool::new(false), SystemClock::default());
    let line = solver.variation(&limits(&stop, &clock, None));
    let mut end = board.fork();
    for step in line {
        assert!(end.is_legal(step), "{text}");
        end.make(step);
    }
    let winner = end.outcome().map(|outcome| outcome.winner);
    let first = board.variant().info().first;
    let value = winner.map(|winner| match winner {
        None => Value::Draw,
        Some(winner) if winner == first => Value::FirstWins,
        Some(_) => Value::SecondWins,
    });
    assert_eq!(value, Some(expected), "{text}");
}

#[test]
fn starts_of_small_variants_have_the_values_of_exhaustive_search() {
    for variant in [
        "invector:2x1",
        "invector:3x2",
        "invector:3x2,pie=off",
        "invector:4x1",
        "invector:4x3",
        "invector:4x3,pie=off",
        "invector:5x2",
        "markane:1x1",
        "markane:3x2,pie=on",
        "markane:3x3",
        "markane:3x3,pie=on",
        "markane:4x3",
        "markane:4x3,pie=on",
        "gravel:2,x=2,stall=2",
        "gravel:2,x=2,pie=on,stall=3",
        "inversion:2",
        "inversion:2,komi=1",
        "inversion:2,komi=1,pie=on",
        "inversion:2,order=single,komi=-3",
    ] {
        let board = open(variant);
        check(&*board, &mut perfect::Solver::default(), 1 << 20);
        // A table that is much too small.
        check(&*board, &mut perfect::Solver::default(), 1 << 12);
    }
}

#[test]
fn positions_have_the_values_of_exhaustive_search() {
    for (variant, seeds, steps) in [
        ("invector:4x3", 6, 4),
        ("invector:5x4", 4, 14),
        ("invector:5x4,pie=off", 4, 13),
        ("markane:4x4", 6, 4),
        ("markane:4x4,pie=on", 6, 3),
        ("gravel:2,x=3,stall=3", 4, 3),
        ("gravel:3,x=2,stall=4", 4, 14),
        ("inversion:3,komi=2", 4, 9),
        ("inversion:3,order=alternate,pie=on", 4, 10),
        ("inversion:3,order=single", 4, 9),
    ] {
        let mut known = perfect::Solver::default();
        for seed in 0..seeds {
            let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
            let mut board = open(variant);
            for _ in 0..steps {
                if let Some(step) = random_step(&mut *board, &mut random) {
                    board.make(step);
                }
            }
            check(&*board, &mut known, 1 << 22);
        }
    }
}

#[test]
fn endings_of_invictus_have_the_values_of_exhaustive_search() {
    let empty = ".........";
    for (ranks, fields) in [
        (["....w2....", "....b3...."], "b 0,0 - 0 5"),
        (["....w2....", "...b1....."], "w 1,0 - 1 6"),
        (["...w1w1....", "..b2......"], "b 0,0 - 0 7"),
        (["...w2.....", "...b2....."], "w 0,3 - 0 8"),
    ] {
        let mut board = open("invictus:stall=3");
        let [upper, lower] = ranks.map(|rank| {
            // Ranks have nine cells: a die takes two characters.
            let dice = rank.matches(['b', 'w']).count();
            rank.chars().take(9 + dice).collect::<String>()
        });
        let e = empty;
        let text = format!("{e}/{e}/{upper}/{lower}/{e}/{e}/{e}/{e}/{e} {fields}");
        board.set_position(&text).unwrap_or_else(|error| panic!("{error}"));
        check(&*board, &mut perfect::Solver::default(), 1 << 22);
    }
}

/// The margin of White with best play, by exhaustive search.
fn margin(board: &mut dyn Board, known: &mut HashMap<Key, i32>) -> i32 {
    if let Some(outcome) = board.outcome() {
        let size = board.margin().unwrap().0;
        return if outcome.winner == Some(Color::White) { size } else { -size };
    }
    let (key, side) = (board.key(), board.side());
    if let Some(&margin) = known.get(&key) {
        return margin;
    }
    let mut steps = Vec::new();
    board.steps(&mut steps);
    let margins = steps.into_iter().map(|step| {
        board.make(step);
        let margin = margin(board, known);
        board.unmake();
        margin
    });
    let best = match side {
        Color::White => margins.max(),
        Color::Black => margins.min(),
    };
    known.insert(key, best.unwrap());
    best.unwrap()
}

#[test]
fn scores_are_those_of_exhaustive_search() {
    for (variant, steps) in [
        ("inversion:2", 0),
        ("inversion:2,komi=0.5,pie=on", 0),
        ("inversion:2,komi=9", 1),
        ("inversion:3", 10),
        ("inversion:3,order=alternate,komi=2", 10),
        ("inversion:3,order=single,komi=-1.5", 10),
    ] {
        for seed in 0..3 {
            let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
            let mut board = open(variant);
            for _ in 0..steps {
                let step = random_step(&mut *board, &mut random).unwrap();
                board.make(step);
            }
            let expected = margin(&mut *board.fork(), &mut HashMap::new());
            let mut solver = solved(&*board, true, 1 << 22);
            let text = format!("{variant} {}", board.position());
            assert_eq!(solver.score(), Some(HalfPoints(expected)), "{text}");
            let strategies = strategies(&mut solver);
            assert_eq!(strategies.len(), 2);
            replay(&*board, &certificate(&*board, &strategies));
        }
    }
}

/// A certificate that is read.
struct Reader<'a> {
    rest: &'a [u8],
    /// Bytes of the block that are left, without its checksum.
    block: &'a [u8],
}

impl<'a> Reader<'a> {
    fn line(&mut self) -> &'a str {
        let end = self.rest.iter().position(|&byte| byte == b'\n').unwrap();
        let (line, rest) = self.rest.split_at(end);
        self.rest = &rest[1..];
        std::str::from_utf8(line).unwrap()
    }

    /// Reads a choice. `left` is the number of bytes of the strategy that are left.
    fn choice(&mut self) -> usize {
        let (mut number, mut shift) = (0, 0);
        loop {
            let (&byte, rest) = self.block.split_first().expect("a choice");
            self.block = rest;
            number |= usize::from(byte & 0x7f) << shift;
            shift += 7;
            if byte < 0x80 {
                return number;
            }
        }
    }
}

fn slow_crc(bytes: &[u8]) -> u32 {
    let mut sum = !0_u32;
    for &byte in bytes {
        sum ^= u32::from(byte);
        for _ in 0..8 {
            sum = sum >> 1 ^ if sum & 1 == 1 { 0xedb8_8320 } else { 0 };
        }
    }
    !sum
}

/// Splits off the choices of a strategy: `count` numbers, in blocks with a checksum each.
fn choices(rest: &mut &[u8], count: u64) -> Vec<u8> {
    let mut all: Vec<u8> = Vec::new();
    let mut numbers = 0;
    while numbers < count {
        let mut length = 0;
        while length < 65_536 && numbers < count {
            numbers += u64::from(rest[length] < 0x80);
            length += 1;
        }
        let (block, after) = rest.split_at(length);
        let (sum, after) = after.split_at(4);
        assert_eq!(sum, slow_crc(block).to_le_bytes());
        all.extend(block);
        *rest = after;
    }
    all
}

/// Replays a certificate: follows the strategy against all steps of the other side.
pub fn replay(board: &dyn Board, text: &[u8]) {
    let mut reader = Reader { rest: text, block: &[] };
    assert_eq!(reader.line(), "pentalith certificate 1");
    assert_eq!(reader.line(), format!("variant {}", board.variant()));
    assert_eq!(reader.line(), format!("position {}", board.position()));
    let count: usize = reader.line().strip_prefix("strategies ").unwrap().parse().unwrap();
    for _ in 0..count {
        let words: Vec<&str> = reader.line().split(' ').collect();
        let first = board.variant().info().first;
        let side = match words[1] {
            "p1" => first,
            "p2" => !first,
            other => panic!("{other}"),
        };
        let least = match words[2] {
            "win" => 1.0,
            "draw" => 0.0,
            "margin" => words[3].parse().unwrap(),
            other => panic!("{other}"),
        };
        let count = words.last().unwrap().parse().unwrap();
        let bytes = choices(&mut reader.rest, count);
        let mut block = Reader { rest: &[], block: &bytes };
        let mut visited = HashSet::new();
        follow(&mut *board.fork(), side, least, &mut visited, &mut block);
        assert!(block.block.is_empty());
    }
    assert!(reader.rest.is_empty());
}

fn follow(board: &mut dyn Board, side: Color, least: f64, visited: &mut HashSet<String>, reader: &mut Reader<'_>) {
    if let Some(outcome) = board.outcome() {
        let size = board.margin().map_or(1.0, |margin| f64::from(margin.0) / 2.0);
        let result = match outcome.winner {
            None => 0.0,
            Some(winner) if winner == side => size,
            Some(_) => -size,
        };
        // A win by half a point is a win.
        let reached = if least == 1.0 && board.margin().is_some() { result >= 0.5 } else { result >= least };
        assert!(reached, "{}", board.position());
        return;
    }
    let line = board.position();
    let (rest, turn) = line.rsplit_once(' ').unwrap();
    let turn: u32 = turn.parse().unwrap();
    let turn = if turn < 3 { turn } else { 4 - turn % 2 };
    if !visited.insert(format!("{rest} {turn}")) {
        return;
    }
    let mut steps = Vec::new();
    board.steps(&mut steps);
    if board.side() == side && steps.len() > 1 {
        steps = vec![steps[reader.choice()]];
    }
    for step in steps {
        board.make(step);
        follow(board, side, least, visited, reader);
        board.unmake();
    }
}

#[test]
fn an_interrupted_search_goes_on_and_finds_the_same() {
    for (variant, more) in [("markane:4x4", 300), ("invector:4x3", 300), ("gravel:2,x=2", 300), ("inversion:2", 10)] {
        let board = open(variant);
        let whole = solved(&*board, true, 1 << 22);
        let (stop, clock) = (AtomicBool::new(false), SystemClock::default());
        let mut solver = Solver::new(&*board, 1 << 22).unwrap();
        let mut times = 0;
        while !solver.solve(true, &limits(&stop, &clock, Some(solver.positions() + more))) {
            let mut saved = Vec::new();
            solver.save(std::time::Duration::from_secs(1), &mut saved).unwrap();
            let positions = solver.positions();
            solver = Solver::load(&*board, 1 << 22, &saved[..]).unwrap();
            assert_eq!(solver.positions(), positions);
            times += 1;
        }
        assert!(times > 0, "{variant}");
        assert_eq!(solver.earlier_time().as_secs(), times);
        assert_eq!(solver.value(), whole.value(), "{variant}");
        assert_eq!(solver.score(), whole.score(), "{variant}");
        replay(&*board, &certificate(&*board, &strategies(&mut solver)));
    }
}

#[test]
fn a_damaged_or_foreign_save_is_refused() {
    let board = open("markane:3x3");
    let mut saved = Vec::new();
    let solver = solved(&*board, false, 1 << 16);
    solver.save(std::time::Duration::ZERO, &mut saved).unwrap();
    assert!(Solver::load(&*board, 1 << 16, &saved[..]).is_ok());
    let error = |board: &dyn Board, saved: &[u8]| {
        let loaded = Solver::load(board, 1 << 16, saved);
        loaded.err().map(|error| error.to_string()).unwrap()
    };
    for place in (0..saved.len()).step_by(7) {
        let mut changed = saved.clone();
        changed[place] ^= 1;
        error(&*board, &changed);
        error(&*board, &saved[..place]);
    }
    error(&*board, &[&saved[..], b"\n"].concat());
    let other = open("markane:4x3");
    let why = error(&*other, &saved);
    assert!(why.contains("markane:3x3") && why.contains("markane:4x3"), "{why}");
    let mut later = open("markane:3x3");
    let step = later.nth(0).unwrap();
    later.make(step);
    assert!(error(&*later, &saved).contains("of the position"));
    let newer = [b"pentalith solve 2", &saved[17..]].concat();
    assert!(error(&*board, &newer).contains("version"));
}

/// A clock that advances by one second at each reading.
#[derive(Default)]
struct Ticking(AtomicU64);

impl Clock for Ticking {
    fn now(&self) -> Duration {
        Duration::from_secs(self.0.fetch_add(1, Ordering::Relaxed))
    }
}

#[test]
fn what_is_saved_in_pauses_can_be_gone_on_with() {
    let board = open("invector:6x3");
    let (stop, clock) = (AtomicBool::new(false), Ticking::default());
    let limits = |positions| Limits { stop: &stop, clock: &clock, deadline: None, positions: Some(positions) };
    let mut files = Vec::new();
    let mut solver = Solver::new(&*board, 1 << 20).unwrap();
    let mut pauses = Pauses {
        every: Duration::from_secs(20),
        run: &mut |solver| {
            let mut file = Vec::new();
            let time = Duration::from_secs(files.len() as u64);
            solver.save(time, &mut file).unwrap();
            files.push((solver.positions(), file));
        },
    };
    assert!(!solver.solve_with_pauses(false, &limits(40_000), Some(&mut pauses)));
    // A pause comes after about 20 looks at the clock, one for 256 positions.
    assert!((5..10).contains(&files.len()), "{}", files.len());
    assert!(files.iter().zip(files.iter().skip(1)).all(|(one, next)| one.0 + 1000 < next.0));
    for (positions, file) in files {
        let mut again = Solver::load(&*board, 1 << 20, &*file).unwrap();
        assert_eq!(again.positions(), positions);
        assert!(!again.solve(false, &limits(positions + 1000)));
        assert!(again.positions() > positions);
    }
    // Pauses change nothing about the value.
    let board = open("invector:4x3");
    let mut pauses = 0;
    let mut solver = Solver::new(&*board, 1 << 20).unwrap();
    let every = Duration::from_secs(4);
    let mut run = |_: &Solver| pauses += 1;
    let run = &mut run;
    assert!(solver.solve_with_pauses(false, &limits(u64::MAX), Some(&mut Pauses { every, run })));
    assert_eq!(solver.value(), Some(Value::SecondWins));
    assert!(pauses > 2, "{pauses}");
}

#[test]
fn each_step_has_the_value_of_the_position_after_it() {
    let (stop, clock) = (AtomicBool::new(false), Ticking::default());
    let endless = Limits { stop: &stop, clock: &clock, deadline: None, positions: None };
    for (variant, classes) in [
        ("invector:3x2", 4),
        ("invector:4x3,pie=off", 10),
        ("markane:3x3,pie=on", 3),
        ("markane:4x3", 4),
        ("gravel:2,x=2,stall=2", 1),
        ("inversion:2,order=alternate", 2),
        ("inversion:2,pie=on", 2),
    ] {
        let mut board = open(variant);
        let mut solver = solved(&*board, true, 1 << 20);
        let root = solver.bounds();
        let steps = solver.solve_steps(true, &endless, None, |_, _| ());
        assert_eq!(solver.bounds(), root, "{variant}");
        assert_eq!(steps.len(), classes, "{variant}");
        let mut known = perfect::Solver::default();
        for &(step, bounds) in &steps {
            board.make(step);
            let value = expected(&*board, &mut known);
            assert_eq!(bounds.value(), Some(value), "{variant} {}", board.position());
            let alone = solved(&*board, true, 1 << 20);
            assert_eq!(bounds, alone.bounds(), "{variant} {}", board.position());
            board.unmake();
        }
        // The first player moves, so the best of them is the value.
        let best = steps.iter().map(|(_, bounds)| bounds.results()).max();
        assert_eq!(best.unwrap(), root.results(), "{variant}");
    }
    // What is saved while a step is being solved is the search of the position itself.
    let board = open("markane:4x4");
    let mut files = Vec::new();
    let mut pauses = Pauses {
        every: Duration::from_secs(4),
        run: &mut |solver| {
            let mut file = Vec::new();
            solver.save(Duration::ZERO, &mut file).unwrap();
            files.push(file);
        },
    };
    let mut solver = Solver::new(&*board, 1 << 20).unwrap();
    let steps = solver.solve_steps(true, &endless, Some(&mut pauses), |_, _| ());
    assert_eq!(steps.len(), 3);
    assert!(!files.is_empty());
    for file in files {
        let mut again = Solver::load(&*board, 1 << 20, &*file).unwrap();
        assert_eq!(again.bounds(), Bounds::unknown(&*board));
        assert!(again.solve(true, &endless));
        assert_eq!(again.value(), Some(Value::SecondWins));
    }
}

fn solve(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pentalith"));
    command.arg("solve").args(arguments).output().unwrap()
}

#[test]
fn the_command_prints_one_object_and_writes_the_proof() {
    let folder = folder("solve-command");
    let file = folder.join("proof");
    let path = file.to_str().unwrap();
    for (variant, value, score) in [
        ("invector:3x2", "p2win", None),
        ("markane:3x3", "p1win", None),
        ("gravel:2,x=2,stall=2", "draw", None),
        ("inversion:2", "p2win", Some(-7.0)),
    ] {
        let output = solve(&[variant, "--goal", "all", "--json", "--proof", path]);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(text.lines().count(), 1);
        let found: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(found["variant"], variant);
        assert_eq!(found["value"], value, "{text}");
        assert_eq!(found["score"].as_f64(), score, "{text}");
        assert_eq!(found["complete"], true, "{text}");
        let proof = fs::read(&file).unwrap();
        assert_eq!(found["proof"]["bytes"], proof.len());
        let variant = games::parse_variant(variant).unwrap();
        replay(&*games::open(&variant).unwrap(), &proof);
    }
}

#[test]
fn each_move_has_a_proof() {
    let folder = folder("solve-each-move");
    let file = folder.join("all.proof");
    for (variant, moves) in [("markane:3x3,pie=on", 3), ("inversion:2", 2), ("invector:3x2", 4)] {
        let output = solve(&[variant, "--goal", "score", "--each-move", "--json", "--proof", file.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let rows = found["moves"].as_array().unwrap();
        assert_eq!(rows.len(), moves, "{found}");
        for row in rows {
            let mut board = open(variant);
            let step = board.find_step(row["move"].as_str().unwrap()).unwrap();
            board.make(step);
            let name = row["proof"]["file"].as_str().unwrap();
            assert!(name.ends_with(&format!("all.{}.proof", row["move"].as_str().unwrap())), "{name}");
            let proof = fs::read(name).unwrap();
            replay(&*board, &proof);
            let verified =
                Command::new(env!("CARGO_BIN_EXE_pentalith-verify")).args(["--json", name]).output().unwrap();
            let verified: serde_json::Value = serde_json::from_slice(&verified.stdout).unwrap();
            assert_eq!(verified["value"], row["value"], "{row}");
        }
    }
}

/// A proof that took minutes was written long after `--time 20`.
#[test]
fn the_proof_is_within_the_time_too() {
    let board = open("markane:4x3");
    let task =
        Task { board: &*board, question: Question::Value, proof: true, each_step: false, memory: 1 << 20, threads: 1 };
    let stop = AtomicBool::new(false);
    let (mut late, mut proven) = (0, 0);
    for deadline in (5..2000).step_by(5) {
        let clock = Ticking::default();
        let mut solver = Solver::new(&*board, 1 << 20).unwrap();
        let limits =
            Limits { stop: &stop, clock: &clock, deadline: Some(Duration::from_secs(deadline)), positions: None };
        let solution = task.run(&mut solver, &limits, None);
        assert!(clock.now() <= Duration::from_secs(deadline + 30), "{deadline}: {:?}", clock.now());
        assert_eq!(solution.failure, None);
        if solution.proof.is_some() {
            assert!(!solution.is_late);
            proven += 1;
        } else {
            assert_eq!(proven, 0, "{deadline}");
            late += u32::from(solution.is_late);
        }
    }
    assert!(late > 0 && proven > 0, "{late}, {proven}");
}

#[test]
fn out_of_time_the_command_says_what_is_known_and_saves() {
    let folder = folder("solve-save");
    let file = folder.join("saved");
    let path = file.to_str().unwrap();
    let output = solve(&["invector", "--time", "1", "--memory", "1", "--json", "--save", path]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    let found: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(found["value"], "unknown");
    assert_eq!(found["bounds"]["value"], serde_json::json!(["p2win", "p1win"]));
    assert!(fs::metadata(&file).unwrap().len() > 1000);
    let refused = solve(&["markane", "--time", "1", "--save", path]);
    assert_eq!(refused.status.code(), Some(2));
    let why = String::from_utf8(refused.stderr).unwrap();
    assert!(why.contains("invector") && why.contains("markane"), "{why}");
    let more = solve(&["invector", "--time", "1", "--memory", "1", "--json", "--save", path]);
    let text = String::from_utf8(more.stdout).unwrap();
    let later: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert!(later["positions"].as_u64() > found["positions"].as_u64());
    assert!(later["seconds"].as_f64() > Some(1.5));
}

#[test]
fn the_table_and_the_list_of_solved_variants_agree() {
    let table = fs::read_to_string("docs/results/solved.tsv").unwrap();
    let rows = table.lines().skip(1).map(|line| {
        let cells: Vec<&str> = line.split('\t').collect();
        let [variant, value, positions, _, bytes, _] = cells[..] else {
            panic!("{line}");
        };
        assert!(positions.parse::<u64>().is_ok() && bytes.parse::<u64>().is_ok(), "{line}");
        (variant, value)
    });
    let mut rows: Vec<(&str, &str)> = rows.collect();
    rows.sort_unstable();
    let mut known = SOLVED.to_vec();
    known.sort_unstable();
    assert_eq!(rows, known);
    for (name, value) in known {
        let variant = games::parse_variant(name).unwrap();
        assert_eq!(variant.to_string(), name);
        // Those that are solved in no time.
        let (columns, ranks) = variant.size().dimensions();
        if columns * ranks > 9 || name.starts_with("gravel:3") {
            continue;
        }
        let solver = solved(&*open(name), true, 1 << 22);
        let winner = match solver.value().unwrap() {
            Value::FirstWins => "p1",
            Value::SecondWins => "p2",
            Value::Draw => "draw",
        };
        let by = solver.score().map(|score| format!(" by {}", HalfPoints(score.0.abs())));
        assert_eq!(format!("{winner}{}", by.unwrap_or_default()), value, "{name}");
    }
}
