//! Notation of Invictus: steps `6@b2`, `c4c5`, `pass`; positions `board side scored hand stall turn`.

use nom::Parser;
use nom::branch::alt;
use nom::character::complete::char;
use nom::combinator::value;
use nom::sequence::separated_pair;

use super::{Action, DIRECTIONS, FIRST_MOVING_TURN, Invictus, Position, SIDE_DIRECTIONS, Step, first_direction};
use crate::board::{Bitboard, Cell, Shape};
use crate::notation::PositionReader;
use crate::notation::pieces::{Parsed, cell, color, expect, number, read, word};
use crate::rules::{
    Click, Clicks, Color, Equipment, Game, HalfPoints, Narration, Notation, Outcome, Piece, Planes, PositionError,
    PositionErrors, Sides,
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

fn parse_step(shape: &Shape, text: &str) -> Result<ParsedStep, ParseError> {
    let at = expect("@", char('@'));
    let set = separated_pair(pips, at, cell(shape));
    let set = set.map(|(value, cell)| ParsedStep::Set(value, cell));
    let step = (cell(shape), cell(shape));
    let step = step.map(|(from, to)| ParsedStep::Move(from, to));
    read(text, alt((value(ParsedStep::Pass, word("pass")), set, step)))
}

impl<B: Bitboard> Notation for Invictus<B> {
    type ParsedStep = ParsedStep;

    fn parse_step(&self, text: &str) -> Result<ParsedStep, ParseError> {
        parse_step(&self.shape, text)
    }

    fn resolve(&self, position: &Position<B>, parsed: ParsedStep) -> Option<Step> {
        let first = first_direction(position.side);
        match parsed {
            ParsedStep::Pass => Some(Step::PASS),
            ParsedStep::Set(value, cell) => Some(Step::set(value, cell)),
            ParsedStep::Move(from, to) => {
                let leads_there = |&direction: &usize| {
                    let (dx, dy) = DIRECTIONS[direction];
                    self.shape.offset(from, dx, dy) == Some(to)
                };
                let direction = (first..first + SIDE_DIRECTIONS).find(leads_there)?;
                Some(Step::moving(from, direction))
            }
        }
    }

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
            ParsedStep::Pass => "a player who has a step may not pass".to_owned(),
            ParsedStep::Move(from, to) => {
                let Sides { own, enemy } = position.dice;
                let (value, other) = (position.value_at(from), position.value_at(to));
                let (x, y) = self.shape.coordinates(from);
                let (to_x, to_y) = self.shape.coordinates(to);
                let ahead = match side {
                    Color::Black => to_y == y + 1,
                    Color::White => to_y + 1 == y,
                };
                let near = x.abs_diff(to_x) <= 1;
                let straight = near && ahead && x == to_x || x.abs_diff(to_x) == 1 && y == to_y;
                if !own.has(from) {
                    let what = if enemy.has(from) { "an enemy die" } else { "empty" };
                    format!("{} is {what}, not a die of {side}'s", label(from))
                } else if own.has(to) {
                    format!("{} holds a die of {side}'s own", label(to))
                } else if enemy.has(to) && straight {
                    "a die captures diagonally forward only".to_owned()
                } else if enemy.has(to) && near && ahead && other > value {
                    format!("a {value} can't capture a {other}, only equal or lower dice")
                } else {
                    "a die goes one space forward, left, right or diagonally forward".to_owned()
                }
            }
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

    fn write_step(&self, step: Step) -> String {
        let label = |cell| self.shape.label(cell);
        match step.action() {
            Action::Pass => "pass".to_owned(),
            Action::Set { value, cell } => format!("{value}@{}", label(cell)),
            Action::Move { from, direction } => {
                let to = self.shape.offset(from, DIRECTIONS[direction].0, DIRECTIONS[direction].1);
                label(from) + &to.map_or(String::new(), label)
            }
        }
    }

    fn parse_position(&self, text: &str) -> Result<Position<B>, PositionErrors> {
        let fields = ["board", "side", "scored", "hand", "stall", "turn"];
        let mut reader = PositionReader::new(text, &fields)?;
        let board = reader.board(&self.shape, "b1 to b6, w1 to w6", die);
        let side = reader.side();
        let scored = reader.pair("scored");
        let hand = reader.field("hand", hand);
        let stall = reader.count("stall", 0);
        let turn = reader.count("turn", 1);
        if let (Some(side), Some(Some((owner, _)))) = (side, hand)
            && owner != side
        {
            let message = format!("only the side to move, {}, can have a die to set", side.letter());
            reader.add_errors(vec![PositionError::new("hand", message)]);
        }
        let position = match (board, side, scored, hand, stall, turn) {
            (Some(board), Some(side), Some(scored), Some(hand), Some(stall), Some(turn)) => {
                let mut position = Position {
                    side,
                    scored,
                    // A die of the other side already has its error.
                    hand: hand.map_or(0, |(owner, value)| if owner == side { value } else { 0 }),
                    stall,
                    turn,
                    ..self.start()
                };
                for (cell, die) in self.shape.cells().zip(board) {
                    if let Some((color, value)) = die {
                        position.put(color, value, cell);
                    }
                }
                Some(position)
            }
            _ => None,
        };
        if let Some(position) = &position {
            reader.add_errors(self.validate(position));
        }
        reader.finish(position)
    }

    fn write_fields(&self, position: &Position<B>) -> String {
        let side = position.side.letter();
        let [black, white] = position.scored;
        let hand = match position.hand {
            0 => "-".to_owned(),
            value => format!("{side}{value}"),
        };
        let (stall, turn) = (position.stall, position.turn);
        format!("{side} {black},{white} {hand} {stall} {turn}")
    }

    fn shape(&self) -> &Shape {
        &self.shape
    }

    fn piece(&self, position: &Position<B>, cell: Cell) -> Option<Piece> {
        let value = Some(position.value_at(cell));
        Piece::stone(&position.by_color(), cell).map(|piece| Piece { value, ..piece })
    }

    fn planes(&self, position: &Position<B>) -> Option<Planes> {
        let [black, white] = position.scored;
        let mut state = u64::from(position.hand);
        for (number, bits) in [(black, 9), (white, 9), (position.stall, 14)] {
            state = state << bits | u64::from(number);
        }
        Planes::of_stones(&self.shape, position.by_color()).map(|planes| Planes {
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
            let to_set = match position.turn < FIRST_MOVING_TURN {
                true => "to set up",
                false => "to set again",
            };
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
        let lost = Color::BOTH.into_iter().find(|color| end.by_color()[color.index()].is_empty());
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

    fn clicks(&self, _position: &Position<B>, step: Step) -> Clicks {
        match step.action() {
            Action::Pass => Clicks::one(Click::Pass),
            Action::Set { cell, .. } => Clicks::on(cell),
            Action::Move { from, direction } => {
                let to = self.shape.offset(from, DIRECTIONS[direction].0, DIRECTIONS[direction].1);
                Clicks::two(Click::Cell(from), to.map_or(Click::Pass, Click::Cell))
            }
        }
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
