//! Notation of Inversion: steps `e5`, `swap`; positions `board side pending turn`.

use nom::branch::alt;
use nom::character::complete::char;
use nom::combinator::value;
use nom::multi::separated_list1;

use super::{Inversion, Order, Position};
use crate::board::{Bitboard, Cell, Shape};
use crate::notation::pieces::{cell, expect};
use crate::notation::{PositionReader, swap_illegal_reason};
use crate::rules::{
    CellStep, Effects, HalfPoints, Narration, Notation, Outcome, Planes, PositionError, PositionErrors,
};
use crate::text::list;

/// Reads the field `pending`, whose centers must be in cell order.
fn read_pending(reader: &mut PositionReader<'_>, shape: &Shape) -> Option<Vec<Cell>> {
    let centers = separated_list1(char('+'), cell(shape));
    let none = value(Vec::new(), char('-'));
    let what = "- or the centers of hexes joined by +";
    let pending = reader.field("pending", expect(what, alt((none, centers))))?;
    if !pending.is_sorted_by(|a, b| a < b) {
        let message = "the centers must be in cell order, each once";
        reader.add_errors(vec![PositionError::new("pending", message)]);
    }
    Some(pending)
}

impl<B: Bitboard> Notation for Inversion<B> {
    fn illegal_reason(&self, position: &Position<B>, parsed: CellStep) -> String {
        match parsed {
            CellStep::SWAP => swap_illegal_reason(self.pie),
            _ if position.pending.is_empty() => "the cell is occupied".to_owned(),
            _ => {
                let pending = self.write_pending(position.pending);
                format!("no hex to invert has this center; pending are {pending}")
            }
        }
    }

    fn parse_position(&self, text: &str) -> Result<Position<B>, PositionErrors> {
        PositionReader::read(self, text, &["pending"], |reader| {
            let (stones, side, pending) =
                (reader.stones(&self.shape), reader.side(), read_pending(reader, &self.shape));
            let turn = reader.turn();
            Some(Position { stones: stones?, side: side?, pending: B::from_cells(pending?), turn: turn? })
        })
    }

    fn write_state(&self, position: &Position<B>) -> String {
        self.write_pending(position.pending)
    }

    fn shape(&self) -> &Shape {
        &self.shape
    }

    fn planes(&self, position: &Position<B>) -> Option<Planes> {
        Planes::of_stones(&self.shape, position.stones).map(|planes| Planes {
            marks: [position.pending.bits(), 0, 0],
            mark_planes: 1,
            ..planes
        })
    }

    fn pending(&self, position: &Position<B>) -> Vec<Cell> {
        position.pending.cells().collect()
    }

    fn required_step(&self, position: &Position<B>) -> Option<String> {
        let is_choice = !position.pending.is_empty();
        is_choice.then(|| "the center of the hex to invert next".to_owned())
    }

    fn status(&self, position: &Position<B>) -> Vec<String> {
        let [black, white] = position.stones.map(Bitboard::count);
        let komi = match self.komi {
            HalfPoints(0) => String::new(),
            komi => format!(" and komi {komi}"),
        };
        let mut lines = vec![format!("stones: White {white}, Black {black}{komi}")];
        if !position.pending.is_empty() {
            lines.push(format!("pending: {}", self.write_pending(position.pending)));
        }
        lines
    }

    fn narrate(&self, step: CellStep, before: &Position<B>, after: &Position<B>) -> Narration {
        if step == CellStep::SWAP {
            return Narration::of(self, step, before, after);
        }
        let (text, cell) = (self.write_step(step), step.cell());
        let turned = Effects::of(self, step, before, after).clauses(self, &[]);
        if !before.pending.has(cell) {
            let [black, white] = after.stones;
            let completed = self.completed(black | white, cell).cells();
            let completed: Vec<String> = completed.map(|center| self.shape.label(center)).collect();
            let hexes = match completed.len() {
                0 => None,
                1 => Some(format!("completes the hex around {}", list(&completed, "and"))),
                _ => Some(format!("completes the hexes around {}", list(&completed, "and"))),
            };
            let clause = format!("a stone on {text}");
            return Narration::plain(text, clause)
                .with(", which", &hexes.into_iter().chain(turned).collect::<Vec<_>>());
        }
        // Where a single hex is left, it is inverted with this one, unless only one is.
        let rest = before.pending & !B::of(cell);
        let last = rest.first().filter(|_| self.order != Order::Single && after.pending.is_empty());
        let clause = format!("inverts the hex around {text}");
        match last {
            // Two hexes turn some cells twice: these are the effects of both.
            Some(last) => {
                let clause = format!("{clause}, then the last one, around {}", self.shape.label(last));
                Narration::telling(text, clause).with("; together this", &turned)
            }
            None => Narration::telling(text, clause).with(", which", &turned),
        }
    }

    fn explain(&self, _end: &Position<B>, outcome: Outcome) -> String {
        match outcome.winner {
            Some(_) => "more stones".to_owned(),
            None => "both have the same".to_owned(),
        }
    }

    fn counts(&self, position: &Position<B>) -> Vec<(&'static str, HalfPoints)> {
        let [black, white] = position.stones.map(|stones| HalfPoints::whole(stones.count()));
        vec![("b", black), ("w", white), ("komi", self.komi)]
    }

    fn margin(&self, position: &Position<B>) -> Option<HalfPoints> {
        Some(HalfPoints(self.lead_of_white(position).abs()))
    }
}

impl<B: Bitboard> Inversion<B> {
    /// Writes `-`, or the centers in cell order, joined by `+`.
    fn write_pending(&self, pending: B) -> String {
        let centers: Vec<String> = pending.cells().map(|cell| self.shape.label(cell)).collect();
        if centers.is_empty() { "-".to_owned() } else { centers.join("+") }
    }
}
