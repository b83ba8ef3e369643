//! Floor 6: conformance. Does an engine keep to its protocol?
//!
//! Drives any engine process through the rules of GTP or UGI and shows which of them it breaks, with the lines that
//! prove it (`protocol/check.md`). The clients speak; what only a checker does to an engine is done here.
#![deny(clippy::indexing_slicing)]

pub mod gtp;
mod report;
pub mod ugi;

use std::fmt::{self, Display};
use std::io::{self, Write};
use std::time::Duration;

use crossbeam_channel::Receiver;
use thiserror::Error;

use crate::client::connection::{ClientError, Connection, Deadline, time};
use crate::client::transcript::Transcript;
use crate::client::ugi::UgiClient;
use crate::client::{Command, Protocol};
use crate::rules::Variant;
use crate::text::cut;
use report::Report;

/// How long a line is that no engine expects, in bytes.
const LONG: usize = 100_000;

/// Between the two parts of a command.
const PAUSE: Duration = Duration::from_millis(50);

/// The most moves of a game that is watched, and how many times an answer's time it may take.
const MOVES: usize = 1000;
const GAME: u32 = 12;

/// A word that is no move in any game.
const NO_MOVE: &str = "no-such-move";

/// What to check, and how.
pub struct Settings {
    /// The engine.
    pub engine: Command,
    /// What it speaks; `None` to find out.
    pub protocol: Option<Protocol>,
    /// What it plays, where that is one of our games: then our rules judge its moves.
    pub variant: Option<Variant>,
    /// How long each answer may take.
    pub timeout: Duration,
    /// Whether to show the lines behind every check and not only where one fails.
    pub verbose: bool,
    /// The run stops early once the other side of this is dropped.
    pub interrupt: Receiver<()>,
}

/// How much a check matters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Need {
    /// Without it nothing else can be checked.
    First,
    /// The protocol says so, or every controller relies on it.
    Required,
    /// A miss is shown but is no failure.
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

/// One check: a row of the table that the run, the report and the documentation share.
pub struct Check<T> {
    /// What should be so, in one line.
    pub name: &'static str,
    /// How much it matters.
    pub need: Need,
    /// Why it matters, in one sentence.
    pub why: &'static str,
    run: fn(&mut T) -> Run,
}

/// What a check found.
enum Verdict {
    Passed(String),
    Failed(String),
    /// Not as it should be, but no failure.
    Noted(String),
    /// It could not be found out, and why.
    Skipped(String),
}

/// Why a check came to no verdict of its own.
#[derive(Error, Debug)]
enum Fault {
    #[error(transparent)]
    Client(#[from] ClientError),
    /// Not a fault of the engine: the check can't be made, and why.
    #[error("{0}")]
    Moot(String),
}

impl Fault {
    fn malformed(why: impl Into<String>) -> Self {
        Self::Client(ClientError::Malformed(why.into()))
    }
}

type Run = Result<Verdict, Fault>;

fn passed(what: impl Into<String>) -> Run {
    Ok(Verdict::Passed(what.into()))
}

fn failed(what: impl Into<String>) -> Run {
    Ok(Verdict::Failed(what.into()))
}

fn noted(what: impl Into<String>) -> Run {
    Ok(Verdict::Noted(what.into()))
}

fn skipped(why: impl Into<String>) -> Run {
    Ok(Verdict::Skipped(why.into()))
}

/// How many checks came out how.
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
        let Self {
            passed,
            failed,
            skipped,
            noted,
        } = self;
        write!(f, "{passed} passed, {failed} failed, {skipped} skipped")?;
        match noted {
            0 => Ok(()),
            1 => f.write_str(", 1 note"),
            _ => write!(f, ", {noted} notes"),
        }
    }
}

/// Why a run came to no result.
#[derive(Error, Debug)]
pub enum CheckError {
    /// The command can't be run.
    #[error("the engine can't be started: {0}")]
    NotStarted(String),
    /// The run was stopped.
    #[error("interrupted")]
    Interrupted,
    /// The report can't be written.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Waits for the engine to end by itself, as it should.
fn ended(connection: &mut Connection, behind: &str) -> Run {
    let (_, status, took) = connection.end()?;
    match status {
        None => failed(format!("still running {} behind {behind}", time(took))),
        Some(status) if !status.success() => noted(format!("ends with {status}")),
        Some(_) => passed(time(took)),
    }
}

/// The time for a whole game.
fn game_deadline(connection: &Connection) -> Deadline {
    Deadline::new(connection.timeout.saturating_mul(GAME))
}

/// One protocol's side of a run.
trait Checker: Sized + 'static {
    fn connection(&mut self) -> &mut Connection;
    fn checks() -> &'static [Check<Self>];
}

/// Checks an engine and writes the report while it goes on.
///
/// # Errors
/// Where the engine can't be started, the run is interrupted or the report can't be written.
pub fn run(settings: Settings, output: &mut dyn Write) -> Result<Summary, CheckError> {
    let Settings {
        engine,
        protocol,
        variant,
        timeout,
        verbose,
        interrupt,
    } = settings;
    let mut report = Report::new(output, verbose);
    let command = cut(&engine.to_string());
    let mut client = UgiClient::new(Connection::new(engine, timeout, interrupt));
    let protocol = protocol.map_or_else(|| detect(&mut client), Ok);
    let mut connection = client.connection;
    connection.close();
    let detection = std::mem::take(&mut connection.transcript);
    let timeout = time(timeout);
    match protocol {
        Ok(protocol) => {
            report.head(&format!("{command}: {protocol}, {timeout} for each answer"))?;
            match protocol {
                Protocol::Gtp => run_all(gtp::Gtp::new(connection, variant), &mut report),
                Protocol::Ugi => run_all(ugi::Ugi::new(connection, variant), &mut report),
            }
        }
        Err(ClientError::NotStarted(why) | ClientError::NoRoom(why)) => {
            Err(CheckError::NotStarted(format!("{command}: {why}")))
        }
        Err(ClientError::Interrupted) => Err(CheckError::Interrupted),
        Err(error) => {
            report.head(&format!("{command}: {timeout} for each answer"))?;
            let verdict = Verdict::Failed(error.to_string());
            report.row(DETECTION, WHY_DETECTION, &verdict, &detection)?;
            Ok(report.end()?)
        }
    }
}

const DETECTION: &str = "the engine speaks GTP or UGI";
const WHY_DETECTION: &str =
    "`ugi` is answered with `ugiok`, or by GTP with an error; else say --protocol";

/// Finds out what an engine speaks.
fn detect(client: &mut UgiClient) -> Result<Protocol, ClientError> {
    let gtp = client.greet("answer to `ugi`", |_| true)?;
    Ok(gtp.map_or(Protocol::Ugi, |_| Protocol::Gtp))
}

fn run_all<T: Checker>(mut checker: T, report: &mut Report<'_>) -> Result<Summary, CheckError> {
    report.width(T::checks().iter().map(|check| check.name));
    let mut lost = None;
    for check in T::checks() {
        if let Some(first) = lost {
            let why = format!("not without: {first}");
            report.row(
                check.name,
                check.why,
                &Verdict::Skipped(why),
                &Transcript::default(),
            )?;
            continue;
        }
        let verdict = match (check.run)(&mut checker) {
            Err(Fault::Client(ClientError::NotStarted(why) | ClientError::NoRoom(why))) => {
                return Err(CheckError::NotStarted(why));
            }
            Err(Fault::Client(ClientError::Interrupted)) => return Err(CheckError::Interrupted),
            Ok(verdict) => verdict,
            Err(Fault::Moot(why)) => Verdict::Skipped(why),
            Err(fault) => Verdict::Failed(fault.to_string()),
        };
        let verdict = match verdict {
            Verdict::Failed(what) if check.need == Need::Recommended => Verdict::Noted(what),
            verdict => verdict,
        };
        let confused = matches!(verdict, Verdict::Failed(_) | Verdict::Noted(_));
        if matches!(verdict, Verdict::Failed(_)) && check.need == Need::First {
            lost = Some(check.name);
        }
        let connection = checker.connection();
        let transcript = std::mem::take(&mut connection.transcript);
        report.row(check.name, check.why, &verdict, &transcript)?;
        if confused {
            // It is started again by the next check.
            connection.close();
        }
    }
    checker.connection().close();
    Ok(report.end()?)
}
