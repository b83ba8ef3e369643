//! Pictures of a running search, on their way to standard error.

use std::io::Write;
use std::thread;

use crossbeam_channel::{Sender, bounded};

/// A thread that writes pictures, so that a client that does not read them holds nothing up.
pub(super) struct Live(Option<Sender<String>>);

impl Live {
    /// Starts to write.
    pub(super) fn new(mut output: impl Write + Send + 'static) -> Self {
        let (sender, pictures) = bounded::<String>(1);
        let write = move || {
            for picture in pictures {
                let block = format!("gogui-gfx:\n{picture}\n\n");
                let written = output.write_all(block.as_bytes());
                if written.and_then(|()| output.flush()).is_err() {
                    return;
                }
            }
        };
        let thread = thread::Builder::new().name("pictures".to_owned());
        match thread.spawn(write) {
            Ok(_) => Self(Some(sender)),
            Err(error) => {
                log::warn!("no pictures of searches: {error}");
                Self(None)
            }
        }
    }

    /// Shows a picture, unless the one before has not been taken yet.
    pub(super) fn show(&self, picture: String) {
        if let Some(sender) = &self.0 {
            let _ = sender.try_send(picture);
        }
    }
}
