//! The command `balance`: the fair komi, first moves under the pie, and rules side by side.

mod compare;
mod komi;
mod swap;

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::time::Instant;

use clap::{Args, Subcommand};
use serde::Serialize;

use super::progress::{Bar, eta};
use super::tune::stop_flag;
use super::{CliError, INTERRUPTED};
use crate::rules::Variant;
use crate::search::Clock;
use crate::study::balance::curve::Estimate;
use crate::study::balance::{BalanceError, Plan, Runner, default_random_steps, strength_name};

#[derive(Args, Debug)]
pub(super) struct BalanceArgs {
    #[command(subcommand)]
    question: Question,
}

#[derive(Subcommand, Debug)]
enum Question {
    /// Find the komi at which the first mover scores one half, at each strength
    ///
    /// Plays around the komi that seems fair until the 95 % interval is one point long, or the games are used up.
    Komi(komi::KomiArgs),

    /// Compare all first moves under the pie: which would be swapped, and what the pie leaves the first mover
    ///
    /// Half of the games choose the fairest first move, by successive halving. The other half are fresh games that test
    /// it: its score comes from these only.
    Swap(Box<swap::SwapArgs>),

    /// Compare rules or sizes of a game, each at its own fair komi or with the pie
    Compare(compare::CompareArgs),
}

/// The options that say which games are played.
#[derive(Args, Debug)]
struct GameArgs {
    /// Nodes of each search, 0 for random play; once for each strength [default: 0, 32, 1024 and 32768 for komi, else 1024]
    #[arg(long, value_name = "NODES", value_delimiter = ',', value_parser = clap::value_parser!(u64).range(0..=1_000_000_000))]
    strength: Vec<u64>,

    /// Maximum number of games at each strength
    #[arg(long, value_name = "N", default_value_t = 4000, value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    games: u64,

    /// Random steps at the beginning of each game, completed until both players have had equally many turns
    ///
    /// By default one for each 30 cells of the board: none on very small boards, whose results they would decide.
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(0..=1000))]
    random_steps: Option<u32>,

    /// Number of games at a time; it changes nothing else [default: the number of cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: Option<u16>,

    /// Seed of the random numbers
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Print JSON instead of a table: an array with an object for each strength
    #[arg(long)]
    json: bool,
}

impl GameArgs {
    fn plan(&self, variant: &Variant) -> Plan {
        let steps = self.random_steps;
        Plan {
            games: self.games,
            random_steps: steps.unwrap_or_else(|| default_random_steps(variant)),
            seed: self.seed,
        }
    }

    /// Returns the strengths in the order given, without repetitions.
    fn strengths(&self, default: &[u64]) -> Vec<u64> {
        let given = match self.strength.is_empty() {
            true => default,
            false => &self.strength,
        };
        let mut strengths = Vec::new();
        for &nodes in given {
            if !strengths.contains(&nodes) {
                strengths.push(nodes);
            }
        }
        strengths
    }

    fn threads(&self) -> Option<usize> {
        self.threads.map(usize::from)
    }
}

/// Says how the games of a plan begin.
fn openings(plan: &Plan) -> String {
    let seed = plan.seed;
    match plan.random_steps {
        0 => format!("openings: none; seed {seed}"),
        1 => format!("openings: a random step of each player, unfiltered; seed {seed}"),
        steps => format!(
            "openings: {steps} random steps, equally many turns of each player, unfiltered; seed {seed}"
        ),
    }
}

impl BalanceArgs {
    /// Returns true if the only result is standard output.
    pub(super) fn is_for_output(&self) -> bool {
        self.files().is_empty()
    }

    /// Returns the files that are written.
    pub(super) fn files(&self) -> Vec<PathBuf> {
        match &self.question {
            Question::Komi(_) | Question::Compare(_) => Vec::new(),
            Question::Swap(arguments) => arguments.svg.iter().cloned().collect(),
        }
    }
}

/// Answers a question of balance.
pub(super) fn balance<E: Write + IsTerminal>(
    arguments: &BalanceArgs,
    clock: &dyn Clock,
    output: &mut impl Write,
    errors: E,
) -> Result<ExitCode, CliError> {
    let mut desk = Desk::new(clock, errors);
    match &arguments.question {
        Question::Komi(arguments) => komi::komi(arguments, &mut desk, output),
        Question::Swap(arguments) => swap::swap(arguments, &mut desk, output),
        Question::Compare(arguments) => compare::compare_rules(arguments, &mut desk, output),
    }
}

/// Everything that a question needs to play its games and to show progress.
pub(super) struct Desk<'a, E> {
    clock: &'a dyn Clock,
    bar: Bar<E>,
}

impl<'a, E: Write + IsTerminal> Desk<'a, E> {
    pub(super) fn new(clock: &'a dyn Clock, errors: E) -> Self {
        let is_terminal = errors.is_terminal();
        Self {
            clock,
            bar: Bar::new(errors, is_terminal),
        }
    }
}

impl<E: Write> Desk<'_, E> {
    /// Answers a question at each strength; `done` gets each answer. Returns false if a signal stops the games.
    pub(super) fn ask<T>(
        &mut self,
        strengths: &[u64],
        threads: Option<usize>,
        mut question: impl FnMut(u64, &mut Runner<'_>) -> Result<T, BalanceError>,
        mut done: impl FnMut(T) -> Result<(), CliError>,
    ) -> Result<bool, CliError> {
        let stop = stop_flag();
        let processors = || std::thread::available_parallelism().map_or(1, usize::from);
        let threads = threads.unwrap_or_else(processors);
        for &nodes in strengths {
            let (bar, began) = (&mut self.bar, Instant::now());
            let mut on_progress = |played: u64, left: u64| {
                let total = played + left;
                let message = || {
                    let eta =
                        eta(played, began.elapsed(), left).map(|eta| format!(", at most {eta}"));
                    format!("{}{}", strength_name(nodes), eta.unwrap_or_default())
                };
                bar.set(played, total, message);
                bar.tick(played, total, message);
            };
            let mut runner = Runner {
                threads,
                stop: &stop,
                clock: self.clock,
                on_progress: &mut on_progress,
            };
            let answer = question(nodes, &mut runner);
            self.bar.end();
            match answer {
                Ok(answer) => {
                    done(answer)?;
                    if stop.load(Ordering::Relaxed) {
                        self.bar.line(
                            "pentalith: interrupted: the answer is that of the games until then",
                        );
                        return Ok(false);
                    }
                }
                Err(BalanceError::Interrupted) => {
                    let strength = strength_name(nodes);
                    self.bar.line(&format!(
                        "pentalith: interrupted at strength {strength}: its games are lost"
                    ));
                    return Ok(false);
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(true)
    }
}

impl From<BalanceError> for CliError {
    fn from(error: BalanceError) -> Self {
        match error {
            BalanceError::NotOpened(variant) => Self::NotOpened(variant),
            BalanceError::Unfit(why) => Self::Usage(why),
            error => Self::Io(io::Error::other(error.to_string())),
        }
    }
}

/// Returns the exit status of a question.
pub(super) fn status(is_complete: bool) -> ExitCode {
    match is_complete {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(INTERRUPTED),
    }
}

/// An estimate with its 95 % interval, as JSON has it.
#[derive(Serialize)]
pub(super) struct Interval {
    value: f64,
    low: f64,
    high: f64,
}

impl From<Estimate> for Interval {
    fn from(Estimate { value, low, high }: Estimate) -> Self {
        let [value, low, high] = [value, low, high].map(rounded);
        Self { value, low, high }
    }
}

/// Rounds to four digits behind the point.
pub(super) fn rounded(number: f64) -> f64 {
    (number * 1e4).round() / 1e4
}

pub(super) fn write_json<T: Serialize>(
    answers: &[T],
    output: &mut impl Write,
) -> Result<(), CliError> {
    let json = serde_json::to_string(answers).map_err(io::Error::from)?;
    Ok(writeln!(output, "{json}")?)
}

/// Writes points with two digits.
fn points(number: f64) -> String {
    let text = format!("{number:.2}");
    match text.as_str() {
        "-0.00" => "0.00".to_owned(),
        _ => text,
    }
}

/// Writes a score in percent, with one digit.
pub(super) fn percent(score: f64) -> String {
    format!("{:.1} %", 100.0 * score)
}
