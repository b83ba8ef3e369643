//! Perft: counts of the sequences of legal steps of a given length, which verify a move generator.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use crate::board::{Key, Zobrist};
use crate::rules::{Board, Step, StopCheck};
use crate::threads;

/// Options of a perft count. The result does not depend on them.
#[derive(Clone, Copy, Debug)]
pub struct Perft {
    /// Plays the last step of every sequence, instead of counting the legal steps there (bulk counting).
    pub every_leaf: bool,
    /// Number of threads.
    pub threads: usize,
    /// Size in bytes of the hash table that keeps counts by position and depth; 0 for none.
    ///
    /// Positions with equal 64-bit keys are taken for the same.
    pub memory: usize,
}

impl Default for Perft {
    fn default() -> Self {
        Self { every_leaf: false, threads: 1, memory: 0 }
    }
}

impl Perft {
    /// Returns a phrase that names the kind of count.
    pub fn kind(&self) -> &'static str {
        if self.every_leaf { "every leaf played" } else { "last ply counted" }
    }

    /// Counts the sequences of exactly `depth` legal steps from the position of a board.
    ///
    /// Polls `stop` regularly and returns `None` once it returns true. Saturates at `u64::MAX` ([`format_count`]).
    pub fn count(&self, board: &dyn Board, depth: u32, stop: StopCheck<'_>) -> Option<u64> {
        if self.threads <= 1 || depth == 0 {
            return self.counter(stop).count(&mut *board.fork(), depth);
        }
        let counts = self.divide(board, depth, stop)?;
        Some(saturating_sum(counts.iter().map(|(_, count)| *count)))
    }

    fn counter<'a>(&self, stop: StopCheck<'a>) -> Counter<'a> {
        Counter { every_leaf: self.every_leaf, table: (self.memory > 0).then(|| Table::new(self.memory)), stop }
    }

    /// Counts the sequences behind each first step, in cell order (divide). The list is empty at depth 0.
    ///
    /// Polls `stop` as [`Perft::count`] does.
    pub fn divide(&self, board: &dyn Board, depth: u32, stop: StopCheck<'_>) -> Option<Vec<(Step, u64)>> {
        let Some(rest) = depth.checked_sub(1) else {
            return Some(Vec::new());
        };
        let mut firsts = Vec::new();
        board.steps(&mut firsts);
        let counts: Vec<AtomicU64> = firsts.iter().map(|_| AtomicU64::new(0)).collect();
        let (next, abandoned) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let counter = self.counter(stop);
        let work = || {
            let mut board = board.fork();
            loop {
                let i = next.fetch_add(1, Ordering::Relaxed);
                let (Some(&step), Some(count)) = (firsts.get(i), counts.get(i)) else {
                    break;
                };
                board.make(step);
                match counter.count(&mut *board, rest) {
                    Some(found) => count.store(found, Ordering::Relaxed),
                    None => {
                        abandoned.fetch_add(1, Ordering::Relaxed);
                        break;
                    }
                }
                board.unmake();
            }
        };
        thread::scope(|scope| {
            for _ in 1..self.threads {
                // If no more threads can be started, the others do the work.
                if let Err(error) = threads::spawn_scoped(scope, "perft", threads::STACK, work) {
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

struct Counter<'a> {
    every_leaf: bool,
    table: Option<Table>,
    stop: StopCheck<'a>,
}

impl Counter<'_> {
    fn count(&self, board: &mut dyn Board, depth: u32) -> Option<u64> {
        // A depth that the board counts in one loop is not worth a table entry.
        let loop_depth = if self.every_leaf { 1 } else { 2 };
        match &self.table {
            Some(table) if depth > loop_depth => self.count_with_table(table, board, depth),
            _ => board.perft(depth, self.every_leaf, self.stop),
        }
    }

    fn count_with_table(&self, table: &Table, board: &mut dyn Board, depth: u32) -> Option<u64> {
        if depth > 2 && (self.stop)() {
            return None;
        }
        let entry = board.key() ^ Zobrist::state_key((1 << 33) + u64::from(depth));
        if let Some(count) = table.get(entry) {
            return Some(count);
        }
        let mut steps = Vec::new();
        board.steps(&mut steps);
        let mut total = 0_u64;
        for step in steps {
            board.make(step);
            let count = self.count(board, depth - 1);
            board.unmake();
            total = total.saturating_add(count?);
        }
        table.put(entry, total);
        Some(total)
    }
}

/// Lockless hash table of counts, shared by threads.
///
/// The key is stored XORed with the count, so that two halves written by different threads do not match
/// (Hyatt and Mann 2002).
struct Table(Vec<[AtomicU64; 2]>);

impl Table {
    fn new(bytes: usize) -> Self {
        let wanted = (bytes / size_of::<[AtomicU64; 2]>()).max(1);
        let mut slots = wanted;
        let mut table = Vec::new();
        // An empty table works.
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

/// Returns the sum of counts, at most `u64::MAX`.
pub fn saturating_sum(counts: impl Iterator<Item = u64>) -> u64 {
    counts.fold(0, u64::saturating_add)
}

/// Formats a count. `u64::MAX` is formatted as a lower bound.
pub fn format_count(count: u64) -> String {
    match count {
        u64::MAX => format!("{count} or more"),
        _ => count.to_string(),
    }
}

/// Returns the rate per second, rounded down.
pub fn per_second(count: u64, time: Duration) -> u64 {
    (count as f64 / time.as_secs_f64().max(1e-9)) as u64
}
