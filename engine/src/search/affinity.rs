//! Processor affinity of helper threads while they wake up.
//!
//! Linux often wakes a thread on the processor of its waker and moves it to an idle processor some milliseconds later,
//! which is a good part of a short search.

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

    /// Runs `wake`, which wakes the threads, while none of them may run on this thread's processor.
    ///
    /// A thread that may run on no other processor is left alone. Afterwards each thread has its old affinity mask
    /// again; changes that others make in between are lost.
    pub(super) fn wake_on_other_processors<T>(&self, wake: impl FnOnce() -> T) -> T {
        use rustix::thread::{sched_getaffinity, sched_getcpu, sched_setaffinity};

        let here = sched_getcpu();
        let mut allowed = Vec::with_capacity(self.ids.len());
        for &id in &self.ids {
            // Read on every call: someone else may have changed the mask.
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
        // Pin this thread, so that it wakes the others on the processor that it has asked for.
        let here = sched_getcpu();
        let mut one = before[0];
        one.clear();
        one.set(here);
        if sched_setaffinity(None, &one).is_err() || sched_getaffinity(None) != Ok(one) {
            // Without permission to set affinities there is nothing to test.
            return;
        }
        let seen = threads.wake_on_other_processors(|| pool.broadcast(|_| sched_getcpu()));
        if before[0].count() > 1 {
            assert!(!seen.contains(&here), "{seen:?}, {here}");
        }
        assert_eq!(allowed(), before);
        // Pinned to one processor, the threads have no other to wake on.
        pool.broadcast(|_| sched_setaffinity(None, &one).unwrap());
        let seen = threads.wake_on_other_processors(|| pool.broadcast(|_| sched_getcpu()));
        assert_eq!(seen, [here, here]);
    }
}
