//! Work on threads of its own: searches, and counts of step sequences.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};

use super::PlayError;
use super::played::make_move;
use super::thinking::{Event, in_words};
use crate::rules::perft::Perft;
use crate::rules::{Board, Step};
use crate::search::{self, Clock, Limits, Pace, Search, SearchRequest, Settings};
use crate::threads;

/// What a search is to do.
pub(super) struct Request<'a> {
    pub(super) settings: Settings,
    pub(super) limits: Limits,
    pub(super) lines: usize,
    pub(super) pace: Pace,
    /// The moves, or beginnings of moves, that may be found; all where it is empty.
    pub(super) only: &'a [String],
}

/// A search with what it remembers, from when it is first wanted. A thread may be using it.
#[derive(Default)]
pub(super) struct Remembered {
    search: Option<Arc<Mutex<Box<dyn Search>>>>,
    /// What the system did not give to it, and nobody has been told yet.
    shortages: Vec<String>,
}

impl Remembered {
    /// The search, once no thread is using it. A thread that broke has left nothing that could not be used.
    fn lock(&self) -> Option<MutexGuard<'_, Box<dyn Search>>> {
        let search = self.search.as_ref()?;
        Some(search.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Follows steps that were played from the position last searched.
    pub(super) fn follow(&self, steps: &[Step]) {
        if let Some(mut search) = self.lock() {
            steps.iter().for_each(|&step| search.follow(step));
        }
    }

    /// Forgets what was found: the game goes on somewhere else.
    pub(super) fn forget(&self) {
        if let Some(mut search) = self.lock() {
            search.forget();
        }
    }

    /// Begins to search the position of a board.
    pub(super) fn search(
        &mut self,
        board: &dyn Board,
        request: Request<'_>,
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
        let only: Result<Vec<Vec<Step>>, PlayError> = request.only.iter().map(&mut read).collect();
        let only = only?;
        let Request {
            settings,
            limits,
            lines,
            pace,
            ..
        } = request;
        let same = self
            .lock()
            .is_some_and(|search| search.settings() == settings);
        if !same {
            // The old tree goes before the new one comes.
            self.search = None;
        }
        let shortages = &mut self.shortages;
        let new = || {
            let search = search::search(settings);
            *shortages = search.shortages();
            Arc::new(Mutex::new(search))
        };
        let search = Arc::clone(self.search.get_or_insert_with(new));
        let (stop, clock) = (Arc::clone(stop), Arc::clone(clock));
        // Until the thread runs, time passes, too.
        let began = clock.now();
        let (events, shortage) = on_a_thread("search", move |events, most| {
            let limits = match most {
                None => limits,
                Some(most) => limits.without_a_thread(most),
            };
            let mut search = search.lock().unwrap_or_else(PoisonError::into_inner);
            let watch = |report| {
                let progress = in_words(&*board, report).progress;
                // Nobody waits for those that nobody has time for.
                let _ = events.try_send(Event::Progress(progress));
            };
            let task = SearchRequest {
                only: &only,
                lines,
                pace,
                watch: &watch,
                began,
                ..SearchRequest::new(limits, &stop, &*clock)
            };
            let report = search.think(&*board, &task);
            Event::Found(in_words(&*board, report))
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
    let (events, _) = on_a_thread("perft", move |_, most| {
        let began = clock.now();
        let is_late = || most.is_some_and(|most| clock.now().saturating_sub(began) > most);
        let stopped = || stop.load(Ordering::Relaxed) || is_late();
        let count = Perft::default().count(&*board, depth, &stopped);
        let time = clock.now().saturating_sub(began);
        Event::Counted { count, time }
    });
    events
}

/// How many events may wait to be looked at.
const EVENTS: usize = 16;

/// How much memory there must be beside that of a new thread, in bytes.
const REST: usize = 64 << 20;

/// The most time for work on the thread that asks for it, which hears of nothing meanwhile.
const WITHOUT_A_THREAD: Duration = Duration::from_secs(10);

/// Does work on a thread, which may send events before its last one. The channel closes without that one where
/// the work breaks. A system that gives no thread leaves the work to this one: then it is done in the end, in no more than
/// the time that it is told, and what was missing comes, too.
fn on_a_thread<W>(name: &str, work: W) -> (Receiver<Event>, Option<String>)
where
    W: FnOnce(&Sender<Event>, Option<Duration>) -> Event + Send + 'static,
{
    let work = Arc::new(Mutex::new(Some(work)));
    let take = |work: &Mutex<Option<W>>| {
        let mut work = work.lock().unwrap_or_else(PoisonError::into_inner);
        work.take()
    };
    let (sender, receiver) = bounded(EVENTS);
    let theirs = Arc::clone(&work);
    let run = move || {
        if let Some(work) = take(&theirs) {
            let last = work(&sender, None);
            // Whoever asked may be gone.
            let _ = sender.send(last);
        }
    };
    // A thread that takes the last memory would be of no use.
    let started = threads::hold(REST).and_then(|_rest| {
        let thread = thread::Builder::new().name(name.to_owned());
        thread.stack_size(search::STACK).spawn(run)
    });
    let Err(error) = started else {
        return (receiver, None);
    };
    let shortage = format!("no thread for {name}, which can't be stopped therefore: {error}");
    log::warn!("{shortage}");
    // Nobody takes the events before the end.
    let (sender, receiver) = unbounded();
    if let Some(work) = take(&work) {
        let last = work(&sender, Some(WITHOUT_A_THREAD));
        let _ = sender.send(last);
    }
    (receiver, Some(shortage))
}
