//! The text of `--version`.

use once_cell::sync::OnceCell;

use crate::board::instructions_used;

/// Returns version, commit, target, and the instructions that are used of this processor. The first call decides.
pub(super) fn long_version(commit: &str) -> &'static str {
    static TEXT: OnceCell<String> = OnceCell::new();
    TEXT.get_or_init(|| {
        let version = env!("CARGO_PKG_VERSION");
        let (target, instructions) = (env!("PENTALITH_TARGET"), instructions_used());
        format!("{version}\ncommit: {commit}\ntarget: {target}\nprocessor: {instructions}")
    })
}

/// Returns the commit that git's log of HEAD ends with: the first 12 digits of its hash, or `unknown` without one.
///
/// A line of the log is `OLD NEW NAME …`. Only the last line is read, so that a compiler can do it for a long log.
pub const fn last_commit(log: &[u8]) -> &str {
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
    let hash = match line.split_at_checked(12) {
        Some((hash, _)) => std::str::from_utf8(hash),
        None => return "unknown",
    };
    match hash {
        Ok(hash) => hash,
        Err(_) => "unknown",
    }
}
