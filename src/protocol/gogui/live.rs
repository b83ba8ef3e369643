//! Live graphics of a running search, written to standard error.

use std::io::Write;

use crate::threads;
use crossbeam_channel::{Sender, bounded};

/// A thread that writes graphics, so that a client that does not read them does not block the search.
pub(super) struct Live(Option<Sender<String>>);

impl Live {
    /// Starts the writing thread.
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
        match threads::spawn("pictures", threads::STACK, write) {
            Ok(_) => Self(Some(sender)),
            Err(error) => {
                log::warn!("no live graphics: {error}");
                Self(None)
            }
        }
    }

    /// Writes graphics, unless the previous ones are still being written.
    pub(super) fn show(&self, picture: String) {
        if let Some(sender) = &self.0 {
            let _ = sender.try_send(picture);
        }
    }
}
