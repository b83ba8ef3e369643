//! The protocols GTP, UGI and GoGui, as `protocol/gtp.md`, `protocol/ugi.md` and `protocol/gogui.md` specify them.
//!
//! A separate thread reads the input, so that lines are handled while a search or perft runs. Lines that must wait are
//! queued in order. The queue is bounded in bytes, and loses nothing: the reader blocks.
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
pub(crate) use input::Lines;
pub use input::{Line, MAX_LINE};

use crate::rules::Outcome;
use crate::search::SearchStatistics;
use crate::session::{Event, Progress, Session};

/// Interval between checks whether the client is still there, while work runs.
const CHECK_INTERVAL: Duration = Duration::from_millis(200);

/// The action after a line.
pub enum Next {
    /// Read the next line.
    Listen,
    /// Wait for running work: its progress comes through the channel, then its result.
    Wait(Receiver<Event>),
    /// End the process.
    Quit,
}

/// The fate of a line received while work runs.
pub enum Meanwhile {
    /// It has been handled.
    Done,
    /// It must wait for the end of the work.
    Later,
}

/// A protocol, as the serving loop drives it.
pub trait Dialect {
    /// Handles a line.
    ///
    /// # Errors
    /// If the answer can't be written.
    fn line(&mut self, line: &Line, output: &mut dyn Write) -> io::Result<Next>;

    /// Handles a line received while work runs, or postpones it. Postponed lines go to [`Self::line`] later, in order.
    ///
    /// # Errors
    /// If the answer can't be written.
    fn meanwhile(&mut self, line: &Line, output: &mut dyn Write) -> io::Result<Meanwhile>;

    /// Reports progress of the work.
    ///
    /// # Errors
    /// If it can't be written.
    fn progress(&mut self, progress: &Progress, output: &mut dyn Write) -> io::Result<()>;

    /// Answers with the result of the work; `None` if it failed.
    ///
    /// # Errors
    /// If the answer can't be written.
    fn done(&mut self, done: Option<Event>, output: &mut dyn Write) -> io::Result<()>;

    /// Handles the end of the input: work that waits for a line ends now.
    ///
    /// # Errors
    /// If an answer can't be written.
    fn end_of_input(&mut self, output: &mut dyn Write) -> io::Result<()>;
}

/// Writes an answer, and logs it.
fn say(output: &mut dyn Write, text: &str) -> io::Result<()> {
    log::debug!("> {}", text.trim_end());
    output.write_all(text.as_bytes())
}

/// Writes the number of nodes or playouts of a search.
pub(crate) fn counted(statistics: &SearchStatistics) -> String {
    let what = if statistics.counts_playouts() { "playout" } else { "node" };
    match statistics.nodes {
        1 => format!("1 {what}"),
        nodes => format!("{nodes} {what}s"),
    }
}

/// Writes the state of the game: `none`, `b+`, `w+` or `draw`, then the reason and the counts of the game.
pub(crate) fn score(session: &Session) -> String {
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

/// Serves a dialect until it quits or the input ends. Commands received before the end are answered.
///
/// # Errors
/// If an answer can't be written, because the client has closed it.
pub fn serve(dialect: impl Dialect, input: impl Read + Send + 'static, output: impl Write) -> io::Result<()> {
    serve_while(dialect, input, output, &|_| true)
}

/// Serves a dialect as [`serve`] does, and abandons running work once `wanted` returns false.
///
/// `wanted` is called every 200 ms while work runs, with true once the input has ended.
///
/// # Errors
/// If an answer can't be written or is not wanted, because the client has closed it.
pub fn serve_while(
    dialect: impl Dialect,
    input: impl Read + Send + 'static,
    output: impl Write,
    wanted: &dyn Fn(bool) -> bool,
) -> io::Result<()> {
    let mut service =
        Service { wanted, dialect, lines: Lines::read(input)?, waiting: VecDeque::new(), ended: false, output };
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
    /// Lines received while work ran, to be handled next.
    waiting: VecDeque<Line>,
    /// True once the input has ended.
    ended: bool,
    output: W,
}

impl<D: Dialect, W: Write> Service<'_, D, W> {
    /// Returns the next line; `None` at the end of the input.
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

    /// Handles input and progress until the work is done.
    fn wait(&mut self, work: &Receiver<Event>) -> io::Result<()> {
        let nothing = never();
        // A line that waited for earlier work may stop or query this work.
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
        let checks = tick(CHECK_INTERVAL);
        loop {
            let listen = if self.ended { &nothing } else { &self.lines.receiver };
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
                recv(checks) -> _ => if !(self.wanted)(self.ended) {
                    return Err(io::ErrorKind::BrokenPipe.into());
                },
            }
            self.output.flush()?;
        }
    }
}
