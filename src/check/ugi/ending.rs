//! Checks of the end of the process, and of unsolicited output.

use super::super::{CheckResult, NoVerdict, ended, failed, passed};
use super::Ugi;

/// Starts a search that does not end by itself.
fn search(ugi: &mut Ugi) -> Result<(), NoVerdict> {
    ugi.new_game()?;
    ugi.go("infinite")
}

pub(super) fn quit(ugi: &mut Ugi) -> CheckResult {
    ugi.client.ready()?;
    ugi.client.send("quit")?;
    ended(&mut ugi.client.connection, "quit")
}

pub(super) fn quit_while_searching(ugi: &mut Ugi) -> CheckResult {
    search(ugi)?;
    ugi.client.send("quit")?;
    ended(&mut ugi.client.connection, "quit")
}

pub(super) fn end_of_input(ugi: &mut Ugi) -> CheckResult {
    ugi.client.ready()?;
    ugi.client.engine()?.close_input()?;
    ended(&mut ugi.client.connection, "the end of input")
}

pub(super) fn end_of_input_while_searching(ugi: &mut Ugi) -> CheckResult {
    search(ugi)?;
    ugi.client.engine()?.close_input()?;
    ended(&mut ugi.client.connection, "the end of input")
}

pub(super) fn plain_spaces(ugi: &mut Ugi) -> CheckResult {
    match &ugi.client.spaced {
        None => passed(""),
        Some(line) => failed(line.clone()),
    }
}

pub(super) fn only_protocol(ugi: &mut Ugi) -> CheckResult {
    match &ugi.client.strays.first {
        None => passed(""),
        Some(first) => failed(format!(
            "{} with no word of the protocol, the first {first}",
            match ugi.client.strays.count {
                1 => "1 line begins".to_owned(),
                lines => format!("{lines} lines begin"),
            }
        )),
    }
}
