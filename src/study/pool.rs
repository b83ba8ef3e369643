//! Work on several threads, with results in order.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use crossbeam_channel::{RecvTimeoutError, Sender, unbounded};

use super::error::StudyError;
use crate::search::STACK_BYTES;
use crate::threads::spawn_scoped;

/// Interval of [`PoolEvent::Tick`].
const TICK: Duration = Duration::from_millis(250);

/// An event while a pool works.
#[derive(Debug)]
pub enum PoolEvent<R> {
    /// The piece of work with this number, from 0, is done.
    Done(usize, R),
    /// Time has passed.
    Tick,
}

/// Does `count` pieces of work on several threads, and delivers the results in order, whatever the number of threads.
///
/// `work` gets the state of its thread, the number of a piece, from 0, and a flag that asks it to stop; it returns `None`
/// if it stops or fails. `watch` runs on the caller's thread, and returns false to stop.
///
/// # Errors
/// If stopped, if no thread can be started, or if a piece fails. Results that were not delivered are lost.
pub fn in_order<S: Default, R: Send>(
    count: usize,
    threads: usize,
    stop: &AtomicBool,
    work: impl Fn(&mut S, usize, &AtomicBool) -> Option<R> + Sync,
    watch: &mut dyn FnMut(PoolEvent<R>) -> bool,
) -> Result<(), StudyError> {
    let next = AtomicUsize::new(0);
    // Set when the caller stops, or when a piece fails.
    let ended = AtomicBool::new(false);
    let run = |sender: Sender<(usize, Option<R>)>| {
        let mut state = S::default();
        while !ended.load(Ordering::Relaxed) {
            let place = next.fetch_add(1, Ordering::Relaxed);
            if place >= count || sender.send((place, work(&mut state, place, &ended))).is_err() {
                break;
            }
        }
    };
    thread::scope(|scope| {
        let (sender, results) = unbounded();
        let mut workers = Vec::new();
        for started in 0..threads.clamp(1, count.max(1)) {
            let (sender, run) = (sender.clone(), &run);
            match spawn_scoped(scope, "study", STACK_BYTES, move || run(sender)) {
                Ok(worker) => workers.push(worker),
                Err(error) if started == 0 => return Err(error.into()),
                Err(error) => {
                    log::warn!("{started} threads instead of {threads}: {error}");
                    break;
                }
            }
        }
        drop(sender);
        let mut waiting = BTreeMap::new();
        let mut delivered = 0;
        let mut end = Ok(());
        while end.is_ok() && delivered < count {
            let mut continues = true;
            match results.recv_timeout(TICK) {
                Ok((place, Some(result))) => {
                    waiting.insert(place, result);
                    while continues && let Some(result) = waiting.remove(&delivered) {
                        continues = watch(PoolEvent::Done(delivered, result));
                        delivered += 1;
                    }
                }
                Err(RecvTimeoutError::Timeout) => continues = watch(PoolEvent::Tick),
                // Work has failed, or a thread has panicked.
                Ok((_, None)) | Err(RecvTimeoutError::Disconnected) => end = Err(StudyError::Failed),
            }
            if end.is_ok() && (!continues || stop.load(Ordering::Relaxed)) {
                end = Err(StudyError::Interrupted);
            }
        }
        ended.store(true, Ordering::Relaxed);
        // A scope passes on panics of threads that nobody has joined.
        for worker in workers {
            if worker.join().is_err() {
                end = Err(StudyError::Failed);
            }
        }
        if delivered < count { end } else { Ok(()) }
    })
}

/// Returns the number of processors that this program may use.
pub fn processors() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}
