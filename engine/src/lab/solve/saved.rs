//! Saved searches: bounds and table, so that a search can go on later.

use std::io::{self, BufRead, BufWriter, Read, Write};

use super::crc::Crc32;
use super::search::Goal;
use super::table::{Entry, Table};
use crate::text::quote;

/// First line of a saved search.
const HEAD: &str = "pentalith solve 1";

/// Longest line of the head, in bytes.
const MAX_LINE: u64 = 1 << 16;

/// The contents of a saved search besides its table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Saved {
    /// The variant, in its canonical form.
    pub variant: String,
    /// The position that is solved.
    pub position: String,
    /// Bounds of the first player's result.
    pub bounds: [i32; 2],
    /// Number of positions searched.
    pub positions: u64,
    /// Time of the search, in milliseconds.
    pub milliseconds: u64,
    /// The thresholds that the codes of the table are about.
    pub goals: Vec<Goal>,
}

/// A writer that adds up the checksum.
struct Summing<W> {
    inner: W,
    crc: Crc32,
}

impl<W: Write> Summing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.crc.add(bytes);
        self.inner.write_all(bytes)
    }
}

/// Writes a search.
///
/// # Errors
/// Those of the writer.
pub fn write(saved: &Saved, table: &Table, output: &mut dyn Write) -> io::Result<()> {
    let mut output = Summing { inner: BufWriter::with_capacity(1 << 20, output), crc: Crc32::default() };
    let Saved { variant, position, bounds: [least, most], positions, milliseconds, goals } = saved;
    let mut head = format!("{HEAD}\nvariant {variant}\nposition {position}\nbounds {least} {most}\n");
    head += &format!("searched {positions} {milliseconds}\ngoals {}\n", goals.len());
    for Goal { least, below, above } in goals {
        head += &format!("goal {least} {below} {above}\n");
    }
    head += &format!("entries {}\n", table.entries().count());
    output.write(head.as_bytes())?;
    for entry in table.entries() {
        output.write(&entry.code.to_le_bytes())?;
        for number in [entry.proof, entry.disproof, entry.work] {
            output.write(&number.to_le_bytes())?;
        }
    }
    let sum = output.crc.sum();
    output.inner.write_all(&sum.to_le_bytes())?;
    output.inner.flush()
}

/// A reader that adds up the checksum.
struct Reader<R> {
    inner: R,
    crc: Crc32,
}

fn wrong<T>(what: String) -> io::Result<T> {
    Err(io::Error::new(io::ErrorKind::InvalidData, what))
}

impl<R: BufRead> Reader<R> {
    /// Reads a line that begins with a word. Returns what follows the word.
    fn line(&mut self, word: &str) -> io::Result<String> {
        let mut line = Vec::new();
        self.inner.by_ref().take(MAX_LINE).read_until(b'\n', &mut line)?;
        self.crc.add(&line);
        let line = String::from_utf8_lossy(&line);
        let line = line.strip_suffix('\n').unwrap_or(&line);
        match line.strip_prefix(word).and_then(|rest| rest.strip_prefix(' ')) {
            Some(rest) => Ok(rest.to_owned()),
            None => wrong(format!("no saved search: expected {word}, found {}", quote(line))),
        }
    }

    /// Reads a line of a word and numbers.
    fn numbers<T: std::str::FromStr, const N: usize>(&mut self, word: &str) -> io::Result<[T; N]> {
        let line = self.line(word)?;
        let numbers: Vec<T> = line.split(' ').map_while(|number| number.parse().ok()).collect();
        match numbers.try_into() {
            Ok(numbers) => Ok(numbers),
            Err(_) => wrong(format!("no saved search: bad numbers after {word}: {}", quote(&line))),
        }
    }

    fn exact<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let mut bytes = [0; N];
        self.inner.read_exact(&mut bytes).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => io::Error::new(io::ErrorKind::InvalidData, "the saved search is cut off"),
            _ => error,
        })?;
        Ok(bytes)
    }
}

/// Reads a search of a variant and position, and enters what it knows into a table.
///
/// # Errors
/// If it is none, is damaged, or is one of another variant or position. The table is useless then.
pub fn read(input: impl BufRead, variant: &str, position: &str, table: &mut Table) -> io::Result<Saved> {
    let mut input = Reader { inner: input, crc: Crc32::default() };
    let version = input.line("pentalith solve")?;
    if version != "1" {
        return wrong(format!("a saved search of version {}; 1 is known", quote(&version)));
    }
    for (word, wanted) in [("variant", variant), ("position", position)] {
        let found = input.line(word)?;
        if found != wanted {
            let (found, wanted) = (quote(&found), quote(wanted));
            return wrong(format!("the saved search is of the {word} {found}, not of {wanted}"));
        }
    }
    let bounds = input.numbers("bounds")?;
    let [positions, milliseconds] = input.numbers("searched")?;
    let [count]: [usize; 1] = input.numbers("goals")?;
    if count > super::code::MAX_GOALS {
        return wrong(format!("no saved search: {count} goals"));
    }
    let mut goals = Vec::new();
    for _ in 0..count {
        let [least, below, above] = input.numbers("goal")?;
        goals.push(Goal { least, below, above });
    }
    let [entries]: [u64; 1] = input.numbers("entries")?;
    for _ in 0..entries {
        let bytes: [u8; 28] = input.exact()?;
        input.crc.add(&bytes);
        let number = |range: std::ops::Range<usize>| {
            let bytes = bytes.get(range).unwrap_or_default().iter().rev();
            bytes.fold(0_u128, |number, byte| number << 8 | u128::from(*byte))
        };
        let (proof, disproof) = (number(16..20) as u32, number(20..24) as u32);
        table.put(Entry::new(number(0..16), proof, disproof, number(24..28) as u64));
    }
    let sum = input.crc.sum();
    if u32::from_le_bytes(input.exact()?) != sum {
        return wrong("the saved search is damaged: its checksum is wrong".to_owned());
    }
    if input.inner.fill_buf().is_ok_and(|rest| !rest.is_empty()) {
        return wrong("something follows the saved search".to_owned());
    }
    Ok(Saved { variant: variant.to_owned(), position: position.to_owned(), bounds, positions, milliseconds, goals })
}
