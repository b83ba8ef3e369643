//! Table of the positions that threads are searching, so that other threads defer them (ABDADA: Weill 1996; in a table
//! apart from the transposition table: Kerrigan's simplified ABDADA).

use std::sync::atomic::{AtomicU64, Ordering};

use crate::board::Key;

/// Number of slots, far more than positions searched at once. If two share a slot, one of them is searched twice,
/// which does no harm.
const SLOTS: usize = 1 << 12;

/// Keys of the positions being searched, one a slot.
pub struct AbdadaTable(Box<[AtomicU64]>);

impl Default for AbdadaTable {
    fn default() -> Self {
        Self((0..SLOTS).map(|_| AtomicU64::default()).collect())
    }
}

impl AbdadaTable {
    fn slot(&self, key: Key) -> &AtomicU64 {
        // The highest bits select the bucket of the transposition table. Other bits keep its neighbors apart here.
        &self.0[(key.0 >> 20) as usize % SLOTS]
    }

    /// Returns whether a thread is searching this position.
    pub fn is_searching(&self, key: Key) -> bool {
        self.slot(key).load(Ordering::Relaxed) == key.0
    }

    /// Marks a position as being searched.
    pub fn start_search(&self, key: Key) {
        self.slot(key).store(key.0, Ordering::Relaxed);
    }

    /// Clears the mark of a position.
    pub fn finish_search(&self, key: Key) {
        self.slot(key).store(0, Ordering::Relaxed);
    }
}
