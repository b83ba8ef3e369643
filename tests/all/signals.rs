//! Signals: one that was ignored when the program was started stays ignored, and others end it as they should.
#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::matches::{folder, games};

const SOON: Duration = Duration::from_secs(120);

fn send(signal: &str, id: &str) {
    let kill = Command::new("kill").args([signal, id]).status().unwrap();
    assert!(kill.success(), "{signal} {id}");
}

/// A shell that ignores no signal, whoever started these tests: `nohup` and a script's `&` ignore some, and no shell can
/// heed again what was ignored before it.
fn shell() -> Command {
    const HEED: &str = "--default-signal=HUP,INT,TERM";
    let mut heeding = Command::new("env");
    heeding.args([HEED, "sh"]);
    let can = Command::new("env").args([HEED, "true"]).output();
    match can.is_ok_and(|output| output.status.success()) {
        true => heeding,
        false => Command::new("sh"),
    }
}

/// A match that a line of a shell runs, in which `"$@"` is its command line, once its first game has been recorded.
fn begin(folder: &Path, line: &str, games: u32) -> Child {
    let arguments = format!(
        "match invector:5x4 --engine a=uct --engine b=uct --nodes 40 --games {games} --quiet --record games.pgn"
    );
    let child = shell()
        .args(["-c", line, "sh", env!("CARGO_BIN_EXE_pentalith")])
        .args(arguments.split(' '))
        .current_dir(folder)
        .env_remove("RUST_LOG")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let deadline = Instant::now() + SOON;
    let record = folder.join("games.pgn");
    while fs::metadata(&record).map_or(0, |data| data.len()) == 0 {
        assert!(Instant::now() < deadline, "no game ends");
        thread::sleep(Duration::from_millis(5));
    }
    child
}

#[test]
fn an_ignored_signal_stays_ignored() {
    for (name, line, signal) in [
        ("nohup", "exec nohup \"$@\"", "-HUP"),
        ("trap-hup", "trap '' HUP; exec \"$@\"", "-HUP"),
        ("trap-int", "trap '' INT; exec \"$@\"", "-INT"),
        ("trap-term", "trap '' TERM; exec \"$@\"", "-TERM"),
        // A script's job in the background ignores Ctrl-C.
        ("background", "\"$@\" & echo $! >id; wait $!", "-INT"),
    ] {
        let folder = folder(&format!("signal-{name}"));
        let child = begin(&folder, line, 40);
        let id = fs::read_to_string(folder.join("id"));
        let id = id.map_or(child.id().to_string(), |id| id.trim().to_owned());
        // A match that heeds the signal ends at the second one at the latest.
        for _ in 0..3 {
            send(signal, &id);
        }
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{name}: {output:?}");
        assert_eq!(games(&folder.join("games.pgn")).len(), 40, "{name}");
    }
}

#[test]
fn a_signal_that_is_not_ignored_ends_a_match_beside_one_that_is() {
    for (line, signal) in [
        ("exec \"$@\"", "-HUP"),
        ("exec \"$@\"", "-TERM"),
        ("exec nohup \"$@\"", "-TERM"),
        ("trap '' INT; exec \"$@\"", "-HUP"),
    ] {
        let folder = folder("signal-heeded");
        let child = begin(&folder, line, 100_000);
        send(signal, &child.id().to_string());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(130), "{line} {signal}: {output:?}");
        assert!(!games(&folder.join("games.pgn")).is_empty());
    }
}
