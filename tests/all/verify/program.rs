//! The program: what it says, and its exit status.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use super::brute_force::{Certificate, Seat, Truth, claim};

fn verify(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pentalith-verify"));
    command.args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[test]
fn the_program_says_what_is_proven() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("proof");
    let path = file.to_str().unwrap();
    let mut truth = Truth::default();
    let claims = [(Seat::P1, claim("margin -7")), (Seat::P2, claim("margin 7"))];
    let certificate = Certificate::new("inversion:2", "start", &mut truth, &claims);
    fs::write(&file, certificate.bytes()).unwrap();
    let output = verify(&[path]);
    assert_eq!(output.status.code(), Some(0));
    let said = text(&output.stdout);
    let start = "Proven: in inversion:2 from the start, Black (p2) wins by 7 points. (";
    assert!(said.starts_with(start), "{said}");
    assert!(output.stderr.is_empty());
    let output = verify(&["--json", path]);
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["variant"], "inversion:2");
    assert_eq!(json["value"], "p2win");
    assert_eq!(json["score"], -7);
    assert_eq!(json["bounds"], serde_json::json!({"value": ["p2win", "p2win"], "score": [-7, -7]}));
    assert!(json["positions"].as_u64().unwrap() > 10 && json["seconds"].is_number());
    // A bound.
    let certificate = Certificate::new("inversion:2", "start", &mut truth, &claims[..1]);
    fs::write(&file, certificate.bytes()).unwrap();
    let said = verify(&[path]).stdout;
    let bound = "both sides may still win, and White (p1) leads by at least -7 points in the end.";
    assert!(text(&said).contains(bound), "{}", text(&said));
    // A lie.
    let certificate = Certificate::new("inversion:2", "start", &mut truth, &[(Seat::P1, claim("win"))]);
    fs::write(&file, certificate.bytes()).unwrap();
    let output = verify(&[path]);
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.is_empty());
    let said = text(&output.stderr);
    for part in
        ["strategy 1 (p1 win), choice ", ", byte ", "the claim fails: Black has won by ", "position: ", "moves to it: "]
    {
        assert!(said.contains(part), "{said}");
    }
    let output = verify(&[path, "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["value"], "unknown");
    assert_eq!(json["score"], Value::Null);
    assert!(json["error"].as_str().unwrap().contains("the claim fails"));
}

#[test]
fn files_that_are_none_and_wrong_usage_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let told = |arguments: &[&str], status: i32, expected: &str| {
        let output = verify(arguments);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(status), "{arguments:?}: {said}");
        assert!(said.contains(expected), "{arguments:?}: {said}");
    };
    let folder = folder.path().to_str().unwrap();
    told(&[folder], 2, "pentalith-verify: ");
    told(&[&format!("{folder}/none")], 2, "none: ");
    told(&[], 2, "which FILE shall be checked?");
    told(&["a", "b"], 2, "one FILE at a time; `b` is a second one");
    told(&["--fast", "a"], 2, "there is no option `--fast`");
    told(&["a", "--memory"], 2, "`--memory` takes a number of MB, not ``");
    told(&["a", "--memory", "0"], 2, "`--memory` takes a number of MB, not `0`");
    if Path::new("/dev/zero").exists() {
        told(&["/dev/zero"], 1, "4096 bytes are too many for the line `pentalith certificate`");
        told(&["/dev/null"], 1, "the file ends within the line `pentalith certificate`");
    }
    let help = verify(&["--help"]);
    assert_eq!(help.status.code(), Some(0));
    assert!(text(&help.stdout).contains("Usage: pentalith-verify [--json] [--memory MB] FILE"));
    let version = verify(&["--version"]);
    let expected = format!("pentalith-verify {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(text(&version.stdout), expected);
}
