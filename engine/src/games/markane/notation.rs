//! Notation of Markane: steps `c3`, `swap`; positions `board side owed turn`.

use super::{Markane, Position};
use crate::board::{Bitboard, Cell, Shape};
use crate::games::cell_steps::CellStep;
use crate::notation::{PositionReader, swap_illegal_reason};
use crate::rules::{
    Clicks, Color, Equipment, Game, HalfPoints, Notation, Outcome, Piece, Planes, PositionErrors, Sides,
};
use crate::text::ParseError;

impl<B: Bitboard> Notation for Markane<B> {
    type ParsedStep = CellStep;

    const PASS_ALIASES: &'static [CellStep] = &[CellStep::SWAP];

    fn parse_step(&self, text: &str) -> Result<CellStep, ParseError> {
        CellStep::parse(&self.shape, text)
    }

    fn resolve(&self, _position: &Position<B>, parsed: CellStep) -> Option<CellStep> {
        Some(parsed)
    }

    fn illegal_reason(&self, position: &Position<B>, parsed: CellStep) -> String {
        if parsed == CellStep::SWAP {
            return swap_illegal_reason(self.pie);
        }
        let pit = parsed.cell();
        let Sides { own, enemy } = position.stones;
        if (own | enemy).has(pit) {
            return "the pit is occupied".to_owned();
        }
        let adjacent = |stones: B| (self.grid.neighbors(B::of(pit)) & stones).count();
        if adjacent(own) > 0 {
            "a stone next to a friendly one must capture".to_owned()
        } else {
            let count = adjacent(enemy);
            format!("a stone next to {count} enemy stones must capture")
        }
    }

    fn attempt(&self, _position: &Position<B>, cell: Cell) -> Option<CellStep> {
        Some(CellStep::new(cell))
    }

    fn write_step(&self, step: CellStep) -> String {
        step.write(&self.shape)
    }

    fn parse_position(&self, text: &str) -> Result<Position<B>, PositionErrors> {
        let mut reader = PositionReader::new(text, &["board", "side", "owed", "turn"])?;
        let stones = reader.stones(&self.shape);
        let side = reader.side();
        let owed = reader.count("owed", 1);
        let turn = reader.count("turn", 1);
        let position = match (stones, side, owed, turn) {
            (Some(stones), Some(side), Some(owed), Some(turn)) => {
                Some(Position { stones: Sides::new(stones, side), side, owed, turn })
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
        format!("{side} {} {}", position.owed, position.turn)
    }

    fn shape(&self) -> &Shape {
        &self.shape
    }

    fn piece(&self, position: &Position<B>, cell: Cell) -> Option<Piece> {
        Piece::stone(&position.by_color(), cell)
    }

    fn planes(&self, position: &Position<B>) -> Option<Planes> {
        Planes::of_stones(&self.shape, position.by_color()).map(|planes| Planes {
            colors_alike: true,
            state: position.owed.into(),
            state_bits: 10,
            ..planes
        })
    }

    fn required_step(&self, position: &Position<B>) -> Option<String> {
        let owed = position.owed;
        (owed > 1).then(|| format!("one of {owed} owed placements"))
    }

    fn status(&self, position: &Position<B>) -> Vec<String> {
        match (position.annihilated(), position.owed) {
            (true, _) => Vec::new(),
            (false, 1) => vec!["owed: 1 placement".to_owned()],
            (false, owed) => vec![format!("owed: {owed} placements")],
        }
    }

    /// Returns the placements that Black and White owe.
    fn tally(&self, position: &Position<B>) -> [u32; 2] {
        let owed = position.owed;
        Color::BOTH.map(|color| if color == position.side { owed } else { 0 })
    }

    fn explain(&self, _end: &Position<B>, outcome: Outcome) -> String {
        let loser = outcome.loser().map_or_else(String::new, |loser| loser.to_string());
        match outcome.reason {
            "annihilation" => format!("{loser} has no stone left"),
            _ => format!("{loser} has to place a stone and cannot"),
        }
    }

    fn caption(&self, position: &Position<B>) -> Vec<String> {
        let [black, white] = position.by_color().map(|stones| stones.count());
        let mut lines = vec![format!("stones: Black {black}, White {white}")];
        lines.extend(self.status(position));
        lines
    }

    fn equipment(&self) -> Equipment {
        Equipment::Pits
    }

    fn clicks(&self, _position: &Position<B>, step: CellStep) -> Clicks {
        step.clicks()
    }

    fn counts(&self, position: &Position<B>) -> Vec<(&'static str, HalfPoints)> {
        let [black, white] = position.by_color().map(|stones| HalfPoints::whole(stones.count()));
        vec![("b", black), ("w", white)]
    }
}
