//! Reports of transcripts: for people, and as JSON.

use serde_json::{Value, json as object};

use super::run::{Difference, Failure, FailureKind, FileReport};
use crate::text::{counted, cut};

/// Maximum number of lines of an answer in the context of a difference.
const CONTEXT_LINES: usize = 4;

/// Maximum number of rows shown of one difference.
const MAX_ROWS: usize = 200;

/// Returns the text of a difference.
pub(super) fn difference(file: &str, difference: &Difference) -> String {
    let Difference { line, command, context, rows, note, .. } = difference;
    let mut text = format!("{file}:{line}: {}\n", cut(command));
    for (command, answer) in context {
        text.push_str(&format!("      > {}\n", cut(command)));
        for line in answer.iter().take(CONTEXT_LINES) {
            text.push_str(format!("      < {}", cut(line)).trim_end());
            text.push('\n');
        }
        if answer.len() > CONTEXT_LINES {
            text.push_str(&format!("      … {} more\n", counted((answer.len() - CONTEXT_LINES) as u64, "line")));
        }
    }
    text.push_str(&format!("      > {command}\n"));
    for row in rows.iter().take(MAX_ROWS) {
        text.push_str(&format!("    {} {}\n", row.mark, row.text));
    }
    if rows.len() > MAX_ROWS {
        text.push_str(&format!("    … {} more\n", counted((rows.len() - MAX_ROWS) as u64, "line")));
    }
    if let Some(note) = note {
        text.push_str(&format!("      ({note})\n"));
    }
    text
}

/// Returns the text of a failure.
fn failure(file: &str, failure: &Failure) -> String {
    let Failure { line, command, what, answer, errors, .. } = failure;
    let place = if *line == 0 { file.to_owned() } else { format!("{file}:{line}") };
    let mut text = match command {
        Some(command) => format!("{place}: {what}, after: {}\n", cut(command)),
        None => format!("{place}: {what}\n"),
    };
    let last = |lines: &[String], mark: &str| {
        let first = lines.len().saturating_sub(10);
        let lines = lines.iter().skip(first);
        lines.map(|line| format!("    {mark} {}\n", cut(line))).collect::<String>()
    };
    text.push_str(&last(answer, "<"));
    text.push_str(&last(errors, "!"));
    text
}

/// Returns all that is wrong with a transcript, for people; nothing if nothing is.
pub fn text(file: &str, report: &FileReport) -> String {
    let mut text: String = report.differences.iter().map(|found| difference(file, found)).collect();
    if let Some(found) = &report.failure {
        text.push_str(&failure(file, found));
    }
    text
}

impl FailureKind {
    /// Returns the word that reports have for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Unusable => "unusable",
            Self::Crashed => "crash",
            Self::TimedOut => "timeout",
            Self::Interrupted => "interrupted",
        }
    }
}

/// Returns the report of a transcript as JSON.
pub fn json(file: &str, report: &FileReport) -> Value {
    let differences = report.differences.iter().map(|difference| {
        let side = |mark: char| {
            let rows = difference.rows.iter().filter(|row| row.mark == mark || row.mark == ' ');
            rows.map(|row| row.text.clone()).collect::<Vec<_>>()
        };
        object!({
            "line": difference.line,
            "command": difference.command,
            "expected": side('-'),
            "answer": side('+'),
            "note": difference.note,
        })
    });
    let failure = report.failure.as_ref().map(|failure| {
        object!({
            "kind": failure.kind.word(),
            "line": failure.line,
            "command": failure.command,
            "what": failure.what,
            "answer": failure.answer,
            "errors": failure.errors,
        })
    });
    object!({
        "file": file,
        "status": report.status(),
        "commands": report.commands,
        "differences": differences.collect::<Vec<_>>(),
        "failure": failure,
    })
}
