//! Background threads of a session: searches and perft.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};

use super::PlayError;
use super::game_history::make_move;
use super::messages::{Event, to_text};
use crate::rules::perft::Perft;
use crate::rules::{Board, Step};
use crate::search::{self, Clock, Limits, ReportSchedule, Search, SearchRequest, Settings};
use crate::threads;

/// Parameters of a search, steps as text.
pub(super) struct SearchParameters<'a> {
    pub(super) settings: Settings,
    pub(super) limits: Limits,
    pub(super) multi_pv: usize,
    pub(super) contempt: f64,
    pub(super) skip_forced_move: bool,
    pub(super) report_schedule: ReportSchedule,
    /// Beginnings of moves to which the root is restricted. Empty: all moves.
    pub(super) search_moves: &'a [String],
}

/// A search that is built when it is first needed, and kept for the next one. A background thread may hold the lock.
#[derive(Default)]
pub(super) struct SearchHandle {
    search: Option<Arc<Mutex<Box<dyn Search>>>>,
    /// Messages about resources that the system refused, until they are taken.
    shortages: Vec<String>,
}

impl SearchHandle {
    /// Waits until no thread searches. A search stays usable even if a thread has panicked in it.
    fn lock(&self) -> Option<MutexGuard<'_, Box<dyn Search>>> {
        let search = self.search.as_ref()?;
        Some(search.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Advances the root by steps that were played from the position last searched.
    pub(super) fn advance(&self, steps: &[Step]) {
        if let Some(mut search) = self.lock() {
            steps.iter().for_each(|&step| search.advance(step));
        }
    }

    /// Drops what the search knows, as the next position does not follow from the last one.
    pub(super) fn clear(&self) {
        if let Some(mut search) = self.lock() {
            search.clear();
        }
    }

    /// Starts a search of the position of a board. Its events come through the channel.
    ///
    /// # Errors
    /// Names the first search move that is not legal.
    pub(super) fn search(
        &mut self,
        board: &dyn Board,
        parameters: SearchParameters<'_>,
        stop: &Arc<AtomicBool>,
        clock: &Arc<dyn Clock>,
    ) -> Result<Receiver<Event>, PlayError> {
        let mut board = board.fork();
        let mut read = |text: &String| {
            let side = board.side();
            let steps = make_move(&mut *board, side, text, false)?;
            while board.unmake() {}
            Ok(steps)
        };
        let search_moves: Result<Vec<Vec<Step>>, PlayError> = parameters.search_moves.iter().map(&mut read).collect();
        let search_moves = search_moves?;
        let SearchParameters { settings, limits, multi_pv, contempt, skip_forced_move, report_schedule, .. } =
            parameters;
        let same = self.lock().is_some_and(|search| search.settings() == settings);
        if !same {
            // Free the old tree or table before allocating the new one.
            self.search = None;
        }
        let shortages = &mut self.shortages;
        let new = || {
            let search = search::new_search(settings);
            *shortages = search.shortages();
            Arc::new(Mutex::new(search))
        };
        let search = Arc::clone(self.search.get_or_insert_with(new));
        let (stop, clock) = (Arc::clone(stop), Arc::clone(clock));
        // Time runs from here: the thread may start late.
        let started = clock.now();
        let (events, shortage) = run_in_background("search", move |events, max_time| {
            let limits = match max_time {
                None => limits,
                Some(max_time) => limits.for_blocking_search(max_time),
            };
            let mut search = search.lock().unwrap_or_else(PoisonError::into_inner);
            let on_report = |report| {
                let progress = to_text(&*board, report).progress;
                // A full queue drops the report: the reader is behind and will get a newer one.
                let _ = events.try_send(Event::Progress(progress));
            };
            let request = SearchRequest {
                search_moves: &search_moves,
                multi_pv,
                contempt,
                skip_forced_move,
                report_schedule,
                on_report: &on_report,
                started,
                ..SearchRequest::new(limits, &stop, &*clock)
            };
            let report = search.run(&*board, &request);
            Event::SearchDone(to_text(&*board, report))
        });
        self.shortages.extend(shortage);
        Ok(events)
    }

    /// Returns the messages about refused resources, each of them once.
    pub(super) fn take_shortages(&mut self) -> Vec<String> {
        std::mem::take(&mut self.shortages)
    }
}

/// Starts perft of the position of a board, to `depth` steps.
pub(super) fn perft(board: &dyn Board, depth: u32, stop: &Arc<AtomicBool>, clock: &Arc<dyn Clock>) -> Receiver<Event> {
    let board = board.fork();
    let (stop, clock) = (Arc::clone(stop), Arc::clone(clock));
    let (events, _) = run_in_background("perft", move |_, max_time| {
        let started = clock.now();
        let is_late = || max_time.is_some_and(|max_time| clock.now().saturating_sub(started) > max_time);
        let stopped = || stop.load(Ordering::Relaxed) || is_late();
        let count = Perft::default().count(&*board, depth, &stopped);
        let time = clock.now().saturating_sub(started);
        Event::PerftDone { count, time }
    });
    events
}

/// Capacity of the queue of events.
const EVENT_QUEUE_LENGTH: usize = 16;

/// Memory to leave in addition to that of a new thread, in bytes.
const MEMORY_RESERVE: usize = 64 << 20;

/// Time limit of work on the caller's thread, which can't be stopped.
const MAX_BLOCKING_TIME: Duration = Duration::from_secs(10);

/// Runs work on a new thread. The work may send events, and returns the last one.
///
/// The channel closes without a last event if the work panics. If the system refuses a thread, the work runs on this
/// one within the time limit that is passed to it, and a message about the refusal is returned.
fn run_in_background<W>(name: &str, work: W) -> (Receiver<Event>, Option<String>)
where
    W: FnOnce(&Sender<Event>, Option<Duration>) -> Event + Send + 'static,
{
    let work = Arc::new(Mutex::new(Some(work)));
    let take = |work: &Mutex<Option<W>>| {
        let mut work = work.lock().unwrap_or_else(PoisonError::into_inner);
        work.take()
    };
    let (sender, receiver) = bounded(EVENT_QUEUE_LENGTH);
    let work_for_thread = Arc::clone(&work);
    let run = move || {
        if let Some(work) = take(&work_for_thread) {
            let last = work(&sender, None);
            // The receiver may be gone.
            let _ = sender.send(last);
        }
    };
    // Do not start a thread that would take the last memory.
    let started = threads::hold(MEMORY_RESERVE).and_then(|_rest| threads::spawn(name, search::STACK_BYTES, run));
    let Err(error) = started else {
        return (receiver, None);
    };
    let shortage = format!("no thread for {name}, so it can't be stopped: {error}");
    log::warn!("{shortage}");
    // The queue must hold all events: none is received before the work ends.
    let (sender, receiver) = unbounded();
    if let Some(work) = take(&work) {
        let last = work(&sender, Some(MAX_BLOCKING_TIME));
        let _ = sender.send(last);
    }
    (receiver, Some(shortage))
}
