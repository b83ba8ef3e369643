//! Packed files of weights, as they are built into the program.
//!
//! A file begins with lines of text: the format, the purpose of the table, remarks, its dimensions, and a checksum of
//! its weights. The weights follow as zigzag-encoded variable-length integers: signs alternate (0, -1, 1, -2, …), and
//! each byte holds seven bits, the lowest first, and a highest bit that is set if another byte follows. All of them
//! together are deflated (RFC 1951).

use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::{DecompressorOxide, decompress, inflate_flags};
use thiserror::Error;

use super::weights::{HiddenLayers, Weights};
use crate::board::Zobrist;

/// First line of every file.
const FORMAT: &str = "pentalith weights 2";

/// Compression level, of 10.
const LEVEL: u8 = 10;

/// Error of a file that does not hold the expected table.
#[derive(Error, Clone, PartialEq, Eq, Debug)]
pub enum WeightsFileError {
    /// The first line is not that of a file of weights.
    #[error("expected a file that begins with the line {FORMAT:?}")]
    Format,
    /// The file was made for another purpose, or for other features.
    #[error("the file does not fit: expected the line {expected:?}, found {found:?}")]
    Line {
        /// Line that the table requires.
        expected: String,
        /// Line in the file; empty where there is none.
        found: String,
    },
    /// The weights can't be decoded, or don't match their checksum.
    #[error("the weights in the file are damaged: {0}")]
    Damaged(&'static str),
}

/// Returns the line with the dimensions of a table and a checksum of its feature names.
fn dimensions(weights: &Weights) -> String {
    let HiddenLayers { neuron_only, inputs, neurons, second } = weights.layers();
    let names = weights.feature_names();
    let sum = checksum(names.iter().flat_map(|name| name.bytes()).map(u64::from));
    let (features, buckets) = (names.len(), weights.buckets());
    let second = if second > 0 { format!(" second {second}") } else { String::new() };
    format!("rows {features} {sum:016x} columns {buckets} only {neuron_only} inputs {inputs} units {neurons}{second}")
}

fn checksum(numbers: impl Iterator<Item = u64>) -> u64 {
    numbers.fold(0, |sum, number| Zobrist::state_key(sum ^ number).0)
}

fn checksum_of_values(values: &[i32]) -> u64 {
    checksum(values.iter().map(|&value| u64::from(value.cast_unsigned())))
}

impl Weights {
    /// Packs the table into a file.
    ///
    /// `purpose` names the variants that the table is for; `unpack` compares it. Each remark becomes a line.
    pub fn pack(&self, purpose: &str, remarks: &[&str]) -> Vec<u8> {
        let values = self.values();
        let mut lines = vec![FORMAT.to_owned(), format!("for {purpose}")];
        lines.extend(remarks.iter().map(|remark| format!("# {remark}")));
        lines.push(dimensions(self));
        lines.push(format!("values {:016x}", checksum_of_values(values)));
        let mut file: Vec<u8> = lines.into_iter().flat_map(|line| (line + "\n").into_bytes()).collect();
        let mut bytes = Vec::new();
        for value in values {
            put(&mut bytes, (value << 1 ^ value >> 31).cast_unsigned());
        }
        file.extend(compress_to_vec(&bytes, LEVEL));
        file
    }

    /// Unpacks the file of a table with the same features, output buckets and hidden layers.
    ///
    /// # Errors
    /// Returns an error where the file has another purpose, was made for other features, or is damaged.
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
        let mut remarks = String::new();
        let mut expect = |expected: String| loop {
            match line() {
                Some(remark) if remark.starts_with('#') => remarks += &format!("{remark}\n"),
                Some(found) if found == expected => {
                    remarks += &format!("# {found}\n");
                    return Ok(());
                }
                found => {
                    let found = found.unwrap_or_default().to_owned();
                    return Err(WeightsFileError::Line { expected, found });
                }
            }
        };
        expect(format!("for {purpose}"))?;
        expect(dimensions(self))?;
        let sum = line().and_then(|line| line.strip_prefix("values "));
        let sum = sum.and_then(|sum| u64::from_str_radix(sum, 16).ok());
        let sum = sum.ok_or(WeightsFileError::Damaged("no checksum"))?;
        let values = values(rest, self.len())?;
        if checksum_of_values(&values) != sum {
            return Err(WeightsFileError::Damaged("wrong checksum"));
        }
        Ok(self.with_values(values).with_remarks(&remarks))
    }

    /// Packs the table into a file with the purpose and the remarks of the file that it came from.
    pub fn repack(&self) -> Vec<u8> {
        let lines = self.remarks().lines().map(|line| line.trim_start_matches("# "));
        let (mut purpose, mut remarks) = ("", Vec::new());
        for line in lines {
            match line.strip_prefix("for ") {
                Some(text) if purpose.is_empty() => purpose = text,
                _ if line == dimensions(self) => {}
                _ => remarks.push(line),
            }
        }
        self.pack(purpose, &remarks)
    }

    /// Unpacks a file that is part of the program.
    ///
    /// # Panics
    /// Panics where the file does not fit. A test opens a variant with each of the files.
    pub fn built_in(
        feature_names: Vec<String>,
        buckets: usize,
        layers: HiddenLayers,
        purpose: &str,
        file: &[u8],
    ) -> Self {
        #[expect(clippy::expect_used, reason = "a table of zeros instead would hide a build with wrong files")]
        Self::zeros(feature_names, buckets, layers).unpack(purpose, file).expect("a built-in table of weights")
    }
}

/// Appends a number as a variable-length integer.
fn put(bytes: &mut Vec<u8>, mut number: u32) {
    while number >= 1 << 7 {
        bytes.push(number as u8 | 1 << 7);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Inflates at most `limit` bytes; returns `None` where the data is truncated, damaged or longer.
fn inflate(deflated: &[u8], limit: usize) -> Option<Vec<u8>> {
    let mut bytes = vec![0; limit];
    let (mut state, flags) = (DecompressorOxide::new(), inflate_flags::TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF);
    let (status, read, written) = decompress(&mut state, deflated, &mut bytes, 0, flags);
    bytes.truncate(written);
    (status == TINFLStatus::Done && read == deflated.len()).then_some(bytes)
}

/// Decodes exactly `count` weights.
fn values(deflated: &[u8], count: usize) -> Result<Vec<i32>, WeightsFileError> {
    // A number takes no more than five bytes.
    let bytes = inflate(deflated, 5 * count).ok_or(WeightsFileError::Damaged("can't inflate them"))?;
    let mut bytes = bytes.as_slice();
    let mut next = || {
        let mut number = 0_u32;
        for group in 0..5 {
            let (byte, rest) = bytes.split_first()?;
            bytes = rest;
            number |= u32::from(byte & 0x7f) << (7 * group);
            if byte >> 7 == 0 {
                return Some(number);
            }
        }
        None
    };
    let mut values = Vec::with_capacity(count);
    while values.len() < count {
        let number = next().ok_or(WeightsFileError::Damaged("too few"))?;
        values.push((number >> 1).cast_signed() ^ -(number & 1).cast_signed());
    }
    match bytes {
        [] => Ok(values),
        _ => Err(WeightsFileError::Damaged("too many")),
    }
}
