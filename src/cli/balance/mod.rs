//! The command `balance`: the fair komi, first moves under the pie, and rules side by side.

mod compare;
mod komi;
mod swap;

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::time::Instant;

use clap::{Args, Subcommand};
use serde::Serialize;

use super::format::{Format, FormatArgs, write_json};
use super::lazy_args::Lazy;
use super::progress::{Bar, with_time_left};
use super::signals::stop_flag;
use super::{CliError, INTERRUPTED};
use crate::rules::Variant;
use crate::search::Clock;
use crate::statistics::Grid;
use crate::study::StudyError;
use crate::study::balance::{Question, QuestionPlan, default_random_steps, open_record};
use crate::study::pool::processors;
use crate::study::store::Runner;
use crate::study::wording::{short_strength, strength_name};
use crate::text::counted;

#[derive(Args, Debug)]
pub(super) struct BalanceArgs {
    #[command(subcommand)]
    command: BalanceCommand,
}

#[derive(Subcommand, Debug)]
enum BalanceCommand {
    /// Find the komi at which the first mover scores one half, at each strength
    ///
    /// Plays around the komi that seems fair until the 95 % interval is one point long, or the games are used up.
    Komi(Lazy<komi::KomiArgs>),

    /// Compare all first moves under the pie: which would be swapped, and what the pie leaves the first mover
    ///
    /// Half of the games choose the fairest first move, by successive halving, or up to 60 % where there are few for each
    /// move. The others are fresh games that test it: its score comes from these only.
    Swap(Lazy<swap::SwapArgs>),

    /// Compare rules or sizes of a game, each at its own fair komi or with the pie
    Compare(Lazy<compare::CompareArgs>),
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

    /// Keep the games in a file, and play only those that it does not have
    ///
    /// Run an interrupted command again to resume it, also with more games. One file can serve several questions.
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,

    #[command(flatten)]
    run: RunArgs,
}

/// The options of commands that play as many games as their answer needs.
#[derive(Args, Debug)]
pub(super) struct RunArgs {
    /// Number of games at a time; it changes nothing else [default: the number of cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: Option<u16>,

    /// Seed of the random numbers
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) seed: u64,

    #[command(flatten)]
    format: FormatArgs,
}

impl RunArgs {
    /// Returns the format of the answers.
    pub(super) fn format(&self) -> Format {
        self.format.format()
    }

    /// Returns the number of games at a time.
    fn threads(&self) -> usize {
        self.threads.map_or_else(processors, usize::from)
    }
}

impl GameArgs {
    /// Returns the plan of a question, at no strength yet.
    fn plan(&self, question: Question, variant: &Variant) -> QuestionPlan {
        let random_steps = self.random_steps.unwrap_or_else(|| default_random_steps(variant));
        QuestionPlan { question, nodes: 0, max_games: self.games, random_steps, seed: self.run.seed, seeds: 1 }
    }

    /// Returns the strengths in the order given, without repetitions.
    fn strengths(&self, default: &[u64]) -> Vec<u64> {
        let given = if self.strength.is_empty() { default } else { &self.strength };
        let mut strengths = Vec::new();
        for &nodes in given {
            if !strengths.contains(&nodes) {
                strengths.push(nodes);
            }
        }
        strengths
    }
}

/// Says how games with a number of random steps begin.
fn openings(random_steps: u32, seed: u64) -> String {
    match random_steps {
        0 => format!("openings: none; seed {seed}"),
        1 => format!("openings: a random step of each player, unfiltered; seed {seed}"),
        steps => format!("openings: {steps} random steps, equally many turns of each player, unfiltered; seed {seed}"),
    }
}

/// Says how many games are different: copies of a game tell nothing new.
fn distinct_games(games: u64, distinct: u64) -> String {
    let all = counted(games, "game");
    if distinct == games { format!("{all}, all different") } else { format!("{all}, {distinct} of them different") }
}

impl BalanceArgs {
    /// Returns true if the only result is standard output.
    pub(super) fn is_for_output(&self) -> bool {
        match &self.command {
            BalanceCommand::Komi(arguments) => arguments.games.record.is_none(),
            BalanceCommand::Compare(arguments) => arguments.games.record.is_none(),
            BalanceCommand::Swap(arguments) => arguments.games.record.is_none() && arguments.svg.is_none(),
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
    let mut context = Context::new(clock, errors);
    match &arguments.command {
        BalanceCommand::Komi(arguments) => komi::komi(arguments, &mut context, output),
        BalanceCommand::Swap(arguments) => swap::swap(arguments, &mut context, output),
        BalanceCommand::Compare(arguments) => compare::compare_rules(arguments, &mut context, output),
    }
}

/// Everything that a question needs to play its games and to show progress.
pub(super) struct Context<'a, E> {
    clock: &'a dyn Clock,
    bar: Bar<E>,
}

impl<'a, E: Write + IsTerminal> Context<'a, E> {
    pub(super) fn new(clock: &'a dyn Clock, errors: E) -> Self {
        let is_terminal = errors.is_terminal();
        Self { clock, bar: Bar::new(errors, is_terminal) }
    }
}

impl<E: Write> Context<'_, E> {
    /// Writes a line for the user.
    pub(super) fn line(&mut self, text: &str) {
        self.bar.line(text);
    }

    /// Answers a question at each strength, and shows each answer if the output is for people. Returns the answers, and
    /// false if a signal stops the games.
    pub(super) fn ask<T>(
        &mut self,
        strengths: &[u64],
        run: &RunArgs,
        record: Option<&Path>,
        mut question: impl FnMut(u64, &mut Runner<'_>) -> Result<T, StudyError>,
        mut show: impl FnMut(&T) -> Result<(), CliError>,
    ) -> Result<(Vec<T>, bool), CliError> {
        let stop = stop_flag();
        let mut store = record.map(open_record).transpose()?.unwrap_or_default();
        let mut answers = Vec::new();
        for &nodes in strengths {
            let (bar, began) = (&mut self.bar, Instant::now());
            let mut on_progress = |played: u64, left: u64| {
                let total = played + left;
                let message = || with_time_left(strength_name(nodes), played, began.elapsed(), left, true);
                bar.show(played, total, message);
                true
            };
            let mut runner = Runner {
                threads: run.threads(),
                stop: &stop,
                clock: self.clock,
                on_progress: &mut on_progress,
                store: &mut store,
            };
            let answer = question(nodes, &mut runner);
            self.bar.end();
            match answer {
                Ok(answer) => {
                    if run.format() == Format::Text {
                        show(&answer)?;
                    }
                    answers.push(answer);
                    if stop.load(Ordering::Relaxed) {
                        self.bar.line("pentalith: interrupted: the answer is that of the games until then");
                        return Ok((answers, false));
                    }
                }
                Err(StudyError::Interrupted) => {
                    let strength = short_strength(nodes);
                    let fate = match record {
                        None => "its games are lost".to_owned(),
                        Some(path) => {
                            format!("finished games are kept in {}, and the same command resumes", path.display())
                        }
                    };
                    self.bar.line(&format!("pentalith: interrupted at strength {strength}: {fate}"));
                    return Ok((answers, false));
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok((answers, true))
    }
}

/// Returns the exit status of a question.
pub(super) fn status(is_complete: bool) -> ExitCode {
    if is_complete { ExitCode::SUCCESS } else { ExitCode::from(INTERRUPTED) }
}

/// Prints answers in a format for programs, or as the rows of a table. Prints nothing as text.
pub(super) fn write_answers<A: Serialize, R: Serialize>(
    format: Format,
    answers: &[A],
    columns: &[(&str, &str)],
    rows: impl IntoIterator<Item = R>,
    output: &mut impl Write,
) -> Result<(), CliError> {
    let grid = || Grid::of_rows(columns, rows);
    match format {
        Format::Text => {}
        Format::Json => write_json(answers, output)?,
        Format::Csv => write!(output, "{}", grid().csv())?,
        Format::Markdown => write!(output, "{}", grid().markdown())?,
    }
    Ok(())
}
