//! The board that everything above plays on: an opened variant with a position and the steps that led to it, behind
//! one object-safe trait. Searches, sessions, perft and training are compiled once and know no game.
//!
//! What runs millions of times a second stays behind a single call and is compiled per game: the last ply of a search
//! ([`Board::search_frontier`]), the end of a proof ([`Board::prove_ending`]), playouts ([`Board::finish_playout`]) and
//! perft ([`Board::perft`]).

use rand_xoshiro::Xoshiro256PlusPlus;

use super::{
    Clicks, Color, HalfPoints, Outcome, Piece, PositionErrors, ProofCost, StepError, Variant,
};
use crate::board::{Cell, Key, Shape};
use crate::nnue::Weights;

/// A step of an opened variant, as a number of at most 30 bits: what trees and tables store. It means nothing in
/// another variant.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Step(pub u32);

/// What a search asks of the position that a step leads to.
#[derive(Clone, Copy, Debug)]
pub struct Lookahead {
    /// The side to move there.
    pub side: Color,
    /// The hash key.
    pub key: Key,
}

/// How a random playout ended.
#[derive(Clone, Copy, Debug)]
pub struct Playout {
    /// How many steps it had.
    pub steps: u64,
    /// Who won, with `None` for a draw; nothing where it was stopped before the end.
    pub winner: Option<Option<Color>>,
    /// The side to move at the end.
    pub side: Color,
}

/// The results of many random playouts.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct PlayoutCounts {
    /// How many there were.
    pub playouts: u64,
    /// How many steps they had together.
    pub steps: u64,
    /// How many Black won, White won, and nobody.
    pub results: [u64; 3],
}

/// How many nodes a loop behind the boundary counts before it asks whether to go on.
pub const NODES_PER_CHECK: u64 = 1024;

/// Asked from time to time whether work is to be given up.
pub type StopCheck<'a> = &'a (dyn Fn() -> bool + Sync);

/// An opened variant, a position, and the history that led to it: a stack of positions, pushed by [`Board::make`] and
/// popped by [`Board::unmake`].
///
/// A board is one thread's. Another thread's is a [`Board::fork`], which shares the tables of the variant.
pub trait Board: Send + Sync {
    /// The variant.
    fn variant(&self) -> &Variant;

    /// The geometry of the board.
    fn shape(&self) -> &Shape;

    // The history.

    /// A board of the same variant at the position after so many steps of the history, without any history of its own.
    /// The last position stands in for what lies beyond it.
    fn fork_at(&self, ply: usize) -> Box<dyn Board>;

    /// A board at the present position, without history.
    fn fork(&self) -> Box<dyn Board> {
        self.fork_at(self.ply())
    }

    /// Goes to the position before turn 1 and forgets the history.
    fn restart(&mut self);

    /// Reads a position, goes there, and forgets the history.
    ///
    /// # Errors
    /// Names every fault of the position; nothing has changed then.
    fn set_position(&mut self, text: &str) -> Result<(), PositionErrors>;

    /// How many steps the history has.
    fn ply(&self) -> usize;

    /// The steps of the history.
    fn history(&self) -> Vec<Step>;

    /// The side to move after so many steps of the history.
    fn side_at(&self, ply: usize) -> Color;

    /// Plays a legal step. What an illegal one does is unspecified, but it does not panic.
    fn make(&mut self, step: Step) -> Lookahead;

    /// Takes the last step back; false where there is none.
    fn unmake(&mut self) -> bool;

    /// Works out where a legal step leads without going there. The last two results are kept: a [`Board::make`] of
    /// their steps costs no more than a copy.
    fn look_ahead(&mut self, step: Step) -> Lookahead;

    // The position.

    /// The side to move.
    fn side(&self) -> Color;

    /// The number of the turn, from 1.
    fn turn(&self) -> u32;

    /// The hash key ([`super::Game::key`]).
    fn key(&self) -> Key;

    /// How the game ended, or `None` while it goes on.
    fn outcome(&self) -> Option<Outcome>;

    /// How many legal steps there are; none exactly if the game is over.
    fn count(&mut self) -> usize;

    /// Whether the game is over.
    fn is_over(&self) -> bool;

    /// Adds the legal steps, in cell order.
    fn steps(&self, steps: &mut Vec<Step>);

    /// The `n`-th legal step, counted from 0, in an order of the game's own choosing; `None` from the count on.
    fn nth(&mut self, n: usize) -> Option<Step>;

    /// Whether a step is legal.
    fn is_legal(&self, step: Step) -> bool;

    // Evaluation and the inner loops of searches. Values are from the view of the side to move.

    /// Evaluates an unfinished position ([`super::Evaluate::evaluate`]), within the bounds of evaluations.
    fn evaluate(&self) -> i32;

    /// The value of a finished game.
    fn terminal_value(&self) -> i32;

    /// What it takes to prove who wins ([`super::Evaluate::PROOF_COST`]).
    fn proof_cost(&self) -> Option<ProofCost>;

    /// The most moves of both players that can still be played, where that is known ([`super::Evaluate::moves_left`]).
    fn moves_left(&self) -> Option<u32>;

    /// The ordering score of a step, from -500 to 500 ([`super::Evaluate::promise`]).
    fn ordering_score(&self, step: Step) -> i32;

    /// Adds every legal step with its ordering score, in any order.
    fn score_steps(&mut self, scored: &mut Vec<(i32, Step)>);

    /// Adds every legal step with the value of the position behind it, in any order.
    fn evaluate_steps(&mut self, scored: &mut Vec<(i32, Step)>);

    /// Searches one ply, all of whose steps are evaluated, until one reaches `beta`. `killers` come first where they are
    /// legal. `count` is told of nodes after every [`NODES_PER_CHECK`] at most and says whether to go on.
    ///
    /// Gives the best value and its step, or nothing where it was told to stop.
    fn search_frontier(
        &mut self,
        killers: [Option<Step>; 2],
        beta: i32,
        count: &mut dyn FnMut(u64) -> bool,
    ) -> Option<(i32, Step)>;

    /// Finds out whether the value is above `alpha` by looking at everything that can still come. Gives nothing where
    /// that takes more than [`NODES_PER_CHECK`] nodes, or in a game without endings. `nodes` counts them.
    fn prove_ending(&self, alpha: i32, nodes: &mut u64) -> Option<i32>;

    // Random playouts, on a position beside the history which has no key.

    /// Begins a walk at the present position.
    fn start_playout(&mut self);

    /// Plays a legal step on the walk. Gives the side to move after it.
    fn playout_step(&mut self, step: Step) -> Color;

    /// Adds the legal steps at the end of the walk, in any order.
    fn playout_steps(&self, steps: &mut Vec<Step>);

    /// Plays random steps to the end of the game, or until `stop` says so.
    fn finish_playout(&mut self, random: &mut Xoshiro256PlusPlus, stop: StopCheck<'_>) -> Playout;

    /// Plays the game out at random from the present position, again and again, until `goes_on`, which is asked before
    /// each playout, says no.
    fn playouts(&self, goes_on: &mut dyn FnMut() -> bool) -> PlayoutCounts;

    /// Counts the sequences of exactly `depth` legal steps. With `every_leaf` the last step is played, too. Gives nothing
    /// where `stop` said so.
    fn perft(&self, depth: u32, every_leaf: bool, stop: StopCheck<'_>) -> Option<u64>;

    // Training.

    /// Shows the terms of an unfinished position ([`super::Evaluate::terms`]).
    fn terms(&self, add: &mut dyn FnMut(usize, usize, i32));

    /// The weights of the evaluation.
    fn weights(&self) -> &Weights;

    /// Takes other weights that fit in the place of its own; false where other boards share the tables of this one, and
    /// nothing has changed then.
    fn set_weights(&mut self, weights: Weights) -> bool;

    /// The target value of a finished game for Black, from 0 to 1 ([`super::Evaluate::worth`]).
    fn training_target(&self) -> f64;

    // Text and pictures.

    /// Finds the legal step that a text means. `dyn Board` has `read_step`, whose errors say more.
    ///
    /// # Errors
    /// Says at which column what was expected, or why the step is not legal.
    fn find_step(&self, text: &str) -> Result<Step, StepError>;

    /// The text of a step.
    fn write_step(&self, step: Step) -> String;

    /// The fields of the position behind the board, with single spaces between.
    fn write_fields(&self) -> String;

    /// What a person must know to play on and can't see on the board, line by line.
    fn status(&self) -> Vec<String>;

    /// The numbers that the game counts, by name; at least `b` and `w`.
    fn counts(&self) -> Vec<(&'static str, HalfPoints)>;

    /// By how much the winner of a finished game won, in games that have points.
    fn margin(&self) -> Option<HalfPoints>;

    /// The step that a client means who can only say `pass`.
    fn pass_alias(&self) -> Option<Step>;

    /// What kind of step the position demands, where it does not leave all kinds open.
    fn required_step(&self) -> Option<String>;

    /// What stands on a cell.
    fn piece(&self, cell: Cell) -> Option<Piece>;

    /// How many pieces each player has on the board, Black first.
    fn piece_counts(&self) -> [u32; 2];

    /// The cells that wait for a choice of the side to move.
    fn pending(&self) -> Vec<Cell>;

    /// The number of the piece that the side to move has to set now, where the rules choose it.
    fn value_to_set(&self) -> Option<u8>;

    /// How many digits the numbers of pieces can have; 0 where pieces have none.
    fn value_digits(&self) -> usize;

    /// Whether the board itself sets a cell apart from the others.
    fn is_marked(&self, cell: Cell) -> bool;

    /// The clicks that make a legal step.
    fn clicks(&self, step: Step) -> Clicks;
}
