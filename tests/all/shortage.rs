//! A system that gives too little: fewer threads and less memory, which is said, but never a lost search.
#![cfg(target_os = "linux")]

use std::process::{Command, Output};

/// Runs a command line of a shell in which `pentalith` is the program, with so much address space, in KiB.
fn limited(kilobytes: u32, line: &str) -> Output {
    let program = env!("CARGO_BIN_EXE_pentalith");
    let script = format!("pentalith() {{ ( ulimit -v {kilobytes}; exec \"$PROGRAM\" \"$@\" ) ; }}\n{line}");
    Command::new("sh").args(["-c", &script]).env("PROGRAM", program).env_remove("RUST_LOG").output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn a_search_makes_do_with_fewer_threads_and_says_so() {
    for kilobytes in [600_000, 1_500_000] {
        for method in ["pvs", "uct", "puct"] {
            let set = format!("setoption name Search value {method}\\nsetoption name Threads value 128");
            let line = format!("printf '{set}\\ngo movetime 50\\ngo nodes 10\\nquit\\n' | pentalith ugi markane:8x8");
            let output = limited(kilobytes, &line);
            let (said, errors) = (text(&output.stdout), text(&output.stderr));
            assert!(output.status.success(), "{kilobytes} {method}: {said}{errors}");
            let moves = said.lines().filter(|line| line.starts_with("bestmove "));
            let moves: Vec<&str> = moves.collect();
            assert_eq!(moves.len(), 2, "{said}");
            assert!(!moves.contains(&"bestmove none"), "{said}");
            // Once, and not with every search.
            let told = said
                .lines()
                .filter(|line| line.starts_with("info string searching with ") && line.contains(" of 128 threads: "));
            assert_eq!(told.count(), 1, "{said}");
        }
        let line = "printf 'set Threads 128\\ntime 50\\ngenmove b\\nquit\\n' | pentalith gtp markane:8x8";
        let output = limited(kilobytes, line);
        let (said, errors) = (text(&output.stdout), text(&output.stderr));
        assert!(output.status.success() && !said.contains('?'), "{said}{errors}");
        assert!(errors.contains("pentalith: searching with "), "{errors}");
        assert!(errors.contains(" of 128 threads: "), "{errors}");
    }
}

#[test]
fn a_search_makes_do_with_less_memory_and_says_so() {
    for method in ["pvs", "uct", "puct"] {
        let set = format!("setoption name Search value {method}\\nsetoption name Hash value 4096");
        let line = format!("printf '{set}\\ngo movetime 50\\nquit\\n' | pentalith ugi markane:8x8");
        let output = limited(700_000, &line);
        let said = text(&output.stdout);
        assert!(output.status.success(), "{said}{}", text(&output.stderr));
        assert!(said.contains("\nbestmove ") && !said.contains("none"), "{said}");
        assert!(said.contains(" of 4096 MiB: there is no more memory\n"), "{said}");
    }
}

#[test]
fn counts_and_matches_make_do_with_fewer_threads() {
    let output = limited(600_000, "pentalith perft markane:4x4 3 --threads 256 --hash 4096");
    let (said, errors) = (text(&output.stdout), text(&output.stderr));
    assert!(said.starts_with("2688\n"), "{said}{errors}");
    assert!(errors.contains("there is no more memory"), "{errors}");
    let line = "pentalith match invector:3x2 --openings start --engine a=uct:Hash=1 --engine b=pvs:Hash=1 --nodes 5 --games 200 \
                --concurrency 200";
    let output = limited(1_500_000, line);
    let (said, errors) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{said}{errors}");
    assert!(said.contains("ends  normal 200"), "{said}");
    assert!(errors.contains(" games at once instead of "), "{errors}");
}

/// Runs a command line of a shell, which may not write files.
fn without_files(folder: &std::path::Path, line: &str) -> Output {
    let program = env!("CARGO_BIN_EXE_pentalith");
    let script = format!("ulimit -f 0; {line}");
    let mut shell = Command::new("sh");
    shell.args(["-c", &script]).current_dir(folder).env("PROGRAM", program).env_remove("RUST_LOG");
    shell.stdin(std::process::Stdio::null()).output().unwrap()
}

#[test]
fn a_limit_on_the_size_of_files_is_an_error_of_whoever_writes() {
    let folder = crate::matches::folder("file-size");
    let games = "match markane:3x2 --engine a=uct --engine b=uct --nodes 5 --games 4 --quiet";
    assert!(crate::matches::run(&folder, &format!("{games} --record games.pgn")).status.success());
    for (arguments, what) in [
        (&*format!("{games} --record r.pgn"), "r.pgn"),
        (&format!("{games} --json r.json --concurrency 2"), "r.json"),
        ("replay games.pgn --html page.html", "page.html"),
        ("stats games.pgn --html page.html", "page.html"),
        ("solve invector --time 0.1 --memory 1 --save saved", "saved"),
        ("solve markane:2x1 --proof proof", "proof"),
        ("diagram markane:3x2 --output picture.svg", "picture.svg"),
        ("tune markane:3x2 --rounds 1 --games 2 --nodes 5 --record t.pgn", "t.pgn"),
        ("study markane:3x2 --strength 0 --games 2 --out study", "study"),
        ("man pages", "pages"),
        ("games >out", ""),
        ("--version >out", ""),
    ] {
        let output = without_files(&folder, &format!("exec \"$PROGRAM\" {arguments}"));
        let errors = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{arguments}: {errors}");
        assert!(errors.contains(what) && errors.contains("File too large"), "{arguments}: {errors}");
        let names = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name());
        assert!(!names.into_iter().any(|name| name.to_string_lossy().starts_with(".pentalith-")), "{arguments}");
    }
    // A log that can't be written stops nothing.
    let output = without_files(&folder, "echo name | \"$PROGRAM\" gtp --log log");
    assert_eq!(text(&output.stdout), "= pentalith\n\n");
    assert!(text(&output.stderr).contains("can't write to the log log: File too large"), "{output:?}");
    // The second program.
    let output = without_files(&folder, concat!("exec ", env!("CARGO_BIN_EXE_pentalith-verify"), " --version >out"));
    assert_ne!(output.status.code(), None, "{output:?}");
}

#[test]
fn engines_do_not_ignore_the_limit_on_the_size_of_files() {
    let folder = crate::matches::folder("file-size-of-engines");
    let engine = "sh -c \"grep ^SigIgn /proc/self/status >ignored; exec \\\"$PROGRAM\\\" ugi\"";
    let line = format!(
        "\"$PROGRAM\" match markane:2x1 --engine a=uct --engine 'b=ugi:{engine}' --nodes 5 --games 2 --timeout 60 --quiet"
    );
    let program = env!("CARGO_BIN_EXE_pentalith");
    let mut shell = Command::new("sh");
    let output = shell.args(["-c", &line]).current_dir(&folder).env("PROGRAM", program).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let ignored = std::fs::read_to_string(folder.join("ignored")).unwrap();
    let mask = ignored.split_whitespace().nth(1).unwrap();
    // SIGXFSZ is signal 25.
    assert_eq!(u64::from_str_radix(mask, 16).unwrap() >> 24 & 1, 0, "{ignored}");
}
