//! The transposition table: what was found about positions, by key, shared by threads without locks.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use crate::board::{Key, prefetch};
use crate::search::memory::zeroed;

/// Entries that are looked at together: one line of a cache.
const BUCKET: usize = 4;

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
        let mut packed = i64::from(self.score).cast_unsigned();
        packed = packed << GENERATION_BITS | generation;
        packed = packed << BOUND_BITS | bound;
        packed = packed << DEPTH_BITS | depth;
        packed << STEP_BITS | u64::from(self.step)
    }

    /// `None` of an empty slot.
    #[inline]
    fn unpack(packed: u64) -> Option<Self> {
        let rest = packed >> STEP_BITS;
        let depth = (rest & ((1 << DEPTH_BITS) - 1)) as i32;
        let bound = match rest >> DEPTH_BITS & ((1 << BOUND_BITS) - 1) {
            1 => Bound::Upper,
            2 => Bound::Lower,
            3 => Bound::Exact,
            _ => return None,
        };
        Some(Self {
            step: (packed & ((1 << STEP_BITS) - 1)) as u32,
            depth,
            bound,
            score: (packed.cast_signed() >> (64 - SCORE_BITS)) as i32,
        })
    }
}

/// The key is stored combined with the entry, behind which it stands, so that half_points of different entries don't fit
/// together (Hyatt and Mann 2002).
type Slot = [AtomicU64; 2];

/// Words of a bucket.
const WORDS: usize = 2 * BUCKET;
/// Bytes of a bucket: a line of the cache.
pub const LINE: usize = WORDS * size_of::<AtomicU64>();

/// What even the shortest search uses: the next ones of its game may be longer, and find there what it has seen.
pub const LEAST: usize = 1 << 20;

/// What is known of positions, by their keys; threads read and write it without locks.
pub struct TranspositionTable {
    /// The buckets. The system gives zeros, which are empty slots, when they are first used.
    words: Box<[AtomicU64]>,
    /// Where the first bucket begins: at the beginning of a line.
    first: usize,
    /// How many of them are in use.
    buckets: AtomicUsize,
    /// How many bytes were asked for.
    memory: usize,
    generation: u64,
}

impl TranspositionTable {
    /// A table of at most so many bytes, and of fewer where there are not so many.
    pub fn new(memory: usize) -> Self {
        let buckets = (memory / LINE).saturating_sub(1).max(1);
        // One more than there are, for the beginning of a line.
        let words: Box<[AtomicU64]> = zeroed((buckets + 1) * WORDS, 2 * WORDS);
        let first = words.as_ptr().align_offset(LINE);
        Self {
            first: if first < WORDS { first } else { 0 },
            words,
            buckets: AtomicUsize::new(1),
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
    pub fn fit(&mut self, bytes: usize) {
        // What is where it was with fewer buckets is not found any more, and gives way in time.
        let buckets = self.buckets().max(bytes.max(LEAST) / LINE);
        *self.buckets.get_mut() = buckets.min(self.most());
    }

    /// Uses four times as much of the memory where half of what is in use is full. Other threads may go on meanwhile. Where it
    /// is stopped, what has not been moved yet is not found any more.
    pub fn grow(&self, stop: &AtomicBool) {
        let before = self.buckets();
        if before == self.most() || self.filled_in_use() < 500 {
            return;
        }
        self.buckets
            .store((4 * before).min(self.most()), Ordering::Relaxed);
        // From the last one on: what is there belongs to the same place or a later one.
        for place in (0..before).rev() {
            if stop.load(Ordering::Relaxed) {
                return;
            }
            for [mixed, packed] in self.slots(place) {
                let entry = packed.swap(0, Ordering::Relaxed);
                let key = Key(mixed.load(Ordering::Relaxed) ^ entry);
                if let Some(entry) = Entry::unpack(entry) {
                    self.put(key, entry);
                }
            }
        }
    }

    /// How many buckets are in use.
    #[inline]
    pub fn buckets(&self) -> usize {
        self.buckets.load(Ordering::Relaxed)
    }

    /// How many buckets there is room for.
    fn most(&self) -> usize {
        self.words.len() / WORDS - 1
    }

    /// Marks what is there as older than what comes.
    pub fn age(&mut self) {
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
        self.slots(((u128::from(key.0) * self.buckets() as u128) >> 64) as usize)
    }

    /// The bucket at a place.
    #[inline]
    fn slots(&self, place: usize) -> &[Slot] {
        let (slots, _) = self.words[self.first + place * WORDS..][..WORDS].as_chunks();
        slots
    }

    /// Asks for the memory of a key that will be looked up soon.
    #[inline]
    pub fn prefetch(&self, key: Key) {
        prefetch(&self.bucket(key)[0]);
    }

    /// What is known of a position.
    #[inline]
    pub fn get(&self, key: Key) -> Option<Entry> {
        for [mixed, packed] in self.bucket(key) {
            let packed = packed.load(Ordering::Relaxed);
            if mixed.load(Ordering::Relaxed) ^ packed == key.0 {
                return Entry::unpack(packed);
            }
        }
        None
    }

    /// Keeps an entry in the place of one of the same position, else of the one that is missed the least: of an
    /// older search, then of less depth.
    #[inline]
    pub fn put(&self, key: Key, entry: Entry) {
        let worth = |[mixed, packed]: &&Slot| {
            let packed = packed.load(Ordering::Relaxed);
            if mixed.load(Ordering::Relaxed) ^ packed == key.0 {
                return -1;
            }
            let current =
                packed >> (64 - SCORE_BITS - GENERATION_BITS) & ((1 << GENERATION_BITS) - 1);
            let current = if current == self.generation {
                1 << DEPTH_BITS
            } else {
                0
            };
            Entry::unpack(packed).map_or(0, |old| old.depth + current)
        };
        let Some([mixed, packed]) = self.bucket(key).iter().min_by_key(worth) else {
            return;
        };
        let entry = entry.pack(self.generation);
        mixed.store(key.0 ^ entry, Ordering::Relaxed);
        packed.store(entry, Ordering::Relaxed);
    }

    /// How full all of it is, in thousandths, by a sample.
    pub fn hashfull(&self) -> u32 {
        let used = u64::from(self.filled_in_use());
        (used * self.buckets() as u64 / self.most() as u64) as u32
    }

    /// The same of what is in use.
    fn filled_in_use(&self) -> u32 {
        const SAMPLE: usize = 1 << 12;
        let sample = SAMPLE.min(self.buckets());
        let (slots, _) = self.words[self.first..][..sample * WORDS].as_chunks();
        let used = slots
            .iter()
            .filter(|[_, packed]: &&Slot| packed.load(Ordering::Relaxed) != 0);
        (used.count() * 1000 / (sample * BUCKET)) as u32
    }
}
