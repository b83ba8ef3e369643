//! What was said to an engine and what came back, kept for reports.

use std::collections::VecDeque;
use std::time::Instant;

use crate::text::{counted, cut};

/// How many lines of a short transcript are kept from its beginning, and how many from its end.
const FIRST: usize = 3;
const LAST: usize = 9;

/// How many lines of a long transcript are kept from its beginning, and how many bytes from its end.
const FIRST_OF_LONG: usize = 200;
const LAST_BYTES: usize = 1 << 20;

/// The first and the last lines of what was said: `>` to the engine, `<` from it, `!` its standard error.
#[derive(Default)]
pub(crate) struct Transcript {
    first: Vec<String>,
    last: VecDeque<String>,
    /// The length of the last lines, in bytes.
    bytes: usize,
    /// How many lines are left out between them.
    left_out: usize,
    /// When a long transcript began; `None` is a short one for people, whose lines are cut, too.
    began: Option<Instant>,
}

impl Transcript {
    /// A transcript of whole lines with the time of each in seconds.
    pub(crate) fn long() -> Self {
        Self {
            began: Some(Instant::now()),
            ..Self::default()
        }
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
        let gap = (self.left_out > 0)
            .then(|| format!("… {} more", counted(self.left_out as u64, "line")));
        let first = self.first.iter().cloned();
        first.chain(gap).chain(self.last.iter().cloned())
    }
}
