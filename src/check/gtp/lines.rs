//! Checks of reading lines and framing answers.

use std::cmp::Ordering;
use std::thread;
use std::time::Instant;

use super::super::{CheckResult, LONG, PAUSE, failed, noted, passed, skipped};
use super::{Answer, Gtp, UNKNOWN};
use crate::client::connection::{ClientError, Deadline, MAX_LINES, QUIET, time};
use crate::client::output::head;
use crate::text::quote;

/// Number of commands in a flood.
const FLOOD: usize = 2000;

const NO_IDS: &str = "can't be told: the engine echoes no ids";

pub(super) fn first_answer(gtp: &mut Gtp) -> CheckResult {
    const WHAT: &str = "answer to the first command";
    let deadline = gtp.client.connection.deadline();
    let began = Instant::now();
    gtp.client.connection.send("name")?;
    for _ in 0..MAX_LINES {
        let line = gtp.client.connection.line(WHAT, deadline)?;
        if head(&line).is_some() {
            // The next check reads the rest of this answer.
            gtp.client.connection.close();
            return passed(time(began.elapsed()));
        }
        gtp.client.strays.note(&line);
    }
    Err(ClientError::Endless(WHAT.to_owned()).into())
}

pub(super) fn frame(gtp: &mut Gtp) -> CheckResult {
    gtp.client.ask("name")?;
    passed("")
}

pub(super) fn one_empty_line(gtp: &mut Gtp) -> CheckResult {
    gtp.client.ask("name")?;
    match gtp.client.connection.unsolicited_line(Deadline::new(QUIET))? {
        Some(line) if line.trim().is_empty() => failed("a second empty line behind the answer"),
        _ => passed(""),
    }
}

pub(super) fn one_answer(gtp: &mut Gtp) -> CheckResult {
    gtp.client.ask("name")?;
    let deadline = gtp.client.connection.deadline();
    while !deadline.is_past() {
        match gtp.client.connection.unsolicited_line(Deadline::new(QUIET))? {
            Some(line) if line.trim().is_empty() => {}
            Some(line) => return failed(format!("{} behind the answer", quote(&line))),
            None => return passed(""),
        }
    }
    failed("empty lines without end")
}

/// Sends a line and checks that the very next answer has an id.
fn echoed(gtp: &mut Gtp, line: &str, id: &str) -> Result<Result<Answer, String>, ClientError> {
    gtp.client.connection.send(line)?;
    let answer = gtp.reply(id, &format!("answer to {}", quote(line)))?;
    Ok(if answer.id == id { Ok(answer) } else { Err(format!("{} is answered with {}", quote(line), answer.quoted())) })
}

pub(super) fn ids(gtp: &mut Gtp) -> CheckResult {
    for (line, id) in [("7 name", "7"), (&format!("8 {UNKNOWN}"), "8")] {
        if let Err(what) = echoed(gtp, line, id)? {
            return failed(what);
        }
    }
    gtp.client.ids = true;
    passed("")
}

pub(super) fn extreme_ids(gtp: &mut Gtp) -> CheckResult {
    if !gtp.client.ids {
        return skipped(NO_IDS);
    }
    for id in ["0", "2147483647"] {
        if let Err(what) = echoed(gtp, &format!("{id} name"), id)? {
            return failed(what);
        }
    }
    passed("")
}

/// Sends lines that amount to `name` with an id, and checks that there is one answer.
fn taken_for_name(gtp: &mut Gtp, lines: impl Fn(&str) -> String) -> CheckResult {
    let id = gtp.client.new_id();
    gtp.client.connection.write(&lines(&id))?;
    answers_name(gtp, &id)
}

fn answers_name(gtp: &mut Gtp, id: &str) -> CheckResult {
    let answer = gtp.reply(id, "answer to name")?;
    let expected = if gtp.client.ids { id } else { "" };
    if answer.ok && answer.id == expected {
        passed("")
    } else {
        failed(format!("answered with {}, which is not the answer to name", answer.quoted()))
    }
}

pub(super) fn lonely_id(gtp: &mut Gtp) -> CheckResult {
    if !gtp.client.ids {
        return skipped(NO_IDS);
    }
    let (id, next) = (gtp.client.new_id(), gtp.client.new_id());
    gtp.client.connection.write(&format!("{id}\n{next} name\n"))?;
    let answers = gtp.answers_until(&next, "answer to the command behind it")?;
    match answers.iter().rev().nth(1) {
        None => failed("no answer"),
        Some(answer) if answer.ok => failed(format!("answered with {}", answer.quoted())),
        Some(answer) if answer.id != id => failed(format!("answered with {}", answer.quoted())),
        Some(_) => passed(""),
    }
}

pub(super) fn tabs(gtp: &mut Gtp) -> CheckResult {
    taken_for_name(gtp, |id| format!("{id}\tname\t\n"))
}

pub(super) fn carriage_returns(gtp: &mut Gtp) -> CheckResult {
    taken_for_name(gtp, |id| format!("{id} name\r\n"))
}

pub(super) fn spaces(gtp: &mut Gtp) -> CheckResult {
    taken_for_name(gtp, |id| format!("  {id}   name  \n"))
}

pub(super) fn control_characters(gtp: &mut Gtp) -> CheckResult {
    taken_for_name(gtp, |id| format!("{id} na\u{7}m\u{1}e\n"))
}

pub(super) fn comments(gtp: &mut Gtp) -> CheckResult {
    taken_for_name(gtp, |id| format!("# a comment\n\n   \n\t\n  # another\n{id} name # a third\n"))
}

/// Sends commands at once and checks that the answers come in order.
fn in_order(gtp: &mut Gtp, commands: &[&str]) -> CheckResult {
    let asked: Vec<_> = commands.iter().map(|name| (gtp.client.new_id(), name)).collect();
    let Some((last, _)) = asked.last() else {
        return passed("");
    };
    let lines = asked.iter().map(|(id, name)| format!("{id} {name}\n"));
    let text: String = lines.collect();
    let began = Instant::now();
    gtp.client.connection.write(&text)?;
    let mut answers = gtp.answers_until(last, "answer to every command")?;
    // Another check counts the answers of a command.
    answers.dedup_by(|a, b| a.id == b.id);
    answers.retain(|answer| answer.id.is_empty() || asked.iter().any(|(id, _)| *id == answer.id));
    for ((id, name), answer) in asked.iter().zip(&answers) {
        if answer.id != *id {
            let command = quote(&format!("{id} {name}"));
            return failed(format!("{command} is answered with {}", answer.quoted()));
        }
    }
    match answers.len().cmp(&asked.len()) {
        Ordering::Equal => passed(time(began.elapsed())),
        _ => failed(format!("{} answers to {} commands", answers.len(), asked.len())),
    }
}

pub(super) fn pipelined(gtp: &mut Gtp) -> CheckResult {
    if !gtp.client.ids {
        return skipped(NO_IDS);
    }
    let commands = ["name", "version", UNKNOWN, "protocol_version", "name"];
    in_order(gtp, &commands)
}

pub(super) fn two_writes(gtp: &mut Gtp) -> CheckResult {
    let id = gtp.client.new_id();
    gtp.client.connection.write(&format!("{id} na"))?;
    thread::sleep(PAUSE);
    gtp.client.connection.write("me\n")?;
    answers_name(gtp, &id)
}

pub(super) fn flood(gtp: &mut Gtp) -> CheckResult {
    if !gtp.client.ids {
        return skipped(NO_IDS);
    }
    in_order(gtp, &["name"; FLOOD])
}

pub(super) fn long_line(gtp: &mut Gtp) -> CheckResult {
    if !gtp.client.ids {
        return skipped(NO_IDS);
    }
    let (id, next) = (gtp.client.new_id(), gtp.client.new_id());
    let lines = format!("{id} {}\n{next} name\n", "x".repeat(LONG));
    gtp.client.connection.write(&lines)?;
    let answers = gtp.answers_until(&next, "answer to the command behind it")?;
    match answers.as_slice() {
        [answer, _] if !answer.ok => passed(""),
        [answer, _] => noted(format!("accepted: {}", answer.quoted())),
        [_] => noted("not answered, but the next command was"),
        _ => noted(format!("{} answers to one line", answers.len() - 1)),
    }
}
