//! What must hold after every step of any game, on random walks over many variants.

use std::collections::HashSet;

use pentalith::board::{Cell, Key, Shape};
use pentalith::game::{NoKeys, Outcome, Position, Step, Steps};
use pentalith::games;
use pentalith::notation::{GameVisitor, Notation, Playable};
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
    walks("markane:3x4", 100, true),
    walks("markane:5x5,pie=on", 100, true),
    walks("markane:8x8", 40, true),
    walks("markane:8x8,pie=on", 20, true),
    walks("markane:9x10", 4, true),
    walks("markane:13x12,pie=on", 1, true),
    walks("markane:25x25", 1, false),
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
            walk(&game, self, seed);
        }
    }
}

fn walk<G: Playable>(game: &G, walks: &Walks, seed: u64) {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut slow = walks.slow.then(|| reference::open(walks.variant, None));
    let mut position = game.start();
    let mut key = game.key(&position);
    let symmetries = game.variant().size().shape().symmetries();
    for ply in 0.. {
        let text = game.write_position(&position);
        assert_eq!(game.audit(&position), [], "{text}");
        assert_eq!(game.key(&position), key, "the incremental key of {text}");
        assert_eq!(game.parse_position(&text).unwrap(), position);
        let steps = steps_agree(game, &position, &text);
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
        if ply % 7 == 3 || steps.is_empty() {
            symmetric_positions_agree(game, &position, &text, &symmetries);
        }
        if steps.is_empty() {
            return;
        }
        // With the swap more often than chance would have it.
        let last = steps[steps.len() - 1];
        let swap = game.write_step(last) == "swap" && seed.is_multiple_of(2);
        let chance = (u64::from(random.next_u32()) * steps.len() as u64) >> 32;
        let step = if swap { last } else { steps[chance as usize] };
        game.play(&mut position, step, &mut key);
        if let Some(slow) = &mut slow {
            slow.play(&game.write_step(step));
        }
    }
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
    let depth = if symmetries[0].len() > 100 { 1 } else { 2 };
    let count = |position: &G::Position| perft(game, position, depth, &|| false);
    let shape = game.variant().size().shape();
    for symmetry in symmetries {
        let image = game
            .parse_position(&mapped(&shape, text, symmetry))
            .unwrap();
        assert_eq!(count(&image), count(position), "{text}");
        assert_eq!(game.outcome(&image), game.outcome(position));
        assert_eq!(game.evaluate(&image), game.evaluate(position));
        assert_eq!(game.key(&image) == game.key(position), image == *position);
    }
    if let Ok(image) = game.parse_position(&exchanged(text))
        && position.turn() > 2
    {
        assert_eq!(count(&image), count(position), "{text}");
        assert_eq!(game.evaluate(&image), -game.evaluate(position), "{text}");
        let winner = |position| game.outcome(position).map(|o| (o.winner, o.reason));
        let exchanged = winner(position).map(|(winner, reason)| (winner.map(|w| !w), reason));
        assert_eq!(winner(&image), exchanged, "{text}");
    }
}

/// The position with every piece moved as a symmetry says.
fn mapped(shape: &Shape, text: &str, symmetry: &[Cell]) -> String {
    let (board, fields) = text.split_once(' ').unwrap();
    let ranks: Vec<&str> = board.split('/').rev().collect();
    let pieces: Vec<char> = ranks.concat().chars().collect();
    let mut image = vec!['.'; pieces.len()];
    for (cell, piece) in pieces.into_iter().enumerate() {
        image[symmetry[cell].index()] = piece;
    }
    let rank = |y| {
        shape
            .rank(y)
            .map(|cell| image[cell.index()])
            .collect::<String>()
    };
    let board: Vec<String> = (0..shape.ranks()).rev().map(rank).collect();
    format!("{} {fields}", board.join("/"))
}

/// The position with the colours exchanged, one turn later, so that the other side is to move.
fn exchanged(text: &str) -> String {
    let (rest, turn) = text.rsplit_once(' ').unwrap();
    let exchange = |c| match c {
        'b' => 'w',
        'w' => 'b',
        other => other,
    };
    let rest: String = rest.chars().map(exchange).collect();
    format!("{rest} {}", turn.parse::<u32>().unwrap() + 1)
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
    for variant in ["invector:4x3", "markane:4x4,pie=on"] {
        let variant = games::parse_variant(variant).unwrap();
        games::open(&variant, Distinct).unwrap();
    }
}
