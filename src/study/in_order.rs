//! Work on several threads, with results in order.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use crossbeam_channel::{RecvTimeoutError, unbounded};

use super::balance::BalanceError;
use crate::search::STACK_BYTES;

/// Interval between two calls of `on_done` while nothing is done.
const TICK: Duration = Duration::from_millis(250);

/// Does pieces of work on several threads. Returns their results in order, whatever the number of threads.
///
/// `work` gets the number of a piece, from 0, and a flag that asks it to stop; it returns `None` if it fails or stops.
/// `on_done` gets the number of pieces done.
///
/// # Errors
/// If stopped, if no thread can be started, or if a piece of work fails.
pub(super) fn in_order<T: Send>(
    count: usize,
    threads: usize,
    stop: &AtomicBool,
    work: impl Fn(usize, &AtomicBool) -> Option<T> + Sync,
    on_done: &mut dyn FnMut(u64),
) -> Result<Vec<T>, BalanceError> {
    let next = AtomicUsize::new(0);
    let ended = AtomicBool::new(false);
    thread::scope(|scope| {
        let (sender, results) = unbounded();
        for started in 0..threads.clamp(1, count.max(1)) {
            let (sender, next, ended, work) = (sender.clone(), &next, &ended, &work);
            let run = move || {
                while !ended.load(Ordering::Relaxed) {
                    let place = next.fetch_add(1, Ordering::Relaxed);
                    if place >= count || sender.send((place, work(place, ended))).is_err() {
                        break;
                    }
                }
            };
            let thread = thread::Builder::new().name("study".to_owned()).stack_size(STACK_BYTES);
            match thread.spawn_scoped(scope, run) {
                Ok(_) => {}
                Err(error) if started == 0 => return Err(error.into()),
                Err(error) => {
                    log::warn!("{started} games at once instead of {threads}: {error}");
                    break;
                }
            }
        }
        drop(sender);
        let mut done = BTreeMap::new();
        let mut wrong = None;
        while wrong.is_none() && done.len() < count {
            match results.recv_timeout(TICK) {
                Ok((place, Some(result))) => {
                    done.insert(place, result);
                    on_done(done.len() as u64);
                }
                Err(RecvTimeoutError::Timeout) => on_done(done.len() as u64),
                Ok((_, None)) | Err(RecvTimeoutError::Disconnected) => {
                    wrong = Some(BalanceError::Failed);
                }
            }
            if stop.load(Ordering::Relaxed) {
                wrong = Some(BalanceError::Interrupted);
            }
        }
        ended.store(true, Ordering::Relaxed);
        match wrong {
            Some(wrong) => Err(wrong),
            None => Ok(done.into_values().collect()),
        }
    })
}
