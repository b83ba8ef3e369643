//! The traits that a game implements, variants, outcomes, values, and the board that searches play on.
//!
//! A [`Game`] holds the rules of one variant: immutable tables, shared by all positions. A position is a plain value without heap
//! memory or history. A step is a packed integer. Step, move and turn are the terms of `protocol/notation.md`.

mod board;
mod clicks;
mod narration;
mod notation;
mod opened;
pub mod perft;
mod value;
mod variant;

pub use board::{
    Board, DrawClock, Layers, Lookahead, NODES_PER_CHECK, Planes, Playout, PlayoutCounts, Step, StopCheck, Successor,
};
pub use clicks::{Click, Clicks};
pub use narration::{Effects, Narration};
pub use notation::{Equipment, GameVisitor, Notation, Piece, Playable, PositionErrors, StepError};
pub use opened::Opened;
pub use value::{PROVEN_WIN, WIN, adjust_for_distance, clamp_evaluation, is_proven, terminal_value};
pub use variant::{GameInfo, LEVELS, Size, SizeRule, Value, ValueKind, Variant, VariantKey};

use std::fmt::{self, Debug, Display};
use std::ops::{ControlFlow, Not};

use crate::board::{Instructions, Key, Portable};
use crate::nnue::{Features, Weights};

/// The colour of a player.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Color {
    Black,
    White,
}

impl Color {
    /// Both colours, in the order in which pairs are printed.
    pub const BOTH: [Self; 2] = [Self::Black, Self::White];

    /// Returns 0 for Black, 1 for White.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Returns `b` or `w`.
    pub fn letter(self) -> char {
        match self {
            Self::Black => 'b',
            Self::White => 'w',
        }
    }
}

impl Not for Color {
    type Output = Self;

    /// Returns the other colour.
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

/// One value for each side, stored by side to move instead of by colour, so that steps need no branch on the colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sides<T> {
    /// The value of the side to move.
    pub own: T,
    /// The value of the other side.
    pub enemy: T,
}

impl<T> Sides<T> {
    /// Creates it from the values of Black and White, where `side` is to move.
    #[inline]
    pub fn new([black, white]: [T; 2], side: Color) -> Self {
        let (own, enemy) = match side {
            Color::Black => (black, white),
            Color::White => (white, black),
        };
        Self { own, enemy }
    }

    /// Returns the values of Black and White, where `side` is to move.
    #[inline]
    pub fn by_color(self, side: Color) -> [T; 2] {
        match side {
            Color::Black => [self.own, self.enemy],
            Color::White => [self.enemy, self.own],
        }
    }

    /// Exchanges the two values, as when the other side is to move.
    #[inline(always)]
    pub fn flipped(self) -> Self {
        Self { own: self.enemy, enemy: self.own }
    }
}

/// A number of points in units of half a point: `HalfPoints(1)` is 0.5 points and prints as `0.5`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct HalfPoints(pub i32);

impl HalfPoints {
    /// Creates a whole number of points.
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

/// The result of a finished game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// The winner; `None` for a draw.
    pub winner: Option<Color>,
    /// The reason, a word of the game's page in `protocol/games/`: `annihilation`, `stalemate`, ….
    pub reason: &'static str,
}

impl Outcome {
    /// Creates a win.
    #[inline]
    pub fn win(winner: Color, reason: &'static str) -> Self {
        Self { winner: Some(winner), reason }
    }

    /// Returns the loser; `None` for a draw.
    pub fn loser(self) -> Option<Color> {
        self.winner.map(Color::not)
    }
}

/// An error in one field of a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PositionError {
    /// The name of the field, as on the game's page in `protocol/games/`.
    pub field: &'static str,
    /// The error and what would be right, for the user.
    pub message: String,
}

impl PositionError {
    /// Creates an error in a field.
    #[inline]
    pub fn new(field: &'static str, message: impl Into<String>) -> Self {
        Self { field, message: message.into() }
    }
}

/// Receives the key differences of a step.
///
/// A search that needs keys passes a [`Key`]. Playouts and perft pass [`NoKeys`], and the compiler removes the work.
pub trait Keys {
    /// Combines the key with that of one thing that appeared or disappeared.
    fn toggle(&mut self, key: impl FnOnce() -> Key);
}

impl Keys for Key {
    #[inline]
    fn toggle(&mut self, key: impl FnOnce() -> Key) {
        *self ^= key();
    }
}

/// [`Keys`] that ignore everything.
#[derive(Clone, Copy, Default, Debug)]
pub struct NoKeys;

impl Keys for NoKeys {
    #[inline]
    fn toggle(&mut self, _key: impl FnOnce() -> Key) {}
}

/// A step, packed into at most 30 bits, as trees and tables store it.
pub trait PackedStep: Copy + Eq + Debug + Send + Sync + 'static {
    /// Returns the packed step.
    fn bits(self) -> u32;

    /// Unpacks a step.
    fn from_bits(bits: u32) -> Self;
}

/// A position: a plain value without heap memory or history.
pub trait Position: Copy + Eq + Debug + Send + Sync + 'static {
    /// Returns the side to move.
    fn side(&self) -> Color;

    /// Returns the number of the turn, from 1.
    fn turn(&self) -> u32;
}

/// Checks that the side to move fits the turn: `first` has the odd turns.
pub fn side_error(position: &impl Position, first: Color) -> Option<PositionError> {
    let odd = position.turn() % 2 == 1;
    let right = if odd { first } else { !first };
    (position.side() != right).then(|| {
        let message = format!("must be {} at turn {}", right.letter(), position.turn());
        PositionError::new("side", message)
    })
}

/// The legal steps of one position, as a few masks that are read without building a list.
pub trait Steps: Copy + Send + Sync + 'static {
    /// The step type of the game.
    type Step: PackedStep;

    /// Returns the number of legal steps.
    fn count(&self) -> usize;

    /// Returns the `n`-th step, counted from 0, in an unspecified but fixed order; `None` from `count` on.
    fn nth(&self, n: usize, instructions: impl Instructions) -> Option<Self::Step>;

    /// Calls `visitor` with each step, in cell order, until it breaks.
    fn visit<T>(&self, visitor: impl FnMut(Self::Step) -> ControlFlow<T>) -> ControlFlow<T>;

    /// Returns true if there is no legal step: the game is over.
    #[inline(always)]
    fn is_empty(&self) -> bool {
        self.count() == 0
    }

    /// Returns true if `step` is legal.
    fn contains(&self, step: Self::Step) -> bool {
        self.visit(|legal| match legal == step {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        })
        .is_break()
    }

    /// Iterates over the steps in the order of [`Steps::nth`].
    #[inline(always)]
    fn iter(&self) -> impl Iterator<Item = Self::Step> + Clone {
        let steps = *self;
        (0..self.count()).map_while(move |n| steps.nth(n, Portable))
    }

    /// Calls `visitor` with each step, in cell order.
    fn for_each(&self, mut visitor: impl FnMut(Self::Step)) {
        let _: ControlFlow<()> = self.visit(|step| {
            visitor(step);
            ControlFlow::Continue(())
        });
    }

    /// Calls `visitor` with each step, in an unspecified order.
    ///
    /// A game with several kinds of steps may call it once for each kind, so that it is compiled for each.
    #[inline(always)]
    fn for_each_by_kind(&self, mut visitor: impl FnMut(Self::Step)) {
        for step in self.iter() {
            visitor(step);
        }
    }
}

/// The rules of an opened variant.
pub trait Game: Sized + Send + Sync + 'static {
    /// The complete game state: everything that later play depends on, and the turn number.
    type Position: Position;

    /// One atomic action of a player.
    type Step: PackedStep;

    /// The legal steps of one position.
    type Steps: Steps<Step = Self::Step>;

    /// Returns the variant.
    fn variant(&self) -> &Variant;

    /// Returns the position before turn 1.
    fn start(&self) -> Self::Position;

    /// Generates the legal steps. There are none exactly if the game is over.
    fn steps(&self, position: &Self::Position) -> Self::Steps;

    /// Plays a legal step. An illegal one has an unspecified effect and does not panic.
    fn play(&self, position: &mut Self::Position, step: Self::Step, keys: &mut impl Keys);

    /// Returns the result of the game, or `None` while it is not over.
    fn outcome(&self, position: &Self::Position) -> Option<Outcome>;

    /// Computes the hash key from scratch.
    ///
    /// The key covers everything that decides how the game can continue: the pieces, the side to move, a half-finished
    /// move and a right to swap, but not the turn number itself.
    fn key(&self, position: &Self::Position) -> Key;

    /// Finds every error of a position.
    ///
    /// Recomputes everything, slowly. The position reader rejects positions with it, and tests call it after every
    /// step.
    fn validate(&self, position: &Self::Position) -> Vec<PositionError>;
}

/// A search algorithm.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    /// Monte Carlo tree search with upper confidence bounds (UCT) and random playouts.
    Uct,
    /// Principal variation search with the static evaluation.
    Pvs,
}

/// The evaluation at which the side to move is a 10 to 1 favourite.
///
/// An evaluation `e` stands for an expected score of 1 / (1 + 10^(-e / `EVALUATION_SCALE`)).
pub const EVALUATION_SCALE: f64 = 800.0;

/// Cost model of proving the result of an endgame by exhaustive search.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ProofCost {
    /// Nodes of a proof with no move left. With n moves left, a proof takes about `nodes` · `growth`^n nodes.
    pub nodes: f64,
    /// Factor by which one more move left multiplies the nodes (effective branching factor).
    pub growth: f64,
    /// Nodes that a proof visits in the time in which the search visits one.
    pub speed: f64,
    /// Most moves left at which move ordering and the transposition table do not pay ([`Board::prove_ending`]).
    pub max_unordered_moves: u32,
    /// Fewest moves left at which all children are probed in the table first (enhanced transposition cutoff).
    pub min_probe_moves: u32,
}

/// The static evaluation of a game: a weighted sum of terms, and a network where the weights have one
/// ([`Weights::value`]).
///
/// [`Features`] evaluates children faster, by the features that a step changes.
pub trait Evaluate: Game + Features<<Self as Game>::Position, <Self as Game>::Step> {
    /// Cost of endgame proofs; `None` for a game whose endgames are not proven by exhaustive search.
    const PROOF_COST: Option<ProofCost> = None;

    /// Lists the evaluation terms of an unfinished position.
    ///
    /// Calls `add(feature, bucket, count)` for each term: the feature and the output bucket of its weight, and the
    /// number of times that the side to move has it, less that of the other side.
    fn terms(&self, position: &Self::Position, add: impl FnMut(usize, usize, i32));

    /// Returns the weights of the terms.
    fn weights(&self) -> &Weights;

    /// Replaces the weights by others that fit ([`Weights::is_compatible`]).
    fn set_weights(&mut self, weights: Weights);

    /// Evaluates an unfinished position for the side to move, in units of which [`EVALUATION_SCALE`] is odds of 10 to
    /// 1.
    ///
    /// This default is the weighted sum of the terms. A game with a network overrides it.
    #[inline(always)]
    fn evaluate(&self, position: &Self::Position) -> i32 {
        let weights = self.weights();
        let mut value = 0;
        self.terms(position, |feature, bucket, count| value += count * weights.weight(feature, bucket));
        value
    }

    /// Returns the largest number of moves of both players until the end of the game.
    ///
    /// Returns `None` where it is not known, or where the position is not proven by exhaustive search.
    #[inline(always)]
    fn moves_left(&self, _position: &Self::Position) -> Option<u32> {
        None
    }

    /// Returns the training target of a finished game: the score of Black, from 0 to 1.
    ///
    /// A game may include the margin. Weights are fitted to this target, mixed with a search's expected score.
    fn training_target(&self, end: &Self::Position) -> f64 {
        match self.outcome(end).and_then(|outcome| outcome.winner) {
            Some(Color::Black) => 1.0,
            Some(Color::White) => 0.0,
            None => 0.5,
        }
    }

    /// Returns the ordering score of a step, from −500 to 500: above 0 for noisy steps such as captures.
    #[inline(always)]
    fn ordering_score(&self, _position: &Self::Position, _step: Self::Step) -> i32 {
        0
    }
}
