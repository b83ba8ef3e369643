//! Floor 0: threads that are started where memory may end.

use std::io;

use bytemuck::allocation::try_zeroed_slice_box;
use crossbeam_channel::{Sender, bounded};

/// The memory that must be left for a thread that starts, in bytes. Freed, it goes back to the system: malloc keeps no
/// more than half of it for itself.
const START: usize = 64 << 20;

/// Holds so many bytes, so that something else is refused before the last memory is gone. What is asked for and never
/// touched costs next to nothing.
///
/// # Errors
/// Where they are not there.
pub fn hold(bytes: usize) -> io::Result<Box<[u8]>> {
    try_zeroed_slice_box(bytes).map_err(|()| io::ErrorKind::OutOfMemory.into())
}

/// Starts a thread with `spawn`, which is given what the thread has to send to as it begins, and waits for that.
///
/// A thread takes memory for its signal stack before it begins, and the standard library ends the whole program where
/// there is none. So that much is kept free, and one thread starts at a time.
///
/// # Errors
/// There is too little memory, or `spawn` fails.
pub fn start<T>(spawn: impl FnOnce(Sender<()>) -> io::Result<T>) -> io::Result<T> {
    let room = hold(START)?;
    let (begun, begins) = bounded(1);
    let thread = spawn(begun)?;
    drop(room);
    // A thread that has ended has begun, too.
    let _ = begins.recv();
    Ok(thread)
}
