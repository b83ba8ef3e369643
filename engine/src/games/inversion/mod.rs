//! Inversion, by Zack Lasner, 2010. Rules: `protocol/games/inversion.md`.

#![expect(
    clippy::indexing_slicing,
    reason = "tables have one entry a cell, and cells are made by the shape that sized the tables"
)]

pub mod evaluation;
mod notation;

use std::hint::select_unpredictable;

use crate::board::{Bitboard, Cell, Key, Shape, Zobrist};
use crate::nnue::LazyWeights;
use crate::rules::{
    self, CellStep, CellSteps, Color, Game, GameInfo, HalfPoints, Keys, Method, Outcome, PositionError, Puct, SizeRule,
    Value, ValueKind, Variant, VariantKey, count_error, overlap_error, side_error,
};

/// The entry in the catalogue.
pub static INFO: GameInfo = GameInfo {
    name: "inversion",
    author: "Zack Lasner, 2010",
    about: "Fill the board; a full hex of seven turns to the color that has fewer of it.",
    first: Color::White,
    size: SizeRule::Hexagon { default: 5, min: 2 },
    keys: &[
        VariantKey {
            name: "komi",
            about: "points for Black, who moves second",
            kind: ValueKind::HalfPoints { min: HalfPoints(-2 * 999), max: HalfPoints(2 * 999) },
            default: |_| Value::HalfPoints(HalfPoints(0)),
        },
        VariantKey {
            name: "order",
            about: "who says in what order several hexes are inverted; with single, only one is",
            kind: ValueKind::Choice(&["mover", "alternate", "single"]),
            default: |_| Value::Choice("mover"),
        },
        VariantKey::pie(Color::White, false),
    ],
    method: Method::Pvs,
    puct: Puct::DEFAULT,
    turns_per_cell: 1.0,
    comparisons: &["order=mover,alternate,single"],
    levels: [131_072, 1_024, 224, 56, 24],
};

/// Rule for the order in which several hexes are inverted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Order {
    /// The player who placed the stone chooses the order.
    Mover,
    /// The players choose alternately, starting with the player who placed the stone.
    Alternate,
    /// The player who placed the stone chooses one hex; the others are not inverted.
    Single,
}

/// An opened variant of Inversion.
pub struct Inversion<B> {
    shape: Shape,
    cells: B,
    /// For each cell that is a center, its hex: the cell and its six neighbors.
    hexes: Vec<Option<B>>,
    /// For each cell, the hexes that hold it, each with its center. Unused entries have a hex that is never full.
    around: Vec<[(B, B); 7]>,
    /// Hexes of the evaluation.
    board_hexes: Vec<evaluation::BoardHex<B>>,
    /// By cell, the board hexes that hold it.
    memberships: Vec<Vec<evaluation::Membership>>,
    komi: HalfPoints,
    order: Order,
    pie: bool,
    weights: LazyWeights<evaluation::Parameters>,
    zobrist: Zobrist,
}

/// A position of Inversion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Position<B> {
    /// The stones of Black and of White.
    stones: [B; 2],
    side: Color,
    /// The centers of the pending hexes: none, or at least two.
    pending: B,
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
        self.stones
    }
}

/// Returns the player whose turn it is, by its number: White has the odd turns.
///
/// While hexes are pending, the side to move may be the other player.
fn turn_owner(turn: u32) -> Color {
    if turn.is_multiple_of(2) { !INFO.first } else { INFO.first }
}

impl<B: Bitboard> Inversion<B> {
    /// Opens a variant of Inversion. Its cells must fit the bitboard.
    pub fn new(variant: &Variant) -> Self {
        let shape = variant.size().shape();
        let hex = |center| {
            let around: Vec<Cell> = shape.neighbors(center).collect();
            (around.len() == 6).then(|| B::from_cells(around) | B::of(center))
        };
        let hexes: Vec<Option<B>> = shape.cells().map(hex).collect();
        let around = |cell: Cell| {
            let near = std::iter::once(cell).chain(shape.neighbors(cell));
            let hexes = near.filter_map(|c| hexes[c.index()].map(|hex| (hex, B::of(c))));
            let mut around = [(!B::EMPTY, B::EMPTY); 7];
            around.iter_mut().zip(hexes).for_each(|(slot, hex)| *slot = hex);
            around
        };
        let order = match variant.choice("order") {
            "alternate" => Order::Alternate,
            "single" => Order::Single,
            _ => Order::Mover,
        };
        let board_hexes = evaluation::board_hexes(&shape, &hexes);
        Self {
            cells: B::from_cells(shape.cells()),
            around: shape.cells().map(around).collect(),
            memberships: evaluation::memberships(&shape, &board_hexes),
            komi: variant.half_points("komi"),
            order,
            pie: variant.switch("pie"),
            weights: LazyWeights::default(),
            // Black's stones, White's stones and pending centers.
            zobrist: Zobrist::new(3, shape.len()),
            board_hexes,
            hexes,
            shape,
        }
    }

    fn may_swap(&self, position: &Position<B>) -> bool {
        self.pie && position.turn == 2 && position.pending.is_empty()
    }

    /// Inverts a full hex: gives all its cells to the color that has fewer of them.
    #[inline(always)]
    fn invert(&self, stones: &mut [B; 2], center: Cell) {
        let Some(hex) = self.hexes[center.index()] else {
            return;
        };
        let [black, white] = *stones;
        let (black_is_dominant, rest) = ((black & hex).count() >= 4, !hex);
        *stones = if black_is_dominant { [black & rest, white | hex] } else { [black | hex, white & rest] };
    }

    /// Returns the centers of the hexes that the stone in a cell has completed.
    #[inline(always)]
    fn completed(&self, occupied: B, cell: Cell) -> B {
        let empty = !occupied;
        let mut completed = B::EMPTY;
        // Checks all seven without a branch: which hexes are full is unpredictable.
        for (hex, center) in &self.around[cell.index()] {
            let full = (*hex & empty).is_empty();
            completed = completed | select_unpredictable(full, *center, B::EMPTY);
        }
        completed
    }

    /// Returns the key of everything but the stones and the pending centers.
    #[inline]
    fn turn_key(&self, position: &Position<B>) -> Key {
        let side = position.side.index() as u64;
        let owner = turn_owner(position.turn).index() as u64;
        let turn = if self.pie { u64::from(position.turn.min(3)) } else { 3 };
        Zobrist::state_key((1 << 32) + (turn << 2) + (owner << 1) + side)
    }

    /// Returns the number of White's stones less that of Black's stones and the komi, in half-points.
    fn lead_of_white(&self, position: &Position<B>) -> i32 {
        let [black, white] = position.stones;
        HalfPoints::whole(white.count()).0 - HalfPoints::whole(black.count()).0 - self.komi.0
    }
}

impl<B: Bitboard> Game for Inversion<B> {
    type Position = Position<B>;
    type Step = CellStep;
    type Steps = CellSteps<B>;

    fn start(&self) -> Position<B> {
        Position { stones: [B::EMPTY; 2], side: INFO.first, pending: B::EMPTY, turn: 1 }
    }

    #[inline(always)]
    fn steps(&self, position: &Position<B>) -> CellSteps<B> {
        if !position.pending.is_empty() {
            let cells = position.pending;
            return CellSteps { cells, swap: false };
        }
        let [black, white] = position.stones;
        let cells = self.cells & !(black | white);
        CellSteps { cells, swap: self.may_swap(position) && !cells.is_empty() }
    }

    #[inline(always)]
    fn play(&self, position: &mut Position<B>, step: CellStep, keys: &mut impl Keys) {
        let before = *position;
        let after = position;
        if step == CellStep::SWAP {
            let [black, white] = before.stones;
            after.stones = [white, black];
        } else if before.pending.is_empty() {
            let own = &mut after.stones[before.side.index()];
            *own = *own | B::of(step.cell());
            let [black, white] = after.stones;
            after.pending = self.completed(black | white, step.cell());
        } else {
            self.invert(&mut after.stones, step.cell());
            after.pending = match self.order {
                Order::Single => B::EMPTY,
                _ => before.pending & !B::of(step.cell()),
            };
            if self.order == Order::Alternate {
                after.side = !before.side;
            }
        }
        // A single pending hex leaves no choice and is inverted at once.
        if let Some(last) = after.pending.first()
            && after.pending.without_first().is_empty()
        {
            self.invert(&mut after.stones, last);
            after.pending = B::EMPTY;
        }
        if after.pending.is_empty() {
            after.side = !turn_owner(before.turn);
            after.turn = before.turn + 1;
        }
        let after = *after;
        keys.toggle(|| self.key_difference(&before, &after));
    }

    fn outcome(&self, position: &Position<B>) -> Option<Outcome> {
        let [black, white] = position.stones;
        if black | white != self.cells || !position.pending.is_empty() {
            return None;
        }
        let lead = self.lead_of_white(position);
        Some(Outcome {
            winner: match lead {
                0 => None,
                1.. => Some(Color::White),
                _ => Some(Color::Black),
            },
            reason: "majority",
        })
    }

    fn key(&self, position: &Position<B>) -> Key {
        let [black, white] = position.stones;
        self.turn_key(position) ^ self.zobrist.sets_key(&[black, white, position.pending])
    }

    fn validate(&self, position: &Position<B>) -> Vec<PositionError> {
        let [black, white] = position.stones;
        let occupied = black | white;
        let mut errors = Vec::from_iter(overlap_error("stones", position.stones, self.cells));
        let pending = position.pending;
        let choosing = !pending.is_empty();
        if !(choosing && self.order == Order::Alternate) {
            errors.extend(side_error(position, INFO.first));
        }
        // Every turn but a swap places one stone. While hexes are pending, the turn has already placed its stone.
        let stones = occupied.count().into();
        let expected = u64::from(position.turn) - u64::from(!choosing);
        let swapped = self.pie && position.turn >= 3;
        errors.extend(count_error("board", "the stones", stones, expected, position.turn, swapped));
        if choosing {
            errors.extend(self.pending_errors(occupied, pending));
        }
        errors
    }
}

impl<B: Bitboard> Inversion<B> {
    /// Returns the key difference between two positions.
    #[inline]
    fn key_difference(&self, before: &Position<B>, after: &Position<B>) -> Key {
        let black = before.stones[0] ^ after.stones[0];
        let white = before.stones[1] ^ after.stones[1];
        let pending = before.pending ^ after.pending;
        self.zobrist.sets_key(&[black, white, pending]) ^ self.turn_key(before) ^ self.turn_key(after)
    }

    fn pending_errors(&self, occupied: B, pending: B) -> Vec<PositionError> {
        let mut errors = Vec::new();
        if pending.count() == 1 {
            let message = "a single hex is inverted at once and never pending";
            errors.push(PositionError::new("pending", message));
        }
        let mut common = self.cells;
        for center in pending.cells() {
            let label = self.shape.label(center);
            match self.hexes[center.index()] {
                None => {
                    let message = format!("{label} is at the edge and the center of no hex");
                    errors.push(PositionError::new("pending", message));
                }
                Some(hex) if !(hex & !occupied).is_empty() => {
                    let message = format!("the hex of {label} is not full");
                    errors.push(PositionError::new("pending", message));
                }
                Some(hex) => common = common & hex,
            }
        }
        if common.is_empty() {
            let message = "the hexes have no cell in common that could have completed them";
            errors.push(PositionError::new("pending", message));
        }
        errors
    }
}
