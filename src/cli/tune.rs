//! The command `tune`.

use std::fs::File;
use std::io::{self, BufRead, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::output_file::OutputFile;
use super::progress::{Bar, with_time_left};
use super::signals::stop_flag;
use super::{CliError, INTERRUPTED, number_in, usage};
use crate::files::{self, BYTE_ORDER_MARK, without_mark};
use crate::games;
use crate::lab::{self, Schedule, TuneError, Tuner, Tuning, TuningProgress};
use crate::rules::{Method, Variant};
use crate::search::Clock;
use crate::text::counted;

#[derive(Args, Debug)]
pub(super) struct TuneArgs {
    /// Variant to train; several variants of one game train one set of weights
    #[arg(required = true, value_name = "VARIANT")]
    variants: Vec<String>,

    /// Number of rounds of self-play and fitting; 0 fits to --data alone
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(0..=1000))]
    rounds: u32,

    /// Self-play games per round
    #[arg(long, default_value_t = 2000, value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    games: u64,

    /// Search method that plays the games [default: the best one for the game]
    #[arg(long, value_parser = method())]
    search: Option<Method>,

    /// Nodes per move
    #[arg(long, default_value_t = 3000, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    nodes: u64,

    /// Maximum number of random steps at the start of a game
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u32).range(0..=10_000))]
    random_steps: u32,

    /// Maximum number of positions sampled from a game, at about 1 kB of memory each; 0 plays games for --record and
    /// fits nothing
    #[arg(long, default_value_t = 24, value_parser = clap::value_parser!(u32).range(0..=10_000))]
    positions: u32,

    /// L2 regularization towards the initial weights, in units of positions; networks ignore it
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    l2: u32,

    /// Share of the search's expected score in the training target, from 0 to 1; the rest is the game result
    #[arg(long, value_name = "SHARE", default_value_t = 0.5, value_parser = number_in(0.0..=1.0, "expected a number from 0 to 1"))]
    lambda: f64,

    /// Share of the games that is left out of the fit, from 0 to 0.9, to tell the loss on games that it has not seen
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, value_parser = number_in(0.0..=0.9, "expected a number from 0 to 0.9"))]
    validation: f64,

    /// Passes over the positions in the fit of a network
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=1000))]
    passes: u32,

    /// Maximum learning rate in the fit of a network
    #[arg(long, default_value_t = 0.001, value_parser = number_in(1e-6..=0.1, "expected a number from 0.000001 to 0.1"))]
    rate: f64,

    /// Number of games played at once
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: u16,

    /// Seed of the random numbers; equal seeds give equal weights
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// Append every finished game to this file, one per line
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,

    /// Also train on the games of these files, written by --record
    #[arg(long, value_name = "FILE", num_args = 1..)]
    data: Vec<PathBuf>,

    /// Start from the weights of this text file; an empty file means zeros [default: built-in weights]
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,

    /// Write the weights to this file, keeping the comments at its beginning [default: standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Parses the name of a search method.
fn method() -> impl TypedValueParser<Value = Method> {
    let named = |name: String| Method::ALL.into_iter().find(|method| method.name() == name);
    PossibleValuesParser::new(Method::ALL.map(Method::name)).try_map(move |name| named(name).ok_or("expected a method"))
}

/// Maximum size of the comments at the beginning of a weights file, in bytes.
const MAX_COMMENTS: u64 = 1 << 20;

/// Names of files in error messages.
const WEIGHTS: &str = "a file of weights";
const GAMES: &str = "a record";

/// Returns the comment lines at the beginning of a weights file, byte for byte.
fn comments(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        file => io::BufReader::new(file?).take(MAX_COMMENTS),
    };
    let mut comments = Vec::new();
    loop {
        let mut line = Vec::new();
        file.read_until(b'\n', &mut line)?;
        let mark = BYTE_ORDER_MARK.to_string();
        if !line.strip_prefix(mark.as_bytes()).unwrap_or(&line).starts_with(b"#") {
            return Ok(comments);
        }
        comments.append(&mut line);
        if !comments.ends_with(b"\n") {
            comments.push(b'\n');
        }
    }
}

/// Opens a file of games for appending. Refuses a file that holds something else.
fn open_record(path: &Path) -> Result<File, String> {
    let opened = || {
        files::check_plain(path, GAMES)?;
        let first = match File::open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            file => {
                let mut line = Vec::new();
                io::BufReader::new(file?.take(MAX_COMMENTS)).read_until(b'\n', &mut line)?;
                String::from_utf8_lossy(&line).into_owned()
            }
        };
        let first = without_mark(&first).trim_end();
        if !first.is_empty() {
            let games = lab::check_game_line(first);
            games.map_err(|why| io::Error::other(format!("line 1: {why}")))?;
        }
        files::append_lines(path, GAMES)
    };
    opened().map_err(|error| error.to_string())
}

/// Progress of the training.
struct TuneProgress<E> {
    bar: Bar<E>,
    began: Instant,
    /// Number of games in all rounds.
    total: u64,
    /// Number of games played.
    played: u64,
    /// Current round, and the number of games played in it.
    of_round: (u32, u64),
    /// True once a game can't be recorded.
    not_recorded: bool,
}

impl<E: Write> TuneProgress<E> {
    fn played(&mut self, round: u32, rounds: u32) {
        self.played += 1;
        let (present, games) = self.of_round;
        self.of_round = (round, if present == round { games + 1 } else { 1 });
        let (played, total) = (self.played, self.total);
        let took = self.began.elapsed();
        let words =
            || with_time_left(format!("round {round} of {rounds}"), played, took, total.saturating_sub(played), false);
        self.bar.show(played, total, words);
    }
}

impl TuneArgs {
    /// Returns true if the only result is standard output.
    pub(super) fn is_for_output(&self) -> bool {
        self.out().is_none() && self.record.is_none()
    }

    /// Returns the file that the weights are written to; `None` for standard output.
    fn out(&self) -> Option<&PathBuf> {
        self.out.as_ref().filter(|path| path.as_os_str() != files::STANDARD)
    }

    /// Refuses options that contradict each other.
    fn check(&self) -> Result<(), CliError> {
        let plays_for_record = self.record.is_some() && self.rounds > 0;
        let would_learn = self.out.is_some() || !self.data.is_empty();
        if self.positions == 0 && (!plays_for_record || would_learn) {
            return usage(
                "--positions 0 plays games and learns nothing: \
                 expected --record FILE for them, --rounds of 1 or more, no --data and no --out",
            );
        }
        if self.rounds == 0 && self.record.is_some() {
            return usage(
                "--rounds 0 plays no games that --record could keep: expected --rounds of 1 or more, or no --record",
            );
        }
        let Some(out) = self.out() else {
            return Ok(());
        };
        for (option, file) in
            (self.record.iter().map(|file| ("--record", file))).chain(self.data.iter().map(|file| ("--data", file)))
        {
            if files::is_same(out, file) {
                let (out, file) = (out.display(), file.display());
                return usage(format!("--out {out} would replace the games of {option} {file}: expected another file"));
            }
        }
        Ok(())
    }
}

pub(super) fn tune<E: Write + IsTerminal + Send>(
    arguments: TuneArgs,
    clock: &dyn Clock,
    output: &mut impl Write,
    errors: E,
    mut live: impl Write,
) -> Result<ExitCode, CliError> {
    arguments.check()?;
    let learns = arguments.positions > 0;
    let variants = arguments.variants.iter();
    let variants = variants.map(|variant| games::parse_variant(variant));
    let variants = variants.collect::<Result<Vec<Variant>, _>>()?;
    let cannot = |what: &str, path: &Path, error: &dyn std::fmt::Display| {
        CliError::Usage(format!("can't {what} {}: {error}", path.display()))
    };
    // Fail now rather than after hours of self-play.
    let out = arguments.out().map(PathBuf::as_path);
    let target = out.map(|path| OutputFile::open(path, WEIGHTS)).transpose()?;
    // The comments describe the table, and stay.
    let comments = out.map(|path| comments(path).map_err(|error| cannot("read", path, &error)));
    let comments = comments.transpose()?.unwrap_or_default();
    let read = |path: &PathBuf| files::read_text(path).map_err(|error| cannot("read", path, &error));
    let from = arguments.from.as_ref().map(read).transpose()?;
    let data = arguments.data.iter().map(read);
    let data = data.collect::<Result<Vec<String>, _>>()?;
    // Once the record file exists, a script may already send a signal.
    let stop = stop_flag();
    let record = arguments.record.as_deref().map(|path| {
        let file = open_record(path).map_err(|error| cannot("write to", path, &error))?;
        Ok::<_, CliError>((path, file))
    });
    let record = record.transpose()?;
    let is_terminal = errors.is_terminal();
    let progress = Mutex::new(TuneProgress {
        bar: Bar::new(errors, is_terminal),
        began: Instant::now(),
        total: u64::from(arguments.rounds) * arguments.games,
        played: 0,
        of_round: (0, 0),
        not_recorded: false,
    });
    let tell = |stage: TuningProgress<'_>| {
        let mut progress = progress.lock().unwrap_or_else(PoisonError::into_inner);
        match stage {
            TuningProgress::Played { round, line, .. } => {
                if let Some((path, file)) = &record {
                    let mut file: &File = file;
                    let written = file.write_all(format!("{line}\n").as_bytes());
                    if let Err(error) = written
                        && !std::mem::replace(&mut progress.not_recorded, true)
                    {
                        progress.bar.line(&format!(
                            "pentalith: can't write to {}: {error}; games are lost there",
                            path.display()
                        ));
                    }
                }
                progress.played(round, arguments.rounds);
            }
            TuningProgress::Fitted { round, before, after, minimum, validation, positions } => {
                progress.bar.line(&format!(
                    "round {round}: loss {before:.5} of its games before, {after:.5} of all {} after, at least {minimum:.5}",
                    counted(positions as u64, "position")
                ));
                if let Some((before, after)) = validation {
                    progress.bar.line(&format!(
                        "round {round}: loss {before:.5} of the games left out before, {after:.5} after"
                    ));
                }
            }
        }
    };
    let tuner = Tuner {
        tuning: Tuning {
            rounds: arguments.rounds,
            games: arguments.games,
            method: arguments.search,
            nodes: arguments.nodes,
            random_steps: arguments.random_steps,
            positions: arguments.positions as usize,
            l2: arguments.l2.into(),
            lambda: arguments.lambda,
            validation: arguments.validation,
            schedule: Schedule { passes: arguments.passes, rate: arguments.rate as f32 },
            threads: arguments.threads.into(),
            seed: arguments.seed,
        },
        variants: &variants,
        initial_weights: from.as_deref(),
        data: &data,
        clock,
        on_progress: &tell,
        stop: &stop,
    };
    let tuned = tuner.run();
    let progress = progress.into_inner().unwrap_or_else(PoisonError::into_inner);
    progress.bar.end();
    let tuned = tuned.map_err(|error| {
        let file = match &error {
            TuneError::Weights(_) => arguments.from.as_ref(),
            TuneError::Game { text, .. } => arguments.data.get(*text),
            _ => None,
        };
        match file {
            Some(path) => cannot("use", path, &error),
            None => CliError::Usage(error.to_string()),
        }
    })?;
    let mut where_to = "standard output".to_owned();
    match (&tuned.weights, target) {
        (None, _) => {}
        (Some(text), None) => {
            output.write_all(text.as_bytes())?;
            output.flush()?;
        }
        (Some(text), Some(target)) => {
            if let Err(error) = target.write([&comments, text.as_bytes()].concat()) {
                // Save hours of work: print the weights instead.
                output.write_all(text.as_bytes())?;
                output.flush()?;
                return Err(error);
            }
            where_to = target.path().display().to_string();
        }
    }
    if let Some(round) = tuned.aborted_round {
        let weights = match &tuned.weights {
            Some(_) => format!("the weights of round {} are in {where_to}", round - 1),
            None if learns => "no round was finished, and no weights are written".to_owned(),
            None => "nothing was to be learned".to_owned(),
        };
        let games = match progress.of_round {
            (of, games) if of == round => games,
            _ => 0,
        };
        let kept = match &record {
            Some((path, _)) if !progress.not_recorded => format!("kept in {}", path.display()),
            _ => "lost".to_owned(),
        };
        let why = match round {
            0 => format!("interrupted: {weights}"),
            _ => format!(
                "interrupted in round {round} of {}: {weights}; finished games of round {round}: {games}, {kept}",
                arguments.rounds
            ),
        };
        // Standard error may be closed.
        let _ = writeln!(live, "pentalith: {why}");
        return Ok(ExitCode::from(INTERRUPTED));
    }
    // The error has been reported.
    Ok(if progress.not_recorded { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}
