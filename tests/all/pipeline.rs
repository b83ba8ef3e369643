//! Shell scripts that drive the real program.

use std::process::Command;

#[test]
fn a_script_plays_whole_games() {
    for variant in [
        "invector:5x4",
        "gravel:3,x=3",
        "markane:6x6",
        "inversion:3",
        "invictus:stall=9",
    ] {
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
        assert!(
            ["b+", "w+", "draw"].contains(&result) && score.contains("reason="),
            "{score}"
        );
    }
}
