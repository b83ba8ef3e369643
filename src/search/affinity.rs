//! On which processors the threads of a search wake up (their affinity).
//!
//! Linux often wakes a thread on the processor of the one that wakes it and moves it to an idle one some milliseconds
//! later, probably because on two processors it looks for an idle one only if neither had much to do of late. Of a short
//! search that is a good part.

use rayon::ThreadPool;

/// The threads of a pool, which sleep between searches.
pub(super) struct PoolThreads {
    #[cfg(target_os = "linux")]
    ids: Vec<rustix::thread::Pid>,
}

#[cfg(target_os = "linux")]
impl PoolThreads {
    pub(super) fn of(pool: &ThreadPool) -> Self {
        let ids = pool.broadcast(|_| rustix::thread::gettid());
        Self { ids }
    }

    /// Does what wakes the threads, and has each wake up on another processor than this thread's, where it may run on one.
    /// Afterwards each may run again wherever it could: what somebody else changes of that in between is lost.
    pub(super) fn wake_on_other_processors<T>(&self, wake: impl FnOnce() -> T) -> T {
        use rustix::thread::{sched_getaffinity, sched_getcpu, sched_setaffinity};

        let here = sched_getcpu();
        let mut allowed = Vec::with_capacity(self.ids.len());
        for &id in &self.ids {
            // Read each time, for others may have changed it.
            let Ok(all) = sched_getaffinity(Some(id)) else {
                continue;
            };
            let mut others = all;
            others.unset(here);
            if others.count() > 0 && sched_setaffinity(Some(id), &others).is_ok() {
                allowed.push((id, all));
            }
        }
        let woken = wake();
        for (id, all) in allowed {
            if let Err(error) = sched_setaffinity(Some(id), &all) {
                log::warn!("a thread stays off processor {here}: {error}");
            }
        }
        woken
    }
}

#[cfg(not(target_os = "linux"))]
impl PoolThreads {
    pub(super) fn of(_: &ThreadPool) -> Self {
        Self {}
    }

    pub(super) fn wake_on_other_processors<T>(&self, wake: impl FnOnce() -> T) -> T {
        wake()
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use rustix::thread::{sched_getaffinity, sched_getcpu, sched_setaffinity};

    use super::*;

    #[test]
    fn a_thread_may_run_again_wherever_it_could() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build();
        let pool = pool.unwrap();
        let threads = PoolThreads::of(&pool);
        let allowed = || pool.broadcast(|_| sched_getaffinity(None).unwrap());
        let before = allowed();
        // This thread is kept on its processor, so that it wakes the others where it has asked where it is.
        let here = sched_getcpu();
        let mut one = before[0];
        one.clear();
        one.set(here);
        if sched_setaffinity(None, &one).is_err() || sched_getaffinity(None) != Ok(one) {
            // A system that lets nobody choose has nothing to show.
            return;
        }
        let seen = threads.wake_on_other_processors(|| pool.broadcast(|_| sched_getcpu()));
        if before[0].count() > 1 {
            assert!(!seen.contains(&here), "{seen:?}, {here}");
        }
        assert_eq!(allowed(), before);
        // On a single processor there is no other.
        pool.broadcast(|_| sched_setaffinity(None, &one).unwrap());
        let seen = threads.wake_on_other_processors(|| pool.broadcast(|_| sched_getcpu()));
        assert_eq!(seen, [here, here]);
    }
}
