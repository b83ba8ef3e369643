//! Floor 5: the wire. Lines in, answers out (`protocol/gtp.md`).
//!
//! Input is read on a thread of its own, so that a line can be acted on while a search or a count runs. Lines that can
//! wait are kept in order; none is lost, and how many may wait is bounded.
#![deny(clippy::indexing_slicing)]

pub mod gtp;
mod input;

use std::collections::VecDeque;
use std::io::{self, Read, Write};

use crossbeam_channel::{Receiver, never, select};

pub use input::{Line, MAX_LINE};

use crate::session::Done;

/// How many lines may wait while work runs; the rest stays with the sender.
const WAITING: usize = 64;

/// What to do after a line.
pub enum Next {
    /// Take the next line.
    Listen,
    /// Work is running; its result will come through the channel.
    Wait(Receiver<Done>),
    /// End.
    Quit,
}

/// One way to speak over the wire.
pub trait Dialect {
    /// Acts on a line that came while work runs; false leaves it for later.
    fn urgent(&mut self, line: &Line) -> bool;

    /// Answers a line.
    ///
    /// # Errors
    /// Where the answer can't be written.
    fn line(&mut self, line: &Line, output: &mut dyn Write) -> io::Result<Next>;

    /// Answers with what the work came to; `None` means that it broke.
    ///
    /// # Errors
    /// Where the answer can't be written.
    fn done(&mut self, done: Option<Done>, output: &mut dyn Write) -> io::Result<()>;
}

/// Speaks a dialect until it quits or the input ends; what was asked before the end is answered.
///
/// # Errors
/// Where an answer can't be written: the client is gone.
pub fn serve(
    mut dialect: impl Dialect,
    input: impl Read + Send + 'static,
    mut output: impl Write,
) -> io::Result<()> {
    let mut lines = Some(input::read_lines(input)?);
    let mut waiting = VecDeque::new();
    let mut work: Option<Receiver<Done>> = None;
    loop {
        if let Some(running) = &work {
            let room = waiting.len() < WAITING;
            let listen = lines.clone().filter(|_| room).unwrap_or_else(never);
            select! {
                recv(running) -> done => {
                    work = None;
                    dialect.done(done.ok(), &mut output)?;
                    output.flush()?;
                }
                recv(listen) -> line => match line {
                    Ok(line) if dialect.urgent(&line) => {}
                    Ok(line) => waiting.push_back(line),
                    Err(_) => lines = None,
                }
            }
            continue;
        }
        let next = || lines.as_ref().and_then(|lines| lines.recv().ok());
        let Some(line) = waiting.pop_front().or_else(next) else {
            return Ok(());
        };
        let next = dialect.line(&line, &mut output)?;
        output.flush()?;
        match next {
            Next::Listen => {}
            Next::Wait(done) => work = Some(done),
            Next::Quit => return Ok(()),
        }
    }
}
