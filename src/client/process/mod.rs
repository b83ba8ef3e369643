//! A process that exchanges lines, with a deadline on every wait.
//!
//! No wait exceeds its deadline: not for an engine that hangs, never reads, or writes without end. What is in the pipe
//! when the deadline passes is still returned: this program may have been stopped meanwhile. A separate thread drains
//! standard error. Read-ahead is bounded. Dropping the process kills it, with its process group on Unix.

mod interpreter;
pub mod threads;
#[cfg(unix)]
pub mod unix;

use std::collections::VecDeque;
use std::io::{self, Read};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, TryRecvError, bounded};

use super::Command as CommandLine;
use crate::threads::{STACK, spawn};
#[cfg(not(unix))]
use threads::Pipes;
#[cfg(unix)]
use unix::Pipes;

/// Maximum length of a line, in bytes. The rest of a longer line is lost.
pub const MAX_LINE: usize = 64 << 10;

/// Size of one read, in bytes.
const CHUNK: usize = 16 << 10;

/// Bytes kept from the end of standard error.
const ERRORS: usize = 4 << 10;

/// Maximum number of lines returned by [`Process::end`].
const LAST_LINES: usize = 100;

/// Maximum time for a killed process to end.
const DYING: Duration = Duration::from_secs(2);

/// Maximum time for the remaining output of an ended process.
const DRAINING: Duration = Duration::from_millis(200);

/// Interval between checks whether a process has ended.
const LOOK: Duration = Duration::from_millis(2);

/// The same interval while waiting for a line: a child of an ended process may hold the output open.
const WATCH: Duration = Duration::from_millis(50);

/// Maximum time for the output that an ended process has left in the pipe.
const LEFT_BEHIND: Duration = Duration::from_millis(10);

/// Maximum size of the output that is read after the end of a process, or after a deadline: as much as pipes hold.
const IN_THE_PIPE: usize = 1 << 20;

/// Reason why no line was returned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoLine {
    /// The deadline passed.
    Late,
    /// The output ended.
    Ended,
    /// The user interrupted the program.
    Interrupted,
}

/// A running process.
pub struct Process {
    child: Child,
    pipes: Pipes,
    /// Output that has been read. The first `taken` bytes have been returned.
    buffer: Vec<u8>,
    taken: usize,
    /// True while the rest of an overlong line is skipped.
    skipping: bool,
    errors: Arc<Mutex<VecDeque<u8>>>,
    /// Closes when standard error ends.
    errors_end: Receiver<()>,
    interrupt: Receiver<()>,
    status: Option<ExitStatus>,
    /// Time of the next check whether the process has ended.
    look: Instant,
    /// Number of bytes still accepted from the output of the ended process.
    left_behind: usize,
    /// The last deadline that has passed, and the number of bytes still accepted after it.
    overdue: Option<(Instant, usize)>,
}

impl Process {
    /// Starts a command. Closing `interrupt` ends all waiting.
    ///
    /// # Errors
    /// If the command does not exist or can't be run.
    pub fn start(line: &CommandLine, interrupt: Receiver<()>) -> io::Result<Self> {
        let CommandLine { program, arguments, folder, environment } = line;
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.envs(environment.iter().map(|(name, value)| (name, value)));
        if let Some(folder) = folder {
            // Else the error of the start would name the program.
            let is_folder = std::fs::metadata(folder)?.is_dir();
            if !is_folder {
                return Err(io::Error::other(format!("{} is not a folder", folder.display())));
            }
            command.current_dir(folder);
        }
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn().map_err(|error| interpreter::explain(error, program))?;

        let stderr = child.stderr.take();
        let pipes = match (child.stdin.take(), child.stdout.take()) {
            (Some(stdin), Some(stdout)) => Pipes::new(stdin, stdout),
            _ => Err(io::Error::other("no pipes")),
        };
        let pipes = match pipes {
            Ok(pipes) => pipes,
            Err(error) => {
                let _ = child.kill().and_then(|()| child.wait());
                return Err(error);
            }
        };
        let (errors_open, errors_end) = bounded(0);
        // If a thread can't be started from here on, dropping the process kills it.
        let process = Self {
            child,
            pipes,
            buffer: Vec::new(),
            taken: 0,
            skipping: false,
            errors: Arc::default(),
            errors_end,
            interrupt,
            status: None,
            look: Instant::now(),
            left_behind: IN_THE_PIPE,
            overdue: None,
        };
        let errors = Arc::clone(&process.errors);
        spawn("engine errors", STACK, move || {
            let _open: Sender<()> = errors_open;
            let Some(stderr) = stderr else { return };
            pass_on(stderr, |bytes| {
                let mut kept = errors.lock().unwrap_or_else(PoisonError::into_inner);
                kept.extend(bytes);
                let surplus = kept.len().saturating_sub(ERRORS);
                kept.drain(..surplus);
                true
            });
        })?;
        Ok(process)
    }

    /// Writes bytes, now or while waiting for output. Does nothing once the input is closed.
    pub fn write(&mut self, bytes: &[u8]) {
        self.pipes.write(bytes);
    }

    /// Returns the process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Returns the number of input bytes that the process has not read.
    pub fn unread(&self) -> usize {
        self.pipes.unread()
    }

    /// Closes the input after the bytes written.
    pub fn close_input(&mut self) {
        self.pipes.close_input();
    }

    /// Waits for more output. Also watches the process: once it has ended, only its remaining output counts.
    fn more(&mut self, deadline: Instant) -> Result<(), NoLine> {
        while self.status.is_none() {
            if Instant::now() >= self.look {
                self.look = Instant::now() + WATCH;
                if self.poll().is_some() {
                    break;
                }
            }
            let until = deadline.min(self.look);
            let is_late = Instant::now() >= deadline;
            let before = self.buffer.len();
            match self.pipes.read(&mut self.buffer, until, &self.interrupt) {
                Err(NoLine::Late) if Instant::now() < deadline => {}
                Ok(()) if is_late => {
                    let left = self.overdue.filter(|(passed, _)| *passed == deadline);
                    let (_, mut left) = left.unwrap_or((deadline, IN_THE_PIPE));
                    let is_accepted = take(&mut left, self.buffer.len().saturating_sub(before));
                    self.overdue = Some((deadline, left));
                    return is_accepted.then_some(()).ok_or(NoLine::Late);
                }
                read => return read,
            }
        }
        let before = self.buffer.len();
        let soon = Instant::now() + LEFT_BEHIND;
        match self.pipes.read(&mut self.buffer, soon, &self.interrupt) {
            Err(NoLine::Late) => Err(NoLine::Ended),
            Ok(()) => {
                let read = self.buffer.len().saturating_sub(before);
                take(&mut self.left_behind, read).then_some(()).ok_or(NoLine::Ended)
            }
            none => none,
        }
    }

    /// Returns the next line without its line end.
    ///
    /// The last line needs none. Invalid UTF-8 becomes replacement characters. After the deadline, only lines that have
    /// come already are returned.
    ///
    /// # Errors
    /// If no complete line comes before the deadline.
    pub fn line(&mut self, deadline: Instant) -> Result<String, NoLine> {
        loop {
            if let Some(line) = self.buffered_line() {
                return Ok(line);
            }
            self.buffer.drain(..self.taken);
            self.taken = 0;
            match self.more(deadline) {
                Err(NoLine::Ended) => return self.last_line().ok_or(NoLine::Ended),
                Err(none) => return Err(none),
                Ok(()) => {}
            }
        }
    }

    fn buffered_line(&mut self) -> Option<String> {
        loop {
            let rest = self.buffer.get(self.taken..).unwrap_or_default();
            let end = rest.iter().position(|&byte| byte == b'\n');
            let length = end.unwrap_or(rest.len());
            if self.skipping {
                self.taken += end.map_or(length, |end| end + 1);
                self.skipping = end.is_none();
                end?;
                continue;
            }
            if end.is_none() && length < MAX_LINE {
                return None;
            }
            let line = rest.get(..length.min(MAX_LINE)).unwrap_or_default();
            let line = String::from_utf8_lossy(line).into_owned();
            self.taken += end.map_or(length, |end| end + 1);
            self.skipping = end.is_none();
            return Some(line);
        }
    }

    fn last_line(&mut self) -> Option<String> {
        let rest = self.unfinished();
        self.taken = self.buffer.len();
        (!rest.is_empty()).then_some(rest)
    }

    /// Returns the beginning of an incomplete line.
    pub fn unfinished(&self) -> String {
        let rest = self.buffer.get(self.taken..).unwrap_or_default();
        if self.skipping { String::new() } else { String::from_utf8_lossy(rest).into_owned() }
    }

    /// Waits for the process to end.
    ///
    /// Returns its last lines, up to a bound, and its status: `None` if it has not ended before the deadline.
    pub fn end(&mut self, mut deadline: Instant) -> (Vec<String>, Option<ExitStatus>) {
        let mut lines = Vec::new();
        let mut open = true;
        let mut seen = false;
        let mut is_last = false;
        while !is_last {
            // Once after the deadline, too: this program may have been stopped.
            is_last = Instant::now() >= deadline;
            let look = deadline.min(Instant::now() + LOOK);
            let line = if open {
                self.line(look)
            } else {
                match self.interrupt.recv_timeout(LOOK) {
                    Err(RecvTimeoutError::Timeout) => Err(NoLine::Late),
                    _ => Err(NoLine::Interrupted),
                }
            };
            match line {
                Ok(line) if lines.len() < LAST_LINES => lines.push(line),
                Ok(_) | Err(NoLine::Late) => {}
                Err(NoLine::Ended) => open = false,
                Err(NoLine::Interrupted) => break,
            }
            if self.poll().is_some() {
                if !open {
                    break;
                }
                if !seen {
                    // Its last output is still in the pipe.
                    deadline = deadline.min(Instant::now() + DRAINING);
                    seen = true;
                }
            }
        }
        (lines, self.status)
    }

    /// Returns true if the user interrupted the program.
    pub fn is_interrupted(&self) -> bool {
        !matches!(self.interrupt.try_recv(), Err(TryRecvError::Empty))
    }

    /// Returns the status if the process has ended. Then kills what is left of its group.
    pub fn poll(&mut self) -> Option<ExitStatus> {
        if self.status.is_none() {
            self.status = self.child.try_wait().ok().flatten();
            if self.status.is_some() {
                self.kill_group();
            }
        }
        self.status
    }

    /// Returns the last lines of standard error: all of them once the process has ended.
    pub fn errors(&self) -> Vec<String> {
        if self.status.is_some() {
            // Nothing is ever sent: this waits for the end, but not for a child outside the group that holds it open.
            let _ = self.errors_end.recv_timeout(DRAINING);
        }
        let mut kept = self.errors.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(kept.make_contiguous()).into_owned();
        text.lines().map(str::to_owned).collect()
    }

    /// A process group id is not reused while a member of the group lives, nor soon afterwards.
    fn kill_group(&self) {
        #[cfg(unix)]
        {
            use rustix::process::{Pid, Signal, kill_process_group};
            // Most groups end with their process.
            let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if self.poll().is_some() {
            return;
        }
        self.kill_group();
        let _ = self.child.kill();
        let deadline = Instant::now() + DYING;
        while self.poll().is_none() && Instant::now() < deadline {
            thread::sleep(LOOK);
        }
    }
}

/// Takes a number of bytes from those that are left. Returns false if there are not as many.
fn take(left: &mut usize, bytes: usize) -> bool {
    let is_enough = *left >= bytes;
    *left = left.saturating_sub(bytes);
    is_enough
}

/// The standard input and output of a process.
pub trait Pipe: Sized {
    /// Takes the pipe ends.
    ///
    /// # Errors
    /// If the system refuses to configure them.
    fn new(stdin: ChildStdin, stdout: ChildStdout) -> io::Result<Self>;

    /// Writes bytes, now or while waiting for output.
    fn write(&mut self, bytes: &[u8]);

    /// Returns the number of bytes not written yet.
    fn unread(&self) -> usize;

    /// Closes the input after the bytes written.
    fn close_input(&mut self);

    /// Waits for output and appends one chunk to a buffer. After the deadline, only output that is in the pipe counts.
    fn read(&mut self, buffer: &mut Vec<u8>, deadline: Instant, interrupt: &Receiver<()>) -> Result<(), NoLine>;
}

/// Passes on chunks until the end of the stream, or until the receiver declines.
pub(crate) fn pass_on(mut from: impl Read, mut take: impl FnMut(&[u8]) -> bool) {
    let mut chunk = vec![0; CHUNK];
    loop {
        match from.read(&mut chunk) {
            Ok(0) => return,
            Ok(length) => {
                if !take(chunk.get(..length).unwrap_or_default()) {
                    return;
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}
