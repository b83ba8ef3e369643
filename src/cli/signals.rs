//! Signals that stop the program: SIGINT, SIGTERM and SIGHUP, or Ctrl-C where there are no signals.
//!
//! A signal that was ignored when the program started stays ignored, as `nohup` and a script's `&` intend.
//!
//! SIGXFSZ, which ends a program that writes beyond `ulimit -f`, is caught: the write fails instead.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crossbeam_channel::{Receiver, Sender, bounded, never, unbounded};

use super::standard_streams::StandardStreams;
use crate::threads;

/// Makes writing beyond the limit of `ulimit -f` fail with an error, as on a full disk.
///
/// The signal is caught and not ignored: engines and other processes that are started get back its default.
pub fn survive_file_size_limit() {
    #[cfg(unix)]
    if !is_ignored(libc::SIGXFSZ)
        && let Err(error) = signal_hook::flag::register(libc::SIGXFSZ, Arc::default())
    {
        log::warn!("SIGXFSZ is not handled: {error}");
    }
}

/// Returns receivers of which each stop signal closes the next one.
///
/// With `with_output`, a closed standard output closes all of them.
pub(super) fn stops<const COUNT: usize>(with_output: bool) -> [Receiver<()>; COUNT] {
    let mut senders = Vec::new();
    let receivers = [(); COUNT].map(|()| {
        let (sender, receiver) = bounded(0);
        senders.push(sender);
        receiver
    });
    // `pop` takes the last one: the first receiver must close first.
    senders.reverse();
    let senders: Arc<Mutex<Vec<Sender<()>>>> = Arc::new(Mutex::new(senders));
    let stop = |act: fn(&mut Vec<Sender<()>>)| {
        let senders = Arc::clone(&senders);
        move || act(&mut senders.lock().unwrap_or_else(PoisonError::into_inner))
    };
    let next = stop(|senders| drop(senders.pop()));
    if let Err(error) = on_stop(move |_| next()) {
        log::warn!("signals are not handled: {error}");
        return [(); COUNT].map(|()| never());
    }
    if with_output {
        StandardStreams::new().when_output_is_gone(stop(Vec::clear));
    }
    receivers
}

/// Returns a flag that is set by the first stop signal.
pub(super) fn stop_flag() -> Arc<AtomicBool> {
    let (stop, [interrupted]) = (Arc::new(AtomicBool::new(false)), stops(false));
    let flag = Arc::clone(&stop);
    let watch = move || {
        // Nothing is ever sent: this waits until the channel closes.
        let _ = interrupted.recv();
        flag.store(true, Ordering::Relaxed);
    };
    if let Err(error) = threads::spawn("interrupt", threads::STACK, watch) {
        log::warn!("an interrupt is not noticed: {error}");
    }
    stop
}

/// A signal that asks to stop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stop {
    /// SIGINT, or Ctrl-C: stop the present work.
    Interrupt,
    /// Another signal: end the program.
    End,
}

/// Returns a receiver of every stop signal.
pub(super) fn stop_requests() -> Receiver<Stop> {
    let (sender, receiver) = unbounded();
    let send = move |stop| {
        // Who no longer receives is about to end.
        let _ = sender.send(stop);
    };
    match on_stop(send) {
        Ok(()) => receiver,
        Err(error) => {
            log::warn!("signals are not handled: {error}");
            never()
        }
    }
}

/// Calls `stop` on a new thread for each SIGINT, SIGTERM and SIGHUP that is not ignored.
///
/// # Errors
/// If no thread can be started or no handler can be set. `stop` is dropped then.
#[cfg(unix)]
fn on_stop(mut stop: impl FnMut(Stop) + Send + 'static) -> io::Result<()> {
    use libc::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;

    let (ready, is_ready) = bounded(1);
    // The thread sets the handlers: without a thread, signals must still end the program.
    let wait = move || {
        let heeded = [SIGINT, SIGTERM, SIGHUP].into_iter();
        match Signals::new(heeded.filter(|&signal| !is_ignored(signal))) {
            Ok(mut signals) => {
                let _ = ready.send(Ok(()));
                // Runs even if all are ignored, so that `stop` is not dropped.
                signals.forever().for_each(|signal| {
                    stop(match signal {
                        SIGINT => Stop::Interrupt,
                        _ => Stop::End,
                    });
                });
            }
            Err(error) => drop(ready.send(Err(error))),
        }
    };
    threads::spawn("signals", threads::STACK, wait)?;
    is_ready.recv().map_err(io::Error::other)?
}

/// Returns true if the parent process made this program ignore a signal.
#[cfg(unix)]
fn is_ignored(signal: libc::c_int) -> bool {
    use std::mem::MaybeUninit;
    use std::ptr;

    let mut action = MaybeUninit::<libc::sigaction>::uninit();
    // SAFETY: with a null new action nothing changes, and `action` has room for the current one.
    #[expect(unsafe_code, reason = "there is no other way to ask")]
    let action = unsafe {
        match libc::sigaction(signal, ptr::null(), action.as_mut_ptr()) {
            0 => action.assume_init(),
            _ => return false,
        }
    };
    action.sa_sigaction == libc::SIG_IGN
}

/// Calls `stop` on a new thread for each Ctrl-C.
///
/// # Errors
/// If no handler can be set. `stop` is dropped then.
#[cfg(not(unix))]
fn on_stop(mut stop: impl FnMut(Stop) + Send + 'static) -> io::Result<()> {
    ctrlc::set_handler(move || stop(Stop::Interrupt)).map_err(io::Error::other)
}
