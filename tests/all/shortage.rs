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
        for method in ["pvs", "uct"] {
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
    for method in ["pvs", "uct"] {
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
