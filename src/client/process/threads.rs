//! Pipes with a thread each, for systems that can't poll them.

use std::io::{self, Write};
use std::process::{ChildStdin, ChildStdout};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use crossbeam_channel::{Receiver, Sender, bounded, select, unbounded};

use super::{NoLine, Pipe, pass_on};
use crate::threads::{STACK, spawn};

/// Maximum number of chunks read ahead.
const AHEAD: usize = 16;

/// Our ends of the pipes.
pub struct Pipes {
    /// Channel to the writing thread; `None` once the input is closed.
    input: Option<Sender<Vec<u8>>>,
    unread: Arc<AtomicUsize>,
    output: Receiver<Vec<u8>>,
}

impl Pipe for Pipes {
    fn new(mut stdin: ChildStdin, stdout: ChildStdout) -> io::Result<Self> {
        let (input, to_write) = unbounded::<Vec<u8>>();
        let (sender, output) = bounded(AHEAD);
        let unread = Arc::new(AtomicUsize::new(0));
        let left = Arc::clone(&unread);
        spawn("engine input", STACK, move || {
            for bytes in to_write {
                let written = stdin.write_all(&bytes).and_then(|()| stdin.flush());
                if written.is_err() {
                    return;
                }
                left.fetch_sub(bytes.len(), Ordering::Relaxed);
            }
        })?;
        spawn("engine output", STACK, move || {
            pass_on(stdout, |bytes| sender.send(bytes.to_vec()).is_ok());
        })?;
        Ok(Self { input: Some(input), unread, output })
    }

    fn write(&mut self, bytes: &[u8]) {
        if let Some(input) = &self.input {
            self.unread.fetch_add(bytes.len(), Ordering::Relaxed);
            // The writer has ended if the process closed its input.
            let _ = input.send(bytes.to_vec());
        }
    }

    fn unread(&self) -> usize {
        self.unread.load(Ordering::Relaxed)
    }

    fn close_input(&mut self) {
        self.input = None;
    }

    fn read(&mut self, buffer: &mut Vec<u8>, deadline: Instant, interrupt: &Receiver<()>) -> Result<(), NoLine> {
        select! {
            recv(self.output) -> chunk => match chunk {
                Ok(chunk) => {
                    buffer.extend(chunk);
                    Ok(())
                }
                Err(_) => Err(NoLine::Ended),
            },
            recv(interrupt) -> _ => Err(NoLine::Interrupted),
            default(deadline.saturating_duration_since(Instant::now())) => Err(NoLine::Late),
        }
    }
}
