//! The benchmark of random playouts, without any search.

use std::time::Duration;

use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::game::Color;
use crate::notation::{GameVisitor, Playable, PositionError};
use crate::search::{Clock, play_out};

/// How many playouts are made between two looks at the clock.
const PLAYOUTS_A_LOOK: u64 = 16;

/// What random playouts came to.
#[derive(Clone, Copy, Default, Debug)]
pub struct Playouts {
    /// How many there were.
    pub playouts: u64,
    /// How many steps they had.
    pub steps: u64,
    /// How many Black won, White won, and nobody.
    pub results: [u64; 3],
    /// How long they took.
    pub time: Duration,
}

/// Plays games of a variant out at random, with one thread, for a time.
pub struct PlayOut<'a> {
    /// Begin here; `None` is the start.
    pub position: Option<String>,
    /// For how long.
    pub time: Duration,
    /// Where the time comes from.
    pub clock: &'a dyn Clock,
}

impl GameVisitor for PlayOut<'_> {
    type Output = Result<Playouts, PositionError>;

    fn visit<G: Playable>(self, game: G) -> Self::Output {
        let start = match &self.position {
            Some(text) => game.parse_position(text)?,
            None => game.start(),
        };
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        let mut done = Playouts::default();
        let began = self.clock.now();
        while done.time < self.time {
            for _ in 0..PLAYOUTS_A_LOOK {
                let mut position = start;
                let (steps, _) = play_out(&game, &mut position, &mut random, || false);
                done.steps += steps;
                let [black, white, draws] = &mut done.results;
                *match game.outcome(&position).and_then(|outcome| outcome.winner) {
                    Some(Color::Black) => black,
                    Some(Color::White) => white,
                    None => draws,
                } += 1;
            }
            done.playouts += PLAYOUTS_A_LOOK;
            done.time = self.clock.now().saturating_sub(began);
        }
        Ok(done)
    }
}
