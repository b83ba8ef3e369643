//! Dialogues in pages are what the program says: a client (`>`) talks UGI to pentalith (`<`).

use super::console::difference;
use super::{Item, pages, report};
use crate::transcripts::answers_ugi;

/// Returns the lines that begin with a sign, without it.
fn said_by<'a>(sign: &str, dialogue: &'a str) -> Vec<&'a str> {
    let lines = dialogue.lines().filter_map(|line| line.strip_prefix(sign));
    lines.map(str::trim_end).collect()
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
            // Other engines give their own names.
            let names = ["\n< id name pentalith ", "\n< id name …\n"];
            if !text.starts_with("> ugi\n") || !names.iter().any(|name| text.contains(name)) {
                continue;
            }
            dialogues += 1;
            let expected: Vec<String> = said_by("< ", &text).into_iter().map(str::to_owned).collect();
            let shown = "option name Variant type string default ";
            let variant = expected.iter().find_map(|line| line.strip_prefix(shown));
            let arguments = ["ugi", variant.unwrap_or("markane")];
            let real = answers_ugi(&arguments, &said_by("> ", &text)).concat();
            let real: Vec<String> = real.iter().map(|line| line.trim_end().to_owned()).collect();
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
    assert!(dialogues >= 1, "{dialogues} dialogues");
    report(&complaints);
}
