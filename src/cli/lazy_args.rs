//! Arguments that are described to the parser only when their command is called.
//!
//! To describe all options of all commands takes longer than many a command runs.

use std::ops::Deref;

use clap::builder::{Resettable, StyledStr};
use clap::{ArgMatches, Args, Command, Error, FromArgMatches, Id};

/// Arguments of a command, in memory of their own: commands differ much in size.
#[derive(Debug)]
pub struct Lazy<T>(Box<T>);

impl<T> Lazy<T> {
    /// Returns the arguments.
    pub fn into_inner(self) -> T {
        *self.0
    }
}

impl<T> Deref for Lazy<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: Args> Args for Lazy<T> {
    fn group_id() -> Option<Id> {
        T::group_id()
    }

    fn augment_args(command: Command) -> Command {
        command.defer(|command| described_as(&command.clone(), T::augment_args(command)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        command.defer(|command| described_as(&command.clone(), T::augment_args_for_update(command)))
    }
}

/// Returns a command with the descriptions of another one: its arguments bring theirs, which come too late here.
fn described_as(other: &Command, command: Command) -> Command {
    let kept = |text: Option<&StyledStr>| text.cloned().map_or(Resettable::Reset, Resettable::Value);
    let (about, long_about) = (kept(other.get_about()), kept(other.get_long_about()));
    command.about(about).long_about(long_about)
}

impl<T: FromArgMatches> FromArgMatches for Lazy<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        T::from_arg_matches(matches).map(|arguments| Self(Box::new(arguments)))
    }

    fn from_arg_matches_mut(matches: &mut ArgMatches) -> Result<Self, Error> {
        T::from_arg_matches_mut(matches).map(|arguments| Self(Box::new(arguments)))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        self.0.update_from_arg_matches(matches)
    }

    fn update_from_arg_matches_mut(&mut self, matches: &mut ArgMatches) -> Result<(), Error> {
        self.0.update_from_arg_matches_mut(matches)
    }
}
