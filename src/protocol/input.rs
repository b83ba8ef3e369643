//! Lines from a byte stream, read on a thread of their own.

use std::io::{self, BufRead, BufReader, Read};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;

use crossbeam_channel::{Receiver, unbounded};

use crate::files::BYTE_ORDER_MARK;

/// The longest line that is taken, in bytes without its end.
pub const MAX_LINE: usize = 1 << 20;

/// How much of a line that is too long is kept for the error, in bytes.
const KEPT: usize = 256;

/// How much may be read ahead, in bytes: enough for any client that writes much before it reads.
const AHEAD: usize = 16 << 20;

/// What a line costs beside its text, in bytes.
const LINE_COST: usize = 64;

/// A line of input, cleaned: tabs are spaces, other control characters are gone, and bytes that are no UTF-8
/// are replacement characters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Line {
    /// A whole line.
    Whole(String),
    /// The beginning of a line that was longer than [`MAX_LINE`].
    TooLong(String),
}

impl Line {
    fn cost(&self) -> usize {
        let (Self::Whole(text) | Self::TooLong(text)) = self;
        text.len() + LINE_COST
    }
}

/// Lines as they come. Those that are taken still count as read ahead until they are done.
pub(super) struct Lines {
    /// Closed at the end of the input; a last line needs no end.
    pub(super) receiver: Receiver<Line>,
    ahead: Arc<Ahead>,
}

/// How much is read ahead, in bytes; `None` once nobody wants more.
struct Ahead {
    bytes: Mutex<Option<usize>>,
    less: Condvar,
}

impl Ahead {
    /// Changes the number and wakes the reader.
    fn set(&self, change: impl FnOnce(&mut Option<usize>)) {
        change(&mut self.bytes.lock().unwrap_or_else(PoisonError::into_inner));
        self.less.notify_one();
    }

    /// Waits for room for so many bytes; false once nobody wants more.
    fn wait(&self, cost: usize) -> bool {
        let bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        let full = |bytes: &mut Option<usize>| {
            bytes.is_some_and(|ahead| ahead > 0 && ahead + cost > AHEAD)
        };
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
    /// Starts to read.
    pub(super) fn read(input: impl Read + Send + 'static) -> io::Result<Self> {
        let (sender, receiver) = unbounded();
        let ahead = Arc::new(Ahead {
            bytes: Mutex::new(Some(0)),
            less: Condvar::new(),
        });
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
                        log::error!("the input can't be read any more: {error}");
                        return;
                    }
                }
            }
        };
        thread::Builder::new()
            .name("input".to_owned())
            .spawn(read)?;
        Ok(Self { receiver, ahead })
    }

    /// Gives back the room of a line that is done.
    pub(super) fn done(&self, line: &Line) {
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
    // With its end, which may be of two bytes.
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
    // A byte order mark is no part of a command either.
    spaced
        .filter(|&c| !c.is_control() && c != BYTE_ORDER_MARK)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(bytes: &[u8]) -> Vec<Line> {
        let input = io::Cursor::new(bytes.to_vec());
        let lines = Lines::read(input).unwrap();
        lines.receiver.iter().collect()
    }

    #[test]
    fn lines_come_cleaned_and_in_order() {
        let whole = |text: &str| Line::Whole(text.to_owned());
        assert_eq!(
            lines(b"a\tb\r\n\n\x00c\x07\xff\nd"),
            [whole("a b"), whole(""), whole("c\u{fffd}"), whole("d"),]
        );
        assert_eq!(lines(b""), []);
    }

    #[test]
    fn only_so_much_is_read_ahead() {
        let read = Arc::new(Mutex::new(0));
        struct Endless(Arc<Mutex<usize>>);
        impl Read for Endless {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                buffer.fill(b'x');
                if let Some(last) = buffer.last_mut() {
                    *last = b'\n';
                }
                *self.0.lock().unwrap() += buffer.len();
                Ok(buffer.len())
            }
        }
        let lines = Lines::read(Endless(Arc::clone(&read))).unwrap();
        // It goes on only as lines are done.
        let mut taken = 0;
        while taken < 2 * AHEAD {
            let line = lines.receiver.recv().unwrap();
            taken += line.cost();
            assert!(*read.lock().unwrap() <= taken + AHEAD + 2 * MAX_LINE);
            lines.done(&line);
        }
    }

    #[test]
    fn a_line_of_a_megabyte_comes_whole_and_a_longer_one_is_skipped() {
        let mut bytes = vec![b'x'; MAX_LINE];
        bytes.extend(b"\r\n");
        bytes.extend_from_within(..MAX_LINE);
        bytes.push(b'\n');
        for longer in [1, 2, 3, 2 * MAX_LINE] {
            bytes.extend(vec![b'y'; MAX_LINE + longer]);
            bytes.push(b'\n');
        }
        bytes.extend(b"z\n");
        bytes.extend(vec![b'y'; MAX_LINE + 1]);
        let (whole, long) = ("x".repeat(MAX_LINE), "y".repeat(KEPT));
        let (whole, long) = (Line::Whole(whole), Line::TooLong(long));
        let mut expected = vec![whole.clone(), whole];
        expected.extend(vec![long.clone(); 4]);
        expected.extend([Line::Whole("z".to_owned()), long]);
        assert!(lines(&bytes) == expected);
    }
}
