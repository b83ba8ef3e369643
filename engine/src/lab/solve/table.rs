//! The table of a search: proof numbers of positions, of which the dear ones are kept.

use std::ops::Range;

use bytemuck::{Pod, Zeroable, cast_slice, cast_slice_mut};

use crate::board::Zobrist;
use crate::search::memory::{first_aligned, try_zeroed_slice};

/// The proof number of what is disproven, and the disproof number of what is proven.
pub const INFINITE: u32 = 1 << 30;

/// Entries that share a place of the table.
const ENTRIES: usize = 4;

/// Numbers of 16 bytes in a place: two cache lines.
const PLACE: usize = ENTRIES * size_of::<Entry>() / size_of::<u128>();

/// The proof numbers of a position, for its side to move.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct Entry {
    /// The code of the position.
    pub code: u128,
    /// Proof number: 0 if the side to move reaches its goal.
    pub proof: u32,
    /// Disproof number: 0 if it does not.
    pub disproof: u32,
    /// Number of positions that were searched for it.
    pub work: u32,
    unused: u32,
}

impl Entry {
    /// Describes a position.
    pub fn new(code: u128, proof: u32, disproof: u32, work: u64) -> Self {
        Self { code, proof, disproof, work: u32::try_from(work).unwrap_or(u32::MAX), unused: 0 }
    }

    /// Returns true for a place that was never used: no position has two proof numbers 0.
    fn is_empty(&self) -> bool {
        self.proof == 0 && self.disproof == 0
    }
}

/// A table of bounded size. Each entry holds the whole code of its position.
pub struct Table {
    /// The places, with room to align the first.
    memory: Box<[u128]>,
    /// Index of the first place, at the start of a cache line.
    first: usize,
    used: u64,
}

impl Table {
    /// Makes an empty table of at most `bytes` bytes; `None` if there is no memory for it.
    pub fn new(bytes: usize) -> Option<Self> {
        let places = (bytes / size_of::<[Entry; ENTRIES]>()).max(2);
        let memory: Box<[u128]> = try_zeroed_slice(places * PLACE)?;
        Some(Self { first: first_aligned(&memory), memory, used: 0 })
    }

    /// Returns the size in bytes.
    pub fn bytes(&self) -> u64 {
        size_of_val(&*self.memory) as u64
    }

    /// Returns the number of entries.
    pub fn used(&self) -> u64 {
        self.used
    }

    /// Returns the part of the memory where the entry of a position can be.
    #[inline]
    fn place(&self, code: u128) -> Range<usize> {
        let mixed = Zobrist::state_key((code >> 64) as u64 ^ Zobrist::state_key(code as u64).0);
        let places = (self.memory.len() - self.first) / PLACE;
        let place = ((u128::from(mixed.0) * places as u128) >> 64) as usize;
        let begin = self.first + place * PLACE;
        begin..begin + PLACE
    }

    /// Returns what is known about a position.
    #[inline]
    pub fn get(&self, code: u128) -> Option<Entry> {
        let place: &[Entry] = cast_slice(self.memory.get(self.place(code))?);
        let found = place.iter().find(|entry| entry.code == code);
        found.copied().filter(|entry| !entry.is_empty())
    }

    /// Enters what is known about a position, in place of the entry that took the least work.
    #[inline]
    pub fn put(&mut self, entry: Entry) {
        let place = self.place(entry.code);
        let Some(place) = self.memory.get_mut(place) else {
            return;
        };
        let mut least: Option<&mut Entry> = None;
        for slot in cast_slice_mut::<u128, Entry>(place) {
            if slot.code == entry.code && !slot.is_empty() {
                *slot = Entry { work: slot.work.saturating_add(entry.work), ..entry };
                return;
            }
            // An empty slot has no work.
            if least.as_ref().is_none_or(|least| slot.work < least.work) {
                least = Some(slot);
            }
        }
        if let Some(slot) = least {
            self.used += u64::from(slot.is_empty());
            *slot = entry;
        }
    }

    /// Iterates over the entries.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        let places = self.memory.get(self.first..).unwrap_or_default().chunks_exact(PLACE);
        places.flat_map(cast_slice::<u128, Entry>).filter(|entry| !entry.is_empty())
    }
}
