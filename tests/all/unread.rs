//! Nobody is left to read what the program works out: it stops. As long as somebody is, it goes on.
#![cfg(unix)]

use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::matches::{folder, games};

/// Time limit for a program whose work would take an hour; generous, for slow machines.
const SOON: Duration = Duration::from_secs(60);

fn program(arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pentalith"));
    command.args(shlex::split(arguments).unwrap()).env_remove("RUST_LOG").stderr(Stdio::piped());
    command
}

/// Waits for an end by itself, and asserts that it comes soon and without complaint.
fn assert_ends(mut child: Child, what: &str) {
    let deadline = Instant::now() + SOON;
    while child.try_wait().unwrap().is_none() {
        if Instant::now() > deadline {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("{what} goes on");
        }
        thread::sleep(Duration::from_millis(10));
    }
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{what}: {output:?}");
}

/// Dialects with work that takes an hour or for ever.
const WORK: &[(&str, &str)] = &[
    ("gtp markane:8x8", "time 3600000\ngenmove b\n"),
    ("gtp markane:8x8", "time 3600000\nreg_genmove b\nname\n"),
    ("gtp markane:8x8", "time_settings 3600 0 0\ngenmove b\n"),
    ("gtp markane:8x8", "analyze 360000\n"),
    ("gtp markane:8x8", "perft 12\n"),
    ("ugi markane:8x8", "go movetime 3600000\n"),
    ("ugi markane:8x8", "go nodes 999999999999\nisready\n"),
    ("ugi markane:8x8", "go infinite\n"),
    ("ugi markane:8x8", "go perft 12\n"),
    ("gogui markane:8x8", "time 3600000\ngenmove b\n"),
    ("gogui markane:8x8", "perft 12\n"),
    ("markane:8x8", "ugi\ngo movetime 3600000\n"),
    ("markane:8x8", "time 3600000\ngenmove b\n"),
];

#[test]
fn a_dialect_stops_when_both_pipes_are_closed() {
    for (arguments, lines) in WORK {
        let mut child = program(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(lines.as_bytes()).unwrap();
        drop(stdin);
        thread::sleep(Duration::from_millis(100));
        drop(child.stdout.take());
        assert_ends(child, &format!("{arguments}: {lines}"));
    }
}

#[test]
fn a_dialect_stops_when_its_socket_is_closed() {
    let (ours, theirs) = UnixStream::pair().unwrap();
    let output = OwnedFd::from(theirs.try_clone().unwrap());
    let child = program("ugi markane:8x8").stdin(OwnedFd::from(theirs)).stdout(output).spawn().unwrap();
    (&ours).write_all(b"go movetime 3600000\n").unwrap();
    // Whoever only says no more is still answered.
    ours.shutdown(std::net::Shutdown::Write).unwrap();
    thread::sleep(Duration::from_millis(500));
    let mut child = child;
    assert!(child.try_wait().unwrap().is_none());
    drop(ours);
    assert_ends(child, "a socket");
}

#[test]
fn a_dialect_stops_although_more_was_said_than_is_read_ahead() {
    let folder = folder("unread-input");
    let input = folder.join("lines");
    let lines = "go movetime 3600000\n".to_owned() + &"isready\n".repeat(4 << 20);
    std::fs::write(&input, lines).unwrap();
    let mut child =
        program("ugi markane:8x8").stdin(std::fs::File::open(&input).unwrap()).stdout(Stdio::piped()).spawn().unwrap();
    thread::sleep(Duration::from_millis(100));
    drop(child.stdout.take());
    assert_ends(child, "a long file");
    std::fs::remove_file(&input).unwrap();
}

#[test]
fn commands_stop_when_their_output_is_closed() {
    for arguments in [
        "perft markane:8x8 12",
        "perft markane:8x8 12 --threads 3 --divide",
        "bench playouts markane:8x8 --seconds 3600",
        "openings gravel:8 --count 10000000 --steps 30",
        "tune invector:5x4 --rounds 1000",
        "match invector:5x4 --engine a=uct --engine b=uct --games 1000000 --quiet",
        "match invector:5x4 --engine a=uct --engine b=uct --movetime 900000 --quiet",
        "check --timeout 3600 -- sleep 3600",
    ] {
        let mut child = program(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        thread::sleep(Duration::from_millis(50));
        drop(child.stdout.take());
        assert_ends(child, arguments);
    }
}

#[test]
fn whoever_still_reads_is_answered_and_a_record_is_worth_its_games() {
    // The input has long ended when the answer comes.
    let mut child = program("gtp markane:8x8").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"time 2000\ngenmove b\n").unwrap();
    drop(stdin);
    let mut answer = String::new();
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("= \n\n= ") || answer.starts_with("=\n\n= "), "{answer}");
    assert_eq!(answer.trim_end().lines().count(), 3, "{answer}");
    assert!(child.wait().unwrap().success());
    // Nobody can stop to read a file.
    let status = program("gtp markane:8x8").stdin(Stdio::null()).stdout(Stdio::null()).status();
    assert!(status.unwrap().success());
    let output = Command::new("sh")
        .args(["-c", "printf 'time 500\\ngenmove b\\n' | \"$0\" gtp markane:8x8 >/dev/null"])
        .arg(env!("CARGO_BIN_EXE_pentalith"))
        .output()
        .unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");

    let folder = folder("unread-record");
    let arguments = "match invector:5x4 --engine a=uct --engine b=uct --nodes 20 --games 30 --quiet --record games.pgn";
    let mut child =
        program(arguments).current_dir(&folder).stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert!(child.wait().unwrap().success());
    assert_eq!(games(&folder.join("games.pgn")).len(), 30);
}
