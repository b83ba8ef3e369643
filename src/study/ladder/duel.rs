//! Games between two levels of the engine, in pairs of an opening with seats exchanged.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use crossbeam_channel::{RecvTimeoutError, unbounded};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::board::Zobrist;
use crate::rules::{Board, Color, Method, Step};
use crate::search::{
    Clock, Limits, STACK_BYTES, Search, SearchRequest, Settings, new_search, random_step,
};
use crate::study::balance::BalanceError;

/// Memory of a search in bytes. It is part of the conditions: another size gives other games.
const MEMORY: usize = 16 << 20;

/// Interval between two looks at the progress.
const TICK: Duration = Duration::from_millis(250);

/// A level of the engine.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Level {
    /// Share of moves that are searched; the others are random steps.
    pub searched: f64,
    /// Nodes of each search.
    pub nodes: u64,
}

/// A game of a duel.
#[derive(Clone, Debug)]
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

impl std::fmt::Debug for dyn Board + '_ {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.variant())
    }
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
    let next = AtomicUsize::new(0);
    let ended = AtomicBool::new(false);
    thread::scope(|scope| {
        let (sender, results) = unbounded();
        for started in 0..threads.clamp(1, duels.len().max(1)) {
            let (sender, next, ended) = (sender.clone(), &next, &ended);
            let work = move || {
                while !ended.load(Ordering::Relaxed) {
                    let place = next.fetch_add(1, Ordering::Relaxed);
                    let Some(duel) = duels.get(place) else {
                        break;
                    };
                    if sender.send((place, duel.play(ended, clock))).is_err() {
                        break;
                    }
                }
            };
            let thread = thread::Builder::new()
                .name("ladder".to_owned())
                .stack_size(STACK_BYTES);
            match thread.spawn_scoped(scope, work) {
                Ok(_) => {}
                Err(error) if started == 0 => return Err(error.into()),
                Err(error) => {
                    log::warn!("{started} games at once instead of {threads}: {error}");
                    break;
                }
            }
        }
        drop(sender);
        let mut scores = BTreeMap::new();
        let mut wrong = None;
        while wrong.is_none() && scores.len() < duels.len() {
            match results.recv_timeout(TICK) {
                Ok((place, Some(score))) => {
                    scores.insert(place, score);
                    on_game(scores.len() as u64);
                }
                Err(RecvTimeoutError::Timeout) => on_game(scores.len() as u64),
                Ok((_, None)) | Err(RecvTimeoutError::Disconnected) => {
                    wrong = Some(BalanceError::Failed);
                }
            }
            if stop.load(Ordering::Relaxed) {
                wrong = Some(BalanceError::Interrupted);
            }
        }
        ended.store(true, Ordering::Relaxed);
        match wrong {
            Some(wrong) => Err(wrong),
            None => Ok(scores.into_values().collect()),
        }
    })
}
