//! Threads that help a search and wait between its moves: where little time is given, to start them anew for each move would
//! take a good part of it.

use std::io;
use std::thread::{Builder, JoinHandle};

use crossbeam_channel::{Receiver, bounded};
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::affinity::PoolThreads;
use super::memory::MEMORY_RESERVE;
use crate::threads::{self, hold};

/// What the stack of a thread needs that searches to the greatest depth, some times over.
pub const STACK_BYTES: usize = 16 << 20;

/// How many more threads there must be room for beside those of a search: the one that asks, and what else the program starts.
const SPARE_THREADS: usize = 2;

/// The threads of a search but the one that asks.
pub struct HelperThreads {
    /// `None` where there is no other.
    pool: Option<(ThreadPool, PoolThreads)>,
    /// What the system did not give.
    shortage: Option<String>,
}

impl HelperThreads {
    /// One fewer than so many threads, which the one that asks is one of. A system that gives no more leaves the search
    /// to fewer.
    pub fn new(threads: usize) -> Self {
        let mut count = threads.saturating_sub(1);
        let mut last_error = None;
        let mut pool = None;
        while count > 0 {
            match start_pool(count) {
                Ok(started) => {
                    pool = Some(started);
                    break;
                }
                Err((possible, error)) => {
                    count = possible.min(count - 1);
                    last_error = Some(error);
                }
            }
        }
        let pool = pool.map(|pool| {
            let threads_of_pool = PoolThreads::of(&pool);
            (pool, threads_of_pool)
        });
        let shortage = last_error.map(|error| {
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
    pub fn run<T>(&self, helper: impl Fn(u64) + Sync, main: impl FnOnce() -> T) -> T {
        let Some((pool, threads_of_pool)) = &self.pool else {
            return main();
        };
        let helper = &helper;
        pool.in_place_scope(|scope| {
            threads_of_pool.wake_on_other_processors(|| {
                for number in 1..=pool.current_num_threads() as u64 {
                    scope.spawn(move |_| helper(number));
                }
            });
            main()
        })
    }
}

/// So many threads, where there is room for some more; else how many there is room for.
fn start_pool(count: usize) -> Result<ThreadPool, (usize, String)> {
    let rest = hold(MEMORY_RESERVE).map_err(|error| (0, error.to_string()))?;
    let mut threads = Vec::new();
    let (release, release_signal) = bounded(0);
    for _ in 0..SPARE_THREADS {
        match spawn("spare", spare_thread(&release_signal)) {
            Ok(thread) => threads.push(thread),
            Err(error) => {
                drop(release);
                join(threads);
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
        pool.broadcast(|_| touch_heap());
    }
    drop(release);
    join(threads);
    let pool = pool.map_err(|error| {
        let possible = helpers.len();
        // Those that were started end now, and what they took is given back before the next try.
        join(helpers);
        (possible, error.to_string())
    });
    drop(rest);
    pool
}

/// Waits until nobody holds it back any more.
fn spare_thread(release_signal: &Receiver<()>) -> impl FnOnce() + Send + 'static {
    let release_signal = release_signal.clone();
    move || {
        touch_heap();
        let _ = release_signal.recv();
    }
}

fn touch_heap() {
    drop(std::hint::black_box(vec![0_u8; 1 << 10]));
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    threads::start(|begun| {
        let thread = Builder::new().name(name.to_owned()).stack_size(STACK_BYTES);
        thread.spawn(move || {
            let _ = begun.send(());
            work();
        })
    })
}

fn join(threads: Vec<JoinHandle<()>>) {
    for thread in threads {
        // They do nothing that could break.
        let _ = thread.join();
    }
}
