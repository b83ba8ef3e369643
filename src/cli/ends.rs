//! The two ends of the program: whether anybody still reads its output, and whether its input can bring no more.
//!
//! Only a pipe or a socket has somebody at its other end who may go away. They are asked without being written to.

#[cfg(unix)]
use unix::End;

/// Standard input and output.
pub struct Ends {
    #[cfg(unix)]
    input: End,
    #[cfg(unix)]
    output: End,
}

#[cfg(unix)]
impl Ends {
    /// Those of this process.
    pub fn new() -> Self {
        Self {
            input: End::new(std::io::stdin()),
            output: End::new(std::io::stdout()),
        }
    }

    /// Whether whoever read the output is gone.
    pub fn output_is_gone(&self) -> bool {
        self.output.has_hung_up()
    }

    /// Whether everything that the input will ever bring is there, read or not.
    pub fn input_has_ended(&self) -> bool {
        self.input.is_complete() || self.input.has_hung_up()
    }

    /// Does something once whoever reads the output is gone, if ever.
    pub fn when_output_is_gone(self, act: impl FnOnce() + Send + 'static) {
        if !self.output.may_hang_up() {
            // What it holds may say by its end that something has happened.
            std::mem::forget(act);
            return;
        }
        let watch = move || {
            while !self.output.wait() {}
            log::info!("nobody reads the output any more");
            act();
        };
        let thread = std::thread::Builder::new().name("output".to_owned());
        if let Err(error) = thread.spawn(watch) {
            log::warn!("nobody will notice when the output is read no more: {error}");
        }
    }
}

#[cfg(not(unix))]
impl Ends {
    /// Those of this process.
    pub fn new() -> Self {
        Self {}
    }

    /// Not known here.
    pub fn output_is_gone(&self) -> bool {
        false
    }

    /// Not known here.
    pub fn input_has_ended(&self) -> bool {
        false
    }

    /// Does nothing: it is not known here.
    pub fn when_output_is_gone(self, act: impl FnOnce() + Send + 'static) {
        std::mem::forget(act);
    }
}

/// Ends the program once nobody reads its output, as a signal ends most programs then: what it works out is for that
/// output alone.
pub fn end_with_output() {
    Ends::new().when_output_is_gone(|| {
        #[expect(
            clippy::exit,
            reason = "nothing is left behind, and whoever works need not ask for it"
        )]
        std::process::exit(0)
    });
}

#[cfg(unix)]
mod unix {
    use std::fs::File;
    use std::os::fd::AsFd;
    use std::os::unix::fs::FileTypeExt;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    /// One of them.
    pub(super) enum End {
        /// A pipe or a socket.
        Shared(File),
        /// A file, or a device that is no terminal: it has no other end, and all of it is there.
        Whole,
        /// A terminal, or something that can't be asked.
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

        /// Whether nobody is at the other end.
        pub(super) fn has_hung_up(&self) -> bool {
            self.poll(Some(&Timespec::default()))
        }

        /// Waits until nobody is at the other end; false where the waiting was interrupted.
        pub(super) fn wait(&self) -> bool {
            self.poll(None)
        }

        fn poll(&self, time: Option<&Timespec>) -> bool {
            let Self::Shared(file) = self else {
                return false;
            };
            // These two are told of without being asked for.
            let gone = PollFlags::ERR | PollFlags::HUP;
            let mut ends = [PollFd::new(file, PollFlags::empty())];
            let polled = poll(&mut ends, time);
            let [end] = ends;
            polled.is_ok() && end.revents().intersects(gone)
        }
    }
}
