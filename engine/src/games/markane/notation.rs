//! Notation of Markane: steps `c3`, `swap`; positions `board side owed turn`.

use super::{Markane, Position};
use crate::board::{Bitboard, Shape};
use crate::notation::{PositionReader, swap_illegal_reason};
use crate::rules::{CellStep, Color, Equipment, Notation, Outcome, Planes, Position as _, PositionErrors, Sides};

impl<B: Bitboard> Notation for Markane<B> {
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

    fn parse_position(&self, text: &str) -> Result<Position<B>, PositionErrors> {
        PositionReader::read(self, text, &["owed"], |reader| {
            let (stones, side, owed) = (reader.stones(&self.shape), reader.side(), reader.count("owed", 1));
            let (turn, side) = (reader.turn(), side?);
            Some(Position { stones: Sides::new(stones?, side), side, owed: owed?, turn: turn? })
        })
    }

    fn write_state(&self, position: &Position<B>) -> String {
        position.owed.to_string()
    }

    fn shape(&self) -> &Shape {
        &self.shape
    }

    fn planes(&self, position: &Position<B>) -> Option<Planes> {
        Planes::of_stones(&self.shape, position.pieces()).map(|planes| Planes {
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
        let [black, white] = position.pieces().map(Bitboard::count);
        let mut lines = vec![format!("stones: Black {black}, White {white}")];
        lines.extend(self.status(position));
        lines
    }

    fn equipment(&self) -> Equipment {
        Equipment::Pits
    }
}
