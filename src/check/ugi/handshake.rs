//! Checks of the handshake and of reading lines.

use std::thread;

use super::super::{CheckResult, LONG, PAUSE, failed, passed, skipped};
use super::Ugi;
use crate::client::connection::ClientError;
use crate::client::output::EngineOption;
use crate::client::ugi::setoption;

pub(super) fn ugiok(ugi: &mut Ugi) -> CheckResult {
    ugi.client.engine()?;
    passed("")
}

pub(super) fn readyok(ugi: &mut Ugi) -> CheckResult {
    ugi.client.ready()?;
    passed("")
}

pub(super) fn identity(ugi: &mut Ugi) -> CheckResult {
    ugi.client.engine()?;
    let client = &ugi.client;
    match (client.id("name"), client.id("author")) {
        (Some(name), Some(author)) if !name.is_empty() && !author.is_empty() => passed(format!("{name}, by {author}")),
        (None, _) => failed("no id name"),
        (_, None) => failed("no id author"),
        _ => failed("an empty id"),
    }
}

/// Returns the options that the engine declared.
fn engine_options(ugi: &mut Ugi) -> Result<Vec<EngineOption>, ClientError> {
    ugi.client.engine()?;
    let client = &ugi.client;
    client.options().collect()
}

pub(super) fn options(ugi: &mut Ugi) -> CheckResult {
    let options = engine_options(ugi)?;
    passed(format!("{} options", options.len()))
}

/// Sends lines and checks that the engine still answers.
fn survived(ugi: &mut Ugi, lines: &str) -> CheckResult {
    ugi.client.engine()?.write(lines)?;
    ugi.client.ready()?;
    passed("")
}

pub(super) fn unknown_command(ugi: &mut Ugi) -> CheckResult {
    survived(ugi, "no_such_command at all\n")
}

pub(super) fn unknown_option(ugi: &mut Ugi) -> CheckResult {
    survived(ugi, "setoption name NoSuchOption value 1\nsetoption\nsetoption name\nsetoption name X value\n")
}

pub(super) fn option_out_of_range(ugi: &mut Ugi) -> CheckResult {
    // Another check reports malformed options.
    let options = engine_options(ugi).unwrap_or_default();
    let Some(spin) = options.into_iter().find(|option| option.kind == "spin") else {
        return skipped("the engine has no option of type spin");
    };
    let bound = |text: &Option<String>| text.clone().unwrap_or_default();
    let values = [bound(&spin.max) + "0", "-99999999999999999999".to_owned(), "many".to_owned(), bound(&spin.default)];
    let lines = values.map(|value| setoption(&spin, &value) + "\n");
    survived(ugi, &lines.concat())?;
    passed(spin.name)
}

pub(super) fn carriage_returns(ugi: &mut Ugi) -> CheckResult {
    answered(ugi, "isready\r\n", 1)
}

pub(super) fn blanks(ugi: &mut Ugi) -> CheckResult {
    ugi.new_game()?;
    ugi.client.engine()?.write("  position \t startpos  \n")?;
    answered(ugi, "\t isready \t\n", 1)
}

pub(super) fn blank_lines(ugi: &mut Ugi) -> CheckResult {
    survived(ugi, "\n\n   \n\t\n")
}

pub(super) fn pipelined(ugi: &mut Ugi) -> CheckResult {
    answered(ugi, &"isready\n".repeat(5), 5)
}

/// Sends lines and checks the number of `readyok` answers.
fn answered(ugi: &mut Ugi, lines: &str, times: usize) -> CheckResult {
    ugi.client.engine()?.write(lines)?;
    all_ready(ugi, times)
}

fn all_ready(ugi: &mut Ugi, times: usize) -> CheckResult {
    let deadline = ugi.client.connection.deadline();
    for _ in 0..times {
        ugi.client.until("readyok", deadline)?;
    }
    passed("")
}

pub(super) fn two_writes(ugi: &mut Ugi) -> CheckResult {
    ugi.client.engine()?.write("isre")?;
    thread::sleep(PAUSE);
    answered(ugi, "ady\n", 1)
}

pub(super) fn long_line(ugi: &mut Ugi) -> CheckResult {
    survived(ugi, &format!("{}\n", "x".repeat(LONG)))
}
