//! What threads are searching just now, so that others look elsewhere first (ABDADA: Weill 1996; without a count in the
//! transposition table: Kerrigan's simplified ABDADA).

use std::sync::atomic::{AtomicU64, Ordering};

use crate::board::Key;

/// Far more than threads are at work on at once. Where two share a place, one of them is searched twice: no harm.
const SLOTS: usize = 1 << 12;

/// The positions that are being searched, each in a place by its key.
pub struct AbdadaTable(Box<[AtomicU64]>);

impl Default for AbdadaTable {
    fn default() -> Self {
        Self((0..SLOTS).map(|_| AtomicU64::default()).collect())
    }
}

impl AbdadaTable {
    fn slot(&self, key: Key) -> &AtomicU64 {
        // Not the highest bits, by which the buckets of the table are chosen: neighbours there are not neighbours here.
        &self.0[(key.0 >> 20) as usize % SLOTS]
    }

    /// Whether a thread is searching this position.
    pub fn is_searching(&self, key: Key) -> bool {
        self.slot(key).load(Ordering::Relaxed) == key.0
    }

    /// A thread begins to search behind a position.
    pub fn start_search(&self, key: Key) {
        self.slot(key).store(key.0, Ordering::Relaxed);
    }

    /// It has ended.
    pub fn finish_search(&self, key: Key) {
        self.slot(key).store(0, Ordering::Relaxed);
    }
}
