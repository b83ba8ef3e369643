//! Controllers that others wrote drive the real program.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// Says that a test can't run here; that is an error only in CI, which installs what the test needs.
pub fn skip(why: &str, details: &str) {
    assert!(std::env::var_os("CI").is_none(), "{why}: {details}");
    // Not eprintln!, which the test harness keeps for itself.
    let _ = writeln!(std::io::stderr(), "skipped: {why}");
}

#[test]
fn sabaki_plays_whole_games() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients");
    if !folder
        .join("node_modules/@sabaki/gtp/package.json")
        .exists()
    {
        let install = Command::new("npm")
            .args(["ci", "--no-validate", "--no-fund", "--fetch-retries=0"])
            .current_dir(&folder)
            .stdin(Stdio::null())
            .output();
        match install {
            Err(error) => return skip("npm does not run", &error.to_string()),
            Ok(output) if !output.status.success() => {
                let errors = String::from_utf8_lossy(&output.stderr);
                return skip("npm ci finds no @sabaki/gtp", &errors);
            }
            Ok(_) => {}
        }
    }
    let output = Command::new("node")
        .arg(folder.join("sabaki.mjs"))
        .arg(env!("CARGO_BIN_EXE_pentalith"))
        .env_remove("RUST_LOG")
        .stdin(Stdio::null())
        .output();
    let output = match output {
        Err(error) => return skip("node does not run", &error.to_string()),
        Ok(output) => output,
    };
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}{errors}");
    for game in pentalith::games::GAMES {
        let played = text.lines().any(|line| line.starts_with(game.name));
        assert!(played, "{}: not in {text}", game.name);
    }
}
