//! The field's words, and none that only this program's first authors understood.

use std::fs;

use super::{files_in, pages, report, root};

/// Words and phrases that have a better one, in lower case.
const PRIVATE: &[&str] = &[
    // Evaluation: accumulator, feature weight.
    "outlook",
    "outlooks",
    "worths",
    "worth of",
    // Search: ordering score, beta cut-off, static evaluation.
    "ten_to_one",
    "promise",
    "promises",
    "glance",
    "glances",
    // Options before they had the names of other programs.
    "--give-up",
    "--margin",
    "--unpaired",
    "--expectation",
    "--ridge",
    "--played",
    // Riddles: a number, a standard term or another sentence says it.
    "so many",
    "so far",
    "give or take",
    "told apart",
    "tell apart",
    "anybody's",
    "lone",
    "loner",
];

/// Finds the private words in a text, which has lower case and spaces for line ends.
fn private(text: &str) -> impl Iterator<Item = (usize, &'static str)> {
    let inside = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || "-_".contains(c));
    PRIVATE.iter().flat_map(move |word| {
        let places = text.match_indices(word).map(|(at, _)| at);
        let whole = |at: &usize| {
            let (before, after) = (&text[..*at], &text[at + word.len()..]);
            !inside(before.chars().next_back()) && !inside(after.chars().next())
        };
        places.filter(whole).map(|at| (at, *word)).collect::<Vec<_>>()
    })
}

/// A doc comment: its file, its first line's number, its lines.
struct Comment {
    file: String,
    line: usize,
    lines: Vec<String>,
}

/// Reads every doc comment of the program, its tests and benchmarks.
fn doc_comments() -> Vec<Comment> {
    let mut comments: Vec<Comment> = Vec::new();
    let folders = ["src", "engine/src", "verify/src", "tests", "benches"];
    for file in folders.iter().flat_map(|folder| files_in(folder, "rs")) {
        let source = fs::read_to_string(root().join(&file)).unwrap();
        let mut begun = false;
        for (number, line) in source.lines().enumerate() {
            let line = line.trim_start();
            let text = line.strip_prefix("///").or(line.strip_prefix("//!"));
            let goes_on = begun;
            begun = text.is_some();
            let Some(text) = text else {
                continue;
            };
            if !goes_on {
                comments.push(Comment { file: file.to_str().unwrap().to_owned(), line: number + 1, lines: Vec::new() });
            }
            let comment = comments.last_mut().unwrap();
            comment.lines.push(text.trim_start().to_owned());
        }
    }
    comments
}

#[test]
fn pages_and_doc_comments_have_no_private_words() {
    let pages = pages().into_iter().map(|page| (page.name, 1, page.text));
    let comments = doc_comments().into_iter();
    let comments = comments.map(|comment| (comment.file, comment.line, comment.lines.join("\n")));
    let mut complaints = Vec::new();
    for (name, first, text) in pages.chain(comments) {
        let text = text.to_lowercase();
        // A phrase may go over the end of a line.
        let joined = text.replace('\n', " ");
        for (at, word) in private(&joined) {
            let line = first + text[..at].matches('\n').count();
            complaints.push(format!("{name}:{line}: {word}"));
        }
    }
    report(&complaints);
}

#[test]
fn doc_comments_begin_with_a_verb_or_a_thing() {
    let openings = ["What ", "How ", "Whether "];
    let mut complaints = Vec::new();
    for comment in doc_comments() {
        let first = &comment.lines[0];
        if openings.iter().any(|opening| first.starts_with(opening)) {
            complaints.push(format!("{}:{}: {first}", comment.file, comment.line));
        }
    }
    report(&complaints);
}

#[test]
fn pages_that_comments_name_exist() {
    let mut complaints = Vec::new();
    for file in ["src", "engine/src", "verify/src"].iter().flat_map(|folder| files_in(folder, "rs")) {
        let source = fs::read_to_string(root().join(&file)).unwrap();
        for (number, line) in source.lines().enumerate() {
            let Some((_, comment)) = line.split_once("//") else {
                continue;
            };
            let words = comment.split(|c: char| !c.is_alphanumeric() && !"/._-".contains(c));
            let words = words.map(|word| word.trim_end_matches('.'));
            for name in words.filter(|word| word.ends_with(".md")) {
                if !root().join(name).is_file() {
                    let file = file.display();
                    complaints.push(format!("{file}:{}: {name}: no such page", number + 1));
                }
            }
        }
    }
    report(&complaints);
}
