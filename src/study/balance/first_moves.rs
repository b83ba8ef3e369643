//! The first moves of a variant, up to symmetry.

use std::collections::HashSet;

use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::board::{Cell, Symmetry};
use crate::rules::{Board, Color, Piece, Step};
use crate::search::random_step;

/// Maximum number of first moves that are all compared. Of more, as in games whose turns have many steps, some are drawn at random.
pub const MOST_MOVES: usize = 400;

/// Maximum number of first moves that are drawn at random.
pub const MOST_DRAWN: usize = 96;

/// Maximum number of positions within the first turn that are looked at before moves are drawn.
const MOST_POSITIONS: usize = 4096;

/// Maximum number of draws for each move wanted: most repeat a move up to symmetry where there are few.
const DRAWS: usize = 16;

/// A first move, which stands for all moves that are its images under a symmetry.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FirstMove {
    /// Its steps.
    pub steps: Vec<Step>,
    /// Its text: the steps, with commas between.
    pub text: String,
    /// Cells where its first step ends, with those of its images.
    pub cells: Vec<Cell>,
}

/// First moves of a variant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FirstMoves {
    /// The moves, each from another class.
    pub moves: Vec<FirstMove>,
    /// True if there is one for each class; false if they were drawn at random.
    pub are_all: bool,
}

/// Returns the first moves of a board at its starting position.
pub fn first_moves(board: &dyn Board, seed: u64) -> FirstMoves {
    let classes = Classes::new(board);
    if let Some(moves) = classes.all() {
        return FirstMoves { moves, are_all: true };
    }
    FirstMoves { moves: classes.drawn(seed), are_all: false }
}

/// Pieces and fields of a position, equal for positions that are equal up to symmetry.
type Likeness = (Vec<u16>, String);

/// Positions of the first turn, up to the symmetries that leave the starting position as it is.
struct Classes<'a> {
    board: &'a dyn Board,
    symmetries: Vec<Symmetry>,
}

impl<'a> Classes<'a> {
    fn new(board: &'a dyn Board) -> Self {
        let mut symmetries = board.shape().symmetries();
        symmetries.retain(|symmetry| {
            let image = |cell: Cell| {
                let image = symmetry.get(cell.index());
                image.and_then(|&image| board.piece(image))
            };
            board.shape().cells().all(|cell| image(cell) == board.piece(cell))
        });
        Self { board, symmetries }
    }

    fn likeness(&self, here: &dyn Board) -> Likeness {
        let images = self.symmetries.iter().map(|symmetry| {
            let pieces = symmetry.iter().map(|&cell| number(here.piece(cell)));
            pieces.collect()
        });
        let least: Option<Vec<u16>> = images.min();
        (least.unwrap_or_default(), here.write_fields())
    }

    /// Returns all first moves; `None` if there are too many.
    fn all(&self) -> Option<Vec<FirstMove>> {
        let (mut moves, mut seen) = (Vec::new(), HashSet::new());
        let mut layer = vec![Vec::new()];
        while !layer.is_empty() {
            let mut next = Vec::new();
            for steps in &layer {
                let mut here = self.after(steps);
                let mut following = Vec::new();
                here.steps(&mut following);
                for step in following {
                    here.make(step);
                    if seen.insert(self.likeness(&*here)) {
                        let steps = [steps.as_slice(), &[step]].concat();
                        if here.turn() > 1 || here.is_over() {
                            moves.push(self.first_move(steps))
                        } else {
                            next.push(steps)
                        }
                    }
                    here.unmake();
                    if seen.len() > MOST_POSITIONS || moves.len() > MOST_MOVES {
                        return None;
                    }
                }
            }
            layer = next;
        }
        Some(moves)
    }

    /// Draws first moves at random, no two alike.
    fn drawn(&self, seed: u64) -> Vec<FirstMove> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let (mut moves, mut seen) = (Vec::new(), HashSet::new());
        for _ in 0..DRAWS * MOST_DRAWN {
            let (mut here, mut steps) = (self.after(&[]), Vec::new());
            while here.turn() == 1
                && let Some(step) = random_step(&mut *here, &mut random)
            {
                steps.push(step);
                here.make(step);
            }
            if seen.insert(self.likeness(&*here)) {
                moves.push(self.first_move(steps));
            }
            if moves.len() == MOST_DRAWN {
                break;
            }
        }
        moves
    }

    fn after(&self, steps: &[Step]) -> Box<dyn Board> {
        let mut here = self.board.fork();
        for &step in steps {
            here.make(step);
        }
        here
    }

    fn first_move(&self, steps: Vec<Step>) -> FirstMove {
        let mut here = self.after(&[]);
        let (mut texts, mut cells) = (Vec::new(), Vec::new());
        for (place, &step) in steps.iter().enumerate() {
            texts.push(here.write_step(step));
            let touched = here.clicks(step).cells();
            here.make(step);
            if place == 0
                && let Some(cell) = touched.last()
            {
                let images = self.symmetries.iter();
                cells = images.filter_map(|symmetry| symmetry.get(cell.index()).copied()).collect();
                cells.sort();
                cells.dedup();
            }
        }
        FirstMove { steps, text: texts.join(","), cells }
    }
}

/// Returns the number of what is on a cell.
fn number(piece: Option<Piece>) -> u16 {
    piece.map_or(0, |piece| {
        let value = piece.value.map_or(0, |value| u16::from(value) + 1);
        1 + 2 * value + u16::from(piece.color == Color::White)
    })
}
