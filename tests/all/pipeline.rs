//! Scripts that drive the real program.

use std::fs;
use std::path::Path;
use std::process::Command;

#[test]
fn a_script_plays_whole_games() {
    for variant in ["invector:5x4", "gravel:3,x=3", "markane:6x6", "inversion:3", "invictus:stall=9"] {
        let output = Command::new("sh")
            .args(["protocol/play-a-game.sh", variant, "1"])
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .env("PENTALITH", env!("CARGO_BIN_EXE_pentalith"))
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        let text = String::from_utf8(output.stdout).unwrap();
        let (moves, score) = text.trim().split_once('\n').unwrap();
        // How long a game is depends on the machine.
        assert!(moves.split(' ').count() >= 2, "{moves}");
        let result = score.split(' ').next().unwrap();
        assert!(["b+", "w+", "draw"].contains(&result) && score.contains("reason="), "{score}");
    }
}

/// The client that the page on scripting shows plays a whole game.
#[test]
fn the_python_client_of_the_page_plays_a_game() {
    if let Err(error) = Command::new("python3").arg("--version").output() {
        return crate::clients::skip("python3 does not run", &error.to_string());
    }
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/scripting.md");
    let page = fs::read_to_string(page).unwrap();
    let (_, client) = page.split_once("```python\n").unwrap();
    let (client, _) = client.split_once("```").unwrap();
    // The folder of the program comes first, as if it were installed.
    let folder = Path::new(env!("CARGO_BIN_EXE_pentalith")).parent().unwrap();
    let path = std::env::var("PATH").unwrap_or_default();
    let output = Command::new("python3")
        .args(["-c", client])
        .env("PATH", format!("{}:{path}", folder.display()))
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    let score = text.lines().last().unwrap();
    assert!(score.contains("reason="), "{text}");
}
