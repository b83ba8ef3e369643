//! Searches of positions, and a file in which they outlast an interrupted review.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::Budget;
use crate::rules::{Board, Color, Variant};
use crate::search::Proof;

/// First line of the file.
const HEADER: &str = "pentalith review 1";

/// Result of the search of a position.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Evaluation {
    /// Expected score of the side to move.
    pub(super) expected: f64,
    pub(super) proof: Option<Proof>,
    /// Moves of the best line; the last one may be incomplete.
    pub(super) line: Vec<String>,
    pub(super) best: String,
    /// Expected score with the second-best first step, if there is another one.
    pub(super) second: Option<f64>,
    pub(super) depth: usize,
    pub(super) nodes: u64,
}

/// A search: the variant, the position, and how long it may take.
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize, Debug)]
struct Search {
    variant: String,
    position: String,
    budget: String,
}

impl Evaluation {
    /// Returns true if its moves are legal from a position: a file may be damaged.
    fn is_legal(&self, board: &mut dyn Board, position: &str) -> bool {
        let mut is_playable = |moves: &mut dyn Iterator<Item = &String>| {
            let mut steps = moves.flat_map(|text| text.split(','));
            board.set_position(position).is_ok()
                && steps.all(|text| board.find_step(text).map(|step| board.make(step)).is_ok())
        };
        is_playable(&mut [&self.best].into_iter()) && is_playable(&mut self.line.iter())
    }
}

impl Search {
    fn of(variant: &Variant, position: &str, budget: Budget) -> Self {
        Self { variant: variant.to_string(), position: position.to_owned(), budget: budget.to_string() }
    }
}

/// A line of the file.
#[derive(Serialize, Deserialize)]
struct Stored {
    #[serde(flatten)]
    search: Search,
    expected: f64,
    /// The proven winner: `black`, `white` or `draw`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    winner: Option<String>,
    #[serde(default)]
    moves: u32,
    line: Vec<String>,
    best: String,
    second: Option<f64>,
    depth: usize,
    nodes: u64,
}

impl Stored {
    fn new(search: Search, found: &Evaluation) -> Self {
        let word = |proof: Proof| proof.winner.map_or("draw".to_owned(), |winner| winner.to_string().to_lowercase());
        let Evaluation { expected, proof, line, best, second, depth, nodes } = found.clone();
        let (winner, moves) = (proof.map(word), proof.map_or(0, |proof| proof.moves));
        Self { search, expected, winner, moves, line, best, second, depth, nodes }
    }

    fn read(self) -> Option<(Search, Evaluation)> {
        let Self { search, expected, winner, moves, line, best, second, depth, nodes } = self;
        let proof = match winner.as_deref() {
            None => None,
            Some("black") => Some(Proof { winner: Some(Color::Black), moves }),
            Some("white") => Some(Proof { winner: Some(Color::White), moves }),
            Some("draw") => Some(Proof { winner: None, moves }),
            Some(_) => return None,
        };
        let is_share = |share: f64| (0.0..=1.0).contains(&share);
        let is_valid = is_share(expected) && second.is_none_or(is_share) && !best.is_empty();
        is_valid.then_some((search, Evaluation { expected, proof, line, best, second, depth, nodes }))
    }
}

/// The searches that are done. Positions that were searched with the same budget are not searched again.
#[derive(Default, Debug)]
pub struct Evaluations {
    known: HashMap<Search, Evaluation>,
    file: Option<(PathBuf, File)>,
}

impl Evaluations {
    /// Opens a file that keeps the searches, with those of an interrupted review in it.
    ///
    /// # Errors
    /// If it can't be read or written, or is a file of another kind.
    pub fn open(path: &Path) -> io::Result<Self> {
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
        let mut evaluations = Self::default();
        if file.metadata()?.len() == 0 {
            writeln!(file, "{HEADER}")?;
        } else {
            evaluations = Self::read(BufReader::new(&file))?;
            // The last line of a program that was killed may be incomplete.
            writeln!(file)?;
        }
        evaluations.file = Some((path.to_owned(), file));
        Ok(evaluations)
    }

    /// Reads the searches of an interrupted review. Damaged lines are left out.
    ///
    /// # Errors
    /// If it can't be read, or is something else.
    pub fn read(input: impl BufRead) -> io::Result<Self> {
        let mut lines = input.split(b'\n');
        if lines.next().transpose()?.is_none_or(|first| first != HEADER.as_bytes()) {
            return Err(io::Error::other("it is not of an interrupted review: move it away"));
        }
        let mut known = HashMap::new();
        for line in lines {
            known.extend(read_line(&line?));
        }
        Ok(Self { known, file: None })
    }

    /// Returns the number of searches that are done.
    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// Returns true if nothing was searched yet.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// Removes the file, as the review is done.
    pub fn remove_file(&mut self) {
        if let Some((path, _)) = self.file.take()
            && let Err(error) = std::fs::remove_file(&path)
        {
            log::warn!("{} can't be removed: {error}", path.display());
        }
    }

    /// Returns the search of a position. `board` is one of this variant.
    pub(super) fn find(&self, board: &mut dyn Board, position: &str, budget: Budget) -> Option<&Evaluation> {
        let known = self.known.get(&Search::of(board.variant(), position, budget));
        known.filter(|found| found.is_legal(board, position))
    }

    pub(super) fn add(&mut self, variant: &Variant, position: &str, budget: Budget, found: Evaluation) {
        let search = Search::of(variant, position, budget);
        if let Some((path, file)) = &mut self.file {
            let mut line = serde_json::to_vec(&Stored::new(search.clone(), &found)).unwrap_or_default();
            line.push(b'\n');
            if let Err(error) = file.write_all(&line) {
                log::warn!("{} is not written any more: {error}", path.display());
                self.file = None;
            }
        }
        self.known.insert(search, found);
    }
}

/// Reads a line of the file; `None` if it is damaged.
fn read_line(line: &[u8]) -> Option<(Search, Evaluation)> {
    serde_json::from_slice::<Stored>(line).ok()?.read()
}
