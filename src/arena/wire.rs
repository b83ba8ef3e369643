//! What is said to an engine and what comes back, with a record of it for the report.

use std::collections::VecDeque;
use std::io;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use crossbeam_channel::Receiver;
use thiserror::Error;

use super::Command;
use super::process::{NoLine, Process};
use crate::files::without_mark;
use crate::text::{counted, cut};

/// How many lines of a short record are kept from its beginning, and how many from its end.
const FIRST: usize = 3;
const LAST: usize = 9;

/// How many lines of a long record are kept from its beginning, and how many bytes from its end.
const FIRST_OF_LONG: usize = 200;
const LAST_BYTES: usize = 1 << 20;

/// How many lines of standard error a record shows.
const ERROR_LINES: usize = 4;

/// More lines than an engine has reason to say before it answers.
pub(super) const MANY: usize = 10_000;

/// How long an engine is listened to that has nothing to say.
pub(super) const QUIET: Duration = Duration::from_millis(200);

/// What went wrong between us and the engine.
#[derive(Clone, PartialEq, Eq, Error, Debug)]
pub(super) enum Fault {
    #[error("no {what} within {}{}", time(*.within), not_read(*.unread))]
    Late {
        what: String,
        within: Duration,
        unread: usize,
    },
    #[error("{}: no {what}", ended(*.status))]
    Ended {
        what: String,
        status: Option<ExitStatus>,
    },
    #[error("output without end, but no {0}")]
    Endless(String),
    #[error("the engine can't be started: {0}")]
    NotStarted(String),
    /// The same, but not by a fault of the engine: the system gives no more processes, threads or files.
    #[error("the engine can't be started: {0}")]
    NoRoom(String),
    #[error("interrupted")]
    Interrupted,
    #[error("{0}")]
    Malformed(String),
    /// Not a fault of this check: it can't be made, and why.
    #[error("{0}")]
    Moot(String),
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

/// Whether there was too little of something that others use, too.
fn is_shortage(error: &io::Error) -> bool {
    use io::ErrorKind::{OutOfMemory, WouldBlock};
    #[cfg(unix)]
    if [libc::EMFILE, libc::ENFILE]
        .map(Some)
        .contains(&error.raw_os_error())
    {
        return true;
    }
    [OutOfMemory, WouldBlock].contains(&error.kind())
}

/// A time as a report shows it.
pub(super) fn time(time: Duration) -> String {
    let ms = time.as_millis();
    match ms {
        0 => "under 1 ms".to_owned(),
        _ if ms >= 1000 && ms.is_multiple_of(1000) => format!("{} s", ms / 1000),
        _ => format!("{ms} ms"),
    }
}

/// A time that something may take.
#[derive(Clone, Copy)]
pub(super) struct Limit {
    until: Instant,
    of: Duration,
}

impl Limit {
    /// Begins now.
    pub(super) fn new(of: Duration) -> Self {
        Self {
            until: Instant::now() + of,
            of,
        }
    }

    pub(super) fn is_past(self) -> bool {
        Instant::now() >= self.until
    }
}

/// The first and the last lines of what was said: `>` to the engine, `<` from it, `!` its standard error.
#[derive(Default)]
pub(super) struct Record {
    first: Vec<String>,
    last: VecDeque<String>,
    /// The length of the last lines, in bytes.
    bytes: usize,
    /// How many lines are left out between them.
    left_out: usize,
    /// When a long record began; `None` is a short one for people, whose lines are cut, too.
    began: Option<Instant>,
}

impl Record {
    /// A record of whole lines with the time of each in seconds.
    pub(super) fn long() -> Self {
        Self {
            began: Some(Instant::now()),
            ..Self::default()
        }
    }

    pub(super) fn add(&mut self, mark: char, text: &str) {
        let (line, first) = match self.began {
            None => {
                let text = cut(text);
                (format!("{mark} {text}").trim_end().to_owned(), FIRST)
            }
            Some(began) => {
                let seconds = began.elapsed().as_secs_f64();
                (format!("{seconds:.4} {mark} {text}"), FIRST_OF_LONG)
            }
        };
        if self.first.len() < first {
            self.first.push(line);
            return;
        }
        self.bytes += line.len();
        self.last.push_back(line);
        while match self.began {
            None => self.last.len() > LAST,
            Some(_) => self.bytes > LAST_BYTES,
        } {
            self.bytes -= self.last.pop_front().map_or(0, |line| line.len());
            self.left_out += 1;
        }
    }

    pub(super) fn lines(&self) -> impl Iterator<Item = String> {
        let gap = (self.left_out > 0)
            .then(|| format!("… {} more", counted(self.left_out as u64, "line")));
        let first = self.first.iter().cloned();
        first.chain(gap).chain(self.last.iter().cloned())
    }
}

/// Takes away what is no part of a line but stands at its ends.
fn clean(line: &mut String) {
    if line.ends_with('\r') {
        line.pop();
    }
    let mark = line.len() - without_mark(line).len();
    line.drain(..mark);
}

/// An engine that is talked to.
pub(super) struct Wire {
    process: Process,
    /// How long every answer may take.
    pub(super) timeout: Duration,
    pub(super) record: Record,
}

impl Wire {
    /// Starts an engine, every answer of which may take `timeout`. Waiting ends early once the other side of
    /// `interrupt` is dropped.
    pub(super) fn start(
        command: &Command,
        timeout: Duration,
        interrupt: Receiver<()>,
    ) -> Result<Self, Fault> {
        let start = Process::start(&command.program, &command.arguments, interrupt);
        let fault = |error: io::Error| match is_shortage(&error) {
            true => Fault::NoRoom(error.to_string()),
            false => Fault::NotStarted(error.to_string()),
        };
        Ok(Self {
            process: start.map_err(fault)?,
            timeout,
            record: Record::default(),
        })
    }

    /// Says a line.
    pub(super) fn send(&mut self, line: &str) {
        self.write(&format!("{line}\n"));
    }

    /// Says lines, or a part of one, in one write.
    pub(super) fn write(&mut self, text: &str) {
        for line in text.split_inclusive('\n') {
            log::debug!("{} > {}", self.process.id(), line.trim_end());
            match line.strip_suffix('\n') {
                Some(line) => self.record.add('>', line),
                None => self.record.add('>', &format!("{line} (without its end)")),
            }
        }
        self.process.write(text.as_bytes());
    }

    /// The next line, without byte order mark and carriage return.
    pub(super) fn line(&mut self, what: &str, limit: Limit) -> Result<String, Fault> {
        let what = || what.to_owned();
        match self.process.line(limit.until) {
            Ok(mut line) => {
                log::debug!("{} < {line}", self.process.id());
                self.record.add('<', &line);
                clean(&mut line);
                Ok(line)
            }
            Err(NoLine::Interrupted) => Err(Fault::Interrupted),
            Err(NoLine::Late) => {
                let unfinished = self.process.unfinished();
                if !unfinished.is_empty() {
                    self.record
                        .add('<', &format!("{} (without its end)", cut(&unfinished)));
                }
                self.record_errors();
                Err(Fault::Late {
                    what: what(),
                    within: limit.of,
                    unread: self.process.unread(),
                })
            }
            Err(NoLine::Ended) => {
                let (_, status) = self.process.end(Instant::now() + QUIET);
                self.record_errors();
                Err(Fault::Ended {
                    what: what(),
                    status,
                })
            }
        }
    }

    /// A line that comes within a time although nothing may come; `None` where all is quiet.
    pub(super) fn overhear(&mut self, within: Duration) -> Result<Option<String>, Fault> {
        match self.process.line(Instant::now() + within) {
            Ok(mut line) => {
                self.record.add('<', &line);
                clean(&mut line);
                Ok(Some(line))
            }
            Err(NoLine::Late) => Ok(None),
            Err(NoLine::Interrupted) => Err(Fault::Interrupted),
            Err(NoLine::Ended) => {
                let (_, status) = self.process.end(Instant::now() + QUIET);
                self.record_errors();
                Err(Fault::Ended {
                    what: "silence".to_owned(),
                    status,
                })
            }
        }
    }

    pub(super) fn close_input(&mut self) {
        self.record.add('>', "(end of input)");
        self.process.close_input();
    }

    /// Waits for the process to end; gives the lines that still came, the status and how long it took.
    pub(super) fn end(&mut self) -> Result<(Vec<String>, Option<ExitStatus>, Duration), Fault> {
        let began = Instant::now();
        let (mut lines, status) = self.process.end(began + self.timeout);
        if self.process.is_interrupted() {
            return Err(Fault::Interrupted);
        }
        for line in &mut lines {
            self.record.add('<', line);
            clean(line);
        }
        match status {
            Some(status) => self.record.add('<', &format!("(ended, {status})")),
            None => self.record.add('<', "(still running)"),
        }
        self.record_errors();
        Ok((lines, status, began.elapsed()))
    }

    /// Asks the engine to end, and waits for it, but not for long.
    pub(super) fn quit(&mut self, within: Duration) {
        if self.process.poll().is_none() {
            self.send("quit");
            self.process.close_input();
            self.process.end(Instant::now() + within);
        }
    }

    /// The last lines of its standard error.
    pub(super) fn errors(&self) -> Vec<String> {
        self.process.errors()
    }

    fn record_errors(&mut self) {
        let errors = self.process.errors();
        let first = errors.len().saturating_sub(ERROR_LINES);
        for line in errors.iter().skip(first) {
            self.record.add('!', line);
        }
    }
}
