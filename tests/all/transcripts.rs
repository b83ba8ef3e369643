//! Transcripts of GTP and UGI through the real program: commands from `protocol/transcripts/`, answers in `snapshots/`.
//!
//! The first line of a transcript is a comment that says how the program is called.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::talk::Talk;

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
    // On a slow machine a search is long enough to be drawn.
    let errors = String::from_utf8_lossy(&output.stderr);
    let mut blocks = errors.split_terminator("\n\n");
    assert!(blocks.all(|block| block.starts_with("gogui-gfx:\n")), "{errors}");
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
    both.map(|(command, answer)| format!("{command}\n{answer}\n")).collect::<Vec<_>>().join("\n")
}

/// The answer of the program to each command of UGI. A command may say nothing, so `isready` shows where its answer ends;
/// one that searches has answered when there is a `bestmove`, and `quit` when there is no more.
pub fn answers_ugi(arguments: &[&str], commands: &[&str]) -> Vec<Vec<String>> {
    let mut talk = Some(Talk::program(arguments));
    let mut answers = Vec::new();
    for command in commands {
        let mut program = talk.take().expect("no command behind quit");
        program.say(command);
        let mut answer = Vec::new();
        if *command == "quit" {
            answer = program.rest();
        } else {
            match command.split(' ').next() {
                Some("go") => answer = program.until("bestmove"),
                Some("isready") => answer = program.until("readyok"),
                _ => {}
            }
            answer.extend(program.ask("isready", "readyok"));
            answer.pop();
            talk = Some(program);
        }
        answers.push(answer);
    }
    if let Some(program) = talk {
        assert_eq!(program.end(), Vec::<String>::new());
    }
    answers
}

/// Each command of UGI with its answer.
fn dialogue_ugi(arguments: &[&str], transcript: &str) -> String {
    let commands = transcript.lines().filter(|line| !line.starts_with('#'));
    let commands: Vec<&str> = commands.collect();
    let both = commands.iter().zip(answers_ugi(arguments, &commands));
    let lines = |(command, answer): (&&str, Vec<String>)| {
        let answer: String = answer.iter().map(|line| format!("{line}\n")).collect();
        format!("{command}\n{answer}")
    };
    both.map(lines).collect::<Vec<_>>().join("\n")
}

/// Replaces each number that follows a word by `N`: times and speeds differ from run to run.
pub fn without_numbers(text: &str, words: &[&str]) -> String {
    let mut rest = text.to_owned();
    for word in words {
        let word = format!("{word} ");
        let mut parts = rest.split(&word);
        let mut masked = parts.next().unwrap().to_owned();
        for part in parts {
            let after = part.trim_start_matches(|c: char| c.is_ascii_digit());
            let number = if after == part { "" } else { "N" };
            masked += &format!("{word}{number}{after}");
        }
        rest = masked;
    }
    rest
}

/// Compares every transcript of a kind with its snapshot, without the numbers after some words; `speak` is given the
/// arguments of the call and the transcript.
fn compare(kind: &str, words: &[&str], speak: fn(&[&str], &str) -> String) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("protocol/transcripts");
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        let mut count = 0;
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|extension| extension != kind) {
                continue;
            }
            let transcript = fs::read_to_string(&path).unwrap();
            let first = transcript.lines().next().unwrap();
            let arguments = first.strip_prefix("# pentalith ").expect("how to call the program");
            let arguments: Vec<&str> = arguments.split(' ').collect();
            let name = path.file_stem().unwrap().to_str().unwrap();
            let said = without_numbers(&speak(&arguments, &transcript), words);
            insta::assert_snapshot!(name, said);
            count += 1;
        }
        assert!(count >= 5);
    });
}

#[test]
fn answers_in_gtp_are_as_they_were() {
    compare("gtp", &["nodes/s"], |arguments, text| dialogue(text, &run(arguments, text.as_bytes())));
}

#[test]
fn answers_to_clicks_are_as_they_were() {
    compare("gogui", &[], |arguments, text| dialogue(text, &run(arguments, text.as_bytes())));
}

#[test]
fn answers_in_ugi_are_as_they_were() {
    compare("ugi", &[" time", " nps"], dialogue_ugi);
}
