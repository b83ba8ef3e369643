//! The last move and its effects on the board, for everything that draws it.

use crate::board::Cell;
use crate::rules::{Board, Color, Narration, Piece, Step};

/// Plays the steps of a move, separated by commas, and describes each. Leaves out those that are not legal.
pub fn narrate_move(board: &mut dyn Board, text: &str) -> Vec<Narration> {
    let narrate = |step| {
        let step = board.find_step(step).ok()?;
        let narration = board.narrate(step);
        board.make(step);
        Some(narration)
    };
    text.split(',').filter_map(narrate).collect()
}

/// A step that was played.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct PlayedStep {
    /// The step, as the notation writes it.
    pub text: String,
    /// The cells that it names, the one where it ends last; none for a step such as `pass`.
    pub cells: Vec<Cell>,
}

impl PlayedStep {
    /// Returns the cell where the step ends.
    pub fn target(&self) -> Option<Cell> {
        self.cells.last().copied()
    }

    /// Returns the cell from which the step moves a piece, and the one where it ends.
    pub fn path(&self) -> Option<(Cell, Cell)> {
        let (from, to) = (*self.cells.first()?, self.target()?);
        (from != to).then_some((from, to))
    }
}

/// The steps of a move, and what they did to the board.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct LastMove {
    /// The steps.
    pub steps: Vec<PlayedStep>,
    /// The cells where pieces were captured, with the side of the piece.
    pub captured: Vec<(Cell, Color)>,
    /// The cells that are not as they were before the move.
    pub changed: Vec<Cell>,
    /// The pieces of all cells before the move; empty until its first step is played.
    pub before: Vec<Option<Piece>>,
}

impl LastMove {
    /// Returns the last move of a board's history, which may be incomplete.
    pub fn of(board: &dyn Board) -> Self {
        let (mut before, steps) = board.last_move();
        let mut last = Self::default();
        steps.into_iter().for_each(|step| last.play(&mut *before, step));
        last
    }

    /// Plays a legal step and adds it.
    pub fn play(&mut self, board: &mut dyn Board, step: Step) {
        self.steps.push(PlayedStep { text: board.write_step(step), cells: board.clicks(step).cells() });
        self.captured.extend(board.effects(step).captured.into_iter().map(|(cell, piece)| (cell, piece.color)));
        if self.before.is_empty() {
            self.before = pieces(board).collect();
        }
        board.make(step);
        let cells = board.shape().cells().zip(&self.before).zip(pieces(board));
        self.changed = cells.filter(|((_, was), now)| *was != now).map(|((cell, _), _)| cell).collect();
    }

    /// Returns the cells where steps ended, in the order of the last steps that ended there.
    pub fn targets(&self) -> Vec<Cell> {
        let mut targets = Vec::new();
        for target in self.steps.iter().filter_map(PlayedStep::target) {
            targets.retain(|&cell| cell != target);
            targets.push(target);
        }
        targets
    }

    /// Returns where pieces moved from, and where they went.
    pub fn paths(&self) -> impl Iterator<Item = (Cell, Cell)> {
        self.steps.iter().filter_map(PlayedStep::path)
    }

    /// Returns the changed cells where no step began or ended.
    pub fn others(&self) -> impl Iterator<Item = Cell> {
        let is_named = |cell| self.steps.iter().any(|step| step.cells.contains(&cell));
        self.changed.iter().copied().filter(move |&cell| !is_named(cell))
    }
}

fn pieces(board: &dyn Board) -> impl Iterator<Item = Option<Piece>> {
    board.shape().cells().map(|cell| board.piece(cell))
}
