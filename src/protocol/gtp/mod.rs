//! GTP, version 2, as `protocol/gtp.md` specifies it.

mod analysis;
pub(super) mod arguments;
mod clocks;
pub(super) mod commands;

use std::io::{self, Write};

use crossbeam_channel::Receiver;
use nom::Parser;
use nom::bytes::complete::{tag, take_till1, take_while};
use nom::character::complete::{char, digit1};
use nom::combinator::{eof, opt, rest, verify};
use nom::sequence::terminated;
use thiserror::Error;

use analysis::Shown;
pub use commands::COMMANDS;

use super::{Dialect, Line, MAX_LINE, Meanwhile, Next, counted, say};
use crate::notation::pieces::{Expected, Parsed};
use crate::rules::Color;
use crate::rules::perft::{Perft, format_count, per_second};
use crate::search::SearchStatistics;
use crate::session::{Event, Progress, SearchResult, Session};
use crate::text::quote;

/// A command: a row of the table behind dispatch, `list_commands`, `known_command` and the documentation.
pub struct Command {
    /// Name.
    pub name: &'static str,
    /// Arguments; optional ones in square brackets.
    pub arguments: &'static str,
    /// Description, in one sentence.
    pub help: &'static str,
    run: fn(&mut Gtp, &str) -> Run,
}

/// Result of a command.
pub(super) type Run = Result<Answer, GtpError>;

/// Answer to a command.
pub(super) enum Answer {
    /// The text of the answer.
    Text(String),
    /// Running work will give the answer.
    Later(Receiver<Event>, Work),
    /// An empty answer, after which the process ends.
    Quit,
}

/// Purpose of running work.
pub(super) enum Work {
    /// Find a move, and play it if a player is given.
    Move(Option<Color>),
    /// Count step sequences.
    Count,
    /// Print analysis until the next input.
    Analysis(Shown),
    /// Find and play a move of a player, and print analysis meanwhile.
    AnalyzedMove(Color, Shown),
}

/// An error answer, in the words of the GTP specification where it has them.
#[derive(Clone, PartialEq, Eq, Error, Debug)]
pub(super) enum GtpError {
    #[error("unknown command: {}: list_commands lists the commands", quote(.0))]
    UnknownCommand(String),
    #[error("syntax error: {0}")]
    Syntax(String),
    #[error("illegal move: {0}")]
    IllegalMove(String),
    #[error("unacceptable size: {0}")]
    UnacceptableSize(String),
    #[error("cannot undo: {0}")]
    CannotUndo(String),
    #[error("cannot score: {0}")]
    CannotScore(&'static str),
    #[error("{0}")]
    Other(String),
}

impl GtpError {
    /// Returns the answer to a command whose work failed.
    pub(super) fn failed() -> Self {
        Self::Other("the engine failed; the position has not changed".to_owned())
    }
}

/// The GTP dialect of a session.
pub struct Gtp {
    pub(super) session: Session,
    /// Names of all commands.
    names: Vec<&'static str>,
    asked: Option<Asked>,
    /// True if a finished analysis waits for input before its answer ends.
    open: bool,
    /// Reason why no game could be opened.
    refusal: Option<String>,
}

/// Commands that need no game.
const WITHOUT_A_GAME: &[&str] = &["protocol_version", "name", "version", "known_command", "list_commands", "quit"];

/// The command that running work will answer.
struct Asked {
    id: String,
    work: Work,
}

impl Gtp {
    /// Creates the dialect for a session.
    pub fn new(session: Session) -> Self {
        Self::extended(session, &[])
    }

    /// Creates the dialect as part of another one, which adds or replaces the commands `added`.
    pub(super) fn extended(session: Session, added: &[&'static str]) -> Self {
        let names = COMMANDS.iter().map(|command| command.name);
        let kept = names.filter(|name| !added.contains(name));
        Self { session, names: kept.chain(added.iter().copied()).collect(), asked: None, open: false, refusal: None }
    }

    /// Answers every command that needs a game with an error.
    ///
    /// A client shows the error to its user. If the process ended instead, the client could only report that.
    pub fn refusing(self, why: String) -> Self {
        Self { refusal: Some(why), ..self }
    }

    /// Returns the session.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Returns the names of all commands.
    fn names(&self) -> &[&'static str] {
        &self.names
    }

    /// Returns the error for a command that needs a game, if no game could be opened.
    pub(super) fn refusal(&self, name: &str) -> Option<GtpError> {
        let why = self.refusal.as_ref()?;
        let needs_one = self.names.contains(&name) && !WITHOUT_A_GAME.contains(&name);
        needs_one.then(|| GtpError::Other(why.clone()))
    }

    /// Splits a line into a request. Returns `None` for a line without a command, and for an overlong one, which is
    /// answered here.
    pub(super) fn read<'a>(&mut self, line: &'a Line, output: &mut dyn Write) -> io::Result<Option<Request<'a>>> {
        self.close(output)?;
        match line {
            Line::Whole(text) => {
                log::debug!("< {text}");
                Ok(split(text))
            }
            Line::TooLong(beginning) => {
                log::debug!("< {beginning}…");
                let id = split(beginning).map_or("", |request| request.id);
                let message = format!("line too long: expected at most {MAX_LINE} bytes, found {}", quote(beginning));
                answer(output, id, &Err(GtpError::Syntax(message)))?;
                Ok(None)
            }
        }
    }

    /// Runs a command.
    fn run(&mut self, request: &Request<'_>) -> Run {
        let Request { id, name, arguments } = *request;
        if let Some(refusal) = self.refusal(name) {
            return Err(refusal);
        }
        match COMMANDS.iter().find(|command| command.name == name) {
            None if name.is_empty() => {
                let message = format!("expected a command after the id {}", quote(id));
                Err(GtpError::Syntax(message))
            }
            None => Err(GtpError::UnknownCommand(name.to_owned())),
            Some(command) => (command.run)(self, arguments),
        }
    }

    /// Runs a command and writes its answer.
    pub(super) fn dispatch(&mut self, request: &Request<'_>, output: &mut dyn Write) -> io::Result<Next> {
        let id = request.id;
        match self.run(request) {
            Ok(Answer::Text(text)) => answer(output, id, &Ok(text))?,
            Ok(Answer::Quit) => {
                answer(output, id, &Ok(String::new()))?;
                return Ok(Next::Quit);
            }
            Ok(Answer::Later(events, work)) => {
                if matches!(work, Work::Analysis(_) | Work::AnalyzedMove(..)) {
                    say(output, &format!("={id}\n"))?;
                }
                let id = id.to_owned();
                self.asked = Some(Asked { id, work });
                return Ok(Next::Wait(events));
            }
            Err(error) => answer(output, id, &Err(error))?,
        }
        Ok(Next::Listen)
    }
}

/// A command as received.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Request<'a> {
    /// Digits, or empty.
    pub(super) id: &'a str,
    pub(super) name: &'a str,
    pub(super) arguments: &'a str,
}

/// Splits a line into id, command and arguments. Returns `None` if it has neither id nor command. `#` starts a comment.
fn split(line: &str) -> Option<Request<'_>> {
    fn spaces(input: &str) -> Parsed<'_, &str> {
        take_while(|c| c == ' ').parse(input)
    }
    fn id(input: &str) -> Parsed<'_, &str> {
        let end = verify(nom::combinator::peek(rest), |rest: &str| rest.is_empty() || rest.starts_with(' '));
        terminated(digit1, end).parse(input)
    }
    let line = line.split_once('#').map_or(line, |(before, _)| before);
    let word = take_till1::<_, _, Expected<'_>>(|c| c == ' ');
    let parts = (spaces, opt(id), spaces, opt(word), rest).parse(line).ok()?;
    let (_, (_, id, _, word, arguments)) = parts;
    if id.is_none() && word.is_none() {
        return None;
    }
    Some(Request { id: id.unwrap_or(""), name: word.unwrap_or(""), arguments: arguments.trim() })
}

/// Writes an answer: `=` or `?`, the id, the text, an empty line.
pub(super) fn answer(output: &mut dyn Write, id: &str, result: &Result<String, GtpError>) -> io::Result<()> {
    let (mark, text) = match result {
        Ok(text) => ('=', text.as_str()),
        Err(error) => ('?', &*error.to_string()),
    };
    // An empty text, or one that starts on the next line, needs no space before it.
    let space = if text.is_empty() || text.starts_with('\n') { "" } else { " " };
    say(output, &format!("{mark}{id}{space}{text}\n\n"))
}

/// Returns true for `# interrupt`, the comment that stops a search.
fn is_interrupt(line: &Line) -> bool {
    let Line::Whole(text) = line else {
        return false;
    };
    let comment = (char::<&str, Expected<'_>>('#'), take_while(|c| c == ' '));
    let interrupt = (comment, tag("interrupt"), eof).parse(text.trim());
    interrupt.is_ok()
}

impl Dialect for Gtp {
    fn line(&mut self, line: &Line, output: &mut dyn Write) -> io::Result<Next> {
        match self.read(line, output)? {
            Some(request) => self.dispatch(&request, output),
            None => Ok(Next::Listen),
        }
    }

    fn meanwhile(&mut self, line: &Line, _output: &mut dyn Write) -> io::Result<Meanwhile> {
        let analyses = matches!(&self.asked, Some(asked) if matches!(asked.work, Work::Analysis(_)));
        let interrupt = is_interrupt(line);
        if analyses || interrupt {
            self.session.stop();
        }
        // An analysis ends its answer when the next line comes, and this is one.
        if interrupt && !analyses {
            log::debug!("< # interrupt");
            return Ok(Meanwhile::Done);
        }
        Ok(Meanwhile::Later)
    }

    fn progress(&mut self, progress: &Progress, output: &mut dyn Write) -> io::Result<()> {
        match self.asked.as_ref().map(|asked| &asked.work) {
            Some(Work::Analysis(shown) | Work::AnalyzedMove(_, shown)) => analysis::show(progress, *shown, output),
            _ => Ok(()),
        }
    }

    fn done(&mut self, done: Option<Event>, output: &mut dyn Write) -> io::Result<()> {
        let Some(Asked { id, work }) = self.asked.take() else {
            return Ok(());
        };
        let result = match (done, work) {
            (Some(Event::SearchDone(found)), Work::Analysis(shown)) => {
                self.open = true;
                return analysis::show(&found.progress, shown, output);
            }
            (Some(Event::SearchDone(found)), Work::AnalyzedMove(player, shown)) => {
                analysis::show(&found.progress, shown, output)?;
                // Its answer has begun.
                return match self.found(&found, Some(player)) {
                    Ok(text) => say(output, &format!("play {text}\n\n")),
                    Err(error) => say(output, &format!("{error}\n\n")),
                };
            }
            (Some(Event::SearchDone(found)), Work::Move(player)) => self.found(&found, player),
            (Some(Event::PerftDone { count, time }), _) => match count {
                Some(count) => {
                    let (speed, kind) = (per_second(count, time), Perft::default().kind());
                    Ok(format!("{}\nnodes/s {speed} ({kind})", format_count(count)))
                }
                None => Err(GtpError::Other("perft was interrupted".to_owned())),
            },
            (_, Work::AnalyzedMove(..)) => return say(output, &format!("{}\n\n", GtpError::failed())),
            (_, Work::Analysis(_)) => {
                log::error!("the analysis failed");
                self.open = true;
                return Ok(());
            }
            _ => Err(GtpError::failed()),
        };
        answer(output, &id, &result)
    }

    fn end_of_input(&mut self, output: &mut dyn Write) -> io::Result<()> {
        if matches!(&self.asked, Some(asked) if matches!(asked.work, Work::Analysis(_))) {
            self.session.stop();
        }
        // No line will come to end the answer of a stopped analysis.
        self.close(output)
    }
}

impl Gtp {
    /// Ends the answer of a finished analysis.
    fn close(&mut self, output: &mut dyn Write) -> io::Result<()> {
        if std::mem::take(&mut self.open) { say(output, "\n") } else { Ok(()) }
    }

    /// Plays the move that a search found, if a player is given.
    fn found(&mut self, found: &SearchResult, player: Option<Color>) -> Result<String, GtpError> {
        let text = found.text();
        let SearchStatistics { time, tree_nodes, .. } = found.progress.statistics;
        let counted = counted(&found.progress.statistics);
        log::info!("{text}: {counted} in {time:?}, {tree_nodes} nodes in the tree");
        if let Some(color) = player {
            let played = self.session.play(color, &text, false);
            played.map_err(|error| GtpError::Other(error.to_string()))?;
            self.session.spend(color, time);
        }
        Ok(text)
    }
}
