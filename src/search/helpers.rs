//! Threads that help a search and wait between its moves: where little time is given, to start them anew for each move would
//! take a good part of it.

use std::io;
use std::thread::{Builder, JoinHandle};

use crossbeam_channel::{Receiver, bounded};
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::affinity::Sleepers;
use super::memory::REST;
use crate::threads::{self, hold};

/// What the stack of a thread needs that searches to the greatest depth, some times over.
pub const STACK: usize = 16 << 20;

/// How many more threads there must be room for beside those of a search: the one that asks, and what else the program starts.
const SPARE: usize = 2;

/// The threads of a search but the one that asks.
pub struct Helpers {
    /// `None` where there is no other.
    pool: Option<(ThreadPool, Sleepers)>,
    /// What the system did not give.
    shortage: Option<String>,
}

impl Helpers {
    /// One fewer than so many threads, which the one that asks is one of. A system that gives no more leaves the search
    /// to fewer.
    pub fn new(threads: usize) -> Self {
        let mut count = threads.saturating_sub(1);
        let mut refusal = None;
        let mut pool = None;
        while count > 0 {
            match started(count) {
                Ok(started) => {
                    pool = Some(started);
                    break;
                }
                Err((possible, error)) => {
                    count = possible.min(count - 1);
                    refusal = Some(error);
                }
            }
        }
        let pool = pool.map(|pool| {
            let sleepers = Sleepers::of(&pool);
            (pool, sleepers)
        });
        let shortage = refusal.map(|error| {
            let shortage = format!("searching with {} of {threads} threads: {error}", count + 1);
            log::warn!("{shortage}");
            shortage
        });
        Self { pool, shortage }
    }

    /// What the system did not give, in words.
    pub fn shortage(&self) -> Option<&str> {
        self.shortage.as_deref()
    }

    /// Works on this thread, and has the others help, each with its number, from 1 on. Ends when all have ended.
    pub fn share<T>(&self, help: impl Fn(u64) + Sync, work: impl FnOnce() -> T) -> T {
        let Some((pool, sleepers)) = &self.pool else {
            return work();
        };
        let help = &help;
        pool.in_place_scope(|scope| {
            sleepers.elsewhere(|| {
                for number in 1..=pool.current_num_threads() as u64 {
                    scope.spawn(move |_| help(number));
                }
            });
            work()
        })
    }
}

/// So many threads, where there is room for some more; else how many there is room for.
fn started(count: usize) -> Result<ThreadPool, (usize, String)> {
    let rest = hold(REST).map_err(|error| (0, error.to_string()))?;
    let mut threads = Vec::new();
    let (release, held) = bounded(0);
    for _ in 0..SPARE {
        match spawn("spare", spare(&held)) {
            Ok(thread) => threads.push(thread),
            Err(error) => {
                drop(release);
                end(threads);
                return Err((0, error.to_string()));
            }
        }
    }
    let mut helpers = Vec::new();
    let builder = ThreadPoolBuilder::new().num_threads(count);
    let builder = builder.spawn_handler(|thread| {
        let name = format!("search {}", thread.index() + 1);
        helpers.push(spawn(&name, || thread.run())?);
        Ok(())
    });
    let pool = builder.build();
    // What each takes when it first allocates is taken now.
    if let Ok(pool) = &pool {
        pool.broadcast(|_| allocate());
    }
    drop(release);
    end(threads);
    let pool = pool.map_err(|error| {
        let possible = helpers.len();
        // Those that were started end now, and what they took is given back before the next try.
        end(helpers);
        (possible, error.to_string())
    });
    drop(rest);
    pool
}

/// Waits until nobody holds it back any more.
fn spare(held: &Receiver<()>) -> impl FnOnce() + Send + 'static {
    let held = held.clone();
    move || {
        allocate();
        let _ = held.recv();
    }
}

fn allocate() {
    drop(std::hint::black_box(vec![0_u8; 1 << 10]));
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    threads::start(|begun| {
        let thread = Builder::new().name(name.to_owned()).stack_size(STACK);
        thread.spawn(move || {
            let _ = begun.send(());
            work();
        })
    })
}

fn end(threads: Vec<JoinHandle<()>>) {
    for thread in threads {
        // They do nothing that could break.
        let _ = thread.join();
    }
}
