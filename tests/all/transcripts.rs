//! Transcripts through the real program: those of `protocol/transcripts/` and of `tests/transcripts/`.

use std::ffi::OsString;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use pentalith::transcript::{RunSettings, collect, read, run as run_transcript, text};

use crate::clients::skip;
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

/// Runs every transcript of a folder whose engine can be started, and gives all that differs with the number that ran.
fn differences(folder: &str) -> (String, usize) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = collect(&[root.join(folder)]).unwrap();
    let mut different = String::new();
    let mut count = 0;
    for path in &files {
        let transcript = read(path).unwrap_or_else(|failure| panic!("{}: {failure:?}", path.display()));
        let program = transcript.command.first().expect("how to call the engine");
        let mut engine: Vec<OsString> = match program.as_str() {
            "pentalith" => vec![env!("CARGO_BIN_EXE_pentalith").into()],
            // Debian keeps games out of the path.
            "gnugo" if Path::new("/usr/games/gnugo").exists() => vec!["/usr/games/gnugo".into()],
            other => vec![other.into()],
        };
        if let Err(error) = Command::new(&engine[0]).arg("--version").output() {
            skip(&format!("{program} does not run"), &error.to_string());
            continue;
        }
        engine.push("{args}".into());
        let settings = RunSettings {
            engine: Some(engine),
            timeout: Duration::from_secs(120),
            interrupt: crossbeam_channel::never(),
        };
        let name = path.strip_prefix(root).unwrap().display().to_string();
        different.push_str(&text(&name, &run_transcript(&transcript, &settings)));
        count += 1;
    }
    (different, count)
}

/// Answers that may change are accepted by `pentalith transcript run protocol/transcripts --accept`.
#[test]
fn answers_are_as_they_were() {
    let (different, count) = differences("protocol/transcripts");
    assert!(different.is_empty(), "{different}");
    assert!(count > 90, "{count}");
}

#[test]
fn other_engines_answer_as_they_did() {
    let (different, _) = differences("tests/transcripts");
    assert!(different.is_empty(), "{different}");
}
