//! Floor 5: the wire. Lines in, answers out (`protocol/gtp.md`, `protocol/ugi.md`, `protocol/gogui.md`).
//!
//! Input is read on a thread of its own, so that a line can be acted on while a search or a count runs. Lines that can
//! wait are kept in order; none is lost, and how much may wait is bounded.
#![deny(clippy::indexing_slicing)]

mod detect;
pub mod gogui;
pub mod gtp;
mod input;
pub mod ugi;

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::time::Duration;

use crossbeam_channel::{Receiver, never, select, tick};

pub use detect::Detect;
pub use input::{Line, MAX_LINE};

use crate::rules::Outcome;
use crate::search::SearchStatistics;
use crate::session::{Event, Progress, Session};
use input::Lines;

/// Between two looks, while work runs, at whether anybody waits for it.
const LOOK: Duration = Duration::from_millis(200);

/// What to do after a line.
pub enum Next {
    /// Take the next line.
    Listen,
    /// Work is running; what it says will come through the channel, the result last.
    Wait(Receiver<Event>),
    /// End.
    Quit,
}

/// What became of a line that came while work runs.
pub enum Meanwhile {
    /// It has been acted on.
    Done,
    /// It waits for the end of the work.
    Later,
}

/// One way to speak over the wire.
pub trait Dialect {
    /// Answers a line.
    ///
    /// # Errors
    /// Where the answer can't be written.
    fn line(&mut self, line: &Line, output: &mut dyn Write) -> io::Result<Next>;

    /// Looks at a line that came while work runs. What waits is given to `line` in order once the work is done.
    ///
    /// # Errors
    /// Where the answer can't be written.
    fn meanwhile(&mut self, line: &Line, output: &mut dyn Write) -> io::Result<Meanwhile>;

    /// Shows how far the work is.
    ///
    /// # Errors
    /// Where it can't be written.
    fn progress(&mut self, progress: &Progress, output: &mut dyn Write) -> io::Result<()>;

    /// Answers with what the work came to; `None` means that it broke.
    ///
    /// # Errors
    /// Where the answer can't be written.
    fn done(&mut self, done: Option<Event>, output: &mut dyn Write) -> io::Result<()>;

    /// No line will come any more: work that waits for one ends now.
    ///
    /// # Errors
    /// Where an answer can't be written.
    fn end_of_input(&mut self, output: &mut dyn Write) -> io::Result<()>;
}

/// Writes an answer, and to the log.
fn say(output: &mut dyn Write, text: &str) -> io::Result<()> {
    log::debug!("> {}", text.trim_end());
    output.write_all(text.as_bytes())
}

/// Whether a search makes playouts: only then does it have a tree.
fn counts_playouts(effort: &SearchStatistics) -> bool {
    effort.tree_nodes > 0
}

/// How many nodes a search has looked at, or playouts it has made.
fn counted(effort: &SearchStatistics) -> String {
    let what = if counts_playouts(effort) {
        "playout"
    } else {
        "node"
    };
    match effort.nodes {
        1 => format!("1 {what}"),
        nodes => format!("{nodes} {what}s"),
    }
}

/// The result of the game as it stands: `none`, `b+`, `w+` or `draw`, its reason, and the numbers that it counts.
fn score(session: &Session) -> String {
    let mut words = Vec::new();
    match session.outcome() {
        None => words.push("none".to_owned()),
        Some(Outcome { winner, reason }) => {
            words.push(winner.map_or("draw".to_owned(), |color| format!("{}+", color.letter())));
            words.push(format!("reason={reason}"));
        }
    }
    let counts = session.counts().into_iter();
    words.extend(counts.map(|(name, number)| format!("{name}={number}")));
    words.join(" ")
}

/// Speaks a dialect until it quits or the input ends; what was asked before the end is answered.
///
/// # Errors
/// Where an answer can't be written: the client is gone.
pub fn serve(
    dialect: impl Dialect,
    input: impl Read + Send + 'static,
    output: impl Write,
) -> io::Result<()> {
    serve_while(dialect, input, output, &|_| true)
}

/// The same, but gives up running work once `wanted` says that nobody waits for it. That is asked from time to time, with
/// whether the input has been read to its end.
///
/// # Errors
/// Where an answer can't be written, or nobody waits for it: the client is gone.
pub fn serve_while(
    dialect: impl Dialect,
    input: impl Read + Send + 'static,
    output: impl Write,
    wanted: &dyn Fn(bool) -> bool,
) -> io::Result<()> {
    let mut service = Service {
        wanted,
        dialect,
        lines: Lines::read(input)?,
        waiting: VecDeque::new(),
        ended: false,
        output,
    };
    while let Some(line) = service.next_line()? {
        let next = service.dialect.line(&line, &mut service.output)?;
        service.output.flush()?;
        service.lines.done(&line);
        match next {
            Next::Listen => {}
            Next::Wait(work) => service.wait(&work)?,
            Next::Quit => break,
        }
    }
    Ok(())
}

struct Service<'a, D, W> {
    wanted: &'a dyn Fn(bool) -> bool,
    dialect: D,
    lines: Lines,
    /// Lines that came while work ran.
    waiting: VecDeque<Line>,
    /// Whether the input has ended.
    ended: bool,
    output: W,
}

impl<D: Dialect, W: Write> Service<'_, D, W> {
    /// The next line to answer; `None` once there is no more.
    fn next_line(&mut self) -> io::Result<Option<Line>> {
        if let Some(line) = self.waiting.pop_front() {
            return Ok(Some(line));
        }
        let line = self.lines.receiver.recv().ok();
        if line.is_none() {
            self.dialect.end_of_input(&mut self.output)?;
            self.output.flush()?;
        }
        Ok(line)
    }

    /// Listens to the input and to the work until the work is done.
    fn wait(&mut self, work: &Receiver<Event>) -> io::Result<()> {
        let nothing = never();
        // Lines that waited for other work may be about this one.
        while let Some(line) = self.waiting.pop_front() {
            match self.dialect.meanwhile(&line, &mut self.output)? {
                Meanwhile::Done => self.lines.done(&line),
                Meanwhile::Later => {
                    self.waiting.push_front(line);
                    break;
                }
            }
        }
        if self.ended && self.waiting.is_empty() {
            self.dialect.end_of_input(&mut self.output)?;
        }
        self.output.flush()?;
        let looks = tick(LOOK);
        loop {
            let listen = if self.ended {
                &nothing
            } else {
                &self.lines.receiver
            };
            select! {
                recv(work) -> event => match event {
                    Ok(Event::Progress(progress)) => self.dialect.progress(&progress, &mut self.output)?,
                    done => {
                        self.dialect.done(done.ok(), &mut self.output)?;
                        return self.output.flush();
                    }
                },
                recv(listen) -> line => match line {
                    Ok(line) => match self.dialect.meanwhile(&line, &mut self.output)? {
                        Meanwhile::Done => self.lines.done(&line),
                        Meanwhile::Later => self.waiting.push_back(line),
                    },
                    Err(_) => {
                        self.ended = true;
                        if self.waiting.is_empty() {
                            self.dialect.end_of_input(&mut self.output)?;
                        }
                    }
                },
                recv(looks) -> _ => if !(self.wanted)(self.ended) {
                    return Err(io::ErrorKind::BrokenPipe.into());
                },
            }
            self.output.flush()?;
        }
    }
}
