//! Examples in pages do what the page shows.
//!
//! The `console` blocks of a page are one session of a shell, in an empty directory. A line `…` stands for any lines,
//! and `…` within a line for any text. `UPDATE_PAGES=1 cargo test the_examples` writes the real output into the pages.

use std::fs;
use std::ops::Range;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use super::{Item, Page, pages, report, root};
use crate::talk::side_by_side;

/// Time limit for the examples of one page.
const LIMIT: Duration = Duration::from_secs(300);

/// A command with the output that the page shows below it.
struct Example {
    /// Its lines in the page, counted from 1: those of the command and those of the output.
    command: Range<usize>,
    output: Range<usize>,
    script: String,
    expected: Vec<String>,
}

fn examples(page: &Page) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    for (fence, item) in page.items() {
        let Item::Block(language, text) = item else {
            continue;
        };
        if language != "console" {
            continue;
        }
        let mut in_command = false;
        for (number, line) in (fence + 1..).zip(text.lines()) {
            if let Some(command) = line.strip_prefix("$ ") {
                in_command = true;
                examples.push(Example {
                    command: number..number + 1,
                    output: number + 1..number + 1,
                    script: command.to_owned(),
                    expected: Vec::new(),
                });
                continue;
            }
            let example = examples.last_mut().expect("the first line is a command");
            match line.strip_prefix("> ").filter(|_| in_command) {
                Some(more) => {
                    example.script += &format!("\n{more}");
                    example.command.end = number + 1;
                    example.output = number + 1..number + 1;
                }
                None => {
                    in_command = false;
                    example.expected.push(line.trim_end().to_owned());
                    example.output.end = number + 1;
                }
            }
        }
    }
    for example in &mut examples {
        // Empty lines at the end only set two commands apart.
        while example.expected.pop_if(|line| line.is_empty()).is_some() {
            example.output.end -= 1;
        }
    }
    examples
}

/// Runs commands in one shell and gives the output of each.
fn outputs(examples: &[Example]) -> Vec<Vec<String>> {
    const MARK: &str = "\u{1}next\u{1}";
    let folder = tempfile::tempdir().unwrap();
    let (programs, work) = (folder.path().join("bin"), folder.path().join("work"));
    fs::create_dir(&programs).unwrap();
    fs::create_dir(&work).unwrap();
    let program = Path::new(env!("CARGO_BIN_EXE_pentalith"));
    std::os::unix::fs::symlink(program, programs.join("pentalith")).unwrap();
    let mut script = String::from("exec 2>&1\n");
    for example in examples {
        script += &format!("{}\nprintf '{MARK}'\n", example.script);
    }
    let script_file = folder.path().join("script");
    fs::write(&script_file, script).unwrap();
    let output_file = folder.path().join("output");
    let path = std::env::var("PATH").unwrap_or_default();
    let mut shell = Command::new("bash")
        .arg(&script_file)
        .current_dir(&work)
        .env("PATH", format!("{}:{path}", programs.display()))
        .env("HOME", &work)
        .env("LC_ALL", "C.UTF-8")
        .env_remove("RUST_LOG")
        .env_remove("COLUMNS")
        .stdin(Stdio::null())
        .stdout(fs::File::create(&output_file).unwrap())
        .stderr(Stdio::inherit())
        .spawn()
        .unwrap();
    let began = Instant::now();
    while shell.try_wait().unwrap().is_none() {
        if began.elapsed() > LIMIT {
            shell.kill().unwrap();
        }
        thread::sleep(Duration::from_millis(10));
    }
    let output = fs::read(&output_file).unwrap();
    let output = String::from_utf8_lossy(&output);
    let outputs = output.split(MARK).take(examples.len());
    let lines = |output: &str| {
        // Progress is shown every few seconds, on slow machines only.
        let lines = output.trim_end().lines();
        let lines = lines.filter(|line| !is_progress(line));
        lines.map(|line| line.trim_end().to_owned()).collect()
    };
    outputs.map(lines).collect()
}

/// Returns true for a line of progress, as in `149/2000 games  1,024 nodes per move, at most 72 s left`.
fn is_progress(line: &str) -> bool {
    let count = line.split_once(" games  ").and_then(|(count, _)| count.split_once('/'));
    let is_number = |text: &str| text.parse::<u64>().is_ok();
    count.is_some_and(|(played, total)| is_number(played) && is_number(total))
}

/// Compares lines, and gives the numbers of the expected and the real line where they first differ.
pub(super) fn difference(expected: &[String], real: &[String]) -> Option<(usize, usize)> {
    for (at, line) in expected.iter().enumerate() {
        if line.trim() == "…" {
            let rest = (at..=real.len()).map(|from| (from, difference(&expected[at + 1..], &real[from..])));
            let mut furthest = (0, 0);
            for (from, found) in rest {
                let (in_expected, in_real) = found?;
                furthest = furthest.max((at + 1 + in_expected, from + in_real));
            }
            return Some(furthest);
        }
        if !real.get(at).is_some_and(|real| fits(line, real)) {
            return Some((at, at));
        }
    }
    (real.len() > expected.len()).then_some((expected.len(), expected.len()))
}

/// Tells if a line is as expected, where `…` stands for any text.
fn fits(expected: &str, real: &str) -> bool {
    match expected.split_once('…') {
        None => expected == real,
        Some((start, rest)) => real.strip_prefix(start).is_some_and(|real| {
            let mut ends = real.char_indices().map(|(at, _)| at).chain([real.len()]);
            ends.any(|from| fits(rest, &real[from..]))
        }),
    }
}

#[test]
fn the_examples_do_what_the_page_shows() {
    let update = std::env::var_os("UPDATE_PAGES").is_some();
    let complaints = Mutex::new(Vec::new());
    let python = Command::new("python3").arg("--version").output();
    let pages = pages().into_iter();
    let pages = pages.map(|page| (examples(&page), page));
    side_by_side(pages.filter(|(examples, _)| !examples.is_empty()), |(examples, page)| {
        let mut outputs = outputs(&examples);
        outputs.resize(examples.len(), vec!["(not run in time)".to_owned()]);
        let mut lines: Vec<&str> = page.text.lines().collect();
        // From the end, so that the lines above keep their numbers.
        for (example, output) in examples.iter().zip(&outputs).rev() {
            if example.script.contains("python3")
                && let Err(error) = &python
            {
                crate::clients::skip("python3 does not run", &error.to_string());
                continue;
            }
            let Some((in_expected, in_real)) = difference(&example.expected, output) else {
                continue;
            };
            let line = |lines: &[String], at: usize| match lines.get(at) {
                Some(line) => format!("`{line}`"),
                None => "nothing more".to_owned(),
            };
            complaints.lock().unwrap().push(format!(
                "{}:{}: $ {}\n  expected {}\n  got      {}\n  the whole output:\n{}\n",
                page.name,
                example.output.start + in_expected,
                example.script,
                line(&example.expected, in_expected),
                line(output, in_real),
                output.join("\n"),
            ));
            let shown = example.output.start - 1..example.output.end - 1;
            lines.splice(shown, output.iter().map(String::as_str));
        }
        if update {
            fs::write(root().join(&page.name), lines.join("\n") + "\n").unwrap();
        }
    });
    report(&complaints.into_inner().unwrap());
}

#[test]
fn an_ellipsis_stands_for_anything() {
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    let difference = |expected, real| difference(&lines(expected), &lines(real));
    assert_eq!(difference("a\nb", "a\nb"), None);
    assert_eq!(difference("a\n…\nd", "a\nb\nc\nd"), None);
    assert_eq!(difference("a\n…\nd", "a\nd"), None);
    assert_eq!(difference("…", ""), None);
    assert_eq!(difference("nodes … of …", "nodes 12 of 13"), None);
    assert_eq!(difference("a\nb", "a\nc"), Some((1, 1)));
    assert_eq!(difference("a", "a\nb"), Some((1, 1)));
    assert_eq!(difference("a\n…\nd\ne", "a\nb\nd\nf"), Some((3, 3)));
    assert_eq!(difference("nodes … of 12", "nodes 12 of 13"), Some((0, 0)));
}
