//! Pipes that are polled, so that no thread stands between an engine and its client.

use std::io::{self, ErrorKind, Read, Write};
use std::process::{ChildStdin, ChildStdout};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, TryRecvError};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, ioctl_fionbio};

use super::{CHUNK, NoLine, Pipe};

/// Interval between checks for an interrupt.
const LOOK: Duration = Duration::from_millis(50);

/// Our ends of the pipes.
pub struct Pipes {
    stdin: Option<ChildStdin>,
    /// True if the input closes once everything is written.
    closing: bool,
    /// Bytes that did not fit into the pipe yet. The first `written` have been written.
    pending: Vec<u8>,
    written: usize,
    stdout: ChildStdout,
    chunk: Vec<u8>,
}

impl Pipes {
    /// Writes as much as fits.
    fn flush(&mut self) {
        while let (Some(stdin), Some(rest)) = (&mut self.stdin, self.pending.get(self.written..)) {
            if rest.is_empty() {
                self.pending.clear();
                self.written = 0;
                if self.closing {
                    self.stdin = None;
                }
                return;
            }
            match stdin.write(rest) {
                Ok(length) => self.written += length,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                // The process closed its input.
                Err(_) => self.stdin = None,
            }
        }
    }
}

impl Pipe for Pipes {
    fn new(stdin: ChildStdin, stdout: ChildStdout) -> io::Result<Self> {
        // Affects only our end: the process sees an ordinary pipe.
        ioctl_fionbio(&stdin, true)?;
        Ok(Self { stdin: Some(stdin), closing: false, pending: Vec::new(), written: 0, stdout, chunk: vec![0; CHUNK] })
    }

    fn write(&mut self, bytes: &[u8]) {
        if self.stdin.is_some() && !self.closing {
            self.pending.extend(bytes);
            self.flush();
        }
    }

    fn unread(&self) -> usize {
        self.pending.len() - self.written
    }

    fn close_input(&mut self) {
        self.closing = true;
        self.flush();
    }

    fn read(&mut self, buffer: &mut Vec<u8>, deadline: Instant, interrupt: &Receiver<()>) -> Result<(), NoLine> {
        loop {
            if interrupt.try_recv() != Err(TryRecvError::Empty) {
                return Err(NoLine::Interrupted);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            let wait = Timespec::try_from(LOOK.min(left)).ok();
            let stdin = self.stdin.as_ref();
            let stdin = stdin.filter(|_| self.written < self.pending.len());
            let output = PollFd::new(&self.stdout, PollFlags::IN);
            let (waited, output, input) = match stdin {
                Some(stdin) => {
                    let mut both = [output, PollFd::new(stdin, PollFlags::OUT)];
                    let waited = poll(&mut both, wait.as_ref());
                    let [output, input] = both.map(|fd| !fd.revents().is_empty());
                    (waited, output, input)
                }
                None => {
                    let mut one = [output];
                    let waited = poll(&mut one, wait.as_ref());
                    let [output] = one.map(|fd| !fd.revents().is_empty());
                    (waited, output, false)
                }
            };
            match waited {
                Err(Errno::INTR) => continue,
                Err(_) => return Err(NoLine::Ended),
                Ok(_) => {}
            }
            if input {
                self.flush();
            }
            if output {
                match self.stdout.read(&mut self.chunk) {
                    Ok(0) => return Err(NoLine::Ended),
                    Ok(length) => {
                        buffer.extend(self.chunk.get(..length).unwrap_or_default());
                        return Ok(());
                    }
                    Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                    Err(_) => return Err(NoLine::Ended),
                }
            }
            if left.is_zero() {
                return Err(NoLine::Late);
            }
        }
    }
}
