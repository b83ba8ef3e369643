//! Many games at once in the lanes of vectors: by the same rules, and with the same result on every processor.

use std::cell::Cell;

use pentalith::board::Vectors;
use pentalith::game::{InLanes, NoKeys, Steps};
use pentalith::games;
use pentalith::notation::{LaneVisitor, Playable};
use pentalith::search;
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

const VARIANTS: [&str; 11] = [
    "invector:2x1",
    "invector:1x6",
    "invector:4x3",
    "invector:5x4,pie=off",
    "invector:8x7",
    "invector:9x6,pie=off",
    "markane:1x1,pie=on",
    "markane:2x2",
    "markane:3x4,pie=on",
    "markane:8x8",
    "markane:25x2",
];

fn in_lanes<T>(visitor: impl Fn() -> T)
where
    T: LaneVisitor<Output = ()>,
{
    for variant in VARIANTS {
        let variant = games::parse_variant(variant).unwrap();
        assert!(games::open_in_lanes(&variant, visitor()).is_ok());
    }
}

#[test]
fn a_lane_plays_the_step_that_its_random_number_stands_for() {
    struct Walk;
    impl LaneVisitor for Walk {
        type Output = ();
        fn visit<G: Playable + InLanes>(self, game: G) {
            let mut random = Xoshiro256PlusPlus::seed_from_u64(5);
            for _ in 0..20 {
                let mut position = game.start();
                loop {
                    assert_eq!(G::from_words(G::to_words(&position)), position);
                    let steps = game.steps(&position);
                    let count = steps.count() as u64;
                    let mut special = count == 0;
                    steps.for_each(|step| {
                        special |= ["pass", "swap"].contains(&&*game.write_step(step));
                    });
                    let play = |random: u64| {
                        let mut lane = position;
                        let moves = game.play_in_lane(&mut lane, u32::try_from(random).unwrap());
                        assert_eq!(moves, !special);
                        lane
                    };
                    if special {
                        assert_eq!([play(0), play(1 << 31), play(0xffff_ffff)], [position; 3]);
                    } else {
                        for n in 0..count {
                            let mut next = position;
                            game.play(&mut next, steps.nth(n as usize).unwrap(), &mut NoKeys);
                            // The smallest and the largest number that stand for this step.
                            let ends = [n << 32, ((n + 1) << 32) - 1];
                            let [least, most] = [ends[0].div_ceil(count), ends[1] / count];
                            assert_eq!([play(least), play(most)], [next; 2]);
                        }
                    }
                    let n = random.next_u64().checked_rem(count);
                    let Some(step) = n.and_then(|n| steps.nth(n as usize)) else {
                        break;
                    };
                    game.play(&mut position, step, &mut NoKeys);
                }
            }
        }
    }
    in_lanes(|| Walk);
}

#[test]
fn games_in_lanes_are_those_given_and_the_same_without_vectors() {
    struct AtOnce(u64);
    impl LaneVisitor for AtOnce {
        type Output = ();
        fn visit<G: Playable + InLanes>(self, game: G) {
            let play = |vectors| {
                let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
                // The first position of all is one that is over, and behind the last there is none, once.
                let mut over = game.start();
                search::play_out(&game, &mut over, &mut random, || false);
                let mut asked = 0;
                let next = || {
                    asked += 1;
                    match asked {
                        n if n > self.0 => None,
                        1 => Some(over),
                        _ => Some(game.start()),
                    }
                };
                let mut ends = Vec::new();
                let done = |position, length| ends.push((position, length));
                let all =
                    search::play_out_in_lanes(&game, vectors, 3, &mut random, next, done, || false);
                assert!(all);
                assert_eq!((asked, ends.len() as u64), (self.0 + 1, self.0));
                let over = ends.iter().filter(|(_, length)| *length == 0);
                assert_eq!(over.count() as u64, self.0.min(1));
                for (position, _) in &ends {
                    assert!(game.steps(position).is_empty());
                }
                ends
            };
            assert_eq!(play(Vectors::detect()), play(None));
        }
    }
    for games in [0, 1, 7, 24, 25, 60] {
        in_lanes(|| AtOnce(games));
    }
}

#[test]
fn games_in_lanes_stop_when_they_are_told_to() {
    struct Stopped;
    impl LaneVisitor for Stopped {
        type Output = ();
        fn visit<G: Playable + InLanes>(self, game: G) {
            let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
            let ended = Cell::new(0);
            let done = |_, _| ended.set(ended.get() + 1);
            let next = || Some(game.start());
            let stop = || ended.get() > 100;
            let vectors = Vectors::detect();
            let all = search::play_out_in_lanes(&game, vectors, 2, &mut random, next, done, stop);
            assert!(!all && ended.get() > 100);
        }
    }
    in_lanes(|| Stopped);
}

#[test]
fn wider_boards_and_other_games_have_no_lanes() {
    struct Opened;
    impl LaneVisitor for Opened {
        type Output = ();
        fn visit<G: Playable + InLanes>(self, _game: G) {}
    }
    for variant in [
        "invector:10x9",
        "markane:9x8",
        "gravel",
        "inversion",
        "invictus",
    ] {
        let variant = games::parse_variant(variant).unwrap();
        assert!(games::open_in_lanes(&variant, Opened).is_err(), "{variant}");
    }
}
