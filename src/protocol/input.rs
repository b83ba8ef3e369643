//! Lines from a byte stream, read on a thread of their own.

use std::io::{self, BufRead, BufReader, Read};
use std::thread;

use crossbeam_channel::{Receiver, bounded};

/// The longest line that is taken, in bytes without its end.
pub const MAX_LINE: usize = 1 << 20;

/// How much of a line that is too long is kept for the error, in bytes.
const KEPT: usize = 256;

/// How many lines are read ahead.
const AHEAD: usize = 64;

/// A line of input, cleaned: tabs are spaces, other control characters are gone, and bytes that are no UTF-8
/// are replacement characters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Line {
    /// A whole line.
    Whole(String),
    /// The beginning of a line that was longer than [`MAX_LINE`].
    TooLong(String),
}

/// Starts to read lines. The channel closes at the end of the input; a last line needs no end.
pub(super) fn read_lines(input: impl Read + Send + 'static) -> io::Result<Receiver<Line>> {
    let (sender, receiver) = bounded(AHEAD);
    let read = move || {
        let mut input = BufReader::new(input);
        loop {
            match next_line(&mut input) {
                Ok(Some(line)) => {
                    if sender.send(line).is_err() {
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
    Ok(receiver)
}

fn next_line(input: &mut impl BufRead) -> io::Result<Option<Line>> {
    let mut bytes = Vec::new();
    let limit = MAX_LINE as u64 + 1;
    if input.by_ref().take(limit).read_until(b'\n', &mut bytes)? == 0 {
        return Ok(None);
    }
    if bytes.len() as u64 == limit && bytes.last() != Some(&b'\n') {
        input.skip_until(b'\n')?;
        bytes.truncate(KEPT);
        return Ok(Some(Line::TooLong(clean(&bytes))));
    }
    Ok(Some(Line::Whole(clean(&bytes))))
}

fn clean(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let spaced = text.chars().map(|c| if c == '\t' { ' ' } else { c });
    // A byte order mark is no part of a command either.
    spaced
        .filter(|&c| !c.is_control() && c != '\u{feff}')
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(bytes: &[u8]) -> Vec<Line> {
        let input = io::Cursor::new(bytes.to_vec());
        read_lines(input).unwrap().iter().collect()
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
    fn a_line_of_a_megabyte_comes_whole_and_a_longer_one_is_skipped() {
        let mut bytes = vec![b'x'; MAX_LINE];
        bytes.push(b'\n');
        bytes.extend(vec![b'y'; 3 * MAX_LINE]);
        bytes.extend(b"\nz\n");
        let lines = lines(&bytes);
        assert_eq!(lines.len(), 3);
        assert_eq!(lines[0], Line::Whole("x".repeat(MAX_LINE)));
        assert_eq!(lines[1], Line::TooLong("y".repeat(KEPT)));
        assert_eq!(lines[2], Line::Whole("z".to_owned()));
    }
}
