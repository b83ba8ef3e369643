//! A server that reads queries, searches several positions at once, and answers each by its id.
//!
//! Exactly one answer of each position is the last: the result of its search, an error, or that it was cancelled.

use std::io::{self, Read, Write};
use std::sync::Arc;
use std::time::Duration;

use crossbeam_channel::{Receiver, Select, never};
use serde::Serialize;
use serde_json::{Value, json};

use super::Analysis;
use super::query::{Action, Query, QueryError, Request, read_request};
use crate::protocol::{Line, Lines};
use crate::rules::Variant;
use crate::search::{Clock, ReportSchedule};
use crate::session::{DEFAULT_TIME, Event, Go, HistoryError, Progress, Session, TimeLimit};

/// Number of waiting positions from which on no more queries are read.
const MAX_WAITING: usize = 20_000;

/// Defaults for what queries leave out.
pub struct Defaults {
    /// Variant; `None` if each query has to name its own.
    pub variant: Option<Variant>,
    /// Limit in nodes.
    pub nodes: Option<u64>,
    /// Limit in time.
    pub time: Option<Duration>,
    /// Maximum number of lines.
    pub lines: u16,
    /// Number of positions searched at once.
    pub jobs: usize,
    /// Options of each search, by name.
    pub options: Vec<(&'static str, String)>,
    /// False to leave out times, and to refuse searches that they limit.
    pub timed: bool,
    /// Version that is named.
    pub version: String,
}

/// The end of the work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ServerEnd {
    /// The input has ended, and all is answered.
    Complete,
    /// Interrupted.
    Interrupted,
}

/// A position to search.
struct Task {
    id: Value,
    after: usize,
    priority: i64,
    variant: Variant,
    position: String,
    go: Go,
}

/// A search that runs.
struct Running {
    task: Task,
    session: Session,
    events: Receiver<Event>,
    is_cancelled: bool,
}

/// An answer about a position.
#[derive(Serialize)]
struct Answer<'a> {
    id: &'a Value,
    after: usize,
    during_search: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    cancelled: bool,
    #[serde(flatten)]
    analysis: Option<Analysis>,
}

/// Answers the queries of an input until it ends, and finishes what it has begun. Closing `interrupt` stops at once.
///
/// # Errors
/// If the output can't be written, or no thread can be started.
pub fn serve(
    defaults: Defaults,
    clock: Arc<dyn Clock>,
    input: impl Read + Send + 'static,
    output: &mut dyn Write,
    interrupt: &Receiver<()>,
) -> io::Result<ServerEnd> {
    let lines = Lines::read(input)?;
    let mut server = Server { defaults, clock, output, waiting: Vec::new(), running: Vec::new(), idle: Vec::new() };
    let mut is_open = true;
    loop {
        server.start()?;
        if !is_open && server.running.is_empty() {
            return Ok(ServerEnd::Complete);
        }
        let is_reading = is_open && server.waiting.len() < MAX_WAITING;
        let nothing = never();
        let mut select = Select::new();
        let of_interrupt = select.recv(interrupt);
        let of_lines = select.recv(if is_reading { &lines.receiver } else { &nothing });
        for running in &server.running {
            select.recv(&running.events);
        }
        let ready = select.ready();
        if ready == of_interrupt {
            return Ok(ServerEnd::Interrupted);
        }
        if ready == of_lines {
            match lines.receiver.try_recv() {
                Ok(line) => {
                    server.read(&line)?;
                    lines.done(&line);
                }
                Err(error) => is_open = !error.is_disconnected(),
            }
            continue;
        }
        // The searches follow the two channels.
        server.receive(ready.saturating_sub(2))?;
    }
}

struct Server<'a> {
    defaults: Defaults,
    clock: Arc<dyn Clock>,
    output: &'a mut dyn Write,
    /// In the order of the queries.
    waiting: Vec<Task>,
    running: Vec<Running>,
    /// Sessions without a search.
    idle: Vec<Session>,
}

impl Server<'_> {
    /// Writes a line, and hands it on at once.
    fn write(&mut self, value: &impl Serialize) -> io::Result<()> {
        serde_json::to_writer(&mut *self.output, value)?;
        self.output.write_all(b"\n")?;
        self.output.flush()
    }

    fn refuse(&mut self, error: QueryError) -> io::Result<()> {
        let QueryError { id, field, error } = error;
        let mut object = json!({ "error": error });
        for (name, value) in [("id", id), ("field", field.map(Value::from))] {
            if let (Some(object), Some(value)) = (object.as_object_mut(), value) {
                object.insert(name.to_owned(), value);
            }
        }
        self.write(&object)
    }

    /// Answers a position for the last time, without a result.
    fn cancel(&mut self, task: &Task) -> io::Result<()> {
        let Task { id, after, .. } = task;
        self.write(&Answer { id, after: *after, during_search: false, cancelled: true, analysis: None })
    }

    /// Reads a line.
    fn read(&mut self, line: &Line) -> io::Result<()> {
        let request = match line {
            Line::Whole(line) if line.trim().is_empty() => return Ok(()),
            Line::Whole(line) => read_request(line),
            Line::TooLong(_) => {
                let error = "the line is longer than 1 MiB: expected a shorter query".to_owned();
                Err(QueryError { id: None, field: None, error })
            }
        };
        match request {
            Err(error) => self.refuse(error),
            Ok(Request::Act { id, mut fields, action }) => {
                match action {
                    Action::QueryVersion => {
                        fields.insert("version".to_owned(), self.defaults.version.clone().into());
                    }
                    Action::Terminate(query, after) => {
                        let is_wanted =
                            |task: &Task| task.id == query && (after.is_empty() || after.contains(&task.after));
                        let cancelled = self.terminate(&is_wanted)?;
                        fields.insert("cancelled".to_owned(), cancelled.into());
                    }
                    Action::TerminateAll => {
                        let cancelled = self.terminate(&|_| true)?;
                        fields.insert("cancelled".to_owned(), cancelled.into());
                    }
                }
                fields.insert("id".to_owned(), id);
                self.write(&fields)
            }
            Ok(Request::Analyze(query)) => match self.tasks(*query) {
                Ok(tasks) => {
                    self.waiting.extend(tasks);
                    Ok(())
                }
                Err(error) => self.refuse(error),
            },
        }
    }

    /// Cancels positions, and returns their number. Those that are searched answer when their search has stopped.
    fn terminate(&mut self, is_wanted: &dyn Fn(&Task) -> bool) -> io::Result<usize> {
        let mut cancelled = 0;
        for running in self.running.iter_mut().filter(|running| is_wanted(&running.task)) {
            cancelled += usize::from(!running.is_cancelled);
            running.is_cancelled = true;
            running.session.stop();
        }
        let (ended, kept): (Vec<Task>, Vec<Task>) =
            std::mem::take(&mut self.waiting).into_iter().partition(|task| is_wanted(task));
        self.waiting = kept;
        for task in &ended {
            self.cancel(task)?;
        }
        Ok(cancelled + ended.len())
    }

    /// Returns the positions of a query.
    fn tasks(&mut self, query: Query) -> Result<Vec<Task>, QueryError> {
        let Query { id, variant, position, moves, positions, nodes, time, depth, .. } = query;
        let wrong =
            |field: &str, error: String| Err(QueryError { id: Some(id.clone()), field: Some(field.to_owned()), error });
        let mut open = self.waiting.iter().chain(self.running.iter().map(|running| &running.task));
        if open.any(|task| task.id == id) {
            return wrong("id", format!("{id} is the id of a query that is not yet answered: expected another one"));
        }
        let Some(variant) = variant.or_else(|| self.defaults.variant.clone()) else {
            return wrong("variant", "missing: expected a variant here or on the command line".to_owned());
        };
        let has_limit = nodes.is_some() || time.is_some() || depth.is_some();
        let (nodes, time) = match (self.defaults.nodes, self.defaults.time) {
            _ if has_limit => (nodes, time),
            (None, None) => (None, Some(DEFAULT_TIME)),
            default => default,
        };
        if !self.defaults.timed && time.is_some() {
            return wrong("nodes", "--reproducible needs a limit in nodes or depth, and none in time".to_owned());
        }
        let Some(mut session) = Session::new(&variant, Arc::clone(&self.clock)) else {
            return wrong("variant", format!("{variant} can't be opened"));
        };
        let words: Vec<&str> = moves.iter().map(String::as_str).collect();
        if let Err(error) = session.set_history(position.as_deref(), &words) {
            let field = if matches!(error, HistoryError::Position(_)) { "position" } else { "moves" };
            return wrong(field, error.to_string());
        }
        let mut left = positions.clone();
        left.sort_unstable();
        let mut texts = Vec::new();
        // From the last position back.
        for number in (0..=moves.len()).rev() {
            if left.pop_if(|(after, _)| *after == number).is_some() {
                texts.push((number, session.position()));
            }
            if left.is_empty() || !session.undo() {
                break;
            }
        }
        let task = |(after, priority): (usize, i64)| {
            let (_, position) = texts.iter().find(|(number, _)| *number == after)?;
            Some(Task {
                id: id.clone(),
                after,
                priority,
                variant: variant.clone(),
                position: position.clone(),
                go: Go {
                    time: time.map_or(TimeLimit::Unlimited, TimeLimit::Fixed),
                    nodes,
                    depth,
                    search_moves: query.search_moves.clone(),
                    plays: false,
                    multi_pv: query.lines.unwrap_or(self.defaults.lines).into(),
                    report_schedule: ReportSchedule { on_doubling: false, interval: query.report_every },
                },
            })
        };
        Ok(positions.into_iter().filter_map(task).collect())
    }

    /// Starts searches as long as there is room. The highest priority comes first, then the earliest query.
    fn start(&mut self) -> io::Result<()> {
        while self.running.len() < self.defaults.jobs.max(1) && !self.waiting.is_empty() {
            let place = self.waiting.iter().enumerate().max_by_key(|(place, task)| (task.priority, usize::MAX - place));
            let Some((place, _)) = place else {
                return Ok(());
            };
            let mut task = self.waiting.remove(place);
            let Some(mut session) = self.session(&task.variant) else {
                let error = format!("{} can't be opened", task.variant);
                self.refuse(QueryError { id: Some(task.id), field: Some("variant".to_owned()), error })?;
                continue;
            };
            if let Err(error) = session.set_position(&task.position) {
                let error = error.to_string();
                self.refuse(QueryError { id: Some(task.id), field: Some("position".to_owned()), error })?;
                continue;
            }
            let legal = session.legal();
            if legal.is_empty() {
                self.answer(&task, None, false, false)?;
                self.idle.push(session);
                continue;
            }
            // A search hardly looks at the only legal step, unless it is asked about that one.
            if legal.len() == 1 && task.go.search_moves.is_empty() {
                task.go.search_moves = legal;
            }
            match session.search(&task.go) {
                Ok(events) => {
                    for shortage in session.take_shortages() {
                        log::warn!("{shortage}");
                    }
                    self.running.push(Running { task, session, events, is_cancelled: false });
                }
                Err(error) => {
                    let error = format!("after {} moves: {error}", task.after);
                    self.refuse(QueryError { id: Some(task.id), field: Some("search_moves".to_owned()), error })?;
                    self.idle.push(session);
                }
            }
        }
        Ok(())
    }

    /// Returns a session of a variant: one that has searched before, or a new one.
    fn session(&mut self, variant: &Variant) -> Option<Session> {
        if let Some(place) = self.idle.iter().position(|session| session.variant() == variant) {
            return Some(self.idle.swap_remove(place));
        }
        // Free the table of another variant.
        self.idle.pop();
        let mut session = Session::new(variant, Arc::clone(&self.clock))?;
        for (name, value) in &self.defaults.options {
            if let Err(error) = session.set_option(name, value) {
                log::warn!("{error}");
            }
        }
        Some(session)
    }

    /// Answers a position, with what is known of it.
    fn answer(
        &mut self,
        task: &Task,
        found: Option<&Progress>,
        during_search: bool,
        cancelled: bool,
    ) -> io::Result<()> {
        let Task { id, after, variant, position, .. } = task;
        // The session of a running search waits for its end.
        let mut analysis = Session::new(variant, Arc::clone(&self.clock)).and_then(|mut session| {
            session.set_position(position).ok()?;
            Some(Analysis::new(&mut session, found))
        });
        if let (Some(analysis), false) = (&mut analysis, self.defaults.timed) {
            analysis.seconds = None;
        }
        self.write(&Answer { id, after: *after, during_search, cancelled, analysis })
    }

    /// Receives an event of a search.
    fn receive(&mut self, place: usize) -> io::Result<()> {
        let event = match self.running.get(place).map(|running| running.events.try_recv()) {
            None => return Ok(()),
            Some(Err(error)) if !error.is_disconnected() => return Ok(()),
            Some(event) => event.ok(),
        };
        let mut running = self.running.remove(place);
        match event {
            Some(Event::SearchDone(found)) => {
                let Running { task, session, is_cancelled, .. } = running;
                self.idle.push(session);
                let found = &found.progress;
                if is_cancelled && found.variations.is_empty() {
                    self.cancel(&task)
                } else {
                    self.answer(&task, Some(found), false, is_cancelled)
                }
            }
            Some(Event::Progress(progress)) => {
                let written = if running.is_cancelled {
                    Ok(())
                } else {
                    self.answer(&running.task, Some(&progress), true, false)
                };
                self.running.insert(place, running);
                written
            }
            Some(_) => {
                self.running.insert(place, running);
                Ok(())
            }
            None => {
                let error = format!("after {} moves: the search broke", running.task.after);
                let id = Some(std::mem::take(&mut running.task.id));
                self.refuse(QueryError { id, field: None, error })
            }
        }
    }
}
