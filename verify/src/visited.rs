//! The positions that a strategy has met: whole keys in a hash table, so that no two positions are taken for one.

/// Knowledge of a position: nothing; that it lies on the path from the start; that it is done with.
pub const NEW: u8 = 0;
pub const OPEN: u8 = 1;
pub const DONE: u8 = 2;

/// Slots of equal length in a row: a byte of the constants above, then the key. A key lies in the first slot from that
/// of its hash that was free.
pub struct Visited {
    slots: Vec<u8>,
    /// Bytes of a slot.
    width: usize,
    /// Slots, a power of two.
    capacity: usize,
    pub used: usize,
}

impl Visited {
    pub fn new(key_length: usize) -> Self {
        let (width, capacity) = (key_length + 1, 1024);
        Self { slots: vec![NEW; width * capacity], width, capacity, used: 0 }
    }

    /// Returns the slot of a key, or the free one where it would lie.
    fn slot(&mut self, key: &[u8]) -> &mut [u8] {
        let mut hash = 0_u64;
        for chunk in key.chunks(8) {
            let number = chunk.iter().fold(0, |number, &byte| number << 8 | u64::from(byte));
            hash = (hash ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            hash ^= hash >> 32;
        }
        let mut place = hash as usize % self.capacity;
        loop {
            let at = place * self.width..(place + 1) * self.width;
            let slot = self.slots.get(at.clone()).unwrap_or_default();
            if slot.first() == Some(&NEW) || slot.get(1..) == Some(key) {
                return self.slots.get_mut(at).unwrap_or_default();
            }
            place = (place + 1) % self.capacity;
        }
    }

    pub fn state(&mut self, key: &[u8]) -> u8 {
        self.slot(key).first().copied().unwrap_or(NEW)
    }

    /// Writes what is known of a position. A new one needs `make_room` before.
    pub fn mark(&mut self, key: &[u8], state: u8) {
        if let Some((first, rest)) = self.slot(key).split_first_mut() {
            let new = *first == NEW;
            *first = state;
            rest.copy_from_slice(key);
            self.used += usize::from(new);
        }
    }

    /// Makes room for one more position, so that a quarter of the slots stays free. False if that takes more than
    /// `memory`, in bytes.
    pub fn make_room(&mut self, memory: usize) -> bool {
        let (length, mut slots) = (self.slots.len(), Vec::new());
        if 4 * self.used < 3 * self.capacity {
            return length <= memory;
        }
        if 3 * length > memory || slots.try_reserve_exact(2 * length).is_err() {
            return false;
        }
        slots.resize(2 * length, NEW);
        let old = std::mem::replace(&mut self.slots, slots);
        (self.capacity, self.used) = (2 * self.capacity, 0);
        for slot in old.chunks(self.width) {
            if let Some((&state @ (OPEN | DONE), key)) = slot.split_first() {
                self.mark(key, state);
            }
        }
        true
    }
}
