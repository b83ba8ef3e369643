//! Shows long texts by the pager of the person, `$PAGER` or `less`.

/// Shows lines by the pager, and waits for its end. Returns false if there is none, or it could not show them.
#[cfg(unix)]
pub(super) fn page(lines: &[String]) -> bool {
    use std::io::Write;
    use std::process::{Command, Stdio};

    let pager = std::env::var("PAGER").unwrap_or_else(|_| "less".to_owned());
    if ["", "cat"].contains(&pager.trim()) {
        return false;
    }
    let mut command = Command::new("/bin/sh");
    command.args(["-c", &pager]).stdin(Stdio::piped());
    if std::env::var_os("LESS").is_none() {
        // As git does: end where one window is enough, show colors, leave the text on the screen.
        command.env("LESS", "FRX");
    }
    let Ok(mut child) = command.spawn() else {
        return false;
    };
    if let Some(mut input) = child.stdin.take() {
        // Who leaves the pager early has read enough.
        let _ = input.write_all((lines.join("\n") + "\n").as_bytes());
    }
    // The shell ends so if it does not find or may not start the program.
    let is_missing = |code| code == Some(126) || code == Some(127);
    child.wait().is_ok_and(|status| !is_missing(status.code()))
}

/// Returns false: not supported on this system.
#[cfg(not(unix))]
pub(super) fn page(_lines: &[String]) -> bool {
    false
}
