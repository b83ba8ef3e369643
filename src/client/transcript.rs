//! The lines exchanged with an engine, kept for reports.

use std::collections::VecDeque;
use std::time::Instant;

use crate::text::{counted, cut};

/// Lines kept from the beginning and from the end of a short transcript.
const FIRST: usize = 3;
const LAST: usize = 9;

/// Lines kept from the beginning of a long transcript, and bytes kept from its end.
const FIRST_OF_LONG: usize = 200;
const LAST_BYTES: usize = 1 << 20;

/// The first and last lines exchanged: `>` to the engine, `<` from it, `!` its standard error.
#[derive(Default)]
pub(crate) struct Transcript {
    first: Vec<String>,
    last: VecDeque<String>,
    /// Size of the last lines, in bytes.
    bytes: usize,
    /// Number of lines omitted between them.
    left_out: usize,
    /// Start time of a long transcript; `None` for a short one, whose lines are truncated.
    began: Option<Instant>,
}

impl Transcript {
    /// Creates a transcript of whole lines, each with its time in seconds.
    pub(crate) fn long() -> Self {
        Self { began: Some(Instant::now()), ..Self::default() }
    }

    pub(crate) fn add(&mut self, mark: char, text: &str) {
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

    pub(crate) fn lines(&self) -> impl Iterator<Item = String> {
        let gap = (self.left_out > 0).then(|| format!("… {} more", counted(self.left_out as u64, "line")));
        let first = self.first.iter().cloned();
        first.chain(gap).chain(self.last.iter().cloned())
    }
}
