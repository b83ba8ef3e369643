//! Reads lines from a byte stream on a separate thread.

use std::io::{self, BufRead, BufReader, Read};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use crossbeam_channel::{Receiver, unbounded};

use crate::files::BYTE_ORDER_MARK;
use crate::threads;

/// Maximum length of a line, in bytes without the line end.
pub const MAX_LINE: usize = 1 << 20;

/// Number of bytes of an overlong line that are kept for the error.
const KEPT: usize = 256;

/// Maximum size of the lines read ahead, in bytes: enough for clients that write much before they read.
const AHEAD: usize = 16 << 20;

/// Memory overhead of a line, in bytes.
const LINE_COST: usize = 64;

/// A line of input. Tabs became spaces, other control characters were removed, invalid UTF-8 became replacement
/// characters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Line {
    /// A whole line.
    Whole(String),
    /// The beginning of a line longer than [`MAX_LINE`].
    TooLong(String),
}

impl Line {
    fn cost(&self) -> usize {
        let (Self::Whole(text) | Self::TooLong(text)) = self;
        text.len() + LINE_COST
    }
}

/// The lines of an input. A received line counts as read ahead until [`Self::done`].
pub(crate) struct Lines {
    /// Closes at the end of the input. The last line needs no line end.
    pub(crate) receiver: Receiver<Line>,
    ahead: Arc<Ahead>,
}

/// Size of the lines read ahead, in bytes; `None` once the reader should end.
struct Ahead {
    bytes: Mutex<Option<usize>>,
    less: Condvar,
}

impl Ahead {
    /// Changes the size and wakes the reader.
    fn set(&self, change: impl FnOnce(&mut Option<usize>)) {
        change(&mut self.bytes.lock().unwrap_or_else(PoisonError::into_inner));
        self.less.notify_one();
    }

    /// Waits until `cost` bytes fit. Returns false if the reader should end.
    fn wait(&self, cost: usize) -> bool {
        let bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        let full = |bytes: &mut Option<usize>| bytes.is_some_and(|ahead| ahead > 0 && ahead + cost > AHEAD);
        let waited = self.less.wait_while(bytes, full);
        let mut bytes = waited.unwrap_or_else(PoisonError::into_inner);
        match &mut *bytes {
            Some(ahead) => {
                *ahead += cost;
                true
            }
            None => false,
        }
    }
}

impl Lines {
    /// Starts the reading thread.
    pub(crate) fn read(input: impl Read + Send + 'static) -> io::Result<Self> {
        let (sender, receiver) = unbounded();
        let ahead = Arc::new(Ahead { bytes: Mutex::new(Some(0)), less: Condvar::new() });
        let room = Arc::clone(&ahead);
        let read = move || {
            let mut input = BufReader::new(input);
            loop {
                match next_line(&mut input) {
                    Ok(Some(line)) => {
                        if !room.wait(line.cost()) || sender.send(line).is_err() {
                            return;
                        }
                    }
                    Ok(None) => return,
                    Err(error) => {
                        log::error!("can't read the input: {error}");
                        return;
                    }
                }
            }
        };
        threads::spawn("input", threads::STACK, read)?;
        Ok(Self { receiver, ahead })
    }

    /// Releases the memory budget of a handled line.
    pub(crate) fn done(&self, line: &Line) {
        self.ahead.set(|bytes| {
            if let Some(ahead) = bytes {
                *ahead = ahead.saturating_sub(line.cost());
            }
        });
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        self.ahead.set(|bytes| *bytes = None);
    }
}

fn next_line(input: &mut impl BufRead) -> io::Result<Option<Line>> {
    let mut bytes = Vec::new();
    // The line end may have two bytes.
    let limit = MAX_LINE as u64 + 2;
    if input.by_ref().take(limit).read_until(b'\n', &mut bytes)? == 0 {
        return Ok(None);
    }
    let ended = bytes.ends_with(b"\n");
    let text = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
    let text = text.strip_suffix(b"\r").unwrap_or(text);
    if text.len() > MAX_LINE {
        if !ended {
            input.skip_until(b'\n')?;
        }
        bytes.truncate(KEPT);
        return Ok(Some(Line::TooLong(clean(&bytes))));
    }
    Ok(Some(Line::Whole(clean(text))))
}

fn clean(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let spaced = text.chars().map(|c| if c == '\t' { ' ' } else { c });
    // A byte order mark is not part of a command either.
    spaced.filter(|&c| !c.is_control() && c != BYTE_ORDER_MARK).collect()
}
