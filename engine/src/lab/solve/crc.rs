//! The checksum of certificates and saved searches: CRC-32 (IEEE 802.3).

/// The reflected polynomial.
const POLYNOMIAL: u32 = 0xedb8_8320;

/// For each byte, the checksum of eight divisions.
const TABLE: [u32; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    #[expect(clippy::indexing_slicing, reason = "the loop ends with the array")]
    while byte < table.len() {
        let mut rest = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            rest = if rest & 1 == 1 { rest >> 1 ^ POLYNOMIAL } else { rest >> 1 };
            bit += 1;
        }
        table[byte] = rest;
        byte += 1;
    }
    table
};

/// A checksum that is computed as the bytes come.
#[derive(Clone, Copy, Debug)]
pub struct Crc32(u32);

impl Default for Crc32 {
    fn default() -> Self {
        Self(!0)
    }
}

impl Crc32 {
    /// Adds bytes.
    pub fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            let index = usize::from(self.0 as u8 ^ byte);
            self.0 = self.0 >> 8 ^ TABLE.get(index).copied().unwrap_or(0);
        }
    }

    /// Returns the checksum of all bytes added.
    pub fn sum(self) -> u32 {
        !self.0
    }
}

/// Returns the checksum of some bytes.
pub fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = Crc32::default();
    crc.add(bytes);
    crc.sum()
}
