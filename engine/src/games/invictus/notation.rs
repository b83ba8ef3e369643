//! Notation of Invictus: steps `6@b2`, `c4c5`, `pass`; positions `board side scored hand stall turn`.

use nom::Parser;
use nom::branch::alt;
use nom::character::complete::char;
use nom::combinator::value;
use nom::sequence::separated_pair;

use super::{Action, DIRECTIONS, FIRST_MOVING_TURN, Invictus, Position, Step};
use crate::board::{Bitboard, Cell, Shape};
use crate::notation::pieces::{Parsed, cell, color, expect, number, read, word};
use crate::notation::steps::{click_move, write_move};
use crate::notation::{PositionReader, move_illegal_reason, pass_illegal_reason};
use crate::rules::{
    Click, Clicks, Color, Equipment, Game, Geometry, HalfPoints, Narration, Notation, Outcome, Planes, Position as _,
    PositionError, PositionErrors, Sides, StepText,
};
use crate::text::{ParseError, counted};

/// A syntactically correct step.
#[derive(Clone, Copy, Debug)]
pub enum ParsedStep {
    /// Sets a die of a value on a cell.
    Set(u8, Cell),
    /// Moves a die from one cell to another.
    Move(Cell, Cell),
    /// Passes: no die can move.
    Pass,
}

fn pips(input: &str) -> Parsed<'_, u8> {
    number(1, 6).map(|value| value as u8).parse(input)
}

fn die(input: &str) -> Parsed<'_, (Color, u8)> {
    (color, pips).parse(input)
}

fn hand(input: &str) -> Parsed<'_, Option<(Color, u8)>> {
    let none = value(None, char('-'));
    expect("- or a die such as w3", alt((none, die.map(Some)))).parse(input)
}

impl StepText for Step {
    type Parsed = ParsedStep;

    fn parse(Geometry { shape, .. }: Geometry<'_>, text: &str) -> Result<ParsedStep, ParseError> {
        let at = expect("@", char('@'));
        let set = separated_pair(pips, at, cell(shape));
        let set = set.map(|(value, cell)| ParsedStep::Set(value, cell));
        let step = (cell(shape), cell(shape));
        let step = step.map(|(from, to)| ParsedStep::Move(from, to));
        read(text, alt((value(ParsedStep::Pass, word("pass")), set, step)))
    }

    fn resolve(geometry: Geometry<'_>, parsed: ParsedStep) -> Option<Self> {
        Some(match parsed {
            ParsedStep::Pass => Self::PASS,
            ParsedStep::Set(value, cell) => Self::set(value, cell),
            ParsedStep::Move(from, to) => Self::moving(from, geometry.direction(from, to)?),
        })
    }

    fn write(self, geometry: Geometry<'_>) -> String {
        match self.action() {
            Action::Pass => "pass".to_owned(),
            Action::Set { value, cell } => format!("{value}@{}", geometry.shape.label(cell)),
            Action::Move { from, direction } => write_move(geometry, from, direction),
        }
    }

    fn clicks(self, geometry: Geometry<'_>) -> Clicks {
        match self.action() {
            Action::Pass => Clicks::one(Click::Pass),
            Action::Set { cell, .. } => Clicks::on(cell),
            Action::Move { from, direction } => click_move(geometry, from, direction),
        }
    }
}

impl<B: Bitboard> Notation for Invictus<B> {
    const DIRECTIONS: &'static [(i8, i8)] = &DIRECTIONS;

    fn illegal_reason(&self, position: &Position<B>, parsed: ParsedStep) -> String {
        // The value of the die to set, or 0.
        let owed = self.steps(position).value;
        let side = position.side;
        let label = |cell| self.shape.label(cell);
        match parsed {
            ParsedStep::Set(..) if owed == 0 => "there is no die to set".to_owned(),
            ParsedStep::Set(value, _) if value != owed => format!("the die to set now is a {owed}"),
            ParsedStep::Set(_, cell) if position.value_at(cell) > 0 => {
                format!("{} holds a die already", label(cell))
            }
            ParsedStep::Set(..) if position.turn < FIRST_MOVING_TURN => {
                let ranks = if side == Color::Black { "2 and 3" } else { "8 and 7" };
                format!("{side} sets up on empty spaces of ranks {ranks}")
            }
            ParsedStep::Set(..) => {
                let ranks = if side == Color::Black { "1 to 4" } else { "6 to 9" };
                format!("{side} sets a die on an empty space of ranks {ranks}")
            }
            ParsedStep::Move(..) | ParsedStep::Pass if owed > 0 => {
                format!("a {owed} has to be set first")
            }
            ParsedStep::Pass => pass_illegal_reason(),
            ParsedStep::Move(from, to) => move_illegal_reason(self, position, from, to).unwrap_or_else(|| {
                let (value, other) = (position.value_at(from), position.value_at(to));
                let (x, y) = self.shape.coordinates(from);
                let (to_x, to_y) = self.shape.coordinates(to);
                let ahead = match side {
                    Color::Black => to_y == y + 1,
                    Color::White => to_y + 1 == y,
                };
                let near = x.abs_diff(to_x) <= 1;
                let straight = near && ahead && x == to_x || x.abs_diff(to_x) == 1 && y == to_y;
                if other > 0 && straight {
                    "a die captures diagonally forward only".to_owned()
                } else if near && ahead && other > value {
                    format!("a {value} can't capture a {other}, only equal or lower dice")
                } else {
                    "a die goes one space forward, left, right or diagonally forward".to_owned()
                }
            }),
        }
    }

    fn attempt(&self, position: &Position<B>, cell: Cell) -> Option<ParsedStep> {
        let (Sides { own, enemy }, owed) = (position.dice, self.steps(position).value);
        match owed {
            0 => None,
            // Whatever this die would do, another one has to be set first.
            _ if own.has(cell) => Some(ParsedStep::Move(cell, cell)),
            _ => (!enemy.has(cell)).then_some(ParsedStep::Set(owed, cell)),
        }
    }

    fn parse_position(&self, text: &str) -> Result<Position<B>, PositionErrors> {
        PositionReader::read(self, text, &["scored", "hand", "stall"], |reader| {
            let board = reader.board(&self.shape, "b1 to b6, w1 to w6", die);
            let (side, scored, hand) = (reader.side(), reader.pair("scored"), reader.field("hand", hand));
            let (stall, turn) = (reader.count("stall", 0), reader.turn());
            if let (Some(side), Some(Some((owner, _)))) = (side, hand)
                && owner != side
            {
                let message = format!("only the side to move, {}, can have a die to set", side.letter());
                reader.add_errors(vec![PositionError::new("hand", message)]);
            }
            let mut position = Position {
                side: side?,
                scored: scored?,
                hand: hand?.map_or(0, |(_, value)| value),
                stall: stall?,
                turn: turn?,
                ..self.start()
            };
            for (cell, die) in self.shape.cells().zip(board?) {
                if let Some((color, value)) = die {
                    position.put(color, value, cell);
                }
            }
            Some(position)
        })
    }

    fn write_state(&self, position: &Position<B>) -> String {
        let [black, white] = position.scored;
        let hand = match position.hand {
            0 => "-".to_owned(),
            value => format!("{}{value}", position.side.letter()),
        };
        format!("{black},{white} {hand} {}", position.stall)
    }

    fn shape(&self) -> &Shape {
        &self.shape
    }

    fn value(&self, position: &Position<B>, cell: Cell) -> Option<u8> {
        Some(position.value_at(cell))
    }

    fn planes(&self, position: &Position<B>) -> Option<Planes> {
        let [black, white] = position.scored;
        let mut state = u64::from(position.hand);
        for (number, bits) in [(black, 9), (white, 9), (position.stall, 14)] {
            state = state << bits | u64::from(number);
        }
        Planes::of_stones(&self.shape, position.pieces()).map(|planes| Planes {
            marks: position.bits.map(B::bits),
            mark_planes: 3,
            state,
            state_bits: 35,
            ranks_alike: false,
            ..planes
        })
    }

    fn value_digits(&self) -> usize {
        1
    }

    // The Divide.
    fn is_marked(&self, cell: Cell) -> bool {
        let [below, above] = self.territory;
        !(below | above).has(cell)
    }

    fn value_to_set(&self, position: &Position<B>) -> Option<u8> {
        Some(self.steps(position).value).filter(|&value| value > 0)
    }

    fn required_step(&self, position: &Position<B>) -> Option<String> {
        let steps = self.steps(position);
        match (steps.value, steps.pass) {
            (0, true) => None,
            (0, false) => Some("a step that moves a die".to_owned()),
            (value, _) => Some(format!("a step that sets a {value}")),
        }
    }

    fn status(&self, position: &Position<B>) -> Vec<String> {
        let [black, white] = Color::BOTH.map(|color| self.points(position, color));
        let [black_safe, white_safe] = position.scored;
        let score = format!(
            "score: Black {black}, of which {black_safe} off the board; White {white}, of which {white_safe} off the \
             board"
        );
        let steps = self.steps(position);
        match (steps.value, position.turn < FIRST_MOVING_TURN) {
            (0, _) => vec![score],
            (value, true) => vec![score, format!("to be set up: {value}")],
            (value, false) => vec![score, format!("to be set again: {value}")],
        }
    }

    /// Returns the points of Black and of White.
    fn tally(&self, position: &Position<B>) -> [u32; 2] {
        Color::BOTH.map(|color| self.points(position, color))
    }

    fn caption(&self, position: &Position<B>) -> Vec<String> {
        let line = |color: Color| {
            let points = counted(self.points(position, color).into(), "point");
            let safe = position.scored[color.index()];
            format!("{color}: {points}, {safe} off the board")
        };
        let mut lines = Color::BOTH.map(line).to_vec();
        let value = self.steps(position).value;
        if value > 0 {
            let to_set = if position.turn < FIRST_MOVING_TURN { "to set up" } else { "to set again" };
            lines.push(format!("{} has {to_set}: {value}", position.side));
        }
        lines
    }

    fn narrate(&self, step: Step, before: &Position<B>, after: &Position<B>) -> Narration {
        let (text, label) = (self.write_step(step), |cell| self.shape.label(cell));
        let (from, to) = match step.action() {
            Action::Set { value, cell } => return Narration::plain(text, format!("a {value} on {}", label(cell))),
            Action::Pass => return Narration::of(self, step, before, after),
            Action::Move { from, direction } => (from, self.target(from, direction)),
        };
        let (mover, taken) = (before.value_at(from), before.value_at(to));
        let (from, target) = (label(from), label(to));
        let mut narration = match taken {
            0 => Narration::plain(text, format!("the {mover} on {from} goes to {target}")),
            _ => Narration::telling(text, format!("the {mover} on {from} takes the {taken} on {target}")),
        };
        match taken {
            0 => {}
            1 => narration.clause.push_str(", which leaves play and scores 1"),
            _ => narration.clause.push_str(&format!(", which {} sets again as a {}", !before.side, taken - 1)),
        }
        if after.value_at(to) == 0 {
            narration.has_effects = true;
            narration.clause.push_str(&format!("; the {mover} arrives and scores {mover}"));
        }
        narration
    }

    fn explain(&self, end: &Position<B>, outcome: Outcome) -> String {
        let decided = if outcome.winner.is_some() { "the higher score" } else { "equal scores" };
        let lost = Color::BOTH.into_iter().find(|color| end.pieces()[color.index()].is_empty());
        match lost {
            Some(color) => format!("{decided} when {color} has no die left on the board"),
            None if end.stall >= self.stall => {
                let turns = counted(self.stall.into(), "turn");
                format!("{decided} after {turns} in a row without a capture or a step forward")
            }
            None => format!("{decided} when no die can move"),
        }
    }

    fn cell_contents(&self) -> u32 {
        13
    }

    fn equipment(&self) -> Equipment {
        Equipment::Dice
    }

    fn counts(&self, position: &Position<B>) -> Vec<(&'static str, HalfPoints)> {
        let points = |color| HalfPoints::whole(self.points(position, color));
        vec![("b", points(Color::Black)), ("w", points(Color::White))]
    }

    fn margin(&self, position: &Position<B>) -> Option<HalfPoints> {
        let [black, white] = Color::BOTH.map(|color| self.points(position, color));
        Some(HalfPoints::whole(black.abs_diff(white)))
    }
}
