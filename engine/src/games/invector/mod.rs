//! Invector, by Mark Steere, 2026. Rules: `protocol/games/invector.md`.

#![expect(clippy::indexing_slicing, reason = "tables have an entry for each of the four directions")]

mod evaluation;
mod notation;

use crate::board::{Bitboard, Cell, Direction, Grid, Key, Shape, Zobrist};
use crate::nnue::LazyWeights;
use crate::rules::{
    Color, DirectedStep, DirectedSteps, Game, GameInfo, Keys, Method, Outcome, Position as _, PositionError, Puct,
    Sides, SizeRule, Stones, Variant, VariantKey, overlap_error, side_error,
};

/// The entry in the catalogue.
pub static INFO: GameInfo = GameInfo {
    name: "invector",
    author: "Mark Steere, 2026",
    about: "Capture next to you or step towards the center; who takes every enemy stone wins.",
    first: Color::Black,
    size: SizeRule::Rectangle {
        default: (8, 7),
        check: |columns, ranks| columns % 2 != ranks % 2,
        needs: "one even and one odd dimension",
    },
    keys: &[VariantKey::pie(Color::Black, true)],
    method: Method::Puct,
    puct: Puct { exploration: 0.25, ..Puct::DEFAULT },
    turns_per_cell: 1.65,
    comparisons: &[],
    levels: [20_480, 2_048, 336, 88, 16],
};

/// An opened variant of Invector.
pub struct Invector<B> {
    shape: Shape,
    grid: Grid<B>,
    /// For each direction, the pits that a step in it reaches from a pit farther from the nearest center pit.
    inward: [B; 4],
    /// The pits at distance at least 1, 2, … from the nearest center pit.
    distant: Vec<B>,
    /// For each direction, the difference of pit numbers of a step.
    strides: [u16; 4],
    start: [B; 2],
    /// The turn at which White may swap; 0, which is no turn's number, without the pie rule.
    swap_turn: u32,
    weights: LazyWeights<evaluation::Parameters>,
    zobrist: Zobrist,
}

type Position<B> = Stones<B>;
type Step = DirectedStep<4>;

impl<B: Bitboard> Invector<B> {
    /// Opens a variant of Invector. Its pits must fit the bitboard.
    pub fn new(variant: &Variant) -> Self {
        let shape = variant.size().shape();
        let distance = |cell| center_distance(&shape, cell);
        let inward = Direction::ALL.map(|direction| {
            let (dx, dy) = direction.offset();
            B::from_cells(shape.cells().filter(|&to| {
                let from = shape.offset(to, -dx, -dy);
                from.is_some_and(|from| distance(to) < distance(from))
            }))
        });
        let black = B::from_cells(shape.cells().filter(|&cell| {
            let (x, y) = shape.coordinates(cell);
            (x + y) % 2 == 0
        }));
        let grid = Grid::new(&shape);
        Self {
            start: [black, grid.cells() & !black],
            swap_turn: if variant.switch("pie") { 2 } else { 0 },
            weights: LazyWeights::default(),
            zobrist: Zobrist::new(2, shape.len()),
            strides: Direction::OFFSETS.map(|offset| shape.stride(offset)),
            distant: (1..=shape.cells().map(distance).max().unwrap_or(0))
                .map(|least| B::from_cells(shape.cells().filter(|&cell| distance(cell) >= least)))
                .collect(),
            shape,
            grid,
            inward,
        }
    }

    /// Returns the pits from which a stone of `own` could move in a direction.
    ///
    /// The target holds an enemy stone, or it is nearer to the center and holds no friendly stone.
    #[inline(always)]
    fn sources(&self, own: B, enemy: B, direction: Direction) -> B {
        let targets = enemy | (self.inward[direction as usize] & !own);
        self.grid.shift(targets, direction.reverse())
    }

    /// Returns the target pit of a step that moves a stone.
    #[inline]
    fn target(&self, step: Step) -> Cell {
        step.target(&self.strides)
    }

    fn pie(&self) -> bool {
        self.swap_turn != 0
    }

    fn may_swap(&self, position: &Position<B>) -> bool {
        position.turn == self.swap_turn
    }

    /// Returns the key of the side to move and the right to swap.
    fn turn_key(&self, position: &Position<B>) -> Key {
        // With the pie rule, turns 1 and 2 differ from each other and from all later turns.
        let turn = if self.pie() { position.turn.min(3) } else { 3 };
        Zobrist::state_key((1 << 32) + (u64::from(turn) << 1) + position.side.index() as u64)
    }
}

/// Returns the orthogonal distance of a pit to the nearest center pit (rule sheet, "Non-capturing moves").
fn center_distance(shape: &Shape, cell: Cell) -> u8 {
    center_offsets(shape, cell).iter().sum()
}

/// Returns the distance of a pit to the nearest center pit in columns and in ranks.
fn center_offsets(shape: &Shape, cell: Cell) -> [u8; 2] {
    let (x, y) = shape.coordinates(cell);
    // The middle one or two of n lines counted from 0.
    let off = |i: u8, n: u8| ((n - 1) / 2).saturating_sub(i).max(i.saturating_sub(n / 2));
    [off(x, shape.columns()), off(y, shape.ranks())]
}

impl<B: Bitboard> Game for Invector<B> {
    type Position = Position<B>;
    type Step = Step;
    type Steps = DirectedSteps<B, 4>;

    fn start(&self) -> Position<B> {
        Position::new(self.start, INFO.first, 1)
    }

    #[inline(always)]
    fn steps(&self, position: &Position<B>) -> DirectedSteps<B, 4> {
        let Sides { own, enemy } = position.stones;
        // Without an enemy stone the game is over. Empty movers give no steps then, without a branch around the code
        // below, whose results would have to be merged.
        let movers = if enemy.is_empty() { B::EMPTY } else { own };
        let from = [
            movers & self.sources(own, enemy, Direction::South),
            movers & self.sources(own, enemy, Direction::West),
            movers & self.sources(own, enemy, Direction::East),
            movers & self.sources(own, enemy, Direction::North),
        ];
        DirectedSteps::new(from, self.may_swap(position), !movers.is_empty())
    }

    #[inline(always)]
    fn play(&self, position: &mut Position<B>, step: Step, keys: &mut impl Keys) {
        let before = *position;
        let Sides { own, enemy } = before.stones;
        if step.is_special() {
            if step == Step::PASS {
                position.stones = before.stones.flipped();
            } else {
                // The stones change colors and then the side to move changes, so own stones stay own.
                keys.toggle(|| self.zobrist.exchange_key(own | enemy));
            }
        } else {
            let target = self.target(step);
            position.stones = before.stones.moved(B::of(step.from()), B::of(target));
            keys.toggle(|| {
                let (own, other) = (before.side.index(), (!before.side).index());
                let mut key = self.zobrist.key(own, step.from()) ^ self.zobrist.key(own, target);
                if enemy.has(target) {
                    key ^= self.zobrist.key(other, target);
                }
                key
            });
        }
        position.side = !position.side;
        position.turn += 1;
        let after = *position;
        keys.toggle(|| self.turn_key(&before) ^ self.turn_key(&after));
    }

    fn outcome(&self, position: &Position<B>) -> Option<Outcome> {
        let [black, white] = position.pieces();
        if white.is_empty() {
            Some(Outcome::win(Color::Black, "annihilation"))
        } else if black.is_empty() {
            Some(Outcome::win(Color::White, "annihilation"))
        } else {
            None
        }
    }

    fn key(&self, position: &Position<B>) -> Key {
        self.turn_key(position) ^ self.zobrist.sets_key(&position.pieces())
    }

    fn validate(&self, position: &Position<B>) -> Vec<PositionError> {
        let stones = position.pieces();
        let [black, white] = stones;
        let mut errors = Vec::from_iter(overlap_error("stones", stones, self.grid.cells()));
        if (black | white).is_empty() {
            errors.push(PositionError::new("board", "needs at least one stone"));
        }
        let most = self.shape.len() / 2;
        for (color, stones) in Color::BOTH.into_iter().zip(stones) {
            let count = stones.count() as usize;
            if count > most {
                let message = format!("{color} has {count} stones and can have at most {most}");
                errors.push(PositionError::new("board", message));
            }
        }
        if position.turn == 1 && stones != self.start {
            let message = "at turn 1 it must be the starting position";
            errors.push(PositionError::new("board", message));
        }
        errors.extend(side_error(position, INFO.first));
        errors
    }
}
