//! Self-play games, and the lines of text that record them.
//!
//! A line has the variant and then every step, each followed by `=` and the expected score of the search that chose it.

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

/// One in this many searches is replaced by a random step.
///
/// Games differ by it, and positions after bad steps are among the samples.
const RANDOM_STEP_INTERVAL: u32 = 32;

/// Memory of a search in bytes: enough for small numbers of nodes.
const MEMORY: usize = 8 << 20;

/// Decimal places of a recorded expected score.
const DIGITS: usize = 4;

/// Finished self-play game.
pub(super) struct SelfPlayGame {
    /// Steps, each with the expected score for Black, from 0 to 1, of the search that chose it.
    ///
    /// Random steps have none.
    steps: Vec<(Step, Option<f64>)>,
}

/// Player of self-play games.
pub(super) struct SelfPlayer<'a> {
    /// Maximum number of random steps at the beginning; each game draws its own.
    pub(super) random_steps: u32,
    pub(super) method: Method,
    /// Nodes per search.
    pub(super) nodes: u64,
    pub(super) seed: u64,
    pub(super) clock: &'a dyn Clock,
    /// Aborts games once it is set.
    pub(super) stop: &'a AtomicBool,
}

impl SelfPlayer<'_> {
    /// Plays a game from the position of a board. Equal numbers give equal games.
    ///
    /// Returns `None` where the game is aborted.
    pub(super) fn play(&self, board: &dyn Board, number: u64) -> Option<SelfPlayGame> {
        let seed = Zobrist::state_key(self.seed).0.wrapping_add(number);
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let opening = below(&mut random, self.random_steps as usize + 1);
        let settings = Settings { method: self.method, threads: 1, memory: MEMORY, seed };
        let mut search = new_search(settings);
        let limits = Limits { nodes: Some(self.nodes), ..Limits::default() };
        let mut played = Vec::new();
        let mut here = board.fork();
        while here.count() > 0 {
            let at_random = played.len() < opening || below(&mut random, RANDOM_STEP_INTERVAL as usize) == 0;
            let (steps, expected) = if at_random {
                let step = random_step(&mut *here, &mut random);
                (step.into_iter().collect(), None)
            } else {
                let report = search.run(&*here, &SearchRequest::new(limits, self.stop, self.clock));
                // A stopped search has not reached its node limit: its result can't be reproduced.
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
        Some(SelfPlayGame { steps: played })
    }
}

/// Returns a uniform random number below a bound.
fn below(random: &mut impl Rng, bound: usize) -> usize {
    ((u64::from(random.next_u32()) * bound as u64) >> 32) as usize
}

/// Rounds an expected score as it is recorded, so that training on a record equals training on the games themselves.
fn rounded(expected: f64) -> f64 {
    let scale = 10_f64.powi(DIGITS as i32);
    (expected * scale).round() / scale
}

impl SelfPlayGame {
    /// Visits sampled positions of the game, each with its training target for Black, from 0 to 1.
    ///
    /// At most `limit` positions are drawn, one from each of that many equal stretches of the game. Only positions that
    /// were searched count. The target is the result of the game, mixed with the expected score of the search by the
    /// share `lambda`.
    pub(super) fn positions(
        &self,
        board: &dyn Board,
        limit: usize,
        lambda: f64,
        seed: u64,
        mut visit: impl FnMut(&dyn Board, f64),
    ) {
        let mut here = board.fork();
        let mut positions = Vec::new();
        for &(step, expected) in &self.steps {
            positions.extend(expected.map(|expected| (here.ply(), expected)));
            here.make(step);
        }
        let result = here.training_target();
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let count = positions.len().min(limit);
        for i in 0..count {
            let (from, to) = (i * positions.len() / count, (i + 1) * positions.len() / count);
            if let Some(&(ply, expected)) = positions.get(from + below(&mut random, to - from)) {
                // The result is unbiased but noisy, the expected score the opposite.
                visit(&*here.fork_at(ply), result + lambda * (expected - result));
            }
        }
    }

    /// Writes the game as one line, without a line break.
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

    /// Plays the steps of a line from the position of a board.
    ///
    /// # Errors
    /// Returns a message where a step is not legal, or where the game is not over after the last one.
    pub(super) fn read(board: &dyn Board, line: &GameLine<'_>) -> Result<Self, String> {
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

/// Parsed line of a record, not yet checked by the rules.
pub(super) struct GameLine<'a> {
    pub(super) variant: &'a str,
    /// Steps, each with its expected score for Black.
    steps: Vec<(&'a str, Option<f64>)>,
}

impl<'a> GameLine<'a> {
    /// Parses a line.
    ///
    /// # Errors
    /// Returns a message that quotes the word that is neither a variant nor a step with an expected score.
    pub(super) fn parse(line: &'a str) -> Result<Self, String> {
        let share = verify(double::<_, ()>, |share| (0.0..=1.0).contains(share));
        let step = (is_not(" ="), opt(preceded(char('='), share)));
        let steps = many0(preceded(space1, step));
        let parsed = terminated((is_not(" "), steps), space0).parse(line);
        let wrong = |text: &str| {
            let text = text.split_whitespace().next().unwrap_or("");
            format!(
                "{}: expected a variant and steps, each followed by nothing or by a score from =0 to =1",
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

/// Checks the syntax and the variant of a recorded game, but not its steps.
///
/// # Errors
/// Returns a message that quotes the word that is wrong.
pub fn check_game_line(line: &str) -> Result<(), String> {
    let line = GameLine::parse(line)?;
    let variant = games::parse_variant(line.variant);
    variant.map(|_| ()).map_err(|error| error.to_string())
}
