//! A bounded number of places for clients. Idle clients make room for others.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Dismisses the holder of a place if it is idle. Returns true if so.
pub(super) type Dismiss = Box<dyn FnMut() -> bool + Send>;

/// Time for which no holder is dismissed: a client that has connected needs some to send its request.
const MIN_TIME: Duration = Duration::from_millis(20);

/// A number of places.
pub(super) struct Places {
    count: usize,
    taken: Mutex<Taken>,
    freed: Condvar,
}

#[derive(Default)]
struct Taken {
    /// The oldest first.
    holders: Vec<Holder>,
    /// Number of the next holder.
    next: u64,
}

struct Holder {
    number: u64,
    since: Instant,
    /// `None` if the holder can't be dismissed.
    dismiss: Option<Dismiss>,
}

impl Places {
    pub(super) fn new(count: usize) -> Arc<Self> {
        Arc::new(Self { count, taken: Mutex::default(), freed: Condvar::new() })
    }

    /// Takes a place. If all are taken, dismisses the oldest idle holder, or waits.
    pub(super) fn take(self: &Arc<Self>, dismiss: Dismiss) -> Place {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        while taken.holders.len() >= self.count && !taken.dismiss_oldest() {
            let waited = self.freed.wait_timeout(taken, MIN_TIME / 2);
            (taken, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
        let number = taken.next;
        taken.next += 1;
        taken.holders.push(Holder { number, since: Instant::now(), dismiss: Some(dismiss) });
        Place { places: Arc::clone(self), number }
    }

    /// Dismisses the oldest idle holder.
    pub(super) fn dismiss_oldest(&self) {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner).dismiss_oldest();
    }
}

impl Taken {
    /// Dismisses the oldest idle holder. Returns false if there is none.
    fn dismiss_oldest(&mut self) -> bool {
        let mut old = self.holders.iter_mut().take_while(|holder| holder.since.elapsed() >= MIN_TIME);
        let gone = old.position(|holder| holder.dismiss.as_mut().is_some_and(|dismiss| dismiss()));
        gone.map(|index| self.holders.remove(index)).is_some()
    }
}

/// A place that was taken, until it is dropped or its holder is dismissed.
pub(super) struct Place {
    places: Arc<Places>,
    number: u64,
}

impl Place {
    /// Keeps the holder from being dismissed.
    pub(super) fn keep(&self) {
        let mut taken = self.places.taken.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(holder) = taken.holders.iter_mut().find(|holder| holder.number == self.number) {
            holder.dismiss = None;
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.places.taken.lock().unwrap_or_else(PoisonError::into_inner);
        taken.holders.retain(|holder| holder.number != self.number);
        self.places.freed.notify_one();
    }
}
