//! How the engine ends, and what stood on its output all the while.

use super::super::wire::time;
use super::super::{Run, failed, noted, passed};
use super::Ugi;

/// Waits for the process to end by itself, as it should.
fn ended(ugi: &mut Ugi, behind: &str) -> Run {
    let (_, status, took) = ugi.wire()?.end();
    ugi.bench.close();
    match status {
        None => failed(format!("still running {} behind {behind}", time(took))),
        Some(status) if !status.success() => noted(format!("ends with {status}")),
        Some(_) => passed(time(took)),
    }
}

/// Has a search running that does not end by itself.
fn search(ugi: &mut Ugi) -> Result<(), super::Fault> {
    ugi.new_game()?;
    ugi.go("infinite")
}

pub(super) fn quit(ugi: &mut Ugi) -> Run {
    ugi.ready()?;
    ugi.send("quit")?;
    ended(ugi, "quit")
}

pub(super) fn quit_while_searching(ugi: &mut Ugi) -> Run {
    search(ugi)?;
    ugi.send("quit")?;
    ended(ugi, "quit")
}

pub(super) fn end_of_input(ugi: &mut Ugi) -> Run {
    ugi.ready()?;
    ugi.wire()?.close_input();
    ended(ugi, "the end of input")
}

pub(super) fn end_of_input_while_searching(ugi: &mut Ugi) -> Run {
    search(ugi)?;
    ugi.wire()?.close_input();
    ended(ugi, "the end of input")
}

pub(super) fn only_protocol(ugi: &mut Ugi) -> Run {
    match &ugi.stray {
        None => passed(""),
        Some(first) => failed(format!(
            "{} lines begin with no word of the protocol, the first {first}",
            ugi.strays
        )),
    }
}
