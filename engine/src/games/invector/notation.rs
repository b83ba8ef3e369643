//! Notation of Invector: steps `c3c4`, `pass`, `swap`; positions `board side turn`.

use super::{Invector, Position, center_distance};
use crate::board::{Bitboard, Cell, Direction, Shape};
use crate::notation::{PositionReader, move_illegal_reason, pass_illegal_reason, swap_illegal_reason};
use crate::rules::{Color, Equipment, Layers, Notation, Outcome, ParsedMove, Planes, Position as _, PositionErrors};

impl<B: Bitboard> Notation for Invector<B> {
    const DIRECTIONS: &'static [(i8, i8)] = &Direction::OFFSETS;

    fn illegal_reason(&self, position: &Position<B>, parsed: ParsedMove) -> String {
        let (from, to) = match parsed {
            ParsedMove::Move(from, to) => (from, to),
            ParsedMove::Pass => return pass_illegal_reason(),
            ParsedMove::Swap => return swap_illegal_reason(self.pie()),
        };
        let label = |cell| self.shape.label(cell);
        if position.stones.own.has(from) && self.geometry().direction(from, to).is_none() {
            return format!("{} is not next to {}", label(to), label(from));
        }
        move_illegal_reason(self, position, from, to).unwrap_or_else(|| {
            let center: Vec<String> = self.landmarks().into_iter().map(label).collect();
            let center = center.join(" or ");
            format!("{} is empty and not nearer to a center pit ({center}) than {}", label(to), label(from))
        })
    }

    fn parse_position(&self, text: &str) -> Result<Position<B>, PositionErrors> {
        PositionReader::read_stones(self, &self.shape, text)
    }

    fn shape(&self) -> &Shape {
        &self.shape
    }

    #[inline(always)]
    fn planes(&self, position: &Position<B>) -> Option<Planes> {
        Planes::of_stones(&self.shape, position.pieces()).map(|planes| Planes { colors_alike: true, ..planes })
    }

    #[inline(always)]
    fn read_planes(&self, planes: &Planes, side: Color, turn: u32) -> Option<Position<B>> {
        Some(Position::new(planes.pieces.map(B::from_bits), side, turn))
    }

    /// Weighs a pit by its distance to the center, plus 1.
    ///
    /// So a step towards the center makes the stones weigh less by 1, and a capture by the weight of the pit that the
    /// stone left. A player passes only while the other can step: two players without a step would hold a center pit
    /// each, next to each other.
    fn layers(&self) -> Option<Layers> {
        let weight = |cell| u32::from(center_distance(&self.shape, cell)) + 1;
        Some(Layers { weights: self.shape.cells().map(weight).collect(), most: self.shape.len() as u32 / 2 })
    }

    /// Returns the stones that Black and White have lost since the start of the game.
    fn tally(&self, position: &Position<B>) -> [u32; 2] {
        let at_the_start = self.shape.len() as u32 / 2;
        let stones = position.pieces();
        stones.map(|stones| at_the_start.saturating_sub(stones.count()))
    }

    fn equipment(&self) -> Equipment {
        Equipment::Pits
    }

    /// Returns the two center pits.
    fn landmarks(&self) -> Vec<Cell> {
        let is_center = |cell: &Cell| center_distance(&self.shape, *cell) == 0;
        self.shape.cells().filter(is_center).collect()
    }

    fn explain(&self, _end: &Position<B>, outcome: Outcome) -> String {
        outcome.loser().map_or_else(String::new, |loser| format!("{loser} has no stone left"))
    }

    fn caption(&self, position: &Position<B>) -> Vec<String> {
        let [black, white] = position.pieces().map(Bitboard::count);
        vec![format!("stones: Black {black}, White {white}")]
    }
}
