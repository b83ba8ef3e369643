//! How the engine ends, and what stood on its output all the while.

use super::super::{Run, failed, passed};
use super::{Gtp, head};

pub(super) fn quit(gtp: &mut Gtp) -> Run {
    gtp.demand("quit")?;
    gtp.bench.ended("quit")
}

pub(super) fn end_of_input(gtp: &mut Gtp) -> Run {
    gtp.ask("name")?;
    gtp.wire()?.close_input();
    gtp.bench.ended("the end of input")
}

/// Whether one of the last lines answers a command.
fn answered(gtp: &mut Gtp, id: &str) -> Run {
    let (lines, _, _) = gtp.wire()?.end()?;
    gtp.bench.close();
    let found = lines
        .iter()
        .filter_map(|line| head(line))
        .find(|head| head.ok && (head.id == id || id.is_empty()));
    match found {
        Some(head) => passed(head.text.trim()),
        None => failed("no answer"),
    }
}

/// An id with a space behind it, and the id; both empty where the engine echoes none.
fn prefix(gtp: &mut Gtp) -> (String, String) {
    match gtp.ids {
        true => {
            let id = gtp.new_id();
            (format!("{id} "), id)
        }
        false => (String::new(), String::new()),
    }
}

pub(super) fn last_line(gtp: &mut Gtp) -> Run {
    gtp.ask("name")?;
    let (prefix, id) = prefix(gtp);
    let wire = gtp.wire()?;
    wire.write(&format!("{prefix}name"));
    wire.close_input();
    answered(gtp, &id)
}

pub(super) fn end_of_input_while_thinking(gtp: &mut Gtp) -> Run {
    // The engine may know only by a try who is to move.
    let (color, _) = gtp.first_move()?;
    gtp.new_game()?;
    let (prefix, id) = prefix(gtp);
    let wire = gtp.wire()?;
    wire.send(&format!("{prefix}genmove {}", color.letter()));
    wire.close_input();
    answered(gtp, &id)
}

pub(super) fn only_answers(gtp: &mut Gtp) -> Run {
    match &gtp.stray {
        None => passed(""),
        Some(first) => failed(format!(
            "{} to no answer, the first {first}",
            match gtp.strays {
                1 => "1 line belongs".to_owned(),
                lines => format!("{lines} lines belong"),
            }
        )),
    }
}

pub(super) fn plain_answers(gtp: &mut Gtp) -> Run {
    match &gtp.odd {
        None => passed(""),
        Some(line) => failed(line.clone()),
    }
}
