//! Records: the moves of a game, given to a fresh session, lead to the same position.

use std::sync::Arc;

use pentalith::games;
use pentalith::rules::{HalfPoints, Value};
use pentalith::search::SystemClock;
use pentalith::session::Session;
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

const VARIANTS: &[&str] = &[
    "invector:5x4",
    "gravel:3,x=3,pie=on",
    "gravel:5,stall=30",
    "markane:6x6,pie=on",
    "inversion:4,pie=on",
    "inversion:4,order=alternate",
    "inversion:4,order=single,komi=2.5",
    "invictus:stall=20",
];

fn session(variant: &str) -> Session {
    let variant = games::parse_variant(variant).unwrap();
    Session::new(&variant, Arc::new(SystemClock::default())).unwrap()
}

#[test]
fn moves_alternate_strictly_and_lead_to_the_same_position() {
    for variant in VARIANTS {
        for seed in 0..10 {
            let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
            let mut played = session(variant);
            let first = played.side();
            loop {
                let legal = played.legal();
                if legal.is_empty() {
                    break;
                }
                let step = &legal[random.next_u32() as usize % legal.len()];
                let side = played.side();
                played.play(side, step, false).unwrap();
            }
            let mut replayed = session(variant);
            let mut mover = first;
            for text in played.moves() {
                assert_eq!(replayed.side(), mover, "{variant}");
                replayed.play(mover, &text, false).unwrap();
                mover = !mover;
            }
            assert_eq!(replayed.position(), played.position());
            assert_eq!(replayed.outcome(), played.outcome());
            assert_eq!(replayed.moves(), played.moves());
            // One undo a move, back to the start.
            let mut undone = 0;
            while replayed.undo() {
                undone += 1;
            }
            assert_eq!(undone, played.moves().len());
            assert_eq!(replayed.position(), session(variant).position());
        }
    }
}

#[test]
fn komi_may_change_in_the_middle_of_a_game() {
    let mut session = session("inversion:2");
    let sides = [session.side(), !session.side()];
    for (text, side) in ["a1", "b1", "a2", "b2"].into_iter().zip(sides.into_iter().cycle()) {
        session.play(side, text, false).unwrap();
    }
    let before = (session.position(), session.moves());
    let variant = session.variant().with("komi", Value::HalfPoints(HalfPoints(-7))).unwrap();
    assert!(session.change_options(&variant));
    assert_eq!(session.variant().to_string(), "inversion:2,komi=-3.5");
    assert_eq!((session.position(), session.moves()), before);
    assert!(session.undo());
    assert_eq!(session.moves().len(), 3);
}
