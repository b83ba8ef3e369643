//! Starting threads when memory may run out, and sharing work among those of a pool.

use std::io;
use std::ops::Range;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread::{Builder, JoinHandle, Scope, ScopedJoinHandle};

use bytemuck::allocation::try_zeroed_slice_box;
use crossbeam_channel::{Sender, bounded};

/// Memory that must be free when a thread starts, in bytes.
///
/// An allocation of this size goes back to the system when it is freed: malloc keeps at most half of it.
const START: usize = 64 << 20;

/// Stack of a thread without a search, in bytes: as the standard library has it.
pub const STACK: usize = 2 << 20;

/// Held while a thread starts, so that none takes the memory that another was promised.
static STARTING: Mutex<()> = Mutex::new(());

/// Reserves `bytes` of memory without touching it. Waits for a thread that starts.
///
/// A caller that holds the reserve sees other allocations fail while memory is left to report it. Untouched pages cost
/// next to nothing.
///
/// # Errors
/// [`io::ErrorKind::OutOfMemory`] if the memory is not available.
pub fn hold(bytes: usize) -> io::Result<Box<[u8]>> {
    let _alone = STARTING.lock().unwrap_or_else(PoisonError::into_inner);
    reserve(bytes)
}

fn reserve(bytes: usize) -> io::Result<Box<[u8]>> {
    try_zeroed_slice_box(bytes).map_err(|()| io::ErrorKind::OutOfMemory.into())
}

/// Starts a thread and waits until it runs. `stack` is the size of its stack in bytes, [`STACK`] for most.
///
/// A new thread allocates its signal stack before it runs, and the standard library aborts the program if that fails.
/// Therefore enough memory is reserved first, only one thread starts at a time, and nobody [holds](hold) memory
/// meanwhile.
///
/// # Errors
/// If too little memory is left, or the system refuses a thread.
pub fn spawn(name: &str, stack: usize, work: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    start(|sign| Builder::new().name(name.to_owned()).stack_size(stack).spawn(begin(sign, work)))
}

/// Starts a thread of a scope as [`spawn`] does.
///
/// # Errors
/// As for [`spawn`].
pub fn spawn_scoped<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    name: &str,
    stack: usize,
    work: impl FnOnce() -> T + Send + 'scope,
) -> io::Result<ScopedJoinHandle<'scope, T>> {
    start(|sign| Builder::new().name(name.to_owned()).stack_size(stack).spawn_scoped(scope, begin(sign, work)))
}

/// Returns the work of a new thread, which first drops its sign of life.
fn begin<T>(sign: Sender<()>, work: impl FnOnce() -> T) -> impl FnOnce() -> T {
    move || {
        // Sets up the allocator's memory for this thread, while no other thread starts.
        drop(std::hint::black_box(vec![0_u8; 1 << 10]));
        drop(sign);
        work()
    }
}

fn start<T>(spawn: impl FnOnce(Sender<()>) -> io::Result<T>) -> io::Result<T> {
    let _alone = STARTING.lock().unwrap_or_else(PoisonError::into_inner);
    let room = reserve(START)?;
    let (sign, begun) = bounded(0);
    let thread = spawn(sign)?;
    drop(room);
    // Nothing is sent: the channel closes.
    let _ = begun.recv();
    Ok(thread)
}

/// Returns the results of `work` for the numbers below `count`, in their order. The threads of the current pool share
/// the work.
///
/// Each number must be worth more than a lock: the results wait in one each.
pub fn map<T: Send + Sync>(count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let mut results = Vec::new();
    results.resize_with(count, OnceLock::new);
    let place = |number| results.get(number);
    for_each(0..count, &|number| {
        let result = work(number);
        let _ = place(number).map(|place| place.set(result));
    });
    results.into_iter().filter_map(OnceLock::into_inner).collect()
}

/// Does `work` for the numbers in `numbers`. The threads of the current pool share it: each takes half of what another
/// has left.
fn for_each(numbers: Range<usize>, work: &(dyn Fn(usize) + Sync)) {
    let Range { start, end } = numbers;
    if end - start > 1 {
        let middle = start.midpoint(end);
        rayon_core::join(|| for_each(start..middle, work), || for_each(middle..end, work));
    } else if start < end {
        work(start);
    }
}
