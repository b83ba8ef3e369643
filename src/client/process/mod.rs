//! A process that speaks lines, with a deadline on everything.
//!
//! Its standard error is drained on a thread of its own, and its input and output are never waited for longer than
//! whoever holds it says: not for an engine that hangs, nor for one that never reads, nor for one that writes without
//! end. What is read ahead is bounded; the rest stays with the engine. The process is killed, with its whole group
//! where there are groups, when it is dropped.

pub mod threads;
#[cfg(unix)]
pub mod unix;

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io::{self, Read};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, TryRecvError, bounded};

#[cfg(not(unix))]
use threads::Pipes;
#[cfg(unix)]
use unix::Pipes;

/// The longest line that is given whole, in bytes; of a longer one the rest is lost.
pub const MAX_LINE: usize = 64 << 10;

/// How much is read at once, in bytes.
const CHUNK: usize = 16 << 10;

/// How much of the end of standard error is kept, in bytes.
const ERRORS: usize = 4 << 10;

/// The most lines that [`Process::end`] gives.
const LAST_LINES: usize = 100;

/// How long a killed process may take to be gone.
const DYING: Duration = Duration::from_secs(2);

/// How long the rest of the output of a process that has ended may take.
const DRAINING: Duration = Duration::from_millis(200);

/// Between two looks at whether a process has ended.
const LOOK: Duration = Duration::from_millis(2);

/// The same while a line is waited for: what a process has started may hold its output open when it is gone.
const WATCH: Duration = Duration::from_millis(50);

/// How long output may take that a process that is gone has left in the pipe, and how much of it there may be, in bytes: as
/// much as pipes hold.
const LEFT_BEHIND: Duration = Duration::from_millis(10);
const MOST_LEFT_BEHIND: usize = 1 << 20;

/// Why there is no line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoLine {
    /// The deadline is past.
    Late,
    /// The output has ended.
    Ended,
    /// Whoever runs this wants it to stop.
    Interrupted,
}

/// A running process.
pub struct Process {
    child: Child,
    pipes: Pipes,
    /// Output that has been read; the first `taken` bytes have been given as lines.
    buffer: Vec<u8>,
    taken: usize,
    /// Whether the line that now arrives has already been given, because it is too long.
    skipping: bool,
    errors: Arc<Mutex<VecDeque<u8>>>,
    /// Closes when standard error has ended.
    errors_end: Receiver<()>,
    interrupt: Receiver<()>,
    status: Option<ExitStatus>,
    /// When to look again whether it has ended.
    look: Instant,
    /// How much may still be read of what it has left behind, in bytes, where it has ended.
    left_behind: usize,
}

impl Process {
    /// Starts a command. Once the other side of `interrupt` is dropped, waiting ends early.
    ///
    /// # Errors
    /// Where there is no such command, or it can't be run.
    pub fn start(
        program: &OsString,
        arguments: &[OsString],
        interrupt: Receiver<()>,
    ) -> io::Result<Self> {
        let mut command = Command::new(program);
        command
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn()?;

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
        // From here on a thread that can't be started leaves nothing behind: the process is dropped.
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
            left_behind: MOST_LEFT_BEHIND,
        };
        let errors = Arc::clone(&process.errors);
        on_a_thread("engine errors", move || {
            let _open: Sender<()> = errors_open;
            let Some(stderr) = stderr else { return };
            read(stderr, |bytes| {
                let mut kept = errors.lock().unwrap_or_else(PoisonError::into_inner);
                kept.extend(bytes);
                let surplus = kept.len().saturating_sub(ERRORS);
                kept.drain(..surplus);
                true
            });
        })?;
        Ok(process)
    }

    /// Writes bytes, now or while output is waited for; nothing happens once the input is closed.
    pub fn write(&mut self, bytes: &[u8]) {
        self.pipes.write(bytes);
    }

    /// The number by which the system knows it.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// How many bytes of input wait because the process does not read them.
    pub fn unread(&self) -> usize {
        self.pipes.unread()
    }

    /// Ends the input, behind what has been written.
    pub fn close_input(&mut self) {
        self.pipes.close_input();
    }

    /// Waits for more output. The process itself is watched, too: once it has ended, only what it has left behind is output.
    fn more(&mut self, deadline: Instant) -> Result<(), NoLine> {
        while self.status.is_none() {
            if Instant::now() >= self.look {
                self.look = Instant::now() + WATCH;
                if self.poll().is_some() {
                    break;
                }
            }
            let until = deadline.min(self.look);
            match self.pipes.read(&mut self.buffer, until, &self.interrupt) {
                Err(NoLine::Late) if Instant::now() < deadline => {}
                read => return read,
            }
        }
        let before = self.buffer.len();
        let soon = Instant::now() + LEFT_BEHIND;
        match self.pipes.read(&mut self.buffer, soon, &self.interrupt) {
            Err(NoLine::Late) => Err(NoLine::Ended),
            Ok(()) => {
                let read = self.buffer.len().saturating_sub(before);
                let left = self.left_behind.checked_sub(read);
                self.left_behind = left.unwrap_or_default();
                left.map(|_| ()).ok_or(NoLine::Ended)
            }
            none => none,
        }
    }

    /// The next line of output, without its end; a last line needs none. Bytes that are no UTF-8 become
    /// replacement characters.
    ///
    /// # Errors
    /// Where there is none before the deadline, however much else arrives.
    pub fn line(&mut self, deadline: Instant) -> Result<String, NoLine> {
        loop {
            if Instant::now() >= deadline {
                return Err(NoLine::Late);
            }
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

    /// The beginning of a line whose end has not come.
    pub fn unfinished(&self) -> String {
        let rest = self.buffer.get(self.taken..).unwrap_or_default();
        match self.skipping {
            true => String::new(),
            false => String::from_utf8_lossy(rest).into_owned(),
        }
    }

    /// Waits until the process has ended by itself, and gives the lines that it still wrote, up to a bound;
    /// no status where it has not ended before the deadline.
    pub fn end(&mut self, mut deadline: Instant) -> (Vec<String>, Option<ExitStatus>) {
        let mut lines = Vec::new();
        let mut open = true;
        let mut seen = false;
        while Instant::now() < deadline {
            let look = deadline.min(Instant::now() + LOOK);
            let line = match open {
                true => self.line(look),
                false => match self.interrupt.recv_timeout(LOOK) {
                    Err(RecvTimeoutError::Timeout) => Err(NoLine::Late),
                    _ => Err(NoLine::Interrupted),
                },
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
                    // What it wrote last is still in the pipe.
                    deadline = deadline.min(Instant::now() + DRAINING);
                    seen = true;
                }
            }
        }
        (lines, self.status)
    }

    /// Whether whoever runs this wants it to stop.
    pub fn is_interrupted(&self) -> bool {
        !matches!(self.interrupt.try_recv(), Err(TryRecvError::Empty))
    }

    /// The status, where the process has ended; what it started and left behind in its group is then killed.
    pub fn poll(&mut self) -> Option<ExitStatus> {
        if self.status.is_none() {
            self.status = self.child.try_wait().ok().flatten();
            if self.status.is_some() {
                self.kill_group();
            }
        }
        self.status
    }

    /// The last lines of standard error; all of them where the process has ended.
    pub fn errors(&self) -> Vec<String> {
        if self.status.is_some() {
            // Nothing is sent: this waits for the end, but not for a process outside the group that holds it open.
            let _ = self.errors_end.recv_timeout(DRAINING);
        }
        let mut kept = self.errors.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(kept.make_contiguous()).into_owned();
        text.lines().map(str::to_owned).collect()
    }

    /// A group's number is not given to another while one of the group lives, and not soon afterwards.
    fn kill_group(&self) {
        #[cfg(unix)]
        {
            use rustix::process::{Pid, Signal, kill_process_group};
            // Most groups are gone with the process.
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

/// The input and the output of a process.
pub trait Pipe: Sized {
    /// Takes the ends of the pipes.
    ///
    /// # Errors
    /// Where the system does not let them be used this way.
    fn new(stdin: ChildStdin, stdout: ChildStdout) -> io::Result<Self>;

    /// Writes bytes, now or while output is waited for.
    fn write(&mut self, bytes: &[u8]);

    /// How many bytes have not been written yet.
    fn unread(&self) -> usize;

    /// Ends the input, behind what has been written.
    fn close_input(&mut self);

    /// Waits for output and adds it to a buffer, a chunk at a time.
    fn read(
        &mut self,
        buffer: &mut Vec<u8>,
        deadline: Instant,
        interrupt: &Receiver<()>,
    ) -> Result<(), NoLine>;
}

fn on_a_thread(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    thread::Builder::new().name(name.to_owned()).spawn(work)?;
    Ok(())
}

/// Hands on what can be read until there is nothing more or nobody wants it.
fn read(mut from: impl Read, mut take: impl FnMut(&[u8]) -> bool) {
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
