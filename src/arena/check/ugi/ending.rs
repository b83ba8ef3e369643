//! How the engine ends, and what stood on its output all the while.

use super::super::{Run, failed, passed};
use super::Ugi;

/// Has a search running that does not end by itself.
fn search(ugi: &mut Ugi) -> Result<(), super::Fault> {
    ugi.new_game()?;
    ugi.go("infinite")
}

pub(super) fn quit(ugi: &mut Ugi) -> Run {
    ugi.ready()?;
    ugi.send("quit")?;
    ugi.bench.ended("quit")
}

pub(super) fn quit_while_searching(ugi: &mut Ugi) -> Run {
    search(ugi)?;
    ugi.send("quit")?;
    ugi.bench.ended("quit")
}

pub(super) fn end_of_input(ugi: &mut Ugi) -> Run {
    ugi.ready()?;
    ugi.wire()?.close_input();
    ugi.bench.ended("the end of input")
}

pub(super) fn end_of_input_while_searching(ugi: &mut Ugi) -> Run {
    search(ugi)?;
    ugi.wire()?.close_input();
    ugi.bench.ended("the end of input")
}

pub(super) fn plain_spaces(ugi: &mut Ugi) -> Run {
    match &ugi.spaced {
        None => passed(""),
        Some(line) => failed(line.clone()),
    }
}

pub(super) fn only_protocol(ugi: &mut Ugi) -> Run {
    match &ugi.stray {
        None => passed(""),
        Some(first) => failed(format!(
            "{} with no word of the protocol, the first {first}",
            match ugi.strays {
                1 => "1 line begins".to_owned(),
                lines => format!("{lines} lines begin"),
            }
        )),
    }
}
