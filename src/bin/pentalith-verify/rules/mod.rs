//! The rules of the five games, written from their sheets as plainly as they can be: coordinates and loops, no bit
//! tricks, nothing shared with the library. The tests compare the library with them.

mod board;
mod gravel;
mod invector;
mod inversion;
mod invictus;
mod markane;
mod variant;

use std::fmt;

pub use board::{Board, Cell, Key};
pub use variant::{Order, Variant, half_points};

/// A side: 1 for Black, -1 for White.
pub type Color = i8;
pub const BLACK: Color = 1;
pub const WHITE: Color = -1;

/// One atomic action. The rules decide which are legal; `Display` writes them as players do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// `c3`: a piece goes there; in Inversion perhaps the centre of the hex to invert.
    At(Cell),
    /// `c3d4`: a piece moves, or captures.
    Move(Cell, Cell),
    /// `-c3`: a piece goes back to the Pool.
    Back(Cell),
    /// `xc3`: an enemy piece is removed.
    Remove(Cell),
    /// `6@c3`: a die of that value is set.
    Set(i8, Cell),
    End,
    Pass,
    Swap,
}

/// How a game has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// The winner, or 0 for a draw.
    pub winner: Color,
    pub reason: &'static str,
    /// Black's points less White's, in half points, in games that count points.
    pub margin: Option<i64>,
}

impl Outcome {
    pub fn win(winner: Color, reason: &'static str) -> Self {
        let margin = None;
        Self {
            winner,
            reason,
            margin,
        }
    }

    pub fn points(margin: i64, reason: &'static str) -> Self {
        let (winner, margin) = (margin.signum() as Color, Some(margin));
        Self {
            winner,
            reason,
            margin,
        }
    }
}

/// A position of one game, with the rules of its variant.
pub trait Position: Clone {
    /// Returns the position at the start of the game.
    fn start(variant: &Variant) -> Self;
    /// Reads the fields of a position line into the start of the game.
    fn read(&mut self, fields: &mut Fields) -> Result<(), String>;
    /// Says what cannot belong to the variant.
    fn check(&self) -> Result<(), String>;
    /// Writes the position line.
    fn text(&self) -> String;
    /// Writes what tells this position from others: all of the line, the turn number as by `turn_digit`.
    fn key(&self, key: &mut Key);
    fn side(&self) -> Color;
    /// Appends the legal steps of the side to move in the order of the notation; none if the game is over.
    fn legal(&self, steps: &mut Vec<Step>);
    /// Plays a step that is legal.
    fn play(&mut self, step: Step);
    fn outcome(&self) -> Option<Outcome>;
}

/// What shall be done with the position of a variant, whichever its game.
pub trait Visit {
    type Result;
    fn visit<P: Position + 'static>(self, position: P) -> Self::Result;
}

/// Reads a position of a variant, or takes its start, and passes it on.
pub fn open<V: Visit>(
    variant: &Variant,
    line: Option<&str>,
    visit: V,
) -> Result<V::Result, String> {
    match variant.name {
        "invector" => Ok(visit.visit(read::<invector::Invector>(variant, line)?)),
        "gravel" => Ok(visit.visit(read::<gravel::Gravel>(variant, line)?)),
        "markane" => Ok(visit.visit(read::<markane::Markane>(variant, line)?)),
        "inversion" => Ok(visit.visit(read::<inversion::Inversion>(variant, line)?)),
        _ => Ok(visit.visit(read::<invictus::Invictus>(variant, line)?)),
    }
}

fn read<P: Position>(variant: &Variant, line: Option<&str>) -> Result<P, String> {
    let mut position = P::start(variant);
    let Some(line) = line else {
        return Ok(position);
    };
    let mut fields = Fields(line.split(' '));
    position.read(&mut fields)?;
    if fields.0.next().is_some() {
        return Err("the position has too many fields".to_owned());
    }
    position.check()?;
    let written = position.text();
    if written != line {
        return Err(format!(
            "the position is not as the notation writes it: `{written}`"
        ));
    }
    Ok(position)
}

/// The fields of a position line that are still to be read.
pub struct Fields<'a>(std::str::Split<'a, char>);

impl<'a> Fields<'a> {
    pub fn text(&mut self, name: &str) -> Result<&'a str, String> {
        self.0
            .next()
            .ok_or_else(|| format!("the position has no field `{name}`"))
    }

    pub fn side(&mut self) -> Result<Color, String> {
        match self.text("side")? {
            "b" => Ok(BLACK),
            "w" => Ok(WHITE),
            other => Err(format!("the side to move is `b` or `w`, not `{other}`")),
        }
    }

    pub fn number(&mut self, name: &str) -> Result<i64, String> {
        number(self.text(name)?, name)
    }

    /// Reads Black's number and White's.
    pub fn pair(&mut self, name: &str) -> Result<[i64; 2], String> {
        let text = self.text(name)?;
        let (black, white) = text
            .split_once(',')
            .ok_or_else(|| format!("`{name}` is two numbers, not `{text}`"))?;
        Ok([number(black, name)?, number(white, name)?])
    }
}

/// The largest number in a position line.
pub const LARGEST: i64 = 999_999_999;

pub fn number(text: &str, name: &str) -> Result<i64, String> {
    let number = text
        .parse()
        .ok()
        .filter(|number| (0..=LARGEST).contains(number));
    number.ok_or_else(|| format!("`{name}` is a number from 0 to {LARGEST}, not `{text}`"))
}

/// An error unless something holds.
pub fn ensure(holds: bool, otherwise: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(otherwise()) }
}

/// The side to move is the first player's in odd turns.
pub fn check_side(first: Color, side: Color, turn: i64) -> Result<(), String> {
    ensure(turn >= 1, || "turns count from 1".to_owned())?;
    let expected = if turn % 2 == 1 { first } else { -first };
    ensure(side == expected, || {
        format!("{} is to move at turn {turn}", letter(expected))
    })
}

/// What matters of a turn number: whether it is 1 or 2, and whether it is odd.
pub fn turn_digit(turn: i64) -> i64 {
    if turn <= 4 { turn } else { 4 - turn % 2 }
}

/// The number of a colour among a pair: Black's first.
pub fn of<T: Copy>(pair: [T; 2], color: Color) -> T {
    let [black, white] = pair;
    if color == BLACK { black } else { white }
}

pub fn of_mut<T>(pair: &mut [T; 2], color: Color) -> &mut T {
    let [black, white] = pair;
    if color == BLACK { black } else { white }
}

pub fn letter(color: Color) -> char {
    if color == BLACK { 'b' } else { 'w' }
}

const COLUMNS: &str = "abcdefghjklmnopqrstuvwxyz";

pub fn label((x, y): Cell) -> String {
    let column = COLUMNS.chars().nth(x as usize).unwrap_or('?');
    format!("{column}{}", y + 1)
}

/// Reads a label; the cell may lie off the board.
pub fn cell(label: &str) -> Option<Cell> {
    let column = label.chars().next()?;
    let x = COLUMNS.find(column)? as i8;
    let rank: i8 = label.get(1..)?.parse().ok()?;
    Some((x, rank.checked_sub(1)?))
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match *self {
            Self::At(at) => write!(f, "{}", label(at)),
            Self::Move(from, to) => write!(f, "{}{}", label(from), label(to)),
            Self::Back(from) => write!(f, "-{}", label(from)),
            Self::Remove(at) => write!(f, "x{}", label(at)),
            Self::Set(value, at) => write!(f, "{value}@{}", label(at)),
            Self::End => write!(f, "end"),
            Self::Pass => write!(f, "pass"),
            Self::Swap => write!(f, "swap"),
        }
    }
}
