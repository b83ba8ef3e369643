//! Random playouts and walks over all steps ask for no memory. Apart from all else, for what counts it makes every large piece of memory slow.

use std::hint::black_box;

use pentalith::game::{Game, NoKeys, Steps};
use pentalith::games;
use pentalith::notation::{GameVisitor, Playable};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

struct Allocations;

impl GameVisitor for Allocations {
    type Output = u64;

    fn visit<G: Playable>(self, game: G) -> u64 {
        let run = || {
            black_box(count_two_plies(&game));
            for seed in 0..3 {
                black_box(playout(&game, seed));
            }
        };
        allocation_counter::measure(run).count_total
    }
}

fn count_two_plies<G: Game>(game: &G) -> usize {
    let start = game.start();
    let mut count = 0;
    game.steps(&start).for_each(|step| {
        let mut next = start;
        game.play(&mut next, step, &mut NoKeys);
        count += game.steps(&next).count();
    });
    count
}

fn playout<G: Game>(game: &G, seed: u64) -> G::Position {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut position = game.start();
    loop {
        let steps = game.steps(&position);
        let n = (u64::from(random.next_u32()) * steps.count() as u64) >> 32;
        match steps.nth(n as usize) {
            Some(step) => game.play(&mut position, step, &mut NoKeys),
            None => return position,
        }
    }
}

#[test]
fn a_playout_allocates_nothing() {
    let variants = [
        "invector",
        "invector:12x11",
        "invector:25x24",
        "gravel",
        "gravel:9",
        "markane",
        "markane:25x25",
        "inversion",
        "inversion:13",
        "invictus",
    ];
    for variant in variants {
        let opened = games::parse_variant(variant).unwrap();
        assert_eq!(games::open(&opened, Allocations), Some(0), "{variant}");
    }
}
