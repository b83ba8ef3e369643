//! Floor 1: counting sequences of steps, the usual check of a move generator.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use crate::board::{Key, Zobrist, with_bit_instructions};
use crate::game::{Game, NoKeys, Steps};

/// How sequences of steps are counted. The count does not depend on it.
#[derive(Clone, Copy, Debug)]
pub struct Perft {
    /// Plays the last step of every sequence, too, where otherwise it is enough to count how many there are.
    pub every_leaf: bool,
    /// How many threads count at once.
    pub threads: usize,
    /// Bytes for a table that keeps what was counted below a position, which may be reached in several ways; 0 for
    /// none. Positions are told apart by their 64-bit keys.
    pub memory: usize,
}

/// Says whether a count should be abandoned. Not generic, as everything that counts is compiled for every game.
pub type Stop<'a> = &'a (dyn Fn() -> bool + Sync);

impl Default for Perft {
    fn default() -> Self {
        Self {
            every_leaf: false,
            threads: 1,
            memory: 0,
        }
    }
}

impl Perft {
    /// Which kind of count this is, in words.
    pub fn kind(&self) -> &'static str {
        if self.every_leaf {
            "every leaf played"
        } else {
            "last ply counted"
        }
    }

    /// Counts the sequences of exactly `depth` legal steps from a position.
    ///
    /// `stop` is asked from time to time; once it says true, the count is abandoned and `None` comes back. What is more
    /// than the largest number is that one ([`shown`]).
    pub fn count<G: Game>(
        &self,
        game: &G,
        position: &G::Position,
        depth: u32,
        stop: Stop<'_>,
    ) -> Option<u64> {
        if depth == 0 {
            return Some(1);
        }
        if self.threads <= 1 {
            return self
                .counter(game, stop)
                .count(position, || game.key(position), depth);
        }
        let counts = self.divide(game, position, depth, stop)?;
        Some(total(counts.iter().map(|(_, count)| *count)))
    }

    fn counter<'a, G: Game>(&self, game: &'a G, stop: Stop<'a>) -> Counter<'a, G> {
        Counter {
            game,
            every_leaf: self.every_leaf,
            table: (self.memory > 0).then(|| Table::new(self.memory)),
            stop,
        }
    }

    /// [`Perft::count`] behind each first step, in cell order. There is none at depth 0.
    pub fn divide<G: Game>(
        &self,
        game: &G,
        position: &G::Position,
        depth: u32,
        stop: Stop<'_>,
    ) -> Option<Vec<(G::Step, u64)>> {
        let Some(rest) = depth.checked_sub(1) else {
            return Some(Vec::new());
        };
        let mut firsts = Vec::new();
        game.steps(position).for_each(|step| firsts.push(step));
        let counts: Vec<AtomicU64> = firsts.iter().map(|_| AtomicU64::new(0)).collect();
        let (next, abandoned) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let counter = self.counter(game, stop);
        let work = || {
            loop {
                let i = next.fetch_add(1, Ordering::Relaxed);
                let (Some(&step), Some(count)) = (firsts.get(i), counts.get(i)) else {
                    break;
                };
                let mut child = *position;
                game.play(&mut child, step, &mut NoKeys);
                match counter.count(&child, || game.key(&child), rest) {
                    Some(found) => count.store(found, Ordering::Relaxed),
                    None => {
                        abandoned.fetch_add(1, Ordering::Relaxed);
                        break;
                    }
                }
            }
        };
        thread::scope(|scope| {
            for _ in 1..self.threads {
                // A system that gives no more threads leaves the work to the ones there are.
                if let Err(error) = thread::Builder::new().spawn_scoped(scope, work) {
                    log::warn!("counting with fewer than {} threads: {error}", self.threads);
                    break;
                }
            }
            work();
        });
        if abandoned.into_inner() > 0 {
            return None;
        }
        let counts = counts.into_iter().map(AtomicU64::into_inner);
        Some(firsts.into_iter().zip(counts).collect())
    }
}

/// Counts with the last ply counted, one thread and no table: [`Perft::count`].
pub fn perft<G: Game>(game: &G, position: &G::Position, depth: u32, stop: Stop<'_>) -> Option<u64> {
    Perft::default().count(game, position, depth, stop)
}

struct Counter<'a, G> {
    game: &'a G,
    every_leaf: bool,
    table: Option<Table>,
    stop: Stop<'a>,
}

impl<G: Game> Counter<'_, G> {
    /// The sequences from a position, whose key is asked for only where there is a table.
    fn count(&self, position: &G::Position, key: impl FnOnce() -> Key, depth: u32) -> Option<u64> {
        match (depth, self.every_leaf) {
            (0, _) => Some(1),
            (1, false) => Some(self.game.steps(position).count() as u64),
            (2, false) => Some(self.count_two_plies(position)),
            (1, true) => Some(self.count_leaves(position)),
            _ if depth > 2 && (self.stop)() => None,
            _ => match &self.table {
                Some(table) => self.count_with_table(table, position, key(), depth),
                None => self.count_without_table(position, depth),
            },
        }
    }

    fn count_without_table(&self, position: &G::Position, depth: u32) -> Option<u64> {
        let mut total = 0_u64;
        let all = self.game.steps(position).visit(|step| {
            let mut next = *position;
            self.game.play(&mut next, step, &mut NoKeys);
            match self.count(&next, Key::default, depth - 1) {
                Some(count) => {
                    total = total.saturating_add(count);
                    ControlFlow::Continue(())
                }
                None => ControlFlow::Break(()),
            }
        });
        all.is_continue().then_some(total)
    }

    fn count_with_table(
        &self,
        table: &Table,
        position: &G::Position,
        key: Key,
        depth: u32,
    ) -> Option<u64> {
        let entry = key ^ Zobrist::feature((1 << 33) + u64::from(depth));
        if let Some(count) = table.get(entry) {
            return Some(count);
        }
        let mut total = 0_u64;
        let all = self.game.steps(position).visit(|step| {
            let (mut next, mut key) = (*position, key);
            self.game.play(&mut next, step, &mut key);
            match self.count(&next, || key, depth - 1) {
                Some(count) => {
                    total = total.saturating_add(count);
                    ControlFlow::Continue(())
                }
                None => ControlFlow::Break(()),
            }
        });
        all.is_continue().then(|| {
            table.put(entry, total);
            total
        })
    }

    /// The last two plies, of which only the first one is played.
    fn count_two_plies(&self, position: &G::Position) -> u64 {
        self.play_one_ply(
            position,
            #[inline(always)]
            |next| self.game.steps(next).count() as u64,
        )
    }

    /// The last ply, played.
    fn count_leaves(&self, position: &G::Position) -> u64 {
        self.play_one_ply(
            position,
            #[inline(always)]
            |next| {
                // What is counted is the position it leads to.
                std::hint::black_box(next);
                1
            },
        )
    }

    /// Plays every step from a position, and adds up what `count` says of where they lead.
    #[inline(always)]
    fn play_one_ply(&self, position: &G::Position, count: impl Fn(&G::Position) -> u64) -> u64 {
        with_bit_instructions(
            #[inline(always)]
            || {
                let mut total = 0;
                self.game.steps(position).for_each_in_any_order(
                    #[inline(always)]
                    |step| {
                        let mut next = *position;
                        self.game.play(&mut next, step, &mut NoKeys);
                        total += count(&next);
                    },
                );
                total
            },
        )
    }
}

/// Counts by key, shared by threads without locks: the key is stored combined with the count, so that two halves
/// of different entries don't fit together (Hyatt and Mann 2002).
struct Table(Vec<[AtomicU64; 2]>);

impl Table {
    fn new(bytes: usize) -> Self {
        let wanted = (bytes / size_of::<[AtomicU64; 2]>()).max(1);
        let mut slots = wanted;
        let mut table = Vec::new();
        // Without a single one it works, too.
        while slots > 0 && table.try_reserve_exact(slots).is_err() {
            slots /= 2;
        }
        if slots < wanted {
            log::warn!("counting with {slots} of {wanted} counts kept: there is no more memory");
        }
        table.resize_with(slots, Default::default);
        Self(table)
    }

    fn slot(&self, key: Key) -> Option<&[AtomicU64; 2]> {
        // The upper half of the product spreads keys over any number of slots.
        let slot = (u128::from(key.0) * self.0.len() as u128) >> 64;
        self.0.get(slot as usize)
    }

    fn get(&self, key: Key) -> Option<u64> {
        let [mixed, count] = self.slot(key)?;
        let count = count.load(Ordering::Relaxed);
        (mixed.load(Ordering::Relaxed) ^ count == key.0).then_some(count)
    }

    fn put(&self, key: Key, count: u64) {
        if let Some([mixed, slot]) = self.slot(key) {
            mixed.store(key.0 ^ count, Ordering::Relaxed);
            slot.store(count, Ordering::Relaxed);
        }
    }
}

/// Counts together, or the largest number where they are more.
pub fn total(counts: impl Iterator<Item = u64>) -> u64 {
    counts.fold(0, u64::saturating_add)
}

/// A count as it is shown.
pub fn shown(count: u64) -> String {
    match count {
        u64::MAX => format!("{count} or more"),
        _ => count.to_string(),
    }
}

/// How many a second that makes, rounded down.
pub fn a_second(count: u64, time: Duration) -> u64 {
    (count as f64 / time.as_secs_f64().max(1e-9)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_the_largest_number_is_shown_as_such() {
        assert_eq!(shown(total([2, 3].into_iter())), "5");
        let more = total([u64::MAX, 1].into_iter());
        assert_eq!(shown(more), "18446744073709551615 or more");
    }
}
