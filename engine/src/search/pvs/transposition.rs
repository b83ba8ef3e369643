//! Transposition table: search results by hash key, shared by threads without locks.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use crate::board::{Key, prefetch};
use crate::search::memory::{first_aligned, zeroed_slice};

/// Entries that one key may use: a cache line of them.
const ENTRIES_PER_BUCKET: usize = 4;

/// Bits of a packed entry, lowest first: step, depth, bound, generation, score.
const STEP_BITS: u32 = 30;
const DEPTH_BITS: u32 = 9;
const BOUND_BITS: u32 = 2;
const GENERATION_BITS: u32 = 2;
const SCORE_BITS: u32 = 64 - STEP_BITS - DEPTH_BITS - BOUND_BITS - GENERATION_BITS;

/// Relation of a score to the true value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bound {
    /// The value is at most the score.
    Upper,
    /// The value is at least the score.
    Lower,
    /// The value is the score.
    Exact,
}

/// A search result of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// Number of the step to search first.
    pub step: u32,
    /// Depth of the search, in half steps.
    pub depth: i32,
    /// Relation of `score` to the true value.
    pub bound: Bound,
    /// Score for the side to move.
    pub score: i32,
}

impl Entry {
    /// Returns whether the entry decides if the value is above `alpha`.
    #[inline]
    pub fn cuts_off(self, alpha: i32) -> bool {
        match self.bound {
            Bound::Exact => true,
            Bound::Lower => self.score > alpha,
            Bound::Upper => self.score <= alpha,
        }
    }

    #[inline]
    fn pack(self, generation: u64) -> u64 {
        let bound = match self.bound {
            Bound::Upper => 1,
            Bound::Lower => 2,
            Bound::Exact => 3,
        };
        let depth = self.depth.clamp(0, (1 << DEPTH_BITS) - 1) as u64;
        let mut data = i64::from(self.score).cast_unsigned();
        data = data << GENERATION_BITS | generation;
        data = data << BOUND_BITS | bound;
        data = data << DEPTH_BITS | depth;
        data << STEP_BITS | u64::from(self.step)
    }

    /// Returns `None` for an empty slot.
    #[inline]
    fn unpack(data: u64) -> Option<Self> {
        let rest = data >> STEP_BITS;
        let depth = (rest & ((1 << DEPTH_BITS) - 1)) as i32;
        let bound = match rest >> DEPTH_BITS & ((1 << BOUND_BITS) - 1) {
            1 => Bound::Upper,
            2 => Bound::Lower,
            3 => Bound::Exact,
            _ => return None,
        };
        Some(Self {
            step: (data & ((1 << STEP_BITS) - 1)) as u32,
            depth,
            bound,
            score: (data.cast_signed() >> (64 - SCORE_BITS)) as i32,
        })
    }
}

/// A slot: the key xor the entry, then the entry. Halves of two entries, written by two threads, match no key (Hyatt
/// and Mann 2002).
type Slot = [AtomicU64; 2];

/// Words of a bucket.
const WORDS_PER_BUCKET: usize = 2 * ENTRIES_PER_BUCKET;
/// Bytes of a bucket: a cache line.
pub const BUCKET_BYTES: usize = WORDS_PER_BUCKET * size_of::<AtomicU64>();

/// Bytes in use from the first search on. Later searches of a game may be longer, and find there what a short one has
/// stored.
pub const MIN_BYTES: usize = 1 << 20;

/// A transposition table that threads read and write without locks.
pub struct TranspositionTable {
    /// Buckets, with room to align the first. Zeros are empty slots; the system maps memory when it is first touched.
    words: Box<[AtomicU64]>,
    /// Index of the first bucket's first word, aligned to a cache line.
    first_word: usize,
    /// Buckets in use. Only part of the memory is used while searches are short.
    buckets_in_use: AtomicUsize,
    /// Bytes that were asked for.
    memory: usize,
    generation: u64,
}

impl TranspositionTable {
    /// Allocates a table of at most `memory` bytes; of fewer if memory is short.
    pub fn new(memory: usize) -> Self {
        let buckets_in_use = (memory / BUCKET_BYTES).saturating_sub(1).max(1);
        // One bucket more than in use, to align the first.
        let words: Box<[AtomicU64]> = zeroed_slice((buckets_in_use + 1) * WORDS_PER_BUCKET, 2 * WORDS_PER_BUCKET);
        Self { first_word: first_aligned(&words), words, buckets_in_use: AtomicUsize::new(1), memory, generation: 0 }
    }

    /// Returns the size of the table, in bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.words)
    }

    /// Uses at least as much of the memory as a search can fill that stores `bytes` bytes, and never less than before.
    ///
    /// Keys spread over everything in use at once. Where the system maps memory slowly, a short search in a large
    /// table would only wait for it.
    pub fn ensure_in_use(&mut self, bytes: usize) {
        // Entries that are now in another bucket are not found any more, and are replaced in time.
        let buckets_in_use = self.buckets_in_use().max(bytes.max(MIN_BYTES) / BUCKET_BYTES);
        *self.buckets_in_use.get_mut() = buckets_in_use.min(self.bucket_capacity());
    }

    /// Uses four times as much of the memory if half of what is in use is full, and moves the entries.
    ///
    /// Other threads may use the table meanwhile. If stopped, entries not moved yet are lost.
    pub fn grow(&self, stop: &AtomicBool) {
        let before = self.buckets_in_use();
        if before == self.bucket_capacity() || self.hashfull_in_use() < 500 {
            return;
        }
        self.buckets_in_use.store((4 * before).min(self.bucket_capacity()), Ordering::Relaxed);
        // Last bucket first: entries move to the same index or a higher one.
        for index in (0..before).rev() {
            if stop.load(Ordering::Relaxed) {
                return;
            }
            for [key_xor_data, data] in self.bucket_at(index) {
                let entry = data.swap(0, Ordering::Relaxed);
                let key = Key(key_xor_data.load(Ordering::Relaxed) ^ entry);
                if let Some(entry) = Entry::unpack(entry) {
                    self.store(key, entry);
                }
            }
        }
    }

    /// Returns the number of buckets in use.
    #[inline]
    pub fn buckets_in_use(&self) -> usize {
        self.buckets_in_use.load(Ordering::Relaxed)
    }

    /// Returns the number of buckets that fit in the memory.
    fn bucket_capacity(&self) -> usize {
        self.words.len() / WORDS_PER_BUCKET - 1
    }

    /// Starts a generation: entries of earlier ones are replaced first.
    pub fn next_generation(&mut self) {
        self.generation = (self.generation + 1) % (1 << GENERATION_BITS);
    }

    /// Drops all entries.
    pub fn clear(&mut self) {
        // Free the old memory first: two tables may not fit.
        self.words = Box::default();
        *self = Self::new(self.memory);
    }

    /// Returns the bucket of a key.
    #[inline]
    pub fn bucket(&self, key: Key) -> &[Slot] {
        // The upper half of the product maps keys evenly to any number of buckets.
        self.bucket_at(((u128::from(key.0) * self.buckets_in_use() as u128) >> 64) as usize)
    }

    /// Returns the bucket at an index.
    #[inline]
    fn bucket_at(&self, index: usize) -> &[Slot] {
        let (slots, _) = self.words[self.first_word + index * WORDS_PER_BUCKET..][..WORDS_PER_BUCKET].as_chunks();
        slots
    }

    /// Prefetches the bucket of a key.
    #[inline]
    pub fn prefetch(&self, key: Key) {
        prefetch(&self.bucket(key)[0]);
    }

    /// Returns the entry of a position.
    #[inline]
    pub fn probe(&self, key: Key) -> Option<Entry> {
        for [key_xor_data, data] in self.bucket(key) {
            let data = data.load(Ordering::Relaxed);
            if key_xor_data.load(Ordering::Relaxed) ^ data == key.0 {
                return Entry::unpack(data);
            }
        }
        None
    }

    /// Stores an entry: in the slot of its position if there is one, else in that with the lowest replacement
    /// priority.
    ///
    /// Older generations are replaced first, then lower depths.
    #[inline]
    pub fn store(&self, key: Key, entry: Entry) {
        let replacement_priority = |[key_xor_data, data]: &&Slot| {
            let data = data.load(Ordering::Relaxed);
            if key_xor_data.load(Ordering::Relaxed) ^ data == key.0 {
                return -1;
            }
            let current = data >> (64 - SCORE_BITS - GENERATION_BITS) & ((1 << GENERATION_BITS) - 1);
            let current = if current == self.generation { 1 << DEPTH_BITS } else { 0 };
            Entry::unpack(data).map_or(0, |old| old.depth + current)
        };
        let Some([key_xor_data, data]) = self.bucket(key).iter().min_by_key(replacement_priority) else {
            return;
        };
        let entry = entry.pack(self.generation);
        key_xor_data.store(key.0 ^ entry, Ordering::Relaxed);
        data.store(entry, Ordering::Relaxed);
    }

    /// Returns the fill of the whole memory, in thousandths, from a sample.
    pub fn hashfull(&self) -> u32 {
        let used = u64::from(self.hashfull_in_use());
        (used * self.buckets_in_use() as u64 / self.bucket_capacity() as u64) as u32
    }

    /// Returns the fill of the part in use, in thousandths, from a sample.
    fn hashfull_in_use(&self) -> u32 {
        const SAMPLE: usize = 1 << 12;
        let sample = SAMPLE.min(self.buckets_in_use());
        let (slots, _) = self.words[self.first_word..][..sample * WORDS_PER_BUCKET].as_chunks();
        let used = slots.iter().filter(|[_, data]: &&Slot| data.load(Ordering::Relaxed) != 0);
        (used.count() * 1000 / (sample * ENTRIES_PER_BUCKET)) as u32
    }
}
