//! What must hold after every step of any game, on random walks over many variants.

use std::collections::HashSet;

use pentalith::board::{Cell, Key, Shape};
use pentalith::game::{Color, NoKeys, Outcome, Position, Step, Steps};
use pentalith::games;
use pentalith::notation::{Click, Clicks, GameVisitor, Notation, Playable};
use pentalith::perft::perft;
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::reference;

/// A walk over one variant. `slow` walks are compared with the slow rules after every step.
struct Walks {
    variant: &'static str,
    walks: u64,
    slow: bool,
}

const VARIANTS: &[Walks] = &[
    walks("invector:2x1", 5, true),
    walks("invector:1x6", 30, true),
    walks("invector:3x2", 60, true),
    walks("invector:4x3,pie=off", 60, true),
    walks("invector:5x4", 60, true),
    walks("invector:8x7", 40, true),
    walks("invector:10x9", 8, true),
    walks("invector:12x11", 3, true),
    walks("invector:25x24", 1, false),
    walks("markane:1x1", 5, true),
    walks("markane:1x1,pie=on", 5, true),
    walks("markane:2x2,pie=on", 30, true),
    walks("markane:1x9", 10, true),
    walks("markane:9x1,pie=on", 10, true),
    walks("markane:25x2", 3, true),
    walks("markane:3x4", 100, true),
    walks("markane:5x5,pie=on", 100, true),
    walks("markane:8x8", 40, true),
    walks("markane:8x8,pie=on", 20, true),
    walks("markane:9x10", 4, true),
    walks("markane:13x12,pie=on", 1, true),
    walks("markane:25x25", 1, false),
    walks("gravel:2,x=2", 60, true),
    walks("gravel:2", 60, true),
    walks("gravel:3,x=2", 60, true),
    walks("gravel:3,x=3,pie=on", 40, true),
    walks("gravel:3,x=7,stall=5", 30, true),
    walks("gravel:4,x=3,pie=on,stall=12", 30, true),
    walks("gravel:5,x=99", 2, true),
    walks("gravel:8,stall=6", 2, true),
    walks("gravel:9,x=5,stall=4", 1, true),
    walks("gravel:13,stall=3", 1, false),
    walks("gravel:25,stall=3", 1, false),
    walks("inversion:2", 40, true),
    walks("inversion:3", 60, true),
    walks("inversion:3,order=alternate", 60, true),
    walks("inversion:3,order=single,pie=on", 60, true),
    walks("inversion:4", 20, true),
    walks("inversion:4,komi=-3.5,order=alternate,pie=on", 30, true),
    walks("inversion:4,order=single", 20, true),
    walks("inversion:5,komi=0.5", 20, true),
    walks("inversion:5,komi=1,order=alternate", 20, true),
    walks("inversion:5,pie=on", 20, true),
    walks("inversion:5,order=single", 10, true),
    walks("inversion:6", 3, true),
    walks("inversion:6,order=alternate", 3, true),
    walks("inversion:6,order=single", 3, true),
    walks("inversion:7,order=single", 3, true),
    walks("inversion:13", 1, false),
    walks("invictus", 30, true),
    walks("invictus:stall=3", 20, true),
    walks("invictus:stall=1", 10, true),
];

const fn walks(variant: &'static str, walks: u64, slow: bool) -> Walks {
    Walks {
        variant,
        walks,
        slow,
    }
}

#[test]
fn every_law_holds_on_random_walks() {
    for walks in VARIANTS {
        let variant = games::parse_variant(walks.variant).unwrap();
        games::open(&variant, walks).unwrap();
    }
}

impl GameVisitor for &Walks {
    type Output = ();

    fn visit<G: Playable>(self, game: G) {
        for seed in 0..self.walks {
            walk(&game, self.slow.then_some(self.variant), seed);
        }
    }
}

/// One random walk; with `slow`, compared with the slow rules of that variant after every step.
pub fn walk<G: Playable>(game: &G, slow: Option<&str>, seed: u64) {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut slow = slow.map(|variant| reference::open(variant, None));
    let mut position = game.start();
    let mut key = game.key(&position);
    let symmetries = game.variant().size().shape().symmetries();
    let mut outlook = G::Outlook::default();
    let mut before = None;
    let mut last = Vec::new();
    for ply in 0.. {
        let text = game.write_position(&position);
        assert_eq!(game.audit(&position), [], "{text}");
        assert_eq!(game.key(&position), key, "the incremental key of {text}");
        assert_eq!(game.parse_position(&text).unwrap(), position);
        let steps = steps_agree(game, &position, &text);
        // What was legal just now is known to be legal no more.
        for step in &last {
            let legal = steps.contains(step);
            assert_eq!(game.steps(&position).contains(*step), legal, "{text}");
        }
        let outcome = game.outcome(&position);
        assert_eq!(steps.is_empty(), outcome.is_some(), "{text}");
        if let Some(slow) = &slow {
            let written: Vec<String> = steps.iter().map(|&step| game.write_step(step)).collect();
            assert_eq!(written, slow.legal(), "{text}");
            assert_eq!(text, slow.text());
            assert_eq!(
                outcome.map_or("none".to_owned(), words),
                slow.outcome(),
                "{text}"
            );
        }
        every_step_has_its_own_clicks(game, &position, &steps);
        evaluation_is_what_its_terms_are_worth(game, &position);
        what_steps_change_is_evaluated_alike(game, before.as_ref(), &position, &mut outlook);
        if ply % 7 == 3 {
            positions_beside_each_other_are_evaluated_alike(game, &position, &mut outlook);
        }
        if ply % 7 == 3 || steps.is_empty() {
            symmetric_positions_agree(game, &position, &text, &symmetries);
        }
        if steps.is_empty() {
            return;
        }
        // With the swap more often than chance would have it.
        let final_step = steps[steps.len() - 1];
        let swap = game.write_step(final_step) == "swap" && seed.is_multiple_of(2);
        let chance = (u64::from(random.next_u32()) * steps.len() as u64) >> 32;
        let step = if swap {
            final_step
        } else {
            steps[chance as usize]
        };
        last = steps;
        before = Some((position, step));
        game.play(&mut position, step, &mut key);
        if let Some(slow) = &mut slow {
            slow.play(&game.write_step(step));
        }
    }
}

fn evaluation_is_what_its_terms_are_worth<G: Playable>(game: &G, position: &G::Position) {
    if game.steps(position).is_empty() {
        return;
    }
    let text = game.write_position(position);
    assert_eq!(
        game.evaluate(position),
        worth_from_row(game, position, 0),
        "{text}"
    );
}

/// What the terms of a position are worth, but for those in the first rows.
fn worth_from_row<G: Playable>(game: &G, position: &G::Position, first: usize) -> i32 {
    let mut terms = Vec::new();
    game.terms(position, |row, column, times| {
        if row >= first {
            terms.push((row, column, times));
        }
    });
    game.weights().value(&terms)
}

/// Looking only at what a step changes gives the same evaluation, whatever was looked at before.
fn what_steps_change_is_evaluated_alike<G: Playable>(
    game: &G,
    before: Option<&(G::Position, G::Step)>,
    position: &G::Position,
    outlook: &mut G::Outlook,
) {
    let steps = game.steps(position);
    if steps.is_empty() {
        return;
    }
    let before = before.map(|(before, step)| (before, *step));
    game.prepare(before, position, outlook);
    steps.for_each(|step| {
        let mut next = *position;
        game.play(&mut next, step, &mut NoKeys);
        if !game.steps(&next).is_empty() {
            assert_eq!(
                game.evaluate_next(outlook, position, step, &next),
                game.evaluate(&next),
                "{} in {}",
                game.write_step(step),
                game.write_position(position)
            );
        }
    });
}

/// The same for the positions behind a few steps from the same position, one after the other.
fn positions_beside_each_other_are_evaluated_alike<G: Playable>(
    game: &G,
    position: &G::Position,
    outlook: &mut G::Outlook,
) {
    let steps = game.steps(position);
    let some = steps.count().div_ceil(12).max(1);
    for step in (0..steps.count()).step_by(some) {
        let step = steps.nth(step).unwrap();
        let mut next = *position;
        game.play(&mut next, step, &mut NoKeys);
        what_steps_change_is_evaluated_alike(game, Some(&(*position, step)), &next, outlook);
    }
}

/// No clicks make two steps, and none that make one begin another. Clicks are on the board.
fn every_step_has_its_own_clicks<G: Playable>(game: &G, position: &G::Position, steps: &[G::Step]) {
    let enemy = !position.side();
    let enemies: Vec<Click> = (game.shape().cells())
        .filter(|&cell| {
            game.piece(position, cell)
                .is_some_and(|piece| piece.color == enemy)
        })
        .map(Click::Cell)
        .collect();
    let on_points = |click: Click| match click {
        Click::Enemy if enemies.is_empty() => vec![Click::Pass],
        Click::Enemy => enemies.clone(),
        click => vec![click],
    };
    let point = |click: Click| match click {
        Click::Cell(cell) => cell.index(),
        Click::Enemy | Click::Pass => usize::MAX,
    };
    let mut alone = HashSet::new();
    let mut pairs = HashSet::new();
    for &step in steps {
        let Clicks { first, second } = game.clicks(position, step);
        for first in on_points(first) {
            match second {
                None => assert!(alone.insert(point(first)), "{step:?}"),
                Some(second) => assert!(pairs.insert((point(first), point(second))), "{step:?}"),
            }
        }
    }
    assert!(pairs.iter().all(|(first, _)| !alone.contains(first)));
    let cells = game.shape().len();
    let points = pairs
        .iter()
        .flat_map(|&(a, b)| [a, b])
        .chain(alone.iter().copied());
    assert!(
        points
            .into_iter()
            .all(|point| point < cells || point == usize::MAX)
    );
}

/// `b annihilation`, `draw stall`.
fn words(outcome: Outcome) -> String {
    let winner = outcome
        .winner
        .map_or("draw".to_owned(), |color| color.letter().to_string());
    format!("{winner} {}", outcome.reason)
}

/// Visiting, counting, picking, packing, writing and reading give the same steps.
fn steps_agree<G: Playable>(game: &G, position: &G::Position, text: &str) -> Vec<G::Step> {
    let steps = game.steps(position);
    let mut visited = Vec::new();
    steps.for_each(|step| visited.push(step));
    assert_eq!(visited.len(), steps.count(), "{text}");
    let picked: HashSet<u32> = (0..steps.count())
        .map(|n| steps.nth(n).unwrap().bits())
        .collect();
    assert_eq!(
        picked,
        visited.iter().map(|step| step.bits()).collect(),
        "{text}"
    );
    assert_eq!(steps.nth(steps.count()), None);
    for &step in &visited {
        assert!(steps.contains(step));
        assert_eq!(G::Step::from_bits(step.bits()), step);
        let written = game.write_step(step);
        for written in [written.clone(), written.to_uppercase()] {
            assert_eq!(
                game.read_step(position, &written),
                Ok(step),
                "{written} in {text}"
            );
        }
    }
    visited
}

/// Under every symmetry of the board, and with the colours exchanged, the game is the same game.
fn symmetric_positions_agree<G: Playable>(
    game: &G,
    position: &G::Position,
    text: &str,
    symmetries: &[Vec<Cell>],
) {
    // The start is no symmetric image of itself in every game.
    if position.turn() < 2 {
        return;
    }
    let shape = game.variant().size().shape();
    let name = game.variant().info().name;
    let branching = game.steps(position).count();
    let depth = if symmetries[0].len() > 100 || branching > 60 {
        1
    } else {
        2
    };
    let count = |position: &G::Position| perft(game, position, depth, &|| false);
    for symmetry in symmetries {
        // Dice know where forward is.
        let stays_on_rank_1 = |cell: &Cell| shape.coordinates(*cell).1 == 0;
        let has_a_forward = ["invictus", "breakthrough"].contains(&name);
        if has_a_forward && !symmetry[..2].iter().all(stays_on_rank_1) {
            continue;
        }
        let image = game
            .parse_position(&mapped(&shape, text, symmetry))
            .unwrap();
        assert_eq!(count(&image), count(position), "{text}");
        assert_eq!(game.outcome(&image), game.outcome(position));
        // A network that is shown cells has learned what each is worth by itself; all else is worth the same.
        let only = game.weights().layer().only;
        assert_eq!(
            worth_from_row(game, &image, only),
            worth_from_row(game, position, only),
            "{text}"
        );
        if only == 0 {
            assert_eq!(game.evaluate(&image), game.evaluate(position));
        }
        game.terms(&image, |row, column, _| {
            assert!(game.weights().has(row, column))
        });
        assert_eq!(game.key(&image) == game.key(position), image == *position);
    }
    // In Gravel the seats are not alike: all is judged after the second player's turn.
    if name == "gravel" || position.turn() < 3 {
        return;
    }
    let mut text = exchanged(text);
    if ["invictus", "breakthrough"].contains(&name) {
        let upside_down = shape.cells().rev().collect::<Vec<_>>();
        text = mapped(&shape, &text, &upside_down);
    }
    if let Ok(image) = game.parse_position(&text) {
        let komi = game.variant().halves("komi").0;
        assert_eq!(count(&image), count(position), "{text}");
        // Komi is Black's in both.
        let sign = if position.side() == Color::Black {
            1
        } else {
            -1
        };
        let more = game.evaluate(position) - game.evaluate(&image);
        assert_eq!(more, sign * 100 * komi, "{text}");
        let winner = |position| game.outcome(position).map(|o| (o.winner, o.reason));
        let exchanged = winner(position).map(|(winner, reason)| (winner.map(|w| !w), reason));
        assert!(komi != 0 || winner(&image) == exchanged, "{text}");
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
    let rank = |y| {
        shape
            .rank(y)
            .map(|cell| image[cell.index()].as_str())
            .collect::<String>()
    };
    let board: Vec<String> = (0..shape.ranks()).rev().map(rank).collect();
    let field = |field: &str| {
        let labels: Vec<&str> = field.split('+').collect();
        let cell = |label: &&str| shape.cells().find(|&cell| shape.label(cell) == **label);
        // Only Inversion's pending hexes are cells; a die in hand, such as w3, is no list of them.
        if !shape.is_hexagon() || labels.iter().any(|label| cell(label).is_none()) {
            return field.to_owned();
        }
        let mut cells: Vec<Cell> = labels.iter().filter_map(cell).collect();
        cells = cells
            .into_iter()
            .map(|cell| symmetry[cell.index()])
            .collect();
        cells.sort();
        let labels: Vec<String> = cells.into_iter().map(|cell| shape.label(cell)).collect();
        labels.join("+")
    };
    let fields: Vec<String> = fields.split(' ').map(field).collect();
    format!("{} {}", board.join("/"), fields.join(" "))
}

/// The position with the colours exchanged, one turn later, so that the other side is to move.
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
        None if i == 0 || field.len() == 2 && !field.starts_with(|c: char| c.is_ascii_digit()) => {
            swapped(field)
        }
        None => field.to_owned(),
    };
    let fields: Vec<String> = fields.split(' ').enumerate().map(field).collect();
    let turn = turn.parse::<u32>().unwrap() + 1;
    format!("{} {} {turn}", swapped(board), fields.join(" "))
}

#[test]
fn keys_tell_positions_apart() {
    struct Distinct;
    impl GameVisitor for Distinct {
        type Output = ();
        fn visit<G: Playable>(self, game: G) {
            // Every position within three steps: equal keys exactly where all but the turn is equal.
            let mut seen: Vec<(Key, String)> = Vec::new();
            let mut level = vec![game.start()];
            for _ in 0..3 {
                let mut next = Vec::new();
                for position in &level {
                    game.steps(position).for_each(|step| {
                        let mut after = *position;
                        game.play(&mut after, step, &mut NoKeys);
                        seen.push((game.key(&after), essence(&game, &after)));
                        next.push(after);
                    });
                }
                level = next;
            }
            let positions: HashSet<&String> = seen.iter().map(|(_, text)| text).collect();
            let keys: HashSet<Key> = seen.iter().map(|(key, _)| *key).collect();
            assert_eq!(keys.len(), positions.len());
        }
    }
    /// The position without its turn number, but for what the first turns mean by it.
    fn essence<G: Notation>(game: &G, position: &G::Position) -> String {
        let text = game.write_position(position);
        let (rest, _) = text.rsplit_once(' ').unwrap();
        format!("{rest} {}", position.turn().min(3))
    }
    let variants = [
        "invector:4x3",
        "markane:4x4,pie=on",
        "gravel:2,x=3,pie=on",
        "inversion:3,order=alternate,pie=on",
        "invictus",
    ];
    for variant in variants {
        let variant = games::parse_variant(variant).unwrap();
        games::open_narrow(&variant, Distinct).unwrap();
    }
}
