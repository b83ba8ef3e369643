//! The text of the steps that games share: `c3`, `c3d4`, `pass`, `swap`.

use nom::Parser;
use nom::branch::alt;
use nom::character::complete::one_of;
use nom::combinator::value;
use nom::sequence::separated_pair;

use super::pieces::{cell, read, word};
use crate::board::{Bitboard, Cell};
use crate::rules::{CellStep, Click, Clicks, Color, DirectedStep, Geometry, Notation, ParsedMove, Position, StepText};
use crate::text::ParseError;

impl StepText for CellStep {
    type Parsed = Self;

    const PASS_ALIASES: &'static [Self] = &[Self::SWAP];

    fn parse(geometry: Geometry<'_>, text: &str) -> Result<Self, ParseError> {
        let swap = value(Self::SWAP, word("swap"));
        read(text, alt((swap, cell(geometry.shape).map(Self::new))))
    }

    fn resolve(_geometry: Geometry<'_>, parsed: Self) -> Option<Self> {
        Some(parsed)
    }

    fn write(self, geometry: Geometry<'_>) -> String {
        match self {
            Self::SWAP => "swap".to_owned(),
            _ => geometry.shape.label(self.cell()),
        }
    }

    fn clicks(self, _geometry: Geometry<'_>) -> Clicks {
        match self {
            Self::SWAP => Clicks::one(Click::Pass),
            _ => Clicks::on(self.cell()),
        }
    }

    fn on(cell: Cell) -> Option<Self> {
        Some(Self::new(cell))
    }
}

impl<const K: usize> StepText for DirectedStep<K> {
    type Parsed = ParsedMove;

    const PASS_ALIASES: &'static [Self] = &[Self::SWAP];

    fn parse(Geometry { shape, .. }: Geometry<'_>, text: &str) -> Result<ParsedMove, ParseError> {
        // The form with a separator is tried first, and the parser backtracks, because x may be a column.
        let marked = separated_pair(cell(shape), one_of("-xX"), cell(shape));
        let plain = (cell(shape), cell(shape));
        let step = alt((marked, plain)).map(|(from, to)| ParsedMove::Move(from, to));
        let pass = value(ParsedMove::Pass, word("pass"));
        let swap = value(ParsedMove::Swap, word("swap"));
        read(text, alt((pass, swap, step)))
    }

    fn resolve(geometry: Geometry<'_>, parsed: ParsedMove) -> Option<Self> {
        match parsed {
            ParsedMove::Move(from, to) => Some(Self::new(from, geometry.direction(from, to)?)),
            ParsedMove::Pass => Some(Self::PASS),
            ParsedMove::Swap => Some(Self::SWAP),
        }
    }

    fn write(self, geometry: Geometry<'_>) -> String {
        if self == Self::PASS {
            "pass".to_owned()
        } else if self == Self::SWAP {
            "swap".to_owned()
        } else {
            write_move(geometry, self.from(), self.direction())
        }
    }

    fn clicks(self, geometry: Geometry<'_>) -> Clicks {
        if self.is_special() {
            return Clicks::one(Click::Pass);
        }
        click_move(geometry, self.from(), self.direction())
    }
}

/// Writes a step from a cell in a direction.
pub(crate) fn write_move(geometry: Geometry<'_>, from: Cell, direction: usize) -> String {
    let label = |cell| geometry.shape.label(cell);
    label(from) + &geometry.target(from, direction).map_or_else(String::new, label)
}

/// Returns the clicks for a step from a cell in a direction. A legal step's target is on the board.
pub(crate) fn click_move(geometry: Geometry<'_>, from: Cell, direction: usize) -> Clicks {
    let to = geometry.target(from, direction);
    Clicks::two(Click::Cell(from), to.map_or(Click::Pass, Click::Cell))
}

/// Explains why `swap` is illegal. `pie` says whether the variant has the pie rule.
pub fn swap_illegal_reason(pie: bool) -> String {
    if pie { "swap is for the start of turn 2".to_owned() } else { "this variant has no pie rule (pie=off)".to_owned() }
}

/// Explains why `pass` is illegal where the side to move has a step.
pub fn pass_illegal_reason() -> String {
    "a player who has a step may not pass".to_owned()
}

/// Explains why no piece can go from one cell to another, by the pieces there; `None` if those allow it.
pub fn move_illegal_reason<G: Notation>(game: &G, position: &G::Position, from: Cell, to: Cell) -> Option<String> {
    let (side, noun) = (position.side(), game.equipment().noun());
    let [black, white] = position.pieces();
    let (own, enemy) = if side == Color::Black { (black, white) } else { (white, black) };
    let label = |cell| game.shape().label(cell);
    if !own.has(from) {
        let what = if enemy.has(from) { format!("an enemy {noun}") } else { "empty".to_owned() };
        return Some(format!("{} is {what}, not a {noun} of {side}'s", label(from)));
    }
    own.has(to).then(|| format!("{} holds a {noun} of {side}'s own", label(to)))
}
