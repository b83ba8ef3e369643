//! The command `transcript`.

use std::ffi::OsString;
use std::io::{self, BufRead, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{ExitCode, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use clap::{Args, Subcommand, ValueEnum, ValueHint};

use super::output_file::{OutputFile, write_file};
use super::signals::stops;
use super::{CliError, INTERRUPTED, seconds, usage};
use crate::client;
use crate::files;
use crate::render::test_results::{Case, Verdict, junit, tap};
use crate::study::pool::{PoolEvent, in_order, processors};
use crate::text::{counted, quote};
use crate::threads;
use crate::transcript::{self, Difference, Failure, FileReport, Recording, RunSettings, Transcript};

/// Minimum time between two writes of an unfinished recording.
const WRITE: Duration = Duration::from_secs(1);

#[derive(Args, Debug)]
pub struct TranscriptArgs {
    #[command(subcommand)]
    command: TranscriptCommand,
}

#[derive(Subcommand, Debug)]
enum TranscriptCommand {
    /// Send the commands of transcripts to an engine, and compare its answers
    ///
    /// A transcript is a text: `$` and the command line of the engine in the first line, then commands behind `>` and
    /// answers behind `<`. In answers, `[..]` stands for any text, `[legal]` for a legal move, `[one of: a1 | b2]` for
    /// one of several, and a line `...` for any lines. Prints every difference. Status 0: the answers are the same; 1:
    /// some differ; 2: a file or an engine can't be used; 3: an engine ended too soon or did not answer in time; 130:
    /// interrupted.
    Run(RunArgs),

    /// Record a dialogue between a client and an engine as a transcript
    ///
    /// Stands between the two: a GUI starts this command as its engine. With `--from`, no client is needed.
    Record(RecordArgs),
}

#[derive(Args, Debug)]
struct RunArgs {
    /// Transcripts, files of gogui-regress (.tst), or folders with them
    #[arg(required = true, value_name = "FILE|DIR", value_hint = ValueHint::AnyPath)]
    files: Vec<PathBuf>,

    /// Write the answers that differ into the transcripts; wildcards that still match stay
    #[arg(long, conflicts_with = "review")]
    accept: bool,

    /// Ask for each difference whether to accept it
    #[arg(long)]
    review: bool,

    /// Time limit for each answer, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    timeout: Duration,

    /// Number of transcripts to run at once [default: one for each core]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..=256))]
    jobs: Option<u16>,

    /// Format of the report
    #[arg(long, value_enum, default_value_t = Format::Text, conflicts_with = "review")]
    format: Format,

    /// Command line of an engine to run in place of those in the transcripts; `{args}` stands for the arguments in the
    /// transcript, `{variant}` for its variant
    #[arg(last = true, value_names = ["COMMAND", "ARGS"], value_hint = ValueHint::CommandName)]
    engine: Vec<OsString>,
}

#[derive(Args, Debug)]
struct RecordArgs {
    /// File to write; a name that ends in .tst makes it a file of gogui-regress, with `--from`
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Read the dialogue from a file: a log of `--log`, commands of GTP (.gtp), tests of gogui-regress (.tst), or a
    /// transcript
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,

    /// Time limit for each answer to commands from a file, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    timeout: Duration,

    /// Command line of the engine
    #[arg(last = true, value_names = ["COMMAND", "ARGS"], value_hint = ValueHint::CommandName)]
    engine: Vec<OsString>,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Format {
    /// For people
    Text,
    /// One object
    Json,
    /// The Test Anything Protocol
    Tap,
    /// XML as of JUnit
    Junit,
}

/// Runs or records transcripts.
pub(super) fn transcript(
    arguments: TranscriptArgs,
    input: impl Read + IsTerminal + Send + 'static,
    output: &mut impl Write,
) -> Result<ExitCode, CliError> {
    match arguments.command {
        TranscriptCommand::Run(arguments) => run(&arguments, input, output),
        TranscriptCommand::Record(arguments) => record(&arguments, input, output),
    }
}

/// A transcript that was run.
struct Done {
    file: String,
    path: PathBuf,
    transcript: Option<Transcript>,
    report: FileReport,
}

/// Returns how transcripts are run: with the engine of the command line, if it names one.
fn settings(engine: &[OsString], timeout: Duration) -> RunSettings {
    let [interrupt] = stops(true);
    RunSettings { engine: Some(engine.to_vec()).filter(|engine| !engine.is_empty()), timeout, interrupt }
}

fn run_one(path: &Path, settings: &RunSettings) -> Done {
    let (transcript, report) = match transcript::read(path) {
        Ok(transcript) => {
            let report = transcript::run(&transcript, settings);
            (Some(transcript), report)
        }
        Err(failure) => (None, FileReport::failed(failure)),
    };
    Done { file: path.display().to_string(), path: path.to_owned(), transcript, report }
}

fn run(arguments: &RunArgs, input: impl Read, output: &mut impl Write) -> Result<ExitCode, CliError> {
    let paths = transcript::collect(&arguments.files).or_else(usage)?;
    let settings = settings(&arguments.engine, arguments.timeout);
    let jobs = arguments.jobs.map_or_else(processors, usize::from);
    let mut input = io::BufReader::new(input);
    let mut reviewer = Reviewer { all: arguments.accept, none: !arguments.accept && !arguments.review };
    let (mut status, mut reports, mut finished) = (0, Vec::new(), Ok(()));
    let work = |(): &mut (), number: usize, _: &AtomicBool| Some(run_one(paths.get(number)?, &settings));
    let ran = in_order(paths.len(), jobs, &AtomicBool::new(false), work, &mut |event| {
        let PoolEvent::Done(_, done) = event else {
            return true;
        };
        let accepted = finish(&done, arguments, &mut reviewer, &mut input, output);
        finished = accepted.map(|accepted| {
            status = status.max(if accepted { 0 } else { done.report.status() });
            reports.push((done.file, done.report));
        });
        finished.is_ok()
    });
    finished?;
    ran?;
    summary(arguments.format, &reports, output)?;
    Ok(ExitCode::from(status))
}

/// Shows what came of a transcript, and accepts it if so asked. Returns true if all differences are accepted.
fn finish(
    done: &Done,
    arguments: &RunArgs,
    reviewer: &mut Reviewer,
    input: &mut impl BufRead,
    output: &mut impl Write,
) -> Result<bool, CliError> {
    let Done { file, path, transcript, report } = done;
    let is_text = arguments.format == Format::Text;
    if is_text && !arguments.review {
        write!(output, "{}", transcript::text(file, report))?;
        output.flush()?;
    }
    let Some(transcript) = transcript else {
        return Ok(false);
    };
    if reviewer.none || report.differences.is_empty() {
        if arguments.review {
            write!(output, "{}", transcript::text(file, report))?;
        }
        return Ok(false);
    }
    if transcript.is_regression {
        let why = "patterns can't be accepted: make a transcript of it by `pentalith transcript record --from`";
        return usage(format!("{file}: {why}"));
    }
    let mut accepted = Vec::new();
    for difference in &report.differences {
        accepted.push(reviewer.all || reviewer.ask(file, difference, input, output)?);
    }
    let count = accepted.iter().filter(|accepted| **accepted).count();
    if count > 0 {
        let text = transcript::accept(transcript, report, |number| accepted.get(number) == Some(&true));
        write_file(path, "the transcript", text)?;
        if is_text {
            writeln!(output, "{file}: {} accepted", counted(count as u64, "difference"))?;
        }
    }
    if arguments.review && report.failure.is_some() {
        let failure = FileReport { failure: report.failure.clone(), ..FileReport::default() };
        write!(output, "{}", transcript::text(file, &failure))?;
    }
    Ok(count == report.differences.len() && report.failure.is_none())
}

/// Decides which differences are accepted.
struct Reviewer {
    all: bool,
    none: bool,
}

impl Reviewer {
    /// Shows a difference and asks whether it is accepted.
    fn ask(
        &mut self,
        file: &str,
        difference: &Difference,
        input: &mut impl BufRead,
        output: &mut impl Write,
    ) -> io::Result<bool> {
        if self.none {
            return Ok(false);
        }
        let report = FileReport { differences: vec![difference.clone()], ..FileReport::default() };
        write!(output, "{}", transcript::text(file, &report))?;
        loop {
            write!(output, "Accept it? y: yes, n: no, a: this and all others, q: no, and none of the others > ")?;
            output.flush()?;
            let mut line = String::new();
            if input.read_line(&mut line)? == 0 {
                writeln!(output)?;
                self.none = true;
                return Ok(false);
            }
            match line.trim().to_lowercase().as_str() {
                "y" | "yes" => return Ok(true),
                "n" | "no" => return Ok(false),
                "a" | "all" => {
                    self.all = true;
                    return Ok(true);
                }
                "q" | "quit" => {
                    self.none = true;
                    return Ok(false);
                }
                other => writeln!(output, "{}: expected y, n, a or q", quote(other))?,
            }
        }
    }
}

/// Ends the report.
fn summary(format: Format, reports: &[(String, FileReport)], output: &mut impl Write) -> io::Result<()> {
    let count = |is_it: fn(&FileReport) -> bool| reports.iter().filter(|(_, report)| is_it(report)).count();
    let same = count(FileReport::is_same);
    let failed = count(|report| report.failure.is_some());
    let different = reports.len() - same - failed;
    match format {
        Format::Text => {
            let failed = if failed == 0 { String::new() } else { format!(", {failed} failed") };
            let transcripts = counted(reports.len() as u64, "transcript");
            writeln!(output, "{transcripts}: {same} same, {different} different{failed}")
        }
        Format::Json => {
            let files: Vec<_> = reports.iter().map(|(file, report)| transcript::json(file, report)).collect();
            let object = serde_json::json!({
                "same": same,
                "different": different,
                "failed": failed,
                "files": files,
            });
            writeln!(output, "{object}")
        }
        Format::Tap | Format::Junit => {
            let cases = reports.iter().map(|(file, report)| {
                let verdict = match &report.failure {
                    Some(_) => Verdict::Error,
                    None if report.differences.is_empty() => Verdict::Passed,
                    None => Verdict::Failed,
                };
                let message = match &report.failure {
                    Some(Failure { what, .. }) => what.clone(),
                    None => counted(report.differences.len() as u64, "difference"),
                };
                Case { name: file.clone(), verdict, message, details: transcript::text(file, report) }
            });
            let cases: Vec<Case> = cases.collect();
            match format {
                Format::Tap => write!(output, "{}", tap(&cases)),
                _ => write!(output, "{}", junit("transcripts", &cases)),
            }
        }
    }
}

/// Records a dialogue.
fn record(
    arguments: &RecordArgs,
    input: impl Read + Send + 'static,
    output: &mut impl Write,
) -> Result<ExitCode, CliError> {
    let path = &arguments.file;
    if let Some(from) = arguments.from.as_ref().filter(|from| files::is_same(from, path)) {
        return usage(format!("--from {} is the file to write: expected another file", from.display()));
    }
    let target = OutputFile::open(path, "the transcript")?;
    let text = match &arguments.from {
        Some(from) => converted(arguments, from)?,
        None if transcript::is_regression(path) => {
            return usage("a file of gogui-regress is written from a transcript: expected --from FILE");
        }
        None => return proxy(arguments, target, input, output),
    };
    target.write(text)?;
    Ok(ExitCode::SUCCESS)
}

/// Reads a dialogue from a file, and returns the text to write.
fn converted(arguments: &RecordArgs, from: &Path) -> Result<String, CliError> {
    let shown = from.display();
    let engine = client::Command::new(arguments.engine.clone());
    let is_given = !arguments.engine.is_empty();
    let end = from.extension().and_then(|end| end.to_str()).unwrap_or_default().to_lowercase();
    let unusable = |failure: Failure| CliError::Usage(format!("{shown}: {}", named(&failure)));
    if transcript::is_regression(&arguments.file) {
        let transcript = transcript::read(from).map_err(unusable)?;
        return transcript.regression().or_else(|why| usage(format!("{shown}: {why}")));
    }
    if transcript::is_regression(from) {
        let tests = transcript::read(from).map_err(unusable)?;
        let engine = if is_given { engine } else { client::Command::new(tests.command.iter().map(OsString::from)) };
        if engine.program.is_empty() {
            return usage(format!("{shown} names no engine: expected its command line behind --"));
        }
        return Ok(tests.transcript(&engine.to_string()));
    }
    let text = files::read_text(from).or_else(|error| usage(format!("{shown}: can't be read: {error}")))?;
    if end == transcript::EXTENSION || text.starts_with("$ ") || end == "gtp" {
        let text = if end == "gtp" {
            if !is_given {
                return usage(format!("{shown} has commands alone: expected the engine to answer them behind --"));
            }
            commands_of(&text, &engine.to_string())
        } else {
            text
        };
        return answered(arguments, &text, from);
    }
    let mut logged = transcript::read_log(&text).or_else(|why| usage(format!("{shown}: {why}")))?;
    if is_given {
        logged.command = engine;
    }
    Ok(Recording::of(logged).write())
}

/// Describes a failure with its line.
fn named(failure: &Failure) -> String {
    match failure.line {
        0 => failure.what.clone(),
        line => format!("line {line}: {}", failure.what),
    }
}

/// Makes a transcript without answers of a file of commands.
fn commands_of(text: &str, command: &str) -> String {
    let mut transcript = format!("$ {command}\n# protocol: gtp\n");
    for line in text.lines() {
        let is_comment = line.trim().is_empty() || line.trim_start().starts_with('#');
        transcript.push_str(&if is_comment { format!("{line}\n") } else { format!("> {line}\n") });
    }
    transcript
}

/// Returns a transcript with the answers of an engine.
fn answered(arguments: &RecordArgs, text: &str, from: &Path) -> Result<String, CliError> {
    let shown = from.display();
    let read = Transcript::new(text).or_else(|error| usage(format!("{shown}: {error}")))?;
    let report = transcript::run(&read, &settings(&arguments.engine, arguments.timeout));
    match &report.failure {
        Some(failure) => usage(format!("{shown}: {}", named(failure))),
        None => Ok(transcript::accept(&read, &report, |_| true)),
    }
}

/// Stands between the client on the standard streams and an engine.
fn proxy(
    arguments: &RecordArgs,
    target: OutputFile,
    input: impl Read + Send + 'static,
    output: &mut impl Write,
) -> Result<ExitCode, CliError> {
    let Some((program, words)) = arguments.engine.split_first() else {
        return usage("no engine to record: expected its command line behind --");
    };
    let command = client::Command::new(arguments.engine.clone());
    let mut engine = std::process::Command::new(program);
    let child = engine.args(words).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let child = child.or_else(|error| usage(format!("the engine can't be started: {command}: {error}")))?;
    let child = Arc::new(Mutex::new(child));
    let [interrupt] = stops::<1>(false);
    let interrupted = Arc::new(AtomicBool::new(false));
    let (to_kill, has_stopped) = (Arc::clone(&child), Arc::clone(&interrupted));
    threads::spawn("interrupt", threads::STACK, move || {
        // Closed by a signal.
        let _ = interrupt.recv();
        has_stopped.store(true, Ordering::Relaxed);
        // It may have ended already.
        let _ = to_kill.lock().unwrap_or_else(PoisonError::into_inner).kill();
    })?;
    let recording = Arc::new(Mutex::new(Recording::new(&command)));
    let target = Arc::new(target);
    let early = Arc::clone(&target);
    let written = Mutex::new(Instant::now());
    let after_command = move |recording: &Recording| {
        let mut written = written.lock().unwrap_or_else(PoisonError::into_inner);
        if written.elapsed() >= WRITE {
            // The end of the recording reports what can't be written.
            let _ = early.write(recording.write());
            *written = Instant::now();
        }
    };
    let ended = transcript::relay(&child, input, output, &recording, after_command);
    let text = recording.lock().unwrap_or_else(PoisonError::into_inner).write();
    target.write(text)?;
    let status = ended?;
    if interrupted.load(Ordering::Relaxed) {
        return Ok(ExitCode::from(INTERRUPTED));
    }
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from))
}
