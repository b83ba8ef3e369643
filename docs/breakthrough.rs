//! Breakthrough (Dan Troyka, 2000), the template of `adding-a-game.md`. In the engine, write `crate` for
//! `pentalith_engine`, and move the notation and the evaluation to files next to this one when they grow.

use pentalith_engine::board::{Bitboard, Grid, Key, Shape, Zobrist};
use pentalith_engine::nnue::{Features, Weights};
use pentalith_engine::notation::{PositionReader, move_illegal_reason, pass_illegal_reason};
use pentalith_engine::rules::{
    Color, DirectedStep, DirectedSteps, Evaluate, Game, GameInfo, Keys, Method, Notation, Outcome, ParsedMove, Planes,
    Position as _, PositionError, PositionErrors, Puct, Sides, SizeRule, Stones, Variant, overlap_error, side_error,
};

/// The entry in the catalogue.
pub static INFO: GameInfo = GameInfo {
    name: "breakthrough",
    author: "Dan Troyka, 2000",
    about: "Reach the other side.",
    first: Color::Black,
    size: SizeRule::Rectangle {
        default: (8, 8),
        check: |columns, ranks| columns >= 2 && ranks >= 5,
        needs: "two columns and five ranks",
    },
    keys: &[],
    comparisons: &[],
    // Begin with `Uct`, or with `Puct` where a few terms already tell who is ahead; a match decides.
    method: Method::Pvs,
    puct: Puct::DEFAULT,
    turns_per_cell: 1.0,
    levels: [16, 8, 4, 2, 1], // Begin with those of another game.
};

/// White's three directions, then Black's: columns to the right and ranks up, in the cell order of the targets.
const DIRECTIONS: [(i8, i8); 6] = [(-1, -1), (0, -1), (1, -1), (-1, 1), (0, 1), (1, 1)];

// A position with more than stones, a side and a turn is a struct, as in `games/markane`. A game that places stones has
// `CellStep` and `CellSteps` instead; one with other steps implements `PackedStep`, `StepText` and `Steps`.
type Position<B> = Stones<B>;
type Step = DirectedStep<6>;
type Steps<B> = DirectedSteps<B, 6>;

/// An opened variant: tables that never change.
pub struct Breakthrough<B> {
    shape: Shape,
    grid: Grid<B>,
    /// The rank where each player begins: the goal of the other.
    edges: [B; 2],
    start: [B; 2],
    strides: [u16; 6],
    weights: Weights,
    zobrist: Zobrist,
}

impl<B: Bitboard> Breakthrough<B> {
    /// Opens a variant. Its cells must fit the bitboard.
    pub fn new(variant: &Variant) -> Self {
        let shape = variant.size().shape();
        let ranks = |first, last| B::from_cells((first..=last).flat_map(|y| shape.rank(y)));
        let top = shape.ranks() - 1;
        Self {
            grid: Grid::new(&shape),
            edges: [ranks(0, 0), ranks(top, top)],
            start: [ranks(0, 1), ranks(top - 1, top)],
            strides: DIRECTIONS.map(|offset| shape.stride(offset)),
            // A trained game has `LazyWeights` from a file, as `games/markane` has.
            weights: Weights::of_terms(&[("stone", 100)]),
            zobrist: Zobrist::new(2, shape.len()),
            shape,
        }
    }
}

impl<B: Bitboard> Game for Breakthrough<B> {
    type Position = Position<B>;
    type Step = Step;
    type Steps = Steps<B>;

    fn start(&self) -> Position<B> {
        Position::new(self.start, INFO.first, 1)
    }

    // Each mask has the cells from which a stone can move in one direction: targets, shifted back.
    fn steps(&self, position: &Position<B>) -> Steps<B> {
        if self.outcome(position).is_some() {
            return Steps::none();
        }
        let Sides { own, enemy } = position.stones;
        let free = self.grid.cells() & !own;
        let forward = if position.side == Color::Black { 1 } else { -1 };
        let sources = DIRECTIONS.map(|(dx, dy)| {
            let targets = if dx == 0 { free & !enemy } else { free };
            let movers = if dy == forward { own } else { B::EMPTY };
            movers & self.grid.shift_by(targets, (-dx, -dy))
        });
        Steps::new(sources, false, false)
    }

    fn play(&self, position: &mut Position<B>, step: Step, keys: &mut impl Keys) {
        let before = *position;
        let (from, to) = (B::of(step.from()), B::of(step.target(&self.strides)));
        *position = Position { stones: before.stones.moved(from, to), side: !before.side, turn: before.turn + 1 };
        // Simple and slow: a faster game toggles the keys of the cells that change.
        keys.toggle(|| self.key(&before) ^ self.key(position));
    }

    // Only the player who has just moved can have won.
    fn outcome(&self, position: &Position<B>) -> Option<Outcome> {
        let (stones, edges) = (position.stones, Sides::new(self.edges, position.side));
        let is_won = stones.own.is_empty() || !(stones.enemy & edges.own).is_empty();
        is_won.then(|| Outcome::win(!position.side, "breakthrough"))
    }

    fn key(&self, position: &Position<B>) -> Key {
        self.zobrist.sets_key(&position.pieces()) ^ Zobrist::state_key((1 << 32) + position.side.index() as u64)
    }

    fn validate(&self, position: &Position<B>) -> Vec<PositionError> {
        let mut errors = Vec::from_iter(overlap_error("stones", position.pieces(), self.grid.cells()));
        errors.extend(side_error(position, INFO.first));
        let (stones, edges) = (position.stones, Sides::new(self.edges, position.side));
        if stones.enemy.is_empty() || !(stones.own & edges.enemy).is_empty() {
            errors.push(PositionError::new("board", "the side to move has already won"));
        }
        errors
    }
}

// Every position is evaluated from scratch. Types other than `()` are for incremental updates.
impl<B: Bitboard> Features<Position<B>, Step> for Breakthrough<B> {
    type Parameters = ();
    type State = ();
    type Accumulator = ();

    fn parameters(&self) -> &() {
        &()
    }
}

impl<B: Bitboard> Evaluate for Breakthrough<B> {
    fn terms(&self, position: &Position<B>, mut add: impl FnMut(usize, usize, i32)) {
        let Sides { own, enemy } = position.stones;
        add(0, 0, own.count() as i32 - enemy.count() as i32);
    }

    fn weights(&self) -> &Weights {
        &self.weights
    }

    fn set_weights(&mut self, weights: Weights) {
        self.weights = weights;
    }
}

impl<B: Bitboard> Notation for Breakthrough<B> {
    const DIRECTIONS: &'static [(i8, i8)] = &DIRECTIONS;

    fn shape(&self) -> &Shape {
        &self.shape
    }

    fn illegal_reason(&self, position: &Position<B>, parsed: ParsedMove) -> String {
        match parsed {
            ParsedMove::Move(from, to) => move_illegal_reason(self, position, from, to)
                .unwrap_or_else(|| "a stone goes one rank forward, and captures diagonally only".to_owned()),
            ParsedMove::Pass => pass_illegal_reason(),
            ParsedMove::Swap => "this game has no pie rule".to_owned(),
        }
    }

    fn parse_position(&self, text: &str) -> Result<Position<B>, PositionErrors> {
        PositionReader::read_stones(self, &self.shape, text)
    }

    fn planes(&self, position: &Position<B>) -> Option<Planes> {
        Planes::of_stones(&self.shape, position.pieces()).map(|planes| Planes { ranks_alike: false, ..planes })
    }

    fn explain(&self, _end: &Position<B>, outcome: Outcome) -> String {
        outcome.winner.map_or_else(String::new, |winner| format!("{winner} has reached the other side"))
    }
}
