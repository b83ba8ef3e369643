//! The thread of a tab: it owns the game, obeys the page, and tells every change to who looks on.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, TrySendError, at, bounded, never, select, unbounded};
use serde::Serialize;

use super::game::{Configure, Game};
use super::record;
use super::state::State;
use super::wishes::Action;
use crate::rules::Variant;

/// Time after which a search without a page that looks on is stopped: a reload takes less.
const GRACE: Duration = Duration::from_secs(5);

/// A request to the thread of a tab.
enum Ask {
    Act(Action, Sender<Reply>),
    State(Sender<Reply>),
    Record(Sender<String>),
    /// The two ends of a channel for states. The answer is the number of the page.
    Watch(Sender<Arc<str>>, Receiver<Arc<str>>, Sender<usize>),
    /// The page with this number has gone.
    Leave(usize),
}

/// The answer to a wish: the state, and the reason if the wish was refused.
#[derive(Clone, Debug)]
pub(super) struct Reply {
    /// The state, as JSON.
    pub(super) state: Arc<str>,
    pub(super) error: Option<String>,
}

/// A page that looks on, until it is dropped. States come through the channel; older ones that were not taken are
/// dropped.
pub(super) struct Watch {
    pub(super) states: Receiver<Arc<str>>,
    number: usize,
    watching: Arc<AtomicUsize>,
    asks: Sender<Ask>,
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.watching.fetch_sub(1, Ordering::Relaxed);
        let _ = self.asks.send(Ask::Leave(self.number));
    }
}

/// The thread's side of a [`Watch`].
struct Watcher {
    number: usize,
    sender: Sender<Arc<str>>,
    /// To drop what was not taken.
    receiver: Receiver<Arc<str>>,
}

/// A handle on the thread of a tab. The thread ends when the last handle and the last watch are dropped.
#[derive(Clone)]
pub(super) struct Tab {
    asks: Sender<Ask>,
    /// Number of pages that look on.
    watching: Arc<AtomicUsize>,
}

impl Tab {
    /// Starts the thread of a new game.
    ///
    /// # Errors
    /// Says why the game or the thread can't be started.
    pub(super) fn start(variant: &Variant, configure: &Configure) -> Result<Self, String> {
        let game = Game::new(variant, configure);
        let game = game.ok_or_else(|| format!("{variant} can't be opened"))?;
        let (asks, received) = unbounded();
        let table = Table { game, version: 0, shown: None, watchers: Vec::new(), watched: 0, alone_since: None };
        let thread = thread::Builder::new().name("tab".to_owned());
        let started = thread.spawn(move || table.run(&received));
        started.map_err(|error| format!("no thread for another board: {error}"))?;
        Ok(Self { asks, watching: Arc::default() })
    }

    /// Returns true if a page looks on.
    pub(super) fn is_watched(&self) -> bool {
        self.watching.load(Ordering::Relaxed) > 0
    }

    /// Asks the thread and waits for its answer; `None` if it has ended.
    fn ask<T>(&self, ask: impl FnOnce(Sender<T>) -> Ask) -> Option<T> {
        let (sender, receiver) = bounded(1);
        self.asks.send(ask(sender)).ok()?;
        receiver.recv().ok()
    }

    pub(super) fn act(&self, action: Action) -> Option<Reply> {
        self.ask(|sender| Ask::Act(action, sender))
    }

    pub(super) fn state(&self) -> Option<Reply> {
        self.ask(Ask::State)
    }

    pub(super) fn record(&self) -> Option<String> {
        self.ask(Ask::Record)
    }

    /// Looks on. The present state comes first.
    pub(super) fn watch(&self) -> Option<Watch> {
        let (sender, states) = bounded(1);
        let receiver = states.clone();
        let number = self.ask(|answer| Ask::Watch(sender, receiver, answer))?;
        self.watching.fetch_add(1, Ordering::Relaxed);
        Some(Watch { states, number, watching: Arc::clone(&self.watching), asks: self.asks.clone() })
    }
}

/// State of the thread.
struct Table {
    game: Game,
    version: u64,
    /// The state as it was last told; `None` once it has changed.
    shown: Option<Arc<str>>,
    watchers: Vec<Watcher>,
    /// Number of pages that have looked on.
    watched: usize,
    /// Since when nobody looks on; `None` once its search is stopped, too.
    alone_since: Option<Instant>,
}

impl Table {
    fn run(mut self, asks: &Receiver<Ask>) {
        loop {
            let events = self.game.events().cloned();
            let waited = self.game.deadline().into_iter().chain(self.stop_at()).min();
            let timer = waited.map_or_else(never, at);
            let work = events.unwrap_or_else(never);
            select! {
                recv(asks) -> ask => match ask {
                    Ok(ask) => self.obey(ask),
                    // All handles are gone.
                    Err(_) => return,
                },
                recv(work) -> event => {
                    self.game.heed(event.ok());
                    self.tell();
                }
                recv(timer) -> _ => {
                    if self.game.check_clocks() {
                        self.tell();
                    }
                    if self.stop_at().is_some_and(|moment| moment <= Instant::now()) {
                        self.alone_since = None;
                        self.game.set_watched(false);
                    }
                }
            }
        }
    }

    /// Returns when the search is stopped for want of somebody who looks on.
    fn stop_at(&self) -> Option<Instant> {
        self.alone_since.map(|since| since + GRACE)
    }

    fn obey(&mut self, ask: Ask) {
        match ask {
            Ask::Act(action, answer) => {
                let error = self.game.act(action).err();
                if error.is_none() {
                    self.tell();
                }
                let state = self.state();
                let _ = answer.send(Reply { state, error });
            }
            Ask::State(answer) => {
                let state = self.state();
                let _ = answer.send(Reply { state, error: None });
            }
            Ask::Record(answer) => {
                let _ = answer.send(record::write(&self.game));
            }
            Ask::Watch(sender, receiver, answer) => {
                self.watched += 1;
                self.watchers.push(Watcher { number: self.watched, sender, receiver });
                let _ = answer.send(self.watched);
                self.alone_since = None;
                self.game.set_watched(true);
                self.tell();
            }
            Ask::Leave(number) => {
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
        if self.game.clocks.is_none() {
            self.shown = Some(Arc::clone(&state));
        }
        state
    }

    /// Tells a change to all who look on.
    fn tell(&mut self) {
        self.shown = None;
        let state = self.state();
        for watcher in &self.watchers {
            let mut unsent = watcher.sender.try_send(Arc::clone(&state));
            while let Err(TrySendError::Full(state)) = unsent {
                let _ = watcher.receiver.try_recv();
                unsent = watcher.sender.try_send(state);
            }
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
