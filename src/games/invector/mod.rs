//! Invector, by Mark Steere, 2026. Rules: `protocol/games/invector.md`.

#![expect(
    clippy::indexing_slicing,
    reason = "tables have an entry for each of the four directions"
)]

mod evaluation;
mod notation;

use std::ops::ControlFlow;

use crate::board::{Bitboard, Cell, CellsOf, Direction, Grid, Key, Shape, Zobrist};
use crate::nnue::LazyWeights;
use crate::rules::{
    self, Color, Game, GameInfo, Keys, Method, Outcome, PositionError, Sides, SizeRule, Value,
    ValueKind, Variant, VariantKey,
};

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
    method: Method::Pvs,
    levels: [131_072, 12_288, 1_024, 128, 16],
};

/// An opened variant of Invector.
pub struct Invector<B> {
    variant: Variant,
    shape: Shape,
    grid: Grid<B>,
    /// For each direction, the pits where a step that way ends nearer to the nearest centre pit.
    inward: [B; 4],
    /// The pits at least 1, 2, … steps from the nearest centre pit.
    distant: Vec<B>,
    /// For each direction, what a step adds to the number of a pit.
    strides: [u16; 4],
    start: [B; 2],
    /// The turn at which White may swap; 0, which no turn is, without a pie.
    swap_turn: u32,
    weights: LazyWeights<evaluation::Parameters>,
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
pub struct Step {
    from: u16,
    /// The number of a direction; those past the last say that no stone moves.
    direction: u16,
}

impl Step {
    /// No board has a pit with this number.
    const NOWHERE: u16 = 0x3fff;
    const PASS: Self = Self {
        from: Self::NOWHERE,
        direction: 7,
    };
    const SWAP: Self = Self {
        from: Self::NOWHERE,
        direction: 6,
    };

    /// `direction` is the number of one.
    fn new(from: Cell, direction: usize) -> Self {
        Self {
            from: from.index() as u16,
            // What is known to the compiler here, it need not look at when the step is played.
            direction: direction as u16 & 3,
        }
    }

    /// Whether it is `pass` or `swap`.
    #[inline]
    fn is_special(self) -> bool {
        self.direction > 3
    }

    #[inline]
    fn from(self) -> Cell {
        Cell::new(self.from.into())
    }

    /// The number of the direction of a step that moves a stone.
    #[inline]
    fn direction(self) -> usize {
        usize::from(self.direction & 3)
    }
}

impl rules::PackedStep for Step {
    #[inline]
    fn bits(self) -> u32 {
        u32::from(self.from) << 2 | u32::from(self.direction)
    }

    #[inline]
    fn from_bits(bits: u32) -> Self {
        let from = (bits >> 2) as u16;
        let past = u16::from(from == Self::NOWHERE) << 2;
        Self {
            from,
            direction: bits as u16 & 3 | past,
        }
    }
}

/// The legal steps of a position.
#[derive(Clone, Copy, Debug)]
pub struct Steps<B> {
    /// For each direction the pits to start from.
    from: [B; 4],
    /// How many those are, all together.
    moves: u32,
    /// Whether `swap` is legal where a stone can move.
    swap: bool,
    /// Whether `pass` is legal where none can: not where the game is over.
    pass: bool,
}

impl<B: Bitboard> Steps<B> {
    /// The step that moves no stone.
    #[inline]
    fn special(&self) -> Option<Step> {
        if self.moves == 0 {
            self.pass.then_some(Step::PASS)
        } else {
            self.swap.then_some(Step::SWAP)
        }
    }
}

impl<B: Bitboard> rules::Steps for Steps<B> {
    type Step = Step;

    #[inline(always)]
    fn count(&self) -> usize {
        if self.moves == 0 {
            return without_moves(self.pass);
        }
        self.moves as usize + usize::from(self.swap)
    }

    #[inline(always)]
    fn nth(&self, n: usize) -> Option<Step> {
        match B::nth_of(&self.from, n as u32) {
            Some((direction, from)) => Some(Step::new(from, direction)),
            None => self.special().filter(|_| n == self.moves as usize),
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
        match self.special() {
            Some(special) => visitor(special),
            None => ControlFlow::Continue(()),
        }
    }

    #[inline(always)]
    fn contains(&self, step: Step) -> bool {
        match step {
            Step::PASS | Step::SWAP => self.special() == Some(step),
            _ => self.from[step.direction()].has(step.from()),
        }
    }

    #[inline(always)]
    fn iter(&self) -> impl Iterator<Item = Step> + Clone {
        Iter {
            moves: CellsOf::new(self.from),
            special: self.special(),
        }
    }
}

/// The steps that move a stone, direction by direction, then the other one.
#[derive(Clone)]
struct Iter<B> {
    moves: CellsOf<B, 4>,
    special: Option<Step>,
}

impl<B: Bitboard> Iterator for Iter<B> {
    type Item = Step;

    #[inline(always)]
    fn next(&mut self) -> Option<Step> {
        match self.moves.next() {
            Some((direction, from)) => Some(Step::new(from, direction)),
            None => self.special.take(),
        }
    }
}

/// How many steps there are where no stone can move. That is rare, and apart from the others it costs them nothing.
#[cold]
#[inline(never)]
fn without_moves(pass: bool) -> usize {
    usize::from(pass)
}

impl<B: Bitboard> rules::Position for Position<B> {
    #[inline]
    fn side(&self) -> Color {
        self.side
    }

    #[inline]
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
            swap_turn: if variant.switch("pie") { 2 } else { 0 },
            weights: LazyWeights::default(),
            zobrist: Zobrist::new(2, shape.len()),
            strides: Direction::ALL.map(|direction| {
                let (dx, dy) = direction.offset();
                let stride = i16::from(dx) + i16::from(dy) * i16::from(shape.columns());
                stride.cast_unsigned()
            }),
            distant: (1..=shape.cells().map(distance).max().unwrap_or(0))
                .map(|least| B::from_cells(shape.cells().filter(|&cell| distance(cell) >= least)))
                .collect(),
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
    #[inline]
    fn target(&self, step: Step) -> Cell {
        let stride = self.strides[step.direction()];
        Cell::new(usize::from(step.from.wrapping_add(stride)))
    }

    fn pie(&self) -> bool {
        self.swap_turn != 0
    }

    fn may_swap(&self, position: &Position<B>) -> bool {
        position.turn == self.swap_turn
    }

    /// The key of whose turn it is, and of the right to swap.
    fn turn_key(&self, position: &Position<B>) -> Key {
        // Where there is a pie, turns 1 and 2 differ from each other and from all later ones.
        let turn = if self.pie() { position.turn.min(3) } else { 3 };
        Zobrist::state_key((1 << 32) + (u64::from(turn) << 1) + position.side.index() as u64)
    }
}

/// The stones after one of the side to move has gone from one pit to another, for the other side to move.
#[inline(always)]
fn moved<B: Bitboard>(Sides { own, enemy }: Sides<B>, from: B, to: B) -> Sides<B> {
    Sides {
        own: enemy & !to,
        enemy: own & !from | to,
    }
}

/// Steps from a pit to the nearest of the two centre pits (the sheet, "Non-capturing moves").
fn centre_distance(shape: &Shape, cell: Cell) -> u8 {
    off_centre(shape, cell).iter().sum()
}

/// How many columns and how many ranks a pit is away from the nearest of the two centre pits.
fn off_centre(shape: &Shape, cell: Cell) -> [u8; 2] {
    let (x, y) = shape.coordinates(cell);
    // The middle one or two of n lines counted from 0.
    let off = |i: u8, n: u8| ((n - 1) / 2).saturating_sub(i).max(i.saturating_sub(n / 2));
    [off(x, shape.columns()), off(y, shape.ranks())]
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
        Steps {
            from,
            moves: south.count() + west.count() + east.count() + north.count(),
            swap: self.may_swap(position),
            pass: !movers.is_empty(),
        }
    }

    #[inline(always)]
    fn play(&self, position: &mut Position<B>, step: Step, keys: &mut impl Keys) {
        let before = *position;
        let Sides { own, enemy } = before.stones;
        if step.is_special() {
            if step == Step::PASS {
                position.stones = before.stones.flipped();
            } else {
                // The colours change hands, and then the turn: what was the mover's is again the mover's.
                keys.toggle(|| self.zobrist.exchange_key(own | enemy));
            }
        } else {
            let target = self.target(step);
            position.stones = moved(before.stones, B::of(step.from()), B::of(target));
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
        self.turn_key(position) ^ self.zobrist.sets_key(&position.by_color())
    }

    fn validate(&self, position: &Position<B>) -> Vec<PositionError> {
        let mut errors = Vec::new();
        let stones = position.by_color();
        let [black, white] = stones;
        if !(black & white).is_empty() || !((black | white) & !self.grid.cells()).is_empty() {
            errors.push(PositionError::new(
                "board",
                "stones overlap or lie off the board",
            ));
        }
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
        errors.extend(rules::side_error(position, INFO.first));
        errors
    }
}
