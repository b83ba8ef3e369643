//! Floor 1: what a game is to everything above it.
//!
//! A [`Game`] is an opened variant: immutable tables, shared by every position. A position is a plain value
//! without heap or history, a step a packed number. Words are those of `games.md`, "Words".

mod board;
mod clicks;
mod notation;
mod opened;
pub mod perft;
mod value;
mod variant;

pub use board::{Board, Lookahead, NODES_PER_CHECK, Playout, PlayoutCounts, Step, StopCheck};
pub use clicks::{Click, Clicks};
pub use notation::{GameVisitor, Notation, Piece, Playable, PositionErrors, StepError};
pub use opened::Opened;
pub use value::{
    PROVEN_WIN, WIN, adjust_for_distance, clamp_evaluation, is_proven, terminal_value,
};
pub use variant::{GameInfo, LEVELS, Size, SizeRule, Value, ValueKind, Variant, VariantKey};

use std::fmt::{self, Debug, Display};
use std::ops::{ControlFlow, Not};

use crate::board::Key;
use crate::nnue::{Features, Weights};

/// A seat, for the whole game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Color {
    Black,
    White,
}

impl Color {
    /// Both, in the order in which pairs are printed.
    pub const BOTH: [Self; 2] = [Self::Black, Self::White];

    /// 0 for Black, 1 for White.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// `b` or `w`.
    pub fn letter(self) -> char {
        match self {
            Self::Black => 'b',
            Self::White => 'w',
        }
    }
}

impl Not for Color {
    type Output = Self;

    /// The other colour.
    #[inline]
    fn not(self) -> Self {
        match self {
            Self::Black => Self::White,
            Self::White => Self::Black,
        }
    }
}

impl Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Black => "Black",
            Self::White => "White",
        })
    }
}

/// A thing that each side has, kept by who is to move and not by colour: steps then need no branch on colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sides<T> {
    /// Of the side to move.
    pub own: T,
    /// Of the other one.
    pub enemy: T,
}

impl<T> Sides<T> {
    /// From Black's and White's, where `side` is to move.
    #[inline]
    pub fn new([black, white]: [T; 2], side: Color) -> Self {
        let (own, enemy) = match side {
            Color::Black => (black, white),
            Color::White => (white, black),
        };
        Self { own, enemy }
    }

    /// Black's and White's, where `side` is to move.
    #[inline]
    pub fn by_color(self, side: Color) -> [T; 2] {
        match side {
            Color::Black => [self.own, self.enemy],
            Color::White => [self.enemy, self.own],
        }
    }

    /// The same where the other side is to move.
    #[inline(always)]
    pub fn flipped(self) -> Self {
        Self {
            own: self.enemy,
            enemy: self.own,
        }
    }
}

/// A number of points counted in half_points: `HalfPoints(1)` is 0.5 and is printed so.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct HalfPoints(pub i32);

impl HalfPoints {
    /// A whole number of points.
    pub fn whole(points: u32) -> Self {
        Self(2 * points as i32)
    }
}

impl Display for HalfPoints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let half = if self.0 % 2 == 0 { "" } else { ".5" };
        write!(f, "{sign}{}{half}", self.0.unsigned_abs() / 2)
    }
}

/// How a finished game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// Who won; `None` is a draw.
    pub winner: Option<Color>,
    /// The word for why, as in `games.md`: `annihilation`, `stalemate`, ….
    pub reason: &'static str,
}

impl Outcome {
    /// A win.
    #[inline]
    pub fn win(winner: Color, reason: &'static str) -> Self {
        Self {
            winner: Some(winner),
            reason,
        }
    }
}

/// What is wrong with one field of a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PositionError {
    /// The field's name, as in `games.md`, "Positions".
    pub field: &'static str,
    /// What is wrong and what would be right.
    pub message: String,
}

impl PositionError {
    /// A fault of a field.
    #[inline]
    pub fn new(field: &'static str, message: impl Into<String>) -> Self {
        Self {
            field,
            message: message.into(),
        }
    }
}

/// Something that collects the keys of what a step changes.
///
/// A search that needs keys passes a [`Key`]; playouts and perft pass [`NoKeys`], and the compiler removes
/// the work.
pub trait Keys {
    /// Takes in the key of one thing that has appeared or gone.
    fn toggle(&mut self, key: impl FnOnce() -> Key);
}

impl Keys for Key {
    #[inline]
    fn toggle(&mut self, key: impl FnOnce() -> Key) {
        *self ^= key();
    }
}

/// Collects nothing.
#[derive(Clone, Copy, Default, Debug)]
pub struct NoKeys;

impl Keys for NoKeys {
    #[inline]
    fn toggle(&mut self, _key: impl FnOnce() -> Key) {}
}

/// A step, packed into a number of at most 30 bits, so that trees and tables can store it.
pub trait PackedStep: Copy + Eq + Debug + Send + Sync + 'static {
    /// The number.
    fn bits(self) -> u32;

    /// The step whose number this is.
    fn from_bits(bits: u32) -> Self;
}

/// A position: a plain value without heap or history.
pub trait Position: Copy + Eq + Debug + Send + Sync + 'static {
    /// Whose step it is.
    fn side(&self) -> Color;

    /// The number of the turn, from 1.
    fn turn(&self) -> u32;
}

/// What is wrong where the side to move does not fit the turn: `first` has the odd ones.
pub fn side_error(position: &impl Position, first: Color) -> Option<PositionError> {
    let odd = position.turn() % 2 == 1;
    let right = if odd { first } else { !first };
    (position.side() != right).then(|| {
        let message = format!("must be {} at turn {}", right.letter(), position.turn());
        PositionError::new("side", message)
    })
}

/// The legal steps of one position, generated as a few masks and read without building a list.
pub trait Steps: Copy + Send + Sync + 'static {
    /// The game's step.
    type Step: PackedStep;

    /// How many there are.
    fn count(&self) -> usize;

    /// The `n`-th, counted from 0, in an order of the set's own choosing; `None` from `count` on.
    fn nth(&self, n: usize) -> Option<Self::Step>;

    /// Shows every step to `visitor`, in cell order, until it breaks.
    fn visit<T>(&self, visitor: impl FnMut(Self::Step) -> ControlFlow<T>) -> ControlFlow<T>;

    /// Whether there is none: the game is over.
    #[inline(always)]
    fn is_empty(&self) -> bool {
        self.count() == 0
    }

    /// Whether `step` is one of them.
    fn contains(&self, step: Self::Step) -> bool {
        self.visit(|legal| match legal == step {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        })
        .is_break()
    }

    /// The steps in the order of [`Steps::nth`].
    #[inline(always)]
    fn iter(&self) -> impl Iterator<Item = Self::Step> + Clone {
        let steps = *self;
        (0..self.count()).map_while(move |n| steps.nth(n))
    }

    /// Shows every step to `visitor`, in cell order.
    fn for_each(&self, mut visitor: impl FnMut(Self::Step)) {
        let _: ControlFlow<()> = self.visit(|step| {
            visitor(step);
            ControlFlow::Continue(())
        });
    }
}

/// The rules of an opened variant.
pub trait Game: Send + Sync + 'static {
    /// Everything that the rest of a game depends on, and the turn number.
    type Position: Position;

    /// One atomic action.
    type Step: PackedStep;

    /// The legal steps of one position.
    type Steps: Steps<Step = Self::Step>;

    /// The variant that this is.
    fn variant(&self) -> &Variant;

    /// The position before turn 1.
    fn start(&self) -> Self::Position;

    /// The legal steps; none exactly if the game is over.
    fn steps(&self, position: &Self::Position) -> Self::Steps;

    /// Plays a legal step. What an illegal one does is unspecified, but it does not panic.
    fn play(&self, position: &mut Self::Position, step: Self::Step, keys: &mut impl Keys);

    /// How the game ended, or `None` while it goes on.
    fn outcome(&self, position: &Self::Position) -> Option<Outcome>;

    /// The hash key, worked out from scratch. It covers everything that decides what can still happen: the
    /// pieces, the side to move, a half-finished move, and a right to swap, but not the bare turn number.
    fn key(&self, position: &Self::Position) -> Key;

    /// Everything that is wrong with a position, recomputed slowly. The reader of positions refuses with it,
    /// and tests call it after every step.
    fn validate(&self, position: &Self::Position) -> Vec<PositionError>;
}

/// A way to search for the best move. The catalogue has the one that plays a game best.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    /// Monte Carlo tree search by upper confidence bounds, with random playouts.
    Uct,
    /// Principal variation search, with the evaluation.
    Pvs,
}

/// The value of an evaluation that stands for odds of ten to one.
pub const EVALUATION_SCALE: f64 = 800.0;

/// What it takes to prove who wins, in a game whose end is found by looking at everything that can still come.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ProofCost {
    /// About how many nodes a proof takes where no move is left, as the search counts them.
    pub nodes: f64,
    /// How many times as many it takes where one more move is left.
    pub growth: f64,
    /// How many nodes a proof looks at while the search looks at one.
    pub speed: f64,
    /// With at most so many moves left no order and no table pay: the board proves alone ([`Board::prove_ending`]).
    pub max_unordered_moves: u32,
    /// With at least so many moves left the table is asked about every step before the first one is searched.
    pub min_probe_moves: u32,
}

/// A static evaluation, for searches that stop before the end of the game: a weighted sum of what a player would look at, and what
/// a network makes of the same where its weights have one ([`Weights::value`]).
///
/// [`Features`] say how children are evaluated faster, by what a step changes.
pub trait Evaluate: Game + Features<<Self as Game>::Position, <Self as Game>::Step> {
    /// What proofs take where [`Evaluate::moves_left`] is known; without, nothing is proven by looking at all that may come.
    const PROOF_COST: Option<ProofCost> = None;

    /// Shows what there is in an unfinished position: `add(row, column, times)` for each thing that is seen, with the row
    /// and the column of its weight, and how often the side to move has it more than the other.
    fn terms(&self, position: &Self::Position, add: impl FnMut(usize, usize, i32));

    /// The weights of the terms.
    fn weights(&self) -> &Weights;

    /// Takes other weights that fit in the place of its own ([`Weights::fits`]).
    fn set_weights(&mut self, weights: Weights);

    /// How good an unfinished position looks: above 0 for the side to move, and [`EVALUATION_SCALE`] where the odds are that. Without
    /// more it is the sum alone: a game whose weights have a network asks that, too.
    #[inline(always)]
    fn evaluate(&self, position: &Self::Position) -> i32 {
        let weights = self.weights();
        let mut value = 0;
        self.terms(position, |row, column, times| {
            value += times * weights.at(row, column)
        });
        value
    }

    /// How many moves of both players there may still be at most; `None` where that is not known, or who wins is not to be found by
    /// looking at all that may come.
    #[inline(always)]
    fn moves_left(&self, _position: &Self::Position) -> Option<u32> {
        None
    }

    /// What a finished game was worth to Black, from 0 to 1: a part of what weights are fitted to.
    fn training_target(&self, end: &Self::Position) -> f64 {
        match self.outcome(end).and_then(|outcome| outcome.winner) {
            Some(Color::Black) => 1.0,
            Some(Color::White) => 0.0,
            None => 0.5,
        }
    }

    /// A guess, from −500 to 500, of how good a step is, for the order in which steps are looked at: above 0 for
    /// captures and the like, which change much.
    #[inline(always)]
    fn ordering_score(&self, _position: &Self::Position, _step: Self::Step) -> i32 {
        0
    }
}
