//! Processor affinity of helper threads while they wake up.
//!
//! Linux often wakes a thread on the processor of its waker and moves it to an idle processor some milliseconds later,
//! which is a good part of a short search.

use rayon_core::ThreadPool;

/// The threads of a pool, which sleep between searches.
pub struct PoolThreads {
    #[cfg(target_os = "linux")]
    ids: Vec<rustix::thread::Pid>,
}

#[cfg(target_os = "linux")]
impl PoolThreads {
    /// Finds the threads of a pool.
    pub fn of(pool: &ThreadPool) -> Self {
        let ids = pool.broadcast(|_| rustix::thread::gettid());
        Self { ids }
    }

    /// Runs `wake`, which wakes the threads, while none of them may run on this thread's processor.
    ///
    /// A thread that may run on no other processor is left alone. Afterwards each thread has its old affinity mask
    /// again; changes that others make in between are lost.
    pub fn wake_on_other_processors<T>(&self, wake: impl FnOnce() -> T) -> T {
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
    /// Finds nothing.
    pub fn of(_: &ThreadPool) -> Self {
        Self {}
    }

    /// Runs `wake`.
    pub fn wake_on_other_processors<T>(&self, wake: impl FnOnce() -> T) -> T {
        wake()
    }
}
