//! Notation of Gravel: steps `c3`, `c3d4`, `-c3`, `xc3`, `end`, `swap`; positions `board side used removed stall turn`.

use nom::Parser;
use nom::branch::alt;
use nom::character::complete::{char, one_of};
use nom::combinator::{cut, eof, opt, value};
use nom::sequence::preceded;

use super::steps::Action;
use super::{Gravel, Position, Step, Used};
use crate::board::{Bitboard, Cell, Mailbox, Shape};
use crate::notation::pieces::{Parsed, cell, color, expect, number, read, word};
use crate::notation::{PositionReader, swap_illegal_reason};
use crate::rules::{
    Click, Clicks, Color, DrawClock, Equipment, Game, Geometry, HalfPoints, Narration, Notation, Outcome, Planes,
    PositionErrors, StepText,
};
use crate::text::{ParseError, counted};

/// Bits of the numbers in [`Planes::state`].
///
/// They are placements and removals of the turn, Black's and White's removed pieces, and turns without a removal.
const STATE_BITS: [u32; 5] = [7, 7, 9, 9, 14];

/// Largest number of actions of a turn and of pieces on a space, in any variant.
const MAX_X: u32 = 99;

fn stack(input: &str) -> Parsed<'_, (Color, u8)> {
    let height = number(1, MAX_X).map(|height| height as u8);
    (color, height).parse(input)
}

fn used(input: &str) -> Parsed<'_, Used> {
    let none = value(Used::default(), char('-'));
    let placed = || preceded(one_of("pP"), number(1, MAX_X));
    let removed = || preceded(one_of("rR"), number(1, MAX_X));
    let place_first = (placed(), opt(removed())).map(|(placed, removed)| Used {
        placed,
        removed: removed.unwrap_or(0),
        removed_first: false,
    });
    let remove_first = (removed(), opt(placed())).map(|(removed, placed)| Used {
        placed: placed.unwrap_or(0),
        removed,
        removed_first: true,
    });
    expect("- or what the turn has used, such as p2, r1, p2r1 or r1p2", alt((none, place_first, remove_first)))
        .parse(input)
}

fn write_used(used: Used) -> String {
    let part = |letter, number| match number {
        0 => String::new(),
        number => format!("{letter}{number}"),
    };
    let (placed, removed) = (part('p', used.placed), part('r', used.removed));
    match (used.total(), used.removed_first) {
        (0, _) => "-".to_owned(),
        (_, true) => removed + &placed,
        (_, false) => placed + &removed,
    }
}

impl StepText for Step {
    type Parsed = Self;

    const PASS_ALIASES: &'static [Self] = &[Self::END, Self::SWAP];

    fn parse(Geometry { shape, .. }: Geometry<'_>, text: &str) -> Result<Self, ParseError> {
        let space = || cell(shape);
        let end = value(Action::End, word("end"));
        let swap = value(Action::Swap, word("swap"));
        let retract = preceded(char('-'), space()).map(Action::Retract);
        // Tried after the spaces, because x may be a column.
        let remove = preceded(one_of("xX"), space()).map(Action::Remove);
        // Only another space may follow a space.
        let other = alt((value(None, eof), cut(space()).map(Some)));
        let spaces = (space(), other).map(|(space, other)| match other {
            Some(to) => Action::Relocate(space, to),
            None => Action::Place(space),
        });
        let action = alt((end, swap, retract, spaces, remove));
        read(text, expect("end, swap, or a step such as c3, c3d4, -c3 or xc3", action)).map(Self::from)
    }

    fn resolve(_geometry: Geometry<'_>, parsed: Self) -> Option<Self> {
        Some(parsed)
    }

    fn write(self, Geometry { shape, .. }: Geometry<'_>) -> String {
        match self.action() {
            Action::Place(space) => shape.label(space),
            Action::Relocate(from, to) => shape.label(from) + &shape.label(to),
            Action::Retract(space) => format!("-{}", shape.label(space)),
            Action::Remove(space) => format!("x{}", shape.label(space)),
            Action::End => "end".to_owned(),
            Action::Swap => "swap".to_owned(),
        }
    }

    /// Returns the clicks for a step; those for a placement are right on a vacant space only.
    fn clicks(self, _geometry: Geometry<'_>) -> Clicks {
        match self.action() {
            Action::Place(space) | Action::Remove(space) => Clicks::on(space),
            Action::Relocate(from, to) => Clicks::two(Click::Cell(from), Click::Cell(to)),
            Action::Retract(space) => Clicks::two(Click::Cell(space), Click::Pool),
            Action::End | Action::Swap => Clicks::one(Click::Pass),
        }
    }
}

impl<B: Bitboard> Notation for Gravel<B> {
    fn illegal_reason(&self, position: &Position<B>, step: Step) -> String {
        let (side, used) = (position.side, position.used);
        let (own, enemy) = (position.spaces[side.index()], position.spaces[(!side).index()]);
        let label = |space| self.shape.label(space);
        let not_own = |space| format!("{side} has no piece on {}", label(space));
        let too_late = "a turn that has removed after placing can't place again".to_owned();
        let no_room = |space| format!("{} holds {} pieces already", label(space), self.x);
        match step.action() {
            Action::End => "a turn needs at least one placing step before it may end".to_owned(),
            Action::Swap => swap_illegal_reason(self.pie),
            Action::Place(_) | Action::Relocate(..) | Action::Retract(_) if !used.may_place() => too_late,
            Action::Place(space) if enemy.has(space) => {
                format!("{} is an enemy space", label(space))
            }
            Action::Place(space) if position.full.has(space) => no_room(space),
            Action::Place(_) => format!("{side}'s Pool is empty"),
            Action::Relocate(from, _) if !own.has(from) => not_own(from),
            Action::Relocate(from, to) if from == to => format!("{} is where it stands", label(to)),
            Action::Relocate(from, to) if !own.has(to) => {
                format!(
                    "a piece on the board goes to a space that {side} occupies, which {} is not; -{} returns it to \
                     the Pool",
                    label(to),
                    label(from)
                )
            }
            Action::Relocate(_, to) => no_room(to),
            Action::Retract(space) => not_own(space),
            Action::Remove(space) if !enemy.has(space) => {
                format!("there is no enemy piece on {}", label(space))
            }
            Action::Remove(_) if used.removed_first && used.placed > 0 => {
                "a turn that has placed after removing can't remove again".to_owned()
            }
            Action::Remove(_) if !used.may_remove(self.x) => {
                "the last action of the turn is kept for a placement".to_owned()
            }
            Action::Remove(space) => {
                let around = self.neighbors[space.index()].iter();
                let spaces = around.filter(|&&cell| own.has(cell)).count();
                let (mine, theirs) = self.adjacent_pieces(position, side, space);
                let all = mine + theirs;
                format!(
                    "{side} does not control {}: {mine} of the {all} pieces next to it are {side}'s, on {}; \
                     control takes more than half, on at least 2",
                    label(space),
                    counted(spaces as u64, "space")
                )
            }
        }
    }

    fn attempt(&self, position: &Position<B>, space: Cell) -> Option<Step> {
        let enemy = position.spaces[(!position.side).index()];
        Some(Step::from(if enemy.has(space) { Action::Remove(space) } else { Action::Place(space) }))
    }

    fn parse_position(&self, text: &str) -> Result<Position<B>, PositionErrors> {
        PositionReader::read(self, text, &["used", "removed", "stall"], |reader| {
            let board = reader.board(&self.shape, "stacks such as b3 and w1", stack);
            let (side, used) = (reader.side(), reader.field("used", used));
            let (removed, stall, turn) = (reader.pair("removed"), reader.count("stall", 0), reader.turn());
            let mut position =
                Position { removed: removed?, side: side?, used: used?, stall: stall?, turn: turn?, ..self.start() };
            for (space, stack) in self.shape.cells().zip(board?) {
                let (color, height) = stack.unwrap_or((Color::Black, 0));
                for _ in 0..height {
                    self.add(&mut position, color, space);
                }
            }
            Some(position)
        })
    }

    fn write_state(&self, position: &Position<B>) -> String {
        let [black, white] = position.removed;
        format!("{} {black},{white} {}", write_used(position.used), position.stall)
    }

    fn shape(&self) -> &Shape {
        &self.shape
    }

    fn value(&self, position: &Position<B>, space: Cell) -> Option<u8> {
        Some(position.heights.get(space))
    }

    fn planes(&self, position: &Position<B>) -> Option<Planes> {
        let planes = Planes::of_stones(&self.shape, position.spaces)?;
        let [black, white] = position.spaces;
        let mut marks = [0; 3];
        for space in (black | white).cells() {
            let height = position.heights.get(space);
            for (digit, mark) in marks.iter_mut().enumerate() {
                *mark |= u128::from(height >> digit & 1) << space.index();
            }
        }
        let mark_planes = 32 - self.x.leading_zeros();
        let used = &position.used;
        let mut state = u64::from(used.removed_first);
        let [black, white] = position.removed;
        let numbers = [used.placed, used.removed, black, white, position.stall];
        for (number, bits) in numbers.into_iter().zip(STATE_BITS) {
            state = state << bits | u64::from(number);
        }
        (mark_planes <= 3).then_some(Planes {
            marks,
            mark_planes,
            state,
            state_bits: 1 + STATE_BITS.iter().sum::<u32>(),
            clock: Some(DrawClock { bits: STATE_BITS[4], limit: self.stall }),
            ..planes
        })
    }

    fn read_planes(&self, planes: &Planes, side: Color, turn: u32) -> Option<Position<B>> {
        let mut numbers = [0; STATE_BITS.len()];
        let mut state = planes.state;
        for (number, bits) in numbers.iter_mut().zip(STATE_BITS).rev() {
            *number = (state & ((1 << bits) - 1)) as u32;
            state >>= bits;
        }
        let [placed, removed, black, white, stall] = numbers;
        let mut position = Position {
            removed: [black, white],
            side,
            used: Used { placed, removed, removed_first: state == 1 },
            stall,
            turn,
            ..self.start()
        };
        for (color, pieces) in Color::BOTH.into_iter().zip(planes.pieces) {
            for space in self.shape.cells().filter(|space| pieces >> space.index() & 1 == 1) {
                for (digit, mark) in planes.marks.iter().enumerate() {
                    for _ in 0..(mark >> space.index() & 1) << digit {
                        self.add(&mut position, color, space);
                    }
                }
            }
        }
        Some(position)
    }

    /// Returns the pieces of Black and of White that have been removed.
    fn tally(&self, position: &Position<B>) -> [u32; 2] {
        position.removed
    }

    fn pools(&self, position: &Position<B>) -> Option<[u32; 2]> {
        Some(Color::BOTH.map(|color| self.pool(position, color)))
    }

    fn value_digits(&self) -> usize {
        if self.x > 9 { 2 } else { 1 }
    }

    fn required_step(&self, position: &Position<B>) -> Option<String> {
        let used = position.used;
        let demand = if !used.may_place() {
            "a removal, or the end of the turn"
        } else if used.removed_first && used.placed > 0 {
            "a placement, or the end of the turn"
        } else if !used.may_remove(self.x) {
            "a placement"
        } else {
            return None;
        };
        Some(demand.to_owned())
    }

    fn status(&self, position: &Position<B>) -> Vec<String> {
        let line = |color: Color| {
            format!("{color}: {} in the Pool, {} lost", self.pool(position, color), position.removed[color.index()])
        };
        let mut lines = vec![line(Color::White), line(Color::Black)];
        if position.used.total() > 0 {
            let used = write_used(position.used);
            lines.push(format!("used: {used}, {} of {}", position.used.total(), self.x));
        }
        lines
    }

    fn caption(&self, position: &Position<B>) -> Vec<String> {
        let mut lines = self.status(position);
        lines.truncate(2);
        if position.used.total() > 0 {
            let (done, most) = (position.used.total(), self.x);
            lines.push(format!("this turn: {done} of {most} placements and removals"));
        }
        lines
    }

    fn narrate(&self, step: Step, before: &Position<B>, after: &Position<B>) -> Narration {
        let (text, enemy) = (self.write_step(step), !before.side);
        let label = |space| self.shape.label(space);
        let height = |space| after.heights.get(space);
        match step.action() {
            Action::Place(space) => Narration::plain(
                text,
                match height(space) {
                    1 => format!("a piece from the Pool to {}", label(space)),
                    height => format!("a piece from the Pool to {}, which now holds {height}", label(space)),
                },
            ),
            Action::Relocate(from, to) => Narration::telling(
                text,
                format!("a piece from {} to {}, which now holds {}", label(from), label(to), height(to)),
            ),
            Action::Retract(space) => {
                Narration::telling(text, format!("a piece from {} back to the Pool", label(space)))
            }
            Action::Remove(space) => Narration::telling(
                text,
                match height(space) {
                    0 => format!("removes {enemy}'s piece from {}, which is empty now", label(space)),
                    left => format!("removes a piece of {enemy}'s from {}, which still holds {left}", label(space)),
                },
            ),
            Action::End | Action::Swap => Narration::of(self, step, before, after),
        }
    }

    fn explain(&self, _end: &Position<B>, outcome: Outcome) -> String {
        let loser = outcome.loser().map_or_else(String::new, |loser| loser.to_string());
        match outcome.reason {
            "attrition" => format!("more than half of {loser}'s pieces have been removed"),
            "territory" => format!("{loser} has lost more pieces than {loser} occupies spaces"),
            "mutual" => "both players have lost".to_owned(),
            "deadlock" => "neither player can expand or remove".to_owned(),
            _ => "too many turns in a row without a removal".to_owned(),
        }
    }

    fn cell_contents(&self) -> u32 {
        2 * self.x + 1
    }

    fn equipment(&self) -> Equipment {
        Equipment::Stacks
    }

    fn clicks(&self, position: &Position<B>, step: Step) -> Clicks {
        let own = position.spaces[position.side.index()];
        match step.action() {
            Action::Place(space) if own.has(space) => Clicks::two(Click::Pool, Click::Cell(space)),
            _ => step.clicks(self.geometry()),
        }
    }

    fn counts(&self, position: &Position<B>) -> Vec<(&'static str, HalfPoints)> {
        let [black, white] = position.spaces.map(|spaces| HalfPoints::whole(spaces.count()));
        let [black_lost, white_lost] = position.removed.map(HalfPoints::whole);
        let [black_pool, white_pool] = Color::BOTH.map(|color| HalfPoints::whole(self.pool(position, color)));
        vec![
            ("b", black),
            ("w", white),
            ("b_removed", black_lost),
            ("w_removed", white_lost),
            ("b_pool", black_pool),
            ("w_pool", white_pool),
        ]
    }
}
