//! A connection to an engine process: lines with deadlines, and a transcript.

use std::io;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use crossbeam_channel::Receiver;
use thiserror::Error;

use super::Command;
use super::pauses::{self, paused_since};
use super::process::{NoLine, Process};
use super::transcript::Transcript;
use crate::files::without_mark;
use crate::text::{cut, quote};

/// Maximum number of standard error lines in a transcript.
const ERROR_LINES: usize = 4;

/// Maximum number of lines before an answer: more are an endless output.
pub(crate) const MAX_LINES: usize = 10_000;

/// Time between `quit` and killing an engine.
const QUIT_TIMEOUT: Duration = Duration::from_millis(500);

/// Duration of a check for unsolicited output.
pub(crate) const QUIET: Duration = Duration::from_millis(200);

/// An error of an engine or of the connection to it.
#[derive(Clone, PartialEq, Eq, Error, Debug)]
pub(crate) enum ClientError {
    #[error("no {what} within {}{}", time(*.within), not_read(*.unread))]
    Late { what: String, within: Duration, unread: usize },
    #[error("{}: no {what}", ended(*.status))]
    Ended { what: String, status: Option<ExitStatus> },
    #[error("output without end, but no {0}")]
    Endless(String),
    #[error("the engine can't be started: {0}")]
    NotStarted(String),
    /// Not the engine's fault: the system has no more processes, threads or files.
    #[error("the engine can't be started: {0}")]
    NoRoom(String),
    #[error("interrupted")]
    Interrupted,
    #[error("{0}")]
    Malformed(String),
    /// A GTP command that must succeed got an error.
    #[error("{} is answered with {answer}", quote(command))]
    Refused { command: String, answer: String },
    /// A `bestmove` of UGI without a move.
    #[error("{} names no move", quote(.0))]
    NoMove(String),
}

fn ended(status: Option<ExitStatus>) -> String {
    match status {
        Some(status) => format!("the engine ended ({status})"),
        None => "the engine closed its output".to_owned(),
    }
}

fn not_read(bytes: usize) -> String {
    match bytes {
        0 => String::new(),
        1 => " (1 byte of input has not been read)".to_owned(),
        _ => format!(" ({bytes} bytes of input have not been read)"),
    }
}

/// Returns true if a resource that other programs share ran out.
fn is_shortage(error: &io::Error) -> bool {
    use io::ErrorKind::{OutOfMemory, WouldBlock};
    #[cfg(unix)]
    if [libc::EMFILE, libc::ENFILE].map(Some).contains(&error.raw_os_error()) {
        return true;
    }
    [OutOfMemory, WouldBlock].contains(&error.kind())
}

/// Formats a duration for reports.
pub(crate) fn time(time: Duration) -> String {
    let ms = time.as_millis();
    match ms {
        0 => "under 1 ms".to_owned(),
        _ if ms >= 1000 && ms.is_multiple_of(1000) => format!("{} s", ms / 1000),
        _ => format!("{ms} ms"),
    }
}

/// A deadline, with the duration that it allows. Times in which this program does not run don't count.
#[derive(Clone, Copy)]
pub(crate) struct Deadline {
    began: Instant,
    of: Duration,
}

impl Deadline {
    /// Starts the duration now.
    pub(crate) fn new(of: Duration) -> Self {
        pauses::watch();
        Self { began: Instant::now(), of }
    }

    /// Returns the end, as far as pauses are known.
    fn until(self) -> Instant {
        self.began + self.of + paused_since(self.began)
    }

    /// Returns the time that is left, as far as pauses are known.
    pub(crate) fn left(self) -> Duration {
        self.until().saturating_duration_since(Instant::now())
    }

    pub(crate) fn is_past(self) -> bool {
        self.left().is_zero()
    }
}

/// Strips a carriage return and byte order marks from the ends of a line.
fn clean(line: &mut String) {
    if line.ends_with('\r') {
        line.pop();
    }
    let mark = line.len() - without_mark(line).len();
    line.drain(..mark);
}

/// A connection to an engine.
///
/// The process starts when it is first needed, and again after [`Self::close`]. On drop it gets `quit`, and is killed
/// if it does not end.
pub(crate) struct Connection {
    command: Command,
    /// Time limit of an answer.
    pub(crate) timeout: Duration,
    interrupt: Receiver<()>,
    process: Option<Process>,
    pub(crate) transcript: Transcript,
}

impl Connection {
    /// Creates a connection. Closing `interrupt` ends all waiting.
    pub(crate) fn new(command: Command, timeout: Duration, interrupt: Receiver<()>) -> Self {
        Self { command, timeout, interrupt, process: None, transcript: Transcript::default() }
    }

    /// Returns the command line of the engine.
    pub(crate) fn command(&self) -> &Command {
        &self.command
    }

    pub(crate) fn is_running(&self) -> bool {
        self.process.is_some()
    }

    /// Returns the process, and starts it if necessary.
    pub(crate) fn start(&mut self) -> Result<&mut Process, ClientError> {
        let process = match self.process.take() {
            Some(process) => process,
            None => {
                let process = Process::start(&self.command, self.interrupt.clone());
                process.map_err(|error| {
                    if is_shortage(&error) {
                        ClientError::NoRoom(error.to_string())
                    } else {
                        ClientError::NotStarted(error.to_string())
                    }
                })?
            }
        };
        Ok(self.process.insert(process))
    }

    /// Kills the process.
    pub(crate) fn close(&mut self) {
        self.process = None;
    }

    /// Returns the deadline of an answer that is awaited from now on.
    pub(crate) fn deadline(&self) -> Deadline {
        Deadline::new(self.timeout)
    }

    /// Sends a line.
    pub(crate) fn send(&mut self, line: &str) -> Result<(), ClientError> {
        self.write(&format!("{line}\n"))
    }

    /// Sends lines, or a part of a line, in one write.
    pub(crate) fn write(&mut self, text: &str) -> Result<(), ClientError> {
        let id = self.start()?.id();
        for line in text.split_inclusive('\n') {
            log::debug!("{id} > {}", line.trim_end());
            match line.strip_suffix('\n') {
                Some(line) => self.transcript.add('>', line),
                None => {
                    let line = format!("{line} (without its end)");
                    self.transcript.add('>', &line);
                }
            }
        }
        self.start()?.write(text.as_bytes());
        Ok(())
    }

    /// Returns the next line. `what` names the awaited line in errors.
    pub(crate) fn line(&mut self, what: &str, deadline: Deadline) -> Result<String, ClientError> {
        if let Some(line) = self.line_before(what, deadline)? {
            return Ok(line);
        }
        let process = self.start()?;
        let (unfinished, unread) = (process.unfinished(), process.unread());
        if !unfinished.is_empty() {
            let line = format!("{} (without its end)", cut(&unfinished));
            self.transcript.add('<', &line);
        }
        self.record_errors();
        Err(ClientError::Late { what: what.to_owned(), within: deadline.of, unread })
    }

    /// Waits for unsolicited output. Returns `None` if no line comes.
    pub(crate) fn unsolicited_line(&mut self, deadline: Deadline) -> Result<Option<String>, ClientError> {
        self.line_before("silence", deadline)
    }

    fn line_before(&mut self, what: &str, deadline: Deadline) -> Result<Option<String>, ClientError> {
        let process = self.start()?;
        let mut line = process.line(deadline.until());
        while line == Err(NoLine::Late) && !deadline.is_past() {
            line = process.line(deadline.until());
        }
        match line {
            Ok(mut line) => {
                log::debug!("{} < {line}", process.id());
                self.transcript.add('<', &line);
                clean(&mut line);
                Ok(Some(line))
            }
            Err(NoLine::Late) => Ok(None),
            Err(NoLine::Interrupted) => Err(ClientError::Interrupted),
            Err(NoLine::Ended) => {
                let (_, status) = process.end(Instant::now() + QUIET);
                self.record_errors();
                Err(ClientError::Ended { what: what.to_owned(), status })
            }
        }
    }

    pub(crate) fn close_input(&mut self) -> Result<(), ClientError> {
        self.transcript.add('>', "(end of input)");
        self.start()?.close_input();
        Ok(())
    }

    /// Waits for the process to end. Returns its last lines, its status and the time that it took.
    pub(crate) fn end(&mut self) -> Result<(Vec<String>, Option<ExitStatus>, Duration), ClientError> {
        let deadline = self.deadline();
        let process = self.start()?;
        let (mut lines, mut status) = process.end(deadline.until());
        while status.is_none() && !process.is_interrupted() && !deadline.is_past() {
            let (more, ended) = process.end(deadline.until());
            lines.extend(more);
            status = ended;
        }
        if process.is_interrupted() {
            return Err(ClientError::Interrupted);
        }
        for line in &mut lines {
            self.transcript.add('<', line);
            clean(line);
        }
        match status {
            Some(status) => self.transcript.add('<', &format!("(ended, {status})")),
            None => self.transcript.add('<', "(still running)"),
        }
        self.record_errors();
        let began = deadline.began;
        let took = began.elapsed().saturating_sub(paused_since(began));
        self.close();
        Ok((lines, status, took))
    }

    /// Returns the last lines of standard error.
    pub(crate) fn errors(&self) -> Vec<String> {
        self.process.as_ref().map_or(Vec::new(), Process::errors)
    }

    fn record_errors(&mut self) {
        let errors = self.errors();
        let first = errors.len().saturating_sub(ERROR_LINES);
        for line in errors.iter().skip(first) {
            self.transcript.add('!', line);
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        if let Some(process) = &mut self.process
            && process.poll().is_none()
        {
            process.write(b"quit\n");
            process.close_input();
            process.end(Instant::now() + QUIT_TIMEOUT);
        }
    }
}
