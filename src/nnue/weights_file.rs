//! The files of weights that the program has built in: lines of text that say what the table is for and how large it is,
//! then the numbers, deflated.
//!
//! A number is written in groups of seven bits, the lowest first, each in a byte whose highest bit says that more follow;
//! signs alternate (0, -1, 1, -2, …). All of them together are deflated (RFC 1951).

use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::{DecompressorOxide, decompress, inflate_flags};
use thiserror::Error;

use super::weights::{Layer, Weights};
use crate::board::Zobrist;

/// The first line.
const FORMAT: &str = "pentalith weights 2";

/// How hard the packer tries, of 10.
const LEVEL: u8 = 10;

/// Why a file is no table of the game that wants it.
#[derive(Error, Clone, PartialEq, Eq, Debug)]
pub enum WeightsFileError {
    /// It does not begin as such files do.
    #[error("the file does not begin with the line {FORMAT:?}")]
    Format,
    /// A line of the beginning is missing or is another one.
    #[error("the file has the line {found:?} where {expected:?} is wanted")]
    Line {
        /// What the game wants.
        expected: String,
        /// What the file has.
        found: String,
    },
    /// The numbers end early, go on, or are not those that were written.
    #[error("the numbers of the file are damaged: {0}")]
    Numbers(&'static str),
}

/// How large a table is, and a checksum of its rows.
fn measures(weights: &Weights) -> String {
    let Layer {
        only,
        features,
        neurons,
    } = weights.layer();
    let names = weights.rows().iter().flat_map(|name| name.bytes());
    let names = checksum(names.map(u64::from));
    let (rows, buckets) = (weights.rows().len(), weights.buckets());
    format!(
        "rows {rows} {names:016x} columns {buckets} only {only} inputs {features} units {neurons}"
    )
}

fn checksum(numbers: impl Iterator<Item = u64>) -> u64 {
    numbers.fold(0, |sum, number| Zobrist::state_key(sum ^ number).0)
}

fn checksum_of_values(values: &[i32]) -> u64 {
    checksum(values.iter().map(|&value| u64::from(value.cast_unsigned())))
}

impl Weights {
    /// The file of this table: what it is for, remarks, each a line, and the numbers.
    pub fn pack(&self, purpose: &str, remarks: &[&str]) -> Vec<u8> {
        let values = self.values();
        let mut lines = vec![FORMAT.to_owned(), format!("for {purpose}")];
        lines.extend(remarks.iter().map(|remark| format!("# {remark}")));
        lines.push(measures(self));
        lines.push(format!("values {:016x}", checksum_of_values(values)));
        let mut file: Vec<u8> = lines
            .into_iter()
            .flat_map(|line| (line + "\n").into_bytes())
            .collect();
        let mut numbers = Vec::new();
        for value in values {
            put(&mut numbers, (value << 1 ^ value >> 31).cast_unsigned());
        }
        file.extend(compress_to_vec(&numbers, LEVEL));
        file
    }

    /// Reads the file of a table with the same rows, buckets and network.
    ///
    /// # Errors
    /// Says where the file is another one, or damaged.
    pub fn unpack(&self, purpose: &str, file: &[u8]) -> Result<Self, WeightsFileError> {
        let mut rest = file;
        let mut line = || {
            let end = rest.iter().position(|&byte| byte == b'\n')?;
            let (line, others) = rest.split_at_checked(end)?;
            rest = others.get(1..)?;
            std::str::from_utf8(line).ok()
        };
        if line() != Some(FORMAT) {
            return Err(WeightsFileError::Format);
        }
        let mut about = String::new();
        let mut wanted = |expected: String| loop {
            match line() {
                Some(remark) if remark.starts_with('#') => about += &format!("{remark}\n"),
                Some(found) if found == expected => {
                    about += &format!("# {found}\n");
                    return Ok(());
                }
                found => {
                    let found = found.unwrap_or_default().to_owned();
                    return Err(WeightsFileError::Line { expected, found });
                }
            }
        };
        wanted(format!("for {purpose}"))?;
        wanted(measures(self))?;
        let sum = line().and_then(|line| line.strip_prefix("values "));
        let sum = sum.and_then(|sum| u64::from_str_radix(sum, 16).ok());
        let sum = sum.ok_or(WeightsFileError::Numbers("there is no checksum"))?;
        let values = values(rest, self.len())?;
        if checksum_of_values(&values) != sum {
            return Err(WeightsFileError::Numbers("the checksum is another one"));
        }
        Ok(self.with(values).about(&about))
    }

    /// The file of this table, for what its own file says.
    pub fn repack(&self) -> Vec<u8> {
        let about = self
            .said()
            .lines()
            .map(|line| line.trim_start_matches("# "));
        let (mut purpose, mut remarks) = ("", Vec::new());
        for line in about {
            match line.strip_prefix("for ") {
                Some(text) if purpose.is_empty() => purpose = text,
                _ if line == measures(self) => {}
                _ => remarks.push(line),
            }
        }
        self.pack(purpose, &remarks)
    }

    /// The table of a file that is part of the program.
    ///
    /// # Panics
    /// Where it does not fit: a test opens a variant with each of them.
    pub fn built_in(
        rows: Vec<String>,
        buckets: usize,
        layer: Layer,
        purpose: &str,
        file: &[u8],
    ) -> Self {
        #[expect(
            clippy::expect_used,
            reason = "a table of zeros in its place would hide that"
        )]
        Self::empty(rows, buckets, layer)
            .unpack(purpose, file)
            .expect("a built-in table of weights")
    }
}

fn put(numbers: &mut Vec<u8>, mut number: u32) {
    while number >= 1 << 7 {
        numbers.push(number as u8 | 1 << 7);
        number >>= 7;
    }
    numbers.push(number as u8);
}

/// Inflates at most `most` bytes; nothing where the file is cut, damaged or longer than that.
fn inflate(deflated: &[u8], most: usize) -> Option<Vec<u8>> {
    let mut bytes = vec![0; most];
    let (mut state, flags) = (
        DecompressorOxide::new(),
        inflate_flags::TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF,
    );
    let (status, read, written) = decompress(&mut state, deflated, &mut bytes, 0, flags);
    bytes.truncate(written);
    (status == TINFLStatus::Done && read == deflated.len()).then_some(bytes)
}

/// Reads exactly `count` numbers.
fn values(deflated: &[u8], count: usize) -> Result<Vec<i32>, WeightsFileError> {
    // A number takes no more than five bytes.
    let bytes =
        inflate(deflated, 5 * count).ok_or(WeightsFileError::Numbers("they can't be inflated"))?;
    let mut bytes = bytes.as_slice();
    let mut next = || {
        let mut number = 0_u32;
        for place in 0..5 {
            let (byte, rest) = bytes.split_first()?;
            bytes = rest;
            number |= u32::from(byte & 0x7f) << (7 * place);
            if byte >> 7 == 0 {
                return Some(number);
            }
        }
        None
    };
    let mut values = Vec::with_capacity(count);
    while values.len() < count {
        let number = next().ok_or(WeightsFileError::Numbers("they end early"))?;
        values.push((number >> 1).cast_signed() ^ -(number & 1).cast_signed());
    }
    match bytes {
        [] => Ok(values),
        _ => Err(WeightsFileError::Numbers("there are too many")),
    }
}
