//! Notation of Invector: steps `c3c4`, `pass`, `swap`; positions `board side turn`.

use nom::Parser;
use nom::branch::alt;
use nom::character::complete::one_of;
use nom::combinator::value;
use nom::sequence::separated_pair;

use super::{Invector, Position, Step, centre_distance};
use crate::board::{Bitboard, Cell, Direction, Shape};
use crate::notation::pieces::{cell, read, word};
use crate::notation::{PositionReader, swap_illegal_reason};
use crate::rules::{
    Click, Clicks, Color, Equipment, Game, HalfPoints, Layers, Notation, Outcome, Piece, Planes, Position as _,
    PositionErrors, Sides,
};
use crate::text::ParseError;

/// A syntactically correct step.
#[derive(Clone, Copy, Debug)]
pub enum ParsedStep {
    /// Moves a stone from one pit to another.
    Move(Cell, Cell),
    /// Passes: no stone can move.
    Pass,
    /// Swaps colours (pie rule).
    Swap,
}

fn parse_step(shape: &Shape, text: &str) -> Result<ParsedStep, ParseError> {
    // The form with a separator is tried first, and the parser backtracks, because x may be a column, too.
    let marked = separated_pair(cell(shape), one_of("-xX"), cell(shape));
    let plain = (cell(shape), cell(shape));
    let step = alt((marked, plain)).map(|(from, to)| ParsedStep::Move(from, to));
    let pass = value(ParsedStep::Pass, word("pass"));
    let swap = value(ParsedStep::Swap, word("swap"));
    read(text, alt((pass, swap, step)))
}

impl<B: Bitboard> Notation for Invector<B> {
    type ParsedStep = ParsedStep;

    const PASS_ALIASES: &'static [Step] = &[Step::SWAP];

    fn parse_step(&self, text: &str) -> Result<ParsedStep, ParseError> {
        parse_step(&self.shape, text)
    }

    fn resolve(&self, _position: &Position<B>, parsed: ParsedStep) -> Option<Step> {
        match parsed {
            ParsedStep::Pass => Some(Step::PASS),
            ParsedStep::Swap => Some(Step::SWAP),
            ParsedStep::Move(from, to) => Some(Step::new(from, self.direction(from, to)? as usize)),
        }
    }

    fn illegal_reason(&self, position: &Position<B>, parsed: ParsedStep) -> String {
        let label = |cell| self.shape.label(cell);
        let Sides { own, enemy } = position.stones;
        let side = position.side();
        match parsed {
            ParsedStep::Pass => "a player who has a step may not pass".to_owned(),
            ParsedStep::Swap => swap_illegal_reason(self.pie()),
            ParsedStep::Move(from, _) if !own.has(from) => {
                let what = if enemy.has(from) { "an enemy stone" } else { "empty" };
                format!("{} is {what}, not a stone of {side}'s", label(from))
            }
            ParsedStep::Move(from, to) if self.direction(from, to).is_none() => {
                format!("{} is not next to {}", label(to), label(from))
            }
            ParsedStep::Move(_, to) if own.has(to) => {
                format!("{} holds a stone of {side}'s own", label(to))
            }
            ParsedStep::Move(from, to) => {
                let (to, from) = (label(to), label(from));
                let cells = self.shape.cells();
                let centre = cells.filter(|&cell| centre_distance(&self.shape, cell) == 0);
                let centre: Vec<String> = centre.map(label).collect();
                format!("{to} is empty and not nearer to a centre pit ({}) than {from}", centre.join(" or "))
            }
        }
    }

    fn write_step(&self, step: Step) -> String {
        match step {
            Step::PASS => "pass".to_owned(),
            Step::SWAP => "swap".to_owned(),
            _ => {
                let (from, to) = self.ends(step);
                self.shape.label(from) + &to.map_or(String::new(), |to| self.shape.label(to))
            }
        }
    }

    fn parse_position(&self, text: &str) -> Result<Position<B>, PositionErrors> {
        let mut reader = PositionReader::new(text, &["board", "side", "turn"])?;
        let stones = reader.stones(&self.shape);
        let side = reader.side();
        let turn = reader.count("turn", 1);
        let position = match (stones, side, turn) {
            (Some(stones), Some(side), Some(turn)) => Some(Position { stones: Sides::new(stones, side), side, turn }),
            _ => None,
        };
        if let Some(position) = &position {
            reader.add_errors(self.validate(position));
        }
        reader.finish(position)
    }

    fn write_fields(&self, position: &Position<B>) -> String {
        format!("{} {}", position.side.letter(), position.turn)
    }

    fn shape(&self) -> &Shape {
        &self.shape
    }

    fn piece(&self, position: &Position<B>, cell: Cell) -> Option<Piece> {
        Piece::stone(&position.by_color(), cell)
    }

    #[inline(always)]
    fn planes(&self, position: &Position<B>) -> Option<Planes> {
        Planes::of_stones(&self.shape, position.by_color()).map(|planes| Planes { colors_alike: true, ..planes })
    }

    #[inline(always)]
    fn read_planes(&self, planes: &Planes, side: Color, turn: u32) -> Option<Position<B>> {
        let stones = Sides::new(planes.pieces.map(B::from_bits), side);
        Some(Position { stones, side, turn })
    }

    /// Weighs a pit by its distance to the centre, plus 1.
    ///
    /// So a step towards the centre makes the stones weigh less by 1, and a capture by the weight of the pit that the
    /// stone left. A player passes only while the other can step: two players without a step would hold a centre pit
    /// each, next to each other.
    fn layers(&self) -> Option<Layers> {
        let weight = |cell| u32::from(centre_distance(&self.shape, cell)) + 1;
        Some(Layers { weights: self.shape.cells().map(weight).collect(), most: self.shape.len() as u32 / 2 })
    }

    /// Returns the stones that Black and White have lost since the start of the game.
    fn tally(&self, position: &Position<B>) -> [u32; 2] {
        let at_the_start = self.shape.len() as u32 / 2;
        let stones = position.by_color();
        stones.map(|stones| at_the_start.saturating_sub(stones.count()))
    }

    fn equipment(&self) -> Equipment {
        Equipment::Pits
    }

    /// Returns the two centre pits.
    fn landmarks(&self) -> Vec<Cell> {
        let is_centre = |cell: &Cell| centre_distance(&self.shape, *cell) == 0;
        self.shape.cells().filter(is_centre).collect()
    }

    fn clicks(&self, _position: &Position<B>, step: Step) -> Clicks {
        match step {
            Step::PASS => Clicks::one(Click::Pass),
            Step::SWAP => Clicks::one(Click::Pass),
            _ => {
                let (from, to) = self.ends(step);
                Clicks::two(Click::Cell(from), to.map_or(Click::Pass, Click::Cell))
            }
        }
    }

    fn explain(&self, _end: &Position<B>, outcome: Outcome) -> String {
        outcome.loser().map_or_else(String::new, |loser| format!("{loser} has no stone left"))
    }

    fn caption(&self, position: &Position<B>) -> Vec<String> {
        let [black, white] = position.by_color().map(|stones| stones.count());
        vec![format!("stones: Black {black}, White {white}")]
    }

    fn counts(&self, position: &Position<B>) -> Vec<(&'static str, HalfPoints)> {
        let [black, white] = position.by_color().map(|stones| HalfPoints::whole(stones.count()));
        vec![("b", black), ("w", white)]
    }
}

impl<B: Bitboard> Invector<B> {
    /// Returns the source and the target of a step that moves a stone. A legal step's target is on the board.
    fn ends(&self, step: Step) -> (Cell, Option<Cell>) {
        let to = self.shape.neighbor(step.from(), Direction::ALL[step.direction()]);
        (step.from(), to)
    }

    /// Returns the direction from one pit to an adjacent one.
    fn direction(&self, from: Cell, to: Cell) -> Option<Direction> {
        let leads_there = |&direction: &Direction| self.shape.neighbor(from, direction) == Some(to);
        Direction::ALL.into_iter().find(leads_there)
    }
}
