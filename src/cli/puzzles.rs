//! The command `puzzles`: positions of recorded games with one step that wins or draws, proven.

use std::collections::HashSet;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::time::Duration;

use clap::Args;

use super::output_file::{OutputFile, write_file};
use super::progress::Bar;
use super::puzzle_page;
use super::records::{Recorded, read_recorded};
use super::signals::stop_flag;
use super::{CliError, INTERRUPTED, usage};
use crate::files;
use crate::games;
use crate::puzzle::{Found, Puzzle, Settings, find};
use crate::record::GameRecord;
use crate::rules::Variant;
use crate::study::error::StudyError;
use crate::study::pool::{PoolEvent, in_order, processors};
use crate::text::{counted, quote};

/// Default of `--nodes`.
const NODES: u64 = 200_000;

#[derive(Args, Debug)]
pub(super) struct PuzzlesArgs {
    /// Record files: text, as people write it; JSON; or JSON of AbstractPlay
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Variant of the games that don't name theirs
    #[arg(long, value_parser = games::parse_variant)]
    variant: Option<Variant>,

    /// Maximum number of positions that the solver searches for each value
    #[arg(long, value_name = "N", default_value_t = NODES, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    nodes: u64,

    /// Maximum time for each value, in seconds; the output then depends on the machine [default: none]
    #[arg(long, value_name = "S", value_parser = super::solve::time)]
    time: Option<Duration>,

    /// Also keep the puzzles that the weakest level of the engine solves
    #[arg(long)]
    easy: bool,

    /// Maximum number of puzzles, the hardest ones [default: all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    count: Option<u64>,

    /// Number of games searched at once [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: Option<u16>,

    /// Write the puzzles to a record instead of standard output
    #[arg(long, short, value_name = "OUT")]
    output: Option<PathBuf>,

    /// Write a web page on which the puzzles are solved by clicks
    #[arg(long, value_name = "OUT.html")]
    html: Option<PathBuf>,

    /// Write certificates to this folder, for `pentalith-verify`: of the solution, and of each other step
    #[arg(long, value_name = "FOLDER")]
    proofs: Option<PathBuf>,
}

/// Finds the puzzles of records.
pub(super) fn puzzles(
    arguments: &PuzzlesArgs,
    output: &mut impl Write,
    mut live: impl Write + IsTerminal,
) -> Result<ExitCode, CliError> {
    let open = |path: &Option<PathBuf>, option: &str| match path {
        Some(path) if arguments.files.iter().any(|file| files::is_same(path, file)) => {
            usage(format!("{option} {} would replace a record: expected another file", path.display()))
        }
        Some(path) => OutputFile::open(path, "the puzzles").map(Some),
        None => Ok(None),
    };
    let record = open(&arguments.output, "--output")?;
    let page = open(&arguments.html, "--html")?;
    let mut games: Vec<(String, GameRecord)> = Vec::new();
    let mut unread = 0;
    for path in &arguments.files {
        let Recorded { games: read, unread: damaged, .. } =
            read_recorded(path, arguments.variant.clone(), true, &mut live)?;
        unread += damaged;
        games.extend(read.into_iter().map(|game| (path.display().to_string(), game)));
    }
    if let (true, [file, ..]) = (games.is_empty(), arguments.files.as_slice()) {
        return Err(CliError::NoGame(file.clone()));
    }
    if let Some(folder) = &arguments.proofs {
        let created = files::check_new_folder(folder).and_then(|()| std::fs::create_dir_all(folder));
        created.or_else(|error| usage(format!("can't write to {}: {error}", folder.display())))?;
    }
    let settings = Settings { positions: arguments.nodes, time: arguments.time, keeps_easy: arguments.easy };
    let stop = stop_flag();
    let is_terminal = live.is_terminal();
    let mut bar = Bar::of(&mut live, is_terminal, "games");
    let mut results: Vec<Result<Vec<Found>, String>> = Vec::new();
    let threads = arguments.threads.map_or_else(processors, usize::from);
    let work = |(): &mut (), place: usize, ended: &_| {
        let (source, game) = games.get(place)?;
        match find(game, source, &settings, ended) {
            Ok(found) => found.map(Ok),
            Err(why) => Some(Err(why)),
        }
    };
    let done = in_order(games.len(), threads, &stop, work, &mut |event| {
        if let PoolEvent::Done(_, found) = event {
            results.push(found);
        }
        let (done, all) = (results.len() as u64, games.len() as u64);
        let message = || {
            let found = results.iter().flatten().map(Vec::len).sum::<usize>();
            counted(found as u64, "puzzle")
        };
        bar.show(done, all, message);
        true
    });
    bar.end();
    match done {
        Err(StudyError::Interrupted) => return Ok(ExitCode::from(INTERRUPTED)),
        _ if stop.load(Ordering::Relaxed) => return Ok(ExitCode::from(INTERRUPTED)),
        done => done?,
    }
    let mut found: Vec<Found> = Vec::new();
    let mut seen = HashSet::new();
    for (result, (source, game)) in results.into_iter().zip(&games) {
        match result {
            Ok(puzzles) => {
                let is_new =
                    |found: &Found| seen.insert((found.puzzle.variant.to_string(), found.puzzle.position.clone()));
                found.extend(puzzles.into_iter().filter(is_new));
            }
            Err(why) => {
                unread += 1;
                // Standard error may be closed.
                let _ = writeln!(live, "{source}, game {}: {why}", game.game);
            }
        }
    }
    // The hardest first where some are left out; then the easiest first.
    found.sort_by_key(|found| found.puzzle.nodes.unwrap_or(u64::MAX));
    if let Some(count) = arguments.count {
        let rest = found.len().saturating_sub(usize::try_from(count).unwrap_or(usize::MAX));
        found.drain(..rest);
    }
    let mut text = String::new();
    for (number, found) in (1..).zip(&found) {
        let record = found.puzzle.record(number).or_else(|why| usage(format!("puzzle {number}: {why}")))?;
        text.push_str(&record.to_text());
    }
    if let Some(folder) = &arguments.proofs {
        for (number, found) in (1..).zip(&found) {
            write_proofs(folder, number, found)?;
        }
    }
    if let Some(page) = page {
        let puzzles: Vec<&Puzzle> = found.iter().map(|found| &found.puzzle).collect();
        page.write(puzzle_page::page(&puzzles).or_else(usage)?)?;
    }
    match record {
        Some(record) => {
            record.write(text)?;
            write_list(&found, output)?;
        }
        None => write!(output, "{text}")?,
    }
    Ok(if unread == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn write_list(found: &[Found], output: &mut impl Write) -> Result<(), CliError> {
    writeln!(output, "{}", counted(found.len() as u64, "puzzle"))?;
    for (number, Found { puzzle, .. }) in (1..).zip(found) {
        let nodes = puzzle.nodes.map_or("not found by a search".to_owned(), |nodes| format!("{nodes} nodes"));
        let steps = puzzle.line.iter().filter(|step| step.side == puzzle.side).count();
        let steps = counted(steps as u64, "step");
        writeln!(output, "{number:>4}  {}: {}, {steps}, {nodes}; {}", puzzle.variant, puzzle.task(), puzzle.source)?;
    }
    Ok(())
}

/// Writes the certificates of a puzzle: `puzzle-1.proof`, and `puzzle-1-c3.proof` for the position behind a wrong step.
fn write_proofs(folder: &Path, number: u64, found: &Found) -> Result<(), CliError> {
    for (part, bytes) in &found.proofs {
        let part = match part.chars().next() {
            Some(first) if first.is_ascii_digit() => format!("-step-{part}"),
            _ => part.clone(),
        };
        write_file(&folder.join(format!("puzzle-{number}{part}.proof")), "a proof", bytes)?;
    }
    Ok(())
}

/// Reads a file of puzzles.
pub(super) fn read_puzzles(path: &Path, errors: &mut impl Write) -> Result<Vec<Puzzle>, CliError> {
    let Recorded { games, unread, .. } = read_recorded(path, None, false, errors)?;
    if unread > 0 && games.is_empty() {
        return usage(format!("{} has no puzzle that can be read", path.display()));
    }
    let name = quote(&path.display().to_string());
    let read = |game: &GameRecord| Puzzle::of(game).or_else(|why| usage(format!("{name}, game {}: {why}", game.game)));
    games.iter().map(read).collect()
}
