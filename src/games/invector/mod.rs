//! Invector, by Mark Steere, 2026. Rules: `protocol/games/invector.md`.

#![expect(
    clippy::indexing_slicing,
    reason = "tables have an entry for each of the four directions"
)]

mod evaluation;
mod notation;

use std::ops::ControlFlow;

use crate::board::{Bitboard, Cell, Direction, Grid, Key, Shape, Zobrist};
use crate::game::{self, Color, Fault, Game, Keys, Outcome, Sides, Weights};
use crate::notation::{GameInfo, SizeRule, Value, ValueKind, Variant, VariantKey};

/// The row of the catalogue.
pub static INFO: GameInfo = GameInfo {
    name: "invector",
    author: "Mark Steere, 2026",
    about: "Capture next to you or step towards the centre; who takes every enemy stone wins.",
    first: Color::Black,
    size: SizeRule::Rectangle {
        default: (8, 7),
        check: |columns, ranks| columns % 2 != ranks % 2,
        needs: "one even and one odd dimension",
    },
    keys: &[VariantKey {
        name: "pie",
        about: "White may swap colours instead of playing turn 2",
        kind: ValueKind::Switch,
        default: |_| Value::Switch(true),
    }],
    levels: [131_072, 12_288, 1_024, 128, 20],
};

/// An opened variant of Invector.
pub struct Invector<B> {
    variant: Variant,
    shape: Shape,
    grid: Grid<B>,
    /// For each direction, the pits where a step that way ends nearer to the nearest centre pit.
    inward: [B; 4],
    /// For each direction, what a step adds to the number of a pit.
    strides: [u16; 4],
    start: [B; 2],
    pie: bool,
    weights: Weights,
    zobrist: Zobrist,
}

/// A position of Invector.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Position<B> {
    stones: Sides<B>,
    side: Color,
    turn: u32,
}

/// A step: the pit it starts from and its direction; or `pass`; or `swap`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step(u16);

impl Step {
    const PASS: Self = Self(u16::MAX);
    const SWAP: Self = Self(u16::MAX - 1);

    /// `direction` is the number of one.
    fn new(from: Cell, direction: u16) -> Self {
        Self((from.index() as u16) << 2 | direction)
    }

    /// Whether it is `pass` or `swap`: no pit has numbers so high.
    fn is_special(self) -> bool {
        self.0 >= Self::SWAP.0
    }

    fn from(self) -> Cell {
        Cell::new(usize::from(self.0 >> 2))
    }

    fn direction(self) -> Direction {
        match self.0 & 3 {
            0 => Direction::South,
            1 => Direction::West,
            2 => Direction::East,
            _ => Direction::North,
        }
    }
}

impl game::Step for Step {
    fn bits(self) -> u32 {
        self.0.into()
    }

    fn from_bits(bits: u32) -> Self {
        Self(bits as u16)
    }
}

/// The legal steps of a position: for each direction the pits to start from, and perhaps a special step.
#[derive(Clone, Copy, Debug)]
pub struct Steps<B> {
    from: [B; 4],
    /// `pass` where there is no other, or `swap` where it is legal, too.
    special: Option<Step>,
}

impl<B: Bitboard> game::Steps for Steps<B> {
    type Step = Step;

    #[inline(always)]
    fn count(&self) -> usize {
        let [south, west, east, north] = self.from;
        let moves = (south.count() + west.count()) + (east.count() + north.count());
        moves as usize + usize::from(self.special.is_some())
    }

    #[inline(always)]
    fn nth(&self, n: usize) -> Option<Step> {
        match B::nth_of(&self.from, n as u32) {
            Some((direction, from)) => Some(Step::new(from, direction as u16)),
            None => self.special.filter(|_| n + 1 == self.count()),
        }
    }

    #[inline]
    fn visit<T>(&self, mut visitor: impl FnMut(Step) -> ControlFlow<T>) -> ControlFlow<T> {
        let [south, west, east, north] = self.from;
        for from in (south | west | east | north).cells() {
            for (set, direction) in self.from.iter().zip(0..) {
                if set.has(from) {
                    visitor(Step::new(from, direction))?;
                }
            }
        }
        match self.special {
            Some(special) => visitor(special),
            None => ControlFlow::Continue(()),
        }
    }

    #[inline(always)]
    fn contains(&self, step: Step) -> bool {
        match step {
            Step::PASS | Step::SWAP => self.special == Some(step),
            _ => self.from[step.direction() as usize].has(step.from()),
        }
    }

    #[inline(always)]
    fn for_each_in_any_order(&self, mut visitor: impl FnMut(Step)) {
        for (set, direction) in self.from.iter().zip(0..) {
            for from in set.cells() {
                visitor(Step::new(from, direction));
            }
        }
        if let Some(special) = self.special {
            visitor(special);
        }
    }
}

impl<B: Bitboard> game::Position for Position<B> {
    fn side(&self) -> Color {
        self.side
    }

    fn turn(&self) -> u32 {
        self.turn
    }
}

impl<B: Bitboard> Position<B> {
    /// Black's stones, then White's.
    fn by_color(&self) -> [B; 2] {
        self.stones.by_color(self.side)
    }
}

impl<B: Bitboard> Invector<B> {
    /// Opens a variant of Invector whose cells fit the bitboard.
    pub fn new(variant: &Variant) -> Self {
        let shape = variant.size().shape();
        let distance = |cell| centre_distance(&shape, cell);
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
            pie: variant.switch("pie"),
            weights: evaluation::WEIGHTS.clone(),
            zobrist: Zobrist::new(2, shape.len()),
            strides: Direction::ALL.map(|direction| {
                let (dx, dy) = direction.offset();
                let stride = i16::from(dx) + i16::from(dy) * i16::from(shape.columns());
                stride.cast_unsigned()
            }),
            variant: variant.clone(),
            shape,
            grid,
            inward,
        }
    }

    /// The pits from which a direction leads onto an enemy stone, or inwards onto a pit that is not friendly.
    #[inline(always)]
    fn leading_to(&self, own: B, enemy: B, direction: Direction) -> B {
        let targets = enemy | (self.inward[direction as usize] & !own);
        self.grid.shift(targets, direction.reverse())
    }

    /// Where a step that moves a stone leads.
    fn target(&self, step: Step) -> Cell {
        let stride = self.strides[step.direction() as usize];
        Cell::new(usize::from((step.from().index() as u16).wrapping_add(stride)))
    }

    fn may_swap(&self, position: &Position<B>) -> bool {
        self.pie && position.turn == 2
    }

    /// The key of whose turn it is, and of the right to swap.
    fn turn_key(&self, position: &Position<B>) -> Key {
        // Where there is a pie, turns 1 and 2 differ from each other and from all later ones.
        let turn = if self.pie { position.turn.min(3) } else { 3 };
        Zobrist::feature((1 << 32) + (u64::from(turn) << 1) + position.side.index() as u64)
    }
}

/// Steps from a pit to the nearest of the two centre pits (the sheet, "Non-capturing moves").
fn centre_distance(shape: &Shape, cell: Cell) -> u8 {
    let (x, y) = shape.coordinates(cell);
    // The middle one or two of n lines counted from 0.
    let off = |i: u8, n: u8| ((n - 1) / 2).saturating_sub(i).max(i.saturating_sub(n / 2));
    off(x, shape.columns()) + off(y, shape.ranks())
}

impl<B: Bitboard> Game for Invector<B> {
    type Position = Position<B>;
    type Step = Step;
    type Steps = Steps<B>;

    fn variant(&self) -> &Variant {
        &self.variant
    }

    fn start(&self) -> Position<B> {
        Position {
            stones: Sides::new(self.start, Color::Black),
            side: Color::Black,
            turn: 1,
        }
    }

    #[inline(always)]
    fn steps(&self, position: &Position<B>) -> Steps<B> {
        let Sides { own, enemy } = position.stones;
        // Where there is no enemy the game is over: no pit is left to start from. So one way leads through here, and
        // nothing in it has to be put together again where two ways meet.
        let movers = if enemy.is_empty() { B::EMPTY } else { own };
        let from = [
            movers & self.leading_to(own, enemy, Direction::South),
            movers & self.leading_to(own, enemy, Direction::West),
            movers & self.leading_to(own, enemy, Direction::East),
            movers & self.leading_to(own, enemy, Direction::North),
        ];
        let [south, west, east, north] = from;
        let special = if (south | west | east | north).is_empty() {
            (!movers.is_empty()).then_some(Step::PASS)
        } else if self.may_swap(position) {
            Some(Step::SWAP)
        } else {
            None
        };
        Steps { from, special }
    }

    #[inline(always)]
    fn play(&self, position: &mut Position<B>, step: Step, keys: &mut impl Keys) {
        let before = *position;
        let Sides { own, enemy } = before.stones;
        if step.is_special() {
            if step == Step::PASS {
                position.stones = before.stones.turned();
            } else {
                // The colours change hands, and then the turn: what was the mover's is again the mover's.
                keys.toggle(|| self.zobrist.exchange(own | enemy));
            }
        } else {
            let target = self.target(step);
            let (from, to) = (B::of(step.from()), B::of(target));
            position.stones = Sides {
                own: enemy & !to,
                enemy: own & !from | to,
            };
            keys.toggle(|| {
                let (own, other) = (before.side.index(), (!before.side).index());
                let mut key = self.zobrist.of(own, step.from()) ^ self.zobrist.of(own, target);
                if enemy.has(target) {
                    key ^= self.zobrist.of(other, target);
                }
                key
            });
        }
        position.side = !before.side;
        position.turn = before.turn + 1;
        let after = *position;
        keys.toggle(|| self.turn_key(&before) ^ self.turn_key(&after));
    }

    fn outcome(&self, position: &Position<B>) -> Option<Outcome> {
        let [black, white] = position.by_color();
        if white.is_empty() {
            Some(Outcome::win(Color::Black, "annihilation"))
        } else if black.is_empty() {
            Some(Outcome::win(Color::White, "annihilation"))
        } else {
            None
        }
    }

    fn key(&self, position: &Position<B>) -> Key {
        self.turn_key(position) ^ self.zobrist.sets(&position.by_color())
    }

    fn audit(&self, position: &Position<B>) -> Vec<Fault> {
        let mut faults = Vec::new();
        let stones = position.by_color();
        let [black, white] = stones;
        if !(black & white).is_empty() || !((black | white) & !self.grid.cells()).is_empty() {
            faults.push(Fault::new("board", "stones overlap or lie off the board"));
        }
        if (black | white).is_empty() {
            faults.push(Fault::new("board", "needs at least one stone"));
        }
        let most = self.shape.len() / 2;
        for (color, stones) in Color::BOTH.into_iter().zip(stones) {
            let count = stones.count() as usize;
            if count > most {
                let message = format!("{color} has {count} stones and can have at most {most}");
                faults.push(Fault::new("board", message));
            }
        }
        if position.turn == 1 && stones != self.start {
            let message = "at turn 1 it must be the starting position";
            faults.push(Fault::new("board", message));
        }
        faults.extend(game::side_fault(position, INFO.first));
        faults
    }
}
