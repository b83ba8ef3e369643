//! Games played to the end at random, many at once, one in each lane of a vector.

use std::array;
use std::iter;

use rand_core::{Rng, SeedableRng};

use super::playout::{STEPS_A_LOOK, random_step};
use crate::board::Vectors;
use crate::game::{InLanes, NoKeys};

/// As [`play_out_interleaved`](super::play_out_interleaved), with so many vectors, of [`Vectors::LANES`] games each. Without `vectors`
/// the games are the same, and slow. Each lane has random numbers of its own, which begin with one of `random`.
pub fn play_out_in_lanes<G: InLanes, R: Rng + SeedableRng>(
    game: &G,
    vectors: Option<Vectors>,
    octets: usize,
    random: &mut R,
    next: impl FnMut() -> Option<G::Position>,
    mut done: impl FnMut(G::Position, u64),
    stop: impl Fn() -> bool,
) -> bool {
    let mut next = iter::from_fn(next).fuse();
    let mut octets: Vec<_> = (0..octets)
        .map_while(|_| Octet::new::<G>(&mut next, random))
        .collect();
    let mut round = 0;
    while !octets.is_empty() {
        let mut some_are_over = false;
        while !some_are_over {
            for octet in &mut octets {
                let all_have_moved = match vectors {
                    Some(vectors) => vectors.run(
                        game,
                        octet,
                        #[inline(always)]
                        |game, octet| octet.play_all(game),
                    ),
                    None => octet.play_all(game),
                };
                if !all_have_moved {
                    octet.play_others(game, round, &mut next, &mut done);
                    some_are_over |= octet.is_over();
                }
            }
            round += 1;
            if !some_are_over && round % STEPS_A_LOOK == 0 && stop() {
                return false;
            }
        }
        octets.retain(|octet| !octet.is_over());
    }
    true
}

/// The games in one vector.
struct Octet<R> {
    words: [[u64; Vectors::LANES]; 3],
    random: [R; Vectors::LANES],
    /// Not 0 where a lane did not move in this round.
    waits: [u64; Vectors::LANES],
    /// The round in which each game began.
    began: [u64; Vectors::LANES],
    /// False where a game has ended, and none come after it.
    goes_on: [bool; Vectors::LANES],
}

impl<R: Rng + SeedableRng> Octet<R> {
    /// `None` where there is not even one position. Where there are not enough, the last lanes play the first one for nobody.
    fn new<G: InLanes>(
        next: &mut impl Iterator<Item = G::Position>,
        random: &mut R,
    ) -> Option<Self> {
        let first = next.next()?;
        let mut octet = Self {
            words: G::to_words(&first).map(|word| [word; Vectors::LANES]),
            random: array::from_fn(|_| R::from_rng(random)),
            waits: [0; Vectors::LANES],
            began: [0; Vectors::LANES],
            goes_on: [true; Vectors::LANES],
        };
        for lane in 1..Vectors::LANES {
            match next.next() {
                Some(position) => octet.put::<G>(lane, &position),
                None => octet.goes_on[lane] = false,
            }
        }
        Some(octet)
    }

    fn is_over(&self) -> bool {
        self.goes_on == [false; Vectors::LANES]
    }

    fn position<G: InLanes>(&self, lane: usize) -> G::Position {
        G::from_words(self.words.map(|lanes| lanes[lane]))
    }

    fn put<G: InLanes>(&mut self, lane: usize, position: &G::Position) {
        for (lanes, word) in self.words.iter_mut().zip(G::to_words(position)) {
            lanes[lane] = word;
        }
    }

    /// Plays a step in every lane where that is nothing special; says whether all have moved.
    #[inline(always)]
    fn play_all<G: InLanes>(&mut self, game: &G) -> bool {
        let mut wait = 0;
        let [first, second, third] = &mut self.words;
        // This loop becomes vector instructions as it stands: by an index, and with the words one after the other.
        for lane in 0..Vectors::LANES {
            let mut position = G::from_words([first[lane], second[lane], third[lane]]);
            let moves = game.play_in_lane(&mut position, self.random[lane].next_u32());
            [first[lane], second[lane], third[lane]] = G::to_words(&position);
            self.waits[lane] = u64::from(!moves);
            wait |= self.waits[lane];
        }
        wait == 0
    }

    /// Plays a step, or begins a new game, in every lane that has not moved.
    #[cold]
    #[inline(never)]
    fn play_others<G: InLanes>(
        &mut self,
        game: &G,
        round: u64,
        next: &mut impl Iterator<Item = G::Position>,
        done: &mut impl FnMut(G::Position, u64),
    ) {
        for lane in 0..Vectors::LANES {
            if self.waits[lane] == 0 {
                continue;
            }
            let mut position = self.position::<G>(lane);
            if let Some(step) = random_step(&game.steps(&position), &mut self.random[lane]) {
                game.play(&mut position, step, &mut NoKeys);
            } else if self.goes_on[lane] {
                done(position, round - self.began[lane]);
                match next.next() {
                    Some(new) => (position, self.began[lane]) = (new, round + 1),
                    None => self.goes_on[lane] = false,
                }
            }
            self.put::<G>(lane, &position);
        }
    }
}
