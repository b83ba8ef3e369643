//! Games that the program plays against itself, and the lines that keep them: the variant, then every step, each with what
//! the search expected before it.

use std::sync::atomic::{AtomicBool, Ordering};

use nom::Parser;
use nom::bytes::complete::is_not;
use nom::character::complete::{char, space0, space1};
use nom::combinator::{opt, verify};
use nom::multi::many0;
use nom::number::complete::double;
use nom::sequence::{preceded, terminated};

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::board::Zobrist;
use crate::games;
use crate::rules::{Board, Color, Method, Step};
use crate::search::{Clock, Limits, SearchRequest, Settings, new_search, random_step};
use crate::text::quote;

/// In place of one search in so many a random step is played, so that games differ, and what is bad is seen, too.
const RANDOM_MOVE: u32 = 32;

/// What a search may remember: enough for small numbers of nodes.
const MEMORY: usize = 8 << 20;

/// Expectations are kept with so many digits behind the point.
const DIGITS: usize = 4;

/// A finished game.
pub(super) struct SelfPlay {
    /// Every step, with how much of the game the search before it expected for Black, from 0 to 1; nothing where the step
    /// was random.
    steps: Vec<(Step, Option<f64>)>,
}

/// How games are played.
pub(super) struct Player<'a> {
    /// A game begins with some number of random steps up to this.
    pub(super) random_steps: u32,
    /// Nodes a move.
    pub(super) nodes: u64,
    pub(super) seed: u64,
    pub(super) clock: &'a dyn Clock,
    /// Breaks games off once it is set.
    pub(super) stop: &'a AtomicBool,
}

impl Player<'_> {
    /// Plays a game from the position of a board; `None` where it is broken off. Equal numbers give equal games.
    pub(super) fn play(&self, board: &dyn Board, number: u64) -> Option<SelfPlay> {
        let seed = Zobrist::state_key(self.seed).0.wrapping_add(number);
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let opening = below(&mut random, self.random_steps as usize + 1);
        let settings = Settings {
            method: Method::Pvs,
            threads: 1,
            memory: MEMORY,
            seed,
        };
        let mut search = new_search(settings);
        let limits = Limits {
            nodes: Some(self.nodes),
            ..Limits::default()
        };
        let mut played = Vec::new();
        let mut here = board.fork();
        while here.count() > 0 {
            let at_random = played.len() < opening || below(&mut random, RANDOM_MOVE as usize) == 0;
            let (steps, expected) = if at_random {
                let step = random_step(&mut *here, &mut random);
                (step.into_iter().collect(), None)
            } else {
                let report = search.run(&*here, &SearchRequest::new(limits, self.stop, self.clock));
                // What a search says that was stopped is not what it would have said.
                if self.stop.load(Ordering::Relaxed) {
                    return None;
                }
                let expected = match here.side() {
                    Color::Black => report.expected_score,
                    Color::White => 1.0 - report.expected_score,
                };
                (report.best_move, Some(rounded(expected)))
            };
            for step in steps {
                played.push((step, expected));
                here.make(step);
                search.advance(step);
            }
        }
        Some(SelfPlay { steps: played })
    }
}

/// A number below a bound.
fn below(random: &mut impl Rng, bound: usize) -> usize {
    ((u64::from(random.next_u32()) * bound as u64) >> 32) as usize
}

/// As it is written: what a file keeps is the same as what was played.
fn rounded(expected: f64) -> f64 {
    let scale = 10_f64.powi(DIGITS as i32);
    (expected * scale).round() / scale
}

impl SelfPlay {
    /// Shows positions in which the search expected something, at most so many and from all parts of the game, each with
    /// what to learn of it for Black: how the game ended, and by the share `lambda` what the search expected.
    pub(super) fn positions(
        &self,
        board: &dyn Board,
        most: usize,
        lambda: f64,
        seed: u64,
        mut show: impl FnMut(&dyn Board, f64),
    ) {
        let mut here = board.fork();
        let mut positions = Vec::new();
        for &(step, expected) in &self.steps {
            positions.extend(expected.map(|expected| (here.ply(), expected)));
            here.make(step);
        }
        let worth = here.training_target();
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let count = positions.len().min(most);
        for i in 0..count {
            // One of each of so many equal parts of the game.
            let (from, to) = (
                i * positions.len() / count,
                (i + 1) * positions.len() / count,
            );
            if let Some(&(ply, expected)) = positions.get(from + below(&mut random, to - from)) {
                // How the game ended is true but partly chance; what the search saw coming is neither.
                show(&*here.fork_at(ply), worth + lambda * (expected - worth));
            }
        }
    }

    /// The game as one line, without the end of it.
    pub(super) fn write(&self, board: &dyn Board) -> String {
        let mut line = board.variant().to_string();
        for &(step, expected) in &self.steps {
            line.push(' ');
            line.push_str(&board.write_step(step));
            if let Some(expected) = expected {
                line.push_str(&format!("={expected:.DIGITS$}"));
            }
        }
        line
    }

    /// Reads the steps of a line.
    ///
    /// # Errors
    /// Says which word is no legal step, or that the game does not end.
    pub(super) fn read(board: &dyn Board, line: &Line<'_>) -> Result<Self, String> {
        let mut here = board.fork();
        let mut steps = Vec::with_capacity(line.steps.len());
        for &(text, expected) in &line.steps {
            let step = here.read_step(text);
            let step = step.map_err(|error| format!("step {}: {error}", steps.len() + 1))?;
            steps.push((step, expected));
            here.make(step);
        }
        match here.outcome() {
            Some(_) => Ok(Self { steps }),
            None => Err("the game is not over at the end of the line".to_owned()),
        }
    }
}

/// A game as a line says it.
pub(super) struct Line<'a> {
    pub(super) variant: &'a str,
    steps: Vec<(&'a str, Option<f64>)>,
}

impl<'a> Line<'a> {
    /// Takes a line apart.
    ///
    /// # Errors
    /// Quotes what is neither a variant nor a step with an expected score.
    pub(super) fn parse(line: &'a str) -> Result<Self, String> {
        let share = verify(double::<_, ()>, |share| (0.0..=1.0).contains(share));
        let step = (is_not(" ="), opt(preceded(char('='), share)));
        let steps = many0(preceded(space1, step));
        let parsed = terminated((is_not(" "), steps), space0).parse(line);
        let wrong = |text: &str| {
            let text = text.split_whitespace().next().unwrap_or("");
            format!(
                "{}: expected a variant and steps, each with =0 to =1 behind it or nothing",
                quote(text)
            )
        };
        let (rest, (variant, steps)) = parsed.map_err(|_| wrong(line))?;
        match rest {
            "" => Ok(Self { variant, steps }),
            rest => Err(wrong(rest)),
        }
    }
}

/// Makes sure that a line begins as that of a game does: with a variant, and steps of any kind behind it.
///
/// # Errors
/// Quotes what is wrong.
pub fn check_line(line: &str) -> Result<(), String> {
    let line = Line::parse(line)?;
    let variant = games::parse_variant(line.variant);
    variant.map(|_| ()).map_err(|error| error.to_string())
}
