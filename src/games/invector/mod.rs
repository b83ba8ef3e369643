//! Invector, by Mark Steere, 2026. Rules: `protocol/games/invector.md`.

mod evaluation;
mod notation;

use std::ops::ControlFlow;

use crate::board::{Bitboard, Cell, Direction, Grid, Key, Shape, Zobrist};
use crate::game::{self, Color, Fault, Game, Keys, Outcome};
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
};

/// An opened variant of Invector.
pub struct Invector<B> {
    variant: Variant,
    shape: Shape,
    grid: Grid<B>,
    /// For each direction, the pits from which a step that way comes nearer to the nearest centre pit.
    inward: [B; 4],
    start: [B; 2],
    pie: bool,
    zobrist: Zobrist,
}

/// A position of Invector.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Position<B> {
    /// Black's stones, then White's.
    stones: [B; 2],
    side: Color,
    turn: u32,
}

/// A step: the pit it starts from and its direction; or `pass`; or `swap`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step(u16);

impl Step {
    const PASS: Self = Self(u16::MAX);
    const SWAP: Self = Self(u16::MAX - 1);

    fn new(from: Cell, direction: Direction) -> Self {
        Self((from.index() as u16) << 2 | direction as u16)
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

/// The legal steps of a position: for each direction the pits to start from, or one of the two special steps.
#[derive(Clone, Copy, Debug)]
pub struct Steps<B> {
    from: [B; 4],
    pass: bool,
    swap: bool,
}

impl<B: Bitboard> game::Steps for Steps<B> {
    type Step = Step;

    #[inline]
    fn count(&self) -> usize {
        let moves: u32 = self.from.iter().map(|from| from.count()).sum();
        moves as usize + usize::from(self.pass) + usize::from(self.swap)
    }

    #[inline]
    fn nth(&self, n: usize) -> Option<Step> {
        let mut n = n as u32;
        for (from, direction) in self.from.iter().zip(Direction::ALL) {
            let count = from.count();
            if n < count {
                return from.nth(n).map(|from| Step::new(from, direction));
            }
            n -= count;
        }
        match n {
            0 if self.pass => Some(Step::PASS),
            0 if self.swap => Some(Step::SWAP),
            _ => None,
        }
    }

    #[inline]
    fn visit<T>(&self, mut visitor: impl FnMut(Step) -> ControlFlow<T>) -> ControlFlow<T> {
        let [south, west, east, north] = self.from;
        for from in (south | west | east | north).cells() {
            for (set, direction) in self.from.iter().zip(Direction::ALL) {
                if set.has(from) {
                    visitor(Step::new(from, direction))?;
                }
            }
        }
        if self.pass {
            visitor(Step::PASS)?;
        }
        if self.swap {
            visitor(Step::SWAP)?;
        }
        ControlFlow::Continue(())
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

impl<B> Position<B> {
    fn own(&self) -> &B {
        let [black, white] = &self.stones;
        match self.side {
            Color::Black => black,
            Color::White => white,
        }
    }

    fn enemy(&self) -> &B {
        let [black, white] = &self.stones;
        match self.side {
            Color::Black => white,
            Color::White => black,
        }
    }
}

impl<B: Bitboard> Invector<B> {
    /// Opens a variant of Invector whose cells fit the bitboard.
    pub fn new(variant: &Variant) -> Self {
        let shape = variant.size().shape();
        let distance = |cell| centre_distance(&shape, cell);
        let inward = Direction::ALL.map(|direction| {
            let (dx, dy) = direction.offset();
            B::from_cells(shape.cells().filter(|&from| {
                let to = shape.offset(from, dx, dy);
                to.is_some_and(|to| distance(to) < distance(from))
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
            zobrist: Zobrist::new(2, shape.len()),
            variant: variant.clone(),
            shape,
            grid,
            inward,
        }
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
            stones: self.start,
            side: Color::Black,
            turn: 1,
        }
    }

    #[inline]
    fn steps(&self, position: &Position<B>) -> Steps<B> {
        let (&own, &enemy) = (position.own(), position.enemy());
        if own.is_empty() || enemy.is_empty() {
            return Steps {
                from: [B::EMPTY; 4],
                pass: false,
                swap: false,
            };
        }
        let empty = self.grid.cells() & !(own | enemy);
        let [south, west, east, north] = self.inward;
        let from = [
            (Direction::South, south),
            (Direction::West, west),
            (Direction::East, east),
            (Direction::North, north),
        ]
        .map(|(direction, inward)| {
            let back = direction.reverse();
            own & (self.grid.shift(enemy, back) | (self.grid.shift(empty, back) & inward))
        });
        let [south, west, east, north] = from;
        let pass = (south | west | east | north).is_empty();
        Steps {
            from,
            pass,
            swap: !pass && self.may_swap(position),
        }
    }

    #[inline]
    fn play(&self, position: &mut Position<B>, step: Step, keys: &mut impl Keys) {
        let before = *position;
        let [black, white] = before.stones;
        if step == Step::SWAP {
            position.stones = [white, black];
            keys.toggle(|| self.zobrist.exchange(black | white));
        } else if step != Step::PASS {
            let from = B::of(step.from());
            let to = self.grid.shift(from, step.direction());
            let own = *before.own() ^ from ^ to;
            let enemy = *before.enemy() & !to;
            position.stones = match before.side {
                Color::Black => [own, enemy],
                Color::White => [enemy, own],
            };
            keys.toggle(|| {
                let (own, enemy) = (before.side.index(), (!before.side).index());
                let Some(target) = to.first() else { return Key::default() };
                let mut key = self.zobrist.of(own, step.from()) ^ self.zobrist.of(own, target);
                if before.enemy().has(target) {
                    key ^= self.zobrist.of(enemy, target);
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
        let [black, white] = position.stones;
        if white.is_empty() {
            Some(Outcome::win(Color::Black, "annihilation"))
        } else if black.is_empty() {
            Some(Outcome::win(Color::White, "annihilation"))
        } else {
            None
        }
    }

    fn key(&self, position: &Position<B>) -> Key {
        self.turn_key(position) ^ self.zobrist.sets(&position.stones)
    }

    fn audit(&self, position: &Position<B>) -> Vec<Fault> {
        let mut faults = Vec::new();
        let [black, white] = position.stones;
        if !(black & white).is_empty() || !((black | white) & !self.grid.cells()).is_empty() {
            faults.push(Fault::new("board", "stones overlap or lie off the board"));
        }
        if (black | white).is_empty() {
            faults.push(Fault::new("board", "needs at least one stone"));
        }
        let most = self.shape.len() / 2;
        for (color, stones) in Color::BOTH.into_iter().zip(position.stones) {
            let count = stones.count() as usize;
            if count > most {
                let message = format!("{color} has {count} stones and can have at most {most}");
                faults.push(Fault::new("board", message));
            }
        }
        if position.turn == 1 && position.stones != self.start {
            let message = "at turn 1 it must be the starting position";
            faults.push(Fault::new("board", message));
        }
        faults.extend(game::side_fault(position, INFO.first));
        faults
    }
}
