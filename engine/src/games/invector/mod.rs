//! Invector, by Mark Steere, 2026. Rules: `protocol/games/invector.md`.

#![expect(clippy::indexing_slicing, reason = "tables have an entry for each of the four directions")]

mod evaluation;
mod notation;

use std::ops::ControlFlow;

use crate::board::{Bitboard, Cell, CellsOf, Direction, Grid, Instructions, Key, Shape, Zobrist};
use crate::nnue::LazyWeights;
use crate::rules::{
    self, Color, Game, GameInfo, Keys, Method, Outcome, PositionError, Sides, SizeRule, Value, ValueKind, Variant,
    VariantKey,
};

/// The entry in the catalogue.
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
    comparisons: &[],
    levels: [131_072, 12_288, 1_024, 128, 16],
};

/// An opened variant of Invector.
pub struct Invector<B> {
    variant: Variant,
    shape: Shape,
    grid: Grid<B>,
    /// For each direction, the pits that a step in it reaches from a pit farther from the nearest centre pit.
    inward: [B; 4],
    /// The pits at distance at least 1, 2, … from the nearest centre pit.
    distant: Vec<B>,
    /// For each direction, the difference of pit numbers of a step.
    strides: [u16; 4],
    start: [B; 2],
    /// The turn at which White may swap; 0, which is no turn's number, without the pie rule.
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
    /// The index of a direction; indices past the last mean that no stone moves.
    direction: u16,
}

impl Step {
    /// A pit number that no board has.
    const NOWHERE: u16 = 0x3fff;
    const PASS: Self = Self { from: Self::NOWHERE, direction: 7 };
    const SWAP: Self = Self { from: Self::NOWHERE, direction: 6 };

    /// Creates a step that moves a stone in the direction with index `direction`.
    fn new(from: Cell, direction: usize) -> Self {
        Self {
            from: from.index() as u16,
            // The mask lets the compiler remove the check for a special step where the step is played.
            direction: direction as u16 & 3,
        }
    }

    /// Returns true for `pass` and `swap`.
    #[inline]
    fn is_special(self) -> bool {
        self.direction > 3
    }

    #[inline]
    fn from(self) -> Cell {
        Cell::new(self.from.into())
    }

    /// Returns the index of the direction of a step that moves a stone.
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
        Self { from, direction: bits as u16 & 3 | past }
    }
}

/// The legal steps of a position.
#[derive(Clone, Copy, Debug)]
pub struct Steps<B> {
    /// For each direction, the pits from which a stone can move in it.
    from: [B; 4],
    /// The number of steps that move a stone.
    moves: u32,
    /// True if `swap` is legal, given that a stone can move.
    swap: bool,
    /// True if `pass` is legal, given that no stone can move: false if the game is over.
    pass: bool,
}

impl<B: Bitboard> Steps<B> {
    /// Returns the legal step that moves no stone.
    #[inline]
    fn special(&self) -> Option<Step> {
        if self.moves == 0 { self.pass.then_some(Step::PASS) } else { self.swap.then_some(Step::SWAP) }
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
    fn nth(&self, n: usize, instructions: impl Instructions) -> Option<Step> {
        match B::nth_of(&self.from, n as u32, instructions) {
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
    fn for_each_by_kind(&self, mut visitor: impl FnMut(Step)) {
        for (set, direction) in self.from.iter().zip(0..) {
            for from in set.cells() {
                visitor(Step::new(from, direction));
            }
        }
        if let Some(special) = self.special() {
            visitor(special);
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
        Iter { moves: CellsOf::new(self.from), special: self.special() }
    }
}

/// Iterator over the steps that move a stone, direction by direction, then the one that moves none.
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

/// Returns the number of steps if no stone can move. Out of line, because that is rare.
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
    /// Returns Black's stones and White's.
    #[inline]
    fn by_color(&self) -> [B; 2] {
        self.stones.by_color(self.side)
    }
}

impl<B: Bitboard> Invector<B> {
    /// Opens a variant of Invector. Its pits must fit the bitboard.
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

    /// Returns the pits from which a stone of `own` could move in a direction.
    ///
    /// The target holds an enemy stone, or it is nearer to the centre and holds no friendly stone.
    #[inline(always)]
    fn sources(&self, own: B, enemy: B, direction: Direction) -> B {
        let targets = enemy | (self.inward[direction as usize] & !own);
        self.grid.shift(targets, direction.reverse())
    }

    /// Returns the target pit of a step that moves a stone.
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

    /// Returns the key of the side to move and the right to swap.
    fn turn_key(&self, position: &Position<B>) -> Key {
        // With the pie rule, turns 1 and 2 differ from each other and from all later turns.
        let turn = if self.pie() { position.turn.min(3) } else { 3 };
        Zobrist::state_key((1 << 32) + (u64::from(turn) << 1) + position.side.index() as u64)
    }
}

/// Moves a stone of the side to move from one pit to another. Returns the stones with the other side to move.
#[inline(always)]
fn moved<B: Bitboard>(Sides { own, enemy }: Sides<B>, from: B, to: B) -> Sides<B> {
    Sides { own: enemy & !to, enemy: own & !from | to }
}

/// Returns the orthogonal distance of a pit to the nearest centre pit (rule sheet, "Non-capturing moves").
fn centre_distance(shape: &Shape, cell: Cell) -> u8 {
    centre_offsets(shape, cell).iter().sum()
}

/// Returns the distance of a pit to the nearest centre pit in columns and in ranks.
fn centre_offsets(shape: &Shape, cell: Cell) -> [u8; 2] {
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
        Position { stones: Sides::new(self.start, Color::Black), side: Color::Black, turn: 1 }
    }

    #[inline(always)]
    fn steps(&self, position: &Position<B>) -> Steps<B> {
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
                // The stones change colours and then the side to move changes, so own stones stay own.
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
            errors.push(PositionError::new("board", "stones overlap or lie off the board"));
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
