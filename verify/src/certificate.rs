//! The file: `protocol/certificate.md` describes it.

use std::io::{BufRead, Read};

use super::Error;
use super::replay::{Claim, Proof, Strategy, replay};
use super::rules::{Position, Variant, read_half_points};

const VERSION: &str = "1";
/// No line is longer.
const LONGEST_LINE: usize = 4096;
const BLOCK: usize = 65_536;

/// The bytes of a file, one after the other.
pub struct Source<R> {
    reader: R,
    /// Bytes that were read.
    offset: u64,
}

impl<R: BufRead> Source<R> {
    fn byte(&mut self) -> Result<Option<u8>, Error> {
        let byte = self.reader.by_ref().bytes().next().transpose();
        self.offset += u64::from(matches!(byte, Ok(Some(_))));
        byte.map_err(|error| Error::Failed(error.to_string()))
    }

    fn refused(&self, why: &str) -> Error {
        Error::Refused(format!("byte {}: {why}", self.offset))
    }

    /// Reads a line that begins with `name` and a blank, and returns the rest.
    fn line(&mut self, name: &str) -> Result<String, Error> {
        let mut line = Vec::new();
        let read = self.reader.by_ref().take(LONGEST_LINE as u64).read_until(b'\n', &mut line);
        self.offset += read.map_err(|error| Error::Failed(error.to_string()))? as u64;
        if line.pop_if(|byte| *byte == b'\n').is_none() {
            let what = if line.len() < LONGEST_LINE { "the file ends within" } else { "4096 bytes are too many for" };
            return Err(self.refused(&format!("{what} the line `{name}`")));
        }
        let text = String::from_utf8_lossy(&line);
        let rest = text.strip_prefix(name).and_then(|rest| rest.strip_prefix(' '));
        rest.map(str::to_owned).ok_or_else(|| {
            let start: String = text.chars().take(60).collect();
            self.refused(&format!("expected a line `{name} …`, found `{}`", start.escape_debug()))
        })
    }
}

/// The choices of a strategy.
pub struct Choices<'a, R> {
    source: &'a mut Source<R>,
    /// All of them, by the line of the strategy.
    pub count: u64,
    /// Choices that were read.
    pub number: u64,
    /// Choices that end in blocks that were read.
    loaded: u64,
    block: Vec<u8>,
    /// The next byte of the block.
    next: usize,
    crc_table: Vec<u32>,
}

impl<'a, R: BufRead> Choices<'a, R> {
    fn new(source: &'a mut Source<R>, count: u64) -> Self {
        let entry = |byte: u32| (0..8).fold(byte, |crc, _| crc >> 1 ^ (0xedb8_8320 * (crc & 1)));
        let crc_table = (0..256).map(entry).collect();
        Self { source, count, number: 0, loaded: 0, block: Vec::new(), next: 0, crc_table }
    }

    /// The place of the byte that was read last.
    pub fn offset(&self) -> u64 {
        // The checksum follows the rest of the block.
        let rest = self.block.len() - self.next;
        self.source.offset - if self.block.is_empty() { 0 } else { 4 + rest as u64 }
    }

    fn byte(&mut self) -> Result<u8, Error> {
        self.source.byte()?.ok_or_else(|| self.source.refused("the file ends within the choices"))
    }

    /// Reads a block: 65,536 bytes, or all that are left.
    fn load(&mut self) -> Result<(), Error> {
        let start = self.source.offset;
        self.block.clear();
        self.next = 0;
        let mut crc = u32::MAX;
        while self.block.len() < BLOCK && self.loaded < self.count {
            let byte = self.byte()?;
            self.loaded += u64::from(byte < 0x80);
            self.block.push(byte);
            let entry = self.crc_table.get(usize::from(crc as u8 ^ byte)).copied().unwrap_or(0);
            crc = crc >> 8 ^ entry;
        }
        let mut stored = 0;
        for shift in [0, 8, 16, 24] {
            stored |= u32::from(self.byte()?) << shift;
        }
        if stored != !crc {
            let why = format!("the block of choices from byte {start} is damaged: its checksum differs");
            return Err(self.source.refused(&why));
        }
        Ok(())
    }

    /// Reads the next choice. `Err` of a text: what is wrong with it.
    pub fn read(&mut self) -> Result<Result<u64, String>, Error> {
        if self.number == self.count {
            return Ok(Err(format!("a choice is needed, and the strategy has only {}", self.count)));
        }
        self.number += 1;
        let mut value = 0;
        for shift in (0..35).step_by(7) {
            if self.next == self.block.len() {
                self.load()?;
            }
            let byte = self.block.get(self.next).copied().unwrap_or(0);
            self.next += 1;
            value |= u64::from(byte & 0x7f) << shift;
            if byte == 0 && shift > 0 {
                return Ok(Err("the number has more bytes than it needs".to_owned()));
            }
            if byte < 0x80 {
                return Ok(Ok(value));
            }
        }
        Ok(Err("the number has more than five bytes".to_owned()))
    }
}

/// Reads a certificate and replays its strategies. Adds to `proof` what they prove.
pub fn check(reader: impl BufRead, memory: usize, proof: &mut Proof) -> Result<(), Error> {
    let mut source = Source { reader, offset: 0 };
    if source.line("pentalith certificate")? != VERSION {
        return Err(source.refused(&format!("the certificate is not of version {VERSION}")));
    }
    proof.variant = source.line("variant")?;
    let variant = Variant::read(&proof.variant).map_err(|why| source.refused(&why))?;
    proof.position = source.line("position")?;
    let position = Position::read(&variant, &proof.position).map_err(|why| source.refused(&why))?;
    proof.first = variant.rules.first;
    proof.from_start = variant.start().text(&variant) == proof.position;
    let count = source.line("strategies")?;
    let count = ["1", "2"].iter().position(|&number| number == count);
    let count = 1 + count.ok_or_else(|| source.refused("a certificate has 1 or 2 strategies"))?;
    let [p1, p2] = &mut proof.claims;
    for number in 1..=count {
        let line = source.line("strategy")?;
        let (strategy, choices) = read_strategy(&line, &variant).map_err(|why| source.refused(&why))?;
        let claim = if strategy.side == proof.first { &mut *p1 } else { &mut *p2 };
        if claim.replace(strategy.claim).is_some() {
            return Err(source.refused("the second strategy is of the same side as the first"));
        }
        let mut choices = Choices::new(&mut source, choices);
        let positions = replay(&variant, &position, number, &strategy, &mut choices, memory)?;
        if choices.number != choices.count {
            let why = format!("strategy {number} has {} choices and needs {}", choices.count, choices.number);
            return Err(source.refused(&why));
        }
        proof.positions += positions;
    }
    match source.byte()? {
        None => Ok(()),
        Some(_) => Err(source.refused("the certificate is over, and the file is not")),
    }
}

/// Reads `SIDE CLAIM N`.
fn read_strategy(line: &str, variant: &Variant) -> Result<(Strategy, u64), String> {
    let wrong = || format!("expected `p1` or `p2`, a claim and a number of choices, found `{}`", line.escape_debug());
    let words: Vec<&str> = line.split(' ').collect();
    let (side, claim, count) = match *words.as_slice() {
        [side, "win", count] => (side, Claim::Win, count),
        [side, "draw", count] => (side, Claim::Draw, count),
        [side, "margin", margin, count] if variant.has_points() => {
            (side, Claim::Margin(read_half_points(margin).ok_or_else(wrong)?), count)
        }
        [_, "margin", ..] => return Err(format!("{} has no points", variant.rules.name)),
        _ => return Err(wrong()),
    };
    let side = match side {
        "p1" => variant.rules.first,
        "p2" => -variant.rules.first,
        _ => return Err(wrong()),
    };
    let number = count.parse().ok().filter(|number: &u64| number.to_string() == count).ok_or_else(wrong)?;
    let name = line.strip_suffix(&format!(" {count}")).unwrap_or(line).to_owned();
    Ok((Strategy { side, claim, name }, number))
}
