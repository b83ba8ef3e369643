//! Detects a closed standard output and the end of standard input, without reading or writing.
//!
//! Only a pipe or a socket has a peer that can close its end.

use crate::threads;
#[cfg(unix)]
use unix::End;

/// Standard input and output.
pub struct StandardStreams {
    #[cfg(unix)]
    input: End,
    #[cfg(unix)]
    output: End,
}

#[cfg(unix)]
impl StandardStreams {
    /// Returns the standard streams of this process.
    pub fn new() -> Self {
        Self { input: End::new(std::io::stdin()), output: End::new(std::io::stdout()) }
    }

    /// Returns true if the reader of standard output has closed it.
    pub fn output_is_gone(&self) -> bool {
        self.output.has_hung_up()
    }

    /// Returns true if standard input will bring no more than is already buffered.
    pub fn input_has_ended(&self) -> bool {
        self.input.is_complete() || self.input.has_hung_up()
    }

    /// Calls `act` on a new thread when the reader of standard output closes it.
    pub fn when_output_is_gone(self, act: impl FnOnce() + Send + 'static) {
        if !self.output.may_hang_up() {
            // Dropping a sender that `act` holds would signal its receiver.
            std::mem::forget(act);
            return;
        }
        let watch = move || {
            while !self.output.wait() {}
            log::info!("standard output was closed by its reader");
            act();
        };
        if let Err(error) = threads::spawn("output", threads::STACK, watch) {
            log::warn!("a closed standard output will not be noticed: {error}");
        }
    }
}

#[cfg(not(unix))]
impl StandardStreams {
    /// Returns the standard streams of this process.
    pub fn new() -> Self {
        Self {}
    }

    /// Returns false: not supported on this system.
    pub fn output_is_gone(&self) -> bool {
        false
    }

    /// Returns false: not supported on this system.
    pub fn input_has_ended(&self) -> bool {
        false
    }

    /// Does nothing: not supported on this system.
    pub fn when_output_is_gone(self, act: impl FnOnce() + Send + 'static) {
        std::mem::forget(act);
    }
}

/// Exits when the reader of standard output closes it, as SIGPIPE ends most programs.
///
/// For commands whose only result is their output.
pub fn end_with_output() {
    StandardStreams::new().when_output_is_gone(|| {
        #[expect(clippy::exit, reason = "nothing needs cleaning up, and the working threads need not poll")]
        std::process::exit(0)
    });
}

#[cfg(unix)]
mod unix {
    use std::fs::File;
    use std::os::fd::AsFd;
    use std::os::unix::fs::FileTypeExt;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    /// The file behind a standard stream.
    pub(super) enum End {
        /// A pipe or a socket.
        Shared(File),
        /// A file, or a device that is not a terminal: complete, without a peer.
        Whole,
        /// A terminal, or a stream that can't be inspected.
        Other,
    }

    impl End {
        pub(super) fn new(end: impl AsFd + std::io::IsTerminal) -> Self {
            let file = end.as_fd().try_clone_to_owned().map(File::from);
            let kind = |file: &File| file.metadata().map(|data| data.file_type());
            match file.and_then(|file| Ok((kind(&file)?, file))) {
                Ok((kind, file)) if kind.is_fifo() || kind.is_socket() => Self::Shared(file),
                Ok((kind, _)) if kind.is_file() => Self::Whole,
                Ok((kind, _)) if kind.is_char_device() && !end.is_terminal() => Self::Whole,
                _ => Self::Other,
            }
        }

        pub(super) fn may_hang_up(&self) -> bool {
            matches!(self, Self::Shared(_))
        }

        pub(super) fn is_complete(&self) -> bool {
            matches!(self, Self::Whole)
        }

        /// Returns true if the peer has closed its end.
        pub(super) fn has_hung_up(&self) -> bool {
            self.poll(Some(&Timespec::default()))
        }

        /// Waits until the peer closes its end. Returns false if the wait was interrupted.
        pub(super) fn wait(&self) -> bool {
            self.poll(None)
        }

        fn poll(&self, time: Option<&Timespec>) -> bool {
            let Self::Shared(file) = self else {
                return false;
            };
            // poll(2) reports these two without being asked.
            let gone = PollFlags::ERR | PollFlags::HUP;
            let mut ends = [PollFd::new(file, PollFlags::empty())];
            let polled = poll(&mut ends, time);
            let [end] = ends;
            polled.is_ok() && end.revents().intersects(gone)
        }
    }
}
