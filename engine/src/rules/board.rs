//! The board: an opened variant with a position and its history, behind one object-safe trait.
//!
//! Searches, sessions, perft and training use this trait; they are compiled once and do not depend on a game.
//!
//! Inner loops are single calls, compiled for each game: the last ply of a search ([`Board::search_frontier`]), the
//! last moves of a proof ([`Board::prove_ending`]), playouts ([`Board::finish_playout`]) and perft
//! ([`Board::perft`]).

use rand_xoshiro::Xoshiro256PlusPlus;

use super::{
    Clicks, Color, Effects, Equipment, HalfPoints, Layers, Narration, Outcome, Piece, Planes, PositionErrors,
    ProofCost, StepError, Variant,
};
use crate::board::{Cell, Key, Shape};
use crate::nnue::Weights;

/// A packed step of at most 30 bits, as trees and tables store it. It is valid in its own variant only.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Step(pub u32);

/// The facts that a search needs about the position after a step.
#[derive(Clone, Copy, Debug)]
pub struct Lookahead {
    /// The side to move there.
    pub side: Color,
    /// The hash key there.
    pub key: Key,
}

/// The result of a random playout.
#[derive(Clone, Copy, Debug)]
pub struct Playout {
    /// Number of steps.
    pub steps: u64,
    /// The winner, with `Some(None)` for a draw; `None` if the playout was stopped before the end.
    pub winner: Option<Option<Color>>,
    /// The side to move at the end.
    pub side: Color,
}

/// A position after a step, as a solver needs it.
#[derive(Clone, Copy, Debug)]
pub struct Successor {
    /// The step.
    pub step: Step,
    /// The side to move after it.
    pub side: Color,
    /// The number of the turn after it.
    pub turn: u32,
    /// The position after it; `None` where [`Board::planes`] gives none.
    pub planes: Option<Planes>,
    /// Number of legal steps there; 0 exactly if the game is over.
    pub count: usize,
    /// The result, if the game is over.
    pub outcome: Option<Outcome>,
    /// The margin, if the game is over and decided by points.
    pub margin: Option<HalfPoints>,
}

/// Summed results of random playouts.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct PlayoutCounts {
    /// Number of playouts.
    pub playouts: u64,
    /// Number of steps of all playouts.
    pub steps: u64,
    /// Number of wins of Black, wins of White, and draws.
    pub results: [u64; 3],
}

/// Number of nodes after which a loop inside the board checks whether to stop.
pub const NODES_PER_CHECK: u64 = 1024;

/// A check that long work polls: true means stop.
pub type StopCheck<'a> = &'a (dyn Fn() -> bool + Sync);

/// An opened variant with a stack of positions, pushed by [`Board::make`] and popped by [`Board::unmake`].
///
/// Each thread has its own board. [`Board::fork`] makes one for another thread, which shares the tables of the variant.
///
/// ```
/// use pentalith_engine::games;
///
/// let variant = games::parse_variant("invector:5x4").unwrap();
/// let mut board = games::open(&variant).unwrap();
/// let mut steps = Vec::new();
/// board.steps(&mut steps);
/// for &step in &steps {
///     board.make(step);
///     assert_eq!((board.ply(), board.turn()), (1, 2));
///     board.unmake();
/// }
/// assert_eq!(steps.len(), board.count());
/// ```
pub trait Board: Send + Sync {
    /// Returns the variant.
    fn variant(&self) -> &Variant;

    /// Returns the geometry of the board.
    fn shape(&self) -> &Shape;

    // The history.

    /// Creates a board at the position after the first `ply` steps of the history, without a history.
    ///
    /// A `ply` past the end gives the current position.
    fn fork_at(&self, ply: usize) -> Box<dyn Board>;

    /// Creates a board at the current position, without a history.
    ///
    /// ```
    /// use pentalith_engine::games;
    ///
    /// let variant = games::parse_variant("markane:4x4").unwrap();
    /// let mut board = games::open(&variant).unwrap();
    /// let step = board.find_step("a2").unwrap();
    /// board.make(step);
    /// let fork = board.fork();
    /// assert_eq!((fork.position(), fork.ply()), (board.position(), 0));
    /// ```
    fn fork(&self) -> Box<dyn Board> {
        self.fork_at(self.ply())
    }

    /// Sets the position before turn 1 and clears the history.
    fn restart(&mut self);

    /// Reads and sets a position and clears the history.
    ///
    /// # Errors
    /// Lists everything that is wrong with the position. The board is unchanged then.
    ///
    /// ```
    /// use pentalith_engine::games;
    ///
    /// let variant = games::parse_variant("invector:5x4,pie=off").unwrap();
    /// let mut board = games::open(&variant).unwrap();
    /// board.set_position("...../.wbw./..w../..... b 21").unwrap();
    /// assert_eq!((board.count(), board.turn()), (3, 21));
    /// assert!(board.set_position("...../.wbw. b 21").is_err());
    /// assert_eq!(board.turn(), 21);
    /// ```
    fn set_position(&mut self, text: &str) -> Result<(), PositionErrors>;

    /// Returns the number of steps in the history.
    fn ply(&self) -> usize;

    /// Returns the steps of the history.
    fn history(&self) -> Vec<Step>;

    /// Returns the side to move after the first `ply` steps of the history.
    fn side_at(&self, ply: usize) -> Color;

    /// Plays a legal step. An illegal one has an unspecified effect and does not panic.
    fn make(&mut self, step: Step) -> Lookahead;

    /// Takes the last step back. Returns false if there is none.
    fn unmake(&mut self) -> bool;

    /// Computes the position after a legal step without playing it.
    ///
    /// The last two results are cached: [`Board::make`] of their steps only copies.
    fn look_ahead(&mut self, step: Step) -> Lookahead;

    // The position.

    /// Returns the side to move.
    fn side(&self) -> Color;

    /// Returns the number of the turn, from 1.
    fn turn(&self) -> u32;

    /// Returns the hash key ([`super::Game::key`]).
    fn key(&self) -> Key;

    /// Returns the result of the game, or `None` while it is not over.
    fn outcome(&self) -> Option<Outcome>;

    /// Returns the number of legal steps; 0 exactly if the game is over.
    fn count(&mut self) -> usize;

    /// Returns true if the game is over.
    fn is_over(&self) -> bool;

    /// Appends the legal steps, in cell order.
    fn steps(&self, steps: &mut Vec<Step>);

    /// Returns the `n`-th legal step, counted from 0, in an unspecified but fixed order; `None` from the count on.
    fn nth(&mut self, n: usize) -> Option<Step>;

    /// Returns true if a step is legal.
    fn is_legal(&self, step: Step) -> bool;

    // Evaluation and the inner loops of searches. Values are for the side to move, unless a comment says otherwise.

    /// Evaluates an unfinished position ([`super::Evaluate::evaluate`]), clamped to the range of evaluations.
    fn evaluate(&self) -> i32;

    /// Returns the value of a terminal position.
    fn terminal_value(&self) -> i32;

    /// Returns the cost model of endgame proofs ([`super::Evaluate::PROOF_COST`]).
    fn proof_cost(&self) -> Option<ProofCost>;

    /// Returns the largest number of moves of both players until the end, if known ([`super::Evaluate::moves_left`]).
    fn moves_left(&self) -> Option<u32>;

    /// Returns the ordering score of a step, from −500 to 500 ([`super::Evaluate::ordering_score`]).
    fn ordering_score(&self, step: Step) -> i32;

    /// Appends every legal step with its ordering score, in any order.
    fn score_steps(&mut self, scored: &mut Vec<(i32, Step)>);

    /// Appends every legal step with the value of the position after it, in any order.
    fn evaluate_steps(&mut self, scored: &mut Vec<(i32, Step)>);

    /// Searches the last ply: evaluates the position after each legal step, until a value reaches `beta`.
    ///
    /// Legal `killers` come first. `count` receives the number of nodes, at least every [`NODES_PER_CHECK`] nodes, and
    /// returns false to stop. Returns the best value and its step, or `None` if stopped.
    fn search_frontier(
        &mut self,
        killers: [Option<Step>; 2],
        beta: i32,
        count: &mut dyn FnMut(u64) -> bool,
    ) -> Option<(i32, Step)>;

    /// Searches exhaustively whether the value is above `alpha`, without ordering and table.
    ///
    /// Returns a value on the same side of `alpha` as the exact one. Returns `None` once `nodes`, which it increments,
    /// reaches [`NODES_PER_CHECK`], and in games without [`Board::proof_cost`].
    fn prove_ending(&self, alpha: i32, nodes: &mut u64) -> Option<i32>;

    /// Returns the position as sets of cells; `None` where the sets have no room for it.
    fn planes(&self) -> Option<Planes>;

    /// Sets the position that [`Board::planes`] describes and clears the history.
    ///
    /// Returns false, without a change, in games that have no way back from the planes.
    fn set_planes(&mut self, planes: &Planes, side: Color, turn: u32) -> bool;

    /// Calls `visit` with the position after each legal step, in the order of [`Board::steps`].
    fn successors(&self, visit: &mut dyn FnMut(Successor));

    /// Returns how the positions of the variant fall into layers; `None` in games whose positions do not.
    fn layers(&self) -> Option<Layers>;

    /// Calls `visit` with the stones after the legal steps, some at a time, where `stones` are those of the side to move
    /// and those of the other side.
    ///
    /// So are those that it visits. Does not depend on the board's own position: the turn is one from 3 on. Returns the
    /// outcome if the game is over, where the player who moves first in the game is to move. Visits nothing and returns
    /// `None` in games without [`Board::layers`].
    fn stone_steps(&self, stones: [u128; 2], visit: &mut dyn FnMut(&[[u128; 2]])) -> Option<Outcome>;

    // Random playouts, on a separate position without history and key.

    /// Starts a playout at the current position.
    fn start_playout(&mut self);

    /// Plays a legal step of the playout. Returns the side to move after it.
    fn playout_step(&mut self, step: Step) -> Color;

    /// Appends the legal steps of the playout's position, in any order.
    fn playout_steps(&self, steps: &mut Vec<Step>);

    /// Plays random steps to the end of the game, or until `stop` returns true.
    fn finish_playout(&mut self, random: &mut Xoshiro256PlusPlus, stop: StopCheck<'_>) -> Playout;

    /// Runs random playouts from the current position while `goes_on`, which is called before each, returns true.
    fn playouts(&self, goes_on: &mut dyn FnMut() -> bool) -> PlayoutCounts;

    /// Counts the sequences of exactly `depth` legal steps. `every_leaf` plays the last step instead of counting it.
    ///
    /// Returns `None` once `stop` returns true.
    ///
    /// ```
    /// use pentalith_engine::games;
    ///
    /// let variant = games::parse_variant("inversion:2").unwrap();
    /// let board = games::open(&variant).unwrap();
    /// // The first player places a stone on one of seven cells.
    /// assert_eq!(board.perft(1, false, &|| false), Some(7));
    /// ```
    fn perft(&self, depth: u32, every_leaf: bool, stop: StopCheck<'_>) -> Option<u64>;

    // Training.

    /// Lists the evaluation terms of an unfinished position ([`super::Evaluate::terms`]).
    fn terms(&self, add: &mut dyn FnMut(usize, usize, i32));

    /// Returns the weights of the evaluation.
    fn weights(&self) -> &Weights;

    /// Replaces the weights by others that fit.
    ///
    /// Returns false, without a change, if another board shares the tables of this one.
    fn set_weights(&mut self, weights: Weights) -> bool;

    /// Returns the training target of a finished game for Black, from 0 to 1 ([`super::Evaluate::training_target`]).
    fn training_target(&self) -> f64;

    // Text and pictures.

    /// Reads a legal step. The errors of `read_step`, a method of `dyn Board`, explain more.
    ///
    /// # Errors
    /// Gives the column of a syntax error and what was expected there, or the reason why the step is illegal.
    ///
    /// ```
    /// use pentalith_engine::games;
    ///
    /// let variant = games::parse_variant("markane:4x4").unwrap();
    /// let board = games::open(&variant).unwrap();
    /// let step = board.find_step("a2").unwrap();
    /// assert_eq!(board.write_step(step), "a2");
    /// assert!(board.find_step("a9").is_err());
    /// ```
    fn find_step(&self, text: &str) -> Result<Step, StepError>;

    /// Explains why no legal step begins on a cell; `None` where the piece there explains it.
    fn explain_cell(&self, cell: Cell) -> Option<String>;

    /// Writes a step.
    fn write_step(&self, step: Step) -> String;

    /// Returns the changes by a legal step that its text does not show.
    fn effects(&self, step: Step) -> Effects;

    /// Describes a legal step in words.
    fn narrate(&self, step: Step) -> Narration;

    /// Explains the result of a finished game in words; empty while it is not over.
    fn explain_result(&self) -> String;

    /// Writes the fields of the position that follow the board, separated by single spaces.
    fn write_fields(&self) -> String;

    /// Returns the lines below the diagram: the part of the game state that the board does not show.
    fn status(&self) -> Vec<String>;

    /// Returns the lines below a picture: the same in full words, and the counts of stones.
    fn caption(&self) -> Vec<String>;

    /// Returns the counts of the game by name, such as stones or points; at least `b` and `w`.
    fn counts(&self) -> Vec<(&'static str, HalfPoints)>;

    /// Returns the margin of a finished game, in games that are decided by points.
    fn margin(&self) -> Option<HalfPoints>;

    /// Returns the legal step that `pass` stands for, for clients that know no other word.
    fn pass_alias(&self) -> Option<Step>;

    /// Describes the required kind of step, as in `a step that sets a 6`; `None` where any kind may be legal.
    fn required_step(&self) -> Option<String>;

    /// Returns the piece on a cell.
    fn piece(&self, cell: Cell) -> Option<Piece>;

    /// Returns the numbers of Black and of White that a client shows next to the board, such as points.
    fn tally(&self) -> [u32; 2];

    /// Returns the number of pieces in the Pool of Black and of White, in games that have Pools.
    fn pools(&self) -> Option<[u32; 2]>;

    /// Returns the cells among which the side to move must choose, such as Inversion's pending centers.
    fn pending(&self) -> Vec<Cell>;

    /// Returns the value of the piece that the side to move must set next, where the rules fix it.
    fn value_to_set(&self) -> Option<u8>;

    /// Returns the largest number of digits of a piece's value; 0 in games whose pieces have no value.
    fn value_digits(&self) -> usize;

    /// Returns the number of contents that a cell can have: empty, or a piece of either color and any value.
    fn cell_contents(&self) -> u32;

    /// Returns true for cells that diagrams mark, such as those of Invictus's Divide.
    fn is_marked(&self, cell: Cell) -> bool;

    /// Returns the equipment that a picture shows.
    fn equipment(&self) -> Equipment;

    /// Returns the cells that the rules name and text diagrams do not mark, such as the center of a board.
    fn landmarks(&self) -> Vec<Cell>;

    /// Returns the mouse clicks that enter a legal step.
    fn clicks(&self, step: Step) -> Clicks;
}
