//! The command `review`: where the game was decided.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use crossbeam_channel::{Receiver, select, unbounded};

use super::game::{CommandError, Game, refuse};
use crate::cli::signals::Stop;
use crate::review::{Review, ReviewError, Settings, TableGame, review};
use crate::search::STACK_BYTES;
use crate::study::error::StudyError;
use crate::threads;

/// Report of the thread of a review.
enum Event {
    Progress(usize, usize),
    Done(Result<Box<Review>, ReviewError>),
}

impl Game<'_> {
    /// Reviews the game, prints the moves that decided it, and notes what was better in its record.
    pub(super) fn review(&mut self) -> Result<(), CommandError> {
        let game = TableGame::of(&self.table);
        if game.is_empty() {
            return refuse("No move has been played.");
        }
        let settings = Settings::of_table(&self.table);
        let stop = AtomicBool::new(false);
        let mut evaluations = std::mem::take(&mut self.evaluations);
        self.drop_interrupts()?;
        let reviewed = thread::scope(|scope| {
            let (sender, events) = unbounded();
            let (game, stop, evaluations) = (&game, &stop, &mut evaluations);
            let started = threads::spawn_scoped(scope, "review", STACK_BYTES, move || {
                let progress = &mut |done, all| drop(sender.send(Event::Progress(done, all)));
                let reviewed = review(&game.record, &settings, evaluations, stop, progress);
                let _ = sender.send(Event::Done(reviewed.map(Box::new)));
            });
            match started {
                Ok(_) => self.wait_for_review(&events, stop),
                Err(error) => refuse(format!("No thread for the review: {error}.")),
            }
        });
        self.evaluations = evaluations;
        let review = reviewed?;
        game.annotate(&mut self.table, &review);
        self.is_saved = false;
        self.tell_review(&review)
    }

    /// Shows the progress of a review until it ends. Ctrl-C stops it.
    fn wait_for_review(&mut self, events: &Receiver<Event>, stop: &AtomicBool) -> Result<Box<Review>, CommandError> {
        let mut is_ending = false;
        let reviewed = loop {
            select! {
                recv(events) -> event => match event {
                    Ok(Event::Progress(done, all)) if self.terminal.is_terminal => {
                        write!(self.output, "\rReviewing: {done} of {all} searches; Ctrl-C: stop … ")?;
                        self.output.flush()?;
                    }
                    Ok(Event::Progress(..)) => {}
                    Ok(Event::Done(reviewed)) => break reviewed,
                    Err(_) => return refuse("The review has failed; see the log."),
                },
                recv(self.person.stops) -> signal => {
                    stop.store(true, Ordering::Relaxed);
                    is_ending |= signal != Ok(Stop::Interrupt);
                }
            }
        };
        if self.terminal.is_terminal {
            // Back to the first column, and erase.
            write!(self.output, "\r\x1b[K")?;
        }
        match reviewed {
            _ if is_ending => Err(CommandError::Ended),
            Ok(review) => Ok(review),
            Err(ReviewError::Search(StudyError::Interrupted)) => refuse("The review was stopped; review resumes it."),
            Err(error) => refuse(format!("The review has failed: {error}.")),
        }
    }

    fn tell_review(&mut self, review: &Review) -> Result<(), CommandError> {
        if review.mistakes().is_empty() {
            self.say("No mistake was found.")?;
            return Ok(());
        }
        self.say("What decided it:")?;
        for made in review.decisive() {
            self.say_indented(&format!("  {}. {}", made.headline(), made.better()), 4)?;
        }
        self.say("save FILE keeps scores, marks and better lines; goto goes to a move.")?;
        Ok(())
    }
}
