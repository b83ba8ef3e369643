//! Conformance checks of an engine process against GTP or UGI.
//!
//! Runs a table of checks through the clients of `client`, and reports each failure with the lines that prove it.
//! `docs/engine-authors.md` describes the checks.
#![deny(clippy::indexing_slicing)]

pub mod gtp;
mod report;
mod rules;
pub mod ugi;

use std::fmt::{self, Display};
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crossbeam_channel::Receiver;
use thiserror::Error;

use crate::client::connection::{ClientError, Connection, Deadline, time};
use crate::client::pauses::paused_since;
use crate::client::transcript::Transcript;
use crate::client::ugi::UgiClient;
use crate::client::{Command, Protocol};
use crate::rules::Variant;
use crate::text::cut;
use report::Report;
pub use report::Row;
pub use rules::RuleSettings;

/// Length of an overlong line, in bytes.
const LONG: usize = 100_000;

/// Pause between the two parts of a split command.
const PAUSE: Duration = Duration::from_millis(50);

/// Maximum number of moves of the game that is played.
const MOVES: usize = 1000;

/// Time limit of that game, in multiples of the time limit of an answer.
const GAME_TIMEOUTS: u32 = 12;

/// Maximum number of runs of a check in which this program is stopped.
const MAX_RUNS: u32 = 3;

/// A word that is not a move in any game.
const NO_MOVE: &str = "no-such-move";

/// Configuration of a run.
pub struct Settings {
    /// The engine.
    pub engine: Command,
    /// Protocol; `None` to detect it.
    pub protocol: Option<Protocol>,
    /// Variant that the engine plays, if it is one of ours. Its moves are then checked against the rules.
    pub variant: Option<Variant>,
    /// Time limit of each answer.
    pub timeout: Duration,
    /// True to print the exchanged lines of every check, not only of failures.
    pub verbose: bool,
    /// True to report figures of checks that passed, which change from run to run.
    pub figures: bool,
    /// True to print nothing.
    pub is_quiet: bool,
    /// Settings of the comparison of rules.
    pub rules: RuleSettings,
    /// Which checks are made.
    pub selection: Selection,
    /// Folder for transcripts of the smallest games that show wrong rules.
    pub transcripts: Option<PathBuf>,
    /// Closing this channel interrupts the run.
    pub interrupt: Receiver<()>,
}

/// A selection of checks by parts of their names.
#[derive(Clone, Default, Debug)]
pub struct Selection {
    /// Only checks that have one of these in their names; all if there are none.
    pub only: Vec<String>,
    /// No checks that have one of these in their names.
    pub skip: Vec<String>,
}

impl Selection {
    fn has(parts: &[String], name: &str) -> bool {
        parts.iter().any(|part| name.to_lowercase().contains(&part.to_lowercase()))
    }

    /// Returns true if a check is made. Those that all others depend on always are.
    fn takes<T>(&self, check: &Check<T>) -> bool {
        let is_taken = self.only.is_empty() || Self::has(&self.only, check.name);
        check.need == Need::First || is_taken && !Self::has(&self.skip, check.name)
    }

    /// Returns a part that no check has in its name.
    pub fn unknown(&self) -> Option<&str> {
        let names = || gtp::CHECKS.iter().map(|check| check.name).chain(ugi::CHECKS.iter().map(|check| check.name));
        let mut parts = self.only.iter().chain(&self.skip);
        parts.find(|part| !names().any(|name| Self::has(std::slice::from_ref(part), name))).map(String::as_str)
    }
}

/// Result of a run.
#[derive(Debug)]
pub struct CheckReport {
    /// Command line of the engine.
    pub engine: String,
    /// Protocol, if the engine speaks one.
    pub protocol: Option<Protocol>,
    /// The checks.
    pub rows: Vec<Row>,
    /// Number of checks by verdict.
    pub summary: Summary,
}

/// Importance of a check.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Need {
    /// A failure makes all later checks impossible.
    First,
    /// The protocol demands it, or every client relies on it.
    Required,
    /// A miss is a note, not a failure.
    Recommended,
}

impl Display for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::First => "first of all",
            Self::Required => "required",
            Self::Recommended => "recommended",
        })
    }
}

/// A check: a row of the table behind the run, the report and the documentation.
pub struct Check<T> {
    /// The expected behavior, in one line.
    pub name: &'static str,
    /// Importance.
    pub need: Need,
    /// Reason, in one sentence.
    pub why: &'static str,
    run: fn(&mut T) -> CheckResult,
}

/// Result of a check.
enum Verdict {
    Passed(String),
    Failed(String),
    /// Deviates without failing.
    Noted(String),
    /// Not checked, with the reason.
    Skipped(String),
}

/// Reason why a check has no verdict of its own.
#[derive(Error, Debug)]
enum NoVerdict {
    #[error(transparent)]
    Client(#[from] ClientError),
    /// The check does not apply. Not a failure of the engine.
    #[error("{0}")]
    NotApplicable(String),
}

impl NoVerdict {
    fn malformed(why: impl Into<String>) -> Self {
        Self::Client(ClientError::Malformed(why.into()))
    }
}

type CheckResult = Result<Verdict, NoVerdict>;

fn passed(what: impl Into<String>) -> CheckResult {
    Ok(Verdict::Passed(what.into()))
}

fn failed(what: impl Into<String>) -> CheckResult {
    Ok(Verdict::Failed(what.into()))
}

fn noted(what: impl Into<String>) -> CheckResult {
    Ok(Verdict::Noted(what.into()))
}

fn skipped(why: impl Into<String>) -> CheckResult {
    Ok(Verdict::Skipped(why.into()))
}

/// Number of checks by verdict.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Summary {
    pub passed: usize,
    pub failed: usize,
    pub skipped: usize,
    pub noted: usize,
}

impl Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { passed, failed, skipped, noted } = self;
        write!(f, "{passed} passed, {failed} failed, {skipped} skipped")?;
        match noted {
            0 => Ok(()),
            1 => f.write_str(", 1 note"),
            _ => write!(f, ", {noted} notes"),
        }
    }
}

/// Reason why a run has no result.
#[derive(Error, Debug)]
pub enum CheckError {
    /// The engine can't be started.
    #[error("the engine can't be started: {0}")]
    NotStarted(String),
    /// The run was interrupted.
    #[error("interrupted")]
    Interrupted,
    /// The report can't be written.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Checks that the engine ends by itself.
fn ended(connection: &mut Connection, behind: &str) -> CheckResult {
    let (_, status, took) = connection.end()?;
    match status {
        None => failed(format!("still running {} after {behind}", time(took))),
        Some(status) if !status.success() => noted(format!("ends with {status}")),
        Some(_) => passed(time(took)),
    }
}

/// Returns the deadline of a whole game.
fn game_deadline(connection: &Connection) -> Deadline {
    Deadline::new(connection.timeout.saturating_mul(GAME_TIMEOUTS))
}

/// The checks of one protocol, with their state.
trait Checker: Sized + 'static {
    fn connection(&mut self) -> &mut Connection;
    fn checks() -> &'static [Check<Self>];

    /// Takes the transcript that shows what the last check found, if there is one.
    fn take_proof(&mut self) -> Option<String>;
}

/// Checks an engine and writes the report row by row.
///
/// # Errors
/// If the engine can't be started, the run is interrupted, or the report can't be written.
pub fn run(settings: Settings, output: &mut dyn Write) -> Result<CheckReport, CheckError> {
    let Settings {
        engine,
        protocol,
        variant,
        timeout,
        verbose,
        figures,
        is_quiet,
        rules,
        selection,
        transcripts,
        interrupt,
    } = settings;
    let output = (!is_quiet).then_some(output);
    let mut report = Report::new(output, verbose, figures, transcripts);
    let words = engine.to_string();
    let command = cut(&words);
    let mut client = UgiClient::new(Connection::new(engine, timeout, interrupt));
    let protocol = protocol.map_or_else(|| detect(&mut client), Ok);
    let mut connection = client.connection;
    connection.close();
    let detection = std::mem::take(&mut connection.transcript);
    let timeout = time(timeout);
    let protocol = match protocol {
        Ok(protocol) => {
            report.head(&format!("{command}: {protocol}, {timeout} for each answer"))?;
            match protocol {
                Protocol::Gtp => run_all(gtp::Gtp::new(connection, variant, rules), &selection, &mut report),
                Protocol::Ugi => run_all(ugi::Ugi::new(connection, variant, rules), &selection, &mut report),
            }?;
            Some(protocol)
        }
        Err(ClientError::NotStarted(why) | ClientError::NoRoom(why)) => {
            return Err(CheckError::NotStarted(format!("{command}: {why}")));
        }
        Err(ClientError::Interrupted) => return Err(CheckError::Interrupted),
        Err(error) => {
            report.head(&format!("{command}: {timeout} for each answer"))?;
            let verdict = Verdict::Failed(error.to_string());
            let detects: Check<()> =
                Check { name: DETECTION, need: Need::First, why: WHY_DETECTION, run: |()| passed("") };
            report.row(&detects, &verdict, &detection, None)?;
            None
        }
    };
    let (rows, summary) = report.end()?;
    Ok(CheckReport { engine: words, protocol, rows, summary })
}

const DETECTION: &str = "the engine speaks GTP or UGI";
const WHY_DETECTION: &str = "`ugi` is answered with `ugiok`, or by GTP with an error; else say --protocol";

/// Detects the protocol of an engine.
fn detect(client: &mut UgiClient) -> Result<Protocol, ClientError> {
    let gtp = client.greet("answer to `ugi`", |_| true)?;
    Ok(gtp.map_or(Protocol::Ugi, |_| Protocol::Gtp))
}

fn run_all<T: Checker>(mut checker: T, selection: &Selection, report: &mut Report<'_>) -> Result<(), CheckError> {
    let checks = || T::checks().iter().filter(|check| selection.takes(check));
    report.width(checks().map(|check| check.name));
    let mut lost = None;
    for check in checks() {
        if let Some(first) = lost {
            let why = format!("not without: {first}");
            report.row(check, &Verdict::Skipped(why), &Transcript::default(), None)?;
            continue;
        }
        let mut runs = 0;
        let verdict = loop {
            let began = Instant::now();
            let verdict = run_one(check, &mut checker)?;
            runs += 1;
            // What was measured while this program did not run proves nothing.
            if is_missed(&verdict) && runs < MAX_RUNS && !paused_since(began).is_zero() {
                let connection = checker.connection();
                connection.close();
                connection.transcript = Transcript::default();
                continue;
            }
            break verdict;
        };
        if matches!(verdict, Verdict::Failed(_)) && check.need == Need::First {
            lost = Some(check.name);
        }
        let proof = checker.take_proof();
        let connection = checker.connection();
        let transcript = std::mem::take(&mut connection.transcript);
        report.row(check, &verdict, &transcript, proof)?;
        if is_missed(&verdict) {
            // The next check starts the engine again.
            connection.close();
        }
    }
    checker.connection().close();
    Ok(())
}

fn is_missed(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Failed(_) | Verdict::Noted(_))
}

/// Runs one check.
///
/// # Errors
/// If the engine can't be started, or the run is interrupted.
fn run_one<T>(check: &Check<T>, checker: &mut T) -> Result<Verdict, CheckError> {
    let verdict = match (check.run)(checker) {
        Err(NoVerdict::Client(ClientError::NotStarted(why) | ClientError::NoRoom(why))) => {
            return Err(CheckError::NotStarted(why));
        }
        Err(NoVerdict::Client(ClientError::Interrupted)) => return Err(CheckError::Interrupted),
        Ok(verdict) => verdict,
        Err(NoVerdict::NotApplicable(why)) => Verdict::Skipped(why),
        Err(fault) => Verdict::Failed(fault.to_string()),
    };
    Ok(match verdict {
        Verdict::Failed(what) if check.need == Need::Recommended => Verdict::Noted(what),
        verdict => verdict,
    })
}
