//! The traits that a game implements, variants, outcomes, values, and the board that searches play on.
//!
//! A [`Game`] holds the rules of one variant: immutable tables, shared by all positions. A position is a plain value
//! without heap memory or history. A step is a packed integer. Step, move and turn are the terms of `protocol/notation.md`.

mod board;
mod clicks;
mod narration;
mod notation;
mod opened;
pub mod perft;
mod planes;
mod position;
mod steps;
mod value;
mod variant;

pub use board::{Board, Lookahead, NODES_PER_CHECK, Playout, PlayoutCounts, Step, StopCheck, Successor};
pub use clicks::{Click, Clicks};
pub use narration::{Effects, Narration};
pub use notation::{Equipment, Notation, Piece, Playable, PositionErrors, StepError};
pub use opened::Opened;
pub use planes::{DrawClock, Layers, Planes};
pub use position::{Position, PositionError, Stones, count_error, overlap_error, side_error};
pub use steps::{CellStep, CellSteps, DirectedStep, DirectedSteps, Geometry, PackedStep, ParsedMove, StepText, Steps};
pub use value::{PROVEN_WIN, WIN, adjust_for_distance, clamp_evaluation, is_proven, terminal_value};
pub use variant::{GameInfo, LEVELS, Puct, Size, SizeRule, Value, ValueKind, Variant, VariantKey};

use std::fmt::{self, Debug, Display};
use std::ops::Not;

use crate::board::Key;
use crate::nnue::{Features, Weights};

/// The color of a player.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Color {
    Black,
    White,
}

impl Color {
    /// Both colors, in the order in which pairs are printed.
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

    /// Returns the other color.
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

/// One value for each side, stored by side to move instead of by color, so that steps need no branch on the color.
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

/// The rules of an opened variant.
pub trait Game: Sized + Send + Sync + 'static {
    /// The complete game state: everything that later play depends on, and the turn number.
    type Position: Position;

    /// One atomic action of a player.
    type Step: StepText;

    /// The legal steps of one position.
    type Steps: Steps<Step = Self::Step>;

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
    /// The same with priors (PUCT) and values from the static evaluation.
    Puct,
    /// Principal variation search with the static evaluation.
    Pvs,
}

impl Method {
    /// All methods.
    pub const ALL: [Self; 3] = [Self::Uct, Self::Pvs, Self::Puct];

    /// Returns the name in options, matches and records.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Uct => "uct",
            Self::Puct => "puct",
            Self::Pvs => "pvs",
        }
    }
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
    /// Maximum number of moves left at which ordering and the transposition table do not pay ([`Board::prove_ending`]).
    pub max_unordered_moves: u32,
    /// Minimum number of moves left at which the table is probed for all children first (enhanced transposition
    /// cutoff).
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
