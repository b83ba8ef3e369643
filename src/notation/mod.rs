//! Floor 1: text. What every game's notation is made of, and the errors that quote it.
//!
//! Text is read in two stages: syntax gives a step as written, and the position then says whether it is
//! legal. The two fail with different errors, and both quote the input.

mod diagram;
mod error;
pub mod pieces;
mod position;
mod variant;

pub use diagram::diagram;
pub use error::{ParseError, PositionError, StepError, VariantError, cut, quote};
pub use position::{PositionReader, stone_letter, write_board};
pub use variant::{GameInfo, Size, SizeRule, Value, ValueKind, Variant, VariantKey};

use crate::game::{Evaluate, Game, Halves};

/// How a game is written and read. The texts are fixed to the character by `games.md`.
pub trait Notation: Game {
    /// A step as it stands in a text, not yet known to be legal.
    type Written;

    /// Reads the syntax of a step.
    ///
    /// # Errors
    /// Says at which column what was expected.
    fn parse_step(&self, text: &str) -> Result<Self::Written, ParseError>;

    /// Finds the legal step that is meant.
    ///
    /// # Errors
    /// Says why the position has no such step.
    fn resolve(
        &self,
        position: &Self::Position,
        written: Self::Written,
    ) -> Result<Self::Step, String>;

    /// The text of a step.
    fn write_step(&self, step: Self::Step) -> String;

    /// Reads a position.
    ///
    /// # Errors
    /// Names every fault at once.
    fn parse_position(&self, text: &str) -> Result<Self::Position, PositionError>;

    /// The text of a position: one line.
    fn write_position(&self, position: &Self::Position) -> String;

    /// The position drawn over several lines, none of them empty, so that a person can play from it.
    fn diagram(&self, position: &Self::Position) -> String;

    /// The numbers that the game counts, by name; at least `b` and `w`.
    fn counts(&self, position: &Self::Position) -> Vec<(&'static str, Halves)>;

    /// By how much the winner of a finished game won, in games that have points.
    fn margin(&self, _position: &Self::Position) -> Option<Halves> {
        None
    }

    /// The step that a client means who can only say `pass`: `swap`, or Gravel's `end`.
    fn meant_by_pass(&self, _position: &Self::Position) -> Option<Self::Step> {
        None
    }

    /// Reads a legal step: both stages.
    ///
    /// # Errors
    /// Of the first stage or of the second, each quoting the text.
    fn read_step(&self, position: &Self::Position, text: &str) -> Result<Self::Step, StepError> {
        let written = self.parse_step(text)?;
        self.resolve(position, written)
            .map_err(|why| StepError::Illegal {
                step: text.to_owned(),
                why,
            })
    }
}

/// Why `swap` is not legal.
pub fn why_no_swap(pie: bool) -> String {
    match pie {
        true => "swap is for the start of turn 2".to_owned(),
        false => "this variant has no pie rule (pie=off)".to_owned(),
    }
}

/// All that a game must be to be played here.
pub trait Playable: Notation + Evaluate {}

impl<G: Notation + Evaluate> Playable for G {}

/// Generic code to be run on a game that is only known when the variant is: the way from the catalogue
/// into everything that is compiled once a game.
pub trait GameVisitor {
    /// What the code gives back.
    type Output;

    /// Runs it.
    fn visit<G: Playable>(self, game: G) -> Self::Output;
}
