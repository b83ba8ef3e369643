//! Positions: their fields, their lines, and the keys that tell them apart.

use super::*;

/// A position of any game; fields that its game does not have stay as they are at the start.
#[derive(Clone)]
pub struct Position {
    /// The pieces.
    pub board: Board,
    /// The side to move.
    pub side: Color,
    /// Placements that the turn still owes, in Markane.
    pub owed: i64,
    /// The actions of the turn until now, in Gravel.
    pub used: Used,
    /// Of Black and of White: the losses in Gravel, the points in Invictus.
    pub pair: [i64; 2],
    /// The die that the side to move has to set, in Invictus, or 0.
    pub hand: i8,
    /// Turns without a removal or without progress.
    pub stall: i64,
    /// The centers of the completed hexes that wait for a choice, in cell order, in Inversion.
    pub pending: Vec<Cell>,
    /// The turn, from 1.
    pub turn: i64,
}

/// A field of a position line.
#[derive(Clone, Copy)]
pub enum Field {
    /// Placements that the turn still owes.
    Owed,
    /// Actions of the turn.
    Used,
    /// Pieces that each side has lost.
    Removed,
    /// Points of each side.
    Scored,
    /// The die to be set.
    Hand,
    /// Turns without a removal or without progress.
    Stall,
    /// Hexes that wait for a choice.
    Pending,
}

/// The largest number in a position line.
const LARGEST: i64 = 999_999_999;

pub fn number(text: &str) -> Result<i64, String> {
    let number = text.parse().ok().filter(|number| (0..=LARGEST).contains(number));
    number.ok_or_else(|| format!("`{text}` is no number from 0 to {LARGEST}"))
}

impl Position {
    /// Reads a position line, which must be as `text` writes it.
    pub fn read(variant: &Variant, line: &str) -> Result<Self, String> {
        let mut position = variant.start();
        let mut fields = line.split(' ');
        let mut next = || fields.next().ok_or("the position has too few fields");
        position.board.read(next()?)?;
        position.side = if next()? == "b" { BLACK } else { WHITE };
        for field in variant.rules.fields {
            position.read_field(*field, next()?)?;
        }
        position.turn = number(next()?)?;
        ensure(position.turn >= 1, || "turns count from 1".to_owned())?;
        let written = position.text(variant);
        ensure(written == line, || format!("the position is not as the notation writes it, which may be `{written}`"))?;
        // Where players take turns choosing a hex, either may be to move.
        let expected = variant.rules.first * if position.turn % 2 == 1 { 1 } else { -1 };
        let either = variant.order == Order::Alternate && !position.pending.is_empty();
        let wrong = || format!("{} is to move at turn {}", letter(expected), position.turn);
        ensure(position.side == expected || either, wrong)?;
        (variant.rules.check)(variant, &position)?;
        Ok(position)
    }

    fn read_field(&mut self, field: Field, text: &str) -> Result<(), String> {
        match field {
            Field::Owed => self.owed = number(text)?,
            Field::Used => self.used = Used::read(text),
            Field::Removed | Field::Scored => {
                let (black, white) = text.split_once(',').ok_or_else(|| format!("`{text}` is no pair of numbers"))?;
                self.pair = [number(black)?, number(white)?];
            }
            Field::Hand => self.hand = text.get(1..).and_then(|value| value.parse().ok()).unwrap_or(0),
            Field::Stall => self.stall = number(text)?,
            Field::Pending => self.pending = text.split('+').filter_map(cell).collect(),
        }
        Ok(())
    }

    /// Writes the position line.
    pub fn text(&self, variant: &Variant) -> String {
        let mut text = format!("{} {}", self.board.text(), letter(self.side));
        for field in variant.rules.fields {
            text.push(' ');
            text += &match field {
                Field::Owed => self.owed.to_string(),
                Field::Used => self.used.text(),
                Field::Removed | Field::Scored => self.pair.map(|number| number.to_string()).join(","),
                Field::Hand if self.hand > 0 => format!("{}{}", letter(self.side), self.hand),
                Field::Stall => self.stall.to_string(),
                Field::Pending if !self.pending.is_empty() => {
                    let centers: Vec<String> = self.pending.iter().map(|&center| label(center)).collect();
                    centers.join("+")
                }
                Field::Hand | Field::Pending => "-".to_owned(),
            };
        }
        format!("{text} {}", self.turn)
    }

    /// Writes all of the line into a key; of the turn number, whether it is 1 or 2 and whether it is odd.
    fn write_key(&self, variant: &Variant, key: &mut Key) {
        for cell in self.board.cells() {
            let most = i64::from(self.board.most);
            key.push(i64::from(self.board.at(cell)) + most, 2 * most + 1);
        }
        key.push(i64::from(self.side == BLACK), 2);
        for field in variant.rules.fields {
            let [black, white] = self.pair;
            match field {
                Field::Owed => key.push(self.owed, 1000),
                Field::Used => {
                    key.push(self.used.placed, variant.x + 1);
                    key.push(self.used.removed, variant.x + 1);
                    key.push(i64::from(self.used.removed_first), 2);
                }
                Field::Removed => key.push(1000 * black + white, 1_000_000),
                Field::Scored => {
                    // Nobody can score more than a few hundred points from here.
                    key.push(black, 2 * LARGEST);
                    key.push(white, 2 * LARGEST);
                }
                Field::Hand => key.push(i64::from(self.hand), 6),
                Field::Stall => key.push(self.stall, 20_000),
                Field::Pending => {
                    self.board.cells().for_each(|cell| key.push(i64::from(self.pending.contains(&cell)), 2));
                }
            }
        }
        key.push(if self.turn <= 4 { self.turn } else { 4 - self.turn % 2 }, 5);
    }

    /// The side to move's pieces change sides with the other's, and so do the numbers of the pair.
    pub fn swap(&mut self) {
        self.board.exchange_colors();
        self.pair.reverse();
    }
}

/// A position as bytes, equal only for equal positions: the digits of a number, each with its own base. The bases
/// are the same for all positions of a variant, and so is the length.
#[derive(Default)]
pub struct Key {
    /// The digits that are full.
    pub bytes: Vec<u8>,
    number: u64,
    /// The number is below this.
    range: u64,
}

impl Key {
    /// Makes this the key of a position.
    pub fn set(&mut self, variant: &Variant, position: &Position) {
        self.bytes.clear();
        (self.number, self.range) = (0, 1);
        position.write_key(variant, self);
        self.flush();
    }

    fn push(&mut self, digit: i64, base: i64) {
        assert!((0..base).contains(&digit), "{digit} is no digit below {base}");
        let (digit, base) = (digit as u64, base as u64);
        match self.range.checked_mul(base) {
            Some(range) => (self.number, self.range) = (self.number * base + digit, range),
            None => {
                self.flush();
                (self.number, self.range) = (digit, base);
            }
        }
    }

    /// Writes the bytes that a number of this range can have.
    fn flush(&mut self) {
        let length = (64 - (self.range - 1).leading_zeros()).div_ceil(8) as usize;
        self.bytes.extend(self.number.to_le_bytes().iter().take(length));
    }
}
