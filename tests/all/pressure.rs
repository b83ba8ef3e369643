//! Clients that write much and read little, or go away: the real program, as a pipe is part of it.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use crate::talk::start;

/// Time limit for whatever the test waits for.
const PATIENCE: Duration = Duration::from_secs(120);

/// Writes all of it before anything is read, and gives the lines that come then.
fn written_first(arguments: &[&str], input: String) -> Vec<String> {
    let mut program = start(arguments);
    let mut stdin = program.stdin.take().unwrap();
    let (sender, written) = channel();
    thread::spawn(move || {
        stdin.write_all(input.as_bytes()).unwrap();
        sender.send(()).unwrap();
    });
    let taken = written.recv_timeout(PATIENCE);
    if taken.is_err() {
        program.kill().unwrap();
        panic!("the program does not read ahead");
    }
    let output = BufReader::new(program.stdout.take().unwrap());
    let lines = output.lines().map(Result::unwrap).collect();
    assert!(program.wait().unwrap().success());
    lines
}

#[test]
fn a_hundred_thousand_gtp_commands_may_come_before_an_answer_is_read() {
    let mut input = String::from("set Nodes 300\n0 genmove b\n");
    for id in 1..100_000 {
        input += &format!("{id} legal\n");
    }
    let lines = written_first(&["gtp", "invector:5x4"], input);
    let answers: Vec<&String> = lines.iter().filter(|line| !line.is_empty()).collect();
    assert_eq!((answers.len(), lines.len()), (100_001, 200_002));
    for (id, answer) in answers[1..].iter().enumerate() {
        assert!(answer.starts_with(&format!("={id} ")), "{answer}");
    }
}

#[test]
fn a_hundred_thousand_ugi_commands_may_come_before_an_answer_is_read() {
    // While a search runs, behind its end, and as many searches as there are lines.
    let asked = "query p1turn\nisready\n".repeat(25_000);
    let mut input = format!("go infinite\n{asked}stop\n{asked}go infinite\n{asked}");
    input += &"go nodes 1\nposition startpos\n".repeat(2_000);
    let lines = written_first(&["ugi", "markane:4x4"], input);
    let count = |line: &str| lines.iter().filter(|other| *other == line).count();
    assert_eq!(count("readyok"), 75_000);
    assert_eq!(count("response true"), 75_000);
    let found = lines.iter().filter(|line| line.starts_with("bestmove "));
    assert_eq!(found.count(), 2_002);
}

/// Resident memory in bytes.
#[cfg(target_os = "linux")]
fn memory(program: &Child) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", program.id())).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    let kilobytes = line.unwrap().split_whitespace().nth(1).unwrap();
    kilobytes.parse::<u64>().unwrap() << 10
}

/// Returns the processor time of all its threads, in ticks; a second has 100.
#[cfg(target_os = "linux")]
fn ticks(program: &Child) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", program.id())).unwrap();
    // The name in brackets may hold anything.
    let (_, fields) = stat.rsplit_once(')').unwrap();
    let fields: Vec<&str> = fields.split_whitespace().collect();
    fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn a_client_that_never_reads_is_not_listened_to_for_ever() {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

    const MOST: u64 = 256 << 20;
    let long = format!("position {}\n", "b".repeat(10_000));
    for (arguments, line) in [
        (["gtp", "markane:4x4"], "legal\n"),
        (["gtp", "markane:4x4"], "\n"),
        (["gtp", "markane:4x4"], long.as_str()),
        (["ugi", "markane:4x4"], "query legal\n"),
        (["ugi", "markane:4x4"], "go nodes 1\n"),
    ] {
        let mut program = start(&arguments);
        let mut stdin = program.stdin.take().unwrap();
        let written = Arc::new(AtomicU64::new(0));
        let counter = Arc::clone(&written);
        // An answer in the pipe that nobody reads, for lines that get none.
        let block = match arguments[0] {
            "gtp" => "list_commands\n".repeat(1_000),
            _ => String::new(),
        };
        let chunk = line.repeat(1 + 4096 / line.len());
        let writer = thread::spawn(move || {
            let mut write = |text: &str| {
                let more = stdin.write_all(text.as_bytes()).is_ok();
                more && counter.fetch_add(text.len() as u64, Relaxed) < MOST
            };
            let mut more = block.is_empty() || write(&block);
            while more {
                more = write(&chunk);
            }
            stdin
        });
        // Until no more is taken, and the program rests. What it has taken by then costs it some processor time, but no
        // more: the limit is one of work, and not of time, so that other work on the machine changes nothing.
        let (mut before, mut at_last_byte) = ((u64::MAX, 0), 0);
        loop {
            let now = (written.load(Relaxed), ticks(&program));
            if now.0 != before.0 {
                at_last_byte = now.1;
            } else if now.1 - before.1 < 25 {
                break;
            }
            before = now;
            let worked = now.1 - at_last_byte;
            assert!(now.0 < MOST, "{line:?}: all is taken");
            assert!(worked < 300, "{line:?}: {worked} ticks for what was taken");
            thread::sleep(Duration::from_millis(500));
        }
        let resident = memory(&program);
        assert!(resident < 100 << 20, "{line:?}: {resident} bytes");
        program.kill().unwrap();
        program.wait().unwrap();
        let stdin: ChildStdin = writer.join().unwrap();
        drop(stdin);
    }
}

#[test]
fn a_client_that_stops_reading_ends_the_process() {
    for (dialect, first, line) in [
        ("gtp", "", "legal\n"),
        ("gtp", "analyze 1\n", ""),
        ("ugi", "", "isready\n"),
        ("ugi", "go infinite\n", ""),
        ("ugi", "go infinite\n", "query legal\n"),
        ("ugi", "", "go nodes 10\n"),
    ] {
        let mut program = start(&[dialect, "markane:8x8"]);
        let mut stdin = program.stdin.take().unwrap();
        // It reads something, and then no more.
        let mut stdout = program.stdout.take().unwrap();
        let name = if dialect == "gtp" { "name\n" } else { "isready\n" };
        stdin.write_all(name.as_bytes()).unwrap();
        stdout.read_exact(&mut [0; 4]).unwrap();
        drop(stdout);
        let (sender, ended) = channel();
        let waiter = thread::spawn(move || {
            sender.send(program.wait().unwrap()).unwrap();
        });
        // The input stays open, and there may be more of it.
        let _ = stdin.write_all(first.as_bytes());
        let interval = Duration::from_millis(10);
        let mut ends = (0..PATIENCE.as_millis() / interval.as_millis()).map(|_| {
            let _ = stdin.write_all(line.as_bytes());
            ended.recv_timeout(interval)
        });
        let status = ends.find_map(Result::ok).expect("the program goes on");
        assert!(status.success(), "{dialect} {first}{line}");
        waiter.join().unwrap();
    }
}
