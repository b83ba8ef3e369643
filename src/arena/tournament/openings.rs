//! Openings of a match: the start, positions from a file, or balanced random openings.

use std::collections::BTreeMap;
use std::sync::Arc;

use crossbeam_channel::{Receiver, TryRecvError};
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use thiserror::Error;

use super::walks::Walks;
use crate::files::without_mark;
use crate::record::{Opening, read_move_list, split_opening};
use crate::rules::{Step, Variant};
use crate::search::SystemClock;
use crate::session::{Event, Go, HistoryError, Session, TimeLimit};
use crate::text::quote;

/// Number of random candidates per opening.
const CANDIDATES: usize = 8;

/// Nodes per candidate to estimate its expected score. Eight times as many hardly improve the balance.
const NODES: u64 = 256;

/// Number of repeated candidates before a repetition is accepted: small boards have few openings.
const REPEATS: u32 = 64;

/// Number of candidates that may end the game before openings become one step shorter.
const ENDS: u32 = 32;

/// An error in a file of openings.
#[derive(Clone, PartialEq, Error, Debug)]
pub enum OpeningError {
    /// A line is not an opening of the variant.
    #[error("line {line}: {}: {why}", quote(.text))]
    Line {
        /// Line number, from 1.
        line: usize,
        /// The line.
        text: String,
        /// Description of the error.
        why: String,
    },
    /// The file has no opening.
    #[error("no opening in it: expected lines such as `startpos moves MOVE MOVE`, `fen POSITION`, or moves alone")]
    Empty,
    /// The variant can't be opened.
    #[error("{0} can't be opened")]
    NotOpened(Variant),
}

/// Source of openings.
#[derive(Clone, PartialEq, Debug)]
pub enum OpeningSource {
    /// The start of the variant.
    Start,
    /// Random steps, completed to the end of the turn.
    Random {
        /// Number of steps.
        steps: u32,
        /// Maximum distance of the expected score from one half.
        bound: f64,
    },
    /// A list, repeated from the beginning after its end.
    List(Vec<Opening>),
}

/// The openings of a match by number. They depend only on source, variant and seed.
pub struct Openings {
    source: OpeningSource,
    random: Random,
    /// Candidates of numbers that were not requested yet.
    candidates: BTreeMap<u64, Vec<Vec<Step>>>,
    /// Number of openings whose candidates have been drawn.
    drawn: u64,
    chosen: BTreeMap<u64, Arc<Opening>>,
}

impl Openings {
    /// Creates the openings of a match; `None` if the variant belongs to no game of the catalogue.
    pub fn new(source: OpeningSource, variant: &Variant, seed: u64) -> Option<Self> {
        let random = Random {
            session: Session::new(variant, Arc::new(SystemClock::default()))?,
            generator: Xoshiro256PlusPlus::seed_from_u64(seed),
            walks: Walks::new(variant)?,
            left_out: 0,
        };
        Some(Self { source, random, candidates: BTreeMap::new(), drawn: 0, chosen: BTreeMap::new() })
    }

    /// Returns the opening with a number, from 1.
    ///
    /// Candidates are drawn in a fixed order, equally many for each number: every shard of a match gets the same
    /// openings, whichever it needs first. Returns `None` if the slow search for a balanced one is interrupted by
    /// closing the channel.
    pub fn get(&mut self, number: u64, interrupt: &Receiver<()>) -> Option<Arc<Opening>> {
        let (steps, bound) = match &self.source {
            OpeningSource::Start => return Some(Arc::default()),
            OpeningSource::List(list) => {
                let place = number.saturating_sub(1) % (list.len() as u64).max(1);
                let opening = list.get(place as usize).cloned().unwrap_or_default();
                return Some(Arc::new(opening));
            }
            &OpeningSource::Random { steps, bound } => (steps, bound),
        };
        if let Some(chosen) = self.chosen.get(&number) {
            return Some(Arc::clone(chosen));
        }
        self.draw(number, steps, interrupt)?;
        let candidates = self.candidates.get(&number)?;
        let chosen = self.random.most_balanced(candidates, bound, interrupt)?;
        Some(self.choose(number, chosen))
    }

    /// Accepts an opening that an earlier run chose for a number. Returns false if this match can't have chosen it,
    /// `None` if interrupted.
    pub fn take(&mut self, number: u64, opening: &Opening, interrupt: &Receiver<()>) -> Option<bool> {
        let known = self.chosen.contains_key(&number);
        match self.source {
            OpeningSource::Random { steps, .. } if !known => {
                self.draw(number, steps, interrupt)?;
                let candidates = self.candidates.get(&number)?;
                let possible = candidates.iter().any(|candidate| self.random.opening(candidate) == *opening);
                if possible {
                    self.choose(number, opening.clone());
                }
                Some(possible)
            }
            _ => self.get(number, interrupt).map(|known| *known == *opening),
        }
    }

    /// Draws the candidates of all numbers up to this one.
    fn draw(&mut self, number: u64, steps: u32, interrupt: &Receiver<()>) -> Option<()> {
        while self.drawn < number {
            let candidates = (0..CANDIDATES).map(|_| self.random.candidate(steps, interrupt));
            let candidates: Option<Vec<Vec<Step>>> = candidates.collect();
            self.drawn += 1;
            self.candidates.insert(self.drawn, candidates?);
        }
        Some(())
    }

    fn choose(&mut self, number: u64, opening: Opening) -> Arc<Opening> {
        let chosen = Arc::new(opening);
        self.candidates.remove(&number);
        self.chosen.insert(number, Arc::clone(&chosen));
        chosen
    }
}

/// Generator of random openings.
struct Random {
    session: Session,
    generator: Xoshiro256PlusPlus,
    walks: Walks,
    /// Number of steps left out because games end too soon.
    left_out: u32,
}

impl Random {
    /// Returns a new opening, unless there is hardly any other.
    fn candidate(&mut self, steps: u32, interrupt: &Receiver<()>) -> Option<Vec<Step>> {
        let (mut ends, mut repeats) = (0, 0);
        while !is_closed(interrupt) {
            if !self.walks.walk(steps.saturating_sub(self.left_out), &mut self.generator) {
                ends += 1;
                if ends % ENDS == 0 {
                    // A long opening that ends too soon is probably many steps too long.
                    self.left_out += (steps - self.left_out).div_ceil(8).min(steps - self.left_out);
                }
                continue;
            }
            if self.walks.is_new() || repeats == REPEATS {
                return Some(self.walks.path().to_vec());
            }
            repeats += 1;
        }
        None
    }

    /// Returns the opening with these steps.
    fn opening(&mut self, steps: &[Step]) -> Opening {
        self.session.restart();
        Opening { start: None, moves: self.session.moves_of(steps) }
    }

    /// Returns the first candidate within `bound` of an expected score of one half, or the closest one.
    fn most_balanced(&mut self, candidates: &[Vec<Step>], bound: f64, interrupt: &Receiver<()>) -> Option<Opening> {
        let mut best = None;
        let mut least = f64::INFINITY;
        for candidate in candidates {
            if least <= bound {
                break;
            }
            if is_closed(interrupt) {
                return None;
            }
            let candidate = self.opening(candidate);
            let distance = self.imbalance(&candidate).unwrap_or(1.0);
            if distance < least {
                least = distance;
                best = Some(candidate);
            }
        }
        best
    }

    /// Returns the distance of the expected score from one half.
    fn imbalance(&mut self, opening: &Opening) -> Option<f64> {
        let moves: Vec<&str> = opening.moves.iter().map(String::as_str).collect();
        self.session.restart();
        self.session.set_history(None, &moves).ok()?;
        let go = Go { time: TimeLimit::Unlimited, nodes: Some(NODES), ..Go::default() };
        let found = self.session.search(&go).ok()?.into_iter().last()?;
        let Event::SearchDone(found) = found else {
            return None;
        };
        let best = found.progress.variations.first()?;
        Some((best.expected_score - 0.5).abs())
    }
}

/// Returns true if the match is interrupted.
fn is_closed(interrupt: &Receiver<()>) -> bool {
    interrupt.try_recv() == Err(TryRecvError::Disconnected)
}

/// Parses a file of openings: one per line, `#` starts a comment.
///
/// # Errors
/// Names the first invalid line, and its error.
pub fn read_openings(text: &str, variant: &Variant) -> Result<Vec<Opening>, OpeningError> {
    let session = Session::new(variant, Arc::new(SystemClock::default()));
    let mut session = session.ok_or_else(|| OpeningError::NotOpened(variant.clone()))?;
    let mut openings = Vec::new();
    for (i, line) in text.lines().map(without_mark).enumerate() {
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        let read = read_opening(&mut session, line);
        openings.push(read.map_err(|why| OpeningError::Line { line: i + 1, text: line.to_owned(), why })?);
    }
    if openings.is_empty() { Err(OpeningError::Empty) } else { Ok(openings) }
}

/// Parses a line as [`split_opening`] does, a bare position, or bare moves.
fn read_opening(session: &mut Session, line: &str) -> Result<Opening, String> {
    let mut set = |start: Option<&str>, moves: &str| -> Result<Opening, String> {
        let moves = read_move_list(moves).map_err(|error| error.to_string())?;
        let moves: Vec<&str> = moves.iter().map(String::as_str).collect();
        let wrong = |error: HistoryError| error.to_string();
        session.set_history(start, &moves).map_err(wrong)?;
        let made = session.moves();
        session.set_history(start, &[]).map_err(wrong)?;
        let start = start.map(|_| session.position());
        let made_moves: Vec<&str> = made.iter().map(String::as_str).collect();
        let position = start.as_deref();
        session.set_history(position, &made_moves).map_err(wrong)?;
        Ok(Opening { start, moves: made })
    };
    let opening = match split_opening(line) {
        Some((start, moves)) => set(start, moves),
        None => set(Some(line), "").or_else(|position| {
            let moves = set(None, line);
            moves.map_err(|moves| format!("no position ({position}) and no moves ({moves})"))
        }),
    }?;
    match session.outcome() {
        None => Ok(opening),
        Some(_) => Err("the game is over then".to_owned()),
    }
}
