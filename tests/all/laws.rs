//! Laws that hold after every step of any game, tested on random walks over many variants.

use std::collections::HashSet;

use pentalith::board::{Cell, Key, Shape};
use pentalith::games;
use pentalith::notation::pieces::{cell, read};

use pentalith::rules::{Board, Click, Clicks, Color, Outcome, Step, WIN, adjust_for_distance};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::reference;

/// Compares a walk with the slow rules after every step, or not.
const SLOW: bool = true;
const FAST: bool = false;

/// Walks over a variant.
fn check(text: &str, walks: u64, slow: bool) {
    let variant = games::parse_variant(text).unwrap();
    let board = games::open(&variant).unwrap();
    // The loops for any processor, on the widest bitboard, do the same.
    let plain = games::open_portable(&variant).unwrap();
    for seed in 0..walks {
        walk(&*board, Some(&*plain), slow.then_some(text), seed);
    }
}

/// A test a variant, so that they run side by side.
macro_rules! laws_hold_on {
    ($($name:ident: $variant:expr, $walks:expr, $slow:expr;)*) => {
        $(#[test] fn $name() { check($variant, $walks, $slow); })*
    };
}

laws_hold_on! {
    invector_2x1: "invector:2x1", 5, SLOW;
    invector_1x6: "invector:1x6", 30, SLOW;
    invector_3x2: "invector:3x2", 60, SLOW;
    invector_4x3_no_pie: "invector:4x3,pie=off", 60, SLOW;
    invector_5x4: "invector:5x4", 60, SLOW;
    invector_8x7: "invector:8x7", 24, SLOW;
    invector_10x9: "invector:10x9", 8, SLOW;
    invector_12x11: "invector:12x11", 3, SLOW;
    invector_25x24: "invector:25x24", 1, FAST;
    markane_1x1: "markane:1x1", 5, SLOW;
    markane_1x1_pie: "markane:1x1,pie=on", 5, SLOW;
    markane_2x2_pie: "markane:2x2,pie=on", 30, SLOW;
    markane_1x9: "markane:1x9", 10, SLOW;
    markane_9x1_pie: "markane:9x1,pie=on", 10, SLOW;
    markane_25x2: "markane:25x2", 3, SLOW;
    markane_3x4: "markane:3x4", 100, SLOW;
    markane_5x5_pie: "markane:5x5,pie=on", 100, SLOW;
    markane_8x8: "markane:8x8", 24, SLOW;
    markane_8x8_pie: "markane:8x8,pie=on", 20, SLOW;
    markane_9x10: "markane:9x10", 4, SLOW;
    markane_13x12_pie: "markane:13x12,pie=on", 1, SLOW;
    markane_25x25: "markane:25x25", 1, FAST;
    gravel_2_x2: "gravel:2,x=2", 60, SLOW;
    gravel_2: "gravel:2", 60, SLOW;
    gravel_3_x2: "gravel:3,x=2", 60, SLOW;
    gravel_3_x3_pie: "gravel:3,x=3,pie=on", 40, SLOW;
    gravel_3_x7_stall5: "gravel:3,x=7,stall=5", 30, SLOW;
    gravel_4_x3_pie_stall12: "gravel:4,x=3,pie=on,stall=12", 30, SLOW;
    gravel_5_x99: "gravel:5,x=99", 2, SLOW;
    gravel_8_stall6: "gravel:8,stall=6", 2, SLOW;
    gravel_9_x5_stall4: "gravel:9,x=5,stall=4", 1, SLOW;
    gravel_13_stall3: "gravel:13,stall=3", 1, FAST;
    gravel_25_stall3: "gravel:25,stall=3", 1, FAST;
    inversion_2: "inversion:2", 40, SLOW;
    inversion_3: "inversion:3", 60, SLOW;
    inversion_3_alternate: "inversion:3,order=alternate", 60, SLOW;
    inversion_3_single_pie: "inversion:3,order=single,pie=on", 60, SLOW;
    inversion_4: "inversion:4", 20, SLOW;
    inversion_4_komi_alternate_pie: "inversion:4,komi=-3.5,order=alternate,pie=on", 30, SLOW;
    inversion_4_single: "inversion:4,order=single", 20, SLOW;
    inversion_5_komi: "inversion:5,komi=0.5", 20, SLOW;
    inversion_5_komi_alternate: "inversion:5,komi=1,order=alternate", 20, SLOW;
    inversion_5_pie: "inversion:5,pie=on", 20, SLOW;
    inversion_5_single: "inversion:5,order=single", 10, SLOW;
    inversion_6: "inversion:6", 3, SLOW;
    inversion_6_alternate: "inversion:6,order=alternate", 3, SLOW;
    inversion_6_single: "inversion:6,order=single", 3, SLOW;
    inversion_7_single: "inversion:7,order=single", 3, SLOW;
    inversion_13: "inversion:13", 1, FAST;
    invictus: "invictus", 15, SLOW;
    invictus_stall3: "invictus:stall=3", 12, SLOW;
    invictus_stall1: "invictus:stall=1", 10, SLOW;
}

/// One random walk from the start. It is compared with another board of the same variant, and, with `slow`, with the slow
/// rules of that variant after every step.
pub fn walk(start: &dyn Board, other: Option<&dyn Board>, slow: Option<&str>, seed: u64) {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut slow = slow.map(|variant| reference::open(variant, None));
    let mut board = start.fork();
    let mut other = other.map(|board| board.fork());
    let mut read = start.fork();
    let symmetries = start.shape().symmetries();
    let mut last = Vec::new();
    // With hundreds of steps, the laws about every step are checked at every seventh position only: they are slow.
    let often = if start.shape().len() > 200 { 7 } else { 1 };
    for ply in 0.. {
        let text = board.position();
        read.set_position(&text).unwrap();
        assert_eq!(read.position(), text);
        assert_eq!(read.key(), board.key(), "the incremental key of {text}");
        let looks = ply % often == 0;
        let steps = match looks {
            true => steps_agree(&mut *board, &text),
            false => all(&*board),
        };
        // What was legal just now is known to be legal no more.
        for step in &last {
            assert_eq!(board.is_legal(*step), steps.contains(step), "{text}");
        }
        let outcome = board.outcome();
        assert_eq!(steps.is_empty(), outcome.is_some(), "{text}");
        if let Some(slow) = &slow {
            let written: Vec<String> = steps.iter().map(|&step| board.write_step(step)).collect();
            assert_eq!(written, slow.legal(), "{text}");
            assert_eq!(text, slow.text());
            assert_eq!(outcome.map_or("none".to_owned(), words), slow.outcome(), "{text}");
        }
        if let Some(other) = &mut other {
            boards_agree(&mut *board, &mut **other);
        }
        evaluation_is_the_value_of_its_terms(&*board);
        if looks {
            every_step_has_its_own_clicks(&*board, &steps);
            what_steps_change_is_evaluated_alike(&mut *board);
        }
        if ply % (7 * often) == 3 {
            positions_beside_each_other_are_evaluated_alike(&mut *board);
            what_is_taken_back_is_gone(&mut *board, &steps);
        }
        if ply % (7 * often) == 3 || steps.is_empty() {
            symmetric_positions_agree(&mut *board, &text, &symmetries);
        }
        if steps.is_empty() {
            return;
        }
        // With the swap more often than chance would have it.
        let final_step = steps[steps.len() - 1];
        let swap = board.write_step(final_step) == "swap" && seed.is_multiple_of(2);
        let chance = (u64::from(random.next_u32()) * steps.len() as u64) >> 32;
        let step = if swap { final_step } else { steps[chance as usize] };
        last = steps;
        if ply % 3 == 1 {
            // A look at where two steps lead changes nothing, whichever is made.
            board.look_ahead(step);
            board.look_ahead(last[0]);
        }
        board.make(step);
        if let Some(other) = &mut other {
            other.make(step);
        }
        if let Some(slow) = &mut slow {
            slow.play(&board.write_step(step));
        }
    }
}

/// Two boards of one variant at the same position say the same.
fn boards_agree(board: &mut dyn Board, other: &mut dyn Board) {
    let text = board.position();
    assert_eq!(other.position(), text);
    assert_eq!(other.key(), board.key(), "{text}");
    assert_eq!(all(other), all(board), "{text}");
    assert_eq!(other.outcome(), board.outcome(), "{text}");
    if board.count() > 0 {
        assert_eq!(other.evaluate(), board.evaluate(), "{text}");
        let frontier = |board: &mut dyn Board| board.search_frontier([None, None], WIN, &mut |_| true);
        assert_eq!(frontier(other).map(|(value, _)| value), frontier(board).map(|(value, _)| value), "{text}");
    }
    let count = |board: &dyn Board| board.perft(1, true, &|| false);
    assert_eq!(count(other), count(board), "{text}");
}

fn all(board: &dyn Board) -> Vec<Step> {
    let mut steps = Vec::new();
    board.steps(&mut steps);
    steps
}

/// Every step made and taken back leaves the board as it was.
fn what_is_taken_back_is_gone(board: &mut dyn Board, steps: &[Step]) {
    let (text, key, ply) = (board.position(), board.key(), board.ply());
    for &step in steps {
        let next = board.look_ahead(step);
        let made = board.make(step);
        assert_eq!((made.side, made.key), (next.side, next.key), "{text}");
        assert_eq!((made.side, made.key), (board.side(), board.key()), "{text}");
        assert!(board.unmake());
        assert_eq!((board.key(), board.ply()), (key, ply), "{text}");
    }
    assert_eq!(board.position(), text);
    assert_eq!(all(board), steps, "{text}");
}

fn evaluation_is_the_value_of_its_terms(board: &dyn Board) {
    if !board.is_over() {
        let value = value_from_feature(board, 0);
        assert_eq!(board.evaluate(), value, "{}", board.position());
    }
}

/// Evaluates the terms of a position, without features before `first`.
fn value_from_feature(board: &dyn Board, first: usize) -> i32 {
    let mut terms = Vec::new();
    board.terms(&mut |feature, bucket, count| {
        if feature >= first {
            terms.push((feature, bucket, count));
        }
    });
    board.weights().value(&terms)
}

/// Looking only at what a step changes gives the same evaluation, whatever was looked at before.
fn what_steps_change_is_evaluated_alike(board: &mut dyn Board) {
    let mut values = Vec::new();
    board.evaluate_steps(&mut values);
    let side = board.side();
    let mut best = -WIN - 1;
    for &(value, step) in &values {
        let next = board.make(step);
        let passes = next.side != side;
        let expected = match board.is_over() {
            true => board.terminal_value(),
            false => board.evaluate(),
        };
        let expected = if passes { -expected } else { expected };
        board.unmake();
        assert_eq!(value, expected, "{} in {}", board.write_step(step), board.position());
        best = best.max(adjust_for_distance(value, passes));
    }
    if !values.is_empty() {
        let found = board.search_frontier([None, None], 2 * WIN, &mut |_| true);
        let (value, step) = found.unwrap();
        assert_eq!(value, best, "{}", board.position());
        assert!(board.is_legal(step));
    }
}

/// The same for the positions behind a few steps from the same position, one after the other.
fn positions_beside_each_other_are_evaluated_alike(board: &mut dyn Board) {
    let some = board.count().div_ceil(12).max(1);
    for n in (0..board.count()).step_by(some) {
        let step = board.nth(n).unwrap();
        board.make(step);
        what_steps_change_is_evaluated_alike(board);
        board.unmake();
    }
}

/// No clicks make two steps, and none that make one begin another. Clicks are on the board.
fn every_step_has_its_own_clicks(board: &dyn Board, steps: &[Step]) {
    const POOL: usize = usize::MAX - 1;
    const PASS: usize = usize::MAX;
    let point = |click: Click| match click {
        Click::Cell(cell) => cell.index(),
        Click::Pool => POOL,
        Click::Pass => PASS,
    };
    let mut alone = HashSet::new();
    let mut pairs = HashSet::new();
    for &step in steps {
        let Clicks { first, second } = board.clicks(step);
        match second {
            None => assert!(alone.insert(point(first)), "{step:?}"),
            Some(second) => assert!(pairs.insert((point(first), point(second))), "{step:?}"),
        }
    }
    assert!(pairs.iter().all(|(first, _)| !alone.contains(first)));
    let cells = board.shape().len();
    let points = pairs.iter().flat_map(|&(a, b)| [a, b]).chain(alone.iter().copied());
    assert!(points.into_iter().all(|point| point < cells || [POOL, PASS].contains(&point)));
}

/// `b annihilation`, `draw stall`.
fn words(outcome: Outcome) -> String {
    let winner = outcome.winner.map_or("draw".to_owned(), |color| color.letter().to_string());
    format!("{winner} {}", outcome.reason)
}

/// Visiting, counting, picking, scoring, writing and reading give the same steps.
fn steps_agree(board: &mut dyn Board, text: &str) -> Vec<Step> {
    let visited = all(board);
    assert_eq!(visited.len(), board.count(), "{text}");
    assert_eq!(board.is_over(), visited.is_empty(), "{text}");
    let picked: HashSet<Step> = (0..visited.len()).map(|n| board.nth(n).unwrap()).collect();
    assert_eq!(picked, visited.iter().copied().collect(), "{text}");
    assert_eq!(board.nth(visited.len()), None);
    let mut scored = Vec::new();
    board.score_steps(&mut scored);
    assert_eq!(scored.len(), visited.len(), "{text}");
    for (score, step) in scored {
        assert_eq!(score, board.ordering_score(step), "{text}");
    }
    for &step in &visited {
        assert!(board.is_legal(step) && step.0 < 1 << 30);
        let written = board.write_step(step);
        for written in [written.clone(), written.to_uppercase()] {
            assert_eq!(board.read_step(&written), Ok(step), "{written} in {text}");
        }
    }
    visited
}

/// Under every symmetry of the board, and with the colors exchanged, the game is the same game.
fn symmetric_positions_agree(board: &mut dyn Board, text: &str, symmetries: &[Vec<Cell>]) {
    // The start is no symmetric image of itself in every game.
    if board.turn() < 2 {
        return;
    }
    let shape = board.shape().clone();
    let name = board.variant().info().name;
    let has_a_forward = board.planes().is_some_and(|planes| !planes.ranks_alike);
    let depth = if symmetries[0].len() > 100 || board.count() > 60 { 1 } else { 2 };
    let count = |board: &dyn Board| board.perft(depth, false, &|| false);
    let mut image = board.fork();
    for symmetry in symmetries {
        // Where there is a forward, only symmetries that keep it preserve the rules.
        let stays_on_rank_1 = |cell: &Cell| shape.coordinates(*cell).1 == 0;
        if has_a_forward && !symmetry[..2].iter().all(stays_on_rank_1) {
            continue;
        }
        image.set_position(&mapped(&shape, text, symmetry)).unwrap();
        assert_eq!(count(&*image), count(board), "{text}");
        assert_eq!(image.outcome(), board.outcome());
        // A network trained with features of cells, as Inversion's are, values each cell differently; all other features
        // are symmetric.
        let neuron_only = board.weights().layers().neuron_only;
        assert_eq!(value_from_feature(&*image, neuron_only), value_from_feature(board, neuron_only), "{text}");
        if name != "inversion" {
            assert_eq!(image.evaluate(), board.evaluate());
        }
        image.terms(&mut |feature, bucket, _| assert!(board.weights().has(feature, bucket)));
        assert_eq!(image.key() == board.key(), image.position() == text);
    }
    // In Gravel the seats are not alike: all is judged after the second player's turn.
    if name == "gravel" || board.turn() < 3 {
        return;
    }
    let mut text = exchanged(text);
    if has_a_forward {
        let upside_down = shape.cells().rev().collect::<Vec<_>>();
        text = mapped(&shape, &text, &upside_down);
    }
    if image.set_position(&text).is_ok() {
        let komi = board.variant().half_points("komi").0;
        assert_eq!(count(&*image), count(board), "{text}");
        // Komi is Black's in both.
        let sign = if board.side() == Color::Black { 1 } else { -1 };
        let more = board.evaluate() - image.evaluate();
        assert_eq!(more, sign * 100 * komi, "{text}");
        let winner = |board: &dyn Board| board.outcome().map(|o| (o.winner, o.reason));
        let exchanged = winner(board).map(|(winner, reason)| (winner.map(|w| !w), reason));
        assert!(komi != 0 || winner(&*image) == exchanged, "{text}");
    }
}

/// The pieces of a board, from rank 1 on: `.`, `b`, `w3`.
fn pieces(board: &str) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    for c in board.split('/').rev().flat_map(str::chars) {
        match (pieces.last_mut(), c.is_ascii_digit()) {
            (Some(piece), true) => piece.push(c),
            _ => pieces.push(c.to_string()),
        }
    }
    pieces
}

/// The position with every piece, and every cell that a field names, moved as a symmetry says.
fn mapped(shape: &Shape, text: &str, symmetry: &[Cell]) -> String {
    let (board, fields) = text.split_once(' ').unwrap();
    let mut image = vec![String::new(); shape.len()];
    for (cell, piece) in pieces(board).into_iter().enumerate() {
        image[symmetry[cell].index()] = piece;
    }
    let rank = |y| shape.rank(y).map(|cell| image[cell.index()].as_str()).collect::<String>();
    let board: Vec<String> = (0..shape.ranks()).rev().map(rank).collect();
    let field = |field: &str| {
        let cell = |label| read(label, cell(shape)).ok();
        let cells: Option<Vec<Cell>> = field.split('+').map(cell).collect();
        // Only Inversion's pending hexes are cells; a die in hand, such as w3, is no list of them.
        let Some(cells) = cells.filter(|_| shape.is_hexagon()) else {
            return field.to_owned();
        };
        let mut cells: Vec<Cell> = (cells.iter()).map(|cell| symmetry[cell.index()]).collect();
        cells.sort();
        let labels: Vec<String> = cells.into_iter().map(|cell| shape.label(cell)).collect();
        labels.join("+")
    };
    let fields: Vec<String> = fields.split(' ').map(field).collect();
    format!("{} {}", board.join("/"), fields.join(" "))
}

/// The position with the colors exchanged, one turn later, so that the other side is to move.
fn exchanged(text: &str) -> String {
    let (rest, turn) = text.rsplit_once(' ').unwrap();
    let (board, fields) = rest.split_once(' ').unwrap();
    let swap = |c| match c {
        'b' => 'w',
        'w' => 'b',
        other => other,
    };
    let swapped = |text: &str| text.chars().map(swap).collect::<String>();
    let field = |(i, field): (usize, &str)| match field.split_once(',') {
        Some((black, white)) => format!("{white},{black}"),
        // The side, and a die in hand; pending hexes keep their labels.
        None if i == 0 || field.len() == 2 && !field.starts_with(|c: char| c.is_ascii_digit()) => swapped(field),
        None => field.to_owned(),
    };
    let fields: Vec<String> = fields.split(' ').enumerate().map(field).collect();
    let turn = turn.parse::<u32>().unwrap() + 1;
    format!("{} {} {turn}", swapped(board), fields.join(" "))
}

#[test]
fn keys_tell_positions_apart() {
    /// The position without its turn number, but for what the first turns mean by it.
    fn essence(board: &dyn Board) -> String {
        let text = board.position();
        let (rest, _) = text.rsplit_once(' ').unwrap();
        format!("{rest} {}", board.turn().min(3))
    }
    /// Collects every position after `depth` steps or fewer.
    fn visit(board: &mut dyn Board, depth: u32, seen: &mut Vec<(Key, String)>) {
        for step in all(board) {
            board.make(step);
            seen.push((board.key(), essence(board)));
            if depth > 1 {
                visit(board, depth - 1, seen);
            }
            board.unmake();
        }
    }
    let variants =
        ["invector:4x3", "markane:4x4,pie=on", "gravel:2,x=3,pie=on", "inversion:3,order=alternate,pie=on", "invictus"];
    for variant in variants {
        // Equal keys exactly where all but the turn is equal.
        let mut seen = Vec::new();
        let variant = games::parse_variant(variant).unwrap();
        visit(&mut *games::open(&variant).unwrap(), 3, &mut seen);
        let positions: HashSet<&String> = seen.iter().map(|(_, text)| text).collect();
        let keys: HashSet<Key> = seen.iter().map(|(key, _)| *key).collect();
        assert_eq!(keys.len(), positions.len());
    }
}
