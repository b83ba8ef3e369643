//! Signals that ask the program to stop. One that was ignored when the program was started stays ignored: so `nohup`
//! and a script's `&` say that nobody is to be disturbed by it.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use crossbeam_channel::{Receiver, Sender, bounded, never};

use super::ends::Ends;

/// Receivers that close one after the other, one for each signal that asks the program to stop.
///
/// `with_output` closes all of them once nobody reads the output.
pub(super) fn stops<const COUNT: usize>(with_output: bool) -> [Receiver<()>; COUNT] {
    let mut senders = Vec::new();
    let receivers = [(); COUNT].map(|()| {
        let (sender, receiver) = bounded(0);
        senders.push(sender);
        receiver
    });
    // The first one is to be taken first.
    senders.reverse();
    let senders: Arc<Mutex<Vec<Sender<()>>>> = Arc::new(Mutex::new(senders));
    let stop = |act: fn(&mut Vec<Sender<()>>)| {
        let senders = Arc::clone(&senders);
        move || act(&mut senders.lock().unwrap_or_else(PoisonError::into_inner))
    };
    if let Err(error) = on_stop(stop(|senders| drop(senders.pop()))) {
        log::warn!("signals are not handled: {error}");
        return [(); COUNT].map(|()| never());
    }
    if with_output {
        Ends::new().when_output_is_gone(stop(Vec::clear));
    }
    receivers
}

/// Calls `stop` on a thread of its own for each SIGINT, SIGTERM and SIGHUP that is not ignored.
///
/// # Errors
/// Where the system has no thread for it, or no handler can be set; `stop` is dropped then.
#[cfg(unix)]
fn on_stop(mut stop: impl FnMut() + Send + 'static) -> io::Result<()> {
    use std::thread;

    use libc::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;

    let (ready, is_ready) = bounded(1);
    // The handlers are set on the thread: without one, signals end the program as ever.
    let wait = move || {
        let heeded = [SIGINT, SIGTERM, SIGHUP].into_iter();
        match Signals::new(heeded.filter(|&signal| !is_ignored(signal))) {
            Ok(mut signals) => {
                let _ = ready.send(Ok(()));
                // Also where all are ignored, as `stop` is kept here.
                signals.forever().for_each(|_| stop());
            }
            Err(error) => drop(ready.send(Err(error))),
        }
    };
    thread::Builder::new()
        .name("signals".to_owned())
        .spawn(wait)?;
    is_ready.recv().map_err(io::Error::other)?
}

/// Whether the program was told to ignore a signal by whoever started it.
#[cfg(unix)]
fn is_ignored(signal: libc::c_int) -> bool {
    use std::mem::MaybeUninit;
    use std::ptr;

    let mut action = MaybeUninit::<libc::sigaction>::uninit();
    // SAFETY: without a new action nothing is changed, and the present one is written to where there is room for it.
    #[expect(unsafe_code, reason = "there is no other way to ask")]
    let action = unsafe {
        match libc::sigaction(signal, ptr::null(), action.as_mut_ptr()) {
            0 => action.assume_init(),
            _ => return false,
        }
    };
    action.sa_sigaction == libc::SIG_IGN
}

/// Calls `stop` on a thread of its own for each Ctrl-C.
///
/// # Errors
/// Where no handler can be set; `stop` is dropped then.
#[cfg(not(unix))]
fn on_stop(stop: impl FnMut() + Send + 'static) -> io::Result<()> {
    ctrlc::set_handler(stop).map_err(io::Error::other)
}
