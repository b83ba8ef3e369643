//! Checks of the end of the process, and of unsolicited output.

use super::super::{CheckResult, ended, failed, passed};
use super::Gtp;
use crate::client::gtp::genmove;
use crate::client::output::head;

pub(super) fn quit(gtp: &mut Gtp) -> CheckResult {
    gtp.client.demand("quit")?;
    ended(&mut gtp.client.connection, "quit")
}

pub(super) fn end_of_input(gtp: &mut Gtp) -> CheckResult {
    gtp.client.ask("name")?;
    gtp.client.connection.close_input()?;
    ended(&mut gtp.client.connection, "the end of input")
}

/// Returns true if one of the last lines answers a command.
fn answered(gtp: &mut Gtp, id: Option<&str>) -> CheckResult {
    let (lines, _, _) = gtp.client.connection.end()?;
    let found = lines.iter().filter_map(|line| head(line)).find(|head| head.ok && id.is_none_or(|id| head.id == id));
    match found {
        Some(head) => passed(head.text.trim()),
        None => failed("no answer"),
    }
}

pub(super) fn last_line(gtp: &mut Gtp) -> CheckResult {
    gtp.client.ask("name")?;
    let (line, id) = gtp.client.numbered("name");
    let connection = &mut gtp.client.connection;
    connection.write(&line)?;
    connection.close_input()?;
    answered(gtp, id.as_deref())
}

pub(super) fn end_of_input_while_thinking(gtp: &mut Gtp) -> CheckResult {
    // The side to move is only known by trying.
    let (color, _) = gtp.first_move()?;
    gtp.new_game()?;
    let (line, id) = gtp.client.numbered(&genmove(color));
    let connection = &mut gtp.client.connection;
    connection.send(&line)?;
    connection.close_input()?;
    answered(gtp, id.as_deref())
}

pub(super) fn only_answers(gtp: &mut Gtp) -> CheckResult {
    match &gtp.client.strays.first {
        None => passed(""),
        Some(first) => failed(format!(
            "{} to no answer, the first {first}",
            match gtp.client.strays.count {
                1 => "1 line belongs".to_owned(),
                lines => format!("{lines} lines belong"),
            }
        )),
    }
}

pub(super) fn plain_answers(gtp: &mut Gtp) -> CheckResult {
    match &gtp.client.odd {
        None => passed(""),
        Some(line) => failed(line.clone()),
    }
}
