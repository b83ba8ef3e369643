//! The thread of a board: it owns the game, handles the actions of its pages, and notifies them of changes.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, at, bounded, never, select, unbounded};
use serde::Serialize;

use super::actions::Action;
use super::game::{Configure, Game};
use super::state::{self, State};
use crate::record::GameRecord;
use crate::rules::Variant;
use crate::search::STACK_BYTES;
use crate::threads;

/// Time after which a search without a page that watches is stopped: a reload takes less.
const GRACE: Duration = Duration::from_secs(5);

/// Time for which a board is kept for a page whose stream was ended in favor of another one.
const BACK: Duration = Duration::from_secs(60);

/// Memory that must remain for the open boards when another one is opened, in bytes. A small allocation that fails would
/// end the program.
const MEMORY_RESERVE: usize = 64 << 20;

/// A request to the thread of a tab.
enum Request {
    Act(Action, Sender<Reply>),
    State(Sender<Reply>),
    Record(Sender<GameRecord>),
    /// The pictures of the engine's last play, as JSON.
    Frames(Sender<String>),
    /// The sender for notices of changes. The answer is the number of the page.
    Watch(Sender<()>, Sender<usize>),
    /// The page with this number has gone.
    Leave(usize),
}

/// The answer to an action: the state, and the reason if the action was refused.
#[derive(Clone, Debug)]
pub(super) struct Reply {
    /// The state, as JSON.
    pub(super) state: Arc<str>,
    pub(super) error: Option<String>,
}

/// A watching page, until it is dropped.
pub(super) struct Watch {
    /// Holds a notice if the state has changed since the last one was taken.
    pub(super) changes: Receiver<()>,
    pub(super) tab: GameThread,
    number: usize,
}

impl Watch {
    /// Keeps the board for a while, as the page will request for it again.
    pub(super) fn expect_back(&self) {
        self.tab.pages().back_by = Some(Instant::now() + BACK);
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let mut pages = self.tab.pages();
        pages.looking -= 1;
        pages.last = Some(Instant::now());
        let _ = self.tab.requests.send(Request::Leave(self.number));
    }
}

/// The pages of a tab.
#[derive(Default)]
struct Pages {
    /// Number of those that look on.
    looking: usize,
    /// Until when a page is expected to watch again.
    back_by: Option<Instant>,
    /// When the last page stopped watching.
    last: Option<Instant>,
}

/// The thread's side of a [`Watch`].
struct Watcher {
    number: usize,
    sender: Sender<()>,
}

/// A handle on the thread of a tab. The thread ends when the last handle and the last watch are dropped.
#[derive(Clone)]
pub(super) struct GameThread {
    requests: Sender<Request>,
    pages: Arc<Mutex<Pages>>,
}

impl GameThread {
    /// Starts the thread of a new game.
    ///
    /// # Errors
    /// Says why the game or the thread can't be started.
    pub(super) fn start(variant: &Variant, configure: &Configure) -> Result<Self, String> {
        let scarce = |error| format!("no room for another board: {error}");
        let _rest = threads::hold(MEMORY_RESERVE).map_err(scarce)?;
        let game = Game::new(variant, configure);
        let game = game.ok_or_else(|| format!("{variant} can't be opened"))?;
        let (requests, received) = unbounded();
        let worker = Worker { game, version: 0, shown: None, watchers: Vec::new(), watched: 0, alone_since: None };
        // A search that gets no thread runs on this one.
        threads::spawn("tab", STACK_BYTES, move || worker.run(&received)).map_err(scarce)?;
        Ok(Self { requests, pages: Arc::default() })
    }

    fn pages(&self) -> MutexGuard<'_, Pages> {
        self.pages.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns true if a page watches, or is expected to watch again.
    pub(super) fn is_watched(&self) -> bool {
        let pages = self.pages();
        pages.looking > 0 || pages.back_by.is_some_and(|moment| moment > Instant::now())
    }

    /// Returns when the last page stopped watching.
    pub(super) fn last_watched(&self) -> Option<Instant> {
        self.pages().last
    }

    /// Asks the thread and waits for its answer; `None` if it has ended.
    fn request<T>(&self, request: impl FnOnce(Sender<T>) -> Request) -> Option<T> {
        let (sender, receiver) = bounded(1);
        self.requests.send(request(sender)).ok()?;
        receiver.recv().ok()
    }

    pub(super) fn act(&self, action: Action) -> Option<Reply> {
        self.request(|sender| Request::Act(action, sender))
    }

    pub(super) fn state(&self) -> Option<Reply> {
        self.request(Request::State)
    }

    pub(super) fn frames(&self) -> Option<String> {
        self.request(Request::Frames)
    }

    pub(super) fn record(&self) -> Option<GameRecord> {
        self.request(Request::Record)
    }

    /// Starts watching. A first notice is there at once.
    pub(super) fn watch(&self) -> Option<Watch> {
        let (sender, changes) = bounded(1);
        let number = self.request(|answer| Request::Watch(sender, answer))?;
        let mut pages = self.pages();
        pages.looking += 1;
        pages.back_by = None;
        Some(Watch { changes, tab: self.clone(), number })
    }
}

/// State of the thread.
struct Worker {
    game: Game,
    version: u64,
    /// The state as it was last told; `None` once it has changed.
    shown: Option<Arc<str>>,
    watchers: Vec<Watcher>,
    /// Number of pages that have looked on.
    watched: usize,
    /// Since when no page is watching; `None` once the search is stopped.
    alone_since: Option<Instant>,
}

impl Worker {
    fn run(mut self, requests: &Receiver<Request>) {
        loop {
            let events = self.game.events().cloned();
            let waited = self.game.deadline().into_iter().chain(self.stop_at()).min();
            let timer = waited.map_or_else(never, at);
            let work = events.unwrap_or_else(never);
            let review = self.game.reviews.events().cloned().unwrap_or_else(never);
            select! {
                recv(requests) -> request => match request {
                    Ok(request) => self.handle(request),
                    // All handles are gone.
                    Err(_) => return,
                },
                recv(work) -> event => {
                    self.game.handle_event(event.ok());
                    self.notify();
                }
                recv(review) -> event => {
                    self.game.handle_review(event.ok());
                    self.notify();
                }
                recv(timer) -> _ => {
                    if self.game.check_clocks() || self.game.check_pace() {
                        self.notify();
                    }
                    if self.stop_at().is_some_and(|moment| moment <= Instant::now()) {
                        self.alone_since = None;
                        self.game.set_watched(false);
                        self.game.reviews.stop();
                    }
                }
            }
        }
    }

    /// Returns when the search is stopped because no page is watching.
    fn stop_at(&self) -> Option<Instant> {
        self.alone_since.map(|since| since + GRACE)
    }

    fn handle(&mut self, request: Request) {
        match request {
            Request::Act(action, answer) => {
                let error = self.game.act(action).err();
                if error.is_none() {
                    self.notify();
                }
                let state = self.state();
                let _ = answer.send(Reply { state, error });
            }
            Request::State(answer) => {
                let state = self.state();
                let _ = answer.send(Reply { state, error: None });
            }
            Request::Record(answer) => {
                let _ = answer.send(self.game.table.record());
            }
            Request::Frames(answer) => {
                let _ = answer.send(json(&state::frames(&self.game)));
            }
            Request::Watch(sender, answer) => {
                self.watched += 1;
                self.watchers.push(Watcher { number: self.watched, sender });
                let _ = answer.send(self.watched);
                self.alone_since = None;
                self.game.set_watched(true);
                self.notify();
            }
            Request::Leave(number) => {
                self.watchers.retain(|watcher| watcher.number != number);
                if self.watchers.is_empty() {
                    self.alone_since = Some(Instant::now());
                }
            }
        }
    }

    /// Returns the state as JSON.
    fn state(&mut self) -> Arc<str> {
        if let Some(shown) = &self.shown {
            return Arc::clone(shown);
        }
        self.version += 1;
        let state = State::new(&self.game, self.version);
        let state: Arc<str> = json(&state).into();
        // A running clock makes every state a new one.
        if self.game.table.clock().is_none() {
            self.shown = Some(Arc::clone(&state));
        }
        state
    }

    /// Notifies all watchers of a change. They request for the state when they can send it.
    fn notify(&mut self) {
        self.shown = None;
        for watcher in &self.watchers {
            // One notice is enough for several changes.
            let _ = watcher.sender.try_send(());
        }
    }
}

/// Writes JSON. Only data of our own is written, all of which JSON can hold.
pub(super) fn json(data: &impl Serialize) -> String {
    serde_json::to_string(data).unwrap_or_else(|error| {
        log::error!("a state can't be written: {error}");
        "{}".to_owned()
    })
}
