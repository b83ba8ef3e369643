//! The command `solve`: the exact value of a position, with a proof.

use std::fs::File;
use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use clap::{Args, ValueEnum};
use serde::Serialize;

use super::given_position;
use super::output_file::{OutputFile, write_file};
use super::signals::stop_flag;
use super::{CliError, INTERRUPTED, number_in, usage};
use crate::games;
use crate::intervals::rounded;
use crate::lab::solve::certificate::Strategy;
use crate::lab::solve::layers::{Census, Counts, bytes};
use crate::lab::solve::search::Limits;
use crate::lab::solve::task::{self, Question, Task};
use crate::lab::solve::{Bounds, Pauses, Solver, Value};
use crate::rules::{Board, HalfPoints, Step};
use crate::search::Clock;
use crate::text::counted;
use crate::threads;

/// Size of the stack of the search, which follows each line to its end.
const STACK_BYTES: usize = 256 << 20;

/// Time between two writes of what `--save` keeps.
const SAVE_EVERY: Duration = Duration::from_secs(300);

/// Maximum of `--time`, in seconds: one year.
const MAX_TIME: f64 = 365.0 * 86_400.0;

pub(super) fn time(text: &str) -> Result<Duration, &'static str> {
    number_in(0.01..=MAX_TIME, "a number of seconds from 0.01 to a year")(text).map(Duration::from_secs_f64)
}

#[derive(Args, Debug)]
pub struct SolveArgs {
    /// Variant to solve
    variant: String,

    /// Position to solve, quoted because it holds spaces [default: the start of the variant]
    #[arg(long)]
    position: Option<String>,

    /// Goal of the search
    #[arg(long, value_enum, default_value_t = Wanted::Value)]
    goal: Wanted,

    /// Memory of the table, in MiB; an enumeration may take as much once more
    #[arg(long, value_name = "MB", default_value_t = 1024, value_parser = clap::value_parser!(u32).range(1..=1_048_576))]
    memory: u32,

    /// Number of threads that solve all positions; everything else uses one
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: u16,

    /// Time limit, in seconds [default: none]
    #[arg(long, value_name = "S", value_parser = time)]
    time: Option<Duration>,

    /// Write the proof to this file: a certificate, which `protocol/certificate.md` describes. With --each-move FILE.proof also
    /// FILE.MOVE.proof, that of the position after each move
    #[arg(long, value_name = "FILE")]
    proof: Option<PathBuf>,

    /// Resume from this file if it exists, and write to it what is needed to resume later
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,

    /// Find the value of each move of the position, one move per symmetry class
    #[arg(long)]
    each_move: bool,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// The goal of the search.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
enum Wanted {
    /// Who wins
    Value,
    /// In games that are decided by points, also the margin
    Score,
    /// Of Invector the value of all positions, and the number of moves to the end; else the same as score
    All,
}

impl From<Wanted> for Question {
    fn from(wanted: Wanted) -> Self {
        match wanted {
            Wanted::Value => Self::Value,
            Wanted::Score => Self::Score,
            Wanted::All => Self::All,
        }
    }
}

/// The object that `--json` prints.
#[derive(Serialize)]
struct Solution {
    variant: String,
    position: String,
    #[serde(flatten)]
    result: Answer,
    positions: u64,
    /// `None` if the output is to be the same in every run.
    #[serde(skip_serializing_if = "Option::is_none")]
    seconds: Option<f64>,
    /// Size of the table, in bytes.
    memory: u64,
    /// Moves of best play, as far as it was found.
    line: Vec<String>,
    /// True if `line` goes on to the end of the game.
    complete: bool,
    /// The moves of the position, the best one for the side to move first, if they were asked for.
    moves: Option<Vec<MoveValue>>,
    proof: Option<Proof>,
    /// Number of moves to the end with best play, if all positions were solved and a side wins.
    length: Option<u32>,
    /// Numbers of positions, if all were solved.
    census: Option<CensusRows>,
}

/// Numbers of positions.
#[derive(Serialize)]
struct CensusRows {
    legal: Row,
    arrangements: Row,
    reachable: Row,
}

#[derive(Serialize)]
struct Row {
    positions: u64,
    wins: u64,
    draws: u64,
    losses: u64,
    longest: u32,
}

impl From<&Census> for CensusRows {
    fn from(Census { legal, arrangements, reachable }: &Census) -> Self {
        Self { legal: legal.into(), arrangements: arrangements.into(), reachable: reachable.into() }
    }
}

impl From<&Counts> for Row {
    fn from(counts: &Counts) -> Self {
        let &Counts { wins, draws, losses, longest } = counts;
        Self { positions: counts.total(), wins, draws, losses, longest }
    }
}

/// The value of a position, as far as it is known.
#[derive(Serialize)]
struct Answer {
    value: &'static str,
    /// Margin of the player who moves first.
    score: Option<f64>,
    bounds: Range,
}

/// Lower and upper bounds for the player who moves first.
#[derive(Serialize)]
struct Range {
    value: [&'static str; 2],
    score: [Option<f64>; 2],
}

impl Answer {
    fn new(bounds: Bounds) -> Self {
        let points = |margin: HalfPoints| f64::from(margin.0) / 2.0;
        Self {
            value: bounds.value().map_or("unknown", Value::word),
            score: bounds.score().map(points),
            bounds: Range {
                value: bounds.values().map(Value::word),
                score: bounds.scores().map(|bound| bound.map(points)),
            },
        }
    }
}

/// The value of a move.
#[derive(Serialize)]
struct MoveValue {
    #[serde(rename = "move")]
    text: String,
    #[serde(flatten)]
    result: Answer,
    #[serde(skip_serializing_if = "Option::is_none")]
    proof: Option<Proof>,
}

#[derive(Serialize)]
struct Proof {
    file: String,
    bytes: usize,
    strategies: Vec<Proven>,
}

#[derive(Serialize)]
struct Proven {
    side: &'static str,
    claim: String,
    choices: u64,
    /// Number of positions that can arise.
    positions: u64,
}

/// Solves a position and prints its value.
pub(super) fn solve(
    arguments: &SolveArgs,
    timed: bool,
    clock: Arc<dyn Clock>,
    output: &mut impl Write,
) -> Result<ExitCode, CliError> {
    let variant = games::parse_variant(&arguments.variant)?;
    let board = given_position::board(&variant, arguments.position.as_deref(), clock.clone())?;
    let clock = &*clock;
    let open = |path: &Option<PathBuf>, what| path.as_ref().map(|path| OutputFile::open(path, what)).transpose();
    let proof = open(&arguments.proof, "a proof")?;
    let save = open(&arguments.save, "a saved search")?;
    let task = Task {
        board: &*board,
        question: arguments.goal.into(),
        proof: arguments.proof.is_some(),
        each_step: arguments.each_move,
        memory: u64::from(arguments.memory) << 20,
        threads: arguments.threads.into(),
    };
    if task.enumerates() {
        check_enumeration(&*board, arguments)?;
    }
    let mut solver = start(&*board, arguments)?;
    let stop = stop_flag();
    let started = clock.now();
    let limits = Limits { stop: &stop, clock, deadline: arguments.time.map(|time| started + time), positions: None };
    let found = thread::scope(|scope| {
        let (limits, solver, save) = (&limits, &mut solver, save.as_ref());
        let work = move || {
            let mut write = |solver: &Solver| {
                let time = limits.clock.now() - started;
                // If that fails, the old file is still there. The last write, at the end, reports why.
                let _ = save.map(|saved| saved.write_with(|file| solver.save(time, file)));
            };
            let mut pauses = save.map(|_| Pauses { every: SAVE_EVERY, run: &mut write });
            task.run(solver, limits, pauses.as_mut())
        };
        let solver = threads::spawn_scoped(scope, "solver", STACK_BYTES, work)?;
        solver.join().map_err(|_| io::Error::other("the solver broke"))
    })?;
    if let Some(saved) = save {
        let time = clock.now() - started;
        saved.write_with(|file| solver.save(time, file))?;
    }
    if let Some(proof) = proof {
        if let Some((text, _)) = &found.proof {
            proof.write(text)?;
        }
        for (step, (text, _)) in &found.step_proofs {
            write_file(&step_path(proof.path(), &board.write_step(*step)), "a proof", text)?;
        }
    }
    let solution = Solution::new(&*board, &found, timed, arguments);
    if arguments.json {
        let json = serde_json::to_string(&solution).map_err(io::Error::from)?;
        writeln!(output, "{json}")?;
    } else {
        write!(output, "{}", describe(&*board, &solution, (found.is_stopped, found.is_late), arguments))?;
    }
    if let Some(failure) = found.failure {
        return Err(io::Error::other(failure).into());
    }
    Ok(match (found.is_stopped, solution.result.value) {
        (true, _) => ExitCode::from(INTERRUPTED),
        (false, "unknown") => ExitCode::FAILURE,
        (false, _) if found.is_late && arguments.proof.is_some() => ExitCode::FAILURE,
        (false, _) => ExitCode::SUCCESS,
    })
}

/// Returns the file of the certificate of the position after a step: `a.b2.proof` next to `a.proof`.
fn step_path(path: &Path, step: &str) -> PathBuf {
    let step: String = step.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let extension = path.extension().map(|extension| format!(".{}", extension.to_string_lossy()));
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!("{stem}.{step}{}", extension.unwrap_or_default()))
}

/// Refuses an enumeration that is not possible, before anything starts.
fn check_enumeration(board: &dyn Board, arguments: &SolveArgs) -> Result<(), CliError> {
    let variant = board.variant();
    if arguments.save.is_some() {
        return usage(format!(
            "--save does not go with --goal all of {variant}: no part of an enumeration is saved; leave out --save, \
             or ask for --goal value"
        ));
    }
    let needed = match bytes(board) {
        Ok(needed) => needed.div_ceil(1 << 20),
        Err(error) => {
            return usage(format!("can't solve all positions of {variant}: {error}; --goal value solves one position"));
        }
    };
    if needed > u64::from(arguments.memory) {
        return usage(format!(
            "all positions of {variant} take {needed} MiB, and --memory allows {}: give --memory {needed}, or ask for \
             --goal value",
            arguments.memory
        ));
    }
    Ok(())
}

/// Prepares the search, or goes on from a saved one.
fn start(board: &dyn Board, arguments: &SolveArgs) -> Result<Solver, CliError> {
    let memory = (arguments.memory as usize) << 20;
    let saved = arguments.save.as_deref().map(open).transpose()?.flatten();
    match saved {
        Some((path, file)) => {
            let loaded = Solver::load(board, memory, BufReader::with_capacity(1 << 20, file));
            loaded.or_else(|error| usage(format!("{}: {error}", path.display())))
        }
        None => match Solver::new(board, memory) {
            Some(solver) => Ok(solver),
            None => usage(format!("there is no memory for a table of {} MiB", arguments.memory)),
        },
    }
}

/// Opens a file that may not exist yet, or be empty.
fn open(path: &Path) -> Result<Option<(&Path, File)>, CliError> {
    match File::open(path) {
        Ok(file) if file.metadata()?.len() > 0 => Ok(Some((path, file))),
        Ok(_) => Ok(None),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => usage(format!("{}: {error}", path.display())),
    }
}

impl Solution {
    fn new(board: &dyn Board, found: &task::Solution, timed: bool, arguments: &SolveArgs) -> Self {
        let mut end = board.fork();
        let line = moves(&mut *end, &found.line);
        let value = |&(step, bounds): &(Step, Bounds)| {
            let text = board.write_step(step);
            let proven = found.step_proofs.iter().find(|(of, _)| *of == step).zip(arguments.proof.as_deref());
            let proof =
                proven.map(|((_, (bytes, strategies)), path)| proof(&step_path(path, &text), bytes, strategies));
            MoveValue { text, result: Answer::new(bounds), proof }
        };
        let proven = arguments.proof.as_ref().zip(found.proof.as_ref());
        Self {
            variant: board.variant().to_string(),
            position: board.position(),
            result: Answer::new(found.bounds),
            positions: found.positions,
            seconds: timed.then(|| rounded(found.time.as_secs_f64(), 6)),
            memory: found.memory,
            complete: end.is_over(),
            line,
            moves: arguments.each_move.then(|| found.steps.iter().map(value).collect()),
            proof: proven.map(|(path, (text, strategies))| proof(path, text, strategies)),
            length: found.length,
            census: found.census.as_ref().map(CensusRows::from),
        }
    }
}

fn proof(path: &Path, text: &[u8], strategies: &[Strategy]) -> Proof {
    let proven = |strategy: &Strategy| Proven {
        side: if strategy.is_first { "p1" } else { "p2" },
        claim: strategy.claim.to_string(),
        choices: strategy.choices,
        positions: strategy.positions,
    };
    Proof { file: path.display().to_string(), bytes: text.len(), strategies: strategies.iter().map(proven).collect() }
}

/// Plays steps and joins them to moves.
fn moves(board: &mut dyn Board, steps: &[Step]) -> Vec<String> {
    let mut moves: Vec<String> = Vec::new();
    let mut mover = None;
    for &step in steps {
        let (side, text) = (board.side(), board.write_step(step));
        match moves.last_mut().filter(|_| mover == Some(side)) {
            Some(last) => {
                last.push(',');
                last.push_str(&text);
            }
            None => moves.push(text),
        }
        mover = Some(side);
        board.make(step);
    }
    moves
}

/// Describes a value in words.
fn value_words(board: &dyn Board, answer: &Answer) -> String {
    let first = board.variant().info().first;
    let seat = |word: &str| match word {
        "p1win" => format!("p1 ({first}) wins"),
        "p2win" => format!("p2 ({}) wins", !first),
        word => word.to_owned(),
    };
    let [worst, best] = answer.bounds.value;
    let mut text = match (answer.value, worst, best) {
        ("unknown", "p2win", "p1win") => "unknown".to_owned(),
        ("unknown", "draw", _) => "unknown: p1 reaches at least a draw".to_owned(),
        ("unknown", ..) => "unknown: p2 reaches at least a draw".to_owned(),
        _ => seat(answer.value),
    };
    let points = |score: f64| match score.abs() {
        1.0 => "1 point".to_owned(),
        size => format!("{size} points"),
    };
    match (answer.score, answer.bounds.score) {
        (Some(score), _) if score != 0.0 => text += &format!(" by {}", points(score)),
        (None, [Some(least), _]) if least > 0.0 => text += &format!(" by at least {}", points(least)),
        (None, [_, Some(most)]) if most < 0.0 => text += &format!(" by at least {}", points(most)),
        _ => {}
    }
    text
}

/// Describes what was found in words.
fn describe(
    board: &dyn Board,
    solution: &Solution,
    (is_stopped, is_late): (bool, bool),
    arguments: &SolveArgs,
) -> String {
    let Solution { variant, result, line, .. } = solution;
    let mut text = format!("{variant}: {}", value_words(board, result));
    if let Some(length) = solution.length {
        text += &format!(" in {}", counted(length.into(), "move"));
    }
    if is_stopped {
        text += ", interrupted";
    }
    text.push('\n');
    if !line.is_empty() {
        let rest = if solution.complete { "" } else { " …" };
        text += &format!("line: {}{rest}\n", line.join(" "));
    }
    for MoveValue { text: step, result, proof } in solution.moves.iter().flatten() {
        let file = proof.as_ref().map(|proof| format!(", {}", proof.file));
        text += &format!("{step}: {}{}\n", value_words(board, result), file.unwrap_or_default());
    }
    if let Some(census) = &solution.census {
        text += &describe_census(census);
    }
    let Solution { positions, seconds, memory, proof, .. } = solution;
    let positions = counted(*positions, "position");
    let time = seconds.map(|seconds| format!(" in {seconds:.1} s")).unwrap_or_default();
    text += &format!("{positions}{time}, a table of {} MiB\n", memory >> 20);
    if let Some(Proof { file, bytes, strategies }) = proof {
        for Proven { side, claim, choices, .. } in strategies {
            text += &format!("proof: {side} {claim}, {}\n", counted(*choices, "choice"));
        }
        text += &format!("{file}: {bytes} bytes\n");
    } else if arguments.proof.is_some() && is_late {
        text += "the time was over before the proof was complete: give more --time, or --save FILE to resume\n";
    } else if arguments.proof.is_some() {
        text += "nothing is proven yet, so no proof was written\n";
    }
    text
}

/// Describes the numbers of positions in words, a line each.
fn describe_census(census: &CensusRows) -> String {
    let CensusRows { legal, arrangements, reachable } = census;
    let rows = [("solved", legal), ("with symmetric ones", arrangements), ("reachable", reachable)];
    let line = |(name, row): (&str, &Row)| {
        let draws = match row.draws {
            0 => String::new(),
            draws => format!("{draws} drawn, "),
        };
        let Row { positions, wins, losses, longest, .. } = row;
        format!(
            "{name}: {}; the side to move wins {wins}, {draws}loses {losses}; longest win {}\n",
            counted(*positions, "position"),
            counted(u64::from(*longest), "move")
        )
    };
    rows.map(line).concat()
}
