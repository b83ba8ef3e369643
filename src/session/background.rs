//! Work on threads of its own: searches, and counts of step sequences.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};

use super::PlayError;
use super::game_history::make_move;
use super::messages::{Event, to_text};
use crate::rules::perft::Perft;
use crate::rules::{Board, Step};
use crate::search::{self, Clock, Limits, ReportSchedule, Search, SearchRequest, Settings};
use crate::threads;

/// What a search is to do.
pub(super) struct SearchParameters<'a> {
    pub(super) settings: Settings,
    pub(super) limits: Limits,
    pub(super) multi_pv: usize,
    pub(super) report_schedule: ReportSchedule,
    /// The moves, or beginnings of moves, that may be found; all where it is empty.
    pub(super) search_moves: &'a [String],
}

/// A search with what it remembers, from when it is first wanted. A thread may be using it.
#[derive(Default)]
pub(super) struct SearchHandle {
    search: Option<Arc<Mutex<Box<dyn Search>>>>,
    /// What the system did not give to it, and nobody has been told yet.
    shortages: Vec<String>,
}

impl SearchHandle {
    /// The search, once no thread is using it. A thread that broke has left nothing that could not be used.
    fn lock(&self) -> Option<MutexGuard<'_, Box<dyn Search>>> {
        let search = self.search.as_ref()?;
        Some(search.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Follows steps that were played from the position last searched.
    pub(super) fn advance(&self, steps: &[Step]) {
        if let Some(mut search) = self.lock() {
            steps.iter().for_each(|&step| search.advance(step));
        }
    }

    /// Forgets what was found: the game goes on somewhere else.
    pub(super) fn clear(&self) {
        if let Some(mut search) = self.lock() {
            search.clear();
        }
    }

    /// Begins to search the position of a board.
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
        let search_moves: Result<Vec<Vec<Step>>, PlayError> =
            parameters.search_moves.iter().map(&mut read).collect();
        let search_moves = search_moves?;
        let SearchParameters {
            settings,
            limits,
            multi_pv,
            report_schedule,
            ..
        } = parameters;
        let same = self
            .lock()
            .is_some_and(|search| search.settings() == settings);
        if !same {
            // The old tree goes before the new one comes.
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
        // Until the thread runs, time passes, too.
        let started = clock.now();
        let (events, shortage) = run_in_background("search", move |events, max_time| {
            let limits = match max_time {
                None => limits,
                Some(max_time) => limits.for_blocking_search(max_time),
            };
            let mut search = search.lock().unwrap_or_else(PoisonError::into_inner);
            let on_report = |report| {
                let progress = to_text(&*board, report).progress;
                // Nobody waits for those that nobody has time for.
                let _ = events.try_send(Event::Progress(progress));
            };
            let request = SearchRequest {
                search_moves: &search_moves,
                multi_pv,
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

    /// What the system did not give to the last search, where that has not been asked before.
    pub(super) fn take_shortages(&mut self) -> Vec<String> {
        std::mem::take(&mut self.shortages)
    }
}

/// Begins to count the sequences of `depth` steps from the position of a board.
pub(super) fn perft(
    board: &dyn Board,
    depth: u32,
    stop: &Arc<AtomicBool>,
    clock: &Arc<dyn Clock>,
) -> Receiver<Event> {
    let board = board.fork();
    let (stop, clock) = (Arc::clone(stop), Arc::clone(clock));
    let (events, _) = run_in_background("perft", move |_, max_time| {
        let started = clock.now();
        let is_late =
            || max_time.is_some_and(|max_time| clock.now().saturating_sub(started) > max_time);
        let stopped = || stop.load(Ordering::Relaxed) || is_late();
        let count = Perft::default().count(&*board, depth, &stopped);
        let time = clock.now().saturating_sub(started);
        Event::PerftDone { count, time }
    });
    events
}

/// How many events may wait to be looked at.
const EVENT_QUEUE_LENGTH: usize = 16;

/// How much memory there must be beside that of a new thread, in bytes.
const MEMORY_RESERVE: usize = 64 << 20;

/// The most time for work on the thread that asks for it, which hears of nothing meanwhile.
const MAX_BLOCKING_TIME: Duration = Duration::from_secs(10);

/// Does work on a thread, which may send events before its last one. The channel closes without that one where
/// the work breaks. A system that gives no thread leaves the work to this one: then it is done in the end, in no more than
/// the time that it is told, and what was missing comes, too.
fn run_in_background<W>(name: &str, background: W) -> (Receiver<Event>, Option<String>)
where
    W: FnOnce(&Sender<Event>, Option<Duration>) -> Event + Send + 'static,
{
    let background = Arc::new(Mutex::new(Some(background)));
    let take = |background: &Mutex<Option<W>>| {
        let mut background = background.lock().unwrap_or_else(PoisonError::into_inner);
        background.take()
    };
    let (sender, receiver) = bounded(EVENT_QUEUE_LENGTH);
    let work_for_thread = Arc::clone(&background);
    let run = move || {
        if let Some(background) = take(&work_for_thread) {
            let last = background(&sender, None);
            // Whoever asked may be gone.
            let _ = sender.send(last);
        }
    };
    // A thread that takes the last memory would be of no use.
    let started = threads::hold(MEMORY_RESERVE).and_then(|_rest| {
        let thread = thread::Builder::new().name(name.to_owned());
        thread.stack_size(search::STACK_BYTES).spawn(run)
    });
    let Err(error) = started else {
        return (receiver, None);
    };
    let shortage = format!("no thread for {name}, which can't be stopped therefore: {error}");
    log::warn!("{shortage}");
    // Nobody takes the events before the end.
    let (sender, receiver) = unbounded();
    if let Some(background) = take(&background) {
        let last = background(&sender, Some(MAX_BLOCKING_TIME));
        let _ = sender.send(last);
    }
    (receiver, Some(shortage))
}
