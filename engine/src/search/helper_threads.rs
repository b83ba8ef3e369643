//! Helper threads of a search, which sleep between moves. Starting them for every move would take a good part of a
//! short time limit.

use std::thread::JoinHandle;

use crossbeam_channel::{Receiver, bounded};
use rayon_core::{ThreadPool, ThreadPoolBuilder};

use super::affinity::PoolThreads;
use super::memory::MEMORY_RESERVE;
use crate::threads::{hold, spawn};

/// Stack size of a searching thread, in bytes: several times what the deepest search needs.
pub const STACK_BYTES: usize = 16 << 20;

/// Threads that must be startable beside those of a search, for its caller and the rest of the program.
const SPARE_THREADS: usize = 2;

/// The threads of a search except the main one.
pub struct HelperThreads {
    /// `None` for a search with one thread.
    pool: Option<(ThreadPool, PoolThreads)>,
    /// Message about threads that the system refused.
    shortage: Option<String>,
}

impl HelperThreads {
    /// Starts `threads - 1` helpers: the main thread is the caller's. Starts fewer if the system refuses more.
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

    /// Returns a message about threads that the system refused.
    pub fn shortage(&self) -> Option<&str> {
        self.shortage.as_deref()
    }

    /// Runs `main` on this thread and `helper` on each other one, with its number from 1 on. Returns when all have
    /// returned.
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

/// Starts `count` threads, if the system could start [`SPARE_THREADS`] more.
///
/// # Errors
/// The number of threads that could be started, and why no more.
fn start_pool(count: usize) -> Result<ThreadPool, (usize, String)> {
    let rest = hold(MEMORY_RESERVE).map_err(|error| (0, error.to_string()))?;
    let mut threads = Vec::new();
    let (release, release_signal) = bounded(0);
    for _ in 0..SPARE_THREADS {
        match spawn("spare", STACK_BYTES, spare_thread(&release_signal)) {
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
        helpers.push(spawn(&name, STACK_BYTES, || thread.run())?);
        Ok(())
    });
    let pool = builder.build();
    drop(release);
    join(threads);
    let pool = pool.map_err(|error| {
        let possible = helpers.len();
        // Free the memory of the threads that did start before the next try.
        join(helpers);
        (possible, error.to_string())
    });
    drop(rest);
    pool
}

/// Returns the work of a spare thread: wait until the sender is dropped.
fn spare_thread(release_signal: &Receiver<()>) -> impl FnOnce() + Send + 'static {
    let release_signal = release_signal.clone();
    move || {
        let _ = release_signal.recv();
    }
}

fn join(threads: Vec<JoinHandle<()>>) {
    for thread in threads {
        // The work of these threads does not panic.
        let _ = thread.join();
    }
}
