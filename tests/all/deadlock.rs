//! Gravel's deadlock in closed form against a search of whole turns, on random positions that are judged.

use pentalith::games;
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::reference;

struct Positions {
    variant: String,
    size: u32,
    x: u32,
    seed: u64,
    count: u32,
}

impl Positions {
    /// Compares the two on random positions. Returns the number of these, and of the dead ones among them.
    fn compare(self) -> (u32, u32) {
        let mut judged = games::open(&games::parse_variant(&self.variant).unwrap()).unwrap();
        let mut random = Xoshiro256PlusPlus::seed_from_u64(self.seed);
        let mut below = |n: u32| random.next_u32() % n;
        let (mut compared, mut dead) = (0, 0);
        for _ in 0..self.count {
            // Mostly low stacks, few vacant spaces and empty Pools: elsewhere the first action tried shows that somebody is able.
            let stack = |below: &mut dyn FnMut(u32) -> u32| match below(14) {
                0 => ".".to_owned(),
                n => {
                    let tall = if below(12) == 0 { self.x } else { 1 };
                    format!("{}{}", if n % 2 == 0 { 'b' } else { 'w' }, 1 + below(tall))
                }
            };
            let rank = |below: &mut dyn FnMut(u32) -> u32| -> String { (0..self.size).map(|_| stack(below)).collect() };
            let board: Vec<String> = (0..self.size).map(|_| rank(&mut below)).collect();
            let removed = [below(3), below(3)];
            let [black, white] = removed;
            let text = format!("{} w - {black},{white} 0 9", board.join("/"));
            if judged.set_position(&text).is_err() {
                continue;
            }
            let outcome = judged.outcome().map(|outcome| outcome.reason);
            let slow = reference::open(&self.variant, Some(&text)).outcome();
            let slow = slow.split(' ').nth(1);
            assert_eq!(outcome, slow, "{} {text}", self.variant);
            compared += 1;
            dead += u32::from(outcome == Some("deadlock"));
        }
        (compared, dead)
    }
}

#[test]
fn the_closed_form_agrees_with_a_search_of_whole_turns() {
    for (size, xs, count) in [(2, 2..=5, 8_000), (3, 2..=4, 25_000), (4, 2..=2, 8_000)] {
        let (mut compared, mut dead) = (0, 0);
        for x in xs {
            let variant = format!("gravel:{size},x={x}");
            let opened = games::parse_variant(&variant).unwrap();
            let positions = Positions { variant: opened.to_string(), size, x, seed: u64::from(10 * size + x), count };
            let counts = positions.compare();
            compared += counts.0;
            dead += counts.1;
        }
        // On 4x4 boards somebody is nearly always able.
        let enough = if size < 4 { 50 } else { 0 };
        assert!(compared > 1000 && dead >= enough, "{size}: {dead} of {compared}");
    }
}
