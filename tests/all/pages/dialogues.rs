//! Dialogues in pages are what the program says: a client (`>`) talks UGI to pentalith (`<`).

use super::console::difference;
use super::{Item, pages, report};
use crate::talk::Talk;

/// Says the client's lines to the program and returns all that it answers.
fn answers<'a>(variant: &str, commands: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut talk = Talk::program(&["ugi", variant]);
    let mut answers = Vec::new();
    for command in commands {
        let last = match command.split(' ').next() {
            Some("ugi") => "ugiok",
            Some("isready") => "readyok",
            Some("go") => "bestmove",
            Some("quit") => {
                talk.say(command);
                answers.extend(talk.rest());
                return answers;
            }
            // A command may say nothing: what comes before this answer is its own.
            _ => {
                talk.say(command);
                answers.extend(talk.ask("isready", "readyok"));
                answers.pop();
                continue;
            }
        };
        answers.extend(talk.ask(command, last));
    }
    answers
}

#[test]
fn dialogues_with_the_program_are_what_it_says() {
    let mut complaints = Vec::new();
    let mut dialogues = 0;
    for page in pages() {
        for (fence, item) in page.items() {
            let Item::Block(_, text) = item else {
                continue;
            };
            let is_ours = ["\n< id name pentalith ", "\n< id name …\n"]
                .iter()
                .any(|name| text.contains(name));
            if !text.starts_with("> ugi\n") || !is_ours {
                continue;
            }
            dialogues += 1;
            let expected: Vec<String> = text
                .lines()
                .filter_map(|line| line.strip_prefix("< "))
                .map(|line| line.trim_end().to_owned())
                .collect();
            let shown = "option name Variant type string default ";
            let variant = expected.iter().find_map(|line| line.strip_prefix(shown));
            let commands = text.lines().filter_map(|line| line.strip_prefix("> "));
            let real: Vec<String> = answers(variant.unwrap_or("markane"), commands)
                .iter()
                .map(|line| line.trim_end().to_owned())
                .collect();
            if let Some((in_expected, in_real)) = difference(&expected, &real) {
                complaints.push(format!(
                    "{}:{fence}: expected {:?}\n  got {:?}; all of it:\n{}\n",
                    page.name,
                    expected.get(in_expected),
                    real.get(in_real),
                    real.join("\n"),
                ));
            }
        }
    }
    assert!(dialogues >= 2, "{dialogues} dialogues");
    report(&complaints);
}
