//! Controllers that others wrote drive the real program, and a browser drives the pages that it writes.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Mutex, PoisonError};

/// Says that a test can't run here; that is an error only in CI, which installs what the test needs.
pub fn skip(why: &str, details: &str) {
    assert!(std::env::var_os("CI").is_none(), "{why}: {details}");
    // Not eprintln!, which the test harness keeps for itself.
    let _ = writeln!(std::io::stderr(), "skipped: {why}");
}

/// The folder of the scripts, with a package installed that they need; `None` if that can't be done.
fn folder_with(package: &str) -> Option<PathBuf> {
    // Two installations at once would break each other.
    static ONE: Mutex<()> = Mutex::new(());
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients");
    let installed = folder.join("node_modules").join(package).join("package.json");
    if !installed.exists() {
        let install = Command::new("npm")
            .args(["ci", "--no-validate", "--no-fund", "--fetch-retries=0"])
            .current_dir(&folder)
            .stdin(Stdio::null())
            .output();
        match install {
            Err(error) => {
                skip("npm does not run", &error.to_string());
                return None;
            }
            Ok(output) if !output.status.success() => {
                let errors = String::from_utf8_lossy(&output.stderr);
                skip(&format!("npm ci finds no {package}"), &errors);
                return None;
            }
            Ok(_) => {}
        }
    }
    Some(folder)
}

/// Runs a script, which must succeed. Returns what it prints; `None` if it can't run here.
fn check_status(mut script: Command) -> Option<String> {
    let output = script.env_remove("RUST_LOG").stdin(Stdio::null()).output();
    let Output { status, stdout, stderr } = match output {
        Err(error) => {
            skip("node does not run", &error.to_string());
            return None;
        }
        Ok(output) => output,
    };
    let text = String::from_utf8_lossy(&stdout).into_owned();
    let errors = String::from_utf8_lossy(&stderr);
    assert!(status.success(), "{text}{errors}");
    Some(text)
}

/// Runs a script that prints a line a game. Every game must be in one.
fn check_lines(script: Command) {
    let Some(text) = check_status(script) else {
        return;
    };
    for game in pentalith::games::GAMES {
        let played = text.lines().any(|line| line.starts_with(game.name));
        assert!(played, "{}: not in {text}", game.name);
    }
}

#[test]
fn sabaki_plays_whole_games() {
    let Some(folder) = folder_with("@sabaki/gtp") else {
        return;
    };
    let mut script = Command::new("node");
    script.arg(folder.join("sabaki.mjs")).arg(env!("CARGO_BIN_EXE_pentalith"));
    check_lines(script);
}

/// Returns the command of a script that drives the pages of the program, if there is a browser.
fn drive(script: &str) -> Option<Command> {
    // The shell without windows is the same Chromium, and takes half the time.
    let browsers = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"];
    let found = browsers.iter().find_map(|name| {
        let folders = std::env::var_os("PATH")?;
        let mut files = std::env::split_paths(&folders).map(|folder| folder.join(name));
        files.find(|file| file.is_file())
    });
    let Some(browser) = found else {
        skip("there is no Chromium", "none of its names is in PATH");
        return None;
    };
    let folder = folder_with("playwright-core")?;
    let mut command = Command::new("node");
    command.arg(folder.join(script)).arg(env!("CARGO_BIN_EXE_pentalith")).arg(browser);
    Some(command)
}

#[test]
fn a_browser_steps_through_the_pages_of_games() {
    if let Some(script) = drive("replay.mjs") {
        check_lines(script);
    }
}

#[test]
fn a_browser_solves_puzzles() {
    if let Some(script) = drive("puzzles.mjs") {
        check_status(script);
    }
}

#[test]
fn a_browser_plays_on_the_board() {
    if let Some(script) = drive("board.mjs") {
        check_lines(script);
    }
}

#[test]
fn pages_of_statistics_fit_on_a_telephone() {
    if let Some(script) = drive("statistics.mjs") {
        check_status(script);
    }
}
