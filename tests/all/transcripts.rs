//! Transcripts of GTP through the real program: commands from `protocol/transcripts/`, answers in `snapshots/`.
//!
//! The first line of a transcript is a comment that says how the program is called.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// Runs the program on an input and gives its standard output; it must end by itself and be content.
pub fn run(arguments: &[&str], input: &[u8]) -> String {
    let mut program = Command::new(env!("CARGO_BIN_EXE_pentalith"))
        .args(arguments)
        .env_remove("RUST_LOG")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = program.stdin.take().unwrap();
    let input = input.to_vec();
    let writer = std::thread::spawn(move || {
        // After quit nobody reads the rest.
        let _ = stdin.write_all(&input);
    });
    let output = program.wait_with_output().unwrap();
    writer.join().unwrap();
    assert!(output.status.success(), "{:?}", output.status);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    String::from_utf8(output.stdout).unwrap()
}

/// The answers without their empty lines.
pub fn answers(output: &str) -> Vec<&str> {
    let Some(body) = output.strip_suffix("\n\n") else {
        assert_eq!(output, "");
        return Vec::new();
    };
    body.split("\n\n").collect()
}

/// Each command with its answer.
fn dialogue(transcript: &str, output: &str) -> String {
    let command = |line: &&str| !line.split('#').next().unwrap().trim().is_empty();
    let commands: Vec<&str> = transcript.lines().filter(command).collect();
    let answers = answers(output);
    assert_eq!(commands.len(), answers.len(), "one answer a command");
    let both = commands.iter().zip(answers);
    both.map(|(command, answer)| format!("{command}\n{answer}\n"))
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn answers_are_as_they_were() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("protocol/transcripts");
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.add_filter(r"nodes/s \d+", "nodes/s N");
    settings.bind(|| {
        let mut count = 0;
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|extension| extension != "gtp") {
                continue;
            }
            let transcript = fs::read_to_string(&path).unwrap();
            let first = transcript.lines().next().unwrap();
            let arguments = first
                .strip_prefix("# pentalith ")
                .expect("how to call the program");
            let arguments: Vec<&str> = arguments.split(' ').collect();
            let output = run(&arguments, transcript.as_bytes());
            let name = path.file_stem().unwrap().to_str().unwrap();
            insta::assert_snapshot!(name, dialogue(&transcript, &output));
            count += 1;
        }
        assert!(count >= 10);
    });
}
