//! `pentalith board`: who gets a connection, memory, a place; and how the browser is told where to go.

use std::io::Read;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use super::board::{Board, two_persons, wait_for};

#[test]
fn connections_that_say_nothing_make_room() {
    let board = Board::start(&[]);
    let address = ("127.0.0.1", board.port);
    let is_over = Arc::new(AtomicBool::new(false));
    // Each comes again as soon as it is sent away.
    let threads: Vec<_> = (0..256)
        .map(|_| {
            let is_over = Arc::clone(&is_over);
            thread::spawn(move || {
                while !is_over.load(Ordering::Relaxed) {
                    let Ok(mut stream) = TcpStream::connect(address) else { continue };
                    // A connection that never left the queue of the system does not end with the server.
                    let _ = stream.set_read_timeout(Some(Duration::from_secs(2)));
                    let _ = stream.read(&mut [0]);
                }
            })
        })
        .collect();
    for _ in 0..3 {
        let begun = Instant::now();
        assert_eq!(board.get("", "").status, 200);
        assert!(begun.elapsed() < Duration::from_secs(8), "{:?}", begun.elapsed());
    }
    is_over.store(true, Ordering::Relaxed);
    drop(board);
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

#[test]
fn pages_take_turns_at_the_connections_of_a_browser() {
    let board = Board::start(&["markane:4x4"]);
    let (tab, _) = board.open(None);
    let mut streams: Vec<_> = (0..5)
        .map(|_| {
            let mut events = board.watch(&tab);
            wait_for(&mut events, |_| true);
            events
        })
        .collect();
    let mut text = String::new();
    streams.remove(0).read_to_string(&mut text).unwrap();
    assert!(text.contains("event: later\n"), "{text}");
    board.act(&tab, two_persons());
    for events in &mut streams {
        wait_for(events, |state| state["players"] == json!({"black": "person", "white": "person"}));
    }
}

#[test]
fn a_page_is_sent_no_more_states_than_it_can_draw() {
    let board = Board::start(&["gravel:4", "--nodes", "1"]);
    let (tab, _) = board.open(None);
    let mut events = board.watch(&tab);
    let begun = Instant::now();
    board.act(&tab, json!({"do": "pace", "seconds": 0}));
    board.act(&tab, json!({"do": "players", "black": "engine", "white": "engine"}));
    let mut count = 0;
    let last = wait_for(&mut events, |state| {
        count += 1;
        !state["result"].is_null()
    });
    let frames = begun.elapsed().as_millis() / 30 + 2;
    assert!(count <= frames, "{count} states in {:?} of {} plays", begun.elapsed(), last["plays"]);
}

#[test]
#[cfg(target_os = "linux")]
fn little_memory_refuses_a_board_and_keeps_the_others() {
    let board = Board::limited("-v 300000", &["gravel"]);
    let (tab, _) = board.open(None);
    let _events = board.watch(&tab);
    board.act(&tab, two_persons());
    board.act(&tab, json!({"do": "analysis", "on": true}));
    let mut others = Vec::new();
    let refused = loop {
        let answer = board.post("open", "{\"tab\":null,\"link\":null}");
        if answer.status != 200 {
            break answer;
        }
        let tab = answer.json()["tab"].as_str().unwrap().to_owned();
        others.push(board.watch(&tab));
        board.act(&tab, json!({"do": "engine"}));
    };
    assert_eq!(refused.status, 503, "{refused:?}");
    assert!(refused.body.contains("no room for another board: "), "{refused:?}");
    let state = board.act(&tab, json!({"do": "click", "point": "a1"}));
    assert_eq!(state["plays"], 1);
}

#[test]
#[cfg(target_os = "linux")]
fn refused_connections_are_reported_once() {
    let mut board = Board::limited("-n 24", &[]);
    let idle: Vec<_> = (0..100).map(|_| board.connect()).collect();
    assert_eq!(board.get("", "").status, 200);
    drop(idle);
    board.child.kill().unwrap();
    let mut errors = String::new();
    board.child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
    assert!(errors.matches("connection").count() <= 1, "{errors}");
}

/// Everybody may read the arguments of a process.
#[test]
#[cfg(target_os = "linux")]
fn the_browser_is_told_the_address_by_a_file_of_this_user() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().unwrap();
    let [opener, argument] = ["xdg-open", "argument"].map(|name| folder.path().join(name));
    let script =
        "#!/bin/sh\nprintf '%s' \"$1\" > \"$HOME/argument.part\"\nmv \"$HOME/argument.part\" \"$HOME/argument\"\n";
    std::fs::write(&opener, script).unwrap();
    std::fs::set_permissions(&opener, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", folder.path().display());
    let mut command = Command::new(env!("CARGO_BIN_EXE_pentalith"));
    command.arg("board").env("PATH", path).env("HOME", folder.path());
    let board = Board::of(command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()));
    let begun = Instant::now();
    while !argument.exists() {
        assert!(begun.elapsed() < Duration::from_secs(60), "nothing is opened");
        thread::sleep(Duration::from_millis(20));
    }
    let file = PathBuf::from(std::fs::read_to_string(argument).unwrap());
    assert!(!file.to_str().unwrap().contains(&board.token), "{file:?}");
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&file), mode(file.parent().unwrap())), (0o600, 0o700));
    let page = std::fs::read_to_string(&file).unwrap();
    assert!(page.contains(&format!("url=http://{}/{}/\"", board.host(), board.token)), "{page}");
    // Read once, it is of no use any more.
    assert_eq!(board.get("", "").status, 200);
    while file.parent().unwrap().exists() {
        assert!(begun.elapsed() < Duration::from_secs(60), "{file:?} stays");
        thread::sleep(Duration::from_millis(20));
    }
}

/// Browsers do not name it.
#[test]
fn the_port_of_http_is_left_away() {
    // Not everywhere may everybody listen there.
    if std::net::TcpListener::bind(("127.0.0.1", 80)).is_err() {
        return;
    }
    let board = Board::start(&["--port", "80"]);
    let ask = |host: &str| {
        let token = &board.token;
        let request = format!("GET /{token}/ HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\n\r\n");
        board.raw(request.as_bytes()).status
    };
    for host in ["127.0.0.1", "localhost", "127.0.0.1:80", "LocalHost"] {
        assert_eq!(ask(host), 200, "{host}");
    }
    assert_eq!(ask("127.0.0.1:8080"), 403);
}
