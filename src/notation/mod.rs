//! Floor 1: text. What every game's notation is made of, and the errors that quote it.
//!
//! Text is read in two stages: syntax gives a step as written, and the position then says whether it is
//! legal. The two fail with different errors, and both quote the input.

pub mod diagram;
mod error;
mod mouse;
pub mod pieces;
pub mod position;
mod variant;

pub use error::{ParseError, PositionError, StepError, VariantError, counted, cut, quote, visible};
pub use mouse::{Click, Clicks};
pub use position::PositionReader;
pub use variant::{GameInfo, LEVELS, Size, SizeRule, Value, ValueKind, Variant, VariantKey};

use std::fmt::{self, Display};

use crate::board::{Bitboard, Cell, Shape};
use crate::rules::{Color, Evaluate, Game, Halves, Steps as _};
use diagram::diagram;
use position::write_board;

/// What stands on a cell: a stone, or a stack or die with its number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    /// Whose it is.
    pub color: Color,
    /// Its height or value, in games where pieces have one.
    pub number: Option<u8>,
}

impl Piece {
    /// The stone on a cell, if there is one in either player's set.
    pub fn stone<B: Bitboard>(stones: &[B; 2], cell: Cell) -> Option<Self> {
        let mut holders = Color::BOTH.into_iter().zip(stones);
        let (color, _) = holders.find(|(_, set)| set.has(cell))?;
        Some(Self {
            color,
            number: None,
        })
    }
}

impl Display for Piece {
    /// `b`, or `b3`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.color.letter())?;
        self.number.map_or(Ok(()), |number| write!(f, "{number}"))
    }
}

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

    /// The board.
    fn shape(&self) -> &Shape;

    /// What stands on a cell.
    fn piece(&self, position: &Self::Position, cell: Cell) -> Option<Piece>;

    /// How many pieces each player has on the board, Black first.
    fn pieces(&self, position: &Self::Position) -> [u32; 2] {
        let mut count = [0; 2];
        for piece in self
            .shape()
            .cells()
            .filter_map(|cell| self.piece(position, cell))
        {
            let [black, white] = &mut count;
            *(if piece.color == Color::Black {
                black
            } else {
                white
            }) += 1;
        }
        count
    }

    /// How many digits the numbers of pieces can have; 0 where pieces have none.
    fn digits(&self) -> usize {
        0
    }

    /// Whether the board itself sets a cell apart from the others.
    fn is_set_apart(&self, _cell: Cell) -> bool {
        false
    }

    /// The cells that wait for a choice of the side to move.
    fn pending(&self, _position: &Self::Position) -> Vec<Cell> {
        Vec::new()
    }

    /// The number of the piece that the side to move has to set now, where the rules choose it.
    fn to_set(&self, _position: &Self::Position) -> Option<u8> {
        None
    }

    /// What a person must know to play from a position and can't see on the board, line by line.
    fn status(&self, _position: &Self::Position) -> Vec<String> {
        Vec::new()
    }

    /// The clicks that make a legal step.
    fn clicks(&self, position: &Self::Position, step: Self::Step) -> Clicks;

    /// The field `board` of a position.
    fn write_board(&self, position: &Self::Position) -> String {
        write_board(self.shape(), |cell| match self.piece(position, cell) {
            Some(piece) => piece.to_string(),
            None => ".".to_owned(),
        })
    }

    /// The position drawn over several lines, none of them empty, so that a person can play from it.
    fn diagram(&self, position: &Self::Position) -> String {
        let width = 1 + self.digits();
        let board = diagram(self.shape(), width, |cell| {
            match self.piece(position, cell) {
                Some(piece) => piece.to_string(),
                None if self.is_set_apart(cell) => "-".repeat(width),
                None => ".".to_owned(),
            }
        });
        let mut lines = vec![board];
        lines.extend(self.status(position));
        lines.join("\n")
    }

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

    /// What kind of step the position demands, where it does not leave all kinds open, as in `a step that sets a 6`.
    fn demand(&self, _position: &Self::Position) -> Option<String> {
        None
    }

    /// Reads a legal step: both stages. A step of a form that is not legal now is told what is expected instead.
    ///
    /// # Errors
    /// Of the first stage or of the second, each quoting the text.
    fn read_step(&self, position: &Self::Position, text: &str) -> Result<Self::Step, StepError> {
        let illegal = |why: String| StepError::Illegal {
            step: text.to_owned(),
            why: match expected_now(self, position, text, "") {
                Some(expected) => format!("{why}; expected {expected}"),
                None => why,
            },
        };
        match self.parse_step(text) {
            Ok(written) => self.resolve(position, written).map_err(illegal),
            Err(error) => {
                let before: String = text.chars().take(error.column - 1).collect();
                Err(match expected_now(self, position, text, &before) {
                    Some(expected) => ParseError {
                        column: 1,
                        expected,
                        ..error
                    },
                    None => error,
                }
                .into())
            }
        }
    }
}

/// What is expected, with examples, where a text is of no form that a legal step has now, nor what stands `before` its fault
/// the beginning of one; only where that says more than the rules do.
fn expected_now<G: Notation + ?Sized>(
    game: &G,
    position: &G::Position,
    text: &str,
    before: &str,
) -> Option<String> {
    const WORDS: [&str; 3] = ["pass", "swap", "end"];
    let demand = game.demand(position);
    let steps = game.steps(position);
    let is_forced = steps.count() == 1;
    let is_word = WORDS.iter().any(|word| text.eq_ignore_ascii_case(word));
    if text.is_empty() || !is_word && !is_forced && demand.is_none() {
        return None;
    }
    // The first step of each form.
    let mut examples: Vec<(String, String)> = Vec::new();
    steps.for_each(|step| {
        let step = game.write_step(step);
        let form = form(&step);
        if !examples.iter().any(|(known, _)| *known == form) {
            examples.push((form, step));
        }
    });
    let written = form(text);
    // Half a cell is no part of a form, but it may be the beginning of one.
    let is_half = !before.is_empty() && (text.len() == 1 || !text.chars().all(char::is_alphabetic));
    let begun = form(before.trim_end_matches(|c: char| c.is_alphabetic()));
    let fits = |form: &str| {
        form == written
            || match begun.as_str() {
                "" => is_half && form.starts_with('#'),
                begun => form.starts_with(begun),
            }
    };
    if examples.iter().any(|(form, _)| fits(form)) {
        return None;
    }
    let steps: Vec<&str> = examples.iter().map(|(_, step)| step.as_str()).collect();
    let (last, others) = steps.split_last()?;
    let such_as = match others {
        [] => (*last).to_owned(),
        _ => format!("{} or {last}", others.join(", ")),
    };
    Some(match demand {
        None if is_forced => format!("{such_as}, the only step"),
        None => format!("a step such as {such_as}"),
        Some(demand) => format!("{demand}, such as {such_as}"),
    })
}

/// The form of a step as written: its cells and numbers replaced by marks.
pub fn form(text: &str) -> String {
    let text = text.to_lowercase();
    let mut form = String::new();
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let is_cell = c.is_ascii_alphabetic() && rest.peek().is_some_and(char::is_ascii_digit);
        while (is_cell || c.is_ascii_digit()) && rest.next_if(char::is_ascii_digit).is_some() {}
        form.push(match c {
            _ if is_cell => '#',
            _ if c.is_ascii_digit() => '9',
            _ => c,
        });
    }
    form
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
