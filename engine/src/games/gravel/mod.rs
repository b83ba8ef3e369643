//! Gravel, from a rule sheet that names no author. Rules: `protocol/games/gravel.md`.
#![expect(
    clippy::indexing_slicing,
    reason = "tables have an entry for each color or each cell, and are indexed by those"
)]

mod ending;
mod evaluation;
mod notation;
mod steps;
mod validate;

use crate::board::{Bitboard, Cell, Grid, Key, Mailbox, Shape, Zobrist};
use crate::nnue::LazyWeights;
use crate::rules::{
    self, Color, EVALUATION_SCALE, Game, GameInfo, Keys, Method, Outcome, PositionError, Puct, Size, SizeRule, Value,
    ValueKind, Variant, VariantKey,
};

use steps::Action;
pub use steps::{Step, Steps};

/// The entry in the catalogue.
pub static INFO: GameInfo = GameInfo {
    name: "gravel",
    author: "the sheet names no author",
    about: "Stack pieces, control spaces from their flanks, and remove what stands there.",
    first: Color::White,
    size: SizeRule::Square { default: 8, min: 2 },
    keys: &[
        VariantKey {
            name: "x",
            about: "placements and removals a turn, and pieces a space, at most",
            kind: ValueKind::Number { min: 2, max: 99 },
            default: |_| Value::Number(4),
        },
        VariantKey::pie(Color::White, false),
        VariantKey {
            name: "stall",
            about: "turns in a row without a removal that make a draw; 4·N·N where none is given",
            kind: ValueKind::Number { min: 1, max: 9999 },
            default: default_stall,
        },
    ],
    method: Method::Puct,
    puct: Puct { exploration: 0.03, expansions: 2, contempt: 0.05, score_scale: 4.0 * EVALUATION_SCALE },
    turns_per_cell: 0.62,
    comparisons: &["x=2,3,4,6"],
    levels: [256, 192, 144, 104, 64],
};

fn default_stall(size: Size) -> Value {
    let (columns, ranks) = size.dimensions();
    Value::Number(4 * u32::from(columns) * u32::from(ranks))
}

/// An opened variant of Gravel.
pub struct Gravel<B> {
    shape: Shape,
    grid: Grid<B>,
    /// The neighbors of each cell.
    neighbors: Vec<Vec<Cell>>,
    /// Number of pieces of each player: on the board, in the Pool, and removed.
    pieces: u32,
    x: u32,
    pie: bool,
    stall: u32,
    weights: LazyWeights<evaluation::Parameters>,
}

/// A position of Gravel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Position<B: Bitboard> {
    /// Number of pieces on each space.
    heights: B::Mailbox,
    /// The spaces occupied by Black and by White.
    spaces: [B; 2],
    /// The spaces that hold the most pieces allowed.
    full: B,
    /// Number of pieces on the board of Black and of White.
    on_board: [u32; 2],
    /// Number of removed pieces of Black and of White.
    removed: [u32; 2],
    side: Color,
    used: Used,
    /// Turns in a row without a removal.
    stall: u32,
    turn: u32,
}

/// The actions that the current turn has used.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Used {
    placed: u32,
    removed: u32,
    /// True if the first action was a removal.
    removed_first: bool,
}

impl Used {
    fn total(self) -> u32 {
        self.placed + self.removed
    }

    /// Returns true if a placing step may follow.
    fn may_place(self) -> bool {
        self.removed == 0 || self.removed_first
    }

    /// Returns true if a removal may follow.
    ///
    /// With the removals first, the last of the `x` actions is reserved for a placement.
    fn may_remove(self, x: u32) -> bool {
        match (self.removed_first, self.placed) {
            (true, 0) => self.removed + 1 < x,
            (true, _) => false,
            (false, 0) => 1 < x,
            (false, _) => true,
        }
    }
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
        self.spaces
    }
}

impl<B: Bitboard> Gravel<B> {
    /// Opens a variant of Gravel. Its spaces must fit the bitboard.
    pub fn new(variant: &Variant) -> Self {
        let shape = variant.size().shape();
        Self {
            grid: Grid::new(&shape),
            neighbors: shape.cells().map(|cell| shape.neighbors(cell).collect()).collect(),
            pieces: shape.len() as u32 / 2 + 1,
            x: variant.number("x"),
            pie: variant.switch("pie"),
            stall: variant.number("stall"),
            weights: LazyWeights::default(),
            shape,
        }
    }

    /// Returns the number of pieces in a player's Pool.
    #[inline(always)]
    fn pool(&self, position: &Position<B>, color: Color) -> u32 {
        let used = position.on_board[color.index()] + position.removed[color.index()];
        self.pieces.saturating_sub(used)
    }

    /// Returns true if a player has no piece on the board and none in the Pool.
    #[inline(always)]
    fn is_out_of_pieces(&self, position: &Position<B>, color: Color) -> bool {
        position.spaces[color.index()].is_empty() && self.pool(position, color) == 0
    }

    fn may_swap(&self, position: &Position<B>) -> bool {
        self.pie && position.turn == 2 && position.used == Used::default()
    }

    /// Returns the enemy spaces that a player controls.
    #[inline(always)]
    fn controlled(&self, position: &Position<B>, color: Color) -> B {
        let (own, enemy) = (position.spaces[color.index()], position.spaces[(!color).index()]);
        let flanked = enemy & self.grid.double_neighbors(own);
        // With no enemy piece next to a space, pieces on any two neighbors are a majority.
        let contested = flanked & self.grid.neighbors(enemy);
        let mut controlled = flanked & !contested;
        for space in contested.cells() {
            let (mine, theirs) = self.adjacent_pieces(position, color, space);
            if mine > theirs {
                controlled = controlled | B::of(space);
            }
        }
        controlled
    }

    /// Returns the number of pieces orthogonally adjacent to a space: the player's and the opponent's.
    #[inline(always)]
    fn adjacent_pieces(&self, position: &Position<B>, color: Color, space: Cell) -> (u32, u32) {
        let own = position.spaces[color.index()];
        let (mut mine, mut theirs) = (0, 0);
        for &neighbor in &self.neighbors[space.index()] {
            let height = u32::from(position.heights.get(neighbor));
            if own.has(neighbor) {
                mine += height;
            } else {
                theirs += height;
            }
        }
        (mine, theirs)
    }

    /// Adds one piece to a space.
    #[inline(always)]
    fn add(&self, position: &mut Position<B>, color: Color, space: Cell) {
        let height = position.heights.get(space) + 1;
        position.heights.set(space, height);
        let spaces = &mut position.spaces[color.index()];
        *spaces = *spaces | B::of(space);
        if u32::from(height) >= self.x {
            position.full = position.full | B::of(space);
        }
        position.on_board[color.index()] += 1;
    }

    /// Takes one piece off a space.
    #[inline(always)]
    fn take(&self, position: &mut Position<B>, color: Color, space: Cell) {
        let height = position.heights.get(space).saturating_sub(1);
        position.heights.set(space, height);
        if height == 0 {
            let spaces = &mut position.spaces[color.index()];
            *spaces = *spaces & !B::of(space);
        }
        position.full = position.full & !B::of(space);
        let on_board = &mut position.on_board[color.index()];
        *on_board = on_board.saturating_sub(1);
    }

    #[inline(always)]
    fn end_turn(&self, position: &mut Position<B>) {
        let removed = position.used.removed > 0;
        position.stall = if removed { 0 } else { position.stall + 1 };
        position.used = Used::default();
        position.side = !position.side;
        position.turn += 1;
    }

    /// Returns the key of the stack on a space.
    #[inline(always)]
    fn space_key(&self, position: &Position<B>, space: Cell) -> Key {
        let height = u64::from(position.heights.get(space));
        if height == 0 {
            return Key::default();
        }
        let color = u64::from(position.spaces[1].has(space));
        Zobrist::state_key((1 << 40) + (color << 18) + (height << 10) + space.index() as u64)
    }

    fn spaces_key(&self, position: &Position<B>) -> Key {
        let [black, white] = position.spaces;
        let keys = (black | white).cells().map(|space| self.space_key(position, space));
        keys.fold(Key::default(), |all, key| all ^ key)
    }

    /// Returns the key of everything but the stacks on the board.
    #[inline(always)]
    fn state_key(&self, position: &Position<B>) -> Key {
        let Used { placed, removed, removed_first } = position.used;
        // Turns 1 and 2 differ from later turns in the right to swap, and in that the game is not judged.
        let turn = u64::from(position.turn.min(3));
        let small = (turn << 2) + ((position.side.index() as u64) << 1) + u64::from(removed_first);
        let used = (u64::from(placed) << 12) + (u64::from(removed) << 5) + small;
        let [black, white] = position.removed.map(u64::from);
        Zobrist::state_key((2 << 40) + used)
            ^ Zobrist::state_key((3 << 40) + black)
            ^ Zobrist::state_key((4 << 40) + white)
            ^ Zobrist::state_key((5 << 40) + u64::from(position.stall))
    }
}

impl<B: Bitboard> Game for Gravel<B> {
    type Position = Position<B>;
    type Step = Step;
    type Steps = Steps<B>;

    fn start(&self) -> Position<B> {
        Position {
            heights: B::Mailbox::ZERO,
            spaces: [B::EMPTY; 2],
            full: B::EMPTY,
            on_board: [0; 2],
            removed: [0; 2],
            side: INFO.first,
            used: Used::default(),
            stall: 0,
            turn: 1,
        }
    }

    #[inline(always)]
    fn steps(&self, position: &Position<B>) -> Steps<B> {
        let mut steps = Steps::default();
        if self.judge(position).is_some() {
            return steps;
        }
        let side = position.side;
        let own = position.spaces[side.index()];
        if position.used.may_place() {
            let room = self.grid.cells() & !position.full;
            if self.pool(position, side) > 0 {
                steps.place = room & !position.spaces[(!side).index()];
            }
            steps.own = own;
            steps.onto = own & room;
        }
        if position.used.may_remove(self.x) {
            steps.remove = self.controlled(position, side);
        }
        steps.end = position.used.placed > 0;
        steps.swap = self.may_swap(position);
        steps
    }

    #[inline(always)]
    fn play(&self, position: &mut Position<B>, step: Step, keys: &mut impl Keys) {
        let before = *position;
        let side = position.side;
        match step.action() {
            Action::Place(space) => self.add(position, side, space),
            Action::Relocate(from, to) => {
                self.take(position, side, from);
                self.add(position, side, to);
            }
            Action::Retract(space) => self.take(position, side, space),
            Action::Remove(space) => {
                self.take(position, !side, space);
                position.removed[(!side).index()] += 1;
            }
            Action::End => {}
            Action::Swap => {
                position.spaces.swap(0, 1);
                position.on_board.swap(0, 1);
                position.removed.swap(0, 1);
            }
        }
        let turn_ends = match step.action() {
            Action::End | Action::Swap => true,
            Action::Remove(_) => {
                position.used.removed_first |= position.used.total() == 0;
                position.used.removed += 1;
                position.used.total() >= self.x
            }
            _ => {
                position.used.placed += 1;
                position.used.total() >= self.x
            }
        };
        if turn_ends {
            self.end_turn(position);
        }
        let after = *position;
        keys.toggle(|| {
            let on_space = |space| self.space_key(&before, space) ^ self.space_key(&after, space);
            let spaces = match step.action() {
                Action::Relocate(from, to) => on_space(from) ^ on_space(to),
                Action::Place(space) | Action::Retract(space) | Action::Remove(space) => on_space(space),
                Action::End => Key::default(),
                Action::Swap => self.spaces_key(&before) ^ self.spaces_key(&after),
            };
            spaces ^ self.state_key(&before) ^ self.state_key(&after)
        });
    }

    fn outcome(&self, position: &Position<B>) -> Option<Outcome> {
        self.judge(position)
    }

    fn key(&self, position: &Position<B>) -> Key {
        self.spaces_key(position) ^ self.state_key(position)
    }

    fn validate(&self, position: &Position<B>) -> Vec<PositionError> {
        self.errors(position)
    }
}
