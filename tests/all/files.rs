//! Files: what is read has an end, what is written is checked before the first game, and nothing that was there is lost.
#![cfg(unix)]

use std::fs::{self, File, Permissions};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::matches::{command, folder, run, text};

const MARK: &str = "\u{feff}";

/// Two games of a match, both won.
const MATCH: &str = "match invector:5x4 --engine a=uct --engine b=uct --nodes 30 --games 2 --quiet";

/// A tuning that would take days if it began.
const LONG_TUNE: &str = "tune invector:8x7 --rounds 1 --games 1000000 --nodes 1000000";

fn status(output: &Output) -> i32 {
    output.status.code().unwrap_or(-1)
}

fn errors(output: &Output) -> String {
    text(&output.stderr)
}

/// Runs the program, which must end with a status of 2 and print nothing, and gives its standard error.
fn refused(folder: &Path, arguments: &str) -> String {
    let output = run(folder, arguments);
    let told = errors(&output);
    assert_eq!(status(&output), 2, "{arguments}: {told}");
    assert!(output.stdout.is_empty(), "{arguments}");
    assert!(!told.contains("panicked"), "{arguments}: {told}");
    told
}

/// Runs the program with a text on its standard input.
fn fed(folder: &Path, arguments: &str, input: &str) -> Output {
    let mut child = command(folder, arguments);
    child.stdin(Stdio::piped());
    child.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = child.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(input.as_bytes()).unwrap();
    drop(stdin);
    child.wait_with_output().unwrap()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

#[test]
fn only_a_plain_file_is_written_and_the_rest_is_refused_before_the_first_game() {
    let folder = folder("targets");
    fs::create_dir(folder.join("folder")).unwrap();
    let made = Command::new("mkfifo").arg(folder.join("fifo")).status();
    assert!(made.unwrap().success());
    let _socket = UnixListener::bind(folder.join("socket")).unwrap();
    symlink("fifo", folder.join("link")).unwrap();
    symlink("circle", folder.join("circle")).unwrap();
    File::create(folder.join("plain")).unwrap();
    let before = names(&folder);
    let kinds = [
        ("folder", "must be a plain file, not a folder"),
        ("fifo", "must be a plain file, not a pipe"),
        ("link", "must be a plain file, not a pipe"),
        ("socket", "must be a plain file, not a socket"),
        // Standard error, which is a pipe here.
        ("/dev/fd/2", "must be a plain file, not a pipe"),
        ("/dev/tty0/x", ""),
        ("circle", "symbolic links"),
        ("no/such/file", "o such f"),
        ("plain/file", "ot a directory"),
    ];
    let commands = [
        (format!("{LONG_TUNE} --out"), "can't write to "),
        (format!("{LONG_TUNE} --record"), "can't write to "),
        (format!("{MATCH} --record"), ""),
        (format!("{MATCH} --json"), ""),
    ];
    for (name, why) in kinds {
        for (command, what) in &commands {
            let told = refused(&folder, &format!("{command} {name}"));
            assert!(told.contains(why), "{command} {name}: {told}");
            assert!(told.contains(what), "{command} {name}: {told}");
        }
    }
    for name in ["folder/", "new/", "folder/..", "''"] {
        refused(&folder, &format!("{LONG_TUNE} --out {name}"));
    }
    let told = refused(&folder, &format!("{MATCH} --failures plain"));
    assert!(told.contains("plain"), "{told}");
    // Nothing was begun, and nothing was left.
    assert_eq!(names(&folder), before);
    assert_eq!(fs::metadata(folder.join("plain")).unwrap().len(), 0);
}

#[test]
fn a_folder_in_which_nothing_can_be_made_is_noticed_before_the_first_game() {
    let folder = folder("no entry");
    fs::write(folder.join("weights"), "# mine\n").unwrap();
    fs::set_permissions(&folder, Permissions::from_mode(0o555)).unwrap();
    let is_root = File::create(folder.join("probe")).is_ok();
    // Where nobody can make a file, not even root.
    let place = if is_root { "/proc" } else { "." };
    let told = refused(&folder, &format!("{LONG_TUNE} --out {place}/new"));
    assert!(told.contains("no file can be made in"), "{told}");
    if !is_root {
        let told = refused(&folder, &format!("{LONG_TUNE} --out weights"));
        assert!(told.contains("no file can be made in"), "{told}");
        fs::set_permissions(&folder, Permissions::from_mode(0o755)).unwrap();
        fs::set_permissions(folder.join("weights"), Permissions::from_mode(0o444)).unwrap();
        refused(&folder, &format!("{LONG_TUNE} --out weights"));
    }
    fs::set_permissions(&folder, Permissions::from_mode(0o755)).unwrap();
    assert_eq!(fs::read_to_string(folder.join("weights")).unwrap(), "# mine\n");
}

const SHORT_TUNE: &str = "tune invector:3x2 --rounds 1 --games 4 --nodes 20";

#[test]
fn weights_are_written_through_links_in_one_step() {
    let folder = folder("links");
    let plain = text(&run(&folder, SHORT_TUNE).stdout);
    assert!(!plain.is_empty());
    fs::create_dir(folder.join("deep")).unwrap();
    let target = folder.join("deep/weights.txt");
    let old = format!("{MARK}# by \u{e9}\r\n#\u{a0}and more\nstone 5\n# not at the beginning\n");
    fs::write(&target, &old).unwrap();
    fs::set_permissions(&target, Permissions::from_mode(0o640)).unwrap();
    symlink("deep/weights.txt", folder.join("link")).unwrap();
    symlink("link", folder.join("link to link")).unwrap();
    let mut reader = File::open(&target).unwrap();
    let output = run(&folder, &format!("{SHORT_TUNE} --out 'link to link'"));
    assert_eq!((status(&output), output.stdout.as_slice()), (0, &b""[..]));
    assert!(fs::symlink_metadata(folder.join("link")).unwrap().is_symlink());
    assert_eq!(fs::read_to_string(&target).unwrap(), format!("{MARK}# by \u{e9}\r\n#\u{a0}and more\n{plain}"));
    assert_eq!(fs::metadata(&target).unwrap().mode() & 0o777, 0o640);
    // Whoever had the old content open still has all of it: it was not written over.
    let mut still = String::new();
    reader.read_to_string(&mut still).unwrap();
    assert_eq!(still, old);
    assert_eq!(names(&folder.join("deep")), ["weights.txt"]);
    // A link may point to what is not there yet.
    symlink("deep/new.txt", folder.join("dangling")).unwrap();
    assert_eq!(status(&run(&folder, &format!("{SHORT_TUNE} --out dangling"))), 0);
    assert_eq!(fs::read_to_string(folder.join("deep/new.txt")).unwrap(), plain);
    assert!(fs::symlink_metadata(folder.join("dangling")).unwrap().is_symlink());
    // Standard output that is a plain file is one.
    let stdout = File::create(folder.join("stdout.txt")).unwrap();
    let mut child = command(&folder, &format!("{SHORT_TUNE} --out /dev/fd/1"));
    assert!(child.stdout(stdout).status().unwrap().success());
    assert_eq!(fs::read_to_string(folder.join("stdout.txt")).unwrap(), plain);
}

#[test]
fn a_result_does_not_replace_what_it_was_made_of() {
    let folder = folder("own input");
    let games = format!("{SHORT_TUNE} --positions 0 --record games.txt");
    assert_eq!(status(&run(&folder, &games)), 0);
    let kept = fs::read_to_string(folder.join("games.txt")).unwrap();
    fs::hard_link(folder.join("games.txt"), folder.join("hard")).unwrap();
    for out in ["games.txt", "./games.txt", "hard"] {
        for option in ["--record", "--data"] {
            let told = refused(&folder, &format!("{SHORT_TUNE} {option} games.txt --out {out}"));
            assert!(told.contains(&format!("the games of {option} games.txt")), "{told}");
        }
    }
    refused(&folder, &format!("{SHORT_TUNE} --record new.txt --out ./new.txt"));
    assert!(!folder.join("new.txt").exists());
    refused(&folder, &format!("{MATCH} --record new.pgn --json ./new.pgn"));
    // What is no file of games is left alone, and a line that was not written to its end stays apart.
    fs::write(folder.join("notes.txt"), "my notes").unwrap();
    let told = refused(&folder, &format!("{SHORT_TUNE} --record notes.txt"));
    assert!(told.contains("can't write to notes.txt: line 1: \"my\""), "{told}");
    assert_eq!(fs::read_to_string(folder.join("notes.txt")).unwrap(), "my notes");
    fs::write(folder.join("games.txt"), format!("{MARK}{}", kept.trim_end())).unwrap();
    assert_eq!(status(&run(&folder, &games)), 0);
    let twice = fs::read_to_string(folder.join("games.txt")).unwrap();
    assert_eq!(twice, format!("{MARK}{kept}{kept}"));
}

#[test]
fn what_has_no_end_is_not_read_whole() {
    let folder = folder("endless");
    let sparse = File::create(folder.join("sparse")).unwrap();
    sparse.set_len(1 << 40).unwrap();
    for command in [
        "stats",
        "replay",
        "openings invector --data",
        "tune invector --rounds 0 --data",
        "tune invector --from",
        "match invector --engine a=uct --engine b=uct --openings",
    ] {
        for file in ["/dev/zero", "sparse"] {
            let told = refused(&folder, &format!("{command} {file}"));
            assert!(told.contains(file) && told.contains(" MiB are not read from"), "{told}");
        }
        for file in [".", "none"] {
            let told = refused(&folder, &format!("{command} {file}"));
            assert!(told.contains(&format!("{file}: ")), "{told}");
        }
    }
    refused(&folder, &format!("{MATCH} --record sparse"));
    // A pipe with an end is as good as a file.
    assert_eq!(status(&run(&folder, &format!("{MATCH} --record games.pgn"))), 0);
    let record = fs::read_to_string(folder.join("games.pgn")).unwrap();
    let piped = fed(&folder, "stats /dev/stdin", &record);
    assert_eq!(piped.stdout, run(&folder, "stats games.pgn").stdout);
    assert_eq!(status(&fed(&folder, "replay /dev/stdin", &record)), 0);
}

fn signal(child: &Child, name: &str) {
    let id = child.id().to_string();
    let sent = Command::new("kill").args([name, &id]).status();
    assert!(sent.unwrap().success());
}

/// Reads lines up to one that begins so.
fn wait_for(lines: &mut impl BufRead, beginning: &str) {
    let mut line = String::new();
    while !line.starts_with(beginning) {
        line.clear();
        assert_ne!(lines.read_line(&mut line).unwrap(), 0, "no {beginning}");
    }
}

#[test]
fn an_interrupted_tuning_keeps_its_last_finished_round() {
    let folder = folder("interrupted tuning");
    let rounds = |rounds: u32| format!("tune invector:3x2 --rounds {rounds} --games 8 --nodes 30");
    for out in ["--out weights.txt", ""] {
        let mut child = command(&folder, &format!("{} {out}", rounds(1000)));
        // More than a pipe holds.
        let stdout = File::create(folder.join("stdout.txt")).unwrap();
        child.stdout(stdout).stderr(Stdio::piped());
        let mut child = child.spawn().unwrap();
        let mut told = BufReader::new(child.stderr.take().unwrap());
        wait_for(&mut told, "round 2: loss ");
        signal(&child, "-TERM");
        let mut rest = String::new();
        told.read_to_string(&mut rest).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(130), "{rest}");
        let place = if out.is_empty() { "standard output" } else { "weights.txt" };
        let (before, behind) = rest.split_once(&format!(" are in {place}; finished games of round ")).unwrap();
        let (_, round) = before.rsplit_once("the weights of round ").unwrap();
        assert!(behind.ends_with(", lost\n"), "{behind}");
        let written = match out {
            "" => "stdout.txt",
            _ => "weights.txt",
        };
        let written = fs::read_to_string(folder.join(written)).unwrap();
        let whole = text(&run(&folder, &rounds(round.parse().unwrap())).stdout);
        assert_eq!(written, whole, "{rest}");
    }
}

#[test]
fn a_tuning_that_is_interrupted_in_its_first_round_writes_nothing_and_says_so() {
    let folder = folder("interrupted at once");
    fs::write(folder.join("weights.txt"), "precious").unwrap();
    let record = folder.join("games.txt");
    // In the first game of the second run no search ends by itself.
    for (nodes, kept) in [("5", true), ("1000000000", false)] {
        let _ = fs::remove_file(&record);
        let tune =
            format!("tune invector:5x4 --rounds 3 --games 100000 --nodes {nodes} --record games.txt --out weights.txt");
        let mut child = command(&folder, &tune);
        child.stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = child.spawn().unwrap();
        let deadline = Instant::now() + Duration::from_secs(60);
        let is_begun = || match fs::metadata(&record) {
            Ok(found) => !kept || found.len() > 0,
            Err(_) => false,
        };
        while !is_begun() {
            assert!(Instant::now() < deadline);
            std::thread::sleep(Duration::from_millis(10));
        }
        signal(&child, "-TERM");
        let output = child.wait_with_output().unwrap();
        let told = errors(&output);
        assert_eq!(status(&output), 130, "{told}");
        assert!(output.stdout.is_empty());
        let expected = "interrupted in round 1 of 3: no round was finished, and no weights are written; \
                        finished games of round 1: ";
        assert!(told.contains(expected), "{told}");
        assert!(told.ends_with(", kept in games.txt\n"), "{told}");
        assert_eq!(fs::read_to_string(folder.join("weights.txt")).unwrap(), "precious");
        assert_eq!(names(&folder), ["games.txt", "weights.txt"]);
    }
}

#[test]
fn a_log_is_added_to_and_each_run_begins_with_a_dated_line() {
    let folder = folder("log");
    fs::write(folder.join("log"), "mine").unwrap();
    for _ in 0..2 {
        let output = fed(&folder, "gtp invector:5x4 --log log", "1 name\n");
        assert_eq!(text(&output.stdout), "=1 pentalith\n\n");
        assert_eq!(errors(&output), "");
    }
    let log = fs::read_to_string(folder.join("log")).unwrap();
    assert!(log.starts_with("mine\n["), "{log}");
    assert_eq!(log.matches("> =1 pentalith").count(), 2, "{log}");
    let first = format!(" pentalith {}] ", env!("CARGO_PKG_VERSION"));
    let firsts: Vec<&str> = log.lines().filter(|line| line.contains(&first)).collect();
    assert_eq!(firsts.len(), 2, "{log}");
    for line in firsts {
        let date = &line[1..11];
        assert!(date.starts_with("20") && &date[4..5] == "-" && &date[7..8] == "-", "{line}");
        assert!(line.ends_with("pentalith gtp invector:5x4 --log log"), "{line}");
    }
}

#[test]
fn a_log_never_touches_what_the_same_command_uses() {
    let folder = folder("log in use");
    let record = format!("{MATCH} --record h.pgn --json h.json");
    assert_eq!(status(&run(&folder, &record)), 0);
    assert_eq!(status(&run(&folder, &format!("{SHORT_TUNE} --record games.txt --out w.txt"))), 0);
    fs::write(folder.join("book.txt"), "startpos\n").unwrap();
    fs::write(folder.join("commands"), "1 name\n").unwrap();
    symlink("h.pgn", folder.join("link")).unwrap();
    fs::hard_link(folder.join("h.pgn"), folder.join("hard")).unwrap();
    let files = ["h.pgn", "h.json", "games.txt", "w.txt", "book.txt", "commands"];
    let contents = || files.map(|file| fs::read(folder.join(file)).unwrap());
    let before = contents();
    for arguments in [
        "stats --log h.pgn h.pgn",
        "stats --log h.pgn h.json h.pgn",
        "--log h.pgn stats h.pgn",
        "stats --log link h.pgn",
        "stats --log h.pgn link",
        "stats --log hard h.pgn",
        "stats --log ./h.pgn h.pgn",
        "replay --log h.pgn h.pgn",
        "legal --log h.pgn h.pgn#1",
        "play --log h.pgn h.pgn#1",
        "play --log h.pgn --puzzles h.pgn",
        "board --no-open --log h.pgn h.pgn#1",
        "openings invector:5x4 --log h.pgn --data h.json h.pgn",
        &format!("{MATCH} --record h.pgn --log h.pgn"),
        &format!("{MATCH} --json h.json --log h.json"),
        &format!("{MATCH} --openings book.txt --log book.txt"),
        &format!("{MATCH} --record new.pgn --log ./new.pgn"),
        &format!("{MATCH} --openings new.txt --log new.txt"),
        &format!("{SHORT_TUNE} --log games.txt --data games.txt"),
        &format!("{SHORT_TUNE} --log games.txt --record games.txt"),
        &format!("{SHORT_TUNE} --log w.txt --from w.txt"),
        &format!("{SHORT_TUNE} --log w.txt --out w.txt"),
    ] {
        let told = refused(&folder, arguments);
        assert!(told.contains("expected another file"), "{arguments}: {told}");
    }
    for speaks in ["gtp", "ugi", "gogui invector", ""] {
        let mut child = command(&folder, &format!("{speaks} --log commands"));
        let output = child.stdin(File::open(folder.join("commands")).unwrap()).output();
        let output = output.unwrap();
        assert_eq!(status(&output), 2, "{}", errors(&output));
    }
    assert!(contents() == before);
    assert!(!folder.join("new.pgn").exists() && !folder.join("new.txt").exists());
}

#[test]
fn a_log_that_cannot_be_written_is_told_of_once() {
    let folder = folder("full log");
    let output = fed(&folder, "gtp invector:5x4 --log /dev/full", "1 name\n2 name\n3 name\n");
    assert_eq!(text(&output.stdout).matches("pentalith").count(), 3);
    assert_eq!(status(&output), 0);
    let told = errors(&output);
    assert_eq!(told.lines().count(), 1, "{told}");
    assert!(told.contains("can't write to the log /dev/full: "), "{told}");
    // A pipe that nobody reads is an error, and is not waited for.
    let made = Command::new("mkfifo").arg(folder.join("fifo")).status();
    assert!(made.unwrap().success());
    for file in ["fifo", ".", "no/such/log"] {
        let told = refused(&folder, &format!("games --log {file}"));
        assert!(told.contains(&format!("can't write to {file}: ")), "{told}");
    }
    for file in ["/dev/null", "/dev/stderr", "/dev/stdout"] {
        assert_eq!(status(&run(&folder, &format!("games --log {file}"))), 0, "{file}");
    }
}

#[test]
fn a_byte_order_mark_is_no_part_of_what_is_read() {
    let folder = folder("marks");
    let record = format!("{MATCH} --record h.pgn --json h.json");
    assert_eq!(status(&run(&folder, &record)), 0);
    let report = run(&folder, "stats h.pgn").stdout;
    let put_mark = |name: &str| {
        let old = fs::read_to_string(folder.join(name)).unwrap();
        fs::write(folder.join(name), format!("{MARK}{old}")).unwrap();
        old
    };
    let (games, objects) = (put_mark("h.pgn"), put_mark("h.json"));
    for name in ["h.pgn", "h.json"] {
        let output = run(&folder, &format!("stats {name}"));
        assert_eq!(text(&output.stdout), text(&report), "{}", errors(&output));
        assert_eq!(status(&run(&folder, &format!("replay {name}"))), 0, "{name}");
        let played = format!("openings invector:5x4 --balance 0.5 --data {name}");
        assert_eq!(status(&run(&folder, &played)), 0, "{name}");
    }
    // A match goes on behind it, and nothing is lost.
    let again = run(&folder, &record);
    assert_eq!(text(&again.stdout), text(&report), "{}", errors(&again));
    assert_eq!(fs::read_to_string(folder.join("h.pgn")).unwrap(), format!("{MARK}{games}"));
    let first = games.match_indices("[Event").nth(1).unwrap().0;
    fs::write(folder.join("h.pgn"), format!("{MARK}{}", &games[..first])).unwrap();
    let line = objects.find('\n').unwrap() + 1;
    fs::write(folder.join("h.json"), format!("{MARK}{}", &objects[..line + 20])).unwrap();
    assert_eq!(status(&run(&folder, &record)), 0);
    for name in ["h.pgn", "h.json"] {
        let whole = fs::read_to_string(folder.join(name)).unwrap();
        assert!(whole.starts_with(MARK), "{name}");
        assert_eq!(status(&run(&folder, &format!("replay {name}"))), 0, "{name}");
        assert_eq!(text(&run(&folder, &format!("stats {name}")).stdout), text(&report));
    }
    // Files that were put together have several.
    let both = format!("{MARK}{}{MARK}{}", &games[..first], &games[first..]);
    fs::write(folder.join("both.pgn"), both).unwrap();
    assert_eq!(text(&run(&folder, "stats both.pgn").stdout), text(&report));
    let both = format!("{MARK}{}{MARK}{}", &objects[..line], &objects[line..]);
    fs::write(folder.join("both.json"), both).unwrap();
    assert_eq!(text(&run(&folder, "stats both.json").stdout), text(&report));

    // Openings, weights and games against itself.
    fs::write(folder.join("book.txt"), format!("{MARK}startpos moves c3c4\n{MARK}# none\nc3c2\n")).unwrap();
    let output = run(&folder, &format!("{MATCH} --openings book.txt"));
    assert_eq!(status(&output), 0, "{}", errors(&output));
    let tune = format!("{SHORT_TUNE} --record games.txt");
    let weights = text(&run(&folder, &tune).stdout);
    put_mark("games.txt");
    let output = run(&folder, "tune invector:3x2 --rounds 0 --data games.txt");
    assert_eq!(text(&output.stdout), weights, "{}", errors(&output));
    fs::write(folder.join("w.txt"), &weights).unwrap();
    let from = format!("{SHORT_TUNE} --from w.txt");
    let expected = text(&run(&folder, &from).stdout);
    for mark in ["", "# a remark\n"] {
        fs::write(folder.join("w.txt"), format!("{MARK}{mark}{weights}")).unwrap();
        let output = run(&folder, &from);
        assert_eq!(text(&output.stdout), expected, "{}", errors(&output));
    }

    // Elsewhere it is no part of anything, and is seen in the message.
    fs::write(folder.join("book.txt"), format!("startpos moves c3c4 c{MARK}1d1\n")).unwrap();
    let told = refused(&folder, &format!("{MATCH} --openings book.txt"));
    assert!(told.contains(r"\u{feff}") && !told.contains(MARK), "{told}");
    fs::write(folder.join("h.pgn"), format!("x{MARK}y\n")).unwrap();
    for command in ["stats h.pgn", "replay h.pgn", &format!("{MATCH} --record h.pgn")] {
        let told = refused(&folder, command);
        assert!(told.contains(r#"found "x\u{feff}y""#), "{told}");
    }
}

#[test]
fn an_engine_may_begin_with_a_byte_order_mark() {
    let folder = folder("marked engines");
    for speaks in ["gtp", "ugi"] {
        let program = env!("CARGO_BIN_EXE_pentalith");
        let script = format!("printf '\\357\\273\\277'\nexec {program} {speaks} invector:5x4\n");
        fs::write(folder.join(speaks), script).unwrap();
        for protocol in ["".to_owned(), format!("{speaks}:")] {
            let output = run(
                &folder,
                &format!(
                    "match invector:5x4 --engine a=uct --engine 'b={protocol}sh {speaks}' --nodes 5 --games 2 --timeout 60"
                ),
            );
            let report = text(&output.stdout);
            assert!(report.contains("\nends  normal 2\n"), "{report}{}", errors(&output));
        }
        let check = format!("check --timeout 60 --variant invector:5x4 --games 2 -- sh {speaks}");
        let output = run(&folder, &check);
        assert_eq!(status(&output), 0, "{}", text(&output.stdout));
    }
}

#[test]
fn moves_on_record_are_refereed_where_they_are_used() {
    let folder = folder("refereed");
    let record = format!("{MATCH} --openings start --record h.pgn");
    assert_eq!(status(&run(&folder, &record)), 0);
    let json = record.replace("--record h.pgn", "--json h.json");
    assert_eq!(status(&run(&folder, &json)), 0);
    let good = fs::read_to_string(folder.join("h.pgn")).unwrap();
    let objects = fs::read_to_string(folder.join("h.json")).unwrap();
    let first = |text: &str, before: &str| {
        let rest = text.split_once(before).unwrap().1;
        rest.split([' ', '"']).next().unwrap().to_owned()
    };
    let moved = first(&good, "\n1. ");
    let wrong = [
        ("h.pgn", good.replacen(&format!("\n1. {moved}"), "\n1. a1a4", 1)),
        ("h.pgn", good.replacen("[Reason \"annihilation\"]", "[Reason \"luck\"]", 1)),
        ("h.json", objects.replacen(&format!("\"move\":\"{moved}\""), "\"move\":\"a1a4\"", 1)),
    ];
    for (name, content) in wrong {
        fs::write(folder.join(name), &content).unwrap();
        let replayed = run(&folder, &format!("replay {name}"));
        assert_eq!(status(&replayed), 1);
        let replayed = text(&replayed.stdout);
        let why = replayed.lines().next().unwrap();
        assert!(why.starts_with("game 1: "), "{why}");
        let played = format!("openings invector:5x4 --balance 0.5 --data {name}");
        let told = refused(&folder, &played);
        assert!(told.starts_with(&format!("{name}: {why}\n")), "{told}");
        let again = if name == "h.pgn" { &record } else { &json };
        assert_eq!(refused(&folder, again), format!("pentalith: {name}: {why}\n"));
        assert_eq!(fs::read_to_string(folder.join(name)).unwrap(), content);
    }
}

#[test]
fn reasons_stand_beside_causes() {
    let folder = folder("reasons");
    let engines = "--engine a=uct --engine b=uct --nodes 20 --games 6 --quiet";
    let output = run(&folder, &format!("match gravel:3,x=2 {engines} --record h.pgn"));
    let report = text(&output.stdout);
    let record = fs::read_to_string(folder.join("h.pgn")).unwrap();
    let line = report.lines().find(|line| line.starts_with("reasons  ")).unwrap();
    let mut games = 0;
    let mut last = u64::MAX;
    for part in line["reasons  ".len()..].split(", ") {
        let (reason, count) = part.rsplit_once(' ').unwrap();
        let count: u64 = count.parse().unwrap();
        let tag = format!("[Reason \"{reason}\"]");
        assert_eq!(record.matches(&tag).count() as u64, count, "{line}");
        assert!(count <= last, "{line}");
        (games, last) = (games + count, count);
    }
    assert_eq!(games, 6, "{line}");
    assert_eq!(text(&run(&folder, "stats h.pgn").stdout), report);
    // Others than the rules know are counted, too, and say no more than fits.
    let odd = record.replacen("[Reason \"", &format!("[Reason \"{}\u{200b}", "x".repeat(200)), 1);
    fs::write(folder.join("h.pgn"), odd).unwrap();
    let report = text(&run(&folder, "stats h.pgn").stdout);
    assert!(report.contains(&format!("{}… 1", "x".repeat(80))), "{report}");
}
