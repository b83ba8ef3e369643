//! Helper threads wake up on other processors than that of their waker.

use pentalith::search::affinity::PoolThreads;
use rustix::thread::{sched_getaffinity, sched_getcpu, sched_setaffinity};

#[test]
fn a_thread_may_run_again_wherever_it_could() {
    let pool = rayon_core::ThreadPoolBuilder::new().num_threads(2).build();
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
