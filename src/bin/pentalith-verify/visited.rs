//! The positions that a strategy has met: whole keys in a hash table, so that no two positions are taken for one.

const FREE: u8 = 0;
/// On the path from the start.
const OPEN: u8 = 1;
const CLOSED: u8 = 2;

/// What is known of a position.
#[derive(Clone, Copy, PartialEq)]
pub enum Found {
    New,
    Open,
    Closed,
}

/// Slots of equal length in a row: a byte for the state, then the key. A key lies in the first slot from that of its
/// hash that was free.
pub struct Visited {
    slots: Vec<u8>,
    /// Bytes of a slot.
    width: usize,
    /// A power of two.
    capacity: usize,
    pub used: usize,
}

impl Visited {
    pub fn new(key_length: usize) -> Self {
        let (width, capacity) = (key_length + 1, 1024);
        Self { slots: vec![FREE; width * capacity], width, capacity, used: 0 }
    }

    pub fn bytes(&self) -> usize {
        self.slots.len()
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
            if slot.first() == Some(&FREE) || slot.get(1..) == Some(key) {
                return self.slots.get_mut(at).unwrap_or_default();
            }
            place = (place + 1) % self.capacity;
        }
    }

    pub fn find(&mut self, key: &[u8]) -> Found {
        match self.slot(key).first() {
            Some(&OPEN) => Found::Open,
            Some(&CLOSED) => Found::Closed,
            _ => Found::New,
        }
    }

    /// Adds a new position, which lies on the path from now on. `None` if there is not enough memory, in bytes.
    pub fn open(&mut self, key: &[u8], memory: usize) -> Option<()> {
        if 4 * self.used >= 3 * self.capacity {
            self.grow(memory)?;
        }
        self.used += 1;
        self.mark(key, OPEN);
        Some(())
    }

    /// Says that a position lies on the path no more.
    pub fn close(&mut self, key: &[u8]) {
        self.mark(key, CLOSED);
    }

    fn mark(&mut self, key: &[u8], state: u8) {
        if let Some((first, rest)) = self.slot(key).split_first_mut() {
            *first = state;
            rest.copy_from_slice(key);
        }
    }

    fn grow(&mut self, memory: usize) -> Option<()> {
        let length = 2 * self.slots.len();
        if self.slots.len() + length > memory {
            return None;
        }
        let mut slots = Vec::new();
        slots.try_reserve_exact(length).ok()?;
        slots.resize(length, FREE);
        let old = std::mem::replace(&mut self.slots, slots);
        self.capacity *= 2;
        for slot in old.chunks(self.width) {
            if let Some((&state @ (OPEN | CLOSED), key)) = slot.split_first() {
                self.mark(key, state);
            }
        }
        Some(())
    }
}
