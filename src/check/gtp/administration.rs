//! Checks of administrative commands and errors.

use super::super::{CheckResult, failed, passed};
use super::{Gtp, UNKNOWN, expect_error};
use crate::text::quote;

/// The commands that the standard requires.
const REQUIRED: &[&str] = &[
    "protocol_version",
    "name",
    "version",
    "known_command",
    "list_commands",
    "quit",
    "boardsize",
    "clear_board",
    "komi",
    "play",
    "genmove",
];

/// Commands with arguments that are wrong in every game.
const WRONG: &[&str] =
    &["play", "play b", "play purple a1", "genmove", "genmove purple", "boardsize", "boardsize large", "komi much"];

pub(super) fn unknown_command(gtp: &mut Gtp) -> CheckResult {
    let answer = gtp.client.ask(UNKNOWN)?;
    if answer.ok {
        return failed(format!("accepted: {}", answer.quoted()));
    }
    gtp.client.demand("name")?;
    expect_error(&answer, "unknown command")
}

pub(super) fn protocol_version(gtp: &mut Gtp) -> CheckResult {
    let version = gtp.client.demand("protocol_version")?;
    match version.trim() {
        "2" => passed(""),
        other => failed(format!("{}, not 2", quote(other))),
    }
}

pub(super) fn name_and_version(gtp: &mut Gtp) -> CheckResult {
    let name = gtp.client.demand("name")?;
    let version = gtp.client.demand("version")?;
    let (name, version) = (name.trim(), version.trim());
    match name {
        "" => failed("the name is empty"),
        _ if name.lines().count() > 1 => failed("the name has more than one line"),
        _ => passed(format!("{name} {version}").trim_end()),
    }
}

pub(super) fn list(gtp: &mut Gtp) -> CheckResult {
    let list = gtp.client.demand("list_commands")?;
    for line in list.trim().lines() {
        if line.trim().is_empty() || line.trim().contains(char::is_whitespace) {
            return failed(format!("{} is not a command", quote(line)));
        }
    }
    passed(format!("{} commands", list.trim().lines().count()))
}

pub(super) fn required_commands(gtp: &mut Gtp) -> CheckResult {
    let mut missing = Vec::new();
    for command in REQUIRED {
        if !gtp.client.has(command)? {
            missing.push(*command);
        }
    }
    match missing.as_slice() {
        [] => passed(""),
        _ => failed(format!("not listed: {}", missing.join(", "))),
    }
}

pub(super) fn known_commands(gtp: &mut Gtp) -> CheckResult {
    let listed = gtp.client.commands()?.to_vec();
    let nonsense = (UNKNOWN.to_owned(), "false");
    let asked = listed.into_iter().map(|name| (name, "true"));
    for (name, expected) in asked.chain([nonsense]) {
        let command = format!("known_command {name}");
        let answer = gtp.client.demand(&command)?;
        if answer.trim() != expected {
            let (command, answer) = (quote(&command), quote(answer.trim()));
            return failed(format!("{command} is answered with {answer}, not {expected}"));
        }
    }
    passed("")
}

pub(super) fn absurd_size(gtp: &mut Gtp) -> CheckResult {
    let answer = gtp.client.ask("boardsize 1000000")?;
    expect_error(&answer, "unacceptable size")
}

pub(super) fn wrong_arguments(gtp: &mut Gtp) -> CheckResult {
    let mut accepted = Vec::new();
    for command in WRONG {
        let answer = gtp.client.ask(command)?;
        if answer.ok {
            accepted.push(quote(command));
        }
    }
    gtp.client.demand("name")?;
    match accepted.as_slice() {
        [] => passed(""),
        _ => failed(format!("accepted: {}", accepted.join(", "))),
    }
}
