//! Threads that help a search and wait between its moves: where little time is given, to start them anew for each move would
//! take a good part of it.

use std::iter;

use rayon::{ThreadPool, ThreadPoolBuilder};

use super::affinity::Sleepers;

/// What the stack of a thread needs that searches to the greatest depth, some times over.
pub const STACK: usize = 16 << 20;

/// The threads of a search but the one that asks.
pub(super) struct Helpers {
    /// `None` where there is no other.
    pool: Option<(ThreadPool, Sleepers)>,
}

impl Helpers {
    /// One fewer than so many threads, which the one that asks is one of. A system that gives no more leaves the search
    /// to fewer.
    pub(super) fn new(threads: usize) -> Self {
        let fewer = |count: &usize| Some(count / 2);
        let mut counts =
            iter::successors(threads.checked_sub(1), fewer).take_while(|&count| count > 0);
        let pool = counts.find_map(|count| {
            let pool = ThreadPoolBuilder::new().num_threads(count);
            let pool = pool
                .stack_size(STACK)
                .thread_name(|number| format!("search {}", number + 1));
            let warn = |error| log::warn!("searching with fewer threads: {error}");
            pool.build().map_err(warn).ok()
        });
        let pool = pool.map(|pool| {
            let sleepers = Sleepers::of(&pool);
            (pool, sleepers)
        });
        Self { pool }
    }

    /// Works on this thread, and has the others help, each with its number, from 1 on. Ends when all have ended.
    pub(super) fn share<T>(&self, help: impl Fn(u64) + Sync, work: impl FnOnce() -> T) -> T {
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

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    #[test]
    fn each_helper_has_a_number() {
        for (threads, expected) in [(0, 0), (1, 0), (2, 1), (4, 0b111)] {
            let helpers = Helpers::new(threads);
            for _ in 0..3 {
                let seen = AtomicU64::new(0);
                let help = |number: u64| {
                    seen.fetch_add(1 << (number - 1), Ordering::Relaxed);
                };
                assert_eq!(helpers.share(help, || 7), 7);
                assert_eq!(seen.into_inner(), expected, "{threads}");
            }
        }
    }
}
