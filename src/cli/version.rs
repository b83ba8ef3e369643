//! The text of `--version`.

use once_cell::sync::OnceCell;

use crate::board::instructions_used;

/// Returns version, commit and its date where it is known, target, and the instructions that are used of this processor.
/// The first call decides.
pub(super) fn long_version(commit: &str) -> &'static str {
    static TEXT: OnceCell<String> = OnceCell::new();
    TEXT.get_or_init(|| {
        let version = env!("CARGO_PKG_VERSION");
        let (target, instructions) = (env!("PENTALITH_TARGET"), instructions_used());
        let date = option_env!("PENTALITH_DATE").map(|date| format!(" {date}")).unwrap_or_default();
        format!("{version}\ncommit: {commit}{date}\ntarget: {target}\nprocessor: {instructions}")
    })
}

/// Returns the commit that git's log of HEAD ends with: the first 12 digits of its hash, or `None` without one.
///
/// A line of the log is `OLD NEW NAME …`. Only the last line is read, so that a compiler can do it for a long log. The
/// digits are a copy: a reference would keep the log in the program.
pub const fn last_commit(log: &[u8]) -> Option<[u8; 12]> {
    let log = match log {
        [log @ .., b'\n'] => log,
        _ => log,
    };
    let mut before = log;
    while let [rest @ .., byte] = before {
        if *byte == b'\n' {
            break;
        }
        before = rest;
    }
    let (_, mut line) = log.split_at(before.len());
    while let [byte, rest @ ..] = line {
        line = rest;
        if *byte == b' ' {
            break;
        }
    }
    line.first_chunk().copied()
}
