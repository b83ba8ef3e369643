//! The regression tests in `protocol/transcripts/`, judged as gogui-regress judges them, but without Java.

use std::fs;
use std::path::Path;

use pentalith::files::without_mark;

use crate::transcripts::{answers, run};

/// Tells if a pattern matches a whole text. Of Java's regular expressions it knows `.`, `.*`, a backslash and plain
/// characters; it refuses others, so that none is understood here in another way than there.
fn matches(pattern: &[char], text: &[char]) -> bool {
    match (pattern, text) {
        ([], _) => text.is_empty(),
        (['.', '*', pattern @ ..], _) => (0..=text.len()).any(|skipped| matches(pattern, &text[skipped..])),
        (['.', pattern @ ..], [_, text @ ..]) => matches(pattern, text),
        (['\\', literal, pattern @ ..], [first, text @ ..]) if !literal.is_alphanumeric() => {
            literal == first && matches(pattern, text)
        }
        ([literal, pattern @ ..], _) => {
            let special = "\\*+?|()[]{}^$".contains(*literal);
            assert!(!special, "a pattern with {literal}");
            text.first() == Some(literal) && matches(pattern, &text[1..])
        }
    }
}

/// A requirement on the answer.
#[derive(Debug, PartialEq)]
struct Expected<'a> {
    pattern: &'a str,
    /// The pattern must not match.
    not: bool,
    /// The test has to fail.
    fails: bool,
}

fn expected(line: &str) -> Expected<'_> {
    let (line, fails) = match line.strip_suffix('*') {
        Some(line) => (line, true),
        None => (line, false),
    };
    let pattern = line.strip_prefix('[').and_then(|line| line.strip_suffix(']'));
    let pattern = pattern.expect("a pattern in brackets").trim();
    let (pattern, not) = match pattern.strip_prefix('!') {
        Some(pattern) => (pattern, true),
        None => (pattern, false),
    };
    Expected { pattern, not, fails }
}

/// Tells if a test passes, given the whole answer: `=10 text`. An error passes no test, whatever the pattern.
fn passes(expected: &Expected, answer: &str) -> bool {
    let text = answer.find(' ').map_or("", |space| answer[space..].trim());
    let chars = |text: &str| text.chars().collect::<Vec<_>>();
    let matched = matches(&chars(expected.pattern), &chars(text));
    answer.starts_with('=') && matched != expected.not
}

/// Runs a file and says what is not as it should be, one line each.
fn regress(file: &str) -> Vec<String> {
    let lines = file.lines().map(|line| without_mark(line).trim());
    // A command, and what is expected of it.
    let mut tests: Vec<(&str, Option<Expected>)> = Vec::new();
    for line in lines.filter(|line| !line.is_empty()) {
        if let Some(pattern) = line.strip_prefix("#?") {
            let (_, last) = tests.last_mut().expect("a command before the pattern");
            assert_eq!(*last, None, "{line}");
            *last = Some(expected(pattern.trim()));
        } else if !line.starts_with('#') {
            tests.push((line, None));
        }
    }
    let input: Vec<&str> = tests.iter().map(|(command, _)| *command).collect();
    let output = run(&["gtp"], (input.join("\n") + "\n").as_bytes());
    let answers = answers(&output);
    assert_eq!(answers.len(), tests.len(), "one answer a command");
    let wrong = tests.iter().zip(answers).filter(|((_, test), answer)| {
        let succeeded = match test {
            Some(test) => passes(test, answer) != test.fails,
            None => answer.starts_with('='),
        };
        !succeeded
    });
    wrong.map(|((command, _), answer)| format!("{command}: {answer}")).collect()
}

#[test]
fn regression_tests_pass() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("protocol/transcripts");
    let file = fs::read_to_string(folder.join("regression.tst")).unwrap();
    assert_eq!(regress(&file), Vec::<String>::new());
}

#[test]
fn patterns_are_judged_as_gogui_regress_judges_them() {
    for (pattern, answer, passed) in [
        ("[]", "=1", true),
        ("[]", "=1 c3", false),
        ("[c3]", "=1 c3", true),
        ("[ c3 ]", "=1 c3", true),
        ("[c]", "=1 c3", false),
        ("[.3.*]", "=1 c3,d4", true),
        (r"[B\+7]", "=1 B+7", true),
        // A dot matches the end of a line, too.
        ("[12.nodes/s .*]", "=1 12\nnodes/s 5", true),
        // The text begins behind the first space, wherever that is.
        ("[a b. 1]", "=1\n   a b\n 1", true),
        ("[b c]", "=1\na b c", true),
        ("[!c3]", "=1 c3", false),
        ("[!c3]", "=1 d4", true),
        ("[.*]", "?1 illegal move: c3", false),
        ("[!c3]", "?1 illegal move: c3", false),
    ] {
        let test = expected(pattern);
        assert_eq!(passes(&test, answer), passed, "{pattern} {answer}");
        assert_eq!(expected(&format!("{pattern}*")), Expected { fails: true, ..test });
    }
}

#[test]
fn what_is_wrong_is_named() {
    let file = "1 known_command play\n#? [false]\n2 name\n#? [.*]*\n3 play\n#? [!x]*\nnonsense\nname\n4 version\n";
    let wrong = regress(file);
    assert_eq!(regress(&format!("\u{feff}{file}")), wrong);
    let commands: Vec<&str> = wrong.iter().map(|line| line.split(':').next().unwrap()).collect();
    assert_eq!(commands, ["1 known_command play", "2 name", "nonsense"]);
}
