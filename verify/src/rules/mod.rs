//! The rules of the five games, written from their sheets as plainly as they can be: coordinates and loops, no bit
//! tricks, nothing shared with the library. The tests compare the library with them.

mod board;
mod gravel;
mod invector;
mod inversion;
mod invictus;
mod markane;
mod position;
mod variant;

use std::fmt;

pub use board::{Board, Cell, cell, label};
pub use gravel::Used;
pub use position::{Field, Key, Position};
pub use variant::{Order, Variant, half_points, read_half_points};

/// A side: 1 for Black, -1 for White.
pub type Color = i8;
/// The side with the black pieces.
pub const BLACK: Color = 1;
/// The side with the white pieces.
pub const WHITE: Color = -1;

/// The rules of a game. The functions take a position of the variant.
pub struct Rules {
    /// The name of the game, as in a variant.
    pub name: &'static str,
    /// The side that moves first, p1.
    pub first: Color,
    /// The fields of a position line between the side to move and the turn number.
    pub fields: &'static [Field],
    /// Says what cannot belong to the variant.
    pub check: fn(&Variant, &Position) -> Result<(), String>,
    /// Appends the legal steps of the side to move in the order of the notation; none if the game is over.
    pub legal: fn(&Variant, &Position, &mut Vec<Step>),
    /// Plays a step that is legal.
    pub play: fn(&Variant, &mut Position, Step),
    /// Says how the game has ended.
    pub outcome: fn(&Variant, &Position) -> Option<Outcome>,
}

/// Every game.
pub const GAMES: [&Rules; 5] = [&invector::RULES, &gravel::RULES, &markane::RULES, &inversion::RULES, &invictus::RULES];

/// One atomic action. `Display` writes it as players do.
#[derive(Clone, Copy, PartialEq)]
pub enum Step {
    /// `c3`: a piece goes there; in Inversion perhaps the center of the hex to invert.
    At(Cell),
    /// `c3d4`: a piece moves, or captures.
    Move(Cell, Cell),
    /// `-c3`: a piece goes back to the Pool.
    Back(Cell),
    /// `xc3`: an enemy piece is removed.
    Remove(Cell),
    /// `6@c3`: a die of that value is set.
    Set(i8, Cell),
    /// `end`: the turn is over.
    End,
    /// `pass`: the side does nothing.
    Pass,
    /// `swap`: the sides change their colors.
    Swap,
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

/// The end of a game.
#[derive(Clone, Copy)]
pub struct Outcome {
    /// The winner, or 0 for a draw.
    pub winner: Color,
    /// The word for the end, such as `annihilation`.
    pub reason: &'static str,
    /// Black's points less White's, in half points, in games that count points.
    pub margin: Option<i64>,
}

impl Outcome {
    /// Returns a win without points.
    pub fn win(winner: Color, reason: &'static str) -> Self {
        Self { winner, reason, margin: None }
    }

    /// Returns the end by Black's points less White's, in half points.
    pub fn points(margin: i64, reason: &'static str) -> Self {
        Self { winner: margin.signum() as Color, reason, margin: Some(margin) }
    }
}

/// An error unless something holds.
pub fn ensure(holds: bool, otherwise: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(otherwise()) }
}

/// The number of a color among a pair: Black's first.
pub fn of(pair: [i64; 2], color: Color) -> i64 {
    let [black, white] = pair;
    if color == BLACK { black } else { white }
}

/// Adds to the number of a color among a pair.
pub fn add_to(pair: &mut [i64; 2], color: Color, number: i64) {
    let [black, white] = pair;
    *(if color == BLACK { black } else { white }) += number;
}

/// Returns the letter of a color in a position line.
pub fn letter(color: Color) -> char {
    if color == BLACK { 'b' } else { 'w' }
}

/// Returns the name of a color.
pub fn name(color: Color) -> &'static str {
    if color == BLACK { "Black" } else { "White" }
}
