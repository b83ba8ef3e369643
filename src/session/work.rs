//! Work on threads of its own: searches, and counts of step sequences.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use crossbeam_channel::{Receiver, Sender, bounded};

use super::PlayError;
use super::played::make_move;
use super::thinking::{Event, in_words};
use crate::game::{Board, Step};
use crate::perft::Perft;
use crate::search::{self, Clock, Limits, Pace, Search, Settings, Task};

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
pub(super) struct Remembered(Option<Arc<Mutex<Box<dyn Search>>>>);

impl Remembered {
    /// The search, once no thread is using it. A thread that broke has left nothing that could not be used.
    fn lock(&self) -> Option<MutexGuard<'_, Box<dyn Search>>> {
        let search = self.0.as_ref()?;
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
            self.0 = None;
        }
        let new = || Arc::new(Mutex::new(search::search(settings)));
        let search = Arc::clone(self.0.get_or_insert_with(new));
        let (stop, clock) = (Arc::clone(stop), Arc::clone(clock));
        // Until the thread runs, time passes, too.
        let began = clock.now();
        Ok(on_a_thread("search", move |events| {
            let mut search = search.lock().unwrap_or_else(PoisonError::into_inner);
            let watch = |report| {
                let progress = in_words(&*board, report).progress;
                // Nobody waits for those that nobody has time for.
                let _ = events.try_send(Event::Progress(progress));
            };
            let task = Task {
                only: &only,
                lines,
                pace,
                watch: &watch,
                began,
                ..Task::new(limits, &stop, &*clock)
            };
            let report = search.think(&*board, &task);
            Event::Found(in_words(&*board, report))
        }))
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
    on_a_thread("perft", move |_| {
        let began = clock.now();
        let stopped = || stop.load(Ordering::Relaxed);
        let count = Perft::default().count(&*board, depth, &stopped);
        let time = clock.now().saturating_sub(began);
        Event::Counted { count, time }
    })
}

/// How many events may wait to be looked at.
const EVENTS: usize = 16;

/// Does work on a thread, which may send events before its last one. The channel closes without that one where
/// the work breaks.
fn on_a_thread(
    name: &str,
    work: impl FnOnce(&Sender<Event>) -> Event + Send + 'static,
) -> Receiver<Event> {
    let (sender, receiver) = bounded(EVENTS);
    let run = move || {
        let last = work(&sender);
        // Whoever asked may be gone.
        let _ = sender.send(last);
    };
    if let Err(error) = thread::Builder::new()
        .name(name.to_owned())
        .stack_size(search::STACK)
        .spawn(run)
    {
        log::error!("no thread for {name}: {error}");
    }
    receiver
}
