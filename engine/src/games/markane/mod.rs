//! Markane, by Mark Steere, 2026. Rules: `protocol/games/markane.md`.

mod evaluation;
mod lines;
mod notation;

use std::hint::select_unpredictable;

use crate::board::{Bitboard, Cell, Grid, Key, Shape, Zobrist};
use crate::nnue::LazyWeights;
use crate::rules::{
    self, CellStep, CellSteps, Color, Game, GameInfo, Keys, Method, Outcome, Position as _, PositionError, Puct, Sides,
    SizeRule, Steps as _, Variant, VariantKey, count_error, overlap_error, side_error,
};

/// The entry in the catalogue.
pub static INFO: GameInfo = GameInfo {
    name: "markane",
    author: "Mark Steere, 2026",
    about: "Place stones; captures earn further placements; who cannot place loses.",
    first: Color::Black,
    size: SizeRule::Rectangle { default: (8, 8), check: |_, _| true, needs: "" },
    keys: &[VariantKey::pie(Color::Black, false)],
    method: Method::Puct,
    puct: Puct { expansions: 2, ..Puct::DEFAULT },
    turns_per_cell: 0.5,
    comparisons: &[],
    levels: [1_600, 544, 208, 88, 40],
};

/// An opened variant of Markane.
pub struct Markane<B> {
    shape: Shape,
    grid: Grid<B>,
    pie: bool,
    /// By number of empty pits, the game phase of the evaluation.
    phases: Vec<u8>,
    weights: LazyWeights<evaluation::Parameters>,
    zobrist: Zobrist,
}

/// A position of Markane.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Position<B> {
    stones: Sides<B>,
    side: Color,
    /// Owed placements of the side to move in this turn.
    owed: u32,
    turn: u32,
}

impl<B: Bitboard> rules::Position for Position<B> {
    type Set = B;

    #[inline]
    fn side(&self) -> Color {
        self.side
    }

    #[inline]
    fn turn(&self) -> u32 {
        self.turn
    }

    fn pieces(&self) -> [B; 2] {
        self.stones.by_color(self.side)
    }
}

impl<B: Bitboard> Position<B> {
    /// Ends the turn if no placement is owed.
    #[inline(always)]
    fn end_turn(&mut self) {
        // Captures in playouts are unpredictable, so nothing branches on the end of the turn.
        let ends = self.owed == 0;
        let Sides { own, enemy } = self.stones;
        self.stones =
            Sides { own: select_unpredictable(ends, enemy, own), enemy: select_unpredictable(ends, own, enemy) };
        self.side = select_unpredictable(ends, !self.side, self.side);
        self.owed += u32::from(ends);
        self.turn += u32::from(ends);
    }

    /// Returns true if the side to move has just captured the last enemy stone.
    fn annihilated(&self) -> bool {
        self.turn >= 3 && self.stones.enemy.is_empty()
    }
}

impl<B: Bitboard> Markane<B> {
    /// Opens a variant of Markane. Its cells must fit the bitboard.
    pub fn new(variant: &Variant) -> Self {
        let shape = variant.size().shape();
        Self {
            pie: variant.switch("pie"),
            grid: Grid::new(&shape),
            phases: evaluation::phases(shape.len()),
            weights: LazyWeights::default(),
            zobrist: Zobrist::new(2, shape.len()),
            shape,
        }
    }

    /// Returns the pits where `own` may place a stone.
    #[inline(always)]
    fn placements(&self, own: B, enemy: B) -> B {
        let empty = self.grid.cells() & !(own | enemy);
        let adjacent = self.grid.neighbors(own);
        // An enemy stone next to two friendly ones is captured wherever the next stone goes; one next to a single
        // friendly one is captured by a stone placed next to it.
        let any_captures = !(self.grid.double_neighbors(own) & enemy).is_empty();
        let captures = self.grid.neighbors(adjacent & enemy);
        let quiet = !(adjacent | self.grid.double_neighbors(enemy));
        select_unpredictable(any_captures, empty, empty & (captures | quiet))
    }

    /// Places a stone of the side to move and removes the stones that it captures. Returns those.
    #[inline(always)]
    fn place(&self, position: &mut Position<B>, cell: Cell) -> B {
        let Sides { own, enemy } = position.stones;
        let own = own | B::of(cell);
        let captured = enemy & self.grid.double_neighbors(own);
        position.stones = Sides { own, enemy: enemy ^ captured };
        position.owed = position.owed + captured.count() - 1;
        captured
    }

    /// Returns the key of everything but the stones.
    fn turn_key(&self, position: &Position<B>) -> Key {
        // Turns 1 and 2 differ from later turns in the right to swap, and in that no player is annihilated.
        let turn = u64::from(position.turn.min(3));
        let side = position.side.index() as u64;
        Zobrist::state_key((1 << 40) + (u64::from(position.owed) << 3) + (turn << 1) + side)
    }
}

impl<B: Bitboard> Game for Markane<B> {
    type Position = Position<B>;
    type Step = CellStep;
    type Steps = CellSteps<B>;

    fn start(&self) -> Position<B> {
        Position { stones: Sides { own: B::EMPTY, enemy: B::EMPTY }, side: Color::Black, owed: 1, turn: 1 }
    }

    #[inline(always)]
    fn steps(&self, position: &Position<B>) -> CellSteps<B> {
        if position.annihilated() {
            return CellSteps::none();
        }
        let Sides { own, enemy } = position.stones;
        let cells = self.placements(own, enemy);
        CellSteps {
            cells,
            // A swap does not avoid stalemate (`protocol/games/markane.md`).
            swap: self.pie && position.turn == 2 && !cells.is_empty(),
        }
    }

    #[inline(always)]
    fn play(&self, position: &mut Position<B>, step: CellStep, keys: &mut impl Keys) {
        let before = *position;
        let Sides { own, enemy } = before.stones;
        if step == CellStep::SWAP {
            // The stones change colors and then, below, the side to move changes, so own stones stay own.
            position.stones = before.stones.flipped();
            keys.toggle(|| self.zobrist.exchange_key(own | enemy));
            position.owed = 0;
        } else {
            let captured = self.place(position, step.cell());
            keys.toggle(|| {
                let lost = Sides { own: B::EMPTY, enemy: captured };
                let lost = self.zobrist.sets_key(&lost.by_color(before.side));
                self.zobrist.key(before.side.index(), step.cell()) ^ lost
            });
        }
        position.end_turn();
        let after = *position;
        keys.toggle(|| self.turn_key(&before) ^ self.turn_key(&after));
    }

    fn outcome(&self, position: &Position<B>) -> Option<Outcome> {
        if position.annihilated() {
            Some(Outcome::win(position.side, "annihilation"))
        } else if self.steps(position).is_empty() {
            Some(Outcome::win(!position.side, "stalemate"))
        } else {
            None
        }
    }

    fn key(&self, position: &Position<B>) -> Key {
        self.turn_key(position) ^ self.zobrist.sets_key(&position.pieces())
    }

    fn validate(&self, position: &Position<B>) -> Vec<PositionError> {
        let [black, white] = position.pieces();
        let mut errors = Vec::from_iter(overlap_error("stones", [black, white], self.grid.cells()));
        errors.extend(side_error(position, INFO.first));
        // Every turn adds one stone to the board, because each captured stone is placed again. A swap adds none.
        let stones_and_owed = u64::from((black | white).count()) + u64::from(position.owed);
        let turn = u64::from(position.turn);
        let what = "stones and owed placements together";
        let swapped = self.pie && turn >= 3;
        errors.extend(count_error("owed", what, stones_and_owed, turn, position.turn, swapped));
        // Nothing is captured before turn 3, and no turn comes after the one that fills the last pit.
        if position.turn < 3 && position.owed != 1 {
            errors.push(PositionError::new("owed", "must be 1 in turns 1 and 2"));
        }
        let last = self.shape.len() as u64 + 1 + u64::from(self.pie);
        if turn > last {
            errors.push(PositionError::new("turn", format!("can be at most {last} on this board")));
        }
        errors
    }
}
