//! The benchmark of random playouts, without any search.

use std::cell::Cell;
use std::time::Duration;

use rand_core::SeedableRng;
use rand_xoshiro::Xoroshiro128Plus;

use crate::board::Vectors;
use crate::game::{Color, InLanes};
use crate::games;
use crate::notation::{GameVisitor, LaneVisitor, Playable, PositionError, Variant};
use crate::search::{Clock, play_out, play_out_in_lanes, play_out_interleaved};

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
    /// So many games at once: a step of each in turn; or, where their number is a multiple of [`Vectors::LANES`] and game and
    /// processor allow it, in the lanes of vectors.
    pub batch: usize,
    /// For how long.
    pub time: Duration,
    /// Where the time comes from.
    pub clock: &'a dyn Clock,
}

impl PlayOut<'_> {
    /// Plays games of a variant; `None` where it can't be opened.
    ///
    /// # Errors
    /// Says what is wrong with the position to begin with.
    pub fn run(self, variant: &Variant) -> Option<Result<Playouts, PositionError>> {
        match Vectors::detect() {
            Some(vectors) if self.batch.is_multiple_of(Vectors::LANES) => {
                games::open_in_lanes(variant, InVectors(self, vectors))
                    .or_else(|InVectors(one_by_one, _)| games::open(variant, one_by_one).ok_or(()))
                    .ok()
            }
            _ => games::open(variant, self),
        }
    }
}

impl GameVisitor for PlayOut<'_> {
    type Output = Result<Playouts, PositionError>;

    fn visit<G: Playable>(self, game: G) -> Self::Output {
        let count = Count::new(&self, &game)?;
        let (mut random, next) = (random(), || count.next());
        let done = |position, steps| count.add(position, steps);
        if self.batch == 1 {
            while let Some(mut position) = next() {
                let (steps, _) = play_out(&game, &mut position, &mut random, || false);
                done(position, steps);
            }
        } else {
            play_out_interleaved(&game, self.batch, &mut random, next, done, || false);
        }
        Ok(count.end())
    }
}

/// The same, in the lanes of vectors.
struct InVectors<'a>(PlayOut<'a>, Vectors);

impl LaneVisitor for InVectors<'_> {
    type Output = Result<Playouts, PositionError>;

    fn visit<G: Playable + InLanes>(self, game: G) -> Self::Output {
        let Self(play_out, vectors) = self;
        let octets = play_out.batch / Vectors::LANES;
        let count = Count::new(&play_out, &game)?;
        let (mut random, next) = (random(), || count.next());
        let done = |position, steps| count.add(position, steps);
        play_out_in_lanes(
            &game,
            Some(vectors),
            octets,
            &mut random,
            next,
            done,
            || false,
        );
        Ok(count.end())
    }
}

/// It takes fewer instructions than the generator of the search, and batches are bound by their number.
fn random() -> Xoroshiro128Plus {
    Xoroshiro128Plus::seed_from_u64(1)
}

/// Playouts being made.
struct Count<'a, G: Playable> {
    game: &'a G,
    start: G::Position,
    time: Duration,
    clock: &'a dyn Clock,
    began: Duration,
    begun: Cell<u64>,
    playouts: Cell<Playouts>,
}

impl<'a, G: Playable> Count<'a, G> {
    fn new(play_out: &PlayOut<'a>, game: &'a G) -> Result<Self, PositionError> {
        Ok(Self {
            game,
            start: match &play_out.position {
                Some(text) => game.parse_position(text)?,
                None => game.start(),
            },
            time: play_out.time,
            clock: play_out.clock,
            began: play_out.clock.now(),
            begun: Cell::new(0),
            playouts: Cell::default(),
        })
    }

    /// What the next playout begins with, until the time is over.
    fn next(&self) -> Option<G::Position> {
        let begun = self.begun.get() + 1;
        self.begun.set(begun);
        let goes_on = !begun.is_multiple_of(PLAYOUTS_A_LOOK) || self.elapsed() < self.time;
        goes_on.then_some(self.start)
    }

    fn add(&self, position: G::Position, steps: u64) {
        let mut all = self.playouts.get();
        all.playouts += 1;
        all.steps += steps;
        let [black, white, draws] = &mut all.results;
        let outcome = self.game.outcome(&position);
        *match outcome.and_then(|outcome| outcome.winner) {
            Some(Color::Black) => black,
            Some(Color::White) => white,
            None => draws,
        } += 1;
        self.playouts.set(all);
    }

    fn elapsed(&self) -> Duration {
        self.clock.now().saturating_sub(self.began)
    }

    fn end(self) -> Playouts {
        Playouts {
            time: self.elapsed(),
            ..self.playouts.get()
        }
    }
}
