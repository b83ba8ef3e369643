//! The benchmark of random playouts, without any search.

use std::time::Duration;

use rand_core::SeedableRng;
use rand_xoshiro::Xoroshiro128Plus;

use crate::game::Color;
use crate::notation::{GameVisitor, Playable, PositionError};
use crate::search::{Clock, play_out, play_out_interleaved};

/// How many playouts are made between two looks at the clock.
const PLAYOUTS_A_LOOK: u64 = 64;

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
    /// So many games at once, a step of each in turn.
    pub batch: usize,
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
        // It takes fewer instructions than the generator of the search, and batches are bound by their number.
        let mut random = Xoroshiro128Plus::seed_from_u64(1);
        let mut done = Playouts::default();
        let mut count = |position: G::Position, steps| {
            done.playouts += 1;
            done.steps += steps;
            let [black, white, draws] = &mut done.results;
            *match game.outcome(&position).and_then(|outcome| outcome.winner) {
                Some(Color::Black) => black,
                Some(Color::White) => white,
                None => draws,
            } += 1;
        };
        let began = self.clock.now();
        let ended = || self.clock.now().saturating_sub(began) >= self.time;
        if self.batch == 1 {
            while !ended() {
                for _ in 0..PLAYOUTS_A_LOOK {
                    let mut position = start;
                    let (steps, _) = play_out(&game, &mut position, &mut random, || false);
                    count(position, steps);
                }
            }
        } else {
            let mut begun = 0;
            let next = || {
                begun += 1;
                (begun % PLAYOUTS_A_LOOK != 0 || !ended()).then_some(start)
            };
            play_out_interleaved(&game, self.batch, &mut random, next, &mut count, || false);
        }
        done.time = self.clock.now().saturating_sub(began);
        Ok(done)
    }
}
