//! The transposition table: what was found about positions, by key, shared by threads without locks.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use crate::board::{Key, prefetch};
use crate::search::memory::zeroed_slice;

/// Entries that are looked at together: one line of a cache.
const ENTRIES_PER_BUCKET: usize = 4;

/// Bits of an entry: the step, then the depth, the bound, the generation and the score.
const STEP_BITS: u32 = 30;
const DEPTH_BITS: u32 = 9;
const BOUND_BITS: u32 = 2;
const GENERATION_BITS: u32 = 2;
const SCORE_BITS: u32 = 64 - STEP_BITS - DEPTH_BITS - BOUND_BITS - GENERATION_BITS;

/// What a score says of the true value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bound {
    /// The value is no higher.
    Upper,
    /// The value is no lower.
    Lower,
    /// It is the value.
    Exact,
}

/// What is known of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The step to look at first, as a number.
    pub step: u32,
    /// How many half_points of steps deep it was searched.
    pub depth: i32,
    /// What the score says of the true value.
    pub bound: Bound,
    /// From the view of the side to move.
    pub score: i32,
}

impl Entry {
    /// Whether it says if the value is above `alpha`.
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

    /// `None` of an empty slot.
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

/// The key is stored combined with the entry, behind which it stands, so that half_points of different entries don't fit
/// together (Hyatt and Mann 2002).
type Slot = [AtomicU64; 2];

/// Words of a bucket.
const WORDS_PER_BUCKET: usize = 2 * ENTRIES_PER_BUCKET;
/// Bytes of a bucket: a line of the cache.
pub const BUCKET_BYTES: usize = WORDS_PER_BUCKET * size_of::<AtomicU64>();

/// What even the shortest search uses: the next ones of its game may be longer, and find there what it has seen.
pub const MIN_BYTES: usize = 1 << 20;

/// What is known of positions, by their keys; threads read and write it without locks.
pub struct TranspositionTable {
    /// The buckets. The system gives zeros, which are empty slots, when they are first used.
    words: Box<[AtomicU64]>,
    /// Where the first bucket begins: at the beginning of a line.
    first_word: usize,
    /// How many of them are in use.
    buckets_in_use: AtomicUsize,
    /// How many bytes were asked for.
    memory: usize,
    generation: u64,
}

impl TranspositionTable {
    /// A table of at most so many bytes, and of fewer where there are not so many.
    pub fn new(memory: usize) -> Self {
        let buckets_in_use = (memory / BUCKET_BYTES).saturating_sub(1).max(1);
        // One more than there are, for the beginning of a line.
        let words: Box<[AtomicU64]> = zeroed_slice(
            (buckets_in_use + 1) * WORDS_PER_BUCKET,
            2 * WORDS_PER_BUCKET,
        );
        let first_word = words.as_ptr().align_offset(BUCKET_BYTES);
        Self {
            first_word: if first_word < WORDS_PER_BUCKET {
                first_word
            } else {
                0
            },
            words,
            buckets_in_use: AtomicUsize::new(1),
            memory,
            generation: 0,
        }
    }

    /// How many bytes it takes.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.words)
    }

    /// Uses as much of the memory as a search can fill that needs so many bytes, and no less than before: what is used is
    /// used all over at once, and where the system gives its memory slowly, a short search would do nothing but wait for it.
    pub fn ensure_in_use(&mut self, bytes: usize) {
        // What is where it was with fewer buckets is not found any more, and gives way in time.
        let buckets_in_use = self
            .buckets_in_use()
            .max(bytes.max(MIN_BYTES) / BUCKET_BYTES);
        *self.buckets_in_use.get_mut() = buckets_in_use.min(self.bucket_capacity());
    }

    /// Uses four times as much of the memory where half of what is in use is full. Other threads may go on meanwhile. Where it
    /// is stopped, what has not been moved yet is not found any more.
    pub fn grow(&self, stop: &AtomicBool) {
        let before = self.buckets_in_use();
        if before == self.bucket_capacity() || self.hashfull_in_use() < 500 {
            return;
        }
        self.buckets_in_use
            .store((4 * before).min(self.bucket_capacity()), Ordering::Relaxed);
        // From the last one on: what is there belongs to the same place or a later one.
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

    /// How many buckets are in use.
    #[inline]
    pub fn buckets_in_use(&self) -> usize {
        self.buckets_in_use.load(Ordering::Relaxed)
    }

    /// How many buckets there is room for.
    fn bucket_capacity(&self) -> usize {
        self.words.len() / WORDS_PER_BUCKET - 1
    }

    /// Marks what is there as older than what comes.
    pub fn next_generation(&mut self) {
        self.generation = (self.generation + 1) % (1 << GENERATION_BITS);
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        // Not two tables at once.
        self.words = Box::default();
        *self = Self::new(self.memory);
    }

    /// The bucket of a key.
    #[inline]
    pub fn bucket(&self, key: Key) -> &[Slot] {
        // The upper half of the product spreads keys over any number of buckets.
        self.bucket_at(((u128::from(key.0) * self.buckets_in_use() as u128) >> 64) as usize)
    }

    /// The bucket at a place.
    #[inline]
    fn bucket_at(&self, index: usize) -> &[Slot] {
        let (slots, _) = self.words[self.first_word + index * WORDS_PER_BUCKET..]
            [..WORDS_PER_BUCKET]
            .as_chunks();
        slots
    }

    /// Asks for the memory of a key that will be looked up soon.
    #[inline]
    pub fn prefetch(&self, key: Key) {
        prefetch(&self.bucket(key)[0]);
    }

    /// What is known of a position.
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

    /// Keeps an entry in the place of one of the same position, else of the one that is missed the least: of an
    /// older search, then of less depth.
    #[inline]
    pub fn store(&self, key: Key, entry: Entry) {
        let replacement_priority = |[key_xor_data, data]: &&Slot| {
            let data = data.load(Ordering::Relaxed);
            if key_xor_data.load(Ordering::Relaxed) ^ data == key.0 {
                return -1;
            }
            let current =
                data >> (64 - SCORE_BITS - GENERATION_BITS) & ((1 << GENERATION_BITS) - 1);
            let current = if current == self.generation {
                1 << DEPTH_BITS
            } else {
                0
            };
            Entry::unpack(data).map_or(0, |old| old.depth + current)
        };
        let Some([key_xor_data, data]) = self.bucket(key).iter().min_by_key(replacement_priority)
        else {
            return;
        };
        let entry = entry.pack(self.generation);
        key_xor_data.store(key.0 ^ entry, Ordering::Relaxed);
        data.store(entry, Ordering::Relaxed);
    }

    /// How full all of it is, in thousandths, by a sample.
    pub fn hashfull(&self) -> u32 {
        let used = u64::from(self.hashfull_in_use());
        (used * self.buckets_in_use() as u64 / self.bucket_capacity() as u64) as u32
    }

    /// The same of what is in use.
    fn hashfull_in_use(&self) -> u32 {
        const SAMPLE: usize = 1 << 12;
        let sample = SAMPLE.min(self.buckets_in_use());
        let (slots, _) = self.words[self.first_word..][..sample * WORDS_PER_BUCKET].as_chunks();
        let used = slots
            .iter()
            .filter(|[_, data]: &&Slot| data.load(Ordering::Relaxed) != 0);
        (used.count() * 1000 / (sample * ENTRIES_PER_BUCKET)) as u32
    }
}
