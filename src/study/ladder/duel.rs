//! Games between two levels of the engine, in pairs of an opening with seats exchanged.

use std::sync::atomic::{AtomicBool, Ordering};

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::board::Zobrist;
use crate::rules::{Board, Color, Method, Step};
use crate::search::{Clock, Limits, Search, SearchRequest, Settings, new_search, random_step};
use crate::study::balance::BalanceError;
use crate::study::in_order::in_order;

/// Memory of a search in bytes. It is part of the conditions: another size gives other games.
const MEMORY: usize = 16 << 20;

/// A level of the engine.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Level {
    /// Share of moves that are searched; the others are random steps.
    pub searched: f64,
    /// Nodes of each search.
    pub nodes: u64,
}

/// A game of a duel.
#[derive(Clone)]
pub struct Duel<'a> {
    /// Position after the opening.
    pub opening: &'a dyn Board,
    /// The two levels.
    pub levels: [Level; 2],
    /// Index of the level that plays Black.
    pub black: usize,
    /// Seed of random moves.
    pub seed: u64,
}

impl Duel<'_> {
    /// Plays the game. Returns the score of the first level in half points; `None` if stopped.
    fn play(&self, stop: &AtomicBool, clock: &dyn Clock) -> Option<usize> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(Zobrist::state_key(self.seed).0);
        let mut board = self.opening.fork();
        let mut players = self.levels.map(|level| {
            let settings = Settings {
                method: Method::Pvs,
                threads: 1,
                memory: MEMORY,
                seed: self.seed,
            };
            let search = (level.searched > 0.0).then(|| new_search(settings));
            (level, search)
        });
        while board.count() > 0 {
            if stop.load(Ordering::Relaxed) {
                return None;
            }
            let place = self.place(board.side());
            let (level, search) = players.get_mut(place)?;
            let steps = match search {
                Some(search) if uniform(&mut random) < level.searched => {
                    searched(&*board, &mut **search, level.nodes, stop, clock)?
                }
                _ => vec![random_step(&mut *board, &mut random)?],
            };
            for step in steps {
                board.make(step);
                for (_, search) in &mut players {
                    if let Some(search) = search {
                        search.advance(step);
                    }
                }
            }
        }
        let winner = board.outcome()?.winner;
        Some(match winner.map(|winner| self.place(winner)) {
            None => 1,
            Some(0) => 2,
            Some(_) => 0,
        })
    }

    /// Returns the index of the level that plays a color.
    fn place(&self, color: Color) -> usize {
        match color {
            Color::Black => self.black,
            Color::White => 1 - self.black.min(1),
        }
    }
}

/// Searches a move. Returns `None` if stopped: the result of a stopped search can't be repeated.
fn searched(
    board: &dyn Board,
    search: &mut dyn Search,
    nodes: u64,
    stop: &AtomicBool,
    clock: &dyn Clock,
) -> Option<Vec<Step>> {
    let limits = Limits {
        nodes: Some(nodes),
        ..Limits::default()
    };
    let report = search.run(board, &SearchRequest::new(limits, stop, clock));
    let is_stopped = stop.load(Ordering::Relaxed) || report.best_move.is_empty();
    (!is_stopped).then_some(report.best_move)
}

/// Returns a random number from 0 to 1.
fn uniform(random: &mut impl Rng) -> f64 {
    f64::from(random.next_u32()) / f64::from(u32::MAX)
}

/// Plays games on several threads. Returns the score of the first level in each, in half points, in their order.
///
/// # Errors
/// If stopped, if no thread can be started, or if a game fails.
pub fn play_duels(
    duels: &[Duel<'_>],
    threads: usize,
    stop: &AtomicBool,
    clock: &dyn Clock,
    on_game: &mut dyn FnMut(u64),
) -> Result<Vec<usize>, BalanceError> {
    let work = |place: usize, ended: &AtomicBool| duels.get(place)?.play(ended, clock);
    in_order(duels.len(), threads, stop, work, on_game)
}
