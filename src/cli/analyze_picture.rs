//! The picture of `analyze --svg`: the board with the proposed moves.

use super::CliError;
use super::given_position::GivenPosition;
use super::output_file::OutputFile;
use super::pictures::{played, played_move};
use crate::board::Cell;
use crate::render::{Annotations, Candidate, Style, svg};
use crate::rules::Board;
use crate::session::Session;

/// Maximum number of steps of the best move that are marked.
const MOST_FURTHER: usize = 10;

/// Maximum number of steps of the best move that are numbered.
const MOST_NUMBERED: usize = 20;

/// Maximum number of moves that are marked, fewer where the picture would be larger than [`MAX_BYTES`]: on full boards of many
/// cells.
const MOST_MARKED: [usize; 4] = [40, 20, 10, 5];

/// Size of a picture, in bytes.
const MAX_BYTES: usize = 30_000;

/// A move that the picture shows.
pub(super) struct Proposal<'a> {
    /// Its steps, with commas between.
    pub(super) steps: &'a str,
    /// Expected score of the side to move, from 0 to 1.
    pub(super) expected_score: f64,
    /// The same for its cell, in percent.
    pub(super) percent: String,
    /// The same for the lines below the board, with the move.
    pub(super) note: String,
}

/// A picture that will be written once the search has ended.
pub(super) struct Picture {
    file: OutputFile,
    style: Style,
    board: Box<dyn Board>,
    /// At first the last move alone, which has a frame.
    annotations: Annotations,
}

impl Picture {
    /// Opens a board and plays moves on it.
    pub(super) fn new(
        file: OutputFile,
        style: Style,
        from: &GivenPosition,
        session: &Session,
    ) -> Result<Self, CliError> {
        let (board, mut annotations) = played(from, session)?;
        annotations.steps.clear();
        Ok(Self { file, style, board, annotations })
    }

    /// Draws the moves, the best one first, and writes the file.
    pub(super) fn write(mut self, proposals: &[Proposal<'_>]) -> Result<(), CliError> {
        let last_move = self.annotations.clone();
        let mut picture = String::new();
        for most in MOST_MARKED {
            self.annotations = last_move.clone();
            self.mark(proposals.get(..most).unwrap_or(proposals))?;
            picture = svg(&*self.board, &self.annotations, &self.style);
            if picture.len() <= MAX_BYTES {
                break;
            }
        }
        self.file.write(picture)
    }

    /// Marks moves, the best one first.
    fn mark(&mut self, proposals: &[Proposal<'_>]) -> Result<(), CliError> {
        let Some(best) = proposals.first() else {
            return Ok(());
        };
        for (index, proposal) in proposals.iter().enumerate() {
            let loss = best.expected_score - proposal.expected_score;
            self.add(proposal, (index > 0).then_some(loss))?;
        }
        self.number(best)
    }

    /// Adds the first step of a move. `loss` is what it loses against the best one; `None` for the best one itself.
    fn add(&mut self, proposal: &Proposal<'_>, loss: Option<f64>) -> Result<(), CliError> {
        let first = proposal.steps.split(',').next().unwrap_or_default();
        let played = played_move(&mut *self.board.fork(), first)?;
        let strength = loss.map_or(Candidate::STRONGEST, Candidate::strength_of);
        let cells: Vec<Cell> = played.steps.into_iter().flat_map(|step| step.cells).collect();
        let candidate = Candidate::of(&cells, strength, proposal.percent.clone());
        let note = match loss {
            None => Some(format!("{} scores {}", self.board.side(), proposal.note)),
            // Without a cell it is only here.
            Some(_) => candidate.is_none().then(|| proposal.note.clone()),
        };
        self.annotations.candidates.extend(candidate);
        self.annotations.notes.extend(note);
        Ok(())
    }

    /// Numbers the steps of a move, if there are several.
    fn number(&mut self, proposal: &Proposal<'_>) -> Result<(), CliError> {
        let mut board = self.board.fork();
        let steps = played_move(&mut *board, proposal.steps)?.steps;
        if steps.len() < 2 {
            return Ok(());
        }
        for (index, step) in steps.into_iter().enumerate() {
            if (1..MOST_FURTHER).contains(&index) {
                let further = Candidate::of(&step.cells, Candidate::FURTHER, String::new());
                self.annotations.candidates.extend(further);
            }
            if index < MOST_NUMBERED {
                self.annotations.steps.push(step);
            }
        }
        Ok(())
    }
}
